// Package forks has the forks that are supported, and their rules as go-ethereum wants
// them.
package forks

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/params"
)

// Names are the supported ones, oldest first. Paris is the floor: from there on
// blocks have PREVRANDAO and no proof of work.
var Names = []string{"paris", "shanghai", "cancun", "prague", "osaka"}

// Default is the newest that go-ethereum schedules for mainnet.
const Default = "osaka"

// Where in Names those are that rules of a machine begin with.
const (
	Shanghai = iota + 1
	Cancun
	Prague
	Osaka
)

// Index finds a fork by name; "" is the default.
func Index(name string) (int, error) {
	if name == "" {
		name = Default
	}
	i := slices.Index(Names, strings.ToLower(name))
	if i < 0 {
		return 0, fmt.Errorf("EVM version %q is not supported: use one of %s", name, strings.Join(Names, ", "))
	}
	return i, nil
}

// ChainConfig switches on every fork up to the given one, from the start.
//
// With lifted code-size limits Shanghai is left out, because go-ethereum ties
// the limit of EIP-3860 to it and to nothing else: later forks bring their own
// instruction sets, and for Shanghai itself the rest of it comes as extra EIPs.
func ChainConfig(fork int, chainID uint64, lifted bool) (config *params.ChainConfig, extra []int) {
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
		if Names[fork] == "shanghai" {
			extra = []int{3855, 3860}
		}
	}
	return config, extra
}

// Rules are the rules of a fork without a machine.
func Rules(fork int) params.Rules {
	config, _ := ChainConfig(fork, 0, false)
	// From Paris on blocks have PREVRANDAO; all times up to the fork's are zero.
	return config.Rules(new(big.Int), true, 0)
}
