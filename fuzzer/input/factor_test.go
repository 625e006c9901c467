package input

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFactor: the factors of a number multiply to it, and those that are small enough are primes.
func TestFactor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := big.NewInt(1)
		for n.BitLen() < 120 {
			n.Mul(n, new(big.Int).SetUint64(1+r.Uint64N(1<<(1+r.Uint64N(22)))))
		}
		var f factoring
		f.factor(n)
		product := big.NewInt(1)
		for _, p := range f.factors {
			product.Mul(product, p)
			if p.BitLen() <= 24 && !p.ProbablyPrime(8) {
				t.Errorf("%v: %v is no prime", n, p)
			}
		}
		if product.Cmp(n) != 0 {
			t.Errorf("the factors of %v are %v", n, f.factors)
		}
	}
}

func TestDivisors(t *testing.T) {
	tests := []struct {
		n    int64
		want []int64
	}{
		{1, []int64{1}},
		{-12, []int64{1, 2, 3, 4, 6, 12}},
		{1_000_003, []int64{1, 1_000_003}},
		{1_000_003 * 1_000_003, []int64{1, 1_000_003, 1_000_003 * 1_000_003}},
		{7919 * 104729, []int64{1, 7919, 104729, 7919 * 104729}},
		{1_000_003 * 999_983 * 999_979, []int64{1, 999_979, 999_983, 1_000_003, 999_979 * 999_983, 999_979 * 1_000_003, 999_983 * 1_000_003, 1_000_003 * 999_983 * 999_979}},
	}
	for _, test := range tests {
		all, _ := divisors(big.NewInt(test.n))
		var got []int64
		for _, d := range all {
			got = append(got, d.Int64())
		}
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("the divisors of %d are %v, want %v", test.n, got, test.want)
		}
	}
}
