package oracle

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Accounts of executions that are made by hand.
var (
	vault, token, user, stranger = common.Address{0xaa}, common.Address{0xbb}, common.Address{0xcc, 1}, common.Address{0xdd, 2}
)

// contractOfCode is a contract with runtime code and an ABI, and its program in a table.
func contractOfCode(t *testing.T, interfaces string, code []byte, shared ...bytecode.Range) (*bytecode.Table, *bytecode.Program) {
	t.Helper()
	c := &bytecode.Contract{Name: "C", Source: "C.sol", Runtime: &bytecode.Code{Kind: bytecode.Runtime, Bytes: code, Shared: shared}}
	if interfaces != "" {
		var err error
		if c.ABI, err = abi.JSON(strings.NewReader(interfaces)); err != nil {
			t.Fatal(err)
		}
	}
	table := bytecode.NewTable([]*bytecode.Contract{c})
	return table, table.LookupRuntime(code)
}

// code is bytecode of opcodes and bytes that are pushed.
func code(parts ...any) (out []byte) {
	for _, part := range parts {
		switch x := part.(type) {
		case vm.OpCode:
			out = append(out, byte(x))
		case int:
			out = append(out, byte(vm.PUSH1), byte(x))
		case []byte:
			out = append(append(out, byte(vm.PUSH1)+byte(len(x)-1)), x...)
		}
	}
	return out
}

func number(x uint64) uint256.Int { return *uint256.NewInt(x) }

func accountWord(a common.Address) uint256.Int { return *new(uint256.Int).SetBytes(a[:]) }

// TestPlaces: the campaign is steered to the instructions at which an oracle may see something, and to no others.
func TestPlaces(t *testing.T) {
	_, p := contractOfCode(t, "", code(
		7, vm.CALL, vm.DELEGATECALL, vm.CALLCODE, vm.STATICCALL, vm.TIMESTAMP, vm.NUMBER, vm.ORIGIN, // 0, 2 … 8
		[]byte{byte(vm.CALL), byte(vm.TIMESTAMP)}, vm.SELFDESTRUCT, vm.INVALID)) // 9, 12, 13
	for name, c := range map[string]struct {
		of   func(*bytecode.Program) []uint32
		want []uint32
	}{
		"calls":                 {callPlaces, []uint32{2}},
		"other code, or an end": {takeoverPlaces, []uint32{3, 4, 12}},
		"time":                  {placesOf(vm.TIMESTAMP), []uint32{6}},
		"time and number":       {placesOf(vm.NUMBER, vm.TIMESTAMP), []uint32{6, 7}},
		"none":                  {placesOf(vm.COINBASE), nil},
	} {
		if got := c.of(p); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestPanicPlaces: a Panic is made where its selector is pushed, if a code of solc's is pushed within a few instructions of that.
func TestPanicPlaces(t *testing.T) {
	selector := panicSelector
	far := func(n int) []byte { return bytes.Repeat([]byte{byte(vm.POP)}, n) }
	padded := append(bytes.Clone(selector), make([]byte, 28)...)
	for name, c := range map[string]struct {
		code            []byte
		asserts, panics []uint32
	}{
		"an assert":                     {code(vm.ADD, selector, vm.MSTORE, 1), []uint32{1}, nil},
		"an overflow":                   {code(selector, 0x11), nil, []uint32{0}},
		"as a word":                     {code(padded, 0x12), nil, []uint32{0}},
		"no code":                       {code(selector, 0x13), nil, nil},
		"the offset, then the code":     {code(selector, 0, vm.MSTORE, 0x32), nil, []uint32{0}},
		"another selector":              {code([]byte{1, 2, 3, 4}, 1, 0x11), nil, nil},
		"a code of two bytes":           {code(selector, []byte{0, 1}), nil, nil},
		"as far away as it may be":      {append(append(code(selector), far(maxPanicDistance-1)...), code(1)...), []uint32{0}, nil},
		"further away":                  {append(append(code(selector), far(maxPanicDistance)...), code(1)...), nil, nil},
		"only the first code counts":    {code(selector, 0x11, 1), nil, []uint32{0}},
		"the last selector counts":      {code(selector, selector, 1), []uint32{5}, nil},
		"twice, each once":              {code(selector, 1, selector, 0x11, selector, 1), []uint32{0, 14}, []uint32{7}},
		"INVALID":                       {code(vm.ADD, vm.INVALID), []uint32{1}, nil},
		"INVALID that is a check":       {code(vm.ADD, vm.INVALID, vm.JUMPDEST, vm.DIV), nil, nil},
		"INVALID before a Panic":        {code(vm.INVALID, selector, 1), []uint32{0, 1}, nil},
		"behind a Panic, and in order":  {code(selector, 1, vm.INVALID), []uint32{0, 7}, nil},
		"a selector that is cut":        {code(selector[:3], 1), nil, nil},
		"the selector is in a constant": {code(append([]byte{1}, selector...), 1), nil, nil},
	} {
		_, p := contractOfCode(t, "", c.code)
		if got := assertionPlaces(p); !slices.Equal(got, c.asserts) {
			t.Errorf("%s: asserts at %v, want %v", name, got, c.asserts)
		}
		if got := Panic.Places(p); !slices.Equal(got, c.panics) {
			t.Errorf("%s: panics at %v, want %v", name, got, c.panics)
		}
	}
}

// TestStatements: what happens in code that statements share is told by the last instruction of the statement before, as far as
// the path is known.
func TestStatements(t *testing.T) {
	// Blocks at 0 (own, then shared), 5 (shared), 8 (own) and 11 (shared).
	_, p := contractOfCode(t, "", code(vm.ADD, vm.MUL, 1, vm.JUMP, vm.JUMPDEST, vm.SSTORE, vm.JUMP, vm.JUMPDEST, vm.SSTORE, vm.JUMP, vm.JUMPDEST, vm.SSTORE, vm.STOP),
		bytecode.Range{Start: 4, End: 8}, bytecode.Range{Start: 11, End: 14})
	for name, c := range map[string]struct {
		path, tail bytecode.Path
		pc         uint32
		nth        int
		want       uint32
	}{
		"its own":                        {bytecode.Path{0, 1, 2}, nil, 9, 0, 9},
		"the frame's end":                {bytecode.Path{0, 1}, nil, 6, last, 2},
		"in the shared block, once":      {bytecode.Path{0, 1, 2, 1}, nil, 6, 0, 2},
		"in the shared block, again":     {bytecode.Path{0, 1, 2, 1}, nil, 6, 1, 10},
		"behind another shared block":    {bytecode.Path{0, 2, 1, 3}, nil, 12, 0, 10},
		"only shared code":               {bytecode.Path{1, 3}, nil, 12, 0, 12},
		"at the end of a long path":      {bytecode.Path{0, 1}, bytecode.Path{2, 1}, 6, last, 10},
		"in the middle of a long path":   {bytecode.Path{0, 1}, bytecode.Path{2, 1}, 6, 0, 6},
		"shared, in a block that is not": {bytecode.Path{0, 2}, nil, 4, last, 10},
	} {
		f := &evm.Frame{Program: p, Path: c.path, Tail: c.tail, PathTruncated: c.tail != nil, LastPC: c.pc}
		want := bytecode.Location{Code: p.ID, PC: c.want}
		if got := statement(f, c.pc, c.nth); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if c.nth == last {
			if got := HaltOf(f); got != want {
				t.Errorf("%s: it halts at %v, want %v", name, got, want)
			}
			if got := EndOf(f); got != want {
				t.Errorf("%s: it ends at %v, want %v", name, got, want)
			}
		}
	}

	f := &evm.Frame{Program: p, Path: bytecode.Path{0, 1, 2, 1}, Storage: []evm.StorageAccess{{PC: 6}, {PC: 9}, {PC: 6}}}
	for i, want := range []uint32{2, 9, 10} {
		if got := writer(f, i); got.PC != want {
			t.Errorf("access %d is made at %d, want %d", i, got.PC, want)
		}
	}
	decided := &evm.Frame{Program: p, Path: bytecode.Path{0, 2}, LastPC: 9, Decision: 10, Decided: true}
	if got := EndOf(decided); got.PC != 10 {
		t.Errorf("a frame that a jump led to its end ends at %d", got.PC)
	}
	if got := HaltOf(decided); got.PC != 9 {
		t.Errorf("it halts at %d", got.PC)
	}
}

// TestFunctionEntry: a function begins where the dispatcher jumps for its selector, or behind shared code there.
func TestFunctionEntry(t *testing.T) {
	id := [4]byte{0, 0, 1, 2}
	want := number(0x102)
	// Blocks at 0, 3 and 6.
	dispatcher := code(vm.ADD, vm.ADD, vm.JUMPI, vm.JUMPDEST, 1, vm.JUMPDEST, 2, vm.ADD)
	_, plain := contractOfCode(t, "", dispatcher)
	_, shared := contractOfCode(t, "", dispatcher, bytecode.Range{Start: 3, End: 7})
	_, all := contractOfCode(t, "", dispatcher, bytecode.Range{Start: 3, End: 10})
	is := func(op vm.OpCode, taken bool, left, right uint256.Int) []evm.Comparison {
		return []evm.Comparison{{Block: 0, Op: byte(op), Taken: taken, Left: left, Right: right}}
	}
	for name, c := range map[string]struct {
		program     *bytecode.Program
		comparisons []evm.Comparison
		path        bytecode.Path
		want        uint32
	}{
		"found":                    {plain, is(vm.EQ, true, want, want), bytecode.Path{0, 1}, 3},
		"not taken":                {plain, is(vm.EQ, false, want, want), bytecode.Path{0, 1}, 0},
		"another comparison":       {plain, is(vm.GT, true, want, want), bytecode.Path{0, 1}, 0},
		"another selector":         {plain, is(vm.EQ, true, number(9), number(9)), bytecode.Path{0, 1}, 0},
		"not equal":                {plain, is(vm.EQ, true, want, number(9)), bytecode.Path{0, 1}, 0},
		"of more bits":             {plain, is(vm.EQ, true, uint256.Int{0x102, 1}, uint256.Int{0x102, 1}), bytecode.Path{0, 1}, 0},
		"nothing comes behind":     {plain, is(vm.EQ, true, want, want), bytecode.Path{0}, 0},
		"no path":                  {plain, is(vm.EQ, true, want, want), nil, 0},
		"behind shared code":       {shared, is(vm.EQ, true, want, want), bytecode.Path{0, 1, 2}, 7},
		"all is shared":            {all, is(vm.EQ, true, want, want), bytecode.Path{0, 1, 2}, 3},
		"nothing behind is known":  {shared, is(vm.EQ, true, want, want), bytecode.Path{0, 1}, 3},
		"the second block decides": {plain, []evm.Comparison{{Block: 1, Op: byte(vm.EQ), Taken: true, Left: want, Right: want}}, bytecode.Path{0, 1, 2}, 6},
	} {
		f := &evm.Frame{Program: c.program, Comparisons: c.comparisons, Path: c.path}
		if got := FunctionEntry(f, id); got != (bytecode.Location{Code: c.program.ID, PC: c.want}) {
			t.Errorf("%s: %v, want %d", name, got, c.want)
		}
	}
}

// panicData is what a Panic reverts with.
func panicData(code byte) []byte {
	data := bytes.Clone(panicAssert)
	data[len(data)-1] = code
	return data
}

// TestFailedCheck: checks of the compiler are those that it writes, other than asserts, and that fail in the frame itself.
func TestFailedCheck(t *testing.T) {
	_, p := contractOfCode(t, "", code(vm.ADD, vm.INVALID, vm.JUMPDEST, vm.DIV, vm.INVALID, vm.STOP, vm.REVERT))
	frame := func(outcome evm.Outcome, pc uint32, output []byte) []evm.Frame {
		return []evm.Frame{{Parent: -1, Program: p, Outcome: outcome, LastPC: pc, Output: output}}
	}
	for name, c := range map[string]struct {
		frames []evm.Frame
		want   string
	}{
		"an overflow":             {frame(evm.Reverted, 6, panicData(0x11)), "arithmetic overflows or underflows (Panic 0x11)"},
		"an index":                {frame(evm.Reverted, 6, panicData(0x32)), "an array index is out of bounds (Panic 0x32)"},
		"an assert":               {frame(evm.Reverted, 6, panicData(0x01)), ""},
		"a code of no check":      {frame(evm.Reverted, 6, panicData(0x13)), ""},
		"a reason":                {frame(evm.Reverted, 6, []byte("no")), ""},
		"it succeeds":             {frame(evm.Success, 6, panicData(0x11)), ""},
		"INVALID of a check":      {frame(evm.InvalidOpcode, 1, nil), "a check of the compiler fails (INVALID)"},
		"INVALID of an assert":    {frame(evm.InvalidOpcode, 4, nil), ""},
		"an opcode of no fork":    {frame(evm.InvalidOpcode, 0, nil), ""},
		"it runs out of gas":      {frame(evm.OutOfGas, 1, nil), ""},
		"no program":              {[]evm.Frame{{Parent: -1, Outcome: evm.Reverted, Output: panicData(0x11)}}, ""},
		"handed on from a callee": {append(frame(evm.Reverted, 6, panicData(0x11)), evm.Frame{Parent: 0, Program: p, Outcome: evm.Reverted, Output: panicData(0x11)}), ""},
	} {
		if got := FailedCheck(&evm.Execution{Frames: c.frames}, 0); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestWrites: a write counts where the last call makes it at that instruction, and it is not undone.
func TestWrites(t *testing.T) {
	table, p := contractOfCode(t, "", code(vm.SSTORE, vm.SLOAD, vm.JUMPDEST, vm.SSTORE))
	at := bytecode.Location{Code: p.ID, PC: 3}
	frame := func(outcome evm.Outcome, write bool, pc uint32) evm.Frame {
		return evm.Frame{Parent: -1, Program: p, Outcome: outcome, Storage: []evm.StorageAccess{{PC: 0, Write: true}, {PC: pc, Write: write}}}
	}
	for name, c := range map[string]struct {
		last evm.Frame
		want bool
	}{
		"it does":       {frame(evm.Success, true, 3), true},
		"it reads":      {frame(evm.Success, false, 3), false},
		"elsewhere":     {frame(evm.Success, true, 1), false},
		"it is undone":  {frame(evm.Reverted, true, 3), false},
		"no program":    {evm.Frame{Parent: -1, Storage: []evm.StorageAccess{{PC: 3, Write: true}}}, false},
		"other program": {evm.Frame{Parent: -1, Program: &bytecode.Program{ID: p.ID + 1}, Storage: []evm.StorageAccess{{PC: 3, Write: true}}}, false},
	} {
		exec := &evm.Execution{ // before it, and in another call, are frames that do not
			Frames: []evm.Frame{frame(evm.Success, true, 3), {Parent: -1}, c.last},
			Calls:  []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, 3}, Outcome: c.last.Outcome}},
		}
		if got := WritesAt(exec, at); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	for pc, want := range []bool{true, false, false, true, false} {
		if got := IsWrite(p, uint32(pc)); got != want {
			t.Errorf("the instruction at %d writes: %t", pc, got)
		}
	}
	if IsWrite(nil, 0) {
		t.Error("no program writes")
	}

	for name, c := range map[string]struct {
		covered evm.Coverage
		outcome evm.Outcome
		pc      uint32
		want    bool
	}{
		"it does":                   {evm.Coverage{Call: 1, Code: p.ID, Block: 1, Kept: true}, evm.Success, 3, true},
		"the block's first":         {evm.Coverage{Call: 1, Code: p.ID, Block: 1, Kept: true}, evm.Success, 2, true},
		"the block before":          {evm.Coverage{Call: 1, Code: p.ID, Block: 1, Kept: true}, evm.Success, 1, false},
		"the block behind":          {evm.Coverage{Call: 1, Code: p.ID, Block: 0, Kept: true}, evm.Success, 2, false},
		"an earlier call":           {evm.Coverage{Call: 0, Code: p.ID, Block: 1, Kept: true}, evm.Success, 3, false},
		"undone":                    {evm.Coverage{Call: 1, Code: p.ID, Block: 1}, evm.Success, 3, false},
		"in a call that fails":      {evm.Coverage{Call: 1, Code: p.ID, Block: 1}, evm.Reverted, 3, true},
		"other code":                {evm.Coverage{Call: 1, Code: p.ID + 1, Block: 1, Kept: true}, evm.Success, 3, false},
		"other code, a later block": {evm.Coverage{Call: 1, Code: p.ID + 1, Block: 9, Kept: true}, evm.Success, 3, false},
	} {
		exec := &evm.Execution{Calls: []evm.CallResult{{}, {Outcome: c.outcome}}, Covered: []evm.Coverage{c.covered}}
		if got := Executes(table, exec, bytecode.Location{Code: p.ID, PC: c.pc}); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if Executes(table, &evm.Execution{}, bytecode.Location{Code: 99}) {
		t.Error("code that is not known is executed")
	}
}

// TestPanicMade: a Panic is made of constants up to where code reverts, in straight-line code that a target may have cut.
func TestPanicMade(t *testing.T) {
	table, p := contractOfCode(t, "", code(vm.JUMPDEST, panicSelector, 0x11, vm.MSTORE, vm.REVERT, vm.JUMPDEST, vm.REVERT, panicSelector, 1))
	table.Cut([]bytecode.Location{{Code: p.ID, PC: 6}})
	_, alone := contractOfCode(t, "", code(0x11, vm.REVERT))
	if code, made := panicMade(alone, 2); made {
		t.Errorf("a code without Panic's selector is Panic 0x%02x", code)
	}
	for pc, want := range map[uint32]byte{0: 0, 1: 0, 6: 0x11, 9: 0x11, 10: 0, 11: 0, 12: 0, 17: 1, 19: 0, 99: 0} {
		if code, made := panicMade(p, pc); made != (want != 0) || made && code != want {
			t.Errorf("up to %d: Panic 0x%02x, %t", pc, code, made)
		}
	}
}

// TestPanicFrames: a check fails in a frame of a contract that reverts with one of its codes.
func TestPanicFrames(t *testing.T) {
	_, p := contractOfCode(t, "", code(vm.REVERT))
	for name, c := range map[string]struct {
		frame evm.Frame
		want  int
	}{
		"it does":         {evm.Frame{Program: p, Outcome: evm.Reverted, Output: panicData(0x11)}, 1},
		"another code":    {evm.Frame{Program: p, Outcome: evm.Reverted, Output: panicData(0x12)}, 0},
		"it succeeds":     {evm.Frame{Program: p, Output: panicData(0x11)}, 0},
		"unknown code":    {evm.Frame{Program: &bytecode.Program{Bytes: p.Bytes}, Outcome: evm.Reverted, Output: panicData(0x11)}, 0},
		"no code":         {evm.Frame{Outcome: evm.Reverted, Output: panicData(0x11)}, 0},
		"another reason":  {evm.Frame{Program: p, Outcome: evm.Reverted, Output: panicData(0x11)[:35]}, 0},
		"another message": {evm.Frame{Program: p, Outcome: evm.Reverted, Output: make([]byte, 36)}, 0},
	} {
		c.frame.Parent = -1
		seen := 0
		panicsOf([]byte{0x11}).Check(&evm.Execution{Frames: []evm.Frame{c.frame}, Calls: make([]evm.CallResult, 1)}, func(Observation) { seen++ })
		if seen != c.want {
			t.Errorf("%s: %d are seen", name, seen)
		}
	}
}
