package fuzzer

import (
	"cmp"
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// branchSide is one outcome of a conditional jump.
type branchSide struct {
	code   bytecode.CodeID
	pc     uint32 // of the JUMPI
	taken  bool
	checks bool // in calls of fuzz tests and of the handlers of invariants, see [tracker.sidesOf]
	// test is the fuzz test whose calls took it, or did not, where all of them have sides of their own.
	test input.Callable
}

// sideSet are branch sides that were taken.
type sideSet map[branchSide]bool

// add adds a side; one of a test's own is one of tests, too.
func (s sideSet) add(side branchSide) {
	s[side] = true
	side.test = input.Callable{}
	s[side] = true
}

// byAny reports whether any call has taken a side.
func (s sideSet) byAny(side branchSide) bool {
	side.checks, side.test = false, input.Callable{}
	if s[side] {
		return true
	}
	side.checks = true
	return s[side]
}

// blockRef is a basic block of a program.
type blockRef struct {
	code  bytecode.CodeID
	block bytecode.BlockID
}

// hit is an execution's success at a target.
type hit struct {
	target int // index in the campaign's targets
	call   int // of the sequence
	kept   bool
}

// approach is an execution's distance to an untaken branch side.
type approach struct {
	side     branchSide
	ahead    bool // from a place with a target ahead
	distance uint256.Int
}

// tracker records what the executions of one machine have reached, so that only news is
// passed on. Its tables are dense, by block and by pc, since it sees every execution.
type tracker struct {
	targets  map[bytecode.CodeID]*entries
	kept     []bool                            // by target: reached in a call that succeeded
	seen     []bool                            // by target: entered at all
	blocks   map[bytecode.CodeID][]bool        // entered
	sides    [2]map[bytecode.CodeID]*sideTable // of calls, and of those of tests: these check what no other does
	own      map[ownCode]*sideTable            // of single tests, in code with targets
	pids     pathSet
	stores   stores
	slots    map[bytecode.Location]*writtenSlots // by write; nil: no slot search
	writes   []slotWrite                         // scratch
	within   []input.Callable                    // see [Config.Within]
	test     input.Callable                      // the execution is of this fuzz test, or function of within, which has sides of its own; zero: of none
	checking bool                                // its last call is one of a test's or handler's, see sidesOf
	// nearUndecided reports whether the last call of the latest execution passed a jump
	// with an untaken side.
	nearUndecided bool
	storesNew     bool // the latest execution wrote as none did before, see stores
}

// entries are the targets that the blocks of a program enter.
type entries struct {
	targets []int32 // their indices, by block
	first   []int32 // by block: of its targets in targets; those of the next end them
}

// of are the targets that a block enters.
func (e *entries) of(b bytecode.BlockID) []int32 { return e.targets[e.first[b]:e.first[b+1]] }

// has reports whether a block enters targets.
func (e *entries) has(b bytecode.BlockID) bool {
	return e != nil && int(b)+1 < len(e.first) && e.first[b] < e.first[b+1]
}

// sideTable knows a program's branch sides. A block ends with one jump at most.
type sideTable struct {
	index []int32 // by block: the number of its jump, from 1; 0: never seen
	jumps []jump
}

// ownCode is a program in calls of a test.
type ownCode struct {
	test input.Callable
	code bytecode.CodeID
}

// jump is what is known of a conditional jump, by outcome.
type jump struct {
	taken [2]bool
	best  [2]*uint256.Int // nil: never seen
	ahead [2]*uint256.Int // likewise, from places with a target ahead
}

func newSideTable(p *bytecode.Program) *sideTable {
	return &sideTable{index: make([]int32, len(p.Blocks))}
}

// at is the jump at the end of a block.
func (s *sideTable) at(b bytecode.BlockID) *jump {
	if int(b) >= len(s.index) { // of another program: those that the table has no room for share an ID
		s.index = append(s.index, make([]int32, int(b)+1-len(s.index))...)
	}
	if s.index[b] == 0 {
		s.jumps = append(s.jumps, jump{})
		s.index[b] = int32(len(s.jumps))
	}
	return &s.jumps[s.index[b]-1]
}

// newTracker makes a tracker that has seen nothing, for so many targets.
func newTracker(targets map[bytecode.CodeID]*entries, count int) *tracker {
	return &tracker{
		targets: targets,
		kept:    make([]bool, count),
		seen:    make([]bool, count),
		blocks:  map[bytecode.CodeID][]bool{},
		sides:   [2]map[bytecode.CodeID]*sideTable{{}, {}},
		own:     map[ownCode]*sideTable{},
		pids:    newPathSet(maxRecentPaths),
		stores:  newStores(false),
	}
}

// findEntries lists the blocks that enter targets. All workers share it.
func findEntries(table *bytecode.Table, targets []bytecode.Target) map[bytecode.CodeID]*entries {
	type enters struct {
		block  bytecode.BlockID
		target int32
	}
	found := map[*bytecode.Program][]enters{}
	for i, target := range targets {
		for _, entry := range target.Entries {
			p := table.Program(entry.Code)
			if p == nil {
				continue
			}
			block, ok := p.StartsAt(uint64(entry.PC))
			if !ok {
				continue
			}
			found[p] = append(found[p], enters{block, int32(i)})
		}
	}
	index := map[bytecode.CodeID]*entries{}
	for p, in := range found {
		slices.SortStableFunc(in, func(a, b enters) int { return cmp.Compare(a.block, b.block) })
		e := &entries{first: make([]int32, len(p.Blocks)+1)}
		for _, at := range in {
			e.targets = append(e.targets, at.target)
			e.first[at.block+1] = int32(len(e.targets))
		}
		for b := range p.Blocks {
			e.first[b+1] = max(e.first[b], e.first[b+1])
		}
		index[p.ID] = e
	}
	return index
}

// news is what an execution showed for the first time on this machine.
type news struct {
	newPath   bool
	newBlocks []blockRef // entered for the first time
	hits      []hit
	taken     []branchSide
	closer    []approach
}

func (n *news) any() bool {
	return n.newPath || len(n.newBlocks) > 0 || len(n.hits) > 0 || len(n.taken) > 0 || len(n.closer) > 0
}

// isNew reports whether the worker meets a path for the first time.
func (t *tracker) isNew(pid bytecode.PathID) bool { return t.pids.add(pid) }

// track compares the execution with all earlier ones. ahead are the blocks of the last
// call with a target ahead; nil: none, or the path was not analyzed.
func (t *tracker) track(exec *evm.Execution, newPath bool, ahead targetsAhead) news {
	n := news{newPath: newPath}
	if newPath || !t.metBefore(exec) {
		t.trackBlocks(exec, &n)
	}
	t.trackBranches(exec, ahead, &n)
	t.trackWrites(exec, &n)
	return n
}

// metBefore reports whether the paths of all calls but the last were last calls' earlier:
// if so, and the last call's path is known, their blocks and outcomes are known, too.
func (t *tracker) metBefore(exec *evm.Execution) bool {
	for i := range len(exec.Calls) - 1 {
		if !t.pids.has(exec.Calls[i].ID) {
			return false
		}
	}
	return true
}

// trackBlocks goes through the blocks that the execution entered.
func (t *tracker) trackBlocks(exec *evm.Execution, n *news) {
	var code bytecode.CodeID
	var blocks []bool
	var targets *entries
	for _, c := range exec.Covered {
		if c.Code != code || blocks == nil {
			code, blocks, targets = c.Code, t.blocks[c.Code], t.targets[c.Code]
		}
		if int(c.Block) >= len(blocks) {
			blocks = append(blocks, make([]bool, int(c.Block)+1-len(blocks))...)
			t.blocks[code] = blocks
		}
		if !blocks[c.Block] {
			blocks[c.Block] = true
			n.newBlocks = append(n.newBlocks, blockRef{code, c.Block})
		}
		if targets == nil {
			continue
		}
		for _, i := range targets.of(c.Block) {
			if t.kept[i] || t.seen[i] && !c.Kept || !t.isWithin(i, exec, c.Call) {
				continue
			}
			t.seen[i] = true
			t.kept[i] = c.Kept
			n.hits = append(n.hits, hit{int(i), c.Call, c.Kept})
		}
	}
}

// isWithin reports whether a call may enter a target.
func (t *tracker) isWithin(target int32, exec *evm.Execution, call int) bool {
	return t.within == nil || t.within[target].Function == nil || t.within[target] == t.test && call == len(exec.Calls)-1
}

// trackBranches goes through the decisions of the last call, the one that PIDs
// and mutations are about.
func (t *tracker) trackBranches(exec *evm.Execution, ahead targetsAhead, n *news) {
	if len(exec.Calls) == 0 {
		return
	}
	t.nearUndecided = false
	last := exec.Calls[len(exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		f := &exec.Frames[i]
		if f.Program == nil {
			continue
		}
		shared, own := t.sidesOf(f.Program)
		inProgram := ahead.in(f.Program.ID)
		for k := range f.Comparisons {
			c := &f.Comparisons[k]
			table := shared
			if own != nil && t.isOwn(f.Program.ID, c.Block) {
				table = own
			}
			at := table.at(c.Block)
			if open := t.take(at, f.Program.ID, c, n); !open {
				continue
			}
			t.nearUndecided = true
			if !input.Echoes(f, k) { // otherwise it is the comparison of the previous jump
				t.approach(at, f.Program.ID, c, inProgram.has(c.Block), n)
			}
		}
	}
}

// sidesOf are a program's sides in executions such as this one, and those of the test itself, if it has some there. A side that other
// calls have taken may show something new in calls of fuzz tests and of the handlers of invariants, which check what no other does; and
// one that a test has taken, in another test. That is so in all code, but only where there are targets each test has sides of its own:
// there are many tests.
func (t *tracker) sidesOf(p *bytecode.Program) (shared, own *sideTable) {
	known := t.sides[t.checks()]
	if shared = known[p.ID]; shared == nil {
		shared = newSideTable(p)
		known[p.ID] = shared
	}
	if t.test.Function != nil && t.targets[p.ID] != nil {
		at := ownCode{t.test, p.ID}
		if own = t.own[at]; own == nil {
			own = newSideTable(p)
			t.own[at] = own
		}
	}
	return shared, own
}

// knownAt is what is known of a block's jump from executions such as this one; nil: none entered the program.
func (t *tracker) knownAt(code bytecode.CodeID, b bytecode.BlockID) *jump {
	table := t.sides[t.checks()][code]
	if t.isOwn(code, b) {
		table = t.own[ownCode{t.test, code}]
	}
	if table == nil {
		return nil
	}
	return table.at(b)
}

// isOwn reports whether the test that runs has sides of its own in a block; a function of within has some in all.
func (t *tracker) isOwn(code bytecode.CodeID, b bytecode.BlockID) bool {
	return t.test.Function != nil && (t.targets[code].has(b) || t.within != nil && t.targets[code] != nil)
}

// checks is the index in sides of calls such as this one.
func (t *tracker) checks() int {
	if t.checking {
		return 1
	}
	return 0
}

// sideIn is the side of a decision in a program that was taken, or the other one.
func (t *tracker) sideIn(code bytecode.CodeID, c *evm.Comparison, taken bool) branchSide {
	side := branchSide{code: code, pc: c.PC, taken: c.Taken == taken, checks: t.checking}
	if t.isOwn(code, c.Block) {
		side.test = t.test
	}
	return side
}

// sideOf is the side that an earlier run did not take of a branch.
func (t *tracker) sideOf(b *input.Branch) branchSide { return t.sideIn(b.Code, &b.Comparison, false) }

// take records a decision and reports whether its other side is still untaken.
func (t *tracker) take(at *jump, code bytecode.CodeID, c *evm.Comparison, n *news) (open bool) {
	side, other := sides(c)
	if !at.taken[side] {
		at.taken[side] = true
		n.taken = append(n.taken, t.sideIn(code, c, true))
	}
	return !at.taken[other]
}

// sides are the outcome of a jump and the other one, as indices.
func sides(c *evm.Comparison) (side, other int) {
	if c.Taken {
		return 1, 0
	}
	return 0, 1
}

// approach records how near a decision was to the untaken side. ahead: a target may be
// ahead of the jump. No untaken side is nearer than 1, and many jumps are that near from
// the first time on: the check whether a call carries value, say.
func (t *tracker) approach(at *jump, code bytecode.CodeID, c *evm.Comparison, ahead bool, n *news) {
	_, other := sides(c)
	best := &at.best[other]
	if ahead {
		best = &at.ahead[other]
	}
	if *best != nil && (*best).LtUint64(2) {
		return
	}
	if d := distance(c); *best == nil || d.Lt(*best) {
		*best = d.Clone()
		n.closer = append(n.closer, approach{t.sideIn(code, c, false), ahead, d})
	}
}

// decided reports whether both sides of a conditional jump have been taken.
func (t *tracker) decided(code bytecode.CodeID, c *evm.Comparison) bool {
	at := t.knownAt(code, c.Block)
	return at != nil && at.taken == [2]bool{true, true}
}

// isAhead reports whether the side that a decision did not take was met from a place with a target ahead.
func (t *tracker) isAhead(code bytecode.CodeID, c *evm.Comparison) bool {
	at := t.knownAt(code, c.Block)
	_, other := sides(c)
	return at != nil && at.ahead[other] != nil
}

// took reports whether a conditional jump has had this outcome before.
func (t *tracker) took(code bytecode.CodeID, c *evm.Comparison) bool {
	at := t.knownAt(code, c.Block)
	side, _ := sides(c)
	return at != nil && at.taken[side]
}

// distance is the cost of taking the other side (harvey §3.2).
func distance(c *evm.Comparison) uint256.Int {
	falsify, satisfy := input.Costs(c)
	if satisfy.IsZero() {
		return falsify
	}
	return satisfy
}

// opEQ is EQ's opcode (yellow paper, appendix H.2).
const opEQ = 0x14
