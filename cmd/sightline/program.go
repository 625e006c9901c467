package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// version is the program's version; releases set it when linking.
var version = "0.1.0-dev"

// program is the edge of the tool: where it reads and writes.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	now            func() time.Time
	sleep          func(context.Context, time.Duration) error // between calls of an API
	exit           int                                        // of a command that ended without an error
}

func newProgram(stdin io.Reader, stdout, stderr io.Writer) *program {
	return &program{stdin: stdin, stdout: stdout, stderr: stderr, now: time.Now, sleep: sleep}
}

// sleep waits, unless the context ends first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

const help = `Sightline fuzzes what a pull request changed in an Ethereum contract project: it maps each
changed line to the bytecode compiled from it, runs a time-boxed campaign toward it, and reports
which changed lines were reached, how, and what broke.

Exit codes: 0 pass or nothing to do, 1 the gate failed, 2 bad input or configuration,
3 could not fuzz, 130 canceled.`

// main runs the program and returns its exit code.
func (p *program) main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	root := &cobra.Command{
		Use:   "sightline",
		Short: "Fuzzes what a pull request changed in an Ethereum contract project",
		Long:  help,
		Example: `  sightline demo
  sightline init
  sightline run --base main
  sightline map --diff pr.diff
  sightline explain src/Vault.sol:120
  sightline replay sightline-out/reproducers/*.json`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.SetArgs(args)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit.BadInput("%s; `%s --help` lists the flags", describeFlagError(err), cmd.CommandPath())
	})
	root.SuggestionsMinimumDistance = 2 // letters; what cobra uses itself
	root.AddCommand(p.initCommand(), p.runCommand(), p.planCommand(), p.mapCommand(), p.replayCommand(), p.testsCommand(), p.explainCommand(), p.lawsCommand(), p.lookaheadCommand(), p.demoCommand(), p.watchCommand(), p.openCommand(), p.doctorCommand(), p.hubCommand(), p.actionCommand())

	if err := root.ExecuteContext(ctx); err != nil {
		if ctx.Err() != nil {
			fmt.Fprintln(p.stderr, "sightline: canceled")
			return exit.Canceled
		}
		fmt.Fprintf(p.stderr, "sightline: %v\n", err)
		return exit.Code(err, exit.Input) // cobra's own errors are about arguments and flags
	}
	return p.exit
}

// describeFlagError describes what pflag found wrong with a flag in our own words.
func describeFlagError(err error) string {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			return "unknown flag -" + short
		}
		return "unknown flag --" + unknown.GetSpecifiedName()
	case errors.As(err, &missing):
		return fmt.Sprintf("--%s needs a value", missing.GetSpecifiedName())
	case errors.As(err, &value):
		if kind := value.GetFlag().Value.Type(); config.Wanted(kind) != kind {
			return fmt.Sprintf("--%s %q: want %s", value.GetFlag().Name, value.GetValue(), config.Wanted(kind))
		}
	}
	return err.Error()
}

func unknownCommand(root *cobra.Command, name string) error {
	if near := root.SuggestionsFor(name); len(near) > 0 {
		return exit.BadInput("unknown command %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	return exit.BadInput("unknown command %q; `sightline --help` lists the commands", name)
}

// noArguments rejects arguments that are not flags.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return exit.BadInput("unexpected argument %q; `%s --help` shows the usage", args[0], cmd.CommandPath())
	}
	return nil
}

// atMostOneFolder takes the folder of a project, or none for the current one.
func atMostOneFolder(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return exit.BadInput("unexpected argument %q: name one folder; `%s --help` shows the usage", args[1], cmd.CommandPath())
	}
	return nil
}

// tool identifies this program in reports.
func tool() report.Tool { return report.Tool{Name: "sightline", Version: version} }

// errOutdated ends a run of which the result is not wanted any more.
var errOutdated = errors.New("the sources have changed")

// fuzz runs the pipeline with a command's settings, on an embedded example if one is named.
// It prints the result and sets the program's exit code.
func (p *program) fuzz(ctx context.Context, settings *config.Settings, example string) error {
	o, err := settings.Resolve()
	if err != nil {
		return err
	}
	o.Tool, o.Now, o.Log = tool(), p.now, progress.NewLog(p.stdout, p.now)
	o.Change.Stdin, o.Change.Example = p.stdin, example
	settings.Announce(o.Log)
	r, err := pipeline.Run(ctx, o)
	if err != nil {
		return err
	}
	if errors.Is(context.Cause(ctx), errOutdated) {
		return nil
	}
	fmt.Fprintln(p.stdout)
	p.exit = report.ExitCode(r.Verdict)
	render := o.Output.Render
	if errors.Is(ctx.Err(), context.Canceled) {
		p.exit, render.Canceled = exit.Canceled, true
	}
	return report.Terminal(p.stdout, r, render, o.Log.Color())
}
