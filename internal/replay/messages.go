package replay

import (
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/report"
)

// Bounds of the calls of contracts that a report keeps: enough to see how something
// happens, and little next to the rest of the report (arbitrary). The calls of the
// sequence itself are all kept.
const (
	maxLastMessages  = 100 // in the last call of the sequence, where it breaks
	maxOtherMessages = 20  // in each call before it
)

// Messages are the calls of a sequence, which steps describe, and those that contracts made
// in them.
func Messages(space *input.Space, seq input.Sequence, steps []report.Step, exec *evm.Execution) []report.Message {
	var all []report.Message
	for i := range seq {
		receiver := space.Receiver(&seq[i])
		all = append(all, report.Message{
			Step: i + 1, From: partner(space, space.Senders[seq[i].Sender].Address, nil), To: receiver,
			Call: strings.TrimPrefix(steps[i].Call, receiver+"."), Fails: strings.TrimPrefix(steps[i].Note, "reverts: "),
		})
		most := maxOtherMessages
		if i == len(seq)-1 {
			most = maxLastMessages
		}
		within := inner(space, exec, exec.Calls[i].Frames, i+1)
		all = append(all, within[:min(len(within), most)]...)
	}
	return all
}

// inner are the calls that contracts made in a call of the sequence.
func inner(space *input.Space, exec *evm.Execution, frames [2]int, step int) []report.Message {
	var made []report.Message
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Depth == 0 || f.Parent < 0 || isPrecompile(f.CodeAddress) {
			continue
		}
		m := report.Message{Step: step, Depth: f.Depth, From: partner(space, exec.Frames[f.Parent].Self, nil), To: partner(space, f.CodeAddress, f), Call: called(space, f)}
		if f.Outcome != evm.Success {
			m.Fails = f.Outcome.String()
		}
		made = append(made, m)
	}
	return made
}

// isPrecompile reports whether an address is that of a precompiled contract: EIP-1352
// reserves 0 to 0xffff. Address 0 is used to burn ether.
func isPrecompile(a common.Address) bool {
	var reserved common.Address
	copy(reserved[len(a)-2:], a[len(a)-2:])
	return a == reserved && a != common.Address{}
}

// partner names the caller or the receiver of a call: an account of the World, or a
// contract that was created in the sequence, by the code of its frame f; nil: unknown.
func partner(space *input.Space, a common.Address, f *evm.Frame) string {
	if name, ok := space.NameOf(a); ok {
		return name
	}
	if f != nil && f.Program != nil && f.Program.Contract != nil {
		return f.Program.Contract.Name + " " + a.Hex()
	}
	return a.Hex()
}

// called names the function that a frame calls, without its arguments:
// "transfer{value: 5 wei}()".
func called(space *input.Space, f *evm.Frame) string {
	name := "call"
	switch {
	case f.Kind == evm.KindCreate || f.Kind == evm.KindCreate2:
		name = "new"
	case len(f.Input) >= 4 && f.CodeAddress == attacker.Address:
		name, _, _ = strings.Cut(space.CallbackName([4]byte(f.Input)), "(")
	case len(f.Input) >= 4 && f.Program != nil && f.Program.Contract != nil:
		if m, err := f.Program.Contract.ABI.MethodById(f.Input[:4]); err == nil {
			name = m.RawName
		}
	}
	if f.Kind == evm.KindDelegateCall || f.Kind == evm.KindCallCode {
		return "delegates " + name + "()"
	}
	if f.Value.IsZero() {
		return name + "()"
	}
	return name + "{value: " + input.Ether(&f.Value) + "}()"
}
