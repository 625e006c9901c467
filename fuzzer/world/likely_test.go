package world_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/world"
)

// TestLikely: what addresses among the parameters of functions mean is known by their types and by their names, within structs and arrays as well.
func TestLikely(t *testing.T) {
	c := newChain(t, source(t, "testdata/vaults.sol"), world.Options{})
	var got []string
	for _, l := range c.report.Likely {
		if l.Contract.Name != "Book" {
			continue
		}
		text := fmt.Sprint(l.Leaf)
		for _, a := range l.Accounts {
			for _, in := range c.world.Instances {
				if in.Address == a {
					text += " " + in.Name
				}
			}
		}
		got = append(got, text)
	}
	if want := []string{"2 TestToken SavingsVault", "3 SavingsVault", "4 TestToken SavingsVault"}; !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "; "))
	}
}

// TestSpares: of a contract that a proxy runs, what it runs is a spare, and the proxy is not.
func TestSpares(t *testing.T) {
	c := newChain(t, source(t, "testdata/beacons.sol"), world.Options{})
	var spares []string
	for _, in := range c.world.Instances {
		if in.Spare {
			spares = append(spares, in.Name)
		}
	}
	if !slices.Equal(spares, []string{"Payroll"}) {
		t.Errorf("%q", spares)
	}
}
