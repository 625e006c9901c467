package change

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file says what of a change is tests, which are not fuzzed. Conventions say what a test is: a folder's name, a base contract's. The head may give both
// to any contract, so what the base has as a contract under test stays one.

// former are the contracts under test that changed files of the base declare, by name, with
// their file. They are found in the texts: the base need not have a build.
func (c *Change) former() map[string]string {
	if c.formerly == nil {
		c.formerly = map[string]string{}
		for i := range c.files() {
			f := &c.Diff.Files[i]
			if f.OldPath == "" || !solidity.IsSource(f.OldPath) || roleOfFile(f.OldPath) != world.UnderTest {
				continue
			}
			var head []byte
			if f.Status != unified.Deleted {
				head, _ = c.HeadOf(f) // without a text, OldText says so
			}
			text, err := f.OldText(head)
			if err != nil {
				continue
			}
			for _, d := range solidity.Contracts(text) {
				role, _ := world.RoleOf(&bytecode.Contract{Name: d.Name, Source: f.OldPath, Implements: append([]string{d.Name}, d.Bases...)})
				if role == world.UnderTest {
					c.formerly[d.Name] = f.OldPath
				}
			}
		}
	}
	return c.formerly
}

// files are those of the diff; none where targets were named.
func (c *Change) files() []unified.File {
	if c.Diff == nil {
		return nil
	}
	return c.Diff.Files
}

// roleOfFile is the role that a source's path alone gives its contracts.
func roleOfFile(path string) world.Role {
	role, _ := world.RoleOf(&bytecode.Contract{Source: path})
	return role
}

// Touches reports whether the diff changes a source of the build.
func (c *Change) Touches(source string) bool {
	return slices.ContainsFunc(c.files(), func(f unified.File) bool { return f.NewPath != "" && isAt(f.NewPath, source) })
}

// isAt reports whether a file of the repository is a source of a build, whose names may be
// relative to a folder below.
func isAt(file, source string) bool {
	return strings.HasSuffix("/"+file, "/"+strings.TrimPrefix(source, "/"))
}

// cameHere reports whether a file is new under its path: added, copied or renamed.
func (c *Change) cameHere(source string) bool {
	return slices.ContainsFunc(c.files(), func(f unified.File) bool {
		return f.NewPath != f.OldPath && f.NewPath != "" && isAt(f.NewPath, source)
	})
}

// TestRole returns "test" or "script" with the convention that says so, for a contract that is
// one, and was not under test on the base; otherwise empty strings.
func (c *Change) TestRole(contract *bytecode.Contract) (kind, why string) {
	if contract == nil {
		return "", ""
	}
	role, why := world.RoleOf(contract)
	if role != world.Test && role != world.Script || c.wasUnderTest(contract) {
		return "", ""
	}
	return role.String(), why
}

// IsAside reports whether a contract is a test, a script or a mock, of a dependency too, and was not under test on the
// base.
func (c *Change) IsAside(contract *bytecode.Contract) bool {
	kind, _ := c.TestRole(contract)
	return kind != "" || c.IsMock(contract) || isDependencysAside(contract)
}

// isDependencysAside reports whether a contract is a test, a script or a mock of a dependency.
func isDependencysAside(contract *bytecode.Contract) bool {
	if contract == nil {
		return false
	}
	role, _ := world.RoleOf(contract)
	return role == world.Dependency && world.RoleWithin(contract) != world.UnderTest
}

// IsMock reports whether a contract stands in for something in tests, and was not under test on
// the base.
func (c *Change) IsMock(contract *bytecode.Contract) bool {
	if contract == nil {
		return false
	}
	role, _ := world.RoleOf(contract)
	return role == world.Mock && !c.wasUnderTest(contract)
}

// wasUnderTest reports whether a contract that counts as a test or a mock now was under test before the
// change, which may have moved its file, or given it the base contract of a test.
func (c *Change) wasUnderTest(contract *bytecode.Contract) bool {
	if roleOfFile(contract.Source) != world.UnderTest {
		return c.cameHere(contract.Source) && c.former()[contract.Name] != ""
	}
	if !c.Redeclared {
		return false // what it inherits from is what it was
	}
	for _, s := range c.sides {
		base := c.baseOf(contract, s.Renamed, s.Base)
		if base == nil {
			continue
		}
		role, _ := world.RoleOf(&base.Contract)
		return role == world.UnderTest
	}
	return c.former()[contract.Name] != "" // the base has no build that says otherwise
}

// baseOf is the base's version of a contract; nil if it has none.
func (c *Change) baseOf(contract *bytecode.Contract, renamed map[string]string, base *compile.Output) *compile.Contract {
	for _, b := range base.Contracts {
		if b.Name == contract.Name && cmp.Or(renamed[b.Source], b.Source) == contract.Source {
			return b
		}
	}
	return nil
}

// underTest reports whether a contract is what the project is about.
func (c *Change) underTest(contract *bytecode.Contract) bool {
	role, _ := world.RoleOf(contract)
	return role == world.UnderTest || (role == world.Test || role == world.Script) && c.wasUnderTest(contract)
}

// ignored reports whether the user ignores a file.
func (c *Change) ignored(file string) bool {
	if c.ignore == nil {
		return false
	}
	_, taken, ok := c.ignore.Match(file)
	return ok && !taken
}

// movedAside returns the file of the base from which a contract under test came that is now
// where nothing is fuzzed, and what that place is; empty if none did.
func (c *Change) movedAside(file string) (from, where string) {
	switch role := roleOfFile(file); {
	case role == world.Test || role == world.Script || role == world.Mock:
		where = "where code counts as tests"
	case role == world.Dependency:
		where = "where code counts as a dependency"
	case c.ignored(file):
		where = "where code is ignored"
	default:
		return "", ""
	}
	return c.movedFrom(file), where
}

// movedFrom returns the file of the base from which a contract under test came; empty if none
// did.
func (c *Change) movedFrom(file string) string {
	if !c.cameHere(file) {
		return ""
	}
	text, err := c.Head(file)
	if err != nil {
		return ""
	}
	for _, d := range solidity.Contracts(text) {
		if from := c.former()[d.Name]; from != "" && from != file && !c.ignored(from) {
			return from
		}
	}
	return ""
}

// IsNew reports whether the change adds the file of a contract, given by its qualified name, and
// no text of the base may have held it: no source was deleted, and none of the changed ones
// declared the name.
func (c *Change) IsNew(contract string) bool {
	source, name := "", ""
	for _, o := range c.Outputs {
		for _, held := range o.Contracts {
			if held.QualifiedName() == contract {
				source = path.Join(c.Paths.Root, o.Folder, strings.TrimPrefix(held.Source, "project/")) // as Hardhat 3 names them
				name = held.Name
			}
		}
	}
	added := false
	for _, f := range c.files() {
		switch {
		case f.Status == unified.Deleted && IsSource(f.OldPath):
			return false
		case f.Status == unified.Added && f.NewPath == source:
			added = true
		}
	}
	return added && c.former()[name] == ""
}

// Added lists the contracts of the table, by their qualified names, that the change adds, and that are under test.
func (c *Change) Added() (names []string) {
	if !c.HasBase() || !slices.ContainsFunc(c.files(), func(f unified.File) bool { return f.Status == unified.Added && IsSource(f.NewPath) }) {
		return nil
	}
	for _, contract := range c.Table.Contracts() {
		if contract.Generated {
			continue
		}
		if !c.IsAside(contract) && c.IsNew(contract.QualifiedName()) {
			names = append(names, contract.QualifiedName())
		}
	}
	return names
}

// Altered lists the contracts under test, by their qualified names, that the change does not add, and whose code it changes. A mock is one of them as far as it
// runs what ships: of an abstract contract there is often nothing else.
func (c *Change) Altered() (names []string) {
	if !c.HasBase() || c.Audits() {
		return nil
	}
	targets, ships := map[string]bool{}, map[string]bool{}
	for _, t := range c.Mapping.Targets {
		targets[t.Contract] = true
		ships[t.Contract] = ships[t.Contract] || c.roleWithin(t.Position.File) == world.UnderTest
	}
	for _, contract := range c.Table.Contracts() {
		name := contract.QualifiedName()
		if targets[name] && !contract.Generated && (!c.IsAside(contract) || c.IsMock(contract) && ships[name]) && !c.IsNew(name) {
			names = append(names, name)
		}
	}
	return names
}

// roleWithin is the role of a file of the repository, by its path within the project.
func (c *Change) roleWithin(file string) world.Role {
	return roleOfFile(strings.TrimPrefix(file, strings.Trim(c.Paths.Root, "./")+"/"))
}

// Aside says what a line is part of, where that is not what the change is about: "test", "script",
// "mock" or "dependency"; empty for a line of a contract under test or of its libraries. Targets
// named by the user are what it is about.
func (c *Change) Aside(l *diffmap.Line) string {
	file := l.Position.File
	if from, _ := c.movedAside(file); from != "" || len(c.About.Explicit) > 0 {
		return ""
	}
	own := c.roleWithin(file)
	for i, holder := range c.holders(l) {
		// The contract says more than its file: a harness with properties is fuzzed wherever it is, and
		// a mock is one next to contracts.
		role, _ := world.RoleOf(holder)
		if role == world.UnderTest || c.underTest(holder) {
			return ""
		}
		if i == 0 || role < own {
			own = role
		}
	}
	switch own {
	case world.Test, world.Script, world.Mock, world.Dependency:
		return asides[own]
	}
	return ""
}

// holders are the contracts of a line's own file that have a target on it. Of an unmapped line, which has none, they are all contracts of
// the file.
func (c *Change) holders(l *diffmap.Line) []*bytecode.Contract {
	isOfFile := func(contract *bytecode.Contract) bool {
		return contract != nil && strings.HasSuffix("/"+l.Position.File, "/"+strings.TrimPrefix(contract.Source, "/"))
	}
	var list []*bytecode.Contract
	for _, t := range l.Targets {
		if contract := c.contract(c.Mapping.Targets[t].Contract); isOfFile(contract) {
			list = append(list, contract)
		}
	}
	if len(l.Targets) == 0 && l.Status == diffmap.Unmapped {
		for _, contract := range c.Table.Contracts() {
			if isOfFile(contract) {
				list = append(list, contract)
			}
		}
	}
	return list
}

// asides are the roles by which lines are counted apart, as the report has them.
var asides = map[world.Role]string{world.Test: "test", world.Script: "script", world.Mock: "mock", world.Dependency: "dependency"}

// contract is a contract of the builds by its qualified name; nil if there is none.
func (c *Change) contract(name string) *bytecode.Contract {
	if c.contracts == nil {
		c.contracts = map[string]*bytecode.Contract{}
		for _, contract := range c.Table.Contracts() {
			c.contracts[contract.QualifiedName()] = contract
		}
	}
	return c.contracts[name]
}
