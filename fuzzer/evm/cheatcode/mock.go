package cheatcode

import (
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// mockTable: calls that are answered without running anything.
var mockTable = []function{
	{Signature: "mockCall(address,bytes,bytes)", run: mock(false, false)},
	{Signature: "mockCall(address,uint256,bytes,bytes)", run: mock(true, false)},
	{Signature: "mockCall(address,bytes4,bytes)", run: mock(false, false)},
	{Signature: "mockCall(address,uint256,bytes4,bytes)", run: mock(true, false)},
	{Signature: "mockCallRevert(address,bytes,bytes)", run: mock(false, true)},
	{Signature: "mockCallRevert(address,uint256,bytes,bytes)", run: mock(true, true)},
	{Signature: "mockCallRevert(address,bytes4,bytes)", run: mock(false, true)},
	{Signature: "mockCallRevert(address,uint256,bytes4,bytes)", run: mock(true, true)},
	{Signature: "mockCalls(address,bytes,bytes[])", run: mock(false, false)},
	{Signature: "mockCalls(address,uint256,bytes,bytes[])", run: mock(true, false)},
	{Signature: "clearMockedCalls()", run: clearMockedCalls},
}

// maxMocks bounds the calls that are mocked at a time; arbitrary.
const maxMocks = 1 << 8

func mock(valued, reverts bool) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, a []abi.Value) ([]abi.Value, error) {
		m := Mock{To: a[0].Address(), Revert: reverts}
		a = a[1:]
		if valued {
			m.Value = new(uint256.Int).Set(&a[0].Word)
			a = a[1:]
		}
		m.Data = slices.Clone(a[0].Bytes)
		if c.fn.arguments[len(c.fn.arguments)-2].Kind == abi.FixedBytes {
			word := a[0].Word.Bytes32()
			m.Data = slices.Clone(word[:4])
		}
		if c.fn.arguments[len(c.fn.arguments)-1].Kind != abi.Slice {
			m.Answer = [][]byte{slices.Clone(a[1].Bytes)}
		}
		for _, answer := range a[1].Elems {
			m.Answer = append(m.Answer, slices.Clone(answer.Bytes))
		}
		c.codeFor(m.To)
		return nil, c.mock(m)
	}
}

// codeFor makes an account pass for a contract, as Solidity asks of what it calls.
func (c *context) codeFor(account common.Address) {
	if len(c.Account(account).Code) == 0 {
		c.setCode(account, []byte{0})
	}
}

// mock adds a mock, or replaces the one of the same calls. Those with more calldata
// come first, of two with the same those that ask for a value (Foundry's order).
func (c *context) mock(m Mock) error {
	if !c.keep(m.Data) || !c.keep(m.Answer...) {
		return errFull
	}
	for i := range c.Mocks {
		o := &c.Mocks[i]
		if o.To == m.To && string(o.Data) == string(m.Data) && (o.Value == nil) == (m.Value == nil) && (m.Value == nil || *m.Value == *o.Value) {
			*o = m
			return nil
		}
	}
	if len(c.Mocks) == maxMocks {
		return errors.New("too many calls are mocked")
	}
	at := slices.IndexFunc(c.Mocks, func(o Mock) bool {
		return len(o.Data) < len(m.Data) || len(o.Data) == len(m.Data) && o.Value == nil && m.Value != nil
	})
	if at < 0 {
		at = len(c.Mocks)
	}
	c.Mocks = slices.Insert(c.Mocks, at, m)
	return nil
}

func clearMockedCalls(c *context, _ []abi.Value) ([]abi.Value, error) {
	c.Mocks = nil
	return nil, nil
}
