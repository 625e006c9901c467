package fuzzer

import (
	"encoding/binary"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// pieces tells the path of a call in which the attacker's contract calls as those of its pieces: what the call does itself, and
// each call of that contract. What the contract calls, in which order and how often, makes any number of paths of one function
// that can be called back: in a contract of a hundred lines, 13,000 in a million executions, nearly all of them the same few pieces
// put together anew. Where a piece is known in the piece that it is called from, behind the same change of state, it shows nothing new.
type pieces struct {
	of   []int // the piece of each frame
	list []piece
}

type piece struct {
	parent  int // the piece that it is called from; itself of the first
	by      int // the frame of the contract that calls it
	hash    bytecode.PathHasher
	sum     bytecode.PathID
	fails   bool
	changes bool // it writes to storage
}

// Marks in the hashes, arbitrary, that no key of a program is by chance.
const (
	frameMark = 0x4672616d654d6172
	endMark   = 0x456e64734d61726b
)

// append appends an identifier of each piece of the last call; nothing where the attacker's contract makes no call there, or where not
// all of the call was kept.
func (p *pieces) append(ids []bytecode.PathID, exec *evm.Execution) []bytecode.PathID {
	last := exec.Calls[len(exec.Calls)-1].Frames
	if !p.divide(exec, last) {
		return ids
	}
	for i := last[0]; i < last[1]; i++ {
		if exec.Frames[i].PathTruncated {
			return ids
		}
		p.add(exec, last[0], i)
	}
	for i := range p.list {
		at := &p.list[i]
		at.sum = at.hash.Sum()
		id := at.sum.With(p.list[at.parent].sum, 0)
		if before := p.before(i); before != nil {
			id = id.With(before.sum, 0)
		}
		ids = append(ids, id)
	}
	return ids
}

// before is the latest of the calls before a piece, by the same frame of the contract, that changed state; nil: there is none.
func (p *pieces) before(i int) *piece {
	for j := i - 1; j > 0; j-- {
		if at := &p.list[j]; at.by == p.list[i].by && at.changes && !at.fails {
			return at
		}
	}
	return nil
}

// divide finds the pieces of a call with these frames, and reports whether there are several.
func (p *pieces) divide(exec *evm.Execution, frames [2]int) bool {
	if exec.Truncated || frames[1]-frames[0] < 3 { // the call, the contract's frame, and what it calls
		return false
	}
	p.of, p.list = append(p.of[:0], 0), append(p.list[:0], piece{by: -1})
	for i := frames[0] + 1; i < frames[1]; i++ {
		parent := exec.Frames[i].Parent
		in := p.of[parent-frames[0]]
		if exec.Frames[parent].CodeAddress == attacker.Address {
			p.list = append(p.list, piece{parent: in, by: parent, fails: exec.Frames[i].Outcome != evm.Success})
			in = len(p.list) - 1
		}
		p.of = append(p.of, in)
	}
	return len(p.list) > 1
}

// add adds a frame to the hash of its piece: what it runs, from where it is called, the blocks that it enters, what its writes do (see
// stores), whether it is paid, and how it ends.
func (p *pieces) add(exec *evm.Execution, first, i int) {
	f := &exec.Frames[i]
	at := &p.list[p.of[i-first]]
	h := &at.hash
	h.Add(frameMark, binary.BigEndian.Uint64(f.Self[len(f.Self)-8:]))
	if i > first {
		call, from := f, &exec.Frames[f.Parent]
		if p.of[i-first] != p.of[f.Parent-first] && from.Parent >= first { // the contract's call: from where it was called itself
			call, from = from, &exec.Frames[from.Parent]
		}
		h.Add(codeKey(from), uint64(call.CallPC))
	}
	mixed := bytecode.MixFirst(codeKey(f))
	for _, block := range f.Path {
		h.AddMixed(mixed, uint64(block))
	}
	for j := range f.Storage {
		if a := &f.Storage[j]; a.Write {
			at.changes = at.changes || f.Outcome == evm.Success
			h.Add(uint64(a.PC), uint64(kindOf(f.Storage[:j], a)))
		}
	}
	h.Add(endMark, uint64(f.Outcome)<<1|uint64(min(f.Value.BitLen(), 1)))
}

// codeKey stands for the code that a frame runs in hashes.
func codeKey(f *evm.Frame) uint64 {
	if f.Program == nil {
		return 0
	}
	return f.Program.Key
}
