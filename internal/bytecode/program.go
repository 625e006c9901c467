package bytecode

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"
)

// BlockID numbers the basic blocks of one Program in code order, from 0.
type BlockID uint32

// Block is a basic block: straight-line code entered only at its start. A block
// starts at pc 0, at a JUMPDEST, behind an instruction that ends a block, or
// where a target was cut (see [Table.Cut]).
type Block struct {
	Start, End uint32 // half-open range of pcs
}

// Program is code cut into basic blocks.
type Program struct {
	ID       CodeID
	Key      uint64    // stands for the code in path hashes: equal on every machine and run
	Code     *Code     // nil for code that no artifact explains
	Contract *Contract // nil likewise
	Bytes    []byte    // as in the artifact; instances may differ in masked push data
	Blocks   []Block

	starts []uint32  // by pc: 1 + number of the block that starts there, else 0
	masks  []Range   // of an artifact: what instances fill differently; sorted
	loose  []Range   // the same with metadata; sorted
	has    [4]uint64 // set of the instructions
}

// newProgram decodes code linearly, as the EVM's jump-destination analysis does
// (yellow paper §9.4.3), and cuts it at every leader and every pc of cuts.
func newProgram(code []byte, cuts []uint32) *Program {
	p := &Program{Bytes: code}
	p.cut(cuts)
	return p
}

func (p *Program) cut(cuts []uint32) {
	n := uint32(len(p.Bytes))
	leader := make([]bool, n+1)
	for _, b := range p.Blocks { // keep earlier cuts
		leader[b.Start] = true
	}
	for _, pc := range cuts {
		if pc < n {
			leader[pc] = true
		}
	}
	if n > 0 {
		leader[0] = true
	}
	starts := make([]uint32, n)
	p.Blocks = p.Blocks[:0:0]
	for pc := uint32(0); pc < n; {
		op := p.Bytes[pc]
		p.has[op>>6] |= 1 << (op & 63)
		if leader[pc] || op == opJumpdest {
			if len(p.Blocks) > 0 {
				p.Blocks[len(p.Blocks)-1].End = pc
			}
			p.Blocks = append(p.Blocks, Block{Start: pc})
			starts[pc] = uint32(len(p.Blocks))
		}
		next := pc + 1 + PushSize(op)
		if endsBlock(op) && next <= n {
			leader[next] = true
		}
		pc = next
	}
	if len(p.Blocks) > 0 {
		p.Blocks[len(p.Blocks)-1].End = n
	}
	p.starts = starts
}

// Names reports whether the code has a function's selector as a constant, also without the zero bits at its end, which optimizers shift in.
func (p *Program) Names(selector [4]byte) bool {
	if bytes.Contains(p.Bytes, selector[:]) {
		return true
	}
	word := binary.BigEndian.Uint32(selector[:])
	if word == 0 || word&1 == 1 {
		return false
	}
	word >>= bits.TrailingZeros32(word)
	size := (bits.Len32(word) + 7) / 8
	push := append([]byte{opPush1 + byte(size) - 1}, binary.BigEndian.AppendUint32(nil, word)[4-size:]...)
	return bytes.Contains(p.Bytes, push)
}

// Has reports whether an instruction occurs in the code, decoded linearly: also in data behind it.
func (p *Program) Has(op byte) bool { return p.has[op>>6]&(1<<(op&63)) != 0 }

// StartsAt is the number of the block that starts at pc; false when none does.
func (p *Program) StartsAt(pc uint64) (BlockID, bool) {
	if pc >= uint64(len(p.starts)) || p.starts[pc] == 0 {
		return 0, false
	}
	return BlockID(p.starts[pc] - 1), true
}

// BlockOf is the number of the block that holds pc; false behind the code's end.
func (p *Program) BlockOf(pc uint32) (BlockID, bool) {
	if int(pc) >= len(p.Bytes) {
		return 0, false
	}
	i := sort.Search(len(p.Blocks), func(i int) bool { return p.Blocks[i].Start > pc })
	return BlockID(i - 1), true
}

// Varies reports whether instances of the artifact may hold other bytes than Bytes
// in the half-open range: immutables, library addresses, metadata. Never for
// code that no artifact explains.
func (p *Program) Varies(start, end uint32) bool {
	for _, r := range p.loose {
		if r.Start >= end {
			break
		}
		if r.End > start {
			return true
		}
	}
	return false
}

// Instructions calls yield with each instruction's pc, in code order, until it
// answers false.
func Instructions(code []byte, yield func(pc uint32) bool) {
	n := uint32(len(code))
	for pc := uint32(0); pc < n; pc += 1 + PushSize(code[pc]) {
		if !yield(pc) {
			return
		}
	}
}

// Instructions calls yield with each instruction's pc, in code order, until it
// answers false.
func (p *Program) Instructions(yield func(pc uint32) bool) { Instructions(p.Bytes, yield) }

// PushConstants lists the distinct values that PUSH instructions hold, as
// big-endian bytes without leading zeros, in order of first appearance.
func (p *Program) PushConstants() [][]byte {
	var constants [][]byte
	seen := map[string]bool{}
	p.Instructions(func(pc uint32) bool {
		size := PushSize(p.Bytes[pc])
		if size == 0 || int(pc+size) >= len(p.Bytes) {
			return true
		}
		v := p.Bytes[pc+1 : pc+1+size]
		for len(v) > 0 && v[0] == 0 {
			v = v[1:]
		}
		if !seen[string(v)] {
			seen[string(v)] = true
			constants = append(constants, slices.Clone(v))
		}
		return true
	})
	return constants
}
