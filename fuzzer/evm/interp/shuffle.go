package interp

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// Nearly half of what solc makes without its optimizer is PUSH, DUP, SWAP and POP, in rows
// that undo most of what they do: a helper function copies its argument, and gets its
// return address out from under it. A row is run once, when it is decoded, on places of
// the stack in place of words. What is left of it are moves, all of them one step, which is
// the JUMP behind the row, too.

// move sets one word of the stack. Places are counted from the stack's top at the start
// of the shuffle.
type move struct {
	a    uint64 // of moveConstant: the word, or the destination of a jump; of moveWide: index in words
	to   int16
	from int16 // of moveCopy: the other place
	kind moveKind
}

type moveKind uint8

const (
	moveCopy moveKind = iota
	moveConstant
	moveWide
)

// maxMoves bounds the moves of a shuffle: a step counts them in 8 bits, and to order
// them takes their square. Rows of the corpora seldom leave ten.
const maxMoves = 32

// shuffle writes a row of instructions that only move words of the stack as one step,
// with a JUMP behind it, where that saves steps. It tells how many instructions it wrote,
// in one way or the other; 0: there is no such row.
func (d *decoder) shuffle(c *decoded, raws []raw) int {
	row := d.row(raws)
	if row == 0 {
		return 0
	}
	taken, jumps := row, row < len(raws) && vm.OpCode(raws[row].op) == vm.JUMP
	if jumps {
		taken++
	}
	steps, words := len(c.steps), len(c.words)
	for i := 0; i < taken; {
		i += d.join(c, raws[i:taken])
	}
	if len(c.steps)-steps < 2 {
		return taken
	}
	dest, moves, height := d.rearrange(c, raws[:row], jumps)
	if len(moves) > maxMoves {
		return taken
	}
	c.steps, c.words = c.steps[:steps], c.words[:words]
	if !jumps && len(moves) == 1 && moves[0].kind == moveCopy {
		m := &moves[0]
		c.steps = append(c.steps, step{code: stepMove, pc: raws[taken-1].pc, a: uint64(uint32(height))<<32 | uint64(uint16(m.from))<<16 | uint64(uint16(m.to))})
		return taken
	}
	s := step{code: stepShuffle, n: uint8(len(moves)), pc: raws[taken-1].pc}
	for _, m := range moves {
		switch m.kind {
		case moveCopy:
			s.at++
		case moveConstant:
			s.at += 1 << 8
		}
	}
	s.a = uint64(len(c.moves))<<32 | uint64(uint32(height))
	if jumps {
		s.code = stepShuffleJump
		if dest.kind != moveCopy {
			s.code = stepShuffleGo
			if dest.kind == moveWide {
				dest.a = nowhere
			}
			dest.a = destination(c, dest.a)
		}
		c.moves = append(c.moves, dest)
	}
	for _, m := range moves {
		if m.kind == moveWide {
			r := &raws[m.a]
			m.a = uint64(len(c.words))
			c.words = append(c.words, constant(c.bytes, r.pc, r.op))
		}
		c.moves = append(c.moves, m)
	}
	c.steps = append(c.steps, s)
	return taken
}

// row counts the instructions that only move words. A PUSH that is one step with the
// instruction behind the row is left to it.
func (d *decoder) row(raws []raw) int {
	n := 0
	for n < len(raws) && d.moves(raws[n].op) {
		n++
	}
	if n > 0 && n < len(raws) && d.isPush(raws[n-1].op) && !raws[n].save && vm.OpCode(raws[n].op) != vm.JUMP && stepsOf.push[raws[n].op] != stepBlock {
		n--
	}
	return n
}

// moves reports whether an instruction only moves words of the stack.
func (d *decoder) moves(op byte) bool {
	o := vm.OpCode(op)
	return d.isPush(op) || isDup(o) || isSwap(o) || o == vm.POP
}

// rearrange runs a row on places: the moves that are left, in an order that they can be
// made in; by how much the stack is higher; and where a JUMP behind it, which takes the word on top,
// leads to. The a of a moveWide is the index of its PUSH in raws.
func (d *decoder) rearrange(c *decoded, raws []raw, jumps bool) (dest move, moves []move, height int) {
	depth := d.depth(raws, jumps)
	places := d.places[:0]
	for i := range depth {
		places = append(places, move{from: int16(i - depth)})
	}
	for i := range raws {
		n := len(places)
		switch op := vm.OpCode(raws[i].op); {
		case isDup(op):
			places = append(places, places[n-1-int(op-vm.DUP1)])
		case isSwap(op):
			j := n - 2 - int(op-vm.SWAP1)
			places[j], places[n-1] = places[n-1], places[j]
		case op == vm.POP:
			places = places[:n-1]
		default:
			m := move{kind: moveWide, a: uint64(i)}
			if word := constant(c.bytes, raws[i].pc, raws[i].op); word.IsUint64() {
				m = move{kind: moveConstant, a: word.Uint64()}
			}
			places = append(places, m)
		}
	}
	if jumps {
		dest = places[len(places)-1]
		places = places[:len(places)-1]
	}
	var copies, constants []move
	for i, m := range places {
		m.to = int16(i - depth)
		switch {
		case m.kind != moveCopy:
			constants = append(constants, m)
		case m.from != m.to:
			copies = append(copies, m)
		}
	}
	d.places = places
	slices.SortStableFunc(constants, func(a, b move) int { return int(a.kind) - int(b.kind) })
	height = len(places) - depth
	return dest, append(inOrder(copies, int16(max(height, 0))), constants...), height
}

// depth is how far down a row goes.
func (d *decoder) depth(raws []raw, jumps bool) int {
	depth, height := 0, 0
	for i := range raws {
		in := &d.table[raws[i].op]
		depth = max(depth, int(in.pops)-height)
		height += int(in.pushes) - int(in.pops)
	}
	if jumps {
		depth = max(depth, 1-height)
	}
	return depth
}

// inOrder orders copies that are meant to be made all at once, so that none takes a word
// that another has replaced. A place that nothing else needs is spare.
func inOrder(copies []move, spare int16) []move {
	var ordered []move
	for len(copies) > 0 {
		free := slices.IndexFunc(copies, func(m move) bool {
			return !slices.ContainsFunc(copies, func(other move) bool { return other.from == m.to })
		})
		if free >= 0 {
			ordered = append(ordered, copies[free])
			copies = slices.Delete(copies, free, free+1)
			continue
		}
		// Only rings are left. The first place of one gets its word, whose place the
		// word that was there.
		m := copies[0]
		ordered = append(ordered, move{to: spare, from: m.to}, m, move{to: m.from, from: spare})
		copies = copies[1:]
		for i := range copies {
			if copies[i].from == m.to {
				copies[i].from = m.from
			}
		}
		copies = slices.DeleteFunc(copies, func(m move) bool { return m.from == m.to })
	}
	return ordered
}

// shuffle makes the moves of a step, behind so many that are none, and returns the words
// on the stack.
func shuffle(code *decoded, stack *[stackSize]uint256.Int, sp int, in *step, skip uint64) int {
	first := in.a>>32 + skip
	moves := code.moves[first : first+uint64(in.n)]
	copies := int(in.at & 0xff)
	others := copies + int(in.at>>8)
	for i := range moves[:copies] {
		m := &moves[i]
		copyWord(&stack[(sp+int(m.to))&stackMask], &stack[(sp+int(m.from))&stackMask])
	}
	for i := copies; i < others; i++ {
		m := &moves[i]
		stack[(sp+int(m.to))&stackMask] = uint256.Int{m.a}
	}
	for i := others; i < len(moves); i++ {
		m := &moves[i]
		copyWord(&stack[(sp+int(m.to))&stackMask], &code.words[m.a])
	}
	return sp + int(int32(in.a))
}
