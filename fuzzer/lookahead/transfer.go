package lookahead

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// symbol numbers a word that the interpreter has computed. Copies of a word
// (DUP, SWAP, a load of what was stored) are the same symbol: what is learned of one
// holds for all.
type symbol int32

// word is what is known of a symbol: its Value, and the operation and operands that it
// is the result of, if a branch on it can narrow them.
type word struct {
	value Value
	a, b  symbol
	op    vm.OpCode // 0: nothing to refine
	link  uint16    // the number of a link; 0: none
}

// link is how a word is related to an older one: 1 + a symbol that is known to be equal, or
// else a symbol that the word is a constant away from, word = base + offset.
type link struct {
	same, base symbol // 0: none
	offset     Value
}

var noLink link

// link is that of a symbol.
func (m *interpreter) link(w symbol) *link {
	if n := m.words[w].link; n != 0 {
		return &m.links[n-1]
	}
	return &noLink
}

// setLink gives a symbol a link. There can be as many as a word can number; what more a path
// would have is not known.
func (m *interpreter) setLink(w symbol, l link) {
	if len(m.links) < 1<<16-1 {
		m.links = append(m.links, l)
		m.words[w].link = uint16(len(m.links))
	}
}

// cell is a word of memory that is known: stored there, or loaded from there.
type cell struct {
	at   place
	word symbol
}

// interpreter runs blocks in the abstract: it is the transfer function. It keeps
// symbols, where a state has classes, from [interpreter.load] on: through one
// block when a fixed point is computed, along the whole path when a prefix is.
type interpreter struct {
	v      *values
	code   *code
	pool   []Value // of the code's pool
	static bool    // instructions that change state halt (EIP-214)
	// intervals of unsigned words are all that is kept of words: no relations, and no states
	// apart for them. As the values say.
	intervals bool

	words  []word
	links  []link
	stack  []symbol
	memory []cell // ascending; words may overlap, since a load can be anywhere
	undo   []undone
	// relations are those of symbols that hold outright, see relation.
	relations []relation

	// copied are the constant lengths that CODECOPY was run with, see graphBuilder.build.
	copied []Value

	class   []int32  // save's: 1 + class of each symbol
	live    []symbol // save's: by class
	defined []symbol // save's: the classes of conditions and sums
	saved   state
}

// undone is a word to go back to, or the newest relation to drop (absent), see refine.go.
type undone struct {
	word  symbol
	value Value
	link  uint16
}

// bind makes the interpreter run a program, whose pool is given in Values.
func (m *interpreter) bind(c *code, pool []Value) { m.code, m.pool = c, pool }

// result is the Value of an instruction's result that the decoder found.
func (m *interpreter) result(in *instruction) Value {
	if in.value&pooledBit != 0 {
		return m.pool[in.value&^pooledBit]
	}
	return in.value
}

// load starts in a state.
func (m *interpreter) load(s *state) {
	m.words, m.links = slices.Grow(m.words[:0], len(s.values))[:len(s.values)], m.links[:0]
	for i, v := range s.values {
		m.words[i] = word{value: v}
	}
	m.stack, m.memory = slices.Grow(m.stack[:0], s.height)[:s.height], m.memory[:0]
	for i, c := range s.classes[:s.height] {
		m.stack[i] = symbol(c)
	}
	for i, p := range s.places {
		m.memory = append(m.memory, cell{p, symbol(s.classes[s.height+i])})
	}
	m.undo, m.relations = m.undo[:0], m.relations[:0]
	if len(s.relations) > 0 {
		m.loadRelations(s)
	}
}

// save is the state that the interpreter is in, valid until the next save.
func (m *interpreter) save() *state {
	s := &m.saved
	s.height = len(m.stack)
	s.classes, s.places, s.values = s.classes[:0], s.places[:0], s.values[:0]
	m.live, m.defined = m.live[:0], m.defined[:0]
	if cap(m.class) < len(m.words) {
		m.class = make([]int32, 2*len(m.words))
	}
	m.class = m.class[:cap(m.class)]
	if m.intervals {
		m.saveIntervals()
		return s
	}
	for _, w := range m.stack {
		s.classes = append(s.classes, m.classOf(w))
	}
	for _, c := range m.memory {
		if m.value(c.word) != Top {
			s.places = append(s.places, c.at)
			s.classes = append(s.classes, m.classOf(c.word))
		}
	}
	m.saveRelations()
	for _, w := range m.live { // leave class all zero
		m.class[w] = 0
	}
	return s
}

// saveIntervals is save where no words are related.
func (m *interpreter) saveIntervals() {
	s := &m.saved
	classes, values, class := s.classes, s.values, m.class
	for _, w := range m.stack {
		if class[w] == 0 {
			values = append(values, m.words[w].value)
			class[w] = int32(len(values))
		}
		classes = append(classes, uint16(class[w]-1))
	}
	for _, c := range m.memory {
		v := m.words[c.word].value
		if v == Top {
			continue
		}
		if class[c.word] == 0 {
			values = append(values, v)
			class[c.word] = int32(len(values))
		}
		s.places = append(s.places, c.at)
		classes = append(classes, uint16(class[c.word]-1))
	}
	s.classes, s.values = classes, values
	for _, w := range m.stack {
		class[w] = 0
	}
	for _, c := range m.memory {
		class[c.word] = 0
	}
}

func (m *interpreter) classOf(w symbol) uint16 {
	if class := m.class[w]; class != 0 {
		return uint16(class - 1)
	}
	w = m.find(w)
	if m.class[w] == 0 {
		at := &m.words[w]
		if at.link != 0 || at.op != 0 && at.value == boolean {
			m.defined = append(m.defined, symbol(len(m.live)))
		}
		m.saved.values = append(m.saved.values, at.value)
		m.live = append(m.live, w)
		m.class[w] = int32(len(m.saved.values))
	}
	return uint16(m.class[w] - 1)
}

// flow is how control leaves a block.
type flow uint8

const (
	flowHalt    flow = iota // the frame ends, or no execution comes here
	flowNext                // to the block after this one
	flowJump                // JUMP to target
	flowBranch              // JUMPI: to target if condition, else to the block after this one
	flowUnknown             // an instruction that no known fork has
)

// leave is the end of a block.
type leave struct {
	flow              flow
	pc                uint32 // of the last instruction
	target, condition symbol
}

// run runs a block. The frame's stack must fit: see [interpreter.fits].
func (m *interpreter) run(b bytecode.BlockID) leave {
	instructions := m.code.blocks[b].code
	for i := range instructions {
		in := &instructions[i]
		switch op := in.op; {
		case op >= vm.PUSH0 && op <= vm.PUSH32:
			m.push(m.result(in))
		case op >= vm.DUP1 && op <= vm.DUP16:
			m.stack = append(m.stack, m.stack[len(m.stack)-1-int(op-vm.DUP1)])
		case op >= vm.SWAP1 && op <= vm.SWAP16:
			top := len(m.stack) - 1
			other := top - 1 - int(op-vm.SWAP1)
			m.stack[top], m.stack[other] = m.stack[other], m.stack[top]
		default:
			switch op {
			case vm.POP:
				m.pop()
			case vm.JUMPDEST:
			case vm.JUMP:
				return leave{flow: flowJump, pc: in.pc, target: m.pop()}
			case vm.JUMPI:
				return leave{flow: flowBranch, pc: in.pc, target: m.pop(), condition: m.pop()}
			case vm.STOP, vm.RETURN, vm.REVERT, vm.INVALID, vm.SELFDESTRUCT:
				return leave{flow: flowHalt, pc: in.pc}
			default:
				if !operations[op].defined {
					return leave{flow: flowUnknown, pc: in.pc}
				}
				if !m.step(in) {
					return leave{flow: flowHalt, pc: in.pc}
				}
			}
		}
	}
	return leave{flow: flowNext}
}

// fits reports whether a block neither underflows the stack nor overflows it.
func (m *interpreter) fits(b *block) bool {
	return len(m.stack) >= b.need && len(m.stack)+b.growth <= int(params.StackLimit)
}

func (m *interpreter) pop() symbol {
	w := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return w
}

func (m *interpreter) push(v Value) {
	m.stack = append(m.stack, symbol(len(m.words)))
	m.words = append(m.words, word{}) // field by field: copying what was just written in parts is slow
	m.words[len(m.words)-1].value = v
}

// pushResult pushes the result of an operation, whose operands a and b may be refined.
func (m *interpreter) pushResult(v Value, op vm.OpCode, a, b symbol) {
	m.stack = append(m.stack, symbol(len(m.words)))
	m.words = append(m.words, word{})
	at := &m.words[len(m.words)-1]
	at.value, at.op, at.a, at.b = v, op, a, b
}

func (m *interpreter) value(w symbol) Value {
	if at := &m.words[w]; at.link == 0 {
		return at.value
	}
	return m.linkedValue(w)
}

// linkedValue is apart so that value is inlined.
func (m *interpreter) linkedValue(w symbol) Value { return m.words[m.find(w)].value }

// step runs an instruction that is neither of the stack nor of control flow;
// false when it surely halts.
func (m *interpreter) step(in *instruction) bool {
	switch op := in.op; op {
	case vm.ADD, vm.MUL, vm.SUB, vm.DIV, vm.SDIV, vm.MOD, vm.SMOD, vm.EXP, vm.SIGNEXTEND,
		vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ, vm.AND, vm.OR, vm.XOR, vm.BYTE, vm.SHL, vm.SHR, vm.SAR:
		m.binary(op)
	case vm.ISZERO, vm.NOT, vm.CLZ:
		a := m.pop()
		m.pushResult(m.v.unary(op, m.value(a)), op, a, a)
	case vm.ADDMOD, vm.MULMOD:
		a, b, n := m.pop(), m.pop(), m.pop()
		m.push(m.v.ternary(op, m.value(a), m.value(b), m.value(n)))
	case vm.MLOAD:
		return m.load32(m.pop())
	case vm.MSTORE:
		offset, w := m.pop(), m.pop()
		return m.store32(offset, w)
	case vm.MSTORE8:
		offset := m.pop()
		m.pop()
		return m.overwrite(offset, m.one())
	case vm.MCOPY:
		to, from, n := m.pop(), m.pop(), m.pop()
		return m.touch(from, n) && m.overwrite(to, n)
	case vm.CALLDATACOPY, vm.CODECOPY, vm.RETURNDATACOPY:
		to, _, n := m.pop(), m.pop(), m.pop()
		if op == vm.CODECOPY {
			m.noteCopy(m.value(n).plain())
		}
		return m.overwrite(to, n)
	case vm.EXTCODECOPY:
		m.pop()
		to, _, n := m.pop(), m.pop(), m.pop()
		return m.overwrite(to, n)
	case vm.KECCAK256:
		offset, n := m.pop(), m.pop()
		m.push(Top)
		return m.touch(offset, n)
	case vm.SSTORE, vm.TSTORE, vm.LOG0, vm.LOG1, vm.LOG2, vm.LOG3, vm.LOG4, vm.CREATE, vm.CREATE2:
		m.generic(in)
		return !m.static
	case vm.CALL, vm.CALLCODE, vm.DELEGATECALL, vm.STATICCALL:
		return m.call(in)
	default:
		m.generic(in)
	}
	return true
}

// noteCopy notes a length that code was copied with.
func (m *interpreter) noteCopy(n Value) {
	if n != constant(0) && m.v.get(n).isConstant() && !slices.Contains(m.copied, n) {
		m.copied = append(m.copied, n)
	}
}

// generic pops and pushes what the opcode's table says; the result is what the
// decoder found.
func (m *interpreter) generic(in *instruction) {
	o := operations[in.op]
	m.stack = m.stack[:len(m.stack)-int(o.pops)]
	if o.pushes > 0 {
		m.push(m.result(in))
	}
}

// binary runs an operation on two words. Some are known for a word and itself, whatever
// its Value, some by how the words are related.
func (m *interpreter) binary(op vm.OpCode) {
	a, b := m.pop(), m.pop()
	if !m.intervals {
		a, b = m.find(a), m.find(b)
	}
	if a == b {
		switch op {
		case vm.EQ:
			m.push(constant(1))
			return
		case vm.SUB, vm.XOR, vm.LT, vm.GT, vm.SLT, vm.SGT:
			m.push(constant(0))
			return
		case vm.AND, vm.OR:
			m.stack = append(m.stack, a)
			return
		}
	}
	x, y := m.words[a].value, m.words[b].value
	if !m.intervals {
		if w := m.unchanged(op, a, b, x, y); w != absent && !m.value(w).isLabel() {
			m.stack = append(m.stack, w)
			return
		}
	}
	r := m.v.binary(op, x, y)
	if r == boolean && !m.intervals {
		r = m.decided(op, a, b)
	}
	m.pushResult(r, op, a, b)
	if (op == vm.ADD || op == vm.SUB) && !m.intervals {
		m.offsetResult(op, a, b)
	}
}

// unchanged is the operand that an operation leaves as it is: clean-up of a word that is
// clean, or a neutral element. absent when there is none.
func (m *interpreter) unchanged(op vm.OpCode, a, b symbol, x, y Value) symbol {
	zero, one := constant(0), constant(1)
	switch op {
	case vm.AND:
		return either(m.v.cleans(x, y), b, m.v.cleans(y, x), a)
	case vm.SIGNEXTEND:
		return either(m.v.isSignedWord(x, y), b, false, a)
	case vm.ADD, vm.OR, vm.XOR:
		return either(x == zero, b, y == zero, a)
	case vm.SUB:
		return either(false, b, y == zero, a)
	case vm.MUL:
		return either(x == one, b, y == one, a)
	case vm.DIV, vm.SDIV:
		return either(false, b, y == one, a)
	case vm.SHR:
		if w := m.shiftedBack(b, x); w != absent {
			return w
		}
		return either(x == zero, b, false, a)
	case vm.SHL, vm.SAR:
		return either(x == zero, b, false, a)
	}
	return absent
}

// either is the first of two symbols whose condition holds, or absent.
func either(first bool, a symbol, second bool, b symbol) symbol {
	switch {
	case first:
		return a
	case second:
		return b
	}
	return absent
}

// shiftedBack is the word that was moved up by as many bits as it is moved down now, if it
// lost none; absent otherwise.
func (m *interpreter) shiftedBack(b symbol, by Value) symbol {
	w := &m.words[b]
	if n := m.v.get(by); w.op == vm.SHL && n.isConstant() && n.lo.LtUint64(256) && m.value(w.a).plain() == by.plain() {
		if of := m.find(w.b); m.v.get(m.value(of)).hi.BitLen()+int(n.lo[0]) <= 256 {
			return of
		}
	}
	return absent
}

// isSignedWord reports whether a word is a signed one of size+1 bytes, which SIGNEXTEND leaves
// as it is.
func (v *values) isSignedWord(size, y Value) bool {
	n, known := v.known(size)
	if !known {
		return false
	}
	if !n.LtUint64(31) {
		return true
	}
	of, i := signedWords(n), v.signed(y)
	return !i.lo.Slt(&of.lo) && !i.hi.Sgt(&of.hi)
}

// cleans reports whether a mask is one of low bits that has all bits of a word.
func (v *values) cleans(mask, y Value) bool {
	i := v.get(mask)
	if !i.isConstant() || v.get(y).hi.Gt(&i.lo) {
		return false
	}
	var next uint256.Int
	next.AddUint64(&i.lo, 1)
	return next.And(&next, &i.lo).IsZero()
}

// decided is the Value of a comparison that the operands' Values leave open.
func (m *interpreter) decided(op vm.OpCode, a, b symbol) Value {
	kind := less
	switch op {
	case vm.EQ:
		kind = equal
	case vm.GT:
		a, b = b, a
	case vm.SLT:
		kind = signedLess
	case vm.SGT:
		kind, a, b = signedLess, b, a
	case vm.LT:
	default:
		return boolean
	}
	switch holds, known := m.compare(kind, a, b); {
	case !known:
		return boolean
	case holds:
		return constant(1)
	}
	return constant(0)
}

// offsetResult keeps that the sum or difference just computed is a constant away from an
// operand.
func (m *interpreter) offsetResult(op vm.OpCode, a, b symbol) {
	if op == vm.ADD && m.isConstant(a) {
		a, b = b, a
	}
	if !m.isConstant(b) || m.isConstant(a) || m.isPointer(a) {
		return
	}
	base, k := m.baseOf(a)
	m.setLink(symbol(len(m.words)-1), link{base: base + 1, offset: m.v.binary(op, k, m.value(b))})
}

// isPointer reports whether a word looks like a pointer to allocated memory. Those move by
// constants all the time, and no branch compares them with where they were.
func (m *interpreter) isPointer(w symbol) bool {
	const allocated = 0x80 // solc's first
	i := m.v.get(m.value(w))
	return !i.lo.LtUint64(allocated) && i.hi.LtUint64(maxMemory)
}

// call runs a call instruction: its outcome, the return data and what it writes
// to memory are unknown.
func (m *interpreter) call(in *instruction) bool {
	m.pop() // gas
	m.pop() // address
	if in.op == vm.CALL || in.op == vm.CALLCODE {
		value := m.pop()
		if in.op == vm.CALL && m.static && !m.v.get(m.value(value)).lo.IsZero() {
			return false
		}
	}
	input, inputSize, output, outputSize := m.pop(), m.pop(), m.pop(), m.pop()
	m.push(in.value)
	return m.touch(input, inputSize) && m.overwrite(output, outputSize)
}

// one is a symbol for the word 1.
func (m *interpreter) one() symbol {
	m.words = append(m.words, word{value: constant(1)})
	return symbol(len(m.words) - 1)
}

// touch is an access to n bytes of memory at an offset. An execution that continues could
// pay for the memory, which bounds both (see maxMemory); false when none can.
func (m *interpreter) touch(offset, n symbol) bool {
	if !m.constrain(n, memory, maxDepth+1) {
		return false
	}
	if m.v.get(m.value(n)).lo.IsZero() {
		return true // an access to no bytes costs nothing, wherever it is
	}
	return m.constrain(offset, memory, maxDepth+1)
}

// overwrite is touch, after which the bytes are unknown.
func (m *interpreter) overwrite(offset, n symbol) bool {
	if !m.touch(offset, n) {
		return false
	}
	to, length := m.v.get(m.value(offset)), m.v.get(m.value(n))
	if length.hi.IsZero() || !to.lo.LtUint64(maxKnownMemory) {
		return true
	}
	var end uint256.Int
	if _, overflow := end.AddOverflow(&to.hi, &length.hi); overflow || !end.LtUint64(maxKnownMemory) {
		end.SetUint64(maxKnownMemory)
	}
	m.forget(to.lo[0], end[0])
	return true
}

// forget drops the cells that overlap the half-open range of bytes.
func (m *interpreter) forget(from, end uint64) {
	kept := m.memory[:0]
	for _, c := range m.memory {
		if uint64(c.at) >= end || uint64(c.at)+32 <= from {
			kept = append(kept, c)
		}
	}
	m.memory = kept
}

// load32 is MLOAD. A word at a known place becomes a cell, so that loading it
// again gives the same symbol.
func (m *interpreter) load32(offset symbol) bool {
	if !m.constrain(offset, memory, maxDepth+1) {
		return false
	}
	at, ok := m.place(offset)
	if !ok {
		m.push(Top)
		return true
	}
	i := m.search(at)
	if i < len(m.memory) && m.memory[i].at == at {
		if w := m.memory[i].word; m.value(w).isLabel() {
			m.push(m.value(w).plain())
		} else {
			m.stack = append(m.stack, w)
		}
		return true
	}
	m.push(Top)
	m.insert(i, cell{at, m.stack[len(m.stack)-1]})
	return true
}

// store32 is MSTORE.
func (m *interpreter) store32(offset, w symbol) bool {
	if !m.overwrite(offset, m.thirtyTwo()) {
		return false
	}
	if at, ok := m.place(offset); ok {
		m.insert(m.search(at), cell{at, w})
	}
	return true
}

func (m *interpreter) thirtyTwo() symbol {
	m.words = append(m.words, word{value: constant(32)})
	return symbol(len(m.words) - 1)
}

// place is where a word at the offset starts; false when that is not known or
// too high to be tracked.
func (m *interpreter) place(offset symbol) (place, bool) {
	x, known := m.v.known(m.value(offset))
	if !known || !x.LtUint64(maxKnownMemory-31) {
		return 0, false
	}
	return place(x[0]), true
}

// search is the index of the first cell at or after a place.
func (m *interpreter) search(at place) int {
	i := 0
	for i < len(m.memory) && m.memory[i].at < at {
		i++
	}
	return i
}

func (m *interpreter) insert(i int, c cell) {
	m.memory = append(m.memory, cell{})
	copy(m.memory[i+1:], m.memory[i:])
	m.memory[i] = c
}
