package oracle

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Bounds of what counts as going through all elements. Arbitrary.
const (
	leastLength   = 2
	mostLength    = 1 << 14
	certainLength = 64 // so many elements cannot be a coincidence
	mostWords     = 8  // of an element
)

// extent is a list in storage that a frame went through: as many elements as a variable says.
type extent struct {
	account common.Address
	length  uint256.Int // the variable's slot
	base    uint256.Int // of the array or mapping
	count   uint64
}

// examineGrowth is the part of [GasLimit] that sees what may become: the last call goes through all elements of an array, or of
// a mapping by number, that an earlier call has made longer. An outsider can make that call, and with one less of them there is less
// to go through.
func examineGrowth(s *Scene, report func(Observation)) {
	last := len(s.Exec.Calls) - 1
	if !s.New || last == 0 || s.Exec.Calls[last].Outcome != evm.Success {
		return
	}
	if m := methodOf(&s.Exec.Frames[s.Exec.Calls[last].Frames[0]]); m != nil && m.IsConstant() {
		return // no transaction calls it
	}
	for i := s.Exec.Calls[last].Frames[0]; i < s.Exec.Calls[last].Frames[1]; i++ {
		f := &s.Exec.Frames[i]
		if !s.isProjects(f) || !lasts(s.Exec, i) {
			continue
		}
		for _, e := range extents(f) {
			by := s.extends(&e, last)
			at := FunctionEntry(f, selectorOf(f))
			if len(by) == 0 || !s.Attempt(at, [4]byte{byte(len(by))}) || !s.growsFor(&e, by) {
				continue
			}
			longer := functionOf(&s.Exec.Frames[s.Exec.Calls[by[len(by)-1]].Frames[0]])
			report(Observation{Call: last, Location: at, Contract: contractOf(f),
				Message: fmt.Sprintf("%s goes through all elements of a list, to which anyone can add by %s", functionOf(f), longer)})
			return
		}
	}
}

// extents lists what a frame went through.
func extents(f *evm.Frame) (all []extent) {
	lengths := map[uint256.Int]uint64{} // of variables, as they were first read
	var order []uint256.Int
	arrays, mappings := map[uint256.Int]map[uint64]bool{}, map[uint256.Int]map[uint64]bool{}
	var lists []uint256.Int
	seen := func(of map[uint256.Int]map[uint64]bool, base uint256.Int, at *uint256.Int) {
		if !at.IsUint64() || at.Uint64() >= mostLength*mostWords {
			return
		}
		if of[base] == nil {
			of[base] = map[uint64]bool{}
			lists = append(lists, base)
		}
		of[base][at.Uint64()] = true
	}
	written := map[uint256.Int]bool{}
	for j := range f.Storage {
		a := &f.Storage[j]
		switch {
		case a.Slot == a.Base:
			if _, known := lengths[a.Slot]; !a.Write && !known && !written[a.Slot] && !a.Value.LtUint64(leastLength) && !a.Value.GtUint64(mostLength) {
				lengths[a.Slot] = a.Value.Uint64()
				order = append(order, a.Slot)
			}
			written[a.Slot] = written[a.Slot] || a.Write
		case a.Keys.Count == 0:
			seen(arrays, a.Base, new(uint256.Int).Sub(&a.Slot, elementsOf(&a.Base)))
		case a.Keys.Count == 1:
			seen(mappings, a.Base, &a.Keys.Words[0])
		}
	}
	for _, base := range lists {
		if n, ok := lengths[base]; ok && coversArray(arrays[base], n) {
			all = append(all, extent{f.Self, base, base, n})
			continue
		}
		for _, slot := range order {
			if n := lengths[slot]; slot != base && (covers(mappings[base], 0, 1, n) || covers(mappings[base], 1, 1, n)) {
				all = append(all, extent{f.Self, slot, base, n})
			}
		}
	}
	return all
}

// elementsOf is where an array keeps its elements.
func elementsOf(base *uint256.Int) *uint256.Int {
	word := base.Bytes32()
	return new(uint256.Int).SetBytes(crypto.Keccak256(word[:]))
}

// coversArray reports whether one word of each of n elements is among indexes, whatever the size of an element.
func coversArray(indexes map[uint64]bool, n uint64) bool {
	for words := uint64(1); words <= mostWords; words++ {
		for first := range words {
			if covers(indexes, first, words, n) {
				return true
			}
		}
	}
	return false
}

// covers reports whether n indexes from the first one on, so far apart, are there.
func covers(indexes map[uint64]bool, first, step, n uint64) bool {
	if uint64(len(indexes)) < n {
		return false
	}
	for i := range n {
		if !indexes[first+i*step] {
			return false
		}
	}
	return true
}

// extends lists the calls before one that made a list longer.
func (s *Scene) extends(e *extent, before int) (calls []int) {
	for call := range before {
		if s.Exec.Calls[call].Outcome != evm.Success {
			continue
		}
		frames := s.Exec.Calls[call].Frames
		for i := frames[0]; i < frames[1]; i++ {
			f := &s.Exec.Frames[i]
			longer := slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool {
				return a.Write && a.Address == e.account && a.Slot == e.length && !a.Value.IsZero() && !a.Value.GtUint64(e.count)
			})
			if longer && lasts(s.Exec, i) && !slices.Contains(calls, call) {
				calls = append(calls, call)
			}
		}
	}
	return calls
}

// growsFor reports whether a list is as long where an outsider makes the calls that made it longer, and shorter without the last
// of these.
func (s *Scene) growsFor(e *extent, by []int) bool {
	calls := s.Calls().Clone()
	for _, i := range by {
		calls[i].From = s.outsider()
	}
	if n, ok := s.goesThrough(calls, e); !ok || n != e.count {
		return false
	}
	if e.count >= certainLength {
		return true
	}
	i := by[len(by)-1]
	n, ok := s.goesThrough(slices.Delete(calls, i, i+1), e)
	return ok && n < e.count
}

// goesThrough is how many elements of a list the last of some calls goes through; false: not all of them.
func (s *Scene) goesThrough(calls evm.Sequence, e *extent) (n uint64, ok bool) {
	exec, err := s.Run(calls)
	if err != nil || exec.Calls[len(calls)-1].Outcome != evm.Success {
		return 0, false
	}
	frames := exec.Calls[len(calls)-1].Frames
	for i := frames[0]; i < frames[1]; i++ {
		for _, other := range extents(&exec.Frames[i]) {
			if other.account == e.account && other.length == e.length && other.base == e.base {
				return other.count, true
			}
		}
		if f := &exec.Frames[i]; f.Self == e.account { // none, or one: too few to be told from what does not go through any
			touched := slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool {
				return a.Slot == e.length && !a.Write && a.Value.LtUint64(leastLength)
			})
			if touched {
				return 1, true
			}
		}
	}
	return 0, false
}
