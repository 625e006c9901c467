package lookahead

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// goals are what a question is about: the blocks in which a target lies, or a
// call that may lead to one. Entering one of them answers "may reach".
//
// They come and go: targets fall, places change state for the first time, a call
// is seen to lead elsewhere. Mostly they go, and most answers do not depend on
// those that went, so answers are kept and looked at again, see [Analyzer.remembered].
type goals struct {
	ahead    []ahead  // by block
	distance []uint32 // by node of the graph: the number of blocks to the nearest goal
	least    []uint32 // by block: the least over its nodes
	grown    uint32   // how often there came to be more of them
	current  bool     // they are those of the targets and the call model
	none     bool     // there is none in the program, whatever its jumps do
}

// ahead is why a block is a goal, and where: NoTargetAhead when it is none.
type ahead struct {
	reason Reason
	pc     uint32
}

func (h ahead) answer() Answer { return Answer{Reason: h.reason, PC: h.pc} }

// goalsOf are those of static frames, or of others; looked at anew when asked for,
// since targets fall faster than most programs run.
func (a *Analyzer) goalsOf(static bool) *goals {
	g := &a.goals[0]
	if static {
		g = &a.goals[1]
	}
	if !g.current {
		a.renew(g, static)
	}
	return g
}

// renew brings goals up to date.
func (a *Analyzer) renew(g *goals, static bool) {
	n := len(a.code.blocks)
	now := append(a.w.ahead[:0], make([]ahead, n)...)
	for _, b := range a.code.calling {
		now[b] = a.callAhead(b, int64(a.code.blocks[b].start), static)
	}
	for _, pc := range a.targets {
		if b, ok := a.code.program.BlockOf(pc); ok {
			now[b] = ahead{TargetAhead, pc}
		}
	}
	a.w.ahead = now
	if g.ahead == nil {
		g.ahead, g.least = make([]ahead, n), make([]uint32, n)
	}
	changed, more, none := g.distance == nil, false, true
	for i := range now {
		is, was := now[i].reason != NoTargetAhead, g.ahead[i].reason != NoTargetAhead
		changed, more, none = changed || is != was, more || is && !was, none && !is
	}
	copy(g.ahead, now)
	if more {
		g.grown++
	}
	if changed && !none {
		a.measure(g)
	}
	g.current, g.none = true, none
}

// measure computes the distances to goals.
func (a *Analyzer) measure(g *goals) {
	graph := a.graph()
	a.stats.Nodes += len(graph.blocks) + len(g.ahead)
	g.distance, a.w.nearest = graph.distances(g.distance, a.w.nearest, func(b bytecode.BlockID) bool { return g.ahead[b].reason != NoTargetAhead })
	for i := range g.least {
		g.least[i] = unreachable
	}
	for i, d := range g.distance {
		b := graph.blocks[i]
		g.least[b] = min(g.least[b], d)
	}
}

// callAhead answers for the calls of a block from a pc on.
func (a *Analyzer) callAhead(b bytecode.BlockID, from int64, static bool) ahead {
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
			return ahead{CallAhead, pc}
		}
	}
	return ahead{}
}

// inside answers for what is still ahead in a block that is being executed.
func (a *Analyzer) inside(b bytecode.BlockID, targetsFrom, callsFrom int64, static bool, g *goals) (Answer, bool) {
	if g.ahead[b].reason == NoTargetAhead {
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
	answer := a.callAhead(b, callsFrom, static).answer()
	return answer, answer.MayReach()
}

// question is the visitor of a fixed point that looks for goals: it goes where
// the graph says that one is ahead, the nearest first.
type question struct {
	a     *Analyzer
	goals *goals
	// covered: the graph covers the state that the question is about, and so all
	// that follow from it.
	covered bool
	answer  Answer
}

func (q *question) explore(b bytecode.BlockID, s *state, static bool) Answer {
	e := q.a.w.engine
	e.start(q.a.code, q.a.pool, static, q.a.options.Budget)
	e.enter(none, b, s, q)
	e.run(q)
	q.answer.States, q.answer.Steps = len(e.nodes), e.steps
	return q.answer
}

func (q *question) admit(n int32, hash uint64) (uint32, bool) {
	at := &q.a.w.engine.nodes[n]
	if !q.covered {
		return q.goals.least[at.block], true // where the graph would go, but no further than that is it of use
	}
	if at.known < 0 {
		at.known = q.a.graph().find(at.block, &at.state, hash)
	}
	if at.known < 0 {
		return 0, true
	}
	distance := q.goals.distance[at.known]
	return distance, distance != unreachable
}

func (q *question) edge(_, to int32) bool {
	if to < 0 {
		return true
	}
	q.answer = q.goals.ahead[q.a.w.engine.nodes[to].block].answer()
	return !q.answer.MayReach()
}

func (q *question) opaque(_ int32, pc uint32, reason Reason) bool {
	q.answer = Answer{Reason: reason, PC: pc}
	return false
}
