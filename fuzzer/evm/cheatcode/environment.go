package cheatcode

import (
	"errors"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// environmentTable: block, chain and transaction.
var environmentTable = []function{
	{Signature: "warp(uint256)", run: warp},
	{Signature: "roll(uint256)", run: roll},
	{Signature: "fee(uint256)", run: setNumber(func(s *Settings) **uint64 { return &s.BaseFee })},
	{Signature: "chainId(uint256)", run: setNumber(func(s *Settings) **uint64 { return &s.ChainID })},
	{Signature: "txGasPrice(uint256)", run: setNumber(func(s *Settings) **uint64 { return &s.GasPrice })},
	{Signature: "blobBaseFee(uint256)", run: setNumber(func(s *Settings) **uint64 { return &s.BlobBaseFee })},
	{Signature: "coinbase(address)", run: coinbase},
	{Signature: "prevrandao(bytes32)", run: prevrandao},
	{Signature: "prevrandao(uint256)", run: prevrandao},
	{Signature: "difficulty(uint256)", Status: refused, Note: "blocks have no difficulty since Paris: use vm.prevrandao"},
	{Signature: "getBlockNumber()", Returns: "uint256", run: getBlockNumber},
	{Signature: "getBlockTimestamp()", Returns: "uint256", run: getBlockTimestamp},
	{Signature: "getChainId()", Returns: "uint256", run: getChainID},
	{Signature: "getBlobBaseFee()", Returns: "uint256", run: getBlobBaseFee},
}

var errTooLarge = errors.New("the number is larger than 2^64-1")

func small(w *uint256.Int) (uint64, error) {
	if !w.IsUint64() {
		return 0, errTooLarge
	}
	return w.Uint64(), nil
}

func warp(c *context, a []abi.Value) ([]abi.Value, error) {
	time, err := small(&a[0].Word)
	if err != nil {
		return nil, err
	}
	e := c.Environment()
	e.Time = time
	c.SetEnvironment(e)
	return nil, nil
}

func roll(c *context, a []abi.Value) ([]abi.Value, error) {
	number, err := small(&a[0].Word)
	if err != nil {
		return nil, err
	}
	e := c.Environment()
	e.Number = number
	c.SetEnvironment(e)
	return nil, nil
}

// setNumber makes a cheatcode of a setting.
func setNumber(setting func(*Settings) **uint64) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, a []abi.Value) ([]abi.Value, error) {
		n, err := small(&a[0].Word)
		if err != nil {
			return nil, err
		}
		*setting(&c.Settings) = &n
		c.apply()
		return nil, nil
	}
}

// apply puts the settings into effect.
func (c *context) apply() {
	e := c.Environment()
	c.Settings.Apply(&e)
	c.SetEnvironment(e)
}

func coinbase(c *context, a []abi.Value) ([]abi.Value, error) {
	address := a[0].Address()
	c.Settings.Coinbase = &address
	c.apply()
	return nil, nil
}

func prevrandao(c *context, a []abi.Value) ([]abi.Value, error) {
	hash := a[0].Hash()
	c.Settings.PrevRandao = &hash
	c.apply()
	return nil, nil
}

func getBlockNumber(c *context, _ []abi.Value) ([]abi.Value, error) {
	return []abi.Value{uintOf(c.Environment().Number)}, nil
}

func getBlockTimestamp(c *context, _ []abi.Value) ([]abi.Value, error) {
	return []abi.Value{uintOf(c.Environment().Time)}, nil
}

func getChainID(c *context, _ []abi.Value) ([]abi.Value, error) {
	return []abi.Value{uintOf(c.Environment().ChainID)}, nil
}

func getBlobBaseFee(c *context, _ []abi.Value) ([]abi.Value, error) {
	return []abi.Value{uintOf(c.Environment().BlobBaseFee)}, nil
}
