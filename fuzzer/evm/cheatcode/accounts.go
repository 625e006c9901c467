package cheatcode

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/abi"
)

// accountTable: balances, nonces, code, storage and names.
var accountTable = []function{
	{Signature: "deal(address,uint256)", run: deal, Note: "undone with the frame that did it, when that fails (not so in Foundry)"},
	{Signature: "store(address,bytes32,bytes32)", run: store},
	{Signature: "load(address,bytes32)", Returns: "bytes32", run: load},
	{Signature: "etch(address,bytes)", run: etch},
	{Signature: "getNonce(address)", Returns: "uint64", run: getNonce},
	{Signature: "setNonce(address,uint64)", run: setNonce, Note: "undone as deal is"},
	{Signature: "setNonceUnsafe(address,uint64)", run: setNonceUnsafe},
	{Signature: "resetNonce(address)", run: resetNonce},
	{Signature: "label(address,string)", run: label},
	{Signature: "getLabel(address)", Returns: "string", run: getLabel},
}

func deal(c *context, a []abi.Value) ([]abi.Value, error) {
	account := c.Account(a[0].Address())
	account.Balance = a[1].Word
	c.SetAccount(a[0].Address(), account)
	return nil, nil
}

func store(c *context, a []abi.Value) ([]abi.Value, error) {
	if err := noPrecompile(a[0].Address()); err != nil {
		return nil, err
	}
	c.Store(a[0].Address(), &a[1].Word, &a[2].Word)
	return nil, nil
}

func load(c *context, a []abi.Value) ([]abi.Value, error) {
	word := c.Load(a[0].Address(), &a[1].Word)
	return []abi.Value{wordOf(&word)}, nil
}

func etch(c *context, a []abi.Value) ([]abi.Value, error) {
	if a[0].Address() == Address {
		return nil, errors.New("cannot change the cheatcodes' account")
	}
	if err := noPrecompile(a[0].Address()); err != nil {
		return nil, err
	}
	c.setCode(a[0].Address(), a[1].Bytes)
	return nil, nil
}

func (c *context) setCode(address common.Address, code []byte) {
	account := c.Account(address)
	account.Code = append([]byte(nil), code...)
	c.SetAccount(address, account)
}

func (c *context) setNonce(address common.Address, nonce uint64) {
	account := c.Account(address)
	account.Nonce = nonce
	c.SetAccount(address, account)
}

// noPrecompile refuses accounts whose code and storage are never read. The cheatcodes' own
// is not one of them: DSTest stores there that a test has failed.
func noPrecompile(address common.Address) error {
	if common.BytesToAddress(address[18:]) == address && address[18] == 0 && address[19] != 0 && address[19] <= lastPrecompile {
		return fmt.Errorf("cannot use precompile %s as an argument", address)
	}
	return nil
}

// lastPrecompile is the last byte of the last precompile's address since Prague
// (EIP-2537), of those that Foundry refuses.
const lastPrecompile = 0x11

func getNonce(c *context, a []abi.Value) ([]abi.Value, error) {
	return []abi.Value{uintOf(c.Account(a[0].Address()).Nonce)}, nil
}

func setNonce(c *context, a []abi.Value) ([]abi.Value, error) {
	now, next := c.Account(a[0].Address()).Nonce, a[1].Word.Uint64()
	if next < now {
		return nil, fmt.Errorf("new nonce (%d) must be strictly equal to or higher than the account's current nonce (%d)", next, now)
	}
	return setNonceUnsafe(c, a)
}

func setNonceUnsafe(c *context, a []abi.Value) ([]abi.Value, error) {
	c.setNonce(a[0].Address(), a[1].Word.Uint64())
	return nil, nil
}

// resetNonce: 1 for contracts (EIP-161), 0 for others.
func resetNonce(c *context, a []abi.Value) ([]abi.Value, error) {
	nonce := uint64(0)
	if len(c.Account(a[0].Address()).Code) > 0 {
		nonce = 1
	}
	c.setNonce(a[0].Address(), nonce)
	return nil, nil
}

// maxLabels bounds the names that are remembered, and maxLabel their length: a test has
// a few dozen. Both are arbitrary.
const (
	maxLabels = 1 << 10
	maxLabel  = 1 << 8
)

func label(c *context, a []abi.Value) ([]abi.Value, error) {
	c.name(a[0].Address(), a[1].Text())
	return nil, nil
}

// name gives an account a name, if there is room for it.
func (c *context) name(address common.Address, name string) {
	if c.Labels == nil {
		c.Labels = map[common.Address]string{}
	}
	if len(c.Labels) < maxLabels && len(name) <= maxLabel {
		c.Labels[address] = name
	}
}

func getLabel(c *context, a []abi.Value) ([]abi.Value, error) {
	name, ok := c.Labels[a[0].Address()]
	if !ok {
		name = "unlabeled:" + a[0].Address().Hex()
	}
	return []abi.Value{textOf(name)}, nil
}
