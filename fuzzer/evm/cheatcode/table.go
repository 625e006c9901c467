package cheatcode

import (
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/abi"
)

// Status is what Sightline makes of a cheatcode.
type Status uint8

// The statuses.
const (
	// Supported does what it does in Foundry.
	Supported Status = iota
	// Accepted does nothing, and succeeds: what it is for makes no difference here.
	Accepted
	// Refused fails, with a message that says why.
	Refused
)

var statusNames = [...]string{Supported: "supported", Accepted: "accepted", Refused: "refused"}

func (s Status) String() string { return statusNames[s] }

// Function is a cheatcode.
type Function struct {
	Signature string // "prank(address,bool)"
	Returns   string // the types of what it returns, without parentheses
	Status    Status
	Note      string // in a line: what is different here, or why it is refused
	curve     bool   // it computes on the curve, which takes time
	text      bool   // it reads JSON or TOML, likewise
	run       func(*context, []abi.Value) ([]abi.Value, error)
}

// Name is the cheatcode's without its arguments.
func (f *Function) Name() string { return f.Signature[:strings.IndexByte(f.Signature, '(')] }

// Functions is every cheatcode there is, by what they are about.
func Functions() []Function { return slices.Clone(table) }

// table is in an order of its own: by subject, then as Foundry lists them.
var table = slices.Concat(environmentTable, accountTable, assumeTable, prankTable, expectTable, mockTable, keyTable, snapshotTable, recordTable,
	textTable, jsonTable, tomlTable, assertTable, variableTable, fileTable, deployTable, forkTable, randomTable, toolTable, restTable)
