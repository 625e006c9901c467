// Package signature makes signatures for accounts of a campaign, and tells which key made one. It is for keys that everyone may know: all
// signatures are made with the same nonce, so that one takes a multiplication modulo the curve's order where others take a point of the
// curve, and finding its key two.
package signature

import (
	"crypto/ecdsa"
	"encoding/hex"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Length is the length of a signature in bytes: r, s, and which of r's two points is meant, 0 or 1.
const Length = crypto.SignatureLength

// Ecrecover is the precompiled contract that recovers a signature's signer (yellow paper, appendix E.1). Its input is the digest, v, r and s, a word
// each: RecoveryInput bytes.
var Ecrecover = common.BytesToAddress([]byte{1})

// RecoveryInput is the size of [Ecrecover]'s input, bytes.
const RecoveryInput = 128

// The nonce is 1: r is the x of the curve's generator, whose y is even (SEC 2, section 2.4.1).
var (
	nonceR       = mustScalar("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
	nonceRBytes  = nonceR.Bytes()
	nonceInverse = new(secp256k1.ModNScalar).InverseValNonConst(nonceR) // of r
)

func mustScalar(text string) *secp256k1.ModNScalar {
	raw, err := hex.DecodeString(text)
	var s secp256k1.ModNScalar
	if err != nil || s.SetByteSlice(raw) {
		panic("signature: not a number below the curve's order: " + text)
	}
	return &s
}

// Sign signs a digest as [crypto.Sign] does: s is in the lower half of its range.
func Sign(digest *[32]byte, key *ecdsa.PrivateKey) (signature [Length]byte) {
	var d, z secp256k1.ModNScalar
	d.SetBytes((*[32]byte)(crypto.FromECDSA(key)))
	z.SetBytes(digest)
	s := d.Mul(nonceR).Add(&z) // s = (z + r·d) / nonce
	if s.IsZero() {            // a contract that knows the key can choose such a digest: no signature of it has this nonce
		other, err := crypto.Sign(digest[:], key)
		if err != nil {
			panic(err) // no key of this curve
		}
		return [Length]byte(other)
	}
	if s.IsOverHalfOrder() {
		s.Negate()
		signature[Length-1] = 1
	}
	copy(signature[:], nonceRBytes[:])
	s.PutBytesUnchecked(signature[32:64])
	return signature
}

// Key is the key with which a signature was made, if its nonce is that of [Sign], whoever made it. What ecrecover answers for the signature is
// that key's address. id is 0 or 1.
func Key(digest, r, s *[32]byte, id byte) (key [32]byte, ok bool) {
	if *r != nonceRBytes || id > 1 {
		return key, false
	}
	var z, d secp256k1.ModNScalar
	if over := d.SetBytes(s); over != 0 || d.IsZero() {
		return key, false // not a signature
	}
	if id == 1 {
		d.Negate() // the other point is that of the nonce −1
	}
	z.SetBytes(digest)
	d.Add(z.Negate()).Mul(nonceInverse) // d = (s·nonce − z) / r
	if d.IsZero() {
		return key, false // of no account
	}
	return d.Bytes(), true
}
