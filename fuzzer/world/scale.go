package world

import (
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// This file makes ratios what they are meant to be. A constructor that takes one compares it with the number that means all,
//
//	if (lltv >= 1e18) revert InvalidParameters();
//
// and accepts 1 and 100 as well, with which a contract is deployed in which a loan is worth nothing.

const (
	// leastRoom is how many times a bound exceeds a number that is raised: 1 of 100 may be meant as it is. Arbitrary.
	leastRoom = 1_000
	// mostDigits are the decimal digits before the zeros of a bound that is meant as a ratio's: 10^18, 25·10^16. 2^128 − 1 has 39. Arbitrary.
	mostDigits = 3
	// maxBounds are the comparisons that one number may mean. Arbitrary: several parameters are 1 at first.
	maxBounds = 4
)

// smallWords are words of the names of ratios that are small.
var smallWords = []string{"fee", "royalty", "tax", "commission", "bonus", "incentive", "penalty", "discount", "spread", "slippage", "tip", "bounty"}

// bound is a comparison of a word with a round number that it is far below.
type bound struct {
	frame int // index in the execution
	pc    uint32
	left  bool // the word is on the left
	limit uint256.Int
}

// raise runs a call that succeeded once more for each number that it compared with a much larger round one, with that number raised: to a
// hundredth of a power of ten if its name says that it is small, to three quarters if not, and to half of any other bound. It keeps those that
// the comparison was about and with which the call succeeds as well.
func (f *finder) raise(s *search, o *outcome, call func(*arguments) evm.Call) error {
	for _, l := range o.arguments.tried() {
		word, ok := numericWord(l.typ, l.value)
		if !ok || l.typ.T != abi.UintTy || word.IsZero() {
			continue
		}
		small := nameHas(parameterAt(s.parameters, l.path).name, smallWords...)
		for _, b := range boundsOf(o.exec, word) {
			to := below(&b.limit, small)
			if !inRange(l.typ, to) {
				continue
			}
			raised := o.arguments.with(l.path, integer(l.typ, to))
			if raised.pack() != nil {
				continue
			}
			next := call(raised)
			next.Gas = o.call.Gas
			exec, err := f.machine.Run(append(slices.Clip(f.calls), next))
			if err != nil {
				return err
			}
			if exec.Calls[len(exec.Calls)-1].Outcome == evm.Success && !b.holds(exec, word) {
				o.call, o.arguments, o.exec = next, raised, exec
				break
			}
		}
	}
	return nil
}

// boundsOf are the comparisons of a word with round numbers that the last call found it to be far below, the lowest first.
func boundsOf(exec *evm.Execution, word *uint256.Int) []bound {
	var list []bound
	least, over := new(uint256.Int).MulOverflow(word, uint256.NewInt(leastRoom))
	if over {
		return nil
	}
	last := exec.Calls[len(exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		for k := range exec.Frames[i].Comparisons {
			c := &exec.Frames[i].Comparisons[k]
			if op := vm.OpCode(c.Op); op != vm.LT && op != vm.GT {
				continue
			}
			for _, b := range []bound{{i, c.PC, true, c.Right}, {i, c.PC, false, c.Left}} {
				if b.of(c).Eq(word) && !b.limit.Lt(least) && digits(&b.limit) <= mostDigits {
					list = append(list, b)
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b bound) int { return a.limit.Cmp(&b.limit) })
	list = slices.CompactFunc(list, func(a, b bound) bool { return a.pc == b.pc && a.limit == b.limit })
	return list[:min(len(list), maxBounds)]
}

// of is what a comparison at the bound's place has compared.
func (b *bound) of(c *evm.Comparison) *uint256.Int {
	if b.left {
		return &c.Left
	}
	return &c.Right
}

// holds reports whether an execution compares the same word there.
func (b *bound) holds(exec *evm.Execution, word *uint256.Int) bool {
	return b.frame >= len(exec.Frames) || slices.ContainsFunc(exec.Frames[b.frame].Comparisons, func(c evm.Comparison) bool { return c.PC == b.pc && b.of(&c).Eq(word) })
}

// digits counts a number's decimal digits without the zeros at its end.
func digits(n *uint256.Int) int {
	return len(strings.TrimRight(n.Dec(), "0"))
}

// below is a number for a ratio that is at most a limit.
func below(limit *uint256.Int, small bool) *big.Int {
	to := limit.ToBig()
	switch {
	case strings.Trim(limit.Dec(), "0") != "1": // no power of ten
		return to.Rsh(to, 1)
	case small:
		return to.Div(to, big.NewInt(100))
	}
	return to.Sub(to, new(big.Int).Rsh(to, 2))
}
