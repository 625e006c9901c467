package fuzzer

import (
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// producers tell which functions' calls say what an argument of another one is to be: what is begun has a number that the call answers, or that counts such calls, and later calls name it. It is learned from
// calls that succeed: where there was such a call before, the argument was what that said, nearly always.
type producers map[produced]*tally

// produced is an argument of a function that is what a call of another one said.
type produced struct {
	argument
	by  *input.Function
	how input.Says
}

// tally is how often that was possible, and how often it was so.
type tally struct{ seen, right int }

// What makes a producer. Arbitrary: a few calls more than chance, and room for what succeeds with any number.
const (
	leastSeen = 4
	mostWrong = 5 // one in so many
)

// learn learns from the last call of an execution, which has succeeded.
func (p producers) learn(seq input.Sequence, exec *evm.Execution) {
	last := len(seq) - 1
	c := &seq[last]
	said := said(seq[:last], exec)
	if len(said) == 0 {
		return
	}
	for j := range c.Args {
		if !input.MayName(&c.Function.Inputs[j]) {
			continue
		}
		possible := map[produced]bool{}
		for i := range said {
			key := produced{argument{input.Callable{Instance: c.Instance, Function: c.Function}, j}, said[i].By, said[i].How}
			possible[key] = possible[key] || input.Names(&c.Args[j], &c.Function.Inputs[j], &said[i].Word)
		}
		for key, right := range possible {
			t := p[key]
			if t == nil {
				t = &tally{}
				p[key] = t
			}
			t.seen++
			if right {
				t.right++
			}
		}
	}
}

// tells reports whether what a call said is what an argument of another one is to be.
func (p producers) tells(c *input.Call, arg int, said *input.Said) bool {
	return p[produced{argument{input.Callable{Instance: c.Instance, Function: c.Function}, arg}, said.By, said.How}].isBelieved()
}

// told reports whether some calls say what an argument of another one is to be.
func (p producers) told(c *input.Call, arg int) bool {
	of := argument{input.Callable{Instance: c.Instance, Function: c.Function}, arg}
	for key, t := range p {
		if key.argument == of && t.isBelieved() {
			return true
		}
	}
	return false
}

func (t *tally) isBelieved() bool {
	return t != nil && t.seen >= leastSeen && (t.seen-t.right)*mostWrong <= t.seen
}

// maxSaidWords of what a call answers may be numbers of something. Arbitrary.
const maxSaidWords = 2

// said is what the calls of a sequence that succeeded have said, in order.
func said(seq input.Sequence, exec *evm.Execution) (all []input.Said) {
	counts := map[*input.Function]uint64{}
	for i := range seq {
		if exec.Calls[i].Outcome != evm.Success || seq[i].Function.View || seq[i].Function.Kind == input.Constructor {
			continue
		}
		f := seq[i].Function
		counts[f]++
		for at := 0; at < maxSaidWords && (at+1)*wordBytes <= len(exec.Calls[i].Output); at++ {
			all = append(all, input.Said{By: f, How: input.Says(at), Word: *new(uint256.Int).SetBytes(exec.Calls[i].Output[at*wordBytes:][:wordBytes])})
		}
		all = append(all, input.Said{By: f, How: input.SaysCount, Word: *uint256.NewInt(counts[f])}, input.Said{By: f, How: input.SaysCountBefore, Word: *uint256.NewInt(counts[f] - 1)})
	}
	return all
}
