package input

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// condition says whether a comparison holds, by its definition.
func condition(c *evm.Comparison) bool {
	switch c.Op {
	case opEq, opIszero:
		return c.Left == c.Right
	case opLt:
		return c.Left.Lt(&c.Right)
	case opGt:
		return c.Left.Gt(&c.Right)
	case opSlt:
		return c.Left.Slt(&c.Right)
	}
	return c.Left.Sgt(&c.Right)
}

func TestCosts(t *testing.T) {
	word := signedWord
	most := *maxUint256
	half := *minInt256
	cases := []struct {
		op               byte
		left, right      uint256.Int
		falsify, satisfy uint256.Int
	}{
		{opEq, word(5), word(5), word(1), word(0)},
		{opEq, word(5), word(8), word(0), word(3)},
		{opEq, word(8), word(5), word(0), word(3)},
		{opEq, word(0), most, word(0), most},
		{opIszero, word(9), word(0), word(0), word(9)},
		{opIszero, word(0), word(0), word(1), word(0)},
		{opLt, word(3), word(5), word(2), word(0)},
		{opLt, word(5), word(5), word(0), word(1)},
		{opLt, word(9), word(5), word(0), word(5)},
		{opLt, most, word(0), word(0), most}, // saturated
		{opLt, word(0), most, most, word(0)},
		{opGt, word(5), word(3), word(2), word(0)},
		{opGt, word(3), word(5), word(0), word(3)},
		{opSlt, word(-3), word(2), word(5), word(0)},
		{opSlt, word(2), word(-3), word(0), word(6)},
		{opSgt, word(2), word(-3), word(5), word(0)},
		{opSgt, word(-1), word(-1), word(0), word(1)},
		{opSlt, half, *new(uint256.Int).SubUint64(&half, 1), most, word(0)}, // min < max
	}
	for _, c := range cases {
		comparison := evm.Comparison{Op: c.op, Left: c.left, Right: c.right}
		falsify, satisfy := Costs(&comparison)
		if falsify != c.falsify || satisfy != c.satisfy {
			t.Errorf("%#x of %s and %s costs %s and %s, want %s and %s", c.op, c.left.Hex(), c.right.Hex(),
				falsify.Hex(), satisfy.Hex(), c.falsify.Hex(), c.satisfy.Hex())
		}
	}
	r := testRand(60)
	for range 20_000 {
		c := evm.Comparison{Op: byte(opLt + r.IntN(5)), Left: randomOf(r, &testTypes[6]), Right: randomOf(r, &testTypes[6])}
		falsify, satisfy := Costs(&c)
		if holds := condition(&c); falsify.IsZero() == holds || satisfy.IsZero() != holds {
			t.Fatalf("%+v costs %s and %s", c, falsify.Hex(), satisfy.Hex())
		}
	}
}

// linear makes the operands of `m*x + k OP c`.
func linear(op byte, m, k, c, x *uint256.Int) Branch {
	var b Branch
	b.Op, b.Right = op, *c
	b.Left.Mul(m, x)
	b.Left.Add(&b.Left, k)
	holds := condition(&b.Comparison)
	b.Taken = holds
	return b
}

// On linear operands one step flips the branch, whatever slope, offset, start
// and distance, as long as nothing wraps; at equality exactly so.
func TestPredictIsExactOnLinearOperands(t *testing.T) {
	r := testRand(61)
	tried := 0
	for range 50_000 {
		op := []byte{opEq, opLt, opGt, opSlt, opSgt}[r.IntN(5)]
		m, k, root := randomWord(r, 100), randomWord(r, 200), randomWord(r, 120)
		if m.IsZero() || root.IsZero() { // below an unsigned zero is nothing
			continue
		}
		signed := op == opSlt || op == opSgt
		if signed && oneIn(r, 2) {
			m.Neg(&m)
			k.Neg(&k)
		}
		if signed && oneIn(r, 2) {
			root.Neg(&root)
		}
		var c uint256.Int
		c.Mul(&m, &root)
		c.Add(&c, &k)
		x0, x1 := randomWord(r, 120), randomWord(r, 120)
		b0, b1 := linear(op, &m, &k, &c, &x0), linear(op, &m, &k, &c, &x1)
		if b0.Taken != b1.Taken || x0 == x1 || b1.Taken && op == opEq {
			continue
		}
		tried++
		flipped, exact := false, false
		for _, p := range Predict(nil, Word{}, nil, &x0, &x1, []Branch{b0}, []Branch{b1}, nil) {
			b := linear(op, &m, &k, &c, &p.Value)
			flipped = flipped || b.Taken != b1.Taken
			exact = exact || p.Value == root
		}
		if !flipped {
			t.Fatalf("op %#x, %s·x + %s against %s: from %s and %s nothing predicted flips it",
				op, abi.SignedDec(&m), abi.SignedDec(&k), abi.SignedDec(&c), x0.Dec(), x1.Dec())
		}
		if op == opEq && !exact {
			t.Fatalf("the root %s is not proposed", root.Dec())
		}
	}
	if tried < 10_000 {
		t.Errorf("only %d cases tried", tried)
	}
}

// Far apart operands of unsigned comparisons: further than half of the range.
func TestPredictAcrossHalfTheRange(t *testing.T) {
	x0, x1 := *uint256.NewInt(0), *uint256.NewInt(1)
	one, zero := uint256.NewInt(1), new(uint256.Int)
	c := new(uint256.Int).SubUint64(maxUint256, 41)
	b0, b1 := linear(opLt, one, zero, c, &x0), linear(opLt, one, zero, c, &x1)
	got := Predict(nil, Word{}, nil, &x0, &x1, []Branch{b0}, []Branch{b1}, nil)
	if !slices.ContainsFunc(got, func(p Proposal) bool { return p.Value == *c }) {
		t.Errorf("predictions are %v", got)
	}
}

// Operands that are more than 2^255 apart, of a word too narrow to wrap around: the
// difference modulo 2^256 is small and has the wrong sign, so only its second reading
// leads to a value that fits the word's type.
func TestPredictReadsDifferencesTwice(t *testing.T) {
	uint248 := Type{Kind: Uint, Bits: 248}
	m, zero := uint256.NewInt(200), new(uint256.Int)
	high := new(uint256.Int).SubUint64(new(uint256.Int).Lsh(uint256.NewInt(1), 248), 5)
	product := new(uint256.Int).Mul(m, high) // above 2^255
	for _, tc := range []struct {
		op      byte
		c       *uint256.Int
		x0, x1  *uint256.Int
		flipped *uint256.Int
	}{
		{opLt, product, uint256.NewInt(3), uint256.NewInt(4), high},
		{opEq, product, uint256.NewInt(4), uint256.NewInt(3), high},
		{opLt, m, high, new(uint256.Int).AddUint64(high, 1), zero},
		{opEq, new(uint256.Int).Lsh(m, 3), new(uint256.Int).AddUint64(high, 2), high, uint256.NewInt(8)},
	} {
		b0, b1 := linear(tc.op, m, zero, tc.c, tc.x0), linear(tc.op, m, zero, tc.c, tc.x1)
		got := Predict(nil, Word{}, &uint248, tc.x0, tc.x1, []Branch{b0}, []Branch{b1}, nil)
		if !slices.ContainsFunc(got, func(p Proposal) bool { return p.Value == *tc.flipped }) {
			t.Errorf("op %#x of 200·x and %s, from %s: predictions are %v, want %s among them", tc.op, tc.c.Hex(), tc.x1.Hex(), got, tc.flipped.Hex())
		}
	}
}

// Scaled words: a word that the code shifts to the right (bytes4) or divides.
func TestPredictScaledWords(t *testing.T) {
	shift := func(x uint64) *uint256.Int { return new(uint256.Int).Lsh(uint256.NewInt(x), 224) }
	b := func(x uint64) []Branch { return []Branch{{Comparison: compare(opEq, x, 0xdeadbeef)}} }
	got := Predict(nil, Word{}, &Type{Kind: FixedBytes, Bits: 32}, shift(7), shift(9), b(7), b(9), nil)
	if len(got) != 1 || got[0].Value != *shift(0xdeadbeef) {
		t.Errorf("predictions for bytes4 are %v", got)
	}
	got = Predict(nil, Word{}, nil, uint256.NewInt(1000), uint256.NewInt(2000), b(10), b(20), nil)
	if len(got) != 1 || got[0].Value != *uint256.NewInt(100 * 0xdeadbeef) {
		t.Errorf("predictions for x/100 are %v", got)
	}
}

// The guards of design §7, a·x² + b·x + c == C: the iterated step finds the root.
// The first step goes to about C/10; beyond 62 bits its square would wrap.
func TestSecantOnQuadraticGuards(t *testing.T) {
	guard := func(x *uint256.Int, target *uint256.Int) Branch {
		var b Branch
		b.Op, b.Right = opEq, *target
		b.Left.Mul(x, x)
		b.Left.Mul(&b.Left, uint256.NewInt(3))
		var linear uint256.Int
		linear.Mul(x, uint256.NewInt(7))
		b.Left.Add(&b.Left, &linear)
		b.Left.AddUint64(&b.Left, 101)
		b.Taken = condition(&b.Comparison)
		return b
	}
	r := testRand(62)
	worst := 0
	for _, bits := range []int{4, 16, 32, 60} {
		for range 200 {
			root := randomWord(r, bits)
			target := guard(&root, new(uint256.Int)).Left
			x0, x1 := *uint256.NewInt(0), *uint256.NewInt(1)
			steps := iterate(&x0, &x1, func(x *uint256.Int) Branch { return guard(x, &target) })
			if steps < 0 {
				t.Fatalf("root %s was not found", root.Dec())
			}
			worst = max(worst, steps)
		}
	}
	t.Logf("at most %d runs", worst)
}

// iterate runs the secant method as a campaign would: the first proposal that is
// new, from the last two runs. It returns the number of runs, −1 when it gives up.
func iterate(x0, x1 *uint256.Int, run func(*uint256.Int) Branch) int {
	b0, b1 := run(x0), run(x1)
	for n := 0; n < 400; n++ {
		if b0.Taken || b1.Taken {
			return n
		}
		next := Predict(nil, Word{}, nil, x0, x1, []Branch{b0}, []Branch{b1}, nil)
		if len(next) == 0 {
			return -1
		}
		*x0, *x1 = *x1, next[0].Value
		b0, b1 = b1, run(x1)
	}
	return -1
}

func TestChangedWord(t *testing.T) {
	m := testMutator(t, false)
	r := testRand(63)
	one := 0
	for range 5_000 {
		parent := m.GenerateSequence(r)
		child := m.Mutate(r, parent)
		words, ok := m.space.AppendChanged(nil, parent, child, 1)
		ok = ok && len(words) == 1
		if want := oneWordDiffers(t, m.space, parent, child); ok != want {
			t.Fatalf("one changed word: %v, want %v\n%s%s", ok, want, Format(m.space, parent), Format(m.space, child))
		}
		if !ok {
			continue
		}
		one++
		w := words[0]
		x, _ := m.space.Get(child, w)
		if again, ok := m.space.With(parent, w, &x); w.Kind != LengthWord && (!ok || !again.Equal(child)) {
			t.Fatalf("setting %v does not make the child", w)
		}
	}
	if one < 2_500 {
		t.Errorf("only %d of 5000 mutations change one word", one)
	}
}

func oneWordDiffers(t *testing.T, s *Space, a, b Sequence) bool {
	if !sameShape(a, b) {
		return false
	}
	changed, _, _ := diffWords(wordValues(t, s, a), wordValues(t, s, b))
	return changed == 1
}

func TestAppendBranches(t *testing.T) {
	e := comparing(
		[]evm.Comparison{{PC: 5, Op: opEq}, {PC: 9, Op: opLt}, {PC: 5, Op: opGt}},
		[]evm.Comparison{{PC: 5, Op: opEq}})
	got := AppendBranches(nil, e)
	if len(got) != 1 || got[0].Call != 1 || got[0].Op != opEq {
		t.Errorf("branches are %+v", got)
	}
	e.Calls = e.Calls[:1]
	got = AppendBranches(nil, e)
	if len(got) != 2 || got[1].PC != 9 || got[0].Op != opEq {
		t.Errorf("branches are %+v", got)
	}
	// A branch that only one run has, or where the runs part, predicts nothing.
	x0, x1 := uint256.NewInt(0), uint256.NewInt(1)
	lone := []Branch{{Comparison: compare(opEq, 1, 5)}}
	if p := Predict(nil, Word{}, nil, x0, x1, nil, lone, nil); p != nil {
		t.Errorf("predictions are %v", p)
	}
	parted := []Branch{{Comparison: compare(opEq, 5, 5)}}
	parted[0].Taken = true
	if p := Predict(nil, Word{}, nil, x0, x1, parted, lone, nil); p != nil {
		t.Errorf("predictions are %v", p)
	}
}

func BenchmarkPredict(b *testing.B) {
	var before, after []Branch
	for i := range uint64(20) {
		before = append(before, Branch{Comparison: compare(opEq, i, 1000+i)})
		after = append(after, Branch{Comparison: compare(opEq, i, 1000+i)})
		before[i].PC, after[i].PC = uint32(i), uint32(i)
	}
	after[7].Left.SetUint64(50)
	x0, x1 := uint256.NewInt(0), uint256.NewInt(1)
	var out []Proposal
	b.ReportAllocs()
	for b.Loop() {
		out = Predict(out[:0], Word{}, nil, x0, x1, before, after, nil)
	}
}

// Operands that show some bits of a word: whatever the shift, the place within the
// word or what is XORed to it, one proposal makes the operands equal.
func TestPredictSetsBits(t *testing.T) {
	r := testRand(63)
	for name, show := range map[string]func(x, key *uint256.Int) uint256.Int{
		"shifted right": func(x, _ *uint256.Int) (y uint256.Int) { y.Rsh(x, 19); return },
		"shifted left":  func(x, _ *uint256.Int) (y uint256.Int) { y.Lsh(x, 5); return },
		"xor":           func(x, key *uint256.Int) (y uint256.Int) { y.Xor(x, key); return },
		"two bytes": func(x, _ *uint256.Int) (y uint256.Int) {
			y.Rsh(x, 136)
			y.And(&y, uint256.NewInt(0xffff))
			return
		},
		"upper half": func(x, _ *uint256.Int) (y uint256.Int) { y.Rsh(x, 128); return },
		"lower half": func(x, _ *uint256.Int) (y uint256.Int) { y.And(x, lowMask(128)); return },
	} {
		solved, tried := 0, 0
		for range 200 {
			key, goal := randomWord(r, 200), randomWord(r, 200)
			wanted := show(&goal, &key)
			x0, x1 := randomWord(r, 200), randomWord(r, 200)
			branch := func(x *uint256.Int) (b Branch) {
				b.Op, b.Left, b.Right = opEq, show(x, &key), wanted
				b.Taken = b.Left == b.Right
				return b
			}
			b0, b1 := branch(&x0), branch(&x1)
			if b0.Left == b1.Left || b0.Taken || b1.Taken {
				continue
			}
			tried++
			if slices.ContainsFunc(Predict(nil, Word{}, nil, &x0, &x1, []Branch{b0}, []Branch{b1}, nil), func(p Proposal) bool {
				b := branch(&p.Value)
				return b.Taken
			}) {
				solved++
			}
		}
		// Random numbers have as many bits as chance gives them: some do not fit.
		if tried < 20 || solved < tried*9/10 {
			t.Errorf("%s: %d of %d", name, solved, tried)
		}
	}
}

func lowMask(bits uint) *uint256.Int {
	x := new(uint256.Int).SetAllOne()
	return x.Rsh(x, 256-bits)
}

// TestEchoes: of `a && b` with a false, the second jump is decided by a, too.
func TestEchoes(t *testing.T) {
	word := uint256.NewInt
	list := []evm.Comparison{
		{PC: 10, Op: opEq, Left: *word(1), Right: *word(2)},
		{PC: 20, Op: opEq, Left: *word(1), Right: *word(2)}, // && on what is left
		{PC: 30, Op: opEq, Left: *word(1), Right: *word(3)},
		{PC: 30, Op: opEq, Left: *word(1), Right: *word(3)}, // the same jump in a loop
		{PC: 40, Op: opLt, Left: *word(1), Right: *word(3)},
	}
	for i, want := range []bool{false, true, false, false, false} {
		if got := Echoes(&evm.Frame{Comparisons: list}, i); got != want {
			t.Errorf("comparison %d: %v", i, got)
		}
	}
	frame := evm.Frame{Comparisons: list}
	exec := &evm.Execution{Calls: []evm.CallResult{{Frames: [2]int{0, 1}}}, Frames: []evm.Frame{frame}}
	var pcs []uint32
	for _, b := range AppendBranches(nil, exec) {
		pcs = append(pcs, b.PC)
	}
	if !slices.Equal(pcs, []uint32{10, 30, 40}) {
		t.Errorf("the branches are those at %v", pcs)
	}

	// A block that compares by itself is no echo, whatever it finds.
	for name, block := range map[string][]byte{
		"hands on": {byte(vm.JUMPDEST), byte(vm.ISZERO), byte(vm.PUSH1), byte(vm.EQ), byte(vm.JUMPI)},
		"compares": {byte(vm.JUMPDEST), byte(vm.DUP2), byte(vm.EQ), byte(vm.PUSH1), 3, byte(vm.JUMPI)},
	} {
		code := append([]byte{byte(vm.PUSH1), 3, byte(vm.JUMPI)}, block...)
		frame := &evm.Frame{Program: bytecode.NewTable(nil).Unknown(code), Comparisons: []evm.Comparison{
			{PC: 2, Op: opEq}, {PC: uint32(len(code) - 1), Block: 1, Op: opEq},
		}}
		if got := Echoes(frame, 1); got != (name == "hands on") {
			t.Errorf("%s: an echo: %v", name, got)
		}
	}
}

// TestAgain: a jump that later goes the other way is a loop's, unless the frame fails there.
func TestAgain(t *testing.T) {
	frame := evm.Frame{Comparisons: []evm.Comparison{
		{PC: 10, Op: opLt, Taken: true}, {PC: 20, Op: opEq}, {PC: 10, Op: opLt, Taken: true}, {PC: 20, Op: opEq}, {PC: 10, Op: opLt},
	}}
	exec := &evm.Execution{Calls: []evm.CallResult{{Frames: [2]int{0, 1}}}, Frames: []evm.Frame{frame}}
	branches := AppendBranches(nil, exec)
	if len(branches) != 2 || !branches[0].Again || !branches[0].Taken || branches[1].Again {
		t.Errorf("branches %+v", branches)
	}
	exec.Frames[0].Outcome = evm.Reverted
	if branches := AppendBranches(nil, exec); branches[0].Again {
		t.Error("a check that failed the second time is a loop's")
	}
}

// TestLine: two equations that share their unknowns. Both runs hold the first; what the
// line proposes holds it, too, and the second besides.
func TestLine(t *testing.T) {
	r := testRand(65)
	for range 2000 {
		// 5a + 3b = k holds at (a, b), (a+3n, b−5n), …; wanted: a − b = goal.
		a, b := randomWord(r, 120), randomWord(r, 120)
		at := func(n int64) []uint256.Int {
			var x, y, step uint256.Int
			step = signedWord(n)
			x.Mul(&step, uint256.NewInt(3))
			x.Add(&a, &x)
			y.Mul(&step, uint256.NewInt(5))
			y.Sub(&b, &y)
			return []uint256.Int{x, y}
		}
		goal := at(1 + r.Int64N(1_000_000_000))
		var wanted uint256.Int
		wanted.Sub(&goal[0], &goal[1])
		branch := func(v []uint256.Int) (br Branch) {
			br.Op, br.Right = opEq, wanted
			br.Left.Sub(&v[0], &v[1])
			br.Taken = br.Left == br.Right
			return br
		}
		x0, x1 := at(-r.Int64N(1000)), at(-1000-r.Int64N(1000))
		b0, b1 := branch(x0), branch(x1)
		if !slices.ContainsFunc(Line(x0, x1, &b0, &b1), func(v []uint256.Int) bool { return slices.Equal(v, goal) }) {
			t.Fatalf("from %v and %v nothing leads to %v", x0, x1, goal)
		}
	}
	// What repeats: both runs hold x mod 97 = 5, wanted is x > 10000.
	over := func(x uint64) (br Branch) {
		br.Op, br.Left, br.Right = opGt, *uint256.NewInt(x), *uint256.NewInt(10_000)
		return br
	}
	b0, b1 := over(5), over(5+97*3)
	held := false
	for _, v := range Line([]uint256.Int{*uint256.NewInt(5)}, []uint256.Int{*uint256.NewInt(5 + 97*3)}, &b0, &b1) {
		held = held || v[0].Uint64() > 10_000 && v[0].Uint64()%97 == 5
	}
	if !held {
		t.Error("no multiple leads over the bound")
	}
}
