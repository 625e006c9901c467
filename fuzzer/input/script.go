package input

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Script is what the attacker's contract does when it is called: the first of its answers that is of
// the called function counts, and what callers expect where none is. See package attacker.
type Script struct{ Answers []Answer }

// Answer is what the contract does when some function of it is called.
type Answer struct {
	On    [4]byte // the function that is called; zero: none, it is paid
	Any   bool    // whatever is called, in place of On
	Times uint8   // how often at most during the call; 0: always
	After uint8   // the number, from 1, of an answer with Times that has to be given before; 0: none
	Calls []Call  // that it makes first, whatever becomes of them: without time, scripts and deployments
	End   attacker.End
	Words []uint256.Int // what Return and Revert give back; of Destruct, whom it leaves its ether
}

// Equal reports whether two scripts, which may be nil, do the same.
func (s *Script) Equal(other *Script) bool {
	if s == nil || other == nil || s == other {
		return s == other
	}
	return slices.EqualFunc(s.Answers, other.Answers, func(a, b Answer) bool {
		return a.On == b.On && a.Any == b.Any && a.Times == b.Times && a.After == b.After && a.End == b.End && slices.Equal(a.Words, b.Words) &&
			Sequence(a.Calls).Equal(Sequence(b.Calls))
	})
}

// Clone copies a script as far as it may be changed: what calls point to is shared.
func (s *Script) Clone() *Script {
	out := &Script{}
	if s == nil {
		return out
	}
	out.Answers = slices.Clone(s.Answers)
	for i := range out.Answers {
		a := &out.Answers[i]
		a.Calls, a.Words = slices.Clone(a.Calls), slices.Clone(a.Words)
	}
	return out
}

// Settle makes a script valid after its answers have changed: what it says beyond that is left out.
func (s *Script) Settle() {
	for i := range s.Answers {
		s.Answers[i].settle()
	}
	for i := range s.Answers {
		a := &s.Answers[i]
		if after := int(a.After); after > len(s.Answers) || after == i+1 || after > 0 && s.Answers[after-1].Times == 0 {
			a.After = 0
		}
	}
}

// Map is a script with what f gives in place of each call that the contract makes; false where f does not
// give one. A nil script stays nil.
func (s *Script) Map(f func(Call) (Call, bool)) (*Script, bool) {
	if s == nil {
		return nil, true
	}
	out := s.Clone()
	for i := range out.Answers {
		for j := range out.Answers[i].Calls {
			var ok bool
			if out.Answers[i].Calls[j], ok = f(out.Answers[i].Calls[j]); !ok {
				return nil, false
			}
		}
	}
	return out, true
}

// EachCall calls f with every call that the contract makes.
func (s *Script) EachCall(f func(*Call)) {
	if s == nil {
		return
	}
	for i := range s.Answers {
		for j := range s.Answers[i].Calls {
			f(&s.Answers[i].Calls[j])
		}
	}
}

// Destroys reports whether the contract may destroy itself, and so give its ether away without a call.
func (s *Script) Destroys() bool {
	return s != nil && slices.ContainsFunc(s.Answers, func(a Answer) bool { return a.End == attacker.Destruct })
}

// Each calls f with every call of a sequence, and those that the attacker's contract makes during it.
func (s Sequence) Each(f func(*Call)) {
	for i := range s {
		f(&s[i])
		s[i].Script.EachCall(f)
	}
}

// scriptRoom is where a script is put together. What was sliced of data before it grew stays as it was.
type scriptRoom struct {
	answers [attacker.MaxAnswers]attacker.Answer
	calls   [attacker.MaxAnswers * attacker.MaxCalls]attacker.Call
	data    []byte
}

var scripts = sync.Pool{New: func() any { return new(scriptRoom) }}

// instruct appends what makes a script the contract's; nil: none.
func (s *Space) instruct(dst []evm.Overwrite, script *Script) []evm.Overwrite {
	if script == nil {
		return attacker.AppendInstructions(dst, nil)
	}
	room := scripts.Get().(*scriptRoom) //nolint:errcheck // nothing else is put there
	defer scripts.Put(room)
	answers, calls, data := &room.answers, room.calls[:0], room.data[:0]
	for i := range script.Answers {
		from, to := &script.Answers[i], &answers[i]
		to.On, to.Any, to.Times, to.After, to.End = from.On, from.Any, from.Times, from.After, from.End
		start := len(data)
		for j := range from.Words {
			word := from.Words[j].Bytes32()
			data = append(data, word[:]...)
		}
		to.Data = data[start:len(data):len(data)]
		first := len(calls)
		for j := range from.Calls {
			c, start := &from.Calls[j], len(data)
			data = c.Function.appendData(data, c.Args)
			calls = append(calls, attacker.Call{To: s.Instances[c.Instance].Address, Value: c.Value, Data: data[start:len(data):len(data)]})
		}
		to.Calls = calls[first:]
	}
	room.data = data
	return attacker.AppendInstructions(dst, answers[:len(script.Answers)])
}

func (s *Space) validateScript(script *Script) error {
	switch {
	case script == nil:
		return nil
	case s.contract < 0:
		return errors.New("a script, but the world has no contract of an attacker's")
	case len(script.Answers) == 0 || len(script.Answers) > attacker.MaxAnswers:
		return fmt.Errorf("a script of %d answers, 1 to %d are allowed", len(script.Answers), attacker.MaxAnswers)
	}
	for i := range script.Answers {
		a := &script.Answers[i]
		switch {
		case len(a.Calls) > attacker.MaxCalls || len(a.Words) > attacker.MaxWords:
			return fmt.Errorf("an answer of %d calls and %d words, at most %d and %d are allowed", len(a.Calls), len(a.Words), attacker.MaxCalls, attacker.MaxWords)
		case a.Times > attacker.MaxTimes || len(a.Calls) > 0 && a.Times == 0:
			return fmt.Errorf("an answer with calls is given 1 to %d times", attacker.MaxTimes)
		case a.After > 0 && (int(a.After) > len(script.Answers) || script.Answers[a.After-1].Times == 0):
			return fmt.Errorf("an answer after answer %d, which is not counted", a.After)
		case a.End > attacker.Destruct || a.End == attacker.Destruct && len(a.Words) != 1 || len(a.Words) > 0 && (a.End == attacker.Expected || a.End == attacker.Burn):
			return fmt.Errorf("an answer that cannot end with %d words", len(a.Words))
		}
		for j := range a.Calls {
			c := &a.Calls[j]
			if err := s.validateCall(c); err != nil {
				return err
			}
			if c.Sender != s.contract || c.Script != nil || c.TimeAdvance != 0 || c.BlockAdvance != 0 || c.Function.Test || c.Function.Kind == Constructor {
				return fmt.Errorf("the attacker's contract cannot call %s so", c.Function.Signature)
			}
		}
	}
	return nil
}
