package gethvm

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/cheats"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/source"
)

// stateHost is the reference machine as cheatcodes see it.
type stateHost struct{ *Reference }

var _ cheats.Host = stateHost{}

// Account implements cheatcode.Accounts.
func (h stateHost) Account(a common.Address) cheatcode.Account {
	return cheatcode.Account{Balance: *h.state.GetBalance(a), Nonce: h.state.GetNonce(a), Code: h.state.GetCode(a)}
}

// SetAccount implements cheatcode.Accounts.
func (h stateHost) SetAccount(a common.Address, to cheatcode.Account) {
	account := h.state.existing(a)
	if !account.balance.Eq(&to.Balance) {
		h.state.setBalance(account, new(uint256.Int).Set(&to.Balance))
	}
	if account.nonce != to.Nonce {
		h.state.SetNonce(a, to.Nonce, tracing.NonceChangeUnspecified)
	}
	if string(account.code) != string(to.Code) {
		h.state.SetCode(a, to.Code, tracing.CodeChangeUnspecified)
	}
}

// Load implements cheatcode.Words.
func (h stateHost) Load(a common.Address, slot *uint256.Int) uint256.Int {
	word := h.state.GetState(a, slot.Bytes32())
	return *new(uint256.Int).SetBytes32(word[:])
}

// Store implements cheatcode.Words.
func (h stateHost) Store(a common.Address, slot, word *uint256.Int) {
	h.state.SetState(a, slot.Bytes32(), word.Bytes32())
}

// Environment implements cheatcode.Chain.
func (h stateHost) Environment() cheatcode.Environment {
	c := &h.evm.Context
	var gasPrice uint64
	if h.evm.GasPrice != nil { // nil before the first call
		gasPrice = h.evm.GasPrice.Uint64()
	}
	return cheatcode.Environment{
		ChainID:     h.evm.ChainConfig().ChainID.Uint64(),
		Number:      h.number,
		Time:        h.time,
		Coinbase:    c.Coinbase,
		PrevRandao:  h.random,
		BaseFee:     c.BaseFee.Uint64(),
		BlobBaseFee: c.BlobBaseFee.Uint64(),
		GasLimit:    c.GasLimit,
		GasPrice:    gasPrice,
		Origin:      h.evm.Origin,
	}
}

// SetEnvironment implements cheatcode.Chain.
func (h stateHost) SetEnvironment(e cheatcode.Environment) {
	h.setBlock(e.Number, e.Time)
	h.random = e.PrevRandao
	c := &h.evm.Context
	c.Coinbase, c.GasLimit = e.Coinbase, e.GasLimit
	c.BaseFee, c.BlobBaseFee = new(big.Int).SetUint64(e.BaseFee), new(big.Int).SetUint64(e.BlobBaseFee)
	h.evm.ChainConfig().ChainID.SetUint64(e.ChainID)
	h.evm.GasPrice, h.evm.Origin = uint256.NewInt(e.GasPrice), e.Origin
}

// WorldEnvironment implements cheats.Host.
func (h stateHost) WorldEnvironment() cheatcode.Environment {
	block := &h.world.Block
	chainID := block.ChainID
	if chainID == 0 {
		chainID = evm.ChainID
	}
	return cheatcode.Environment{
		ChainID: chainID, Number: h.number, Time: h.time, Coinbase: block.Coinbase, PrevRandao: h.randomAt(h.number),
		BaseFee: block.BaseFee, BlobBaseFee: 1, GasLimit: block.GasLimit, Origin: h.evm.Origin,
	}
}

// Mark implements cheatcode.History.
func (h stateHost) Mark(number int) {
	h.state.journal = append(h.state.journal, change{kind: marked, number: uint64(number)})
}

// Restore implements cheatcode.History.
func (h stateHost) Restore(number int) bool {
	s := h.state
	last := -1
	for i := range s.journal {
		if s.journal[i].kind == marked && s.journal[i].number == uint64(number) {
			last = i
		}
	}
	if last < 0 {
		return false
	}
	for i := len(s.journal) - 1; i > last; i-- {
		s.reverse(s.journal[i])
	}
	h.Mark(number)
	return true
}

// reverse undoes a change by another one, which can be undone: those who will undo
// more have marks of their own, which stay valid. What is warm stays so, and so do
// refunds and events.
func (s *State) reverse(c change) {
	a := c.account
	switch c.kind {
	case warmed, slotWarmed, refunded, logged, marked:
		return
	case stored:
		s.journal = append(s.journal, change{kind: stored, account: a, slot: c.slot, key: c.key, word: c.slot.value})
		if c.slot.written != s.tx {
			c.slot.written, c.slot.original = s.tx, c.slot.value
		}
	case existed:
		s.journal = append(s.journal, change{kind: vanished, account: a})
	case vanished:
		s.journal = append(s.journal, change{kind: existed, account: a})
	case balanced:
		s.journal = append(s.journal, change{kind: balanced, account: a, balance: a.balance})
	case nonced:
		s.journal = append(s.journal, change{kind: nonced, account: a, number: a.nonce})
	case coded:
		s.journal = append(s.journal, change{kind: coded, account: a, word: a.hash, code: a.code})
	case created:
		s.journal = append(s.journal, change{kind: created, account: a, number: a.created})
	case destructed:
		s.journal = append(s.journal, change{kind: destructed, account: a, number: a.destructed})
	case removed:
		before := *a
		s.journal = append(s.journal, change{kind: removed, account: a, before: &before})
	case transiented:
		s.SetTransientState(a.address, c.key, c.word)
		return
	}
	s.undo(&c)
}

// intercept puts what cheatcodes do to calls between go-ethereum and the recorder.
//
// go-ethereum has no hook that changes a call. But a tracer sees the stack before
// a call instruction runs, and may change it: so the call goes to the cheatcodes'
// account instead, a precompiled contract, which makes the call that was meant,
// from the sender that was meant, and returns what is to be returned. The gas it
// uses is what that call used. The detour is not recorded.
//
// A creation has no address to change; its frame is lent another contract, whose
// address go-ethereum takes for the creator's, until the new frame is entered.
type intercept struct {
	*Reference

	detour  *detour        // that the next frame begins; nil: none
	waiting *detour        // for RequiredGas; nil: none
	result  *detour        // for Run; nil: none
	lent    *lent          // nil: none
	frames  []interception // of the open frames, the root apart
	fix     fix
	root    cheatcode.Call
}

// detour is a call that the cheatcodes' account makes for a contract.
type detour struct {
	op       vm.OpCode
	call     cheatcode.Call
	to       common.Address
	contract *vm.Contract // that calls
	gas      uint64

	output []byte
	err    error
}

// lent is a contract that a frame has for the length of one instruction.
type lent struct {
	scope      *vm.ScopeContext
	real, fake *vm.Contract
	call       cheatcode.Call
	origin     common.Address
}

// interception is what is to be done when a frame ends.
type interception struct {
	hidden   bool // it is not recorded
	creation *lent
}

// fix is a word that an instruction has left on the stack, and that is to be another.
type fix struct {
	due   bool
	depth int // of the frame, as go-ethereum counts: from 1
	word  uint64
}

// newIntercept hooks the cheatcodes into a machine's EVM.
func newIntercept(r *Reference) *intercept {
	i := &intercept{Reference: r}
	precompiles := vm.ActivePrecompiledContracts(r.rules)
	r.cheats.Install(precompiles, stateHost{r}, &r.rec.Recorder)
	precompiles[cheatcode.Address] = detourAccount{i, cheats.Account{Cheats: r.cheats}}
	r.evm.SetPrecompiles(precompiles)
	r.state.onLog = func(log *types.Log) {
		r.rec.log(log)
		r.cheats.Emitted(cheatcode.Event{Topics: log.Topics, Data: log.Data, Emitter: log.Address})
	}
	r.evm.Context.GetHash = func(number uint64) common.Hash { return r.cheats.BlockHash(number, source.BlockHash(number)) }
	r.state.precompiles[cheatcode.Address], r.state.precompiles[cheatcode.Console] = true, true
	r.evm.Config.Tracer = &tracing.Hooks{OnEnter: i.enter, OnExit: i.exit, OnOpcode: i.opcode}
	r.evm.Context.CanTransfer = func(db vm.StateDB, from common.Address, amount *uint256.Int) bool {
		return i.waiting != nil || canTransfer(db, from, amount)
	}
	r.evm.Context.Transfer = func(db vm.StateDB, from, to common.Address, amount *uint256.Int, rules *params.Rules) {
		if i.waiting == nil { // the call that was meant will move it
			transfer(db, from, to, amount, rules)
		}
	}
	return i
}

// begin is the start of a sequence's call.
func (i *intercept) begin(call *evm.Call) {
	i.root = cheatcode.Call{Depth: -1, By: call.From, To: call.To}
}

func (i *intercept) enter(depth int, typ byte, from, to common.Address, input []byte, gas uint64, value *big.Int) {
	if i.lent != nil {
		i.enterCreation(depth, typ, from, to, input, gas, value)
		return
	}
	if d := i.detour; d != nil && to == cheatcode.Address && vm.OpCode(typ) == d.op {
		i.detour, i.waiting, d.gas = nil, d, gas
		i.frames = append(i.frames, interception{hidden: true})
		return
	}
	i.detour = nil
	i.frames = append(i.frames, interception{})
	i.rec.enter(depth, typ, from, to, input, gas, value)
}

// enterCreation takes back the lent contract.
func (i *intercept) enterCreation(depth int, typ byte, from, to common.Address, input []byte, gas uint64, value *big.Int) {
	l := i.lent
	i.lent = nil
	l.real.Gas = l.fake.Gas
	l.scope.Contract = l.real
	l.origin = i.evm.Origin
	l.call.Input = input
	if i.cheats.State.Busy() {
		if plan := i.cheats.Writable().Begin(&l.call); plan.Origin != nil {
			i.evm.Origin = *plan.Origin
		}
	}
	i.frames = append(i.frames, interception{creation: l})
	i.rec.enter(depth, typ, from, to, input, gas, value)
}

func (i *intercept) exit(depth int, output []byte, gasUsed uint64, err error, reverted bool) {
	last := i.frames[len(i.frames)-1]
	i.frames = i.frames[:len(i.frames)-1]
	if last.hidden {
		return
	}
	if depth == 0 && !i.rec.selfdestruct {
		outcome, final := i.cheats.Finish(&i.root, record.OutcomeOf(err), output)
		if err == nil && outcome != evm.Success {
			output, err, reverted = final, vm.ErrExecutionReverted, true
		}
	}
	i.rec.exit(depth, output, gasUsed, err, reverted)
	if last.creation != nil {
		i.exitCreation(depth, last.creation, output, err)
	}
}

// exitCreation says what cheatcodes make of a creation.
func (i *intercept) exitCreation(depth int, l *lent, output []byte, err error) {
	i.evm.Origin = l.origin
	if !i.cheats.State.Busy() {
		return
	}
	success := err == nil
	if !success && record.OutcomeOf(err) != evm.Reverted {
		output = nil
	}
	if end := i.cheats.Writable().End(&l.call, cheatcode.Answer{Success: success, Output: output}); end.Success != success {
		i.fix = fix{due: true, depth: depth}
		if end.Success {
			i.fix.word = 1
		}
	}
}

// opcode sees every instruction before it runs.
func (i *intercept) opcode(pc uint64, op byte, gas, cost uint64, scope tracing.OpContext, rData []byte, depth int, err error) {
	ctx := scope.(*vm.ScopeContext) //nolint:errcheck // go-ethereum passes nothing else
	stack := ctx.Stack.Data()
	if i.fix.due && i.fix.depth == depth {
		stack[len(stack)-1].SetUint64(i.fix.word)
		i.fix.due = false
	}
	i.detour, i.lent = nil, nil
	i.rec.opcode(pc, op, gas, cost, scope, rData, depth, err)
	if err != nil {
		return
	}
	switch code := vm.OpCode(op); code {
	case vm.CALL, vm.CALLCODE, vm.DELEGATECALL, vm.STATICCALL:
		i.divert(code, ctx, stack)
	case vm.CREATE, vm.CREATE2:
		i.lend(code, ctx, stack)
	}
}

// divert sends a call to the cheatcodes' account, which will make it.
func (i *intercept) divert(op vm.OpCode, ctx *vm.ScopeContext, stack []uint256.Int) {
	f := i.rec.Top
	target := &stack[len(stack)-2]
	to := common.Address(target.Bytes20())
	d := &detour{op: op, to: to, contract: ctx.Contract}
	d.call = cheatcode.Call{Depth: f.Depth, By: f.Self, To: to, Delegate: op == vm.DELEGATECALL || op == vm.CALLCODE, Static: op == vm.STATICCALL}
	if op == vm.CALL || op == vm.CALLCODE {
		d.call.Value = stack[len(stack)-3]
	}
	deploys := op == vm.CALL && to == cheatcode.Address && cheatcode.Deploys(inputOf(ctx, stack))
	if f.Depth >= int(params.CallCreateDepth) || !deploys && !i.cheats.State.Concerns(&d.call) {
		return
	}
	i.detour = d
	target.SetBytes20(cheatcode.Address[:])
}

// inputOf is the beginning of what a CALL instruction is about to send: its selector.
func inputOf(ctx *vm.ScopeContext, stack []uint256.Int) []byte {
	offset, size := &stack[len(stack)-4], &stack[len(stack)-5]
	memory := ctx.Memory.Data()
	if size.LtUint64(4) || !offset.IsUint64() || offset.Uint64()+4 > uint64(len(memory)) || offset.Uint64()+4 < 4 {
		return nil
	}
	return memory[offset.Uint64() : offset.Uint64()+4]
}

// lend lets the frame create in another account's name.
func (i *intercept) lend(op vm.OpCode, ctx *vm.ScopeContext, stack []uint256.Int) {
	f := i.rec.Top
	call := cheatcode.Call{Depth: f.Depth, By: f.Self, Create: true, Create2: op == vm.CREATE2, Value: stack[len(stack)-1]}
	sender, _ := i.cheats.State.Sender(&call)
	l := &lent{scope: ctx, real: ctx.Contract, call: call}
	l.fake = vm.NewContract(l.real.Caller(), sender, l.real.Value(), l.real.Gas, nil)
	ctx.Contract = l.fake
	i.lent = l
}

// detourAccount is the cheatcodes' account on go-ethereum.
type detourAccount struct {
	*intercept
	ordinary cheats.Account
}

func (a detourAccount) Name() string { return a.ordinary.Name() }

// RequiredGas makes the call of a detour: what it costs is what that used.
func (a detourAccount) RequiredGas(input []byte) uint64 {
	d := a.waiting
	if d == nil {
		return a.ordinary.RequiredGas(input)
	}
	a.waiting = nil
	left := a.follow(d, input)
	a.result = d
	return d.gas - left
}

// Run returns what came of a detour, or else calls a cheatcode.
func (a detourAccount) Run(input []byte) ([]byte, error) {
	d := a.result
	if d == nil {
		return a.ordinary.Run(input)
	}
	a.result = nil
	// The call itself has undone what it did, if it failed. That it only seems to have
	// failed undoes nothing, as in Foundry.
	a.state.spared = d.err != nil
	return d.output, d.err
}

// follow makes the call that was meant, and gives the gas that it left.
func (a detourAccount) follow(d *detour, input []byte) uint64 {
	d.call.Input, d.call.Gas = input, d.gas
	if deployment, ok := a.cheats.Deployment(&d.call); ok {
		var left vm.GasBudget
		d.output, left, d.err = a.evm.Call(d.call.By, cheatcode.Creator, deployment, vm.NewGasBudget(d.gas, 0), new(uint256.Int))
		d.settle()
		a.cheats.Writable().Deployed()
		return left.ExecutionGas
	}
	origin := a.evm.Origin
	plan := cheatcode.Plan{Sender: d.call.By}
	if a.cheats.State.Busy() {
		plan = a.cheats.Writable().Begin(&d.call)
	}
	if plan.Counts {
		a.state.SetNonce(plan.Sender, a.state.GetNonce(plan.Sender)+1, tracing.NonceChangeEoACall)
	}
	if plan.Origin != nil {
		a.evm.Origin = *plan.Origin
	}
	var left uint64
	if plan.Answer != nil {
		left = a.answer(d, &plan, input)
	} else {
		left = a.make(d, &plan, input)
	}
	a.evm.Origin = origin
	if a.cheats.State.Busy() {
		if end := a.cheats.Writable().End(&d.call, cheatcode.Answer{Success: d.err == nil, Output: d.output}); end.Success {
			d.output, d.err = end.Output, nil
		} else {
			d.output, d.err = end.Output, vm.ErrExecutionReverted
		}
	}
	return left
}

// make makes the call. Its failure is a revert to the contract that called: nothing
// else costs it more than what was used.
func (a detourAccount) make(d *detour, plan *cheatcode.Plan, input []byte) uint64 {
	var left vm.GasBudget
	gas := vm.NewGasBudget(d.gas, 0)
	value := d.call.Value
	switch d.op {
	case vm.CALL:
		d.output, left, d.err = a.evm.Call(plan.Sender, d.to, input, gas, &value)
	case vm.STATICCALL:
		d.output, left, d.err = a.evm.StaticCall(plan.Sender, d.to, input, gas)
	case vm.CALLCODE:
		d.output, left, d.err = a.evm.CallCode(d.call.By, d.to, input, gas, &value)
	case vm.DELEGATECALL:
		caller := d.contract.Caller()
		if plan.Sender != d.call.By {
			caller, a.rec.as = plan.Sender, &plan.Sender
		}
		d.output, left, d.err = a.evm.DelegateCall(caller, plan.Sender, d.to, input, gas, d.contract.Value())
	}
	d.settle()
	return left.ExecutionGas
}

// settle makes any failure a revert, with what a contract sees of it.
func (d *detour) settle() {
	if d.err == nil {
		return
	}
	if d.err != vm.ErrExecutionReverted { //nolint:errorlint // it is never wrapped, and go-ethereum compares so
		d.output = nil
	}
	d.err = vm.ErrExecutionReverted
}

// answer records a call that runs nothing.
func (a detourAccount) answer(d *detour, plan *cheatcode.Plan, input []byte) uint64 {
	d.output = plan.Answer.Output
	if !plan.Answer.Success {
		d.err = vm.ErrExecutionReverted
	}
	depth := a.rec.Top.Depth + 1
	a.rec.enter(depth, byte(d.op), d.call.By, d.to, input, d.gas, d.call.Value.ToBig())
	a.rec.exit(depth, d.output, 0, d.err, d.err != nil)
	return d.gas
}
