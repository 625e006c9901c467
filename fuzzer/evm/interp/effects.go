package interp

import (
	"math"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/forks"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/source"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// shadow does at the head of a block all that its instructions will do to the
// shadows of words, and returns that of the word the block's jump tests.
func (m *Interpreter) shadow(f *record.Active, c *decoded, b *block, sp int, base uint32) record.Shadow {
	exits := c.exits[b.first:b.last]
	if !b.moves {
		for i := range exits {
			e := &exits[i]
			if e.kind == symbolNone {
				f.Shadows[sp+int(e.at)] = 0
			} else {
				f.Shadows[sp+int(e.at)] = e.number(base)
			}
		}
		if b.deciding.kind == symbolNone {
			return 0
		}
		return b.deciding.number(base)
	}
	js := valueOf(&b.deciding, f, sp, base)
	if b.inOrder {
		for i := range exits {
			e := &exits[i]
			f.Shadows[sp+int(e.at)] = valueOf(&e.symbol, f, sp, base)
		}
		return js
	}
	if len(exits) > len(m.moved) {
		m.moved = make([]record.Shadow, 2*len(exits))
	}
	for i := range exits {
		m.moved[i] = valueOf(&exits[i].symbol, f, sp, base)
	}
	for i := range exits {
		f.Shadows[sp+int(exits[i].at)] = m.moved[i]
	}
	return js
}

// valueOf is the shadow that a symbol stands for; base is the number of the
// latest condition before the block.
func valueOf(s *symbol, f *record.Active, sp int, base uint32) record.Shadow {
	switch s.kind {
	case symbolEntry:
		return f.Shadows[sp+int(s.entry)]
	case symbolTested:
		if known := f.Shadows[sp+int(s.entry)]; known != 0 {
			return known ^ 1 ^ record.Shadow(s.flip)
		}
		return s.number(base)
	case symbolMade:
		return s.number(base)
	}
	return 0
}

// number is the shadow of a condition that the block makes.
func (s *symbol) number(base uint32) record.Shadow {
	return (base+1+uint32(s.made))<<1 | record.Shadow(s.flip)
}

// precisely is a block from one of its instructions on, instruction by instruction; those in
// front of it have run.
func (m *Interpreter) precisely(c *decoded, b *block, base uint32, from uint16) *decoded {
	m.rec.Conditions.Next = base
	for in := range c.instructions(b) {
		if in.at >= from {
			break
		}
		switch m.decoder.actions[in.op].Action {
		case record.ActCompare, record.ActDiffer, record.ActIsZero:
			m.rec.Conditions.Next++
		}
	}
	m.decoder.precise(c, &m.scratch, b, from)
	return &m.scratch
}

// retract takes back that instructions of a block have been counted, from one on, and returns their static cost.
func (m *Interpreter) retract(f *frame, b *block, from uint16) (gas uint64) {
	for in := range f.code.instructions(b) {
		if in.at == in.segment.at && in.at <= from { // the segment has been entered
			f.Steps -= int(in.segment.length)
		}
		if in.at >= from {
			gas += uint64(m.decoder.table[in.op].gas)
		}
	}
	f.Steps += int(from)
	return gas
}

// arrive enters a block's first segment, where gas or the stack of so many words do not suffice
// for the block, and returns which of them is why. An instruction is counted.
func (m *Interpreter) arrive(f *frame, b *block, sp int) evm.Outcome {
	f.Steps++
	if b.id >= 0 {
		m.rec.EnterBlock(f.Active, bytecode.BlockID(b.id))
	}
	f.LastPC = b.pc
	if sp < int(b.need) || sp > int(b.room) {
		return evm.StackFault
	}
	return evm.OutOfGas
}

// enter enters n segments of the block that runs, of so many instructions.
func (m *Interpreter) enter(f *frame, c *decoded, from uint32, n, length int) {
	if m.rec.EnterRow(f.Active, c.ids[from:int(from)+n], length) {
		return
	}
	for i := range c.segments[from : int(from)+n] {
		s := &c.segments[int(from)+i]
		f.Steps++
		if s.id >= 0 {
			m.rec.EnterBlock(f.Active, bytecode.BlockID(s.id))
		}
		f.Steps += int(s.length) - 1
	}
}

// patch makes the step at an index, which goes to a pc, go to the pc's step.
func (m *Interpreter) patch(c *decoded, index int) int {
	next := m.decoder.trace(c, uint32(c.steps[index].a))
	c.steps[index].n, c.steps[index].a = 1, uint64(next)
	return next
}

// target is the step that a jump goes to; false when there is no JUMPDEST.
func (m *Interpreter) target(c *decoded, dest *uint256.Int) (int, bool) {
	if !dest.IsUint64() {
		return 0, false
	}
	return m.constant(c, dest[0])
}

// constant is target for a destination of 64 bits.
func (m *Interpreter) constant(c *decoded, dest uint64) (int, bool) {
	if !c.isDest(dest) {
		return 0, false
	}
	if known := c.entry[dest]; known > 0 {
		return int(known - 1), true
	}
	return m.decoder.trace(c, uint32(dest)), true
}

// Memory.

// maxMemory is the size from which on go-ethereum does not compute a price any
// more: the square of the number of words would not fit 64 bits, and no gas would
// do.
const maxMemory = 0x1fffffffe0

// endless is the end of ranges that no address space has. What is checked before
// the price of memory is not checked for them.
const endless = math.MaxUint64

// memoryEnd is the end of a range of memory, 0 for an empty one.
func memoryEnd(offset, size *uint256.Int) uint64 {
	if !size.IsUint64() {
		return endless
	}
	if size[0] == 0 {
		return 0
	}
	end := offset[0] + size[0]
	// Whole words have to fit, too.
	if !offset.IsUint64() || end < size[0] || end > endless-31 {
		return endless
	}
	return end
}

// price is what growing the memory to an end costs beyond what is paid (yellow
// paper, appendix H.1, C_mem); false when it cannot be paid by any gas.
func (f *frame) price(end uint64) (uint64, bool) {
	if end <= uint64(len(f.memory)) {
		return 0, true
	}
	if end > maxMemory {
		return 0, false
	}
	words := (end + 31) / 32
	return words*params.MemoryGas + words*words/params.QuadCoeffDiv - f.memoryGas, true
}

// extend grows the memory to an end; the price has been paid.
func (f *frame) extend(end uint64) {
	if end <= uint64(len(f.memory)) {
		return
	}
	words := (end + 31) / 32
	f.memoryGas = words*params.MemoryGas + words*words/params.QuadCoeffDiv
	old, size := len(f.memory), int(words*32)
	if size <= cap(f.memory) {
		f.memory = f.memory[:size]
		clear(f.memory[old:])
		return
	}
	// In steps, so that a contract that grows its memory word by word does not
	// copy it each time.
	grown := make([]byte, size, max(size, min(2*cap(f.memory), size+maxMemoryStep)))
	copy(grown, f.memory)
	f.moved += uint64(old)
	f.memory = grown
}

// grow makes the memory hold a range of the given size, more than zero. It
// returns what that costs; false when the gas is short.
func (f *frame) grow(offset *uint256.Int, size, gas uint64) (uint64, bool) {
	end := memoryEnd(offset, &uint256.Int{size})
	cost, ok := f.price(end)
	if !ok || cost > gas {
		return 0, false
	}
	f.extend(end)
	return cost, true
}

// slice is a range of memory that has been paid for.
func (f *frame) slice(offset, size *uint256.Int) []byte {
	if size[0] == 0 {
		return nil
	}
	return f.memory[offset[0] : offset[0]+size[0]]
}

// wordsOf is the number of words that a size takes; the size is below 2^64 − 31.
func wordsOf(size uint64) uint64 { return (size + 31) / 32 }

// top is a word of the stack, 1 for the uppermost.
func (f *frame) top(sp, n int) *uint256.Int { return &f.stack[(sp-n)&stackMask] }

// keccak replaces offset and size with a hash.
func (m *Interpreter) keccak(f *frame, sp int, gas uint64) (uint64, bool) {
	offset, size := f.top(sp, 1), f.top(sp, 2)
	end := memoryEnd(offset, size)
	cost, ok := f.price(end)
	if !ok {
		return 0, false
	}
	cost += wordsOf(size[0]) * params.Keccak256WordGas
	if cost > gas {
		return 0, false
	}
	m.rec.Work += record.FirstHashWork + record.HashWork*wordsOf(size[0])
	f.extend(end)
	data := f.slice(offset, size)
	m.hashes.sum(size, data)
	if len(data) >= 32 {
		var word uint256.Int
		loadWord(&word, data[len(data)-32:])
		var first uint256.Int
		key := (*uint256.Int)(nil)
		if len(data) == 64 {
			key = &first
			loadWord(key, data)
		}
		m.rec.Bases.Add(size, &word, key)
	}
	return gas - cost, true
}

// copyInto fills a range of memory from data at an offset; behind the data are
// zeros.
func copyInto(into, data []byte, offset *uint256.Int) {
	n := 0
	if offset.IsUint64() && offset[0] < uint64(len(data)) {
		n = copy(into, data[offset[0]:])
	}
	clear(into[n:])
}

// copyPrice is what a copy to memory costs beyond the static part.
func (f *frame) copyPrice(offset, size *uint256.Int) (end, cost uint64, ok bool) {
	end = memoryEnd(offset, size)
	if cost, ok = f.price(end); !ok {
		return 0, 0, false
	}
	return end, cost + wordsOf(size[0])*params.CopyGas, true
}

// copy runs CALLDATACOPY, CODECOPY and RETURNDATACOPY.
func (m *Interpreter) copy(f *frame, op byte, sp int, gas uint64) (uint64, evm.Outcome, bool) {
	to, from, size := f.top(sp, 1), f.top(sp, 2), f.top(sp, 3)
	end, cost, ok := f.copyPrice(to, size)
	if !ok || cost > gas {
		return 0, evm.Success, false
	}
	if vm.OpCode(op) == vm.RETURNDATACOPY {
		var last uint256.Int
		if _, overflow := last.AddOverflow(from, size); overflow || !last.IsUint64() || last[0] > uint64(len(f.returned)) {
			return 0, evm.OtherFault, true // EIP-211
		}
	}
	m.rec.Work += record.CopyWork * wordsOf(size[0])
	f.extend(end)
	if into := f.slice(to, size); len(into) > 0 {
		switch vm.OpCode(op) {
		case vm.CALLDATACOPY:
			copyInto(into, f.input, from)
		case vm.CODECOPY:
			copyInto(into, f.code.bytes, from)
		default:
			copyInto(into, f.returned, from)
		}
	}
	return gas - cost, evm.Success, true
}

// coldAccount is what a cold account costs beyond a warm one (EIP-2929).
const coldAccount = params.ColdAccountAccessCostEIP2929 - params.WarmStorageReadCostEIP2929

func (m *Interpreter) extcodecopy(f *frame, sp int, gas uint64) (uint64, bool) {
	to, from, size := f.top(sp, 2), f.top(sp, 3), f.top(sp, 4)
	end, cost, ok := f.copyPrice(to, size)
	if !ok {
		return 0, false
	}
	e := m.ledger.at(f.top(sp, 1))
	if m.ledger.cold(e) {
		cost += coldAccount
	}
	if cost > gas {
		return 0, false
	}
	m.ledger.warmEntry(e)
	m.rec.Work += record.CopyWork * wordsOf(size[0])
	f.extend(end)
	copyInto(f.slice(to, size), e.code, from)
	return gas - cost, true
}

func (m *Interpreter) mcopy(f *frame, sp int, gas uint64) (uint64, bool) {
	to, from, size := f.top(sp, 1), f.top(sp, 2), f.top(sp, 3)
	far := to
	if to.Lt(from) {
		far = from
	}
	end, cost, ok := f.copyPrice(far, size)
	if !ok || cost > gas {
		return 0, false
	}
	m.rec.Work += record.CopyWork * wordsOf(size[0])
	f.extend(end)
	copy(f.slice(to, size), f.slice(from, size))
	return gas - cost, true
}

// account runs BALANCE, EXTCODESIZE and EXTCODEHASH on the address in the word.
func (m *Interpreter) account(op byte, word *uint256.Int, gas uint64) (uint64, bool) {
	e := m.ledger.at(word)
	if m.ledger.cold(e) {
		if gas < coldAccount {
			return 0, false
		}
		gas -= coldAccount
		m.ledger.warmEntry(e)
	}
	switch vm.OpCode(op) {
	case vm.BALANCE:
		*word = e.balance
	case vm.EXTCODESIZE:
		word.SetUint64(uint64(len(e.code)))
	default:
		word.Clear()
		if !e.empty() { // EIP-1052
			hash := e.codeHash()
			word.SetBytes32(hash[:])
		}
	}
	return gas, true
}

// environment pushes what is known of block, chain and transaction.
func (m *Interpreter) environment(f *frame, op byte, word *uint256.Int) {
	switch vm.OpCode(op) {
	case vm.ADDRESS:
		word.SetBytes20(f.Self[:])
	case vm.ORIGIN:
		*word = m.env.origin
	case vm.GASPRICE:
		*word = m.env.gasPrice
		if m.sent != nil {
			*word = m.sent.GasPrice
		}
	case vm.COINBASE:
		*word = m.env.coinbase
	case vm.TIMESTAMP:
		*word = m.env.time
	case vm.NUMBER:
		*word = m.env.number
	case vm.PREVRANDAO:
		random := m.prevRandao()
		word.SetBytes32(random[:])
	case vm.GASLIMIT:
		*word = m.env.gasLimit
	case vm.CHAINID:
		*word = m.env.chainID
	case vm.SELFBALANCE:
		*word = f.entry.balance
	case vm.CODESIZE: // of creation code, it depends on the arguments
		word.SetUint64(uint64(len(f.code.bytes)))
	case vm.MSIZE:
		word.SetUint64(uint64(len(f.memory)))
	case vm.BASEFEE:
		*word = m.env.baseFee
	case vm.BLOBBASEFEE:
		*word = m.env.blobBaseFee
		if m.sent != nil {
			*word = m.sent.BlobBaseFee
		}
	}
}

// replace runs BLOCKHASH and BLOBHASH; a call has no blobs.
func (m *Interpreter) replace(op byte, word *uint256.Int) {
	number, small := word[0], word.IsUint64()
	word.Clear()
	var hash common.Hash
	m.rec.Work += record.FirstHashWork
	switch {
	case vm.OpCode(op) == vm.BLOBHASH:
		if m.sent == nil || !small || number >= uint64(len(m.sent.BlobHashes)) {
			return
		}
		hash = m.sent.BlobHashes[number]
	case !small || number >= m.number || m.number-number > 256:
		return
	case m.sent != nil:
		hash = m.sent.BlockHash(number)
	default:
		hash = source.BlockHash(number)
		if m.cheats != nil {
			hash = m.cheats.BlockHash(number, hash)
		}
	}
	word.SetBytes32(hash[:])
}

// sload replaces a key with what is stored there.
func (m *Interpreter) sload(f *frame, pc uint32, word *uint256.Int, gas uint64) (uint64, bool) {
	c := m.ledger.cell(f.entry, word)
	if c.warm == m.ledger.tx {
		if gas < params.WarmStorageReadCostEIP2929 {
			return 0, false
		}
		gas -= params.WarmStorageReadCostEIP2929
	} else {
		if gas < params.ColdSloadCostEIP2929 {
			return 0, false
		}
		gas -= params.ColdSloadCostEIP2929
		m.ledger.warmCell(c)
	}
	if m.rec.Access(f.Active, pc, word, nil) {
		storage := m.rec.Exec.Frames[f.Index].Storage
		storage[len(storage)-1].Value = c.value
	}
	*word = c.value
	return gas, true
}

// sstore stores a word, with the cost of EIP-2929 and the refunds of EIP-3529.
func (m *Interpreter) sstore(f *frame, pc uint32, key, value *uint256.Int, gas uint64) (uint64, bool) {
	if gas <= params.SstoreSentryGasEIP2200 {
		return 0, false
	}
	l := m.ledger
	c := l.cell(f.entry, key)
	cost := uint64(0)
	if c.warm != l.tx {
		cost = params.ColdSloadCostEIP2929
	}
	original := l.before(c)
	clean := c.value == *original
	switch {
	case c.value == *value || !clean:
		cost += params.WarmStorageReadCostEIP2929
	case original.IsZero():
		cost += params.SstoreSetGasEIP2200
	default:
		cost += params.SstoreResetGasEIP2200 - params.ColdSloadCostEIP2929
	}
	if cost > gas {
		return 0, false
	}
	if c.warm != l.tx {
		l.warmCell(c)
	}
	if c.value != *value {
		before := l.refund
		if m.cheats != nil && !original.IsZero() && c.value.IsZero() {
			// What is taken back may never have been added: a cheatcode cleared the word.
			before = max(before, params.SstoreClearsScheduleRefundEIP3529)
		}
		if refund := before + refundOf(original, &c.value, value); refund != l.refund {
			l.setRefund(refund)
		}
	}
	m.rec.Access(f.Active, pc, key, value)
	l.touch(f.entry)
	l.store(f.entry, c, value)
	return gas - cost, true
}

// refundOf is what changing a word from current to value adds to the refund
// counter, modulo 2^64: it may take back what was added before.
func refundOf(original, current, value *uint256.Int) uint64 {
	refund := uint64(0)
	if !original.IsZero() {
		if current.IsZero() {
			refund -= params.SstoreClearsScheduleRefundEIP3529
		} else if value.IsZero() {
			refund += params.SstoreClearsScheduleRefundEIP3529
		}
	}
	if *original == *value {
		if original.IsZero() {
			refund += params.SstoreSetGasEIP2200 - params.WarmStorageReadCostEIP2929
		} else {
			refund += params.SstoreResetGasEIP2200 - params.ColdSloadCostEIP2929 - params.WarmStorageReadCostEIP2929
		}
	}
	return refund
}

// log runs LOG0 to LOG4.
func (m *Interpreter) log(f *frame, in *step, sp int, gas uint64) (uint64, evm.Outcome, bool) {
	offset, size := f.top(sp, 1), f.top(sp, 2)
	end := memoryEnd(offset, size)
	cost, ok := f.price(end)
	if !ok {
		return 0, evm.Success, false
	}
	cost += size[0] * params.LogDataGas // the size is below 2^38
	if cost > gas {
		return 0, evm.Success, false
	}
	if f.static {
		return 0, evm.StaticViolation, true
	}
	f.extend(end)
	if l := m.rec.Event(f.Active, in.pc, int(size[0])); l != nil {
		l.Address = f.Self
		l.Topics = m.rec.Topics.Take(int(in.n))
		for i := range l.Topics {
			l.Topics[i] = common.Hash(f.top(sp, 3+i).Bytes32())
		}
		l.Data = m.rec.Bytes.Take(int(size[0]))
		copy(l.Data, f.slice(offset, size))
	}
	if m.sent != nil {
		m.keepLog(f, int(in.n), sp)
	}
	if m.cheats != nil {
		m.cheats.Emitted(m.cheatEvent(f, int(in.n), sp))
	}
	return gas - cost, evm.Success, true
}

// output is what RETURN and REVERT return, kept as the recorder keeps it.
func (m *Interpreter) output(f *frame, sp int, gas uint64) ([]byte, uint64, bool) {
	offset, size := f.top(sp, 1), f.top(sp, 2)
	end := memoryEnd(offset, size)
	cost, ok := f.price(end)
	if !ok || cost > gas {
		return nil, 0, false
	}
	m.rec.Work += record.CopyWork * wordsOf(size[0])
	f.extend(end)
	data := f.slice(offset, size)
	if len(data) == 0 { // nothing costs nothing
		return nil, gas, true
	}
	output := m.rec.Output(f.Active, len(data))
	copy(output, data)
	return output, gas - cost, true
}

// selfdestruct ends the frame (EIP-6780 since Cancun).
func (m *Interpreter) selfdestruct(f *frame, word *uint256.Int, gas uint64) (uint64, evm.Outcome) {
	if f.static {
		return 0, evm.StaticViolation
	}
	l := m.ledger
	to := l.at(word)
	cost := uint64(0)
	if l.cold(to) {
		cost = params.ColdAccountAccessCostEIP2929
	}
	if to.empty() && !f.entry.balance.IsZero() {
		cost += params.CreateBySelfdestructGas
	}
	if cost > gas {
		return 0, evm.OutOfGas
	}
	l.warmEntry(to)
	balance := f.entry.balance
	if m.fork >= forks.Cancun && f.entry.created != l.tx {
		if to != f.entry {
			l.debit(f.entry, &balance)
			l.credit(to, &balance)
		}
		return gas - cost, evm.Success
	}
	if to != f.entry {
		l.credit(to, &balance)
	}
	l.debit(f.entry, &balance)
	l.destruct(f.entry)
	return gas - cost, evm.Success
}
