package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world/chain"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/report"
)

// Defaults of the flags (design §10).
const (
	defaultTimeout = 120 // seconds: what people wait for a check on a pull request
	defaultSeqLen  = 8   // harvey §5
	defaultOut     = "sightline-out"
	defaultFailOn  = "high"
	maxSeqLen      = 64 // harvey §5: sequences double up to it
	maxWorkers     = 256
	maxTimeout     = 30 * 24 * 3600 // seconds; a longer one is a slip of the keyboard
)

// projectFlags say what is compared and what it is compiled from.
type projectFlags struct {
	root    string
	base    string
	diff    string
	builds  []string
	command string
	// baseBuilds are compiler output of the base version.
	baseBuilds []string
	env        []string
	targets    []string
	ignore     []string
	solc       string
	solcList   string
	config     string
	foreign    *foreign // what other fuzzers' configurations say; nil: they were not looked for
	change     *change  // what to map, where the caller knows; nil: asked of git or read
}

func (f *projectFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.root, "root", ".", "the folder `DIR` of the project, or of a repository with several")
	flags.StringVar(&f.base, "base", "", "compare the working tree with this `REV` (default: the merge base with the default branch)")
	flags.StringVar(&f.diff, "diff", "", "read the change from a unified diff `FILE`, - for standard input; the sources are the head version")
	flags.StringArrayVar(&f.builds, "build", nil, "compiler output to use, a `FILE` or folder: build-info, Foundry's out, Hardhat's or truffle's artifacts, standard JSON (repeatable)")
	flags.StringArrayVar(&f.baseBuilds, "base-build", nil, "compiler output of the base version, a `FILE` or folder; needed where settings or dependencies changed (repeatable)")
	flags.StringVar(&f.command, "build-command", "", "build the project with this `COMMAND` of the shell, run in --root, instead of what its configuration suggests")
	flags.StringArrayVar(&f.env, "build-env", nil, "let the project's build see the environment variable `NAME` (repeatable; it sees no secrets otherwise)")
	flags.StringArrayVar(&f.targets, "target", nil, "aim at `FILE:LINE` or CONTRACT:0xPC instead of a diff (repeatable)")
	flags.StringArrayVar(&f.ignore, "ignore", nil, "leave out changed lines of files like `PATTERN`, as .gitignore has them; !PATTERN takes files back, tests and scripts too (repeatable)")
	flags.StringVar(&f.config, "config", "", "read settings from this `FILE` (default: sightline.yml or .github/sightline.yml in the project, if there)")
	flags.StringVar(&f.solc, "solc", "", "the compiler, `FILE` or folder: a solc binary, a soljson file, or the npm package solc")
	flags.StringVar(&f.solcList, "solc-list", "", "download a compiler that is nowhere on this machine from this `URL`, the folder of Solidity's list of binaries (PLATFORM/list.json); what is not what the list says by its SHA-256 is refused")
}

// configure sets what the configuration file names and the command line does
// not.
func (f *projectFlags) configure(flags *pflag.FlagSet) error {
	root, err := f.absRoot()
	if err != nil {
		return err
	}
	if err := loadConfig(f.config, root, flags); err != nil {
		return err
	}
	f.foreign = readForeign(foreignIn(root))
	return f.foreign.apply(flags)
}

// campaignFlags say how long and how to fuzz.
type campaignFlags struct {
	timeout   seconds
	testLimit uint64
	seqLen    int
	seed      uint64
	workers   int
	corpusDir string
	setup     []string
	schedule  string
	without   string
	fork      string
	plan      worldPlan
	state     string
	rpc       string
	// setupCommand is a deploy script.
	setupCommand string
	block        uint64
	chain        *chain.Chain // that rpc names, once it is opened
	deadline     time.Time    // of the campaign, whatever its timeout; zero: none
}

// sequenceLength is the most calls of a sequence; 0, for the campaign to find out, where
// nobody said.
func (f *campaignFlags) sequenceLength(set *pflag.FlagSet) int {
	if !set.Changed("seq-len") {
		return 0
	}
	return f.seqLen
}

func (f *campaignFlags) register(flags *pflag.FlagSet) {
	f.timeout = defaultTimeout
	flags.Var(&f.timeout, "timeout", "stop after so many `SECONDS`, or a time like 90s, 5m")
	flags.Uint64Var(&f.testLimit, "test-limit", 0, "stop after so many `CALLS` instead; with --workers 1 and the same --seed the result is the same")
	flags.IntVar(&f.seqLen, "seq-len", defaultSeqLen, "at most `N` calls in a sequence; if not given, up to 64 as far as longer ones are needed")
	flags.Uint64Var(&f.seed, "seed", 0, "seed `N` of all randomness (default 0)")
	flags.IntVar(&f.workers, "workers", runtime.NumCPU(), "let `N` workers fuzz side by side")
	flags.Lookup("workers").DefValue = "all cores"
	flags.StringVar(&f.corpusDir, "corpus-dir", "", "load inputs from and save them to this `DIR`")
	flags.StringVar(&f.schedule, "schedule", fuzzer.Lookahead.Name, "power schedule, for developers of the tool")
	flags.StringSliceVar(&f.setup, "setup", nil, "start from what setUp() of this Foundry test `CONTRACT` makes (repeatable: one after the other), or from no test's: none (default: the tests that deploy what changed)")
	flags.StringVar(&f.fork, "evm-version", "", "newest active hard `FORK`: "+strings.Join(evm.Forks(), ", ")+" (default the last)")
	flags.StringVar(&f.without, "without", "", "leave out `TECHNIQUES`, separated by commas, for developers of the tool: "+strings.Join(fuzzer.TechniqueNames(), ", "))
	flags.StringVar(&f.setupCommand, "setup-command", "", "start from what this `COMMAND` of the shell deploys, run in --root, through the JSON-RPC endpoint in SIGHTLINE_RPC_URL")
	flags.StringVar(&f.state, "state", "", "start from the state in this `FILE`: a dump of anvil's (anvil --dump-state), or a genesis file")
	flags.StringVar(&f.rpc, "rpc", "", "start from a live chain's state, read through the JSON-RPC endpoint at this `URL`; answers are kept, so that the same --block needs it once")
	flags.Uint64Var(&f.block, "block", 0, "of --rpc, the block `N`")
	flags.Lookup("block").DefValue = "latest"
	registerPlan(flags, &f.plan)
	_ = flags.MarkHidden("schedule")
	_ = flags.MarkHidden("without")
}

// limits are the campaign's budget: --test-limit alone switches the clock off.
func (f *campaignFlags) limits(flags *pflag.FlagSet) (timeout time.Duration, calls uint64) {
	if f.testLimit > 0 && !flags.Changed("timeout") {
		return 0, f.testLimit
	}
	return time.Duration(float64(f.timeout) * float64(time.Second)), f.testLimit
}

// untilDeadline is what the deadline leaves of a time limit. Of what is left, base
// gets its share.
func (f *campaignFlags) untilDeadline(timeout time.Duration, now func() time.Time) time.Duration {
	if f.deadline.IsZero() {
		return timeout
	}
	left := f.deadline.Sub(now()) * baseShare / (baseShare + 1)
	if left = max(time.Nanosecond, left); timeout == 0 || left < timeout { // zero is no limit
		return left
	}
	return timeout
}

// check reports whether the values make sense, before anything is read or compiled.
func (f *campaignFlags) check() error {
	if !(f.timeout >= 0 && f.timeout <= maxTimeout) { // NaN is neither
		return exit.BadInput("--timeout %v: want seconds, from 0 to %d (30 days)", float64(f.timeout), maxTimeout)
	}
	if f.timeout == 0 && f.testLimit == 0 {
		return exit.BadInput("--timeout 0 without --test-limit: the campaign would never end")
	}
	if f.workers < 1 || f.workers > maxWorkers {
		return exit.BadInput("--workers %d: want 1 to %d", f.workers, maxWorkers)
	}
	if f.seqLen < 1 || f.seqLen > maxSeqLen {
		return exit.BadInput("--seq-len %d: want 1 to %d", f.seqLen, maxSeqLen)
	}
	if _, err := fuzzer.ScheduleNamed(f.schedule); err != nil {
		return exit.BadInput("--schedule: %w", err)
	}
	if _, err := fuzzer.TechniquesNamed(f.without); err != nil {
		return exit.BadInput("--without: %w", err)
	}
	if f.rpc != "" {
		if err := chain.CheckURL(f.rpc); err != nil {
			return exit.BadInput("--rpc: %w", err)
		}
	}
	if f.block != 0 && f.rpc == "" {
		return exit.BadInput("--block %d without --rpc: there is no chain to take it from", f.block)
	}
	if f.fork != "" && !slices.Contains(evm.Forks(), f.fork) {
		return exit.BadInput("--evm-version %q: want one of %s", f.fork, strings.Join(evm.Forks(), ", "))
	}
	return nil
}

// failLevels are what --fail-on may be.
var failLevels = []string{"none", "low", "medium", "high", "critical"}

// What a run shows of its findings.
const (
	discloseFull       = "full"
	discloseIntroduced = "introduced"
)

// outputFlags say where results go and what they decide.
type outputFlags struct {
	out       string
	failOn    string
	gate      string
	waivers   string
	disclose  string
	remember  string
	bundle    string
	packed    string                            // the bundle's SHA-256, once it is written
	pushed    string                            // the commit by which people know the head; empty: as the diff says
	readFile  func(name string) ([]byte, error) // of waivers; nil: below the project's folder
	omitTimes bool
	render    report.Options // what a caller knows of where the report is read
}

// options are those that the report is rendered with, as far as they are known
// before the run.
func (f *outputFlags) options() report.Options {
	options := f.render
	options.OmitTimes, options.Out = f.omitTimes, f.out
	return options
}

func (f *outputFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.out, "out", defaultOut, "write report.json, sightline.sarif, comment.md, summary.md and reproducers to this `DIR`")
	flags.StringVar(&f.failOn, "fail-on", defaultFailOn, "lowest severity `LEVEL` that fails the gate: none, low, medium, high, critical")
	flags.StringVar(&f.gate, "gate", "", "fail unless this `CONDITION` holds, too: \"new_findings(medium) == 0 && reached >= 80%\"")
	flags.StringVar(&f.waivers, "waivers", "", "accept the findings that this `FILE` names, each with a reason, an owner and a last day")
	flags.StringVar(&f.disclose, "disclosure", discloseFull, "show `FINDINGS`: full, or introduced: others are only counted (as an action on a public repository: introduced)")
	flags.StringVar(&f.remember, "remember", "", "keep findings between runs in this `FILE`: they are tried first, and shown as still failing or fixed")
	flags.StringVar(&f.bundle, "bundle", "", "write all of it to this `FILE`, too, as a tar with the SHA-256 of everything: `sightline replay --bundle` verifies it")
	flags.BoolVar(&f.omitTimes, "omit-times", false, "leave measured times out of report.json, so that equal runs give equal bytes")
}

// check creates the output folder, so that a campaign does not end in a folder
// that cannot be written.
func (f *outputFlags) check() error {
	if !slices.Contains(failLevels, f.failOn) {
		return exit.BadInput("--fail-on %q: want none, low, medium, high or critical", f.failOn)
	}
	if !slices.Contains([]string{discloseFull, discloseIntroduced}, f.disclose) {
		return exit.BadInput("--disclosure %q: want full or introduced", f.disclose)
	}
	if err := report.CheckGate(f.gate); err != nil {
		return exit.BadInput("--gate %q: %w; it may name new_findings(SEVERITY), findings(SEVERITY), reached, reached_lines, lines, only_reverts, unreached, unreachable, undeployed, unmapped and calls", f.gate, err)
	}
	if f.bundle != "" {
		if err := os.MkdirAll(filepath.Dir(f.bundle), 0o755); err != nil {
			return exit.BadInput("--bundle %s: its folder cannot be created: %v; name another file", f.bundle, files.Plain(err))
		}
	}
	if f.out == "" {
		return exit.BadInput("--out is empty: name a folder")
	}
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return exit.BadInput("--out %s cannot be created: %v; choose a folder that you may write", f.out, files.Plain(err))
	}
	probe, err := os.CreateTemp(f.out, ".probe-*")
	if err != nil {
		return exit.BadInput("--out %s cannot be written: %v; choose a folder that you may write", f.out, files.Plain(err))
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// absRoot is the project's folder, checked.
func (f *projectFlags) absRoot() (string, error) {
	root, err := filepath.Abs(f.root)
	if err != nil {
		return "", exit.BadInput("--root %s: %w", f.root, err)
	}
	info, err := os.Stat(root)
	if err != nil {
		return "", exit.BadInput("--root %s: %v", f.root, files.Plain(err))
	}
	if !info.IsDir() {
		return "", exit.BadInput("--root %s is not a folder", f.root)
	}
	return root, nil
}
