package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// weights adjusts energy by the worth of a seed's branches (mufuzz §IV-C), once no target
// is left: deeper nested ones get more, and those after which a dangerous instruction may
// follow. The paper weighs each branch once, in a run before fuzzing; here a seed is
// weighed whenever it is picked, by the last of its branches with an untaken side, since
// that is the one that mutants are to flip.
type weights struct {
	*tools
	ahead *steering // toward dangerous instructions; nil: energy stays as it is
	known aheadCache
}

// Weights of energy, in halves of what the schedule gives. All arbitrary.
const (
	weightDecided = 1 // no branch is left to take
	weightLeast   = 2 // a branch, at any depth
	weightNested  = 2 // added in full at nestedFull jumps before the branch, and less in proportion
	weightDanger  = 2 // added when a dangerous instruction may follow
	nestedFull    = 16
)

// dangerous are the instructions that bugs need and that are not in every contract
// (yellow paper, appendix H.2): ORIGIN, CALL, CALLCODE, DELEGATECALL, SELFDESTRUCT.
var dangerous = []byte{0x32, 0xf1, 0xf2, 0xf4, 0xff}

// findDangers lists the blocks with dangerous instructions, and with places of oracles, by
// program.
func findDangers(programs []*bytecode.Program, oracles []*oracle.Oracle) map[bytecode.CodeID][]goal {
	dangers := map[bytecode.CodeID][]goal{}
	for _, p := range programs {
		var pcs []uint32
		p.Instructions(func(pc uint32) bool {
			if slices.Contains(dangerous, p.Bytes[pc]) {
				pcs = append(pcs, pc)
			}
			return true
		})
		for _, o := range oracles {
			if o.Places != nil {
				pcs = append(pcs, o.Places(p)...)
			}
		}
		for _, pc := range pcs {
			if block, ok := p.BlockOf(pc); ok && !slices.Contains(dangers[p.ID], goal{block, -1}) {
				dangers[p.ID] = append(dangers[p.ID], goal{block, -1})
			}
		}
	}
	return dangers
}

// weigh adjusts the energy of a task, whose seed has just been run as base.
func (w *weights) weigh(t *task, base *point, exec *evm.Execution) Energy {
	if w.ahead == nil || t.left > 0 {
		return t.energy
	}
	last := len(base.sequence) - 1
	first := slices.IndexFunc(base.branches, func(b input.Branch) bool { return b.Call == last })
	for i := len(base.branches) - 1; first >= 0 && i >= first; i-- {
		b := &base.branches[i]
		if w.tracker.decided(b.Code, &b.Comparison) {
			continue
		}
		weight := weightLeast*nestedFull + weightNested*min(i-first, nestedFull)
		if w.dangerAhead(exec, b) {
			weight += weightDanger * nestedFull
		}
		return min(t.energy*Energy(weight)/(2*nestedFull), maxEnergy)
	}
	return max(t.energy*weightDecided/2, 1)
}

// dangerAhead asks the lookahead analysis whether another way out of a branch may still
// lead to a dangerous instruction.
func (w *weights) dangerAhead(exec *evm.Execution, b *input.Branch) bool {
	pid := exec.PathID()
	if _, asked := w.known.byPath[pid]; !asked {
		found := w.ahead.analyze(exec)
		w.known.put(pid, &found)
	}
	return w.known.get(pid).in(b.Code).has(b.Block)
}
