package evm

import (
	"encoding/binary"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// recorder makes an Execution of what a machine tells it. Its buffers live as long
// as the machine; what is told often neither allocates nor looks anything up by more
// than an index.
type recorder struct {
	programs *programs

	exec    Execution
	buffers // of exec
	spent   spent
	reasons *Reasons

	call        int // index of the current call
	callSerial  uint32
	frameSerial uint32
	hasher      bytecode.PathHasher
	conditions  conditions
	bases       bases
	open        []*active // by depth
	depth       int       // number of open frames
	top         *active   // the innermost
	watcher     watcher   // nil: there is none
	// touched is a journal of indices in Covered: a frame that fails takes back
	// what it and its callees added; what is left when the call ends is kept.
	touched []int
}

// watcher wants to know of storage accesses.
type watcher interface {
	Accessed(account common.Address, slot *uint256.Int, write bool)
}

// active is an open frame.
type active struct {
	index  int // in Execution.Frames; −1: beyond maxFrames, not recorded
	serial uint32
	depth  int

	self, caller common.Address
	value        uint256.Int

	program *program
	block   bytecode.BlockID
	lastPC  uint32
	steps   int
	touched int // recorder.touched at entry

	shadows [params.StackLimit + 1]shadow // of the words on the stack; in place, since blocks look here all the time
}

// init makes a recorder that explains code by the table.
func (r *recorder) init(table *bytecode.Table) {
	r.programs = newPrograms(table)
	r.reasons = NewReasons(table)
}

// renew lets go of everything that was recorded, and of all buffers.
func (r *recorder) renew() { r.exec, r.buffers, r.open = Execution{}, newBuffers(), nil }

// reset starts an Execution. It reports whether programs were forgotten: what is
// asked for again has other notes then.
func (r *recorder) reset() (forgotten bool) {
	if cap(r.exec.Frames) > maxIdleRecorded {
		r.exec.Frames = nil
	}
	r.exec.Calls, r.exec.Frames, r.exec.Covered = r.exec.Calls[:0], r.exec.Frames[:0], r.exec.Covered[:0]
	r.exec.Truncated = false
	r.spent = spent{}
	r.empty()
	return r.programs.trim()
}

// checkpoint is a place in the Execution, between two calls, to come back to.
type checkpoint struct {
	frames, covered int
	spent           spent
	buffers         buffersMark
	truncated       bool
}

// checkpoint is where the Execution is.
func (r *recorder) checkpoint() checkpoint {
	return checkpoint{
		frames: len(r.exec.Frames), covered: len(r.exec.Covered),
		spent: r.spent, truncated: r.exec.Truncated, buffers: r.mark(),
	}
}

// rewind takes back all calls but the first n; the checkpoint is the one behind these.
func (r *recorder) rewind(n int, to *checkpoint) {
	r.exec.Calls = r.exec.Calls[:n]
	r.exec.Frames = r.exec.Frames[:to.frames]
	r.exec.Covered = r.exec.Covered[:to.covered]
	r.exec.Truncated = to.truncated
	r.spent = to.spent
	r.release(to.buffers)
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
	r.exec.Calls = append(r.exec.Calls, r.reasons.Result(r.exec.Frames, first, r.hasher.Sum()))
}

// blind makes the recorder take nothing more of what happens in frames.
func (r *recorder) blind() {
	r.spent.blocks, r.spent.comparisons, r.spent.accesses, r.spent.logs = maxPathBlocks, maxComparisons, maxAccesses, maxLogs
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
	f.program, f.steps, f.lastPC, f.block = nil, 0, 0, 0
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

// output is room for what a frame returns, which is kept if there is room in the Execution, too.
func (r *recorder) output(f *active, n int) []byte {
	if f.index >= 0 && r.spent.bytes+n <= maxBytes {
		return r.bytes.take(n)
	}
	return make([]byte, n) // for the caller, not for the Execution
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

// run tells which code the frame runs.
func (r *recorder) run(f *active, p *program) {
	f.program = p
	if f.index >= 0 {
		r.exec.Frames[f.index].Program = p.Program
	}
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
	if r.watcher != nil {
		r.watcher.Accessed(f.self, key, value != nil)
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
