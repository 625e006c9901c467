package interp

import (
	"bytes"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/cheats"
)

// ledgerHost is the interpreter as cheatcodes see it.
type ledgerHost struct{ *Interpreter }

var _ cheats.Host = ledgerHost{}

// Account implements cheatcode.Accounts.
func (h ledgerHost) Account(a common.Address) cheatcode.Account {
	e := h.ledger.find(&a)
	return cheatcode.Account{Balance: e.balance, Nonce: e.nonce, Code: e.code}
}

// SetAccount implements cheatcode.Accounts.
func (h ledgerHost) SetAccount(a common.Address, to cheatcode.Account) {
	l, e := h.ledger, h.ledger.find(&a)
	l.touch(e)
	if e.balance != to.Balance {
		l.setBalance(e, &to.Balance)
	}
	if e.nonce != to.Nonce {
		l.setNonce(e, to.Nonce)
	}
	if !bytes.Equal(e.code, to.Code) {
		l.setCode(e, codeUndo{code: to.Code})
		l.installed += len(to.Code)
	}
}

// Load implements cheatcode.Words.
func (h ledgerHost) Load(a common.Address, slot *uint256.Int) uint256.Int {
	return h.ledger.cell(h.ledger.find(&a), slot).value
}

// Store implements cheatcode.Words.
func (h ledgerHost) Store(a common.Address, slot, word *uint256.Int) {
	e := h.ledger.find(&a)
	h.ledger.touch(e)
	h.ledger.store(e, h.ledger.cell(e, slot), word)
}

// Environment implements cheatcode.Chain.
func (h ledgerHost) Environment() cheatcode.Environment {
	return cheatcode.Environment{
		ChainID:     h.env.chainID.Uint64(),
		Number:      h.number,
		Time:        h.time,
		Coinbase:    h.env.coinbase.Bytes20(),
		PrevRandao:  h.prevRandao(),
		BaseFee:     h.env.baseFee.Uint64(),
		BlobBaseFee: h.env.blobBaseFee.Uint64(),
		GasLimit:    h.env.gasLimit.Uint64(),
		GasPrice:    h.env.gasPrice.Uint64(),
		Origin:      h.env.origin.Bytes20(),
	}
}

// SetEnvironment implements cheatcode.Chain.
func (h ledgerHost) SetEnvironment(e cheatcode.Environment) {
	h.setBlock(e.Number, e.Time)
	h.random, h.drawn = e.PrevRandao, true
	h.env.chainID.SetUint64(e.ChainID)
	h.env.coinbase.SetBytes20(e.Coinbase[:])
	h.env.baseFee.SetUint64(e.BaseFee)
	h.env.blobBaseFee.SetUint64(e.BlobBaseFee)
	h.env.gasLimit.SetUint64(e.GasLimit)
	h.env.gasPrice.SetUint64(e.GasPrice)
	h.setOrigin(e.Origin)
}

func (m *Interpreter) setOrigin(origin common.Address) {
	m.origin = origin
	m.env.origin.SetBytes20(origin[:])
}

// WorldEnvironment implements cheats.Host.
func (h ledgerHost) WorldEnvironment() cheatcode.Environment {
	block := &h.world.Block
	h.setNumber(h.number) // as if PREVRANDAO had never been set
	chainID := block.ChainID
	if chainID == 0 {
		chainID = evm.ChainID
	}
	return cheatcode.Environment{
		ChainID: chainID, Number: h.number, Time: h.time, Coinbase: block.Coinbase, PrevRandao: h.prevRandao(),
		BaseFee: block.BaseFee, BlobBaseFee: 1, GasLimit: block.GasLimit, Origin: h.origin,
	}
}

// Mark implements cheatcode.History.
func (h ledgerHost) Mark(number int) { h.ledger.note(marked, nil, uint64(number)) }

// Restore implements cheatcode.History.
func (h ledgerHost) Restore(number int) bool {
	if !h.ledger.restore(uint64(number)) {
		return false
	}
	h.Mark(number)
	return true
}

// restore changes the state back to what it was at the latest mark of a number, by
// changes that can be undone: those who will undo more than that have marks of their
// own, which stay valid. What is warm stays so, and so do refunds and events.
func (l *ledger) restore(number uint64) bool {
	end := len(l.journal)
	from := end - 1
	for from >= 0 && (l.journal[from].kind != marked || l.journal[from].number != number) {
		from--
	}
	if from < 0 {
		return false
	}
	code, gone, word := len(l.codes), len(l.gone), len(l.words)
	for i := end - 1; i > from; i-- {
		u := l.journal[i] // the journal grows
		switch u.kind {
		case coded:
			code--
			l.note(coded, u.entry, 0)
			l.codes = append(l.codes, codeUndo{u.entry.code, u.entry.hash, u.entry.made})
			u.entry.resetCode(l.codes[code])
		case removed:
			gone--
			l.note(removed, u.entry, 0)
			l.gone = append(l.gone, *u.entry)
			*u.entry = l.gone[gone]
			// The table must not be shared: each copy counts its cells by itself.
			u.entry.table = append([]*cell(nil), u.entry.table...)
		case transiented:
			word--
			w := l.words[word]
			l.setTransient(w.at.entry, &w.at.key, &w.before)
		default:
			l.reverse(&u)
		}
	}
	return true
}

// reverse undoes a change of a kind that is recorded in the journal alone.
func (l *ledger) reverse(u *undo) {
	switch u.kind {
	case stored:
		l.store(u.entry, u.cell, &u.word)
	case existed:
		l.note(vanished, u.entry, 0)
		u.entry.exists = false
	case vanished:
		l.touch(u.entry)
	case balanced:
		l.setBalance(u.entry, &u.word)
	case nonced:
		l.note(nonced, u.entry, u.entry.nonce)
		u.entry.nonce = u.number
	case created:
		l.note(created, u.entry, u.entry.created)
		u.entry.created = u.number
	case destructed:
		l.note(destructed, u.entry, u.entry.destructed)
		u.entry.destructed = u.number
	}
}

// cheatedCall runs a call instruction's call in a World with cheatcodes, which may
// have made something else of it.
func (m *Interpreter) cheatedCall(f *frame, c message) (evm.Outcome, []byte, uint64) {
	if f.Depth >= int(params.CallCreateDepth) {
		return m.message(f, c)
	}
	call := cheatcode.Call{
		Depth: f.Depth, By: f.Self, To: c.to.address, Input: c.input, Value: *c.value,
		Delegate: c.kind == vm.DELEGATECALL || c.kind == vm.CALLCODE, Static: c.static, Gas: c.gas,
	}
	if input, ok := m.cheats.Deployment(&call); ok {
		c.to, c.input = m.ledger.find(&cheatcode.Creator), input
		outcome, output, left := m.message(f, c)
		m.cheats.Writable().Deployed()
		return outcome, output, left
	}
	if !m.cheats.State.Concerns(&call) {
		return m.message(f, c)
	}
	origin := m.origin
	if m.cheats.State.Busy() {
		plan := m.cheats.Writable().Begin(&call)
		c.answer = plan.Answer
		if plan.Sender != f.Self && c.kind != vm.CALLCODE {
			sender := m.ledger.find(&plan.Sender)
			if c.kind == vm.DELEGATECALL {
				c.as = sender
			} else {
				c.from = sender
			}
		}
		if plan.Counts {
			m.ledger.setNonce(c.from, c.from.nonce+1)
		}
		if plan.Origin != nil {
			m.setOrigin(*plan.Origin)
		}
	}
	outcome, output, left := m.message(f, c)
	if m.origin != origin {
		m.setOrigin(origin)
	}
	if m.cheats.State.Busy() {
		got := cheatcode.Answer{Success: outcome == evm.Success, Output: output}
		if outcome != evm.Success && outcome != evm.Reverted {
			got.Output = nil
		}
		end := m.cheats.Writable().End(&call, got)
		outcome, output = cheats.OutcomeFor(end.Success), end.Output
	}
	return outcome, output, left
}

// cheatEvent is the event that a LOG instruction makes, whose operands are on the stack.
func (m *Interpreter) cheatEvent(f *frame, topics, sp int) cheatcode.Event {
	e := cheatcode.Event{Emitter: f.Self, Data: f.slice(f.top(sp, 1), f.top(sp, 2))}
	for i := range topics {
		e.Topics = append(e.Topics, f.top(sp, 3+i).Bytes32())
	}
	return e
}

// answered is a call that runs nothing.
func answered(c *message) (evm.Outcome, []byte, uint64) {
	return cheats.OutcomeFor(c.answer.Success), c.answer.Output, c.gas
}

// cheatedCreation is a CREATE or CREATE2 in a World with cheatcodes.
type cheatedCreation struct {
	call   cheatcode.Call
	by     *entry // who creates
	origin common.Address
}

// beginCreation says who makes the contract that the frame is about to create.
func (m *Interpreter) beginCreation(f *frame, op vm.OpCode, init []byte, value *uint256.Int) cheatedCreation {
	c := cheatedCreation{by: f.entry, origin: m.origin}
	c.call = cheatcode.Call{Depth: f.Depth, By: f.Self, Create: true, Create2: op == vm.CREATE2, Input: init, Value: *value}
	if !m.cheats.State.Busy() {
		return c
	}
	plan := m.cheats.Writable().Begin(&c.call)
	if plan.Sender != f.Self {
		c.by = m.ledger.find(&plan.Sender)
	}
	if plan.Origin != nil {
		m.setOrigin(*plan.Origin)
	}
	return c
}

// endCreation puts on the stack what cheatcodes make of a creation: 0 where it was to
// fail and did not, 1 where it failed as expected.
func (m *Interpreter) endCreation(c *cheatedCreation, outcome evm.Outcome, output []byte, result *uint256.Int) {
	if m.origin != c.origin {
		m.setOrigin(c.origin)
	}
	if !m.cheats.State.Busy() {
		return
	}
	success := outcome == evm.Success
	if outcome != evm.Success && outcome != evm.Reverted {
		output = nil
	}
	if end := m.cheats.Writable().End(&c.call, cheatcode.Answer{Success: success, Output: output}); end.Success != success {
		setBool(result, end.Success)
	}
}
