package lookahead

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// randomState is a state of the height: words of it are sometimes equal, and some
// memory is known.
func randomState(rng *rand.Rand, v *values, height int) state {
	m := interpreter{v: v}
	start := state{}
	m.load(&start)
	for range height {
		switch {
		case len(m.stack) > 0 && rng.IntN(3) == 0:
			m.stack = append(m.stack, m.stack[rng.IntN(len(m.stack))])
		default:
			m.push(randomValue(rng, v).plain()) // heights and labels are equal in states that meet
		}
	}
	for at := range 6 {
		if rng.IntN(2) == 0 {
			continue
		}
		offset := place(32 * at)
		if rng.IntN(4) == 0 {
			offset -= min(offset, 16)
		}
		w := symbol(0)
		if len(m.words) > 0 && rng.IntN(3) == 0 {
			w = symbol(rng.IntN(len(m.words)))
		} else {
			m.words = append(m.words, word{value: randomValue(rng, v).plain()})
			w = symbol(len(m.words) - 1)
		}
		if i := m.search(offset); i == len(m.memory) || m.memory[i].at != offset {
			m.insert(i, cell{offset, w})
		}
	}
	s := m.save()
	return s.clone()
}

// validate holds a state to what its type promises.
func validate(t *testing.T, s *state) {
	t.Helper()
	if len(s.classes) != s.height+len(s.places) {
		t.Fatalf("%+v: %d classes", s, len(s.classes))
	}
	next := uint16(0)
	for _, c := range s.classes {
		if c > next {
			t.Fatalf("%+v: classes are not numbered in order", s)
		}
		next = max(next, c+1)
	}
	if int(next) != len(s.values) {
		t.Fatalf("%+v: %d values for %d classes", s, len(s.values), next)
	}
	for i, p := range s.places {
		if i > 0 && p <= s.places[i-1] {
			t.Fatalf("%+v: places are not ascending", s)
		}
		if s.values[s.classes[s.height+i]] == Top {
			t.Fatalf("%+v: place %d is Top", s, p)
		}
	}
}

func TestStatesAreALattice(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	v := newValues()
	j := joiner{v: v}
	join := func(a, b state) state {
		r := j.join(&a, &b, false).clone()
		validate(t, &r)
		return r
	}
	for range rounds / 2 {
		height := rng.IntN(5)
		a, b, c := randomState(rng, v, height), randomState(rng, v, height), randomState(rng, v, height)
		validate(t, &a)
		ab, ba := join(a, b), join(b, a)
		left, right := join(ab, c), join(a, join(b, c))
		same := join(a, a)
		switch {
		case !ab.equal(&ba):
			t.Fatalf("join of %+v and %+v does not commute: %+v, %+v", a, b, ab, ba)
		case !left.equal(&right):
			t.Fatalf("join of %+v, %+v and %+v does not associate", a, b, c)
		case !same.equal(&a):
			t.Fatalf("join of %+v with itself is %+v", a, same)
		case !v.below(&a, &ab) || !v.below(&b, &ab):
			t.Fatalf("join of %+v and %+v is not above both: %+v", a, b, ab)
		case v.below(&a, &b) != ab.equal(&b):
			t.Fatalf("order and join disagree on %+v and %+v", a, b)
		case v.below(&a, &c) && v.below(&b, &c) && !v.below(&ab, &c):
			t.Fatalf("join of %+v and %+v is not the least above both", a, b)
		}
		if wide := j.join(&a, &b, true).clone(); !v.below(&ab, &wide) {
			t.Fatalf("widened join of %+v and %+v is not above their join", a, b)
		}
	}
}

// exits runs a block on a state and gives the states of both its ways out; nil for
// a way that cannot be taken.
func exits(m *interpreter, s *state) (flow, []*state) {
	m.load(s)
	if !m.fits(&m.code.blocks[0]) {
		return flowHalt, nil
	}
	end := m.run(0)
	var out []*state
	way := func(truth bool) {
		mark := m.mark()
		if m.assume(end.condition, truth, 0) {
			saved := m.save().clone()
			out = append(out, &saved)
		} else {
			out = append(out, nil)
		}
		m.rollback(mark)
	}
	switch end.flow {
	case flowBranch:
		way(true)
		way(false)
	case flowNext, flowJump:
		saved := m.save().clone()
		out = append(out, &saved)
	}
	return end.flow, out
}

// randomBlock is straight-line code that ends with a branch.
func randomBlock(rng *rand.Rand) []byte {
	var code []byte
	for range 1 + rng.IntN(14) {
		switch rng.IntN(10) {
		case 0, 1:
			code = append(code, byte(vm.PUSH1), byte(rng.IntN(5)*16))
		case 2:
			code = append(code, byte(vm.DUP1)+byte(rng.IntN(4)))
		case 3:
			code = append(code, byte(vm.SWAP1)+byte(rng.IntN(3)))
		case 4:
			code = append(code, byte(vm.PUSH1), byte(rng.IntN(7)*16), byte(vm.MLOAD))
		case 5:
			code = append(code, byte(vm.PUSH1), byte(rng.IntN(7)*16), byte(vm.MSTORE))
		case 6:
			code = append(code, []byte{byte(vm.MSTORE), byte(vm.MLOAD), byte(vm.MSTORE8), byte(vm.MCOPY), byte(vm.CALLDATACOPY), byte(vm.ISZERO)}[rng.IntN(6)])
		default:
			code = append(code, byte(binaryOps[rng.IntN(len(binaryOps))]))
		}
	}
	return append(code, byte(vm.ISZERO), byte(vm.PUSH1), 0, byte(vm.JUMPI))
}

func newInterpreter(p *bytecode.Program, v *values) interpreter {
	m := interpreter{v: v}
	c := decode(p)
	m.bind(c, c.pool.resolve(v))
	return m
}

// TestTransferIsMonotone: from a state above another, each way out of a block is
// above as well.
func TestTransferIsMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	table := bytecode.NewTable(nil)
	compared := 0
	for range rounds / 4 {
		v := newValues()
		m := newInterpreter(table.Unknown(randomBlock(rng)), v)
		j := joiner{v: v}
		height := 3 + rng.IntN(5)
		low, other := randomState(rng, v, height), randomState(rng, v, height)
		high := j.join(&low, &other, false).clone()
		lowFlow, lowOut := exits(&m, &low)
		highFlow, highOut := exits(&m, &high)
		if highFlow == flowHalt && lowFlow != flowHalt {
			t.Fatalf("%x halts in %+v, but not in %+v below it", m.code.program.Bytes, high, low)
		}
		for i, s := range lowOut {
			if s == nil {
				continue
			}
			compared++
			if highOut[i] == nil || !v.below(unified(v, s), highOut[i]) {
				t.Fatalf("%x, way %d: %+v leads to %+v, but %+v above it to %+v", m.code.program.Bytes, i, low, s, high, highOut[i])
			}
		}
	}
	if compared < rounds/8 {
		t.Errorf("only %d ways out were compared", compared)
	}
}

// unified is a state with equal constants in one class: an operation that leaves a word as
// it is may find that out of either operand when both are constant.
func unified(v *values, s *state) *state {
	m := interpreter{v: v}
	m.load(s)
	for _, words := range [][]symbol{m.stack, places(&m)} {
		for i, w := range words {
			for _, x := range append(slices.Clone(m.stack), places(&m)...) {
				if x < w && m.isConstant(w) && m.value(w) == m.value(x) {
					words[i] = x
					m.setLink(w, link{same: x + 1})
					break
				}
			}
		}
	}
	r := m.save().clone()
	return &r
}

func places(m *interpreter) []symbol {
	var words []symbol
	for _, c := range m.memory {
		words = append(words, c.word)
	}
	return words
}

// TestDigestTellsStatesApart: states that differ have different digests.
func TestDigestTellsStatesApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	v := newValues()
	seen := map[bytecode.PathID]state{}
	for range rounds / 10 {
		s := randomState(rng, v, rng.IntN(4))
		d := s.digest(0, false)
		if old, ok := seen[d]; ok && !old.equal(&s) {
			t.Fatalf("%+v and %+v have the same digest", old, s)
		}
		seen[d] = s
		if d == s.digest(1, false) || d == s.digest(0, true) {
			t.Fatal("block or static does not show in the digest")
		}
	}
}

// TestEveryOpcodeIsHandled: each defined opcode runs on unknown words and leaves
// the height that go-ethereum's table says.
func TestEveryOpcodeIsHandled(t *testing.T) {
	for op := range 256 {
		o := operations[op]
		v := newValues()
		m := newInterpreter(bytecode.NewTable(nil).Unknown([]byte{byte(op)}), v)
		start := entry()
		m.load(&start)
		const height = 20 // SWAP16 needs 17
		for range height {
			m.push(Top)
		}
		end := m.run(0)
		if o.defined != (end.flow != flowUnknown) {
			t.Errorf("%v: defined %t, flow %d", vm.OpCode(op), o.defined, end.flow)
		}
		if want := height - int(o.pops) + int(o.pushes); end.flow == flowNext && len(m.stack) != want {
			t.Errorf("%v leaves %d words, want %d", vm.OpCode(op), len(m.stack), want)
		}
	}
}

// TestMemory: what survives writes to memory.
func TestMemory(t *testing.T) {
	v := newValues()
	low := v.intern(interval{*uint256.NewInt(0x60), *uint256.NewInt(1 << 50)})
	for _, tc := range []struct {
		name   string
		offset Value
		size   Value // 0 bytes wide: MSTORE
		want   []place
	}{
		{"aligned", constant(0x20), 0, []place{0, 0x20, 0x40, 0x60}},
		{"across two words", constant(0x30), 0, []place{0, 0x30, 0x60}},
		{"far away", v.constant(uint256.NewInt(1 << 20)), 0, []place{0, 0x20, 0x40, 0x60}},
		{"beyond what is tracked", v.constant(uint256.NewInt(maxKnownMemory)), 0, []place{0, 0x20, 0x40, 0x60}},
		{"unknown from 0x60 on", low, 0, []place{0, 0x20, 0x40}},
		{"anywhere", Top, 0, nil},
		{"an unknown length at 0x20", constant(0x20), size, []place{0}},
		{"one byte", constant(0x5f), constant(1), []place{0, 0x20, 0x60}},
		{"no bytes anywhere", Top, constant(0), []place{0, 0x20, 0x40, 0x60}},
	} {
		m := interpreter{v: v, code: &code{}}
		start := entry()
		m.load(&start)
		m.push(constant(7))
		m.push(tc.size)
		m.push(tc.offset)
		ok := false
		if tc.size == 0 {
			ok = m.store32(m.stack[2], m.stack[0])
		} else {
			ok = m.overwrite(m.stack[2], m.stack[1])
		}
		if got := m.save().places; !ok || !slices.Equal(got, tc.want) {
			t.Errorf("%s: known are %v, want %v", tc.name, got, tc.want)
		}
	}
}
