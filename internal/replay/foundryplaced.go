package replay

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/world"
)

// Bounds of what an inheriting test puts into its state: beyond them, it would be a file that is too
// long to read. Arbitrary; 64 kB are the code of two or three of the largest contracts.
const (
	mostPlacedCode    = 64 << 10 // bytes
	mostPlacedStorage = 256      // words
)

// sightlineMade are the contracts that Sightline deployed in addition to those of a test, and what
// these deployed: their accounts are put into the test's state as they are in the World. False if
// they are too large for that.
func (t *foundryTest) sightlineMade() ([]common.Address, bool) {
	accounts := t.snapshot.World.Accounts
	var made []common.Address
	code, words := 0, 0
	nonces := map[common.Address]uint64{world.Deployer.Address: maxNonce}
	for creators := []common.Address{world.Deployer.Address}; len(creators) > 0; creators = creators[1:] {
		creator := creators[0]
		for nonce := range min(nonces[creator], maxNonce) {
			a := crypto.CreateAddress(creator, nonce)
			account := accounts[a]
			if account == nil || len(account.Code) == 0 {
				continue
			}
			code += len(account.Code)
			words += len(account.Storage)
			if account.Remote || code > mostPlacedCode || words > mostPlacedStorage {
				return nil, false
			}
			made = append(made, a)
			nonces[a] = account.Nonce
			creators = append(creators, a)
		}
	}
	slices.SortFunc(made, common.Address.Cmp)
	return made, true
}

// placedCheatcodes are what a test that puts accounts into its state uses in addition.
const placedCheatcodes = `    function etch(address account, bytes calldata code) external;
    function store(address account, bytes32 slot, bytes32 value) external;
    function setNonceUnsafe(address account, uint64 nonce) external;
`

// writePlaced writes what makes the accounts that are put into the state what they are in
// the World.
func (t *foundryTest) writePlaced(b *strings.Builder) {
	for _, a := range t.placed {
		account := t.snapshot.World.Accounts[a]
		fmt.Fprintf(b, "\n        // %s, which Sightline deployed\n", solidityComment(t.nameOf(a)))
		fmt.Fprintf(b, "        sightline.etch(%s, hex\"%s\");\n        sightline.setNonceUnsafe(%[1]s, %[3]d);\n", a.Hex(), hex.EncodeToString(account.Code), account.Nonce)
		if !account.Balance.IsZero() {
			fmt.Fprintf(b, "        sightline.deal(%s, %s);\n", a.Hex(), account.Balance.Dec())
		}
		for _, slot := range slices.SortedFunc(maps.Keys(account.Storage), common.Hash.Cmp) {
			word := account.Storage[slot]
			value := word.Hex()
			held := common.BytesToAddress(word[:])
			if _, ok := t.held[held]; (ok || held == t.at) && bytes.Equal(common.LeftPadBytes(held[:], common.HashLength), word[:]) {
				value = fmt.Sprintf("bytes32(uint256(uint160(%s)))", t.address(held))
			}
			fmt.Fprintf(b, "        sightline.store(%s, %s, %s);\n", a.Hex(), slot.Hex(), value)
		}
	}
}

// nameOf is an account's name in the World, or its address.
func (t *foundryTest) nameOf(a common.Address) string {
	if name, ok := t.space.NameOf(a); ok {
		return name
	}
	return a.Hex()
}
