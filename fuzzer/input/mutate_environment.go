package input

import "github.com/holiman/uint256"

// timeSteps are the advances that contracts wait for, in seconds: a block, a
// minute, an hour, a day, a week, 30 days, a year, and neighbors.
var timeSteps = [...]uint64{0, 1, 12, 60, hour, hour + 1, day, day + 1, 7 * day, 7*day + 1, 30 * day, 365 * day}

// blockSteps are advances in blocks: neighbors, the 256 blocks that BLOCKHASH
// sees and one more, a day and a week of 12 s blocks.
var blockSteps = [...]uint64{0, 1, 2, 5, 10, 100, 256, 257, 7200, 50400}

// weiUnits are the amounts that people write: 1 wei, 1 gwei, 0.001 to 1000 ether.
var weiUnits = [...]uint256.Int{
	{1}, {1e9}, {1e15}, {1e16}, {1e17}, {1e18}, {1e18}, {1e19},
	*uint256.MustFromDecimal("100000000000000000000"),
	*uint256.MustFromDecimal("1000000000000000000000"),
}

// etherUnit is a unit or a small multiple of one; tokens count in them too.
func etherUnit(r Rand) uint256.Int {
	x := weiUnits[r.IntN(len(weiUnits))]
	if oneIn(r, 2) {
		x.Mul(&x, uint256.NewInt(1+r.Uint64N(10)))
	}
	return x
}

// etherAmount draws the wei of a call: nothing, little, a unit, all that the
// sender has or nearly, a number from the dictionary or from the call's own
// arguments (deposit(amount) wants to be paid amount).
func (m *Mutator) etherAmount(r Rand, c *Call) uint256.Int {
	var x uint256.Int
	switch r.IntN(10) {
	case 0:
	case 1:
		x.SetUint64(1 + r.Uint64N(smallNumbers))
	case 2:
		x = m.space.balances[c.Sender]
		if oneIn(r, 2) && !x.IsZero() {
			x.SubUint64(&x, 1)
		}
	case 3, 4:
		x, _ = m.dictionary.Sample(r, &wordType)
	case 5, 6:
		x = argumentWord(r, c)
	default:
		x = etherUnit(r)
	}
	if x.Gt(&m.space.maxValue) {
		x = m.space.maxValue
	}
	return x
}

// argumentWord is the word of a random elementary argument; zero when the one
// drawn is not a word.
func argumentWord(r Rand, c *Call) uint256.Int {
	if len(c.Args) == 0 {
		return uint256.Int{}
	}
	return c.Args[r.IntN(len(c.Args))].Word
}

func (m *Mutator) proposeAmount(r Rand, seq Sequence, w Word, old *uint256.Int) uint256.Int {
	if oneIn(r, 3) {
		x := m.mutateLeaf(r, seq, &wordType, old)
		if x.Gt(&m.space.maxValue) {
			x.Mod(&x, &m.space.maxValue)
		}
		return x
	}
	return m.etherAmount(r, callOf(seq, &w))
}

// proposeAdvance draws an advance: a usual step, a few more or less, any number
// up to the bound.
func (m *Mutator) proposeAdvance(r Rand, w Word, old *uint256.Int) uint256.Int {
	steps, most := timeSteps[:], m.space.maxTime
	if w.Kind == BlockWord {
		steps, most = blockSteps[:], m.space.maxBlocks
	}
	switch r.IntN(8) {
	case 0:
		return addDelta(r, &wordType, old)
	case 1:
		return *uint256.NewInt(r.Uint64N(1 + r.Uint64N(most)))
	case 2: // on top of what passes already
		return *uint256.NewInt(old.Uint64() + steps[r.IntN(len(steps))])
	}
	return *uint256.NewInt(steps[r.IntN(len(steps))])
}

// Later lists a sequence that begins later: by each of the times that contracts wait for, and as many blocks of 12 seconds.
func (s *Space) Later(seq Sequence) (all []Sequence) {
	if len(seq) == 0 || seq[0].Function.Test {
		return nil
	}
	for _, step := range timeSteps {
		if step <= seq[0].TimeAdvance || step > s.maxTime {
			continue
		}
		later := seq.Clone()
		later[0].TimeAdvance = step
		later[0].BlockAdvance = max(later[0].BlockAdvance, min(step/12, s.maxBlocks))
		all = append(all, later)
	}
	return all
}
