package gethvm

import (
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
)

// Transact runs one message on the machine's World; Export gives the state after
// it. Whatever ran before is undone.
func (r *Reference) Transact(m *evm.Message) *evm.Receipt {
	r.renew()
	if r.rec.tracer != nil {
		r.rec.tracer.Reset()
	}
	r.state.KeepLogs()
	r.evm.Context.BlobBaseFee = m.BlobBaseFee.ToBig()
	r.evm.Context.GetHash = m.BlockHash
	r.evm.SetTxContext(vm.TxContext{Origin: m.From, GasPrice: &m.GasPrice, BlobHashes: m.BlobHashes})
	r.rec.Begin(0)
	r.state.Prepare(r.rules, m.From, r.evm.Context.Coinbase, m.To, nil, m.AccessList)
	var (
		output []byte
		left   uint64
		err    error
	)
	gas := vm.NewGasBudget(m.Gas, 0)
	if m.To == nil {
		call := &evm.Call{From: m.From, Data: m.Data, Value: m.Value, Create: true, Address: m.Address}
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
	r.rec.End(0)
	return &evm.Receipt{Outcome: record.OutcomeOf(vm.VMErrorFromErr(err)), Output: output, Logs: r.state.Logs()}
}
