package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/progress"
)

const runExamples = `  # what the working tree changed compared with the default branch
  sightline run

  # a diff and a build made elsewhere, for half a minute
  sightline run --diff pr.diff --build out/build-info --timeout 30

  # the same result every time
  sightline run --base main --seed 7 --workers 1 --test-limit 50000 --omit-times

  # with what your own tests reach: which lines neither they nor the campaign do
  forge coverage --report lcov && sightline run --lcov lcov.info

  # whole contracts, without a base
  sightline run --audit
  sightline run --audit contracts/Vault.sol contracts/lending

  # one of eight machines that share a campaign, see sightline plan --help
  sightline run --plan sightline-plan.tar --shard 0/8 --out shard-0

  # with what other machines find that fuzz the same at the same time, through a hub
  sightline run --exchange nats://127.0.0.1:4222

  # one place in a contract, without a diff
  sightline run --build build-info.json --target Vault:0x1a2 --target src/Vault.sol:88`

func (p *program) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [--audit [PATH...]]",
		Short: "Fuzz what changed and report",
		Long: `Maps the changed lines to bytecode, fuzzes toward them within the time limit, and writes
report.json, report.html, sightline.sarif, comment.md, summary.md, lcov.info and one reproducer per
reached line and finding to the output folder. Nothing is reported as happening unless it was replayed on
go-ethereum.

Without --base and --diff, the working tree is compared with the merge base of the default branch.
Without --build, Sightline compiles what the change concerns of a Foundry project itself, with the
settings that forge says, or if forge is not installed, that foundry.toml does. Of a Hardhat or
truffle project, an existing build of the same sources is read; else Hardhat makes one. Other
sources are compiled with the newest solc that their pragmas allow. Compilers come from --solc, the
environment variable SOLC, PATH, the caches of Foundry and Hardhat, or npm; a release that the
machine lacks is downloaded and checked. What they answer is cached, so that the next run is quick.
A change of comments or layout alone is not compiled at all.

With --lcov, the report says which of the lines your own tests reach, by an LCOV tracefile of them.

With --audit there is no change and no base: every line of the contracts under test, or of the files
and folders that are named, is a target, and what compares with a base does not watch. The gate is
the same: findings of --fail-on or above fail it. Sources without a build tool that do not compile are
named and left out.

With --plan, it only fuzzes, by what "sightline plan" wrote, and leaves its results to "sightline merge".`,
		Example: runExamples,
		Args:    cobra.ArbitraryArgs,
	}
	settings := config.New(cmd.Flags())
	settings.RegisterAll()
	settings.RegisterShard()
	settings.RegisterExchange()
	cmd.Flags().SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if settings.Shards() {
			return p.fuzzShard(cmd.Context(), settings, args)
		}
		if audits, _ := cmd.Flags().GetBool("audit"); !audits && len(args) > 0 {
			return noArguments(cmd, args)
		}
		settings.SetPaths(args)
		if err := settings.Load(); err != nil {
			return err
		}
		return p.fuzz(cmd.Context(), settings, "")
	}
	return cmd
}

// fuzzShard fuzzes by a plan, and sets the program's exit code.
func (p *program) fuzzShard(ctx context.Context, settings *config.Settings, paths []string) error {
	o, err := settings.ResolveShard(paths)
	if err != nil {
		return err
	}
	o.Tool, o.Now, o.Log = tool(), p.now, progress.NewLog(p.stdout, p.now)
	_, err = pipeline.Shard(ctx, o)
	if err == nil && ctx.Err() != nil {
		p.exit = exit.Canceled
	}
	return err
}
