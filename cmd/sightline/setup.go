package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
)

// This file decides which of the project's own tests set up the World.

// noSetup is the value of --setup for a World that is made without tests.
const noSetup = "none"

// setupFor is what --setup asks for, nil for none, with what could not be understood
// of the chain that tests run on.
func (pr *project) setupFor(named []string) (*world.Setup, []string) {
	if isNone(named) {
		return nil, nil
	}
	chain, notes := pr.testChain()
	s := &world.Setup{Lines: map[string][]bytecode.Position{}, Chain: chain, ReadFile: pr.testFiles(), Root: testRoot}
	s.Contracts, s.Lenient = named, pr.lenientTests()
	for _, t := range pr.mapping.Targets {
		s.Lines[t.Contract] = append(s.Lines[t.Contract], t.Position)
	}
	return s, notes
}

// isNone reports whether --setup asks for a World that is made without tests.
func isNone(named []string) bool { return len(named) == 1 && named[0] == noSetup }

// checkSetup reports whether the contracts that --setup names can set up a World.
func checkSetup(named []string, table *bytecode.Table) error {
	if isNone(named) {
		return nil
	}
	for _, name := range named {
		if _, err := world.NamedTest(table.Contracts(), name); err != nil {
			return exit.BadInput("--setup %s: %w", name, err)
		}
	}
	return nil
}

// again is the deployment of a World that is made as this one was, of another
// build of the project: by the same test contracts, or by none.
func (c *campaign) again() deployment {
	d := c.deployment
	used := usedSetUps(c.setup)
	if len(used) == 0 {
		d.setup = nil
		return d
	}
	s := *d.setup
	s.Strict, s.Contracts, s.Senders, s.Tests = true, used, c.world.Senders, world.Tests(c.world)
	if c.world.Cheats != nil {
		s.Asked = c.world.Cheats.Answers
	}
	d.setup = &s
	return d
}

// usedSetUps names the test contracts that made a World.
func usedSetUps(setup *world.Report) []string {
	var used []string
	for i := range setup.SetUps {
		if setup.SetUps[i].Failure == "" {
			used = append(used, setup.SetUps[i].Contract.QualifiedName())
		}
	}
	return used
}

// failedSetUps says which set-ups are not in the World, and why, with the place
// in the sources where that is known.
func (c *campaign) failedSetUps() []string {
	var texts []string
	for i := range c.setup.SetUps {
		up := &c.setup.SetUps[i]
		if up.Failure == "" {
			continue
		}
		texts = append(texts, fmt.Sprintf("%s does not set up the World: %s", up.Contract.QualifiedName(), c.whyNotSetUp(up)))
	}
	return texts
}

func (c *campaign) whyNotSetUp(up *world.SetUp) string {
	if !up.Located {
		return up.Failure
	}
	at, ok := c.positions.At(up.At)
	if !ok {
		return up.Failure
	}
	return fmt.Sprintf("%s (%s)", up.Failure, at)
}

// setUpNames are the set-ups of a World for people: "VaultTest.setUp()".
func setUpNames(setup *world.Report) string {
	var names []string
	for i := range setup.SetUps {
		if up := &setup.SetUps[i]; up.Failure == "" {
			names = append(names, strings.TrimSuffix(up.Contract.Name+"."+up.Function, "."))
		}
	}
	return strings.Join(names, ", ")
}

// missingSetUps are the test contracts among names that a build lacks.
func missingSetUps(names []string, table *bytecode.Table) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(table.Contracts(), func(c *bytecode.Contract) bool { return c.QualifiedName() == name })
	})
}
