package signature

import (
	"bytes"
	"crypto/ecdsa"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
)

// randomKey is any key.
func randomKey(t *testing.T, r *rand.Rand) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.ToECDSA(crypto.Keccak256(big.NewInt(r.Int64()).Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// keyOf splits a signature.
func keyOf(digest [32]byte, signature [Length]byte) (key [32]byte, ok bool) {
	return Key(&digest, (*[32]byte)(signature[:]), (*[32]byte)(signature[32:]), signature[64])
}

// TestSign: go-ethereum recovers the signer of what is signed, also in its other form, and so does Key; s is in the lower half.
func TestSign(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ids := map[byte]int{}
	for range 200 {
		key := randomKey(t, r)
		digest := [32]byte(crypto.Keccak256(big.NewInt(r.Int64()).Bytes()))
		signature := Sign(&digest, key)
		s := new(big.Int).SetBytes(signature[32:64])
		if !crypto.ValidateSignatureValues(signature[64], new(big.Int).SetBytes(signature[:32]), s, true) {
			t.Fatalf("%x is not a signature with its s in the lower half", signature)
		}
		other := signature
		new(big.Int).Sub(crypto.S256().Params().N, s).FillBytes(other[32:64])
		other[64] ^= 1
		for _, form := range [][Length]byte{signature, other} {
			recovered, err := crypto.SigToPub(digest[:], form[:])
			if err != nil || !recovered.Equal(&key.PublicKey) {
				t.Fatalf("%x of %x is recovered as %v, %v", form, digest, recovered, err)
			}
			if d, ok := keyOf(digest, form); !ok || !bytes.Equal(d[:], crypto.FromECDSA(key)) {
				t.Fatalf("the key of %x is said to be %x, %v", form, d, ok)
			}
		}
		ids[signature[64]]++
	}
	if ids[0] == 0 || ids[1] == 0 {
		t.Errorf("ids are %v, want both", ids)
	}
}

// TestKey: the key of any s is that whose address go-ethereum recovers; where there is none, Key knows none.
func TestKey(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	n := crypto.S256().Params().N
	for range 200 {
		digest := [32]byte(crypto.Keccak256(big.NewInt(r.Int64()).Bytes()))
		form := [Length]byte{64: byte(r.IntN(2))}
		copy(form[:], nonceRBytes[:])
		copy(form[32:], crypto.Keccak256(digest[:]))
		d, ok := keyOf(digest, form)
		if !ok {
			t.Fatalf("no key of %x", form)
		}
		key, err := crypto.ToECDSA(d[:])
		if err != nil {
			t.Fatal(err)
		}
		if recovered, err := crypto.SigToPub(digest[:], form[:]); err != nil || !recovered.Equal(&key.PublicKey) {
			t.Fatalf("%x of %x is recovered as %v, %v", form, digest, recovered, err)
		}
	}
	digest := [32]byte{31: 5}
	with := func(change func(form *[Length]byte)) [Length]byte {
		form := Sign(&digest, randomKey(t, r))
		change(&form)
		return form
	}
	for name, form := range map[string][Length]byte{
		"another r":       with(func(f *[Length]byte) { f[0]++ }),
		"s is 0":          with(func(f *[Length]byte) { clear(f[32:64]) }),
		"s is the order":  with(func(f *[Length]byte) { n.FillBytes(f[32:64]) }),
		"another id":      with(func(f *[Length]byte) { f[64] = 2 }),
		"of no account":   with(func(f *[Length]byte) { copy(f[32:64], digest[:]); f[64] = 0 }),
		"of none, turned": with(func(f *[Length]byte) { new(big.Int).Sub(n, big.NewInt(5)).FillBytes(f[32:64]); f[64] = 1 }),
	} {
		if d, ok := keyOf(digest, form); ok {
			t.Errorf("%s: the key is said to be %x", name, d)
		}
	}
}

// TestNoNonce: a digest that this nonce cannot sign is signed all the same.
func TestNoNonce(t *testing.T) {
	key := randomKey(t, rand.New(rand.NewPCG(5, 6)))
	n := crypto.S256().Params().N
	z := new(big.Int).Mul(new(big.Int).SetBytes(nonceRBytes[:]), new(big.Int).SetBytes(crypto.FromECDSA(key)))
	digest := [32]byte(z.Sub(n, z.Mod(z, n)).FillBytes(make([]byte, 32)))
	signature := Sign(&digest, key)
	if recovered, err := crypto.SigToPub(digest[:], signature[:]); err != nil || !recovered.Equal(&key.PublicKey) {
		t.Errorf("recovered as %v, %v", recovered, err)
	}
}
