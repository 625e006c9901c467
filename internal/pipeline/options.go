package pipeline

import (
	"time"

	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/seeds"
	"github.com/sightline-evm/sightline/report"
)

// Options say what one run does: what it compares, in what World it fuzzes and for how
// long, whether it passes, and where results go. A run does not change them.
type Options struct {
	Change   change.Options
	World    deploy.Options
	Campaign Campaign
	Gate     Gate
	Output   Output
	// SelfCheck says whether mistakes are planted in the changed lines.
	SelfCheck SelfCheck
	// shards are what stands for the campaign on the head, see [Merge]; nil: it is run.
	shards *united

	Tool report.Tool
	Now  func() time.Time
	Log  *progress.Log // receives progress, and collects warnings
}

// Reading are the options of the change that is read for a run: contracts that make the World are
// needed, too.
func (o *Options) Reading() *change.Options {
	with := o.Change
	with.Uses = o.World.Uses()
	return &with
}

// Campaign says how long and how to fuzz.
type Campaign struct {
	Timeout   time.Duration // 0: no limit in time
	Deadline  time.Time     // of the campaign, whatever its timeout; zero: none
	Calls     uint64        // 0: no limit in calls
	SeqLen    int           // the most calls of a sequence; 0: the campaign finds out
	Seed      uint64
	Workers   int
	CorpusDir string // where inputs are kept; empty: nowhere
	Seeds     []seeds.Source
	Schedule  string   // a power schedule's name
	Without   string   // techniques to leave out, separated by commas
	Oracles   []string // that watch, or with "-" in front do not; none: all do
	Panics    []string // codes of Panic that are findings
	Exchange  Exchange

	// AfterReached is the part of the budget for which bugs are still looked for once every target is
	// reached; nil: none where targets are named, and [fuzzer.DefaultAfterReached] otherwise.
	AfterReached *float64
}

// Gate decides whether a run passes.
type Gate struct {
	FailOn    string // lowest severity that fails
	Condition string // that must hold in addition; empty: none
	// MinReached is the share of the changed lines below which the headline says first what was
	// not reached; nil: the report's default.
	MinReached *float64
	// AllowStarved lets a run pass whose campaign ran too few executions.
	AllowStarved bool
	Waivers      []report.Waiver
}

// Output says where results go, and which of them.
type Output struct {
	Dir     string // of all files; empty: they are not written
	Bundle  string // one file with all of them; empty: none
	History string // file of the findings that runs keep for each other; empty: none
	Pushed  string // the commit by which people know the head; empty: as the diff says
	// OnlyIntroduced withholds findings that the change is not known to have introduced.
	OnlyIntroduced bool
	// Keep is given the files of the run before they are written; may be nil.
	Keep   func(files map[string][]byte)
	Render report.Options // what the caller knows of where the report is read
}
