package oracle

import (
	"bytes"

	"github.com/holiman/uint256"
)

// repeats reports whether a call is the one before it once more, at the same time.
func (s *Scene) repeats(call int) bool {
	if call == 0 {
		return false
	}
	was, is := &s.Calls()[call-1], &s.Calls()[call]
	return was.From == is.From && was.To == is.To && bytes.Equal(was.Data, is.Data) && is.TimeAdvance == 0 && is.BlockAdvance == 0 && is.Value.IsZero()
}

// isPaidAgain reports whether the attackers get more of an asset by repetitions of a call, which is the last, than they have paid in all calls before: what was due
// after some time, such as a reward, was paid by the first of these, and what is left is what they have put in.
func (l *lossAlone) isPaidAgain(asset int) bool {
	call := len(l.Exec.Calls) - 1
	first := call
	for first > l.from && l.repeats(first) {
		first--
	}
	if first == call {
		return false
	}
	var paid, again uint256.Int
	was, ok := l.after(l.from)
	for at := l.from; ok && at <= call; at++ {
		var is []uint256.Int
		if is, ok = l.after(at + 1); !ok {
			break
		}
		var by uint256.Int
		switch {
		case is[asset].Lt(&was[asset]):
			paid.Add(&paid, by.Sub(&was[asset], &is[asset]))
		case at > first:
			again.Add(&again, by.Sub(&is[asset], &was[asset]))
		}
		was = is
	}
	return ok && again.Gt(&paid)
}
