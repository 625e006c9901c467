package fuzzer

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// This file keeps together what a hash ties together. A call names the hash of what a later one does: it commits to that, schedules it, or sets the root of what may be claimed. A mutant of
// the later call names something else, finds nothing under its hash, and comes no further than any other. So the mutant is tried once more with its own hash in
// the call before, as its run tells it.

// maxHashLinks bounds what is kept of one seed. Arbitrary.
const maxHashLinks = 8

// hashLink is a word of a call that a later one finds as a hash: as a key of what it reads, or as what it compares.
type hashLink struct {
	call, arg int
	word      uint256.Int
	reader    int
	place     hashPlace
}

// hashPlace is an instruction that meets a hash: a storage access, or a conditional jump behind a comparison.
type hashPlace struct {
	self common.Address
	pc   uint32
	key  int // which of the access's keys it is, the innermost 0; −1: a side of a comparison
}

// relinker knows the links of the seed that is fuzzed.
type relinker struct {
	links []hashLink
}

// noteLinks notes the links of a seed by its run.
func (l *relinker) noteLinks(seq input.Sequence, exec *evm.Execution) {
	l.links = l.links[:0]
	for i := range seq[:len(seq)-1] {
		for j := range seq[i].Args {
			if !mayBeHash(&seq[i], j) {
				continue
			}
			word := seq[i].Args[j].Word
			for reader := i + 1; reader < len(seq) && len(l.links) < maxHashLinks; reader++ {
				eachHashed(exec, reader, func(place hashPlace, a, b *uint256.Int) bool {
					if !a.Eq(&word) && !b.Eq(&word) {
						return true
					}
					l.links = append(l.links, hashLink{i, j, word, reader, place})
					return false
				})
			}
		}
	}
}

// mayBeHash reports whether an argument is a word so large that it is a hash, and not an account, an amount or a time.
func mayBeHash(c *input.Call, arg int) bool {
	switch t := &c.Function.Inputs[arg]; t.Kind {
	case input.FixedBytes, input.Uint:
		return c.Args[arg].Word.BitLen() > hashBits
	default:
		return false
	}
}

// eachHashed calls f with what a call meets that may be a hash, until it answers false: with each key of what it reads or writes, twice, and with both sides of what it tests
// for equality, if both may be hashes.
func eachHashed(exec *evm.Execution, call int, f func(place hashPlace, a, b *uint256.Int) bool) {
	frames := exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		frame := &exec.Frames[i]
		for j := range frame.Storage {
			access := &frame.Storage[j]
			for k := range access.Keys.Count {
				if key := &access.Keys.Words[k]; !f(hashPlace{access.Address, access.PC, k}, key, key) {
					return
				}
			}
		}
		for j := range frame.Comparisons {
			c := &frame.Comparisons[j]
			if vm.OpCode(c.Op) == vm.EQ && c.Left.BitLen() > hashBits && c.Right.BitLen() > hashBits && !f(hashPlace{frame.Self, c.PC, -1}, &c.Left, &c.Right) {
				return
			}
		}
	}
}

// withOwnHashes makes a lead of a lead that was run; none where it meets no other hashes than the seed.
func (l *relinker) withOwnHashes(of lead, exec *evm.Execution) []lead {
	seq, ok := l.relink(of.sequence, exec)
	if !ok {
		return nil
	}
	return []lead{{sequence: seq, from: of.from, steps: of.steps, relinked: true}}
}

// relink is a mutant of the seed with its own hashes where the seed had its; false where it meets no others. The run is the mutant's.
func (l *relinker) relink(seq input.Sequence, exec *evm.Execution) (input.Sequence, bool) {
	var out input.Sequence
	for i := range l.links {
		link := &l.links[i]
		if link.reader >= len(seq) || !link.isNamedBy(&seq[link.call]) {
			continue
		}
		hash, met := link.metBy(exec)
		if !met || !seq[link.call].Function.Inputs[link.arg].Fits(&hash) {
			continue
		}
		if out == nil {
			out = seq.Clone()
		}
		c := &out[link.call]
		c.Args = slices.Clone(c.Args)
		c.Args[link.arg].Word = hash
	}
	return out, out != nil
}

// isNamedBy reports whether a mutant's call names the seed's hash, as the seed's own does.
func (link *hashLink) isNamedBy(c *input.Call) bool {
	return link.arg < len(c.Args) && mayBeHash(c, link.arg) && c.Args[link.arg].Word.Eq(&link.word)
}

// metBy is the hash that a run meets where the seed's met the link's word; false where it is that, or none.
func (link *hashLink) metBy(exec *evm.Execution) (hash uint256.Int, met bool) {
	eachHashed(exec, link.reader, func(place hashPlace, a, b *uint256.Int) bool {
		if place != link.place {
			return true
		}
		if a.Eq(&link.word) { // one side of a comparison
			a = b
		}
		hash, met = *a, a.BitLen() > hashBits && !a.Eq(&link.word)
		return false
	})
	return hash, met
}
