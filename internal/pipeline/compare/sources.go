package compare

import (
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// sources keeps what was asked of texts before: the same few places come up in thousands of calls.
type sources struct {
	definitions map[placeIn]*diffmap.Definition // nil: there is none
	differ      map[[2]diffmap.Definition]bool
	redeclared  map[nameIn]bool
}

// placeIn is an instruction of a build: two builds use the same ids.
type placeIn struct {
	build *deploy.Build
	at    bytecode.Location
}

// nameIn is a name in two versions of a project.
type nameIn struct {
	versions *diffmap.Counterparts
	name     string
}

func newSources() *sources {
	return &sources{map[placeIn]*diffmap.Definition{}, map[[2]diffmap.Definition]bool{}, map[nameIn]bool{}}
}

// definitionsIn lists the functions and modifiers that a call executes, by the first and the last instruction of each
// block, in order.
func (s *sources) definitionsIn(b *deploy.Build, exec *evm.Execution, call int) []diffmap.Definition {
	var all []diffmap.Definition
	for _, c := range exec.Covered {
		p := b.Table.Program(c.Code)
		if c.Call != call || p == nil {
			continue
		}
		for _, pc := range []uint32{p.Blocks[c.Block].Start, lastOf(p, c.Block)} {
			if d := s.definitionAt(b, bytecode.Location{Code: c.Code, PC: pc}); d != nil && !slices.Contains(all, *d) {
				all = append(all, *d)
			}
		}
	}
	return all
}

// definitionAt is [diffmap.Positions.DefinitionAt]; nil where that is false.
func (s *sources) definitionAt(b *deploy.Build, at bytecode.Location) *diffmap.Definition {
	key := placeIn{b, at}
	d, known := s.definitions[key]
	if !known {
		if found, ok := b.Positions.DefinitionAt(at); ok {
			d = &found
		}
		s.definitions[key] = d
	}
	return d
}

// lastOf is the last instruction of a block.
func lastOf(p *bytecode.Program, block bytecode.BlockID) uint32 {
	b := p.Blocks[block]
	last := b.Start
	bytecode.Instructions(p.Bytes[b.Start:b.End], func(pc uint32) bool {
		last = b.Start + pc
		return true
	})
	return last
}

// changedCode reports whether the functions that run on the head or on the base differ in more than literals. Where they do
// not, what makes a difference is a constant.
func (s *sources) changedCode(functions *diffmap.Counterparts, heads, bases []diffmap.Definition) bool {
	return slices.ContainsFunc(heads, func(head diffmap.Definition) bool {
		base, ok := functions.Function(head)
		return !ok || s.different(functions, head, base)
	}) || slices.ContainsFunc(bases, func(base diffmap.Definition) bool {
		head, ok := functions.Became(base)
		return !ok || s.different(functions, head, base)
	})
}

// different reports whether a function is more than the same with other literals.
func (s *sources) different(functions *diffmap.Counterparts, head, base diffmap.Definition) bool {
	key := [2]diffmap.Definition{head, base}
	is, ok := s.differ[key]
	if !ok {
		is = !onlyLiterals(wordsOf(functions.HeadText(rangeOf(head))), wordsOf(functions.BaseText(rangeOf(base))))
		s.differ[key] = is
	}
	return is
}

// comparesConstant reports whether a check names a constant, or another variable with an initial value, that is
// declared otherwise than on the base.
func (s *sources) comparesConstant(c *check, functions *diffmap.Counterparts) bool {
	return slices.ContainsFunc(c.condition, func(word string) bool {
		is, ok := s.redeclared[nameIn{functions, word}]
		if !ok {
			is = isName(word) && functions.Redeclared(word)
			s.redeclared[nameIn{functions, word}] = is
		}
		return is
	})
}
