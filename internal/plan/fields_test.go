package plan

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestEveryField: a plan has every field of what a campaign reads, but for those that the machine that fuzzes adds. Who adds a field decides
// which it is: a campaign from a plan has to be the one without.
func TestEveryField(t *testing.T) {
	for _, test := range []struct {
		of      any
		planned string // the plan has them
		added   string // they are made again, or the machine's own
	}{
		{
			fuzzer.Config{}, "World Space Table Targets Exempt Seeds Audit Added Altered Ways Saved Given Seed Workers SeqLen Timeout MaxCalls AfterReached FunctionAt",
			// by the names in Options; made again; folders, clock and what looks on
			"Within Oracles Schedule Without NewMachine NewJudge NewTracer Library With NewOther Corpus Now Progress Checkpoint Exchange OfferNear",
		},
		{input.SpaceOptions{}, "Constructors MaxValue MaxTime MaxBlocks Called Uses Constructed Likely", ""},
		{evm.World{}, "Accounts Block Fork Instances Senders Cheats Properties Callbacks Origin", ""},
		{evm.Account{}, "Balance Nonce Code Storage Remote", ""},
		{evm.Instance{}, "Name Address Contract Asked Spare Scope Tests Bare", ""},
		{evm.Sender{}, "Name Address Key TestsOnly Outsider Through", ""},
		{evm.Cheats{}, "State Answers Only Tester Lenient", "Edge"}, // without files of the project: set-ups are over
		{evm.Bare{}, "World Address", ""},
		{bytecode.Contract{}, "Name Source Folder Variant ABI RawABI Creation Runtime Library Generated ArgumentTypes Implements Variables Texts Encodings", ""},
		{bytecode.Code{}, "Kind Bytes Links Immutables Checks ChecksKnown Traps Shared Released", "ID"},
		{bytecode.Target{}, "Position Contract Entries Deletion Reverts", ""},
		{cheatcode.Answers{}, "Root Files Artifacts", ""},
	} {
		known := strings.Fields(test.planned + " " + test.added)
		of := reflect.TypeOf(test.of)
		for _, f := range reflect.VisibleFields(of) {
			if f.IsExported() && !slices.Contains(known, f.Name) {
				t.Errorf("%s.%s: add it to what a plan has, or say here that it is made again", of, f.Name)
			}
		}
	}
}
