package oracle

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// isSold reports whether an account that made calls before the attack, such as one that offers something at a price, has more of another asset than the attackers gain behind a call, or something noted for it: it has sold
// what the attackers have, and whether the price was right is not told by who buys from one and sells to another.
func (l *lossAlone) isSold(asset, call int) bool {
	var sellers []common.Address
	for i := range l.from {
		if c := &l.Calls()[i]; l.Exec.Calls[i].Outcome == evm.Success && !l.isGift(i) && !l.isTheirs(c.From) && l.contractAt(c.From) == nil && !slices.Contains(sellers, c.From) {
			sellers = append(sellers, c.From)
		}
	}
	if len(sellers) == 0 {
		return false
	}
	if slices.ContainsFunc(sellers, func(account common.Address) bool { return l.isNoted(account, call) }) {
		return true
	}
	for other := range 1 + len(l.tokens) {
		of, ok := l.holdings(other, call)
		if other == asset || !ok {
			continue
		}
		if slices.ContainsFunc(sellers, func(account common.Address) bool {
			was, is := of(account)
			return is.Gt(&was)
		}) {
			return true
		}
	}
	return false
}

// isNoted reports whether the attack, up to a call, makes a word rise that is kept for an account, or writes its address where that was not, elsewhere than in a token.
func (l *lossAlone) isNoted(account common.Address, call int) bool {
	is := func(a common.Address) bool { return a == account }
	for i := l.Exec.Calls[l.from].Frames[0]; i < l.Exec.Calls[call].Frames[1]; i++ {
		f := &l.Exec.Frames[i]
		if slices.Contains(l.tokens, f.Self) || !lasts(l.Exec, i) {
			continue
		}
		if access := keptFor(f, is); access != nil && l.rises(access) {
			return true
		}
		for j := range f.Storage {
			access := &f.Storage[j]
			if !access.Write || !bytes.Contains(valueOf(access), account[:]) {
				continue
			}
			if was := l.wordBefore(access); !bytes.Contains(was[:], account[:]) {
				return true
			}
		}
	}
	return false
}
