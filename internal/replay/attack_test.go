package replay

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// reentered is a sequence in which the attacker's contract calls back, of testdata/reentered.sol.
const reentered = `sightline-sequence v1
user1 Bank.deposit() args () value 5000000000000000000
attackerContract Bank.deposit() args () value 1000000000000000000
attackerContract Bank.join() args () time +60 on "onJoined(address,uint256)" times 1 calls {Bank.withdraw(uint256) args (1)} returns (1) on payment after 1 returns (attackerContract, 5)
attackerContract Bank.withdraw(uint256) args (999999999999999999) on payment times 1 calls {Bank.withdraw(uint256) args (999999999999999999); Bank.join() args ()}
`

// newAttack is the run of testdata/reentered.sol, whose finding is SL-1.
func newAttack(t *testing.T) *example {
	t.Helper()
	source, err := os.ReadFile("testdata/reentered.sol")
	if err != nil {
		t.Fatal(err)
	}
	table := bytecode.NewTable(testsolc.Compile(t, string(source), testsolc.Settings{}))
	w, _, err := world.Make(context.Background(), table, world.Options{Targets: []string{"Bank"}})
	if err != nil {
		t.Fatal(err)
	}
	w = world.WithOutsider(w, table.Contracts())
	e := &example{table: table, report: &report.Report{
		Version: report.FormatVersion, Tool: report.Tool{Version: "1"}, FailOn: "high", Stats: report.Stats{Executions: 1},
	}}
	if e.space, err = input.NewSpace(w, input.SpaceOptions{}); err != nil {
		t.Fatal(err)
	}
	if e.seq, err = input.Parse(e.space, reentered); err != nil {
		t.Fatal(err)
	}
	exec, observed := e.replay(t, w)
	i := slices.IndexFunc(observed, func(o fuzzer.Observed) bool { return o.Oracle == "assertion" })
	if i < 0 {
		t.Fatalf("no assertion fails: %+v", observed)
	}
	finding, _ := EntryOf(table, observed[i].Location)
	e.files = &Files{
		Snapshot: &Snapshot{World: w, Contracts: table.Contracts(), Lines: func(bytecode.Location) (bytecode.Position, bool) { return bytecode.Position{}, false }},
		Reproducers: map[string]*Reproducer{"reproducers/SL-1.json": {Sequence: lines(e), Claim: Claim{
			Kind: FindingClaim, ID: "SL-1", File: "src/Bank.sol", Line: 9, Contract: "test.sol:Bank", Oracle: "assertion", Entries: []Entry{finding}, Message: observed[i].Message}}},
	}
	steps := Steps(e.space, e.seq, exec)
	e.report.Findings = []report.Finding{{ID: "SL-1", Oracle: "assertion", Severity: "high", Comparison: report.Introduced, Sequence: steps, Trace: Messages(e.space, e.seq, steps, exec),
		Location: report.Place{File: "src/Bank.sol", Line: 9, Contract: "test.sol:Bank"}, Reproducer: "reproducers/SL-1.json"}}
	report.Decide(e.report)
	return e
}

func (e *example) replay(t *testing.T, w *evm.World) (*evm.Execution, []fuzzer.Observed) {
	t.Helper()
	machine, err := gethvm.New(w, e.table)
	if err != nil {
		t.Fatal(err)
	}
	exec, observed, err := fuzzer.Replay(machine, &fuzzer.Config{Space: e.space, Oracles: oracle.All()}, e.seq)
	if err != nil {
		t.Fatal(err)
	}
	return exec, observed
}

// TestAttack shows a reproducer in which the attacker's contract calls back: it and its calls are there
// by name, what it is called as and what it answers, and nothing of its code.
func TestAttack(t *testing.T) {
	e, dir := newAttack(t), t.TempDir()
	if err := e.pack(t).WriteFolder(dir); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{"brief.txt": {}, "trace.txt": {Trace: true}, "trace.json": {JSON: true, Trace: true}} {
		o.Out = dir
		var out strings.Builder
		holds, err := Run(&out, []string{"SL-1"}, o)
		if err != nil || !holds {
			t.Fatalf("%s: %v, %v", name, holds, err)
		}
		golden.Check(t, "testdata/attack/"+name, strings.ReplaceAll(out.String(), dir, "out"))
	}
	comment, err := os.ReadFile(filepath.Join(dir, "comment.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, calls, _ := strings.Cut(string(comment), "```text\n")
	calls, _, _ = strings.Cut(calls, "</details>")
	golden.Check(t, "testdata/attack/calls.md", calls)
}

// TestAttackIsKept: a script is the same after a reproducer was written and read, and a bundle with it
// is verified.
func TestAttackIsKept(t *testing.T) {
	e := newAttack(t)
	data, err := e.files.Reproducers["reproducers/SL-1.json"].Marshal()
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadReproducer(data)
	if err != nil {
		t.Fatal(err)
	}
	seq, err := input.Parse(e.space, strings.Join(r.Sequence, "\n")+"\n")
	if err != nil || !seq.Equal(e.seq) {
		t.Errorf("%v: the sequence is\n%s", err, cmp.Diff(lines(e), r.Sequence))
	}
	file := filepath.Join(t.TempDir(), "run.tar")
	if _, err := e.pack(t).WriteTar(file); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if holds, err := Run(&out, nil, Options{Bundle: file}); err != nil || !holds {
		t.Errorf("%v, %v:\n%s", holds, err, out.String())
	}
}

// TestAttackIsStale: a reproducer does not fit a World without the attacker's contract, and says so.
func TestAttackIsStale(t *testing.T) {
	e, dir := newAttack(t), t.TempDir()
	w := *e.files.Snapshot.World
	w.Senders = slices.DeleteFunc(slices.Clone(w.Senders), func(s evm.Sender) bool { return s.IsContract() })
	e.files.Snapshot.World = &w
	if err := e.pack(t).WriteFolder(dir); err != nil {
		t.Fatal(err)
	}
	_, err := Run(&strings.Builder{}, []string{"SL-1"}, Options{Out: dir})
	var stale *input.StaleError
	if !errors.As(err, &stale) || !strings.Contains(err.Error(), "the world has no sender attackerContract") {
		t.Errorf("%v, want that the contract is missing", err)
	}
}

// lines are the sequence's, as a reproducer has them.
func lines(e *example) []string {
	return strings.Split(strings.TrimSuffix(input.Format(e.space, e.seq), "\n"), "\n")
}
