package replay

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
	"github.com/sightline-evm/sightline/report"
)

// TestTests: files are written below the folder alone, whatever a report says, and not where something of
// others is. What forge makes of them is in cmd/sightline's script tests.
func TestTests(t *testing.T) {
	table := bytecode.NewTable(testsolc.Compile(t, parts, testsolc.Settings{}))
	w, made, err := world.Make(context.Background(), table, world.Options{Targets: []string{"Vault"}})
	if err != nil {
		t.Fatal(err)
	}
	out, root := t.TempDir(), t.TempDir()
	reproducer := func(id string) *Reproducer {
		return &Reproducer{Sequence: []string{"sightline-sequence v1", "user1 Vault.set(uint256) args (5)"},
			Claim: Claim{Kind: FindingClaim, ID: id, Oracle: "assertion", Contract: "test.sol:Vault", Message: "it reverts"}}
	}
	const name = "reproducers/SL-1.json"
	f := &Files{Snapshot: snapshotOf(w, made, table), Reproducers: map[string]*Reproducer{name: reproducer("SL-1")}}
	findings := []report.Finding{{ID: "SL-1", Reproducer: name}, {ID: "../../SL-2", Reproducer: name}, {ID: strings.Repeat("x", 300), Reproducer: name},
		{ID: "SL-3", Reproducer: "reproducers/../../secret.json"}, {ID: "SL-4", Reproducer: "reproducers/none.json"}, {ID: "SL-5", Reproducer: name, Test: &report.FoundryTest{Reason: "a live chain"}}}
	for i := range findings {
		findings[i].Severity, findings[i].Comparison = "high", report.Introduced
	}
	r := &report.Report{Version: report.FormatVersion, FailOn: "high", Verdict: report.Fail, Findings: findings}
	rendered, err := report.Render(r, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Pack(&report.Report{Findings: findings[:1]}, map[string][]byte{report.JSONFile: rendered[report.JSONFile]}, f)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.WriteFolder(out); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root, "test", "kept")
	run := func(o TestsOptions) (string, bool, error) {
		var said strings.Builder
		changed, err := Tests(&said, o)
		return said.String(), changed, err
	}
	o := TestsOptions{Out: out, Root: root, Folder: folder}
	said, changed, err := run(o)
	if err != nil || !changed {
		t.Fatal(said, changed, err)
	}
	for _, want := range []string{"SL_1.t.sol  fails until SL-1 is mended", "SL-3: report.json names", "SL-4: reproducer ", "SL-5: a live chain", ": its id is none of Sightline's", ": 2 new"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	var all []string
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if !d.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if want := []string{filepath.Join(folder, "SL_1.t.sol"), filepath.Join(folder, "______SL_2.t.sol")}; err != nil || strings.Join(all, " ") != strings.Join(want, " ") {
		t.Errorf("%v, want %v", all, want)
	}
	if said, changed, err := run(o); err != nil || changed || !strings.Contains(said, ": 2 same\n") {
		t.Error(said, changed, err)
	}
	if err := os.Remove(all[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/null", all[0]); err != nil {
		t.Fatal(err)
	}
	if said, changed, err := run(o); err != nil || changed || !strings.Contains(said, "not ours") {
		t.Error(said, changed, err)
	}
	for _, wrong := range []TestsOptions{{Out: root, Root: root, Folder: folder}, {Out: out, Root: root, Folder: out}, {Out: out, Root: root, Folder: root}, {Out: out, Root: root, Folder: filepath.Join(root, `a"b`)}} {
		if said, _, err := run(wrong); err == nil {
			t.Errorf("%+v: %s", wrong, said)
		}
	}
}
