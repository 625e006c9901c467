package replay

import (
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// describeCallback fills in what is called on the attacker's contract, as far as the World says, and
// what it answers.
func (t *tracer) describeCallback(f *evm.Frame, out *callFrame) {
	out.Returns = t.words(f)
	inputs, outputs, ok := t.callback([4]byte(f.Input))
	if !ok {
		return
	}
	out.Function, _, _ = strings.Cut(t.space.CallbackName([4]byte(f.Input)), "(")
	out.Input = ""
	out.Args = t.arguments(inputs, f.Input[4:])
	if f.Outcome != evm.Success {
		return
	}
	if texts, ok := evm.FormatArguments(outputs, f.Output); ok && len(outputs) > 0 {
		out.Returns = nil
		for _, text := range texts {
			out.Returns = append(out.Returns, t.named(text))
		}
	}
}

// callback is what a function takes and returns that contracts call on the attacker's; false if the
// World does not tell.
func (t *tracer) callback(selector [4]byte) (inputs, outputs abi.Arguments, ok bool) {
	for _, text := range t.snapshot.World.Callbacks {
		at := strings.Index(text, ")(")
		if at < 0 || attacker.Selector(text[:at+1]) != selector {
			continue
		}
		inputs, ok := parameters(text[:at+1])
		outputs, known := parameters("f" + text[at+1:])
		return inputs, outputs, ok && known
	}
	return nil, nil, false
}

// maxSignature bounds a signature, which may be a stranger's, in bytes. Arbitrary.
const maxSignature = 1000

// parameters are those of a signature.
func parameters(signature string) (abi.Arguments, bool) {
	if len(signature) > maxSignature {
		return nil, false
	}
	parsed, err := abi.ParseSelector(signature)
	if err != nil {
		return nil, false
	}
	var list abi.Arguments
	for _, in := range parsed.Inputs {
		t, err := abi.NewType(in.Type, "", in.Components)
		if err != nil {
			return nil, false
		}
		list = append(list, abi.Argument{Type: t})
	}
	return list, true
}

// words shows what the contract answers to a call of no known type: a number or an account for each
// word, if it is a few words.
func (t *tracer) words(f *evm.Frame) []string {
	data := f.Output
	if f.Outcome != evm.Success || len(data)%wordBytes != 0 || len(data) > attacker.MaxWords*wordBytes {
		return nil
	}
	var list []string
	for ; len(data) > 0; data = data[wordBytes:] {
		list = append(list, t.word(new(uint256.Int).SetBytes32(data), ""))
	}
	return list
}
