// Command hour does what a new user does in the first hour, from the README alone, and
// takes the time of each step: the demo, the example projects as a user has them, and the
// action on pull requests, against a GitHub of our own.
//
//	main.go      what is run, in which order
//	commands.go  the commands that a page tells people to run
//	terminal.go  the user's terminal, where they are run
//	examples.go  the steps of the terminal
//	projects.go  projects with a pull request
//	event.go     the action, from the event to its comments
//	tables.go    quantiles and tables
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
)

const doc = `Does what a new user does in the first hour, and takes the time of each step:

  1. a clone of this repository at HEAD, and the commands of the README's "Try it";
  2. the example projects for Foundry and Hardhat, by the commands of their own READMEs;
  3. the action on pull requests of example projects and of npm packages, from the event to
     the comment: each once without anything that an earlier run has compiled, and once with it.

Compilers are those of npm, run with Node.js. What takes long or fails is a row of its own; a
step that fails is named, makes the exit code 1, and counts as slower than any other. -seed has no
influence. Needs what ./test needs, and the packages that it installs.

  go run ./bench/hour                    everything, about 20 minutes
  go run ./bench/hour -cold              the demo with an empty build cache of Go's
  go run ./bench/hour -only readme,v4    parts that have one of these in their names
  go run ./bench/hour -runs 3 -json      medians of three rounds, for a script

summary: firstCommentP50 and firstCommentP95, over all projects, of the runs with a build at
hand, and coldFirstCommentP50 and coldFirstCommentP95 without; firstComment v4-core; cloneSeconds,
demoSeconds.`

// Flags of this command's own.
var (
	cold bool   // the demo is compiled with an empty build cache
	only string // parts whose names hold it; empty: all
	keep bool   // what was made stays
)

func main() {
	harness.Main(harness.Comparison{
		Name: "hour", Doc: doc, Seconds: 30, SecondsDoc: "length of each campaign in seconds, the demo's apart", Runs: 1, Measure: measure,
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&cold, "cold", false, "begin with an empty build cache of Go's; modules are those of this machine")
			flags.StringVar(&only, "only", "", "do only the parts whose names hold one of these, separated by commas: readme, foundry example, hardhat example, and the projects of the action")
			flags.BoolVar(&keep, "keep", false, "keep the folder in which it all happens, and print its name")
		},
	})
}

// Names of the parts, the projects of the action apart.
const (
	partStart   = "start"
	partReadme  = "readme"
	partFoundry = "foundry example"
	partHardhat = "hardhat example"
)

// hour is one round.
type hour struct {
	run      *harness.Run
	folder   string   // in which everything happens
	modules  []string // node_modules with compilers
	terminal *terminal
	record   *record // of all rounds
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	tests := filepath.Join(run.Root, ".cache", "npm", "node_modules")
	if _, err := os.Stat(filepath.Join(tests, "solc")); err != nil {
		return nil, fmt.Errorf("%w: run ./test once, it installs the compilers", err)
	}
	modules, err := run.Install(ctx, "hour", packages())
	if err != nil {
		return nil, err
	}
	record := &record{}
	for round := range run.Runs {
		run.Logf("round %d of %d", round+1, run.Runs)
		h := &hour{run: run, modules: []string{modules, tests}, record: record}
		if err := h.round(ctx); err != nil {
			return record.result(run.Seconds), err
		}
	}
	return record.result(run.Seconds), record.failures()
}

// round is the whole hour. Only what makes the rest impossible is an error; steps that fail
// are in the record.
func (h *hour) round(ctx context.Context) (err error) {
	if h.folder, err = os.MkdirTemp("", "sightline-hour-"); err != nil {
		return err
	}
	if keep {
		h.run.Logf("everything happens in %s", h.folder)
	} else {
		defer func() { err = errors.Join(err, remove(h.folder)) }()
	}
	// Compilers run as another user.
	if err := os.Chmod(h.folder, 0o755); err != nil {
		return err
	}
	if h.terminal, err = h.openTerminal(); err != nil {
		return err
	}
	if err := h.start(ctx); err != nil {
		return err
	}
	if chosen(partReadme) {
		if err := h.readme(ctx); err != nil {
			return err
		}
	}
	if chosen(partFoundry) {
		h.example(ctx, partFoundry, "foundry")
	}
	if chosen(partHardhat) {
		h.example(ctx, partHardhat, "hardhat")
	}
	for _, p := range projects {
		if chosen(p.name) && ctx.Err() == nil {
			h.events(ctx, p)
		}
	}
	return ctx.Err()
}

// chosen reports whether a part is to be done.
func chosen(part string) bool {
	return slices.ContainsFunc(strings.Split(only, ","), func(name string) bool { return strings.Contains(part, name) })
}

// remove removes a folder, in which tools may have made some that cannot be written to.
func remove(folder string) error {
	_ = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o755) // what stays is the error of the next call
		}
		return nil
	})
	return os.RemoveAll(folder)
}
