package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// place is a line of a source.
type place struct {
	file string
	line int
}

// coverage is which lines of the contracts under test forge's unit tests reach.
type coverage struct {
	hits  map[place]int // by line that forge counts
	tests string        // "296 passed, 0 failed"
}

// fuzzRuns are the runs of each test with arguments, where a project does not have its
// own number: forge's default of 256 takes four times as long for a few lines more.
const fuzzRuns = 64

// testCounts is how forge ends.
var testCounts = regexp.MustCompile(`: (\d+) tests passed, (\d+) failed`)

// coverage runs forge's tests. It is not an error if some fail: what they reached
// counts.
func (p *project) coverage(ctx context.Context, forge, folder string) (*coverage, error) {
	cmd := exec.CommandContext(ctx, forge, "coverage", "--report", "lcov", "--fuzz-runs", strconv.Itoa(cmp.Or(p.fuzzRuns, fuzzRuns)), "--fuzz-seed", "1")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "FOUNDRY_DISABLE_NIGHTLY_WARNING=1", "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) || ctx.Err() != nil { // 1: a test failed
		return nil, fmt.Errorf("forge coverage: %w: %s", err, out)
	}
	counts := testCounts.FindSubmatch(out)
	text, err := os.ReadFile(filepath.Join(folder, "lcov.info"))
	if err != nil || counts == nil {
		return nil, fmt.Errorf("forge coverage left no result: %s", out[max(0, len(out)-2000):])
	}
	c := &coverage{hits: map[place]int{}, tests: fmt.Sprintf("%s passed, %s failed", counts[1], counts[2])}
	if err := c.read(text, p.underTest); err != nil {
		return nil, err
	}
	if len(c.files()) == 0 {
		return nil, errNoTests
	}
	return c, nil
}

// read takes in an lcov tracefile: SF names a source, DA a line with its hits.
func (c *coverage) read(text []byte, wanted func(file string) bool) error {
	file := ""
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "SF:"); ok {
			file = filepath.ToSlash(name)
		}
		data, ok := strings.CutPrefix(lines.Text(), "DA:")
		if !ok || !wanted(file) {
			continue
		}
		number, hits, ok := strings.Cut(data, ",")
		line, err := strconv.Atoi(number)
		n, err2 := strconv.Atoi(hits)
		if err := errors.Join(err, err2); err != nil || !ok {
			return fmt.Errorf("lcov.info: %q is not a line number with its hits", lines.Text())
		}
		c.hits[place{file, line}] = n
	}
	return nil
}

// files are those with a line that the tests reach.
func (c *coverage) files() []string {
	files := map[string]bool{}
	for at, n := range c.hits {
		if n > 0 {
			files[at.file] = true
		}
	}
	return slices.Sorted(maps.Keys(files))
}
