package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/report"
)

// mapper runs "sightline map" on a project.
type mapper struct {
	run  *harness.Run
	tool *harness.Tool
	root string
	solc string
}

// mapping is what is read of its output.
type mapping struct {
	Lines []report.Line `json:"lines"`
}

// mapChange maps a change, which further arguments name, to the working tree.
func (m *mapper) mapChange(ctx context.Context, change ...string) (seconds float64, result *mapping, err error) {
	start := m.run.Now()
	args := append([]string{"map", "--json", "--root", m.root, "--solc", m.solc}, change...)
	text, _, err := m.tool.Output(ctx, []int{exit.Pass}, args...)
	seconds = m.run.Now().Sub(start).Seconds()
	if err != nil {
		return 0, nil, err
	}
	result = &mapping{}
	if err := json.Unmarshal(text, result); err != nil {
		return 0, nil, fmt.Errorf("the output of sightline map: %w", err)
	}
	return seconds, result, nil
}

// changedFile is what git says of a file: the lines that the head version has
// and the base version has not.
type changedFile struct {
	path  string
	added map[int]bool
}

var (
	newPath = regexp.MustCompile(`^\+\+\+ b/(.*)$`)
	hunk    = regexp.MustCompile(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@`)
)

// changedLines reads git's own diff, without Sightline's reader: the two must
// agree. The names of the corpora's files need no quoting, and without context
// only what is not a change could be mistaken for the lines looked at here.
// Arguments say what is compared, and how renames are looked for.
func changedLines(ctx context.Context, root string, args ...string) ([]changedFile, error) {
	args = slices.Concat([]string{"diff", "--no-ext-diff", "--no-color", "--unified=0"}, args, []string{"--", "*.sol"})
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git diff: %w", err)
	}
	var files []changedFile
	inHead := false // between "diff" and the first hunk: a line "+++ b/x" is not an added "++ b/x"
	for _, line := range bytes.Split(out, []byte("\n")) {
		switch {
		case bytes.HasPrefix(line, []byte("diff --git ")):
			inHead = true
		case inHead && newPath.Match(line):
			files = append(files, changedFile{string(newPath.FindSubmatch(line)[1]), map[int]bool{}})
		case hunk.Match(line):
			inHead = false
			m := hunk.FindSubmatch(line)
			from, _ := strconv.Atoi(string(m[1])) // digits only
			n := 1
			if len(m[2]) > 0 {
				n, _ = strconv.Atoi(string(m[2]))
			}
			for i := range n {
				files[len(files)-1].added[from+i] = true
			}
		}
	}
	return files, nil
}

// statusTarget is what map says of a line with bytecode, before any campaign.
const statusTarget = "target"

// known are the statuses that a line may have before a campaign.
var known = []string{statusTarget, string(diffmap.Undeployed), string(diffmap.Unmapped), string(diffmap.NoBytecode), string(diffmap.Unreachable)}

// counts sums up a mapping.
type counts struct {
	lines     int
	status    map[string]int
	deletions int // lines that stand for deleted ones
	indirect  int // lines of functions whose code changed elsewhere
}

func (c *counts) add(other counts) {
	c.lines += other.lines
	c.deletions += other.deletions
	c.indirect += other.indirect
	if c.status == nil {
		c.status = map[string]int{}
	}
	for status, n := range other.status {
		c.status[status] += n
	}
}

// check compares a mapping with the lines that changed: each must be there once,
// with one known status and, unless it has bytecode, a reason. Lines beyond them
// stand for deletions, or changed their meaning because a comment was opened
// above them; they are checked alike.
func check(files []changedFile, lines []report.Line) (counts, []string) {
	c := counts{status: map[string]int{}}
	var violations []string
	type place struct {
		file string
		line int
	}
	times := map[place]int{}
	for _, l := range lines {
		c.lines++
		c.status[l.Status]++
		switch l.Kind {
		case unified.DeletionAnchor.String():
			c.deletions++
		case unified.Indirect.String():
			c.indirect++
		}
		times[place{l.File, l.Line}]++
		if !slices.Contains(known, l.Status) {
			violations = append(violations, fmt.Sprintf("%s:%d has the status %q", l.File, l.Line, l.Status))
		}
		if l.Status != statusTarget && l.Reason == "" {
			violations = append(violations, fmt.Sprintf("%s:%d is %s without a reason", l.File, l.Line, l.Status))
		}
	}
	for at, n := range times { // sorted below
		if n > 1 {
			violations = append(violations, fmt.Sprintf("%s:%d is there %d times", at.file, at.line, n))
		}
	}
	for _, f := range files {
		for line := range f.added { // sorted below
			if times[place{f.path, line}] == 0 {
				violations = append(violations, fmt.Sprintf("%s:%d changed and has no status", f.path, line))
			}
		}
	}
	slices.SortFunc(violations, cmp.Compare[string])
	return c, violations
}
