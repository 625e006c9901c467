package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
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
	Deployment *deploy.Deployment

	sides  []diffmap.BaseSide
	judge  evm.Machine
	places map[*fuzzer.Finding][]bytecode.Location // where the base has the failing code
}

// DeployBase deploys the base version of a change by the head's recipe, and looks up the
// code that fails in findings; without findings, the base only has a World.
func DeployBase(ctx context.Context, c *change.Change, head Head, findings []*fuzzer.Finding) (*Base, error) {
	switch {
	case !c.HasBase():
		return nil, errors.New("without a diff there is no base to compare with")
	case ctx.Err() != nil:
		return nil, errors.New("the run was canceled before the base was tried")
	}
	sides, err := c.Base(ctx)
	if err != nil {
		return nil, fmt.Errorf("the base has no build: %w", err)
	}
	paths := diffmap.Options{Root: c.Paths.Root, Checkout: c.Paths.Checkout, Projects: c.Paths.Projects}
	return deployBase(ctx, sides, paths, head, findings)
}

// deployBase is DeployBase for builds that are known.
func deployBase(ctx context.Context, sides []diffmap.BaseSide, paths diffmap.Options, head Head, findings []*fuzzer.Finding) (*Base, error) {
	code := deploy.NewBuild(namedAsHead(sides), paths)
	b := &Base{sides: sides, places: map[*fuzzer.Finding][]bytecode.Location{}}
	for _, f := range findings {
		b.places[f] = samePlaces(f, &head.Deployment.Build, &code)
		code.Table.Cut(b.places[f]) // before any machine uses the code
	}
	recipe, lacking := head.Recipe.Again(head.Deployment).Without(func(name string) bool { return code.Contract(name) == nil })
	if lacking != "" {
		return nil, fmt.Errorf("the base lacks %s, whose set-up makes the World", lacking)
	}
	var err error
	if b.Deployment, err = deploy.Make(ctx, code, recipe); err != nil {
		return nil, fmt.Errorf("the base could not be deployed: %w", err)
	}
	b.judge, err = b.Deployment.NewJudge()
	return b, err
}

// namedAsHead copies the base's builds, with the head's names for their contracts.
func namedAsHead(sides []diffmap.BaseSide) []*compile.Output {
	var outputs []*compile.Output
	for _, side := range sides {
		base := side.Base.Copy()
		base.Folder = side.Head.Folder
		base.RenameSources(side.Renamed)
		outputs = append(outputs, base)
	}
	compile.Distinguish(outputs, outputs)
	return outputs
}

// covers reports whether one of the base's builds is of the project that a contract of
// the head's belongs to.
func (b *Base) covers(name string) bool {
	return slices.ContainsFunc(b.sides, func(side diffmap.BaseSide) bool {
		return slices.ContainsFunc(side.Head.Contracts, func(c *compile.Contract) bool { return c.QualifiedName() == name })
	})
}

// samePlaces lists where the base has the failing code: the same instruction, compiled from
// the same text in a function of the same name, or if there is none, in any function of the
// contract.
func samePlaces(f *fuzzer.Finding, head, base *deploy.Build) []bytecode.Location {
	text, ok := head.Positions.TextAt(f.Location)
	if !ok {
		return nil
	}
	op := head.Table.Program(f.Location.Code).Bytes[f.Location.PC]
	function, _ := head.Positions.FunctionAt(f.Location)
	var same, elsewhere []bytecode.Location
	for _, p := range programsOf(f.Contract, base) {
		p.Instructions(func(pc uint32) bool {
			at := bytecode.Location{Code: p.ID, PC: pc}
			if p.Bytes[pc] != op {
				return true
			}
			if there, ok := base.Positions.TextAt(at); !ok || there != text {
				return true
			}
			if name, _ := base.Positions.FunctionAt(at); name == function {
				same = append(same, at)
			} else {
				elsewhere = append(elsewhere, at)
			}
			return true
		})
	}
	if len(same) == 0 {
		return elsewhere
	}
	return same
}

// programsOf are the programs of a contract.
func programsOf(name string, b *deploy.Build) []*bytecode.Program {
	contract := b.Contract(name)
	if contract == nil {
		return nil
	}
	var programs []*bytecode.Program
	for _, code := range []*bytecode.Code{contract.Creation, contract.Runtime} {
		if code == nil {
			continue
		}
		if p := b.Table.Program(code.ID); p != nil {
			programs = append(programs, p)
		}
	}
	return programs
}

// textual reports whether the source text of all code of a contract is known.
func textual(name string, b *deploy.Build) bool {
	return !slices.ContainsFunc(programsOf(name, b), func(p *bytecode.Program) bool { return !b.Positions.KnowsTexts(p.ID) })
}
