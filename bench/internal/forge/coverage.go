package forge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/sightline-evm/sightline/report/lcov"
)

// Place is a line of a source.
type Place struct {
	File string // from the project's folder, with slashes
	Line int    // from 1
}

// Compare orders places by file and line.
func (p Place) Compare(other Place) int {
	return cmp.Or(strings.Compare(p.File, other.File), cmp.Compare(p.Line, other.Line))
}

// Coverage is which lines a project's tests reach.
type Coverage struct {
	Hits      map[Place]int  // by line that forge counts
	Functions map[Place]bool // of these, where a function is declared
	Tests     string         // "296 passed, 0 failed"
}

// testCounts is how forge ends.
var testCounts = regexp.MustCompile(`: (\d+) tests passed, (\d+) failed`)

// Cover runs forge's coverage in a project's folder with more arguments, and more in the
// environment. It is not an error if some tests fail: what they reached counts.
func Cover(ctx context.Context, forge, folder string, environment []string, arguments ...string) (*Coverage, error) {
	out, err := Output(ctx, forge, folder, environment, append([]string{"coverage", "--report", "lcov"}, arguments...)...)
	if err != nil {
		return nil, err
	}
	counts := testCounts.FindSubmatch(out)
	text, err := os.ReadFile(filepath.Join(folder, "lcov.info"))
	if err != nil || counts == nil {
		return nil, fmt.Errorf("forge coverage left no result: %s", tail(out))
	}
	c, err := ReadCoverage(text)
	if err != nil {
		return nil, err
	}
	c.Tests = fmt.Sprintf("%s passed, %s failed", counts[1], counts[2])
	return c, nil
}

// Output runs forge in a folder, and returns what it writes. A test that fails is not an error.
func Output(ctx context.Context, forge, folder string, environment []string, arguments ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, forge, arguments...)
	cmd.Dir = folder
	cmd.Env = append(append(os.Environ(), "FOUNDRY_DISABLE_NIGHTLY_WARNING=1", "NO_COLOR=1"), environment...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if ctx.Err() != nil {
		return nil, fmt.Errorf("forge %s: %w", arguments[0], ctx.Err())
	}
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: a test failed, or the build
		return nil, fmt.Errorf("forge %s: %w: %s", arguments[0], err, tail(stderr.Bytes()))
	}
	if err != nil && stdout.Len() == 0 || bytes.Contains(stderr.Bytes(), []byte("Compiler run failed")) {
		return nil, fmt.Errorf("forge %s: %w: %s", arguments[0], err, tail(stderr.Bytes()))
	}
	return stdout.Bytes(), nil
}

// tail is the end of what a program wrote, for a message.
func tail(out []byte) []byte { return out[max(0, len(out)-2000):] } // a screen of lines

// ReadCoverage reads the tracefile that forge wrote.
func ReadCoverage(text []byte) (*Coverage, error) {
	sources, err := lcov.Read(text)
	if err != nil {
		return nil, fmt.Errorf("lcov.info: %w", err)
	}
	c := &Coverage{Hits: map[Place]int{}, Functions: map[Place]bool{}}
	for i := range sources {
		file := filepath.ToSlash(sources[i].Path)
		for line, hits := range sources[i].Hits {
			c.Hits[Place{file, line}] = int(min(hits, math.MaxInt))
		}
		for line := range sources[i].Functions {
			c.Functions[Place{file, line}] = true
		}
	}
	return c, nil
}

// Renamed is a source whose functions called testFail… have another name: they were
// tests once, and forge 1.7 fails all tests of a contract that has one.
func Renamed(source []byte) []byte {
	return bytes.ReplaceAll(source, []byte("function testFail"), []byte("function failsTest"))
}

// RenameBelow makes all sources of a folder [Renamed].
func RenameBelow(folder string) error {
	return filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || filepath.Ext(file) != ".sol" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if renamed := Renamed(text); !bytes.Equal(renamed, text) {
			return os.WriteFile(file, renamed, 0o600)
		}
		return nil
	})
}
