package evmtest

import (
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/core/vm"
)

// All chances and sizes of this file are arbitrary. They were set so that most
// frames run to an end of their own, loops and calls nest, every opcode is
// executed (TestCoverage), and a sequence takes well below a millisecond.

// program is one that is being written. height counts the words that the code
// knows to be on the stack.
type program struct {
	assembler
	r         *rand.Rand
	fork      int // index in evm.Forks
	height    int
	base      int // what of it belongs to enclosing blocks
	nesting   int // of loops and branches
	creations int // how deep creation code may create
	self      int // which of the contracts this is; −1: none
	functions []int
	data      []blob
}

// blob is data behind the code: creation code, or just bytes.
type blob struct {
	label int
	bytes []byte
}

// Forks by index in evm.Forks, for what they brought.
const (
	shanghai = 1
	cancun   = 2
	osaka    = 4
)

// newProgram writes the program of one of the contracts, or of creation code
// (self −1), of about so many statements. Its end is written by end.
func newProgram(r *rand.Rand, fork, self, statements, creations int, end func(*program)) []byte {
	p := &program{r: r, fork: fork, self: self, creations: creations}
	if p.oneIn(4) {
		p.dispatcher()
	}
	if p.oneIn(4) { // so that deep DUPs and SWAPs have something to reach
		for range 4 + p.r.IntN(16) {
			p.atom()
		}
	}
	p.block(statements)
	end(p)
	for i := 0; i < len(p.functions); i++ { // functions may add some
		p.function(p.functions[i])
	}
	if len(p.data) > 0 {
		p.op(vm.INVALID)
	}
	for i := range p.data {
		p.place(p.data[i].label)
		p.code = append(p.code, p.data[i].bytes...)
	}
	return p.assemble()
}

func (p *program) oneIn(n int) bool { return p.r.IntN(n) == 0 }

// dispatcher jumps on the first bytes of calldata, as compilers do.
func (p *program) dispatcher() {
	p.number(0)
	p.op(vm.CALLDATALOAD)
	p.number(uint64(p.r.IntN(2) * 224))
	p.op(vm.SHR)
	p.height++
	for range 1 + p.r.IntN(3) {
		next := p.newLabel()
		p.op(vm.DUP1)
		p.number(uint64(p.r.IntN(4)))
		p.op(vm.EQ)
		if p.oneIn(2) {
			p.op(vm.ISZERO)
		}
		p.pushLabel(next)
		p.op(vm.JUMPI)
		p.balanced(1 + p.r.IntN(2))
		p.dest(next)
	}
}

// block writes statements that leave the stack as it is, now and then but for a
// word more.
func (p *program) block(statements int) {
	for range statements {
		p.statement()
	}
}

// balanced writes a block and pops what it left, so that code paths meet at one
// height.
func (p *program) balanced(statements int) {
	before := p.base
	p.base = p.height
	p.nesting++
	p.block(statements)
	p.nesting--
	for p.height > p.base {
		p.op(vm.POP)
		p.height--
	}
	p.base = before
}

// statement is a kind of statement.
type statement struct {
	weight int
	write  func(*program)
}

// statements by weight. They are filled in when all is set up, since statements
// hold others.
var statements []statement

func init() {
	statements = []statement{
		{14, (*program).store}, {4, (*program).transientStore}, {10, (*program).memoryStore}, {6, (*program).copyMemory},
		{5, (*program).log}, {14, (*program).call}, {4, (*program).create}, {12, (*program).branch}, {6, (*program).loop},
		{6, (*program).internalCall}, {6, (*program).shuffle}, {8, (*program).keep}, {5, (*program).arithmetic}, {1, (*program).leave}, {1, (*program).oddity},
	}
}

func (p *program) statement() {
	total := 0
	for _, s := range statements {
		total += s.weight
	}
	n := p.r.IntN(total)
	for _, s := range statements {
		if n -= s.weight; n < 0 {
			s.write(p)
			return
		}
	}
}

func (p *program) store() {
	p.expression(2)
	p.slot()
	p.op(vm.SSTORE)
	p.height -= 2
}

func (p *program) transientStore() {
	if p.fork < cancun {
		return
	}
	p.expression(1)
	p.number(uint64(p.r.IntN(3)))
	p.op(vm.TSTORE)
	p.height--
}

func (p *program) memoryStore() {
	p.expression(2)
	p.offset()
	p.op([]vm.OpCode{vm.MSTORE, vm.MSTORE, vm.MSTORE8}[p.r.IntN(3)])
	p.height -= 2
}

func (p *program) copyMemory() {
	op := []vm.OpCode{vm.CALLDATACOPY, vm.CODECOPY, vm.RETURNDATACOPY, vm.RETURNDATACOPY, vm.MCOPY, vm.EXTCODECOPY}[p.r.IntN(6)]
	if op == vm.RETURNDATACOPY && !p.oneIn(20) { // within its bounds
		p.op(vm.RETURNDATASIZE)
		p.number(0)
		p.height += 2
	} else {
		p.size()
		p.offset()
	}
	p.offset()
	if op == vm.MCOPY && p.fork < cancun {
		op = vm.CALLDATACOPY
	}
	if op == vm.EXTCODECOPY {
		p.target()
		p.height--
	}
	p.op(op)
	p.height -= 3
}

func (p *program) log() {
	topics := p.r.IntN(5)
	for range topics {
		p.expression(1)
	}
	p.size()
	p.offset()
	p.op(vm.LOG0 + vm.OpCode(topics))
	p.height -= topics + 2
}

// call calls some account and does something with the outcome.
func (p *program) call() {
	op := []vm.OpCode{vm.CALL, vm.CALL, vm.CALL, vm.STATICCALL, vm.DELEGATECALL, vm.DELEGATECALL, vm.CALLCODE}[p.r.IntN(7)]
	p.size()
	p.offset()
	p.size()
	p.offset()
	if op == vm.CALL || op == vm.CALLCODE {
		p.number(uint64(p.r.IntN(3) * p.r.IntN(2)))
		p.height++
	}
	p.target()
	p.callGas()
	p.op(op)
	p.height -= 5
	if op == vm.CALL || op == vm.CALLCODE {
		p.height--
	}
	p.outcome()
}

// callGas pushes what a call may use.
func (p *program) callGas() {
	switch p.r.IntN(5) {
	case 0:
		p.number(p.r.Uint64N(1 << (4 + p.r.IntN(14))))
	case 1: // a part of what there is
		p.number(uint64(1 + p.r.IntN(3)))
		p.op(vm.GAS, vm.SHR)
	case 2: // more than there is
		p.number(0)
		p.op(vm.NOT)
	default:
		p.op(vm.GAS)
	}
	p.height++
}

// outcome uses the word that a call or creation left.
func (p *program) outcome() {
	switch p.r.IntN(4) {
	case 0:
		p.op(vm.POP)
		p.height--
	case 1:
		p.slot()
		p.op(vm.SSTORE)
		p.height -= 2
	case 2: // as a condition
		p.height--
		p.branchOn(func() {})
	default: // stays
	}
}

// create copies creation code to memory and runs it.
func (p *program) create() {
	if p.creations == 0 {
		return
	}
	code := newInit(p.r, p.fork, p.creations-1)
	label := p.newLabel()
	p.data = append(p.data, blob{label, code})
	p.number(uint64(len(code)))
	p.pushLabel(label)
	p.number(0)
	p.op(vm.CODECOPY)
	salted := p.oneIn(2)
	if salted {
		p.number(uint64(p.r.IntN(3)))
	}
	p.number(uint64(len(code)))
	p.number(0)
	p.number(uint64(p.r.IntN(3) * p.r.IntN(2)))
	if salted {
		p.op(vm.CREATE2)
	} else {
		p.op(vm.CREATE)
	}
	p.height++
	if p.oneIn(2) { // known to later calls
		p.op(vm.DUP1)
		p.number(createdSlot)
		p.op(vm.SSTORE)
	}
	p.outcome()
}

// createdSlot is where programs keep the address of what they created last.
const createdSlot = 3

// branch runs one of two ways.
func (p *program) branch() {
	if p.nesting > 3 {
		return
	}
	p.branchOn(p.condition)
}

// branchOn branches on the word that condition pushes.
func (p *program) branchOn(condition func()) {
	condition()
	for range p.r.IntN(4) {
		p.op(vm.ISZERO)
	}
	other, end := p.newLabel(), p.newLabel()
	p.pushLabel(other)
	p.op(vm.JUMPI)
	p.balanced(1 + p.r.IntN(2))
	p.pushLabel(end)
	p.op(vm.JUMP)
	p.dest(other)
	p.balanced(p.r.IntN(3))
	p.dest(end)
}

// condition pushes a word to jump on, and does not count it.
func (p *program) condition() {
	switch p.r.IntN(8) {
	case 0: // any word
		p.expression(2)
		p.height--
		return
	case 1: // one that went through memory
		p.comparison()
		p.op(vm.PUSH1, 0x40, vm.MSTORE, vm.PUSH1, 0x40, vm.MLOAD)
	case 2: // one that lay below another
		p.comparison()
		p.expression(1)
		p.op(vm.SWAP1, vm.POP)
		p.height--
		if p.oneIn(2) {
			p.op(vm.DUP1, vm.POP)
		}
	case 3: // of two
		p.comparison()
		p.comparison()
		p.op([]vm.OpCode{vm.AND, vm.OR, vm.XOR, vm.EQ}[p.r.IntN(4)])
		p.height--
	default:
		p.comparison()
	}
	p.height--
}

// comparison pushes the result of comparing two words.
func (p *program) comparison() {
	p.expression(2)
	p.expression(2)
	ops := []vm.OpCode{vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ, vm.EQ, vm.SUB, vm.XOR, vm.ADD}
	p.op(ops[p.r.IntN(len(ops))])
	p.height--
}

// loop counts down, seldom from far up.
func (p *program) loop() {
	if p.nesting > 1 {
		return
	}
	again := p.newLabel()
	switch p.r.IntN(4) {
	case 0: // by calldata
		p.number(32)
		p.op(vm.CALLDATALOAD)
		p.number(7)
		p.op(vm.AND)
		p.number(1)
		p.op(vm.OR)
	case 1:
		p.number(uint64(1 + p.r.IntN(60)))
	default:
		p.number(uint64(1 + p.r.IntN(5)))
	}
	p.height++
	p.dest(again)
	p.balanced(1 + p.r.IntN(3))
	p.number(1)
	p.op(vm.SWAP1, vm.SUB, vm.DUP1)
	p.pushLabel(again)
	p.op(vm.JUMPI, vm.POP)
	p.height--
}

// internalCall jumps to a function with the address to return to on the stack.
func (p *program) internalCall() {
	var function int
	if n := len(p.functions); n > 0 && (n > 2 || p.oneIn(2)) {
		function = p.functions[p.r.IntN(n)]
	} else if p.labelsOpen() {
		function = p.newLabel()
		p.functions = append(p.functions, function)
	} else {
		return
	}
	back := p.newLabel()
	p.pushLabel(back)
	p.expression(1) // an argument
	p.height--
	p.pushLabel(function)
	p.op(vm.JUMP)
	p.dest(back)
	p.height++ // a result
	if p.oneIn(2) {
		p.op(vm.POP)
		p.height--
	}
}

// labelsOpen reports whether functions may still be added: those that are being
// written would never end otherwise.
func (p *program) labelsOpen() bool { return len(p.functions) < 3 }

// function writes one: return address and argument come in, a result goes out.
func (p *program) function(label int) {
	p.height, p.base, p.nesting = 2, 2, 3 // functions that loop and call each other run long
	p.dest(label)
	p.balanced(1 + p.r.IntN(2))
	p.expression(1)
	p.op(vm.ADD, vm.SWAP1, vm.JUMP)
}

// shuffle moves words that are on the stack.
func (p *program) shuffle() {
	for range p.r.IntN(3) {
		p.expression(1)
	}
	own := p.height - p.base
	if p.oneIn(30) {
		own = p.height // a loop's counter or an address to return to may be among them
	}
	if own < 2 {
		return
	}
	for range 1 + p.r.IntN(3) {
		p.op(vm.SWAP1 + vm.OpCode(p.r.IntN(min(own-1, 16))))
	}
	if p.height > p.base && p.oneIn(2) {
		p.op(vm.POP)
		p.height--
	}
}

// keep leaves a word on the stack.
func (p *program) keep() {
	if p.height < 40 {
		p.expression(2)
	}
}

// arithmetic leaves a trace of a computation in storage or memory.
func (p *program) arithmetic() {
	p.expression(4)
	if p.oneIn(2) {
		p.slot()
		p.op(vm.SSTORE)
	} else {
		p.offset()
		p.op(vm.MSTORE)
	}
	p.height -= 2
}

// leave ends the frame, mostly within a branch.
func (p *program) leave() {
	if p.nesting == 0 && !p.oneIn(4) {
		return
	}
	switch p.r.IntN(6) {
	case 0:
		p.op(vm.STOP)
	case 1:
		p.op(vm.INVALID)
	case 2:
		p.target()
		p.op(vm.SELFDESTRUCT)
		p.height--
	case 3, 4:
		p.size()
		p.offset()
		p.op(vm.REVERT)
		p.height -= 2
	default:
		p.size()
		p.offset()
		p.op(vm.RETURN)
		p.height -= 2
	}
}

// oddity is what no compiler writes.
func (p *program) oddity() {
	switch p.r.IntN(7) {
	case 0:
		p.op(vm.OpCode(p.r.IntN(256)))
	case 1: // below the stack
		for range p.height + 1 {
			p.op(vm.POP)
		}
	case 2: // to somewhere
		p.expression(1)
		p.op(vm.JUMP)
		p.height--
	case 3: // a full stack, by doubling what is there
		again := p.newLabel()
		p.dest(again)
		p.op(vm.PC, vm.PC)
		p.pushLabel(again)
		p.op(vm.JUMP)
	case 4: // much memory
		p.expression(1)
		p.number(1 << (10 + p.r.IntN(40)))
		p.op(vm.MSTORE)
		p.height--
	case 5: // itself, again
		p.number(0)
		p.op(vm.DUP1, vm.DUP1, vm.DUP1, vm.DUP1, vm.ADDRESS, vm.GAS, vm.CALL)
		p.height++
	case 6: // code that is data
		p.code = append(p.code, byte(vm.PUSH1)+byte(p.r.IntN(32)), byte(vm.JUMPDEST))
		p.op(vm.JUMPDEST)
		p.height++
	}
}

// newInit writes creation code.
func newInit(r *rand.Rand, fork, creations int) []byte {
	return newProgram(r, fork, -1, r.IntN(4), creations, func(p *program) {
		if p.oneIn(6) { // code of any kind, or none
			p.size()
			p.offset()
			p.op(vm.RETURN)
			return
		}
		code := newProgram(p.r, p.fork, -1, 1+p.r.IntN(5), 0, (*program).finish)
		if p.oneIn(20) {
			code = append([]byte{0xef}, code...) // EIP-3541
		}
		label := p.newLabel()
		p.data = append(p.data, blob{label, code})
		p.number(uint64(len(code)))
		p.op(vm.DUP1)
		p.pushLabel(label)
		p.number(0)
		p.op(vm.CODECOPY)
		p.number(0)
		p.op(vm.RETURN)
	})
}

// finish ends a program as contracts do.
func (p *program) finish() {
	switch p.r.IntN(6) {
	case 0:
		p.op(vm.STOP)
	case 1: // runs into what follows
	case 2:
		p.number(64)
		p.number(0)
		p.op(vm.REVERT)
	default:
		p.number(uint64(32 * p.r.IntN(5)))
		p.number(0)
		p.op(vm.RETURN)
	}
}
