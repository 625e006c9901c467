package replay

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/report"
)

// Answer is what an account answers after a sequence, on head and base.
type Answer struct {
	To   common.Address `json:"to"`
	Data hexutil.Bytes  `json:"data,omitempty"` // of a call by the zero address; empty: its ether is asked for, 32 bytes
	Head hexutil.Bytes  `json:"head"`           // what comes back
	Base hexutil.Bytes  `json:"base"`
}

// AnswerOf is a finding's; nil: it has none.
func AnswerOf(f *fuzzer.Finding) *Answer {
	if f.Answer == nil {
		return nil
	}
	return &Answer{f.Answer.To, f.Answer.Data, f.Answer.Head, f.Answer.Base}
}

// maxAnswer bounds what is asked and answered, in bytes. Arbitrary: a balance is a word.
const maxAnswer = 1 << 12

// check returns an error unless an answer, which may come from anyone, is one that a finding can have.
func (a *Answer) check() error {
	switch {
	case a == nil:
		return nil
	case max(len(a.Data), len(a.Head), len(a.Base)) > maxAnswer:
		return fmt.Errorf("its answer has more than %d bytes", maxAnswer)
	case bytes.Equal(a.Head, a.Base):
		return fmt.Errorf("its answer is the same on head and base")
	}
	return nil
}

// ask asks on a machine, after a sequence.
func (a *Answer) ask(machine evm.Machine, sequence evm.Sequence) (answer []byte, err error) {
	exec, err := machine.Run(append(sequence, fuzzer.Question(a.To, a.Data)))
	if err != nil {
		return nil, err
	}
	return bytes.Clone(exec.Calls[len(sequence)].Output), nil
}

// Describe says for people what is asked and answered.
func (a *Answer) Describe(space *input.Space) *report.Answer {
	name, known := space.NameOf(a.To)
	if !known {
		name = a.To.Hex()
	}
	out := &report.Answer{Of: "the ether of " + name, Head: hexutil.Encode(a.Head), Base: hexutil.Encode(a.Base)}
	if len(a.Data) == 0 {
		out.Head, out.Base = wei(a.Head), wei(a.Base)
		return out
	}
	out.Of = name + "." + hexutil.Encode(a.Data)
	for i := range space.Instances {
		in := &space.Instances[i]
		if in.Address != a.To || in.Contract == nil {
			continue
		}
		method, err := in.Contract.ABI.MethodById(a.Data)
		if err != nil {
			continue
		}
		if texts, ok := evm.FormatArguments(method.Inputs, a.Data[len(method.ID):]); ok {
			out.Of = name + "." + method.RawName + "(" + space.NameAddresses(strings.Join(texts, ", ")) + ")"
		}
		text := func(answer []byte) string {
			if texts, ok := evm.FormatArguments(method.Outputs, answer); ok {
				return space.NameAddresses(strings.Join(texts, ", "))
			}
			return hexutil.Encode(answer)
		}
		out.Head, out.Base = text(a.Head), text(a.Base)
		break
	}
	return out
}

// wei is a word as an amount of ether.
func wei(word []byte) string {
	if len(word) != common.HashLength {
		return hexutil.Encode(word)
	}
	return common.BytesToHash(word).Big().String() + " wei"
}
