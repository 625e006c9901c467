package fuzzer

import (
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

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
	targets    map[bytecode.CodeID]*entries
	kept       []bool                            // by target: reached in a call that succeeded
	seen       []bool                            // by target: entered at all
	blocks     map[bytecode.CodeID][]bool        // entered
	sides      [2]map[bytecode.CodeID]*sideTable // of calls, and of those of tests: these check what no other does
	own        map[ownCode]*sideTable            // of single tests, in code with targets; of single functions, at barriers
	pids       pathSet
	stores     stores
	slots      map[bytecode.Location]*writtenSlots // by write; nil: no slot search
	writes     []slotWrite                         // scratch
	within     []input.Callable                    // see [Config.Within]
	test       input.Callable                      // the execution is of this fuzz test, or function of within, which has sides of its own; zero: of none
	checking   bool                                // its last call is one of a test's or handler's, see sidesOf
	callee     input.Callable                      // the function that is called last; zero: test is set, or checking
	actor      input.Callable                      // callee; zero: the attacker's contract has called something else, and that is what decides
	bars       bool                                // targets are left, see barrier.go
	precursors map[input.Callable]bool             // functions that plans wait for, likewise
	barriers   int                                 // jumps at which functions have sides of their own
	// nearUndecided reports whether the last call of the latest execution passed a jump
	// with an untaken side.
	nearUndecided bool
	storesNew     bool // the latest execution wrote as none did before, see stores
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
	undone := false
	if newPath || !t.metBefore(exec) {
		undone = t.trackBlocks(exec, &n)
	}
	if wanted := t.precursors[t.callee]; newPath || wanted {
		t.bar(exec, ahead, undone || wanted)
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

// trackBlocks goes through the blocks that the execution entered. It reports whether the last call entered a target that no call has kept.
func (t *tracker) trackBlocks(exec *evm.Execution, n *news) (undone bool) {
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
			undone = undone || !t.kept[i] && !c.Kept && c.Call == len(exec.Calls)-1
			if t.kept[i] || t.seen[i] && !c.Kept || !t.isWithin(i, exec, c.Call) {
				continue
			}
			t.seen[i] = true
			t.kept[i] = c.Kept
			n.hits = append(n.hits, hit{int(i), c.Call, c.Kept})
		}
	}
	return undone
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
	last, succeeded := exec.Calls[len(exec.Calls)-1].Frames, exec.Calls[len(exec.Calls)-1].Outcome == evm.Success
	for i := last[0]; i < last[1]; i++ {
		f := &exec.Frames[i]
		if f.Program == nil {
			continue
		}
		shared, own := t.sidesOf(f.Program)
		t.actor = t.actorOf(exec, i)
		inProgram := ahead.in(f.Program.ID)
		for k := range f.Comparisons {
			c := &f.Comparisons[k]
			at, by := shared.at(c.Block), input.Callable{}
			switch {
			case own == nil:
			case own.barriers != nil && t.actor.Function != nil:
				t.trackBarrier(own, f, k, succeeded, n)
			case own.barriers == nil && t.isOwn(f.Program.ID, c.Block):
				at, by = own.at(c.Block), t.test
			}
			if open := t.take(at, f.Program.ID, c, by, n); !open {
				continue
			}
			t.nearUndecided = true
			if !input.Echoes(f, k) { // otherwise it is the comparison of the previous jump
				t.approach(at, f.Program.ID, c, by, inProgram.has(c.Block), n)
			}
		}
	}
}

// opEQ is EQ's opcode (yellow paper, appendix H.2).
const opEQ = 0x14
