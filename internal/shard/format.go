package shard

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// The folder of a shard.
const (
	File = "shard.json"
	// sequencesFolder has files with the text forms of sequences, one after the other, and codeFolder
	// code that no artifact explains.
	sequencesFolder, sequencesSuffix = "sequences", ".txt"
	codeFolder, codeSuffix           = "code", ".bin"

	// formatVersion is the version of shard.json.
	formatVersion = 1
)

// Bounds of a folder. Those of its parts are what a campaign keeps: 65,536 inputs of 64 MiB, which are
// two to three times as long as text, and a megabyte or so of locations.
const (
	maxFile        = 32 << 20 // bytes of shard.json
	maxObjects     = 1 << 19  // in it: each takes up to some 300 bytes
	maxPack        = 1 << 20  // bytes of a file of sequences: a campaign reads no longer sequence either
	maxPackItems   = 256      // sequences in a file: thousands of small files take minutes to upload. Arbitrary
	maxPacks       = 4_096
	maxSequences   = 256 << 20 // bytes of all of them
	maxCode        = 1 << 17   // bytes of code in a file: more than any chain accepts
	maxUnknownCode = 1 << 9    // pieces of it, as bytecode.Table keeps
	maxText        = 1 << 14   // bytes of a message
	maxSuite       = 1 << 16
	maxFindings    = 4_096
	maxEntered     = 1 << 20 // blocks
	maxList        = 4_096   // anything else
	maxCount       = 1 << 53 // executions and calls: what JSON numbers of other programs hold
	maxShards      = 4_096   // of a campaign, arbitrary: sixteen times what a matrix of GitHub's has
)

// shardFile is shard.json.
type shardFile struct {
	Version int `json:"version"`
	Header
	End string `json:"end"`
	// Stopped is why the campaign ended; empty: it is running.
	Stopped string `json:"stopped,omitempty"`

	Stats       statsFile       `json:"stats"`
	Useful      uint64          `json:"useful"`
	Unconfirmed int             `json:"unconfirmed,omitempty"`
	Burners     []fuzzer.Burner `json:"burners,omitempty"`
	Timeline    []fuzzer.Sample `json:"timeline"`
	Notes       []text          `json:"notes,omitempty"`
	Targets     []targetFile    `json:"status"` // in the order of the plan's targets
	Findings    []findingFile   `json:"findings"`
	Faults      []faultFile     `json:"faults,omitempty"`
	Passed      []passedFile    `json:"passed,omitempty"` // fuzz tests
	Artifacts   []string        `json:"artifacts"`        // that places name by their index
	Entered     []enteredFile   `json:"entered"`
	Sequences   []string        `json:"sequences"`         // SHA-256 of the files with them, in order: all are numbered from 0
	Suite       runs            `json:"suite"`             // numbers of sequences
	TooLong     int             `json:"tooLong,omitempty"` // inputs of the suite that were left out
}

// statsFile is a fuzzer.Stats.
type statsFile struct{ fuzzer.Stats }

// Status of a target.
const (
	statusOpen        = "open"
	statusUnreachable = "unreachable" // proved, for people: a reader proves it again
	statusEntered     = "entered"     // in calls that failed
	statusReached     = "reached"
)

type targetFile struct {
	Status    string       `json:"is"`
	First     *fuzzer.Mark `json:"first,omitempty"`
	Sequence  *int         `json:"sequence,omitempty"`
	Stops     []stopFile   `json:"stops,omitempty"`
	Strangers []stopFile   `json:"strangers,omitempty"`
}

type findingFile struct {
	Oracle      string      `json:"oracle"`
	At          place       `json:"at"`
	Contract    string      `json:"contract"`
	Message     text        `json:"message"`
	Severity    uint8       `json:"severity,omitempty"`
	Sequence    int         `json:"sequence"`
	First       fuzzer.Mark `json:"first"`
	NeverPassed bool        `json:"neverPassed,omitempty"`
	Chosen      bool        `json:"chosen,omitempty"`
	Ways        []int       `json:"ways,omitempty"`
}

type faultFile struct {
	Message    text         `json:"message"`
	Sequence   *int         `json:"sequence,omitempty"`
	Calls      evm.Sequence `json:"calls,omitempty"`      // of a mismatch
	Difference *text        `json:"difference,omitempty"` // likewise
}

type passedFile struct {
	Instance string `json:"instance"`
	Function string `json:"function"` // signature
}

// enteredFile are the blocks of an artifact that were entered: the pcs at which they begin.
type enteredFile struct {
	Artifact int      `json:"artifact"`
	At       []uint32 `json:"at"`
}

type stopFile struct {
	At         place           `json:"at"`
	Place      place           `json:"place"`
	Halts      bool            `json:"halts,omitempty"`
	Halted     *place          `json:"halted,omitempty"`
	Passed     bool            `json:"passed,omitempty"`
	Comparison *comparisonFile `json:"comparison,omitempty"` // nil: none decides
	Entered    bool            `json:"entered,omitempty"`
	Executions uint64          `json:"executions"`
	Reason     text            `json:"reason,omitempty"`
	Caller     common.Address  `json:"caller"`
	ByCaller   bool            `json:"byCaller,omitempty"`
	Missing    *common.Address `json:"missing,omitempty"`
	Input      *int            `json:"input,omitempty"`
	Frame      int             `json:"frame,omitempty"`
	Guards     []place         `json:"guards,omitempty"`
	Beyond     []aheadFile     `json:"beyond,omitempty"`
	Distance   uint32          `json:"distance"`
	Cost       *uint256.Int    `json:"cost,omitempty"`
}

type comparisonFile struct {
	PC      uint32       `json:"pc"`
	Block   uint32       `json:"block"`
	Op      byte         `json:"op"`
	Negated bool         `json:"negated,omitempty"`
	Taken   bool         `json:"taken,omitempty"`
	Left    *uint256.Int `json:"left"`
	Right   *uint256.Int `json:"right"`
}

type aheadFile struct {
	At      place           `json:"at"`
	Account *common.Address `json:"account,omitempty"`
}

// text is a string that may hold bytes which are no UTF-8, as what contracts say does: JSON would
// replace them.
type text string

// MarshalJSON writes a string, or an array with the bytes in base64.
func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal([][]byte{[]byte(t)})
}

// UnmarshalJSON reads what MarshalJSON wrote, within bounds.
func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if len(data) > 0 && data[0] == '[' {
		var bytes [][]byte
		if err := json.Unmarshal(data, &bytes); err != nil {
			return err
		}
		if len(bytes) != 1 {
			return errors.New("an array in the place of a text must have one element")
		}
		s = string(bytes[0])
	} else if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if len(s) > maxText {
		return errors.New("a text is too long")
	}
	*t = text(s)
	return nil
}

// textOf is a string within the bounds.
func textOf(s string) text { return text(s[:min(len(s), maxText)]) }
