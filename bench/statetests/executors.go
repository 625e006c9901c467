package main

import (
	"errors"
	"fmt"
	"math/big"
	"runtime/debug"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
)

var machineForks = evm.Forks()

// executor applies transactions. A refusal is an error that isRefusal knows.
type executor struct {
	name  string
	apply func(*block, *transaction) (map[common.Address]*evm.Account, []*types.Log, error)
}

var executors = []executor{
	{"go-ethereum on the flat state", applyWithGeth},
	{"the interpreter", applyWithInterpreter},
	{"the reference", applyWithReference},
}

// safely makes a panic an error.
func (e *executor) safely(b *block, t *transaction) (accounts map[common.Address]*evm.Account, logs []*types.Log, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return e.apply(b, t)
}

// transactor is a machine that runs messages.
type transactor interface {
	Transact(*evm.Message) *evm.Receipt
	Export() *evm.World
}

func applyWithInterpreter(b *block, t *transaction) (map[common.Address]*evm.Account, []*types.Log, error) {
	return applyWith(b, t, func(w *evm.World) (transactor, error) { return interp.New(w, nil) })
}

func applyWithReference(b *block, t *transaction) (map[common.Address]*evm.Account, []*types.Log, error) {
	return applyWith(b, t, func(w *evm.World) (transactor, error) { return gethvm.New(w, nil) })
}

// applyWith applies a transaction by the rules of transaction.go and runs it on a
// machine.
func applyWith(b *block, t *transaction, newMachine func(*evm.World) (transactor, error)) (map[common.Address]*evm.Account, []*types.Log, error) {
	if err := t.check(b); err != nil {
		return nil, nil, err
	}
	m := t.message(b)
	machine, err := newMachine(b.world)
	if err != nil {
		return nil, nil, err
	}
	receipt := machine.Transact(m)
	return machine.Export().Accounts, receipt.Logs, nil
}

// applyWithGeth applies a transaction with go-ethereum's own rules and
// interpreter; only the state is ours.
func applyWithGeth(b *block, t *transaction) (map[common.Address]*evm.Account, []*types.Log, error) {
	if t.blobHashes != nil && b.fork.blobs != nil && len(t.blobHashes) > b.fork.blobs.Max {
		return nil, nil, refuse("more blobs than a block holds") // go-ethereum looks at that when it validates the block
	}
	state := gethvm.NewState(b.world)
	state.KeepLogs()
	env, random := &b.world.Block, b.world.Block.PrevRandao
	config := b.fork.config(env.ChainID)
	machine := vm.NewEVM(vm.BlockContext{
		CanTransfer: canTransfer,
		Transfer:    transfer,
		GetHash:     testBlockHash,
		Coinbase:    env.Coinbase,
		GasLimit:    env.GasLimit,
		BlockNumber: new(big.Int).SetUint64(env.Number),
		Time:        env.Time,
		Difficulty:  new(big.Int),
		BaseFee:     b.baseFee.ToBig(),
		BlobBaseFee: b.blobBaseFee.ToBig(),
		Random:      &random,
	}, state, config, vm.Config{})
	defer machine.Release()
	_, err := core.ApplyMessage(machine, &core.Message{
		From: t.from, To: t.to, Nonce: t.nonce, Value: &t.value, GasLimit: t.gas,
		GasPrice: t.price(b), GasFeeCap: &t.feeCap, GasTipCap: &t.tipCap, Data: t.data, AccessList: t.accessList,
		BlobGasFeeCap: t.blobFeeCap, BlobHashes: t.blobHashes, SetCodeAuthorizations: t.authorizations,
	}, core.NewGasPool(env.GasLimit))
	if err != nil {
		return nil, nil, errors.Join(refuse("go-ethereum refuses it"), err)
	}
	state.Finalise(machine.GetRules())
	return state.Export(), state.Logs(), nil
}

func canTransfer(db vm.StateDB, from common.Address, amount *uint256.Int) bool {
	return !db.GetBalance(from).Lt(amount)
}

func transfer(db vm.StateDB, from, to common.Address, amount *uint256.Int, _ *params.Rules) {
	db.SubBalance(from, amount, tracing.BalanceChangeTransfer)
	db.AddBalance(to, amount, tracing.BalanceChangeTransfer)
}
