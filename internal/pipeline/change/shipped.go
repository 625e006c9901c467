package change

import (
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Shipped are copies of the project's own builds, where debug builds are fuzzed, with the
// code that the change became there.
type Shipped struct {
	Outputs []*compile.Output
	Table   *bytecode.Table
	// Targets are the lines for which the optimizer left code that stands for them alone;
	// the table is cut there.
	Targets []bytecode.Target
}

// mapShipped finds the change in the code that ships, while there are ASTs. It leaves out
// lines whose code the optimizer moved or merged.
func (c *Change) mapShipped() {
	debug := slices.ContainsFunc(c.Outputs, func(o *compile.Output) bool { return o.Debug })
	if !debug || len(c.Given) == 0 || slices.ContainsFunc(c.Given, func(o *compile.Output) bool { return o.Debug }) {
		return
	}
	c.Shipped = &Shipped{}
	for _, o := range c.Given {
		c.Shipped.Outputs = append(c.Shipped.Outputs, o.Copy())
	}
	c.Shipped.Table = bytecode.NewTable(compile.Contracts(c.Shipped.Outputs))
	var mapping *diffmap.Mapping
	var err error
	if named := c.options.Targets; len(named) > 0 {
		mapping, err = diffmap.ResolveTargets(c.Shipped.Outputs, c.Shipped.Table, named, c.Paths)
	} else {
		mapping, err = diffmap.Map(c.Shipped.Outputs, c.Shipped.Table, c.lines, c.Paths)
	}
	if err != nil {
		return
	}
	for _, t := range mapping.Targets {
		if t.Position.Line > 0 {
			c.Shipped.Targets = append(c.Shipped.Targets, t)
		}
	}
	c.Shipped.Table.Cut(mapping.Entries())
}
