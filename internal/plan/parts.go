package plan

import (
	"encoding/json"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// The files of a plan. In the tar they are in order of their names.
const (
	buildFile   = "build.json"
	mainFile    = "plan.json"
	seedsFile   = "seeds.json"
	targetsFile = "targets.json"
	worldFile   = "world.json"
)

// mainPart is plan.json.
type mainPart struct {
	Format  string            `json:"format"` // formatName
	Version int               `json:"version"`
	Tool    string            `json:"tool"`
	About   string            `json:"about,omitempty"`
	Nothing string            `json:"nothing,omitempty"`
	SHA256  map[string]string `json:"sha256,omitempty"` // of the other files, by name

	Options
	Audit bool `json:"audit,omitempty"`
	// Added is [fuzzer.Config.Added], and Altered likewise.
	Added   []string `json:"added,omitempty"`
	Altered []string `json:"altered,omitempty"`
	Seed    uint64   `json:"seed"`
	SeqLen  int      `json:"seqLen,omitempty"`
	Ways    int      `json:"ways,omitempty"`
	Limits  Limits   `json:"limits"`
	// AfterReached is [fuzzer.Config.AfterReached].
	AfterReached *float64 `json:"afterReached,omitempty"`
	Hashes       Hashes   `json:"hashes"`
}

// formatName tells a plan from other files of JSON.
const formatName = "sightline plan"

// buildPart is build.json.
type buildPart struct {
	Contracts json.RawMessage `json:"contracts"` // as replay.MarshalContracts writes them
	// Table is how many of the contracts the build has. The others are only in the World: mocks of Sightline's.
	Table int        `json:"table"`
	Texts [][][]byte `json:"texts"` // literals, by contract
	// Encodings are what bytes are decoded to, by contract.
	Encodings [][]string `json:"encodings"`
	Cuts      [][]uint32 `json:"cuts"`    // by artifact: pcs at which blocks begin for targets' sake
	Unknown   [][]byte   `json:"unknown"` // code that no artifact explains, in the order of its ids
	// Functions and Places name what instructions were compiled from; Exempt marks those whose failures are not bugs.
	Functions spans `json:"functions"`
	Places    spans `json:"places"`
	Exempt    spans `json:"exempt"`
}

// worldPart is world.json.
type worldPart struct {
	World json.RawMessage `json:"world"` // as replay.MarshalWorld writes it
	// Chain is the block that the World goes on from, and Origin what is known of it; nil: there is none.
	Chain  *Chain      `json:"chain,omitempty"`
	Origin *originPart `json:"origin,omitempty"`
	// Keys are private keys, by sender; empty: not known. They are those of Sightline's own accounts, and what tests gave to cheatcodes.
	Keys  []string `json:"keys"`
	Asked []bool   `json:"asked"` // by instance, see evm.Instance
	Spare []bool   `json:"spare"` // likewise

	Called       *[][]string       `json:"called,omitempty"` // by instance: signatures; nil: all functions
	Constructors []constructorPart `json:"constructors,omitempty"`
	Uses         []usePart         `json:"uses,omitempty"`
	Constructed  []constructorPart `json:"constructed,omitempty"`
	Likely       []likelyPart      `json:"likely,omitempty"`
	MaxValue     *uint256.Int      `json:"maxValue,omitempty"`
	MaxTime      *uint64           `json:"maxTime,omitempty"`
	MaxBlocks    *uint64           `json:"maxBlocks,omitempty"`
}

// constructorPart is a contract with its creation code, or with the arguments that it was deployed with.
type constructorPart struct {
	Contract int    `json:"contract"` // index
	Data     []byte `json:"data"`
}

// likelyPart is an input.Likely.
type likelyPart struct {
	Contract  int              `json:"contract"` // index
	Signature string           `json:"signature"`
	Leaf      int              `json:"leaf"`
	Accounts  []common.Address `json:"accounts"`
}

// usePart is a call that the makers of the World made, of which only the arguments matter.
type usePart struct {
	To   common.Address `json:"to"`
	Data []byte         `json:"data"`
}

func (u *usePart) call() evm.Call { return evm.Call{To: u.To, Data: u.Data} }

// targetPart is a bytecode.Target.
type targetPart struct {
	File     string      `json:"file"`
	Line     int         `json:"line"`
	Column   int         `json:"column,omitempty"`
	Contract string      `json:"contract"`
	Entries  [][2]uint32 `json:"entries"` // CodeID and pc
	Deletion bool        `json:"deletion,omitempty"`
	Reverts  bool        `json:"reverts,omitempty"`
}

// seedsPart is seeds.json: sequences in their text form.
type seedsPart struct {
	Seeds []string `json:"seeds,omitempty"` // of the World, its tests and earlier findings
	Saved []string `json:"saved,omitempty"` // of the corpus
	Given []string `json:"given,omitempty"` // of other fuzzers' corpora
	Notes []string `json:"notes,omitempty"` // what of the corpus was left out
}
