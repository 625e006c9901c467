package input

import (
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestAdvanceBounds: mutation lets no more time and blocks pass than it may.
func TestAdvanceBounds(t *testing.T) {
	for _, most := range [][2]uint64{{0, 0}, {5, 0}, {0, 3}, {3600, 100}} {
		space, err := NewSpace(testWorld(t), SpaceOptions{MaxTime: &most[0], MaxBlocks: &most[1]})
		if err != nil {
			t.Fatal(err)
		}
		m := NewMutator(space, NewDictionary(nil), Options{})
		r := testRand(6)
		suite := m.Seeds()
		var seen [2]uint64
		for range 5_000 {
			child := m.Mutate(r, suite[r.IntN(len(suite))])
			mustValid(t, space, child, "bounded")
			for i := range child {
				seen[0], seen[1] = max(seen[0], child[i].TimeAdvance), max(seen[1], child[i].BlockAdvance)
			}
			if oneIn(r, 10) {
				suite = append(suite, child)
			}
		}
		if seen[0] > most[0] || seen[1] > most[1] || most[0] > 0 && seen[0] == 0 || most[1] > 0 && seen[1] == 0 {
			t.Errorf("bounds %v: at most %v passed", most, seen)
		}
	}
}

// TestPropertyPrefixes: a World may have prefixes of properties of its own, of functions that
// return a bool.
func TestPropertyPrefixes(t *testing.T) {
	world := testWorld(t)
	vault := world.Instances[0].Contract
	for _, name := range []string{"deposit", "deposit0", "pause"} { // in the ABI's names, of which one is overloaded
		if m, ok := vault.ABI.Methods[name]; ok {
			m.Outputs = vault.ABI.Methods["echidna_solvent"].Outputs
			vault.ABI.Methods[name] = m
		}
	}
	world.Properties = []string{"pau", "deposit", "mul", "balance"}
	space, err := NewSpace(world, SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range space.Properties() {
		if space.Instances[p.Instance].Name == "Vault" {
			names = append(names, p.Function.Signature)
		}
	}
	if want := []string{"deposit()", "echidna_solvent()", "invariant_sum()", "pause()"}; !slices.Equal(names, want) {
		t.Errorf("properties %q, want %q", names, want) // deposit(uint256) has a parameter, multicall(bytes[]) returns nothing
	}
	for _, f := range space.Instances[0].Functions {
		if f.Signature == "pause()" || f.Signature == "deposit()" {
			t.Errorf("%s is called", f.Signature)
		}
	}
	if again, err := NewSpace(&evm.World{Accounts: world.Accounts, Instances: world.Instances, Senders: world.Senders}, SpaceOptions{}); err != nil || len(again.Properties()) >= len(space.Properties()) {
		t.Errorf("another World has them, too: %v", err)
	}
}
