package replay

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// This file writes what the attacker's contract does in a Foundry test: a contract of the test is
// put at its address, and is told in words before each call that has a script.

// attackerContract is the contract. It does what fuzzer/attacker's does, and people can read it.
//
//go:embed SightlineAttacker.sol
var attackerContract string

// attack is what a test says of the attacker's contract.
type attack struct {
	needed bool
	name   string                 // of the test's constant
	told   bool                   // the calls so far left a script
	known  map[[4]byte]expectedOf // what was said of functions so far
}

// expectedOf is what callers expect, as text, at some time.
type expectedOf string

// attackOf finds out whether a test needs the contract: it is called, calls, or is named.
func (t *foundryTest) attackOf(exec *evm.Execution) (*attack, error) {
	a := &attack{name: "sightlineAttacker", known: map[[4]byte]expectedOf{}}
	if t.base == nil {
		a.name = t.names[attacker.Address]
	}
	for i := range exec.Frames {
		f := &exec.Frames[i]
		a.needed = a.needed || f.Self == attacker.Address || f.CodeAddress == attacker.Address || f.Caller == attacker.Address
	}
	calls := t.space.Encode(t.sequence, nil)
	for i := range calls {
		a.needed = a.needed || len(calls[i].Instructions) > 0 || bytes.Contains(calls[i].Data, attacker.Address[:])
	}
	if answer := t.reproducer.Claim.Answer; answer != nil {
		a.needed = a.needed || answer.To == attacker.Address || bytes.Contains(answer.Data, attacker.Address[:])
	}
	contract := t.snapshot.World.Accounts[attacker.Address]
	a.needed = a.needed && contract != nil
	if a.needed && !bytes.Equal(contract.Code, attacker.Code()) {
		return nil, exit.BadInput("%s: another version of Sightline wrote the attacker's contract of its World", t.path)
	}
	return a, t.checkDestroyed()
}

// checkDestroyed returns an error if the contract is gone after a call, as before Cancun: forge
// runs a test as one transaction, during which it stays.
func (t *foundryTest) checkDestroyed() error {
	forks := evm.Forks()
	if slices.Index(forks, cmp.Or(t.snapshot.World.Fork, evm.DefaultFork)) >= slices.Index(forks, "cancun") {
		return nil
	}
	for i := range t.sequence[:len(t.sequence)-1] {
		script := t.sequence[i].Script
		if script != nil && slices.ContainsFunc(script.Answers, func(a input.Answer) bool { return a.End == attacker.Destruct }) {
			return exit.BadInput("%s: %s destroys itself before the last call, and under forge it is there until the test ends", t.path, human.Printable(t.space.ContractName()))
		}
	}
	return nil
}

// constant declares the contract.
func (a *attack) constant() string {
	if a == nil || !a.needed {
		return ""
	}
	return fmt.Sprintf("    SightlineAttacker private constant %s = SightlineAttacker(payable(%s));\n", a.name, attacker.Address.Hex())
}

// world puts the contract into the World.
func (a *attack) world(t *foundryTest) string {
	if a == nil || !a.needed {
		return ""
	}
	return fmt.Sprintf("        sightline.etch(address(%s), type(SightlineAttacker).runtimeCode);\n        sightline.deal(address(%s), %s);\n",
		a.name, a.name, t.funds(attacker.Address).Dec())
}

// burns reports whether the contract uses up all gas in a call of the sequence.
func (a *attack) burns(i int, exec *evm.Execution) bool {
	if a == nil || !a.needed {
		return false
	}
	frames := exec.Calls[i].Frames
	return slices.ContainsFunc(exec.Frames[frames[0]:frames[1]], func(f evm.Frame) bool {
		return f.CodeAddress == attacker.Address && f.Outcome != evm.Success && f.Outcome != evm.Reverted
	})
}

// contract is the contract's source without its head, and without what compilers warn of if it is
// not used.
func (a *attack) contract(used string) string {
	if a == nil || !a.needed {
		return ""
	}
	_, source, _ := strings.Cut(attackerContract, "pragma solidity >=0.6.2;\n")
	if strings.Contains(used, "thenSelfdestruct(") {
		return source
	}
	var kept []string
	for _, line := range strings.Split(source, "\n") {
		if !strings.Contains(line, "elfdestruct(") {
			kept = append(kept, line)
		}
	}
	return strings.ReplaceAll(strings.Join(kept, "\n"), "\n\n\n", "\n\n")
}

// writeScript tells the contract what it does during a call of the sequence.
func (t *foundryTest) writeScript(b *strings.Builder, i int, exec *evm.Execution) {
	a := t.attack
	if a == nil || !a.needed {
		return
	}
	tell := func(format string, args ...any) {
		fmt.Fprintf(b, "        "+a.name+"."+format+";\n", args...)
	}
	script := t.sequence[i].Script
	if a.told {
		tell("forgetAnswers()")
	}
	if a.told = script != nil; a.told {
		said := t.space.DescribeScript(script)
		for j := range script.Answers {
			fmt.Fprintf(b, "        // %d) %s\n", j+1, solidityComment(said[j]))
			t.writeScripted(tell, &script.Answers[j])
		}
	}
	t.writeExpected(tell, i, exec)
}

// writeScripted tells the contract an answer.
func (t *foundryTest) writeScripted(tell func(string, ...any), a *input.Answer) {
	switch {
	case a.Any:
		tell("whenever()")
	case a.On == [4]byte{}:
		tell("whenPaid()")
	default:
		tell("whenCalled(%s)", t.selector(a.On))
	}
	if a.Times > 0 {
		tell("atMost(%d)", a.Times)
	}
	if a.After > 0 {
		tell("onlyAfter(%d)", a.After)
	}
	for j := range a.Calls {
		c := &t.space.Encode(a.Calls[j:j+1], nil)[0]
		tell("thenCall(%s, %s, %s)", t.address(c.To), c.Value.Dec(), t.encoded(&a.Calls[j], c.Data))
	}
	switch a.End {
	case attacker.Return:
		tell("thenAnswer(%s)", t.answered(a.Words))
	case attacker.Revert:
		tell("thenRevert(%s)", t.answered(a.Words))
	case attacker.Burn:
		tell("thenBurnAllGas()")
	case attacker.Destruct:
		tell("thenSelfdestruct(%s)", t.address(a.Words[0].Bytes20()))
	}
}

// erc165 is supportsInterface's, which the contract answers by itself.
var erc165 = attacker.Selector("supportsInterface(bytes4)")

// writeExpected tells the contract what callers expect of the functions that are called during a
// call of the sequence.
func (t *foundryTest) writeExpected(tell func(string, ...any), i int, exec *evm.Execution) {
	frames := exec.Calls[i].Frames
	for at := frames[0]; at < frames[1]; at++ {
		f := &exec.Frames[at]
		if f.CodeAddress != attacker.Address || len(f.Input) < 4 {
			continue
		}
		selector := [4]byte(f.Input)
		words, known := attacker.ReadExpected(t.snapshot.World.Accounts[attacker.Address].Storage, selector)
		if !known || selector == erc165 || selector == [4]byte{} {
			continue
		}
		for j := range words {
			if words[j] == attacker.Now {
				words[j].SetUint64(t.now)
			}
		}
		if text := expectedOf(t.answered(words)); t.attack.known[selector] != text {
			t.attack.known[selector] = text
			tell("expect(%s, %s)", t.selector(selector), text)
		}
	}
}

// selector writes a function's selector, by its signature where that is known. A stranger may have
// chosen it.
func (t *foundryTest) selector(of [4]byte) string {
	if name := t.space.CallbackName(of); quotable(name, of) {
		return fmt.Sprintf("bytes4(keccak256(\"%s\"))", name)
	}
	return "bytes4(0x" + hex.EncodeToString(of[:]) + ")"
}

// quotable reports whether a signature is one of a selector, and can be in a text as it is.
func quotable(signature string, of [4]byte) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$(),[]"
	return strings.Trim(signature, allowed) == "" && attacker.Selector(signature) == of
}

// maxEncoded bounds the values that one abi.encode gets: all are on the stack, of which Solidity
// reaches 16 words.
const maxEncoded = 6

// answered writes words that the contract gives back.
func (t *foundryTest) answered(words []uint256.Int) string {
	var data []byte
	var texts []string
	for i := range words {
		word := words[i].Bytes32()
		data, texts = append(data, word[:]...), append(texts, t.word(&words[i]))
	}
	switch {
	case len(words) == 0:
		return `""`
	case len(words) > maxEncoded:
		return t.words(data, 0)
	}
	return "abi.encode(" + strings.Join(texts, ", ") + ")"
}

// word writes a word of no known type: an account, or a number.
func (t *foundryTest) word(x *uint256.Int) string {
	a := common.Address(x.Bytes20())
	if _, known := t.space.NameOf(a); known && x.BitLen() > 64 && x.BitLen() <= 8*common.AddressLength {
		return t.address(a)
	}
	return number(x)
}

// number writes a number as one: longer ones have all digits, since those of forty are addresses.
func number(x *uint256.Int) string {
	if x.IsUint64() {
		return x.Dec()
	}
	return fmt.Sprintf("0x%064x", x.Bytes32())
}

// encoded writes the calldata of a call that the contract makes: by the function's name and its
// arguments where each is a word, a text or bytes.
func (t *foundryTest) encoded(c *input.Call, data []byte) string {
	f := c.Function
	if f.Kind != input.Method {
		return t.words(data, 0)
	}
	if !quotable(f.Signature, f.Selector) {
		return t.calldata(data)
	}
	parts := []string{`"` + f.Signature + `"`}
	for i := range c.Args {
		text, ok := t.argument(&c.Args[i], &f.Inputs[i])
		if !ok || len(c.Args) >= maxEncoded {
			return t.calldata(data) + " /* " + solidityComment(f.Signature) + " */"
		}
		parts = append(parts, text)
	}
	return "abi.encodeWithSignature(" + strings.Join(parts, ", ") + ")"
}

// argument writes an argument; false where Solidity has no expression of its type.
func (t *foundryTest) argument(v *input.Value, typ *input.Type) (string, bool) {
	switch typ.Kind {
	case input.Address:
		return t.address(v.Word.Bytes20()), true
	case input.Bool:
		return fmt.Sprint(!v.Word.IsZero()), true
	case input.Bytes, input.String:
		return "bytes(" + hexLiteral(v.Bytes) + ")", true
	case input.FixedBytes:
		word := v.Word.Bytes32()
		if t.variable(common.Address(word[12:])) == "" {
			return fmt.Sprintf("bytes%d(%s)", typ.Bits/8, hexLiteral(word[:typ.Bits/8])), true
		}
	case input.Slice, input.Array, input.Tuple:
		return "", false
	}
	if variable := t.variable(v.Word.Bytes20()); variable != "" && v.Word.BitLen() <= 8*common.AddressLength {
		return "uint256(uint160(" + variable + "))", true
	}
	if typ.Kind == input.Int && v.Word.Sign() < 0 {
		return "int256(-" + new(uint256.Int).Neg(&v.Word).Dec() + ")", true
	}
	return number(&v.Word), true
}
