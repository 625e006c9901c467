package input

import (
	"math/big"
)

// Bounds of factoring. Arbitrary, but for the number of steps: they find factors of 30 bits.
const (
	// smallPrimes: trial division goes so far.
	smallPrimes = 1 << 10
	// rhoSteps bounds the steps of Pollard's rho for each factor.
	rhoSteps = 1 << 16
	// maxDivisors bounds the divisors of a number that are listed.
	maxDivisors = 1 << 10
)

// primeFactors are factors of a positive number, in order, with repetitions: primes, but for
// what is left of a number that has several large ones.
func primeFactors(n *big.Int) []*big.Int {
	var factors []*big.Int
	rest := new(big.Int).Set(n)
	for p := int64(2); p < smallPrimes && rest.Cmp(one) > 0; p++ {
		for by := big.NewInt(p); ; {
			quotient, remainder := new(big.Int).QuoRem(rest, by, new(big.Int))
			if remainder.Sign() != 0 {
				break
			}
			factors = append(factors, by)
			rest = quotient
		}
	}
	return splitFactors(factors, rest)
}

// splitFactors adds the factors of a number without small ones.
func splitFactors(factors []*big.Int, n *big.Int) []*big.Int {
	if n.Cmp(one) <= 0 {
		return factors
	}
	if !n.ProbablyPrime(8) {
		if d := rho(n); d != nil {
			return splitFactors(splitFactors(factors, d), new(big.Int).Quo(n, d))
		}
	}
	return append(factors, n)
}

// rho is a proper factor of a composite number by Pollard's method ("A Monte Carlo method for
// factorization", 1975), differences multiplied so that few divisors are computed (Brent, 1980); nil when it finds none.
func rho(n *big.Int) *big.Int {
	if root := new(big.Int).Sqrt(n); new(big.Int).Mul(root, root).Cmp(n) == 0 {
		return root
	}
	const batch = 128
	slow, fast := big.NewInt(2), big.NewInt(2)
	next := func(x *big.Int) { x.Mul(x, x).Add(x, one).Mod(x, n) }
	product, difference, d := big.NewInt(1), new(big.Int), new(big.Int)
	for step := 1; step <= rhoSteps; step++ {
		next(slow)
		next(fast)
		next(fast)
		if difference.Sub(slow, fast).Sign() == 0 {
			return nil
		}
		product.Mul(product, difference.Abs(difference)).Mod(product, n)
		if step%batch != 0 {
			continue
		}
		if d.GCD(nil, nil, product, n); d.Cmp(n) == 0 {
			return nil
		}
		if d.Cmp(one) > 0 {
			return d
		}
	}
	return nil
}

// divisors lists divisors of a number that is not zero, the small first where there are many.
func divisors(n *big.Int) []*big.Int {
	all := []*big.Int{one}
	factors := primeFactors(new(big.Int).Abs(n))
	for i := 0; i < len(factors); {
		count := 1
		for i+count < len(factors) && factors[i+count].Cmp(factors[i]) == 0 {
			count++
		}
		before := len(all)
		power := new(big.Int).Set(one)
		for range count {
			power = new(big.Int).Mul(power, factors[i])
			for _, d := range all[:before] {
				if len(all) < maxDivisors {
					all = append(all, new(big.Int).Mul(d, power))
				}
			}
		}
		i += count
	}
	return all
}
