// Package compare compares a finding with other versions of the code: the base (did the
// change introduce it?), the release build (does it happen in the code that is deployed?),
// and the heads of earlier runs (is it fixed?). It decides by running things.
package compare

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// Result is the result of comparing a finding with another version, and the evidence for
// it: [report.Introduced], [report.PreExisting] or [report.Unknown] for the base,
// [report.ReleaseSame] or one of its kind for the release build.
type Result struct{ Is, Reason string }

func introduced(format string, args ...any) Result {
	return Result{report.Introduced, fmt.Sprintf(format, args...)}
}

func preExisting(reason string) Result { return Result{report.PreExisting, reason} }

func unknown(format string, args ...any) Result {
	return Result{report.Unknown, fmt.Sprintf(format, args...)}
}

// evidence is what trying a way to a finding of the head on the base showed.
type evidence struct {
	contract string // the finding's, qualified
	added    bool   // the change adds the contract, as far as its texts tell
	project  bool   // the base has a build of the project that the contract belongs to
	there    bool   // the base has the contract
	leftOut  bool   // its base version does not compile
	noWorld  string // why nothing can be run on the base; empty: it can
	// otherWorld is why the base's World was made in another way than the head's; empty: it
	// was not.
	otherWorld string

	located bool     // on the head, the failing code has a source text to find it by
	textual bool     // on the base, so has all code of the contract
	same    bool     // the calls fail on the base in the same way
	others  bool     // other arguments of them do, in code that did not change: those of saved inputs, or of a campaign
	takes   []string // functions and contracts that the calls take and the base lacks
	absent  string   // the sender of some is a test contract that the base lacks; empty: that of none
	missing string   // why other calls cannot be made on the base; empty: all can

	places   int      // on the base that have the failing code
	edited   bool     // none of them has it as it is
	by       []string // senders that cause the same failure on the base by these calls; not one of those that cause it on the head
	outcome  string   // of the last call on the base
	otherWay bool     // the code fails on the base, in calls that run none of the changed code of these
	tried    uint64   // sequences of the campaign
	fault    string   // why less was tried than should have been; empty: nothing failed
}

// decide compares a finding with the base. What counts is what happens there, first in the
// finding's own calls. They come from the least privileged senders with which the head
// fails, and call functions, contracts and parameters by the names that the base has for
// them. It is the same failure if the same oracle sees it in the same contract and
// function; or in a statement that the head does not have any more, as it moved to where
// the head fails.
//
// Where these calls break nothing, others may: calls of the same functions by the same
// senders, with other arguments. They prove that the failure is old if what fails is the
// same statement, but for renamed variables. They prove nothing if they break the head as
// well, without running all the changed code that the finding runs: then the finding is a
// new way, next to an old one.
//
// The rules, first match first:
//
//	introduced    the base lacks the contract, or could not deploy it
//	introduced    no build of the base says so, but the change adds the contract's file
//	unknown       its base version does not compile, no build of the base may hold it, or the base has no World
//	pre-existing  the calls fail on the base in the same way, or others do
//	unknown       the comparison failed; the base's World was made in another way; or the
//	              texts to compare are not known
//	introduced    the calls take a function or a contract that the base lacks
//	unknown       another call cannot be made on the base
//	introduced    on the base only others break it, or it lacks the failing code
//	unknown       a call is by a test contract that the base lacks
//	introduced    otherwise: the base does not break it so
//
// A finding has several ways if the campaign saw it by several paths. It is introduced if
// one of them is: the old way is not the only one any more.
func (e *evidence) decide() Result {
	switch {
	case e.added && (!e.project || e.noWorld != "" && !e.there):
		return introduced("the change adds the file of %s", e.contract)
	case e.leftOut:
		return unknown("the base version of %s does not compile", e.contract)
	case !e.there && !e.project:
		return unknown("no build of the base holds the project of %s", e.contract)
	case !e.there:
		return introduced("the base does not have the contract")
	case e.noWorld != "":
		return unknown("%s", e.noWorld)
	case e.same:
		return preExisting("the same calls break it on the base")
	case e.others:
		return preExisting("other arguments of the same calls break it on the base")
	case e.fault != "":
		return unknown("%s", e.fault)
	case e.otherWorld != "":
		return unknown("%s; in another World, neither these calls nor %s derived from them break it", e.otherWorld, sequences(e.tried))
	case !e.located:
		return unknown("the failing code has no source text by which to find it on the base")
	case e.places == 0 && !e.textual:
		return unknown("the base's build lacks source texts, so the failing code cannot be found there")
	case len(e.takes) > 0:
		return introduced("it takes %s, which the base does not have", strings.Join(e.takes, " and "))
	case e.missing != "":
		return unknown("not all of its calls can be made on the base: %s; %s derived from the others break nothing", e.missing, sequences(e.tried))
	case len(e.by) > 0:
		return introduced("on the base only %s can break it so", strings.Join(e.by, " and "))
	case e.places == 0:
		return introduced("the base does not have the failing code, and these calls break nothing there (the last one %s)", e.outcome)
	case e.absent != "":
		return unknown("the base lacks %s, which sets up what it calls with; without that, neither these calls nor %s derived from them break it", e.absent, sequences(e.tried))
	case e.edited:
		return introduced("the failing code changed, and these calls did not break it on the base (the last one %s)", e.outcome)
	case e.otherWay:
		return introduced("it breaks on the base as well, but in another way: without what changed in the code that these calls run (there, the last one %s)", e.outcome)
	}
	return introduced("not reproduced on the base: neither by these calls (the last one %s) nor by %s derived from them", e.outcome, sequences(e.tried))
}

func sequences(n uint64) string { return human.Count(n) + " sequences" }
