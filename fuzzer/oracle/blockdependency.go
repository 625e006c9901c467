package oracle

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// BlockDependency sees branches, and amounts that are sent, that the block's time or number decides (SWC-116; mufuzz §III). Who
// makes a block chooses its time within bounds. Whether a time was ever written, and whether a sum with one is right, does not count.
//
// Known false positives: nearly all: deadlines, vesting and interest need the time, and some seconds more or less
// do not matter to them. So this is a note.
var BlockDependency = &Oracle{
	ID:       "block-dependency",
	Title:    "The time or number of the block decides",
	SWC:      "116",
	CWE:      "829",
	Severity: Note,
	Doc:      "In a call that succeeds, a branch or an amount of ether that is sent depends on TIMESTAMP or NUMBER. Branches that ask whether a time was ever stored, or whether a sum with one is right, do not count.",
	Remedy:   "Use the block's time only for what may be off by some seconds, and its number not for time.",
	Examine: func(s *Scene, report func(Observation)) {
		examineBlock(s, evm.FromTimestamp|evm.FromNumber, false, "the block's time or number", report)
	},
	Places: placesOf(vm.TIMESTAMP, vm.NUMBER),
}

// WeakRandomness sees branches, and amounts that are sent, that are decided by what a block says of itself and everyone knows or may
// choose: its hash, its producer, or a hash of its time (SWC-120). Fees are not lots: that they are below a bound is not what this is about.
// Nor is the hash of a block whose number was kept before that block was made; but that of a block long ago is zero.
//
// Known false positives: uses of a block's hash that nothing is won by.
var WeakRandomness = &Oracle{
	ID:       "weak-randomness",
	Title:    "A number that is meant to be random can be known",
	SWC:      "120",
	CWE:      "330",
	Severity: Note,
	Doc: "In a call that succeeds, a branch, a word that is kept, or an amount of ether that is sent depends on BLOCKHASH, COINBASE, DIFFICULTY, GASLIMIT or the like, or on a hash of TIMESTAMP, NUMBER or GASPRICE: " +
		"a contract that calls in the same block knows it as well.",
	Remedy: "Take random numbers from a verifiable source (VRF), or let the players commit to theirs before they are revealed.",
	Examine: func(s *Scene, report func(Observation)) {
		examineBlock(s, evm.FromTimestamp|evm.FromNumber|evm.FromFee|evm.FromOtherBlock, true, "what the block says of itself", report)
	},
	Places: placesOf(vm.BLOCKHASH, vm.COINBASE, vm.DIFFICULTY, vm.GASLIMIT, vm.TIMESTAMP, vm.NUMBER),
}

// placesOf lists where a program has some instructions.
func placesOf(ops ...vm.OpCode) func(*bytecode.Program) []uint32 {
	return func(p *bytecode.Program) (places []uint32) {
		p.Instructions(func(pc uint32) bool {
			for _, op := range ops {
				if vm.OpCode(p.Bytes[pc]) == op && !p.Varies(pc, pc+1) { // not in the metadata
					places = append(places, pc)
					break
				}
			}
			return true
		})
		return places
	}
}

// examineBlock reports what of a block's own decides. random tells that what is meant to be random does: a hash, or what
// is neither time nor number.
func examineBlock(s *Scene, of evm.Source, random bool, what string, report func(Observation)) {
	t := s.trace()
	if t == nil {
		return
	}
	counts := func(taint evm.Taint) bool {
		isRandom := taint.Any(evm.FromOtherBlock) || taint.Any(evm.FromTimestamp|evm.FromNumber|evm.FromFee) && taint.Any(evm.Hashed)
		return taint.Any(of) && isRandom == random
	}
	say := func(at evm.At, does string) {
		if f, place, ok := s.noted(at); ok {
			report(Observation{Call: f.Call, Location: place, Contract: contractOf(f), Message: fmt.Sprintf("%s %s in %s", what, does, functionOf(f))})
		}
	}
	for i := range t.Branches {
		if b := &t.Branches[i]; counts(b.Condition) && !isSet(b) && !isSum(b, of) && !(random && s.isLaterBranch(t, b)) {
			if _, _, ok := s.decided(b); ok {
				say(b.At, "decides a branch")
			}
		}
	}
	for i := range t.Calls {
		if counts(t.Calls[i].Value) && !(random && s.isLater(t, t.Calls[i].At, t.Calls[i].Value, nil)) {
			say(t.Calls[i].At, "decides how much ether is sent")
		}
	}
	for i := range t.Stores {
		if random && counts(t.Stores[i].Value) && !s.isLater(t, t.Stores[i].At, t.Stores[i].Value, nil) {
			say(t.Stores[i].At, "decides what is kept")
		}
	}
}

// isSet reports whether a branch asks whether a word of storage has been written, and not what is in it.
func isSet(b *evm.TracedBranch) bool { return b.Condition.Any(evm.FromStorage) && againstZero(b) }

// isSum reports whether a branch holds a number of the block against one that was computed of it, as libraries do to see
// that a sum is right.
func isSum(b *evm.TracedBranch, of evm.Source) bool {
	return b.LeftTaint.Any(of) && b.RightTaint.Any(of) && !b.Condition.Any(evm.FromStorage|evm.Hashed)
}

// hashedBlocks is how many blocks back BLOCKHASH knows.
const hashedBlocks = 256

// isLater reports whether a word is the hash of a block whose number was computed of NUMBER by an earlier call: it could not be
// known then. value is the word, if it is known: that of a block longer ago than BLOCKHASH knows is zero.
func (s *Scene) isLater(t *evm.Trace, at evm.At, taint evm.Taint, value *uint256.Int) bool {
	const kept = evm.FromStorage | evm.FromNumber
	if !taint.Any(evm.FromOtherBlock) || taint.Via&kept != kept || taint.Via&(evm.FromTimestamp|evm.FromCalldata) != 0 {
		return false
	}
	last := s.Exec.Frames[at.Frame].Call
	since := 0
	for i := range t.Stores {
		if call := s.Exec.Frames[max(t.Stores[i].Frame, 0)].Call; call < last && t.Stores[i].Value.Any(evm.FromNumber) {
			since = call + 1
		}
	}
	blocks := uint64(0)
	for _, c := range s.Calls()[since : last+1] {
		blocks += c.BlockAdvance
	}
	return blocks <= hashedBlocks || value != nil && !value.IsZero()
}

// isLaterBranch reports whether a branch holds such a hash against a word.
func (s *Scene) isLaterBranch(t *evm.Trace, b *evm.TracedBranch) bool {
	return s.isLater(t, b.At, b.LeftTaint, &b.Left) || s.isLater(t, b.At, b.RightTaint, &b.Right)
}
