package fuzzer

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

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

	s := newSteering(table, nil, nil, observedCalls)
	s.observed.See(call(first), lookahead.Callee{Program: first.Runtime.ID})
	s.observed.See(call(first), lookahead.Callee{Program: second.Runtime.ID})
	s.observed.See(call(second), lookahead.Callee{Program: first.Runtime.ID})
	for _, c := range []*bytecode.Contract{first, second} {
		if s.analyzer(c.Runtime.ID).ReachesTarget() {
			t.Errorf("%s reaches a target, and there is none", c.Name)
		}
		if s.mayLead(call(c)) {
			t.Errorf("the call of %s leads to a target, and there is none", c.Name)
		}
	}
}
