package compare

import (
	"bytes"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// answer asks on both sides after a sequence what an answer is to, and fills in what comes back; false: it is the same, or
// a machine fails. It is the last run of the machines.
func (p *pair) answer(seq input.Sequence, a *fuzzer.Answer) bool {
	ask := func(m evm.Machine, calls evm.Sequence, to common.Address, data []byte) []byte {
		exec, err := m.Run(append(calls, fuzzer.Question(to, data)))
		if err != nil || len(exec.Calls) != len(calls)+1 || exec.Calls[len(calls)].Outcome != evm.Success {
			return nil
		}
		return bytes.Clone(exec.Calls[len(calls)].Output)
	}
	carried := p.carry(seq, nil)
	if len(carried) != len(seq) {
		return false
	}
	a.Head = ask(p.head, p.Head.Space.Encode(seq, nil), a.To, a.Data)
	a.Base = ask(p.base, p.Base.Space.Encode(carried, nil), p.moved.back(a.To), p.backIn(a.Data))
	return a.Head != nil && a.Base != nil && !p.moved.equal(a.Head, a.Base)
}

// backIn is calldata of the head's with the base's addresses in place of the words that are addresses.
func (s *Sides) backIn(data []byte) []byte {
	out := bytes.Clone(data)
	const selector = 4
	for at := selector; at+wordBytes <= len(out) && len(s.moved) > 0; at += wordBytes {
		word := out[at : at+wordBytes]
		if here := common.BytesToAddress(word); bytes.Equal(word, common.LeftPadBytes(here[:], wordBytes)) {
			there := s.moved.back(here)
			copy(word[wordBytes-common.AddressLength:], there[:])
		}
	}
	return out
}
