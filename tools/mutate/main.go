// Command mutate plants small mistakes in Go files, one at a time, and runs the tests against each: a mistake that no test
// notices shows what the tests do not hold.
//
//	main.go      the command line, and what is said of the mistakes
//	program.go   the tests as one program with all mistakes in it
//	switch.go    a mistake as a switch in a program
//	mutators.go  the mistakes
//	limit_*.go   how much memory they may take
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const doc = `go run -C tools ./mutate [flags] FILE.go…

Plants mistakes in the files (names from the repository's root, patterns such as fuzzer/oracle/*.go; test files are left
out), and runs the tests of -tests against each. The files themselves stay as they are: the go command reads the mistakes
from an overlay. All that can be are compiled together, each behind a switch, and against each run those tests alone that
come past it. Printed are the mistakes that no test notices, and the score: the share of those that some test does, by
failing or by taking longer than three times what it took before and ten seconds. What does not compile does not count.

  go run -C tools ./mutate -tests ./report report/verdict.go
  go run -C tools ./mutate -sample 100 -seed 2 -tests ./fuzzer/lookahead 'fuzzer/lookahead/*.go'
  go run -C tools ./mutate -list report/verdict.go

The exit code is 1 if the score is below -least.

`

var options struct {
	tests, run      string
	skip            string
	sample, workers int
	seed            uint64
	least           float64
	list            bool
}

func main() {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), doc)
		flags.PrintDefaults()
	}
	flags.StringVar(&options.tests, "tests", "", "packages whose tests run, separated by commas; empty: those of the files")
	flags.StringVar(&options.run, "run", "", "only the tests that match this, as go test -run has it")
	flags.StringVar(&options.skip, "skip", "", "not the tests that match this, slow ones for instance")
	flags.IntVar(&options.sample, "sample", 0, "so many mistakes, drawn at random; 0: all")
	flags.Uint64Var(&options.seed, "seed", 1, "of what is drawn")
	flags.IntVar(&options.workers, "workers", 2, "mistakes that are tried at a time")
	flags.Float64Var(&options.least, "least", 0, "the score, in percent, below which the exit code is 1")
	flags.BoolVar(&options.list, "list", false, "print the mistakes, and run nothing")
	if err := flags.Parse(os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := limitMemory(); err != nil {
		fmt.Fprintln(os.Stderr, "mutate: memory is not limited:", err)
	}
	score, err := run(ctx, flags.Args(), os.Stdout, os.Stderr)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutate:", err)
		stop()
		os.Exit(2) //nolint:gocritic // stopped above
	case score < options.least:
		stop()
		os.Exit(1)
	}
}

// run tries the mistakes, and returns the score in percent.
func run(ctx context.Context, patterns []string, stdout, stderr io.Writer) (float64, error) {
	root, err := filepath.Abs("..") // the command runs in tools
	if err != nil {
		return 0, err
	}
	files, err := expand(root, patterns)
	if err != nil {
		return 0, err
	}
	var all []mutant
	folders := map[string]bool{}
	for _, file := range files {
		mutants, err := read(root, file)
		if err != nil {
			return 0, err
		}
		all = append(all, mutants...)
		folders["./"+filepath.ToSlash(filepath.Dir(file))] = true
	}
	if options.sample > 0 && options.sample < len(all) {
		drawn := rand.New(rand.NewPCG(options.seed, 0)).Perm(len(all))[:options.sample]
		slices.Sort(drawn) // outer mistakes stay before inner ones, see apply
		sample := make([]mutant, 0, len(drawn))
		for _, i := range drawn {
			sample = append(sample, all[i])
		}
		all = sample
	}
	if options.list {
		for _, m := range all {
			fmt.Fprintln(stdout, m)
		}
		return 100, nil
	}
	t := tester{root: root, limit: time.Minute} // to compile and start them; arbitrary
	if options.tests != "" {
		t.packages = strings.Split(options.tests, ",")
	} else {
		t.packages = slices.Sorted(maps.Keys(folders))
	}
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if t.program, err = newProgram(ctx, root, dir, t.packages, all, options.run, options.skip); err != nil {
		return 0, err
	}
	for _, test := range t.program.tests {
		t.limit += 3 * test.took
	}
	return t.all(ctx, all, stdout, stderr)
}

// expand lists the Go files that the patterns name, without tests.
func expand(root string, patterns []string) ([]string, error) {
	var files []string
	for _, pattern := range patterns {
		matches, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		found := false
		for _, match := range matches {
			name, err := filepath.Rel(root, match)
			if err != nil {
				return nil, err
			}
			if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
				files, found = append(files, name), true
			}
		}
		if !found {
			return nil, fmt.Errorf("%s: no such Go files below %s", pattern, root)
		}
	}
	if len(files) == 0 {
		return nil, errors.New("name the files in which mistakes are planted")
	}
	return files, nil
}

// read makes the mistakes of one file.
func read(root, name string) ([]mutant, error) {
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		return nil, err
	}
	c := collector{set: set, file: name, text: text}
	for _, declaration := range file.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Body != nil {
			ast.Inspect(f.Body, c.visit)
		}
	}
	return c.mutants, nil
}

// tester runs tests against mistakes.
type tester struct {
	root     string
	packages []string
	program  *program
	limit    time.Duration // of the tests with a mistake that is compiled on its own
}

type outcome int

const (
	survived outcome = iota
	killed
	uncompiled
	unseen // survived, since no test comes past it
)

// all tries the mistakes, several at a time.
func (t *tester) all(ctx context.Context, mutants []mutant, stdout, stderr io.Writer) (float64, error) {
	var (
		mu      sync.Mutex
		counts  [unseen + 1]int
		failure error
		wait    sync.WaitGroup
	)
	work := make(chan int)
	for range max(options.workers, 1) {
		wait.Go(func() {
			for i := range work {
				outcome, err := t.try(ctx, &mutants[i], i+1)
				mu.Lock()
				if err != nil {
					failure = err
				} else {
					counts[outcome]++
				}
				switch outcome {
				case survived:
					fmt.Fprintf(stdout, "survives: %s\n", mutants[i])
				case unseen:
					fmt.Fprintf(stdout, "survives, no test runs it: %s\n", mutants[i])
				}
				fmt.Fprintf(stderr, "\r%d of %d", counts[survived]+counts[killed]+counts[uncompiled]+counts[unseen], len(mutants))
				mu.Unlock()
			}
		})
	}
	for i := range mutants {
		if ctx.Err() != nil {
			break
		}
		work <- i
	}
	close(work)
	wait.Wait()
	fmt.Fprintln(stderr)
	if err := errors.Join(failure, ctx.Err()); err != nil {
		return 0, err
	}
	tried := counts[survived] + counts[unseen] + counts[killed]
	if tried == 0 {
		return 0, errors.New("no mistake compiles")
	}
	score := 100 * float64(counts[killed]) / float64(tried)
	fmt.Fprintf(stdout, "%d of %d mistakes noticed, %.1f %%; %d do not compile\n", counts[killed], tried, score, counts[uncompiled])
	return score, nil
}

// try runs the tests against the mistake with the switch id.
func (t *tester) try(ctx context.Context, m *mutant, id int) (outcome, error) {
	if m.edits == nil {
		return t.alone(ctx, m)
	}
	noticed, seen, err := t.program.noticed(ctx, id)
	switch {
	case noticed:
		return killed, err
	case seen:
		return survived, err
	}
	return unseen, err
}

// alone runs the tests against a mistake that has no switch.
func (t *tester) alone(ctx context.Context, m *mutant) (outcome, error) {
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	limited, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	file, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(t.root, m.file): file}})
	if err != nil {
		return 0, err
	}
	if err := errors.Join(os.WriteFile(file, m.text(), 0o600), os.WriteFile(overlay, text, 0o600)); err != nil {
		return 0, err
	}
	args := []string{"test", "-failfast", "-vet=off", "-count=1", "-timeout", t.limit.String(), "-run", options.run, "-skip", options.skip, "-ldflags=-s -w", "-overlay", overlay}
	cmd := exec.CommandContext(limited, "go", append(args, t.packages...)...)
	cmd.Dir = t.root
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	cmd.WaitDelay = time.Minute // arbitrary: programs that tests have started hold the pipe
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err == nil:
		return survived, nil
	case limited.Err() != nil:
		return killed, nil
	case !errors.As(err, &exit):
		return 0, err
	case strings.Contains(out.String(), "[build failed]") || strings.Contains(out.String(), "[setup failed]"):
		return uncompiled, nil
	}
	return killed, nil
}
