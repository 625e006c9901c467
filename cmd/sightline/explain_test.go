package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testcache"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
	"github.com/sightline-evm/sightline/report"
)

// marked is a line of a fixture with what was expected of it before the program was run:
//
//	fee = newFee; // explain sender reaches
//
// A line of a package, or of an example's head whose contracts "example: NAME" copies, is named
// before the files: "target: FILE:LINE KIND".
// "sender" is the kind that explain is to name, "proved" a line that the analysis proves
// unreachable. With "reaches", one of the lines that explain has for sightline.yml has to reach it.
// What is known not to come out as expected is "missed": the expectation stays as it was written.
var marked = regexp.MustCompile(`^\s*(.*?) // explain (\S+)( reaches)?( missed)?$`)

// targeted is what is before the files of an archive whose line is in none of them.
var targeted = regexp.MustCompile(`^(.*)\n(?:example: (\S+)\n)?target: (\S+) (\S+)( reaches)?( missed)?\n$`)

// explainRow is a row of the table in docs/explain.md.
type explainRow struct{ fixture, what, code, expected, said, try, result string }

// TestExplain explains the lines of testdata/explain, archives with sources, and applies what is
// printed. The table in docs/explain.md follows.
func TestExplain(t *testing.T) {
	files, err := filepath.Glob("testdata/explain/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	modules := nodeModules(t)
	t.Setenv("SIGHTLINE_NODE_MODULES", modules)
	t.Setenv("XDG_CACHE_HOME", testcache.Folder("product"))
	testsolc.UseStandIn(t)
	var mutex sync.Mutex
	var rows []explainRow
	t.Run("fixtures", func(t *testing.T) {
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				t.Parallel()
				archive, err := txtar.ParseFile(file)
				if err != nil {
					t.Fatal(err)
				}
				row := explainFixture(t, archive, modules)
				mutex.Lock()
				defer mutex.Unlock()
				rows = append(rows, row)
			})
		}
	})
	if len(rows) < len(files) || t.Failed() && !*golden.Update {
		return // some only, or not as the table says
	}
	slices.SortFunc(rows, func(a, b explainRow) int { return strings.Compare(a.fixture, b.fixture) })
	var table strings.Builder
	table.WriteString("| line | of | expected | explain says it needs | and to try | that reaches it |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s | %s | %s |\n", r.code, strings.TrimSuffix(r.what, "."), r.expected, r.said, r.try, r.result)
	}
	golden.Section(t, "../../docs/explain.md", "lines", strings.ReplaceAll(table.String(), "||", `\|\|`))
}

// explainFixture runs a campaign toward the marked line of an archive, and explains it.
func explainFixture(t *testing.T, archive *txtar.Archive, modules string) explainRow {
	t.Helper()
	root := t.TempDir()
	row := explainRow{fixture: filepath.Base(t.Name()), what: strings.TrimSpace(string(archive.Comment))}
	place := ""
	var reaches, missed bool
	if m := targeted.FindStringSubmatch(string(archive.Comment)); m != nil {
		row.what, place, row.expected, reaches, missed = m[1], m[3], m[4], m[5] != "", m[6] != ""
		if m[2] != "" {
			copyExample(t, m[2], root)
		}
	}
	for _, f := range archive.Files {
		testfiles.Write(t, filepath.Join(root, f.Name), string(f.Data))
		for i, line := range strings.Split(string(f.Data), "\n") {
			if m := marked.FindStringSubmatch(line); m != nil {
				place, row.code, row.expected, reaches, missed = fmt.Sprintf("%s:%d", f.Name, i+1), m[1], m[2], m[3] != "", m[4] != ""
			}
		}
	}
	if place == "" {
		t.Fatal("no line is marked")
	}
	for name, folder := range map[string]string{"@openzeppelin/contracts": "oz-4.9.3", "@gnosis.pm/safe-contracts": "@gnosis.pm/safe-contracts"} {
		if slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return bytes.Contains(f.Data, []byte(name)) }) {
			copySources(t, filepath.Join(modules, filepath.FromSlash(folder)), filepath.Join(root, "node_modules", filepath.FromSlash(name)))
		}
	}
	out := filepath.Join(root, "out")
	fuzzTarget(t, root, place, out, "")
	var e report.Explained
	if err := json.Unmarshal([]byte(runMain(t, "explain", "--json", "--out", out, place)), &e); err != nil {
		t.Fatal(err)
	}
	text := runMain(t, "explain", "--out", out, place)
	t.Logf("\n%s", text)
	if row.code == "" && e.Line != nil {
		row.code = e.Line.Text
	}
	target := ownTarget(t, e.Targets)
	if row.expected == "proved" {
		row.said, row.try, row.result = target.Reason, "–", "–"
		if target.Status != report.Unreachable {
			t.Errorf("%s is %s, want a proof", place, target.Status)
		}
		return row
	}
	if target.Barrier == nil {
		t.Fatalf("%s is %s: %s", place, target.Status, target.Reason)
	}
	var kinds, details []string
	for _, w := range target.Barrier.Wants {
		kinds, details = append(kinds, w.Kind), append(details, w.Detail)
	}
	row.said, row.try, row.result = strings.Join(details, "; "), "–", "–"
	right := slices.Contains(kinds, row.expected)
	if !right && !missed {
		t.Errorf("%s wants %q, expected %q", place, kinds, row.expected)
	}
	for i, r := range target.Barrier.Try {
		said := r.Text
		if r.YAML != "" {
			said = "`" + r.YAML + "`"
		}
		if i == 0 {
			row.try = said
		}
		if r.YAML == "" || !reaches {
			continue
		}
		// A base contract that is deployed as well may reach the line, and end the campaign early.
		own := place
		if target.PC != 0 {
			own = fmt.Sprintf("%s:0x%x", target.Contract, target.PC)
		}
		if again := fuzzTarget(t, root, own, filepath.Join(root, fmt.Sprintf("again%d", i)), r.YAML); again == report.Reached {
			row.try, row.result = said, "yes"
			break
		}
	}
	switch helps := !reaches || row.result == "yes"; {
	case missed && right && helps:
		t.Errorf("%s is right now, and is listed as a miss", place)
	case missed && !right:
		row.expected += ", a miss"
	case !helps && missed:
		row.result = "no, a miss"
	case !helps:
		t.Errorf("%s: nothing of %+v reaches it", place, target.Barrier.Try)
	}
	return row
}

// copyExample copies the contracts of an example as they are after its pull request, without
// settings and tests: a plain project is compiled fastest.
func copyExample(t *testing.T, name, root string) {
	t.Helper()
	from := filepath.Join("..", "..", "examples", name)
	if _, err := os.Stat(filepath.Join(from, "head")); err == nil {
		copySources(t, filepath.Join(from, "head"), root)
		return
	}
	diff, err := filepath.Abs(filepath.Join(from, "pr.diff"))
	if err != nil {
		t.Fatal(err)
	}
	copySources(t, filepath.Join(from, "base"), root)
	if err := os.RemoveAll(filepath.Join(root, "test")); err != nil {
		t.Fatal(err)
	}
	apply := exec.Command("git", "apply", "--exclude=test/*", diff)
	apply.Dir = root
	if said, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, said)
	}
}

// copySources copies a package's sources.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(from), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".sol" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(name)))
		testfiles.Write(t, filepath.Join(to, filepath.FromSlash(name)), string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fuzzTarget runs a campaign toward a line, and returns the line's status.
func fuzzTarget(t *testing.T, root, place, out, config string) string {
	t.Helper()
	calls := "8000"
	if config != "" {
		calls = "32000" // what is advised has to help, and a run ends when it does
	}
	args := []string{"run", "--root", root, "--target", place, "--test-limit", calls, "--workers", "1", "--fail-on", "none", "--allow-starved", "--omit-times", "--out", out}
	if config != "" {
		file := filepath.Join(root, "sightline.yml")
		testfiles.Write(t, file, config+"\n")
		args = append(args, "--config", file)
	}
	runMain(t, args...)
	data, err := os.ReadFile(filepath.Join(out, report.JSONFile))
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return ownTarget(t, r.Targets).Status
}

// ownTarget is the target in the fixture's own contract: a package's may be deployed as well.
// An example may have no contract of the fixture's, and then has one target.
func ownTarget(t *testing.T, targets []report.Target) *report.Target {
	t.Helper()
	for i := range targets {
		if strings.HasPrefix(targets[i].Contract, "src/Head.sol:") {
			return &targets[i]
		}
	}
	if len(targets) == 1 {
		return &targets[0]
	}
	t.Fatalf("no target of %d is in the fixture's contract", len(targets))
	return nil
}

// runMain runs the program, which has to succeed, and returns what it prints.
func runMain(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	p := newProgram(strings.NewReader(""), &out, &errs)
	p.now = time.Now
	if code := p.main(args); code != 0 {
		t.Fatalf("exit code %d of %q\n%s%s", code, args, out.String(), errs.String())
	}
	return out.String()
}
