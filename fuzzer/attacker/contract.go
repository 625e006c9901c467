package attacker

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
)

// Name is what the contract is called in every World.
const Name = "attackerContract"

// Address is where the contract is in every World: a hash, so that no code means it.
var Address = common.BytesToAddress(crypto.Keccak256([]byte("sightline attacker's contract")))

// Mark is the slot that the contract's code writes to in another contract's storage, where that
// contract runs it by DELEGATECALL.
var Mark = *new(uint256.Int).SetBytes(crypto.Keccak256([]byte("sightline: written by an attacker's code in another contract's storage")))

// Now stands for the time of the block among the words of an expected answer.
var Now = *new(uint256.Int).SetBytes(crypto.Keccak256([]byte("sightline: the time of the block")))

//go:embed attacker.json
var compiled []byte

// Code is the contract's runtime code. It must not be written to.
var Code = sync.OnceValue(func() []byte {
	var file struct{ Runtime []byte }
	if err := json.Unmarshal(compiled, &file); err != nil {
		panic(fmt.Sprintf("attacker.json: %v", err)) // embedded, and held by a test
	}
	return file.Runtime
})
