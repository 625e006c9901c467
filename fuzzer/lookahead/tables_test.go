package lookahead

import (
	"bytes"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestAnswersTable: answers are found again until there are too many, also those whose keys share a place; the table is at most half full.
func TestAnswersTable(t *testing.T) {
	table := newAnswers()
	key := func(i int) questionKey {
		var k questionKey
		k[0], k[1] = uint64(i%97), uint64(i) // many share a place
		return k
	}
	const many = 2000
	for i := range many {
		table.put(key(i), Answer{Reason: Reason(i % 5), PC: uint32(i)}, uint32(i/2))
		if 2*table.used > len(table.slots) || table.used != i+1 {
			t.Fatalf("%d answers are %d in %d slots", i+1, table.used, len(table.slots))
		}
	}
	table.put(key(7), Answer{Reason: Exhausted, PC: 99}, 3) // in place of the first
	if table.used != many {
		t.Errorf("an answer that is given again makes %d of %d", table.used, many)
	}
	for i := range many {
		want := cached{Reason(i % 5), uint32(i), uint32(i / 2)}
		if i == 7 {
			want = cached{Exhausted, 99, 3}
		}
		if got, ok := table.get(key(i)); !ok || got != want {
			t.Fatalf("answer %d is %v, %t", i, got, ok)
		}
	}
	if _, ok := table.get(key(many)); ok {
		t.Error("an answer that was never given is known")
	}
	full := newAnswers()
	for i := range initialAnswers / 2 { // every second place is taken
		full.put(questionKey{uint64(2*i + 1)}, Answer{}, 0)
	}
	if _, ok := full.get(questionKey{initialAnswers + 1, 1}); ok || len(full.slots) != initialAnswers {
		t.Errorf("of a table of %d that is as full as it may be, an answer that was never given is known: %t", len(full.slots), ok)
	}
	table.generation = math.MaxUint32 // the next one wraps around
	for i := range 3 {
		table.put(key(i), Answer{}, 0)
	}
	table.clear()
	if table.generation == 0 || table.used != 0 {
		t.Errorf("generation %d with %d answers", table.generation, table.used)
	}
	for i := range many {
		if _, ok := table.get(key(i)); ok {
			t.Fatalf("answer %d is known after all were dropped", i)
		}
	}
	for i := range maxAnswers + 1 {
		table.put(questionKey{uint64(i)}, Answer{}, 0)
	}
	if table.used != 1 || len(table.slots) > 2*maxAnswers {
		t.Errorf("%d answers in %d slots where there were too many", table.used, len(table.slots))
	}
}

// TestNodeTable: nodes are found by their hashes, also those that share a place; the table is at most half full, and room for some nodes is made at once.
func TestNodeTable(t *testing.T) {
	var table nodeTable
	table.reset()
	if len(table.slots) != initialSlots {
		t.Errorf("%d slots to begin with", len(table.slots))
	}
	has := func(hash uint64, node int32) bool {
		for i := table.first(hash); ; i = table.next(i) {
			switch s, taken := table.at(i); {
			case !taken:
				return false
			case s.hash == hash && s.node == node:
				return true
			}
		}
	}
	const many = 1000
	for i := range int32(many) {
		table.insert(uint64(i%13)*2048+uint64(i%3), i)
		if 2*table.used > len(table.slots) || table.used != int(i)+1 {
			t.Fatalf("%d nodes are %d in %d slots", i+1, table.used, len(table.slots))
		}
	}
	for i := range int32(many) {
		if !has(uint64(i%13)*2048+uint64(i%3), i) || has(uint64(i%13)*2048+uint64(i%3), i+1) {
			t.Fatalf("node %d is not found, or another is", i)
		}
	}
	if len(table.slots) != 2048 {
		t.Errorf("%d slots for %d nodes", len(table.slots), many)
	}
	table.reserve(many)
	if len(table.slots) != 2048 {
		t.Errorf("%d slots where there was room", len(table.slots))
	}
	table.reserve(1025)
	if len(table.slots) != 4096 || !has(0, 0) || table.used != many {
		t.Errorf("%d slots for 1025 nodes, %d of them are there", len(table.slots), table.used)
	}
	var full nodeTable
	full.reset()
	for i := range int32(initialSlots / 2) { // every second place is taken
		full.insert(uint64(2*i+1), i)
	}
	for i := full.first(1); ; i = full.next(i) {
		if _, taken := full.at(i); !taken {
			break
		}
	}
	table.generation = math.MaxUint32
	table.insert(5, 5)
	table.reset()
	if table.generation == 0 || has(5, 5) || has(0, 0) || table.used != 0 {
		t.Error("nodes come alive where generations wrap around")
	}
}

// TestQueue: nodes come in the order of their priorities, those of one in the order they came.
func TestQueue(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 41))
	var q queue
	for range 50 {
		q.reset()
		type entry struct {
			priority uint32
			node     int32
		}
		var want, got []entry
		priorities := map[int32]uint32{}
		n := int32(rng.IntN(200))
		for i := range n {
			e := entry{uint32(rng.IntN(8)), i}
			priorities[i] = e.priority
			want = append(want, e)
			q.push(e.priority, e.node)
		}
		slices.SortStableFunc(want, func(a, b entry) int { return int(a.priority) - int(b.priority) })
		for {
			node, ok := q.pop()
			if !ok {
				break
			}
			got = append(got, entry{priorities[node], node})
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v came, want %v", got, want)
		}
	}
}

// TestArena: what is kept of states stays as it is, whatever is kept or replaced later.
func TestArena(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 42))
	v := newValues()
	var a arena
	for round := range 3 {
		a.reset()
		var kept, want []state
		for range 300 {
			s := randomState(rng, v, rng.IntN(6))
			if n := len(kept); n > 0 && rng.IntN(2) == 0 {
				i := rng.IntN(n)
				kept[i], want[i] = a.replace(&kept[i], &s), s.clone()
				continue
			}
			kept, want = append(kept, a.keep(&s)), append(want, s.clone())
		}
		for i := range kept {
			if !kept[i].equal(&want[i]) {
				t.Fatalf("round %d: state %d is %v, want %v", round, i, kept[i], want[i])
			}
		}
	}
}

// TestStatsAddUp: every count is added and taken away.
func TestStatsAddUp(t *testing.T) {
	var a, b Stats
	x, y := reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem()
	for i := range x.NumField() {
		x.Field(i).SetInt(int64(100 + i))
		y.Field(i).SetInt(int64(7 * (i + 1)))
	}
	sum := a
	sum.Add(b)
	for i := range x.NumField() {
		if got, want := reflect.ValueOf(sum).Field(i).Int(), int64(100+i+7*(i+1)); got != want {
			t.Errorf("%s: %d, want %d", x.Type().Field(i).Name, got, want)
		}
	}
	if got := sum.Minus(b); got != a {
		t.Errorf("%+v, want %+v", got, a)
	}
}

// TestPushes: what a PUSH pushes; beyond the code's end are zeros, or in creation code the constructor's arguments. A place that jumps may go
// to is a label.
func TestPushes(t *testing.T) {
	push := func(kind bytecode.Kind, at int, bytes ...byte) (Value, *code) {
		p := bytecode.NewTable(nil).Unknown(bytes)
		if kind == bytecode.Creation {
			p.Code = &bytecode.Code{Kind: kind}
		}
		decoded := decode(p)
		return decoded.blocks[0].code[at].value, decoded
	}
	p1, p2, p4, p5, p32 := byte(vm.PUSH1), byte(vm.PUSH2), byte(vm.PUSH4), byte(vm.PUSH5), byte(vm.PUSH32)
	for name, c := range map[string]struct {
		kind bytecode.Kind
		code []byte
		want Value
	}{
		"a byte":                      {bytecode.Runtime, []byte{p1, 7}, constant(7)},
		"two":                         {bytecode.Runtime, []byte{p2, 1, 7}, constant(0x107)},
		"at the end, cut":             {bytecode.Runtime, []byte{p2, 1}, constant(0x100)},
		"at the end, nothing":         {bytecode.Runtime, []byte{p2}, constant(0)},
		"four, cut":                   {bytecode.Runtime, []byte{p4, 0, 0, 1}, constant(0x100)},
		"five, cut":                   {bytecode.Runtime, []byte{p5, 0, 0, 0, 1}, constant(0x100)},
		"five":                        {bytecode.Runtime, []byte{p5, 0, 0, 0, 0, 7}, constant(7)},
		"creation code, whole":        {bytecode.Creation, []byte{p2, 1, 7}, constant(0x107)},
		"creation code, cut":          {bytecode.Creation, []byte{p2, 1}, Top},
		"creation code, cut, of five": {bytecode.Creation, []byte{p5, 1}, Top},
		"a place":                     {bytecode.Runtime, []byte{p1, 2, byte(vm.JUMPDEST)}, constant(2) | labelBit},
		"no place":                    {bytecode.Runtime, []byte{p1, 2, byte(vm.STOP), byte(vm.JUMPDEST)}, constant(2)},
		"a place in data":             {bytecode.Runtime, []byte{p1, 3, p1, byte(vm.JUMPDEST)}, constant(3)},
	} {
		if got, _ := push(c.kind, 0, c.code...); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	large := append([]byte{p32}, make([]byte, 32)...)
	large[1], large[32] = 1, 33 // a place, but for its first byte
	got, decoded := push(bytecode.Runtime, 0, append(large, byte(vm.JUMPDEST))...)
	if got&pooledBit == 0 || got.isLabel() {
		t.Errorf("a large number is %v", got)
	}
	v := newValues()
	if x, ok := v.known(decoded.pool.resolve(v)[got&^pooledBit]); !ok || x.ByteLen() != 32 || x[0] != 33 {
		t.Errorf("a large number is %v", x)
	}
}

// TestMadeAlong: a call is made along a prefix before its last block, and in that block where nothing is proved: else only its entry is.
func TestMadeAlong(t *testing.T) {
	for at, want := range map[int][2]bool{0: {true, true}, 3: {true, true}, 4: {true, false}, 5: {false, false}, 6: {false, false}} {
		if got := [2]bool{madeAlong(Call{At: at}, 5, false), madeAlong(Call{At: at}, 5, true)}; got != want {
			t.Errorf("in block %d: %v, want %v", at, got, want)
		}
	}
}

// TestShiftsAtTheEdge: a shift that loses no bit is exact; one that loses some, or all, still holds every result.
func TestShiftsAtTheEdge(t *testing.T) {
	v := newValues()
	for n := range uint64(258) {
		for _, width := range []uint{1, 2, 8, 128, 255, 256} {
			if len(v.own) > maxValues {
				v.reset()
			}
			y := interval{*new(uint256.Int).Lsh(uint256.NewInt(1), width-1), *lowBits(width)}
			for _, op := range []vm.OpCode{vm.SHL, vm.SHR, vm.SAR} {
				by := uint256.NewInt(n)
				r := v.binary(op, v.constant(by), v.intern(y))
				lo, hi := concrete(op, by, &y.lo), concrete(op, by, &y.hi)
				if !v.contains(r, &lo) || !v.contains(r, &hi) {
					t.Fatalf("%v by %d of words of %d bits is %v", op, n, width, v.get(r))
				}
				if op == vm.SHL && n+uint64(width) <= 256 && *v.get(r) != (interval{lo, hi}) {
					t.Fatalf("%v by %d of words of %d bits is %v, want %v to %v", op, n, width, v.get(r), &lo, &hi)
				}
			}
		}
	}
}

// TestIsInvalid: INVALID and what no fork defines are invalid.
func TestIsInvalid(t *testing.T) {
	for op, want := range map[vm.OpCode]bool{vm.INVALID: true, 0x0c: true, 0xef: true, vm.STOP: false, vm.ADD: false, vm.REVERT: false, vm.RETURN: false, vm.CLZ: false} {
		if IsInvalid(byte(op)) != want {
			t.Errorf("%v is invalid: %t", op, !want)
		}
	}
}

// TestIdentifiers: a path that stands for itself, and of which only the beginning is known, is told from others by the whole; a proved prefix is
// the same whatever follows. Static frames, and what frames call, are told apart.
func TestIdentifiers(t *testing.T) {
	a := New(bytecode.NewTable(nil).Unknown([]byte{byte(vm.JUMPDEST), byte(vm.JUMPDEST), byte(vm.STOP)}), Options{})
	path := bytecode.Path{0, 1}
	id := func(change func(*Frame), length int, proved bool) ID {
		f := Frame{Path: path}
		change(&f)
		return a.identify(&f, length, proved)
	}
	plain := func(*Frame) {}
	whole := func(f *Frame) { f.Whole = bytecode.PathID{1} }
	calls := func(at int, of byte) func(*Frame) {
		return func(f *Frame) { f.Calls = []Call{{At: at, Result: Result{ID: ID{of}}}} }
	}
	for name, c := range map[string]struct {
		a, b   func(*Frame)
		length int
		proved bool
		same   bool
	}{
		"the same":                         {plain, plain, 2, false, true},
		"another whole":                    {plain, whole, 2, false, false},
		"another whole, proved":            {plain, whole, 2, true, true},
		"static":                           {plain, func(f *Frame) { f.Static = true }, 2, true, false},
		"another path":                     {plain, func(f *Frame) { f.Path = bytecode.Path{0, 0} }, 2, true, false},
		"another path, behind":             {plain, func(f *Frame) { f.Path = bytecode.Path{0, 0} }, 1, true, true},
		"a call":                           {plain, calls(0, 5), 2, true, false},
		"another call":                     {calls(0, 5), calls(0, 6), 2, true, false},
		"a call elsewhere":                 {calls(0, 5), calls(1, 5), 2, false, false},
		"a call in the last block":         {plain, calls(1, 5), 2, false, false},
		"a call in the last block, proved": {plain, calls(1, 5), 2, true, true},
		"a call behind":                    {plain, calls(1, 5), 1, true, true},
	} {
		if got := id(c.a, c.length, c.proved) == id(c.b, c.length, c.proved); got != c.same {
			t.Errorf("%s: the same %t", name, got)
		}
	}
	if id(plain, 2, true) == id(plain, 2, false) {
		t.Error("a proof makes no difference")
	}
}

// TestDistinct: of split points that repeat, the first ones stay, in their order, however many there are.
func TestDistinct(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 43))
	w := NewWorkspace()
	for range 40 {
		var points, want []SplitPoint
		came := map[SplitPoint]bool{}
		for range rng.IntN(800) {
			p := SplitPoint{bytecode.CodeID(rng.IntN(3)), bytecode.BlockID(rng.IntN(300))}
			points = append(points, p)
			if !came[p] {
				came[p], want = true, append(want, p)
			}
		}
		if got := w.distinct(points); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

// TestSplitPointsEnd: behind maxPrefix instructions a path has no split points, whether it is asked about at once or its beginning was before.
func TestSplitPointsEnd(t *testing.T) {
	code := bytes.Repeat([]byte{byte(vm.JUMPDEST)}, maxPrefix+20)
	p := bytecode.NewTable(nil).Unknown(append(code, byte(vm.STOP)))
	var path bytecode.Path
	for b := range p.Blocks {
		path = append(path, bytecode.BlockID(b))
	}
	for _, before := range []int{0, 1, 100, maxPrefix, maxPrefix + 1} {
		a := New(p, Options{})
		a.SetTargets(path[len(path)-1:])
		if before > 0 {
			a.Analyze(Frame{Path: path[:before]})
		}
		r := a.Analyze(Frame{Path: path})
		if len(r.SplitPoints) != maxPrefix || r.Proved || r.Prefix != len(path) {
			t.Errorf("after its first %d blocks, a path of %d has %d split points; a prefix of %d, proved %t", before, len(path), len(r.SplitPoints), r.Prefix, r.Proved)
		}
	}
}

// TestNodesByKey: a node of the graph is that of a state which has its block, its height and its labels, at their places; other words do
// not matter.
func TestNodesByKey(t *testing.T) {
	v := newValues()
	g := newGraph(&code{}, 0)
	one, two := constant(1)|labelBit, constant(2)|labelBit
	stateOf := func(words ...Value) *state {
		m := interpreter{v: v}
		start := entry()
		m.load(&start)
		for _, w := range words {
			m.push(w)
		}
		s := m.save().clone()
		return &s
	}
	builder := graphBuilder{v: v, rows: map[uint64][]labelRange{}}
	g.reached = make([]bool, 9)
	for b, s := range []*state{stateOf(), stateOf(Top), stateOf(one), stateOf(one, Top, two)} {
		n := node{block: bytecode.BlockID(b), state: *s}
		g.add(&n, s.keyHash(n.block), builder.labelsOf(g, s))
	}
	for name, c := range map[string]struct {
		node  int32
		block bytecode.BlockID
		state *state
		want  bool
	}{
		"nothing":                {0, 0, stateOf(), true},
		"another block":          {0, 1, stateOf(), false},
		"another height":         {0, 0, stateOf(Top), false},
		"a word":                 {1, 1, stateOf(constant(5)), true},
		"a label for a word":     {1, 1, stateOf(one), false},
		"a label":                {2, 2, stateOf(one), true},
		"another label":          {2, 2, stateOf(two), false},
		"no label":               {2, 2, stateOf(constant(1)), false},
		"two labels":             {3, 3, stateOf(one, address, two), true},
		"one of them":            {3, 3, stateOf(one, address, Top), false},
		"the other":              {3, 3, stateOf(Top, address, two), false},
		"elsewhere":              {3, 3, stateOf(one, two, Top), false},
		"in another order":       {3, 3, stateOf(two, Top, one), false},
		"a third":                {3, 3, stateOf(one, one, two), false},
		"a third in their midst": {3, 3, stateOf(one, two, two), false},
	} {
		if got := g.has(c.node, c.block, c.state); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
		if found := g.find(c.block, c.state, c.state.keyHash(c.block)); (found == c.node) != c.want {
			t.Errorf("%s: found %d", name, found)
		}
	}
}

// TestEdges: an edge is kept once, however often control goes along it and however many leave a node; turned around, each node has those
// from which control comes.
func TestEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 44))
	for range 50 {
		const nodes = 7
		b := graphBuilder{engine: newEngine(newIntervals())}
		g := &graph{blocks: make([]bytecode.BlockID, nodes)}
		for n := range int32(nodes) {
			b.engine.nodes = append(b.engine.nodes, node{})
			b.admit(n, 0)
		}
		want := map[edge]bool{}
		for range rng.IntN(40) {
			e := edge{int32(rng.IntN(nodes)), int32(rng.IntN(nodes))}
			want[e] = true
			if !b.edge(e.from, e.to) {
				t.Fatal("an edge ends the computation")
			}
		}
		g.link(&b)
		got, count := map[edge]bool{}, 0
		for to := range int32(nodes) {
			for _, from := range g.predecessors[g.predecessorsOf[to]:g.predecessorsOf[to+1]] {
				got[edge{from, to}] = true
				count++
			}
		}
		if !maps.Equal(got, want) || count != len(want) {
			t.Fatalf("%v, %d in all, want %v", got, count, want)
		}
	}
}

// TestDistances: the distance of a node is the least number of edges to a goal or an exit, whatever was computed in the same memory before.
func TestDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 45))
	var memory []uint32
	var queue []int32
	for range 200 {
		const nodes = 9
		b := graphBuilder{}
		g := &graph{}
		for n := range nodes {
			g.blocks = append(g.blocks, bytecode.BlockID(n/2)) // blocks have two nodes
			b.successors = append(b.successors, [2]int32{-1, -1})
		}
		for range rng.IntN(14) {
			b.edge(int32(rng.IntN(nodes)), int32(rng.IntN(nodes)))
		}
		for range rng.IntN(2) {
			g.exits = append(g.exits, opaque{node: int32(rng.IntN(nodes))})
		}
		g.link(&b)
		goal := bytecode.BlockID(rng.IntN(nodes))
		want := make([]uint32, nodes)
		for n := range want {
			want[n] = unreachable
			if g.blocks[n] == goal || slices.ContainsFunc(g.exits, func(o opaque) bool { return o.node == int32(n) }) {
				want[n] = 0
			}
		}
		for range nodes {
			b.edges(func(e edge) {
				if want[e.to] != unreachable {
					want[e.from] = min(want[e.from], want[e.to]+1)
				}
			})
		}
		memory, queue = g.distances(memory, queue, func(b bytecode.BlockID) bool { return b == goal })
		if !slices.Equal(memory, want) {
			t.Fatalf("%v, want %v", memory, want)
		}
	}
}

// TestSameKey: states are joined that have the same height, and the same labels at the same places.
func TestSameKey(t *testing.T) {
	one, two := constant(1)|labelBit, constant(2)|labelBit
	stateOf := func(words ...Value) *state {
		s := &state{height: len(words)}
		for i, w := range words {
			s.classes, s.values = append(s.classes, uint16(i)), append(s.values, w)
		}
		return s
	}
	for name, c := range map[string]struct {
		a, b *state
		want bool
	}{
		"nothing":             {stateOf(), stateOf(), true},
		"other words":         {stateOf(Top, constant(3)), stateOf(boolean, constant(4)), true},
		"another height":      {stateOf(Top), stateOf(), false},
		"a label":             {stateOf(Top, one), stateOf(boolean, one), true},
		"another label":       {stateOf(one), stateOf(two), false},
		"a label for a word":  {stateOf(one), stateOf(constant(1)), false},
		"a label elsewhere":   {stateOf(one, Top), stateOf(Top, one), false},
		"one label of two":    {stateOf(one, two), stateOf(one, Top), false},
		"the other":           {stateOf(one, two), stateOf(Top, two), false},
		"labels turned round": {stateOf(one, two), stateOf(two, one), false},
	} {
		if c.a.sameKey(c.b) != c.want || c.b.sameKey(c.a) != c.want {
			t.Errorf("%s: %t", name, !c.want)
		}
		if (c.a.keyHash(7) == c.b.keyHash(7)) != c.want || c.a.keyHash(7) == c.a.keyHash(8) {
			t.Errorf("%s: hashes are %x and %x, and %x in another block", name, c.a.keyHash(7), c.b.keyHash(7), c.a.keyHash(8))
		}
		v := newValues()
		if c.a.height != c.b.height && (v.below(c.a, c.b) || v.below(c.b, c.a)) {
			t.Errorf("%s: one is below the other", name)
		}
	}
}

// TestDigestsOfRelations: states that differ in their relations alone have different digests.
func TestDigestsOfRelations(t *testing.T) {
	seen := map[bytecode.PathID]relation{}
	for kind := equal; kind <= offset; kind++ {
		for _, negated := range []bool{false, true} {
			for _, of := range []symbol{absent, 0, 2} {
				for _, a := range []symbol{absent, 0, 1} {
					for _, b := range []symbol{absent, 0, 2} {
						for _, k := range []Value{Top, constant(1)} {
							r := relation{kind, negated, of, a, b, k}
							s := state{values: []Value{Top, Top, Top}, relations: []relation{r}}
							d := s.digest(0, false)
							if old, ok := seen[d]; ok {
								t.Fatalf("%+v and %+v have the same digest", old, r)
							}
							seen[d] = r
						}
					}
				}
			}
		}
	}
}

// TestWorkspaceForgets: where a Workspace has too many Values, all are dropped, with the answers that are about them; what is answered then is
// what was answered before.
func TestWorkspaceForgets(t *testing.T) {
	// A large constant is pushed; where there is a value, 16: goes on to 32, the last block, if it is not that constant.
	p1, p9 := byte(vm.PUSH1), byte(vm.PUSH9)
	large := []byte{p9, 1, 0, 0, 0, 0, 0, 0, 0, 7}
	code := append(bytes.Clone(large), byte(vm.CALLVALUE), p1, 16, byte(vm.JUMPI), byte(vm.STOP), byte(vm.STOP), byte(vm.JUMPDEST))
	code = append(append(code, large...), byte(vm.XOR), p1, 32, byte(vm.JUMPI), byte(vm.STOP), byte(vm.JUMPDEST))
	p := bytecode.NewTable(nil).Unknown(code)
	w := NewWorkspace()
	a := NewAnalyzer(NewFacts(p, 0), w, Options{})
	last := bytecode.BlockID(len(p.Blocks) - 1)
	path := bytecode.Path{0, last - 2}
	generation := w.v.generation
	for _, target := range []bytecode.BlockID{last, last - 1} {
		a.SetTargets([]bytecode.BlockID{target})
		first, err := a.Ask(path, int64(p.Blocks[last-2].Start), false)
		if err != nil {
			t.Fatal(err)
		}
		for n := uint64(smallConstants); len(w.v.own) <= maxValues; n++ {
			w.v.constant(uint256.NewInt(n))
		}
		again, err := a.Ask(path, int64(p.Blocks[last-2].Start), false)
		if err != nil || again.Reason != first.Reason || again.MayReach() != (target == last-1) {
			t.Errorf("target %d: %+v, and %+v when Values were forgotten, %v", target, first, again, err)
		}
		if generation++; w.v.generation != generation || len(w.v.own) > maxValues || w.answers.used > 1 {
			t.Errorf("%d Values and %d answers of generation %d are kept", len(w.v.own), w.answers.used, w.v.generation)
		}
	}
}
