package cheatcode

import (
	"crypto/ecdsa"
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
)

// keyTable: private keys and what they sign.
var keyTable = []Function{
	{Signature: "addr(uint256)", Returns: "address", run: addr, curve: true},
	{Signature: "sign(uint256,bytes32)", Returns: "uint8,bytes32,bytes32", run: sign, curve: true},
}

// keyOf is the private key of a number.
func keyOf(n *uint256.Int) (*ecdsa.PrivateKey, error) {
	if n.IsZero() {
		return nil, errors.New("private key cannot be 0")
	}
	word := n.Bytes32()
	key, err := crypto.ToECDSA(word[:])
	if err != nil {
		return nil, errors.New("private key must be less than the secp256k1 curve order (115792089237316195423570985008687907852837564279074904382605163141518161494337)")
	}
	return key, nil
}

func addressOfKey(key *ecdsa.PrivateKey) common.Address { return crypto.PubkeyToAddress(key.PublicKey) }

func addr(_ *context, a []value) ([]value, error) {
	key, err := keyOf(&a[0].word)
	if err != nil {
		return nil, err
	}
	return []value{addressOf(addressOfKey(key))}, nil
}

func sign(_ *context, a []value) ([]value, error) {
	key, err := keyOf(&a[0].word)
	if err != nil {
		return nil, err
	}
	return signed(key, a[1].hash())
}

// signed is v, r and s. The signature is a function of key and digest (RFC 6979).
func signed(key *ecdsa.PrivateKey, digest common.Hash) ([]value, error) {
	signature, err := crypto.Sign(digest[:], key)
	if err != nil {
		return nil, err
	}
	return []value{
		uintOf(27 + uint64(signature[64])),
		hashOf(common.Hash(signature[:32])),
		hashOf(common.Hash(signature[32:64])),
	}, nil
}
