// Command mutate plants small mistakes in Go files, one at a time, and runs the tests against each: a mistake that no test
// notices shows what the tests do not hold.
//
//	main.go      the command line, and the tests of one mistake
//	mutators.go  the mistakes
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
out), and runs the tests of -tests against each. The files themselves stay as they are: the go command reads the mistake
from an overlay. Printed are the mistakes that no test notices, and the score: the share of those that some test does,
by failing or by taking longer than three times what it took before and half a minute. What does not compile does not count.

  go run -C tools ./mutate -tests ./report report/verdict.go
  go run -C tools ./mutate -sample 100 -seed 2 -tests ./fuzzer/lookahead 'fuzzer/lookahead/*.go'
  go run -C tools ./mutate -list report/verdict.go

The exit code is 1 if the score is below -least.

`

var options struct {
	tests, run      string
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
		r := rand.New(rand.NewPCG(options.seed, 0))
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:options.sample]
		slices.SortFunc(all, func(a, b mutant) int {
			if c := strings.Compare(a.file, b.file); c != 0 {
				return c
			}
			return a.offset - b.offset
		})
	}
	if options.list {
		for _, m := range all {
			fmt.Fprintln(stdout, m)
		}
		return 100, nil
	}
	t := tester{root: root, run: options.run, limit: time.Hour}
	if options.tests != "" {
		t.packages = strings.Split(options.tests, ",")
	} else {
		for folder := range folders {
			t.packages = append(t.packages, folder)
		}
		slices.Sort(t.packages)
	}
	start := time.Now()
	switch outcome, out, err := t.try(ctx, nil); {
	case err != nil:
		return 0, err
	case outcome != survived:
		return 0, fmt.Errorf("the tests fail without a mistake:\n%s", out)
	}
	t.limit = 3*time.Since(start) + 30*time.Second
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
	run      string
	limit    time.Duration
}

type outcome int

const (
	survived outcome = iota
	killed
	uncompiled
)

// all tries the mistakes, several at a time.
func (t *tester) all(ctx context.Context, mutants []mutant, stdout, stderr io.Writer) (float64, error) {
	var (
		mu      sync.Mutex
		counts  [3]int
		failure error
		wait    sync.WaitGroup
	)
	work := make(chan mutant)
	for range max(options.workers, 1) {
		wait.Go(func() {
			for m := range work {
				outcome, _, err := t.try(ctx, &m)
				mu.Lock()
				switch {
				case err != nil:
					failure = err
				default:
					counts[outcome]++
					if outcome == survived {
						fmt.Fprintf(stdout, "survives: %s\n", m)
					}
				}
				fmt.Fprintf(stderr, "\r%d of %d", counts[0]+counts[1]+counts[2], len(mutants))
				mu.Unlock()
			}
		})
	}
	for _, m := range mutants {
		if ctx.Err() != nil {
			break
		}
		work <- m
	}
	close(work)
	wait.Wait()
	fmt.Fprintln(stderr)
	if err := errors.Join(failure, ctx.Err()); err != nil {
		return 0, err
	}
	tried := counts[survived] + counts[killed]
	if tried == 0 {
		return 0, errors.New("no mistake compiles")
	}
	score := 100 * float64(counts[killed]) / float64(tried)
	fmt.Fprintf(stdout, "%d of %d mistakes noticed, %.1f %%; %d do not compile\n", counts[killed], tried, score, counts[uncompiled])
	return score, nil
}

// try runs the tests against one mistake, or none.
func (t *tester) try(ctx context.Context, m *mutant) (outcome, string, error) {
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return 0, "", err
	}
	defer os.RemoveAll(dir)
	limited, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	args := []string{"test", "-failfast", "-vet=off", "-count=1", "-timeout", t.limit.String()}
	if t.run != "" {
		args = append(args, "-run", t.run)
	}
	if m != nil {
		file, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
		text, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(t.root, m.file): file}})
		if err != nil {
			return 0, "", err
		}
		if err := errors.Join(os.WriteFile(file, m.text(), 0o600), os.WriteFile(overlay, text, 0o600)); err != nil {
			return 0, "", err
		}
		args = append(args, "-overlay", overlay)
	}
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
		return 0, "", ctx.Err()
	case err == nil:
		return survived, out.String(), nil
	case limited.Err() != nil:
		return killed, out.String(), nil
	case !errors.As(err, &exit):
		return 0, "", err
	case strings.Contains(out.String(), "[build failed]") || strings.Contains(out.String(), "[setup failed]"):
		return uncompiled, out.String(), nil
	}
	return killed, out.String(), nil
}
