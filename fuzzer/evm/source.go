package evm

import (
	"encoding/binary"
	"fmt"
	"runtime/debug"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// originFault is the panic of a machine whose World's origin does not answer: there is
// no value to go on with. Run makes an error of it.
type originFault struct{ error }

// runFault is the error of a run that panicked in one of its calls.
func runFault(panicked any, call, calls int) error {
	if f, ok := panicked.(originFault); ok {
		return fmt.Errorf("evm: call %d of %d: %w", call, calls, f.error)
	}
	return fmt.Errorf("evm: call %d of %d: panic: %v\n%s", call, calls, panicked, debug.Stack())
}

// sourceAccount is the World's account at an address; nil where there is none. Whether its
// storage is complete says remote.
func sourceAccount(w *World, address common.Address) (a *Account, remote bool) {
	if a := w.Accounts[address]; a != nil || w.Origin == nil {
		return a, a != nil && a.Remote
	}
	a, err := w.Origin.Account(address)
	if err != nil {
		panic(originFault{fmt.Errorf("account %s: %w", address, err)})
	}
	return a, a != nil
}

// sourceWord is a word of an account's storage that the account lacks.
func sourceWord(w *World, address common.Address, key common.Hash) common.Hash {
	value, err := w.Origin.Word(address, key)
	if err != nil {
		panic(originFault{fmt.Errorf("storage of %s: %w", address, err)})
	}
	return value
}

// storedWord is a word of an account's storage.
func storedWord(w *World, address common.Address, a *Account, remote bool, key common.Hash) common.Hash {
	value, ok := a.Storage[key]
	if !ok && remote {
		return sourceWord(w, address, key)
	}
	return value
}

// forgetAccount takes an account that is gone out of exported ones. Where the origin has it, an
// empty one stays in its place, so that it is not asked for again.
func forgetAccount(w *World, accounts map[common.Address]*Account, address common.Address) {
	delete(accounts, address)
	if w.Origin == nil {
		return
	}
	if a, _ := sourceAccount(w, address); a != nil {
		accounts[address] = &Account{}
	}
}

// blockHash makes up the hash of a block of the World's chain.
func blockHash(number uint64) common.Hash {
	var seed [16]byte
	copy(seed[:], "sightl")
	binary.BigEndian.PutUint64(seed[8:], number)
	return crypto.Keccak256Hash(seed[:])
}

// saturate adds without wrapping around.
func saturate(a, b uint64) uint64 {
	if a+b < a {
		return ^uint64(0)
	}
	return a + b
}
