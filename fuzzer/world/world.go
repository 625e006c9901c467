// Package world makes the World that a campaign starts from.
//
// [Auto] deploys every contract under test without being told how: dependencies
// first, constructor arguments by type and name, a bounded search when a
// constructor reverts. It never calls a deployed contract: functions like
// initialize are left to the campaign, which knows how to find their arguments.
package world

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// The senders of every World. The addresses are arbitrary; they are easy to tell
// apart in reports, and no precompile or well-known contract lives there.
var (
	Deployer = evm.Sender{Name: "deployer", Address: common.HexToAddress("0x1000000000000000000000000000000000000d01")}
	User1    = evm.Sender{Name: "user1", Address: common.HexToAddress("0x2000000000000000000000000000000000000a01")}
	User2    = evm.Sender{Name: "user2", Address: common.HexToAddress("0x3000000000000000000000000000000000000a02")}
	Attacker = evm.Sender{Name: "attacker", Address: common.HexToAddress("0x4000000000000000000000000000000000000bad")}
)

// Senders lists the senders of every World.
func Senders() []evm.Sender { return []evm.Sender{Deployer, User1, User2, Attacker} }

// funds is what each sender owns, 2^96 wei: some 600 times all ether there is, so
// that funds never limit an input, yet sums of many such values fit in the
// 128-bit counters that contracts like to use.
var funds = new(uint256.Int).Lsh(uint256.NewInt(1), 96)

// DefaultMaxInstances bounds the deployed instances when [Options] does not: a
// campaign that spreads over more contracts reaches nothing deep in any.
const DefaultMaxInstances = 64

// Options say what [Auto] deploys.
type Options struct {
	// Only names the contracts to deploy, "Vault" or "src/Vault.sol:Vault", with
	// what they depend on; empty: every contract of the table that has code.
	Only []string
	// MaxInstances bounds the deployed contracts, libraries apart; 0:
	// DefaultMaxInstances.
	MaxInstances int
	// Fork is the EVM version, see [evm.Forks]; empty: [evm.DefaultFork].
	Fork string
	// Machine are options of the machine that runs the deployments; the
	// campaign's machines need the same.
	Machine []evm.Option
}

// Auto deploys contracts of the table, in its order, on a fresh chain. The table's
// programs must have their final cuts, see [bytecode.Table.Cut]. What
// could not be deployed is in the report; an error means that nothing could be
// tried, or that ctx ended. The same table and options give the same World.
func Auto(ctx context.Context, table *bytecode.Table, options Options) (*evm.World, *Report, error) {
	if options.MaxInstances == 0 {
		options.MaxInstances = DefaultMaxInstances
	}
	if options.MaxInstances < 0 {
		return nil, nil, fmt.Errorf("maximum number of instances is %d: it must be positive", options.MaxInstances)
	}
	wanted, err := selectContracts(table.Contracts(), options.Only)
	if err != nil {
		return nil, nil, err
	}
	base := Empty(options.Fork)
	machine, err := evm.NewReference(base, table, options.Machine...)
	if err != nil {
		return nil, nil, err
	}
	b := &builder{
		machine:   machine,
		contracts: table.Contracts(),
		limit:     options.MaxInstances,
		tried:     map[*bytecode.Contract]bool{},
		libraries: map[string]*library{},
		labels:    map[common.Address]string{},
		report:    &Report{},
	}
	for _, s := range base.Senders {
		b.labels[s.Address] = s.Name
	}
	if err := b.deployAll(ctx, wanted); err != nil {
		return nil, nil, err
	}
	if _, err := machine.Run(b.calls); err != nil {
		return nil, nil, err
	}
	world := machine.Export()
	world.Instances = b.instances
	return world, b.report, nil
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

// selectContracts lists the contracts that names ask for, in table order.
func selectContracts(contracts []*bytecode.Contract, names []string) ([]*bytecode.Contract, error) {
	if len(contracts) == 0 {
		return nil, errors.New("the build has no contracts: there is nothing to deploy")
	}
	if len(names) == 0 {
		return contracts, nil
	}
	for _, name := range names {
		if !slices.ContainsFunc(contracts, func(c *bytecode.Contract) bool { return named(c, name) }) {
			return nil, fmt.Errorf("the build has no contract named %q", name)
		}
	}
	var selected []*bytecode.Contract
	for _, c := range contracts {
		if slices.ContainsFunc(names, func(name string) bool { return named(c, name) }) {
			selected = append(selected, c)
		}
	}
	return selected, nil
}

func named(c *bytecode.Contract, name string) bool {
	return c.Name == name || c.QualifiedName() == name
}
