package fuzzer

import (
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// steering runs the lookahead analysis on executions: which part of a path still had a
// target ahead. Each worker has its own, which knows only the worker's executions.
type steering struct {
	table       *bytecode.Table
	library     *lookahead.Library // all workers'
	model       callModel
	goals       map[bytecode.CodeID][]goal // all workers', see findGoals
	unexplained map[bytecode.CodeID]bool   // code in the World without an artifact, proxies mostly
	open        []bool                     // by target
	analyzers   map[bytecode.CodeID]*analyzer
	workspace   *lookahead.Workspace
	observed    *lookahead.Observed
	changes     *changes // nil: instructions that change state are not goals
	epoch       int
	stats       lookahead.Stats // of the analyzed paths
}

// analyzer is a program's, with the epoch that its targets are of.
type analyzer struct {
	*lookahead.Analyzer
	epoch int
}

// callModel says what a schedule's analysis makes of calls.
type callModel uint8

const (
	noAnalysis        callModel = iota // schedule cutoff: nothing is asked
	anythingAhead                      // schedule paths: the answer is always "may reach"
	conservativeCalls                  // the paper's: a call may lead to any target
	observedCalls                      // a call leads where executions have shown
)

// goal is a block that the analysis looks for.
type goal struct {
	block  bytecode.BlockID
	target int // index of the campaign's target; −1 for a place of an oracle
}

// unexplainedCode finds the code in a World that has no artifact.
func unexplainedCode(w *evm.World, table *bytecode.Table) map[bytecode.CodeID]bool {
	unexplained := map[bytecode.CodeID]bool{}
	for _, address := range slices.SortedFunc(maps.Keys(w.Accounts), common.Address.Cmp) { // in this order code gets its id
		code := w.Accounts[address].Code
		if len(code) > 0 && table.LookupRuntime(code) == nil {
			unexplained[table.Unknown(code).ID] = true
		}
	}
	return unexplained
}

// findGoals lists what the analysis looks for, by program: targets, and the
// places where an oracle may see something.
func findGoals(table *bytecode.Table, targets []bytecode.Target, oracles []*oracle.Oracle) map[bytecode.CodeID][]goal {
	goals := map[bytecode.CodeID][]goal{}
	for i, t := range targets {
		for _, entry := range t.Entries {
			if p, block, ok := blockAt(table, entry); ok {
				goals[p.ID] = append(goals[p.ID], goal{block, i})
			}
		}
	}
	// Bugs matter where code changed: oracles' places count in programs that hold
	// targets, so that steering toward the targets does not steer away from bugs near
	// them.
	for id := range goals { // each program by itself
		p := table.Program(id)
		for _, o := range oracles {
			if o.Places == nil {
				continue
			}
			for _, pc := range o.Places(p) {
				if block, ok := p.BlockOf(pc); ok {
					goals[id] = append(goals[id], goal{block, -1})
				}
			}
		}
	}
	return goals
}

func newSteering(table *bytecode.Table, library *lookahead.Library, goals map[bytecode.CodeID][]goal, targets int, model callModel) *steering {
	s := &steering{
		table: table, library: library, model: model, goals: goals,
		open:      make([]bool, targets),
		analyzers: map[bytecode.CodeID]*analyzer{},
		workspace: lookahead.NewWorkspace(),
	}
	for i := range s.open {
		s.open[i] = true
	}
	s.observed = lookahead.NewObserved(
		func(id bytecode.CodeID) bool { return s.analyzer(id) == nil || s.analyzer(id).ReachesTarget() },
		func(id bytecode.CodeID) []bytecode.Location {
			if a := s.analyzer(id); a != nil {
				return a.CallSites()
			}
			return nil
		})
	return s
}

// analyzer is the program's, made when first needed; nil for ids without a program, and
// for code that is neither the project's nor in the World: inputs make such code by the
// thousand, as arguments of a factory.
func (s *steering) analyzer(id bytecode.CodeID) *lookahead.Analyzer {
	if a := s.analyzers[id]; a != nil {
		if a.epoch != s.epoch { // targets fall faster than most programs run
			a.SetTargets(s.blocks(id))
			a.epoch = s.epoch
		}
		return a.Analyzer
	}
	p := s.table.Program(id)
	if p == nil || p.Contract == nil && !s.unexplained[id] {
		return nil
	}
	options := lookahead.Options{Calls: lookahead.Conservative}
	if s.model == observedCalls {
		options.Calls = s.observed.MayLead
	}
	a := lookahead.NewAnalyzer(s.library.Facts(p), s.workspace, options)
	s.analyzers[id] = &analyzer{a, s.epoch}
	a.SetTargets(s.blocks(id))
	return a
}

// blocks lists the goals of a program that still count.
func (s *steering) blocks(id bytecode.CodeID) []bytecode.BlockID {
	var blocks []bytecode.BlockID
	for _, g := range s.goals[id] {
		if g.target < 0 || s.open[g.target] {
			blocks = append(blocks, g.block)
		}
	}
	return append(blocks, s.changes.blocks(id)...)
}

// retarget updates which targets are still open.
func (s *steering) retarget(open []bool, epoch int) {
	if epoch == s.epoch {
		return
	}
	s.epoch = epoch
	copy(s.open, open)
	s.observed.Retarget()
}

// observeCalls adds the calls within an execution's last call to the call model, and
// reports whether any of them was new; changed reports whether the execution executed an
// instruction of changes.
func (s *steering) observeCalls(exec *evm.Execution) (news, changed bool) {
	if s.model != observedCalls {
		return false, false
	}
	last := exec.Calls[len(exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		f := &exec.Frames[i]
		caller, pc := calledFrom(exec, i)
		if caller == nil {
			continue
		}
		callee := lookahead.Callee{}
		if f.Program != nil {
			callee.Program, callee.Anything = f.Program.ID, f.Program.Contract == nil
		}
		site := bytecode.Location{Code: caller.ID, PC: pc}
		if f.Program != nil && s.changes.connect(caller, f.Program) {
			news = true
		}
		if s.observed.See(site, callee) {
			news = true
		}
	}
	changed = s.changes.close(exec)
	if news || changed {
		s.observed.Retarget()
		for _, a := range s.analyzers { // each by itself
			a.epoch = -1 // its targets are set again before its next analysis
			a.Refresh()
		}
	}
	return news, changed
}

// calledFrom is the program, and the instruction in it, from which control came to a frame: its
// caller's, or where an attacker's contract is between them, that contract's. nil: there is none.
func calledFrom(exec *evm.Execution, frame int) (*bytecode.Program, uint32) {
	for f := &exec.Frames[frame]; f.Parent >= 0; f = &exec.Frames[f.Parent] {
		if p := exec.Frames[f.Parent].Program; p != nil {
			return p, f.CallPC
		}
	}
	return nil, 0
}

// analyze is Algorithm 2 for the last call of an execution, callees first.
func (s *steering) analyze(exec *evm.Execution) lookahead.Result {
	last := exec.Calls[len(exec.Calls)-1].Frames
	if s.model == anythingAhead || last[0] == last[1] || exec.Frames[last[0]].Program == nil || s.analyzer(exec.Frames[last[0]].Program.ID) == nil {
		return wholePath(exec)
	}
	results := make([]lookahead.Result, last[1]-last[0])
	calls := make([][]lookahead.Call, last[1]-last[0]) // made by each frame; of those that are still ahead the last comes first
	for i := last[1] - 1; i >= last[0]; i-- {
		f := &exec.Frames[i]
		made := calls[i-last[0]]
		slices.Reverse(made)
		if f.Program != nil {
			if a := s.analyzer(f.Program.ID); a != nil {
				before := a.Stats()
				results[i-last[0]] = a.Analyze(frameOf(exec, i, made))
				s.stats.Add(a.Stats().Minus(before))
			}
		}
		if f.Parent < last[0] {
			continue
		}
		siblings := &calls[f.Parent-last[0]]
		if f.Program == nil { // an attacker's contract: what it calls, its caller does
			for _, c := range slices.Backward(made) {
				*siblings = append(*siblings, lookahead.Call{At: f.CallAt, Result: c.Result})
			}
		}
		*siblings = append(*siblings, lookahead.Call{At: f.CallAt, Result: results[i-last[0]]})
	}
	return results[0]
}

// takeStats returns the counts since its last call.
func (s *steering) takeStats() lookahead.Stats {
	stats := s.stats
	s.stats = lookahead.Stats{}
	return stats
}

// frameOf describes a frame to the analysis.
func frameOf(exec *evm.Execution, i int, calls []lookahead.Call) lookahead.Frame {
	f := &exec.Frames[i]
	frame := lookahead.Frame{Path: f.Path, Calls: calls}
	if f.PathTruncated {
		frame.Whole = exec.PathID()
	}
	for ; i >= 0; i = exec.Frames[i].Parent {
		if exec.Frames[i].Kind == evm.KindStaticCall {
			frame.Static = true
		}
	}
	return frame
}

// wholePath is the result of an analysis that proves nothing: the path itself is the
// prefix, with a split point at every block that it enters for the first time (lookahead
// §6.3, RQ2).
func wholePath(exec *evm.Execution) lookahead.Result {
	pid := exec.PathID()
	r := lookahead.Result{ID: sha256.Sum256(pid[:])}
	seen := map[lookahead.SplitPoint]bool{}
	last := exec.Calls[len(exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		f := &exec.Frames[i]
		if f.Program == nil {
			continue
		}
		for _, b := range f.Path {
			if p := (lookahead.SplitPoint{Code: f.Program.ID, Block: b}); !seen[p] {
				seen[p] = true
				r.SplitPoints = append(r.SplitPoints, p)
			}
		}
	}
	r.Ahead = r.SplitPoints
	return r
}

// Unreachable lists the targets, by index, that a campaign proves unreachable before it begins.
func Unreachable(table *bytecode.Table, targets []bytecode.Target) []int {
	return unreachable(table, new(lookahead.Library), targets)
}

// unreachable lists the targets that no execution can reach: all of their
// entries are proved unreachable.
func unreachable(table *bytecode.Table, library *lookahead.Library, targets []bytecode.Target) []int {
	var proved []int
	for i, t := range targets {
		reachable := slices.ContainsFunc(t.Entries, func(entry bytecode.Location) bool {
			p, block, ok := blockAt(table, entry)
			return !ok || !library.Facts(p).Unreachable(block)
		})
		if len(t.Entries) > 0 && !reachable {
			proved = append(proved, i)
		}
	}
	return proved
}
