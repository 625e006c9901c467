// Package config has the settings of a run: flags of the command line, keys of sightline.yml,
// inputs of the action, and what carries over from echidna and medusa configuration.
package config

import (
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/worldfile"
)

// Defaults and bounds of the settings.
const (
	defaultTimeout = 120 // seconds: as long as people wait for a check on a pull request
	defaultSeqLen  = 8   // Harvey, section 5
	DefaultOut     = "sightline-out"
	DefaultFailOn  = "high"
	// DefaultMinReached is arbitrary: what most of a change did not show cannot be called checked.
	DefaultMinReached = "50%"
	maxSeqLen         = 64 // Harvey, section 5: sequences double up to it
	maxWorkers        = 256
	// Three minutes for nine mistakes at most: arbitrary, about as long as the rest of the check.
	defaultMutants       = 9
	defaultMutantTimeout = 20 // seconds
	maxMutants           = 1000
	maxTimeout           = 30 * 24 * 3600 // seconds; longer ones are typing errors
)

// Values of --self-check: what planted mistakes are to be caught by.
const (
	selfCheckOff     = "off"
	selfCheckOracles = "oracles"
	selfCheckTests   = "tests"
)

// Values of --disclosure: which findings a run shows.
const (
	DiscloseFull       = "full"
	DiscloseIntroduced = "introduced"
)

// Settings are the values of a run's flags. A command registers the groups that it accepts;
// Resolve then turns them into options.
type Settings struct {
	flags   *pflag.FlagSet
	options pipeline.Options // set by flags directly

	file      string // the configuration, as --config names it
	timeout   seconds
	selfCheck string // see selfCheckOracles
	// mutantTimeout is that of each planted mistake.
	mutantTimeout seconds
	seqLen        int
	afterReached  string // share, "50%" or "0.5"; empty: the default
	waivers       string // file
	minReached    string // share, "50%" or "0.5"
	disclosure    string
	imported      imports // from echidna and medusa configuration
	// seeds are files and folders with inputs of other fuzzers, and seedsConfigured tells that the configuration names them, and not a flag.
	seeds           []string
	seedsConfigured bool
	// places are where the configuration sets a key.
	places map[string]exit.Place
	// ReadBase reads the base's version of a file that decides what passes, by its path in
	// the project's folder; nil: the file in the project's folder is read.
	ReadBase func(name string) ([]byte, error)
	// onlyLookedAt is set where nothing is run, so that no output folder is created.
	onlyLookedAt bool
	quorum       string // share, "50%" or "0.5"
	plan, shard  string // a plan's file, and which part of it, "0/8"
}

// New returns settings that register their groups with flags.
func New(flags *pflag.FlagSet) *Settings {
	return &Settings{flags: flags, places: map[string]exit.Place{}}
}

// RegisterAll registers all groups.
func (s *Settings) RegisterAll() {
	s.RegisterChange()
	s.flags.BoolVar(&s.options.Change.Audit, "audit", false, "look at the whole project as it is, or at the files and folders that are named: nothing is compared with a base")
	s.RegisterCampaign()
	s.RegisterOutput()
}

// RegisterChange registers the flags for what is compared and how it is compiled.
func (s *Settings) RegisterChange() {
	f, o := s.flags, &s.options.Change
	f.StringVar(&o.Root, "root", ".", "folder `DIR` of the project, or of a repository with several projects")
	f.StringVar(&o.Base, "base", "", "compare the working tree with revision `REV` (default: the merge base with the default branch)")
	f.StringVar(&o.Diff, "diff", "", "read the change from a unified diff `FILE` (- for standard input); the sources in --root are its head version")
	f.StringArrayVar(&o.Builds, "build", nil, "use this compiler output, a `FILE` or folder: build-info, Foundry's out, Hardhat or Truffle artifacts, standard JSON (repeatable)")
	f.StringArrayVar(&o.BaseBuilds, "base-build", nil, "compiler output of the base version, a `FILE` or folder; needed if settings or dependencies changed (repeatable)")
	f.StringVar(&o.Verify, "verify-build", change.VerifyIfPossible, "compare bytecode that other tools have made with that of our own compiler, `WHEN`: required, if-possible or never (in the action: required); --build on a command line is taken as it is")
	f.StringVar(&o.Command, "build-command", "", "build the project with this shell `COMMAND`, run in --root, instead of the build that its configuration suggests")
	f.StringArrayVar(&o.Env, "build-env", nil, "pass the environment variable `NAME` to the project's build (repeatable; it gets no secrets otherwise)")
	f.StringArrayVar(&o.Targets, "target", nil, "target `FILE:LINE` or CONTRACT:0xPC instead of a diff (repeatable)")
	f.StringArrayVar(&o.Ignore, "ignore", nil, "ignore changes in files matching `PATTERN` (gitignore syntax; !PATTERN re-includes files, even tests and scripts; repeatable)")
	f.StringVar(&s.file, "config", "", "read settings from this `FILE` (default: sightline.yml or .github/sightline.yml in the project, if present)")
	f.StringVar(&o.Solc, "solc", "", "compiler to use, a `FILE` or folder: a solc binary, a soljson file, or the npm package solc")
	f.StringVar(&o.SolcList, "solc-list", change.OfficialSolcList, "download missing compilers from this `URL`, a folder laid out as Solidity's list of binaries; npm is asked next, and all checksums are those that Sightline knows")
	f.BoolVar(&o.Offline, "offline", false, "download nothing: a compiler that is not on this machine is an error")
	f.BoolVar(&o.TrustCompiler, "trust-project-compiler", false, "also run compilers that the project brings (node_modules, foundry.toml) and Solidity did not release")
}

// comparing are the flags of a change that a project as it is does not have.
var comparing = []string{"base", "diff", "base-build", "target", "oracles", "panics"}

// RegisterProject registers the flags for a project as it is, without a change, and for how it is fuzzed.
func (s *Settings) RegisterProject() {
	s.RegisterChange()
	s.RegisterCampaign()
	for _, name := range comparing {
		_ = s.flags.MarkHidden(name)
	}
}

// ofSetup are the flags of use where a project is set up: what is looked at, and how it is compiled.
var ofSetup = []string{"base", "build", "build-command", "build-env", "solc", "solc-list", "offline", "trust-project-compiler"}

// RegisterSetup registers the flags for a project that is looked at and not fuzzed. Its folder is not among those
// that people see: the command takes it as its argument, see [Settings.SetRoot].
func (s *Settings) RegisterSetup() {
	s.RegisterChange()
	s.RegisterCampaign()
	s.flags.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(ofSetup, f.Name) {
			f.Hidden = true
		}
	})
}

// SetRoot names the project's folder.
func (s *Settings) SetRoot(folder string) { s.options.Change.Root = folder }

// CheckProject refuses flags that are about a change.
func (s *Settings) CheckProject() error {
	for _, name := range comparing {
		if s.flags.Changed(name) {
			return exit.BadInput("--%s: this command looks at a project as it is", name)
		}
	}
	return nil
}

// SetPaths names the files and folders that an audit is about.
func (s *Settings) SetPaths(paths []string) { s.options.Change.Paths = paths }

// RegisterCampaign registers the flags for the World that is fuzzed, and for how and how
// long.
func (s *Settings) RegisterCampaign() {
	f, w, c := s.flags, &s.options.World, &s.options.Campaign
	s.timeout = defaultTimeout
	f.Var(&s.timeout, "timeout", "stop after this many `SECONDS`, or after a duration such as 90s or 5m")
	f.Uint64Var(&c.Calls, "test-limit", 0, "stop after this many `CALLS` instead; with --workers 1 and the same --seed, the result is the same")
	f.StringVar(&s.afterReached, "after-reached", "", "once every target is reached, look for bugs for this `SHARE` of the whole budget, 25% or 0.25, and then stop; an audit goes on (default 50%; with --target 0)")
	f.IntVar(&s.seqLen, "seq-len", defaultSeqLen, "at most `N` calls in a sequence; if not given, up to 64 where longer sequences are needed")
	f.Uint64Var(&c.Seed, "seed", 0, "seed `N` for all randomness (default 0)")
	f.IntVar(&c.Workers, "workers", runtime.NumCPU(), "fuzz with `N` workers in parallel")
	f.Lookup("workers").DefValue = "all cores"
	f.StringVar(&c.CorpusDir, "corpus-dir", "", "load inputs from this `DIR`, and save them to it")
	f.StringArrayVar(&s.seeds, "seeds", nil, "begin with the corpus of another fuzzer in this `PATH`, a file or folder: Echidna's, Medusa's, or what forge has in cache and corpus_dir (repeatable); none also leaves out those that echidna.yaml and medusa.json name")
	f.StringSliceVar(&c.Oracles, "oracles", nil, "look only for what these `ORACLES` see, or with - in front for all but that, with + in front for that note as well: assertion, reentrancy, permission-widened, behavior (what the change does) and others (repeatable; default all)")
	f.StringSliceVar(&c.Panics, "panics", nil, "report failing checks of the compiler with these Panic `CODES`, such as 0x11 for overflow, 0x12 for division by zero or 0x32 for array bounds (repeatable)")
	f.StringVar(&c.Schedule, "schedule", fuzzer.Lookahead.Name, "power schedule, for developers of the tool")
	f.StringSliceVar(&w.Setup, "setup", nil, "start from the state that setUp() of this Foundry test `CONTRACT` creates (repeatable, run in order), or none to use no test (default: the tests that deploy what changed)")
	f.StringVar(&w.Fork, "evm-version", "", "latest active hard `FORK`: "+strings.Join(evm.Forks(), ", ")+" (default: the one that the project is compiled for)")
	f.StringVar(&c.Without, "without", "", "disable `TECHNIQUES`, separated by commas, for developers of the tool: "+strings.Join(fuzzer.TechniqueNames(), ", "))
	f.StringVar(&w.Command, "setup-command", "", "start from what this shell `COMMAND`, run in --root, deploys through the JSON-RPC endpoint in SIGHTLINE_RPC_URL")
	f.StringVar(&w.State, "state", "", "start from the state in this `FILE`: an anvil dump (anvil --dump-state) or a genesis file")
	f.StringVar(&w.RPC, "rpc", "", "start from a live chain's state, read through the JSON-RPC endpoint at this `URL`; answers are cached, so that the same --block needs it only once")
	f.Uint64Var(&w.Block, "block", 0, "fork at block `N` (requires --rpc)")
	f.Lookup("block").DefValue = "latest"
	for i := range worldfile.Settings {
		k := &worldfile.Settings[i]
		f.Var(&worldFlag{k, &w.Plan}, k.Key, k.Help)
		_ = f.MarkHidden(k.Key)
	}
	_ = f.MarkHidden("schedule")
	_ = f.MarkHidden("without")
}

// RegisterOutput registers the flags for where results are written and what they decide.
func (s *Settings) RegisterOutput() {
	f, o, g := s.flags, &s.options.Output, &s.options.Gate
	f.StringVar(&o.Dir, "out", DefaultOut, "write report.json, report.html, sightline.sarif, comment.md, summary.md, lcov.info and reproducers to this `DIR`")
	f.StringArrayVar(&s.options.Change.Tracefiles, "lcov", nil, "say which of the lines your own tests reach, by this LCOV tracefile `FILE` of them: forge coverage --report lcov (repeatable)")
	f.StringVar(&g.FailOn, "fail-on", DefaultFailOn, "lowest severity `LEVEL` that fails the gate: none, low, medium, high, critical")
	f.StringVar(&g.Condition, "gate", "", "also fail unless this `CONDITION` holds: \"new_findings(medium) == 0 && reached >= 80%\"")
	f.StringVar(&s.minReached, "min-reached", DefaultMinReached, "name first what was not reached if less than this `SHARE` of the changed lines was: 80%, or 0.8 (the headline only; the gate has its own condition)")
	f.BoolVar(&g.AllowStarved, "allow-starved", false, "let a run pass whose campaign ran too few executions for its targets")
	f.StringVar(&s.waivers, "waivers", "", "accept the findings listed in this `FILE`, each with a reason, an owner and an expiry date")
	f.StringVar(&s.disclosure, "disclosure", DiscloseFull, "which `FINDINGS` to show: full for all, or introduced, which only counts the others (default on public repositories in the action: introduced)")
	f.StringVar(&o.History, "remember", "", "keep findings between runs in this `FILE`: later runs try them first, and show them as still failing or fixed")
	f.StringVar(&o.Bundle, "bundle", "", "also write all output to this `FILE`, a tar with SHA-256 checksums that `sightline replay --bundle` verifies")
	f.StringVar(&s.selfCheck, "self-check", selfCheckOff, "then plant mistakes in the changed lines, one at a time, and say which of them the run would have caught, by its oracles, or as `WHAT` tests also by the project's own Foundry tests")
	f.Lookup("self-check").NoOptDefVal = selfCheckOracles
	f.IntVar(&s.options.SelfCheck.Mutants, "self-check-mutants", defaultMutants, "plant `N` mistakes")
	s.mutantTimeout = defaultMutantTimeout
	f.Var(&s.mutantTimeout, "self-check-timeout", "look for each planted mistake for at most this many `SECONDS`; with --test-limit, for a tenth of its calls")
	f.BoolVar(&o.Render.OmitTimes, "omit-times", false, "omit measured times from report.json, so that equal runs give equal bytes")
}

// Resolve returns the options of a run: it checks values, and determines those that depend on
// other values or on files. It creates the output folder, so that a campaign cannot end with
// a folder that is not writable.
func (s *Settings) Resolve() (*pipeline.Options, error) {
	o := s.Unchecked()
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.has("timeout") {
		if o.Campaign.Calls == 0 || s.flags.Changed("timeout") { // --test-limit alone switches the clock off
			o.Campaign.Timeout = time.Duration(float64(s.timeout) * float64(time.Second))
		}
		if s.flags.Changed("seq-len") {
			o.Campaign.SeqLen = s.seqLen
		}
		if s.afterReached != "" {
			share, _ := parseShare(s.afterReached) // checked
			o.Campaign.AfterReached = &share
		}
		o.Campaign.Exchange = s.exchange()
		var err error
		if o.Campaign.Seeds, err = s.seedSources(); err != nil {
			return nil, err
		}
	}
	if s.has("fail-on") {
		var err error
		if o.Gate.Waivers, err = s.readWaivers(); err != nil {
			return nil, err
		}
		o.Output.OnlyIntroduced = s.disclosure == DiscloseIntroduced
		s.resolveSelfCheck(o)
	}
	return o, nil
}

// mutantShare is the part of the calls of the campaign that is spent on each planted mistake, where calls are counted. Arbitrary: as much as
// all other calls for the default number of them.
const mutantShare = 10

// resolveSelfCheck turns the flags of the self-check into options.
func (s *Settings) resolveSelfCheck(o *pipeline.Options) {
	c := &o.SelfCheck
	if s.selfCheck == selfCheckOff {
		*c = pipeline.SelfCheck{}
		return
	}
	c.Tests = s.selfCheck == selfCheckTests
	if o.Campaign.Timeout > 0 {
		c.Timeout = time.Duration(float64(s.mutantTimeout) * float64(time.Second))
	}
	c.Calls = o.Campaign.Calls / mutantShare
}

// Unchecked returns the options that flags set directly, without checks.
func (s *Settings) Unchecked() *pipeline.Options {
	o := s.options
	o.World.Env, o.Output.Render.Out = o.Change.Env, o.Output.Dir
	_, build := s.places["build"]
	_, base := s.places["base-build"]
	o.Change.Vouched = !build && !base // the caller named them, not the configuration
	return &o
}

// has reports whether a flag is registered.
func (s *Settings) has(flag string) bool { return s.flags.Lookup(flag) != nil }

// Value returns the text of a flag.
func (s *Settings) Value(flag string) string { return s.flags.Lookup(flag).Value.String() }

// Changed reports whether a flag was set, on the command line or by a configuration.
func (s *Settings) Changed(flag string) bool { return s.flags.Changed(flag) }
