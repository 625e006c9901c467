package cheatcode

import (
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/abi"
)

// status says how Sightline treats a cheatcode.
type status uint8

// The statuses.
const (
	// supported does what it does in Foundry.
	supported status = iota
	// accepted does nothing, and succeeds: its effect makes no difference here.
	accepted
	// refused fails, with a message that says why.
	refused
)

// function is a cheatcode.
type function struct {
	Signature string // "prank(address,bool)"
	Returns   string // the types of what it returns, without parentheses
	Status    status
	Note      string // in a line: what is different here, or why it is refused
	curve     bool   // it computes on the curve, which takes time
	text      bool   // it reads JSON or TOML, likewise
	run       func(*context, []abi.Value) ([]abi.Value, error)
}

// Name is the cheatcode's name, without its arguments.
func (f *function) Name() string { return f.Signature[:strings.IndexByte(f.Signature, '(')] }

// table lists every cheatcode, by subject, then in Foundry's order. docs/configuration.md
// has it, too.
var table = slices.Concat(environmentTable, accountTable, assumeTable, prankTable, expectTable, mockTable, keyTable, snapshotTable, recordTable,
	textTable, jsonTable, tomlTable, assertTable, variableTable, fileTable, deployTable, forkTable, randomTable, toolTable, restTable)
