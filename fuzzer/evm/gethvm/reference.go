package gethvm

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/cheats"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/forks"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/source"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/taint"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Reference is the machine on go-ethereum's interpreter. Whatever other machines
// find is replayed on it before it is reported.
//
// What it does with a call:
//   - The sender needs no key and no gas money: the gas price is zero. Its nonce
//     goes up by one, whatever the outcome.
//   - The call gets its gas as execution gas: the intrinsic cost of a
//     transaction (21,000, calldata) is not charged and refunds (EIP-3529) are
//     not paid out, so GasUsed is what the code itself used.
//   - A call that fails undoes its own effects and nothing else; the sequence
//     goes on.
//   - A value that the sender cannot pay makes the call fail with
//     InsufficientBalance (a chain would not accept the transaction).
//   - Calls are in one block unless their advances move it on. Block hashes and
//     later PREVRANDAO values are made from the block's number.
//
// The calls that a sequence begins with are not run again if the run before
// began with the same ones.
type Reference struct {
	world   *evm.World
	fork    int
	options evm.Options

	state *State
	evm   *vm.EVM
	rules params.Rules
	rec   hooks

	number, time uint64
	random       common.Hash

	cheats    *cheats.Cheats // nil: there are none
	intercept *intercept     // what they do to calls

	done        evm.Sequence // the calls whose results are in rec.Exec
	checkpoints []checkpoint // before each of them
}

// checkpoint is what brings the machine back to the moment before a call.
type checkpoint struct {
	journal      int
	number, time uint64
	recorded     record.Checkpoint
	cheats       *cheatcode.State // nil: there are none
}

var _ evm.Machine = (*Reference)(nil)

// New makes a machine that runs sequences from the World and explains
// code by the table.
func New(world *evm.World, table *bytecode.Table, opts ...evm.Option) (*Reference, error) {
	if world == nil {
		return nil, fmt.Errorf("evm: no world to run on")
	}
	if table == nil {
		table = bytecode.NewTable(nil)
	}
	fork, err := forks.Index(world.Fork)
	if err != nil {
		return nil, err
	}
	r := &Reference{world: world, fork: fork}
	for _, o := range opts {
		o(&r.options)
	}
	r.rec.Init(table, world)
	r.rec.limits = evm.NewSizeLimits(table, &r.options)
	r.renew()
	r.rec.instructions, err = record.Instructions(r.rules)
	if err != nil {
		return nil, fmt.Errorf("evm: instruction set of %s: %w", forks.Names[fork], err)
	}
	if r.options.Trace {
		r.rec.tracer = taint.New(&r.rec.Exec, r.rec.instructions)
	}
	return r, nil
}

// World is what the machine runs sequences from.
func (r *Reference) World() *evm.World { return r.world }

// renew makes state and EVM anew; nothing of earlier runs is left.
func (r *Reference) renew() {
	if r.evm != nil {
		r.evm.Release()
	}
	r.state = NewState(r.world)
	r.state.onLog = r.rec.log
	r.rec.state = r.state
	r.done, r.checkpoints = nil, nil
	r.rec.Renew()

	block := r.world.Block
	r.number, r.time, r.random = block.Number, block.Time, block.PrevRandao
	chainID := block.ChainID
	if chainID == 0 {
		chainID = evm.ChainID
	}
	config, extra := forks.ChainConfig(r.fork, chainID, r.rec.limits.LiftsNested())
	r.evm = vm.NewEVM(vm.BlockContext{
		CanTransfer: canTransfer,
		Transfer:    transfer,
		GetHash:     source.BlockHash,
		Coinbase:    block.Coinbase,
		GasLimit:    block.GasLimit,
		BlockNumber: new(big.Int).SetUint64(block.Number),
		Time:        block.Time,
		Difficulty:  new(big.Int),
		BaseFee:     new(big.Int).SetUint64(block.BaseFee),
		BlobBaseFee: big.NewInt(1), // the least there is (EIP-4844)
		Random:      &r.random,
	}, r.state, config, vm.Config{Tracer: r.rec.hooks(), ExtraEips: extra})
	r.rules = rulesOf(r.evm, r.fork)
	if r.world.Cheats != nil {
		r.cheats = cheats.New(r.world.Cheats)
		r.intercept = newIntercept(r)
	}
	for _, a := range vm.ActivePrecompiles(r.rules) {
		r.state.precompiles[a] = true
	}
}

// rulesOf are the rules that a state needs to know of a fork.
func rulesOf(machine *vm.EVM, fork int) params.Rules {
	rules := machine.GetRules()
	rules.IsShanghai = fork >= forks.Shanghai
	return rules
}

func canTransfer(db vm.StateDB, from common.Address, amount *uint256.Int) bool {
	return !db.GetBalance(from).Lt(amount)
}

func transfer(db vm.StateDB, from, to common.Address, amount *uint256.Int, _ *params.Rules) {
	db.SubBalance(from, amount, tracing.BalanceChangeTransfer)
	db.AddBalance(to, amount, tracing.BalanceChangeTransfer)
}

// Run implements Machine. A panic inside go-ethereum becomes an error that names
// the call; the machine is usable afterwards.
func (r *Reference) Run(sequence evm.Sequence) (exec *evm.Execution, err error) {
	call := 0
	defer func() {
		if p := recover(); p != nil {
			r.renew()
			exec, err = nil, source.RunFault(p, call, len(sequence))
		}
	}()
	r.rewind(r.shared(sequence))
	r.rec.Exec.Reuse(len(r.done))
	if r.rec.tracer != nil {
		r.rec.tracer.Reset()
	}
	for call = len(r.done); call < len(sequence); call++ {
		r.push(&sequence[call])
		r.run(call)
	}
	return &r.rec.Exec, nil
}

// shared is the number of calls that the sequence has in common with the last
// run, from the start; 0 when the machine should let go of what it remembers, or has a
// trace to make.
func (r *Reference) shared(sequence evm.Sequence) int {
	if r.rec.tracer != nil || r.state.overgrown() || r.rec.Overgrown() {
		return 0
	}
	n := 0
	for n < len(r.done) && n < len(sequence) && r.done[n].Equal(&sequence[n]) {
		n++
	}
	return n
}

// rewind undoes all calls but the first n.
func (r *Reference) rewind(n int) {
	if n < len(r.done) {
		c := &r.checkpoints[n]
		r.state.RevertToSnapshot(c.journal)
		r.rec.Rewind(n, &c.recorded)
		r.setBlock(c.number, c.time)
		if r.cheats != nil {
			r.cheats.Rewind(c.cheats)
		}
		r.done, r.checkpoints = r.done[:n], r.checkpoints[:n]
	}
	r.rec.Rest()
	if n > 0 {
		return
	}
	if r.state.installed > maxInstalled || r.state.keepsLogs { // after a message
		r.renew()
	}
	r.state.Reset()
	r.rec.Reset()
}

// Forget releases the memory of a large execution that is not needed any more:
// the machine may be idle for long.
func (r *Reference) Forget() {
	r.rec.Rest()
	if r.rec.Overgrown() {
		r.rewind(0)
	}
}

// push keeps a copy of the call, in the buffers of an earlier one, and marks the
// state before it.
func (r *Reference) push(call *evm.Call) {
	n := len(r.done)
	if n < cap(r.done) {
		r.done = r.done[:n+1]
	} else {
		r.done = append(r.done, evm.Call{})
	}
	kept := &r.done[n]
	data, instructions, overwrites := append(kept.Data[:0], call.Data...), append(kept.Instructions[:0], call.Instructions...), append(kept.Overwrites[:0], call.Overwrites...)
	*kept = *call
	kept.Data, kept.Instructions, kept.Overwrites = data, instructions, overwrites
	r.checkpoints = append(r.checkpoints, checkpoint{
		journal: r.state.Snapshot(), number: r.number, time: r.time, recorded: r.rec.Checkpoint(), cheats: r.cheats.Keep(),
	})
}

// overwrite sets words of storage.
func (r *Reference) overwrite(words []evm.Overwrite) {
	for i := range words {
		o := &words[i]
		r.state.SetState(o.Address, o.Slot.Bytes32(), o.Value.Bytes32())
	}
}

// run executes a call as one transaction.
func (r *Reference) run(index int) {
	call := &r.done[index]
	r.setBlock(source.Advance(r.number, call.BlockAdvance), source.Advance(r.time, call.TimeAdvance))
	r.rec.Begin(index)
	r.overwrite(call.Instructions)
	r.overwrite(call.Overwrites)
	to := &call.To
	if call.Create {
		to = nil // the new address is warmed by create
	}
	r.evm.SetTxContext(vm.TxContext{Origin: call.Sender(), GasPrice: zeroBalance})
	if r.cheats != nil {
		r.cheats.Begin()
	}
	r.state.Prepare(r.rules, call.From, r.evm.Context.Coinbase, to, nil, nil)
	amount := call.Gas
	if amount == 0 {
		amount = evm.CallGas
	}
	gas := vm.NewGasBudget(amount, 0)
	frames := len(r.rec.Exec.Frames)
	if call.Create {
		r.create(call, gas)
	} else {
		r.state.SetNonce(call.From, r.state.GetNonce(call.From)+1, tracing.NonceChangeEoACall)
		// What it returns the hooks have recorded; its error is the contract's matter.
		mark := r.state.Snapshot()
		if r.cheats != nil {
			r.intercept.begin(call)
		}
		_, _, _ = r.evm.Call(call.From, call.To, call.Data, gas, &call.Value)
		if r.cheats != nil && r.rec.Exec.Frames[frames].Outcome != evm.Success {
			r.state.RevertToSnapshot(mark) // what the last word on cheatcodes undid
		}
	}
	r.state.Finalise(r.rules)
	r.rec.End(frames)
}

// setBlock moves the block environment.
func (r *Reference) setBlock(number, time uint64) {
	if number != r.number {
		r.evm.Context.BlockNumber.SetUint64(number)
		r.random = r.randomAt(number)
	}
	r.number, r.time = number, time
	r.evm.Context.Time = time
}

// randomAt is PREVRANDAO of a block.
func (r *Reference) randomAt(number uint64) common.Hash {
	random := r.world.Block.PrevRandao
	if number == r.world.Block.Number {
		return random
	}
	var seed [40]byte
	copy(seed[:], random[:])
	binary.BigEndian.PutUint64(seed[32:], number)
	return crypto.Keccak256Hash(seed[:])
}

// create runs a deployment as evm.create of go-ethereum does a creation
// transaction, except that the sequence chooses the address.
func (r *Reference) create(call *evm.Call, gas vm.GasBudget) {
	r.rec.enter(0, byte(vm.CREATE), call.From, call.Address, call.Data, gas.ExecutionGas, call.Value.ToBig())
	mark, nonce := r.state.Snapshot(), r.state.GetNonce(call.From)
	output, left, err := r.deploy(call, gas)
	if r.cheats != nil {
		var outcome evm.Outcome
		outcome, output = r.cheats.Finish(&cheatcode.Call{Depth: -1, By: call.From, Create: true}, record.OutcomeOf(err), output)
		if err == nil && outcome != evm.Success {
			err = vm.ErrExecutionReverted
			r.state.RevertToSnapshot(mark)
			r.state.SetNonce(call.From, nonce+1, tracing.NonceChangeContractCreator)
		}
	}
	r.rec.exit(0, output, gas.ExecutionGas-left, err, err != nil)
}

func (r *Reference) deploy(call *evm.Call, gas vm.GasBudget) (output []byte, left uint64, err error) {
	from, address := call.From, call.Address
	nonce := r.state.GetNonce(from)
	switch {
	case r.state.GetBalance(from).Lt(&call.Value):
		return nil, gas.ExecutionGas, vm.ErrInsufficientBalance
	case nonce+1 < nonce:
		return nil, gas.ExecutionGas, vm.ErrNonceUintOverflow
	case r.rules.IsShanghai && !r.rec.limits.AllowsCreation(call.Data):
		return nil, gas.ExecutionGas, vm.ErrMaxInitCodeSizeExceeded
	}
	r.state.SetNonce(from, nonce+1, tracing.NonceChangeContractCreator)
	r.state.AddAddressToAccessList(address)
	if r.state.GetNonce(address) != 0 || r.state.GetCodeSize(address) != 0 {
		return nil, 0, vm.ErrContractAddressCollision
	}
	mark := r.state.Snapshot()
	r.state.CreateAccount(address)
	r.state.CreateContract(address)
	r.state.SetNonce(address, 1, tracing.NonceChangeNewContract) // EIP-161
	transfer(r.state, from, address, &call.Value, &r.rules)

	contract := vm.NewContract(from, address, &call.Value, gas, nil)
	contract.SetCallCode(common.Hash{}, call.Data)
	contract.IsDeployment = true
	output, err = r.evm.Run(contract, nil, false)
	if err == nil {
		err = r.install(contract, output)
	}
	if err != nil {
		r.state.RevertToSnapshot(mark)
	}
	return output, contract.Gas.Exit(err).ExecutionGas, err
}

// install checks, pays for and sets the code that a deployment returned.
func (r *Reference) install(contract *vm.Contract, code []byte) error {
	if len(code) > 0 && code[0] == 0xef { // EIP-3541
		return vm.ErrInvalidCode
	}
	if !contract.Gas.ChargeExecutionOnly(uint64(len(code)) * params.CreateDataGas) {
		return vm.ErrCodeStoreOutOfGas
	}
	if !r.rec.limits.AllowsRuntime(code) { // EIP-170
		return vm.ErrMaxCodeSizeExceeded
	}
	if len(code) > 0 {
		r.state.SetCode(contract.Address(), code, tracing.CodeChangeContractCreation)
	}
	return nil
}

// Export is the state after the last run as a World of its own: instances,
// senders, fork and chain are those of the machine's World, the block is the one
// of the last call.
func (r *Reference) Export() *evm.World {
	w := *r.world
	w.Accounts = r.state.Export()
	w.Instances, w.Senders = slices.Clone(w.Instances), slices.Clone(w.Senders)
	w.Block.Number, w.Block.Time, w.Block.PrevRandao = r.number, r.time, r.random
	w.Cheats = r.cheats.Export(&w.Block)
	return &w
}

// Refund is the refund counter (EIP-3529) after the last call, in gas: nothing else of a
// run shows it.
func (r *Reference) Refund() uint64 { return r.state.refund }

// NewApart makes a machine that runs fuzz tests on the Worlds that they have for themselves.
func NewApart(world *evm.World, table *bytecode.Table) (*evm.Apart, error) {
	return evm.NewApart(world, func(w *evm.World, options ...evm.Option) (evm.Exporter, error) {
		return New(w, table, options...)
	})
}
