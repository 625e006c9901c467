package oracle

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// GuardLost is seen where base and head run the same calls (package compare): from an equal
// state, a call of an account that the World has never heard of is refused on the base by a check in
// the source, and succeeds on the head, where the check is no longer there or no longer decides.
var GuardLost = &Oracle{
	ID:       "guard-lost",
	Title:    "A check that refused a call is lost",
	CWE:      "693",
	Severity: Medium,
	Doc: "An account that was given nothing but ether succeeds with a call that the base refuses from the same state, by an error, a `require` or a `revert` in the source, " +
		"and the call changes storage, moves ether or returns something. On the head that check is gone, or it is still there and no longer refuses, since the code before it has changed. " +
		"A check that the head has in another form, or that compares with another constant, is not reported by this oracle: what it lets through is listed under \"What this change does\".",
	Remedy: "Look at the check that the message names. If the call was to stay refused, restore the check, or what it looks at. " +
		"If it is meant to succeed from now on, let a test of the project make it, or accept the finding with a waiver that says so.",
}

// HaltOf is the last instruction of a frame, as a statement of the source has it: in code that statements share,
// the last of the statement's own before that.
func HaltOf(f *evm.Frame) bytecode.Location { return statement(f, f.LastPC, last) }
