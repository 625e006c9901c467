package input

import (
	"math/big"
	"math/bits"
)

// Bounds of factoring. Arbitrary, but for the numbers of steps, which take some ten milliseconds at most: Pollard's method mostly
// finds a factor in about as many as its square root, so that those of 30 bits are found, and all of a word of 64.
const (
	// smallPrimes: trial division goes so far.
	smallPrimes = 1 << 10
	// rhoSteps bounds the steps of Pollard's rho for each factor, shortRhoSteps that for numbers of 64 bits.
	rhoSteps      = 1 << 15
	shortRhoSteps = 1 << 17
	// rhoTries is how many sequences are tried.
	rhoTries = 3
	// maxDivisors bounds the divisors of a number that are listed.
	maxDivisors = 1 << 10
	// stepWork is what a step is worth of terms that are computed (measured: some tenths of a microsecond), and shortStepsPerWork
	// how many of a short number are worth one.
	stepWork          = 8
	shortStepsPerWork = 2
)

// factors remembers numbers that were taken apart: searches meet the same ones again. The zero value is empty.
type factors struct {
	known map[string][]*big.Int
}

// maxKnown bounds them, some kilobytes each at most. When there are as many, all are forgotten. Arbitrary.
const maxKnown = 1 << 10

// divisors lists divisors of a number that is not zero, and what that cost in terms that could have been computed.
func (k *factors) divisors(n *big.Int) (all []*big.Int, work int) {
	key := string(n.Bytes())
	if all, ok := k.known[key]; ok {
		return all, 0
	}
	if k.known == nil || len(k.known) >= maxKnown {
		k.known = map[string][]*big.Int{}
	}
	all, work = divisors(n)
	k.known[key] = all
	return all, work
}

// factoring takes a number apart.
type factoring struct {
	factors []*big.Int // primes with repetitions, but for what is left of a number that has several large ones; equal ones in a row
	work    int
}

// factor takes a positive number apart.
func (f *factoring) factor(n *big.Int) {
	rest := new(big.Int).Set(n)
	quotient, remainder := new(big.Int), new(big.Int)
	for p := int64(2); p < smallPrimes && rest.Cmp(one) > 0; p++ {
		for by := big.NewInt(p); ; {
			if quotient.QuoRem(rest, by, remainder); remainder.Sign() != 0 {
				break
			}
			f.factors = append(f.factors, by)
			rest.Set(quotient)
		}
	}
	f.work += smallPrimes
	f.split(rest)
}

// split adds the factors of a number without small ones.
func (f *factoring) split(n *big.Int) {
	if n.Cmp(one) <= 0 {
		return
	}
	if !n.ProbablyPrime(1) {
		if d := f.proper(n); d != nil {
			f.split(d)
			f.split(new(big.Int).Quo(n, d))
			return
		}
	}
	at := len(f.factors)
	for i, known := range f.factors {
		if known.Cmp(n) == 0 {
			at = i
			break
		}
	}
	f.factors = append(f.factors[:at], append([]*big.Int{n}, f.factors[at:]...)...)
}

// proper is a proper factor of a composite number; nil when none is found.
func (f *factoring) proper(n *big.Int) *big.Int {
	if root := new(big.Int).Sqrt(n); new(big.Int).Mul(root, root).Cmp(n) == 0 {
		return root
	}
	for constant := range uint64(rhoTries) { // with some, all factors come up at once
		if n.IsUint64() {
			d, steps := shortRho(n.Uint64(), 1+2*constant)
			if f.work += steps / shortStepsPerWork; d > 0 {
				return new(big.Int).SetUint64(d)
			}
			continue
		}
		d, steps := rho(n, 1+2*int64(constant))
		if f.work += steps * stepWork; d != nil || steps >= rhoSteps {
			return d
		}
	}
	return nil
}

// rhoBatch: so many differences are multiplied before a divisor is computed. Where that is the number itself, they are looked
// at again one by one.
const rhoBatch = 64

// rho is a proper factor of a composite number by Pollard's method ("A Monte Carlo method for
// factorization", 1975), differences multiplied so that few divisors are computed (Brent, 1980); nil when it finds none.
func rho(n *big.Int, constant int64) (d *big.Int, steps int) {
	slow, fast := big.NewInt(2), big.NewInt(2)
	c, quotient := big.NewInt(constant), new(big.Int)
	next := func(x *big.Int) { quotient.QuoRem(x.Add(x.Mul(x, x), c), n, x) }
	product, difference, d := big.NewInt(1), new(big.Int), new(big.Int)
	for batch := rhoBatch; steps < rhoSteps; {
		wasSlow, wasFast := new(big.Int).Set(slow), new(big.Int).Set(fast)
		for range batch {
			next(slow)
			next(fast)
			next(fast)
			quotient.QuoRem(product.Mul(product, difference.Sub(slow, fast)), n, product)
		}
		steps += batch
		switch d.GCD(nil, nil, difference.Abs(product), n); {
		case d.Cmp(n) == 0 && batch == 1:
			return nil, steps
		case d.Cmp(n) == 0:
			batch = 1
			slow, fast = wasSlow, wasFast
			product.SetInt64(1)
		case d.Cmp(one) > 0:
			return d, steps
		}
	}
	return nil, steps
}

// shortRho is rho of a number of 64 bits at most; zero when it finds none.
func shortRho(n, constant uint64) (d uint64, steps int) {
	times := func(x, y uint64) uint64 {
		high, low := bits.Mul64(x, y)
		return bits.Rem64(high, low, n)
	}
	next := func(x uint64) uint64 {
		high, low := bits.Mul64(x, x)
		low, carry := bits.Add64(low, constant, 0)
		return bits.Rem64(high+carry, low, n)
	}
	slow, fast, product := uint64(2), uint64(2), uint64(1)
	for batch := rhoBatch; steps < shortRhoSteps; {
		wasSlow, wasFast := slow, fast
		for range batch {
			slow, fast = next(slow), next(next(fast))
			product = times(product, max(slow, fast)-min(slow, fast))
		}
		steps += batch
		switch d = gcd(product, n); {
		case d == n && batch == 1:
			return 0, steps
		case d == n:
			batch = 1
			slow, fast, product = wasSlow, wasFast, 1
		case d > 1:
			return d, steps
		}
	}
	return 0, steps
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// divisors lists divisors of a number that is not zero, those of its small factors first where there are many, and what
// that cost in terms that could have been computed.
func divisors(n *big.Int) (all []*big.Int, work int) {
	var f factoring
	f.factor(new(big.Int).Abs(n))
	all = []*big.Int{one}
	for i := 0; i < len(f.factors); {
		count := 1
		for i+count < len(f.factors) && f.factors[i+count].Cmp(f.factors[i]) == 0 {
			count++
		}
		before := len(all)
		power := new(big.Int).Set(one)
		for range count {
			power = new(big.Int).Mul(power, f.factors[i])
			for _, d := range all[:before] {
				if len(all) < maxDivisors {
					all = append(all, new(big.Int).Mul(d, power))
				}
			}
		}
		i += count
	}
	return all, f.work
}
