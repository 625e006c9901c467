package change

import (
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Release is a copy of the project's own builds, where debug builds are fuzzed, with the
// code that the change became there.
type Release struct {
	Outputs []*compile.Output
	Table   *bytecode.Table
	// Targets are the lines for which the optimizer left code that stands for them alone;
	// the table is cut there.
	Targets []bytecode.Target
}

// mapRelease finds the change in the release build, while there are ASTs. It leaves out
// lines whose code the optimizer moved or merged.
func (c *Change) mapRelease() {
	debug := slices.ContainsFunc(c.Outputs, func(o *compile.Output) bool { return o.Debug })
	if !debug || len(c.Given) == 0 || slices.ContainsFunc(c.Given, func(o *compile.Output) bool { return o.Debug }) {
		return
	}
	c.Release = &Release{}
	for _, o := range c.Given {
		c.Release.Outputs = append(c.Release.Outputs, o.Copy())
	}
	c.Release.Table = bytecode.NewTable(compile.Contracts(c.Release.Outputs))
	var mapping *diffmap.Mapping
	var err error
	if named := c.options.Targets; len(named) > 0 {
		mapping, err = diffmap.ResolveTargets(c.Release.Outputs, c.Release.Table, named, c.Paths)
	} else {
		mapping, err = diffmap.Map(c.Release.Outputs, c.Release.Table, c.lines, c.Paths)
	}
	if err != nil {
		return
	}
	for _, t := range mapping.Targets {
		if t.Position.Line > 0 {
			c.Release.Targets = append(c.Release.Targets, t)
		}
	}
	c.Release.Table.Cut(mapping.Entries())
}
