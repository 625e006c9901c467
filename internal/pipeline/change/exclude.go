package change

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
)

// maxTargets bounds the targets of a campaign, lines in contracts. Arbitrary: each costs
// the analysis and the scheduler memory and time, and a tenth of the bound (all of
// @openzeppelin/contracts 4.9.4 changed at once) is already more than a campaign reaches in
// minutes.
const maxTargets = 20_000

// exclude removes the targets that a campaign should not aim at: lines that the user
// ignores, the project's tests and scripts, and targets beyond the limit. Targets named by
// the user stay.
func (c *Change) exclude(limit int) {
	if len(c.About.Explicit) > 0 {
		return
	}
	contracts := map[string]*bytecode.Contract{}
	for _, contract := range c.Table.Contracts() {
		contracts[contract.QualifiedName()] = contract
	}
	ignored := map[bytecode.Position]bool{}
	c.Mapping.Exclude(diffmap.NoBytecode, func(l *diffmap.Line, t *bytecode.Target) string {
		pattern, taken, ok := c.ignore.Match(l.Position.File)
		if ok && taken {
			return ""
		}
		if from, _ := c.movedAside(l.Position.File); ok && from == "" {
			ignored[l.Position] = true
			return "excluded by --ignore " + pattern
		}
		if t == nil {
			return c.unmappedTestCode(l)
		}
		why, spare := c.testCode(l, contracts[t.Contract], contracts)
		if spare && len(c.Spare) < maxTargets {
			c.Spare = append(c.Spare, *t)
		}
		return why
	})
	if n := len(ignored); n > 0 {
		c.log.Warn("%s excluded by --ignore", human.Plural(n, "changed line"))
	}
	c.limitTargets(contracts, limit)
}

// testCode says why a line of a contract is not a target: the contract is a test or a
// script, and the line is in a test's file too, or also in a contract under test. A
// library's line that only tests hold stays, and so does one that mocks hold as well: which
// of them uses it is unknown. A line of the third kind, in a test, is spare.
func (c *Change) testCode(l *diffmap.Line, holder *bytecode.Contract, contracts map[string]*bytecode.Contract) (why string, spare bool) {
	kind, why := c.TestRole(holder)
	if kind == "" {
		return "", false
	}
	if _, here := fileTestRole(l.Position.File); here != "" {
		return fmt.Sprintf("%s code: %s", kind, here), false
	}
	if isAt(l.Position.File, holder.Source) {
		return fmt.Sprintf("%s code: %s", kind, why), false
	}
	for _, i := range l.Targets {
		other := contracts[c.Mapping.Targets[i].Contract]
		if other == nil {
			continue
		}
		if role, _ := world.RoleOf(other); role == world.UnderTest {
			return fmt.Sprintf("%s code: %s", kind, why), kind == world.Test.String()
		}
	}
	return "", false
}

// UseSpare makes spare targets of some contracts and lines targets, before a campaign begins.
func (c *Change) UseSpare(use func(contract string, line bytecode.Position) bool) {
	for _, t := range c.Spare {
		if use(t.Contract, t.Position) {
			c.Mapping.Include(t)
		}
	}
	c.Spare = nil
}

// unmappedTestCode says why a line of a source that is not in the build does not matter:
// tests are often built separately.
func (c *Change) unmappedTestCode(l *diffmap.Line) string {
	if from, _ := c.movedAside(l.Position.File); from != "" {
		return ""
	}
	role, why := world.RoleOf(&bytecode.Contract{Source: l.Position.File})
	if role == world.Test || role == world.Script || role == world.Mock {
		return fmt.Sprintf("%s code: %s", role, why)
	}
	return ""
}

// fileTestRole returns "test" or "script" with the convention that says so of a file;
// otherwise empty strings.
func fileTestRole(file string) (kind, why string) {
	if role, why := world.RoleOf(&bytecode.Contract{Source: file}); role == world.Test || role == world.Script {
		return role.String(), why
	}
	return "", ""
}

// limitTargets keeps at most limit targets: whole lines, those of contracts under
// test first, then by file and line.
func (c *Change) limitTargets(contracts map[string]*bytecode.Contract, limit int) {
	total := len(c.Mapping.Targets)
	if total <= limit {
		return
	}
	best := func(l *diffmap.Line) world.Role {
		role := world.Script
		for _, i := range l.Targets {
			if contract := contracts[c.Mapping.Targets[i].Contract]; contract != nil {
				r, _ := world.RoleOf(contract)
				role = min(role, r)
			}
		}
		return role
	}
	order := make([]*diffmap.Line, len(c.Mapping.Lines))
	for i := range order {
		order[i] = &c.Mapping.Lines[i]
	}
	slices.SortStableFunc(order, func(a, b *diffmap.Line) int { return cmp.Compare(best(a), best(b)) })
	kept, targets, over := map[*diffmap.Line]bool{}, 0, 0
	for _, l := range order {
		if n := len(l.Targets); n > 0 && over == 0 && targets+n <= limit {
			kept[l] = true
			targets += n
		} else if n > 0 {
			over++
		}
	}
	why := fmt.Sprintf("excluded: more than %d targets; lines of contracts under test take precedence, then file order", limit)
	c.Mapping.Exclude(diffmap.Unmapped, func(l *diffmap.Line, t *bytecode.Target) string {
		if kept[l] || t == nil {
			return ""
		}
		if file := l.Position.File; roleOfFile(file) == world.UnderTest && !slices.Contains(c.excess, file) {
			c.excess = append(c.excess, file)
		}
		return why
	})
	c.log.Warn("%d targets exceed the limit of %d: %s excluded, %d kept (contracts under test first, then by file); exclude files with --ignore, or compare with a nearer --base",
		total, limit, human.Plural(over, "changed line"), len(kept))
}
