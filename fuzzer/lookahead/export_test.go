package lookahead

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Describe is about the Analyzer's graph.
func (a *Analyzer) Describe() string {
	return fmt.Sprintf("%d nodes, %d steps, %d exits", len(a.graph().blocks), a.graph().steps, len(a.graph().exits))
}

// GraphSteps are those that the control-flow graph took.
func (f *Facts) GraphSteps() int { return f.graph().steps }

// SearchSteps are those that searches took, of Facts with a budget.
func (f *Facts) SearchSteps(budget int) int { return budget - f.search.left }

// IsTarget reports whether a block is one of the targets.
func (a *Analyzer) IsTarget(b bytecode.BlockID) bool {
	return slices.Contains(a.targets, a.code.blocks[b].start)
}

// RandomWord is a word of the kinds that bounds and masks are made of.
func RandomWord(rng *rand.Rand) uint256.Int { return randomWord(rng) }

// WordOperations are the operations whose result depends on their operands alone,
// with the number of operands.
func WordOperations() map[vm.OpCode]int {
	ops := map[vm.OpCode]int{vm.ISZERO: 1, vm.NOT: 1, vm.CLZ: 1, vm.ADDMOD: 3, vm.MULMOD: 3}
	for _, op := range binaryOps {
		ops[op] = 2
	}
	return ops
}

// Compute is what the analysis makes of an operation on constants.
func Compute(op vm.OpCode, operands []uint256.Int) (uint256.Int, bool) {
	v := newValues()
	var a []Value
	for i := range operands {
		a = append(a, v.constant(&operands[i]))
	}
	var r Value
	switch len(a) {
	case 1:
		r = v.unary(op, a[0])
	case 2:
		r = v.binary(op, a[0], a[1])
	default:
		r = v.ternary(op, a[0], a[1], a[2])
	}
	x, known := v.known(r)
	return *x, known
}

// Fresh is an Analyzer with the same targets and options that has answered nothing.
func (a *Analyzer) Fresh() *Analyzer {
	fresh := NewAnalyzer(a.Facts, NewWorkspace(), a.options)
	fresh.SetTargetPCs(a.targets)
	return fresh
}

// AskAtEntry asks as [Analyzer.Analyze] does at a split point: the path's last
// block is entered, a call there is not made yet.
func (a *Analyzer) AskAtEntry(path bytecode.Path, static bool) Answer {
	a.begin(static)
	for _, b := range path {
		a.w.prefix.extend(b)
	}
	start := int64(a.code.blocks[path[len(path)-1]].start)
	return a.ask(start+1, start)
}

// MaxTreeBytes bounds what is kept of paths.
const MaxTreeBytes = maxTreeBytes

// TreeBytes is what is kept of paths.
func (a *Analyzer) TreeBytes() int { return a.w.treeBytes }

// LeaveSearch leaves so many steps for searches.
func (f *Facts) LeaveSearch(steps int) { f.search.left = steps }
