package main

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
)

// untraced is go-ethereum as fast as it is: its own loop without hooks, on the
// flat state. It yields outcomes, outputs and gas, and nothing of how they came
// about. It runs calls alone, no deployments, and does not move blocks on.
type untraced struct {
	world *evm.World
	state *gethvm.State
	evm   *vm.EVM
	exec  evm.Execution
}

func newUntraced(w *evm.World) *untraced {
	u := &untraced{world: w, state: gethvm.NewState(w)}
	config, osaka := *params.MainnetChainConfig, uint64(0)
	config.ChainID, config.OsakaTime = big.NewInt(evm.ChainID), &osaka
	block := &w.Block
	random := block.PrevRandao
	u.evm = vm.NewEVM(vm.BlockContext{
		CanTransfer: func(db vm.StateDB, from common.Address, amount *uint256.Int) bool {
			return !db.GetBalance(from).Lt(amount)
		},
		Transfer: func(db vm.StateDB, from, to common.Address, amount *uint256.Int, _ *params.Rules) {
			db.SubBalance(from, amount, tracing.BalanceChangeTransfer)
			db.AddBalance(to, amount, tracing.BalanceChangeTransfer)
		},
		GetHash:     func(uint64) common.Hash { return common.Hash{} },
		Coinbase:    block.Coinbase,
		GasLimit:    block.GasLimit,
		BlockNumber: new(big.Int).SetUint64(block.Number),
		Time:        block.Time,
		Difficulty:  new(big.Int),
		BaseFee:     new(big.Int).SetUint64(block.BaseFee),
		BlobBaseFee: big.NewInt(1),
		Random:      &random,
	}, u.state, &config, vm.Config{})
	return u
}

// Run implements evm.Machine.
func (u *untraced) Run(seq evm.Sequence) (*evm.Execution, error) {
	u.state.Reset()
	u.exec.Calls = u.exec.Calls[:0]
	u.evm.Context.Time = u.world.Block.Time
	rules := u.evm.GetRules()
	for i := range seq {
		c := &seq[i]
		u.evm.Context.Time += c.TimeAdvance
		u.evm.SetTxContext(vm.TxContext{Origin: c.From, GasPrice: new(uint256.Int)})
		u.state.Prepare(rules, c.From, u.evm.Context.Coinbase, &c.To, vm.ActivePrecompiles(rules), nil)
		u.state.SetNonce(c.From, u.state.GetNonce(c.From)+1, tracing.NonceChangeEoACall)
		output, left, err := u.evm.Call(c.From, c.To, c.Data, vm.NewGasBudget(evm.CallGas, 0), &c.Value)
		outcome := evm.Success
		if err != nil {
			outcome = evm.Reverted // or a fault: the callers do not distinguish them
		}
		u.exec.Calls = append(u.exec.Calls, evm.CallResult{Outcome: outcome, Output: output, GasUsed: evm.CallGas - left.ExecutionGas})
		u.state.Finalise(rules)
	}
	return &u.exec, nil
}
