package cheatcode

import (
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// State is what cheatcodes leave behind that is no part of the accounts. It is not
// undone with the frame that changed it (Foundry's is not), but with the call. A World
// holds one, since setUp() may leave a prank open.
type State struct {
	Pranks   []Prank                   `json:",omitempty"` // by depth
	Mocks    []Mock                    `json:",omitempty"` // the most special first, as they are tried
	Labels   map[common.Address]string `json:",omitempty"`
	Settings Settings                  // of the environment
	Revert   *ExpectedRevert           `json:",omitempty"` // what the next call has to do; nil: anything
	Marks    []Snapshot                `json:"-"`          // by number
	Failed   bool                      `json:",omitempty"` // an assertion failed that did not revert
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
	// Broadcast: it is a script's, whose calls count the sender's nonce.
	Broadcast bool `json:",omitempty"`
	// Delegated: delegate calls are made in the sender's name, too.
	Delegated bool `json:",omitempty"`
}

// Mock is what calls of an account are answered with.
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
	Reverter *common.Address `json:",omitempty"` // who has to begin it; nil: anybody
	Left     int             // how many calls
	Never    bool            // no call may
	Cheat    bool            // calls of cheatcodes count, and no others
	deeper   bool            // a call went deeper than Depth
}

// Snapshot is a state that can be come back to. Marks are those of one run: they are
// no part of a World.
type Snapshot struct {
	Environment Environment
	Settings    Settings
	Gone        bool // deleted
}

// Clone is a copy that shares nothing with it that changes.
func (s *State) Clone() *State {
	c := *s
	c.Pranks, c.Mocks, c.Marks = slices.Clone(s.Pranks), slices.Clone(s.Mocks), slices.Clone(s.Marks)
	c.Labels = maps.Clone(s.Labels)
	if s.Revert != nil {
		r := *s.Revert
		c.Revert = &r
	}
	return &c
}
