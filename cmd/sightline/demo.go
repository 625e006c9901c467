package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/examples"
	"github.com/sightline-evm/sightline/internal/config"
)

// defaultExample needs an ordered sequence with a repeated call, and takes only
// seconds.
const defaultExample = "crowdsale"

func (p *program) demoCommand() *cobra.Command {
	var example string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Fuzz an embedded example, without a compiler or network",
		Long: fmt.Sprintf(`Does exactly what "sightline run" does, on a small pull request that is embedded in the program with
its sources, diff and compiler output. Examples: %s.`, strings.Join(examples.Names(), ", ")),
		Example: `  sightline demo
  sightline demo --example vault --timeout 60 --out vault-out`,
		Args: noArguments,
	}
	cmd.Flags().StringVar(&example, "example", defaultExample, "`NAME` of the example")
	settings := config.New(cmd.Flags())
	settings.RegisterCampaign()
	settings.RegisterOutput()
	_ = cmd.Flags().MarkHidden("lcov") // an example's tests have not run
	cmd.Flags().SortFlags = false
	_ = cmd.Flags().Set("timeout", "20") // seconds: a demonstration's patience
	cmd.Flags().Lookup("timeout").DefValue = "20"
	cmd.Flags().Lookup("timeout").Changed = false
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return p.fuzz(cmd.Context(), settings, example) }
	return cmd
}
