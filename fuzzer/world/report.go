package world

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Report tells how a World was made.
type Report struct {
	Deployments []Deployment // in order of deployment
	Failures    []Failure    // in table order
}

// Deployment is a contract or library that was deployed.
type Deployment struct {
	Name      string // of the instance, "Vault"; the contract's for a library
	Contract  *bytecode.Contract
	Address   common.Address
	Arguments []string // for people: "cap: 1000", senders and instances by name
	Tries     int      // constructor runs, the successful one included
	// Code is the creation code with libraries linked, without arguments: what a
	// sequence needs to run the constructor with arguments of its own.
	Code []byte
	// Call is the deployment as a call. Run on the finished World it collides with
	// what it has put there; with another Address, a sequence of it alone runs the
	// constructor again, which is the reproducer of what Covered says.
	Call evm.Call
	// Covered holds the blocks that the deployment entered, in creation code and
	// in what the constructor called.
	Covered []evm.Coverage
}

// Failure is a contract that is not in the World.
type Failure struct {
	Contract *bytecode.Contract
	Reason   string // for people
	Tries    int    // constructor runs
	// Code is the creation code with libraries linked; nil when there is none or a
	// library is missing.
	Code []byte
}
