package evm

import (
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// hooks tells the recorder what go-ethereum's hooks tell. opcode is the hot path, and
// neither allocates nor looks anything up by more than an index.
type hooks struct {
	recorder
	instructions *[256]instruction
	state        *State
	lifted       bool // code-size limits

	watched      []*watched      // by depth, as recorder.open
	watching     *watched        // the innermost
	selfdestruct bool            // between the two hooks that announce a SELFDESTRUCT
	as           *common.Address // in whose name the DELEGATECALL acts that comes next; nil: the caller's
}

// watched is what is known of an open frame between two hooks.
type watched struct {
	creation bool
	oversize []byte // see liftCodeSize

	started bool        // the first instruction has been seen
	pending pending     // what the next instruction finds on top of the stack
	word    uint256.Int // pendingHash: the last word of what was hashed
	key     uint256.Int // likewise, the first
	pair    bool        // likewise, there were two
}

// pending tells what the instruction before this one pushed.
type pending uint8

const (
	pendingNone pending = iota
	pendingHash         // of data that ends with watched.word
	pendingLoad         // the value of the frame's last storage access
)

func (r *hooks) tracer() *tracing.Hooks {
	return &tracing.Hooks{OnEnter: r.enter, OnExit: r.exit, OnOpcode: r.opcode}
}

// renew lets go of everything that was recorded, and of all buffers.
func (r *hooks) renew() {
	r.recorder.renew()
	r.watched = nil
}

// begin starts the call with the given index.
func (r *hooks) begin(call int) {
	r.recorder.begin(call)
	r.selfdestruct = false
}

// rest lets go of the open frames that a deep call has grown, of which a call that
// has ended needs none.
func (r *hooks) rest() {
	r.recorder.rest()
	if len(r.watched) > maxIdleFrames {
		r.watched = slices.Clone(r.watched[:maxIdleFrames])
	}
}

// watch makes the frame of a depth the innermost one.
func (r *hooks) watch(depth int) *watched {
	if depth == len(r.watched) {
		r.watched = append(r.watched, new(watched))
	}
	w := r.watched[depth]
	r.watching = w
	w.creation, w.oversize, w.started, w.pending = false, nil, false, pendingNone
	return w
}

// enter opens a frame.
func (r *hooks) enter(depth int, typ byte, from, to common.Address, input []byte, _ uint64, value *big.Int) {
	if vm.OpCode(typ) == vm.SELFDESTRUCT {
		r.selfdestruct = true
		return
	}
	parent := r.top
	f, w := r.push(depth), r.watch(depth)
	kind := frameKind(vm.OpCode(typ), depth)
	f.self, f.caller = to, from
	f.value.Clear()
	if value != nil {
		f.value.SetFromBig(value)
	}
	switch vm.OpCode(typ) {
	case vm.DELEGATECALL:
		f.self, f.caller, f.value = parent.self, parent.caller, parent.value
		if r.as != nil {
			f.self, f.caller, r.as = *r.as, *r.as, nil
		}
	case vm.CALLCODE:
		f.self = from
	case vm.CREATE, vm.CREATE2:
		w.creation = true
	}
	r.record(f, parent, kind, to, input)
}

// exit closes the innermost frame.
func (r *hooks) exit(_ int, output []byte, gasUsed uint64, err error, _ bool) {
	if r.selfdestruct {
		r.selfdestruct = false
		return
	}
	f := r.top
	outcome := outcomeOf(err)
	if w := r.watching; w.oversize != nil {
		delete(r.state.oversize, f.self)
		if outcome == Success {
			output = w.oversize
		}
	}
	r.close(f, outcome, output, gasUsed)
	if r.depth > 0 {
		r.watching = r.watched[r.depth-1]
	}
}

// opcode sees every instruction before it runs; err tells that it will not.
func (r *hooks) opcode(pc uint64, op byte, _, _ uint64, scope tracing.OpContext, _ []byte, _ int, err error) {
	f, w := r.top, r.watching
	ctx := scope.(*vm.ScopeContext) //nolint:errcheck // go-ethereum passes nothing else
	stack := ctx.Stack.Data()
	if !w.started {
		r.start(f, w, ctx)
	}
	if w.pending != pendingNone {
		r.settle(f, w, &stack[len(stack)-1])
	}
	f.lastPC = uint32(pc)
	f.steps++
	if block, ok := f.program.StartsAt(pc); ok {
		r.enterBlock(f, block)
	}
	if err != nil {
		return
	}
	in := r.instructions[op]
	h := len(stack)
	switch in.action {
	case actNone:
	case actPush:
		f.shadows[h-int(in.pops)] = 0
	case actDup:
		f.shadows[h] = f.shadows[h-int(in.pops)]
	case actSwap:
		i := h - 1 - int(in.pops)
		f.shadows[i], f.shadows[h-1] = f.shadows[h-1], f.shadows[i]
	case actCompare:
		f.shadows[h-2] = r.conditions.add(op, &stack[h-1], &stack[h-2])
	case actDiffer:
		f.shadows[h-2] = r.conditions.add(op, &stack[h-1], &stack[h-2]) | 1
	case actIsZero:
		made := r.conditions.add(byte(vm.ISZERO), &stack[h-1], zeroBalance)
		if f.shadows[h-1] != 0 {
			f.shadows[h-1] ^= 1
		} else {
			f.shadows[h-1] = made
		}
	case actJumpi:
		r.branch(f, uint32(pc), &stack[h-2], f.shadows[h-2])
	default:
		r.effect(f, w, in.action, uint32(pc), ctx, stack)
	}
}

// effect records the rarer instructions that mean something.
func (r *hooks) effect(f *active, w *watched, a action, pc uint32, ctx *vm.ScopeContext, stack []uint256.Int) {
	h := len(stack)
	switch a {
	case actHash:
		f.shadows[h-2] = 0
		offset, size := stack[h-1].Uint64(), stack[h-2].Uint64()
		if size >= 32 {
			lastWord(&w.word, ctx.Memory.Data(), offset+size)
			if w.pair = size == 64; w.pair {
				lastWord(&w.key, ctx.Memory.Data(), offset+32)
			}
			w.pending = pendingHash
		}
	case actLoad:
		f.shadows[h-1] = 0
		if r.access(f, pc, &stack[h-1], nil) {
			w.pending = pendingLoad
		}
	case actStore:
		r.access(f, pc, &stack[h-1], &stack[h-2])
	case actReturn:
		if r.lifted && w.creation && f.depth > 0 {
			r.liftCodeSize(f, w, ctx, stack)
		}
	}
}

// start is the frame's first instruction: only now its code is known.
func (r *hooks) start(f *active, w *watched, ctx *vm.ScopeContext) {
	w.started = true
	r.run(f, r.programs.find(ctx.Contract.CodeHash, ctx.Contract.Code))
}

// settle takes the word that the previous instruction pushed.
func (r *hooks) settle(f *active, w *watched, word *uint256.Int) {
	switch w.pending {
	case pendingHash:
		key := &w.key
		if !w.pair {
			key = nil
		}
		r.bases.add(word, &w.word, key)
	case pendingLoad:
		storage := r.exec.Frames[f.index].Storage
		storage[len(storage)-1].Value = *word
	}
	w.pending = pendingNone
}

// log records an event; the LOG instruction is the frame's last so far.
func (r *hooks) log(log *types.Log) {
	if r.top == nil {
		return
	}
	if l := r.event(r.top, r.top.lastPC, len(log.Data)); l != nil {
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
func (r *hooks) liftCodeSize(f *active, w *watched, ctx *vm.ScopeContext, stack []uint256.Int) {
	offset, size := stack[len(stack)-1].Uint64(), &stack[len(stack)-2]
	length := size.Uint64()
	if length <= params.MaxCodeSize || ctx.Contract.Gas.ExecutionGas/params.CreateDataGas < length {
		return
	}
	code := make([]byte, length)
	if memory := ctx.Memory.Data(); offset < uint64(len(memory)) {
		copy(code, memory[offset:])
	}
	if code[0] == 0xef {
		return
	}
	ctx.Contract.Gas.ChargeExecutionOnly((length - params.MaxCodeSize) * params.CreateDataGas)
	size.SetUint64(params.MaxCodeSize)
	if r.state.oversize == nil {
		r.state.oversize = map[common.Address][]byte{}
	}
	r.state.oversize[f.self], w.oversize = code, code
}
