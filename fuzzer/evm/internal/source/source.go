// Package source reads a World for a machine, its own accounts or those of its origin,
// and makes up what a World does not say about its blocks.
package source

import (
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// fault is the panic of a machine whose World's origin does not answer: there is
// no value to go on with. Run makes an error of it.
type fault struct{ error }

// RunFault is the error of a run that panicked in one of its calls.
func RunFault(panicked any, call, calls int) error {
	if f, ok := panicked.(fault); ok {
		return fmt.Errorf("evm: call %d of %d: %w", call, calls, f.error)
	}
	return fmt.Errorf("evm: call %d of %d: panic: %v\n%s", call, calls, panicked, debug.Stack())
}

// Account is the World's account at an address; nil where there is none. Whether its
// storage is complete says remote.
func Account(w *evm.World, address common.Address) (a *evm.Account, remote bool) {
	if a := w.Accounts[address]; a != nil || w.Origin == nil {
		return a, a != nil && a.Remote
	}
	a, err := w.Origin.Account(address)
	if err != nil {
		panic(fault{fmt.Errorf("account %s: %w", address, err)})
	}
	return a, a != nil
}

// word is a word of an account's storage that the account lacks.
func word(w *evm.World, address common.Address, key common.Hash) common.Hash {
	value, err := w.Origin.Word(address, key)
	if err != nil {
		panic(fault{fmt.Errorf("storage of %s: %w", address, err)})
	}
	return value
}

// Word is a word of an account's storage.
func Word(w *evm.World, address common.Address, a *evm.Account, remote bool, key common.Hash) common.Hash {
	value, ok := a.Storage[key]
	if !ok && remote {
		return word(w, address, key)
	}
	return value
}

// Forget takes an account that is gone out of exported ones. Where the origin has it, an
// empty one stays in its place, so that it is not asked for again.
func Forget(w *evm.World, accounts map[common.Address]*evm.Account, address common.Address) {
	delete(accounts, address)
	if w.Origin == nil {
		return
	}
	if a, _ := Account(w, address); a != nil {
		accounts[address] = &evm.Account{}
	}
}

// BlockHash makes up the hash of a block of the World's chain: that of the number in decimal,
// which is what forge's tests find (revm's EmptyDB).
func BlockHash(number uint64) common.Hash {
	return crypto.Keccak256Hash(strconv.AppendUint(nil, number, 10))
}

// Advance adds without wrapping around.
func Advance(a, b uint64) uint64 {
	if a+b < a {
		return ^uint64(0)
	}
	return a + b
}
