package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/exit"
)

// hubProgram is the program of the hub, which this one does not contain: a NATS server would make it half as large again.
const hubProgram = "sightline-hub"

func (p *program) hubCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hub [flags of sightline-hub]",
		Short: "Start the server through which campaigns on many machines exchange inputs",
		Long: `Runs the program sightline-hub, which is next to this one or in PATH, with the same flags:
"sightline hub --help" shows them. It is a program of its own, since it holds a NATS server that nothing
else needs. Campaigns connect with "sightline run --exchange URL".

It is installed by: go install github.com/sightline-evm/sightline/cmd/sightline-hub@latest
Any NATS server with JetStream does as well.`,
		Example: `  sightline hub --store seeds
  sightline run --exchange nats://127.0.0.1:4222`,
		DisableFlagParsing: true, // they are the other program's
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := findHub()
			if err != nil && slices.ContainsFunc(args, func(arg string) bool { return arg == "--help" || arg == "-h" }) {
				return cmd.Help()
			}
			if err != nil {
				return exit.BadInput("%s is neither next to this program nor in PATH; `go install github.com/sightline-evm/sightline/cmd/sightline-hub@latest` installs it, and any NATS server with JetStream does as well", hubProgram)
			}
			hub := exec.CommandContext(cmd.Context(), name, args...)
			hub.Stdin, hub.Stdout, hub.Stderr = p.stdin, p.stdout, p.stderr
			hub.Cancel = func() error { return hub.Process.Signal(syscall.SIGTERM) }
			var ended *exec.ExitError
			if err = hub.Run(); errors.As(err, &ended) && ended.ExitCode() >= 0 { // it has said why
				p.exit, err = ended.ExitCode(), nil
			}
			return err
		},
	}
}

// findHub finds the hub's program.
func findHub() (string, error) {
	if own, err := os.Executable(); err == nil {
		if name, err := exec.LookPath(filepath.Join(filepath.Dir(own), hubProgram)); err == nil {
			return name, nil
		}
	}
	return exec.LookPath(hubProgram)
}
