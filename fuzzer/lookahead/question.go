package lookahead

import (
	"errors"
	"fmt"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Nothing means, as the last executed instruction, that the frame has not started.
const Nothing int64 = -1

// Ask answers one question: whether a target may be reached by a frame that has
// entered the blocks of the path and whose last executed instruction is at pc,
// in the path's last block. With [Nothing] the path must be the block at pc 0 alone.
func (a *Analyzer) Ask(path bytecode.Path, pc int64, static bool) (Answer, error) {
	if len(path) == 0 {
		return Answer{}, errors.New("the path is empty: it begins with the block at pc 0")
	}
	a.begin(static)
	for i, b := range path {
		if int(b) >= len(a.code.blocks) {
			return Answer{}, fmt.Errorf("block %d of the path is %d, the program has %d", i, b, len(a.code.blocks))
		}
		a.w.prefix.extend(b)
	}
	return a.ask(pc+1, pc+1), nil
}

// begin prepares for a new path.
func (a *Analyzer) begin(static bool) {
	a.w.enforceBounds()
	if a.generation != a.w.v.generation {
		a.pool, a.graphPool, a.generation = a.code.pool.resolve(a.w.v), nil, a.w.v.generation
	}
	a.w.prefix.begin(a.code, a.pool, static)
	a.w.openPoints = a.w.openPoints[:0]
	a.w.kept.reset()
}

// ask answers the question at the last block of the prefix; in that block, targets are
// ahead from one pc on and calls from another.
func (a *Analyzer) ask(targetsFrom, callsFrom int64) Answer {
	answer, known := a.answerByGraph(targetsFrom, callsFrom)
	if !known {
		answer = a.checkSuffix(&a.w.open)
	}
	return answer
}

// answerByGraph answers from the prefix's last block itself, or from the graph. False
// when neither suffices: then the Workspace's open question is the one to check the
// suffixes for, valid until the prefix is extended.
func (a *Analyzer) answerByGraph(targetsFrom, callsFrom int64) (Answer, bool) {
	a.stats.Questions++
	g := a.goalsOf(a.w.prefix.static)
	b := a.w.prefix.last()
	if answer, ahead := a.aheadInBlock(b, targetsFrom, callsFrom, a.w.prefix.static, g); ahead {
		a.stats.ByGraph++
		return answer, true
	}
	if g.none || g.least[b] == unreachable && len(a.graph().exits) == 0 {
		a.stats.ByGraph++
		return Answer{}, true
	}
	s, understood := a.w.prefix.postcondition()
	if !understood {
		a.stats.Diverged++
		return Answer{Reason: Diverged, PC: a.code.blocks[b].start}, true
	}
	n, covered := a.covers(b, s)
	if covered && g.distance[n] == unreachable {
		a.stats.ByGraph++
		return Answer{}, true
	}
	a.w.open = openQuestion{b, *s, covered}
	return Answer{}, false
}

// checkSuffix is AreTargetsUnreachable (Algorithm 2, line 9): it answers an open
// question as the same state was answered before, or else by a fixed point.
func (a *Analyzer) checkSuffix(q *openQuestion) Answer {
	g := a.goalsOf(a.w.prefix.static)
	key := a.keyOf(q.state.digest(q.block, a.w.prefix.static))
	answer, known := a.cachedAnswer(key, g)
	if !known {
		check := suffixCheck{a: a, goals: g, covered: q.covered}
		answer = check.run(q.block, &q.state, a.w.prefix.static)
		a.stats.Explored++
		a.stats.Steps += answer.Steps
		a.w.answers.put(key, answer, g.grown)
	}
	a.count(answer)
	return answer
}

// cachedAnswer is the answer to a question that was asked before, if it still
// holds.
func (a *Analyzer) cachedAnswer(key questionKey, g *goals) (Answer, bool) {
	before, known := a.w.answers.get(key)
	if !known {
		return Answer{}, false
	}
	answer := Answer{Reason: before.reason, PC: before.pc}
	switch answer.Reason {
	case NoTargetAhead: // holds until there are more goals
		known = before.grown == g.grown
	case TargetAhead, CallAhead: // holds as long as the block is a goal; other reasons always do
		b, _ := a.code.program.BlockOf(answer.PC)
		answer.Reason, answer.PC = g.byBlock[b].reason, g.byBlock[b].pc
		known = answer.MayReach()
	}
	if known {
		a.stats.Remembered++
	}
	return answer, known
}

// covers reports whether all executions from a state in a block follow the graph up to
// an opaque node, and from which node they start.
func (a *Analyzer) covers(b bytecode.BlockID, s *state) (node int32, ok bool) {
	g := a.graph()
	node = g.find(b, s, s.keyHash(b))
	switch {
	case node < 0 || len(g.exits) == 0:
		return node, node >= 0
	case g.states == nil:
		return node, false
	}
	if a.graphPool == nil {
		a.graphPool = g.pool.resolve(a.w.v)
	}
	above := g.states[node]
	a.w.states = a.w.states[:0]
	for _, v := range above.values {
		if v&pooledBit != 0 && !v.isLabel() {
			v = a.graphPool[v&^pooledBit]
		}
		a.w.states = append(a.w.states, v)
	}
	above.values = a.w.states
	return node, a.w.v.below(s, &above)
}

// count keeps the statistics of answers that are not conclusive.
func (a *Analyzer) count(answer Answer) {
	switch answer.Reason {
	case Exhausted:
		a.stats.Exhausted++
	case UnknownJump, UnknownOpcode:
		a.stats.Unknown++
		a.unknown[answer.PC]++
	}
}

// openQuestion is a question that only a fixed point can answer.
type openQuestion struct {
	block   bytecode.BlockID
	state   state
	covered bool // by the graph, see Analyzer.covers
}
