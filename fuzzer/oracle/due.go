package oracle

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// mayBeDue reports whether what the attackers gain of an asset up to a call may have been due: time passes, and it is neither all that was there, nor paid again,
// nor what they have put in once more.
func (l *lossAlone) mayBeDue(asset int, had, has []uint256.Int, call int) bool {
	return l.takesTime(call) && (len(l.given) > 0 || !l.empties(asset, call)) && !l.isPaidAgain(asset) && !l.isPaidTwice(asset, had, has, call)
}

// How much of what they put in the attackers have to gain, as one part of so many, and how much more is put in. Arbitrary: interest is less, and others have
// so much.
const (
	twiceLeastOf = 2
	putInTimes   = 3
)

// isPaidTwice reports whether the attackers gain a large part of what they put in of an asset, so many times as much where that is so many times as much, and no more
// where more time passes. Of interest, it would be a small part, or grow with time; and a reward that is there for whoever comes does not grow with what is put in.
func (l *lossAlone) isPaidTwice(asset int, had, has []uint256.Int, call int) bool {
	var gain, part, by uint256.Int
	gain.Sub(&has[asset], &had[asset])
	for at := l.from; at < call; at++ {
		is, ok := l.after(at + 1)
		if !ok {
			return false
		}
		if is[asset].Lt(&had[asset]) && by.Sub(&had[asset], &is[asset]).Gt(&part) {
			part.Set(&by)
		}
	}
	if part.Div(&part, uint256.NewInt(twiceLeastOf)); part.IsZero() || gain.Lt(&part) {
		return false
	}
	more, ok := l.gainBy(asset, l.withMorePaid(call))
	if !ok || by.Mul(&gain, uint256.NewInt(putInTimes-1)).Gt(&more) {
		return false
	}
	later, ok := l.gainBy(asset, l.withMoreTime(call))
	return ok && !later.Gt(&gain)
}

// withMorePaid are the calls up to one, in which the attackers pay and are paid so many times as much where they say how much that is, and others
// likewise in calls of the functions that the attackers call.
func (l *lossAlone) withMorePaid(call int) evm.Sequence {
	type function struct {
		to       common.Address
		selector string
	}
	of := func(c *evm.Call) function { return function{c.To, string(c.Data[:min(4, len(c.Data))])} }
	theirs := map[function]bool{}
	for i := l.from; i <= call; i++ {
		theirs[of(&l.Calls()[i])] = true
	}
	calls, times := slices.Clone(l.Calls()[:call+1]), uint256.NewInt(putInTimes)
	for i := range calls {
		c := &calls[i]
		if c.Create || !theirs[of(c)] {
			continue
		}
		c.Data = slices.Clone(c.Data)
		paid := l.amountsPaid(i)
		for _, at := range l.numbersOf(c) {
			number := *new(uint256.Int).SetBytes(c.Data[at : at+wordBytes])
			if more, over := new(uint256.Int).MulOverflow(&number, times); !over && slices.Contains(paid, number) {
				word := more.Bytes32()
				copy(c.Data[at:], word[:])
			}
		}
		c.Value.Mul(&c.Value, times)
	}
	return calls
}

// amountsPaid lists the amounts of ether and tokens that a call pays to any account.
func (l *lossAlone) amountsPaid(call int) (amounts []uint256.Int) {
	frames := l.Exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &l.Exec.Frames[i]
		if !f.Value.IsZero() {
			amounts = append(amounts, f.Value)
		}
		if len(f.Input) < 4 {
			continue
		}
		switch words := f.Input[4:]; {
		case [4]byte(f.Input[:4]) == transfer && len(words) >= 2*wordBytes:
			amounts = append(amounts, *new(uint256.Int).SetBytes(words[wordBytes:][:wordBytes]))
		case [4]byte(f.Input[:4]) == transferFrom && len(words) >= 3*wordBytes:
			amounts = append(amounts, *new(uint256.Int).SetBytes(words[2*wordBytes:][:wordBytes]))
		}
	}
	return amounts
}

// withMoreTime are the calls up to one, in an attack that takes twice the time.
func (l *lossAlone) withMoreTime(call int) evm.Sequence {
	calls := slices.Clone(l.Calls()[:call+1])
	for i := l.from; i <= call; i++ {
		calls[i].TimeAdvance *= 2
		calls[i].BlockAdvance *= 2
	}
	return calls
}
