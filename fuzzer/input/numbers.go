package input

import (
	"math/big"

	"github.com/holiman/uint256"
)

// numbers lends integers and takes all of them back at once: a search computes some millions a second, and making each anew takes half of its
// time.
type numbers struct {
	all  []*big.Int
	lent int
}

// release takes back all that was lent.
func (n *numbers) release() { n.lent = 0 }

// next is an integer, whatever it was.
func (n *numbers) next() *big.Int {
	if n.lent == len(n.all) {
		n.all = append(n.all, new(big.Int))
	}
	n.lent++
	return n.all[n.lent-1]
}

// of is a word as an unsigned number.
func (n *numbers) of(x *uint256.Int) *big.Int {
	b := n.next()
	x.IntoBig(&b)
	return b
}

// signed is a word as a signed number.
func (n *numbers) signed(x *uint256.Int) *big.Int {
	b := n.of(x)
	if x.Sign() < 0 {
		b.Sub(b, whole)
	}
	return b
}

func (n *numbers) plus(a, b *big.Int) *big.Int  { return n.next().Add(a, b) }
func (n *numbers) minus(a, b *big.Int) *big.Int { return n.next().Sub(a, b) }
func (n *numbers) negated(a *big.Int) *big.Int  { return n.next().Neg(a) }

// over is a quotient toward zero, and its remainder.
func (n *numbers) over(a, b *big.Int) (quotient, remainder *big.Int) {
	return n.next().QuoRem(a, b, n.next())
}
