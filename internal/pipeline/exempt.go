package pipeline

import (
	"strings"

	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// exempt reports places in the code of harnesses that Sightline wrote, and of libraries that nothing else is linked to: they are
// called with arguments that they may not have to expect. It also reports those in tests, scripts and mocks: tests are deployed if
// they alone hold a changed line, and mocks where functions ask for one. A failure there, in calls in any order, is not a bug, and
// their code is not shipped. The code of a library or of a base contract under test does not count as theirs.
func exempt(c *change.Change, d *deploy.Deployment) func(bytecode.Location) bool {
	return func(l bytecode.Location) bool {
		p := d.Table.Program(l.Code)
		if p == nil {
			return false
		}
		if p.Contract != nil && (p.Contract.Generated || p.Contract.Library && c.OnlyHarnessed(p.Contract.QualifiedName())) {
			return true
		}
		if !c.IsAside(p.Contract) {
			return false
		}
		at, ok := d.Positions.At(l)
		if !ok {
			return true
		}
		if c.IsAside(&bytecode.Contract{Source: at.File}) {
			return true
		}
		kind, _ := c.TestRole(p.Contract)
		return kind != "" && strings.HasSuffix("/"+at.File, "/"+strings.TrimPrefix(p.Contract.Source, "/"))
	}
}
