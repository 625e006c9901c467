package evm

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// CallGas is the gas every call of a sequence gets: the cap of one transaction
// since Osaka (EIP-7825).
const CallGas = 1 << 24

// Call is one transaction of a sequence, encoded. It is the machine's input; the
// typed form that mutators work on is fuzzer/input's.
type Call struct {
	From  common.Address
	To    common.Address // ignored when Create is set
	Data  []byte         // calldata, or creation code with its arguments when Create is set
	Value uint256.Int    // wei
	Gas   uint64         // 0: CallGas

	// Create makes the call a deployment: Data runs as creation code and the
	// returned code is installed at Address.
	Create bool
	// Address is where a deployment puts the contract. It is chosen by the
	// sequence (not derived from a nonce), so that later calls can name it.
	Address common.Address

	TimeAdvance  uint64 // seconds that pass before the call
	BlockAdvance uint64 // blocks that pass before the call

	// Origin is whose transaction it is, where From is a contract that the transaction calls
	// through: what ORIGIN answers. Zero: From's.
	Origin common.Address

	// Instructions are words that an attacker's contract sets in its own storage before the call, as a
	// transaction of its own would: what it will do when it is called, see fuzzer/attacker.
	Instructions []Overwrite

	// Overwrites change the storage before the call, in order. No transaction can do
	// that: such a call tells what another state would bring, and nothing about the
	// World that the sequence began with (harvey §5, aggressive mode).
	Overwrites []Overwrite
}

// Equal reports whether both calls are the same.
func (c *Call) Equal(d *Call) bool {
	return c.From == d.From && c.To == d.To && c.Value == d.Value && c.Gas == d.Gas &&
		c.Create == d.Create && c.Address == d.Address &&
		c.TimeAdvance == d.TimeAdvance && c.BlockAdvance == d.BlockAdvance && bytes.Equal(c.Data, d.Data) &&
		c.Origin == d.Origin && slices.Equal(c.Instructions, d.Instructions) && slices.Equal(c.Overwrites, d.Overwrites)
}

// Sender is the account whose transaction the call is.
func (c *Call) Sender() common.Address {
	if c.Origin != (common.Address{}) {
		return c.Origin
	}
	return c.From
}

// Overwrite is a word of storage that is set from outside, by no call.
type Overwrite struct {
	Address     common.Address
	Slot, Value uint256.Int
}

// Sequence is a list of transactions, run in order from a World.
type Sequence []Call

// OverridesState reports whether a call of the sequence runs on storage that was set from
// outside: the World may then be unable to reach what it does.
func (s Sequence) OverridesState() bool {
	return slices.ContainsFunc(s, func(c Call) bool { return len(c.Overwrites) > 0 })
}
