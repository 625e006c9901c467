package deploy

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/fuzzer/world/chain"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
)

// Recipe is how a World is made. Contracts are qualified names, which mean the same in
// every build of the project: base and release build are deployed by the head's recipe.
type Recipe struct {
	Only           []string                  // contracts to deploy, with their dependencies; empty: chosen automatically
	Targets        []string                  // contracts with targets
	Uninitialized  []string                  // those whose initializers hold targets
	Entries        []bytecode.Location       // of targets in runtime code; of the head alone
	Twins          []string                  // contracts with one-time code that holds targets, as the head's World showed
	Callers        []world.Party             // senders that contracts compare msg.sender with, as the head's World showed; nil: they are looked for
	Constructors   map[string]bool           // those whose constructors do: sequences deploy them, too
	Changed        map[string]bool           // functions with targets, "Vault.deposit": called whatever other fuzzers' filters say
	Tests          *world.SetupOptions       // the project's tests that may make it; nil: none
	Plan           Plan                      // the configuration's, including the state that it begins with
	Places         map[string]common.Address // of what the deployer made of the head; nil: this is the head
	Script         *Script                   // what a deploy script did; nil: there was none
	Chain          *chain.Chain              // that it goes on from; nil: none
	Audit          bool                      // contracts are looked at as they are
	Added, Altered []string                  // those that the change adds, and alters, see [fuzzer.Config.Added]
	Fork           string                    // EVM version; empty: the newest
	WhyFork        string                    // says how it was chosen
}

// recipeFor says what the targets of a change require of a World.
func recipeFor(c *change.Change, b *Build) *Recipe {
	return &Recipe{
		Targets:       targetContracts(c.Mapping),
		Uninitialized: changedInitializers(c.Mapping, b.Positions),
		Entries:       runtimeEntries(c.Mapping, b.Table),
		Constructors:  changedConstructors(c.Mapping, b.Table),
		Changed:       changedFunctions(c.Mapping, b.Positions),
		Audit:         c.Audits(),
		Added:         c.Added(),
		Altered:       c.Altered(),
	}
}

// Again is the recipe by which another build of the project is deployed as d was: by the
// same test contracts, or by none.
func (r *Recipe) Again(d *Deployment) *Recipe {
	again := *r
	again.Entries, again.Twins, again.Callers = nil, d.Setup.Twins, d.Setup.Callers
	again.Plan.World.Lenient = true
	again.Places = map[string]common.Address{}
	for i := range d.Setup.Deployments {
		made := &d.Setup.Deployments[i]
		if name := made.Contract.QualifiedName(); made.Call.Create && again.Places[name] == (common.Address{}) {
			again.Places[name] = made.Address
		}
	}
	used := UsedTests(d.Setup)
	if len(used) == 0 {
		again.Tests = nil
		return &again
	}
	tests := *r.Tests
	tests.Strict, tests.Contracts, tests.Senders, tests.Tests = true, used, d.World.Senders, world.Tests(d.World)
	tests.Also, tests.Places, tests.Names = map[string][][]byte{}, map[string]common.Address{}, map[common.Address]world.PlacedName{}
	for i := range d.Setup.Deployments {
		made := &d.Setup.Deployments[i]
		tests.Names[made.Address] = world.PlacedName{Contract: made.Contract.QualifiedName(), Name: made.Name}
	}
	for i := range d.Setup.TestSetups {
		up := &d.Setup.TestSetups[i]
		if up.Failure == "" {
			tests.Places[up.Contract.QualifiedName()] = up.Address
		}
		for _, call := range up.Also {
			name := up.Contract.QualifiedName()
			tests.Also[name] = append(tests.Also[name], call.Data)
		}
	}
	if d.World.Cheats != nil {
		tests.Asked = d.World.Cheats.Answers
	}
	again.Tests = &tests
	return &again
}

// Without is the recipe for a build that lacks contracts. The first test contract that
// it lacks is returned when it has none of those that make the World.
func (r *Recipe) Without(lacks func(contract string) bool) (left *Recipe, lackingTest string) {
	rest := *r
	rest.Targets = slices.DeleteFunc(slices.Clone(r.Targets), lacks)
	rest.Uninitialized = slices.DeleteFunc(slices.Clone(r.Uninitialized), lacks)
	rest.Twins = slices.DeleteFunc(slices.Clone(r.Twins), lacks)
	if r.Tests != nil {
		tests := *r.Tests
		tests.Contracts = slices.DeleteFunc(slices.Clone(tests.Contracts), lacks)
		for _, name := range r.Tests.Contracts {
			at := slices.IndexFunc(tests.Senders, func(s evm.Sender) bool { return s.Address == tests.Places[name] })
			if lacks(name) && at >= 0 {
				tests.Absent = append(slices.Clip(tests.Absent), tests.Senders[at])
			}
		}
		rest.Tests = &tests
		if len(tests.Contracts) == 0 && len(r.Tests.Contracts) > 0 {
			lackingTest = r.Tests.Contracts[0]
		}
	}
	return &rest, lackingTest
}

// planOn is the plan for the World of a build's code.
func (r *Recipe) planOn(table *bytecode.Table) *world.Plan {
	plan := r.Plan.World
	if r.Script != nil {
		plan.Recorded = r.Script.on(table)
	}
	return &plan
}

// called chooses the functions that sequences may call; nil: all of them.
func (r *Recipe) called() func(*evm.Instance, *input.Function) bool {
	p := &r.Plan
	filters := p.Imported.Filters
	if len(p.Include)+len(p.Exclude) == 0 {
		if len(filters) == 0 {
			return nil
		}
		return func(in *evm.Instance, f *input.Function) bool {
			name := in.Contract.Name + "." + f.Signature
			return f.Test || r.Changed[in.Contract.Name+"."+f.Name] || !slices.ContainsFunc(filters, func(filter FunctionFilter) bool { return !filter.Allows(name) })
		}
	}
	return func(in *evm.Instance, f *input.Function) bool {
		name := in.Name + "." + f.Name
		among := func(patterns []string) bool {
			return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, name) })
		}
		return (len(p.Include) == 0 || among(p.Include)) && !among(p.Exclude)
	}
}

// targetContracts names the contracts that hold targets.
func targetContracts(m *diffmap.Mapping) []string {
	var names []string
	for _, t := range m.Targets {
		if !slices.Contains(names, t.Contract) {
			names = append(names, t.Contract)
		}
	}
	return names
}

// runtimeEntries are the entries of targets that calls may reach.
func runtimeEntries(m *diffmap.Mapping, table *bytecode.Table) []bytecode.Location {
	var entries []bytecode.Location
	for _, entry := range m.Entries() {
		if p := table.Program(entry.Code); p != nil && p.Code.Kind == bytecode.Runtime {
			entries = append(entries, entry)
		}
	}
	return entries
}

// changedInitializers names the contracts with targets in functions that set them
// up once: an instance of them stays as its constructor made it.
func changedInitializers(m *diffmap.Mapping, positions *diffmap.Positions) []string {
	var names []string
	for _, t := range m.Targets {
		for _, entry := range t.Entries {
			if name, ok := positions.FunctionAt(entry); ok && world.IsInitializer(name) && !slices.Contains(names, t.Contract) {
				names = append(names, t.Contract)
			}
		}
	}
	return names
}

// changedFunctions names the functions with targets, "Vault.deposit".
func changedFunctions(m *diffmap.Mapping, positions *diffmap.Positions) map[string]bool {
	changed := map[string]bool{}
	for _, t := range m.Targets {
		for _, entry := range t.Entries {
			if name, ok := positions.FunctionAt(entry); ok {
				changed[bytecode.ShortName(t.Contract)+"."+name] = true
			}
		}
	}
	return changed
}

// changedConstructors are the contracts with targets in their creation code:
// sequences may deploy them again, with fuzzed arguments.
func changedConstructors(m *diffmap.Mapping, table *bytecode.Table) map[string]bool {
	changed := map[string]bool{}
	for _, t := range m.Targets {
		for _, entry := range t.Entries {
			if p := table.Program(entry.Code); p != nil && p.Code.Kind == bytecode.Creation {
				changed[p.Contract.QualifiedName()] = true
			}
		}
	}
	return changed
}
