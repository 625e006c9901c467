package oracle

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// isDust reports whether what the attackers gain of an asset until a call is so little that rounding leaves it, and is not all that those have who lose it, or
// no more where all numbers are greater. Tokens that each have an owner are not rounded; nor are the last ones of those that have no decimals.
func (l *lossAlone) isDust(asset int, had, has []uint256.Int, call int) bool {
	of, ok := l.holdings(asset, call)
	if !ok {
		return false
	}
	var held, gain, least uint256.Int
	var losers []common.Address
	for _, account := range l.others() {
		if was, is := of(account); is.Lt(&was) {
			held.Add(&held, &was)
			losers = append(losers, account)
		}
	}
	gain.Sub(&has[asset], &had[asset])
	whole := held
	if first := l.ownedBy(losers, nil, l.World, l.tokens)[asset]; first.Gt(&whole) {
		whole = first
	}
	// The last unit of many that others have taken is rounding, too.
	if least.Div(&whole, uint256.NewInt(lossLeastOf)); !gain.Gt(&least) {
		return true
	}
	items := false
	if asset > 0 {
		token := l.contractAt(l.tokens[asset-1]).ABI
		if _, err := token.MethodById(ownerOf[:]); err == nil {
			return false
		}
		_, parts := token.Methods["decimals"]
		items = !parts
	}
	return !gain.GtUint64(lossLeast) && (gain.Lt(&held) || !items && !l.grows(asset, call, &gain))
}

// How much greater numbers are made. All arbitrary: what is longer than mostRaised is left as it is, since few accounts have many times as much,
// and maxPlaces bounds where the gain is looked for.
const (
	greaterBy  = 1_000
	mostRaised = 1 << 40
	maxPlaces  = 8
)

// grows reports whether the attackers gain more than what rounding leaves where the numbers of all calls are many times as great: a unit is all that
// an account has only since campaigns begin with small numbers. Some of them say which and not how much: all of a call's are raised, all but the
// first, the last, the first, none but the ether that it is paid, and what is as much as the gain, at one place after the other.
func (l *lossAlone) grows(asset, call int, gain *uint256.Int) bool {
	for _, chosen := range []func(n, of int) bool{
		func(int, int) bool { return true },
		func(n, _ int) bool { return n > 0 },
		func(n, of int) bool { return n == of-1 },
		func(n, _ int) bool { return n == 0 },
		func(int, int) bool { return false },
	} {
		calls := l.withMoreEther(call)
		for i := range calls {
			places := l.numbersOf(&calls[i])
			for n, at := range places {
				if chosen(n, len(places)) {
					raise(calls[i].Data[at : at+wordBytes])
				}
			}
		}
		if l.gainsMore(asset, calls) {
			return true
		}
	}
	tried := 0
	for i := l.from; i <= call; i++ {
		for _, at := range occurrences(&l.Calls()[i], gain) {
			if tried++; tried > maxPlaces {
				return false
			}
			calls := l.withMoreEther(call)
			raise(calls[i].Data[at : at+wordBytes])
			if l.gainsMore(asset, calls) {
				return true
			}
		}
	}
	return false
}

// withMoreEther are the calls up to one, which pay more.
func (l *lossAlone) withMoreEther(call int) evm.Sequence {
	calls := slices.Clone(l.Calls()[:call+1])
	for i := range calls {
		c := &calls[i]
		c.Data = slices.Clone(c.Data)
		if !c.Create && c.Value.LtUint64(mostRaised) {
			c.Value.Mul(&c.Value, uint256.NewInt(greaterBy))
		}
	}
	return calls
}

// gainsMore reports whether the attackers gain more of an asset by calls than what rounding leaves, and lose nothing.
func (l *lossAlone) gainsMore(asset int, calls evm.Sequence) bool {
	gain, ok := l.gainBy(asset, calls)
	return ok && gain.GtUint64(lossLeast)
}

// gainBy is how much more of an asset the attackers have by other calls in the place of these; false: they lose something.
func (l *lossAlone) gainBy(asset int, calls evm.Sequence) (more uint256.Int, ok bool) {
	before, ok := l.inOrder(calls[:l.from:l.from], func(int) bool { return true })
	if !ok {
		return more, false
	}
	had := l.ownedBy(l.attackers(), calls[:l.from], before, l.tokens)
	after, ok := l.inOrder(calls, func(int) bool { return true })
	if !ok {
		return more, false
	}
	has := l.ownedBy(l.attackers(), calls, after, l.tokens)
	if !gained(had, has) || has[asset].Lt(&had[asset]) {
		return more, false
	}
	more.Sub(&has[asset], &had[asset])
	return more, true
}

// occurrences lists where a call's data has a number, also in what the call is to pass on.
func occurrences(c *evm.Call, number *uint256.Int) (places []int) {
	word := number.Bytes32()
	for at := 4; at < len(c.Data) && !c.Create; at += wordBytes {
		next := bytes.Index(c.Data[at:], word[:])
		if next < 0 {
			break
		}
		at += next
		places = append(places, at)
	}
	return places
}

// raise makes a number many times as great.
func raise(word []byte) {
	var number uint256.Int
	if number.SetBytes(word); number.LtUint64(mostRaised) {
		more := number.Mul(&number, uint256.NewInt(greaterBy)).Bytes32()
		copy(word, more[:])
	}
}
