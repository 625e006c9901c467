// Package compare compares a finding with other versions of the code: the base (did the
// change introduce it?), the release build (does it happen in the code that is deployed?),
// and the heads of earlier runs (is it fixed?). It decides by running things.
package compare

import (
	"fmt"

	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// Result is the result of comparing a finding with another version, and the evidence for
// it: [report.Introduced], [report.PreExisting] or [report.Unknown] for the base,
// [report.ShippedSame] or one of its kind for the release build.
type Result struct{ Is, Reason string }

func introduced(format string, args ...any) Result {
	return Result{report.Introduced, fmt.Sprintf(format, args...)}
}

func preExisting(reason string) Result { return Result{report.PreExisting, reason} }

func unknown(format string, args ...any) Result {
	return Result{report.Unknown, fmt.Sprintf(format, args...)}
}

// evidence is what trying a finding of the head on the base showed.
type evidence struct {
	contract string // the finding's, qualified
	project  bool   // the base has a build of the project that the contract belongs to
	there    bool   // the base has the contract

	located bool   // on the head, the failing code has a source text to find it by
	textual bool   // on the base, so has all code of the contract
	places  int    // on the base that have the failing code
	fitting int    // calls of the finding that can be made on the base
	missing string // why the others cannot; empty: all can

	same    bool   // the finding's own calls break one of the places
	outcome string // of their last call, where they do not
	others  bool   // other calls break one: saved inputs, or those of a campaign from the finding's
	tried   uint64 // sequences of that campaign
	fault   string // why less was tried than should have been; empty: nothing failed
}

// decide compares a finding with the base. The rules, first match first:
//
//	pre-existing  the same oracle sees the code fail on the base, in the finding's own
//	              calls or in others
//	introduced    the base lacks the contract, or the failing code; or it has it, and
//	              neither the finding's calls nor a campaign from them break it
//	unknown       otherwise: a finding that could not be looked up or tried proves nothing
func (e *evidence) decide() Result {
	switch {
	case !e.there && !e.project:
		return unknown("no build of the base holds the project of %s", e.contract)
	case !e.there:
		return introduced("the base does not have the contract")
	case !e.located:
		return unknown("the failing code has no source text by which to find it on the base")
	case e.places == 0 && !e.textual:
		return unknown("the base's build lacks source texts, so the failing code cannot be found there")
	case e.places == 0:
		return introduced("the base does not have the failing code")
	case e.fitting == 0:
		return unknown("its calls do not fit the base: %s", e.missing)
	case e.same:
		return preExisting("the same calls break it on the base")
	case e.others:
		return preExisting("other calls break it on the base")
	case e.fault != "":
		return unknown("%s", e.fault)
	case e.missing != "":
		return unknown("not reproduced on the base, which not all of its calls fit: %s; %s derived from the others break nothing", e.missing, sequences(e.tried))
	}
	return introduced("not reproduced on the base: neither by these calls (the last one %s) nor by %s derived from them", e.outcome, sequences(e.tried))
}

func sequences(n uint64) string { return human.Count(n) + " sequences" }
