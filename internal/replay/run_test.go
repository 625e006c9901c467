package replay

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
	"github.com/sightline-evm/sightline/report"
)

// example is the run of testdata/bank.sol: a finding, SL-1, and the target of the
// journal's first instruction.
type example struct {
	report *report.Report
	files  *Files
	space  *input.Space
	seq    input.Sequence
	table  *bytecode.Table
}

func newExample(t *testing.T) *example {
	t.Helper()
	source, err := os.ReadFile("testdata/bank.sol")
	if err != nil {
		t.Fatal(err)
	}
	table := bytecode.NewTable(testsolc.Compile(t, string(source), testsolc.Settings{}))
	w, _, err := world.Make(context.Background(), table, world.Options{Targets: []string{"Bank", "Journal"}})
	if err != nil {
		t.Fatal(err)
	}
	// A hundred bytes of code stand for a line.
	lines := func(l bytecode.Location) (bytecode.Position, bool) {
		return bytecode.Position{File: "src/Bank.sol", Line: 1 + int(l.PC)/100}, true
	}
	e := &example{table: table, report: &report.Report{
		Version: report.FormatVersion, Tool: report.Tool{Version: "1"}, FailOn: "high", Stats: report.Stats{Executions: 1},
		Lines: []report.Line{{File: "src/Bank.sol", Line: 1, Status: report.Reached, Text: "  contract Bank {"}},
	}}
	if e.space, err = input.NewSpace(w, input.SpaceOptions{}); err != nil {
		t.Fatal(err)
	}
	const text = "sightline-sequence v1\nuser1 Bank.pay(uint256) args (3)\ndeployer Bank.pay(uint256) args (7) value 1000000000000000000\n"
	if e.seq, err = input.Parse(e.space, text); err != nil {
		t.Fatal(err)
	}
	machine, err := gethvm.New(w, table, evm.LiftCodeSizeLimits)
	if err != nil {
		t.Fatal(err)
	}
	_, observed, err := fuzzer.Replay(machine, &fuzzer.Config{Space: e.space, Oracles: oracle.All()}, e.seq)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(observed, func(o fuzzer.Observed) bool { return o.Oracle == "assertion" })
	if i < 0 {
		t.Fatalf("no assertion fails: %+v", observed)
	}
	finding, _ := EntryOf(table, observed[i].Location)
	line := Entry{Contract: "test.sol:Journal", Kind: "runtime"}
	sequence := strings.Split(strings.TrimSpace(text), "\n")
	e.files = &Files{
		Snapshot: &Snapshot{World: w, Contracts: table.Contracts(), Lines: lines, Variables: map[string][]Variable{
			"test.sol:Journal": {{Name: "entries", Bytes: wordBytes, Type: "uint256"}},
		}},
		Reproducers: map[string]*Reproducer{
			"reproducers/SL-1.json": {Sequence: sequence, Claim: Claim{
				Kind: FindingClaim, ID: "SL-1", File: "src/Bank.sol", Line: 9, Contract: "test.sol:Bank", Oracle: "assertion", Entries: []Entry{finding}, Message: observed[i].Message}},
			"reproducers/line.json": {Sequence: sequence, Claim: Claim{
				Kind: LineClaim, File: "src/Bank.sol", Line: 1, Contract: "test.sol:Journal", Entries: []Entry{line}}},
		},
	}
	e.report.Findings = []report.Finding{{ID: "SL-1", Oracle: "assertion", Severity: "high", Comparison: report.Introduced,
		Location: report.Place{File: "src/Bank.sol", Line: 9, Contract: "test.sol:Bank"}, Reproducer: "reproducers/SL-1.json"}}
	e.report.Targets = []report.Target{{File: "src/Bank.sol", Line: 1, Contract: "test.sol:Journal", Status: report.OnlyReverts, Reproducer: "reproducers/line.json"}}
	report.Decide(e.report)
	return e
}

// pack is the bundle of the example.
func (e *example) pack(t *testing.T) Bundle {
	t.Helper()
	rendered, err := report.Render(e.report, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Pack(e.report, rendered, e.files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRun shows one reproducer in every form. After a change that is meant, run with
// -update and read the difference.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	if err := newExample(t).pack(t).WriteFolder(dir); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{
		"brief.txt": {}, "trace.txt": {Trace: true}, "steps.json": {JSON: true}, "trace.json": {JSON: true, Trace: true},
	} {
		o.Out = dir
		var out strings.Builder
		holds, err := Run(&out, []string{"SL-1", "line"}, o)
		if err != nil || !holds {
			t.Fatalf("%s: %v, %v", name, holds, err)
		}
		golden.Check(t, "testdata/"+name, strings.ReplaceAll(out.String(), dir, "out"))
	}
}

// TestClaimThatDoesNotHold: a replay judges the claim by what happens.
func TestClaimThatDoesNotHold(t *testing.T) {
	for name, change := range map[string]func(finding, line *Reproducer){
		"another oracle":      func(f, _ *Reproducer) { f.Claim.Oracle = "reentrancy" },
		"another place":       func(f, _ *Reproducer) { f.Claim.Entries[0].PC = 0 },
		"other calls":         func(f, _ *Reproducer) { f.Sequence = f.Sequence[:2] },
		"a call that is kept": func(_, l *Reproducer) { l.Claim.Kept = true },
	} {
		e, dir := newExample(t), t.TempDir()
		change(e.files.Reproducers["reproducers/SL-1.json"], e.files.Reproducers["reproducers/line.json"])
		if err := e.pack(t).WriteFolder(dir); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		holds, err := Run(&out, []string{"SL-1", "line"}, Options{Out: dir})
		if err != nil || holds || strings.Count(out.String(), "NOT confirmed") != 1 {
			t.Errorf("%s: %v, %v:\n%s", name, holds, err, out.String())
		}
	}
}

// TestVerify: a bundle is verified against what happens, not against itself.
func TestVerify(t *testing.T) {
	for name, c := range map[string]struct {
		change    func(*example)
		disagrees string
	}{
		"as it was":          {func(*example) {}, ""},
		"forged finding":     {func(e *example) { e.report.Findings[0].Oracle = "reentrancy" }, "SL-1 reentrancy does not happen"},
		"forged claim":       {func(e *example) { e.files.Reproducers["reproducers/SL-1.json"].Claim.Entries[0].PC = 0 }, "SL-1 assertion does not happen"},
		"forged target":      {func(e *example) { e.report.Targets[0].Status = report.Reached }, "src/Bank.sol:1 of Journal is not reached"},
		"without reproducer": {func(e *example) { delete(e.files.Reproducers, "reproducers/SL-1.json") }, "SL-1 assertion does not happen"},
		"forged verdict":     {func(e *example) { e.report.Verdict = report.Pass }, "the verdict is pass, but from what the report says it would be fail"},
	} {
		e := newExample(t)
		c.change(e)
		file := filepath.Join(t.TempDir(), "run.tar")
		if _, err := e.pack(t).WriteTar(file); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		holds, err := Run(&out, nil, Options{Bundle: file})
		if err != nil || holds != (c.disagrees == "") || !strings.Contains(out.String(), c.disagrees) {
			t.Errorf("%s: %v, %v; want %q:\n%s", name, holds, err, c.disagrees, out.String())
		}
		out.Reset()
		if holds, err := Run(&out, []string{"line"}, Options{Bundle: file, Trace: true}); err != nil || !holds || !strings.Contains(out.String(), "1*  contract Bank {") {
			t.Errorf("%s: the line: %v, %v:\n%s", name, holds, err, out.String())
		}
	}
}

// TestMessages: the calls that contracts make are listed in order, with who makes them.
func TestMessages(t *testing.T) {
	e := newExample(t)
	machine, err := gethvm.New(e.files.Snapshot.World, e.table, evm.LiftCodeSizeLimits)
	if err != nil {
		t.Fatal(err)
	}
	exec, err := machine.Run(e.space.Encode(e.seq, nil))
	if err != nil {
		t.Fatal(err)
	}
	steps := Steps(e.space, e.seq, exec)
	var got strings.Builder
	for _, s := range steps {
		got.WriteString(s.Sender + " " + s.Call + " " + s.Note + "\n")
	}
	for _, m := range Messages(e.space, e.seq, steps, exec) {
		got.WriteString(strings.Repeat("  ", m.Depth) + m.From + " → " + m.To + "." + m.Call + " " + m.Fails + "\n")
	}
	golden.Check(t, "testdata/messages.txt", got.String())
}

// TestBadArguments: arguments that cannot be replayed are refused with what to do.
func TestBadArguments(t *testing.T) {
	for says, c := range map[string]struct {
		args []string
		o    Options
	}{
		"replay needs a reproducer":                      {nil, Options{Out: "out"}},
		"prints a single reproducer":                     {[]string{"a", "b"}, Options{FoundryTest: true}},
		"without --trace and --json":                     {[]string{"a"}, Options{FoundryTest: true, JSON: true}},
		"reproducers/SL-1.json: no such file":            {[]string{"SL-1"}, Options{Out: "out"}},
		"bundle none.tar: no such file":                  {nil, Options{Bundle: "none.tar"}},
		"not a reproducer: invalid character 'p' lookin": {[]string{"testdata/bank.sol"}, Options{}},
	} {
		if holds, err := Run(&strings.Builder{}, c.args, c.o); err == nil || holds || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, %v; want an error that says %q", c.args, holds, err, says)
		}
	}
}
