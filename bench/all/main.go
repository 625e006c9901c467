// Command all runs the comparisons of docs/benchmarks.md, all of one state of the code, and writes their tables into that
// page.
//
//	main.go   the command line, and what is run in which order
//	parts.go  the comparisons, with their flags
//	state.go  which state of the code the figures belong to, and where they are kept
//	page.go   the marked places of docs/benchmarks.md
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/harness"
)

const doc = `go run ./bench/all [flags]

Runs the comparisons whose tables docs/benchmarks.md has, one after the other, and keeps what each
says with the state of the code that it belongs to, in .cache/bench/all. What was measured of this
state is not measured again: an interrupted run goes on. With -write, the tables are put into the
page, those of this state alone. Commit first: figures of code that no commit has are refused.

  go run ./bench/all -list                     the parts, their commands, how long they take, and which are there
  go run ./bench/all                           everything that needs nothing but npm: about ten hours on two cores
  go run ./bench/all -clones ~/clones          and real histories: each folder of that folder is a clone
  go run ./bench/all -only machine,guards      some parts
  go run ./bench/all -only machine -again      measure again
  go run ./bench/all -write                    what is missing, and then the page

A part that fails is named in the end, and makes the exit code 1; the others are run all the same.

`

var options struct {
	only, clones       string
	list, write, again bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	flags := flag.NewFlagSet("all", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), doc)
		flags.PrintDefaults()
	}
	flags.StringVar(&options.only, "only", "", "parts to run, parts of their names separated by commas; empty: all")
	flags.StringVar(&options.clones, "clones", "", "folder of local clones, for the parts that run on histories")
	flags.BoolVar(&options.list, "list", false, "list the parts, and run nothing")
	flags.BoolVar(&options.write, "write", false, "write the tables of this state into docs/benchmarks.md")
	flags.BoolVar(&options.again, "again", false, "measure again what was measured of this state")
	err := flags.Parse(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
		fallthrough
	case err != nil:
		fmt.Fprintf(os.Stderr, "all: %v\n", err)
		os.Exit(2) //nolint:forbidigo,gocritic // the edge of the program
	}
	if err := run(ctx, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "all: %v\n", err)
		stop()
		os.Exit(1) //nolint:forbidigo // the edge of the program
	}
}

func run(ctx context.Context, stdout, stderr io.Writer) error {
	chosen, err := choose(options.only)
	if err != nil {
		return err
	}
	state, err := readState(ctx)
	if err != nil {
		return err
	}
	if options.list {
		return list(stdout, state, chosen)
	}
	var failed []string
	for i, p := range chosen {
		progress := fmt.Sprintf("%d of %d: %s", i+1, len(chosen), p.name)
		args, needs := p.arguments(options.clones, state.dir)
		switch {
		case needs != "":
			fmt.Fprintf(stderr, "%s: left out, needs %s\n", progress, needs)
			continue
		case !options.again && state.has(p, args):
			fmt.Fprintf(stderr, "%s: is there\n", progress)
			continue
		}
		fmt.Fprintf(stderr, "%s: go run ./bench/%s %s (about %s)\n", progress, p.command, strings.Join(args, " "), p.takes)
		if err := measure(ctx, state, p, args, stderr); err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("interrupted in %s: the same command goes on there", p.name)
			}
			fmt.Fprintf(stderr, "%s: %v\n", p.name, err)
			failed = append(failed, p.name)
		}
	}
	if options.write {
		written, err := state.writePage(chosen)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "docs/benchmarks.md: %d of %d tables are of commit %s\n", written, len(parts), state.commit)
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d parts failed: %s", len(failed), strings.Join(failed, ", "))
	}
	return nil
}

// choose picks the parts in whose names one of the given words is.
func choose(only string) ([]part, error) {
	if only == "" {
		return parts, nil
	}
	words := strings.Split(only, ",")
	chosen := slices.DeleteFunc(slices.Clone(parts), func(p part) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return word != "" && strings.Contains(p.name, word) })
	})
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-only %s: no part has such a name (-list names them)", only)
	}
	return chosen, nil
}

// measure runs one part as a program of its own, and keeps what it says.
func measure(ctx context.Context, state *state, p part, args []string, stderr io.Writer) error {
	program := filepath.Join(state.dir, p.command)
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", program, "./bench/"+p.command)
	build.Dir, build.Stderr = state.root, stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build ./bench/%s: %w", p.command, err)
	}
	cmd := exec.CommandContext(ctx, program, append([]string{"-json"}, args...)...)
	cmd.Dir, cmd.Stderr = state.root, stderr
	// Programs that a comparison starts end with it.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second // arbitrary: compilers and campaigns have ended by then
	start := time.Now()              //nolint:forbidigo // how long it took is for people
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	return state.keep(p, args, out, time.Since(start)) //nolint:forbidigo // as above
}

// list prints the parts.
func list(out io.Writer, state *state, chosen []part) error {
	table := harness.Table{Columns: []string{"part", "command", "takes about", "measured of " + state.commit}}
	for _, p := range chosen {
		args, needs := p.arguments(options.clones, state.dir)
		there := ""
		switch {
		case needs != "":
			there = "needs " + needs
		case state.has(p, args):
			there = "yes"
		}
		table.Add(p.name, "bench/"+p.command+" "+strings.Join(args, " "), p.takes.String(), there)
	}
	result := harness.Result{Tables: []harness.Table{table}}
	_, err := io.WriteString(out, result.Markdown())
	return err
}
