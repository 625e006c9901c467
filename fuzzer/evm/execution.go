package evm

import (
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Outcome tells how a frame or call ended.
type Outcome uint8

// The outcomes. Everything but Success undoes the frame's effects.
const (
	Success             Outcome = iota
	Reverted                    // REVERT: unused gas is returned, Output holds the reason
	OutOfGas                    // also for code deposit and memory growth
	InvalidOpcode               // INVALID (0xfe) or an undefined opcode
	InvalidJump                 // the destination is not a JUMPDEST
	StackFault                  // underflow or overflow
	StaticViolation             // a state change inside STATICCALL
	DepthExceeded               // call depth 1024
	InsufficientBalance         // value transfer that the caller cannot pay
	CreateFault                 // address collision, code too large or malformed, nonce overflow
	OtherFault                  // any other exceptional halt (precompile failure …)
)

// CallKind is the instruction that opened a frame.
type CallKind uint8

// The kinds of frames.
const (
	KindTransaction CallKind = iota // the outermost frame of a call
	KindCall
	KindCallCode
	KindDelegateCall
	KindStaticCall
	KindCreate
	KindCreate2
)

// Comparison is what decided a conditional jump: the operator and both operands
// of the comparison behind the JUMPI's condition.
type Comparison struct {
	PC    uint32           // of the JUMPI
	Block bytecode.BlockID // that ends with it
	Op    byte             // EQ, LT, GT, SLT, SGT; ISZERO when the condition is a value tested for zero (Left), Right is then zero
	// Negated: an odd number of ISZEROs stands between the comparison and the
	// jump, so the jump is taken when the comparison is false. (For Op ISZERO the
	// jump is taken when Left is zero and Negated is false.)
	Negated     bool
	Taken       bool
	Left, Right uint256.Int
}

// StorageAccess is one SLOAD or SSTORE.
type StorageAccess struct {
	PC      uint32
	Order   uint32 // rises over all frames: what a frame does around a call is not next to each other
	Write   bool
	Address common.Address // whose storage
	Slot    uint256.Int
	Value   uint256.Int // read or written
	// Base is the slot of the mapping or array that Slot was derived from through
	// KECCAK256, as far as the frame's own hashes tell; equal to Slot otherwise.
	Base uint256.Int
	Keys Keys // of the mappings that lie between
}

// Keys are the keys under which an element is in a mapping, or in mappings in mappings:
// the innermost first, and no more than two. A key that is a byte string is none of
// them.
type Keys struct {
	Count int
	Words [2]uint256.Int
}

// Elements is where the element of a mapping at base with these keys begins, or of an array without any (Solidity
// documentation, "Layout of State Variables in Storage").
func (k *Keys) Elements(base *uint256.Int) uint256.Int {
	at := *base
	if k.Count == 0 {
		bytes := at.Bytes32()
		at.SetBytes(crypto.Keccak256(bytes[:]))
		return at
	}
	for i := k.Count - 1; i >= 0; i-- { // the innermost is the first, and the last hashed
		key, bytes := k.Words[i].Bytes32(), at.Bytes32()
		at.SetBytes(crypto.Keccak256(key[:], bytes[:]))
	}
	return at
}

// Log is an event.
type Log struct {
	PC      uint32
	Address common.Address
	Topics  []common.Hash
	Data    []byte
}

// Frame is one call frame of an execution.
type Frame struct {
	Call    int // index of the sequence's call it belongs to
	Parent  int // index of the calling frame in Execution.Frames, −1 for a transaction
	Depth   int // 0 for a transaction
	Kind    CallKind
	CallPC  uint32            // pc of the call instruction in the parent
	CallAt  int               // index in the parent's Path of the block that made the call; len(Path) when the Path ends before it
	Program *bytecode.Program // nil when no code ran (plain account, precompile, failed before its first instruction)

	CodeAddress common.Address // where the code is
	Self        common.Address // whose storage and balance the frame acts on
	Caller      common.Address
	Value       uint256.Int
	Input       []byte // calldata; creation code for the create kinds
	Output      []byte // return data, revert reason, or the deployed code

	Outcome Outcome
	LastPC  uint32 // the last instruction executed: where it halted or faulted
	// Decision is the last conditional jump executed, wherever Comparisons end; the
	// frame has executed none unless Decided.
	Decision uint32
	Decided  bool
	GasUsed  uint64

	Path          bytecode.Path   // the first blocks entered, as far as 8,192 instructions reach (lookahead paper §5)
	PathTruncated bool            // more blocks were entered than Path holds
	Tail          bytecode.Path   // if so, the last of the others, up to 16
	Comparisons   []Comparison    // in order, as far as Path reaches
	Storage       []StorageAccess // in order
	Logs          []Log           // also those that the frame or a caller then undid: the outcomes tell
}

// CallResult is the outcome of one call of the sequence.
type CallResult struct {
	Frames  [2]int // half-open range in Execution.Frames
	Outcome Outcome
	Output  []byte
	GasUsed uint64 // of the code alone: without the intrinsic cost of a transaction, before refunds
	// ID identifies what the call did: the blocks entered by all its frames, beyond
	// what Path keeps, with depth and outcome: its PID, see docs/architecture.md.
	ID bytecode.PathID

	// What Reason needs: decoding what a failed call returned costs more than the
	// call, and most reasons are never read.
	reasons *Reasons
	blamed  *bytecode.Contract // that first returned what the call reverted with; nil when unknown

	work uint64
}

// Work is about how many plain instructions of the interpreter's the call took the time of.
// It depends on nothing but the call and the state, as gas does, but says what a call costs a
// campaign. Machines need not agree about it.
func (c *CallResult) Work() uint64 { return c.work }

// Reason tells people why the call failed: the decoded revert reason or the
// fault's name; empty on success.
func (c *CallResult) Reason() string {
	switch c.Outcome {
	case Success:
		return ""
	case Reverted:
		return c.reasons.decode(c.blamed, c.Output)
	}
	return c.Outcome.String()
}

// Execution is what one run of one sequence yields. Everything in it belongs to
// the machine and is overwritten by its next run; Clone keeps it.
type Execution struct {
	Calls  []CallResult
	Frames []Frame // of all calls, in order of entry
	// Covered holds every block entered, each once: also those beyond a frame's
	// Path. Blocks entered only in calls that failed are in Covered too; the
	// frame's and the call's outcome tell.
	Covered []Coverage
	// Truncated tells that frames, comparisons, storage accesses, events, inputs or
	// outputs are missing, because there were more than the machine records. Path
	// identifiers and Covered are complete all the same.
	Truncated bool
	// Trace is nil unless the machine was made [WithTrace]. Machines are not compared by it.
	Trace *Trace

	reused int
}

// Reused is the number of calls, from the first on, that the machine had run before: only the
// others were run this time.
func (e *Execution) Reused() int { return e.reused }

// Reuse says how many calls a machine takes over from its last run.
func (e *Execution) Reuse(calls int) { e.reused = calls }

// Lasting reports which frames succeeded with all their callers, so that what they did is not undone.
func (e *Execution) Lasting() []bool {
	lasts := make([]bool, len(e.Frames))
	for i := range e.Frames {
		f := &e.Frames[i]
		lasts[i] = f.Outcome == Success && (f.Parent < 0 || lasts[f.Parent])
	}
	return lasts
}

// Write is a write to storage, and the number of the frame that made it.
type Write struct {
	*StorageAccess
	Frame int
}

// AppendWrites appends the writes to storage of frames[from:to] that are not undone, in the order in which they were made: a frame that
// calls others may write before and after what these do. lasts is of [Execution.Lasting].
func (e *Execution) AppendWrites(dst []Write, from, to int, lasts []bool) []Write {
	n := len(dst)
	for i := from; i < to; i++ {
		if !lasts[i] {
			continue
		}
		for j := range e.Frames[i].Storage {
			if access := &e.Frames[i].Storage[j]; access.Write {
				dst = append(dst, Write{access, i})
			}
		}
	}
	slices.SortStableFunc(dst[n:], func(a, b Write) int { return cmp.Compare(a.Order, b.Order) })
	return dst
}

// Coverage is a block that a call entered.
type Coverage struct {
	Call  int
	Code  bytecode.CodeID
	Block bytecode.BlockID
	// Kept reports whether one of the frames that entered it succeeded together
	// with all its callers, so that what it did lasts.
	Kept bool
}

// PathID is the identifier of the execution's last call.
func (e *Execution) PathID() bytecode.PathID {
	if len(e.Calls) == 0 {
		return bytecode.PathID{}
	}
	return e.Calls[len(e.Calls)-1].ID
}
