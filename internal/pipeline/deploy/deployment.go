// Package deploy makes the World of a build: as the configuration or the project's own
// scripts and tests say, or automatically.
package deploy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// Build is compiled code with its own table.
type Build struct {
	Outputs   []*compile.Output
	Table     *bytecode.Table
	Positions *diffmap.Positions
}

// NewBuild makes the table of outputs, whose contracts must be in no other one.
func NewBuild(outputs []*compile.Output, paths diffmap.Options) Build {
	table := bytecode.NewTable(compile.Contracts(outputs))
	return Build{Outputs: outputs, Table: table, Positions: diffmap.NewPositions(outputs, table, paths)}
}

// Deployment is one build, deployed. It is immutable once [Head] or [Make] has returned it: the head, the base and
// the release build are three of them.
type Deployment struct {
	Build
	World *evm.World
	Space *input.Space  // of the sequences that may run there
	Setup *world.Report // how the World was made

	Audit          bool     // contracts are looked at as they are, as in [oracle.Scene]
	Added, Altered []string // contracts of the World that the change adds, and alters, see [fuzzer.Config.Added]
}

// Make deploys a build by a recipe.
func Make(ctx context.Context, b Build, r *Recipe) (*Deployment, error) {
	w, setup, err := world.Make(ctx, b.Table, world.Options{
		Only: r.Only, Targets: r.Targets, Uninitialized: r.Uninitialized, Entries: r.Entries, Twins: r.Twins, Callers: r.Callers, Places: r.Places, Setup: r.Tests, Plan: r.planOn(b.Table), Fork: r.Fork,
	})
	var wrong *world.PlanError
	if errors.As(err, &wrong) {
		return nil, exit.BadInput("configuration, deploy: %w", err)
	}
	if err != nil {
		return nil, exit.CannotFuzz("%w", err)
	}
	imported := &r.Plan.Imported
	w.Properties = imported.Prefixes
	if !imported.All {
		world.BoundTesters(w)
	}
	w = world.WithOutsider(w, b.Table.Contracts())
	for _, pattern := range r.Plan.unused(w) {
		setup.Notes = append(setup.Notes, fmt.Sprintf("calls: no callable function matches %q", pattern))
	}
	space, err := input.NewSpace(w, input.SpaceOptions{
		Constructors: changedDeployments(setup, r.Constructors), Called: r.called(), Uses: usesIn(setup), Constructed: constructedIn(setup), Likely: likelyIn(setup),
		MaxValue: imported.MaxValue, MaxTime: imported.MaxTime, MaxBlocks: imported.MaxBlocks,
	})
	if err != nil {
		return nil, exit.CannotFuzz("%w", err)
	}
	d := &Deployment{Build: b, World: w, Space: space, Setup: setup, Audit: r.Audit}
	d.Added, d.Altered = d.deployed(r.Added), d.deployed(r.Altered)
	return d, nil
}

// deployed are those of some contracts, by their qualified names, that the World has.
func (d *Deployment) deployed(contracts []string) (names []string) {
	for _, name := range contracts {
		if slices.ContainsFunc(d.World.Instances, func(in evm.Instance) bool {
			return in.Contract != nil && !in.Contract.Generated && in.Contract.QualifiedName() == name
		}) {
			names = append(names, name)
		}
	}
	return names
}

// LooksAlone reports whether oracles look at a contract as it is, without the base.
func (d *Deployment) LooksAlone(contract string) bool {
	return d.Audit || slices.Contains(d.Added, contract) || slices.Contains(d.Altered, contract)
}

// NewMachine makes a machine for a campaign's loop: fast, and checked against the
// reference.
func (d *Deployment) NewMachine() (evm.Machine, error) {
	fast, err := d.NewInterpreter()
	if err != nil {
		return nil, err
	}
	reference, err := d.newReference()
	if err != nil {
		return nil, err
	}
	return evm.NewChecked(fast, reference), nil
}

// NewInterpreter makes the fast machine alone, for measurements of it.
func (d *Deployment) NewInterpreter() (*evm.Apart, error) {
	return evm.NewApart(d.World, func(w *evm.World, options ...evm.Option) (evm.Exporter, error) {
		return interp.New(w, d.Table, options...)
	})
}

// NewJudge makes the machine that decides what is true: go-ethereum's.
func (d *Deployment) NewJudge() (evm.Machine, error) { return d.newReference() }

func (d *Deployment) newReference() (*evm.Apart, error) { return gethvm.NewApart(d.World, d.Table) }

// NewTracer makes a judge that follows values.
func (d *Deployment) NewTracer() (evm.Machine, error) {
	return evm.NewApart(d.World, func(w *evm.World, options ...evm.Option) (evm.Exporter, error) {
		return gethvm.New(w, d.Table, append(options, evm.WithTrace)...)
	})
}

// Contract is the contract of a qualified name; nil where the build lacks it.
func (b *Build) Contract(name string) *bytecode.Contract {
	for _, c := range b.Table.Contracts() {
		if c.QualifiedName() == name {
			return c
		}
	}
	return nil
}

// Contracts are those of the build, and the built-in mocks that are in the World.
func (d *Deployment) Contracts() []*bytecode.Contract {
	list := slices.Clip(d.Table.Contracts())
	for _, in := range d.World.Instances {
		if in.Contract != nil && world.IsBuiltInMock(in.Contract) && !slices.Contains(list, in.Contract) {
			list = append(list, in.Contract)
		}
	}
	return list
}

// Failures are the contracts that could not be deployed, except those that are not meant
// for deployment: interfaces, abstract contracts, libraries without users.
func (d *Deployment) Failures() []world.Failure {
	var out []world.Failure
	for _, f := range d.Setup.Failures {
		if f.Contract.Deployable() && !f.Contract.Library {
			f.Reason = d.WhyNotDeployed(&f)
			out = append(out, f)
		}
	}
	return out
}

// TooLarge says which contracts of the World no chain would accept: the set-up of tests
// deploys them all the same, as it does in forge. Tests and harnesses are never on a chain.
func (d *Deployment) TooLarge() []string {
	var texts []string
	for _, in := range d.World.Instances {
		role, _ := world.RoleOf(in.Contract)
		ships := (role == world.UnderTest || role == world.Dependency) && !world.IsHarness(in.Contract)
		if why := world.TooLarge(in.Contract); why != "" && ships {
			text := fmt.Sprintf("%s is deployed by the set-up of tests, but cannot be on a chain: %s", human.Printable(in.Contract.QualifiedName()), why)
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// changedDeployments lists the contracts that sequences may deploy, each once.
func changedDeployments(setup *world.Report, constructors map[string]bool) []input.Deployment {
	var deployments []input.Deployment
	seen := map[*bytecode.Contract]bool{}
	add := func(c *bytecode.Contract, code []byte) {
		if constructors[c.QualifiedName()] && !seen[c] {
			seen[c] = true
			deployments = append(deployments, input.Deployment{Contract: c, Code: code})
		}
	}
	for _, d := range setup.Deployments {
		if !d.Contract.Library && d.Code != nil {
			add(d.Contract, d.Code)
		}
	}
	for _, f := range setup.Failures {
		if f.Code != nil {
			add(f.Contract, f.Code)
		}
	}
	return deployments
}
