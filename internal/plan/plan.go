// Package plan is everything that a campaign needs, as one file: World, code, targets, seeds and settings. A machine
// that has it needs no checkout, no compiler and no network to fuzz.
package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
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
	Place func(bytecode.Location) (string, bool)
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

// Hashes identify the parts of a plan that a report depends on: SHA-256 in hexadecimal. Equal inputs
// have equal hashes.
type Hashes struct {
	World   string `json:"world"`   // state, instances and senders, and what may be called
	Build   string `json:"build"`   // contracts and their code
	Targets string `json:"targets"` // lines and their places in the code
}

// Packed is a plan as it is written.
type Packed struct {
	Data   []byte // the file
	SHA256 string // of it, in hexadecimal
	Hashes Hashes
}

// Limits bound a shard's campaign.
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

// maxShards bounds the shards of a plan: sixteen times the jobs that GitHub starts from one matrix. Arbitrary
// beyond that.
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

// Seed is the seed of a shard's campaign: the plan's own for shard 0, whatever the number of shards, so that
// shard 0 of 1 is the campaign that a run without a plan makes; a hash of the plan's seed and the shard's index for all others.
func (s Shard) Seed(seed uint64) uint64 {
	if s.Index == 0 {
		return seed
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "sightline shard\x00%d\x00%d", seed, s.Index))
	return binary.BigEndian.Uint64(sum[:])
}

// Campaign identifies the shards that belong together, whatever their index: SHA-256, in hexadecimal, of the plan, the number of
// shards, and what they were told besides.
func Campaign(plan string, of int, seed uint64, limits Limits) string {
	text, err := json.Marshal(struct {
		Plan   string `json:"plan"`
		Of     int    `json:"of"`
		Seed   uint64 `json:"seed"`
		Limits Limits `json:"limits"`
	}{plan, of, seed, limits})
	if err != nil {
		panic(err) // strings and numbers
	}
	return sumOf(text)
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
