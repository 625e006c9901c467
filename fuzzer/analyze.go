package fuzzer

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
)

// analysis is a worker's lookahead analysis of what it has run.
type analysis struct {
	steering *steering  // nil when the schedule asks nothing
	opening  *steering  // toward instructions that change state; nil when the schedule is not directed
	ahead    aheadCache // what was ahead of the paths
}

// retarget updates which targets are still open.
func (a *analysis) retarget(open []bool, epoch int) {
	a.steering.retarget(open, epoch)
	if a.opening != nil {
		a.opening.retarget(open, epoch)
	}
}

// lookaheadResult is what the analysis found of a path.
type lookaheadResult struct {
	lookahead.Result
	// leads: a target was still ahead after the first block of the function that was
	// called.
	leads bool
	// opens: else, an instruction was ahead that changes state and that has not been
	// executed in a successful call, see changes.
	opens bool

	edges   bool // a call led somewhere new
	changed bool // such an instruction was executed
}

// analyze runs the lookahead analysis on an execution (Algorithm 1, line 11).
func (w *worker) analyze(exec *evm.Execution, b *batch) *lookaheadResult {
	start := w.seconds()
	edges, _ := w.steering.observeCalls(exec)
	changed := false
	if w.opening != nil {
		var connected bool
		connected, changed = w.opening.observeCalls(exec)
		edges = edges || connected
	}
	found := &lookaheadResult{Result: w.steering.analyze(exec), edges: edges, changed: changed}
	found.leads = leads(exec, &found.Result)
	if w.opening != nil {
		if !found.leads {
			found.Result = w.opening.analyze(exec)
			found.opens = leads(exec, &found.Result)
		}
		groupBySplitPoints(&found.Result)
		w.ahead.put(exec.PathID(), &found.Result)
		splitByWrites(exec, &found.Result)
		b.analysis.Add(w.opening.takeStats())
	}
	b.analysis.Add(w.steering.takeStats())
	b.analysisSeconds += w.seconds() - start
	return found
}

// leads reports whether a prefix extends into the function that was called. Most calls
// are of functions from which no target can be reached: before their first block, a
// target is ahead only by way of calling another function.
func leads(exec *evm.Execution, r *lookahead.Result) bool {
	f := &exec.Frames[exec.Calls[len(exec.Calls)-1].Frames[0]]
	if !r.Proved || len(f.Input) < 4 {
		return true
	}
	var selector uint256.Int
	selector.SetBytes(f.Input[:4])
	at := -1 // index in the path of the dispatcher's last block
	for i := range f.Comparisons {
		if c := &f.Comparisons[i]; c.Left == selector || c.Right == selector {
			at = slices.Index(f.Path, c.Block)
			if c.Op == opEQ && c.Left == c.Right {
				break // found
			}
		}
	}
	return r.Prefix > at+2 // after it comes the function's first block
}

// groupBySplitPoints gives one LID to paths whose prefixes have the same split points:
// those that differ only in the number of iterations of a loop. Where that number
// depends on the input, a loop makes any number of prefixes (lookahead §3), each as rare
// as any other, and its function would get most of the executions: strings of a
// constructor made 18,600 of the 24,000 entries of openzeppelin-solidity.
func groupBySplitPoints(r *lookahead.Result) {
	buffer := make([]byte, 0, 8*(len(r.SplitPoints)+len(r.Ahead)+1))
	for _, points := range [][]lookahead.SplitPoint{r.SplitPoints, r.Ahead} {
		buffer = binary.BigEndian.AppendUint32(buffer, uint32(len(points)))
		for _, p := range points {
			buffer = binary.BigEndian.AppendUint32(buffer, uint32(p.Code))
			buffer = binary.BigEndian.AppendUint32(buffer, uint32(p.Block))
		}
	}
	r.ID = sha256.Sum256(buffer)
}

// splitByWrites gives different LIDs to paths that share a prefix but write to storage
// at different instructions. After the prefix no target is ahead in this call; but the
// state that the call leaves may decide whether a later one reaches a target. Otherwise
// all calls of a function without targets would share one LID, those that fail at once
// and those that open the way.
func splitByWrites(exec *evm.Execution, r *lookahead.Result) {
	if !changedState(exec) {
		return
	}
	type site struct {
		key uint64
		pc  uint32
	}
	var sites []site
	last := exec.Calls[len(exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		f := &exec.Frames[i]
		for _, access := range f.Storage {
			if access.Write && f.Program != nil {
				sites = append(sites, site{f.Program.Key, access.PC})
			}
		}
	}
	slices.SortFunc(sites, func(a, b site) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.pc, b.pc)) })
	buffer := slices.Clone(r.ID[:])
	for _, s := range slices.Compact(sites) {
		buffer = binary.BigEndian.AppendUint64(buffer, s.key)
		buffer = binary.BigEndian.AppendUint32(buffer, s.pc)
	}
	r.ID = sha256.Sum256(buffer)
}
