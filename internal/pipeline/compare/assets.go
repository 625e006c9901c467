package compare

import (
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
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

// family are the words of storage in which a token keeps who owns what.
type family struct {
	kind    assetKind
	account int         // of multiple: which of the two keys is the account
	within  uint256.Int // of an element: from the hash on
	mask    uint256.Int // what of a word is the amount or the owner
}

// assets are the families of a side's tokens, by the slot of the mapping.
type assets map[common.Address]map[uint256.Int]family

// tellingAssets are the functions that tell who owns what. A token that has ownerOf counts its owners' tokens
// in balanceOf.
var tellingAssets = []struct {
	signature string
	kind      assetKind
	output    byte
}{
	{"ownerOf(uint256)", unique, abi.AddressTy},
	{"balanceOf(address,uint256)", multiple, abi.UintTy},
	{"balanceOf(address)", fungible, abi.UintTy},
}

// The account and the id that are asked for. Nothing in a World has them.
var (
	probedAccount = common.BytesToAddress(crypto.Keccak256([]byte("sightline: an account that owns nothing")))
	probedID      = new(uint256.Int).SetBytes(crypto.Keccak256([]byte("sightline: a token that does not exist"))[:8])
)

// findAssets asks a side's contracts. The recorder tells which words an answer reads. One of them is who owns what
// if the answer is what is put there, whatever it is.
func findAssets(w *evm.World, from common.Address, machine evm.Machine) assets {
	found := assets{}
	for i := range w.Instances {
		in := &w.Instances[i]
		if in.Contract == nil {
			continue
		}
		for _, ask := range tellingAssets {
			m, ok := methodOf(in, ask.signature)
			if !ok || !m.IsConstant() || len(m.Outputs) != 1 || m.Outputs[0].Type.T != ask.output {
				continue
			}
			if found.learn(machine, evm.Call{From: from, To: in.Address, Data: append(slices.Clone(m.ID), probe(ask.kind)...)}, ask.kind) {
				break
			}
		}
	}
	return found
}

func methodOf(in *evm.Instance, signature string) (*abi.Method, bool) {
	for _, m := range in.Contract.ABI.Methods { // at most one has the signature
		if m.Sig == signature {
			return &m, true
		}
	}
	return nil, false
}

// probe are the arguments of a question.
func probe(kind assetKind) []byte {
	account, id := common.LeftPadBytes(probedAccount[:], wordBytes), probedID.Bytes32()
	switch kind {
	case unique:
		return id[:]
	case multiple:
		return append(account, id[:]...)
	}
	return account
}

// learn finds the words that answer a call.
func (a assets) learn(machine evm.Machine, call evm.Call, kind assetKind) bool {
	exec, err := machine.Run(evm.Sequence{call})
	if err != nil {
		return false
	}
	var read []evm.StorageAccess
	for i := range exec.Frames {
		for _, access := range exec.Frames[i].Storage {
			if !access.Write && access.Keys.Count > 0 {
				read = append(read, access)
			}
		}
	}
	for i := range read {
		if f, ok := familyOf(&read[i], kind); ok && f.confirm(machine, call, &read[i]) {
			if a[call.To] == nil {
				a[call.To] = map[uint256.Int]family{}
			}
			if read[i].Address == call.To {
				a[call.To][read[i].Base] = f
				return true
			}
		}
	}
	return false
}

// familyOf is the family that a word would be of, by its keys.
func familyOf(access *evm.StorageAccess, kind assetKind) (f family, ok bool) {
	account := new(uint256.Int).SetBytes20(probedAccount[:])
	keys := access.Keys.Words[:access.Keys.Count]
	f = family{kind: kind, within: elementWithin(access)}
	switch kind {
	case fungible:
		ok = len(keys) == 1 && keys[0] == *account
	case unique:
		ok = len(keys) == 1 && keys[0] == *probedID
	case multiple:
		f.account = slices.Index(keys, *account)
		ok = len(keys) == 2 && f.account >= 0 && keys[1-f.account] == *probedID
	}
	return f, ok
}

// elementWithin is how far an element is from its hash.
func elementWithin(access *evm.StorageAccess) (within uint256.Int) {
	hash := hashOf(&access.Base, &access.Keys)
	within.Sub(&access.Slot, &hash)
	return within
}

// confirm reports whether the answer is what is put at a word, and learns what of it.
func (f *family) confirm(machine evm.Machine, call evm.Call, access *evm.StorageAccess) bool {
	answer := func(value *uint256.Int) (answer uint256.Int, ok bool) {
		call.Overwrites = []evm.Overwrite{{Address: access.Address, Slot: access.Slot, Value: *value}}
		exec, err := machine.Run(evm.Sequence{call})
		if err != nil || exec.Calls[0].Outcome != evm.Success || len(exec.Calls[0].Output) != wordBytes {
			return answer, false
		}
		answer.SetBytes(exec.Calls[0].Output)
		return answer, true
	}
	if f.kind == unique {
		owner := new(uint256.Int).SetBytes20(probedAccount[:])
		f.mask.Set(addressMask)
		got, ok := answer(owner)
		return ok && got == *owner
	}
	some := uint256.NewInt(12345) // arbitrary
	if got, ok := answer(some); !ok || got != *some {
		return false
	}
	got, ok := answer(new(uint256.Int).SetAllOne())
	f.mask = got
	var next uint256.Int
	next.AddUint64(&got, 1)
	return ok && next.And(&next, &got).IsZero() // 2ⁿ − 1
}

// addressMask are the bits of an address.
var addressMask = new(uint256.Int).SubUint64(new(uint256.Int).Lsh(uint256.NewInt(1), 8*common.AddressLength), 1)

// kinds are those of an account's families.
func (a assets) kinds(token common.Address) []assetKind {
	var all []assetKind
	for _, kind := range []assetKind{fungible, unique, multiple} {
		for _, f := range a[token] {
			if f.kind == kind {
				all = append(all, kind)
				break
			}
		}
	}
	return all
}

// touches reports whether an access is to who owns what.
func (a assets) touches(access *evm.StorageAccess) bool {
	families := a[access.Address]
	if families == nil {
		return false
	}
	_, ok := families[access.Base]
	return ok && access.Keys.Count > 0
}

// moves calls do for what a written word says of accounts: how much of what one owned before and owns after.
func (a assets) moves(w *write, do func(account common.Address, what asset, before, after uint256.Int)) {
	f, ok := a[w.address][w.access.Base]
	if !ok || w.before == w.after || elementWithin(w.access) != f.within {
		return
	}
	var before, after uint256.Int
	before.And(&w.before, &f.mask)
	after.And(&w.after, &f.mask)
	keys := w.access.Keys.Words[:w.access.Keys.Count]
	what := asset{kind: f.kind, token: w.address}
	switch {
	case f.kind == fungible && len(keys) == 1:
		do(keys[0].Bytes20(), what, before, after)
	case f.kind == multiple && len(keys) == 2:
		what.id = keys[1-f.account]
		do(keys[f.account].Bytes20(), what, before, after)
	case f.kind == unique && len(keys) == 1 && before != after:
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

// question is what asks for what an account owns of an asset.
func (what *asset) question(account common.Address) (to common.Address, data []byte) {
	id, word := what.id.Bytes32(), common.LeftPadBytes(account[:], wordBytes)
	selector := func(signature string) []byte { return crypto.Keccak256([]byte(signature))[:4] }
	switch what.kind {
	case fungible:
		return what.token, slices.Concat(selector("balanceOf(address)"), word)
	case unique:
		return what.token, slices.Concat(selector("ownerOf(uint256)"), id[:])
	case multiple:
		return what.token, slices.Concat(selector("balanceOf(address,uint256)"), word, id[:])
	}
	return account, nil
}
