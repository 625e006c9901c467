package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/examples"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// defaultExample shows an ordered sequence with a repeated call, and is done in
// seconds.
const defaultExample = "crowdsale"

func (p *program) demoCommand() *cobra.Command {
	var campaign campaignFlags
	var output outputFlags
	var example string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the main job on an embedded example, without compiler or network",
		Long: fmt.Sprintf(`Runs exactly what "sightline run" does on a small pull request that comes with the program: sources,
diff and compiler output are embedded. Examples: %s.`, strings.Join(examples.Names(), ", ")),
		Example: `  sightline demo
  sightline demo --example vault --timeout 60 --out vault-out`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(campaign.check(), output.check()); err != nil {
				return err
			}
			show := progress.NewLog(p.stdout, p.now)
			pr, err := loadExample(example, show)
			if err != nil {
				return err
			}
			_, err = p.fuzz(cmd.Context(), pr, &campaign, &output, cmd.Flags(), show)
			return err
		},
	}
	cmd.Flags().StringVar(&example, "example", defaultExample, "`NAME` of the example")
	campaign.register(cmd.Flags())
	output.register(cmd.Flags())
	cmd.Flags().SortFlags = false
	_ = cmd.Flags().Set("timeout", "20") // seconds: a demonstration's patience
	cmd.Flags().Lookup("timeout").DefValue = "20"
	cmd.Flags().Lookup("timeout").Changed = false
	return cmd
}

// loadExample is loadProject on embedded files.
func loadExample(name string, show *progress.Log) (*project, error) {
	files, err := examples.Load(name)
	if err != nil {
		return nil, exit.BadInput("--example: %w", err)
	}
	read := func(path string) []byte {
		data, readErr := fs.ReadFile(files, path)
		err = errors.Join(err, readErr)
		return data
	}
	patch, in, out := read("pr.diff"), read("build/head.input.json"), read("build/head.output.json")
	if err != nil {
		return nil, fmt.Errorf("the embedded example is damaged: %w", err)
	}
	pr := &project{
		about: report.Diff{Base: "example " + name, Head: "sources"},
		read:  func(path string) ([]byte, error) { return fs.ReadFile(files, "head/"+path) },
	}
	if pr.diff, err = diffmap.ParseDiff(bytes.TrimLeft(patch, "\n"), diffmap.Limits{}); err != nil {
		return nil, fmt.Errorf("the embedded example is damaged: %w", err)
	}
	output, err := build.ReadSolc(in, out, "embedded solc output", build.Limits{})
	if err != nil {
		return nil, fmt.Errorf("the embedded example is damaged: %w", err)
	}
	// Made by examples/build.mjs with the settings of the mapping build.
	output.Mapping, output.Compiler = true, examples.Compiler
	pr.base = func(context.Context, *progress.Log) ([]diffmap.BaseSide, error) {
		base, err := build.ReadSolc(read("build/base.input.json"), read("build/base.output.json"), "embedded solc output", build.Limits{})
		if err != nil {
			return nil, err
		}
		base.Mapping, base.Compiler = true, examples.Compiler
		return []diffmap.BaseSide{{Head: output, Base: base}}, nil
	}
	pr.outputs = []*build.Output{output}
	pr.about.Files = len(pr.diff.Files)
	show.Line("diff    %s", pr.describeDiff())
	show.Line("build   embedded, %s", human.Plural(len(output.Contracts), "contract"))
	pr.table = bytecode.NewTable(build.Contracts(pr.outputs))
	if err := pr.mapTargets(nil); err != nil {
		return nil, err
	}
	pr.table.Cut(pr.mapping.Entries())
	return pr, nil
}
