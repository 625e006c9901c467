package world

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// The senders of every World. Each has a private key, since contracts ask for
// signatures of those that they know. The keys are hashes of public texts: they are
// worth nothing outside of a World. The numbers in the texts were searched for, so
// that the addresses are easy to tell apart in reports: they begin with 10, 20, 30
// and 40, and end with d01, a01, a02 and bad.
var (
	Deployer = keyed("deployer", 454370)
	User1    = keyed("user1", 108365)
	User2    = keyed("user2", 373138)
	Attacker = keyed("attacker", 235931)
)

// keyed is the sender whose private key is the hash of its name and a number.
func keyed(name string, number int) evm.Sender {
	key, err := crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, "sightline %s %d", name, number)))
	if err != nil {
		panic(err) // the hash is not a valid key: the number is wrong
	}
	return evm.Sender{Name: name, Address: crypto.PubkeyToAddress(key.PublicKey), Key: key}
}

// Senders lists the senders of every World.
func Senders() []evm.Sender { return []evm.Sender{Deployer, User1, User2, Attacker} }

// funds is what each sender owns, 2^96 wei: about 600 times all the ether there is,
// so that funds never limit an input, yet sums of many such values fit in the
// 128-bit counters that contracts like to use.
var funds = new(uint256.Int).Lsh(uint256.NewInt(1), 96)

// Funds returns what each sender owns in a World in which nothing happened, wei.
func Funds() *uint256.Int { return funds.Clone() }

// DefaultMaxInstances bounds the deployed instances when [Options] does not. What
// is worth deploying is for [Select] to say; this only bounds the work on a build
// where everything changed. Arbitrary.
const DefaultMaxInstances = 2048

// Options say what [Auto] deploys.
type Options struct {
	// Only names the contracts to deploy, "Vault" or "src/Vault.sol:Vault", with
	// what they depend on; empty: what [Select] chooses.
	Only []string
	// Targets names the contracts that hold what a campaign is to reach: they are
	// deployed first, whatever else is left out.
	Targets []string
	// Uninitialized names contracts whose initializers a campaign is to reach: an
	// instance of them is left as its constructor made it.
	Uninitialized []string
	// Entries are what a campaign is to reach in runtime code. A contract that runs some of
	// them in the making of the World, and not when the same call is made again, gets a
	// twin: an instance left as its constructor made it. nil: none gets any but Twins.
	Entries []bytecode.Location
	// Twins names, qualified, contracts that get a twin in any case.
	Twins []string
	// Places are addresses of contracts, by their qualified names, in the World of another build: the deployer lets
	// nonces pass, as if it had made there what this build lacks. So its contracts get the same addresses, and answers
	// that contain their own address do not differ. nil: this build is the only one.
	Places map[string]common.Address
	// MaxContracts bounds what is chosen when Only is empty, dependencies apart; 0:
	// DefaultMaxContracts.
	MaxContracts int
	// MaxInstances bounds the deployed contracts, libraries apart; 0:
	// DefaultMaxInstances.
	MaxInstances int
	// Setup lets [Make] run the set-ups of the project's own tests; nil: it does
	// not.
	Setup *SetupOptions
	// Plan is followed before anything else; of what it does not deploy only Targets
	// are. nil: there is none.
	Plan *Plan
	// Callers are accounts that contracts compare msg.sender with, and that are senders
	// therefore; nil: they are looked for.
	Callers []Party
	// Fork is the EVM version, see [evm.Forks]; empty: [evm.DefaultFork].
	Fork string
	// Machine are options of the machine that runs the deployments; the
	// campaign's machines need the same.
	Machine []evm.Option
}

func (o Options) withDefaults() (Options, error) {
	if o.MaxContracts == 0 {
		o.MaxContracts = DefaultMaxContracts
	}
	if o.MaxInstances == 0 {
		o.MaxInstances = DefaultMaxInstances
	}
	if o.MaxInstances < 0 || o.MaxContracts < 0 {
		return o, fmt.Errorf("at most %d contracts and %d instances: both must be positive", o.MaxContracts, o.MaxInstances)
	}
	return o, nil
}

// Empty is a World with funded senders and nothing deployed.
func Empty(fork string) *evm.World {
	w := &evm.World{
		Accounts: map[common.Address]*evm.Account{},
		Block:    evm.DefaultBlock(),
		Fork:     fork,
		Senders:  Senders(),
	}
	if fork == "" {
		w.Fork = evm.DefaultFork
	}
	for _, s := range w.Senders {
		w.Accounts[s.Address] = &evm.Account{Balance: *funds}
	}
	return w
}
