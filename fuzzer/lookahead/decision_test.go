package lookahead

import (
	"bytes"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestDeciders: which word of the stack decides the next branch after a block, counted from the top; where a return comes first, which words it leaves.
func TestDeciders(t *testing.T) {
	program := func(parts ...any) []byte {
		var code []byte
		for _, part := range parts {
			switch x := part.(type) {
			case vm.OpCode:
				code = append(code, byte(x))
			case int:
				code = append(code, byte(vm.PUSH1), byte(x))
			case []byte:
				code = append(code, x...)
			}
		}
		return code
	}
	const far = 200 // a place that is none
	long := func(n int) []byte { return bytes.Repeat([]byte{byte(vm.JUMPDEST)}, n) }
	for name, c := range map[string]struct {
		code []byte
		want decider
	}{
		"the top":                               {program(far, vm.JUMPI), decider{depth: 1}},
		"whether it is zero":                    {program(vm.ISZERO, vm.ISZERO, far, vm.JUMPI), decider{depth: 1}},
		"the second":                            {program(vm.DUP2, far, vm.JUMPI), decider{depth: 2}},
		"the second, swapped":                   {program(vm.SWAP1, far, vm.JUMPI), decider{depth: 2}},
		"the third, below one that goes":        {program(vm.POP, vm.SWAP1, far, vm.JUMPI), decider{depth: 3}},
		"the sixteenth":                         {program(vm.DUP16, far, vm.JUMPI), decider{depth: 16}},
		"the seventeenth":                       {program(vm.SWAP16, far, vm.JUMPI), decider{depth: 17}},
		"a sum":                                 {program(vm.ADD, far, vm.JUMPI), decider{}},
		"below a sum":                           {program(vm.ADD, vm.POP, far, vm.JUMPI), decider{depth: 3}},
		"below what is stored":                  {program(vm.MSTORE, far, vm.JUMPI), decider{depth: 3}},
		"a constant":                            {program(1, far, vm.JUMPI), decider{}},
		"a constant, tested":                    {program(1, vm.ISZERO, far, vm.JUMPI), decider{}},
		"in the next block":                     {program(vm.JUMPDEST, far, vm.JUMPI), decider{depth: 1}},
		"behind a jump":                         {program(4, vm.JUMP, vm.STOP, vm.JUMPDEST, far, vm.JUMPI), decider{depth: 1}},
		"behind a jump to no place":             {program(far, vm.JUMP, vm.JUMPDEST, far, vm.JUMPI), decider{}},
		"behind a jump to a block that is none": {program(7, vm.JUMP, vm.JUMPDEST, far, vm.JUMPI, far, vm.JUMPI), decider{}},
		"behind a place that is tested":         {program(5, vm.ISZERO, vm.JUMP, vm.STOP, vm.JUMPDEST, far, vm.JUMPI), decider{}},
		"as far as it may be":                   {program(long(46), far, vm.JUMPI), decider{depth: 1}},
		"further":                               {program(long(47), far, vm.JUMPI), decider{}},
		"it ends":                               {program(vm.STOP, vm.JUMPDEST, far, vm.JUMPI), decider{}},
		"it returns":                            {program(vm.RETURN), decider{}},
		"an opcode of no fork":                  {program(vm.OpCode(0x0c), far, vm.JUMPI), decider{}},
		"the code ends":                         {program(vm.ADD), decider{}},
		"a return":                              {program(vm.JUMP), decider{back: 1, below: 1}},
		"a return of the top":                   {program(vm.SWAP1, vm.JUMP), decider{back: 2, below: 2, depths: []int{1}}},
		"a return of two, turned round":         {program(vm.SWAP2, vm.JUMP), decider{back: 3, below: 3, depths: []int{2, 1}}},
		"a return of something new":             {program(7, vm.SWAP1, vm.JUMP), decider{back: 1, below: 1, depths: []int{0}}},
	} {
		code := decode(bytecode.NewTable(nil).Unknown(c.code))
		code.findDeciders()
		if got := code.deciders[0]; got.depth != c.want.depth || got.back != c.want.back || got.below != c.want.below || !slices.Equal(got.depths, c.want.depths) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}

	// Returns to the block at 4, or that at 8, where the top or the second word decides.
	for name, c := range map[string]struct {
		returns []any
		to      uint64
		height  int
		want    int
	}{
		"a return, then the top":                {[]any{vm.JUMP, vm.STOP}, 4, 9, 2},
		"a return, then the second":             {[]any{vm.JUMP, vm.STOP}, 8, 9, 3},
		"a return of the top, then that":        {[]any{vm.SWAP1, vm.JUMP}, 4, 9, 1},
		"a return of the top, then the next":    {[]any{vm.SWAP1, vm.JUMP}, 8, 9, 3},
		"a return of two, then the first":       {[]any{vm.SWAP2, vm.JUMP}, 4, 9, 2},
		"a return of two, then the second":      {[]any{vm.SWAP2, vm.JUMP}, 8, 9, 1},
		"to no label":                           {[]any{vm.JUMP, vm.STOP}, 0, 9, 0},
		"the stack is not as high":              {[]any{vm.SWAP1, vm.JUMP}, 8, 2, 0},
		"the stack lacks the return's address":  {[]any{vm.SWAP1, vm.JUMP}, 4, 1, 0},
		"the stack is just as high as it takes": {[]any{vm.SWAP1, vm.JUMP}, 8, 3, 3},
	} {
		// 0: the return; 4: JUMPDEST PUSH1 JUMPI; 8: JUMPDEST DUP2 PUSH1 JUMPI
		text := program(append(slices.Clone(c.returns), vm.STOP, vm.STOP, vm.JUMPDEST, far, vm.JUMPI, vm.JUMPDEST, vm.DUP2, far, vm.JUMPI)...)
		code := decode(bytecode.NewTable(nil).Unknown(text))
		code.findDeciders()
		got := code.decider(0, c.height, func(depth int) Value {
			if c.to > 0 && depth == code.deciders[0].back {
				return constant(c.to) | labelBit
			}
			return Top
		})
		if got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestUndecidedWords: states are kept apart by the word that decides the next branch where it may be either, and what it says would be lost: of words that
// are no longer in the frame, or of more than one condition.
func TestUndecidedWords(t *testing.T) {
	v := newValues()
	decoded := decode(bytecode.NewTable(nil).Unknown([]byte{byte(vm.PUSH1), 200, byte(vm.JUMPI)})) // the top decides
	decoded.findDeciders()
	for name, c := range map[string]struct {
		ops  []vm.OpCode // on words of which the top one is a bool, and another of which is kept
		want bool
	}{
		"a bool that nothing is known of":  {[]vm.OpCode{}, false},
		"a comparison":                     {[]vm.OpCode{vm.POP, vm.LT}, true},
		"of words that are there":          {[]vm.OpCode{vm.POP, vm.DUP2, vm.DUP2, vm.LT}, false},
		"of words of which one is there":   {[]vm.OpCode{vm.POP, vm.DUP2, vm.LT}, true},
		"of a word that is there with 0":   {[]vm.OpCode{vm.POP, vm.DUP1, vm.ISZERO}, false},
		"of a word that is not, with 0":    {[]vm.OpCode{vm.POP, vm.ISZERO}, true},
		"of words one of which is stored":  {[]vm.OpCode{vm.POP, vm.DUP1, vm.PUSH0, vm.MSTORE, vm.DUP2, vm.LT}, false},
		"two conditions":                   {[]vm.OpCode{vm.POP, vm.DUP2, vm.DUP2, vm.LT, vm.DUP3, vm.DUP3, vm.EQ, vm.AND}, true},
		"one of two":                       {[]vm.OpCode{vm.POP, vm.DUP2, vm.DUP2, vm.LT, vm.DUP3, vm.DUP3, vm.EQ, vm.OR}, true},
		"a product of bools":               {[]vm.OpCode{vm.DUP1, vm.MUL}, false},
		"a number":                         {[]vm.OpCode{vm.POP, vm.DUP2, vm.ADD}, false},
		"a comparison that is known":       {[]vm.OpCode{vm.POP, vm.DUP1, vm.LT}, false},
		"the difference of two":            {[]vm.OpCode{vm.POP, vm.SUB}, false},
		"whether a difference is not zero": {[]vm.OpCode{vm.POP, vm.SUB, vm.ISZERO, vm.ISZERO}, true},
	} {
		m := interpreter{v: v}
		m.bind(decoded, nil)
		start := entry()
		m.load(&start)
		for _, w := range []Value{Top, Top, Top, boolean} {
			m.push(w)
		}
		for _, op := range c.ops {
			switch {
			case op >= vm.DUP1 && op <= vm.DUP16:
				m.stack = append(m.stack, m.stack[len(m.stack)-1-int(op-vm.DUP1)])
			case op == vm.POP:
				m.pop()
			case op == vm.PUSH0:
				m.push(constant(0))
			default:
				m.step(&instruction{op: op})
			}
		}
		top := m.stack[len(m.stack)-1]
		w, split := m.undecided(0)
		if split != c.want || split && w != m.find(top) {
			t.Errorf("%s: split %t by word %d of %d", name, split, w, top)
		}
	}
}

// TestBeyond: a jump behind the end of creation code may lead into the constructor's arguments, and nowhere else.
func TestBeyond(t *testing.T) {
	p := bytecode.NewTable(nil).Unknown([]byte{byte(vm.JUMPDEST), byte(vm.ADD), byte(vm.JUMPDEST)})
	word := func(n uint64) *uint256.Int { return uint256.NewInt(n) }
	for _, open := range []bool{false, true} {
		c := decode(p)
		c.open = open
		for _, x := range []struct {
			to     *uint256.Int
			beyond bool
			block  int // -1: none
		}{
			{word(0), false, 0}, {word(1), false, -1}, {word(2), false, 1}, {word(3), true, -1}, {word(maxMemory - 1), true, -1}, {word(maxMemory), false, -1}, {&uint256.Int{3, 1}, false, -1}, {&uint256.Int{0, 1}, false, -1},
		} {
			b, ok := c.destination(x.to)
			if c.beyond(x.to) != (x.beyond && open) || ok != (x.block >= 0) || ok && int(b) != x.block {
				t.Errorf("in code that may go on %t, a jump to %v leads beyond it: %t, and to block %d, %t", open, x.to, c.beyond(x.to), b, ok)
			}
		}
	}
}

// TestDefaults: a budget that is given is taken, whatever it is.
func TestDefaults(t *testing.T) {
	for given, want := range map[int]int{-1: DefaultBudget, 0: DefaultBudget, 1: 1, 7: 7} {
		if got := (Options{Budget: given}).withDefaults(); got.Budget != want || !got.Calls(bytecode.Location{}) {
			t.Errorf("a budget of %d is %d", given, got.Budget)
		}
	}
	none := func(bytecode.Location) bool { return false }
	if (Options{Calls: none}).withDefaults().Calls(bytecode.Location{}) {
		t.Error("the call model that is given is not taken")
	}
}
