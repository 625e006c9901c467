package input

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// The comparisons behind conditional jumps (yellow paper, appendix H.2).
const (
	opLt     = 0x10
	opGt     = 0x11
	opSlt    = 0x12
	opSgt    = 0x13
	opEq     = 0x14
	opIszero = 0x15
)

// Branch is the comparison at the first occurrence of a conditional jump in a
// frame. Two executions are compared branch by branch, see Predict.
type Branch struct {
	Call  int // of the sequence
	Frame int // within the call, in order of entry
	Code  bytecode.CodeID
	evm.Comparison
	// Again: later in the frame the jump went the other way, too, and on from there, as a
	// loop's does. A check that several callers share, and that failed for a later one,
	// is none.
	Again bool
}

// Joins reports whether an execution that came to the same jump goes on alike: it took
// the same turn there, or went round a loop that the other one passed by.
func (b *Branch) Joins(other *Branch) bool { return b.Taken == other.Taken || b.Again || other.Again }

// sameJump reports whether two branches are the same jump at the same place of an
// execution.
func (b *Branch) sameJump(other *Branch) bool {
	return b.Call == other.Call && b.Frame == other.Frame && b.Code == other.Code && b.PC == other.PC && b.Op == other.Op
}

// maxBranches bounds the branches kept of one execution. Arbitrary: frames of
// the corpora seldom have more than 50 distinct jumps.
const maxBranches = 1024

// AppendBranches appends the branches of an execution's last call to dst: frame by
// frame in order of entry, in a frame in order of occurrence, at most 1,024, without
// those that [Echoes] names. They are copies, which outlive the machine's next run.
func AppendBranches(dst []Branch, e *evm.Execution) []Branch {
	if len(e.Calls) == 0 {
		return dst
	}
	start, call := len(dst), len(e.Calls)-1
	r := e.Calls[call].Frames
	for i := r[0]; i < r[1]; i++ {
		f := &e.Frames[i]
		code := bytecode.NoCode
		if f.Program != nil {
			code = f.Program.ID
		}
		first := len(dst)
		for j := range f.Comparisons {
			if len(dst)-start >= maxBranches {
				return dst
			}
			c := &f.Comparisons[j]
			if known := jumpAt(dst[first:], c.PC); known != nil {
				goesOn := j < len(f.Comparisons)-1 || f.Outcome == evm.Success
				known.Again = known.Again || known.Taken != c.Taken && goesOn
			} else if !Echoes(f, j) {
				dst = append(dst, Branch{Call: call, Frame: i - r[0], Code: code, Comparison: *c})
			}
		}
	}
	return dst
}

// Echoes reports whether the comparison at an index of a frame's decided the jump before
// it, too. Of `a && b` solc makes a jump on a, and a second one on what is left on the
// stack: on a again if that was false, else on b. What a compares says nothing about how
// close b is to coming out otherwise, and where a has to change, the first jump says so.
// Operands that are equal by chance are not an echo: two empty arrays have the same
// length as a third.
func Echoes(f *evm.Frame, i int) bool {
	if i == 0 {
		return false
	}
	a, b := &f.Comparisons[i-1], &f.Comparisons[i]
	return a.PC != b.PC && a.Op == b.Op && a.Left == b.Left && a.Right == b.Right && handsOn(f.Program, b)
}

// handsOn reports whether the block of a jump computes nothing: what decides there was on
// the stack. True where the code is not known.
func handsOn(p *bytecode.Program, c *evm.Comparison) bool {
	if p == nil || int(c.Block) >= len(p.Blocks) {
		return true
	}
	for pc := p.Blocks[c.Block].Start; pc < c.PC; pc++ {
		switch op := vm.OpCode(p.Bytes[pc]); {
		case op == vm.JUMPDEST || op == vm.ISZERO || op == vm.POP || op == vm.PUSH0 || op >= vm.DUP1 && op <= vm.SWAP16:
		case op.IsPush():
			pc += uint32(op - vm.PUSH0)
		default:
			return false
		}
	}
	return true
}

// jumpAt is a frame's branch at a pc; nil when there is none.
func jumpAt(branches []Branch, pc uint32) *Branch {
	for i := range branches {
		if branches[i].PC == pc {
			return &branches[i]
		}
	}
	return nil
}

// Costs are the distances of a comparison from being false and from being true
// (papers/harvey §3.2): the one of the side that holds is zero, the other at least 1.
// They saturate at 2^256 − 1.
//
//	         to falsify                     to satisfy
//	l = r    1 if equal, else 0             |l − r|
//	l < r    r − l if l < r, else 0         0 if l < r, else l − r + 1
//
// l > r is r < l; an ISZERO compares with zero for equality. Signed comparisons
// measure the same distances between signed numbers.
func Costs(c *evm.Comparison) (falsify, satisfy uint256.Int) {
	left, right := &c.Left, &c.Right
	var a, b uint256.Int
	switch c.Op {
	case opGt, opSgt:
		left, right = right, left
	}
	if c.Op == opSlt || c.Op == opSgt { // shift the signed range onto the unsigned one, order kept
		left, right = a.Xor(left, minInt256), b.Xor(right, minInt256)
	}
	switch c.Op {
	case opEq, opIszero:
		if left.Lt(right) {
			left, right = right, left
		}
		if satisfy.Sub(left, right); satisfy.IsZero() {
			falsify.SetOne()
		}
	default:
		if left.Lt(right) {
			falsify.Sub(right, left)
		} else if satisfy.Sub(left, right); !satisfy.Eq(maxUint256) {
			satisfy.AddUint64(&satisfy, 1)
		}
	}
	return falsify, satisfy
}

var maxUint256 = new(uint256.Int).SetAllOne()

// IsEquality reports whether the branch compares for equality.
func (b *Branch) IsEquality() bool { return b.Op == opEq || b.Op == opIszero }

// Distance is the cost of taking a jump's other side.
func (b *Branch) Distance() uint256.Int {
	falsify, satisfy := Costs(&b.Comparison)
	if satisfy.IsZero() {
		return falsify
	}
	return satisfy
}
