package main

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/consensus/misc/eip4844"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// fork is one that tests name: what the machine calls it, and its blobs.
type fork struct {
	machine string             // the name in evm.Forks
	blobs   *params.BlobConfig // nil before Cancun
}

// forks are those that are run, by the name that tests give them. The
// blob-parameter forks (EIP-7892) differ from Osaka in the price of blobs alone.
var forks = map[string]fork{
	"Merge":    {"paris", nil}, // in the older layout
	"Paris":    {"paris", nil},
	"Shanghai": {"shanghai", nil},
	"Cancun":   {"cancun", params.DefaultCancunBlobConfig},
	"Prague":   {"prague", params.DefaultPragueBlobConfig},
	"Osaka":    {"osaka", params.DefaultPragueBlobConfig}, // unchanged (EIP-7892)
	"BPO1":     {"osaka", params.DefaultBPO1BlobConfig},
	"BPO2":     {"osaka", params.DefaultBPO2BlobConfig},
	"BPO3":     {"osaka", params.DefaultBPO3BlobConfig},
	"BPO4":     {"osaka", params.DefaultBPO4BlobConfig},
}

// olderForks lie below the machine's floor.
var olderForks = []string{
	"Frontier", "Homestead", "EIP150", "TangerineWhistle", "EIP158", "SpuriousDragon", "Byzantium", "Constantinople",
	"ConstantinopleFix", "Istanbul", "MuirGlacier", "Berlin", "London", "ArrowGlacier", "GrayGlacier",
}

// The reasons for which something is not run. There are no others.
const (
	skipOlder    = "a fork before Paris"
	skipNewer    = "a fork that mainnet has not scheduled"
	skipDraft    = "a fork with draft EIPs"
	skipOther    = "not a state test"
	skipBaseFee  = "a base fee of more than 64 bits"
	skipBlobless = "an invalid blob schedule"
)

// transition names a fork that begins in the midst of a chain, at a time in
// thousands of seconds.
var transition = regexp.MustCompile(`^([A-Za-z0-9]+)To([A-Za-z0-9]+)AtTime([0-9]{1,9})k$`)

// findFork tells what a test's fork is at a time, or why it is not run.
func findFork(name string, time uint64) (f fork, resolved, skip string) {
	if m := transition.FindStringSubmatch(name); m != nil {
		at, err := strconv.ParseUint(m[3], 10, 64)
		if err != nil {
			return fork{}, "", skipNewer
		}
		if name = m[1]; time >= at*1000 {
			name = m[2]
		}
	}
	base, _, draft := strings.Cut(name, "+")
	f, known := forks[base]
	switch {
	case slices.Contains(olderForks, base), strings.Contains(base, "At5"), strings.Contains(base, "AtDiff"):
		return fork{}, "", skipOlder // transitions up to Paris are at block 5 or at a difficulty
	case !known:
		return fork{}, "", skipNewer
	case draft:
		return fork{}, "", skipDraft
	}
	return f, base, ""
}

// active reports whether the fork is the named one of the machine's or newer.
func (f fork) active(name string) bool {
	return slices.Index(machineForks, f.machine) >= slices.Index(machineForks, name)
}

// blobBaseFee is the price of blob gas in wei (EIP-4844); 1 when the test does not
// say what blobs were used before.
func (f fork) blobBaseFee(excess *uint64) *uint256.Int {
	if f.blobs == nil || excess == nil {
		return uint256.NewInt(1)
	}
	config := f.config(1)
	config.BlobScheduleConfig = &params.BlobScheduleConfig{Cancun: f.blobs, Prague: f.blobs}
	fee, overflow := uint256.FromBig(eip4844.CalcBlobFee(config, &types.Header{ExcessBlobGas: excess}))
	if overflow {
		fee.SetAllOne() // no sender can pay it
	}
	return fee
}

// config switches on every fork up to this one for go-ethereum.
func (f fork) config(chainID uint64) *params.ChainConfig {
	zero := func() *big.Int { return new(big.Int) }
	config := &params.ChainConfig{
		ChainID:        new(big.Int).SetUint64(chainID),
		HomesteadBlock: zero(), EIP150Block: zero(), EIP155Block: zero(), EIP158Block: zero(),
		ByzantiumBlock: zero(), ConstantinopleBlock: zero(), PetersburgBlock: zero(), IstanbulBlock: zero(),
		MuirGlacierBlock: zero(), BerlinBlock: zero(), LondonBlock: zero(), ArrowGlacierBlock: zero(),
		GrayGlacierBlock: zero(), MergeNetsplitBlock: zero(), TerminalTotalDifficulty: zero(),
	}
	times := []**uint64{&config.ShanghaiTime, &config.CancunTime, &config.PragueTime, &config.OsakaTime}
	for _, t := range times[:slices.Index(machineForks, f.machine)] {
		*t = new(uint64)
	}
	return config
}
