package compare

import (
	"maps"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// TestAmbiguous: an address that is an instance on one side, and not the same one on the other, means
// something else there; one of an instance that moved does as an address of the base, and is translated as
// one of the head.
func TestAmbiguous(t *testing.T) {
	at := func(n byte) common.Address { return common.Address{19: n} }
	side := func(instances ...input.Instance) *deploy.Deployment {
		return &deploy.Deployment{Space: &input.Space{Instances: instances}}
	}
	named := func(name string, address byte) (in input.Instance) {
		in.Name, in.Address = name, at(address)
		return in
	}
	s := &Sides{
		Head:  side(named("same", 1), named("new", 2), named("moved", 3), named("a", 5)),
		Base:  side(named("same", 1), named("gone", 6), named("moved", 4), named("b", 5)),
		calls: map[input.Callable]counterpart{}, moved: movedAddresses{}, ambiguous: map[common.Address]bool{}, storage: map[common.Address]*storagePair{},
	}
	s.pairInstances(&Base{})
	if want := map[common.Address]bool{at(2): true, at(4): true, at(5): true, at(6): true}; !maps.Equal(s.ambiguous, want) {
		t.Errorf("%v, want %v", s.ambiguous, want)
	}
	if s.moved.back(at(3)) != at(4) {
		t.Errorf("moved: %v", s.moved)
	}
}
