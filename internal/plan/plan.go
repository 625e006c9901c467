// Package plan is everything that a campaign needs, as one file: World, code, targets, seeds and settings. A machine
// that has it needs no checkout, no compiler and no network to fuzz.
package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// DefaultFile is the name of a plan where none is given.
const DefaultFile = "sightline-plan.tar"

// Version is the version of the format. Another format gets another number.
const Version = 1

// Plan is a campaign that is to be run, here or elsewhere.
type Plan struct {
	Tool  string // the program that made it, with its version: what a campaign does is its program's to say
	About string // what was compared, for people
	// Nothing says why there is nothing to fuzz; all below is zero then. Empty: there is.
	Nothing string
	Options Options
	// Config has no machines, no oracles, no clock and no folder: those are the machine's that runs the campaign, and the
	// Options say which. Seed and limits are those of the plan.
	Config fuzzer.Config
	// Place says where an instruction comes from, for people: "src/Vault.sol:12"; false: it is not known.
	Place  func(bytecode.Location) (string, bool)
	Hashes Hashes
	// Notes say what of a corpus was left out.
	Notes []string
}

// Options are the settings of a campaign that Config has as pointers and functions.
type Options struct {
	Schedule string   `json:"schedule"`
	Without  string   `json:"without,omitempty"` // techniques, separated by commas
	Oracles  []string `json:"oracles,omitempty"` // as they were chosen, see oracle.Choose
	Panics   []string `json:"panics,omitempty"`  // codes of Panic that are findings
	// OnlyIntroduced: what is found is not shown before it is known that the change introduced it.
	OnlyIntroduced bool `json:"onlyIntroduced,omitempty"`
}

// Hashes are those that a shard's header has of what is fuzzed, by which a merge knows that it was deployed alike. The plan keeps
// them, and makes none.
type Hashes struct {
	World   string `json:"world"`
	Build   string `json:"build"`
	Targets string `json:"targets"`
}

// Packed is a plan as it is written.
type Packed struct {
	Data   []byte // the file
	SHA256 string // of it, in hexadecimal
}

// Limits bound a campaign.
type Limits struct {
	Timeout time.Duration `json:"timeout"` // 0: none
	Calls   uint64        `json:"calls"`   // 0: no limit
	Workers int           `json:"workers"` // at least 1
}

// Shard is one of several campaigns by the same plan, which differ in their randomness.
type Shard struct {
	Index int // from 0
	Of    int // at least 1
}

// maxShards bounds the shards of a plan, arbitrary: sixteen times the jobs that GitHub starts from one matrix.
const maxShards = 4096

// ParseShard reads "2/8": the third of eight.
func ParseShard(text string) (Shard, error) {
	index, of, ok := strings.Cut(text, "/")
	i, err := strconv.ParseUint(index, 10, 16)
	n, other := strconv.ParseUint(of, 10, 16)
	switch {
	case !ok || err != nil || other != nil:
		return Shard{}, fmt.Errorf("%q is not I/N, such as 0/8 for the first of eight shards", text)
	case n == 0 || n > maxShards:
		return Shard{}, fmt.Errorf("%s: there can be 1 to %d shards", text, maxShards)
	case i >= n:
		return Shard{}, fmt.Errorf("%s: shards are numbered from 0, so the last of %d is %d/%d", text, n, n-1, n)
	}
	return Shard{int(i), int(n)}, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
