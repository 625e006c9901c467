package fuzzer

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// maxMends of a call are made one after the other. Arbitrary: few functions check more than that of what can be mended.
const maxMends = 4

// maxCode is up to where a number that is compared is likely a state or a count of the contract's, and the same as an argument by chance. Arbitrary.
const maxCode = 255

// mends has the walk's call, which failed, made again mended; false: it cannot be.
func (a *attacks) mends(seq input.Sequence, exec *evm.Execution) bool {
	w := &a.drawn.walks
	if w.mended >= maxMends {
		return false
	}
	again, ok := a.mended(seq, exec)
	if ok {
		w.retries, w.mended = &again, w.mended+1
	}
	return ok
}

// mended is the last call of a sequence, which failed, as the check asks for that it failed at (as fuzzers do with what is compared in their input, see Redqueen, NDSS 2019): by
// the account that its sender was compared with, as late as what the time was compared with, or with that number in the place of an argument or of what it pays. False: it is none of these.
func (a *attacks) mended(seq input.Sequence, exec *evm.Execution) (call input.Call, ok bool) {
	last := len(seq) - 1
	frame, k := decidedFailure(exec, exec.Calls[last].Frames[0])
	if k < 0 || vm.OpCode(exec.Frames[frame].Comparisons[k].Op) == vm.ISZERO {
		return call, false
	}
	c := &exec.Frames[frame].Comparisons[k]
	call = seq[last]
	for _, sides := range [2][2]*uint256.Int{{&c.Left, &c.Right}, {&c.Right, &c.Left}} {
		if is, other := sides[0], sides[1]; a.mendSender(&call, is, other) || a.mendTime(seq, &call, is, other) || mendNumber(&call, is, *other) {
			return call, true
		}
	}
	return call, false
}

// mendSender has the account make a call that its sender was compared with, where that may.
func (a *attacks) mendSender(call *input.Call, is, other *uint256.Int) bool {
	from := a.space.Senders[call.Sender].Address
	if is.Eq(other) || !is.Eq(new(uint256.Int).SetBytes(from[:])) || other.BitLen() > 8*common.AddressLength {
		return false
	}
	for i := range a.space.Senders {
		if account := a.space.Senders[i].Address; account == common.Address(other.Bytes20()) && (a.space.IsOutsider(i) || a.drawn.walks.party && !a.space.IsContract(account)) {
			call.Sender = i
			return true
		}
	}
	return false
}

// mendTime has so much time pass before a call that it is made behind a moment which was compared with the time.
func (a *attacks) mendTime(seq input.Sequence, call *input.Call, is, other *uint256.Int) bool {
	now := a.space.TimeOf(seq)
	if !is.Eq(uint256.NewInt(now)) || !other.IsUint64() || other.Uint64() < now || call.TimeAdvance+other.Uint64()-now >= input.MaxTimeAdvance {
		return false
	}
	call.TimeAdvance += other.Uint64() - now + 1
	return true
}

// mendNumber puts a number that one of a call's was compared with in its place, or where they are the same, the next lower one.
func mendNumber(call *input.Call, is *uint256.Int, other uint256.Int) bool {
	if !is.GtUint64(maxCode) || other.IsZero() {
		return false
	}
	if is.Eq(&other) {
		other.SubUint64(&other, 1)
	}
	if call.Value.Eq(is) {
		call.Value = other
		return true
	}
	for j := range call.Args {
		if t := &call.Function.Inputs[j]; t.Kind == input.Uint && call.Args[j].Word.Eq(is) && t.Fits(&other) {
			call.Args = slices.Clone(call.Args)
			call.Args[j].Word = other
			return true
		}
	}
	return false
}
