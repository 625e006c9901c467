package input

import (
	"math/big"
	"slices"

	"github.com/holiman/uint256"
)

// Variable is an input word as an integer within bounds.
type Variable struct {
	Word        Word
	Value       *big.Int
	least, most *big.Int
}

// maxVariables bounds the words of a call that are taken for variables: each costs a
// run. Arbitrary.
const maxVariables = 24

// Variables lists the numbers among the words of a call: integer arguments and the lengths
// of arrays, and the value and the time where they may be set.
func (s *Space) Variables(seq Sequence, call int) []Variable {
	var all []Variable
	for _, w := range AppendCallWords(nil, seq, call) {
		v := Variable{Word: w, least: new(big.Int)}
		switch w.Kind {
		case LeafWord:
			t := WordType(seq, w)
			switch {
			case t == nil || t.Kind != Uint && t.Kind != Int:
				continue
			case t.Kind == Int:
				v.most = new(big.Int).Lsh(big.NewInt(1), uint(t.Bits-1))
				v.least = new(big.Int).Neg(v.most)
			default:
				v.most = new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
			}
			v.most.Sub(v.most, one)
		case LengthWord:
			if _, t := resolve(seq, &w); t == nil || t.Kind != Slice {
				continue
			}
			v.most = big.NewInt(MaxElements)
		case AnswerWord:
			v.most = new(big.Int).Lsh(one, 256)
			v.most.Sub(v.most, one)
		case ValueWord:
			v.most = s.maxValue.ToBig()
		case TimeWord:
			v.most = new(big.Int).SetUint64(s.maxTime)
		default:
			continue
		}
		x, _ := s.Get(seq, w)
		if v.Value = x.ToBig(); v.least.Sign() < 0 {
			v.Value = signed(&x)
		}
		if all = append(all, v); len(all) == maxVariables {
			break
		}
	}
	return all
}

// WithValues is seq with the variables set; false when a value does not fit.
func (s *Space) WithValues(seq Sequence, variables []Variable, values []*big.Int) (Sequence, bool) {
	for i := range variables {
		if values[i].Cmp(variables[i].Value) == 0 {
			continue
		}
		var x uint256.Int
		x.SetFromBig(values[i])
		var ok bool
		if seq, ok = s.With(seq, variables[i].Word, &x); !ok {
			return nil, false
		}
	}
	return seq, true
}

var (
	zero  = new(big.Int)
	one   = big.NewInt(1)
	whole = new(big.Int).Lsh(one, 256)
)

// signed is a word read in two's complement.
func signed(x *uint256.Int) *big.Int {
	n := x.ToBig()
	if x.Sign() < 0 {
		n.Sub(n, whole)
	}
	return n
}

// relation is what a branch wants of the difference of its operands.
type relation uint8

const (
	below relation = iota // < 0
	atMost
	atLeast
	above
	equal
	different
)

// relation is what holds of the operands' difference, or the opposite.
func (b *Branch) relation(flipped bool) relation {
	_, satisfy := Costs(&b.Comparison)
	holds := satisfy.IsZero() != flipped
	switch b.Op {
	case opLt, opSlt:
		if holds {
			return below
		}
		return atLeast
	case opGt, opSgt:
		if holds {
			return above
		}
		return atMost
	}
	if holds {
		return equal
	}
	return different
}

// gap is the difference of the operands as a number: by the comparison's own reading
// of them; for an equality, next to zero.
func (b *Branch) gap() *big.Int {
	switch b.Op {
	case opLt, opGt:
		return new(big.Int).Sub(b.Left.ToBig(), b.Right.ToBig())
	case opSlt, opSgt:
		return new(big.Int).Sub(signed(&b.Left), signed(&b.Right))
	}
	d := b.Difference()
	return signed(&d)
}

func (r relation) holds(gap *big.Int) bool {
	switch r {
	case below:
		return gap.Sign() < 0
	case atMost:
		return gap.Sign() <= 0
	case atLeast:
		return gap.Sign() >= 0
	case above:
		return gap.Sign() > 0
	case equal:
		return gap.Sign() == 0
	}
	return gap.Sign() != 0
}

// System is what runs tell of the branches along a path, as functions of some
// variables near one input: the difference of each branch's operands, and what it
// changes by along ways through the inputs. It is exact where operands are linear, and
// for one variable alone where they are products of several.
type System struct {
	Variables []Variable
	branches  []Branch
	loops     []bool     // by branch: where it turns, loops join again, see [Branch.Joins]
	gaps      []*big.Int // the differences, by branch; nil: not asked for, see gap
	ways      []*Way
	pairs     []*Way // see [System.Pairs]
}

// Way is a step from the System's input, and what it does.
type Way struct {
	step   []*big.Int // by variable
	slopes []*big.Int // by branch, as far as the run along the way came with the System's
	broken bool       // behind the last of slopes the run went another way
	turned bool       // the opposite step was thought of
	parts  [2]*Way    // that it is the sum of, of a pair
}

// NewSystem is that of an input's variables and branches, without any ways.
func NewSystem(variables []Variable, branches []Branch) *System {
	return &System{Variables: variables, branches: branches, loops: make([]bool, len(branches)), gaps: make([]*big.Int, len(branches))}
}

// gap is the difference of a branch's operands.
func (s *System) gap(i int) *big.Int {
	if s.gaps[i] == nil {
		s.gaps[i] = s.branches[i].gap()
	}
	return s.gaps[i]
}

// Units are the steps of one variable each by 1: up, or down from its upper bound.
func (s *System) Units() []*Way {
	var units []*Way
	for i := range s.Variables {
		step := s.none()
		step[i].SetInt64(1)
		if s.Variables[i].Value.Cmp(s.Variables[i].most) >= 0 {
			step[i].SetInt64(-1)
		}
		units = append(units, &Way{step: step})
	}
	return units
}

func (s *System) none() []*big.Int {
	step := make([]*big.Int, len(s.Variables))
	for i := range step {
		step[i] = new(big.Int)
	}
	return step
}

// After gives the variables' values after a way's step; false when it leaves their
// bounds.
func (s *System) After(way *Way) ([]*big.Int, bool) { return s.after(way.step) }

func (s *System) after(step []*big.Int) ([]*big.Int, bool) {
	values := make([]*big.Int, len(step))
	for i := range step {
		v := &s.Variables[i]
		values[i] = new(big.Int).Add(v.Value, step[i])
		if values[i].Cmp(v.least) < 0 || values[i].Cmp(v.most) > 0 {
			return nil, false
		}
	}
	return values, true
}

// Learn adds a way, of whose step branches are the run.
func (s *System) Learn(way *Way, branches []Branch) {
	way.slopes, way.broken = s.compare(branches)
	if way.parts[0] != nil {
		s.pairs = append(s.pairs, way)
		return
	}
	s.ways = append(s.ways, way)
}

// Pairs lists the sums of two ways of one variable each that come to a branch: what the
// sum does beyond its parts is what their product does.
func (s *System) Pairs(target int) []*Way {
	var single []*Way
	for _, w := range s.ways {
		if w.variable() >= 0 && w.knows(target) && !slices.ContainsFunc(single, func(o *Way) bool { return o.variable() == w.variable() }) {
			single = append(single, w)
		}
	}
	var pairs []*Way
	for i, u := range single {
		for _, v := range single[i+1:] {
			step := s.none()
			step[u.variable()], step[v.variable()] = u.step[u.variable()], v.step[v.variable()]
			pairs = append(pairs, &Way{step: step, parts: [2]*Way{u, v}})
		}
	}
	return pairs
}

// variable is the only one that the way changes; −1 when there are more.
func (w *Way) variable() int {
	only := -1
	for i := range w.step {
		if w.step[i].Sign() != 0 {
			if only >= 0 {
				return -1
			}
			only = i
		}
	}
	return only
}

// compare is what changed in the branches of another run, as far as it came along. Most
// of what a run compares no single word changes, so that is to cost nothing.
func (s *System) compare(branches []Branch) (changes []*big.Int, broken bool) {
	changes = make([]*big.Int, 0, len(s.branches))
	came := 0 // changes up to the last branch that the run came to
	Along(s.branches, branches, func(i, j int) bool {
		for len(changes) < i {
			changes = append(changes, zero)
		}
		a, b := &s.branches[i], &branches[j]
		changes = append(changes, change(a, b))
		came = len(changes)
		s.loops[i] = s.loops[i] || a.Taken != b.Taken && a.Joins(b)
		broken = !a.Joins(b)
		return !broken
	})
	return changes[:came], broken || came < len(s.branches)
}

// change is by how much the difference of a branch's operands changed, the number next to
// zero that it is modulo 2^256.
func change(a, b *Branch) *big.Int {
	if a.Left == b.Left && a.Right == b.Right {
		return zero
	}
	was, is := a.Difference(), b.Difference()
	return signed(is.Sub(&is, &was))
}

// TurnOff finds the branch where a run leaves a way, or the way's last, where it comes
// that far: its numbers in either. −1 where the run does neither.
func TurnOff(way, run []Branch) (i, j int) {
	i, j = -1, -1
	Along(way, run, func(at, there int) bool {
		if !way[at].Joins(&run[there]) || at == len(way)-1 {
			i, j = at, there
			return false
		}
		return true
	})
	return i, j
}

// knows reports whether a way came to a branch.
func (w *Way) knows(target int) bool { return len(w.slopes) > target }

// moves reports whether a way changes a branch's operands.
func (w *Way) moves(i int) bool { return len(w.slopes) > i && w.slopes[i].Sign() != 0 }

// Detour is a way along which a branch may be reached that another did not come to:
// the opposite one, or one that a third way makes up for, so that the operands stay
// where it turned off. Nil when there is none left to try.
func (s *System) Detour(target int) *Way {
	for _, w := range s.ways {
		if w.knows(target) || !w.broken || len(w.slopes) == 0 {
			continue
		}
		if !w.turned {
			w.turned = true
			if back := s.untried(times(w, big.NewInt(-1))); back != nil {
				return back
			}
		}
		at := len(w.slopes) - 1
		for _, other := range s.ways {
			if other == w || !w.moves(at) || !other.moves(at) {
				continue
			}
			if sum := s.combine(w, other, at); sum != nil {
				return sum
			}
		}
	}
	return nil
}

// combine is a way of two others together that leaves a branch's operands as they are,
// in either direction; nil when it is known already, or does not fit.
func (s *System) combine(a, b *Way, at int) *Way {
	x, y := new(big.Int).Set(b.slopes[at]), new(big.Int).Neg(a.slopes[at])
	divisor := new(big.Int).GCD(nil, nil, new(big.Int).Abs(x), new(big.Int).Abs(y))
	x.Quo(x, divisor)
	y.Quo(y, divisor)
	for range 2 {
		step := times(a, x)
		for i, part := range times(b, y) {
			step[i].Add(step[i], part)
		}
		if sum := s.untried(step); sum != nil {
			return sum
		}
		x.Neg(x)
		y.Neg(y)
	}
	return nil
}

// untried is the way of a step; nil when it does not fit, is none or was tried.
func (s *System) untried(step []*big.Int) *Way {
	if _, fits := s.after(step); !fits || s.has(step) {
		return nil
	}
	return &Way{step: step}
}

// has reports whether a step was tried, or is none.
func (s *System) has(step []*big.Int) bool {
	if !slices.ContainsFunc(step, func(x *big.Int) bool { return x.Sign() != 0 }) {
		return true
	}
	return slices.ContainsFunc(s.ways, func(w *Way) bool {
		return slices.EqualFunc(w.step, step, func(x, y *big.Int) bool { return x.Cmp(y) == 0 })
	})
}
