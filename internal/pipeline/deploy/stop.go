package deploy

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
)

// WhyNotDeployed says why a contract could not be deployed, and where its constructor stopped as far
// as that is known, with the statement if it gave no reason: "constructor: reverted without a reason, in Vault.constructor at src/Vault.sol:12:
// `require(owner != address(0))`, which compares 0 with 0".
func (d *Deployment) WhyNotDeployed(f *world.Failure) string {
	s := f.Stop
	if s == nil {
		return f.Reason
	}
	at, loc := bytecode.Position{}, bytecode.Location{}
	for _, candidate := range []bytecode.Location{s.At, s.Decision} {
		position, ok := d.Positions.At(candidate)
		if ok && (candidate == s.At || s.Decided) {
			at, loc = position, candidate
			break
		}
	}
	if at.File == "" {
		return f.Reason
	}
	text, circle, inCircle := strings.Cut(f.Reason, world.InCircle)
	text += ", in "
	if p := d.Table.Program(loc.Code); p != nil && p.Contract != nil {
		text += p.Contract.Name
		if function, ok := d.Positions.FunctionAt(loc); ok {
			text += "." + function
		}
	}
	text += " at " + at.String()
	if source, ok := d.Positions.TextAt(loc); ok && s.Silent && !strings.Contains(source, "`") {
		text += ": `" + human.Clean(source, maxSource) + "`"
		text += d.compared(s.Compared)
	}
	if inCircle {
		text += world.InCircle + circle
	}
	return text
}

// maxSource bounds a statement in a sentence, characters. Arbitrary: a line of code.
const maxSource = 100

// compared says what a condition compares; empty where it is a truth value.
func (d *Deployment) compared(c *evm.Comparison) string {
	if c == nil || vm.OpCode(c.Op) == vm.ISZERO {
		return ""
	}
	return fmt.Sprintf(", which compares %s with %s", d.value(&c.Left), d.value(&c.Right))
}

// value is a word for people: the name of an account, a number, or hexadecimal digits.
func (d *Deployment) value(v *uint256.Int) string {
	address := common.Address(v.Bytes20())
	for _, s := range d.World.Senders {
		if s.Address == address {
			return s.Name
		}
	}
	for _, in := range d.World.Instances {
		if in.Address == address {
			return in.Name
		}
	}
	if v.IsUint64() {
		return v.Dec()
	}
	return v.Hex()
}
