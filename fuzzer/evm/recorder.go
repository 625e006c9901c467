package evm

import (
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// recorder turns go-ethereum's hooks into an Execution. Its buffers live as long
// as the machine; opcode is the hot path and neither allocates nor looks
// anything up by more than an index.
type recorder struct {
	programs     *programs
	instructions *[256]instruction
	state        *State
	lifted       bool // code-size limits

	exec    Execution
	buffers // of exec
	spent   spent
	reasons *reasons

	call         int // index of the current call
	callSerial   uint32
	frameSerial  uint32
	hasher       bytecode.PathHasher
	conditions   conditions
	bases        bases
	open         []*active       // by depth
	depth        int             // number of open frames
	top          *active         // the innermost
	cheats       *cheats         // that want to know of accesses; nil: there are none
	selfdestruct bool            // between the two hooks that announce a SELFDESTRUCT
	as           *common.Address // in whose name the DELEGATECALL acts that comes next; nil: the caller's
	// touched is a journal of indices in Covered: a frame that fails takes back
	// what it and its callees added; what is left when the call ends is kept.
	touched []int
}

// active is an open frame.
type active struct {
	index  int // in Execution.Frames; −1: beyond maxFrames, not recorded
	serial uint32
	depth  int

	self, caller common.Address
	value        uint256.Int
	creation     bool
	oversize     []byte // see liftCodeSize

	started bool // the first instruction has been seen
	program *program
	block   bytecode.BlockID
	lastPC  uint32
	steps   int
	touched int // recorder.touched at entry

	pending pending     // what the next instruction finds on top of the stack
	word    uint256.Int // pendingHash: the last word of what was hashed
	key     uint256.Int // likewise, the first
	pair    bool        // likewise, there were two

	height  int                           // words on the Interpreter's stack at the latest call or creation, its arguments among them
	shadows [params.StackLimit + 1]shadow // of the words on the stack; in place, since blocks look here all the time
}

// pending tells what the instruction before this one pushed.
type pending uint8

const (
	pendingNone pending = iota
	pendingHash         // of data that ends with active.word
	pendingLoad         // the value of the frame's last storage access
)

func (r *recorder) hooks() *tracing.Hooks {
	return &tracing.Hooks{OnEnter: r.enter, OnExit: r.exit, OnOpcode: r.opcode}
}

// reset starts an Execution.
func (r *recorder) reset() {
	if cap(r.exec.Frames) > maxIdleRecorded {
		r.exec.Frames = nil
	}
	r.exec.Calls, r.exec.Frames, r.exec.Covered = r.exec.Calls[:0], r.exec.Frames[:0], r.exec.Covered[:0]
	r.exec.Truncated = false
	r.spent = spent{}
	r.empty()
	r.programs.trim()
}

// rest lets go of the open frames that a deep call has grown, of which a call that
// has ended needs none.
func (r *recorder) rest() {
	if len(r.open) > maxIdleFrames {
		r.open = slices.Clone(r.open[:maxIdleFrames])
	}
}

// end finishes the call whose first frame is given.
func (r *recorder) end(first int) {
	frames := r.exec.Frames[first:]
	outer := &frames[0]
	r.exec.Calls = append(r.exec.Calls, CallResult{
		Frames:  [2]int{first, first + len(frames)},
		Outcome: outer.Outcome,
		Output:  outer.Output,
		GasUsed: outer.GasUsed,
		ID:      r.hasher.Sum(),
		reasons: r.reasons,
		blamed:  origin(frames),
	})
}

// begin starts the call with the given index.
func (r *recorder) begin(call int) {
	r.call = call
	if max(r.callSerial, r.frameSerial) >= maxSerial {
		r.programs.renumber()
		r.callSerial, r.frameSerial = 0, 0
	}
	r.callSerial++
	r.depth, r.top = 0, nil
	r.touched = r.touched[:0]
	r.hasher = bytecode.PathHasher{}
	r.conditions.reset()
	r.bases.reset()
	r.selfdestruct = false
}

// enter opens a frame.
func (r *recorder) enter(depth int, typ byte, from, to common.Address, input []byte, _ uint64, value *big.Int) {
	if vm.OpCode(typ) == vm.SELFDESTRUCT {
		r.selfdestruct = true
		return
	}
	parent := r.top
	f := r.push(depth)
	kind := frameKind(vm.OpCode(typ), depth)
	f.self, f.caller, f.creation = to, from, false
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
		f.creation = true
	}
	r.record(f, parent, kind, to, input)
}

// push makes the frame of a depth the innermost one.
func (r *recorder) push(depth int) *active {
	if depth == len(r.open) {
		r.open = append(r.open, new(active))
	}
	f := r.open[depth]
	r.top, r.depth = f, depth+1
	r.frameSerial++
	f.serial, f.depth, f.touched = r.frameSerial, depth, len(r.touched)
	f.started, f.program, f.steps, f.lastPC, f.block = false, nil, 0, 0, 0
	f.pending, f.oversize = pendingNone, nil
	return f
}

// record adds the frame to the Execution, if there is room.
func (r *recorder) record(f, parent *active, kind CallKind, to common.Address, input []byte) {
	f.index = -1
	if f.depth > 0 && !take(&r.spent.frames, 1, maxFrames) {
		r.exec.Truncated = true
		return
	}
	f.index = len(r.exec.Frames)
	r.exec.Frames = append(r.exec.Frames, Frame{})
	frame := &r.exec.Frames[f.index]
	frame.Call, frame.Depth, frame.Kind = r.call, f.depth, kind
	frame.Parent = -1
	if parent != nil {
		frame.Parent, frame.CallPC = parent.index, parent.lastPC
		frame.CallAt = r.position(parent)
	}
	if f.depth == 0 {
		r.hasher.Add(calledMark, binary.BigEndian.Uint64(f.self[len(f.self)-8:]))
	}
	frame.CodeAddress, frame.Self, frame.Caller = to, f.self, f.caller
	frame.Value = f.value
	frame.Input = input // of the outermost frame: the call's own data
	if f.depth > 0 {
		frame.Input = r.copy(input)
	}
}

// copy keeps data that the machine will overwrite; nil when there is no room.
func (r *recorder) copy(data []byte) []byte {
	if len(data) == 0 || !r.room(len(data)) {
		return nil
	}
	kept := r.bytes.take(len(data))
	copy(kept, data)
	return kept
}

// room reports whether n more bytes of inputs and outputs may be kept.
func (r *recorder) room(n int) bool {
	if take(&r.spent.bytes, n, maxBytes) {
		return true
	}
	r.exec.Truncated = true
	return false
}

func frameKind(op vm.OpCode, depth int) CallKind {
	if depth == 0 {
		return KindTransaction
	}
	switch op {
	case vm.CALLCODE:
		return KindCallCode
	case vm.DELEGATECALL:
		return KindDelegateCall
	case vm.STATICCALL:
		return KindStaticCall
	case vm.CREATE:
		return KindCreate
	case vm.CREATE2:
		return KindCreate2
	}
	return KindCall
}

// exitMark stands for the end of a frame in path identifiers: arbitrary, but
// unlike any artifact's key, of which it would take 2^32 to meet it by chance.
const exitMark = 0x457869744d61726b

// calledMark is likewise in front of the account that a call is sent to.
const calledMark = 0x43616c6c4d61726b

// exit closes the innermost frame.
func (r *recorder) exit(_ int, output []byte, gasUsed uint64, err error, _ bool) {
	if r.selfdestruct {
		r.selfdestruct = false
		return
	}
	f := r.top
	outcome := outcomeOf(err)
	if f.oversize != nil {
		delete(r.state.oversize, f.self)
		if outcome == Success {
			output = f.oversize
		}
	}
	r.close(f, outcome, output, gasUsed)
}

// close ends the innermost frame.
func (r *recorder) close(f *active, outcome Outcome, output []byte, gasUsed uint64) {
	if outcome != Success {
		r.touched = r.touched[:f.touched]
	}
	r.hasher.Add(exitMark, pathWord(0, f.depth)|boolWord(outcome != Success))
	if f.index >= 0 {
		frame := &r.exec.Frames[f.index]
		frame.Outcome, frame.LastPC, frame.GasUsed = outcome, f.lastPC, gasUsed
		if len(output) > 0 && r.room(len(output)) {
			frame.Output = output
		}
		r.cut(frame)
	}
	r.depth--
	if r.depth > 0 {
		r.top = r.open[r.depth-1]
		return
	}
	r.top = nil
	for _, i := range r.touched {
		r.exec.Covered[i].Kept = true
	}
}

// pathWord is a block and a depth (at most 1,024) as one word of a path
// identifier; bit 0 is free.
func pathWord(block bytecode.BlockID, depth int) uint64 {
	return uint64(block)<<16 | uint64(depth)<<1
}

func boolWord(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// opcode sees every instruction before it runs; err tells that it will not.
func (r *recorder) opcode(pc uint64, op byte, _, _ uint64, scope tracing.OpContext, _ []byte, _ int, err error) {
	f := r.top
	ctx := scope.(*vm.ScopeContext) //nolint:errcheck // go-ethereum passes nothing else
	stack := ctx.Stack.Data()
	if !f.started {
		r.start(f, ctx)
	}
	if f.pending != pendingNone {
		r.settle(f, &stack[len(stack)-1])
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
		r.effect(f, in.action, uint32(pc), ctx, stack)
	}
}

// effect records the rarer instructions that mean something.
func (r *recorder) effect(f *active, a action, pc uint32, ctx *vm.ScopeContext, stack []uint256.Int) {
	h := len(stack)
	switch a {
	case actHash:
		f.shadows[h-2] = 0
		offset, size := stack[h-1].Uint64(), stack[h-2].Uint64()
		if size >= 32 {
			lastWord(&f.word, ctx.Memory.Data(), offset+size)
			if f.pair = size == 64; f.pair {
				lastWord(&f.key, ctx.Memory.Data(), offset+32)
			}
			f.pending = pendingHash
		}
	case actLoad:
		f.shadows[h-1] = 0
		if r.access(f, pc, &stack[h-1], nil) {
			f.pending = pendingLoad
		}
	case actStore:
		r.access(f, pc, &stack[h-1], &stack[h-2])
	case actReturn:
		if r.lifted && f.creation && f.depth > 0 {
			r.liftCodeSize(f, ctx, stack)
		}
	}
}

// start is the frame's first instruction: only now its code is known.
func (r *recorder) start(f *active, ctx *vm.ScopeContext) {
	f.started = true
	f.program = r.programs.find(ctx.Contract.CodeHash, ctx.Contract.Code)
	if f.index >= 0 {
		r.exec.Frames[f.index].Program = f.program.Program
	}
}

// settle takes the word that the previous instruction pushed.
func (r *recorder) settle(f *active, word *uint256.Int) {
	switch f.pending {
	case pendingHash:
		key := &f.key
		if !f.pair {
			key = nil
		}
		r.bases.add(word, &f.word, key)
	case pendingLoad:
		storage := r.exec.Frames[f.index].Storage
		storage[len(storage)-1].Value = *word
	}
	f.pending = pendingNone
}

// position is where in its Path a frame is: the index of the block that runs, or
// the Path's length when the block is not in it any more.
func (r *recorder) position(f *active) int {
	if f.index < 0 {
		return 0
	}
	frame := &r.exec.Frames[f.index]
	if frame.PathTruncated {
		return len(frame.Path)
	}
	return len(frame.Path) - 1
}

// enterBlock records that control arrived at a block: also when its first
// instruction then faults.
func (r *recorder) enterBlock(f *active, block bytecode.BlockID) {
	f.block = block
	p := f.program
	r.hasher.Add(p.Key, pathWord(block, f.depth))

	n := &p.notes[block]
	if n.call != r.callSerial {
		n.call, n.frame, n.covered = r.callSerial, 0, uint32(len(r.exec.Covered))
		if p.ID != bytecode.NoCode {
			r.exec.Covered = append(r.exec.Covered, Coverage{Call: r.call, Code: p.ID, Block: block})
		}
	}
	if n.frame != f.serial && p.ID != bytecode.NoCode {
		n.frame = f.serial
		r.touched = append(r.touched, int(n.covered))
	}

	if f.index < 0 {
		return
	}
	frame := &r.exec.Frames[f.index]
	if f.steps <= maxSteps && take(&r.spent.blocks, 1, maxPathBlocks) {
		if len(frame.Path) == cap(frame.Path) {
			frame.Path = r.blocks.extend(frame.Path)
		}
		frame.Path = append(frame.Path, block)
	} else {
		frame.PathTruncated = true
	}
}

// decision records a conditional jump. What decided it, operator, negation and
// operands, is for the caller to fill in: they are those of an earlier run. nil
// when there is no room for it.
func (r *recorder) decision(f *active, pc uint32, taken bool) *Comparison {
	if f.index < 0 {
		return nil
	}
	frame := &r.exec.Frames[f.index]
	frame.Decision, frame.Decided = pc, true
	if f.steps > maxSteps {
		return nil
	}
	if !take(&r.spent.comparisons, 1, maxComparisons) {
		r.exec.Truncated = true
		return nil
	}
	n := len(frame.Comparisons)
	if n == cap(frame.Comparisons) {
		frame.Comparisons = r.comparisons.extend(frame.Comparisons)
	}
	frame.Comparisons = frame.Comparisons[:n+1]
	c := &frame.Comparisons[n]
	c.PC, c.Block, c.Taken = pc, f.block, taken
	return c
}

// branch records a conditional jump and what decided it.
func (r *recorder) branch(f *active, pc uint32, condition *uint256.Int, s shadow) {
	c := r.decision(f, pc, !condition.IsZero())
	if c == nil {
		return
	}
	if known := r.conditions.find(s); known != nil {
		c.Op, c.Left, c.Right = known.comparison()
		c.Negated = s&1 == 1
	} else {
		c.Op, c.Negated, c.Left, c.Right = byte(vm.ISZERO), true, *condition, uint256.Int{}
	}
}

// access records a storage access; value is nil for a load. It reports whether
// there was room.
func (r *recorder) access(f *active, pc uint32, key, value *uint256.Int) bool {
	if r.cheats != nil {
		r.cheats.accessed(f.self, key, value != nil)
	}
	if f.index < 0 {
		return false
	}
	if !take(&r.spent.accesses, 1, maxAccesses) {
		r.exec.Truncated = true
		return false
	}
	frame := &r.exec.Frames[f.index]
	a := StorageAccess{PC: pc, Write: value != nil, Address: f.self, Slot: *key}
	a.Base, a.Keys = r.bases.resolve(key)
	if value != nil {
		a.Value = *value
	}
	if len(frame.Storage) == cap(frame.Storage) {
		frame.Storage = r.accesses.extend(frame.Storage)
	}
	frame.Storage = append(frame.Storage, a)
	return true
}

// log records an event; the LOG instruction is the frame's last so far.
func (r *recorder) log(log *types.Log) {
	if r.top == nil {
		return
	}
	if l := r.event(r.top, r.top.lastPC, len(log.Data)); l != nil {
		l.Address, l.Topics, l.Data = log.Address, log.Topics, log.Data
	}
}

// event is a new event of the frame, for the caller to fill in; nil when there is
// no room for it.
func (r *recorder) event(f *active, pc uint32, size int) *Log {
	if f.index < 0 {
		return nil
	}
	if !take(&r.spent.logs, 1, maxLogs) || !r.room(size) {
		r.exec.Truncated = true
		return nil
	}
	frame := &r.exec.Frames[f.index]
	if len(frame.Logs) == cap(frame.Logs) {
		frame.Logs = r.logs.extend(frame.Logs)
	}
	frame.Logs = append(frame.Logs, Log{PC: pc})
	return &frame.Logs[len(frame.Logs)-1]
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
func (r *recorder) liftCodeSize(f *active, ctx *vm.ScopeContext, stack []uint256.Int) {
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
	r.state.oversize[f.self], f.oversize = code, code
}
