package lookahead

import (
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// suffixCheck is suffix checking (lookahead §4.3): the visitor of a fixed point, from
// the prefix's postcondition forward, that looks for goals. It goes where the graph says
// that a goal is ahead, toward the nearest first.
type suffixCheck struct {
	a     *Analyzer
	goals *goals
	// covered reports whether the graph covers the state that the question is about,
	// and so all that follow from it.
	covered bool
	answer  Answer
}

// run computes the fixed point from a state in a block, up to the first goal.
func (c *suffixCheck) run(b bytecode.BlockID, s *state, static bool) Answer {
	e := c.a.w.engine
	e.start(c.a.code, c.a.pool, static, c.a.options.Budget)
	e.enter(none, b, s, c)
	e.run(c)
	c.answer.States, c.answer.Steps = len(e.nodes), e.steps
	return c.answer
}

// admit implements visitor.
func (c *suffixCheck) admit(n int32, hash uint64) (uint32, bool) {
	at := &c.a.w.engine.nodes[n]
	if !c.covered {
		return c.goals.least[at.block], true // a priority only: nodes beyond the graph may lead to a goal
	}
	if at.known < 0 {
		at.known = c.a.graph().find(at.block, &at.state, hash)
	}
	if at.known < 0 {
		return 0, true
	}
	distance := c.goals.distance[at.known]
	return distance, distance != unreachable
}

// edge implements visitor.
func (c *suffixCheck) edge(_, to int32) bool {
	if to < 0 {
		return true
	}
	c.answer = c.goals.byBlock[c.a.w.engine.nodes[to].block].answer()
	return !c.answer.MayReach()
}

// opaque implements visitor.
func (c *suffixCheck) opaque(_ int32, pc uint32, reason Reason) bool {
	c.answer = Answer{Reason: reason, PC: pc}
	return false
}
