package compare

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// mayBeOfPlace reports whether a call may differ only since contracts are at other addresses on the base: they hash their own, such as
// for the domain of signatures, and a signature made for one domain is none for another. Where no contract has moved, nothing is
// lost by that.
func (s *Sides) mayBeOfPlace(x, y *compared, call int, d *Difference, moved movedAddresses) bool {
	if !runsMoved(x.exec, call, moved) {
		return false
	}
	switch d.Kind {
	case Succeeds, Reverts:
		return recovers(x.exec, call) || recovers(y.exec, call)
	case Returns:
		return differByHashes(x.exec.Calls[call].Output, y.exec.Calls[call].Output, moved)
	case Stores:
		hashes := true
		s.eachStored(x, y, call, moved, func(_ place, head, base uint256.Int) {
			hashes = hashes && isHash(&head) && isHash(&base)
		})
		return hashes
	default:
		return false
	}
}

// runsMoved reports whether a call of the head enters a contract that is elsewhere on the base.
func runsMoved(head *evm.Execution, call int, moved movedAddresses) bool {
	if len(moved) == 0 {
		return false
	}
	here := map[common.Address]bool{}
	for _, at := range moved {
		here[at] = true
	}
	frames := head.Calls[call].Frames
	return slices.ContainsFunc(head.Frames[frames[0]:frames[1]], func(f evm.Frame) bool { return here[f.Self] })
}

// ecrecover is the precompiled contract that tells who signed.
var ecrecover = common.BytesToAddress([]byte{1})

// recovers reports whether a call asks who signed something.
func recovers(exec *evm.Execution, call int) bool {
	frames := exec.Calls[call].Frames
	return slices.ContainsFunc(exec.Frames[frames[0]:frames[1]], func(f evm.Frame) bool { return f.CodeAddress == ecrecover })
}

// differByHashes reports whether outputs differ in nothing but words that may be hashes on both sides.
func differByHashes(head, base []byte, moved movedAddresses) bool {
	if len(head) != len(base) || len(head)%wordBytes != 0 {
		return false
	}
	for i := 0; i < len(head); i += wordBytes {
		var now, was uint256.Int
		now.SetBytes(head[i : i+wordBytes])
		was.SetBytes(base[i : i+wordBytes])
		if !sameValue(now, was, moved) && !(isHash(&now) && isHash(&was)) {
			return false
		}
	}
	return true
}

// isHash reports whether a word may be a hash, or an address made of one: other numbers are seldom as large. The largest number
// stands for something that has no limit.
func isHash(word *uint256.Int) bool {
	const fewBits = 96
	return word.BitLen() > fewBits && !new(uint256.Int).Not(word).IsZero()
}
