package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

func flags(f *flag.FlagSet) {
	f.IntVar(&options.executions, "executions", 60_000, "executions of the campaign on each project")
	f.IntVar(&options.questions, "questions", 20_000, "questions asked about each contract's code, at most")
	f.BoolVar(&options.verbose, "verbose", false, "list the jumps that could not be resolved")
}

// tally counts answers.
type tally struct {
	questions, byGraph, none, target, call, unknown, exhausted int

	micros   []float64 // of all questions
	explored []float64 // of those that took a fixed point
}

func (t *tally) add(o *tally) {
	t.questions += o.questions
	t.byGraph += o.byGraph
	t.none += o.none
	t.target += o.target
	t.call += o.call
	t.unknown += o.unknown
	t.exhausted += o.exhausted
	t.micros = append(t.micros, o.micros...)
	t.explored = append(t.explored, o.explored...)
}

// share is a part of the questions in percent.
func (t *tally) share(n int) float64 {
	if t.questions == 0 {
		return 0
	}
	return 100 * float64(n) / float64(t.questions)
}

// quantile of sorted times.
func quantile(micros []float64, q float64) float64 {
	if len(micros) == 0 {
		return 0
	}
	return micros[int(q*float64(len(micros)-1))]
}

func (t *tally) cells() []string {
	slices.Sort(t.micros)
	slices.Sort(t.explored)
	cells := []string{fmt.Sprint(t.questions)}
	for _, n := range []int{t.byGraph, t.none, t.target, t.call, t.unknown, t.exhausted} {
		cells = append(cells, harness.Number(t.share(n)))
	}
	for _, times := range [][]float64{t.micros, t.explored} {
		cells = append(cells, harness.Number(quantile(times, 0.5)), harness.Number(quantile(times, 0.99)))
	}
	return cells
}

// splitPoint is a prefix of a path that a question is asked at.
type splitPoint struct {
	path   bytecode.Path
	static bool
}

// splitPoints are the distinct prefixes of the paths up to first entries of
// blocks.
func splitPoints(paths []walkedPath, blocks int) []splitPoint {
	var all []splitPoint
	seen := map[bytecode.PathID]bool{}
	for _, p := range paths {
		var h bytecode.PathHasher
		if p.static {
			h.Add(1, 1)
		}
		entered := make([]bool, blocks)
		for i, b := range p.path {
			h.Add(uint64(b), 0)
			first := !entered[b]
			entered[b] = true
			if id := h.Sum(); first && !seen[id] {
				seen[id] = true
				all = append(all, splitPoint{p.path[:i+1], p.static})
			}
		}
	}
	return all
}

// question asks about one program: each block not entered alone, at split points
// picked at random.
func question(run *harness.Run, subject string, w *walked) contractResult {
	r := contractResult{subject: subject, contract: w.program.Contract.Name + " " + w.program.Code.Kind.String(), bytes: len(w.program.Bytes), blocks: len(w.program.Blocks)}
	start := run.Now()
	a := lookahead.New(w.program, lookahead.Options{Calls: noCalls})
	a.Unreachable(0) // the graph is made when first asked for
	r.graphMicroseconds = float64(run.Now().Sub(start).Nanoseconds()) / 1e3
	points := splitPoints(w.paths, len(w.program.Blocks))
	rng := rand.New(rand.NewPCG(run.Seed, w.program.Key))
	rng.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	var unreached []bytecode.BlockID
	for b, entered := range w.entered {
		if entered {
			continue
		}
		r.unreached++
		if a.Unreachable(bytecode.BlockID(b)) {
			r.proved++
			continue
		}
		unreached = append(unreached, bytecode.BlockID(b))
	}
	if len(unreached) == 0 || len(points) == 0 {
		return r
	}
	each := max(1, options.questions/len(unreached))
	next := 0
	for _, b := range unreached {
		a.SetTargets([]bytecode.BlockID{b})
		for range min(each, len(points)) {
			p := points[next%len(points)]
			next++
			r.ask(run, a, p)
		}
	}
	if options.verbose {
		for pc, n := range a.UnknownJumps() {
			run.Logf("%s %s: unknown jump at %d: %d questions", subject, r.contract, pc, n)
		}
	}
	return r
}

// noCalls leaves calls out: with the papers' model most questions before a call
// are answered by it at once, which says nothing of the analysis.
func noCalls(bytecode.Location) bool { return false }

func (r *contractResult) ask(run *harness.Run, a *lookahead.Analyzer, p splitPoint) {
	before := a.Stats()
	start := run.Now()
	last := a.Program().Blocks[p.path[len(p.path)-1]]
	answer, err := a.Ask(p.path, int64(last.Start), p.static)
	micros := float64(run.Now().Sub(start).Nanoseconds()) / 1e3
	if err != nil {
		panic(err) // the machine's own path
	}
	r.questions++
	r.micros = append(r.micros, micros)
	switch after := a.Stats(); {
	case after.ByGraph > before.ByGraph:
		r.byGraph++
	case after.Explored > before.Explored:
		r.explored = append(r.explored, micros)
	}
	switch answer.Reason {
	case lookahead.NoTargetAhead:
		r.none++
	case lookahead.TargetAhead:
		r.target++
	case lookahead.CallAhead:
		r.call++
	case lookahead.Exhausted:
		r.exhausted++
	default:
		r.unknown++
	}
}
