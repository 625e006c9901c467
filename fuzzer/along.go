package fuzzer

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// along tells in which blocks a path had a target ahead: only another way out of
// one of them can still lead to a target (lookahead §3, "flipping a branch in a
// suffix path can never lead to a target location"). A campaign keeps some ten
// thousand, of a few programs each.
type along []alongIn

// alongIn is the part of a program: a bit for each of its blocks.
type alongIn struct {
	code   bytecode.CodeID
	blocks blockSet
}

// blockSet is a set of a program's blocks, a bit for each.
type blockSet []uint64

func (s blockSet) has(b bytecode.BlockID) bool { return int(b/64) < len(s) && s[b/64]>>(b%64)&1 == 1 }

func (s blockSet) add(b bytecode.BlockID)    { s[b/64] |= 1 << (b % 64) }
func (s blockSet) remove(b bytecode.BlockID) { s[b/64] &^= 1 << (b % 64) }

// blocks lists the set, in ascending order.
func (s blockSet) blocks() []bytecode.BlockID {
	var list []bytecode.BlockID
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			list = append(list, bytecode.BlockID(64*i+bits.TrailingZeros64(word)))
		}
	}
	return list
}

// in is the part of a program; nothing for a path that nobody asked about.
func (a along) in(code bytecode.CodeID) blockSet {
	for i := range a {
		if a[i].code == code {
			return a[i].blocks
		}
	}
	return nil
}

func newAlong(points []lookahead.SplitPoint) along {
	var a along
	for first, p := range points {
		if a.in(p.Code) != nil {
			continue
		}
		highest := p.Block
		for _, q := range points[first:] {
			if q.Code == p.Code {
				highest = max(highest, q.Block)
			}
		}
		set := make(blockSet, highest/64+1)
		for _, q := range points[first:] {
			if q.Code == p.Code {
				set.add(q.Block)
			}
		}
		a = append(a, alongIn{p.Code, set})
	}
	return a
}

// aheads remembers what was found of the paths that a worker met. Paths that share
// their LID share what is ahead.
type aheads struct {
	byPath map[bytecode.PathID]int32 // numbers of alongs
	byLID  map[lookahead.ID]int32    // likewise
	alongs []along
}

func (m *aheads) put(pid bytecode.PathID, r *lookahead.Result) {
	if m.byPath == nil || len(m.byPath) >= maxRecentPaths { // the bound of what else is kept of paths
		*m = aheads{byPath: map[bytecode.PathID]int32{}, byLID: map[lookahead.ID]int32{}}
	}
	n, known := m.byLID[r.ID]
	if !known {
		n = int32(len(m.alongs)) // at most maxRecentPaths
		m.alongs = append(m.alongs, newAlong(r.Ahead))
		m.byLID[r.ID] = n
	}
	m.byPath[pid] = n
}

// of is what is ahead along a path; nothing for one that is not remembered.
func (m *aheads) of(pid bytecode.PathID) along {
	if n, known := m.byPath[pid]; known {
		return m.alongs[n]
	}
	return nil
}

// outlook is what the analysis found of a path.
type outlook struct {
	lookahead.Result
	// leads: a target was still ahead behind the first block of the function that
	// was called.
	leads bool
	// opens: else, a place that changes state as nothing has before was.
	opens bool

	edges   bool // a call led somewhere new
	changed bool // a place that changes state is no goal any more
}

// ahead asks the analysis about an execution.
func (w *worker) ahead(exec *evm.Execution, b *batch) *outlook {
	start := w.seconds()
	edges, _ := w.steering.learn(exec)
	changed := false
	if w.opening != nil {
		var connected bool
		connected, changed = w.opening.learn(exec)
		edges = edges || connected
	}
	found := &outlook{Result: w.steering.analyse(exec), edges: edges, changed: changed}
	found.leads = leads(exec, &found.Result)
	if w.opening != nil {
		if !found.leads {
			found.Result = w.opening.analyse(exec)
			found.opens = leads(exec, &found.Result)
		}
		fileByPoints(&found.Result)
		w.aheads.put(exec.PathID(), &found.Result)
		fileByChange(exec, &found.Result)
		b.analysis.Add(w.opening.take())
	}
	b.analysis.Add(w.steering.take())
	b.analysisSeconds += w.seconds() - start
	return found
}

// leads reports whether a prefix goes on into the function that was called. Most
// calls are of functions from which no target can be reached; what is ahead in
// front of those is to call another function.
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
	return r.Prefix > at+2 // behind it comes the function's first block
}

// fileByPoints files paths together whose prefixes have the same split points:
// those that differ in how often they go round a loop. Where its rounds depend on
// the input a loop makes prefixes without end (lookahead §3), each as rare as any
// other, and its function would get most of the executions. Strings of a
// constructor made 18,600 of 24,000 entries of openzeppelin-solidity's.
func fileByPoints(r *lookahead.Result) {
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

// fileByChange tells paths apart that share a prefix but change state in other
// places. Behind the prefix no target is ahead in this call; what the call leaves
// behind may yet decide whether a later one gets to a target. All calls of
// functions without targets would otherwise be one LID for each function, those
// that fail at once and those that open the way.
func fileByChange(exec *evm.Execution, r *lookahead.Result) {
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
