package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// Head is the deployment that was fuzzed, with its recipe.
type Head struct {
	Deployment *deploy.Deployment
	Recipe     *deploy.Recipe
}

// Base is the base version, deployed as the head was.
type Base struct {
	// Deployment is nil where the base could not be deployed.
	Deployment *deploy.Deployment

	// otherWorld says why the base's World was not made as the head's was; empty: it was.
	// What happens in it happened before, what does not happen proves nothing.
	otherWorld string
	// absent are test contracts that set up the head's World, and that the base lacks: they only send there.
	absent []evm.Sender

	code       deploy.Build
	sides      []diffmap.BaseSide
	functions  []*diffmap.Counterparts // parallel to sides
	judge      evm.Machine
	statements map[*fuzzer.Finding]counterparts // of the code that fails
}

// DeployBase deploys the base version of a change by the head's recipe, and looks up the
// code that fails in findings; without findings, the base only has a World. With an error
// about its World, it returns the base all the same: it may lack what the head has.
func DeployBase(ctx context.Context, c *change.Change, head Head, findings []*fuzzer.Finding) (*Base, error) {
	switch {
	case !c.HasBase():
		return nil, errors.New("a run without a diff has no base to compare with")
	case ctx.Err() != nil:
		return nil, errors.New("the run was canceled before the base was tried")
	}
	sides, err := c.Base(ctx)
	if err != nil {
		return nil, change.NoBuild(err)
	}
	paths := diffmap.Options{Root: c.Paths.Root, Checkout: c.Paths.Checkout, Projects: c.Paths.Projects}
	return deployBase(ctx, sides, paths, head, findings)
}

// deployBase is DeployBase for builds that are known.
func deployBase(ctx context.Context, sides []diffmap.BaseSide, paths diffmap.Options, head Head, findings []*fuzzer.Finding) (*Base, error) {
	b := &Base{sides: sides, statements: map[*fuzzer.Finding]counterparts{}}
	for _, side := range sides {
		b.functions = append(b.functions, diffmap.NewCounterparts(side))
	}
	b.code = deploy.NewBuild(b.namedAsHead(), paths)
	for _, f := range findings {
		b.statements[f] = b.counterparts(f, &head.Deployment.Build)
		b.code.Table.Cut(placesOf(b.statements[f].same)) // before any machine uses the code
	}
	recipe, lacking := head.Recipe.Again(head.Deployment).Without(func(name string) bool { return b.code.Contract(name) == nil })
	if recipe.Tests != nil {
		b.absent = recipe.Tests.Absent
	}
	if lacking != "" {
		b.otherWorld = fmt.Sprintf("the base lacks %s, whose set-up makes the World", lacking)
		recipe.Tests = nil
	}
	if len(b.code.Table.Contracts()) == 0 {
		return b, errors.New("the base has none of these contracts")
	}
	made, err := deploy.Make(ctx, b.code, recipe)
	if err != nil && b.otherWorld != "" {
		return b, errors.New(b.otherWorld)
	}
	if err != nil {
		return b, fmt.Errorf("the base could not be deployed: %w", err)
	}
	if b.judge, err = made.NewJudge(); err != nil {
		return b, err
	}
	b.Deployment = made
	return b, nil
}

// isAbsent reports whether a sender is a test contract that the base lacks.
func (b *Base) isAbsent(sender string) bool {
	return slices.ContainsFunc(b.absent, func(s evm.Sender) bool { return s.Name == sender })
}

// namedAsHead copies the base's builds, with the head's names for their contracts.
func (b *Base) namedAsHead() []*compile.Output {
	var outputs []*compile.Output
	for i, side := range b.sides {
		base := side.Base.Copy()
		base.Folder = side.Head.Folder
		base.Rename(func(contract *compile.Contract) (source, name string) {
			source, name = cmp.Or(side.Renamed[contract.Source], contract.Source), contract.Name
			became := b.functions[i].Contracts[contract.UnitName()]
			if at := slices.IndexFunc(side.Head.Contracts, func(c *compile.Contract) bool { return c.UnitName() == became }); at >= 0 {
				source, name = side.Head.Contracts[at].Source, side.Head.Contracts[at].Name
			}
			return source, name
		})
		outputs = append(outputs, base)
	}
	compile.Distinguish(outputs, outputs)
	return outputs
}

// sideOf is the index of the side that a contract of the head's belongs to; −1 where no
// base build is of its project.
func (b *Base) sideOf(name string) int {
	return slices.IndexFunc(b.sides, func(side diffmap.BaseSide) bool {
		return slices.ContainsFunc(side.Head.Contracts, func(c *compile.Contract) bool { return c.QualifiedName() == name })
	})
}

// leftOut reports whether the base version of a contract of the head's does not compile.
func (b *Base) leftOut(name string) bool {
	return slices.ContainsFunc(b.sides, func(side diffmap.BaseSide) bool { return slices.Contains(side.LeftOut, name) })
}

// counterpartsOf are those of the functions of a contract of the head's; nil where no base
// build is of its project.
func (b *Base) counterpartsOf(contract string) *diffmap.Counterparts {
	if i := b.sideOf(contract); i >= 0 {
		return b.functions[i]
	}
	return nil
}

// counterparts finds the failing code of a finding on the base.
func (b *Base) counterparts(f *fuzzer.Finding, head *deploy.Build) counterparts {
	text, ok := head.Positions.TextAt(f.Location)
	functions := b.counterpartsOf(f.Contract)
	if !ok || functions == nil {
		return counterparts{}
	}
	op, kind := head.Table.Program(f.Location.Code).Bytes[f.Location.PC], kindOf(text)
	heads, bases := statementsOf(f.Contract, head, op, kind), statementsOf(f.Contract, &b.code, op, kind)
	target := holds(heads, f.Location)
	if target == nil { // the code of another contract
		return counterparts{bases: bases}
	}
	return correspond(target, heads, bases, functions)
}

// replay makes calls on the base.
func (b *Base) replay(space *input.Space, seq input.Sequence) (*evm.Execution, []fuzzer.Observed, error) {
	config := Judging(b.Deployment)
	config.Space = space
	return fuzzer.Replay(b.judge, config, seq)
}

// alike reports whether what an oracle saw on the base, in the finding's calls, is the
// finding: see [evidence.decide].
func (b *Base) alike(o fuzzer.Observed, f *fuzzer.Finding, head *deploy.Build) bool {
	p := b.code.Table.Program(o.Location.Code)
	if o.Oracle != f.Oracle.ID || p == nil || p.Contract == nil || p.Contract.QualifiedName() != f.Contract {
		return false
	}
	s := b.statements[f]
	at := holds(s.bases, o.Location)
	if at != nil && (slices.Contains(s.same, at) || slices.Contains(s.edited, at) || slices.Contains(s.gone, at)) {
		return true
	}
	here, inFunction := head.Positions.DefinitionAt(f.Location)
	there, inBase := b.code.Positions.DefinitionAt(o.Location)
	if !inFunction || !inBase { // nothing is known that tells them apart
		return true
	}
	functions := b.counterpartsOf(f.Contract)
	was, ok := functions.Function(here)
	return ok && was == there
}
