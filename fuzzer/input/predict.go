package input

import (
	"slices"

	"github.com/holiman/uint256"
)

// AppendChanged appends the input words by which two sequences differ to dst;
// false when they differ in more than most, or in what they call.
func (s *Space) AppendChanged(dst []Word, a, b Sequence, most int) ([]Word, bool) {
	if len(a) != len(b) {
		return dst, false
	}
	var buffer [64]Word // most calls have less
	for i := range a {
		if a[i].Function != b[i].Function || a[i].Instance != b[i].Instance {
			return dst, false
		}
		if a[i].Equal(&b[i]) {
			continue
		}
		for _, w := range AppendCallWords(buffer[:0], a, i) {
			x, _ := s.Get(a, w)
			if y, ok := s.Get(b, w); ok && x != y {
				if len(dst) == most {
					return dst, false
				}
				dst = append(dst, w)
			}
		}
	}
	return dst, true
}

// Point is one run seen from one branch: the input word's value and the
// branch's operands, left − right modulo 2^256.
type Point struct{ Input, Difference uint256.Int }

// Predict appends to dst the values of word w that should take the other side of
// branches (papers/harvey §4.2): before and after are the branches of two runs
// whose inputs differ in w alone, x0 and x1 its values. A branch counts when both
// runs reached it, took the same side and compared different operands; want
// selects those of interest (nil: all). A line goes through the two points; the
// proposals are where it crosses the goal, which is exact when the operands are
// linear in the word. On others, run the proposal and predict again from the last
// two runs, as long as Branch.Distance shrinks: that is the secant method. Where
// an equality's operand shows the bits that changed in the word, those of the
// other operand are put there.
//
// The proposals come in the order of after, each once, and fit type, which is
// the word's ([WordType]; nil: any value fits); at most MaxProposals are appended.
func Predict(dst []Proposal, w Word, t *Type, x0, x1 *uint256.Int, before, after []Branch, want func(*Branch) bool) []Proposal {
	start := len(dst)
	Pairs(before, after, func(a, b *Branch) bool {
		if a.Taken != b.Taken || want != nil && !want(b) {
			return true
		}
		goal, ok := b.goal()
		if !ok {
			return true
		}
		var roots [maxRoots + maxLanes]uint256.Int
		found := appendBits(roots[:0], x0, x1, a, b)
		p0, p1 := Point{Input: *x0, Difference: a.Difference()}, Point{Input: *x1, Difference: b.Difference()}
		for _, x := range Secant(found, p0, p1, &goal) {
			p := Proposal{w, x}
			if x == *x1 || x == *x0 || t != nil && !t.Fits(&x) || slices.Contains(dst[start:], p) {
				continue
			}
			if dst = append(dst, p); len(dst)-start >= MaxProposals {
				return false
			}
		}
		return true
	})
	return dst
}

// Pairs calls back for each branch of after with the same one of before, in the
// order of after, until it returns false.
func Pairs(before, after []Branch, visit func(a, b *Branch) bool) {
	Along(after, before, func(i, j int) bool { return visit(&before[j], &after[i]) })
}

// Difference is the branch's left operand less its right one.
func (b *Branch) Difference() (d uint256.Int) {
	d.Sub(&b.Left, &b.Right)
	return d
}

// appendBits appends the values of a word with which an equality's operands would
// be equal, if one of them shows bits of the word: shifted, masked, or changed by
// XOR. That is so, as far as two runs tell, when the bits that changed in the
// operand changed in the word, too; the other operand must not have changed.
// Secant steps do not find it, since each bit has a slope of its own.
func appendBits(dst []uint256.Int, x0, x1 *uint256.Int, a, b *Branch) []uint256.Int {
	mine, was, other := &b.Left, &a.Left, &b.Right
	switch {
	case b.Op != opEq && b.Op != opIszero || b.Left == b.Right:
		return dst
	case a.Right != b.Right && a.Left == b.Left:
		mine, was, other = &b.Right, &a.Right, &b.Left
	case a.Right != b.Right:
		return dst
	}
	var changed, shown, wrong uint256.Int
	changed.Xor(x0, x1)
	shown.Xor(was, mine)
	wrong.Xor(mine, other)
	if shown.IsZero() {
		return dst
	}
	if x, ok := allBits(&changed, &shown, &wrong); ok {
		return append(dst, *x.Xor(&x, x1))
	}
	// Bytes from somewhere inside the word.
	var all uint256.Int
	all.Or(all.Or(was, mine), other)
	width := (all.BitLen() + 7) &^ 7
	var mask, lane uint256.Int
	mask.Not(mask.Lsh(mask.SetAllOne(), uint(width)))
	start := len(dst)
	for at := 0; at+width <= 256 && len(dst)-start < maxLanes; at += 8 {
		if lane.And(lane.Rsh(&changed, uint(at)), &mask); lane == shown {
			lane.Lsh(&wrong, uint(at))
			dst = append(dst, *lane.Xor(&lane, x1))
		}
	}
	return dst
}

// maxLanes bounds the places where a number of a few bytes may be within a word: of
// a single byte, one place in 256 looks right by chance.
const maxLanes = 2

// allBits is what to change in a word, so that an operand's wrong bits change, where
// the operand shows the word moved to the right or to the left: its changed bits are
// then those of the word, as far as they are not moved out.
func allBits(changed, shown, wrong *uint256.Int) (x uint256.Int, ok bool) {
	var moved, back uint256.Int
	shift := changed.BitLen() - shown.BitLen()
	if shift < 0 {
		x.Rsh(wrong, uint(-shift))
		return x, moved.Lsh(changed, uint(-shift)).Eq(shown) && back.Lsh(&x, uint(-shift)).Eq(wrong)
	}
	x.Lsh(wrong, uint(shift))
	return x, moved.Rsh(changed, uint(shift)).Eq(shown) && back.Rsh(&x, uint(shift)).Eq(wrong)
}

// goal is the nearest difference of the operands with which the comparison
// would come out otherwise; false for an equality, which any other value breaks.
func (b *Branch) goal() (difference uint256.Int, ok bool) {
	_, satisfy := Costs(&b.Comparison)
	holds := satisfy.IsZero()
	switch b.Op {
	case opEq, opIszero:
		return difference, !holds
	case opLt, opSlt:
		if !holds {
			difference.SetAllOne() // −1
		}
		return difference, true
	case opGt, opSgt:
		if !holds {
			difference.SetOne()
		}
		return difference, true
	}
	return difference, false
}

// Line gives values for several words that two runs differ in, x0 and x1, with
// which a branch may take its other side: where the line through the two inputs
// crosses the goal, if that is at whole numbers, and the multiples of their
// distance before and behind it. What is linear in the words and held in both runs
// holds along the line, too, and what repeats (a remainder) does at the multiples.
func Line(x0, x1 []uint256.Int, a, b *Branch) (values [][]uint256.Int) {
	goal, ok := b.goal()
	if !ok || a.Taken != b.Taken {
		return nil
	}
	d0, d1 := a.Difference(), b.Difference()
	var left, rise, times, rest uint256.Int
	left.Sub(&goal, &d1)
	rise.Sub(&d1, &d0)
	if left.IsZero() || rise.IsZero() {
		return nil
	}
	back := left.Sign() < 0 != (rise.Sign() < 0)
	left.Abs(&left)
	rise.Abs(&rise)
	if exact, ok := crossing(x0, x1, &left, &rise, back); ok {
		values = append(values, exact)
	}
	times.DivMod(&left, &rise, &rest)
	if rest.IsZero() {
		return values // the crossing
	}
	one := uint256.NewInt(1)
	if !times.IsZero() {
		if before, ok := crossing(x0, x1, &times, one, back); ok {
			values = append(values, before)
		}
	}
	if behind, ok := crossing(x0, x1, times.AddUint64(&times, 1), one, back); ok {
		values = append(values, behind)
	}
	return values
}

// crossing is x1 + left/rise · (x1 − x0), or back from x1; false when that is not
// an integer.
func crossing(x0, x1 []uint256.Int, left, rise *uint256.Int, back bool) ([]uint256.Int, bool) {
	values := make([]uint256.Int, len(x1))
	for i := range x1 {
		var run, step, rest uint256.Int
		run.Sub(&x1[i], &x0[i])
		down := run.Sign() < 0 != back
		run.Abs(&run)
		if _, overflow := step.MulDivOverflow(&run, left, rise); overflow || !rest.MulMod(&run, left, rise).IsZero() {
			return nil, false
		}
		if down {
			values[i].Sub(&x1[i], &step)
		} else {
			values[i].Add(&x1[i], &step)
		}
	}
	return values, true
}

// Slope is what a word did to a branch: it changed by Run, and the difference of
// the operands by Rise.
type Slope struct {
	Word      Word
	Run, Rise uint256.Int
}

// Cross gives the values of the slope's word, now x, at which a branch may take its
// other side, if the slope is still the same.
func (s *Slope) Cross(dst []uint256.Int, x *uint256.Int, b *Branch) []uint256.Int {
	goal, ok := b.goal()
	if !ok {
		return dst
	}
	p0, p1 := Point{}, Point{Input: *x, Difference: b.Difference()}
	p0.Input.Sub(x, &s.Run)
	p0.Difference.Sub(&p1.Difference, &s.Rise)
	return Secant(dst, p0, p1, &goal)
}

// maxRoots: two readings of a difference beyond half of the range, rounded down
// and up.
const maxRoots = 4

// Secant appends the inputs at which the line through two points has the given
// difference, nearest reading first; the input is exact when the line meets the
// goal at a whole number, else its neighbors on both sides are given. Nothing
// when the points do not define a line.
//
// Arithmetic is modulo 2^256, as the EVM's is. The slope is taken from the smaller
// of the two readings of each difference (a step of −3 is not a step of 2^256 − 3).
// The remaining distance is read as a step up and as a step down, since operands of
// LT may be more than 2^255 apart.
func Secant(dst []uint256.Int, p0, p1 Point, goal *uint256.Int) []uint256.Int {
	var run, rise, left uint256.Int
	run.Sub(&p1.Input, &p0.Input)
	rise.Sub(&p1.Difference, &p0.Difference)
	left.Sub(goal, &p1.Difference)
	if run.IsZero() || rise.IsZero() || left.IsZero() {
		return dst
	}
	down := run.Sign() < 0 != (rise.Sign() < 0) // a falling line
	run.Abs(&run)
	rise.Abs(&rise)

	near, negative := left, left.Sign() < 0
	near.Abs(&near)
	var far uint256.Int
	far.Neg(&near)
	start := len(dst)
	dst = appendStep(dst, start, &p1.Input, &near, &run, &rise, negative != down)
	return appendStep(dst, start, &p1.Input, &far, &run, &rise, negative == down)
}

// appendStep appends at ± left·run/rise, and the next number further out when that
// is not an integer. A step beyond 2^256 is left out.
func appendStep(dst []uint256.Int, start int, at, left, run, rise *uint256.Int, down bool) []uint256.Int {
	var step, rest uint256.Int
	if _, overflow := step.MulDivOverflow(left, run, rise); overflow {
		return dst
	}
	exact := rest.MulMod(left, run, rise).IsZero()
	for range 2 {
		var x uint256.Int
		if down {
			x.Sub(at, &step)
		} else {
			x.Add(at, &step)
		}
		if !slices.Contains(dst[start:], x) {
			dst = append(dst, x)
		}
		if exact {
			break
		}
		step.AddUint64(&step, 1)
	}
	return dst
}
