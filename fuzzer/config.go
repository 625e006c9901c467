package fuzzer

import (
	"time"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Config is a campaign's configuration.
type Config struct {
	World   *evm.World
	Space   *input.Space
	Table   *bytecode.Table   // its programs are cut at the targets' entries
	Targets []bytecode.Target // may be empty: then the campaign only looks for bugs
	// Within are, by target, the functions of which a sequence's last call has to be where it enters the target; one without a function: any call may. nil: all
	// are. What branches such calls take is told apart from what others take there.
	Within  []input.Callable
	Oracles []*oracle.Oracle
	// Exempt reports whether failures at an instruction are not bugs; nil: all are. It is
	// called from several goroutines.
	Exempt func(bytecode.Location) bool
	// Seeds are run before fuzzing, after one call of each function: the World's
	// deployments as calls, for targets in constructors.
	Seeds []input.Sequence
	// NewMachine makes a machine for the World, one for each worker.
	NewMachine func() (evm.Machine, error)
	// NewJudge makes the machine that confirms findings, which must be the reference;
	// nil: NewMachine.
	NewJudge func() (evm.Machine, error)

	// NewTracer makes a reference that follows values, see [evm.WithTrace]; nil: what oracles need that
	// for is not looked for.
	NewTracer func() (evm.Machine, error)
	// Audit tells that contracts are looked at as they are: oracles also speak of what has no consequence.
	Audit bool
	// Added are the contracts, by their qualified names, that a change adds. Since no base shows how they behaved before, some oracles look at them
	// as in an audit.
	Added []string
	// Altered are other contracts that hold Targets. Some oracles look at attacks that run these as in an audit: whether they work on the base is to be
	// found out afterwards.
	Altered []string

	// NewOther makes another version of the code, one for each worker, that runs what the
	// campaign runs; nil: there is none.
	NewOther func() (Other, error)

	Schedule *Schedule // nil: Lookahead
	// Without disables techniques, so that their effect can be measured; With enables
	// those that are [Optional].
	Without, With Techniques
	// Ways is how many more sequences, of other paths, a finding keeps; 0: none.
	Ways   int
	Corpus *Corpus // nil: nothing is loaded or saved
	// Saved are inputs that were loaded from a corpus before, in place of the Corpus's own: a
	// campaign on another machine has only them.
	Saved []input.Sequence
	// Given are inputs of others, which are run as saved ones are: after the Seeds, within their share of the
	// budget.
	Given []input.Sequence
	// Exchange connects with campaigns on the same World, build and targets that run elsewhere; nil: none. With one, the
	// result depends on what it gives, and when.
	Exchange Exchange
	// OfferNear also offers inputs that come nearer to an untaken side of a branch. The product does not: the others then all
	// go on from the same input, and try the same around it. With it, 16 campaigns ran ten times as many inputs of others, were
	// no sooner at any of three targets, and 2.4 times as late at one (bench/scale -near).
	OfferNear bool
	// Library holds the analysis results about the Table's programs that do not depend
	// on targets; campaigns on one Table may share it. nil: one of its own.
	Library *lookahead.Library
	Seed    uint64
	Workers int // at least 1
	// SeqLen is the most calls of a sequence, properties not counted; 0: 8 at first,
	// doubled up to 64 whenever a path needs that many calls, or where state fuzzing shows
	// that a function takes other paths from other states (harvey §5).
	SeqLen  int
	Timeout time.Duration // 0: no limit
	// MaxCalls limits the calls that are run, the minimizer's included; 0: no limit. Only
	// the replays that confirm a target or a finding, two sequences each, may exceed it.
	MaxCalls uint64
	// AfterReached is the part of the budget, from 0 to 1, for which the campaign still looks for
	// bugs once every target is reached; nil: DefaultAfterReached.
	AfterReached *float64

	// Now is the clock: for the time limit and the marks, never for decisions of a
	// campaign that is limited in calls.
	Now func() time.Time
	// FunctionAt names the function that an instruction was compiled from. nil: the result
	// does not say where executions leave the way to targets that were not reached.
	FunctionAt func(bytecode.Location) (name string, ok bool)
	// Progress is called on the campaign's goroutine for each event; may be nil.
	Progress func(Event)
	// Checkpoint is called on the campaign's goroutine after each Progress, for keeping results of a
	// campaign that may be killed. soFar is the result as it would be if the campaign ended now, but for
	// Stopped and what only its end finds out: the stops, and what is dropped or confirmed then. It is
	// valid during the call, and takes time in proportion to the suite; nothing in it may be changed. What
	// is done with it changes nothing of the campaign. nil: none.
	Checkpoint func(e Event, soFar func() *Result)
}
