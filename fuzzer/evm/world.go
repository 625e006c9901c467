package evm

import (
	"crypto/ecdsa"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// World is the immutable state that a campaign starts from.
type World struct {
	Accounts  map[common.Address]*Account
	Block     Block
	Fork      string // name of the newest active fork, see [Forks]; "": DefaultFork
	Instances []Instance
	Senders   []Sender
	Cheats    *Cheats `json:",omitempty"` // nil: it has no cheatcodes
	// Properties are prefixes of functions that are properties if they return a bool, in
	// addition to echidna_ and property_.
	Properties []string `json:",omitempty"`
	// Callbacks are the functions that contracts may call on an attacker's contract, with what they
	// return: isOpen(uint256)(bool).
	Callbacks []string `json:",omitempty"`
	// Origin is the chain that the World goes on from; nil: there is none. No file
	// holds it, see [World.Closed].
	Origin Origin `json:"-"`
}

// Account is one account of a World.
type Account struct {
	Balance uint256.Int
	Nonce   uint64
	Code    []byte
	Storage map[common.Hash]common.Hash
	// Remote tells that words that Storage lacks are the World's origin's; otherwise
	// they are zero.
	Remote bool `json:"-"`
}

// Block is the environment of the first call; a call's advances move Number and
// Time on.
type Block struct {
	Number     uint64
	Time       uint64 // seconds since 1970
	Coinbase   common.Address
	PrevRandao common.Hash
	BaseFee    uint64 // wei; the gas price is zero whatever it is
	GasLimit   uint64
	ChainID    uint64 // 0: the constant ChainID
}

// Instance is a deployed contract that sequences may call.
type Instance struct {
	Name     string // unique: "Vault", "Vault#2"
	Address  common.Address
	Contract *bytecode.Contract // whose ABI its calls use
	// Asked tells that sequences do not call it: its properties are asked, and nothing else.
	Asked bool
	// Spare tells that another instance stands for it: a proxy runs its code. It is called, but seldom.
	Spare bool
	// Scope bounds the calls that its properties speak of; nil: all of them.
	Scope *Scope
	// Tests are the signatures of its fuzz tests that are run, each as forge does: alone,
	// from the state of Bare, by [Cheats.Tester]. Its other fuzz tests are not called then.
	// nil: it is not a test contract.
	Tests []string
	// Bare is what Tests run on; nil: the World itself.
	Bare *Bare
}

// Sender is an account that sends calls.
type Sender struct {
	Name    string // "deployer", "user1", "user2", "attacker"
	Address common.Address
	// Key is the private key of Address, to make signatures with; nil: not known.
	// No file holds it: what it has signed is in the calls.
	Key *ecdsa.PrivateKey `json:"-"`
	// TestsOnly tells that it runs fuzz tests, and sends no other call.
	TestsOnly bool `json:",omitempty"`
	// Outsider tells that nothing in the World knows of it: it is there to show what anyone can do.
	Outsider bool `json:",omitempty"`
	// Through is whose transactions call through it: it is a contract of an attacker's, which
	// nothing in the World knows of either. Zero: it is not.
	Through common.Address `json:",omitzero"`
}

// IsContract reports whether the sender is a contract of an attacker's.
func (s *Sender) IsContract() bool { return s.Through != (common.Address{}) }

// DefaultBlock is the environment of a World that nothing else decides: a block
// of mainnet's proof-of-stake era on a development chain. Number and time are
// round and large enough that code that subtracts days or blocks from them does
// not underflow.
func DefaultBlock() Block {
	return Block{
		Number:     20_000_000,
		Time:       1_750_000_000, // June 2025
		Coinbase:   common.HexToAddress("0x00000000000000000000000000000000c01ba5e0"),
		PrevRandao: common.HexToHash("0x5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed"),
		BaseFee:    1_000_000_000, // 1 gwei
		GasLimit:   45_000_000,    // mainnet's in 2025
		ChainID:    ChainID,
	}
}
