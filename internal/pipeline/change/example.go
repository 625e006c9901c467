package change

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/examples"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// readExample is [Read] on embedded files.
func readExample(ctx context.Context, o *Options, log *progress.Log) (*Change, error) {
	if len(o.Tracefiles) > 0 {
		return nil, exit.BadInput("--lcov: an example has no tests of its own; leave it out")
	}
	name := o.Example
	embedded, err := examples.Load(name)
	if err != nil {
		return nil, exit.BadInput("--example: %w", err)
	}
	read := func(path string) []byte {
		data, readErr := fs.ReadFile(embedded, path)
		err = errors.Join(err, readErr)
		return data
	}
	damaged := func(err error) error { return fmt.Errorf("the embedded example is damaged: %w", err) }
	patch, in, out := read("pr.diff"), read("build/head.input.json"), read("build/head.output.json")
	if err != nil {
		return nil, damaged(err)
	}
	c := &Change{
		About:   report.Diff{Base: "example " + name, Head: "sources"},
		options: &Options{Example: name},
		log:     log,
		read:    func(path string) ([]byte, error) { return fs.ReadFile(embedded, "head/"+path) },
	}
	if c.Diff, err = unified.Parse(bytes.TrimLeft(patch, "\n"), unified.Limits{}); err != nil {
		return nil, damaged(err)
	}
	output, err := compile.ReadSolc(in, out, "embedded solc output", reading.Limits{})
	if err != nil {
		return nil, damaged(err)
	}
	// Made by examples/build.mjs with the settings of the debug build.
	output.MarkDebug()
	output.Compiler = examples.Compiler
	c.base = func(context.Context) ([]diffmap.BaseSide, error) {
		base, err := compile.ReadSolc(read("build/base.input.json"), read("build/base.output.json"), "embedded solc output", reading.Limits{})
		if err != nil {
			return nil, err
		}
		base.MarkDebug()
		base.Compiler = examples.Compiler
		return []diffmap.BaseSide{{Head: output, Base: base}}, nil
	}
	c.Outputs = []*compile.Output{output}
	c.About.Files = len(c.Diff.Files)
	log.Line("diff    %s", c.describeDiff())
	log.Line("build   embedded, %s", human.Plural(len(output.Contracts), "contract"))
	c.Table = bytecode.NewTable(compile.Contracts(c.Outputs))
	if err := c.mapTargets(ctx, nil); err != nil {
		return nil, err
	}
	c.Table.Cut(c.Mapping.Entries())
	return c, nil
}
