package lookahead

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// maxDecision is the number of instructions in which the word has to decide a branch for
// which states are kept apart: solc's "a && b" ends in front of a jump on its result, via IR
// with calls of functions that clean it up and require it. Arbitrary.
const maxDecision = 48

// decisionWalk finds the words that decide branches. After "a && b", control meets with the
// result zero where a was false, and with the result of b where it was true. Joined, the two
// states say nothing of a where the result is not zero. So states are kept apart by what is
// known of a word that decides the next branch, until there.
type decisionWalk struct {
	c     *code
	stack []slotWord // what the walk has changed, from the bottom
	below int        // number of words of the entry's stack that are part of it, or were popped
	back  int        // depth of the return address that the walk ended at; 0: none
}

// slotWord is a word: of the stack at the block's entry, by depth (1 is the top), under some
// ISZEROs; or else a constant of an instruction, or 0.
type slotWord struct {
	depth int
	value Value
}

// decider says which word on the stack at a block's entry decides the next branch.
type decider struct {
	depth int // of the word, 1 is the top; 0: none
	// Where a return comes first: the depth of the return address, and the stack after the
	// return: the depths of its topmost words, and the number of words below which it is as it
	// was. 0: none.
	back   int
	depths []int
	below  int
}

// findDeciders finds what decides the next branch after each block.
func (c *code) findDeciders() {
	walk := decisionWalk{c: c}
	c.deciders = make([]decider, len(c.blocks))
	for i := range c.blocks {
		c.deciders[i] = walk.from(bytecode.BlockID(i))
	}
}

// from is what decides the next branch after a block is entered.
func (d *decisionWalk) from(b bytecode.BlockID) decider {
	d.stack, d.below, d.back = d.stack[:0], 0, 0
	left := maxDecision
	for {
		next, depth, ok := d.block(b, &left)
		switch {
		case ok:
			b = next
			continue
		case d.back == 0:
			return decider{depth: depth}
		}
		r := decider{back: d.back, below: d.below}
		for i := len(d.stack) - 1; i >= 0; i-- {
			r.depths = append(r.depths, d.stack[i].depth)
		}
		return r
	}
}

// decider is the depth of the word that decides the next branch after a block is entered with a
// stack; 0 when none does. stack gives its words by depth.
func (c *code) decider(b bytecode.BlockID, height int, stack func(depth int) Value) int {
	d := &c.deciders[b]
	depth := d.depth
	if d.back != 0 && d.back <= height {
		to := stack(d.back)
		if !to.isLabel() {
			return 0
		}
		if next, ok := c.program.StartsAt(uint64(to.plain() - 1)); ok {
			depth = c.deciders[next].depth
		}
		switch {
		case depth > len(d.depths):
			depth += d.below - len(d.depths)
		case depth > 0:
			depth = d.depths[depth-1]
		}
	}
	if depth > height {
		return 0
	}
	return depth
}

// block walks through a block to the next; false at the branch or when there is none.
func (d *decisionWalk) block(b bytecode.BlockID, left *int) (next bytecode.BlockID, depth int, ok bool) {
	for _, in := range d.c.blocks[b].code {
		if *left--; *left < 0 {
			return 0, 0, false
		}
		switch op := in.op; {
		case op >= vm.PUSH0 && op <= vm.PUSH32:
			d.stack = append(d.stack, slotWord{value: in.value})
		case op >= vm.DUP1 && op <= vm.DUP16:
			n := int(op-vm.DUP1) + 1
			d.reach(n)
			d.stack = append(d.stack, d.stack[len(d.stack)-n])
		case op >= vm.SWAP1 && op <= vm.SWAP16:
			n := int(op-vm.SWAP1) + 2
			d.reach(n)
			top := len(d.stack) - 1
			d.stack[top], d.stack[top+1-n] = d.stack[top+1-n], d.stack[top]
		case op == vm.JUMPDEST:
		case op == vm.ISZERO:
			d.reach(1)
			d.stack[len(d.stack)-1].value = 0
		case op == vm.JUMPI:
			d.pop()
			return 0, d.pop().depth, false
		case op == vm.JUMP:
			to := d.pop()
			if to.depth != 0 || !to.value.isLabel() {
				d.back = to.depth
				return 0, 0, false
			}
			next, ok = d.c.program.StartsAt(uint64(to.value.plain() - 1))
			return next, 0, ok
		case endsFrame(op) || !operations[op].defined:
			return 0, 0, false
		default:
			for range operations[op].pops {
				d.pop()
			}
			for range operations[op].pushes {
				d.stack = append(d.stack, slotWord{})
			}
		}
	}
	return b + 1, 0, int(b)+1 < len(d.c.blocks)
}

func endsFrame(op vm.OpCode) bool {
	return op == vm.STOP || op == vm.RETURN || op == vm.REVERT || op == vm.INVALID || op == vm.SELFDESTRUCT
}

// reach makes the n topmost words part of the stack.
func (d *decisionWalk) reach(n int) {
	for len(d.stack) < n {
		d.below++
		d.stack = slices.Insert(d.stack, 0, slotWord{depth: d.below})
	}
}

func (d *decisionWalk) pop() slotWord {
	d.reach(1)
	w := d.stack[len(d.stack)-1]
	d.stack = d.stack[:len(d.stack)-1]
	return w
}

// decision is what is known of the word that decides the next branch.
type decision uint8

const (
	undecided decision = iota
	isZero
	isNotZero
)

// decision is that of a state in a block.
func (m *interpreter) decision(b bytecode.BlockID, s *state) decision {
	if m.intervals {
		return undecided
	}
	return m.code.decision(m.v, b, s)
}

func (c *code) decision(v *values, b bytecode.BlockID, s *state) decision {
	if d := &c.deciders[b]; d.depth == 0 && d.back == 0 {
		return undecided
	}
	depth := c.decider(b, s.height, func(depth int) Value { return s.stack(s.height - depth) })
	if depth == 0 {
		return undecided
	}
	switch i := v.get(s.stack(s.height - depth)); {
	case i.hi.IsZero():
		return isZero
	case !i.lo.IsZero():
		return isNotZero
	}
	return undecided
}

// undecided is the word that decides the next branch after a block is entered, where both
// outcomes are possible and the block's state would lose what it says of other words: those
// are no longer in the frame. Then there are two states, one for each outcome.
func (m *interpreter) undecided(b bytecode.BlockID) (w symbol, split bool) {
	if d := &m.code.deciders[b]; d.depth == 0 && d.back == 0 {
		return 0, false
	}
	depth := m.code.decider(b, len(m.stack), func(depth int) Value { return m.value(m.stack[len(m.stack)-depth]) })
	if depth == 0 {
		return 0, false
	}
	w = m.find(m.stack[len(m.stack)-depth])
	at := &m.words[w]
	if at.op == 0 || m.v.get(at.value).isConstant() || !m.v.leq(at.value, boolean) {
		return 0, false
	}
	r, ok := m.conditionOf(w)
	if !ok {
		return w, at.op == vm.AND || at.op == vm.OR
	}
	return w, !m.inFrame(r.a) || !m.inFrame(r.b)
}

// inFrame reports whether a word is a constant, on the stack or in memory, or absent.
func (m *interpreter) inFrame(w symbol) bool {
	if w == absent || m.isConstant(w) {
		return true
	}
	return slices.ContainsFunc(m.stack, func(x symbol) bool { return m.find(x) == w }) ||
		slices.ContainsFunc(m.memory, func(c cell) bool { return m.find(c.word) == w })
}
