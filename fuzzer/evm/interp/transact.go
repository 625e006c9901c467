package interp

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Transact runs one message on the machine's World, as gethvm.Reference.Transact does.
func (m *Interpreter) Transact(t *evm.Message) *evm.Receipt {
	m.renew()
	m.sent = t
	m.rec.Begin(0)
	m.origin = t.From
	m.env.origin.SetBytes20(t.From[:])
	l := m.ledger
	l.begin()
	from := l.find(&t.From)
	l.warmEntry(from)
	m.warmCoinbase()
	for i := range t.AccessList {
		l.warmList(&t.AccessList[i])
	}
	r := &evm.Receipt{}
	var left uint64
	if t.To == nil {
		r.Outcome, r.Output, left = m.construct(nil, vm.CREATE, from, t.Address, t.Data, t.Gas, &t.Value)
	} else {
		to := l.find(t.To)
		l.warmEntry(to)
		r.Outcome, r.Output, left = m.message(nil, message{kind: vm.CALL, from: from, to: to, input: t.Data, gas: t.Gas, value: &t.Value})
	}
	sender, coinbase := t.Settle(left, l.refund)
	l.credit(from, &sender)
	l.credit(l.find(&m.world.Block.Coinbase), &coinbase)
	l.finish()
	m.rec.End(0)
	r.Logs = l.logs
	return r
}

// warmList makes warm what an entry of an access list names.
func (l *ledger) warmList(list *types.AccessTuple) {
	e := l.find(&list.Address)
	l.warmEntry(e)
	for _, key := range list.StorageKeys {
		var word uint256.Int
		l.warmCell(l.cell(e, word.SetBytes32(key[:])))
	}
}

// keepLog keeps the event that a LOG instruction makes, whose operands are on the
// stack, for the receipt.
func (m *Interpreter) keepLog(f *frame, topics, sp int) {
	log := &types.Log{Address: f.Self, Data: append([]byte(nil), f.slice(f.top(sp, 1), f.top(sp, 2))...)}
	for i := range topics {
		log.Topics = append(log.Topics, common.Hash(f.top(sp, 3+i).Bytes32()))
	}
	m.ledger.note(logged, nil, 0)
	m.ledger.logs = append(m.ledger.logs, log)
}
