// Package compare says what is known of a finding beside other versions of the code:
// the base (did the change introduce it?), the release build (does it happen in what is
// shipped?), and the heads of earlier runs (is it fixed?). It decides by running things.
package compare

import (
	"fmt"

	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// Standing is what is known of a finding, for the base one of [report.Introduced],
// [report.PreExisting] and [report.Unknown], for the release build one of
// [report.ShippedSame] and its kin, with what that rests on.
type Standing struct{ Is, Reason string }

func introduced(format string, args ...any) Standing {
	return Standing{report.Introduced, fmt.Sprintf(format, args...)}
}

func preExisting(reason string) Standing { return Standing{report.PreExisting, reason} }

func unknown(format string, args ...any) Standing {
	return Standing{report.Unknown, fmt.Sprintf(format, args...)}
}

// evidence is what a finding of the head met on the base.
type evidence struct {
	contract string // the finding's, qualified
	project  bool   // the base has a build of the project that the contract belongs to
	there    bool   // it has the contract

	located bool   // on the head, the code that breaks has a source text to find it by
	textual bool   // on the base, so has all code of the contract
	places  int    // on the base where the code that breaks stands
	fitting int    // calls of the finding that can be made on the base
	missing string // why the others cannot; empty: all can

	same    bool   // the finding's own calls break one of the places
	outcome string // of their last call, where they do not
	others  bool   // other calls break one: saved inputs, or those of a campaign from the finding's
	tried   uint64 // sequences of that campaign
	fault   string // why less was tried than should have been; empty: nothing failed
}

// standing decides what a finding is beside the base. The rules, first match first:
//
//	pre-existing  the same oracle sees the code that breaks fail on the base, in the
//	              finding's own calls or in others
//	introduced    the base lacks the contract, or the code that breaks; or it has it,
//	              and neither the finding's calls nor a campaign from them break it
//	unknown       all else: whatever could not be looked up or tried proves nothing
func (e *evidence) standing() Standing {
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
