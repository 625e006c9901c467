package input

import (
	"math/big"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// sides are what a check compares, computed of the arguments.
type sides func(x []uint256.Int) (left, right uint256.Int)

// check is one branch of a nested condition: what does not hold ends the run.
type check struct {
	op byte
	of sides
}

// nested is a chain of checks on unsigned words.
type nested []check

// run gives the branches of one run.
func (n nested) run(values []*big.Int) []Branch {
	x := make([]uint256.Int, len(values))
	for i := range values {
		x[i] = *uint256.MustFromBig(values[i])
	}
	var branches []Branch
	for i, c := range n {
		left, right := c.of(x)
		comparison := evm.Comparison{PC: uint32(i + 1), Op: c.op, Left: left, Right: right}
		comparison.Taken = condition(&comparison)
		branches = append(branches, Branch{Comparison: comparison})
		if !comparison.Taken {
			break
		}
	}
	return branches
}

func variables(values ...uint64) []Variable {
	var all []Variable
	for _, x := range values {
		most := new(big.Int).Sub(whole, one)
		all = append(all, Variable{Value: new(big.Int).SetUint64(x), least: new(big.Int), most: most})
	}
	return all
}

// weighted is a·x0 + b·x1 + c·x2 modulo 2^256.
func weighted(x []uint256.Int, factors ...uint64) (sum uint256.Int) {
	for i, f := range factors {
		var product uint256.Int
		product.Mul(uint256.NewInt(f), &x[i])
		sum.Add(&sum, &product)
	}
	return sum
}

func number(x uint64) uint256.Int { return *uint256.NewInt(x) }

// TestSystem gets through the last check of a chain, as campaigns do: units, detours,
// proposals; where none gets through, pairs and their products.
func TestSystem(t *testing.T) {
	tests := []struct {
		name   string
		checks nested
		start  []uint64
		factor bool
	}{
		{"one word", nested{
			{op: opLt, of: func(x []uint256.Int) (uint256.Int, uint256.Int) { return weighted(x, 1), number(900) }},
			{op: opEq, of: func(x []uint256.Int) (uint256.Int, uint256.Int) { return weighted(x, 3), number(2331) }},
		}, []uint64{5, 6, 7}, false},
		{"an equality before it, of two words", nested{
			{op: opEq, of: func(x []uint256.Int) (uint256.Int, uint256.Int) { return weighted(x, 1), weighted(x, 0, 2) }},
			{op: opEq, of: func(x []uint256.Int) (uint256.Int, uint256.Int) { return weighted(x, 1, 1, 0), number(3000) }},
		}, []uint64{10, 5, 7}, false},
		{"a tight range, made up for by another word", nested{
			{op: opLt, of: func(x []uint256.Int) (uint256.Int, uint256.Int) { return weighted(x, 1), weighted(x, 0, 1) }},
			{op: opLt, of: func(x []uint256.Int) (uint256.Int, uint256.Int) { return weighted(x, 0, 1), weighted(x, 0, 0, 1) }},
			{op: opGt, of: func(x []uint256.Int) (uint256.Int, uint256.Int) { return weighted(x, 1), number(1 << 40) }},
		}, []uint64{1, 2, 3}, false},
		{"no whole solution", nested{
			{op: opEq, of: func(x []uint256.Int) (uint256.Int, uint256.Int) { return weighted(x, 1_000_003), number(17) }},
		}, []uint64{4, 0, 0}, false},
		{"a product of zeros", nested{
			{op: opEq, of: func(x []uint256.Int) (uint256.Int, uint256.Int) {
				var product uint256.Int
				product.Mul(&x[0], &x[1])
				return product, number(249 * 512_055)
			}},
		}, []uint64{0, 0, 0}, true},
	}
	for _, test := range tests {
		s := NewSystem(variables(test.start...), nil)
		start := make([]*big.Int, len(test.start))
		for i := range start {
			start[i] = s.Variables[i].Value
		}
		s = NewSystem(s.Variables, test.checks.run(start))
		target := len(test.checks) - 1
		if len(s.branches) != target+1 || s.branches[target].Taken {
			t.Fatalf("%s: the start must come to the last check and fail there", test.name)
		}
		learn := func(w *Way) {
			if values, fits := s.After(w); fits {
				s.Learn(w, test.checks.run(values))
			}
		}
		for _, unit := range s.Units() {
			learn(unit)
		}
		for range 9 {
			if w := s.Detour(target); w != nil {
				learn(w)
			}
		}
		proposals, _ := s.Reach(testRand(1), target)
		if test.factor {
			for _, pair := range s.Pairs(target) {
				learn(pair)
			}
			proposals = s.Factor(testRand(1), target)
		}
		through := 0
		for _, values := range proposals {
			branches := test.checks.run(values)
			if len(branches) == target+1 && branches[target].Taken {
				through++
			}
		}
		if through == 0 {
			t.Errorf("%s: none of %v gets through", test.name, proposals)
		}
		if !test.factor && !s.Moves(target) || test.factor && s.Moves(target) {
			t.Errorf("%s: one word alone moves the branch: %t", test.name, s.Moves(target))
		}
	}
}

// TestLoops: what decides whether a loop is gone round is not kept as it was, since what
// comes behind the loop does not depend on it.
func TestLoops(t *testing.T) {
	run := func(n uint64) []Branch {
		is := func(pc uint32, op byte, left, right uint64) Branch {
			c := evm.Comparison{PC: pc, Op: op, Left: number(left), Right: number(right)}
			c.Taken = condition(&c)
			return Branch{Comparison: c}
		}
		header := is(1, opLt, 0, n)
		header.Again = n > 0
		return []Branch{header, is(2, opGt, n, 4)}
	}
	s := NewSystem(variables(0), run(0))
	for _, unit := range s.Units() {
		s.Learn(unit, run(1))
	}
	found, _ := s.Reach(testRand(1), 1)
	if len(found) == 0 || found[0][0].Int64() != 5 {
		t.Errorf("proposed for a length above four: %v", found)
	}
}

// TestTurnOff: where a run leaves a way, although it lacks a branch of it.
func TestTurnOff(t *testing.T) {
	branch := func(pc uint32, taken bool) Branch {
		return Branch{Comparison: evm.Comparison{PC: pc, Op: opEq, Taken: taken}}
	}
	looped := func(pc uint32) Branch {
		b := branch(pc, false)
		b.Again = true
		return b
	}
	way := []Branch{branch(1, true), branch(2, true), branch(3, false)}
	for _, test := range []struct {
		name string
		run  []Branch
		i, j int
	}{
		{"the way's end", []Branch{branch(1, true), branch(2, true), branch(3, false), branch(4, true)}, 2, 2},
		{"the other side of its end", []Branch{branch(1, true), branch(2, true), branch(3, true)}, 2, 2},
		{"before", []Branch{branch(1, true), branch(2, false), branch(7, true)}, 1, 1},
		{"one is missing", []Branch{branch(2, true), branch(3, true)}, 2, 1},
		{"it stops", []Branch{branch(1, true), branch(2, true)}, -1, -1},
		{"nothing ran", nil, -1, -1},
		{"round a loop", []Branch{branch(1, true), looped(2), branch(3, false)}, 2, 2},
	} {
		if i, j := TurnOff(way, test.run); i != test.i || j != test.j {
			t.Errorf("%s: %d, %d; want %d, %d", test.name, i, j, test.i, test.j)
		}
	}
}

// TestVariables: numbers and lengths of arrays within their bounds, signed ones read as
// such.
func TestVariables(t *testing.T) {
	s := testSpace(t, false)
	m := testMutator(t, false)
	r := testRand(1)
	seen, lengths := 0, 0
	for range 300 {
		seq := m.GenerateSequence(r)
		call := len(seq) - 1
		all := s.Variables(seq, call)
		values := make([]*big.Int, len(all))
		for i := range all {
			v := &all[i]
			if v.Value.Cmp(v.least) < 0 || v.Value.Cmp(v.most) > 0 {
				t.Fatalf("%v is %v, not within %v and %v", v.Word, v.Value, v.least, v.most)
			}
			values[i] = v.most
			if seen++; v.Word.Kind == LengthWord {
				lengths++
			}
		}
		changed, ok := s.WithValues(seq, all, values)
		if !ok {
			t.Fatalf("the bounds of %s do not fit", seq[call].Function.Name)
		}
		for i := range all {
			x, _ := s.Get(changed, all[i].Word)
			is := x.ToBig()
			if all[i].least.Sign() < 0 {
				is = signed(&x)
			}
			if is.Cmp(values[i]) != 0 {
				t.Fatalf("%v is %v, want %v", all[i].Word, is, values[i])
			}
		}
	}
	if seen == 0 || lengths == 0 {
		t.Errorf("%d variables, %d of them lengths", seen, lengths)
	}
}
