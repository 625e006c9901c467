// Package record makes an Execution of what a machine tells it while it runs: the
// blocks that are entered, what decides jumps, accesses, events, and how frames end. Both
// machines use it. Fields are exported where a call would cost time in the
// interpreter's loop.
package record

import (
	"encoding/binary"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Recorder makes an Execution of what a machine tells it. Its buffers live as long
// as the machine; what is told often neither allocates nor looks anything up by more
// than an index.
type Recorder struct {
	Programs *Programs

	Exec    evm.Execution
	Buffers // of Exec
	spent   spent
	reasons *evm.Reasons

	call        int // index of the current call
	callSerial  uint32
	frameSerial uint32
	hasher      bytecode.PathHasher
	Conditions  Conditions
	Bases       Bases
	Open        []*Active // by depth
	Depth       int       // number of open frames
	Top         *Active   // the innermost
	Watcher     Watcher   // nil: there is none
	// touched is a journal of indices in Covered: a frame that fails takes back
	// what it and its callees added; what is left when the call ends is kept.
	touched []int
	// Work is that of the current call so far, see work.go; instructions of open frames are
	// added when these close.
	Work uint64
}

// Watcher wants to know of storage accesses.
type Watcher interface {
	Accessed(account common.Address, slot *uint256.Int, write bool)
}

// Active is an open frame.
type Active struct {
	Index  int // in Execution.Frames; −1: beyond MaxFrames, not recorded
	serial uint32
	Depth  int

	Self, Caller common.Address
	Value        uint256.Int

	Program *Program
	block   bytecode.BlockID
	LastPC  uint32
	Steps   int
	touched int                          // Recorder.touched at entry
	tail    [tailBlocks]bytecode.BlockID // the last blocks behind the frame's Path, in a ring
	behind  int                          // how many there were

	Shadows [params.StackLimit + 1]Shadow // of the words on the stack; in place, since blocks look here all the time
}

// Init makes a recorder of what happens in a World, which explains code by the table.
func (r *Recorder) Init(table *bytecode.Table, w *evm.World) {
	r.Programs = newPrograms(table)
	r.Programs.setAside(w)
	r.reasons = evm.NewReasons(table)
}

// Renew lets go of everything that was recorded, and of all buffers.
func (r *Recorder) Renew() { r.Exec, r.Buffers, r.Open = evm.Execution{}, newBuffers(), nil }

// Reset starts an Execution. It reports whether programs were forgotten: what is
// asked for again has other notes then.
func (r *Recorder) Reset() (forgotten bool) {
	if cap(r.Exec.Frames) > MaxIdleRecorded {
		r.Exec.Frames = nil
	}
	r.Exec.Calls, r.Exec.Frames, r.Exec.Covered = r.Exec.Calls[:0], r.Exec.Frames[:0], r.Exec.Covered[:0]
	r.Exec.Truncated = false
	r.spent = spent{}
	r.empty()
	return r.Programs.trim()
}

// Checkpoint is a place in the Execution, between two calls, to come back to.
type Checkpoint struct {
	frames, covered int
	spent           spent
	buffers         buffersMark
	truncated       bool
}

// Checkpoint is where the Execution is.
func (r *Recorder) Checkpoint() Checkpoint {
	return Checkpoint{
		frames: len(r.Exec.Frames), covered: len(r.Exec.Covered),
		spent: r.spent, truncated: r.Exec.Truncated, buffers: r.mark(),
	}
}

// Rewind takes back all calls but the first n; the checkpoint is the one behind these.
func (r *Recorder) Rewind(n int, to *Checkpoint) {
	r.Exec.Calls = r.Exec.Calls[:n]
	r.Exec.Frames = r.Exec.Frames[:to.frames]
	r.Exec.Covered = r.Exec.Covered[:to.covered]
	r.Exec.Truncated = to.truncated
	r.spent = to.spent
	r.release(to.buffers)
}

// Rest lets go of the open frames that a deep call has grown, of which a call that
// has ended needs none.
func (r *Recorder) Rest() {
	if len(r.Open) > MaxIdleFrames {
		r.Open = slices.Clone(r.Open[:MaxIdleFrames])
	}
}

// End finishes the call whose first frame is given.
func (r *Recorder) End(first int) {
	r.Exec.Calls = append(r.Exec.Calls, r.reasons.Result(r.Exec.Frames, first, r.hasher.Sum(), r.Work))
}

// Blind makes the recorder take nothing more of what happens in frames.
func (r *Recorder) Blind() {
	r.spent.blocks, r.spent.comparisons, r.spent.accesses, r.spent.logs = MaxPathBlocks, MaxComparisons, MaxAccesses, MaxLogs
}

// Begin starts the call with the given index.
func (r *Recorder) Begin(call int) {
	r.call, r.Work = call, 0
	if max(r.callSerial, r.frameSerial) >= maxSerial {
		r.Programs.renumber()
		r.callSerial, r.frameSerial = 0, 0
	}
	r.callSerial++
	r.Depth, r.Top = 0, nil
	r.touched = r.touched[:0]
	r.hasher = bytecode.PathHasher{}
	r.Conditions.reset()
	r.Bases.reset()
}

// Push makes the frame of a depth the innermost one.
func (r *Recorder) Push(depth int) *Active {
	if depth == len(r.Open) {
		r.Open = append(r.Open, new(Active))
	}
	f := r.Open[depth]
	r.Top, r.Depth = f, depth+1
	r.frameSerial++
	f.serial, f.Depth, f.touched = r.frameSerial, depth, len(r.touched)
	f.Program, f.Steps, f.LastPC, f.block, f.behind = nil, 0, 0, 0, 0
	return f
}

// Record adds the frame to the Execution, if there is room.
func (r *Recorder) Record(f, parent *Active, kind evm.CallKind, to common.Address, input []byte) {
	f.Index = -1
	if f.Depth > 0 && !take(&r.spent.frames, 1, MaxFrames) {
		r.Exec.Truncated = true
		return
	}
	f.Index = len(r.Exec.Frames)
	r.Exec.Frames = append(r.Exec.Frames, evm.Frame{})
	frame := &r.Exec.Frames[f.Index]
	frame.Call, frame.Depth, frame.Kind = r.call, f.Depth, kind
	frame.Parent = -1
	if parent != nil {
		frame.Parent, frame.CallPC = parent.Index, parent.LastPC
		frame.CallAt = r.position(parent)
	}
	if f.Depth == 0 {
		r.hasher.Add(calledMark, binary.BigEndian.Uint64(f.Self[len(f.Self)-8:]))
	}
	frame.CodeAddress, frame.Self, frame.Caller = to, f.Self, f.Caller
	frame.Value = f.Value
	frame.Input = input // of the outermost frame: the call's own data
	if f.Depth > 0 {
		frame.Input = r.copy(input)
	}
}

// copy keeps data that the machine will overwrite; nil when there is no room.
func (r *Recorder) copy(data []byte) []byte {
	if len(data) == 0 || !r.room(len(data)) {
		return nil
	}
	kept := r.Bytes.Take(len(data))
	copy(kept, data)
	return kept
}

// Output is room for what a frame returns, which is kept if there is room in the Execution, too.
func (r *Recorder) Output(f *Active, n int) []byte {
	if f.Index >= 0 && r.spent.bytes+n <= MaxBytes {
		return r.Bytes.Take(n)
	}
	return make([]byte, n) // for the caller, not for the Execution
}

// room reports whether n more bytes of inputs and outputs may be kept.
func (r *Recorder) room(n int) bool {
	if take(&r.spent.bytes, n, MaxBytes) {
		return true
	}
	r.Exec.Truncated = true
	return false
}

// KindOf is the kind of a frame that an instruction opens at a depth.
func KindOf(op vm.OpCode, depth int) evm.CallKind {
	if depth == 0 {
		return evm.KindTransaction
	}
	switch op {
	case vm.CALLCODE:
		return evm.KindCallCode
	case vm.DELEGATECALL:
		return evm.KindDelegateCall
	case vm.STATICCALL:
		return evm.KindStaticCall
	case vm.CREATE:
		return evm.KindCreate
	case vm.CREATE2:
		return evm.KindCreate2
	}
	return evm.KindCall
}

// exitMark stands for the end of a frame in path identifiers: arbitrary, but
// unlike any artifact's key, of which it would take 2^32 to meet it by chance.
const exitMark = 0x457869744d61726b

// calledMark is likewise in front of the account that a call is sent to.
const calledMark = 0x43616c6c4d61726b

// Close ends the innermost frame.
func (r *Recorder) Close(f *Active, outcome evm.Outcome, output []byte, gasUsed uint64) {
	if outcome != evm.Success {
		r.touched = r.touched[:f.touched]
	}
	r.Work += uint64(f.Steps) + FrameWork
	r.hasher.Add(exitMark, pathWord(0, f.Depth)|boolWord(outcome != evm.Success))
	if f.Program != nil && f.Program.aside {
		r.hasher.Add(exitMark, uint64(f.LastPC)) // an account that leaves its ether to another takes no other way
	}
	if f.Index >= 0 {
		frame := &r.Exec.Frames[f.Index]
		frame.Outcome, frame.LastPC, frame.GasUsed = outcome, f.LastPC, gasUsed
		if len(output) > 0 && r.room(len(output)) {
			frame.Output = output
		}
		r.cut(frame)
		if frame.PathTruncated {
			frame.Tail = r.tailOf(f)
		}
	}
	r.Depth--
	if r.Depth > 0 {
		r.Top = r.Open[r.Depth-1]
		return
	}
	r.Top = nil
	for _, i := range r.touched {
		r.Exec.Covered[i].Kept = true
	}
}

// tailOf keeps the last blocks of a frame behind its Path, in order.
func (r *Recorder) tailOf(f *Active) []bytecode.BlockID {
	kept := r.blocks.Take(min(f.behind, tailBlocks))
	for i := range kept {
		kept[i] = f.tail[(f.behind-len(kept)+i)%tailBlocks]
	}
	return kept
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

// SetProgram tells which code the frame runs.
func (r *Recorder) SetProgram(f *Active, p *Program) {
	f.Program = p
	if f.Index >= 0 && !p.aside {
		r.Exec.Frames[f.Index].Program = p.Program
	}
}

// position is where in its Path a frame is: the index of the block that runs, or
// the Path's length when the block is not in it any more.
func (r *Recorder) position(f *Active) int {
	if f.Index < 0 {
		return 0
	}
	frame := &r.Exec.Frames[f.Index]
	if frame.PathTruncated || len(frame.Path) == 0 {
		return len(frame.Path)
	}
	return len(frame.Path) - 1
}

// EnterBlock records that control arrived at a block: also when its first
// instruction then faults.
func (r *Recorder) EnterBlock(f *Active, block bytecode.BlockID) {
	f.block = block
	p := f.Program
	if p.aside { // that it is called is part of the path, nothing else
		if block == 0 {
			r.hasher.AddMixed(p.mixed, pathWord(block, f.Depth))
		}
		return
	}
	r.hasher.AddMixed(p.mixed, pathWord(block, f.Depth))
	if n := &p.notes[block]; n.call != r.callSerial || n.frame != f.serial {
		r.cover(f, block)
	}
	if f.Index < 0 {
		return
	}
	frame := &r.Exec.Frames[f.Index]
	if f.Steps <= maxSteps && take(&r.spent.blocks, 1, MaxPathBlocks) {
		n := len(frame.Path)
		if n == cap(frame.Path) {
			frame.Path = r.blocks.extend(frame.Path)
		}
		frame.Path = frame.Path[:n+1] // only the length changes
		frame.Path[n] = block
	} else {
		frame.PathTruncated = true
		f.tail[f.behind%tailBlocks] = block
		f.behind++
	}
}

// cover notes that the call, and the frame, have entered a block.
func (r *Recorder) cover(f *Active, block bytecode.BlockID) {
	p := f.Program
	if p.ID == bytecode.NoCode {
		return
	}
	n := &p.notes[block]
	if n.call != r.callSerial {
		n.call, n.covered = r.callSerial, uint32(len(r.Exec.Covered))
		r.Exec.Covered = append(r.Exec.Covered, evm.Coverage{Call: r.call, Code: p.ID, Block: block})
	}
	n.frame = f.serial
	r.touched = append(r.touched, int(n.covered))
}

// EnterRow is EnterBlock for several blocks, one behind the other, that have so many
// instructions in all: it counts these. False, and nothing is recorded, when the blocks have to
// be entered one by one: one of them may be none, or the frame's Path may end among them.
func (r *Recorder) EnterRow(f *Active, blocks []bytecode.BlockID, length int) bool {
	p := f.Program
	if p.aside || f.Index < 0 {
		return false
	}
	kept := f.Steps+length <= maxSteps && r.spent.blocks+len(blocks) <= MaxPathBlocks
	if !kept && f.Steps < maxSteps && r.spent.blocks < MaxPathBlocks {
		return false
	}
	for _, block := range blocks {
		if int(block) >= len(p.notes) {
			return false
		}
	}
	f.Steps += length
	f.block = blocks[len(blocks)-1]
	hasher := r.hasher // in registers
	for _, block := range blocks {
		hasher.AddMixed(p.mixed, pathWord(block, f.Depth))
		if n := &p.notes[block]; n.call != r.callSerial || n.frame != f.serial {
			r.cover(f, block)
		}
	}
	r.hasher = hasher
	frame := &r.Exec.Frames[f.Index]
	if !kept {
		frame.PathTruncated = true
		for _, block := range blocks {
			f.tail[f.behind%tailBlocks] = block
			f.behind++
		}
		return true
	}
	r.spent.blocks += len(blocks)
	for len(blocks) > 0 {
		if len(frame.Path) == cap(frame.Path) {
			frame.Path = r.blocks.extend(frame.Path)
		}
		n := len(frame.Path)
		taken := copy(frame.Path[n:cap(frame.Path)], blocks)
		frame.Path = frame.Path[:n+taken] // only the length changes
		blocks = blocks[taken:]
	}
	return true
}

// Decision records a conditional jump. What decided it, operator, negation and
// operands, is for the caller to fill in: they are those of an earlier run. nil
// when there is no room for it.
func (r *Recorder) Decision(f *Active, pc uint32, taken bool) *evm.Comparison {
	if f.Index < 0 {
		return nil
	}
	frame := &r.Exec.Frames[f.Index]
	if f.Program.aside {
		return nil
	}
	frame.Decision, frame.Decided = pc, true
	if f.Steps > maxSteps {
		return nil
	}
	if !take(&r.spent.comparisons, 1, MaxComparisons) {
		r.Exec.Truncated = true
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

// Branch records a conditional jump and what decided it.
func (r *Recorder) Branch(f *Active, pc uint32, condition *uint256.Int, s Shadow) {
	c := r.Decision(f, pc, !condition.IsZero())
	if c == nil {
		return
	}
	if known := r.Conditions.find(s); known != nil {
		c.Op, c.Left, c.Right = known.comparison()
		c.Negated = s&1 == 1
	} else {
		c.Op, c.Negated, c.Left, c.Right = byte(vm.ISZERO), true, *condition, uint256.Int{}
	}
}

// Access records a storage access; value is nil for a load. It reports whether
// there was room.
func (r *Recorder) Access(f *Active, pc uint32, key, value *uint256.Int) bool {
	r.Work += accessWork
	if r.Watcher != nil {
		r.Watcher.Accessed(f.Self, key, value != nil)
	}
	if f.Index < 0 || f.Program.aside && f.Self == r.Exec.Frames[f.Index].CodeAddress {
		return false
	}
	if !take(&r.spent.accesses, 1, MaxAccesses) {
		r.Exec.Truncated = true
		return false
	}
	frame := &r.Exec.Frames[f.Index]
	a := evm.StorageAccess{PC: pc, Order: uint32(r.spent.accesses), Write: value != nil, Address: f.Self, Slot: *key}
	a.Base, a.Keys = r.Bases.resolve(key)
	if value != nil {
		a.Value = *value
	}
	if len(frame.Storage) == cap(frame.Storage) {
		frame.Storage = r.accesses.extend(frame.Storage)
	}
	frame.Storage = append(frame.Storage, a)
	return true
}

// Event is a new event of the frame, for the caller to fill in; nil when there is
// no room for it.
func (r *Recorder) Event(f *Active, pc uint32, size int) *evm.Log {
	r.Work += accessWork + CopyWork*uint64(size)/32
	if f.Index < 0 {
		return nil
	}
	if !take(&r.spent.logs, 1, MaxLogs) || !r.room(size) {
		r.Exec.Truncated = true
		return nil
	}
	frame := &r.Exec.Frames[f.Index]
	if len(frame.Logs) == cap(frame.Logs) {
		frame.Logs = r.logs.extend(frame.Logs)
	}
	frame.Logs = append(frame.Logs, evm.Log{PC: pc})
	return &frame.Logs[len(frame.Logs)-1]
}
