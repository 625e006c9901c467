// Package taint follows values through an execution: a shadow of stack, memory, storage
// and return data that holds where each value comes from, told of every instruction before
// it runs. It makes an evm.Trace.
package taint

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
)

// Tracer is the shadow of one machine.
type Tracer struct {
	exec         *evm.Execution // what the machine records; the trace refers to its frames
	instructions *[256]record.Instruction

	trace   *evm.Trace
	sets    *Sets
	storage storage
	frames  []*frame // the open ones
	sender  common.Address

	values   uint32 // words numbered so far
	evidence []uint8
	wraps    map[uint32][]int // operations that wrapped, by the words that they are about
	made     map[uint32]int   // likewise, by the word that is the result
	desynced int              // see Desynced
}

// New makes a tracer of what a machine records.
func New(exec *evm.Execution, instructions *[256]record.Instruction) *Tracer {
	t := &Tracer{exec: exec, instructions: instructions}
	t.Reset()
	return t
}

// Reset begins a run with a new trace, which nothing of an earlier one is in.
func (t *Tracer) Reset() {
	t.trace = new(evm.Trace)
	t.sets = newSets(t.lose)
	t.storage = storage{words: map[place]ID{}}
	t.frames = nil
	t.values, t.evidence = 0, nil
	t.wraps, t.made = map[uint32][]int{}, map[uint32]int{}
	t.exec.Trace = t.trace
}

// word is the shadow of a word on a stack.
type word struct {
	taint ID
	value uint32 // numbers words by the instruction that made them; copies have their number; 0: a constant
	// root is the word that this one is but for bits that a type has no room for; of a
	// negated truth, the truth's.
	root  uint32
	flags flag
	block uint16 // of a constant: in which block of its frame it was pushed, modulo 2^16
	truth *truth // the comparison that it is the result of; nil: none
}

// flag is what else is known of a word.
type flag uint8

const (
	constant flag = 1 << iota
	negated       // an odd number of ISZEROs was applied to the root
	computes      // the result of arithmetic, since it was loaded
	modular       // arithmetic on it means to wrap
	boolean       // the truth of a comparison, or a multiple of one
)

// truth is a comparison.
type truth struct {
	op          vm.OpCode
	negated     bool
	left, right uint256.Int
	lt, rt      ID
}

// frame is an open frame.
type frame struct {
	index     int // in Execution.Frames; −1: not recorded
	self      common.Address
	caller    common.Address
	creation  bool
	stack     []word
	memory    data
	input     data // of a creation frame: its code
	inputSize ID
	value     ID
	back      data // return data of the last call
	backSize  ID
	output    data
	outSize   ID
	ran       bool   // it has executed an instruction
	block     uint16 // how many JUMPDESTs it came to, modulo 2^16
	mark      int    // of the storage's journal
	pending   *pending
	called    int              // index in Trace.Calls of the last call; −1: not recorded, and without meaning before the first
	products  [][2]uint256.Int // factors of MULMODs modulo 2^256 − 1
	guards    []int32          // operations whose result decided a branch since the last effect
}

// Frame is a frame that opens.
type Frame struct {
	Index        int // in Execution.Frames; −1: not recorded
	Depth        int
	Kind         evm.CallKind
	Self, Caller common.Address
	Creation     bool
}

// Enter opens a frame.
func (t *Tracer) Enter(opened Frame) {
	f := &frame{index: opened.Index, self: opened.Self, caller: opened.Caller, creation: opened.Creation, mark: len(t.storage.journal)}
	if f.index < 0 {
		t.trace.Truncated = true
	}
	if opened.Depth == 0 {
		t.frames = t.frames[:0]
		t.storage.begin()
		f.mark = 0
		t.sender = opened.Caller
		f.input.rest, f.inputSize = t.sets.source(evm.FromCalldata), t.sets.source(evm.FromCalldata)
		f.value = t.sets.source(evm.FromCallValue)
	} else if parent := t.top(); parent != nil && parent.pending != nil {
		p := parent.pending
		f.input, f.inputSize, f.value = p.input, p.inputSize, p.value
		if opened.Kind == evm.KindDelegateCall {
			f.value = parent.value
		}
		if c := t.trace.Call(p.call); c != nil && c.Callee < 0 {
			c.Callee = f.index
		}
	}
	t.frames = append(t.frames, f)
}

func (t *Tracer) top() *frame {
	if len(t.frames) == 0 {
		return nil
	}
	return t.frames[len(t.frames)-1]
}

// Exit closes the innermost frame.
func (t *Tracer) Exit(outcome evm.Outcome) {
	f := t.top()
	if f == nil {
		return
	}
	t.frames = t.frames[:len(t.frames)-1]
	if outcome != evm.Success {
		t.storage.undo(f.mark)
	}
	if outcome == evm.Reverted || outcome == evm.InvalidOpcode {
		for _, k := range f.guards {
			t.trace.Wraps[k].Checked = true
		}
	}
	parent := t.top()
	if parent == nil {
		return
	}
	if parent.pending != nil {
		parent.pending.opaque = !f.ran
	}
	switch {
	case outcome == evm.Success && f.creation:
		parent.back = data{}
	case outcome == evm.Success || outcome == evm.Reverted:
		parent.back = f.output
	default:
		parent.back = data{}
	}
	parent.backSize = f.outSize
}

// Step sees an instruction before it runs; back is what the last call returned.
func (t *Tracer) Step(pc uint64, op byte, stack []uint256.Int, back []byte) {
	f := t.top()
	if f == nil {
		return
	}
	f.ran = true
	if f.pending != nil {
		t.settle(f, stack, back)
	}
	if len(f.stack) != len(stack) {
		t.desynced++
		f.stack = append(f.stack[:min(len(f.stack), len(stack))], make([]word, max(0, len(stack)-len(f.stack)))...)
	}
	s := step{Tracer: t, frame: f, pc: uint32(pc), op: vm.OpCode(op), stack: stack}
	s.run()
}

// Desynced is how often the shadow of a stack was not as high as the stack: 0 unless the
// tracer is wrong about an instruction.
func (t *Tracer) Desynced() int { return t.desynced }

// at is where an instruction is.
func (s *step) at() evm.At { return evm.At{Frame: s.frame.index, PC: s.pc} }

// room reports whether an event may be recorded in a list of so many.
func (s *step) room(n int) bool {
	if s.frame.index >= 0 && n < evm.MaxTraced {
		return true
	}
	s.trace.Truncated = true
	return false
}

// fresh numbers a word.
func (t *Tracer) fresh(taint ID, flags flag) word {
	t.values++
	return word{taint: taint, value: t.values, root: t.values, flags: flags}
}
