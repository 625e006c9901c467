package compare

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/pipeline/compare/laws"
)

// assetKind is how a contract keeps who owns what.
type assetKind uint8

const (
	ether    assetKind = iota
	fungible           // an amount for each account: balanceOf(address)
	unique             // an owner for each id: ownerOf(uint256)
	multiple           // an amount for each account and id: balanceOf(address,uint256)
)

// asset is something that accounts own.
type asset struct {
	kind  assetKind
	token common.Address // zero: ether
	id    uint256.Int    // of what is unique or multiple
}

// families are what tokens keep of the kinds of assets.
var families = map[assetKind]laws.Family{fungible: laws.Balance, unique: laws.Owner, multiple: laws.BalanceOfID}

// assets are the contracts of a side that keep who owns what.
type assets map[common.Address]*keeper

// keeper is a token with what it keeps. One that tells owners counts their tokens in balanceOf.
type keeper struct {
	*laws.Token
	kind assetKind
}

// assetsOf are those of a side's tokens that keep who owns what.
func assetsOf(tokens []*laws.Token) assets {
	found := assets{}
	for _, t := range tokens {
		for _, kind := range []assetKind{unique, multiple, fungible} {
			if t.Keeps(families[kind]) {
				found[t.Address] = &keeper{t, kind}
				break
			}
		}
	}
	return found
}

// touches reports whether an access is to who owns what.
func (a assets) touches(access *evm.StorageAccess) bool {
	t := a[access.Address]
	if t == nil {
		return false
	}
	_, ok := t.Holds(families[t.kind], access)
	return ok
}

// moves calls do for what a written word says of accounts: how much of what one owned before and owns after.
func (a assets) moves(w *write, do func(account common.Address, what asset, before, after uint256.Int)) {
	t := a[w.address]
	if t == nil || w.before == w.after {
		return
	}
	family := families[t.kind]
	keys, ok := t.Holds(family, w.access)
	if !ok {
		return
	}
	before, after := t.Of(family, &w.before), t.Of(family, &w.after)
	what := asset{kind: t.kind, token: w.address}
	switch {
	case t.kind == fungible:
		do(keys[0].Bytes20(), what, before, after)
	case t.kind == multiple:
		what.id = keys[1]
		do(keys[0].Bytes20(), what, before, after)
	case before != after:
		what.id = keys[0]
		one := *uint256.NewInt(1)
		if !before.IsZero() {
			do(before.Bytes20(), what, one, uint256.Int{})
		}
		if !after.IsZero() {
			do(after.Bytes20(), what, uint256.Int{}, one)
		}
	}
}

// balance is what the calls that are looked at did to what an account owns.
type balance struct {
	account      common.Address
	what         asset
	before       uint256.Int // the first of these calls
	gained, lost uint256.Int // the sums over all calls
}

// ledger is what calls did to what accounts own, in order.
type ledger []balance

// of is an entry, made if need be with what the account owned before.
func (l *ledger) of(account common.Address, what asset, before func() uint256.Int) *balance {
	for i := range *l {
		if b := &(*l)[i]; b.account == account && b.what == what {
			return b
		}
	}
	*l = append(*l, balance{account: account, what: what, before: before()})
	return &(*l)[len(*l)-1]
}

// grew is by how much what an account owns has grown.
func (b *balance) grew() (by uint256.Int, ok bool) {
	if !b.gained.Gt(&b.lost) {
		return by, false
	}
	by.Sub(&b.gained, &b.lost)
	return by, true
}

// fell is by how much it has fallen.
func (b *balance) fell() (by uint256.Int, ok bool) {
	if !b.lost.Gt(&b.gained) {
		return by, false
	}
	by.Sub(&b.lost, &b.gained)
	return by, true
}

// free reports whether an account has lost nothing at all.
func (l ledger) free(account common.Address) bool {
	return !slices.ContainsFunc(l, func(b balance) bool {
		_, fell := b.fell()
		return fell && b.account == account
	})
}

// book enters what a call did. side has made the calls before, and ether is what accounts own of it by now.
func (a assets) book(l *ledger, side *compared, call int, owned etherOwned) {
	for _, w := range side.writes(call).list {
		a.moves(&w, func(account common.Address, what asset, before, after uint256.Int) {
			b := l.of(account, what, func() uint256.Int { return before })
			if after.Gt(&before) {
				b.gained.Add(&b.gained, after.Sub(&after, &before))
			} else {
				b.lost.Add(&b.lost, before.Sub(&before, &after))
			}
		})
	}
	frames := side.exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &side.exec.Frames[i]
		if !sendsEther(f) || !side.lasts[i] || f.Caller == f.Self {
			continue
		}
		from := l.of(f.Caller, asset{}, func() uint256.Int { return owned.at(side.world, f.Caller) })
		from.lost.Add(&from.lost, &f.Value)
		to := l.of(f.Self, asset{}, func() uint256.Int { return owned.at(side.world, f.Self) })
		to.gained.Add(&to.gained, &f.Value)
	}
}

// sendsEther reports whether a frame is entered with ether.
func sendsEther(f *evm.Frame) bool {
	return !f.Value.IsZero() && f.Kind != evm.KindDelegateCall && f.Kind != evm.KindCallCode
}

// etherOwned is the ether of accounts that calls have changed.
type etherOwned map[common.Address]uint256.Int

// at is the ether of an account.
func (e etherOwned) at(w *evm.World, a common.Address) uint256.Int {
	if now, ok := e[a]; ok {
		return now
	}
	if account := w.Accounts[a]; account != nil {
		return account.Balance
	}
	return uint256.Int{}
}

// settle takes over what a ledger says of ether.
func (e etherOwned) settle(l ledger) {
	for i := range l {
		if b := &l[i]; b.what == (asset{}) {
			now := b.before
			now.Add(&now, &b.gained)
			e[b.account] = *now.Sub(&now, &b.lost)
		}
	}
}

// question is what asks for what an account owns of an asset; to is that account itself where that is ether.
func (what *asset) question(account common.Address) (to common.Address, data []byte) {
	keys := [2]uint256.Int{*new(uint256.Int).SetBytes20(account[:]), what.id}
	switch what.kind {
	case ether:
		return account, nil
	case unique:
		keys[0] = what.id
	}
	return what.token, laws.View(families[what.kind], keys)
}
