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
	s := newSteering(table, &lookahead.Library{}, findGoals(table, targets, nil), len(targets), observedCalls)
	s.observed.See(bytecode.Location{Code: id, PC: 7}, lookahead.Callee{Program: id})
	a := s.analyzer(id)
	if a == nil {
		t.Fatal("no analyzer")
	}
	if a != s.analyzer(id) {
		t.Error("the program has two analyzers")
	}
	if !a.ReachesTarget() {
		t.Error("the target after the jump is said to be unreachable")
	}
}

// TestSteeringThroughCircles: to know whether a call may lead to a target, the
// analysis of the program that it leads to is asked, which may be the one that
// is being made.
func TestSteeringThroughCircles(t *testing.T) {
	code := func(kind bytecode.Kind) *bytecode.Code { // seven zeros, CALL, STOP
		return &bytecode.Code{Kind: kind, Bytes: []byte{0x60, 0, 0x60, 0, 0x60, 0, 0x60, 0, 0x60, 0, 0x60, 0, 0x60, 0, 0xf1, 0x00}}
	}
	first := &bytecode.Contract{Name: "First", Runtime: code(bytecode.Runtime)}
	second := &bytecode.Contract{Name: "Second", Runtime: code(bytecode.Runtime)}
	table := bytecode.NewTable([]*bytecode.Contract{first, second})
	call := func(c *bytecode.Contract) bytecode.Location { return bytecode.Location{Code: c.Runtime.ID, PC: 14} }

	s := newSteering(table, &lookahead.Library{}, nil, 0, observedCalls)
	s.observed.See(call(first), lookahead.Callee{Program: first.Runtime.ID})
	s.observed.See(call(first), lookahead.Callee{Program: second.Runtime.ID})
	s.observed.See(call(second), lookahead.Callee{Program: first.Runtime.ID})
	for _, c := range []*bytecode.Contract{first, second} {
		if s.analyzer(c.Runtime.ID).ReachesTarget() {
			t.Errorf("%s reaches a target, and there is none", c.Name)
		}
		if s.observed.MayLead(call(c)) {
			t.Errorf("the call of %s leads to a target, and there is none", c.Name)
		}
	}
}
