package deploy

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
)

// NoTests is the value of --setup for a World that is made without tests.
const NoTests = "none"

// testsFor are the set-ups that --setup asks for, nil for none, with notes on the chain that
// tests run on.
func testsFor(c *change.Change, named []string) (*world.SetupOptions, []string) {
	if noTests(named) {
		return nil, nil
	}
	chain, notes := testChain(c)
	s := &world.SetupOptions{
		Lines: map[string][]bytecode.Position{}, Entries: map[bytecode.Location][]bytecode.Position{}, Spare: map[bytecode.Location][]world.SpareLine{},
		Changed: func(contract *bytecode.Contract) bool { return c.Touches(contract.Source) },
		Chain:   chain, ReadFile: testFiles(c), Root: testRoot,
	}
	s.Contracts, s.Lenient = named, lenientTests(c)
	for _, t := range c.Mapping.Targets {
		s.Lines[t.Contract] = append(s.Lines[t.Contract], t.Position)
		for _, entry := range t.Entries {
			s.Entries[entry] = append(s.Entries[entry], t.Position)
		}
	}
	for _, t := range c.Spare {
		for _, entry := range t.Entries {
			s.Spare[entry] = append(s.Spare[entry], world.SpareLine{Position: t.Position, Contract: t.Contract})
		}
	}
	return s, notes
}

// noTests reports whether --setup asks for a World that is made without tests.
func noTests(named []string) bool { return len(named) == 1 && named[0] == NoTests }

// checkSetup returns an error if a contract that --setup names cannot set up a World.
func checkSetup(named []string, table *bytecode.Table) error {
	if noTests(named) {
		return nil
	}
	for _, name := range named {
		if _, _, err := world.NamedTest(table.Contracts(), name); err != nil {
			return exit.BadInput("--setup %s: %w", name, err)
		}
	}
	return nil
}

// UsedTests names the test contracts that made a World.
func UsedTests(setup *world.Report) []string {
	var used []string
	for i := range setup.TestSetups {
		if setup.TestSetups[i].Failure == "" {
			used = append(used, setup.TestSetups[i].Contract.QualifiedName())
		}
	}
	return used
}

// FailedTests says which set-ups are not in the World, and why, with the place
// in the sources where that is known.
func (d *Deployment) FailedTests() []string {
	var texts []string
	for i := range d.Setup.TestSetups {
		up := &d.Setup.TestSetups[i]
		if up.Failure == "" || up.Idle {
			continue
		}
		texts = append(texts, fmt.Sprintf("%s was not used to set up the World: %s", up.Contract.QualifiedName(), d.WhyNotSetUp(up)))
	}
	return texts
}

// WhyNotSetUp says why a set-up is not in the World, with the place in the sources where that
// is known.
func (d *Deployment) WhyNotSetUp(up *world.TestSetup) string {
	if !up.Located {
		return up.Failure
	}
	at, ok := d.Positions.At(up.At)
	if !ok {
		return up.Failure
	}
	return fmt.Sprintf("%s (%s)", up.Failure, at)
}

// TestNames are the set-ups of a World for people: "VaultTest.setUp()".
func TestNames(setup *world.Report) string {
	var names []string
	for i := range setup.TestSetups {
		if up := &setup.TestSetups[i]; up.Failure == "" {
			names = append(names, strings.TrimSuffix(up.Contract.Name+"."+up.Function, "."))
			for _, call := range up.Also {
				names = append(names, up.Contract.Name+"."+call.Function)
			}
		}
	}
	return strings.Join(names, ", ")
}
