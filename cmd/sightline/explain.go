package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/report"
)

func (p *program) explainCommand() *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain FILE:LINE|CONTRACT:0xPC",
		Short: "Say why a changed line was not reached, and what would help",
		Long: `Says of a changed line of the last run what is on the way to it: the conditions in order, the one
that turned executions away and what it compared, the calls that came closest, what they lacked (an
account, a role, a time, a contract, a signature …) and which functions could provide it. Then it says
what to try: lines to paste into sightline.yml, or a flag. For a line that was reached, it shows how;
for one without bytecode, why it has none.

FILE may be the end of a path. CONTRACT:0xPC is a target that the run was given with --target.

Exit codes: 0 the line is one of the run's, 2 it is not, or the report cannot be read.`,
		Example: `  sightline explain src/Vault.sol:120
  sightline explain Vault.sol:120 --out sightline-out
  sightline explain Vault:0x1a2
  sightline explain --json src/Vault.sol:120`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exit.BadInput("explain needs one place, as FILE:LINE or CONTRACT:0xPC; `%s --help` has examples", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			file := filepath.Join(out, report.JSONFile)
			data, err := files.ReadBounded(file, report.MaxSize)
			if err != nil {
				return exit.BadInput("%s: %v; give the output folder of a run with --out", file, files.Plain(err))
			}
			r, err := report.Read(data)
			if err != nil {
				return exit.BadInput("%s: %w", file, err)
			}
			e, err := r.Explain(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(p.stdout).Encode(e)
			}
			_, err = fmt.Fprint(p.stdout, e.Text(out))
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", config.DefaultOut, "output folder `DIR` of the run")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: the line and its targets as in report.json")
	cmd.Flags().SortFlags = false
	return cmd
}
