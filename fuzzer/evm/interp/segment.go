package interp

import (
	"iter"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// What solc makes is cut small: a call of an internal function ends a block, and so do its
// return and every JUMPDEST. Most of these jumps go where they do whoever jumps: the destination
// is pushed in front of the jump or, where a function returns, was pushed by its caller in the
// same machine block. So a machine block goes on behind such a jump, in a segment of its own, and
// with what control falls into. The jump is gone then, gas and stack of all segments are checked
// at once, and rows of instructions that move words are rearranged across the ends of segments.
// On the contracts of bench/machine that leaves half of the blocks and three quarters of the steps.

// segment is a range of code that a machine block runs, as far as a block of the program goes.
type segment struct {
	pc, end uint32 // half-open range
	id      int32  // the program's block that begins here; −1: none
	length  uint16 // instructions that are counted when the segment is entered
	at      uint16 // index of its first instruction in the machine block
	// entered is the index of an instruction: when the machine arrives at it the segment is
	// entered, since nothing in between can fail.
	entered uint16
}

// maxJoined is how many instructions a machine block has at least when it takes no further
// segment. What functions have in common is decoded once for each of their callers: solc's
// helpers are a few dozen instructions; arbitrary otherwise.
const maxJoined = 1 << 7

// unknown stands for a word that the code does not tell, or that is too large for a destination.
const unknown = uint64(nowhere)

// unknowns are words that the stack may have had before a block: as many as SWAP16 exchanges,
// so that deepen has little to do.
var unknowns = func() (words [17]uint64) {
	for i := range words {
		words[i] = unknown
	}
	return words
}()

// scan collects the instructions of the machine block at pc in raws, and its segments. The end
// is the pc behind it; open reports whether control can arrive there.
func (d *decoder) scan(c *decoded, pc uint32) (end uint32, open bool) {
	d.raws, d.segments, d.known = d.raws[:0], d.segments[:0], append(d.known[:0], unknowns[:]...)
	d.beginSegment(c, pc, 0)
	failing := 0 // behind the latest instruction that may fail
	for {
		r := raw{pc: pc, op: opAt(c.bytes, pc), at: uint16(len(d.raws)), made: -1}
		op := vm.OpCode(r.op)
		pc += 1 + bytecode.PushSize(r.op)
		cut, open := d.cuts(r.op)
		if op == vm.JUMP && len(d.raws) < maxJoined {
			if dest := destination(c, d.top()); dest != nowhere {
				r.joined = true
				d.raws = append(d.raws, r)
				d.track(c, &r)
				d.endSegment(c, pc)
				pc = uint32(dest)
				d.beginSegment(c, pc, failing)
				continue
			}
		}
		d.raws = append(d.raws, r)
		if !cut && mayFail(op) {
			failing = len(d.raws)
		}
		if cut || len(d.raws) >= maxBlock {
			d.endSegment(c, pc)
			return pc, open
		}
		d.track(c, &r)
		_, starts := c.program.StartsAt(uint64(pc))
		if starts || int(pc) < len(c.bytes) && vm.OpCode(c.bytes[pc]) == vm.JUMPDEST {
			d.endSegment(c, pc)
			if len(d.raws) >= maxJoined {
				return pc, true
			}
			d.beginSegment(c, pc, failing)
		}
	}
}

// beginSegment begins one at a pc; it is entered when the machine arrives at an instruction.
func (d *decoder) beginSegment(c *decoded, pc uint32, entered int) {
	s := segment{pc: pc, id: -1, at: uint16(len(d.raws)), entered: uint16(entered)}
	if id, starts := c.program.StartsAt(uint64(pc)); starts && !d.blind {
		s.id = int32(id)
	}
	d.segments = append(d.segments, s)
}

// endSegment ends the current one; the pc behind it is given.
func (d *decoder) endSegment(c *decoded, end uint32) {
	c.reach = max(c.reach, int(end)+1) // whether a JUMPDEST follows ends a segment, too
	s := &d.segments[len(d.segments)-1]
	s.end, s.length = end, uint16(len(d.raws))-s.at
}

// track does to the known constants on the stack what an instruction does to the words.
func (d *decoder) track(c *decoded, r *raw) {
	switch op := vm.OpCode(r.op); {
	case d.isPush(r.op):
		word := unknown
		if k := constant(c.bytes, r.pc, r.op); k.LtUint64(unknown) {
			word = k[0]
		}
		d.known = append(d.known, word)
	case isDup(op):
		n := int(op-vm.DUP1) + 1
		d.deepen(n)
		d.known = append(d.known, d.known[len(d.known)-n])
	case isSwap(op):
		n := int(op-vm.SWAP1) + 2
		d.deepen(n)
		i, j := len(d.known)-1, len(d.known)-n
		d.known[i], d.known[j] = d.known[j], d.known[i]
	default:
		in := &d.table[r.op]
		d.known = d.known[:max(0, len(d.known)-int(in.pops))]
		for range in.pushes {
			d.known = append(d.known, unknown)
		}
	}
}

// deepen makes the known constants those of at least n words: the words that were there at
// the block's start are unknown.
func (d *decoder) deepen(n int) {
	for len(d.known) < n {
		d.known = slices.Insert(d.known, 0, unknown)
	}
}

// top is the word on top of the stack, where it is known.
func (d *decoder) top() uint64 {
	if len(d.known) == 0 {
		return unknown
	}
	return d.known[len(d.known)-1]
}

// mayFail reports whether an instruction in the middle of a machine block can fail when the
// block's gas and stack suffice: its cost depends on what it is given.
func mayFail(op vm.OpCode) bool {
	switch op {
	case vm.EXP, vm.KECCAK256, vm.MLOAD, vm.MSTORE, vm.MSTORE8, vm.CALLDATACOPY, vm.CODECOPY, vm.EXTCODECOPY, vm.MCOPY,
		vm.BALANCE, vm.EXTCODESIZE, vm.EXTCODEHASH, vm.SLOAD:
		return true
	}
	return false
}

// compact leaves of the instructions in raws those that do something: a JUMPDEST only costs
// gas, and a jump into the next segment only takes its destination from the stack.
func (d *decoder) compact() {
	kept := d.raws[:0]
	for _, r := range d.raws {
		if vm.OpCode(r.op) == vm.JUMPDEST {
			continue
		}
		if r.joined {
			r.op = byte(vm.POP)
		}
		kept = append(kept, r)
	}
	d.raws = kept
}

// enter writes the step that enters segments as soon as the machine is at an instruction. Those
// up to next have been entered; the first that is left is returned.
func (d *decoder) enter(c *decoded, b *block, next int, at uint16) int {
	first, length := next, uint16(0)
	for next < len(d.segments) && d.segments[next].entered <= at {
		length += d.segments[next].length
		next++
	}
	if n := next - first; n > 0 {
		c.steps = append(c.steps, step{code: stepEnter, n: uint8(n), at: length, pc: d.segments[first].pc, a: uint64(b.from) + uint64(first)})
	}
	return next
}

// instruction is one of a machine block, as it stands in the code.
type instruction struct {
	raw
	segment *segment
}

// instructions are those of a machine block, in order.
func (c *decoded) instructions(b *block) iter.Seq[instruction] {
	return func(yield func(instruction) bool) {
		at := uint16(0)
		for i := b.from; i < b.to; i++ {
			s := &c.segments[i]
			for pc := s.pc; pc < s.end; at++ {
				r := raw{pc: pc, op: opAt(c.bytes, pc), at: at, made: -1}
				pc += 1 + bytecode.PushSize(r.op)
				r.joined = pc >= s.end && i+1 < b.to && vm.OpCode(r.op) == vm.JUMP
				if !yield(instruction{r, s}) {
					return
				}
			}
		}
	}
}
