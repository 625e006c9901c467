package lookahead

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// goals are what a question is about: the blocks that hold a target, or a call that
// may lead to one. Entering one of them answers "may reach".
//
// They come and go: targets are reached, a place changes state for the first time, a
// call is seen to lead elsewhere. Mostly they go, and most answers do not depend on
// those that went, so answers are kept and validated, see [Analyzer.cachedAnswer].
type goals struct {
	byBlock  []goal
	distance []uint32 // by node of the graph: the number of blocks to the nearest goal
	least    []uint32 // by block: the least distance of its nodes
	grown    uint32   // how often goals were added, or came behind a block's entry
	current  bool     // up to date with the targets and the call model
	none     bool     // the program has no goal, whatever its jumps do
}

// goal is why a block is a goal, and at which pc; NoTargetAhead when it is not one.
type goal struct {
	reason Reason
	pc     uint32
	inside bool // one of its targets or calls is behind its first instruction, and so ahead of a path that ends with its entry
}

func (g goal) answer() Answer { return Answer{Reason: g.reason, PC: g.pc} }

// goalsOf returns the goals of static frames or of others. They are updated only when
// asked for, since targets are reached more often than most programs run.
func (a *Analyzer) goalsOf(static bool) *goals {
	g := &a.goals[0]
	if static {
		g = &a.goals[1]
	}
	if !g.current {
		a.update(g, static)
	}
	return g
}

// update brings goals up to date.
func (a *Analyzer) update(g *goals, static bool) {
	n := len(a.code.blocks)
	now := append(a.w.blockGoals[:0], make([]goal, n)...)
	for _, b := range a.code.calling {
		now[b] = a.callGoal(b, int64(a.code.blocks[b].start), static)
	}
	for _, pc := range a.targets {
		if b, ok := a.code.program.BlockOf(pc); ok {
			now[b] = goal{TargetAhead, pc, now[b].inside || pc > a.code.blocks[b].start}
		}
	}
	a.w.blockGoals = now
	if g.byBlock == nil {
		g.byBlock, g.least = make([]goal, n), make([]uint32, n)
	}
	changed, more, none := g.distance == nil, false, true
	for i := range now {
		is, was := now[i].reason != NoTargetAhead, g.byBlock[i].reason != NoTargetAhead
		changed, none = changed || is != was, none && !is
		more = more || is && !was || now[i].inside && !g.byBlock[i].inside
	}
	copy(g.byBlock, now)
	if more {
		g.grown++
	}
	if changed && !none {
		a.computeDistances(g)
	}
	g.current, g.none = true, none
}

// computeDistances computes the graph's distances to the goals.
func (a *Analyzer) computeDistances(g *goals) {
	graph := a.graph()
	a.stats.Nodes += len(graph.blocks) + len(g.byBlock)
	g.distance, a.w.nearest = graph.distances(g.distance, a.w.nearest, func(b bytecode.BlockID) bool { return g.byBlock[b].reason != NoTargetAhead })
	for i := range g.least {
		g.least[i] = unreachable
	}
	for i, d := range g.distance {
		b := graph.blocks[i]
		g.least[b] = min(g.least[b], d)
	}
}

// callGoal is the first call of a block, from a pc on, that may lead to a target.
func (a *Analyzer) callGoal(b bytecode.BlockID, from int64, static bool) goal {
	c := a.code
	for _, pc := range c.blocks[b].callSites {
		if int64(pc) < from {
			continue
		}
		op := vm.OpCode(c.program.Bytes[pc])
		if static && (op == vm.CREATE || op == vm.CREATE2) {
			break // halts there
		}
		if a.options.Calls(bytecode.Location{Code: c.program.ID, PC: pc}) {
			return goal{CallAhead, pc, true}
		}
	}
	return goal{}
}

// aheadInBlock answers from what is still ahead in a block that is being executed;
// false when nothing is.
func (a *Analyzer) aheadInBlock(b bytecode.BlockID, targetsFrom, callsFrom int64, static bool, g *goals) (Answer, bool) {
	if g.byBlock[b].reason == NoTargetAhead {
		return Answer{}, false
	}
	end := int64(len(a.code.program.Bytes))
	if next := int(b) + 1; next < len(a.code.blocks) {
		end = int64(a.code.blocks[next].start)
	}
	i, _ := slices.BinarySearchFunc(a.targets, targetsFrom, func(pc uint32, from int64) int { return int(int64(pc) - from) })
	if i < len(a.targets) && int64(a.targets[i]) < end {
		return Answer{Reason: TargetAhead, PC: a.targets[i]}, true
	}
	answer := a.callGoal(b, callsFrom, static).answer()
	return answer, answer.MayReach()
}
