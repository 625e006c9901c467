package lookahead

import (
	"maps"
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Reason is what an answer is based on.
type Reason uint8

// The reasons. All but NoTargetAhead mean "may reach".
const (
	NoTargetAhead Reason = iota // proved: no execution reaches a target from here
	TargetAhead                 // a target is ahead, as far as the analysis can tell
	CallAhead                   // a call that may lead to a target is ahead
	UnknownJump                 // a jump whose destination is not known is ahead
	UnknownOpcode               // an instruction is ahead that no known fork has, or that differs between instances
	Exhausted                   // the budget was used up before the answer was found
	Diverged                    // the path is not one of the program's, as far as the analysis can tell
)

var reasons = [...]string{
	"no target ahead", "target ahead", "call ahead", "unknown jump", "unknown opcode", "budget exhausted", "path not understood",
}

func (r Reason) String() string { return reasons[r] }

// DefaultBudget is the number of steps that a question may take: a few hundred
// microseconds. Questions about real contracts take hundreds of steps, so only code
// built to be hard reaches it.
const DefaultBudget = 1 << 15

// Options say how an Analyzer works. The zero value is the default.
type Options struct {
	Calls  CallModel // nil: Conservative
	Budget int       // steps for one question; 0: DefaultBudget
}

func (o Options) withDefaults() Options {
	if o.Calls == nil {
		o.Calls = Conservative
	}
	if o.Budget <= 0 {
		o.Budget = DefaultBudget
	}
	return o
}

// Stats count what an Analyzer did.
type Stats struct {
	Questions  int // asked, one for each split point looked at
	Remembered int // answered by an earlier question about the same state
	ByGraph    int // answered by the control-flow graph alone
	Explored   int // answered by a fixed point
	Implied    int // answered by a split point further along the path, or by earlier paths
	Exhausted  int // answered "may reach" because the budget was used up
	Unknown    int // answered "may reach" because of an unknown jump or opcode
	Diverged   int // answered "may reach" because the path was not understood
	Steps      int // spent on fixed points
	Nodes      int // of graphs, visited to compute distances to goals
}

// Add adds another Analyzer's counts.
func (s *Stats) Add(t Stats) {
	s.Questions += t.Questions
	s.Remembered += t.Remembered
	s.ByGraph += t.ByGraph
	s.Explored += t.Explored
	s.Implied += t.Implied
	s.Exhausted += t.Exhausted
	s.Unknown += t.Unknown
	s.Diverged += t.Diverged
	s.Steps += t.Steps
	s.Nodes += t.Nodes
}

// Minus is what was done since earlier counts of the same Analyzer.
func (s Stats) Minus(earlier Stats) Stats {
	s.Questions -= earlier.Questions
	s.Remembered -= earlier.Remembered
	s.ByGraph -= earlier.ByGraph
	s.Explored -= earlier.Explored
	s.Implied -= earlier.Implied
	s.Exhausted -= earlier.Exhausted
	s.Unknown -= earlier.Unknown
	s.Diverged -= earlier.Diverged
	s.Steps -= earlier.Steps
	s.Nodes -= earlier.Nodes
	return s
}

// Answer is the answer to one question.
type Answer struct {
	Reason Reason
	PC     uint32 // of what Reason names: the target, call, jump or instruction
	States int    // abstract states of the fixed point; 0 when none was computed
	Steps  int    // of the fixed point, likewise
}

// MayReach reports whether a target may be ahead.
func (a Answer) MayReach() bool { return a.Reason != NoTargetAhead }

// Analyzer answers questions about one program and a set of targets. It is used
// by one goroutine.
type Analyzer struct {
	*Facts
	options    Options
	w          *Workspace
	pool       []Value // the program's, in the Workspace's Values
	graphPool  []Value // the graph's, likewise; nil until needed
	generation uint32  // of those

	targets []uint32 // pcs, ascending
	goals   [2]goals // for frames that are not static, and for those that are
	serial  uint32   // distinguishes its answers from those of the Workspace's other Analyzers

	trees [2]prefixTree // likewise, by static

	stats   Stats
	unknown map[uint32]int // questions that ended at an unknown jump or opcode, by its pc
}

// New makes an Analyzer without targets that shares nothing.
func New(p *bytecode.Program, options Options) *Analyzer {
	return NewAnalyzer(NewFacts(p, 0), NewWorkspace(), options)
}

// NewAnalyzer makes an Analyzer without targets that works in a Workspace.
func NewAnalyzer(f *Facts, w *Workspace, options Options) *Analyzer {
	w.analyzers++
	return &Analyzer{Facts: f, options: options.withDefaults(), w: w, serial: w.analyzers, unknown: map[uint32]int{}}
}

// Stats are the counts so far.
func (a *Analyzer) Stats() Stats { return a.stats }

// UnknownJumps lists the jumps and instructions that questions ended at, with the
// number of those questions.
func (a *Analyzer) UnknownJumps() map[uint32]int { return maps.Clone(a.unknown) }

// SetTargets replaces the targets by the first instructions of blocks; the
// program must have been cut so that the locations meant start one.
func (a *Analyzer) SetTargets(blocks []bytecode.BlockID) {
	pcs := make([]uint32, 0, len(blocks))
	for _, b := range blocks {
		pcs = append(pcs, a.code.blocks[b].start)
	}
	a.SetTargetPCs(pcs)
}

// SetTargetPCs replaces the targets by the instructions at pcs. A target inside a block
// is ahead until it has been executed; from other blocks it counts as reached when
// control enters its block.
func (a *Analyzer) SetTargetPCs(pcs []uint32) {
	a.targets = slices.Compact(slices.Sorted(slices.Values(pcs)))
	a.Refresh()
}

// Refresh must be called when the call model has changed. Answers that the change
// does not affect are kept, see [goals].
func (a *Analyzer) Refresh() {
	for i := range a.goals {
		a.goals[i].current = false
	}
}

// ReachesTarget reports whether a frame that starts to run the program may reach one of
// its targets, calls aside.
func (a *Analyzer) ReachesTarget() bool {
	return slices.ContainsFunc(a.targets, func(pc uint32) bool {
		b, ok := a.code.program.BlockOf(pc)
		return ok && a.inGraph(b)
	})
}
