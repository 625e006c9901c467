package fuzzer

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/abi"
)

// minimize makes a sequence smaller while keeps returns true for it; it must be true for
// seq itself. It never executes anything: keeps does, and may give up by returning false
// from some point on.
//
// First calls are dropped, from large chunks to single ones (delta debugging, Zeller and
// Hildebrandt, TSE 2002), contracts of the World take the place of those that are deployed, and
// calls of one function are joined into one of their sum. Then what an attacker's contract does is
// left out where it can be, and an account without code takes the contract's place. Then words are
// simplified: all of a call to zero, else each to zero, else to one, else to a smaller number by
// halving, and finally to a round one. When nothing of that changes anything, what takes two
// changes at once is tried, which takes many probes: to drop two calls, and to simplify words
// that are equal. All repeat until nothing changes. That terminates: joining leaves fewer calls,
// rounding happens only when it removes digits, and rounding up after halving gives less than
// before.
func minimize(space *input.Space, seq input.Sequence, keeps func(input.Sequence) bool) input.Sequence {
	m := minimizer{space, keeps}
	for {
		plainer := m.plainWords(m.plainScripts(m.joinCalls(m.dropDeployments(m.dropCalls(seq)))))
		if plainer.Equal(seq) {
			plainer = m.plainEqual(m.dropPairs(seq))
		}
		if plainer.Equal(seq) {
			return plainer
		}
		seq = plainer
	}
}

// Minimize makes a sequence smaller as a campaign's findings are: keeps must be true for it,
// and is true for the result.
func Minimize(space *input.Space, seq input.Sequence, keeps func(input.Sequence) bool) input.Sequence {
	return minimize(space, seq, keeps)
}

type minimizer struct {
	space *input.Space
	keeps func(input.Sequence) bool
}

func (m minimizer) dropCalls(seq input.Sequence) input.Sequence {
	for size := (len(seq) + 1) / 2; size >= 1; size /= 2 {
		for at := 0; at+size <= len(seq) && size < len(seq); {
			shorter := slices.Concat(seq[:at], seq[at+size:])
			if m.keeps(shorter) {
				seq = shorter
			} else {
				at += size
			}
		}
	}
	return seq
}

// dropDeployments drops calls that deploy a contract of which the World has one, which then takes its place.
func (m minimizer) dropDeployments(seq input.Sequence) input.Sequence {
	for at := 0; at < len(seq); {
		if other, ok := m.withoutDeployment(seq, at); ok && m.keeps(other) {
			seq = other
		} else {
			at++
		}
	}
	return seq
}

// withoutDeployment is the sequence without the call that deploys a contract, whose calls the World's own gets; false where it deploys
// none, or the World has none that is called so.
func (m minimizer) withoutDeployment(seq input.Sequence, at int) (input.Sequence, bool) {
	if seq[at].Function.Kind != input.Constructor || len(seq) == 1 {
		return nil, false
	}
	fresh := seq[at].Instance
	own := slices.IndexFunc(m.space.Instances, func(in input.Instance) bool {
		return !in.Fresh && !in.Asked && in.Contract == m.space.Instances[fresh].Contract
	})
	if own < 0 {
		return nil, false
	}
	other := slices.Delete(seq.Clone(), at, at+1)
	for i := range other {
		call := &other[i]
		call.Args = abi.ReplaceAddress(call.Args, call.Function.Inputs, m.space.Instances[fresh].Address, m.space.Instances[own].Address)
		if call.Instance != fresh {
			continue
		}
		if call.Function.Kind == input.Constructor || !slices.Contains(m.space.Instances[own].Functions, call.Function) {
			return nil, false
		}
		call.Instance = own
	}
	return other, true
}

// dropPairs drops two calls at once where neither can be dropped alone: one undoes the other, such as a pause and what ends it.
func (m minimizer) dropPairs(seq input.Sequence) input.Sequence {
	for i := 0; i < len(seq); i++ {
		for j := i + 1; j < len(seq) && len(seq) > 2; {
			shorter := slices.Concat(seq[:i], seq[i+1:j], seq[j+1:])
			if m.keeps(shorter) {
				seq = shorter
			} else {
				j++
			}
		}
	}
	return seq
}

// joinCalls joins two calls of a function into one, as long as that keeps: ten payments
// become one, of the first one's sender. So none needs an account that it did not need before.
func (m minimizer) joinCalls(seq input.Sequence) input.Sequence {
	for i := 0; i < len(seq); i++ {
		for j := i + 1; j < len(seq); {
			joined, ok := m.joined(seq, i, j)
			if ok && m.keeps(joined) {
				seq = joined
			} else {
				j++
			}
		}
	}
	return seq
}

// joined is the sequence without call j, whose numbers are added to those of call i;
// false when they differ in anything else, or a sum does not fit.
func (m minimizer) joined(seq input.Sequence, i, j int) (input.Sequence, bool) {
	a, b := &seq[i], &seq[j]
	if a.Instance != b.Instance || a.Function != b.Function || a.Script != nil || b.Script != nil {
		return nil, false
	}
	words := input.AppendCallWords(nil, seq, i)
	if len(input.AppendCallWords(nil, seq, j)) != len(words) {
		return nil, false
	}
	out := slices.Delete(seq.Clone(), j, j+1)
	for _, word := range words {
		if word.Kind == input.SenderWord {
			continue
		}
		other := word
		other.Call = j
		x, _ := m.space.Get(seq, word)
		y, ok := m.space.Get(seq, other)
		if ok && x == y && !isNumber(seq, word) {
			continue
		}
		sum, overflow := new(uint256.Int).AddOverflow(&x, &y)
		if !ok || overflow || !isNumber(seq, word) || word.Kind == input.LengthWord && x != y {
			return nil, false
		}
		if word.Kind == input.LengthWord {
			continue
		}
		if out, ok = m.space.With(out, word, sum); !ok {
			return nil, false
		}
	}
	return out, true
}

// plainCalls sets all words of a call to zero at once, but for its sender: of most calls before the last, no word matters.
func (m minimizer) plainCalls(seq input.Sequence) input.Sequence {
	for call := range seq {
		plainer, changed := seq, 0
		for _, word := range input.AppendCallWords(nil, seq, call) {
			x, ok := m.space.Get(plainer, word)
			if !ok || x.IsZero() || word.Kind == input.SenderWord {
				continue // zero, or of an array that has become shorter
			}
			if next, ok := m.space.With(plainer, word, new(uint256.Int)); ok {
				plainer = next
				changed++
			}
		}
		if changed > 1 && m.keeps(plainer) { // one alone is tried with the words
			seq = plainer
		}
	}
	return seq
}

func (m minimizer) plainWords(seq input.Sequence) input.Sequence {
	seq = m.plainCalls(seq)
	for _, word := range input.AppendWords(nil, seq) {
		seq = m.plainest(seq, word)
		if isNumber(seq, word) {
			seq = m.halve(seq, word)
			seq = m.round(seq, word)
		}
	}
	return seq
}

// plainEqual simplifies words that are the same together: the id of what one call makes and the next one uses.
func (m minimizer) plainEqual(seq input.Sequence) input.Sequence {
	words := input.AppendWords(nil, seq)
	tried := map[uint256.Int]bool{}
	for i, word := range words {
		x, ok := m.space.Get(seq, word)
		if !ok || x.LtUint64(2) || tried[x] || word.Kind != input.LeafWord && word.Kind != input.ValueWord && word.Kind != input.ChunkWord {
			continue
		}
		tried[x] = true
		var same []input.Word
		for _, other := range words[i:] {
			if y, ok := m.space.Get(seq, other); ok && y == x && other.Kind == word.Kind {
				same = append(same, other)
			}
		}
		if len(same) < 2 || slices.Contains(m.space.Addresses, common.Address(x.Bytes20())) {
			continue
		}
		for _, plain := range []*uint256.Int{{}, uint256.NewInt(1)} {
			if changed, ok := m.withAll(seq, same, plain); ok && m.keeps(changed) {
				seq = changed
				break
			}
		}
	}
	return seq
}

// withAll sets several words to a value; false where one cannot be.
func (m minimizer) withAll(seq input.Sequence, words []input.Word, x *uint256.Int) (input.Sequence, bool) {
	for _, word := range words {
		var ok bool
		if seq, ok = m.space.With(seq, word, x); !ok {
			return nil, false
		}
	}
	return seq, true
}

// plainest tries the values that need no explanation: zero, one, and for an unknown
// address a sender's.
func (m minimizer) plainest(seq input.Sequence, word input.Word) input.Sequence {
	x, ok := m.space.Get(seq, word)
	if !ok {
		return seq // the array became shorter
	}
	plain := []uint256.Int{{}, *uint256.NewInt(1)}
	if t := input.WordType(seq, word); t != nil && t.Kind == input.Address {
		plain = plain[:1]
		if !slices.Contains(m.space.Addresses, common.Address(x.Bytes20())) {
			for _, sender := range m.space.Senders {
				if sender.Outsider || sender.IsContract() {
					continue
				}
				plain = append(plain, *new(uint256.Int).SetBytes20(sender.Address[:]))
			}
		}
	}
	for i := range plain {
		if plain[i] == x {
			break // as plain already
		}
		if plainer, ok := m.try(seq, word, &plain[i]); ok {
			return plainer
		}
	}
	return seq
}

// try sets a word, if what comes out is kept.
func (m minimizer) try(seq input.Sequence, word input.Word, x *uint256.Int) (input.Sequence, bool) {
	changed, ok := m.space.With(seq, word, x)
	if !ok || !m.keeps(changed) {
		return seq, false
	}
	return changed, true
}

// isNumber reports whether halving a word makes it simpler: half an address or half a
// hash is not simpler than the whole.
func isNumber(seq input.Sequence, word input.Word) bool {
	switch word.Kind {
	case input.LeafWord:
		t := input.WordType(seq, word)
		return t != nil && (t.Kind == input.Uint || t.Kind == input.Int)
	case input.LengthWord, input.ValueWord, input.TimeWord, input.BlockWord:
		return true
	}
	return false
}

// number is a word's value as people read it.
type number struct {
	size     uint256.Int
	negative bool
}

func (m minimizer) number(seq input.Sequence, word input.Word) (number, bool) {
	x, ok := m.space.Get(seq, word)
	if !ok {
		return number{}, false
	}
	if t := input.WordType(seq, word); t != nil && t.Kind == input.Int && x.Sign() < 0 {
		return number{*x.Neg(&x), true}, true
	}
	return number{size: x}, true
}

// tryNumber sets a word to a number of another size.
func (m minimizer) tryNumber(seq input.Sequence, word input.Word, n number, size *uint256.Int) (input.Sequence, bool) {
	x := *size
	if n.negative {
		x.Neg(&x)
	}
	return m.try(seq, word, &x)
}

// halve divides a number by two while that keeps: one probe for a number that is
// needed as it is, at most 256 for one that is not.
func (m minimizer) halve(seq input.Sequence, word input.Word) input.Sequence {
	for {
		n, ok := m.number(seq, word)
		if !ok || n.size.LtUint64(2) {
			return seq
		}
		var half uint256.Int
		if seq, ok = m.tryNumber(seq, word, n, half.Rsh(&n.size, 1)); !ok {
			return seq
		}
	}
}

// round searches for a readable number near one that cannot be halved: 40 ether, not
// 46.875; 14 days, not 1,234,567 seconds. It goes from the coarsest unit to the finest,
// first down and then up.
func (m minimizer) round(seq input.Sequence, word input.Word) input.Sequence {
	n, ok := m.number(seq, word)
	if !ok {
		return seq
	}
	for _, unit := range units(word, &n.size) {
		var rest, down, up uint256.Int
		if n.size.Lt(&unit) {
			continue // rounding a second up to a day does not simplify it
		}
		down.Sub(&n.size, rest.Mod(&n.size, &unit))
		rounder, ok := seq, rest.IsZero()
		if !ok {
			rounder, ok = m.tryNumber(seq, word, n, &down)
		}
		if ok {
			return m.lower(rounder, word, n, &down, &unit)
		}
		if _, overflow := up.AddOverflow(&down, &unit); overflow {
			continue
		}
		if rounder, ok := m.tryNumber(seq, word, n, &up); ok {
			return rounder
		}
	}
	return seq
}

// lower finds the smallest multiple of unit that keeps, between half of the number, which
// is known not to keep, and high, which does.
func (m minimizer) lower(seq input.Sequence, word input.Word, n number, high, unit *uint256.Int) input.Sequence {
	var low uint256.Int // multiples, in units; the highest that is known not to keep
	top := new(uint256.Int).Div(high, unit)
	low.Div(low.Rsh(&n.size, 1), unit)
	for {
		var middle uint256.Int
		middle.Rsh(middle.Add(&low, top), 1)
		if !low.Lt(&middle) {
			return seq
		}
		var ok bool
		if seq, ok = m.tryNumber(seq, word, n, new(uint256.Int).Mul(&middle, unit)); ok {
			top = &middle
		} else {
			low = middle
		}
	}
}

const (
	// plainDigits: numbers of so many decimal digits are readable and not rounded.
	plainDigits = 3
	// roundDigits is the most digits that a rounded number has before its zeros. With
	// more it is not simpler, and each costs two probes. Both arbitrary.
	roundDigits = 4
)

// units are the steps that a number is rounded to, coarsest first.
func units(word input.Word, x *uint256.Int) []uint256.Int {
	if word.Kind == input.TimeWord {
		const minute, hour, day = 60, 60 * 60, 24 * 60 * 60
		return []uint256.Int{*uint256.NewInt(day), *uint256.NewInt(hour), *uint256.NewInt(minute), *uint256.NewInt(1)}
	}
	digits := len(x.Dec())
	if digits <= plainDigits {
		return []uint256.Int{*uint256.NewInt(1)}
	}
	var steps []uint256.Int
	for kept := 1; kept <= min(roundDigits, digits-1); kept++ {
		var step uint256.Int
		step.Exp(uint256.NewInt(10), uint256.NewInt(uint64(digits-kept)))
		steps = append(steps, step)
	}
	return steps
}
