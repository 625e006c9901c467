package lookahead_test

import (
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/core/vm"
)

// assembler writes code with labels: PUSH2 of a place that is known only later.
type assembler struct {
	code   []byte
	places []int       // by label; −1: not placed yet
	uses   map[int]int // where in code: which label
}

func newAssembler() *assembler { return &assembler{uses: map[int]int{}} }

func (a *assembler) op(ops ...vm.OpCode) *assembler {
	for _, op := range ops {
		a.code = append(a.code, byte(op))
	}
	return a
}

func (a *assembler) push(n uint64) *assembler {
	bytes := []byte{byte(n)}
	for n >>= 8; n > 0; n >>= 8 {
		bytes = append([]byte{byte(n)}, bytes...)
	}
	a.op(vm.PUSH1 + vm.OpCode(len(bytes)-1))
	a.code = append(a.code, bytes...)
	return a
}

func (a *assembler) label() int {
	a.places = append(a.places, -1)
	return len(a.places) - 1
}

func (a *assembler) pushLabel(l int) *assembler {
	a.op(vm.PUSH2)
	a.uses[len(a.code)] = l
	a.code = append(a.code, 0, 0)
	return a
}

func (a *assembler) place(l int) *assembler {
	a.places[l] = len(a.code)
	return a.op(vm.JUMPDEST)
}

func (a *assembler) bytes() []byte {
	for at, l := range a.uses {
		p := a.places[l]
		a.code[at], a.code[at+1] = byte(p>>8), byte(p)
	}
	return a.code
}

// randomProgram is code with what makes reachability hard: branches on words
// that were compared before, loops, shared functions, computed destinations,
// memory at known and unknown offsets, and some nonsense.
func randomProgram(rng *rand.Rand) []byte {
	g := &generator{rng: rng, a: newAssembler()}
	for range 1 + rng.IntN(3) {
		g.functions = append(g.functions, g.a.label())
	}
	g.body(2)
	g.a.op(vm.STOP)
	for i, f := range g.functions {
		g.function, g.called = i, true
		g.a.place(f)
		// The stack holds an argument and below it the return address.
		g.height = 2
		g.body(1)
		for ; g.height > 2; g.height-- {
			g.a.op(vm.POP)
		}
		for ; g.height < 2; g.height++ {
			g.a.push(rng.Uint64N(4))
		}
		g.a.op(vm.SWAP1, vm.JUMP)
	}
	return g.a.bytes()
}

type generator struct {
	rng       *rand.Rand
	a         *assembler
	functions []int
	function  int  // the one being written
	called    bool // inside a function: only later ones are called, else recursion eats the gas
	height    int  // of the stack, above the frame's or function's start
}

// body is some statements.
func (g *generator) body(depth int) {
	for range 1 + g.rng.IntN(6) {
		g.statement(depth)
	}
}

// value pushes a word: small, of the input, of memory, or a copy.
func (g *generator) value() {
	r, a := g.rng, g.a
	switch k := r.IntN(10); {
	case k < 3:
		a.push(r.Uint64N(6))
	case k < 4:
		a.push(r.Uint64N(1 << 20))
	case k < 6:
		a.push(32 * r.Uint64N(3)).op(vm.CALLDATALOAD)
	case k < 7:
		a.push(32 * r.Uint64N(4)).op(vm.MLOAD)
	case k < 8:
		a.push(r.Uint64N(3)).op(vm.SLOAD)
	case k < 9 && g.height > 0:
		a.op(vm.DUP1 + vm.OpCode(r.IntN(min(g.height, 8))))
	default:
		env := []vm.OpCode{vm.CALLDATASIZE, vm.GAS, vm.PC, vm.MSIZE, vm.CALLER, vm.CODESIZE, vm.RETURNDATASIZE, vm.TIMESTAMP}
		a.op(env[r.IntN(len(env))])
	}
	g.height++
}

var (
	comparisons = []vm.OpCode{vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ, vm.EQ, vm.SUB, vm.XOR, vm.AND, vm.OR}
	arithmetic  = []vm.OpCode{vm.ADD, vm.MUL, vm.SUB, vm.DIV, vm.SDIV, vm.MOD, vm.SMOD, vm.EXP, vm.SIGNEXTEND, vm.LT, vm.GT, vm.SLT, vm.SGT,
		vm.EQ, vm.AND, vm.OR, vm.XOR, vm.BYTE, vm.SHL, vm.SHR, vm.SAR}
)

// operation replaces two words by one.
func (g *generator) operation(ops []vm.OpCode) {
	g.value()
	if g.height < 2 || g.rng.IntN(2) == 0 {
		g.value()
	}
	g.a.op(ops[g.rng.IntN(len(ops))])
	g.height--
}

// condition pushes what a branch may depend on.
func (g *generator) condition() {
	g.operation(comparisons)
	for range g.rng.IntN(3) {
		g.a.op(vm.ISZERO)
	}
	if g.rng.IntN(5) == 0 {
		g.operation(comparisons)
		g.a.op([]vm.OpCode{vm.AND, vm.OR}[g.rng.IntN(2)])
		g.height--
	}
}

func (g *generator) statement(depth int) {
	r, a := g.rng, g.a
	switch k := r.IntN(24); {
	case k < 4:
		g.value()
	case k < 7:
		g.operation(arithmetic)
	case k < 8:
		if g.height > 1 {
			a.op(vm.SWAP1 + vm.OpCode(r.IntN(min(g.height-1, 8))))
		}
	case k < 10:
		if g.height > 3 {
			a.op(vm.POP)
			g.height--
		}
	case k < 14 && depth > 0:
		g.branch(depth)
	case k < 16 && depth > 0:
		g.loop(depth)
	case k < 18:
		g.call()
	case k < 21:
		g.store()
	case k < 22:
		g.value()
		g.a.push(r.Uint64N(3)).op(vm.SSTORE)
		g.height--
	case k < 23:
		g.computedJump()
	default:
		g.oddity()
	}
}

// branch is an if statement, with an else or not.
func (g *generator) branch(depth int) {
	a := g.a
	otherwise, end := a.label(), a.label()
	g.condition()
	a.pushLabel(otherwise).op(vm.JUMPI)
	g.height--
	height := g.height
	g.body(depth - 1)
	g.settle(height)
	if g.rng.IntN(6) == 0 {
		a.op([]vm.OpCode{vm.INVALID, vm.STOP}[g.rng.IntN(2)])
	}
	a.pushLabel(end).op(vm.JUMP).place(otherwise)
	if g.rng.IntN(2) == 0 {
		g.body(depth - 1)
		g.settle(height)
	}
	a.place(end)
}

// settle brings the stack back to a height, so that paths can meet; sometimes
// it does not, and code runs with another stack than it was written for.
func (g *generator) settle(height int) {
	for ; g.height > height; g.height-- {
		g.a.op(vm.POP)
	}
	for ; g.height < height; g.height++ {
		g.a.push(g.rng.Uint64N(3))
	}
	if g.rng.IntN(12) == 0 {
		g.a.op([]vm.OpCode{vm.POP, vm.DUP1}[g.rng.IntN(2)])
	}
}

// loop counts up or down on the top of the stack.
func (g *generator) loop(depth int) {
	a, r := g.a, g.rng
	start, end := a.label(), a.label()
	g.value()
	height := g.height
	a.place(start).op(vm.DUP1)
	limit := r.Uint64N(5)
	switch r.IntN(3) {
	case 0:
		a.push(limit).op(vm.EQ)
	case 1:
		a.push(limit).op(vm.LT)
	default:
		a.op(vm.ISZERO)
	}
	a.pushLabel(end).op(vm.JUMPI)
	g.body(depth - 1)
	g.settle(height)
	a.push(1).op([]vm.OpCode{vm.ADD, vm.SUB}[r.IntN(2)])
	a.pushLabel(start).op(vm.JUMP).place(end)
}

// call calls a function, which leaves one word.
func (g *generator) call() {
	first := 0
	if g.called {
		first = g.function + 1
	}
	if first >= len(g.functions) {
		return
	}
	back := g.a.label()
	g.a.pushLabel(back)
	g.height++
	g.value()
	g.a.pushLabel(g.functions[first+g.rng.IntN(len(g.functions)-first)]).op(vm.JUMP).place(back)
	g.height-- // return address and argument have become a result
}

// store writes memory: often a word at a low offset, often a pointer kept in
// memory, sometimes anywhere.
func (g *generator) store() {
	r, a := g.rng, g.a
	g.value()
	offset := 32 * r.Uint64N(4)
	if r.IntN(4) == 0 {
		offset += r.Uint64N(32)
	}
	switch r.IntN(8) {
	case 0:
		a.push(offset).op(vm.MSTORE8)
	case 1: // after the pointer at 0x40
		a.push(0x40).op(vm.MLOAD, vm.MSTORE)
	case 2:
		a.push(r.Uint64N(3)*16).push(r.Uint64N(64)).push(offset).op(vm.CALLDATACOPY, vm.POP)
	case 3:
		a.push(32*r.Uint64N(2)).push(32*r.Uint64N(4)).push(offset).op(vm.MCOPY, vm.POP)
	case 4:
		a.push(0).op(vm.CALLDATALOAD).push(r.Uint64N(256)).op(vm.AND, vm.MSTORE)
	case 5: // move the pointer on
		a.push(0x40).op(vm.MLOAD).push(32).op(vm.ADD).push(0x40).op(vm.MSTORE, vm.POP)
	default:
		a.push(offset).op(vm.MSTORE)
	}
	g.height--
}

// computedJump jumps to a place that takes arithmetic to know.
func (g *generator) computedJump() {
	a, r := g.a, g.rng
	x, y := a.label(), a.label()
	switch r.IntN(4) {
	case 0: // the sum of a place and zero
		a.push(0).pushLabel(x).op(vm.ADD, vm.JUMP).place(x)
	case 1: // one of two places
		a.push(0).op(vm.CALLDATALOAD).push(1).op(vm.AND)
		end := a.label()
		a.pushLabel(x).op(vm.SWAP1).pushLabel(end).op(vm.JUMPI, vm.POP).pushLabel(y).place(end).op(vm.JUMP).place(x).place(y)
	case 2: // a place kept in memory
		a.pushLabel(x).push(0x60).op(vm.MSTORE)
		if r.IntN(2) == 0 {
			g.store()
			g.height++ // store's word is gone
			g.height--
		}
		a.push(0x60).op(vm.MLOAD, vm.JUMP).place(x)
	default: // a place of the input's choosing
		a.push(0).op(vm.CALLDATALOAD).push(0xffff).op(vm.AND)
		a.op(vm.DUP1).pushLabel(x).op(vm.EQ).pushLabel(y).op(vm.JUMPI, vm.JUMP).place(x).op(vm.JUMPDEST)
		a.place(y).op(vm.JUMPDEST, vm.POP)
	}
}

// oddity is rare code: calls, hashes, wrong opcodes.
func (g *generator) oddity() {
	r, a := g.rng, g.a
	switch r.IntN(8) {
	case 0:
		a.push(0).push(32).push(0).push(r.Uint64N(64)).push(r.Uint64N(12)).op(vm.GAS, vm.STATICCALL)
		g.height++
	case 1:
		a.push(32).push(0).op(vm.KECCAK256)
		g.height++
	case 2:
		a.op(vm.OpCode(r.IntN(256)))
	case 3:
		a.op(vm.ADDRESS, vm.BALANCE)
		g.height++
	case 4: // itself
		a.push(32*r.Uint64N(3)).push(32*r.Uint64N(3)).push(32).push(0).push(r.Uint64N(2)).op(vm.ADDRESS, vm.GAS, vm.CALL)
		g.height++
	case 5:
		a.op(vm.CODESIZE)
		g.height++
	case 6:
		g.value()
		a.op([]vm.OpCode{vm.NOT, vm.CLZ, vm.ISZERO}[r.IntN(3)])
	default:
		g.value()
		g.value()
		g.value()
		a.op([]vm.OpCode{vm.ADDMOD, vm.MULMOD}[r.IntN(2)])
		g.height -= 2
	}
}
