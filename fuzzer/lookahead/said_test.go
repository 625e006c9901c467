package lookahead_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// TestSaid holds the analysis to what it said before of random programs and of contracts, and to what it took: the other tests
// tell whether it is right, this one whether it is as precise and as fast as it was. A change that is meant to make it either shows
// here what it changes (-update).
func TestSaid(t *testing.T) {
	var out strings.Builder
	for seed, programs := uint64(0), 0; programs < 80; seed++ {
		rng := rand.New(rand.NewPCG(seed, 21))
		code := randomProgram(rng)
		machine := machineFor(t, code)
		var paths []frame
		for range 8 {
			exec := runOn(t, machine, randomInput(rng, code))
			for i := range exec.Frames {
				f := &exec.Frames[i]
				is := frame{f.Program, slices.Clone(f.Path), f.Kind == evm.KindStaticCall}
				if f.Program != nil && len(f.Path) > 3 && !slices.ContainsFunc(paths, is.equal) {
					paths = append(paths, is)
				}
			}
		}
		if len(paths) > 1 { // others say little
			say(&out, fmt.Sprintf("program %d", seed), rng, paths)
			programs++
		}
	}
	golden.Check(t, "testdata/said/programs.txt", out.String())

	out.Reset()
	for _, p := range projects(t) {
		table := bytecode.NewTable(p.contracts)
		for id := bytecode.CodeID(1); table.Program(id) != nil; id++ {
			program := table.Program(id)
			facts := lookahead.NewFacts(program, 0)
			unreachable := unreachableIn(facts)
			fmt.Fprintf(&out, "%s, %s %v: %d blocks, %d calls, %d steps and %d of searches; unreachable %s\n", p.name, program.Contract.Name, program.Code.Kind,
				len(program.Blocks), len(facts.CallSites()), facts.GraphSteps(), facts.SearchSteps(lookahead.DefaultGraphBudget), unreachable)
		}
	}
	lines := strings.SplitAfter(out.String(), "\n")
	slices.Sort(lines) // projects come in any order
	golden.Check(t, "testdata/said/contracts.txt", strings.Join(lines, ""))
}

// frame is a path of a program.
type frame struct {
	program *bytecode.Program
	path    bytecode.Path
	static  bool
}

func (f frame) equal(g frame) bool {
	return f.program == g.program && f.static == g.static && slices.Equal(f.path, g.path)
}

// say writes what is said of a program and of paths, with targets of different kinds.
func say(out *strings.Builder, name string, rng *rand.Rand, frames []frame) {
	p := frames[0].program
	facts := lookahead.NewFacts(p, 0)
	w := lookahead.NewWorkspace()
	none := func(bytecode.Location) bool { return false }
	reason, pc := facts.Opaque()
	unreachable := unreachableIn(facts)
	fmt.Fprintf(out, "%s: %d blocks, %v at %d, unreachable %s, %d steps of searches\n", name, len(p.Blocks), reason, pc, unreachable, facts.SearchSteps(lookahead.DefaultGraphBudget))
	for n, options := range []lookahead.Options{{}, {Calls: none}, {Calls: none, Budget: 150}} {
		a := lookahead.NewAnalyzer(facts, w, options)
		if n == 0 {
			fmt.Fprintf(out, "  graph: %s\n", a.Describe())
		}
		for range 3 {
			var targets []bytecode.BlockID
			for range 1 + rng.IntN(2) {
				targets = append(targets, bytecode.BlockID(rng.IntN(len(p.Blocks))))
			}
			a.SetTargets(targets)
			fmt.Fprintf(out, "  targets %v:", targets)
			for _, f := range frames {
				if f.program != p {
					continue
				}
				r := a.Analyze(lookahead.Frame{Path: f.path, Static: f.static})
				proved := ""
				if !r.Proved {
					proved = "?"
				}
				fmt.Fprintf(out, " %d%s/%d/%d", r.Prefix, proved, len(r.Ahead), len(r.SplitPoints))
			}
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "  %+v, unknown %v\n", a.Stats(), a.UnknownJumps())
	}
}

// unreachableIn lists the blocks that are proved unreachable, as ranges.
func unreachableIn(facts *lookahead.Facts) string {
	var parts []string
	n := len(facts.Program().Blocks)
	for b := 0; b < n; b++ {
		from := b
		for b < n && facts.Unreachable(bytecode.BlockID(b)) {
			b++
		}
		switch {
		case b == from:
		case b == from+1:
			parts = append(parts, fmt.Sprint(from))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", from, b-1))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, " ")
}
