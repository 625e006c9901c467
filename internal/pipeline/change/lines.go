package change

import (
	"fmt"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// Lines reports the lines as they are before a campaign, in the order of the mapping.
func (c *Change) Lines() []report.Line {
	lines := []report.Line{}
	if c.Mapping == nil {
		return lines
	}
	for _, l := range c.Mapping.Lines {
		lines = append(lines, report.Line{File: l.Position.File, Line: l.Position.Line, Kind: l.Kind.String(),
			Text: c.LineText(l.Position), Status: string(l.Status), Reason: l.Reason, Unused: l.Unused, Aside: c.Aside(&l), Tests: c.TestsReach(l.Position), Contracts: []string{}})
	}
	return lines
}

// DescribeMapping counts the lines, which were changed or named by the user.
func (c *Change) DescribeMapping() string {
	noun := "changed line"
	if len(c.About.Explicit) > 0 {
		noun = "named line"
	}
	if c.Audits() {
		noun = "line"
	}
	counts := map[diffmap.Status]int{}
	for _, l := range c.Mapping.Lines {
		counts[l.Status]++
	}
	indirect := 0
	for _, l := range c.Mapping.Lines {
		if l.Kind == unified.Indirect {
			indirect++
		}
	}
	text := human.Plural(counts[""]-indirect, noun) + " with bytecode"
	if indirect > 0 {
		text += fmt.Sprintf(", %s changed indirectly", human.Plural(indirect, "function"))
	}
	if n := counts[diffmap.NoBytecode]; n > 0 {
		text += fmt.Sprintf(", %d without", n)
	}
	if n := counts[diffmap.Unmapped]; n > 0 {
		text += fmt.Sprintf(", %d unmapped", n)
	}
	return text
}
