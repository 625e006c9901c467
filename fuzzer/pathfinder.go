package fuzzer

import (
	"context"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// solving is what a worker has learned from solving.
type solving struct {
	moved     map[branchSide]bool    // whether input words move a branch's operands
	resisted  map[branchSide]int     // searches in formulas without a solution, see solveByFormulas
	spelled   map[branchSide]int     // searches with answers of the attacker's contract, see satisfySpelled
	complete  map[branchSide]bool    // whether formulas tell all that numbers do to them
	notes     input.Notes            // of formulas that were read
	contexts  map[within]int         // see pathfinder.read
	fruitless map[input.Callable]int // see climb

	// See leadUp.
	writers  writersKnown
	leadUps  map[within]int // attempts at a side
	composed map[attempt]bool
	stranded []stranded
}

func newSolving() solving {
	return solving{moved: map[branchSide]bool{}, resisted: map[branchSide]int{}, spelled: map[branchSide]int{}, complete: map[branchSide]bool{}, fruitless: map[input.Callable]int{}, writers: writersKnown{}, leadUps: map[within]int{}, composed: map[attempt]bool{}}
}

// pathfinder gets through branches one after the other, by what the words of the last
// call do to all of them at once (see input.System): secant steps look at one branch and
// one word, and undo earlier progress.
type pathfinder struct {
	*worker
	*solving
	ctx context.Context
	b   *batch

	base  *point
	last  []input.Branch // of the base's last call
	ended bool           // the task is over
	// refuted are sides that no numbers of the base take.
	refuted map[branchSide]bool
	// diverged are runs that were to get through a branch, and left the path before it.
	diverged []*point
	// randomized are runs of the base with random words in the last call, see
	// pathfinder.randomizedRun.
	randomized []*point
	spare      []input.Branch // scratch: of a run that is not kept, see pathfinder.release
}

func (w *worker) newPathfinder(ctx context.Context, b *batch) *pathfinder {
	return &pathfinder{worker: w, solving: &w.solving, ctx: ctx, b: b, refuted: map[branchSide]bool{}}
}

func (p *pathfinder) rebase(base *point) {
	p.base, p.last, p.randomized = base, base.branches, nil
	clear(p.refuted)
}

// point copies what solving needs of a run.
func (p *pathfinder) point(seq input.Sequence, exec *evm.Execution) *point {
	there := &point{sequence: seq, branches: input.AppendBranches(p.spare, exec)}
	p.spare = nil
	return there
}

// release gives back the copy of a run: most are looked at only once.
func (p *pathfinder) release(there *point) { p.spare = there.branches[:0] }

// redraws reports whether the base's last call has arguments: without, redrawing it runs it again as it was.
func (p *pathfinder) redraws() bool { return len(lastOf(p.base.sequence).Function.Inputs) > 0 }

// redraw runs a sequence with other words in its last call; nil when the task is over.
func (p *pathfinder) redraw(seq input.Sequence) *point {
	seq = p.mutator.Redraw(p.rand, seq)
	exec, _, ok := p.try(p.ctx, seq, p.b)
	if !ok {
		p.ended = true
		return nil
	}
	return p.point(seq, exec)
}

// noteMovable records that numbers move the operands of a branch.
func (p *pathfinder) noteMovable(side branchSide) {
	if !p.moved[side] {
		p.moved[side] = true
		p.b.movable = append(p.b.movable, side)
	}
}

// decisionOf is the number of the base's decision that takes the other side, −1 where there is none; and whether one takes the side. Without
// a context, it may be in any.
func (p *pathfinder) decisionOf(side within) (at int, taken bool) { return p.base.decisionOf(side) }

// decisionOf is [pathfinder.decisionOf] for any run.
func (p *point) decisionOf(side within) (at int, taken bool) {
	if at = -1; p.formulas == nil {
		return at, false
	}
	for i, d := range p.formulas.Decisions() {
		if d.PC != side.pc || side.context != 0 && d.Context != side.context || d.Code != side.code {
			continue
		}
		if d.Taken == side.taken {
			return -1, true
		}
		if at < 0 {
			at = i
		}
	}
	return at, false
}
