package maze

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestFacts holds what is said of every maze, whatever its seed.
func TestFacts(t *testing.T) {
	feasible, infeasible, longest := 0, 0, 0
	reasons := map[string]bool{}
	for seed := range uint64(200) {
		m, err := New(seed, 7)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(m.Guarded()); n < MinIDs {
			t.Errorf("seed %d: %d assertions", seed, n)
		}
		distant := 0
		for i := range m.Cells {
			if m.Cells[i].Distance > 9 {
				distant++
			}
		}
		if 4*distant < len(m.Cells) {
			t.Errorf("seed %d: %d of %d cells are far", seed, distant, len(m.Cells))
		}
		for i, c := range m.Guarded() {
			g := c.Guard
			longest = max(longest, len(g.Comparisons))
			if c.ID != i+1 || len(g.Comparisons) < 1 || len(g.Comparisons) > 15 {
				t.Errorf("seed %d: assertion %d at %d has %d comparisons", seed, c.ID, i, len(g.Comparisons))
			}
			for p, x := range g.Witness {
				if !m.Types[p].fits(x) {
					t.Errorf("seed %d, assertion %d: %v is no %v", seed, c.ID, x, m.Types[p])
				}
			}
			if g.Contradiction != "" {
				infeasible++
				reasons[g.Contradiction] = true
			} else {
				feasible++
			}
			if g.Holds(&g.Witness) == (g.Contradiction != "") {
				t.Errorf("seed %d, assertion %d (%q): the witness must hold where there is no contradiction, and nowhere else", seed, c.ID, g.Contradiction)
			}
		}
	}
	if longest != 15 || len(reasons) != len(conflicts) || infeasible*20 < feasible {
		t.Errorf("%d feasible, %d infeasible for %d reasons, at most %d comparisons", feasible, infeasible, len(reasons), longest)
	}
}

// TestSameSeed: a maze is a function of its seed and size.
func TestSameSeed(t *testing.T) {
	text := func(seed uint64, size int) string {
		m, err := New(seed, size)
		if err != nil {
			t.Fatal(err)
		}
		return m.Source(nil)
	}
	if first, again := text(3, 7), text(3, 7); first != again {
		t.Error("one seed gives two mazes")
	}
	if text(3, 7) == text(4, 7) || text(3, 7) == text(3, 8) {
		t.Error("other seeds or sizes give the same maze")
	}
	for _, size := range []int{MinSize - 1, MaxSize + 1} {
		if _, err := New(1, size); err == nil {
			t.Errorf("a maze of %d × %d is none", size, size)
		}
	}
}

// TestContradictions tries all arguments of parameters of a few bits: no contradiction
// is satisfied by any, whether arithmetic wraps or reverts.
func TestContradictions(t *testing.T) {
	var types [Parameters]Type
	for i := range types {
		types[i] = Type{Bits: 4, Signed: i%2 == 1}
	}
	r := rand.New(rand.NewPCG(1, 0))
	for _, c := range conflicts {
		for range 8 {
			for _, family := range [][]int{{0, 2, 4}, {1, 3, 5}} {
				all := c.draw(r, &types, family)
				if arguments := satisfies(&types, family, all); arguments != nil {
					t.Errorf("%s: %v is satisfied by %v", c.why, all, arguments)
				}
			}
		}
	}
	// The search itself finds what there is.
	p := parameter(0, &types)
	one := []*Comparison{{operation(p, '*', p), constant(big.NewInt(9), p.typ), "=="}}
	if satisfies(&types, []int{0, 2, 4}, one) == nil {
		t.Error("a square of 9 is not found")
	}
}

// satisfies looks for arguments that all comparisons hold of.
func satisfies(types *[Parameters]Type, family []int, all []*Comparison) *[Parameters]*big.Int {
	var arguments [Parameters]*big.Int
	for i := range arguments {
		arguments[i] = new(big.Int)
	}
	var try func(at int) bool
	try = func(at int) bool {
		if at < len(family) {
			p := family[at]
			for x := types[p].least(); types[p].fits(x); x = new(big.Int).Add(x, big.NewInt(1)) {
				arguments[p] = x
				if try(at + 1) {
					return true
				}
			}
			return false
		}
		for _, checked := range []bool{false, true} {
			if (&Guard{Comparisons: all, Checked: checked}).Holds(&arguments) {
				return true
			}
		}
		return false
	}
	if try(0) {
		return &arguments
	}
	return nil
}

// TestArithmetic compares values with what Solidity computes.
func TestArithmetic(t *testing.T) {
	types := [Parameters]Type{{8, true}, {16, true}, {8, false}, {16, false}}
	arguments := [Parameters]*big.Int{big.NewInt(-100), big.NewInt(300), big.NewInt(200), big.NewInt(65535)}
	p := func(i int) *expression { return parameter(i, &types) }
	tests := []struct {
		e       *expression
		wraps   int64
		reverts bool
	}{
		{operation(p(0), '+', p(1)), 200, false},                      // int16
		{operation(p(0), '+', p(0)), 56, true},                        // −200 in int8
		{operation(p(2), '*', p(2)), 64, true},                        // 40000 in uint8
		{operation(p(2), '-', p(3)), 201, true},                       // uint16
		{operation(operation(p(2), '+', p(2)), '+', p(3)), 143, true}, // 400 in uint8 first
		{operation(p(1), '*', constant(big.NewInt(-2), types[0])), -600, false},
	}
	for _, test := range tests {
		if x := test.e.value(&arguments, false); !x.IsInt64() || x.Int64() != test.wraps {
			t.Errorf("%s is %v, want %d", test.e, x, test.wraps)
		}
		if x := test.e.value(&arguments, true); (x == nil) != test.reverts {
			t.Errorf("%s is %v where overflow reverts", test.e, x)
		}
	}
}
