package interp

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/forks"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
)

// message is a call: what a transaction or a call instruction asks for.
type message struct {
	kind     vm.OpCode // CALL, CALLCODE, DELEGATECALL or STATICCALL
	from, to *entry    // the caller, and whose code runs
	input    []byte
	gas      uint64
	value    *uint256.Int
	static   bool // nothing may change

	as     *entry            // in whose name a DELEGATECALL acts; nil: the caller's
	answer *cheatcode.Answer // what comes of it without running anything; nil: it is run
}

// frame is an open call frame of the [Interpreter], in the buffers of earlier
// ones of its depth.
type frame struct {
	*record.Active // what the recorder knows of it

	entry    *entry // whose storage and balance it acts on
	code     *decoded
	input    []byte
	returned []byte // by the latest call or creation
	static   bool   // no state may change (EIP-214)

	memory    []byte // a whole number of words
	memoryGas uint64 // paid for it in total
	moved     uint64 // bytes that were copied when it grew

	stack *[stackSize]uint256.Int
	bed   bed // where it is, see Interpreter.place

	height int // words on the stack at the latest call or creation, its arguments among them
}

// bed is a place in Interpreter.stacks.
type bed struct{ chunk, base int }

const (
	stackSize = int(params.StackLimit)
	// stackMask keeps indices inside the stack for the compiler; a block's head
	// has checked that they are.
	stackMask = stackSize - 1
	// stackChunk is how many words stacks are made of at once: 256 kB, in which 200
	// frames of a recursion fit that have 30 words each.
	stackChunk = 8 * stackSize
)

// zeroValue is the value of calls that have none.
var zeroValue uint256.Int

// open begins a frame in the buffers of an earlier one of its depth; parent is
// nil for a transaction.
func (m *Interpreter) open(parent *frame, to common.Address) *frame {
	depth := 0
	if parent != nil {
		depth = parent.Depth + 1
	}
	if depth == len(m.frames) {
		m.frames = append(m.frames, new(frame))
	}
	f := m.frames[depth]
	m.place(f, parent)
	f.Active = m.rec.Push(depth)
	f.Self = to
	f.returned, f.static = nil, parent != nil && parent.static
	f.memory, f.memoryGas, f.moved = f.memory[:0], 0, 0
	return f
}

// place gives a frame its stack: it begins where the caller's ends, as long as a whole
// stack has room in that chunk.
func (m *Interpreter) place(f, parent *frame) {
	f.bed = bed{}
	if parent != nil {
		f.bed = bed{parent.bed.chunk, parent.bed.base + parent.height}
		if f.bed.base+stackSize > stackChunk {
			f.bed = bed{chunk: f.bed.chunk + 1}
		}
	}
	if f.bed.chunk == len(m.stacks) {
		m.stacks = append(m.stacks, new([stackChunk]uint256.Int))
	}
	f.stack = (*[stackSize]uint256.Int)(m.stacks[f.bed.chunk][f.bed.base:])
}

// recorded adds an open frame to the Execution.
func (m *Interpreter) recorded(f, parent *frame, kind vm.OpCode, to common.Address, input []byte) {
	var above *record.Active
	if parent != nil {
		above = parent.Active
	}
	m.rec.Record(f.Active, above, record.KindOf(kind, f.Depth), to, input)
}

// close ends the frame.
func (m *Interpreter) close(f *frame, outcome evm.Outcome, output []byte, used uint64) {
	m.rec.Work += record.CopyWork * (uint64(len(f.memory)) + f.moved) / 32
	m.rec.Close(f.Active, outcome, output, used)
	if cap(f.memory) > maxIdleMemory {
		f.memory = nil
	}
}

// message runs a call in a frame of its own.
func (m *Interpreter) message(parent *frame, c message) (evm.Outcome, []byte, uint64) {
	f := m.open(parent, c.to.address)
	f.entry, f.Caller, f.Value, f.input = c.to, c.from.address, *c.value, c.input
	f.static = f.static || c.static
	switch c.kind {
	case vm.CALLCODE:
		f.entry, f.Self = c.from, c.from.address
	case vm.DELEGATECALL:
		f.entry, f.Self, f.Caller, f.Value = parent.entry, parent.Self, parent.Caller, parent.Value
		if c.as != nil {
			f.entry, f.Self, f.Caller = c.as, c.as.address, c.as.address
		}
	}
	m.recorded(f, parent, c.kind, c.to.address, c.input)
	mark := len(m.ledger.journal)
	outcome, output, left := m.dispatch(f, &c)
	if parent == nil && m.cheats != nil {
		outcome, output = m.cheats.Finish(&cheatcode.Call{Depth: -1, By: c.from.address, To: c.to.address}, outcome, output)
	}
	if outcome != evm.Success {
		m.ledger.revert(mark)
	}
	m.close(f, outcome, output, c.gas-left)
	return outcome, output, left
}

// dispatch moves the value and runs whatever is at the address.
func (m *Interpreter) dispatch(f *frame, c *message) (evm.Outcome, []byte, uint64) {
	if f.Depth > int(params.CallCreateDepth) {
		return evm.DepthExceeded, nil, c.gas
	}
	if c.answer != nil {
		return answered(c)
	}
	l := m.ledger
	switch c.kind {
	case vm.CALL:
		// go-ethereum does not move the value of calls by the system address
		// (EIP-4788); no chain lets any other caller call from there.
		system := c.from.address == params.SystemAddress
		if !system && c.from.balance.Lt(c.value) {
			return evm.InsufficientBalance, nil, c.gas
		}
		if !c.to.exists {
			if c.to.precompile == nil && c.value.IsZero() {
				return evm.Success, nil, c.gas
			}
			l.touch(c.to)
		}
		if !system {
			l.debit(c.from, c.value)
			l.credit(c.to, c.value)
		}
	case vm.CALLCODE:
		if c.from.balance.Lt(c.value) {
			return evm.InsufficientBalance, nil, c.gas
		}
	case vm.STATICCALL:
		l.credit(c.to, &zeroValue)
	}
	if p := c.to.precompile; p != nil {
		return m.precompiled(p, c.input, c.gas)
	}
	f.code = m.code(c.to)
	if f.code == nil {
		return evm.Success, nil, c.gas
	}
	return m.execute(f, c.gas)
}

// precompiled runs a precompiled contract.
func (m *Interpreter) precompiled(p vm.PrecompiledContract, input []byte, gas uint64) (evm.Outcome, []byte, uint64) {
	cost := p.RequiredGas(input)
	if cost > gas {
		return evm.OutOfGas, nil, 0
	}
	m.rec.Work += record.GasWork * cost
	output, err := p.Run(input)
	if err != nil {
		if err == vm.ErrExecutionReverted { //nolint:errorlint // it is never wrapped, and go-ethereum compares so
			return evm.Reverted, output, gas - cost
		}
		return record.OutcomeOf(err), output, 0
	}
	return evm.Success, output, gas - cost
}

// execute runs the frame's code.
func (m *Interpreter) execute(f *frame, gas uint64) (evm.Outcome, []byte, uint64) {
	m.rec.SetProgram(f.Active, f.code.program)
	return m.loop(f, gas)
}

// callArguments are a call instruction's operands.
type callArguments struct {
	gas, value               *uint256.Int
	in, inSize, out, outSize *uint256.Int
	to                       *entry
	transfers                bool
	popped                   int
}

func (m *Interpreter) arguments(f *frame, op vm.OpCode, sp int) callArguments {
	a := callArguments{gas: f.top(sp, 1), to: m.ledger.at(f.top(sp, 2)), value: &zeroValue, popped: 6}
	n := 3
	if op == vm.CALL || op == vm.CALLCODE {
		a.value, a.transfers, a.popped = f.top(sp, 3), !f.top(sp, 3).IsZero(), 7
		n = 4
	}
	a.in, a.inSize, a.out, a.outSize = f.top(sp, n), f.top(sp, n+1), f.top(sp, n+2), f.top(sp, n+3)
	return a
}

// call runs a call instruction. The outcome is that of the instruction, not of
// what it calls.
func (m *Interpreter) call(f *frame, op vm.OpCode, sp int, gas uint64) (uint64, evm.Outcome) {
	f.height = sp
	a := m.arguments(f, op, sp)
	end := max(memoryEnd(a.in, a.inSize), memoryEnd(a.out, a.outSize))
	left, outcome := m.callPrice(f, op, &a, end, gas)
	if outcome != evm.Success {
		return 0, outcome
	}
	// All but one 64th can be handed on (EIP-150).
	given := left - left/64
	if a.gas.IsUint64() && a.gas[0] < given {
		given = a.gas[0]
	}
	left -= given
	if a.transfers {
		given += params.CallStipend
	}
	f.extend(end)
	result := f.top(sp, a.popped)
	c := message{
		kind: op, from: f.entry, to: a.to, input: f.slice(a.in, a.inSize), gas: given, value: a.value, static: op == vm.STATICCALL,
	}
	var (
		inner  evm.Outcome
		output []byte
		unused uint64
	)
	if m.cheats == nil {
		inner, output, unused = m.message(f, c)
	} else {
		inner, output, unused = m.cheatedCall(f, c)
	}
	f.returned = output
	if inner == evm.Success || inner == evm.Reverted {
		copy(f.slice(a.out, a.outSize), output)
	}
	setBool(result, inner == evm.Success)
	return left + unused, evm.Success
}

// callPrice charges for a call what is not static: access, memory, the transfer,
// a new account and a delegation. What is accessed is warm afterwards.
func (m *Interpreter) callPrice(f *frame, op vm.OpCode, a *callArguments, end, gas uint64) (uint64, evm.Outcome) {
	l := m.ledger
	violation := f.static && a.transfers && op == vm.CALL
	if end == endless {
		return 0, evm.OutOfGas
	}
	if violation && m.fork >= forks.Prague {
		return 0, evm.StaticViolation
	}
	if l.cold(a.to) {
		if gas < coldAccount {
			return 0, evm.OutOfGas
		}
		gas -= coldAccount
		l.warmEntry(a.to)
	}
	if violation {
		return 0, evm.StaticViolation
	}
	cost, ok := f.price(end)
	if a.transfers {
		cost += params.CallValueTransferGas
		if op == vm.CALL && a.to.empty() {
			cost += params.CallNewAccountGas
		}
	}
	if !ok || cost > gas {
		return 0, evm.OutOfGas
	}
	gas -= cost
	if to := m.delegate(a.to); to != nil {
		cost := params.WarmStorageReadCostEIP2929
		if l.cold(to) {
			cost = params.ColdAccountAccessCostEIP2929
		}
		if cost > gas {
			return 0, evm.OutOfGas
		}
		gas -= cost
		l.warmEntry(to)
	}
	return gas, evm.Success
}

// create runs CREATE and CREATE2. The outcome is that of the instruction.
func (m *Interpreter) create(f *frame, op vm.OpCode, sp int, gas uint64) (uint64, evm.Outcome) {
	f.height = sp
	value, offset, size := f.top(sp, 1), f.top(sp, 2), f.top(sp, 3)
	end := memoryEnd(offset, size)
	if end == endless {
		return 0, evm.OutOfGas
	}
	if f.static {
		return 0, evm.StaticViolation
	}
	cost, ok := f.price(end)
	if !ok {
		return 0, evm.OutOfGas
	}
	words := wordsOf(size[0])
	if m.fork >= forks.Shanghai { // EIP-3860
		if !m.limits.AllowsNested(size[0]) {
			return 0, evm.OutOfGas
		}
		cost += words * params.InitCodeWordGas
	}
	if op == vm.CREATE2 {
		cost += words * params.Keccak256WordGas
	}
	if cost > gas {
		return 0, evm.OutOfGas
	}
	gas -= cost
	f.extend(end)
	init := f.slice(offset, size)
	result := size
	creator := f.entry
	var cheated cheatedCreation
	if m.cheats != nil {
		cheated = m.beginCreation(f, op, init, value)
		creator = cheated.by
	}
	var address common.Address
	if op == vm.CREATE2 {
		salt := f.top(sp, 4)
		address = crypto.CreateAddress2(creator.address, salt.Bytes32(), crypto.Keccak256(init))
		result = salt
	} else {
		address = crypto.CreateAddress(creator.address, creator.nonce)
	}
	given := gas - gas/64
	gas -= given
	outcome, output, unused := m.construct(f, op, creator, address, init, given, value)
	f.returned = nil
	if outcome == evm.Reverted {
		f.returned = output
	}
	result.Clear()
	if outcome == evm.Success {
		result.SetBytes20(address[:])
	}
	if m.cheats != nil {
		m.endCreation(&cheated, outcome, output, result)
	}
	return gas + unused, evm.Success
}

// deploy runs a deployment as a creation transaction, except that the sequence
// chooses the address.
func (m *Interpreter) deploy(call *evm.Call, from *entry, gas uint64) {
	m.construct(nil, vm.CREATE, from, call.Address, call.Data, gas, &call.Value)
}

// construct runs creation code in a frame of its own and installs what it
// returns.
func (m *Interpreter) construct(parent *frame, op vm.OpCode, from *entry, address common.Address, init []byte, gas uint64, value *uint256.Int) (evm.Outcome, []byte, uint64) {
	if m.instead != nil {
		init = m.instead(init)
	}
	f := m.open(parent, address)
	f.Caller, f.Value, f.input = from.address, *value, nil
	m.recorded(f, parent, op, address, init)
	mark, nonce := len(m.ledger.journal), from.nonce
	outcome, output, left := m.creationFrame(f, from, init, gas)
	if parent == nil && m.cheats != nil {
		end, last := m.cheats.Finish(&cheatcode.Call{Depth: -1, By: from.address, Create: true}, outcome, output)
		if end != outcome {
			m.ledger.revert(mark)
			m.ledger.setNonce(from, nonce+1)
		}
		outcome, output = end, last
	}
	m.close(f, outcome, output, gas-left)
	return outcome, output, left
}

func (m *Interpreter) creationFrame(f *frame, from *entry, init []byte, gas uint64) (evm.Outcome, []byte, uint64) {
	l := m.ledger
	switch {
	case f.Depth > int(params.CallCreateDepth):
		return evm.DepthExceeded, nil, gas
	case from.balance.Lt(&f.Value):
		return evm.InsufficientBalance, nil, gas
	case from.nonce+1 < from.nonce:
		return evm.CreateFault, nil, gas
	case f.Depth == 0 && m.fork >= forks.Shanghai && !m.limits.AllowsCreation(init):
		return evm.CreateFault, nil, gas
	}
	l.setNonce(from, from.nonce+1)
	e := l.find(&f.Self)
	l.warmEntry(e) // even if the creation fails
	if e.nonce != 0 || len(e.code) > 0 {
		return evm.CreateFault, nil, 0
	}
	mark := len(l.journal)
	l.touch(e)
	l.note(created, e, e.created)
	e.created = l.tx
	l.setNonce(e, 1) // EIP-161
	l.debit(from, &f.Value)
	l.credit(e, &f.Value)

	f.entry = e
	outcome, output, left := evm.Success, []byte(nil), gas
	if len(init) > 0 {
		m.rec.Work += record.DecodeWork * uint64(len(init))
		f.code = m.creation(f, init)
		outcome, output, left = m.execute(f, gas)
	}
	if outcome == evm.Success {
		outcome, left = m.install(e, f.code, output, left)
	}
	if outcome != evm.Success {
		l.revert(mark)
	}
	return outcome, output, left
}

// install checks, pays for and sets the code that a creation returned. by is what ran; nil: nothing did.
func (m *Interpreter) install(e *entry, by *decoded, code []byte, gas uint64) (evm.Outcome, uint64) {
	if len(code) > 0 && code[0] == 0xef { // EIP-3541
		return evm.CreateFault, 0
	}
	cost := uint64(len(code)) * params.CreateDataGas
	if cost > gas {
		return evm.OutOfGas, 0
	}
	if !m.limits.AllowsRuntime(code) { // EIP-170
		return evm.CreateFault, 0
	}
	if len(code) > 0 {
		m.ledger.setCode(e, m.kept(by, code))
	}
	return evm.Success, gas - cost
}

// kept is code that creation code returned, in memory that no run uses again. Most constructors return the same
// code each time.
func (m *Interpreter) kept(by *decoded, code []byte) codeUndo {
	if by.left == nil || string(by.left.code) != string(code) {
		if by.left != nil {
			m.codeBytes -= len(by.left.code)
		}
		m.codeBytes += len(code)
		m.ledger.installed += len(code)
		by.left = &madeCode{code: slices.Clone(code)}
	}
	return codeUndo{code: by.left.code, made: by.left}
}
