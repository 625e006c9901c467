package fuzzer

import (
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// amounts tells of numbers that functions take how often they were seen to be what is paid, less how often they were not. What comes first in
// a campaign are small numbers, and only their places tell that one is an amount, and another says which of several things a call is about.
type amounts map[argument]int

type argument struct {
	of  input.Callable
	arg int
}

// watch learns from the calls of an execution: of a number that is none of the call's others, whether it is paid.
func (m amounts) watch(space *input.Space, seq input.Sequence, exec *evm.Execution) {
	for i := range exec.Calls {
		c := &seq[i]
		if exec.Calls[i].Outcome != evm.Success || c.Function.Kind == input.Constructor || space.IsToken(space.Instances[c.Instance].Address) {
			continue
		}
		for j := range c.Args {
			if c.Function.Inputs[j].Kind != input.Uint || c.Args[j].Word.IsZero() || isAmbiguous(c, j) {
				continue
			}
			by := -1
			if isPaid(space, exec, i, &c.Args[j].Word) {
				by = 1
			}
			m[argument{input.Callable{Instance: c.Instance, Function: c.Function}, j}] += by
		}
	}
}

// has reports whether a number that a call names is an amount.
func (m amounts) has(c *input.Call, arg int) bool {
	return m[argument{input.Callable{Instance: c.Instance, Function: c.Function}, arg}] > 0
}

// isAmbiguous reports whether a call names a number twice, or pays it.
func isAmbiguous(c *input.Call, arg int) bool {
	if c.Value.Eq(&c.Args[arg].Word) {
		return true
	}
	for j := range c.Args {
		if j != arg && c.Function.Inputs[j].Kind == input.Uint && c.Args[j].Word.Eq(&c.Args[arg].Word) {
			return true
		}
	}
	return false
}

// isPaid reports whether a call leads to a payment of a number, in ether or tokens.
func isPaid(space *input.Space, exec *evm.Execution, call int, number *uint256.Int) bool {
	frames := exec.Calls[call].Frames
	return slices.ContainsFunc(exec.Frames[frames[0]+1:frames[1]], func(f evm.Frame) bool {
		if f.Outcome != evm.Success {
			return false
		}
		if f.Value.Eq(number) {
			return true
		}
		if !space.IsToken(f.Self) {
			return false
		}
		for at := 4; at+wordBytes <= len(f.Input); at += wordBytes {
			if new(uint256.Int).SetBytes(f.Input[at : at+wordBytes]).Eq(number) {
				return true
			}
		}
		return false
	})
}
