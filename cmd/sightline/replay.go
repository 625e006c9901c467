package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/replay"
)

// maxWorldFile bounds world.json: that of a hundred contracts has some 10 MB.
const maxWorldFile = 1 << 30

// maxReproducer bounds a reproducer: the largest sequence has 64 calls of 4,096
// words (input.MaxCallWords) of up to 78 digits.
const maxReproducer = 32 << 20

func (p *program) replayCommand() *cobra.Command {
	var out, bundle string
	var show replayView
	cmd := &cobra.Command{
		Use:   "replay REPRODUCER|ID...",
		Short: "Run a reproducer on go-ethereum and show what it does",
		Long: `Runs the calls of a reproducer on go-ethereum, from the World saved in world.json beside report.json,
shows the call tree with sources, and says whether what the reproducer claims happens.
A finding may be named by its id when --out is the folder of its run.

With --bundle FILE all of a run that was handed on in one file is verified: that no file in it was
changed, that every finding of its report happens and every line is reached, and that the verdict
follows. Nothing is unpacked.

Exit codes: 0 every claim holds, 1 one does not, 2 a reproducer or bundle cannot be read, or was changed.`,
		Example: `  sightline replay sightline-out/reproducers/SL-7f3a.json
  sightline replay SL-7f3a
  sightline replay --trace SL-7f3a
  sightline replay --foundry-test SL-7f3a > test/SL_7f3a.t.sol
  sightline replay sightline-out/reproducers/*.json
  sightline replay --bundle sightline.tar
  sightline replay --bundle sightline.tar SL-7f3a`,
		RunE: func(_ *cobra.Command, args []string) error {
			if show.foundryTest && (len(args) != 1 || show.trace || show.json) {
				return exit.BadInput("--foundry-test prints one reproducer, and nothing else: give one file or id, without --trace and --json")
			}
			if bundle != "" {
				return p.verifyBundle(bundle, args, show)
			}
			if len(args) == 0 {
				return exit.BadInput("replay needs a reproducer: a file of %s/reproducers or the id of a finding", out)
			}
			failed := 0
			for i, arg := range args {
				if i > 0 && !show.json {
					fmt.Fprintln(p.stdout)
				}
				holds, err := p.replay(reproducerPath(arg, out), show)
				if err != nil {
					return err
				}
				if !holds {
					failed++
				}
			}
			if failed > 0 {
				p.exit = exit.Fail
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", defaultOut, "output folder `DIR` of the run that found it")
	cmd.Flags().StringVar(&bundle, "bundle", "", "verify what a run with --bundle wrote to `FILE`: its checksums, and that all that its report says happens; with IDs, show these")
	cmd.Flags().BoolVar(&show.trace, "trace", false, "show all that happens, in order: arguments and results of every call, each source line with changed ones marked, what is stored, events")
	cmd.Flags().BoolVar(&show.json, "json", false, "print one line of JSON for each reproducer")
	cmd.Flags().BoolVar(&show.foundryTest, "foundry-test", false, "print the calls as a Foundry test instead, which inherits the test contract that set up the World")
	cmd.Flags().SortFlags = false
	return cmd
}

// replayView is how a replay is shown.
type replayView struct {
	trace       bool // with all that happens
	json        bool
	foundryTest bool
}

// reproducerPath is the file of an id, or the argument itself.
func reproducerPath(arg, out string) string {
	if _, err := os.Stat(arg); err == nil || strings.ContainsAny(arg, `/\`) {
		return arg
	}
	file := strings.TrimSuffix(arg, ".json") + ".json"
	if upgrade := filepath.Join(out, replay.UpgradeFolder, file); files.IsRegular(upgrade) {
		return upgrade
	}
	return filepath.Join(out, "reproducers", file)
}

// replayed is a reproducer with everything to run it.
type replayed struct {
	path       string
	reproducer *replay.Reproducer
	bundle     *replay.Snapshot
	table      *bytecode.Table
	space      *input.Space
	sequence   input.Sequence
	target     bytecode.Target // the claim's entries
}

// readReproducer reads a reproducer and the world it belongs to.
func readReproducer(path string) (*replayed, error) {
	data, err := files.ReadBounded(path, maxReproducer)
	if err != nil {
		return nil, exit.BadInput("reproducer %s: %v; name one by its file, or by its id with --out DIR of its run", path, files.Plain(err))
	}
	r := &replayed{path: path}
	if r.reproducer, err = replay.ReadReproducer(data); err != nil {
		return nil, exit.BadInput("reproducer %s: %w; make it again with `sightline run`", path, err)
	}
	worldPath := filepath.Join(filepath.Dir(filepath.Dir(path)), replay.SnapshotFile)
	if data, err = files.ReadBounded(worldPath, maxWorldFile); err != nil {
		return nil, exit.BadInput("world of reproducer %s: %s: %v; keep the output folder of a run together", path, worldPath, files.Plain(err))
	}
	if r.bundle, r.table, err = replay.ReadSnapshot(data); err != nil {
		return nil, exit.BadInput("world of reproducer %s: %s: %w; make both again with `sightline run`", path, worldPath, err)
	}
	if err := r.prepare(); err != nil {
		return nil, exit.BadInput("reproducer %s does not fit %s: %w; keep the output folder of a run together", path, worldPath, err)
	}
	return r, nil
}

// prepare reads the sequence and finds the claim's entries in the code.
func (r *replayed) prepare() error {
	options := input.SpaceOptions{}
	for _, d := range r.bundle.Deployable {
		options.Constructors = append(options.Constructors, input.Deployment{Contract: d.Contract, Code: d.Code})
	}
	var err error
	if r.space, err = input.NewSpace(r.bundle.World, options); err != nil {
		return err
	}
	if r.sequence, err = input.Parse(r.space, strings.Join(r.reproducer.Sequence, "\n")+"\n"); err != nil {
		return fmt.Errorf("its sequence: %w", err)
	}
	for _, e := range r.reproducer.Claim.Entries {
		l, err := e.Locate(r.bundle.Contracts)
		if err != nil {
			return err
		}
		r.target.Entries = append(r.target.Entries, l)
	}
	if r.reproducer.Claim.Kind == "line" {
		r.table.Cut(r.target.Entries)
	}
	return nil
}

// replay runs one reproducer, prints what it does, and reports whether its claim
// holds.
func (p *program) replay(path string, show replayView) (bool, error) {
	if data, err := files.ReadBounded(path, maxWorldFile); err == nil && isCase(data) {
		return p.replayCase(path, data, show.json)
	} else if err == nil && replay.IsUpgrade(data) {
		return p.replayUpgrade(path, data, show.json)
	}
	r, err := readReproducer(path)
	if err != nil {
		return false, err
	}
	return p.showReplay(r, show)
}

// showReplay runs a reproducer that was read, prints what it does, and tells
// whether its claim holds.
func (p *program) showReplay(r *replayed, show replayView) (bool, error) {
	if show.foundryTest {
		return p.printFoundryTest(r)
	}
	path := r.path
	machine, err := evm.NewReference(r.bundle.World, r.table, evm.LiftCodeSizeLimits)
	if err != nil {
		return false, exit.BadInput("world of reproducer %s: %w", path, err)
	}
	config := &fuzzer.Config{Space: r.space, Oracles: oracle.All()}
	exec, observed, err := fuzzer.Replay(machine, config, r.sequence)
	if err != nil {
		return false, exit.CannotFuzz("%s: %w", path, err)
	}
	holds := r.holds(exec, observed)
	var trees []*tracedFrame
	if show.trace {
		trees = callTrees(r, exec, r.changedLines())
	}
	if show.json {
		object := map[string]any{
			"reproducer": path, "claim": r.reproducer.Claim, "holds": holds, "steps": describeSteps(r.space, r.sequence, exec),
		}
		if show.trace {
			object["trace"] = trees
		}
		return holds, json.NewEncoder(p.stdout).Encode(object)
	}
	fmt.Fprintln(p.stdout, human.Printable(r.describeClaim()))
	fmt.Fprintln(p.stdout)
	if show.trace {
		p.printTrees(r, trees)
	} else {
		printTrace(p.stdout, r, exec)
	}
	fmt.Fprintln(p.stdout)
	if holds {
		fmt.Fprintln(p.stdout, "confirmed on go-ethereum")
	} else {
		fmt.Fprintln(p.stdout, "NOT confirmed: the calls do not show what the reproducer claims")
	}
	return holds, nil
}

// holds judges the claim.
func (r *replayed) holds(exec *evm.Execution, observed []fuzzer.Observed) bool {
	claim := &r.reproducer.Claim
	if claim.Kind == "line" {
		entered, kept := fuzzer.Enters(r.table, &r.target, exec)
		return entered && (kept || !claim.Kept)
	}
	return slices.ContainsFunc(observed, func(o fuzzer.Observed) bool {
		return o.Oracle == claim.Oracle && slices.Contains(r.target.Entries, o.Location)
	})
}

func (r *replayed) describeClaim() string {
	claim := &r.reproducer.Claim
	at := claim.Contract
	if claim.File != "" {
		at = fmt.Sprintf("%s:%d in %s", claim.File, claim.Line, contractName(claim.Contract))
	}
	if claim.Kind == "line" {
		how := "reaches"
		if !claim.Kept {
			how = "reaches, in a call that reverts,"
		}
		return fmt.Sprintf("%s: %s %s", r.path, how, at)
	}
	return fmt.Sprintf("%s %s: %s at %s", claim.ID, claim.Oracle, claim.Message, at)
}
