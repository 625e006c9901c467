// Package harness is what every measured comparison below bench shares: flags,
// the clock, rounds, statistics, and how results are printed.
//
// A comparison is a program of its own. It prints its tables as Markdown, or
// with -json one object whose "summary" holds its main figures by name, so that
// scripts can compare two runs.
//
//	harness.go  the command line of a comparison
//	result.go   tables and the summary, and how they are printed
//	rounds.go   contenders measured side by side
//	stats.go    medians, Mann-Whitney U, Vargha-Delaney A12
//	npm.go      corpora and compilers from npm, by pinned version
//	tool.go     the sightline binary, as a user would run it
//	resources_….go  bounds on memory, and what was used
package harness

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// Comparison is one program below bench.
type Comparison struct {
	Name    string // of its folder
	Doc     string // what it measures, a few lines
	Seconds float64
	// SecondsDoc says what -seconds is the length of; empty: the whole measurement.
	SecondsDoc string
	Runs       int
	// Flags adds flags of its own; nil for none.
	Flags func(*flag.FlagSet)
	// Args is given what follows the flags; nil when nothing may.
	Args func([]string) error
	// Measure does the work. An error means that nothing could be measured, or
	// that what must hold does not.
	Measure func(context.Context, *Run) (*Result, error)
}

// Run is one run of a comparison: how it was asked to measure, and what it needs
// from outside.
type Run struct {
	Seed    uint64
	Seconds float64 // aimed-at length of the whole measurement, installing and compiling apart
	Runs    int     // repetitions of each measurement
	Root    string  // the repository's folder
	Cache   string  // where packages and builds are kept between runs; ignored by git
	Log     io.Writer
	Now     func() time.Time
}

// Logf tells people how far the run is.
func (r *Run) Logf(format string, args ...any) { fmt.Fprintf(r.Log, format+"\n", args...) }

// Share is the time of one of n equal parts of the run, at least a millisecond.
func (r *Run) Share(n int) time.Duration {
	return max(time.Duration(r.Seconds/float64(n)*float64(time.Second)), time.Millisecond)
}

// Exit codes of a comparison.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// maxMemory bounds each process of a comparison, bytes. Campaigns should stay
// below 500 MB; compiling the largest corpus takes soljson about 2 GB.
const maxMemory = 4 << 30

// Main runs a comparison as a program.
func Main(c Comparison) {
	if err := limitMemory(maxMemory); err != nil {
		fmt.Fprintf(os.Stderr, "%s: memory is not limited: %v\n", c.Name, err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	now := time.Now                                              //nolint:forbidigo // measuring time is what these programs are for
	os.Exit(c.main(ctx, os.Args[1:], os.Stdout, os.Stderr, now)) //nolint:forbidigo // the edge of the program
}

// main is Main with everything it touches as a parameter; it returns the exit
// code.
func (c Comparison) main(ctx context.Context, args []string, stdout, stderr io.Writer, now func() time.Time) int {
	run := &Run{Log: stderr, Now: now}
	asJSON, err := c.parse(args, run)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", c.Name, err)
		return exitUsage
	}
	result, err := c.measure(ctx, run)
	if result != nil {
		// What was measured before a failure is shown: it says where it failed.
		if printing := result.print(stdout, asJSON); err == nil {
			err = printing
		}
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", c.Name, err)
		return exitFailed
	}
	return exitOK
}

// parse reads the command line into the run.
func (c Comparison) parse(args []string, run *Run) (asJSON bool, err error) {
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	flags.SetOutput(run.Log)
	flags.Usage = func() {
		fmt.Fprintf(run.Log, "go run ./bench/%s [flags]\n\n%s\n\n", c.Name, c.Doc)
		flags.PrintDefaults()
	}
	flags.Uint64Var(&run.Seed, "seed", 1, "seed of all randomness; repetitions use it and its successors")
	flags.Float64Var(&run.Seconds, "seconds", c.Seconds, cmp.Or(c.SecondsDoc, "length of the whole measurement in seconds, installing and compiling apart"))
	flags.IntVar(&run.Runs, "runs", c.Runs, "repetitions of each measurement")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object with a summary instead of tables")
	if c.Flags != nil {
		c.Flags(flags)
	}
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	switch {
	case c.Args == nil && flags.NArg() > 0:
		return false, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case !(run.Seconds > 0) || math.IsInf(run.Seconds, 0): // not a number fails the first
		return false, fmt.Errorf("-seconds %v: want more than 0", run.Seconds)
	case run.Runs < 1:
		return false, fmt.Errorf("-runs %d: want at least 1", run.Runs)
	}
	if c.Args != nil {
		return asJSON, c.Args(flags.Args())
	}
	return asJSON, nil
}

// measure finds the repository and does the work.
func (c Comparison) measure(ctx context.Context, run *Run) (*Result, error) {
	root, err := repository()
	if err != nil {
		return nil, err
	}
	run.Root = root
	run.Cache = filepath.Join(root, ".cache", "bench")
	if err := os.MkdirAll(run.Cache, 0o755); err != nil {
		return nil, err
	}
	result, err := c.Measure(ctx, run)
	if result != nil {
		result.Name, result.Seed, result.Seconds, result.Runs = c.Name, run.Seed, run.Seconds, run.Runs
		result.Machine = machine()
	}
	return result, err
}

// repository is the folder of this module, above the working folder.
func repository() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "bench", "internal", "harness")); err == nil {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", fmt.Errorf("%s is not below the repository of Sightline: run the comparisons from there", start)
		}
	}
}
