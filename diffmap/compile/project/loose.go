package project

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// compileLoose compiles sources that may have nothing to do with each other: together where one
// compiler takes them, and what it refuses each alone. What does not compile alone is left out,
// which the caller is told.
func (p *plain) compileLoose(ctx context.Context, roots []string) ([]*compile.Output, error) {
	part := p.graph.only(roots)
	units, err := part.units(ctx, p.Compilers, p.tree.Remappings)
	if err != nil {
		return p.apart(ctx, roots, roots, err)
	}
	var outputs []*compile.Output
	for i := range units {
		held := slices.DeleteFunc(slices.Clone(roots), func(root string) bool { return !slices.Contains(units[i].names, root) })
		made, err := p.compileLooseUnit(ctx, &units[i], held)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, made...)
	}
	return outputs, nil
}

// compileLooseUnit compiles a unit that holds some of the sources that are asked for.
func (p *plain) compileLooseUnit(ctx context.Context, unit *Unit, roots []string) ([]*compile.Output, error) {
	made, err := p.debugBuild(ctx, unit)
	if err == nil {
		return made, nil
	}
	if len(roots) == 1 && errors.Is(err, solc.ErrCompile) && !errors.Is(err, solc.ErrTrapped) {
		if old := unit.compileOlder(ctx, p.Compilers, p.Debug); old != nil {
			return []*compile.Output{old}, nil
		}
	}
	users := p.graph.users(p.namedBy(unit, err))
	refused := slices.DeleteFunc(slices.Clone(roots), func(root string) bool { return !users[root] })
	if len(refused) == 0 {
		refused = roots
	}
	return p.apart(ctx, roots, refused, err)
}

// apart compiles some of the sources each alone, and the others together. The last one alone is left
// out.
func (p *plain) apart(ctx context.Context, roots, refused []string, why error) ([]*compile.Output, error) {
	if ctx.Err() != nil || !errors.Is(why, solc.ErrCompile) && !errors.Is(why, solc.ErrNoCompiler) {
		return nil, why
	}
	if len(roots) == 1 {
		p.leaveAlone(roots[0], why)
		return nil, nil
	}
	rest := slices.DeleteFunc(slices.Clone(roots), func(root string) bool { return slices.Contains(refused, root) })
	groups := [][]string{rest}
	for _, root := range refused {
		groups = append(groups, []string{root})
	}
	return p.compileLooseParts(ctx, groups)
}

// compileLooseParts compiles some sources after others.
func (p *plain) compileLooseParts(ctx context.Context, groups [][]string) ([]*compile.Output, error) {
	var outputs []*compile.Output
	for _, group := range groups {
		if len(group) == 0 {
			continue
		}
		made, err := p.compileLoose(ctx, group)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, made...)
	}
	return outputs, nil
}

// compileAsFarAsItGoes compiles the sources that compile, each of which is on its own.
func (p *plain) compileAsFarAsItGoes(ctx context.Context) ([]*compile.Output, error) {
	for _, broken := range p.graph.broken {
		users := p.graph.users([]string{broken.name})
		for _, root := range p.graph.roots {
			if users[root] {
				p.leaveAlone(root, broken.err)
			}
		}
		p.graph = p.graph.without(p.graph.usersAmong(users))
	}
	roots := p.graph.roots
	if p.Changed != nil { // others are not asked for
		changed := p.changedNames()
		roots = slices.DeleteFunc(slices.Clone(roots), func(root string) bool { return !slices.Contains(changed, root) })
	}
	if len(roots) == 0 {
		return nil, cmp.Or(p.refused, error(&reading.Error{Origin: p.shown, Kind: reading.ErrNoContracts, Problem: "none of the sources can be compiled"}))
	}
	outputs, err := p.compileLoose(ctx, roots)
	if err == nil && len(outputs) == 0 {
		err = p.refused
	}
	return outputs, err
}

// leaveAlone leaves out a source that does not compile.
func (p *plain) leaveAlone(name string, why error) {
	p.refused = cmp.Or(p.refused, why)
	p.LeftOut(name, oneLine(why.Error()))
}

// usersAmong are the sources that are asked for among some.
func (g *graph) usersAmong(some map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(g.roots), func(root string) bool { return !some[root] })
}

// only is a graph of some sources and what they import.
func (g *graph) only(roots []string) *graph {
	part := &graph{texts: g.texts, imports: g.imports, code: g.code, roots: roots}
	part.names = part.closure(roots)
	return part
}
