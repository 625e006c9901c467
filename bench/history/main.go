// Command history runs Sightline on the commits of repositories, as a user would on their
// pull requests, and holds what it says against forge.
//
//	main.go     flags, and commits one after the other
//	run.go      one run of the program
//	exports.go  exported tests under forge
//	outcome.go  what came of one commit
//	oracles.go  what oracles said of one commit, and of all
//	tables.go   what came of all of them
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/clones"
	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/harness"
)

const doc = `Takes the last commits of local clones that change Solidity (first parents only), checks each out with its
submodules, and runs the sightline binary on what it changed, without settings, with one worker: once without any
cache, and up to the first call again. Then every finding's exported test runs under forge, tests of reached lines as
well, and forge's coverage says which changed lines the project's own tests reach.

A submodule is checked out from the clone among the arguments (or -clones) that has its name and commit; else it is a
copy of what -library names, else empty. Compilers are those of npm that -solc lists.

summary: commits; medianNotes of comments, before what is folded away; falseAlarms, gating findings whose test passes
under forge; silent, green verdicts with a changed
line that forge's tests reach and that was neither fuzzed nor named; exportedConfirmed, the share of exported tests
that do under forge what they claim.`

// options are the flags.
type options struct {
	last, skip int
	only       string
	forge      string
	resume     string
	clones     string
	libraries  clones.Libraries
	solc       string
	exports    int
	coverage   time.Duration
	shipping   bool // leave out commits of tests
	keep       bool
	folders    []string
}

func main() {
	o := options{libraries: clones.Libraries{}}
	harness.Main(harness.Comparison{
		Name: "history", Doc: doc, Seconds: 60, SecondsDoc: "length of each campaign in seconds", Runs: 1, Measure: o.measure,
		Flags: func(flags *flag.FlagSet) {
			flags.IntVar(&o.last, "last", 10, "run the last `N` commits of each repository that change Solidity")
			flags.IntVar(&o.skip, "skip", 0, "leave out the newest `N` of them")
			flags.StringVar(&o.only, "only", "", "run only the commits whose names begin with this")
			flags.StringVar(&o.forge, "forge", "", "the forge to run; by default, "+forge.Version+" from npm")
			flags.StringVar(&o.resume, "resume", "", "write a line of JSON for each commit to this `FILE`, and leave out those that have one")
			flags.StringVar(&o.clones, "clones", "", "folder of more clones that submodules are taken from")
			flags.Var(o.libraries, "library", "`NAME=DIR`: a submodule that no clone has is a copy of this folder")
			flags.StringVar(&o.solc, "solc", strings.Join(clones.Compilers(), ","), "`VERSIONS` of solc to install from npm")
			flags.IntVar(&o.exports, "exports", 4, "run the tests of at most `N` reached lines of each commit")
			flags.DurationVar(&o.coverage, "coverage", 5*time.Minute, "bound of forge coverage on each commit; 0: leave it out")
			flags.BoolVar(&o.shipping, "shipping", false, "leave out commits that change no contract that ships: only tests, scripts, mocks, libraries")
			flags.BoolVar(&o.keep, "keep", false, "keep work trees and output folders")
		},
		Args: func(folders []string) error {
			if o.folders = folders; len(folders) == 0 && o.resume == "" {
				return errors.New("which clones?")
			}
			return nil
		},
	})
}

// measure runs the commits that have not been run yet.
func (o *options) measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	done, err := o.read()
	if err != nil {
		return nil, err
	}
	if len(o.folders) == 0 {
		return tables(done), nil // only what there is
	}
	b, err := o.prepare(ctx, run)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, d := range done {
		known[d.Repository+d.Commit] = true
	}
	for _, folder := range o.folders {
		list, err := clones.Commits(ctx, folder, o.skip+o.last, o.shipping)
		if err != nil {
			return nil, err
		}
		for i, c := range list[min(o.skip, len(list)):] {
			if known[clones.Name(c.Repository)+c.Head] || !strings.HasPrefix(c.Head, o.only) {
				continue
			}
			run.Logf("%s, commit %d: %s %s", clones.Name(folder), o.skip+i+1, c.Head[:8], c.Subject)
			got, err := o.one(ctx, b, c)
			if err != nil {
				return tables(done), err
			}
			done = append(done, got)
		}
	}
	return tables(done), nil
}

// one runs a commit. That it cannot be run is an outcome, too.
func (o *options) one(ctx context.Context, b *bench, c clones.Commit) (*outcome, error) {
	got, err := b.measure(ctx, c)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		got = &outcome{Repository: clones.Name(c.Repository), Commit: c.Head, Date: c.Date, Subject: c.Subject, Verdict: "none", Reason: err.Error()}
	}
	b.Logf("  %s", got)
	if err := o.write(got); err != nil {
		return nil, err
	}
	if o.keep {
		return got, nil
	}
	return got, os.RemoveAll(b.folder(c))
}

// prepare installs and builds what all commits need.
func (o *options) prepare(ctx context.Context, run *harness.Run) (*bench, error) {
	versions := strings.Split(o.solc, ",")
	modules, err := run.Install(ctx, "history", forge.Packages(versions[0]).Solc(versions...))
	if err != nil {
		return nil, err
	}
	b := &bench{Run: run, forge: o.forge, exports: o.exports, coverage: o.coverage}
	if b.forge == "" {
		b.forge = filepath.Join(modules, "@foundry-rs", "forge-linux-amd64", "bin", "forge")
	}
	if b.forge, err = filepath.Abs(b.forge); err != nil {
		return nil, err
	}
	home := filepath.Join(run.Cache, "history", "home")
	if b.environment, err = forge.Home(home, modules); err != nil {
		return nil, err
	}
	own := *run // a binary that no other comparison replaces: this one takes hours
	own.Cache = filepath.Join(run.Cache, "history")
	tool, err := own.BuildTool(ctx, modules)
	if err != nil {
		return nil, err
	}
	b.tool = tool.With(append(b.environment, "PATH="+filepath.Dir(b.forge)+string(os.PathListSeparator)+os.Getenv("PATH"))...)
	if b.sources, err = clones.NewSources(o.libraries, o.clones, o.folders...); err != nil {
		return nil, err
	}
	return b, nil
}

// read reads the outcomes of an earlier run.
func (o *options) read() ([]*outcome, error) {
	if o.resume == "" {
		return nil, nil
	}
	file, err := os.Open(o.resume)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var done []*outcome
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24) // a line holds what forge says of each finding
	for lines.Scan() {
		d := &outcome{}
		if err := json.Unmarshal(lines.Bytes(), d); err != nil {
			return nil, fmt.Errorf("%s: %w", o.resume, err)
		}
		done = append(done, d)
	}
	return done, lines.Err()
}

// write appends an outcome.
func (o *options) write(got *outcome) error {
	if o.resume == "" {
		return nil
	}
	text, err := json.Marshal(got)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(o.resume, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	return errors.Join(err, file.Close())
}
