package lookahead

import (
	"sync"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Facts are what holds for a program whatever the targets: its decoded
// instructions and its control-flow graph. They do not change once made, so that
// any number of Analyzers may share them, in any goroutines.
type Facts struct {
	code  *code
	graph *graph
}

// DefaultGraphBudget is the number of steps the control-flow graph of a program
// may take: some hundred milliseconds, once for each program. Contracts at the
// size limit of EIP-170 take a tenth of it.
const DefaultGraphBudget = 1 << 22

// NewFacts computes a program's control-flow graph with a budget of steps; 0:
// DefaultGraphBudget.
func NewFacts(p *bytecode.Program, budget int) *Facts {
	if budget <= 0 {
		budget = DefaultGraphBudget
	}
	c := decode(p)
	f := &Facts{code: c, graph: newGraph(c, budget)}
	c.pooled = nil
	return f
}

// Program is the program that the Facts are about.
func (f *Facts) Program() *bytecode.Program { return f.code.program }

// Unreachable tells whether it is proved that no frame that runs the program ever
// enters the block: every frame starts at pc 0, with all else unknown (design
// §5, "Proofs"). Calls do not matter, since what they start are frames of their
// own.
func (f *Facts) Unreachable(b bytecode.BlockID) bool {
	return len(f.graph.exits) == 0 && !f.graph.reached[b]
}

// Opaque says why nothing can be proved unreachable: the reason and the place of
// the first thing in the graph that leads to places unknown. NoTargetAhead when
// there is none.
func (f *Facts) Opaque() (Reason, uint32) {
	if len(f.graph.exits) == 0 {
		return NoTargetAhead, 0
	}
	return f.graph.exits[0].reason, f.graph.exits[0].pc
}

// CallSites lists the call instructions that a frame may execute, in code order.
func (f *Facts) CallSites() []bytecode.Location {
	var sites []bytecode.Location
	for i := range f.code.blocks {
		if f.Unreachable(bytecode.BlockID(i)) {
			continue
		}
		for _, pc := range f.code.blocks[i].callSites {
			sites = append(sites, bytecode.Location{Code: f.code.program.ID, PC: pc})
		}
	}
	return sites
}

// Library makes each program's Facts when they are first asked for, once for all
// goroutines.
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
