package lookahead

import (
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// prefixInference infers the postcondition of a growing path (Algorithm 2, line 8): it
// runs the blocks in the abstract, for all inputs that take this path. It works only when
// the postcondition is needed, and continues from where it was.
//
// Unlike in a fixed point, the interpreter keeps its symbols from block to block, so what
// is learned from a branch applies to all that was computed before.
type prefixInference struct {
	machine interpreter
	static  bool
	path    bytecode.Path

	done       int  // blocks that the machine has run: it is at the entry of path[done]
	understood bool // the machine could follow so far

	seen    []uint32 // by block: the serial of the path that last entered it
	current uint32
}

func newPrefix(v *values) *prefixInference {
	return &prefixInference{machine: interpreter{v: v, intervals: v.unsigned}}
}

// begin starts a new, empty path of a program.
func (p *prefixInference) begin(c *code, pool []Value, static bool) {
	p.machine.bind(c, pool)
	if missing := len(c.blocks) - len(p.seen); missing > 0 {
		p.seen = append(p.seen, make([]uint32, missing)...)
	}
	p.static, p.machine.static = static, static
	p.path = p.path[:0]
	p.done, p.understood = 0, true
	start := entry()
	p.machine.load(&start)
	p.current++
	if p.current == 0 { // wrapped around
		clear(p.seen)
		p.current = 1
	}
}

// extend adds a block, and reports whether the path enters it for the first time.
func (p *prefixInference) extend(b bytecode.BlockID) bool {
	p.path = append(p.path, b)
	first := p.seen[b] != p.current
	p.seen[b] = p.current
	return first
}

// resume takes a path as the beginning.
func (p *prefixInference) resume(path bytecode.Path) {
	p.path = append(p.path, path...)
	for _, b := range path {
		p.seen[b] = p.current
	}
}

func (p *prefixInference) last() bytecode.BlockID { return p.path[len(p.path)-1] }

// postcondition is the state in which the path's last block is entered, valid until the
// path is extended; false when the analysis finds the path impossible.
func (p *prefixInference) postcondition() (*state, bool) {
	if p.path[0] != 0 {
		return nil, false
	}
	for p.understood && p.done < len(p.path)-1 {
		p.understood = p.run(p.path[p.done], p.path[p.done+1])
		p.done++
	}
	if !p.understood {
		return nil, false
	}
	return p.machine.save(), true
}

// run runs a block that leads to the next one; false when it cannot.
func (p *prefixInference) run(b, next bytecode.BlockID) bool {
	m := &p.machine
	if !m.fits(&m.code.blocks[b]) {
		return false
	}
	end := m.run(b)
	ok := false
	switch end.flow {
	case flowNext:
		ok = next == b+1
	case flowJump:
		ok = p.assumeJump(end, next)
	case flowBranch:
		ok = p.assumeBranch(end, b, next)
	}
	m.undo = m.undo[:0] // what the path implies is never undone
	return ok
}

// assumeJump narrows a jump's destination to the block that it led to.
func (p *prefixInference) assumeJump(end leave, next bytecode.BlockID) bool {
	m := &p.machine
	block := &m.code.blocks[next]
	to := m.v.pc(block.start)
	return block.jumpdest && m.constrain(end.target, to, 0)
}

// assumeBranch narrows a branch's condition to the outcome that led to next. Where
// both outcomes lead there, nothing is learned.
func (p *prefixInference) assumeBranch(end leave, b, next bytecode.BlockID) bool {
	m := &p.machine
	to := m.v.pc(m.code.blocks[next].start)
	_, canJump := m.v.meet(m.value(end.target), to)
	canJump = canJump && m.code.blocks[next].jumpdest
	switch {
	case next == b+1 && canJump:
		return true
	case next == b+1:
		return m.assume(end.condition, false, 0)
	}
	return m.assume(end.condition, true, 0) && p.assumeJump(end, next)
}
