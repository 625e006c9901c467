package compare

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// Collision says why a run of a fuzz test fails that passes with other addresses in its
// arguments: one of them is the address of something that the test uses anyway. Authors exclude
// such addresses with vm.assume once forge has drawn one, if it ever does.
type Collision struct {
	Parameter string // the test's
	Is        string // "the address of Target, which the test creates"
	// Drawn reports whether forge's fuzzer may draw the address: it takes those of the state
	// after setUp(), and none that only come up in the test itself (measured, see
	// docs/oracles.md).
	Drawn bool
}

// String is the collision as a condition.
func (c *Collision) String() string { return fmt.Sprintf("if %s is %s", c.Parameter, c.Is) }

// ordinaryAddresses stand for accounts that no test knows. One would do, were there not tests
// that look at bits of an address.
var ordinaryAddresses = []common.Address{ordinary("alpha"), ordinary("beta"), ordinary("gamma")}

func ordinary(name string) common.Address {
	return common.BytesToAddress(crypto.Keccak256([]byte("an ordinary account: " + name)))
}

// colliding looks for collisions on one side of a comparison.
type colliding struct {
	*deploy.Deployment
	judge evm.Machine
}

// run makes a sequence. nil where the machine fails.
func (c *colliding) run(seq input.Sequence) *evm.Execution {
	exec, err := c.judge.Run(c.Space.Encode(seq, nil))
	if err != nil {
		return nil
	}
	return exec
}

// with is a run of a fuzz test with other addresses in place of some.
func with(seq input.Sequence, from []common.Address, to func(i int) common.Address) input.Sequence {
	other := seq.Clone()
	last := &other[len(other)-1]
	for i, address := range from {
		last.Args = abi.ReplaceAddress(last.Args, last.Function.Inputs, address, to(i))
	}
	return other
}

// passesWithout reports whether a fuzz test passes with ordinary addresses in place of some.
func (c *colliding) passesWithout(seq input.Sequence, some []common.Address) bool {
	for n := range ordinaryAddresses {
		exec := c.run(with(seq, some, func(i int) common.Address { return ordinaryAddresses[n] }))
		if exec == nil || !oracle.Passes(exec) {
			return false
		}
		if len(some) > 1 { // they were different
			exec = c.run(with(seq, some, func(i int) common.Address { return ordinary(fmt.Sprint(n, i)) }))
			if exec == nil || !oracle.Passes(exec) {
				return false
			}
		}
	}
	return true
}

// find is why a run of a fuzz test fails; nil where it does not fail by a collision.
func (c *colliding) find(seq input.Sequence) *Collision {
	if !input.IsTest(seq) {
		return nil
	}
	addresses := addressesOf(seq)
	alone := false
	for _, address := range addresses {
		if !c.passesWithout(seq, []common.Address{address}) {
			continue
		}
		alone = true // others may collide with what it leads to, such as a contract that it creates
		if found := c.collision(seq, address); found != nil {
			return found
		}
	}
	if alone || len(addresses) < 2 || !c.passesWithout(seq, addresses) {
		return nil
	}
	for _, address := range addresses {
		if found := c.collision(seq, address); found != nil {
			return found
		}
	}
	return nil
}

// addressesOf lists the addresses among the arguments of a fuzz test, each once.
func addressesOf(seq input.Sequence) []common.Address {
	var list []common.Address
	last := &seq[len(seq)-1]
	abi.EachAddress(last.Args, last.Function.Inputs, func(address common.Address) {
		if !slices.Contains(list, address) {
			list = append(list, address)
		}
	})
	return list
}

const (
	// lastSmall is the greatest number that authors take for no account's address.
	lastSmall = 0xff
	// lastPrecompile is that of the precompiled contracts (Prague).
	lastPrecompile = 0x11
)

// collision says what an address in the arguments of a fuzz test is to the test when it is not
// an argument, or that it is a precompiled contract's, which the test calls; nil: nothing, or zero and constants of the code.
func (c *colliding) collision(seq input.Sequence, address common.Address) *Collision {
	if isSmall(address) {
		return c.precompiled(seq, address)
	}
	exec := c.run(with(seq, []common.Address{address}, func(int) common.Address { return ordinaryAddresses[0] }))
	if exec == nil {
		return nil
	}
	world, _ := c.World.For(c.Space.Encode(seq, nil))
	found := &Collision{Parameter: parameterOf(seq, address)}
	for _, near := range []bool{false, true} {
		is := func(other common.Address) bool { return other == address || near && isNear(other, address) }
		found.Is, found.Drawn = whatIs(world, exec, is)
		if found.Is != "" && near {
			found.Is = "next to " + found.Is // sub-accounts and the like
		}
		if found.Is != "" {
			break
		}
	}
	if found.Is == "" || found.Parameter == "" || isConstant(world, address) {
		return nil
	}
	return found
}

func isSmall(address common.Address) bool {
	return address.Big().IsUint64() && address.Big().Uint64() <= lastSmall
}

// precompiled is the collision with a precompiled contract, which a fuzz test calls as if it were an account without code; nil:
// it does not. forge draws each in one campaign of ten.
func (c *colliding) precompiled(seq input.Sequence, address common.Address) *Collision {
	number := address.Big().Uint64()
	if number == 0 || number > lastPrecompile {
		return nil
	}
	parameter, exec := parameterOf(seq, address), c.run(seq)
	if parameter == "" || exec == nil {
		return nil
	}
	frames := exec.Calls[len(exec.Calls)-1].Frames
	if !slices.ContainsFunc(exec.Frames[frames[0]:frames[1]], func(f evm.Frame) bool { return f.CodeAddress == address }) {
		return nil
	}
	return &Collision{Parameter: parameter, Is: "the address of a precompiled contract", Drawn: true}
}

// derivedBytes in a row that two addresses share are not shared by accident: of two that have nothing to
// do with each other, fewer than one pair in 2^60 has them.
const derivedBytes = 8

// isNear reports whether one address was made of the other, as tests make sub-accounts and
// strangers: they differ in the last byte alone, or in some bits (address(uint160(a) ^ 256),
// uint160(a) + n), so that many bytes in a row are the same. Zeros do not count.
func isNear(a, b common.Address) bool {
	if bytes.Equal(a[:19], b[:19]) {
		return true
	}
	row := 0
	for i := range a {
		if a[i] != b[i] || a[i] == 0 {
			row = 0
			continue
		}
		if row++; row == derivedBytes {
			return true
		}
	}
	return false
}

// isConstant reports whether code of a World has the address as a constant, and no account
// has its code there: forge draws constants, those of setUp's contracts and of immutables
// aside, in nearly every campaign.
func isConstant(world *evm.World, address common.Address) bool {
	const push20 = 0x73
	if account := world.Accounts[address]; account != nil && len(account.Code) > 0 {
		return false
	}
	constant := append([]byte{push20}, address[:]...)
	for _, account := range world.Accounts { // the order does not matter
		if bytes.Contains(account.Code, constant) {
			return true
		}
	}
	return false
}

// parameterOf is the parameter of a fuzz test whose argument holds an address; empty: none.
func parameterOf(seq input.Sequence, address common.Address) string {
	last := &seq[len(seq)-1]
	for i := range last.Args {
		holds := false
		abi.EachAddress(last.Args[i:i+1], last.Function.Inputs[i:i+1], func(a common.Address) { holds = holds || a == address })
		switch {
		case !holds:
		case i < len(last.Function.InputNames) && last.Function.InputNames[i] != "":
			return last.Function.InputNames[i]
		default:
			return fmt.Sprintf("argument %d", i+1)
		}
	}
	return ""
}

// whatIs says what an address is in the World and in a run of a fuzz test that begins there,
// and whether the World has it.
func whatIs(world *evm.World, exec *evm.Execution, is func(common.Address) bool) (what string, inWorld bool) {
	for address := range world.Accounts { // at most one, or those of one sort
		inWorld = inWorld || is(address)
	}
	last := &exec.Calls[len(exec.Calls)-1]
	test := &exec.Frames[last.Frames[0]]
	switch {
	case is(test.Self):
		return "the test contract's address", true
	case is(cheatcode.Address):
		return "the address of Foundry's cheatcodes", true
	case is(test.Caller):
		return "the address that calls the test", true
	}
	uses := false
	for i := last.Frames[0] + 1; i < last.Frames[1]; i++ {
		f := &exec.Frames[i]
		switch {
		case is(f.Self) && f.Program != nil && f.Program.Contract != nil:
			what = "the address of " + f.Program.Contract.Name
			if !inWorld {
				what += ", which the test creates"
			}
			return what, inWorld
		case is(f.Self), is(f.Caller), is(f.CodeAddress), hasWord(f.Input, is), hasWord(f.Output, is):
			uses = true
		}
	}
	switch {
	case uses && inWorld:
		return "an account that the test uses", true
	case inWorld:
		return "an account that setUp() uses", true
	case uses || compares(exec, last, is):
		return "an account that the test uses", false
	}
	return "", false
}

// hasWord reports whether an address is among the words of calldata, which begin after a
// selector, or of what was returned.
func hasWord(data []byte, is func(common.Address) bool) bool {
	for at := len(data) % 32; at+32 <= len(data); at += 32 {
		if word := data[at : at+32]; bytes.Equal(word[:12], make([]byte, 12)) && is(common.BytesToAddress(word)) {
			return true
		}
	}
	return false
}

// compares reports whether a call compares something with an address.
func compares(exec *evm.Execution, call *evm.CallResult, is func(common.Address) bool) bool {
	for i := call.Frames[0]; i < call.Frames[1]; i++ {
		for _, comparison := range exec.Frames[i].Comparisons {
			if is(comparison.Left.Bytes20()) || is(comparison.Right.Bytes20()) {
				return true
			}
		}
	}
	return false
}

// Collisions are those by which fuzz tests fail. Where a campaign has seen such a test fail
// without one, too, that becomes the finding's sequence.
func Collisions(head *deploy.Deployment, judge evm.Machine, findings []*fuzzer.Finding) map[*fuzzer.Finding]*Collision {
	collisions := map[*fuzzer.Finding]*Collision{}
	c := &colliding{head, judge}
	side := &headSide{Deployment: head, judge: judge}
	for _, f := range findings {
		if f.Oracle != oracle.FailingTest {
			continue
		}
		found := c.find(f.Sequence)
		for _, way := range f.Ways {
			if found == nil {
				break
			}
			if _, fails := side.breaks(f, way); fails && c.find(way) == nil {
				found = nil
				side.adopt(&candidate{finding: f, sequence: way})
			}
		}
		if found != nil {
			collisions[f] = found
		}
	}
	return collisions
}

// Passes reports whether a fuzz test passes on the base with the arguments of one that fails
// on the head by a collision, and its arguments collide there as well: then the arguments are not
// to blame.
func (b *Base) Passes(head *deploy.Deployment, seq input.Sequence) bool {
	if b == nil || b.Deployment == nil || b.otherWorld != "" {
		return false
	}
	there := b.toBase(head.Space, b.Deployment.Space, seq).sequence
	if len(there) != len(seq) || !input.IsTest(there) {
		return false
	}
	c := &colliding{b.Deployment, b.judge}
	exec := c.run(there)
	return exec != nil && oracle.Passes(exec) && slices.ContainsFunc(addressesOf(there), func(address common.Address) bool {
		return c.collision(there, address) != nil
	})
}
