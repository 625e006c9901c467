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
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/taint"
)

// hooks tells the recorder what go-ethereum's hooks tell. opcode is the hot path, and
// neither allocates nor looks anything up by more than an index.
type hooks struct {
	record.Recorder
	instructions *[256]record.Instruction
	state        *State
	limits       evm.SizeLimits
	tracer       *taint.Tracer // nil: nothing is traced

	selfdestruct bool            // between the two hooks that announce a SELFDESTRUCT
	as           *common.Address // in whose name the DELEGATECALL acts that comes next; nil: the caller's

	// Of the innermost frame: an instruction that leaves something to its next hook
	// opens no other.
	pending  pending
	word     uint256.Int // pendingHash: the last word of what was hashed
	key      uint256.Int // likewise, the first
	pair     bool        // likewise, there were two
	oversize []byte      // see liftCodeSize
}

// pending tells what is to be done before the next instruction.
type pending uint8

const (
	pendingNone  pending = iota
	pendingStart         // it is its frame's first
	pendingHash          // the one before pushed the hash of data that ends with hooks.word
	pendingLoad          // it pushed the value of its frame's last storage access
)

func (r *hooks) hooks() *tracing.Hooks {
	return &tracing.Hooks{OnEnter: r.enter, OnExit: r.exit, OnOpcode: r.opcode}
}

// Begin starts the call with the given index.
func (r *hooks) Begin(call int) {
	r.Recorder.Begin(call)
	r.selfdestruct, r.oversize = false, nil
}

// enter opens a frame.
func (r *hooks) enter(depth int, typ byte, from, to common.Address, input []byte, _ uint64, value *big.Int) {
	if vm.OpCode(typ) == vm.SELFDESTRUCT {
		r.selfdestruct = true
		return
	}
	parent := r.Top
	f := r.Push(depth)
	r.pending = pendingStart
	kind := record.KindOf(vm.OpCode(typ), depth)
	f.Self, f.Caller = to, from
	f.Value.Clear()
	if value != nil {
		f.Value.SetFromBig(value)
	}
	switch vm.OpCode(typ) {
	case vm.DELEGATECALL:
		f.Self, f.Caller, f.Value = parent.Self, parent.Caller, parent.Value
		if r.as != nil {
			f.Self, f.Caller, r.as = *r.as, *r.as, nil
		}
	case vm.CALLCODE:
		f.Self = from
	}
	r.Record(f, parent, kind, to, input)
	if r.tracer != nil {
		creation := vm.OpCode(typ) == vm.CREATE || vm.OpCode(typ) == vm.CREATE2
		r.tracer.Enter(taint.Frame{Index: f.Index, Depth: f.Depth, Kind: kind, Self: f.Self, Caller: f.Caller, Creation: creation})
	}
}

// exit closes the innermost frame.
func (r *hooks) exit(_ int, output []byte, gasUsed uint64, err error, _ bool) {
	if r.selfdestruct {
		r.selfdestruct = false
		return
	}
	f := r.Top
	outcome := record.OutcomeOf(err)
	r.pending = pendingNone
	if r.oversize != nil {
		delete(r.state.oversize, f.Self)
		if outcome == evm.Success {
			output = r.oversize
		}
		r.oversize = nil
	}
	r.Close(f, outcome, output, gasUsed)
	if r.tracer != nil {
		r.tracer.Exit(outcome)
	}
}

// opcode sees every instruction before it runs; err tells that it will not.
func (r *hooks) opcode(pc uint64, op byte, _, _ uint64, scope tracing.OpContext, back []byte, _ int, err error) {
	f := r.Top
	ctx := scope.(*vm.ScopeContext) //nolint:errcheck // go-ethereum passes nothing else
	stack := ctx.Stack.Data()
	if r.pending != pendingNone {
		r.settle(f, ctx, stack)
	}
	f.LastPC = uint32(pc)
	f.Steps++
	if block, ok := f.Program.StartsAt(pc); ok {
		r.EnterBlock(f, block)
	}
	if err != nil {
		return
	}
	r.follow(f, op, uint32(pc), ctx, stack)
	if r.tracer != nil {
		r.tracer.Step(pc, op, stack, back)
	}
}

// follow records what an instruction means.
func (r *hooks) follow(f *record.Active, op byte, pc uint32, ctx *vm.ScopeContext, stack []uint256.Int) {
	in := r.instructions[op]
	h := len(stack)
	switch in.Action {
	case record.ActNone:
	case record.ActPush:
		f.Shadows[h-int(in.Pops)] = 0
	case record.ActDup:
		f.Shadows[h] = f.Shadows[h-int(in.Pops)]
	case record.ActSwap:
		i := h - 1 - int(in.Pops)
		f.Shadows[i], f.Shadows[h-1] = f.Shadows[h-1], f.Shadows[i]
	case record.ActCompare:
		f.Shadows[h-2] = r.Conditions.Add(op, &stack[h-1], &stack[h-2])
	case record.ActDiffer:
		f.Shadows[h-2] = r.Conditions.Add(op, &stack[h-1], &stack[h-2]) | 1
	case record.ActIsZero:
		made := r.Conditions.Add(byte(vm.ISZERO), &stack[h-1], zeroBalance)
		if f.Shadows[h-1] != 0 {
			f.Shadows[h-1] ^= 1
		} else {
			f.Shadows[h-1] = made
		}
	case record.ActJumpi:
		r.Branch(f, pc, &stack[h-2], f.Shadows[h-2])
	default:
		r.effect(f, in.Action, pc, ctx, stack)
	}
}

// effect records the rarer instructions that mean something.
func (r *hooks) effect(f *record.Active, a record.Action, pc uint32, ctx *vm.ScopeContext, stack []uint256.Int) {
	h := len(stack)
	switch a {
	case record.ActHash:
		f.Shadows[h-2] = 0
		offset, size := stack[h-1].Uint64(), stack[h-2].Uint64()
		if size >= 32 {
			lastWord(&r.word, ctx.Memory.Data(), offset+size)
			if r.pair = size == 64; r.pair {
				lastWord(&r.key, ctx.Memory.Data(), offset+32)
			}
			r.pending = pendingHash
		}
	case record.ActLoad:
		f.Shadows[h-1] = 0
		if r.Access(f, pc, &stack[h-1], nil) {
			r.pending = pendingLoad
		}
	case record.ActStore:
		r.Access(f, pc, &stack[h-1], &stack[h-2])
	case record.ActReturn:
		if ctx.Contract.IsDeployment && f.Depth > 0 {
			r.liftCodeSize(f, ctx, stack)
		}
	}
}

// settle does what is to be done before an instruction.
func (r *hooks) settle(f *record.Active, ctx *vm.ScopeContext, stack []uint256.Int) {
	switch r.pending {
	case pendingStart: // only now the frame's code is known
		r.SetProgram(f, r.Programs.Find(ctx.Contract.CodeHash, ctx.Contract.Code))
	case pendingHash:
		key := &r.key
		if !r.pair {
			key = nil
		}
		r.Bases.Add(&stack[len(stack)-1], &r.word, key)
	case pendingLoad:
		storage := r.Exec.Frames[f.Index].Storage
		storage[len(storage)-1].Value = stack[len(stack)-1]
	}
	r.pending = pendingNone
}

// log records an event; the LOG instruction is the frame's last so far.
func (r *hooks) log(log *types.Log) {
	if r.Top == nil {
		return
	}
	if l := r.Event(r.Top, r.Top.LastPC, len(log.Data)); l != nil {
		l.Address, l.Topics, l.Data = log.Address, log.Topics, log.Data
	}
}

// lastWord reads the 32 bytes of memory that end at end; memory that has not
// grown that far yet is zero.
func lastWord(word *uint256.Int, memory []byte, end uint64) {
	var buffer [32]byte
	if start := end - 32; start < uint64(len(memory)) {
		copy(buffer[:], memory[start:])
	}
	word.SetBytes32(buffer[:])
}

// liftCodeSize lets a nested creation frame return more code than EIP-170
// allows. go-ethereum's limit cannot be switched off alone, so the frame returns
// the first 24,576 bytes, whose deposit go-ethereum then charges; the rest of the
// deposit is charged here, and the State installs the whole. Code that cannot
// pay its deposit, or starts with 0xef (EIP-3541), fails as it would have.
func (r *hooks) liftCodeSize(f *record.Active, ctx *vm.ScopeContext, stack []uint256.Int) {
	offset, size := stack[len(stack)-1].Uint64(), &stack[len(stack)-2]
	length := size.Uint64()
	if length <= params.MaxCodeSize || ctx.Contract.Gas.ExecutionGas/params.CreateDataGas < length {
		return
	}
	code := make([]byte, length)
	if memory := ctx.Memory.Data(); offset < uint64(len(memory)) {
		copy(code, memory[offset:])
	}
	if code[0] == 0xef || !r.limits.AllowsRuntime(code) {
		return
	}
	ctx.Contract.Gas.ChargeExecutionOnly((length - params.MaxCodeSize) * params.CreateDataGas)
	size.SetUint64(params.MaxCodeSize)
	if r.state.oversize == nil {
		r.state.oversize = map[common.Address][]byte{}
	}
	r.state.oversize[f.Self], r.oversize = code, code
}
