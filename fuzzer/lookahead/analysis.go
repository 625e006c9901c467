package lookahead

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// ID is a lookahead identifier (LID, lookahead §4.1, Definition 3): the SHA-256
// of a no-target-ahead prefix. Paths that share their prefix share it.
type ID [sha256.Size]byte

func (id ID) String() string { return hex.EncodeToString(id[:]) }

// SplitPoint is a place where the question was asked (lookahead §4.3): the first
// entry of a basic block along a path.
type SplitPoint struct {
	Code  bytecode.CodeID
	Block bytecode.BlockID
}

// Frame is what one call frame did, for [Analyzer.Analyze].
type Frame struct {
	Path bytecode.Path
	// Whole identifies the path when Path holds only its beginning; zero when Path
	// is the whole.
	Whole bytecode.PathID
	// Static frames (STATICCALL, and whatever it calls) cannot change state:
	// instructions that would end the path (EIP-214).
	Static bool
	Calls  []Call // in order
}

// Call is a call that a frame made.
type Call struct {
	At     int    // index in the frame's Path of the block that holds the call instruction
	Result Result // of the frame that was called; zero when no code ran
}

// Result is what Algorithm 2 returns for one path.
type Result struct {
	// ID is that of the shortest no-target-ahead prefix, with the IDs of the
	// frames called along it (arXiv version, §IV-C).
	ID ID
	// SplitPoints are those along the prefix, in order, each once, with those of
	// the frames called along it.
	SplitPoints []SplitPoint
	// Ahead are those of SplitPoints after which a target may still be reached: where
	// another way out can still lead to one.
	Ahead []SplitPoint
	// Prefix is the length of the prefix in blocks. Proved reports whether it was
	// proved to have no target ahead; otherwise it is just the whole path.
	Prefix int
	Proved bool
}

// maxPrefix is the number of instructions of a path after which there are no
// split points (lookahead §5, "Prefix length").
const maxPrefix = 8192

// Analyze is Algorithm 2 of the paper for one frame: it finds the shortest prefix
// of the path, up to a split point, after which no target can be reached.
//
//	 1  π ← Run(input, prog)                                Frame.Path
//	 4  while i < |π| do                                    Analyzer.firstPass
//	 5    if IsSplitPoint(i, π) then                        prefixInference.extend
//	 7      SPs ← SPs ∪ {π[i]}                              Analyzer.firstPass
//	 8      φ, loc ← PrefixInference(π[0..i+1])             prefixInference.postcondition
//	 9      if AreTargetsUnreachable(prog, loc, φ, T) then  Analyzer.answerByGraph, Analyzer.checkSuffix
//	10        return ComputeHash(π[0..i+1]), SPs            Analyzer.resultOf, Analyzer.identify
//	12  return ComputeHash(π), SPs                          Analyzer.result, Analyzer.identify
//
// The paper infers the prefix's postcondition and checks the suffixes at each split
// point in turn. The targets ahead only become fewer along a path, so one answer "may
// reach" answers for all earlier split points: a first pass takes the answers that
// cost next to nothing, and suffixes are checked by a fixed point only for the split
// points that it left open, the last one first. Mostly that is one.
//
// Most paths share their beginning with earlier ones: the answers for that part are
// taken from the [prefixTree].
func (a *Analyzer) Analyze(f Frame) Result {
	g, t := a.goalsOf(f.Static), a.treeOf(f.Static)
	if p := a.lookUp(t, &f, g); p != nil {
		a.stats.Implied += len(p.points)
		return a.resultOf(p, &f)
	}
	a.stats.Implied += len(t.points)
	a.begin(f.Static)
	length, proved := a.firstPass(&f, t) // lines 4 to 8, and 9 as far as the graph answers
	if l, ok := a.checkSuffixes(t); ok { // line 9
		length, proved = l, true
	}
	points := make([]SplitPoint, len(t.points))
	end := 0 // of the last split point
	for i := range points {
		at := t.points[i].index
		points[i], end = SplitPoint{a.code.program.ID, f.Path[at]}, at+1
	}
	if !proved {
		a.insert(t, f.Path[:end], nil)
		return a.result(&f, points, length, false) // line 12
	}
	p := &proof{prefix: length, points: points, grown: g.grown}
	a.insert(t, f.Path[:end], p)
	return a.resultOf(p, &f) // line 10
}

// firstPass goes along the path (lines 4 to 8) from where the known split points end,
// and answers what it can by the graph. It stops at the first "no"; without one, the
// prefix is the whole path.
func (a *Analyzer) firstPass(f *Frame, t *prefixTree) (length int, proved bool) {
	from, instructions, answered := 0, 0, len(t.points)
	if answered > 0 {
		last := &t.points[answered-1]
		from, instructions = last.index+1, last.instructions
		a.w.prefix.resume(f.Path[:from])
	}
	for i := from; i < len(f.Path); i++ { // lines 4 and 11
		b := f.Path[i]
		if int(b) >= len(a.code.blocks) || instructions >= maxPrefix {
			break
		}
		instructions += len(a.code.blocks[b].code)
		if !a.w.prefix.extend(b) { // line 5
			continue
		}
		t.points = append(t.points, point{index: i, instructions: instructions}) // line 7
		// The prefix ends with the block's first location; a call there is not made yet.
		start := int64(a.code.blocks[b].start)
		answer, asked := a.answerByGraph(start+1, start) // lines 8 and 9
		switch {
		case !asked:
			a.leaveOpen(len(t.points))
		case !answer.MayReach():
			return i + 1, true
		case a.answerEarlier(answer):
			t.record(a, answered, len(t.points), answer)
			answered = len(t.points)
		}
	}
	return len(f.Path), false
}

// checkSuffixes is the second pass: it checks the suffixes (line 9) of the split points
// that the first pass left open, the last one first, up to the first "may reach". It
// returns the length of the shortest prefix that it proved to have no target ahead;
// false when there is none.
func (a *Analyzer) checkSuffixes(t *prefixTree) (length int, proved bool) {
	for n := len(a.w.openPoints) - 1; n >= 0; n-- {
		open := &a.w.openPoints[n]
		answer := a.checkSuffix(&open.openQuestion)
		if answer.MayReach() {
			a.w.openPoints = a.w.openPoints[:n]
			if a.answerEarlier(answer) {
				from := open.points
				for from > 0 && t.points[from-1].reason == NoTargetAhead {
					from--
				}
				t.record(a, from, open.points, answer)
			}
			break
		}
		t.points = t.points[:open.points]
		length, proved = t.points[open.points-1].index+1, true
	}
	return length, proved
}

// resultOf is what a proof says of a frame.
func (a *Analyzer) resultOf(p *proof, f *Frame) Result {
	if slices.ContainsFunc(f.Calls, func(c Call) bool { return madeAlong(c, p.prefix, true) }) {
		return a.result(f, p.points, p.prefix, true)
	}
	if p.result.ID == (ID{}) {
		p.result = a.result(f, p.points, p.prefix, true)
	}
	return p.result
}

// result puts together what was found of a frame and its calls.
func (a *Analyzer) result(f *Frame, points []SplitPoint, length int, proved bool) Result {
	r := Result{SplitPoints: slices.Clip(points), Prefix: length, Proved: proved}
	r.Ahead = r.SplitPoints
	if proved {
		r.Ahead = slices.Clip(points[:len(points)-1])
	}
	r.ID = a.identify(f, length, proved)
	for _, c := range f.Calls {
		if madeAlong(c, length, proved) {
			r.SplitPoints = append(r.SplitPoints, c.Result.SplitPoints...)
			r.Ahead = append(r.Ahead, c.Result.Ahead...)
		}
	}
	if len(r.SplitPoints) > len(points) {
		r.SplitPoints, r.Ahead = a.w.distinct(r.SplitPoints), a.w.distinct(r.Ahead)
	}
	return r
}

// openSplitPoint is a split point of the current path whose question is open.
type openSplitPoint struct {
	openQuestion
	points int // number of split points up to it
}

// leaveOpen keeps for the second pass the question that answerByGraph left open.
func (a *Analyzer) leaveOpen(points int) {
	q := a.w.open
	q.state = a.w.kept.keep(&q.state)
	a.w.openPoints = append(a.w.openPoints, openSplitPoint{q, points})
}

// answerEarlier takes the answer "may reach" of a split point as that of the earlier
// ones that are still open, and reports whether it answers for them.
func (a *Analyzer) answerEarlier(answer Answer) bool {
	if answer.Reason == Diverged {
		return false // says nothing of what was understood before
	}
	a.stats.Implied += len(a.w.openPoints)
	a.w.openPoints = a.w.openPoints[:0]
	return true
}

// madeAlong reports whether a call was made along a prefix. Only the entry of the last
// block belongs to a proved prefix.
func madeAlong(c Call, length int, proved bool) bool {
	return c.At < length-1 || c.At == length-1 && !proved
}

// identify hashes the prefix (ComputeHash): the program, the blocks, and after each
// block the IDs of the frames that it called. Where the whole path stands for itself and
// only its beginning is known, the identifier of the whole goes in too.
func (a *Analyzer) identify(f *Frame, length int, proved bool) ID {
	buffer := binary.BigEndian.AppendUint64(a.w.hashed[:0], a.code.program.Key)
	flags := byte(0)
	if f.Static {
		flags |= 1
	}
	if proved {
		flags |= 2
	}
	buffer = append(buffer, flags)
	calls := f.Calls
	for i, b := range f.Path[:length] {
		buffer = binary.BigEndian.AppendUint32(buffer, uint32(b))
		for len(calls) > 0 && calls[0].At <= i {
			if calls[0].At == i && madeAlong(calls[0], length, proved) {
				buffer = binary.BigEndian.AppendUint32(buffer, callMark)
				buffer = append(buffer, calls[0].Result.ID[:]...)
			}
			calls = calls[1:]
		}
	}
	if !proved {
		buffer = append(buffer, f.Whole[:]...)
	}
	a.w.hashed = buffer
	return sha256.Sum256(buffer)
}

// callMark announces a called frame's ID between the numbers of blocks; no block
// has this number, since a program would need 2^32 bytes.
const callMark = ^uint32(0)

// distinct drops repeated split points, in place.
func (w *Workspace) distinct(points []SplitPoint) []SplitPoint {
	w.points.reset()
	kept := points[:0]
	for _, p := range points {
		hash := mix(uint64(p.Code), uint64(p.Block))
		if !w.came(kept, p, hash) {
			w.points.insert(hash, int32(len(kept)))
			kept = append(kept, p)
		}
	}
	return kept
}

// came reports whether a split point is among those kept, which the table numbers.
func (w *Workspace) came(kept []SplitPoint, p SplitPoint, hash uint64) bool {
	for i := w.points.first(hash); ; i = w.points.next(i) {
		slot, taken := w.points.at(i)
		switch {
		case !taken:
			return false
		case slot.hash == hash && kept[slot.node] == p:
			return true
		}
	}
}
