package fuzzer

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file looks for contracts whose books promise more than they have: a call fails because a contract cannot pay what it wants to pay. That alone says
// little, since others' calls may have been paid for what is missing, or nothing ever was. But where others pay in first, the same calls by the attackers may take that.

// shortfall is how a contract came to owe what it has not.
type shortfall struct {
	sequence input.Sequence
	paysIn   int          // so many of its calls come before the first one with which a contract pays
	gifts    []input.Call // of the tokens that it takes
}

// Bounds of shortfalls. Arbitrary: a few ways to each, and few calls each.
const (
	maxShortfalls   = 16
	maxShortfallsOf = 4 // that end with the same function
	shortfallShare  = 3 // one attack of so many that are drawn is of one
)

// watchShortfall keeps what led to a call that failed because a contract could not pay, if a call of that is of a function that counts.
func (a *attacks) watchShortfall(seq input.Sequence, exec *evm.Execution) {
	d, last := &a.drawn, len(seq)-1
	if d.counts == nil || exec.Calls[last].Outcome == evm.Success || !a.fallsShort(exec) {
		return
	}
	calls := a.neededFor(exec, func(call int) bool { return sendsValue(exec, call) })
	if len(calls) > maxDeedCalls || !maybeDeed(seq, calls) || !slices.ContainsFunc(calls, func(i int) bool { return d.counts(lastOf(seq[:i+1])) }) {
		return
	}
	paysIn := slices.IndexFunc(calls, func(call int) bool { return call == last || sendsValue(exec, call) })
	if paysIn == 0 {
		return
	}
	d.keepShortfall(a.rand, shortfall{seq.Only(calls), paysIn, a.giftsFor(exec)})
}

// keepShortfall keeps one: in the place of one by the same functions, in one case of four; else in the place of any that ends with the same function, where there are enough of
// these; else where there is room, or in the place of any.
func (d *drawn) keepShortfall(r input.Rand, one shortfall) {
	if at := slices.IndexFunc(d.short, func(other shortfall) bool { return sameFunctions(one.sequence, other.sequence) }); at >= 0 {
		if r.IntN(4) == 0 { // with other numbers
			d.short[at] = one
		}
		return
	}
	var same []int
	for i := range d.short {
		if lastOf(d.short[i].sequence) == lastOf(one.sequence) {
			same = append(same, i)
		}
	}
	switch {
	case len(same) >= maxShortfallsOf:
		d.short[same[r.IntN(len(same))]] = one
	case len(d.short) < maxShortfalls:
		d.short = append(d.short, one)
	default:
		d.short[r.IntN(len(d.short))] = one
	}
}

// sameFunctions reports whether two sequences call the same functions in the same order.
func sameFunctions(a, b input.Sequence) bool {
	return slices.EqualFunc(a, b, func(x, y input.Call) bool { return x.Instance == y.Instance && x.Function == y.Function })
}

// fallsShort reports whether a contract wants to pay ether, or tokens, in the last call of an execution, and cannot, or sees before that it could not.
func (a *attacks) fallsShort(exec *evm.Execution) bool {
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for i := frames[0] + 1; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Caller != attacker.Address && (f.Outcome == evm.InsufficientBalance ||
			f.Kind == evm.KindCall && f.Outcome != evm.Success && len(f.Input) >= 4 && [4]byte(f.Input[:4]) == transfer && a.space.IsToken(f.Self)) {
			return true
		}
	}
	for i := frames[0]; i < frames[1]; i++ {
		if a.seesShortfall(exec, i, frames[1]) {
			return true
		}
	}
	return false
}

// seesShortfall reports whether a frame reverts where it has compared what its contract has with something larger: of ether, by code that looks at it there (as
// sendValue of OpenZeppelin does), or of a token, which it asked last. The frames that it called end before end.
func (a *attacks) seesShortfall(exec *evm.Execution, frame, end int) bool {
	f := &exec.Frames[frame]
	if f.Outcome != evm.Reverted || len(f.Comparisons) == 0 || f.Self == attacker.Address {
		return false
	}
	last := &f.Comparisons[len(f.Comparisons)-1]
	if last.PC != f.Decision || last.Left.Eq(&last.Right) {
		return false
	}
	switch vm.OpCode(last.Op) {
	case vm.LT, vm.GT:
	default:
		return false
	}
	if block := f.Program.Blocks[last.Block]; looksAtOwnEther(f.Program.Bytes[block.Start:block.End]) {
		return true
	}
	less := last.Left
	if last.Right.Lt(&less) {
		less = last.Right
	}
	for i := end - 1; i > frame; i-- {
		if asked := &exec.Frames[i]; asked.Parent == frame {
			return isBalanceOfCaller(asked) && a.space.IsToken(asked.Self) && len(asked.Output) == wordBytes && [wordBytes]byte(asked.Output) == less.Bytes32()
		}
	}
	return false
}

// isBalanceOfCaller reports whether a contract asks a token how much of it it has.
func isBalanceOfCaller(f *evm.Frame) bool {
	return len(f.Input) == 4+wordBytes && [4]byte(f.Input[:4]) == balanceOf && common.Address(f.Input[16:36]) == f.Caller
}

// looksAtOwnEther reports whether a block asks how much ether its contract has: likely its own, where it does so by BALANCE.
func looksAtOwnEther(block []byte) (looks bool) {
	bytecode.Instructions(block, func(pc uint32) bool {
		looks = looks || vm.OpCode(block[pc]) == vm.SELFBALANCE || vm.OpCode(block[pc]) == vm.BALANCE
		return !looks
	})
	return looks
}

// sendsValue reports whether a call makes a contract pay ether, or tokens, to any account.
func sendsValue(exec *evm.Execution, call int) bool {
	frames := exec.Calls[call].Frames
	for i := frames[0] + 1; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Caller != attacker.Address && f.Outcome == evm.Success &&
			(!f.Value.IsZero() || len(f.Input) >= 4+2*wordBytes && [4]byte(f.Input[:4]) == transfer && !isZero(f.Input[4+wordBytes:][:wordBytes])) {
			return true
		}
	}
	return false
}
