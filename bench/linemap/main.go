// Command linemap holds Sightline's line map against a peer, forge's coverage,
// against marks planted into the sources, and against other builds, on the same
// calls.
//
//	main.go        what is compared, and the tables
//	corpus.go      the contracts
//	builds.go      the ways they are compiled
//	deployment.go  a build, its World and the calls
//	lines.go       what a line is said to be
//	plant.go       marks in sources
//	foundry.go     the same calls under forge coverage
//	known.go       disagreements that were looked into
//	harness/       contracts of ours for packages that have none that would run
//	replay/        forge's side of it
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

const doc = `Runs the same calls on contracts of our own and from npm under forge coverage and
under Sightline, both with the optimizer off, and compares the lines that each calls
executed. The same calls run on the debug build through the intermediate language
and on shipped builds with the optimizer (success, output, state), and on a build
with a mark planted before every statement: a line called reached whose marks were
not passed is falsely reached.

summary: agreement, of the lines that both know; falseReached; outputsDiffer, calls;
lines, that both know; contracts. -seconds and -runs change nothing.`

// only chooses projects; empty: all.
var only string

func main() {
	harness.Main(harness.Comparison{
		Name: "linemap", Doc: doc, Seconds: 120, Runs: 1, Measure: measure,
		Flags: func(flags *flag.FlagSet) {
			flags.StringVar(&only, "only", "", "compare only the projects whose name holds this")
		},
	})
}

// shares are the parts of the sequences that run under forge coverage: all of
// them, and one in so many from the start, which leave more lines out.
var shares = []int{8, 1}

// bench is what all projects share.
type bench struct {
	run     *harness.Run
	modules string
	work    string
	tables  struct{ agreement, disagreements, marks, onlyForge, wrong, outputs, differences harness.Table }
	totals  struct{ contracts, lines, agreed, falsely, differ int }
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	modules, err := run.Install(ctx, "linemap", packages())
	if err != nil {
		return nil, err
	}
	b := &bench{run: run, modules: modules, work: filepath.Join(run.Cache, "linemap")}
	t := &b.tables
	t.agreement = harness.Table{Title: "lines executed, forge coverage and Sightline", Columns: []string{"project", "solc", "sequences", "calls", "lines", "executed", "agree", "share", "only forge knows", "only we know"}}
	t.disagreements = harness.Table{Title: "disagreements", Columns: []string{"line", "text", "forge", "Sightline", "right", "why"}}
	t.onlyForge = harness.Table{Title: "lines executed that only forge knows", Columns: []string{"line", "text", "our reason"}}
	t.marks = harness.Table{Title: "lines called reached, and planted marks", Columns: []string{"project", "build", "judged", "times", "no mark", "falsely reached", "missed"}}
	t.wrong = harness.Table{Title: "lines that the marks contradict", Columns: []string{"project", "build", "line", "contract", "text", "Sightline"}}
	t.outputs = harness.Table{Title: "the same calls on other builds", Columns: []string{"project", "build", "calls", "success or output differs", "sequences", "state differs", "calls left out"}}
	t.outputs.Notes = []string{"Left out are calls from a CREATE2 on that makes a contract whose code differs: it gets another address."}
	t.differences = harness.Table{Title: "calls that differ", Columns: []string{"project", "build", "sequence", "call", "debug build", "this build"}}
	var failures []error
	for i := range corpus {
		if p := &corpus[i]; strings.Contains(p.name, only) {
			if err := b.compare(ctx, p); err != nil {
				failures = append(failures, fmt.Errorf("%s: %w", p.name, err))
			}
		}
	}
	if b.totals.lines == 0 {
		return nil, errors.Join(append(failures, fmt.Errorf("-only %q: nothing was compared", only))...)
	}
	return &harness.Result{
		Summary: map[string]float64{
			"agreement":     float64(b.totals.agreed) / float64(b.totals.lines),
			"falseReached":  float64(b.totals.falsely),
			"outputsDiffer": float64(b.totals.differ),
			"lines":         float64(b.totals.lines),
			"contracts":     float64(b.totals.contracts),
		},
		Tables: []harness.Table{t.agreement, t.disagreements, t.onlyForge, t.marks, t.wrong, t.outputs, t.differences},
	}, errors.Join(failures...)
}

// compare does all that is done with one project.
func (b *bench) compare(ctx context.Context, p *project) error {
	sources, err := p.sources(b.modules)
	if err != nil {
		return err
	}
	f, err := b.writeFoundry(p, sources)
	if err != nil {
		return err
	}
	changes, err := everything(f.folder)
	if err != nil {
		return err
	}
	b.run.Logf("%s: compiling", p.name)
	o, err := b.compileWith(ctx, p, sources, kinds[0])
	if err != nil {
		return err
	}
	reference, err := newDeployment(ctx, p, kinds[0], o, changes)
	if err != nil {
		return err
	}
	sequences, err := reference.sequences(b.run.Seed)
	if err != nil {
		return err
	}
	// What was tried and not kept entered nothing else, but only what was kept is run elsewhere.
	outcomes, err := reference.run(sequences)
	if err != nil {
		return err
	}
	twin, expected, err := b.another(ctx, p, sources, nil, forgeKind, reference, sequences, outcomes)
	if err != nil {
		return err
	}
	if err := f.writeWorld(twin); err != nil {
		return err
	}
	planting := plant(o)
	planted, seen, err := b.marked(ctx, p, planting, reference, sequences, outcomes)
	if err != nil {
		return err
	}
	contracts := map[*bytecode.Contract]bool{}
	for _, i := range reference.World.Instances {
		contracts[i.Contract] = true
	}
	b.totals.contracts += len(contracts)
	for _, share := range shares {
		n := max(len(sequences)/share, 1)
		if err := f.writeCalls(twin, sequences[:n], expected[:n]); err != nil {
			return err
		}
		b.run.Logf("%s: %d of %d sequences under forge coverage", p.name, n, len(sequences))
		theirs, differ, err := f.coverage(ctx)
		if err != nil {
			return err
		}
		lines := reference.lines(sources, theirs, n)
		planting.decide(lines, planted, n)
		b.agreement(p, sequences[:n], lines)
		b.forgeOutputs(p, expected[:n], differ)
	}
	b.marks(p, planting, reference, planted, sequences, outcomes, seen)
	return b.otherBuilds(ctx, p, sources, changes, planting, reference, sequences, outcomes)
}

// everything are all lines of a project's sources as a diff that adds them gives
// them, the harness apart.
func everything(folder string) ([]unified.ChangedLine, error) {
	text, err := harness.AddEverything(folder, "src")
	if err != nil {
		return nil, err
	}
	diff, err := unified.Parse(text, unified.Limits{})
	if err != nil {
		return nil, err
	}
	var changes []unified.ChangedLine
	for _, file := range diff.Files {
		if file.NewPath == harnessName {
			continue
		}
		head, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(file.NewPath)))
		if err != nil {
			return nil, err
		}
		lines, err := file.Changes(head)
		if err != nil {
			return nil, err
		}
		changes = append(changes, lines...)
	}
	return changes, nil
}

// agreement adds a project to the comparison with forge.
func (b *bench) agreement(p *project, sequences []evm.Sequence, lines []line) {
	var both, agreed, executed, onlyForge, onlyOurs int
	for _, l := range lines {
		switch {
		case l.known && l.forge < 0:
			onlyOurs++
			continue
		case !l.known && l.forge > 0:
			onlyForge++
			b.tables.onlyForge.Add(fmt.Sprintf("%s/%s:%d", p.name, l.file, l.number), l.text, l.reason)
			continue
		case !l.known || l.forge < 0:
			continue
		}
		both++
		if l.ours {
			executed++
		}
		if l.ours == (l.forge > 0) {
			agreed++
			continue
		}
		right, why := explain(p, &l)
		b.tables.disagreements.Add(fmt.Sprintf("%s/%s:%d", p.name, l.file, l.number), l.text, fmt.Sprintf("%d times", l.forge), said(l.ours), right, why)
	}
	calls := 0
	for _, seq := range sequences {
		calls += len(seq)
	}
	b.totals.lines += both
	b.totals.agreed += agreed
	b.tables.agreement.Add(p.name, p.solc, strconv.Itoa(len(sequences)), strconv.Itoa(calls), strconv.Itoa(both), strconv.Itoa(executed),
		strconv.Itoa(agreed), harness.Percent(float64(agreed)/float64(max(both, 1))), strconv.Itoa(onlyForge), strconv.Itoa(onlyOurs))
}

func said(executed bool) string {
	if executed {
		return "executed"
	}
	return "not executed"
}

// forgeOutputs adds what forge's EVM did otherwise.
func (b *bench) forgeOutputs(p *project, outcomes []outcome, differ []string) {
	calls := 0
	for _, o := range outcomes {
		calls += len(o.calls)
	}
	b.tables.outputs.Add(p.name, "as forge compiles it, in forge", strconv.Itoa(calls), strconv.Itoa(len(differ)), strconv.Itoa(len(outcomes)), "", "0")
	b.totals.differ += len(differ)
	for _, d := range differ {
		var i, k int
		if _, err := fmt.Sscan(d, &i, &k); err == nil && i < len(outcomes) && k < len(outcomes[i].calls) {
			b.tables.differences.Add(p.name, "as forge compiles it, in forge", strconv.Itoa(i), strconv.Itoa(k), outcomes[i].calls[k].String(), "another outcome")
		}
	}
}

// marked runs the calls on a build with marks. What is mapped is judged by
// the marks of the same build: what runs before something reverts is not the same
// in all (the operands of a + b run in another order through the intermediate
// language).
func (b *bench) marked(ctx context.Context, p *project, planting *planting, s *deployment, sequences []evm.Sequence, want []outcome) (*deployment, []outcome, error) {
	k := s.kind
	k.name += ", marks planted"
	return b.another(ctx, p, planting.sources, nil, k, s, sequences, want)
}

// otherBuilds runs the calls on the other builds, and judges those that are
// mapped.
func (b *bench) otherBuilds(ctx context.Context, p *project, sources map[string]string, changes []unified.ChangedLine, planting *planting,
	reference *deployment, sequences []evm.Sequence, outcomes []outcome) error {
	for _, k := range kinds[1:] {
		if k.newOnly && p.solc != newSolc {
			continue
		}
		s, got, err := b.another(ctx, p, sources, changes, k, reference, sequences, outcomes)
		if err != nil {
			return err
		}
		if !k.mapping {
			continue
		}
		planted, seen, err := b.marked(ctx, p, planting, s, sequences, got)
		if err != nil {
			return err
		}
		b.marks(p, planting, s, planted, sequences, got, seen)
	}
	return nil
}

// another runs the calls on another build.
func (b *bench) another(ctx context.Context, p *project, sources map[string]string, changes []unified.ChangedLine, k kind,
	reference *deployment, sequences []evm.Sequence, want []outcome) (*deployment, []outcome, error) {
	b.run.Logf("%s: %s", p.name, k.name)
	o, err := b.compileWith(ctx, p, sources, k)
	if err != nil {
		return nil, nil, err
	}
	s, err := newDeployment(ctx, p, k, o, changes)
	if err != nil {
		return nil, nil, err
	}
	if a, b := stateOf(reference.World), stateOf(s.World); !bytes.Equal(a, b) {
		return nil, nil, fmt.Errorf("%s: another World came about", k.name)
	}
	got, err := s.run(sequences)
	if err != nil {
		return nil, nil, err
	}
	calls, differ, states, left := 0, 0, 0, 0
	for i := range want {
		n := comparable(want[i].calls, got[i].calls)
		calls, left = calls+n, left+len(want[i].calls)-n
		for c := range n {
			if w, g := &want[i].calls[c], &got[i].calls[c]; !w.equal(g) {
				differ++
				b.tables.differences.Add(p.name, k.name, strconv.Itoa(i), strconv.Itoa(c), w.String(), g.String())
			}
		}
		if n == len(want[i].calls) && !bytes.Equal(want[i].state, got[i].state) {
			states++
		}
	}
	b.totals.differ += differ + states
	b.tables.outputs.Add(p.name, k.name, strconv.Itoa(calls), strconv.Itoa(differ), strconv.Itoa(len(want)), strconv.Itoa(states), strconv.Itoa(left))
	return s, got, nil
}

// comparable is how many calls of a sequence can be compared: those before a
// CREATE2 that led to different addresses, since it made a contract of code that
// differs.
func comparable(a, b []callOutcome) int {
	for i := range a {
		if !slices.Equal(a[i].created, b[i].created) {
			return i
		}
	}
	return len(a)
}

// marks adds what the marks say of a build's lines.
func (b *bench) marks(p *project, planting *planting, s, planted *deployment, sequences []evm.Sequence, outcomes, seen []outcome) {
	v := planting.judge(s, planted, func(i int) bool { return comparable(outcomes[i].calls, seen[i].calls) < len(sequences[i]) })
	b.totals.falsely += len(v.falsely)
	b.tables.marks.Add(p.name, s.kind.name, strconv.Itoa(v.judged), strconv.Itoa(v.runs), strconv.Itoa(v.unknown), strconv.Itoa(len(v.falsely)), strconv.Itoa(len(v.missed)))
	for _, list := range []struct {
		targets []bytecode.Target
		reached bool
	}{{v.falsely, true}, {v.missed, false}} {
		for _, t := range list.targets {
			b.tables.wrong.Add(p.name, s.kind.name, t.Position.String(), t.Contract[strings.LastIndexByte(t.Contract, ':')+1:],
				lineText(string(planting.texts[t.Position.File]), t.Position.Line), said(list.reached))
		}
	}
}

func (c *callOutcome) equal(other *callOutcome) bool {
	return c.success == other.success && bytes.Equal(c.output, other.output)
}

func (c *callOutcome) String() string {
	const most = 100 // bytes of output shown
	return fmt.Sprintf("%s %x", c.why, c.output[:min(len(c.output), most)])
}

// lineText is a line of a text, trimmed.
func lineText(text string, number int) string {
	lines := strings.Split(text, "\n")
	if number < 1 || number > len(lines) {
		return ""
	}
	const most = 90 // bytes; keeps tables readable
	line := strings.TrimSpace(lines[number-1])
	return strings.ToValidUTF8(line[:min(len(line), most)], "")
}
