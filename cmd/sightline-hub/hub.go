package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/exchange"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/hub"
	"github.com/sightline-evm/sightline/internal/human"
)

// version is the program's version; releases set it when linking.
var version = "0.1.0-dev"

// run runs the program and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cmd := command(stdout, stderr)
	cmd.SetArgs(args)
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(stderr, "sightline-hub: %v\n", err)
		return exit.Code(err, exit.Input)
	}
	return exit.Pass
}

const help = `Takes inputs that show something new from the workers of a campaign, and gives them to the others:

  sightline run --exchange nats://127.0.0.1:4222 ...

It keeps them in a folder, within bounds, and drops the oldest. It has no reports and no findings: an input in
which an oracle sees anything is never sent. Without it, workers go on alone, and find it when it is back.

Beyond this machine it listens with TLS and a token alone. Workers know the token by the environment variable
` + exchange.TokenVariable + `, or a file.

Exit codes: 0 ended by a signal, 2 bad input, 3 cannot listen or keep inputs.`

const examples = `  # workers on this machine
  sightline-hub --store seeds

  # workers on others
  openssl rand -hex 32 > token
  sightline-hub --listen 0.0.0.0:4222 --store /var/lib/sightline --token-file token --tls-cert hub.pem --tls-key hub.key
  ` + exchange.TokenVariable + `=$(cat token) sightline run --exchange tls://hub.example:4222 --exchange-ca ca.pem`

func command(stdout, stderr io.Writer) *cobra.Command {
	o := hub.Options{Log: func(text string) { fmt.Fprintln(stderr, human.Printable(text)) }}
	var tokenFile string
	cmd := &cobra.Command{
		Use: "sightline-hub", Short: "The server of sightline's live exchange", Long: help, Example: examples, Version: version,
		Args: cobra.NoArgs, SilenceErrors: true, SilenceUsage: true, CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	f := cmd.Flags()
	f.StringVar(&o.Listen, "listen", "127.0.0.1:4222", "take connections at this `HOST:PORT`; beyond this machine, --tls-cert, --tls-key and --token-file are needed")
	f.StringVar(&o.Store, "store", "sightline-hub-store", "keep inputs in this `DIR`")
	f.StringVar(&tokenFile, "token-file", "", "let workers in that know the token in this `FILE` (or in "+exchange.TokenVariable+")")
	f.StringVar(&o.Cert, "tls-cert", "", "`FILE` with the hub's certificate and those above it, PEM")
	f.StringVar(&o.Key, "tls-key", "", "`FILE` with the certificate's key, PEM")
	f.Int64Var(&o.MaxBytes, "max-bytes", exchange.DefaultMaxBytes, "keep at most this many `BYTES` of inputs")
	f.SortFlags = false
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if o.Token, err = readToken(tokenFile); err != nil {
			return err
		}
		if o.Store, err = filepath.Abs(o.Store); err != nil {
			return exit.BadInput("--store: %w", err)
		}
		folder, err := files.OpenFolder(o.Store, true)
		if err != nil {
			return exit.BadInput("--store %s cannot be created: %v; choose a writable folder", o.Store, files.Plain(err))
		}
		folder.Close()
		h, err := hub.Start(cmd.Context(), o)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "sightline-hub is ready at %s\n", h.URL())
		if o.Token == "" {
			fmt.Fprintln(stdout, "without a token, every program on this machine may send inputs and read them")
		}
		<-cmd.Context().Done()
		h.Stop()
		return nil
	}
	return cmd
}

// readToken reads the token that workers have to know; empty: none.
func readToken(file string) (string, error) {
	if file == "" {
		return os.Getenv(exchange.TokenVariable), nil
	}
	data, err := files.ReadBounded(file, exchange.MaxSecret)
	if err != nil {
		return "", exit.BadInput("--token-file %s: %v", file, files.Plain(err))
	}
	token := strings.TrimSpace(string(data))
	if token == "" {
		return "", exit.BadInput("--token-file %s is empty: `openssl rand -hex 32` makes a token", file)
	}
	return token, nil
}
