package fuzzer

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestAnalyzerOfRecursiveProgram: a program that was seen to call itself before
// its analyzer was made leads wherever its own code leads. (Each analyzer once
// made another of the same program, without end.)
func TestAnalyzerOfRecursiveProgram(t *testing.T) {
	code := []byte{
		byte(vm.PUSH0), byte(vm.PUSH0), byte(vm.PUSH0), byte(vm.PUSH0), byte(vm.PUSH0), byte(vm.ADDRESS), byte(vm.GAS),
		byte(vm.CALL), // pc 7
		byte(vm.PUSH1), 12, byte(vm.JUMPI), byte(vm.STOP),
		byte(vm.JUMPDEST), byte(vm.STOP), // pc 12
	}
	contract := &bytecode.Contract{Name: "Recursive", Source: "a.sol", Runtime: &bytecode.Code{Kind: bytecode.Runtime, Bytes: code}}
	table := bytecode.NewTable([]*bytecode.Contract{contract})
	id := contract.Runtime.ID
	targets := []bytecode.Target{{Contract: contract.QualifiedName(), Entries: []bytecode.Location{{Code: id, PC: 12}}}}
	s := newSteering(table, targets, nil, observedCalls)
	s.observed.See(bytecode.Location{Code: id, PC: 7}, lookahead.Callee{Program: id})
	a := s.analyzer(id)
	if a == nil {
		t.Fatal("no analyzer")
	}
	if a != s.analyzer(id) {
		t.Error("the program has two analyzers")
	}
	if !a.ReachesTarget() {
		t.Error("the target behind the jump is said to be unreachable")
	}
}
