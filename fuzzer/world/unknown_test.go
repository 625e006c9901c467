package world_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/world"
)

// TestUnknown: every name that the build lacks is listed, and nothing that a step makes.
func TestUnknown(t *testing.T) {
	contracts := source(t, filepath.Join("testdata", "plan", "plan.sol"))
	at := func(line int, s world.Step) world.Step {
		s.Place = fmt.Sprintf("line %d", line)
		s.Message.Place = s.Place
		return s
	}
	p := &world.Plan{
		Steps: []world.Step{at(1, deploy("Tokn")), at(2, deploy("Token")), at(3, called("Token.burn", "")), at(4, called("Token.name", "")), at(5, called("elsewhere.f", ""))},
		After: []world.Step{at(6, deploy("sightline:Nothing")), at(7, called("Tokn.mint", "")), at(8, world.Step{Contract: "Token", Name: "other", As: "Vaul"}), at(9, called("other.burn", ""))},
	}
	var got []string
	for _, err := range p.Unknown(contracts) {
		place, _, _ := strings.Cut(err.Error(), ":")
		got = append(got, place)
	}
	if text := strings.Join(got, ", "); text != "line 1, line 3, line 6, line 8" {
		t.Errorf("the names of %s are unknown", text)
	}
	if found := (&world.Plan{}).Unknown(contracts); found != nil {
		t.Errorf("a plan without steps names %v", found)
	}
}
