package evm

import (
	"slices"

	"github.com/holiman/uint256"
)

// MaxTraced bounds each list of a Trace. An ordinary execution has some hundred branches
// and fewer of everything else.
const MaxTraced = 4096

// Trace is what the instructions of an Execution did with the values that they were
// given; see [WithTrace]. Events are in order, also those of frames that failed: the
// frame's outcome tells. It is not changed once it is made.
type Trace struct {
	Branches      []TracedBranch
	Calls         []TracedCall
	Stores        []TracedStore
	Jumps         []TracedJump
	Selfdestructs []TracedSelfdestruct
	Wraps         []Wrap
	// Truncated tells that a list was full, or that there were frames that the
	// Execution has no room for.
	Truncated bool
}

// At is where an event happened.
type At struct {
	Frame int // index in Execution.Frames
	PC    uint32
}

// TracedBranch is a conditional jump.
type TracedBranch struct {
	At
	Taken     bool
	Condition Taint
	// What decided it, as a [Comparison] says it.
	Op                    byte
	Negated               bool
	Left, Right           uint256.Int
	LeftTaint, RightTaint Taint
}

// TracedCall is a CALL, CREATE or one of their kind. Its index in Trace.Calls is what
// labels name.
type TracedCall struct {
	At
	Kind     CallKind
	Callee   int   // index in Execution.Frames of the frame that it opened; −1: none that is recorded
	Address  Taint // of the account called; of a CREATE2's salt
	Value    Taint // of the wei sent
	Selector Taint // of the first four bytes of calldata
	Data     Taint // of the bytes behind them, up to 64 KiB; of all creation code, likewise
	Success  bool
	Output   int  // bytes returned
	Copied   bool // some of these, to memory: where the caller knows of none, nothing can become of them
	// What became first of the success flag, and of the first 32 bytes returned.
	SuccessUse, AnswerUse Use
}

// UseKind is what a program does with what a call yields.
type UseKind uint8

// The uses.
const (
	Unused      UseKind = iota
	UseBranch           // it decides a jump
	UseReturn           // the frame, or its caller, returns it
	UseStore            // it is stored
	UseNotKnown         // it met so many other labels that it was lost sight of
)

// Use is the first use of what a call yielded. That the compiler holds a returned word
// against itself without the bits that its type has no room for does not count.
type Use struct {
	Kind UseKind
	At
}

// Decided reports whether there was one.
func (u Use) Decided() bool { return u.Kind != Unused }

// TracedStore is an SSTORE or a TSTORE.
type TracedStore struct {
	At
	Access      int // index in the frame's Storage; −1: it is a TSTORE, or not recorded
	Transient   bool
	Slot, Value Taint
}

// TracedJump is a jump to a destination that came from calldata, wei or storage.
type TracedJump struct {
	At
	Conditional bool
	Destination Taint
}

// TracedSelfdestruct is a SELFDESTRUCT.
type TracedSelfdestruct struct {
	At
	Beneficiary Taint
}

// Doubt is why the result of an operation may be what was meant.
type Doubt uint8

// The doubts.
const (
	// NoDoubt: operands and result are unsigned numbers, as far as can be seen.
	NoDoubt Doubt = iota
	// MaybeSigned: an operand is above 2^256 − 2^128, as small negative numbers are, and
	// as signed numbers nothing overflows.
	MaybeSigned
	// UsedSigned: the program uses operand or result as a signed number (SLT, SGT, SDIV,
	// SMOD, SAR, SIGNEXTEND), and nothing overflows as such.
	UsedSigned
	// Wide: the low word of a product whose high word is computed as well, with a MULMOD.
	Wide
)

// Wrap is an operation whose result was not what arithmetic says: ADD, SUB, MUL, EXP or
// SHL beyond a word, an SDIV that overflows, or AND and SIGNEXTEND that cut off bits of an
// arithmetic result. An ADD of a constant above 2^256 − 2^128 is recorded as the SUB that it is.
//
// Code that compilers write, and idioms that mean to wrap, are left out; docs/architecture.md
// says which. Its index in Trace.Wraps is what labels name.
type Wrap struct {
	At
	Op                  byte
	Left, Right, Result uint256.Int // operands in the order of the EVM; of AND: the value, then the mask
	LeftTaint           Taint
	RightTaint          Taint
	Signed              bool // the operands are used as signed numbers, and overflow as such
	Doubt               Doubt
	// Checked tells that a branch on the result, or on something computed from it, was among
	// the last before the frame failed, with no effect in between: SafeMath's require, or
	// what Solidity writes since 0.8.
	Checked bool
	// Lost tells that the result met so many other labels that it was lost sight of:
	// Checked may be missing, and Sinks.
	Lost  bool
	Sinks []Sink // where the result, or what was computed from it, came to; the first ones
}

// SinkKind is a place that values go to.
type SinkKind uint8

// The sinks. A value that goes through a hash reaches none.
const (
	SinkStore     SinkKind = iota // a word of storage
	SinkSlot                      // the number of the slot that is written
	SinkCallValue                 // wei that is sent
	SinkCallData                  // what a contract is called or created with
	SinkBranch                    // a condition
	SinkLog                       // an event
	SinkReturn                    // what a frame returns
)

// MaxSinks bounds the sinks of one operation. Arbitrary: oracles ask for the first of a kind.
const MaxSinks = 8

// Sink is an instruction that put a value where it is seen.
type Sink struct {
	Kind SinkKind
	At
	Access int // of SinkStore and SinkSlot: index in the frame's Storage; −1: none that is recorded
}

// Reaches finds the first sink of a kind; nil: there is none.
func (w *Wrap) Reaches(kind SinkKind) *Sink {
	if i := slices.IndexFunc(w.Sinks, func(s Sink) bool { return s.Kind == kind }); i >= 0 {
		return &w.Sinks[i]
	}
	return nil
}

// Sure reports whether nothing speaks for the result being what was meant.
func (w *Wrap) Sure() bool { return w.Doubt == NoDoubt && !w.Checked && !w.Lost }

// Call is the k-th call; nil: there is none. It belongs to the Trace.
func (t *Trace) Call(k int) *TracedCall {
	if k < 0 || k >= len(t.Calls) {
		return nil
	}
	return &t.Calls[k]
}

// Wrapped is the k-th operation that wrapped; nil: there is none. It belongs to the Trace.
func (t *Trace) Wrapped(k int) *Wrap {
	if k < 0 || k >= len(t.Wraps) {
		return nil
	}
	return &t.Wraps[k]
}

// FrameTrace is what one frame did, without the frames that it opened.
type FrameTrace struct {
	Branches      []*TracedBranch
	Calls         []*TracedCall
	Stores        []*TracedStore
	Jumps         []*TracedJump
	Selfdestructs []*TracedSelfdestruct
	Wraps         []*Wrap
}

// Of is what one frame did.
func (t *Trace) Of(frame int) FrameTrace {
	return FrameTrace{
		Branches:      within(t.Branches, frame, func(e *TracedBranch) int { return e.Frame }),
		Calls:         within(t.Calls, frame, func(e *TracedCall) int { return e.Frame }),
		Stores:        within(t.Stores, frame, func(e *TracedStore) int { return e.Frame }),
		Jumps:         within(t.Jumps, frame, func(e *TracedJump) int { return e.Frame }),
		Selfdestructs: within(t.Selfdestructs, frame, func(e *TracedSelfdestruct) int { return e.Frame }),
		Wraps:         within(t.Wraps, frame, func(e *Wrap) int { return e.Frame }),
	}
}

func within[E any](events []E, frame int, of func(*E) int) []*E {
	var own []*E
	for i := range events {
		if of(&events[i]) == frame {
			own = append(own, &events[i])
		}
	}
	return own
}

// clone is a copy; labels of taints are shared, since they are never changed.
func (t *Trace) clone() *Trace {
	if t == nil {
		return nil
	}
	c := &Trace{
		Branches: slices.Clone(t.Branches), Calls: slices.Clone(t.Calls), Stores: slices.Clone(t.Stores),
		Jumps: slices.Clone(t.Jumps), Selfdestructs: slices.Clone(t.Selfdestructs), Wraps: slices.Clone(t.Wraps),
		Truncated: t.Truncated,
	}
	for i := range c.Wraps {
		c.Wraps[i].Sinks = slices.Clone(c.Wraps[i].Sinks)
	}
	return c
}
