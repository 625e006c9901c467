package pipeline

import (
	"strings"

	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// exempt reports places in the code of harnesses that Sightline wrote: they call internal functions
// with arguments that these may not have to expect. It also reports those in tests and scripts, which are deployed if they alone
// hold a changed line: a failure there, in calls in any order, is not a bug. A library's code
// within a test does not count as the test's.
func exempt(c *change.Change, d *deploy.Deployment) func(bytecode.Location) bool {
	return func(l bytecode.Location) bool {
		p := d.Table.Program(l.Code)
		if p == nil {
			return false
		}
		if p.Contract != nil && p.Contract.Generated {
			return true
		}
		if kind, _ := c.TestRole(p.Contract); kind == "" {
			return false
		}
		at, ok := d.Positions.At(l)
		if !ok {
			return true
		}
		kind, _ := c.TestRole(&bytecode.Contract{Source: at.File})
		return kind != "" || strings.HasSuffix("/"+at.File, "/"+strings.TrimPrefix(p.Contract.Source, "/"))
	}
}
