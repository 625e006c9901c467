package input

import "github.com/holiman/uint256"

// Rand is the source of all randomness here; *rand.Rand of math/rand/v2 is one.
// Tests script it.
type Rand interface {
	Uint64() uint64
	Uint64N(n uint64) uint64 // below n
	IntN(n int) int          // below n
}

// oneIn is true once in n times.
func oneIn(r Rand, n int) bool { return r.IntN(n) == 0 }

// pick is the index of one of several weights, chosen in proportion.
func pick(r Rand, weights []int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	at := r.IntN(total)
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	panic("input: weights changed while choosing")
}

// randomWord has uniformly many significant bits, up to bits, and is uniform
// among the words of that length: small numbers are as likely as large ones.
func randomWord(r Rand, bits int) uint256.Int {
	w := uint256.Int{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
	w.Rsh(&w, uint(256-r.IntN(bits)-1))
	return w
}
