package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file keeps checks apart by the function that fails them. Code that functions share has gone both ways elsewhere: what checks an allowance, or a
// balance, is passed by transfers, and then nothing is left to find there. For a function that has never come past such a check, and whose targets are
// behind it, that says nothing. So it has sides of its own there:
//
//	function withdraw(uint256 amount, address owner) external {
//		_spendAllowance(owner, msg.sender, amount);   // transferFrom has passed it; withdraw has not
//		…                                            // a target
//	}

// maxBarriers bounds the jumps at which functions have sides of their own. Arbitrary: a protocol of a hundred functions fails in a thousand ways.
const maxBarriers = 4096

// bar gives the function of the last call, which failed, sides of its own at the jump that decided so, where a target is ahead of it, or was entered before.
func (t *tracker) bar(exec *evm.Execution, ahead targetsAhead, undone bool) {
	if len(exec.Calls) == 0 {
		return
	}
	last := exec.Calls[len(exec.Calls)-1]
	if last.Outcome == evm.Success || !t.bars || t.callee.Function == nil || t.barriers >= maxBarriers || last.Frames[0] == last.Frames[1] {
		return
	}
	i, k := decidedFailure(exec, last.Frames[0])
	if k < 0 {
		return
	}
	f := &exec.Frames[i]
	block := f.Comparisons[k].Block
	if t.actorOf(exec, i).Function == nil {
		return
	}
	if !undone && !ahead.in(f.Program.ID).has(block) {
		return
	}
	at := ownCode{t.callee, f.Program.ID}
	own := t.own[at]
	if own == nil {
		own = newSideTable(f.Program)
		own.barriers, own.behind = make(blockSet, len(f.Program.Blocks)/64+1), make(blockSet, len(f.Program.Blocks)/64+1)
		t.own[at] = own
	}
	if int(block/64) >= len(own.barriers) {
		return // as sideTable.at says
	}
	if !own.barriers.has(block) {
		own.barriers.add(block)
		t.barriers++
	}
	if undone {
		own.behind.add(block)
	}
	side, _ := sides(&f.Comparisons[k])
	own.at(block).taken[side] = true
}

// trackBarrier records a decision of a function that may have sides of its own there. They count as taken in calls that succeed: one that comes past a check
// with an amount of zero has not come past what refuses zero.
func (t *tracker) trackBarrier(own *sideTable, f *evm.Frame, k int, succeeded bool, n *news) {
	c := &f.Comparisons[k]
	if !own.barriers.has(c.Block) {
		return
	}
	at := own.at(c.Block)
	switch side, _ := sides(c); {
	case succeeded && at.ahead[side] != nil:
		t.take(at, f.Program.ID, c, t.callee, n)
	case succeeded: // nothing has looked for it
		at.taken[side] = true
	}
	if t.isBarrier(own, f.Program.ID, c) && !input.Echoes(f, k) {
		t.approach(at, f.Program.ID, c, t.callee, true, n)
	}
}

// actorOf is the function that is called last, if a frame is part of what it does; none, if the attacker's contract has called something else meanwhile.
func (t *tracker) actorOf(exec *evm.Execution, i int) input.Callable {
	for f := &exec.Frames[i]; f.Parent >= 0; f = &exec.Frames[f.Parent] {
		if f.Caller == attacker.Address {
			return input.Callable{}
		}
	}
	return t.callee
}

// isBarrier reports whether the function that is called last, of which own are the sides, has not come past a decision: others have, or it is behind a target.
func (t *tracker) isBarrier(own *sideTable, code bytecode.CodeID, c *evm.Comparison) bool {
	_, other := sides(c)
	if !own.barriers.has(c.Block) || own.at(c.Block).taken[other] {
		return false
	}
	if own.behind.has(c.Block) {
		return true
	}
	shared := t.sides[t.checks()][code].at(c.Block)
	return shared.taken[other] && (shared.common[other] || shared.by[other] != t.callee)
}

// stops reports whether a decision is a barrier for the function that is called last.
func (t *tracker) stops(b *input.Branch) bool {
	own := t.own[ownCode{t.callee, b.Code}]
	return t.bars && t.callee.Function != nil && own != nil && t.isBarrier(own, b.Code, &b.Comparison)
}

// isOpen reports whether there is something to find on the side that an earlier run did not take of a branch.
func (t *tracker) isOpen(b *input.Branch) bool {
	return !t.decided(b.Code, &b.Comparison) || t.stops(b)
}

// isAhead reports whether that side was met from a place with a target ahead.
func (t *tracker) isAhead(b *input.Branch) bool {
	at := t.knownAt(b.Code, b.Block)
	_, other := sides(&b.Comparison)
	return at != nil && !at.taken[other] && at.ahead[other] != nil || t.stops(b)
}

// sideOf is that side: the function's own, if only that is open.
func (t *tracker) sideOf(b *input.Branch) branchSide {
	side := t.sideIn(b.Code, &b.Comparison, false)
	if t.decided(b.Code, &b.Comparison) && t.stops(b) {
		side.by, side.barrier = t.callee, true
	}
	return side
}
