package world

import (
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Report says how a World was made.
type Report struct {
	TestSetups []TestSetup // of the project's tests, in the order they were run
	Senders    []Party     // accounts in addition to those of every World
	Callers    []Party     // those of Senders that msg.sender is compared with, see [Options].Callers
	// Examples are calls of the World's instances by its senders, as the tests of the
	// set-ups make them, one sequence for each test.
	Examples []evm.Sequence
	// Likely says which accounts functions take as a rule.
	Likely []Likely
	// Uses are the calls that the configuration, a deploy script and set-ups make, in order.
	Uses        []evm.Call
	Deployments []Deployment // in order of deployment
	Given       int          // so many of Deployments, the first, are by these, and not by a search
	Additions   []Addition   // instances that came about otherwise, in order
	Failures    []Failure    // in table order
	LeftOut     []LeftOut    // in table order
	Calls       []string     // after deployments, for people: "Token.mint(to: user1, amount: 5)"
	// Steps make the World again as a [Plan]: all that was deployed and called, in order,
	// but for set-ups and deploy scripts.
	Steps []Step
	// Made are the transactions that made the World: of [Empty] with the plan's senders, or
	// after TestSetups and their calls. nil unless Told.
	Made []MadeCall
	// Told: TestSetups and Made are all that made the World. Nothing else did: a chain, given
	// accounts, code that a step put at an address.
	Told   bool
	Tester common.Address // deploys test contracts and runs their functions, where TestSetups made the World
	Notes  []string       // for people: calls of a plan that failed

	// Twins are the contracts, by qualified name, that have an instance left as its
	// constructor made it, see [Options].Entries.
	Twins []string

	ran   map[bytecode.Location]string          // see RanBy
	spare map[string]map[bytecode.Position]bool // see UsesSpare
	// tested are the lines that the project's own tests executed, see TestedBy.
	tested map[bytecode.Position]string
}

// TestedBy names a test function of the project that executed a line of the targets when all
// tests were run, "VaultTest.testPay()". False where none did, or none was run.
func (r *Report) TestedBy(line bytecode.Position) (test string, ok bool) {
	test, ok = r.tested[line]
	return test, ok
}

func (r *Report) useSpare(contract string, line bytecode.Position) {
	if r.spare[contract] == nil {
		r.spare[contract] = map[bytecode.Position]bool{}
	}
	r.spare[contract][line] = true
}

// UsesSpare reports whether a test contract is a target with a line of its own copy, see [SetupOptions].Spare.
func (r *Report) UsesSpare(contract string, line bytecode.Position) bool {
	return r.spare[contract][line]
}

// Deployment is a contract or library that was deployed.
type Deployment struct {
	Name      string // of the instance, "Vault"; the contract's for a library
	Contract  *bytecode.Contract
	Address   common.Address
	Arguments []string // for people: "cap: 1000", senders and instances by name
	// Initialization is the call that initialized the instance afterwards,
	// "initialize(owner: deployer)"; empty when there was none.
	Initialization string
	Notes          []string // for people: what the arguments could not be
	Tries          int      // constructor runs, the successful one included
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

// Addition is an instance of the World whose constructor was not searched for:
// a contract seen through a proxy, one that a constructor created, or a second
// instance.
type Addition struct {
	Name           string             // of the instance, "Vault#proxy"
	Contract       *bytecode.Contract // whose functions it has
	Address        common.Address
	Origin         string // for people: "ERC-1967 proxy of Vault", "created by Factory"
	Initialization string // as Deployment's
}

// ownProxyOrigin begins the origin of an instance behind a proxy that nothing of the
// project put there.
const ownProxyOrigin = "ERC-1967 proxy of "

// OwnProxy reports whether the World has the instance behind a proxy for want of another
// way to initialize it, and not because the project put it there.
func (a *Addition) OwnProxy() bool { return strings.HasPrefix(a.Origin, ownProxyOrigin) }

// Failure is a contract that is not in the World.
type Failure struct {
	// LeftOut: it was not tried, since as many were deployed as may be.
	LeftOut  bool
	Contract *bytecode.Contract
	Reason   string // for people
	Tries    int    // constructor runs
	Stop     *Stop  // where the constructor failed; nil: it did not run, or that is unknown
	// Code is the creation code with libraries linked; nil when there is none or a
	// library is missing.
	Code []byte
}
