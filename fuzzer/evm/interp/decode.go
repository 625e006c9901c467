package interp

import (
	"math"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// decoded is code as the [Interpreter] runs it: a stream of steps, cut into
// machine blocks. A block's gas and stack are checked once, by the step at its
// head.
//
// A machine block goes through one or several blocks of the [bytecode.Program], one
// after the other, see segment. It ends at a jump that depends on something, and
// behind every instruction that sees the gas that is left (GAS, SSTORE, calls and
// creations), or that may fail for another reason than gas or stack, so that everything
// visible is exact there. Such cuts do not show in any Path.
//
// Code is decoded where it is first executed: from a jump's destination up to the
// next unconditional end.
type decoded struct {
	bytes   []byte
	program *record.Program
	entry   []int32  // by pc: 1 + index of the head in steps of the block there; negative where no jump may go; 0: not decoded
	dests   []uint64 // bit set: pcs with a JUMPDEST that is an instruction; nil until it is asked for

	steps    []step
	blocks   []block
	segments []segment
	ids      []bytecode.BlockID // of segments, as a row that is copied to paths
	words    []uint256.Int      // constants of more than 64 bits
	moves    []move             // of shuffles
	exits    []exit
	reach    int // what is decoded depends on so many bytes; and on the length if that is less

	left *madeCode // of creation code: what it returned last; nil: nothing yet
}

// step is one instruction of the machine: one or several of the EVM's.
type step struct {
	code stepCode
	n    uint8  // see stepCode
	at   uint16 // index of the instruction in the machine block, where the step may run out of gas
	// pc of the instruction; where several are one step, of the first when the
	// step may run out of gas, else of the last.
	pc uint32
	a  uint64 // see stepCode
}

// block is what a machine block's head checks and does.
type block struct {
	gas         uint32 // static cost of all its instructions
	need, room  int16  // bounds of the stack's height, with which no instruction fails
	length      uint16 // instructions of the segments that the head enters
	conditions  uint16 // instructions that take a number of [record.Conditions]
	id          int32  // the program's block that begins here; −1: none
	pc          uint32
	from, to    uint32 // range in segments
	row         uint16 // segments that the head enters, if they are several
	first, last uint32 // range in exits
	moves       bool   // an exit or what decides has the shadow of another word
	inOrder     bool   // no exit needs the shadow of a word that one before it changes
	deciding    symbol // the shadow of the word that the JUMPI at the end tests
}

// symbolKind tells where a word's shadow comes from; see [record.Conditions].
type symbolKind uint8

const (
	symbolNone   symbolKind = iota // no comparison made the word
	symbolEntry                    // the shadow that another word had when the block was entered
	symbolMade                     // a comparison in the block made it
	symbolTested                   // the ISZERO of an entry word: its shadow flipped, or else a condition of its own
)

// symbol is a word's shadow in terms of what is known when the block is decoded.
type symbol struct {
	kind  symbolKind
	flip  uint8
	entry int16  // of symbolEntry and symbolTested: the word, counted from the stack's top at the block's start (−1)
	made  uint16 // of symbolMade and symbolTested: which of the block's conditions
}

// moves reports whether the shadow depends on one at the block's start.
func (s symbol) moves() bool { return s.kind == symbolEntry || s.kind == symbolTested }

// exit is a word whose shadow the block changes.
type exit struct {
	at int16 // counted from the stack's top at the block's start
	symbol
}

const (
	// maxBlock bounds the instructions of a machine block: all conditions of a
	// block are still remembered at its end (record.Conditions), and heights fit 16 bits.
	maxBlock = 1 << 8
	// maxTrace bounds the instructions that are decoded at once, so that a long
	// row of code that will not be run costs little; arbitrary.
	maxTrace = 1 << 12
)

// raw is an instruction that is being decoded.
type raw struct {
	pc     uint32
	op     byte
	joined bool   // a jump into the block's next segment
	save   bool   // something asks later for the condition that it makes
	at     uint16 // index in the machine block
	made   int32  // which of the block's conditions it makes; −1: none
}

// decoder cuts code into blocks and steps. It belongs to one machine.
type decoder struct {
	table   *[256]opcodeInfo
	actions *[256]record.Instruction
	blind   bool // no block and no condition is to be recorded

	raws     []raw
	segments []segment
	known    []uint64 // scratch, see decoder.track
	symbols  []symbol
	places   []move // scratch, see decoder.rearrange
}

// trace decodes from a pc on and tells where in steps that is.
func (d *decoder) trace(c *decoded, pc uint32) int {
	start := len(c.steps)
	for budget := maxTrace; ; {
		known := int32(0)
		if int(pc) < len(c.bytes) {
			known = c.entry[pc]
		}
		switch {
		case known != 0:
			c.steps = append(c.steps, step{code: stepGoto, n: 1, pc: pc, a: uint64(max(known, -known) - 1)})
			return start
		case budget <= 0:
			c.steps = append(c.steps, step{code: stepGoto, pc: pc, a: uint64(pc)})
			return start
		case int(pc) < len(c.bytes):
			c.entry[pc] = int32(len(c.steps)) + 1
			if vm.OpCode(c.bytes[pc]) != vm.JUMPDEST {
				c.entry[pc] *= -1
			}
		}
		end, open := d.scan(c, pc)
		budget -= len(d.raws)
		d.emit(c, open)
		if !open {
			return start
		}
		pc = end
	}
}

// precise decodes a block from one of its instructions on, with a head for every
// instruction and nothing joined, into a stream of its own: the instruction that fails
// is then found as the EVM finds it. Segments behind that instruction are entered there.
func (d *decoder) precise(c, into *decoded, b *block, from uint16) {
	into.bytes, into.program, into.entry, into.dests = c.bytes, c.program, c.entry, c.dests
	into.steps, into.blocks, into.words, into.exits = into.steps[:0], into.blocks[:0], into.words[:0], into.exits[:0]
	d.raws = d.raws[:0]
	for in := range c.instructions(b) {
		if in.at < from {
			continue
		}
		d.raws = append(d.raws, in.raw)
		r := &d.raws[len(d.raws)-1]
		single := block{id: -1, pc: r.pc}
		if r.at == in.segment.at && r.at > from {
			single.id = in.segment.id
		}
		d.measure(&single, d.raws[len(d.raws)-1:])
		d.head(into, single)
		if r.joined {
			r.op = byte(vm.POP)
		}
		d.single(into, r)
	}
}

// opAt is the instruction at a pc; STOP behind the code.
func opAt(code []byte, pc uint32) byte {
	if int(pc) >= len(code) {
		return byte(vm.STOP)
	}
	return code[pc]
}

// cuts tells of an opcode whether a machine block ends with it, and whether
// anything can follow.
func (d *decoder) cuts(op byte) (cut, open bool) {
	switch o := vm.OpCode(op); o {
	case vm.STOP, vm.JUMP, vm.RETURN, vm.REVERT, vm.SELFDESTRUCT:
		return true, false
	case vm.JUMPI, vm.GAS, vm.SSTORE, vm.CREATE, vm.CREATE2, vm.CALL, vm.CALLCODE, vm.DELEGATECALL, vm.STATICCALL,
		vm.LOG0, vm.LOG1, vm.LOG2, vm.LOG3, vm.LOG4, vm.TSTORE, vm.RETURNDATACOPY:
		return true, true
	}
	return !d.table[op].defined, d.table[op].defined
}

// measure sums up what a head checks.
func (d *decoder) measure(b *block, raws []raw) {
	height, need, top := 0, 0, 0
	for i := range raws {
		in := &d.table[raws[i].op]
		b.gas += uint32(in.gas)
		need = max(need, int(in.pops)-height)
		height += int(in.pushes) - int(in.pops)
		top = max(top, height)
		switch d.actions[raws[i].op].Action {
		case record.ActCompare, record.ActDiffer, record.ActIsZero:
			raws[i].made = int32(b.conditions)
			b.conditions++
		}
	}
	b.need, b.room, b.length = int16(min(need, 2*int(params.StackLimit))), int16(int(params.StackLimit)-top), uint16(len(raws))
}

func (d *decoder) head(c *decoded, b block) {
	c.steps = append(c.steps, step{code: stepBlock, pc: b.pc, a: uint64(len(c.blocks))})
	c.blocks = append(c.blocks, b)
}

// emit writes the block in raws to the stream.
func (d *decoder) emit(c *decoded, open bool) {
	lead := &d.segments[0]
	b := block{id: lead.id, pc: lead.pc}
	last := d.raws[len(d.raws)-1].op
	d.measure(&b, d.raws)
	if d.blind { // all is counted at once, and nothing is entered
		for i := range d.segments[1:] {
			d.segments[1+i].length = 0
		}
		lead.length = b.length
	}
	b.from = uint32(len(c.segments))
	c.segments = append(c.segments, d.segments...)
	for i := range d.segments {
		c.ids = append(c.ids, bytecode.BlockID(d.segments[i].id))
	}
	b.to = uint32(len(c.segments))
	d.compact()
	tail := d.tail()
	if (open || vm.OpCode(last) == vm.JUMP) && !d.blind {
		b.first = uint32(len(c.exits))
		d.follow(c, &b, tail)
		b.last = uint32(len(c.exits))
	}
	next := 1 // segment to enter
	b.length = lead.length
	for next < len(d.segments) && (d.segments[next].entered == 0 || d.blind) {
		b.length += d.segments[next].length
		next++
	}
	if next > 1 && !d.blind {
		b.row = uint16(next)
	}
	d.head(c, b)
	body := len(d.raws)
	if tail.kind != tailNone {
		body = tail.start
	}
	for i := 0; i < body; {
		next = d.enter(c, &b, next, d.raws[i].at)
		if n := d.shuffle(c, d.raws[i:body]); n > 0 {
			i += n
			continue
		}
		i += d.join(c, d.raws[i:body])
	}
	d.enter(c, &b, next, math.MaxUint16)
	if tail.kind != tailNone {
		d.finish(c, tail)
	}
}

// follow runs the block's instructions on shadows: which words have another one
// at its end, what decides its jump, and which conditions are asked for later.
func (d *decoder) follow(c *decoded, b *block, tail tail) {
	need := int(b.need)
	size := need + int(params.StackLimit) - int(b.room) + 1
	d.symbols = d.symbols[:0]
	for i := range size {
		s := symbol{}
		if i < need {
			s = symbol{kind: symbolEntry, entry: int16(i - need)}
		}
		d.symbols = append(d.symbols, s)
	}
	h := need
	for i := range d.raws {
		r := &d.raws[i]
		if vm.OpCode(r.op) == vm.JUMPI {
			b.deciding = d.symbols[h-2]
		}
		if tail.kind == tailZero && i == tail.start && d.symbols[h-1].kind == symbolNone {
			// The first ISZERO of the tail makes the condition: the step has the word.
			b.deciding = symbol{}
			h = d.skip(i, h)
			break
		}
		h = d.apply(r, h)
	}
	if tail.kind == tailCompare || tail.kind == tailSelect {
		b.deciding = symbol{} // the step has the operands
	}
	d.ask(b.deciding)
	b.moves = b.deciding.moves()
	for i := range h {
		if s := d.symbols[i]; s.kind != symbolEntry || int(s.entry) != i-need {
			c.exits = append(c.exits, exit{int16(i - need), s})
			b.moves = b.moves || s.moves()
			d.ask(s)
		}
	}
	b.inOrder = arrange(c.exits[b.first:])
}

// arrange puts exits in an order in which none needs the shadow of a word that one before it
// changes, and reports whether it could: from the bottom where words move down, from the top
// where they move up.
func arrange(exits []exit) bool {
	for range 2 {
		if arranged(exits) {
			return true
		}
		slices.Reverse(exits)
	}
	return false
}

func arranged(exits []exit) bool {
	for i := range exits {
		if exits[i].moves() && slices.ContainsFunc(exits[:i], func(e exit) bool { return e.at == exits[i].entry }) {
			return false
		}
	}
	return true
}

// skip is the stack's height behind the instructions from i on.
func (d *decoder) skip(i, h int) int {
	for ; i < len(d.raws); i++ {
		in := &d.table[d.raws[i].op]
		h += int(in.pushes) - int(in.pops)
	}
	return h
}

// ask marks the condition of a symbol as one to remember.
func (d *decoder) ask(s symbol) {
	if s.kind != symbolMade && s.kind != symbolTested {
		return
	}
	for i := range d.raws {
		if d.raws[i].made == int32(s.made) {
			d.raws[i].save = true
		}
	}
}

// apply is what an instruction does to the shadows of a stack of height h, as in
// hooks.opcode of gethvm.
func (d *decoder) apply(r *raw, h int) int {
	in, a := &d.table[r.op], d.actions[r.op]
	s := d.symbols
	switch a.Action {
	case record.ActPush, record.ActHash, record.ActLoad:
		s[h-int(in.pops)] = symbol{}
	case record.ActDup:
		s[h] = s[h-int(a.Pops)]
	case record.ActSwap:
		i := h - 1 - int(a.Pops)
		s[i], s[h-1] = s[h-1], s[i]
	case record.ActCompare:
		s[h-2] = symbol{kind: symbolMade, made: uint16(r.made)}
	case record.ActDiffer:
		s[h-2] = symbol{kind: symbolMade, made: uint16(r.made), flip: 1}
	case record.ActIsZero:
		top := &s[h-1]
		switch top.kind {
		case symbolNone:
			*top = symbol{kind: symbolMade, made: uint16(r.made)}
		case symbolEntry:
			*top = symbol{kind: symbolTested, entry: top.entry, made: uint16(r.made)}
		default:
			top.flip ^= 1
		}
	}
	return h + int(in.pushes) - int(in.pops)
}

// constant is what a PUSH pushes; bytes behind the code are zero.
func constant(code []byte, pc uint32, op byte) uint256.Int {
	size := int(bytecode.PushSize(op))
	var data [32]byte
	if start := int(pc) + 1; start < len(code) {
		copy(data[:size], code[start:])
	}
	var word uint256.Int
	word.SetBytes(data[:size])
	return word
}

// isPush reports whether an instruction pushes a constant of its own.
func (d *decoder) isPush(op byte) bool {
	return op >= byte(vm.PUSH0) && op <= byte(vm.PUSH32) && d.table[op].defined
}

// isDest reports whether a JUMPDEST instruction is at pc.
func (c *decoded) isDest(pc uint64) bool {
	if pc >= uint64(len(c.bytes)) || vm.OpCode(c.bytes[pc]) != vm.JUMPDEST {
		return false
	}
	if c.dests == nil {
		c.dests = make([]uint64, (len(c.bytes)+63)/64)
		bytecode.Instructions(c.bytes, func(pc uint32) bool {
			if vm.OpCode(c.bytes[pc]) == vm.JUMPDEST {
				c.dests[pc/64] |= 1 << (pc % 64)
			}
			return true
		})
	}
	return c.dests[pc/64]>>(pc%64)&1 == 1
}
