package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

const runExamples = `  # what the working tree changed against the default branch
  sightline run

  # a diff and a build made elsewhere, half a minute
  sightline run --diff pr.diff --build out/build-info --timeout 30

  # the same result every time
  sightline run --base main --seed 7 --workers 1 --test-limit 50000 --omit-times

  # one place in a contract, without a diff
  sightline run --build build-info.json --target Vault:0x1a2 --target src/Vault.sol:88`

func (p *program) runCommand() *cobra.Command {
	var project projectFlags
	var campaign campaignFlags
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Fuzz what changed and report",
		Long: `Maps the changed lines to bytecode, fuzzes toward them within the time limit, and writes
report.json, sightline.sarif, comment.md, summary.md and one reproducer per reached line and
finding to the output folder. Nothing is reported that was not replayed on go-ethereum.

Without --base and --diff the working tree is compared with the merge base of the default branch.
Without --build the projects that the change touches are built by their own tools, or their ready
builds are read; plain Solidity sources are compiled with the newest solc that their pragmas
allow: --solc, the environment variable SOLC, PATH, the caches of Foundry and Hardhat, or npm's.`,
		Example: runExamples,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := project.configure(cmd.Flags()); err != nil {
				return err
			}
			if err := errors.Join(campaign.check(), output.check()); err != nil {
				return err
			}
			show := progress.NewLog(p.stdout, p.now)
			pr, err := p.loadProject(cmd.Context(), &project, show)
			if err != nil {
				return err
			}
			_, err = p.fuzz(cmd.Context(), pr, &campaign, &output, cmd.Flags(), show)
			return err
		},
	}
	project.register(cmd.Flags())
	campaign.register(cmd.Flags())
	output.register(cmd.Flags())
	cmd.Flags().SortFlags = false
	return cmd
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return exit.BadInput("unexpected argument %q; `%s --help` shows how it is called", args[0], cmd.CommandPath())
	}
	return nil
}

// fuzz is the main job from a loaded project on: World, campaign, report. It
// sets the program's exit code, and returns the report it has written.
func (p *program) fuzz(ctx context.Context, pr *project, flags *campaignFlags, output *outputFlags, set *pflag.FlagSet, show *progress.Log) (*report.Report, error) {
	waivers, err := output.readWaivers(pr.root)
	if err != nil {
		return nil, err
	}
	r := newReport(pr, output.failOn)
	r.Gate = output.gate
	kept := readMemory(output.remember, cmp.Or(output.pushed, r.Diff.Head), r)
	var left replay.Files
	if pr.mapping != nil {
		show.Line("targets %s", describeMapping(pr))
	}
	if pr.mapping == nil || len(pr.mapping.Targets) == 0 {
		r.Lines = linesOnly(pr)
		pr.compareLayouts(ctx, nil, r, show)
		kept.leave(r)
	} else {
		if err := flags.readState(); err != nil {
			return nil, err
		}
		if err := flags.openChain(ctx, show); err != nil {
			return nil, err
		}
		if err := flags.recordScript(ctx, pr, show); err != nil {
			return nil, err
		}
		c, err := deploy(ctx, pr, flags, show)
		if err != nil {
			return nil, err
		}
		show.Line("world   %s", describeWorld(c))
		for _, text := range append(c.failedSetUps(), c.setup.Notes...) {
			show.Line("        %s", human.Printable(text))
		}
		clashes := pr.compareLayouts(ctx, c, r, show)
		c.silent = output.disclose == discloseIntroduced
		c.recall(kept)
		if err := c.run(ctx, p, flags, set, show); err != nil {
			return nil, err
		}
		a, err := c.assemble(ctx, r, show)
		if err != nil {
			return nil, err
		}
		a.showClashes(ctx, clashes, show)
		flags.closeChain(r)
		a.compareWithMemory(kept)
		left = a.left
		left.World = c.writtenWorld(flags, r)
		left.Snapshot = c.snapshot()
	}
	canceled := errors.Is(ctx.Err(), context.Canceled)
	if ctx.Err() != nil {
		r.Warnings = append(r.Warnings, cutShort(ctx))
	}
	report.Waive(r, waivers, p.now())
	report.Decide(r)
	if output.disclose == discloseIntroduced {
		r.Withhold()
	}
	kept.write(r, left.Reproducers)
	options := output.options()
	options.Source, options.Canceled = pr.source, canceled
	if err := p.write(output, r, options, &left); err != nil {
		return nil, exit.BadInput("%w", err)
	}
	fmt.Fprintln(p.stdout)
	if err := report.Terminal(p.stdout, r, options, show.Color()); err != nil {
		return nil, err
	}
	p.exit = report.ExitCode(r.Verdict)
	if canceled {
		p.exit = exit.Canceled
	}
	return r, nil
}

// cutShort says why a run ended before its limit.
func cutShort(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "the time for the whole run was used up before its end: this is what was known by then"
	}
	return "the run was canceled before its limit: this is what was known by then"
}

// write leaves everything in the output folder, and in one file where that is asked
// for.
func (p *program) write(output *outputFlags, r *report.Report, options report.Options, left *replay.Files) error {
	rendered, err := report.Render(r, options)
	if err != nil {
		return err
	}
	bundle, err := replay.Pack(r, rendered, left)
	if err != nil {
		return err
	}
	if err := bundle.WriteFolder(output.out); err != nil || output.bundle == "" {
		return err
	}
	if output.packed, err = bundle.WriteTar(output.bundle); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "bundle  %s, SHA-256 %s\n", human.Printable(output.bundle), output.packed)
	return nil
}

// snapshot is what the reproducers need to run without the project.
func (c *campaign) snapshot() *replay.Snapshot {
	return &replay.Snapshot{World: c.world, Contracts: c.contracts(), Lines: c.positions.At, Variables: variables(c.outputs), Deployable: c.space.Options.Constructors}
}

// contracts are those of the build, and those that Sightline brought into the World.
func (c *campaign) contracts() []*bytecode.Contract {
	list := slices.Clip(c.table.Contracts())
	for _, in := range c.world.Instances {
		if in.Contract != nil && world.IsBrought(in.Contract) && !slices.Contains(list, in.Contract) {
			list = append(list, in.Contract)
		}
	}
	return list
}

// source serves the head version's text of a file to the report.
func (pr *project) source(file string) ([]byte, bool) {
	text, err := pr.head(file)
	return text, err == nil
}

func describeWorld(c *campaign) string {
	text := "automatic: "
	if names := setUpNames(c.setup); names != "" {
		text = "set up by " + names + ": "
	}
	if c.deployment.plan != nil && (len(c.deployment.plan.Steps) > 0 || c.deployment.plan.Recorded != nil) {
		text = "as configured: "
	}
	for i, in := range c.world.Instances {
		if i == 6 { // the rest is in the report
			text += fmt.Sprintf(" and %d more", len(c.world.Instances)-i)
			break
		}
		if i > 0 {
			text += ", "
		}
		text += in.Name
	}
	if len(c.world.Instances) == 0 {
		text += "nothing could be deployed"
	}
	if n := len(failures(c.setup)); n > 0 {
		text += fmt.Sprintf(" (%d not deployable)", n)
	}
	if n := len(c.setup.LeftOut); n > 0 {
		text += fmt.Sprintf(" (%d left out)", n)
	}
	return text
}

// sortedContracts lists the contracts that hold a line.
func sortedContracts(targets []bytecode.Target, indices []int) []string {
	names := []string{}
	for _, i := range indices {
		names = append(names, targets[i].Contract)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
