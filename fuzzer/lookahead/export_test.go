package lookahead

import (
	"fmt"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

func (a *Analyzer) Describe() string {
	n := 0
	for _, r := range a.graph.reached {
		if r {
			n++
		}
	}
	return fmt.Sprintf("nodes %d steps %d reached %d exits %d", len(a.graph.nodes), a.graph.steps, n, len(a.graph.exits))
}

// IsTarget tells whether a block is one of the targets.
func (a *Analyzer) IsTarget(b bytecode.BlockID) bool { return a.targets[b] }
