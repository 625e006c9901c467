package lookahead

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Reason says what an answer rests on.
type Reason uint8

// The reasons. All but NoTargetAhead mean "may reach".
const (
	NoTargetAhead Reason = iota // proved: no execution reaches a target from here
	TargetAhead                 // a target is ahead, as far as the analysis can tell
	CallAhead                   // a call that may lead to a target is ahead
	UnknownJump                 // a jump whose destination is not known is ahead
	UnknownOpcode               // an instruction is ahead that no known fork has, or that instances hold differently
	Exhausted                   // the budget ended before the answer was found
	Diverged                    // the path is none of the program's, as far as the analysis can tell
)

var reasons = [...]string{
	"no target ahead", "target ahead", "call ahead", "unknown jump", "unknown opcode", "budget exhausted", "path not understood",
}

func (r Reason) String() string { return reasons[r] }

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
	// Ahead are those of SplitPoints behind which a target may be ahead: where
	// another way can still lead to one.
	Ahead []SplitPoint
	// Prefix is the length of the prefix in blocks; Proved tells that it was proved
	// to have no target ahead, and is not just the whole path.
	Prefix int
	Proved bool
}

// DefaultBudget is the number of steps a question may take: some hundred
// microseconds. Questions about real contracts take hundreds of steps, so it is
// reached where code is built to be hard.
const DefaultBudget = 1 << 15

// Options say how an Analyzer works. The zero value is the default.
type Options struct {
	Calls  CallModel // nil: Conservative
	Budget int       // steps for one question; 0: DefaultBudget
}

func (o Options) withDefaults() Options {
	if o.Calls == nil {
		o.Calls = Conservative
	}
	if o.Budget <= 0 {
		o.Budget = DefaultBudget
	}
	return o
}

// Stats count what an Analyzer did.
type Stats struct {
	Questions  int // asked, one for each split point looked at
	Remembered int // answered from the same state asked before
	ByGraph    int // answered by the control-flow graph alone
	Explored   int // answered by a fixed point
	Implied    int // answered by that of a split point further on, or of earlier paths
	Exhausted  int // answered "may reach" because the budget ended
	Unknown    int // answered "may reach" because of an unknown jump or opcode
	Diverged   int // answered "may reach" because the path was not understood
	Steps      int // spent on fixed points
	Nodes      int // of graphs, looked at to find where goals are ahead
}

// Add adds another Analyzer's counts.
func (s *Stats) Add(t Stats) {
	s.Questions += t.Questions
	s.Remembered += t.Remembered
	s.ByGraph += t.ByGraph
	s.Explored += t.Explored
	s.Implied += t.Implied
	s.Exhausted += t.Exhausted
	s.Unknown += t.Unknown
	s.Diverged += t.Diverged
	s.Steps += t.Steps
	s.Nodes += t.Nodes
}

// Minus is what was done since earlier counts of the same Analyzer.
func (s Stats) Minus(earlier Stats) Stats {
	s.Questions -= earlier.Questions
	s.Remembered -= earlier.Remembered
	s.ByGraph -= earlier.ByGraph
	s.Explored -= earlier.Explored
	s.Implied -= earlier.Implied
	s.Exhausted -= earlier.Exhausted
	s.Unknown -= earlier.Unknown
	s.Diverged -= earlier.Diverged
	s.Steps -= earlier.Steps
	s.Nodes -= earlier.Nodes
	return s
}

// Answer is the answer to one question.
type Answer struct {
	Reason Reason
	PC     uint32 // of what Reason names: the target, call, jump or instruction
	States int    // abstract states that were looked at; 0 when the graph answered, or it was answered before
	Steps  int    // likewise
}

// MayReach reports whether a target may be ahead.
func (a Answer) MayReach() bool { return a.Reason != NoTargetAhead }

// Analyzer answers questions about one program and a set of targets. It is used
// by one goroutine.
type Analyzer struct {
	*Facts
	options    Options
	w          *Workspace
	pool       []Value // the program's, in the Workspace's Values
	graphPool  []Value // the graph's, likewise; nil when not asked for yet
	generation uint32  // of those

	targets []uint32 // pcs, ascending
	goals   [2]goals // for frames that are not static, and for those that are
	serial  uint32   // tells its answers from other Analyzers' in the Workspace

	known [2]known // as goals

	stats   Stats
	unknown map[uint32]int // questions that ended at an unknown jump or opcode, by its pc
}

// New makes an Analyzer without targets, that shares nothing.
func New(p *bytecode.Program, options Options) *Analyzer {
	return NewAnalyzer(NewFacts(p, 0), NewWorkspace(), options)
}

// NewAnalyzer makes an Analyzer without targets, that works in a Workspace.
func NewAnalyzer(f *Facts, w *Workspace, options Options) *Analyzer {
	w.analyzers++
	return &Analyzer{Facts: f, options: options.withDefaults(), w: w, serial: w.analyzers, unknown: map[uint32]int{}}
}

// Stats are the counts so far.
func (a *Analyzer) Stats() Stats { return a.stats }

// UnknownJumps lists the jumps and instructions that questions ended at, with the
// number of those questions.
func (a *Analyzer) UnknownJumps() map[uint32]int { return maps.Clone(a.unknown) }

// SetTargets replaces the targets by the first instructions of blocks; the
// program must have been cut so that the locations meant start one.
func (a *Analyzer) SetTargets(blocks []bytecode.BlockID) {
	pcs := make([]uint32, 0, len(blocks))
	for _, b := range blocks {
		pcs = append(pcs, a.code.blocks[b].start)
	}
	a.SetTargetPCs(pcs)
}

// SetTargetPCs replaces the targets by the instructions at pcs. One inside a block
// is ahead until it has been executed, and counts as reached from elsewhere when
// control enters its block.
func (a *Analyzer) SetTargetPCs(pcs []uint32) {
	a.targets = slices.Compact(slices.Sorted(slices.Values(pcs)))
	a.Refresh()
}

// Refresh is to be called when the call model has changed. Answers that the change
// does not touch are kept, see [goals].
func (a *Analyzer) Refresh() {
	for i := range a.goals {
		a.goals[i].current = false
	}
}

// ReachesTarget reports whether a frame that starts to run the program may come to a
// target of it, calls apart.
func (a *Analyzer) ReachesTarget() bool {
	return slices.ContainsFunc(a.targets, func(pc uint32) bool {
		b, ok := a.code.program.BlockOf(pc)
		return ok && !a.Unreachable(b)
	})
}

// maxPrefix is the number of instructions of a path behind which there are no
// split points (lookahead §5, "Prefix length").
const maxPrefix = 8192

// Analyze is Algorithm 2 of the paper for one frame: it finds the shortest prefix
// of the path, up to a split point, behind which no target can be reached.
//
// The paper asks at each split point in turn. What is ahead only becomes less
// along a path, so one answer "may reach" answers for all split points before it:
// a first pass takes the answers that cost next to nothing, and fixed points are
// computed only for the last split points that it left open, the last one first.
// Mostly that is one.
//
// Most paths go along with some that were asked about before: what is known of those
// is taken, see [known].
func (a *Analyzer) Analyze(f Frame) Result {
	g, k := a.goalsOf(f.Static), a.knownOf(f.Static)
	if p := a.recall(k, &f, g); p != nil {
		a.stats.Implied += len(p.points)
		return a.resultOf(p, &f)
	}
	a.stats.Implied += len(k.points)
	a.begin(f.Static)
	length, proved := a.walk(&f, k)
	if l, ok := a.resolve(k); ok {
		length, proved = l, true
	}
	points := make([]SplitPoint, len(k.points))
	end := 0 // of the last split point
	for i := range points {
		at := k.points[i].index
		points[i], end = SplitPoint{a.code.program.ID, f.Path[at]}, at+1
	}
	if !proved {
		a.keep(k, f.Path[:end], nil)
		return a.result(&f, points, length, false)
	}
	p := &proof{prefix: length, points: points, grown: g.grown}
	a.keep(k, f.Path[:end], p)
	return a.resultOf(p, &f)
}

// walk is the first pass, from where the known points end to the first "no"; without
// one, the prefix is the whole path.
func (a *Analyzer) walk(f *Frame, k *known) (length int, proved bool) {
	from, instructions, settled := 0, 0, len(k.points)
	if settled > 0 {
		last := &k.points[settled-1]
		from, instructions = last.index+1, last.instructions
		a.w.prefix.resume(f.Path[:from])
	}
	for i := from; i < len(f.Path); i++ {
		b := f.Path[i]
		if int(b) >= len(a.code.blocks) || instructions >= maxPrefix {
			break
		}
		instructions += len(a.code.blocks[b].code)
		if !a.w.prefix.extend(b) {
			continue
		}
		k.points = append(k.points, point{index: i, instructions: instructions})
		// The prefix ends with the block's first location; a call there is not made yet.
		start := int64(a.code.blocks[b].start)
		answer, asked := a.look(start+1, start)
		switch {
		case !asked:
			a.doubt(len(k.points))
		case !answer.MayReach():
			return i + 1, true
		case a.settle(answer):
			k.settled(a, settled, len(k.points), answer)
			settled = len(k.points)
		}
	}
	return len(f.Path), false
}

// resolve is the second pass: the split points that are in doubt, the last one first,
// up to the first "may reach". It gives the length of the prefix that ends with the
// first of those behind which no target is ahead; false when there is none.
func (a *Analyzer) resolve(k *known) (length int, proved bool) {
	for n := len(a.w.doubts) - 1; n >= 0; n-- {
		d := &a.w.doubts[n]
		answer := a.explore(&d.doubt)
		if answer.MayReach() {
			a.w.doubts = a.w.doubts[:n]
			if a.settle(answer) {
				from := d.points
				for from > 0 && k.points[from-1].reason == NoTargetAhead {
					from--
				}
				k.settled(a, from, d.points, answer)
			}
			break
		}
		k.points = k.points[:d.points]
		length, proved = k.points[d.points-1].index+1, true
	}
	return length, proved
}

// resultOf is what a proof says of a frame.
func (a *Analyzer) resultOf(p *proof, f *Frame) Result {
	if slices.ContainsFunc(f.Calls, func(c Call) bool { return along(c, p.prefix, true) }) {
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
		if along(c, length, proved) {
			r.SplitPoints = append(r.SplitPoints, c.Result.SplitPoints...)
			r.Ahead = append(r.Ahead, c.Result.Ahead...)
		}
	}
	if len(r.SplitPoints) > len(points) {
		r.SplitPoints, r.Ahead = a.w.distinct(r.SplitPoints), a.w.distinct(r.Ahead)
	}
	return r
}

// doubt is a question that only a fixed point can answer.
type doubt struct {
	block   bytecode.BlockID
	state   state
	covered bool // by the graph, see Analyzer.covers
}

// openPoint is a split point of the path under way that is in doubt.
type openPoint struct {
	doubt
	points int // split points up to it
}

// doubt keeps the question that look has left open for later.
func (a *Analyzer) doubt(points int) {
	d := a.w.open
	d.state = a.w.kept.keep(&d.state)
	a.w.doubts = append(a.w.doubts, openPoint{d, points})
}

// settle takes the answer "may reach" of a split point as that of those before it, and
// reports whether it is one for them.
func (a *Analyzer) settle(answer Answer) bool {
	if answer.Reason == Diverged {
		return false // says nothing of what was understood before
	}
	a.stats.Implied += len(a.w.doubts)
	a.w.doubts = a.w.doubts[:0]
	return true
}

// along reports whether a call was made along a prefix. Of the last block of a
// proved prefix only the entry belongs to it.
func along(c Call, length int, proved bool) bool {
	return c.At < length-1 || c.At == length-1 && !proved
}

// Nothing as the last instruction executed means that the frame has not started.
const Nothing int64 = -1

// Ask answers one question: whether a target may be reached by a frame that has
// entered the blocks of the path and whose last executed instruction is at pc,
// in the path's last block. With [Nothing] the path is that of the block at pc 0
// alone.
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
	a.w.tidy()
	if a.generation != a.w.v.generation {
		a.pool, a.graphPool, a.generation = a.code.pool.resolve(a.w.v), nil, a.w.v.generation
	}
	a.w.prefix.begin(a.code, a.pool, static)
	a.w.doubts = a.w.doubts[:0]
	a.w.kept.reset()
}

// ask answers the question at the last block of the prefix, where targets from
// one pc on and calls from another are ahead.
func (a *Analyzer) ask(targetsFrom, callsFrom int64) Answer {
	answer, known := a.look(targetsFrom, callsFrom)
	if !known {
		answer = a.explore(&a.w.open)
	}
	return answer
}

// look answers by what is in the prefix's last block, or from the graph. Where that is
// not enough, the Workspace's open doubt is
// what to explore, until the prefix is extended.
func (a *Analyzer) look(targetsFrom, callsFrom int64) (Answer, bool) {
	a.stats.Questions++
	g := a.goalsOf(a.w.prefix.static)
	b := a.w.prefix.last()
	if answer, ahead := a.inside(b, targetsFrom, callsFrom, a.w.prefix.static, g); ahead {
		a.stats.ByGraph++
		return answer, true
	}
	if g.none || g.least[b] == unreachable && len(a.graph().exits) == 0 {
		a.stats.ByGraph++
		return Answer{}, true
	}
	s, understood := a.w.prefix.state()
	if !understood {
		a.stats.Diverged++
		return Answer{Reason: Diverged, PC: a.code.blocks[b].start}, true
	}
	n, covered := a.covers(b, s)
	if covered && g.distance[n] == unreachable {
		a.stats.ByGraph++
		return Answer{}, true
	}
	a.w.open = doubt{b, *s, covered}
	return Answer{}, false
}

// explore answers from what was answered of the same state before, or else by a fixed
// point.
func (a *Analyzer) explore(d *doubt) Answer {
	g := a.goalsOf(a.w.prefix.static)
	digest := a.keyOf(d.state.digest(d.block, a.w.prefix.static))
	answer, known := a.remembered(digest, g)
	if !known {
		q := question{a: a, goals: g, covered: d.covered}
		answer = q.explore(d.block, &d.state, a.w.prefix.static)
		a.stats.Explored++
		a.stats.Steps += answer.Steps
		a.w.answers.put(digest, answer, g.grown)
	}
	a.count(answer)
	return answer
}

// remembered is the answer to a question that was asked before, if it still
// holds.
func (a *Analyzer) remembered(key asked, g *goals) (Answer, bool) {
	before, known := a.w.answers.get(key)
	if !known {
		return Answer{}, false
	}
	answer := Answer{Reason: before.reason, PC: before.pc}
	switch answer.Reason {
	case NoTargetAhead: // holds until there are more goals
		known = before.grown == g.grown
	case TargetAhead, CallAhead: // holds as long as it is one; other reasons always do
		b, _ := a.code.program.BlockOf(answer.PC)
		answer.Reason, answer.PC = g.ahead[b].reason, g.ahead[b].pc
		known = answer.MayReach()
	}
	if known {
		a.stats.Remembered++
	}
	return answer, known
}

// covers reports whether all executions from a state in a block follow the graph,
// up to an opaque node, and from which of its nodes.
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

// count keeps the statistics of answers that say little.
func (a *Analyzer) count(answer Answer) {
	switch answer.Reason {
	case Exhausted:
		a.stats.Exhausted++
	case UnknownJump, UnknownOpcode:
		a.stats.Unknown++
		a.unknown[answer.PC]++
	}
}

// identify hashes the prefix: the program, the blocks, and behind each block the
// IDs of the frames that it called. Where the whole path stands for itself and
// is known only by its beginning, the identifier of the whole goes in too.
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
			if calls[0].At == i && along(calls[0], length, proved) {
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

// distinct drops split points that came before, in place.
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
