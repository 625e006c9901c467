package evm

import (
	"maps"

	"github.com/ethereum/go-ethereum/common"
)

// Origin is a chain, at one block, that a World goes on from: what the World's accounts
// lack is asked of it when it is first needed. It gives the same answer whenever it is
// asked, and may be asked from several goroutines.
type Origin interface {
	// Account is an account as it was there, with Storage as far as that is at hand;
	// nil where there was none. It must not be changed.
	Account(common.Address) (*Account, error)
	// Word is a word of its storage.
	Word(common.Address, common.Hash) (common.Hash, error)
	// Known are the accounts that were asked for, with the words that were.
	Known() map[common.Address]*Account
}

// Account is the account at an address, the origin's where the World has none of its
// own; nil where neither has. Of its storage, only what is at hand is there.
func (w *World) Account(address common.Address) (account *Account, err error) {
	if a := w.Accounts[address]; a != nil || w.Origin == nil {
		return a, nil
	}
	return w.Origin.Account(address)
}

// Word is a word of an account's storage, the origin's where the World has not written it.
func (w *World) Word(address common.Address, key common.Hash) (common.Hash, error) {
	a, err := w.Account(address)
	if err != nil || a == nil {
		return common.Hash{}, err
	}
	if value, ok := a.Storage[key]; ok || !a.Remote {
		return value, nil
	}
	return w.Origin.Word(address, key)
}

// Closed is the World without its origin: it has all that was ever asked of it, and
// nothing else is there. What ran on the World runs on this in the same way.
func (w *World) Closed() *World {
	if w.Origin == nil {
		return w
	}
	closed := *w
	closed.Origin = nil
	closed.Accounts = maps.Clone(w.Accounts)
	known := w.Origin.Known()
	for address, a := range known {
		if closed.Accounts[address] == nil {
			closed.Accounts[address] = a
		}
	}
	for address, a := range closed.Accounts {
		if !a.Remote {
			continue
		}
		whole := *a
		whole.Remote, whole.Storage = false, map[common.Hash]common.Hash{}
		if k := known[address]; k != nil {
			maps.Copy(whole.Storage, k.Storage)
		}
		maps.Copy(whole.Storage, a.Storage)
		maps.DeleteFunc(whole.Storage, func(_, value common.Hash) bool { return value == common.Hash{} })
		closed.Accounts[address] = &whole
	}
	return &closed
}
