package evm

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// Message is what a transaction of a real chain asks of a machine once its
// validity is checked, its gas is bought and its authorizations (EIP-7702) are
// applied. Ethereum's state tests run messages; campaigns run [Call]s, which have
// no fees.
//
// A call's sender has had its nonce raised, since authorizations come after that;
// a creation raises it.
type Message struct {
	From    common.Address
	To      *common.Address // nil: a creation
	Address common.Address  // of the contract that a creation makes
	Data    []byte          // calldata, or creation code
	Value   uint256.Int     // wei
	Gas     uint64          // for the execution alone: the intrinsic cost is paid

	GasPrice    uint256.Int      // wei, as GASPRICE answers
	AccessList  types.AccessList // warm from the start (EIP-2930), besides what always is
	BlobHashes  []common.Hash    // as BLOBHASH answers (EIP-4844)
	BlobBaseFee uint256.Int      // wei, as BLOBBASEFEE answers (EIP-7516)
	BlockHash   func(number uint64) common.Hash

	// Settle says what is paid when the execution has ended, before destructed
	// accounts are removed: to the sender for unused gas, and to the coinbase. It is
	// told the gas that is left and the refund counter (EIP-3529), both in gas.
	Settle func(gasLeft, refund uint64) (sender, coinbase uint256.Int)
}

// Receipt is what came of a message.
type Receipt struct {
	Outcome Outcome
	Output  []byte
	Logs    []*types.Log // in order, without those that were undone
}

// Transact runs one message on the machine's World; Export gives the state after
// it. Whatever ran before is undone.
func (r *Reference) Transact(m *Message) *Receipt {
	r.renew()
	r.state.KeepLogs()
	r.evm.Context.BlobBaseFee = m.BlobBaseFee.ToBig()
	r.evm.Context.GetHash = m.BlockHash
	r.evm.SetTxContext(vm.TxContext{Origin: m.From, GasPrice: &m.GasPrice, BlobHashes: m.BlobHashes})
	r.rec.begin(0)
	r.state.Prepare(r.rules, m.From, r.evm.Context.Coinbase, m.To, nil, m.AccessList)
	var (
		output []byte
		left   uint64
		err    error
	)
	gas := vm.NewGasBudget(m.Gas, 0)
	if m.To == nil {
		call := &Call{From: m.From, Data: m.Data, Value: m.Value, Create: true, Address: m.Address}
		r.rec.enter(0, byte(vm.CREATE), call.From, call.Address, call.Data, gas.ExecutionGas, m.Value.ToBig())
		output, left, err = r.deploy(call, gas)
		r.rec.exit(0, output, gas.ExecutionGas-left, err, err != nil)
	} else {
		var budget vm.GasBudget
		output, budget, err = r.evm.Call(m.From, *m.To, m.Data, gas, &m.Value)
		left = budget.ExecutionGas
	}
	sender, coinbase := m.Settle(left, r.state.GetRefund())
	r.state.AddBalance(m.From, &sender, tracing.BalanceIncreaseGasReturn)
	r.state.AddBalance(r.evm.Context.Coinbase, &coinbase, tracing.BalanceIncreaseRewardTransactionFee)
	r.state.Finalise(r.rules)
	r.rec.end(0)
	return &Receipt{Outcome: outcomeOf(vm.VMErrorFromErr(err)), Output: output, Logs: r.state.Logs()}
}

// Transact runs one message on the machine's World, as [Reference.Transact] does.
func (m *Interpreter) Transact(t *Message) *Receipt {
	m.renew()
	m.sent = t
	m.rec.begin(0)
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
	r := &Receipt{}
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
	m.rec.end(0)
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
	log := &types.Log{Address: f.self, Data: append([]byte(nil), f.slice(f.top(sp, 1), f.top(sp, 2))...)}
	for i := range topics {
		log.Topics = append(log.Topics, common.Hash(f.top(sp, 3+i).Bytes32()))
	}
	m.ledger.note(logged, nil, 0)
	m.ledger.logs = append(m.ledger.logs, log)
}
