package oracle

import (
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// ArbitraryWrite sees storage writes to a slot that the input chooses (harvey §4.3;
// SWC-124): a successful call writes to the marked page, 256 slots whose number is
// derived from a hash and that no contract has a reason to touch. A caller who can write
// there can write anywhere.
//
// The page rules out coincidence. A state variable has a small slot or, in a mapping, a
// hash that callers cannot steer to a chosen place; an element within the bounds of an
// array is at most the array's length away from such a hash. Reaching the page through
// any of them takes a preimage of a hash or an array of about 2^250 elements. That
// leaves an index that is not checked against a length, or a slot number taken from the
// input.
//
// Constructors are left out, since only the deployer chooses their arguments.
//
// Known false positives: a contract that is meant to write wherever it is told, such as
// a test helper around SSTORE.
var ArbitraryWrite = &Oracle{
	ID:       "arbitrary-write",
	Title:    "The input chooses which storage slot is written",
	SWC:      "124",
	Severity: Critical,
	Doc: "A call that succeeds writes to a storage slot that nothing but its input leads to: to one of 256 slots that were chosen by a hash " +
		"and that no state variable, no mapping and no array within its bounds comes near. " +
		"Who can write there can write to any slot: to the owner's, or to balances.",
	Check: checkArbitraryWrite,
}

// MarkedSlot is the slot in the middle of the marked page: what a search for such
// writes aims at. The page is a hash with its last byte left open, 256 slots, since an
// index may move the slot in steps: by two slots where the elements are structs of two
// words, by 256 where they have 256.
var MarkedSlot = func() (slot uint256.Int) {
	slot.SetBytes(crypto.Keccak256([]byte("sightline: slots that nothing is at")))
	slot[0] = slot[0]&^0xff | 0x80
	return slot
}()

// marked reports whether a slot is on the marked page.
func marked(slot *uint256.Int) bool {
	return slot[3] == MarkedSlot[3] && slot[2] == MarkedSlot[2] && slot[1] == MarkedSlot[1] && slot[0]>>8 == MarkedSlot[0]>>8
}

func checkArbitraryWrite(exec *evm.Execution, report func(Observation)) {
	for i := range exec.Frames {
		f := &exec.Frames[i]
		for j := range f.Storage {
			access := &f.Storage[j]
			if !access.Write || !marked(&access.Slot) || !lasts(exec, i) {
				continue
			}
			if f.Program == nil || f.Program.Contract == nil || f.Program.Code.Kind == bytecode.Creation {
				continue
			}
			report(Observation{f.Call, writer(f, j), contractOf(f), "the input chooses the storage slot that is written"})
		}
	}
}

// lasts reports whether frame i and all its callers succeeded, so that what it did is not
// undone.
func lasts(exec *evm.Execution, i int) bool {
	for ; i >= 0; i = exec.Frames[i].Parent {
		if exec.Frames[i].Outcome != evm.Success {
			return false
		}
	}
	return true
}
