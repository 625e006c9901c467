package fuzzer

import (
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Bounds of the suite's memory: each entry takes about 400 bytes and its calls, which
// hold arrays of thousands of words where a function takes them. Paths first seen when
// the suite is full are counted, not kept. Arbitrary: ten minutes of @aave/core-v3 gave
// about 35,000 entries with 20 to 50 MB of calls, two of openzeppelin-solidity 20,000
// with 20.
const (
	maxSeeds     = 65_536
	maxSuiteSize = 64 << 20 // bytes of calls
)

// maxPaths bounds the memory of the path counts, about 80 bytes each: input-dependent
// loops make any number of paths. Executions of paths first seen when there are so many
// are not counted. It is twice the 131,000 paths of the lookahead paper's example.
const maxPaths = 1 << 18

// Seed is an entry of the suite: an input and what is known of it. Calls and
// PID never change; the counters belong to the campaign's goroutine.
type Seed struct {
	Calls    input.Packed
	PID      bytecode.PathID
	Selected int // how often it was picked
	// NewBlocks reports whether it was the first to enter some block: such seeds
	// are saved to the corpus.
	NewBlocks bool
	// Changes reports whether its last call succeeded and changed state: such seeds
	// are put before others.
	Changes bool
	// Scripted reports whether the attacker's contract follows a script in some call.
	Scripted bool
	// Apart reports whether it is picked less often, see isApart.
	Apart bool
	state stateID // that it leaves, if Changes is set
	size  int     // bytes of Calls that the entry it comes from does not have

	gas      uint64 // of its last call
	work     uint64 // of all its calls
	lastWork uint64 // of its last call
	solved   bool   // worker.solve has started from it
	short    bool   // no call can be removed, see worker.shorten

	reads, writes, wants []slotKey // of the last call, see footprint

	closest [2]int    // entries of the frontier that it holds, see Suite.closest
	lid     *lidGroup // of its no-target-ahead prefix; nil when it was not analyzed
	epoch   int       // Campaign.epoch when it was analyzed
	changed int       // Campaign.changed, likewise
}

// Suite is the test suite with its path counts (papers: PIDs). Only the campaign
// goroutine touches it.
type Suite struct {
	Seeds []*Seed
	pool  pool // the same
	size  int  // bytes of their calls

	changing   pool                // those of Seeds that leave a state that was new: the pool of prefixes (harvey §5)
	states     map[stateID]bool    // that those of Seeds with Changes set leave
	writers    map[slotKey][]*Seed // by what their last calls write
	deciding   map[slotKey]bool    // variables that decide a branch somewhere
	demands    demands
	plans      plans
	precursors precursors
	unfollowed []*Seed
	counts     map[bytecode.PathID]pathCount
	total      uint64 // executions counted, the sum over counts
	apart      struct {
		paths int    // those that were first taken by seeds that are kept apart
		total uint64 // executions of these
		spent uint64 // executions of tasks with such seeds that the schedule chose
		all   uint64 // of all that it chose
	}
	lids lids

	frontier map[frontierSide]*frontierEntry
	// closest lists the seeds of the frontier, each once, whatever its number of sides:
	// some sides (of the dispatcher, say) are never taken, and one input is as close to
	// all of them as any other. Those with a target ahead are at 1.
	closest [2][]*Seed
	unsolved

	spent  [sources]uint64 // executions
	worked [sources]uint64 // work, likewise
}

// frontierSide is an untaken branch side, seen from blocks with a target ahead or from
// others: the same function may be called from both.
type frontierSide struct {
	branchSide
	ahead bool
}

func (s frontierSide) list() int {
	if s.ahead {
		return 1
	}
	return 0
}

// frontierEntry is the closest input to an untaken branch side (mufuzz §IV-B): a seed of
// its own, picked in addition to the suite's.
type frontierEntry struct {
	seed     *Seed
	distance uint256.Int
}

func newSuite() *Suite {
	return &Suite{counts: map[bytecode.PathID]pathCount{}, lids: newLIDs(), frontier: map[frontierSide]*frontierEntry{}, writers: map[slotKey][]*Seed{}, states: map[stateID]bool{}, deciding: map[slotKey]bool{}, demands: newDemands(), precursors: newPrecursors()}
}

// pathCount is what is kept of a path.
type pathCount struct {
	fuzz  uint64    // executions that took it
	seed  bool      // an entry stands for it
	apart bool      // it was first taken by a seed that is kept apart
	lid   *lidGroup // nil when it was not analyzed
}

// count adds one execution of pid.
func (s *Suite) count(pid bytecode.PathID) {
	n, known := s.counts[pid]
	if !known && len(s.counts) >= maxPaths {
		return
	}
	n.fuzz++
	s.counts[pid] = n
	s.total++
	if n.apart {
		s.apart.total++
	}
	if n.lid != nil {
		s.lids.count(n.lid, 1)
	}
}

// fileUnderLID files a counted path under its LID, unless it is filed already.
func (s *Suite) fileUnderLID(pid bytecode.PathID, result *lookaheadResult) {
	n, counted := s.counts[pid]
	if result == nil || !counted || n.lid != nil {
		return
	}
	n.lid = s.lids.group(result)
	s.counts[pid] = n
	s.lids.file(n.lid, n.fuzz)
}

// relabel files an entry's path under a new LID: it was analyzed again since targets fell
// or a call led somewhere new. Its counts move with it.
func (s *Suite) relabel(seed *Seed, result *lookaheadResult, epoch int) {
	seed.epoch = epoch
	to := s.lids.group(result)
	if seed.lid == to {
		return
	}
	n := s.counts[seed.PID]
	s.lids.file(to, n.fuzz) // before it is removed from the old LID, which may be the same
	if n.lid != nil {
		s.lids.unfile(n.lid, n.fuzz)
	}
	n.lid = to
	s.counts[seed.PID] = n
	s.lids.leave(seed)
	s.lids.enter(seed, to)
}

// fuzz is the number of executions with this path.
func (s *Suite) fuzz(pid bytecode.PathID) uint64 { return s.counts[pid].fuzz }

// paths is the number of distinct paths.
func (s *Suite) paths() int { return len(s.counts) }

// add keeps a seed if its path has none yet, and neither the suite nor the
// entries of its LID have reached their bounds; perLID is 0 for no bound.
func (s *Suite) add(seed *Seed, perLID int) (in admission) {
	n := s.classify(seed)
	if n.seed || len(s.Seeds) == maxSeeds || s.size+seed.size > maxSuiteSize {
		return admission{}
	}
	if n.lid != nil {
		if !n.lid.seeds.hasRoom(seed, perLID) {
			return admission{}
		}
		in.lid, in.change = n.lid.seeds.len() == 0, seed.Changes && !n.lid.changes
		s.lids.enter(seed, n.lid)
	}
	in.kept = true
	n.seed = true
	s.counts[seed.PID] = n
	s.Seeds = append(s.Seeds, seed)
	s.pool.add(seed)
	s.size += seed.size
	s.addWriter(seed)
	s.precursors.note(seed)
	if seed.Changes && !s.states[seed.state] {
		s.states[seed.state] = true
		s.changing.add(seed)
	}
	return in
}

// admission is how the suite took an input.
type admission struct {
	kept   bool // as an entry
	lid    bool // the first of its LID
	change bool // the first of its LID that changes state
}

// spend counts executions of a task, and their work.
func (s *Suite) spend(t *task, executions, work uint64) {
	s.spent[t.source] += executions
	s.worked[t.source] += work
	switch t.source {
	case fromSuite, fromLeading, fromChanging, fromOpening:
		s.apart.all += executions
		if t.seed != nil && t.seed.Apart {
			s.apart.spent += executions
		}
	}
}

// classify is what is kept of a seed's path, counted among those that were first taken by seeds that are kept apart if the seed is.
func (s *Suite) classify(seed *Seed) pathCount {
	n, counted := s.counts[seed.PID]
	if seed.Apart && counted && !n.seed && !n.apart {
		n.apart = true
		s.counts[seed.PID] = n
		s.apart.paths++
		s.apart.total += n.fuzz
	}
	return n
}

// isBelowMean reports whether a seed's path was exercised at most as often as the mean over the paths that were first taken
// by seeds that are kept apart, or over the others, if it is not.
func (s *Suite) isBelowMean(seed *Seed) bool {
	paths, total := s.paths()-s.apart.paths, s.total-s.apart.total
	if seed.Apart {
		paths, total = s.apart.paths, s.apart.total
	}
	return s.fuzz(seed.PID)*uint64(paths) <= total
}

// closer keeps the input as the closest to an uncovered branch side, if it is.
func (s *Suite) closer(side frontierSide, distance uint256.Int, seed *Seed) {
	if e := s.frontier[side]; e != nil {
		if !distance.Lt(&e.distance) {
			return
		}
		s.release(e.seed, side.list())
	} else {
		s.fresh[side.list()] = append(s.fresh[side.list()], freshSide{side, s.total})
	}
	s.frontier[side] = &frontierEntry{seed, distance}
	n := side.list()
	if seed.closest[n]++; seed.closest[n] == 1 {
		s.closest[n] = append(s.closest[n], seed)
	}
}

// covered drops the entries of a branch side that has now been taken.
func (s *Suite) covered(side branchSide) {
	s.demands.met(side)
	for _, side := range []frontierSide{{side, false}, {side, true}} {
		if e := s.frontier[side]; e != nil {
			delete(s.frontier, side)
			s.release(e.seed, side.list())
		}
	}
}

// dropBarriers drops the entries of sides that functions have of their own: when no target is left, they have been for nothing.
func (s *Suite) dropBarriers() {
	for side, e := range s.frontier { // each by itself
		if side.barrier {
			delete(s.frontier, side)
			s.release(e.seed, side.list())
		}
	}
}

// release takes an entry of the frontier from a seed.
func (s *Suite) release(seed *Seed, list int) {
	if seed.closest[list]--; seed.closest[list] > 0 {
		return
	}
	i := slices.Index(s.closest[list], seed)
	s.closest[list] = slices.Delete(s.closest[list], i, i+1)
}
