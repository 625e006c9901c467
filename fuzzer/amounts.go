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

// watch learns from the calls of an execution: of a number that is none of the call's others, whether it is paid, or where a token is called, whether it changes what is in its books by so much.
func (m amounts) watch(space *input.Space, seq input.Sequence, exec *evm.Execution) {
	for i := range exec.Calls {
		c := &seq[i]
		if exec.Calls[i].Outcome != evm.Success || c.Function.Kind == input.Constructor {
			continue
		}
		books := space.IsToken(space.Instances[c.Instance].Address)
		for j := range c.Args {
			number := numberOf(&c.Args[j], &c.Function.Inputs[j])
			if number.IsZero() || isAmbiguous(c, j, &number) {
				continue
			}
			by := -1
			if books && isBooked(exec, i, &number) || !books && isPaid(space, exec, i, &number) {
				by = 1
			}
			m[argument{input.Callable{Instance: c.Instance, Function: c.Function}, j}] += by
		}
	}
}

// numberOf is an argument that is a number, or the last of several; zero: it is none.
func numberOf(v *input.Value, t *input.Type) (number uint256.Int) {
	switch {
	case t.Kind == input.Uint:
		return v.Word
	case (t.Kind == input.Slice || t.Kind == input.Array) && t.Elem != nil && t.Elem.Kind == input.Uint && len(v.Elems) > 0:
		return v.Elems[len(v.Elems)-1].Word
	}
	return number
}

// has reports whether a number that a call names is an amount.
func (m amounts) has(c *input.Call, arg int) bool {
	return m[argument{input.Callable{Instance: c.Instance, Function: c.Function}, arg}] > 0
}

// isAmbiguous reports whether a call names a number of an argument in another one as well, or pays it.
func isAmbiguous(c *input.Call, arg int, number *uint256.Int) bool {
	if c.Value.Eq(number) {
		return true
	}
	for j := range c.Args {
		if other := numberOf(&c.Args[j], &c.Function.Inputs[j]); j != arg && other.Eq(number) {
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

// isBooked reports whether a call adds a number to a word that the contract it calls stores, or takes it away.
func isBooked(exec *evm.Execution, call int, number *uint256.Int) bool {
	frames := exec.Calls[call].Frames
	to := exec.Frames[frames[0]].Self
	words := map[uint256.Int]uint256.Int{}
	for i := frames[0]; i < frames[1]; i++ {
		for k := range exec.Frames[i].Storage {
			access := &exec.Frames[i].Storage[k]
			if access.Address != to {
				continue
			}
			if was, known := words[access.Slot]; known && access.Write {
				more, less := new(uint256.Int).Sub(&access.Value, &was), new(uint256.Int).Sub(&was, &access.Value)
				if more.Eq(number) || less.Eq(number) {
					return true
				}
			}
			words[access.Slot] = access.Value
		}
	}
	return false
}
