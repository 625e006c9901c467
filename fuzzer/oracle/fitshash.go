package oracle

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// fitsHash reports whether an attack comes to a hash that others gave before it, and was not given that itself: it is named in what they
// hashed, such as the leaf of a tree or a permission, or it knows what they kept secret behind the hash. To give the hash of another as one's own
// besides is not to be given it.
func (s *Scene) fitsHash(from int) bool {
	given := s.hashesBefore(from)
	if len(given) == 0 {
		return false
	}
	for call := from; call < len(s.Exec.Calls); call++ {
		frames := s.Exec.Calls[call].Frames
		root := s.Exec.Frames[frames[0]].Input
		isGiven := func(x *uint256.Int) bool {
			word := x.Bytes32()
			return slices.Contains(given, word) && !bytes.Contains(root, word[:])
		}
		for i := frames[0]; i < frames[1]; i++ {
			f := &s.Exec.Frames[i]
			if slices.ContainsFunc(f.Comparisons, func(c evm.Comparison) bool {
				return vm.OpCode(c.Op) == vm.EQ && c.Left == c.Right && isGiven(&c.Left) && !s.wroteOwn(from, f, &c.Left)
			}) || slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool {
				return slices.ContainsFunc(a.Keys.Words[:a.Keys.Count], func(key uint256.Int) bool { return isGiven(&key) && !s.gaveOwn(from, &key) })
			}) {
				return true
			}
		}
	}
	return false
}

// hashesBefore lists the words before a call that others give, and that may be hashes.
func (s *Scene) hashesBefore(from int) (given [][wordBytes]byte) {
	for i := range from {
		for data := argumentsOf(&s.Exec.Frames[s.Exec.Calls[i].Frames[0]]); len(data) >= wordBytes; data = data[wordBytes:] {
			if mayBeHash(data[:wordBytes]) {
				given = append(given, [wordBytes]byte(data))
			}
		}
	}
	return given
}

// gaveOwn reports whether a call of an attack that lasts gives a word.
func (s *Scene) gaveOwn(from int, word *uint256.Int) bool {
	bytes32 := word.Bytes32()
	return slices.ContainsFunc(s.Exec.Calls[from:], func(c evm.CallResult) bool {
		return c.Outcome == evm.Success && bytes.Contains(s.Exec.Frames[c.Frames[0]].Input, bytes32[:])
	})
}

// wroteOwn reports whether a word that a frame reads from storage was written there in an attack; of one that it does not read, whether a call of the attack gives it.
func (s *Scene) wroteOwn(from int, reader *evm.Frame, word *uint256.Int) bool {
	if !s.gaveOwn(from, word) {
		return false
	}
	for i := range reader.Storage {
		read := &reader.Storage[i]
		if read.Write || read.Value != *word {
			continue
		}
		if !slices.ContainsFunc(s.Exec.Frames[s.Exec.Calls[from].Frames[0]:], func(f evm.Frame) bool {
			return slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool {
				return a.Write && a.Address == read.Address && a.Slot == read.Slot && a.Value == *word && a.Order < read.Order
			})
		}) {
			return false
		}
	}
	return true
}
