package cheatcode

import (
	stdcrypto "crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"encoding/asn1"
	"errors"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// wallet is VmSafe.Wallet: address, public key, private key.
const wallet = "(address,uint256,uint256,uint256)"

// delegation is VmSafe.SignedDelegation: v, r, s, nonce, implementation.
const delegation = "(uint8,bytes32,bytes32,uint64,address)"

// keyTable: private keys and what they sign.
var keyTable = []function{
	{Signature: "addr(uint256)", Returns: "address", run: addr, curve: true},
	{Signature: "sign(uint256,bytes32)", Returns: "uint8,bytes32,bytes32", run: sign, curve: true},
	{Signature: "sign(" + wallet + ",bytes32)", Returns: "uint8,bytes32,bytes32", run: sign, curve: true},
	{Signature: "sign(bytes32)", Returns: "uint8,bytes32,bytes32", run: signRemembered, curve: true},
	{Signature: "sign(address,bytes32)", Returns: "uint8,bytes32,bytes32", run: signRemembered, curve: true},
	{Signature: "signCompact(uint256,bytes32)", Returns: "bytes32,bytes32", run: compact(sign), curve: true},
	{Signature: "signCompact(" + wallet + ",bytes32)", Returns: "bytes32,bytes32", run: compact(sign), curve: true},
	{Signature: "signCompact(bytes32)", Returns: "bytes32,bytes32", run: compact(signRemembered), curve: true},
	{Signature: "signCompact(address,bytes32)", Returns: "bytes32,bytes32", run: compact(signRemembered), curve: true},
	{Signature: "signWithNonceUnsafe(uint256,bytes32,uint256)", Returns: "uint8,bytes32,bytes32", Status: refused, Note: "signatures with a chosen nonce give the key away; use vm.sign"},
	{Signature: "signP256(uint256,bytes32)", Returns: "bytes32,bytes32", run: signP256, curve: true},
	{Signature: "publicKeyP256(uint256)", Returns: "uint256,uint256", run: publicKeyP256, curve: true},
	{Signature: "createEd25519Key(bytes32)", Returns: "bytes32,bytes32", run: createEd25519, curve: true},
	{Signature: "publicKeyEd25519(bytes32)", Returns: "bytes32", run: publicEd25519, curve: true},
	{Signature: "signEd25519(bytes,bytes,bytes32)", Returns: "bytes", run: signEd25519, curve: true},
	{Signature: "verifyEd25519(bytes,bytes,bytes,bytes32)", Returns: "bool", run: verifyEd25519, curve: true},
	{Signature: "createWallet(string)", Returns: wallet, run: createWallet, curve: true},
	{Signature: "createWallet(uint256)", Returns: wallet, run: createWallet, curve: true},
	{Signature: "createWallet(uint256,string)", Returns: wallet, run: createWallet, curve: true},
	{Signature: "getNonce(" + wallet + ")", Returns: "uint64", run: walletNonce},
	{Signature: "rememberKey(uint256)", Returns: "address", run: rememberKey, curve: true},
	{Signature: "getWallets()", Returns: "address[]", run: getWallets},
	{Signature: "rememberKeys(string,string,uint32)", Returns: "address[]", Status: refused, Note: noMnemonic},
	{Signature: "rememberKeys(string,string,string,uint32)", Returns: "address[]", Status: refused, Note: noMnemonic},
	{Signature: "deriveKey(string,uint32)", Returns: "uint256", Status: refused, Note: noMnemonic},
	{Signature: "deriveKey(string,string,uint32)", Returns: "uint256", Status: refused, Note: noMnemonic},
	{Signature: "deriveKey(string,uint32,string)", Returns: "uint256", Status: refused, Note: noMnemonic},
	{Signature: "deriveKey(string,string,uint32,string)", Returns: "uint256", Status: refused, Note: noMnemonic},
	{Signature: "signDelegation(address,uint256)", Returns: delegation, run: signDelegation, curve: true},
	{Signature: "signDelegation(address,uint256,uint64)", Returns: delegation, run: signDelegation, curve: true},
	{Signature: "signDelegation(address,uint256,bool)", Returns: delegation, run: signDelegation, curve: true},
	{Signature: "attachDelegation(" + delegation + ")", run: attachDelegation, curve: true},
	{Signature: "attachDelegation(" + delegation + ",bool)", run: attachDelegation, curve: true},
	{Signature: "signAndAttachDelegation(address,uint256)", Returns: delegation, run: signAndAttach, curve: true},
	{Signature: "signAndAttachDelegation(address,uint256,uint64)", Returns: delegation, run: signAndAttach, curve: true},
	{Signature: "signAndAttachDelegation(address,uint256,bool)", Returns: delegation, run: signAndAttach, curve: true},
}

const noMnemonic = "Sightline reads no mnemonics: use a private key, such as makeAddrAndKey's"

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

// givenKey is the key of an argument: a number, or a wallet, whose last field it is.
func givenKey(v *abi.Value) (*ecdsa.PrivateKey, error) {
	if v.Elems != nil {
		v = &v.Elems[3]
	}
	return keyOf(&v.Word)
}

func addr(_ *context, a []abi.Value) ([]abi.Value, error) {
	key, err := keyOf(&a[0].Word)
	if err != nil {
		return nil, err
	}
	return []abi.Value{addressOf(addressOfKey(key))}, nil
}

func sign(_ *context, a []abi.Value) ([]abi.Value, error) {
	key, err := givenKey(&a[0])
	if err != nil {
		return nil, err
	}
	return signed(key, a[1].Hash())
}

// signed is v, r and s. The signature is a function of key and digest (RFC 6979).
func signed(key *ecdsa.PrivateKey, digest common.Hash) ([]abi.Value, error) {
	signature, err := crypto.Sign(digest[:], key)
	if err != nil {
		return nil, err
	}
	return []abi.Value{
		uintOf(27 + uint64(signature[64])),
		hashOf(common.Hash(signature[:32])),
		hashOf(common.Hash(signature[32:64])),
	}, nil
}

// compact makes r and vs (EIP-2098) of v, r and s.
func compact(sign func(*context, []abi.Value) ([]abi.Value, error)) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, a []abi.Value) ([]abi.Value, error) {
		vrs, err := sign(c, a)
		if err != nil {
			return nil, err
		}
		vs := vrs[2].Word
		if vrs[0].Word.Uint64() == 28 {
			vs.Or(&vs, signBit)
		}
		return []abi.Value{vrs[1], wordOf(&vs)}, nil
	}
}

// maxKeys bounds the keys that are remembered; arbitrary.
const maxKeys = 1 << 8

func rememberKey(c *context, a []abi.Value) ([]abi.Value, error) {
	key, err := keyOf(&a[0].Word)
	if err != nil {
		return nil, err
	}
	remembered := Key{addressOfKey(key), a[0].Word}
	return []abi.Value{addressOf(remembered.Address)}, c.remember(remembered)
}

func (c *context) remember(key Key) error {
	if slices.Contains(c.Keys, key) {
		return nil
	}
	if len(c.Keys) == maxKeys {
		return errors.New("too many keys are remembered")
	}
	c.Keys = append(c.Keys, key)
	return nil
}

func getWallets(c *context, _ []abi.Value) ([]abi.Value, error) {
	var list abi.Value
	for i := range c.Keys {
		list.Elems = append(list.Elems, addressOf(c.Keys[i].Address))
	}
	return []abi.Value{list}, nil
}

// signRemembered signs with the key of an address, or with the only one.
func signRemembered(c *context, a []abi.Value) ([]abi.Value, error) {
	at := 0
	if len(a) > 1 {
		at = slices.IndexFunc(c.Keys, func(k Key) bool { return k.Address == a[0].Address() })
	} else if len(c.Keys) != 1 {
		return nil, errors.New("could not determine signer: use vm.rememberKey for exactly one key")
	}
	if at < 0 {
		return nil, errors.New("signer with this address is not available: use vm.rememberKey")
	}
	key, err := keyOf(&c.Keys[at].Number)
	if err != nil {
		return nil, err
	}
	return signed(key, a[len(a)-1].Hash())
}

func createWallet(c *context, a []abi.Value) ([]abi.Value, error) {
	var n uint256.Int
	name := ""
	if c.fn.arguments[0].Kind == abi.String {
		name = a[0].Text()
		n.SetBytes(crypto.Keccak256(a[0].Bytes))
	} else {
		n = a[0].Word
		if len(a) > 1 {
			name = a[1].Text()
		}
	}
	key, err := keyOf(&n)
	if err != nil {
		return nil, err
	}
	address := addressOfKey(key)
	if name != "" {
		c.name(address, name)
	}
	// ECDSA keys are points in uncompressed form: 0x04, x and y.
	point := crypto.FromECDSAPub(&key.PublicKey)
	return []abi.Value{listOf(addressOf(address), hashOf(common.Hash(point[1:33])), hashOf(common.Hash(point[33:])), wordOf(&n))}, nil
}

func walletNonce(c *context, a []abi.Value) ([]abi.Value, error) {
	return []abi.Value{uintOf(c.Account(a[0].Elems[0].Address()).Nonce)}, nil
}

// p256Key is a key on the curve secp256r1.
func p256Key(n *uint256.Int) (*ecdsa.PrivateKey, error) {
	word := n.Bytes32()
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), word[:])
	if err != nil {
		return nil, errors.New("private key must be on the secp256r1 curve, and not 0")
	}
	return key, nil
}

// signP256 gives the lower of the two possible s, as Foundry does. The signature is a
// function of key and digest (RFC 6979).
func signP256(_ *context, a []abi.Value) ([]abi.Value, error) {
	key, err := p256Key(&a[0].Word)
	if err != nil {
		return nil, err
	}
	digest := a[1].Hash()
	encoded, err := key.Sign(nil, digest[:], stdcrypto.SHA256)
	if err != nil {
		return nil, err
	}
	var signature struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(encoded, &signature); err != nil {
		return nil, err
	}
	order := elliptic.P256().Params().N
	if other := new(big.Int).Sub(order, signature.S); other.Cmp(signature.S) < 0 {
		signature.S = other
	}
	return []abi.Value{wordOf(uint256.MustFromBig(signature.R)), wordOf(uint256.MustFromBig(signature.S))}, nil
}

func publicKeyP256(_ *context, a []abi.Value) ([]abi.Value, error) {
	key, err := p256Key(&a[0].Word)
	if err != nil {
		return nil, err
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		return nil, err
	}
	return []abi.Value{hashOf(common.Hash(point[1:33])), hashOf(common.Hash(point[33:]))}, nil
}

func ed25519Key(v *abi.Value) ed25519.PrivateKey {
	seed := v.Hash()
	return ed25519.NewKeyFromSeed(seed[:])
}

func ed25519Public(v *abi.Value) abi.Value {
	return hashOf(common.Hash(ed25519Key(v)[ed25519.SeedSize:]))
}

// createEd25519 makes a key pair whose private key is the salt itself.
func createEd25519(_ *context, a []abi.Value) ([]abi.Value, error) {
	return []abi.Value{ed25519Public(&a[0]), a[0]}, nil
}

func publicEd25519(_ *context, a []abi.Value) ([]abi.Value, error) {
	return []abi.Value{ed25519Public(&a[0])}, nil
}

// signEd25519 signs the concatenation of namespace and message.
func signEd25519(_ *context, a []abi.Value) ([]abi.Value, error) {
	message := slices.Concat(a[0].Bytes, a[1].Bytes)
	return []abi.Value{bytesOf(ed25519.Sign(ed25519Key(&a[2]), message))}, nil
}

func verifyEd25519(_ *context, a []abi.Value) ([]abi.Value, error) {
	key := a[3].Hash()
	message := slices.Concat(a[1].Bytes, a[2].Bytes)
	return []abi.Value{boolOf(len(a[0].Bytes) == ed25519.SignatureSize && ed25519.Verify(key[:], message, a[0].Bytes))}, nil
}

// signDelegation authorizes an account's code (EIP-7702), for the chain's number or, where the
// last argument says so, for all chains.
func signDelegation(c *context, a []abi.Value) ([]abi.Value, error) {
	key, err := keyOf(&a[1].Word)
	if err != nil {
		return nil, err
	}
	e := c.Environment()
	authorization := types.SetCodeAuthorization{
		ChainID: *uint256.NewInt(e.ChainID), Address: a[0].Address(), Nonce: c.Account(addressOfKey(key)).Nonce,
	}
	if addressOfKey(key) == e.Origin {
		authorization.Nonce++ // the transaction's own comes first
	}
	if len(a) > 2 {
		if c.fn.arguments[2].Kind == abi.Uint {
			authorization.Nonce = a[2].Word.Uint64()
		} else if a[2].Bool() {
			authorization.ChainID.Clear()
		}
	}
	signature, err := types.SignSetCode(key, authorization)
	if err != nil {
		return nil, err
	}
	return []abi.Value{listOf(
		uintOf(uint64(signature.V)), wordOf(&signature.R), wordOf(&signature.S), uintOf(signature.Nonce), addressOf(signature.Address),
	)}, nil
}

// attachDelegation puts an authorization into effect at once.
func attachDelegation(c *context, a []abi.Value) ([]abi.Value, error) {
	d := a[0].Elems
	authorization := types.SetCodeAuthorization{
		ChainID: *uint256.NewInt(c.Environment().ChainID), Address: d[4].Address(), Nonce: d[3].Word.Uint64(),
		V: uint8(d[0].Word.Uint64()), R: d[1].Word, S: d[2].Word,
	}
	if len(a) > 1 && a[1].Bool() {
		authorization.ChainID.Clear()
	}
	authority, err := authorization.Authority()
	if err != nil {
		return nil, errors.New("invalid signature")
	}
	account := c.Account(authority)
	if account.Nonce != authorization.Nonce {
		return nil, errors.New("invalid nonce")
	}
	account.Nonce++
	account.Code = types.AddressToDelegation(authorization.Address)
	if (authorization.Address == common.Address{}) {
		account.Code = nil
	}
	c.SetAccount(authority, account)
	return nil, nil
}

func signAndAttach(c *context, a []abi.Value) ([]abi.Value, error) {
	signature, err := signDelegation(c, a)
	if err != nil {
		return nil, err
	}
	all := len(a) > 2 && c.fn.arguments[2].Kind == abi.Bool && a[2].Bool()
	_, err = attachDelegation(c, []abi.Value{signature[0], boolOf(all)})
	return signature, err
}
