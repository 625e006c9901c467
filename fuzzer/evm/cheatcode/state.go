package cheatcode

import (
	"errors"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// State is the state of cheatcodes, apart from the accounts. It is not undone with the frame
// that changed it (Foundry's is not), but with the call. A World holds one, since setUp()
// may leave a prank open.
type State struct {
	Pranks []Prank `json:",omitempty"` // by depth
	// Broadcast is a script's prank, of which there is one at a time, at any depth. Its
	// calls increase the sender's nonce.
	Broadcast *Prank                    `json:",omitempty"`
	Mocks     []Mock                    `json:",omitempty"` // the most special first, as they are tried
	Labels    map[common.Address]string `json:",omitempty"`
	Settings  Settings                  // of the environment
	Revert    *ExpectedRevert           `json:",omitempty"` // what the next call has to do; nil: anything
	Marks     []Snapshot                `json:"-"`          // by number

	Emits     []ExpectedEmit   `json:",omitempty"` // a queue, see there
	Calls     []ExpectedCall   `json:",omitempty"` // that have to come before the transaction ends
	Creates   []ExpectedCreate `json:",omitempty"` // likewise
	Excused   []Excuse         `json:",omitempty"` // failures of the next call that end the run, not the test
	excusedBy *common.Address  // whose call failed first since, the innermost

	Recording bool        `json:",omitempty"` // accesses to storage
	Accesses  []Access    `json:",omitempty"` // since record()
	Listening bool        `json:",omitempty"` // to events
	Events    []Event     `json:",omitempty"` // since recordLogs()
	Hashes    []BlockHash `json:",omitempty"` // that setBlockhash has set

	Variables map[string]string `json:",omitempty"` // of the environment, by setEnv
	Lines     map[string]int    `json:",omitempty"` // of files that readLine has read
	Keys      []Key             `json:",omitempty"` // that are remembered
	Forks     Forks             `json:",omitzero"`
	Seed      uint256.Int       // of what is random
	Drawn     uint64            // random numbers since the seed
	Kept      int               // bytes that all of this holds for contracts, about
}

// Settings are the parts of the environment that a cheatcode has set, and that each
// later call has; nil: those of the World.
type Settings struct {
	ChainID     *uint64         `json:",omitempty"`
	Coinbase    *common.Address `json:",omitempty"`
	PrevRandao  *common.Hash    `json:",omitempty"`
	BaseFee     *uint64         `json:",omitempty"`
	BlobBaseFee *uint64         `json:",omitempty"`
	GasLimit    *uint64         `json:",omitempty"`
	GasPrice    *uint64         `json:",omitempty"`
}

// Apply puts the settings into an environment.
func (s *Settings) Apply(e *Environment) {
	set(&e.ChainID, s.ChainID)
	set(&e.Coinbase, s.Coinbase)
	set(&e.PrevRandao, s.PrevRandao)
	set(&e.BaseFee, s.BaseFee)
	set(&e.BlobBaseFee, s.BlobBaseFee)
	set(&e.GasLimit, s.GasLimit)
	set(&e.GasPrice, s.GasPrice)
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// Prank is a sender that the calls of a frame pretend to have.
type Prank struct {
	By     common.Address  // whose calls
	Depth  int             // of the frames that make them
	Sender common.Address  // as who
	Origin *common.Address `json:",omitempty"` // and as which transaction's; nil: it stays
	Once   bool            // the next call, not all until stopPrank
	Used   bool            // by a call
	// Delegated: delegate calls are made in the sender's name, too.
	Delegated bool `json:",omitempty"`
}

// Mock is the prepared answer to calls of an account.
type Mock struct {
	To     common.Address
	Data   []byte       // that the calldata begins with
	Value  *uint256.Int `json:",omitempty"` // wei that come with the call; nil: any
	Answer [][]byte     // one call after the other; the last one stays
	Revert bool         // the answer is why the call fails
}

// ExpectedRevert is how the next call has to fail.
type ExpectedRevert struct {
	Depth    int             // of the frame that said so
	Any      bool            // for whatever reason
	Reason   []byte          // the text of an Error(string), or all that is returned
	Partial  bool            // only the reason's selector counts
	Reverter *common.Address `json:",omitempty"` // who has to begin it; nil: any account
	Left     int             // how many calls
	Never    bool            // no call may
	Cheat    bool            // calls of cheatcodes count, and no others
	deeper   bool            // a call went deeper than Depth
	by       *common.Address // whose call failed first, the innermost
}

// Snapshot is a state that can be restored. Its marks belong to one run, so that a
// World does not hold them.
type Snapshot struct {
	Environment Environment
	Settings    Settings
	Gone        bool // deleted
}

// ExpectedEmit is an event that the next call has to emit. The next event, from any
// emitter, is its template: usually the test itself emits that.
type ExpectedEmit struct {
	Depth    int             // of the frame that said so
	Checked  [5]bool         // which topics count, and whether the data does
	Nameless bool            // it has no topic that names it
	Emitter  *common.Address `json:",omitempty"` // nil: any account
	Times    uint64          // 0: it must not be emitted
	Seen     uint64          // how often it was
	Event    *Event          `json:",omitempty"` // nil: not known yet
}

// found reports whether it was emitted as often as it has to be.
func (x *ExpectedEmit) found() bool { return x.Event != nil && x.Times > 0 && x.Seen >= x.Times }

// Event is one that was emitted.
type Event struct {
	Topics  []common.Hash
	Data    []byte
	Emitter common.Address
}

// ExpectedCall is a call that has to be made.
type ExpectedCall struct {
	To       common.Address
	Data     []byte       // that the calldata begins with
	Value    *uint256.Int `json:",omitempty"` // wei; nil: any
	Gas      *uint64      `json:",omitempty"` // nil: any
	LeastGas *uint64      `json:",omitempty"`
	Counted  bool         // Times is how often, not how often at least
	Times    uint64
	Seen     uint64
}

// ExpectedCreate is a contract that has to be created.
type ExpectedCreate struct {
	By      common.Address
	Code    []byte // what is deployed
	Create2 bool
}

// Excuse is a failure of the next call that ends the run without failing the test.
type Excuse struct {
	Depth    int
	Any      bool
	Reverter common.Address // zero: any account
	Partial  bool           // only the reason's selector counts
	Reason   []byte
}

// Access is one SLOAD or SSTORE.
type Access struct {
	Account common.Address
	Slot    common.Hash
	Write   bool
}

// Key is a private key that was passed to a cheatcode.
type Key struct {
	Address common.Address
	Number  uint256.Int
}

// BlockHash is BLOCKHASH's answer for a block.
type BlockHash struct {
	Number uint64
	Hash   common.Hash
}

// maxKept bounds the data that contracts can make a state hold, in bytes; tests need a few
// kB. Arbitrary.
const maxKept = 1 << 22

var errFull = errors.New("cheatcodes have been told too much")

// keep reserves room for data; false if there is not enough.
func (s *State) keep(data ...[]byte) bool {
	n := 0
	for _, d := range data {
		n += len(d)
	}
	if s.Kept+n > maxKept {
		return false
	}
	s.Kept += n
	return true
}

// Clone is a copy that shares nothing with it that changes.
func (s *State) Clone() *State {
	c := *s
	c.Pranks, c.Mocks, c.Marks = slices.Clone(s.Pranks), slices.Clone(s.Mocks), slices.Clone(s.Marks)
	c.Labels, c.Variables, c.Lines = maps.Clone(s.Labels), maps.Clone(s.Variables), maps.Clone(s.Lines)
	c.Emits, c.Calls, c.Creates, c.Excused = slices.Clone(s.Emits), slices.Clone(s.Calls), slices.Clone(s.Creates), slices.Clone(s.Excused)
	c.Hashes, c.Keys = slices.Clone(s.Hashes), slices.Clone(s.Keys)
	// These only grow: entries are never changed.
	c.Accesses, c.Events = slices.Clip(s.Accesses), slices.Clip(s.Events)
	if s.Broadcast != nil {
		b := *s.Broadcast
		c.Broadcast = &b
	}
	if s.Revert != nil {
		r := *s.Revert
		c.Revert = &r
	}
	return &c
}
