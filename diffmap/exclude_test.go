package diffmap

import (
	"testing"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestExclude takes targets away and keeps the numbers of the others right.
func TestExclude(t *testing.T) {
	m := &Mapping{Targets: []bytecode.Target{{Contract: "A"}, {Contract: "B"}, {Contract: "A"}, {Contract: "C"}},
		Lines: []Line{{Targets: []int{0, 1}}, {Status: Unmapped, Reason: "why"}, {Targets: []int{2}}, {Targets: []int{3}}}}
	m.Exclude(NoBytecode, func(_ *Line, target *bytecode.Target) string {
		if target != nil && target.Contract == "A" {
			return "test code"
		}
		return ""
	})
	if len(m.Targets) != 2 || m.Targets[m.Lines[0].Targets[0]].Contract != "B" || m.Targets[m.Lines[3].Targets[0]].Contract != "C" {
		t.Errorf("targets %+v", m)
	}
	if m.Lines[0].Status != "" || m.Lines[1].Reason != "why" || m.Lines[2].Status != NoBytecode || m.Lines[2].Reason != "test code" {
		t.Errorf("lines %+v", m.Lines)
	}
	m.Exclude(NoBytecode, func(_ *Line, target *bytecode.Target) string {
		if target == nil {
			return "test code"
		}
		return ""
	})
	if len(m.Targets) != 2 || m.Lines[1].Status != NoBytecode || m.Lines[1].Reason != "test code" {
		t.Errorf("unmapped: %+v", m)
	}
}
