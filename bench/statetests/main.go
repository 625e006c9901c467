// Command statetests runs Ethereum's own tests of the EVM on the machine: state
// tests in JSON, as the execution-spec-tests and the older General State Tests
// have them.
//
//	main.go         the files, and the tables
//	fixture.go      the format
//	forks.go        which forks are run, and the reasons for which something is not
//	run.go          one transaction, and what it must lead to
//	executors.go    what runs it
//	transaction.go  what a chain does with a transaction around its execution
//	root.go         state roots and the hash of events
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sightline-evm/sightline/bench/internal/harness"
)

const doc = `Runs all state tests below the given files and folders: the transactions of every test, on
every fork from Paris to the newest that mainnet has scheduled. Each is run three
times: by go-ethereum's transaction rules and interpreter on the reference's flat state,
and by rules written for this program on the interpreter and on the reference. A transaction passes when the state root
and the hash of the events are what the test says, or when it is refused and the test
expects that.

summary: passed, failed and skipped, the transactions (post states) that passed on all
executors, failed on one, and were not run for one of the reasons of forks.go.
-seconds and -runs mean nothing here. Exit code 1 when anything failed.`

func main() {
	var paths []string
	harness.Main(harness.Comparison{
		Name: "statetests", Doc: doc, Seconds: 1, Runs: 1,
		Args: func(args []string) error {
			if paths = args; len(paths) == 0 {
				return errors.New("name the files or folders of tests")
			}
			return nil
		},
		Measure: func(ctx context.Context, run *harness.Run) (*harness.Result, error) { return measure(ctx, run, paths) },
	})
}

// files lists the JSON files at and below the paths, each once. Folders whose name
// begins with a dot hold what belongs to tools.
func files(paths []string) ([]string, error) {
	var list []string
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && file != path && strings.HasPrefix(entry.Name(), "."):
				return fs.SkipDir
			case !entry.IsDir() && (file == path || strings.HasSuffix(file, ".json")):
				list = append(list, file)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) == 0 {
		return nil, fmt.Errorf("no .json file below %s", strings.Join(paths, ", "))
	}
	return list, nil
}

// progressFiles is the number of files after which the run says how far it is: a
// line every few seconds on the official suites.
const progressFiles = 500

func measure(ctx context.Context, run *harness.Run, paths []string) (*harness.Result, error) {
	list, err := files(paths)
	if err != nil {
		return nil, err
	}
	total := newTally()
	var failed []error
	for start := 0; start < len(list); start += progressFiles {
		part := list[start:min(start+progressFiles, len(list))]
		tallies, errs := runFiles(ctx, part)
		for i := range part {
			total.add(tallies[i])
			if errs[i] != nil {
				failed = append(failed, errs[i])
			}
		}
		if ctx.Err() != nil {
			failed = append(failed, ctx.Err())
			break
		}
		if len(list) > progressFiles {
			run.Logf("%d of %d files: %d transactions run, %d failures", start+len(part), len(list), total.passed[0]+total.failed[0], slices.Max(total.failed))
		}
	}
	return summarize(total, len(list), failed)
}

// runFiles runs files on all cores; the results are in the files' order.
func runFiles(ctx context.Context, list []string) ([]*tally, []error) {
	tallies, errs := make([]*tally, len(list)), make([]error, len(list))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				tallies[i], errs[i] = runFile(list[i])
			}
		})
	}
	for i := range list {
		if ctx.Err() != nil {
			tallies[i] = newTally()
			continue
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return tallies, errs
}

// runFile runs the tests of one file. One that cannot be read is a failure.
func runFile(path string) (*tally, error) {
	t := newTally()
	tests, others, err := readFile(path)
	if err != nil {
		return t, err
	}
	if others > 0 {
		t.skipped[skipOther] += others
	}
	for _, test := range tests {
		t.run(path, test)
	}
	return t, nil
}

func summarize(t *tally, files int, failed []error) (*harness.Result, error) {
	counts := harness.Table{Title: "transactions", Columns: []string{"executor", "passed", "failed"}}
	for i := range executors {
		counts.Add(executors[i].name, strconv.Itoa(t.passed[i]), strconv.Itoa(t.failed[i]))
	}
	skips := harness.Table{Title: "not run", Columns: []string{"reason", "transactions"}}
	skipped := 0
	for _, reason := range slices.Sorted(maps.Keys(t.skipped)) {
		skips.Add(reason, strconv.Itoa(t.skipped[reason]))
		skipped += t.skipped[reason]
	}
	failures := harness.Table{Title: "first failures", Columns: []string{"file", "test", "fork", "index", "executor", "what"}}
	for _, f := range t.failures {
		failures.Add(f.file, f.test, f.fork, strconv.Itoa(f.index), f.executor, f.what)
	}
	result := &harness.Result{Summary: map[string]float64{
		"passed": float64(slices.Min(t.passed)), "failed": float64(slices.Max(t.failed)), "skipped": float64(skipped),
		"files": float64(files), "unreadable": float64(len(failed)),
	}, Tables: []harness.Table{counts}}
	for _, table := range []harness.Table{skips, failures} {
		if len(table.Rows) > 0 {
			result.Tables = append(result.Tables, table)
		}
	}
	if n := slices.Max(t.failed); n > 0 {
		failed = append(failed, fmt.Errorf("%d transactions do not lead to what their tests say", n))
	}
	return result, errors.Join(failed...)
}
