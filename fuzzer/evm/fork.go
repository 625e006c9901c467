package evm

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
)

// DefaultFork is the newest fork that go-ethereum schedules for mainnet. The
// blob-parameter forks after it do not change the EVM.
const DefaultFork = "osaka"

// ChainID is what CHAINID answers: Foundry's and Hardhat's default, so that
// chain-dependent code behaves as in a project's own tests.
const ChainID = 31337

// forks are the supported ones, oldest first. Paris is the floor: from there on
// blocks have PREVRANDAO and no proof of work.
var forks = []string{"paris", "shanghai", "cancun", "prague", "osaka"}

// Where in forks those are that the interpreter's rules begin with.
const (
	forkShanghai = iota + 1
	forkCancun
	forkPrague
	forkOsaka
)

// Forks lists the names that [World].Fork and the evm_version setting accept,
// oldest first.
func Forks() []string { return slices.Clone(forks) }

// forkIndex finds a fork by name; "" is [DefaultFork].
func forkIndex(name string) (int, error) {
	if name == "" {
		name = DefaultFork
	}
	i := slices.Index(forks, strings.ToLower(name))
	if i < 0 {
		return 0, fmt.Errorf("EVM version %q is not supported: use one of %s", name, strings.Join(forks, ", "))
	}
	return i, nil
}

// CheckFork reports whether a fork's name is supported; "" is [DefaultFork].
func CheckFork(name string) error {
	_, err := forkIndex(name)
	return err
}

// chainConfig switches on every fork up to the given one, from the start.
//
// With lifted code-size limits Shanghai is left out, because go-ethereum ties
// the limit of EIP-3860 to it and to nothing else: later forks bring their own
// instruction sets, and for Shanghai itself the rest of it comes as extra EIPs.
func chainConfig(fork int, chainID uint64, lifted bool) (config *params.ChainConfig, extra []int) {
	zero := func() *big.Int { return new(big.Int) }
	config = &params.ChainConfig{
		ChainID:        new(big.Int).SetUint64(chainID),
		HomesteadBlock: zero(), EIP150Block: zero(), EIP155Block: zero(), EIP158Block: zero(),
		ByzantiumBlock: zero(), ConstantinopleBlock: zero(), PetersburgBlock: zero(), IstanbulBlock: zero(),
		MuirGlacierBlock: zero(), BerlinBlock: zero(), LondonBlock: zero(), ArrowGlacierBlock: zero(),
		GrayGlacierBlock: zero(), MergeNetsplitBlock: zero(), TerminalTotalDifficulty: zero(),
	}
	times := []**uint64{&config.ShanghaiTime, &config.CancunTime, &config.PragueTime, &config.OsakaTime}
	for _, t := range times[:fork] {
		*t = new(uint64)
	}
	if lifted && fork >= 1 {
		config.ShanghaiTime = nil
		if forks[fork] == "shanghai" {
			extra = []int{3855, 3860}
		}
	}
	return config, extra
}

// rulesFor are the rules of a fork without a machine.
func rulesFor(fork int) params.Rules {
	config, _ := chainConfig(fork, ChainID, false)
	// From Paris on blocks have PREVRANDAO; all times up to the fork's are zero.
	return config.Rules(new(big.Int), true, 0)
}

// rulesOf are the rules that a state needs to know of a fork.
func rulesOf(machine *vm.EVM, fork int) params.Rules {
	rules := machine.GetRules()
	rules.IsShanghai = fork >= 1
	return rules
}
