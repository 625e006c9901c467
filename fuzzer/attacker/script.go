package attacker

import (
	"encoding/binary"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Bounds of a script. More answers than roles (a token, a receiver, a feed, anything else) are of
// no use, and what takes more than three calls can be spread over several answers; arbitrary. A
// depth of three is where a contract that was entered again behaves as on every further entry.
const (
	MaxAnswers = 4
	MaxCalls   = 3 // of an answer
	MaxTimes   = 3 // that an answer calls back
	MaxWords   = 8 // of what an answer returns
)

// End is how an answer ends.
type End uint8

// The ends.
const (
	Expected End = iota // with what the caller expects
	Return              // with data
	Revert              // likewise
	Burn                // with an invalid instruction, which takes all gas
	Destruct            // with SELFDESTRUCT, in favor of the address in the data's first word
)

// Answer is what the contract does when it is called.
type Answer struct {
	On    [4]byte // the function that is called; zero: none, it is paid
	Any   bool    // whatever is called, in place of On
	Times uint8   // how often at most in a transaction, or deployment; 0: always
	// After is the number, from 1, of an answer with Times that has to be given before; 0: none. What is
	// asked by STATICCALL cannot be counted, but may differ before and after what can.
	After uint8
	Calls []Call // that the contract makes first, whatever becomes of them
	End   End
	Data  []byte
}

// Call is one that the contract makes.
type Call struct {
	To    common.Address
	Value uint256.Int // wei
	Data  []byte
}

// Where a script is in storage, see Attacker.sol.
const (
	answerShift = 16 // answer i, from 1, begins at i << 16
	callShift   = 12 // its call j, from 1, is at j << 12 from there
	dataOffset  = 0x8000

	afterShift   = 56
	anyFlag      = 1 << 48
	sizeShift    = 32
	endShift     = 24
	callsShift   = 16
	timesShift   = 8
	refusesShift = 8 // in slot 0
)

// AppendInstructions appends the words that make a script the contract's. Calls are answered by the
// first of the answers that is of them, and as expected where none is.
func AppendInstructions(dst []evm.Overwrite, answers []Answer) []evm.Overwrite {
	head := uint64(len(answers))
	for i := range answers {
		if a := &answers[i]; a.Any || a.On == [4]byte{} {
			if a.End == Revert || a.End == Burn {
				head |= 1 << refusesShift
			}
			break
		}
	}
	dst = appendWord(dst, 0, uint256.NewInt(head))
	for i := range answers {
		dst = answers[i].append(dst, uint64(i+1)<<answerShift)
	}
	return dst
}

func (a *Answer) append(dst []evm.Overwrite, at uint64) []evm.Overwrite {
	low := uint64(a.After)<<afterShift | uint64(a.Times)<<timesShift | uint64(len(a.Calls))<<callsShift | uint64(a.End)<<endShift | uint64(len(a.Data))<<sizeShift
	if a.Any {
		low |= anyFlag
	}
	dst = appendWord(dst, at, &uint256.Int{low, 0, 0, uint64(binary.BigEndian.Uint32(a.On[:])) << 32})
	for j := range a.Calls {
		c := &a.Calls[j]
		from := at + uint64(j+1)<<callShift
		var to, size uint256.Int
		to.SetBytes20(c.To[:])
		to.Or(&to, size.Lsh(size.SetUint64(uint64(len(c.Data))), 8*common.AddressLength))
		dst = appendData(appendWord(appendWord(dst, from, &to), from+1, &c.Value), from+2, c.Data)
	}
	return appendData(dst, at+dataOffset, a.Data)
}

func appendData(dst []evm.Overwrite, at uint64, data []byte) []evm.Overwrite {
	for len(data) > 0 {
		var word [32]byte
		n := copy(word[:], data)
		data = data[n:]
		dst = appendWord(dst, at, new(uint256.Int).SetBytes32(word[:]))
		at++
	}
	return dst
}

func appendWord(dst []evm.Overwrite, slot uint64, value *uint256.Int) []evm.Overwrite {
	return append(dst, evm.Overwrite{Address: Address, Slot: *uint256.NewInt(slot), Value: *value})
}

// Destroys reports whether a script may destroy the contract, and so send its ether somewhere.
func Destroys(instructions []evm.Overwrite) bool {
	return slices.ContainsFunc(instructions, func(o evm.Overwrite) bool {
		return isHead(&o.Slot) && End(o.Value[0]>>endShift&0xff) == Destruct
	})
}

// isHead reports whether an answer begins at a slot.
func isHead(slot *uint256.Int) bool {
	return slot.IsUint64() && slot.Uint64()&(1<<answerShift-1) == 0 && !slot.IsZero()
}

// WithoutCalls are the instructions of a script with the same answers, in which the contract makes no calls.
func WithoutCalls(instructions []evm.Overwrite) []evm.Overwrite {
	out := slices.Clone(instructions)
	for i := range out {
		if isHead(&out[i].Slot) {
			out[i].Value[0] &^= 0xff << callsShift
		}
	}
	return out
}
