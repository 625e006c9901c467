package oracle

import (
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// ArbitraryWrite sees storage writes to a slot that the input chooses (harvey §4.3;
// SWC-124): a successful call writes to the marked region, 2^64 slots whose number is
// derived from a hash and that no contract has a reason to touch. A caller who can write
// there can write anywhere.
//
// The region rules out coincidence. A state variable has a small slot or, in a mapping, a
// hash that callers cannot steer to a chosen place; an element within the bounds of an
// array is at most the array's length away from such a hash. Reaching the region through
// any of them takes part of a preimage of a hash (192 bits) or an array of about 2^250
// elements. That leaves an index that is not checked against a length, or a slot number
// taken from the input.
//
// A slot number that is narrower than a word (uint64 slot) cannot get there. For each width
// in bytes there is a smaller region that is derived from the same hash. Being smaller, it
// only shows that the input chooses: some contracts keep an account's balance at the slot of
// the account's number, which hurts no other variable. So one instruction has to write, in
// the same sequence, there and to the slot of a state variable of the contract that does not
// take the marked slot as well.
//
// Constructors are left out, since only the deployer chooses their arguments.
//
// Known false positives: a contract that is meant to write wherever it is told, such as
// a test helper around SSTORE.
var ArbitraryWrite = &Oracle{
	ID:       "arbitrary-write",
	Title:    "The input chooses which storage slot is written",
	SWC:      "124",
	CWE:      "123",
	Severity: Critical,
	Doc: "A call that succeeds writes to a storage slot that nothing but its input leads to: to one of 2^64 slots that were chosen by a hash " +
		"and that no state variable, no mapping and no array within its bounds comes near. " +
		"Who can write there can write to any slot: to the owner's, or to balances. " +
		"Where the slot's number is narrower than a word, the same statement writes to such a slot of fewer bits and to a state variable.",
	Remedy: "Bound the index or key before it is written to: require that it is below the array's length, write through a mapping, " +
		"or take the slot from a constant. Assembly around sstore, delegatecall with a target that callers choose and arrays whose length " +
		"callers can set are the usual causes. If the write is meant to go anywhere, let only a trusted account make it.",
	Check: checkArbitraryWrite,
}

// MarkedSlot is a slot in the marked region, which shares its upper 192 bits: what a search
// for such writes aims at. An index may move the slot in steps: by two slots where the
// elements are structs of two words, by 4,096 in code that multiplies it.
var MarkedSlot = func() (slot uint256.Int) {
	slot.SetBytes(crypto.Keccak256([]byte("sightline: slots that nothing is at")))
	slot[0] = slot[0]&^0xff | 0x80
	return slot
}()

// marks are the marked slots by their length in bits, a whole number of bytes: the highest
// bits of MarkedSlot, of which the first is set; of the longest MarkedSlot itself.
var marks = func() (all [wordBits + 1]uint256.Int) {
	for width := 8; width < wordBits; width += 8 {
		all[width].Rsh(&MarkedSlot, uint(wordBits-width))
		all[width].Or(&all[width], new(uint256.Int).Lsh(uint256.NewInt(1), uint(width-1)))
	}
	all[wordBits] = MarkedSlot
	return all
}()

const wordBits = 256

// MarkedOf is the slot that a search for writes aims at with a number of so many bits, a
// multiple of 8 up to 256.
func MarkedOf(width int) *uint256.Int { return &marks[width] }

// spread is how many low bits are open in the region around the mark of a width: half of
// them, so that an index may move the slot in steps.
func spread(width int) uint { return uint(width / 2) }

// marked reports whether a slot is in the marked region.
func marked(slot *uint256.Int) bool {
	return slot[3] == MarkedSlot[3] && slot[2] == MarkedSlot[2] && slot[1] == MarkedSlot[1]
}

// narrowlyMarked reports whether a slot is in the region of its own, smaller, width.
func narrowlyMarked(slot *uint256.Int) bool {
	width := slot.BitLen()
	if width == 0 || width == wordBits || width%8 != 0 {
		return false
	}
	var got, want uint256.Int
	return *got.Rsh(slot, spread(width)) == *want.Rsh(&marks[width], spread(width))
}

const choosesSlot = "the input chooses the storage slot that is written"

func checkArbitraryWrite(exec *evm.Execution, report func(Observation)) {
	for i := range exec.Frames {
		f := &exec.Frames[i]
		for j := range f.Storage {
			access := &f.Storage[j]
			if !access.Write {
				continue
			}
			narrow := narrowlyMarked(&access.Slot)
			if !narrow && !marked(&access.Slot) || !lasts(exec, i) {
				continue
			}
			if f.Program == nil || f.Program.Contract == nil || f.Program.Code.Kind == bytecode.Creation {
				continue
			}
			seen := Observation{Call: f.Call, Location: writer(f, j), Contract: contractOf(f), Message: choosesSlot}
			if narrow {
				name, call := overwritten(exec, f, access)
				if name == "" {
					continue
				}
				seen.Call, seen.Message = max(f.Call, call), choosesSlot+", that of "+name+" among them"
			}
			report(seen)
		}
	}
}

// overwritten is a state variable of a contract that the instruction of a write to a
// narrowly marked slot writes to as well, with the call in which it does; empty: none. The
// marked slot must not be part of a variable itself, such as a large array.
func overwritten(exec *evm.Execution, f *evm.Frame, at *evm.StorageAccess) (name string, call int) {
	contract := f.Program.Contract
	if at.Slot != at.Base || VariableAt(contract, &at.Slot) != nil {
		return "", 0
	}
	for i := range exec.Frames {
		g := &exec.Frames[i]
		if g.Program != f.Program {
			continue
		}
		for j := range g.Storage {
			access := &g.Storage[j]
			if !access.Write || access.PC != at.PC || access.Address != at.Address || access.Slot != access.Base {
				continue
			}
			if v := VariableAt(contract, &access.Slot); v != nil && lasts(exec, i) {
				return v.Name, g.Call
			}
		}
	}
	return "", 0
}

// VariableAt is the state variable of a contract that takes a slot; nil when none is known.
func VariableAt(c *bytecode.Contract, slot *uint256.Int) *bytecode.Variable {
	for i := range c.Variables {
		v := &c.Variables[i]
		var index uint256.Int
		if index.Sub(slot, &v.Slot); !slot.Lt(&v.Slot) && index.Lt(&v.Slots) {
			return v
		}
	}
	return nil
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
