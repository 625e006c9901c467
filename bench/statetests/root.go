package main

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// leaf is an entry of a trie, under the hash of its key (yellow paper, §4.1).
type leaf struct {
	key   common.Hash
	value []byte
}

// root is the hash of a trie.
func root(leaves []leaf) common.Hash {
	slices.SortFunc(leaves, func(a, b leaf) int { return bytes.Compare(a.key[:], b.key[:]) })
	t := trie.NewStackTrie(nil)
	for _, l := range leaves {
		if err := t.Update(l.key[:], l.value); err != nil {
			panic("statetests: leaves in order are refused: " + err.Error())
		}
	}
	return t.Hash()
}

// encode is the RLP of what always has one.
func encode(v any) []byte {
	data, err := rlp.EncodeToBytes(v)
	if err != nil {
		panic("statetests: no RLP: " + err.Error())
	}
	return data
}

// stateRoot is the root of the state trie of some accounts.
func stateRoot(accounts map[common.Address]*evm.Account) common.Hash {
	var leaves []leaf
	for address, a := range accounts { // sorted by root
		var slots []leaf
		for key, value := range a.Storage { // likewise
			if value != (common.Hash{}) {
				slots = append(slots, leaf{crypto.Keccak256Hash(key[:]), encode(common.TrimLeftZeroes(value[:]))})
			}
		}
		leaves = append(leaves, leaf{crypto.Keccak256Hash(address[:]), encode(&types.StateAccount{
			Nonce: a.Nonce, Balance: &a.Balance, Root: root(slots), CodeHash: crypto.Keccak256(a.Code),
		})})
	}
	return root(leaves)
}

// logsHash is what post states hold of events: the hash of their RLP.
func logsHash(logs []*types.Log) common.Hash {
	if logs == nil {
		logs = []*types.Log{}
	}
	return crypto.Keccak256Hash(encode(logs))
}
