package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/report"
)

// releases are consecutive ones of @openzeppelin/contracts, release candidates
// apart: fixes of a line, and two new minor versions with hundreds of files.
var releases = []string{"4.7.0", "4.7.1", "4.7.2", "4.7.3", "4.8.0", "4.8.1", "4.8.2", "4.8.3",
	"4.9.0", "4.9.1", "4.9.2", "4.9.3", "4.9.4", "4.9.5", "4.9.6"}

// historySolc compiles all of them.
const historySolc = "0.8.17"

// prescribed is how the diff of a pull request is made: nothing that a
// repository or a user configures changes its form.
var prescribed = []string{"-c", "core.quotePath=false", "diff", "--no-color", "--no-ext-diff", "--no-textconv",
	"--src-prefix=a/", "--dst-prefix=b/", "-M", "--submodule=short"}

func measureHistory(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	list := harness.Packages{}.Solc(historySolc)
	for _, v := range releases {
		list[alias(v)] = "npm:@openzeppelin/contracts@" + v
	}
	modules, err := run.Install(ctx, "pairs-history", list)
	if err != nil {
		return nil, err
	}
	tool, err := run.BuildTool(ctx)
	if err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp(run.Cache, "history-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	h := &historian{diff: filepath.Join(root, "step.diff"),
		mapper: mapper{run: run, tool: tool, root: filepath.Join(root, "repository"), solc: filepath.Join(modules, "solc-"+historySolc)}}
	if err := makeHistory(ctx, h.root, modules); err != nil {
		return nil, err
	}
	return h.steps(ctx)
}

// makeHistory makes a git repository with a tagged commit for each release, of
// all its sources.
func makeHistory(ctx context.Context, root, modules string) error {
	if err := git(ctx, root, "init", "--quiet"); err != nil {
		return err
	}
	for _, v := range releases {
		sources, err := readSources(filepath.Join(modules, alias(v)))
		if err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Join(root, sourceFolder)); err != nil {
			return err
		}
		if err := writeNeeded(root, sources, slices.Sorted(maps.Keys(sources))); err != nil {
			return err
		}
		if err := errors.Join(git(ctx, root, "add", "--all"), commit(ctx, root, v), git(ctx, root, "tag", v)); err != nil {
			return err
		}
	}
	return nil
}

// historian maps the steps of a history.
type historian struct {
	mapper
	diff string // file for the diff of a step
}

// step is what mapping one step gave.
type step struct {
	counts
	files      int // with changed lines
	renamed    int
	beyond     int // lines that git does not name: their meaning changed
	seconds    float64
	violations []string
}

func (h *historian) steps(ctx context.Context) (*harness.Result, error) {
	table := harness.Table{Title: "history", Columns: []string{"base → head", "files", "renamed", "lines", "target", "unmapped", "no-bytecode", "deletions", "indirect", "beyond", "violations", "s"},
		Notes: []string{"Files and lines: that git says were changed or added, and their statuses; renamed ones are among the files. Deletions, indirect: lines besides that stand for deleted ones, or for functions whose code changed elsewhere. Beyond: other lines."}}
	var total counts
	var times []float64
	var failed []error
	files := 0
	for i := 1; i < len(releases); i++ {
		name := releases[i-1] + " → " + releases[i]
		s, err := h.step(ctx, releases[i-1], releases[i])
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
			table.Add(name, "could not be mapped")
			continue
		}
		for _, v := range s.violations {
			failed = append(failed, fmt.Errorf("%s: %s", name, v))
		}
		total.add(s.counts)
		times = append(times, s.seconds)
		files += s.files
		table.Add(name, strconv.Itoa(s.files), strconv.Itoa(s.renamed), strconv.Itoa(s.lines-s.deletions-s.indirect-s.beyond), strconv.Itoa(s.status[statusTarget]),
			strconv.Itoa(s.status[string(diffmap.Unmapped)]), strconv.Itoa(s.status[string(diffmap.NoBytecode)]),
			strconv.Itoa(s.deletions), strconv.Itoa(s.indirect), strconv.Itoa(s.beyond), strconv.Itoa(len(s.violations)), harness.Number(s.seconds))
		h.run.Logf("%s: %d lines, %d violations", name, s.lines, len(s.violations))
	}
	result := &harness.Result{Tables: []harness.Table{table}, Summary: map[string]float64{
		"steps": float64(len(releases) - 1), "files": float64(files), "lines": float64(total.lines), "violations": float64(len(failed)),
	}}
	if len(times) > 0 {
		result.Summary["medianSeconds"] = harness.Median(times)
	}
	return result, errors.Join(failed...)
}

// step maps the change from one release to the next, as a pull request's diff and
// from the repository itself, and compares its lines with git's.
func (h *historian) step(ctx context.Context, base, head string) (*step, error) {
	if err := git(ctx, h.root, "checkout", "--quiet", head); err != nil {
		return nil, err
	}
	text, err := h.gitDiff(ctx, base, head)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(h.diff, text, 0o600); err != nil {
		return nil, err
	}
	changed, err := changedLines(ctx, h.root, "-M", base, head)
	if err != nil {
		return nil, err
	}
	_, mapped, err := h.mapChange(ctx, "--diff", h.diff)
	if err != nil {
		return nil, err
	}
	seconds, again, err := h.mapChange(ctx, "--base", base) // what was compiled is at hand
	if err != nil {
		return nil, err
	}
	s := &step{files: len(changed), seconds: seconds}
	s.counts, s.violations = check(changed, mapped.Lines)
	if !reflect.DeepEqual(mapped, again) {
		s.violations = append(s.violations, "the diff and the repository are mapped to different lines")
	}
	s.beyond = beyond(changed, mapped.Lines)
	parsed, err := unified.Parse(text, unified.Limits{})
	if err != nil {
		return nil, err
	}
	for i := range parsed.Files {
		if parsed.Files[i].Status == unified.Renamed {
			s.renamed++
		}
	}
	s.violations = append(s.violations, compareLines(changed, parsed)...)
	return s, nil
}

// gitDiff is the diff between two commits as GitHub's checkout has it.
func (h *historian) gitDiff(ctx context.Context, base, head string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", slices.Concat(prescribed, []string{base, head})...)
	cmd.Dir = h.root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git diff: %w", err)
	}
	return out, nil
}

// beyond counts lines that are changed ones although git does not name them.
func beyond(changed []changedFile, lines []report.Line) int {
	added := map[string]map[int]bool{}
	for _, f := range changed {
		added[f.path] = f.added
	}
	n := 0
	for _, l := range lines {
		if l.Kind != unified.DeletionAnchor.String() && l.Kind != unified.Indirect.String() && !added[l.File][l.Line] {
			n++
		}
	}
	return n
}

// compareLines says where the lines that our reader finds in a diff are not
// those that git names.
func compareLines(changed []changedFile, parsed *unified.Diff) []string {
	theirs := map[string]map[int]bool{}
	for _, f := range changed {
		if len(f.added) > 0 {
			theirs[f.path] = f.added
		}
	}
	ours := map[string]map[int]bool{}
	for i := range parsed.Files {
		f := &parsed.Files[i]
		lines := map[int]bool{}
		for _, e := range f.Edits {
			for k := range e.New {
				lines[e.NewStart+k] = true
			}
		}
		if len(lines) > 0 {
			ours[f.NewPath] = lines
		}
	}
	var violations []string
	for _, name := range slices.Sorted(maps.Keys(merged(ours, theirs))) {
		if !maps.Equal(ours[name], theirs[name]) {
			text, _ := json.Marshal([][]int{slices.Sorted(maps.Keys(ours[name])), slices.Sorted(maps.Keys(theirs[name]))})
			violations = append(violations, fmt.Sprintf("%s: lines of the reader, and git's: %s", name, text))
		}
	}
	return violations
}
