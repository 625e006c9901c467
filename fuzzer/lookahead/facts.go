package lookahead

import (
	"sync"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Facts are what holds for a program whatever the targets: its decoded
// instructions and its control-flow graph. They do not change once made, so that
// any number of Analyzers may share them, in any goroutines.
type Facts struct {
	code *code
	// graph is computed when first needed: most programs other than the targets' are only
	// asked whether they hold a goal.
	graph func() *graph
	// search proves more blocks unreachable than the graph does.
	search search
}

// DefaultGraphBudget is the number of steps that the control-flow graph of a program may
// take: a few hundred milliseconds, once for each program. Contracts at the size limit of
// EIP-170 take a tenth of it.
const DefaultGraphBudget = 1 << 22

// NewFacts decodes a program. Its control-flow graph has a budget of steps; 0:
// DefaultGraphBudget.
func NewFacts(p *bytecode.Program, budget int) *Facts {
	if budget <= 0 {
		budget = DefaultGraphBudget
	}
	c := decode(p)
	c.pool.number = nil
	f := &Facts{code: c, graph: sync.OnceValue(func() *graph { return newGraph(c, budget) })}
	f.search.left = budget
	return f
}

// Program is the program that the Facts are about.
func (f *Facts) Program() *bytecode.Program { return f.code.program }

// Unreachable reports whether it is proved that no frame that runs the program ever
// enters the block: every frame starts at pc 0, with all else unknown. Calls do not
// matter, since each starts a frame of its own. A block that the graph reaches is searched
// for, see [search], which takes longer.
func (f *Facts) Unreachable(b bytecode.BlockID) bool {
	g := f.graph()
	if len(g.exits) > 0 {
		return false
	}
	return !g.reached[b] || !f.search.mayReach(f.code, g, b)
}

// inGraph reports whether a frame may enter the block, as far as the graph says.
func (f *Facts) inGraph(b bytecode.BlockID) bool {
	g := f.graph()
	return len(g.exits) > 0 || g.reached[b]
}

// Opaque says why nothing can be proved unreachable: the reason and the pc of the first
// instruction in the graph that leads to an unknown place. NoTargetAhead when there is
// none.
func (f *Facts) Opaque() (Reason, uint32) {
	exits := f.graph().exits
	if len(exits) == 0 {
		return NoTargetAhead, 0
	}
	return exits[0].reason, exits[0].pc
}

// CallSites lists the call instructions that a frame may execute, in code order.
func (f *Facts) CallSites() []bytecode.Location {
	var sites []bytecode.Location
	for i := range f.code.blocks {
		if len(f.code.blocks[i].callSites) == 0 || !f.inGraph(bytecode.BlockID(i)) {
			continue
		}
		for _, pc := range f.code.blocks[i].callSites {
			sites = append(sites, bytecode.Location{Code: f.code.program.ID, PC: pc})
		}
	}
	return sites
}

// Library makes each program's Facts when they are first needed, once for all goroutines.
type Library struct {
	mu sync.Mutex
	of map[*bytecode.Program]func() *Facts
}

// Facts are those of a program.
func (l *Library) Facts(p *bytecode.Program) *Facts {
	l.mu.Lock()
	if l.of == nil {
		l.of = map[*bytecode.Program]func() *Facts{}
	}
	facts := l.of[p]
	if facts == nil {
		facts = sync.OnceValue(func() *Facts { return NewFacts(p, 0) })
		l.of[p] = facts
	}
	l.mu.Unlock() // others' programs need not wait for this one
	return facts()
}
