package main

import (
	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/setup"
)

func (p *program) initCommand() *cobra.Command {
	var check bool
	o := &setup.Options{Folder: ".", Version: version}
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Set a project up: what of its last change can be fuzzed, a configuration, a workflow",
		Long: `Finds the projects in a folder (Foundry, Hardhat, truffle, or sources alone), compiles what the last merge
or commit that changed a contract concerns, and deploys it, without fuzzing. It says which changed lines can
be fuzzed, and of all others what is in the way: contracts that could not be deployed and why, lines without
bytecode, files that nothing reads, each with the setting that would help.

Then it writes sightline.yml and .github/workflows/sightline.yml for these projects. Files that are there stay
as they are, unless --force is given. --dry-run prints the files, and writes nothing.

--check looks at files that are there instead: unknown keys and values in sightline.yml, files, contracts and
functions that it names and that do not exist, and what the workflow lacks (permissions, the depth of the
checkout, a version of the action that stays the same). It compiles only where contracts are named.

Exit codes: 0 written, or nothing is wrong, 2 bad input, or --check found faults, 3 the files were written, but
nothing could be deployed yet, 130 canceled.`,
		Example: `  sightline init
  sightline init --dry-run
  sightline init packages/core
  sightline init --base v1.2.0
  sightline init --check`,
		Args: atMostOneFolder,
	}
	settings := config.New(cmd.Flags())
	settings.RegisterSetup()
	cmd.Flags().BoolVar(&o.Force, "force", false, "write over files that are there")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "print the files, and write nothing")
	cmd.Flags().BoolVar(&check, "check", false, "look for mistakes in the files that are there, and write nothing")
	cmd.Flags().SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if check && (o.Force || o.DryRun) {
			return exit.BadInput("--check writes nothing: it cannot be combined with --force or --dry-run")
		}
		if len(args) > 0 {
			o.Folder = args[0]
		}
		settings.SetRoot(o.Folder)
		o.Out, o.Log = p.stdout, progress.NewLog(p.stdout, p.now)
		if o.DryRun {
			o.Log = progress.NewLog(p.stderr, p.now) // the files alone on standard output
		}
		load := func() (*pipeline.Options, error) {
			if !o.Force { // else the file that is there is about to go
				if err := settings.Load(); err != nil {
					return nil, err
				}
			}
			run, err := settings.Resolve()
			if err != nil {
				return nil, err
			}
			run.Tool, run.Now, run.Log, run.Change.Stdin = tool(), p.now, o.Log, p.stdin
			return run, nil
		}
		if check {
			return setup.Check(cmd.Context(), o, load)
		}
		var err error
		if o.Run, err = load(); err != nil {
			return err
		}
		return setup.Init(cmd.Context(), o)
	}
	return cmd
}
