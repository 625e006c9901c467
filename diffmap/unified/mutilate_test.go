package unified_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/testing/testdiff"
)

// realDiff is a diff of real sources, with the tree it leads to.
type realDiff struct {
	name string
	text []byte
	root string // of the head tree
}

// realDiffs are the examples' pull requests and one of OpenZeppelin Contracts,
// both ways.
func realDiffs(t *testing.T) []realDiff {
	t.Helper()
	var list []realDiff
	examples, err := filepath.Glob("../../examples/*/pr.diff")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range examples {
		folder := filepath.Dir(file)
		list = append(list, realDiff{filepath.Base(folder), readFile(t, file), filepath.Join(folder, "head")})
	}
	for _, versions := range [][2]string{{"oz-4.9.3", "oz-4.9.4"}, {"oz-4.9.4", "oz-4.9.3"}} {
		root := filepath.Join(nodeModules, versions[1])
		if _, err := os.Stat(root); err != nil {
			t.Fatalf("%v: run ./test once, it installs the npm packages the tests need", err)
		}
		// Paths below the packages, so that heads are found by them.
		cmd := exec.Command("git", "diff", "--no-index", "--no-color", versions[0], versions[1])
		cmd.Dir = nodeModules
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
			t.Fatalf("git diff: %v", err)
		}
		for _, version := range versions {
			for _, prefix := range []string{"a/", "b/"} {
				out = bytes.ReplaceAll(out, []byte(prefix+version+"/"), []byte(prefix))
			}
		}
		list = append(list, realDiff{versions[0] + " to " + versions[1], onlySolidity(out), root})
	}
	return list
}

// onlySolidity leaves out what a package has besides sources: damage is to hit
// what is compared.
func onlySolidity(diff []byte) []byte {
	var kept []byte
	for _, section := range bytes.SplitAfter(diff, []byte("\ndiff --git ")) {
		name, _, _ := bytes.Cut(section, []byte("\n"))
		if bytes.HasSuffix(name, []byte(".sol")) {
			kept = append(append(kept, "diff --git "...), bytes.TrimPrefix(bytes.TrimSuffix(section, []byte("diff --git ")), []byte("diff --git "))...)
		}
	}
	return kept
}

// mutilations are the ways to damage a diff. Each returns a new slice.
var mutilations = []struct {
	name   string
	damage func(random *rand.Rand, text, other []byte) []byte
}{
	{"bits flipped", func(random *rand.Rand, text, _ []byte) []byte {
		text = slices.Clone(text)
		for range 1 + random.IntN(8) {
			text[random.IntN(len(text))] ^= 1 << random.IntN(8)
		}
		return text
	}},
	{"cut off", func(random *rand.Rand, text, _ []byte) []byte { return slices.Clone(text[:random.IntN(len(text))]) }},
	{"beginning cut off", func(random *rand.Rand, text, _ []byte) []byte { return slices.Clone(text[random.IntN(len(text)):]) }},
	{"piece cut out", func(random *rand.Rand, text, _ []byte) []byte {
		from, to := piece(random, text)
		return slices.Concat(text[:from], text[to:])
	}},
	{"piece repeated", func(random *rand.Rand, text, _ []byte) []byte {
		from, to := piece(random, text)
		return slices.Concat(text[:to], text[from:])
	}},
	{"spliced", func(random *rand.Rand, text, other []byte) []byte {
		from, to := piece(random, other)
		at := random.IntN(len(text))
		return slices.Concat(text[:at], other[from:to], text[at:])
	}},
	{"lines spliced", func(random *rand.Rand, text, other []byte) []byte {
		lines, others := bytes.SplitAfter(text, []byte("\n")), bytes.SplitAfter(other, []byte("\n"))
		from := random.IntN(len(others))
		to := min(len(others), from+1+random.IntN(40))
		at := random.IntN(len(lines))
		return bytes.Join(slices.Concat(lines[:at], others[from:to], lines[at:]), nil)
	}},
	{"line lost", func(random *rand.Rand, text, _ []byte) []byte {
		lines := bytes.SplitAfter(text, []byte("\n"))
		at := random.IntN(len(lines))
		return bytes.Join(slices.Concat(lines[:at], lines[at+1:]), nil)
	}},
	{"digit changed", func(random *rand.Rand, text, _ []byte) []byte {
		text = slices.Clone(text)
		at := random.IntN(len(text))
		if i := bytes.Index(text[at:], []byte("@@ -")); i >= 0 { // the numbers are what everything hangs on
			at += i + len("@@ -")
		}
		for ; at < len(text); at++ {
			if text[at] >= '0' && text[at] <= '9' {
				text[at] = '0' + byte(random.IntN(10))
				break
			}
		}
		return text
	}},
}

// piece is a part of a text, up to 4 KiB of it.
func piece(random *rand.Rand, text []byte) (from, to int) {
	from = random.IntN(len(text))
	return from, from + 1 + random.IntN(min(len(text)-from, 4<<10))
}

// TestMutilatedDiffs: damaged copies of real diffs end in an error that says
// what is wrong, or in a result that holds; none in a panic, none takes long.
func TestMutilatedDiffs(t *testing.T) {
	const copies = 1000
	const slowest = 5 * time.Second // a whole diff takes milliseconds; a loaded machine may stall
	diffs := realDiffs(t)
	heads := map[string][]byte{}
	outcomes := map[string]int{}
	for n := range copies {
		random := rand.New(rand.NewPCG(uint64(n), 0))
		d := diffs[random.IntN(len(diffs))]
		other := diffs[random.IntN(len(diffs))]
		m := mutilations[n%len(mutilations)]
		text := m.damage(random, d.text, other.text)
		done := make(chan string, 1)
		go func() {
			defer func() {
				if r := recover(); r != nil {
					done <- fmt.Sprintf("panic: %v", r)
				}
			}()
			done <- readMutilated(text, func(path string) []byte { return headOf(d.root, path, heads) }, outcomes)
		}()
		select {
		case problem := <-done:
			if problem != "" {
				t.Errorf("copy %d, %s with %s: %s", n, d.name, m.name, problem)
			}
		case <-time.After(slowest):
			t.Fatalf("copy %d, %s with %s: no end after %v", n, d.name, m.name, slowest)
		}
	}
	t.Logf("%d copies: %v", copies, outcomes)
	// Neither way would tell much if it were hardly taken.
	if outcomes["refused"] < copies/10 || outcomes["files read"] < copies/10 {
		t.Errorf("the damage is too large or too small: %v", outcomes)
	}
}

// headOf reads a file of the head tree; nil when there is none.
func headOf(root, path string, cache map[string][]byte) []byte {
	if !filepath.IsLocal(path) || strings.ContainsRune(path, 0) {
		return nil
	}
	file := filepath.Join(root, path)
	if _, known := cache[file]; !known {
		cache[file], _ = os.ReadFile(file) // missing: nil
	}
	return cache[file]
}

// readMutilated reads a diff and its changes and returns what is wrong with the
// outcome, or "".
func readMutilated(text []byte, head func(path string) []byte, outcomes map[string]int) string {
	d, err := unified.Parse(text, unified.Limits{})
	if err != nil {
		outcomes["refused"]++
		var diffError *unified.Error
		if !errors.As(err, &diffError) || diffError.Msg == "" {
			return fmt.Sprintf("the error is none of a diff: %v", err)
		}
		return checkMessage(err)
	}
	outcomes["read"]++
	for i := range d.Files {
		f := &d.Files[i]
		if msg := unified.CheckFile(f); msg != "" {
			return fmt.Sprintf("%s: %s", f.Path(), msg)
		}
		source := head(f.NewPath)
		if source == nil {
			outcomes["files without a source"]++
			continue
		}
		changes, err := f.Changes(source)
		if err != nil {
			outcomes["files refused"]++
			var mismatch *unified.MismatchError
			if !errors.As(err, &mismatch) {
				return fmt.Sprintf("the error is no mismatch: %v", err)
			}
			if msg := checkMessage(err); msg != "" {
				return msg
			}
			continue
		}
		outcomes["files read"]++
		if msg := testdiff.CheckChanges(f, source, changes); msg != "" {
			return fmt.Sprintf("%s: %s", f.Path(), msg)
		}
	}
	return ""
}

// checkMessage: an error is a line or a few for people, whatever the diff holds.
func checkMessage(err error) string {
	text := err.Error()
	if len(text) > 4<<10 {
		return fmt.Sprintf("the message has %d bytes", len(text))
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
		return fmt.Sprintf("the message has a control character: %q", text)
	}
	return ""
}
