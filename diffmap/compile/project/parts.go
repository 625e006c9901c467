package project

import (
	"context"
	"errors"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// This file divides what a compiler cannot compile at once.

// debugBuild makes the debug build of a unit. Where the project's code generator gives up on some of its sources, these are compiled
// apart from the others: code by way of the intermediate language keeps less of its lines, and takes several times as long to make.
func (p *plain) debugBuild(ctx context.Context, unit *Unit) ([]*compile.Output, error) {
	debug := p.Debug
	debug.OneGenerator = p.divisions > 0
	o, err := compile.DebugBuild(ctx, unit.Input, unit.Compiler, debug)
	if !errors.Is(err, compile.ErrGaveUp) {
		return listOf(o), err
	}
	shallow, deep, known := p.shallow(unit, err)
	if len(shallow) == 0 || len(deep) == 0 {
		o, err = compile.DebugBuild(ctx, unit.Input, unit.Compiler, p.Debug)
		return listOf(o), err
	}
	p.divisions--
	rest, apart := p.unitOf(unit, shallow), p.unitOf(unit, deep)
	made, err := p.debugBuild(ctx, &rest) // first: what both hold stays in the first alone
	if err != nil {
		return nil, err
	}
	if !known {
		others, err := p.debugBuild(ctx, &apart)
		return append(made, others...), err
	}
	o, err = compile.DebugBuild(ctx, apart.Input, apart.Compiler, p.Debug)
	return append(made, listOf(o)...), err
}

func listOf(o *compile.Output) []*compile.Output {
	if o == nil {
		return nil
	}
	return []*compile.Output{o}
}

// shallow divides the sources of a unit that are asked for into those that do not use a source that an error names, and those that do.
// Where it names none, since the code is the compiler's own, it is not known which do: they are divided in two.
func (p *plain) shallow(unit *Unit, err error) (shallow, deep []string, known bool) {
	named := p.namedBy(unit, err)
	if len(named) == 0 {
		if parts := p.halves(p.rootsOf(unit)); parts != nil {
			return parts[0], parts[1], false
		}
	}
	users := p.graph.users(named)
	for _, root := range p.rootsOf(unit) {
		if users[root] {
			deep = append(deep, root)
		} else {
			shallow = append(shallow, root)
		}
	}
	return shallow, deep, true
}

// unitOf is a unit of some sources of another, and what they import.
func (p *plain) unitOf(of *Unit, roots []string) Unit {
	names := p.graph.closure(roots)
	return Unit{p.graph.input(names, p.tree.Remappings), of.Compiler, p.graph.pragmas(names), names}
}

// halves divides the sources that are asked for of a unit that is too large for a compiler. Each half is
// compiled with what it imports, so what both import is compiled twice. The order of names keeps together
// what is in one folder, which tends to import the same. A single source cannot be divided.
func (p *plain) halves(roots []string) [][]string {
	if len(roots) < 2 {
		return nil
	}
	roots = slices.Sorted(slices.Values(roots))
	all := 0
	for _, name := range roots {
		all += len(p.graph.texts[name])
	}
	middle := 1
	for size := len(p.graph.texts[roots[0]]); middle < len(roots)-1 && 2*size < all; middle++ {
		size += len(p.graph.texts[roots[middle]])
	}
	p.progress("the compiler cannot compile the sources at once: compiling them in two parts")
	return [][]string{roots[:middle], roots[middle:]}
}
