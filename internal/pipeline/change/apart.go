package change

import (
	"slices"

	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/fuzzer/world"
)

// This file says which changed tests stand apart: what they declare changes no code of contracts under
// test, so that the base need not be compiled for it before there is something to compare. Most pull
// requests add tests.

// declarations are the changed lines that may change code elsewhere: all but those of tests that stand
// apart.
func (c *Change) declarations() []unified.ChangedLine {
	used, known := c.usedUnderTest()
	if !known {
		return c.lines
	}
	apart := map[string]bool{}
	for i := range c.files() {
		if f := &c.Diff.Files[i]; f.NewPath != "" && c.standsApart(f, used) {
			apart[f.NewPath] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(c.lines), func(l unified.ChangedLine) bool { return apart[l.Path] })
}

// standsApart reports whether a changed file is a test, was none of the contracts under test, is not
// compiled into any of them, and has no say in which compiler they get. used are the sources that are.
func (c *Change) standsApart(f *unified.File, used []string) bool {
	role := roleOfFile(f.NewPath)
	if role != world.Test && role != world.Script || f.Status != unified.Modified && f.Status != unified.Added || f.Symlink || f.Submodule ||
		c.movedFrom(f.NewPath) != "" || slices.ContainsFunc(used, func(source string) bool { return isAt(f.NewPath, source) }) {
		return false
	}
	head, err := c.HeadOf(f)
	if err != nil {
		return false
	}
	if f.Status == unified.Modified {
		base, err := f.OldText(head)
		return err == nil && slices.Equal(solidity.Pragmas(base), solidity.Pragmas(head))
	}
	// One that is new asks for no other compiler than sources that were there before.
	before := map[string]bool{}
	for _, o := range c.Outputs {
		for _, s := range o.Sources {
			if !c.Touches(s.Path) {
				for _, pragma := range solidity.Pragmas(s.Text) {
					before[pragma] = true
				}
			}
		}
	}
	return !slices.ContainsFunc(solidity.Pragmas(head), func(pragma string) bool { return !before[pragma] })
}

// usedUnderTest lists the sources that contracts under test, or in files of such, are compiled from;
// false where that is not known.
func (c *Change) usedUnderTest() (used []string, known bool) {
	for _, o := range c.Outputs {
		imports := map[string][]string{}
		for _, s := range o.Sources {
			if s.AST == nil {
				return nil, false
			}
			for _, n := range s.AST.Children {
				if n.Type == "ImportDirective" {
					imports[s.Path] = append(imports[s.Path], n.Attribute("absolutePath"))
				}
			}
		}
		var queue []string
		for _, contract := range o.Contracts {
			if roleOfFile(contract.Source) == world.UnderTest || c.underTest(&contract.Contract) {
				queue = append(queue, contract.Source)
			}
		}
		seen := map[string]bool{}
		for len(queue) > 0 {
			source := queue[0]
			queue = queue[1:]
			if !seen[source] {
				seen[source] = true
				used, queue = append(used, source), append(queue, imports[source]...)
			}
		}
	}
	return used, true
}
