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
	code  bytecode.CodeID
	pc    uint32 // of the JUMPI
	taken bool
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
	pids     pathSet
	stores   stores
	slots    map[bytecode.Location]*writtenSlots // by write; nil: no slot search
	writes   []slotWrite                         // scratch
	testing  bool                                // the execution is of a fuzz test, whose writes are not searched
	checking bool                                // its last call is one of a test's, see sidesNow
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

// sideTable knows a program's branch sides. A block ends with one jump at most.
type sideTable struct {
	index []int32 // by block: the number of its jump, from 1; 0: never seen
	jumps []jump
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
		pids:    newPathSet(maxRecentPaths),
		stores:  stores{},
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
			if t.kept[i] || t.seen[i] && !c.Kept {
				continue
			}
			t.seen[i] = true
			t.kept[i] = c.Kept
			n.hits = append(n.hits, hit{int(i), c.Call, c.Kept})
		}
	}
}

// trackBranches goes through the decisions of the last call, the one that PIDs
// and mutations are about.
func (t *tracker) trackBranches(exec *evm.Execution, ahead targetsAhead, n *news) {
	if len(exec.Calls) == 0 {
		return
	}
	t.nearUndecided = false
	known := t.sidesNow()
	last := exec.Calls[len(exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		f := &exec.Frames[i]
		if f.Program == nil {
			continue
		}
		table := known[f.Program.ID]
		if table == nil {
			table = newSideTable(f.Program)
			known[f.Program.ID] = table
		}
		inProgram := ahead.in(f.Program.ID)
		for k := range f.Comparisons {
			c := &f.Comparisons[k]
			at, open := table.take(f.Program.ID, c, n)
			if !open {
				continue
			}
			t.nearUndecided = true
			if !input.Echoes(f, k) { // otherwise it is the comparison of the previous jump
				at.approach(f.Program.ID, c, inProgram.has(c.Block), n)
			}
		}
	}
}

// sidesNow are the branch sides that were taken by fuzz tests and the handlers of invariants, or by other calls: a side that
// the one have taken may show something new after the other.
func (t *tracker) sidesNow() map[bytecode.CodeID]*sideTable {
	if t.checking {
		return t.sides[1]
	}
	return t.sides[0]
}

// take records a decision and reports whether its other side is still untaken.
func (s *sideTable) take(code bytecode.CodeID, c *evm.Comparison, n *news) (*jump, bool) {
	side, other := sides(c)
	at := s.at(c.Block)
	if !at.taken[side] {
		at.taken[side] = true
		n.taken = append(n.taken, branchSide{code, c.PC, c.Taken})
	}
	return at, !at.taken[other]
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
func (j *jump) approach(code bytecode.CodeID, c *evm.Comparison, ahead bool, n *news) {
	_, other := sides(c)
	best := &j.best[other]
	if ahead {
		best = &j.ahead[other]
	}
	if *best != nil && (*best).LtUint64(2) {
		return
	}
	if d := distance(c); *best == nil || d.Lt(*best) {
		*best = d.Clone()
		n.closer = append(n.closer, approach{branchSide{code, c.PC, !c.Taken}, ahead, d})
	}
}

// decided reports whether both sides of a conditional jump have been taken.
func (t *tracker) decided(code bytecode.CodeID, c *evm.Comparison) bool {
	table := t.sidesNow()[code]
	return table != nil && table.at(c.Block).taken == [2]bool{true, true}
}

// took reports whether a conditional jump has had this outcome before.
func (t *tracker) took(code bytecode.CodeID, c *evm.Comparison) bool {
	table := t.sidesNow()[code]
	side, _ := sides(c)
	return table != nil && table.at(c.Block).taken[side]
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
