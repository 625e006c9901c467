package cheatcode

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// The accounts whose calls are cheatcodes.
var (
	// Address is the cheatcodes': the last 20 bytes of keccak256("hevm cheat code").
	// Its code is [Code], since Solidity calls no account without code.
	Address = common.HexToAddress("0x7109709ECfa91a80626fF3989D68f67F5b1DD12D")
	// Console is console.log's: "console.log" in ASCII. It needs no code: callers do
	// not check.
	Console = common.HexToAddress("0x000000000000000000636F6e736F6c652e6c6f67")
)

// Code is the code of the cheatcodes' account, which is never run.
var Code = []byte{0}

// Host is the machine that a cheatcode is called on, between two instructions.
type Host interface {
	Accounts
	Chain
	History
}

// Accounts is the state of a machine. Changes are undone with the frame that made them,
// as a contract's own are.
type Accounts interface {
	Words
	Account(common.Address) Account
	SetAccount(common.Address, Account)
}

// Account is an account without its storage; one that does not exist is empty.
type Account struct {
	Balance uint256.Int // wei
	Nonce   uint64
	Code    []byte // not to be changed in place
}

// Words is the storage of all accounts.
type Words interface {
	Load(account common.Address, slot *uint256.Int) uint256.Int
	Store(account common.Address, slot, word *uint256.Int)
}

// Chain is the environment: block, chain and transaction. A change lasts as long as the call,
// even if the frame that made it fails: in Foundry it is not part of the state.
type Chain interface {
	Environment() Environment
	SetEnvironment(Environment)
}

// History restores earlier states.
type History interface {
	// Mark puts a mark with this number into the state's history.
	Mark(number int)
	// Restore changes the state back to what it was at the latest mark of a number, and
	// marks it again; false when the mark is gone, with the frame that made it. What was
	// restored is a change like any other.
	Restore(number int) bool
}

// Environment is a contract's view of block, chain and transaction.
type Environment struct {
	ChainID     uint64
	Number      uint64
	Time        uint64 // seconds since 1970
	Coinbase    common.Address
	PrevRandao  common.Hash
	BaseFee     uint64 // wei
	BlobBaseFee uint64 // wei
	GasLimit    uint64 // of the block
	GasPrice    uint64 // wei
	Origin      common.Address
}

// Edge is the cheatcodes' access to the outside world. Each field may be nil; the cheatcodes
// that need it are then refused.
type Edge struct {
	// Artifact finds a contract of the build by an argument of getCode: "Vault",
	// "Vault.sol", "Vault.sol:Vault", or a path to its artifact.
	Artifact func(name string) (creation, deployed []byte, err error)
	// ReadFile reads a file of the project.
	ReadFile func(path string) ([]byte, error)
	// Root is the project's folder, as projectRoot returns it.
	Root string
	// Fork is the chain that the state goes on from, which tests may fork.
	Fork *Fork
}
