package lookahead

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// precision sums up how much Values leave open.
type precision struct {
	of, exact, bits int // bits: of the numbers of words that the intervals hold, in both orders
}

func (p *precision) add(v *values, got Value) {
	p.of++
	if v.get(got).isConstant() {
		p.exact++
	}
	for _, i := range []*interval{v.get(got), v.signed(got)} {
		var width uint256.Int
		width.Sub(&i.hi, &i.lo)
		p.bits += width.BitLen()
	}
}

func (p precision) String() string {
	return fmt.Sprintf("%d of %d are known, %d bits are not", p.exact, p.of, p.bits)
}

// TestPrecision holds operations on Values, and what branches tell of words, to how precise they were: other tests tell whether they
// are right.
func TestPrecision(t *testing.T) {
	var out strings.Builder
	for _, unsigned := range []bool{false, true} {
		v := newValues()
		if unsigned {
			v = newIntervals()
		}
		fmt.Fprintf(&out, "unsigned bounds alone: %t\n", unsigned)
		small := smallValues(v)
		for _, op := range binaryOps {
			var near, any precision
			for _, a := range small {
				for _, b := range small {
					near.add(v, v.binary(op, a, b))
				}
			}
			rng := rand.New(rand.NewPCG(uint64(op), 31))
			for range 1000 {
				any.add(v, v.binary(op, randomValue(rng, v), randomValue(rng, v)))
			}
			fmt.Fprintf(&out, "  %v: %v; at random %v\n", op, near, any)
		}
		for _, op := range []vm.OpCode{vm.ISZERO, vm.NOT, vm.CLZ} {
			var p precision
			for _, a := range small {
				p.add(v, v.unary(op, a))
			}
			fmt.Fprintf(&out, "  %v: %v\n", op, p)
		}
		for _, op := range []vm.OpCode{vm.ADDMOD, vm.MULMOD} {
			var p precision
			for i, a := range small {
				for j, b := range small {
					p.add(v, v.ternary(op, a, b, small[(i+j)%len(small)]))
				}
			}
			fmt.Fprintf(&out, "  %v: %v\n", op, p)
		}
		var join, meet, widened precision
		none := 0
		for _, a := range small {
			for _, b := range small {
				join.add(v, v.join(a, b))
				widened.add(v, v.widen(a, v.join(a, b)))
				if m, ok := v.meet(a, b); ok {
					meet.add(v, m)
				} else {
					none++
				}
			}
		}
		fmt.Fprintf(&out, "  join: %v\n  widen: %v\n  meet: %v, %d are empty\n", join, widened, meet, none)
		sayRefined(&out, v)
	}
	golden.Check(t, "testdata/said/precision.txt", out.String())
}

// smallValues are the sets of some words in a row: near zero, the greatest word, the sign and the bounds of memory.
func smallValues(v *values) (all []Value) {
	var starts []uint256.Int
	for _, n := range []uint64{0, 1, 31, 255, 0x3f0} {
		starts = append(starts, *uint256.NewInt(n))
	}
	for _, bits := range []uint{42, 64, 160, 255} {
		x := new(uint256.Int).Lsh(uint256.NewInt(1), bits)
		starts = append(starts, *x.SubUint64(x, 2))
	}
	starts = append(starts, *new(uint256.Int).SubUint64(new(uint256.Int), 4))
	for _, lo := range starts {
		for _, n := range []uint64{0, 1, 3} {
			hi := lo
			all = append(all, v.intern(interval{lo, *hi.AddUint64(&hi, n)}))
		}
	}
	minus := new(uint256.Int).SubUint64(new(uint256.Int), 2)
	return append(all, Top, boolean, byteRange, nonzero, address, memory, v.internSigned(interval{*minus, *uint256.NewInt(2)}))
}

// sayRefined writes what branches tell of words, at random.
func sayRefined(out *strings.Builder, v *values) {
	rng := rand.New(rand.NewPCG(7, 32))
	for _, truth := range []bool{true, false} {
		var p precision
		dead := 0
		for range 3000 {
			if len(v.own) > maxValues {
				v.reset()
			}
			r := randomRun(rng, v)
			r.intervals = v.unsigned
			if !r.assume(symbol(len(r.words)-1), truth, 0) {
				dead++
				continue
			}
			for w := range r.words {
				p.add(v, r.value(symbol(w)))
			}
		}
		fmt.Fprintf(out, "  words of a branch that is taken %t: %v, %d are dead\n", truth, p, dead)
	}
	if v.unsigned {
		return
	}
	var p precision
	refuted, saved := 0, 0
	for range 1500 {
		if len(v.own) > maxValues {
			v.reset()
		}
		c := randomConditions(rng)
		m := interpreter{v: v}
		if !c.assume(&m) {
			refuted++
		} else {
			for i := range c.words {
				p.add(v, m.value(symbol(i)))
			}
			s := m.save()
			saved += len(s.relations)
		}
		again := interpreter{v: v}
		if !c.assumeInTurn(&again) {
			refuted++
		}
	}
	fmt.Fprintf(out, "  words of conditions: %v; %d are refuted, %d relations kept\n", p, refuted, saved)
}
