package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// plainScripts leaves out what the attacker's contract does, and the contract itself, as far as that keeps.
func (m minimizer) plainScripts(seq input.Sequence) input.Sequence {
	for i := range seq {
		if direct := m.directCall(seq, i); direct != nil {
			seq = direct
		}
		for seq[i].Script != nil {
			simpler := m.simplerScript(seq, i)
			if simpler == nil {
				break
			}
			seq = simpler
		}
	}
	contract := m.space.Contract()
	if contract < 0 || !slices.ContainsFunc(seq, func(c input.Call) bool { return c.Sender == contract }) {
		return seq
	}
	for i, sender := range m.space.Senders {
		if i == contract || !m.space.IsOrdinary(sender.Address) {
			continue
		}
		if other := m.space.AsAccount(seq, i); m.keeps(other) {
			return other
		}
	}
	return seq
}

// directCall is the sequence with one of the calls that the attacker's contract makes in the middle of a call in the place of the whole:
// where that is enough, the contract does not have to be called, by an owner who mints it a token say; nil: none is enough.
func (m minimizer) directCall(seq input.Sequence, call int) input.Sequence {
	contract := m.space.Contract()
	if seq[call].Script == nil || contract < 0 {
		return nil
	}
	for i := range seq[call].Script.Answers {
		for _, direct := range seq[call].Script.Answers[i].Calls {
			direct.Sender, direct.TimeAdvance, direct.BlockAdvance, direct.Script = contract, seq[call].TimeAdvance, seq[call].BlockAdvance, nil
			out := seq.Clone()
			if out[call] = direct; m.keeps(out) {
				return out
			}
		}
	}
	return nil
}

// simplerScript is the sequence with a simpler script of a call; nil: there is none that keeps.
func (m minimizer) simplerScript(seq input.Sequence, call int) input.Sequence {
	for _, script := range simplerScripts(seq[call].Script) {
		out := seq.Clone()
		if out[call].Script = script; m.keeps(out) {
			return out
		}
	}
	return nil
}

// simplerScripts lists scripts that are simpler by one thing: without any answer, an answer, a call of one,
// its own end, or given less often. That ends, since each has less of something and as much of all
// that comes before it.
func simplerScripts(s *input.Script) []*input.Script {
	simpler := []*input.Script{nil}
	with := func(change func(*input.Script)) {
		out := s.Clone()
		change(out)
		out.Settle()
		simpler = append(simpler, out)
	}
	for i := range s.Answers {
		if len(s.Answers) > 1 {
			with(func(out *input.Script) { out.Answers = slices.Delete(out.Answers, i, i+1) })
		}
	}
	for i := range s.Answers {
		a := &s.Answers[i]
		for j := range a.Calls {
			with(func(out *input.Script) { out.Answers[i].Calls = slices.Delete(out.Answers[i].Calls, j, j+1) })
		}
		if a.End != attacker.Expected {
			with(func(out *input.Script) { out.Answers[i].End, out.Answers[i].Words = attacker.Expected, nil })
		}
		if a.End == attacker.Burn {
			with(func(out *input.Script) { out.Answers[i].End = attacker.Revert })
		}
		if n := len(a.Words); n > 0 && a.End != attacker.Destruct {
			with(func(out *input.Script) { out.Answers[i].Words = out.Answers[i].Words[:n-1] })
		}
		switch {
		case a.Times > 1:
			with(func(out *input.Script) { out.Answers[i].Times = 1 })
		case a.After > 0:
			with(func(out *input.Script) { out.Answers[i].After = 0 })
		case a.Times == 1 && len(a.Calls) == 0:
			with(func(out *input.Script) { out.Answers[i].Times = 0 })
		}
	}
	return simpler
}
