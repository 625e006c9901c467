package input

import (
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// Bounds of a call's environment.
const (
	// MaxTimeAdvance is 100 years in seconds: beyond every vesting schedule, and
	// 2^8 of them stay far from overflowing a 64-bit clock.
	MaxTimeAdvance = 100 * 365 * day
	// MaxBlockAdvance is as many blocks of 12 s as fit in MaxTimeAdvance.
	MaxBlockAdvance = MaxTimeAdvance / 12

	hour = 3600
	day  = 24 * hour
)

// MaxCalls bounds every Sequence. Campaigns use at most 64 calls; the rest is
// room for sequences read from files.
const MaxCalls = 256

// Call is one typed transaction. Sender and Instance are indices into the Space
// that the call was made in. Args are immutable and may be shared with other
// calls, see Value.
type Call struct {
	Sender   int
	Instance int
	Function *Function
	Args     []Value     // one per Function.Inputs
	Value    uint256.Int // wei

	TimeAdvance  uint64 // seconds that pass before the call, at most MaxTimeAdvance
	BlockAdvance uint64 // blocks that pass before the call, at most MaxBlockAdvance

	// Script is what the attacker's contract does when it is called during the call; nil: what its
	// callers expect. It is immutable and may be shared with other calls.
	Script *Script
}

// Sequence is a list of calls, run in order. Its calls may be replaced by the
// owner of the slice; what Call.Args points to may not be written.
type Sequence []Call

// Clone copies the list of calls; arguments are shared, which is safe since
// they are never written.
func (s Sequence) Clone() Sequence { return slices.Clone(s) }

// IsTest reports whether a sequence is a run of a fuzz test.
func IsTest(s Sequence) bool { return len(s) > 0 && s[len(s)-1].Function.Test }

// Equal reports whether two calls do the same.
func (c *Call) Equal(other *Call) bool {
	if c.Sender != other.Sender || c.Instance != other.Instance || c.Function != other.Function ||
		c.Value != other.Value || c.TimeAdvance != other.TimeAdvance || c.BlockAdvance != other.BlockAdvance ||
		len(c.Args) != len(other.Args) || !c.Script.Equal(other.Script) {
		return false
	}
	for i := range c.Args {
		if !abi.Equal(&c.Args[i], &other.Args[i]) {
			return false
		}
	}
	return true
}

// Only is a copy of a sequence with some of its calls, by their rising numbers. What passes before one that is left out passes before the next one.
func (s Sequence) Only(calls []int) (out Sequence) {
	var time, blocks uint64
	for i := range s {
		time, blocks = time+s[i].TimeAdvance, blocks+s[i].BlockAdvance
		if len(out) < len(calls) && calls[len(out)] == i {
			c := s[i]
			c.TimeAdvance, c.BlockAdvance = time, blocks
			out = append(out, c)
			time, blocks = 0, 0
		}
	}
	return out.Clone()
}

// Senders lists who makes the calls, each once.
func (s Sequence) Senders() (list []int) {
	for i := range s {
		if !slices.Contains(list, s[i].Sender) {
			list = append(list, s[i].Sender)
		}
	}
	return list
}

// Equal reports whether two sequences of one Space do the same.
func (s Sequence) Equal(other Sequence) bool {
	return slices.EqualFunc(s, other, func(a, b Call) bool { return a.Equal(&b) })
}
