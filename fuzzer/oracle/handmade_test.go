package oracle

import (
	"bytes"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
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
		"INVALID in front of a Panic":   {code(vm.INVALID, selector, 1), []uint32{0, 1}, nil},
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
		exec := &evm.Execution{ // in front of it, and in another call, are frames that do not
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

// TestOccurs: an account is found among arguments as an address, at any depth, and told from a number as large.
func TestOccurs(t *testing.T) {
	type pair struct {
		A common.Address
		N *big.Int
	}
	other := common.Address{9}
	for name, c := range map[string]struct {
		value           any
		address, number bool
	}{
		"it is":             {user, true, false},
		"another":           {other, false, false},
		"a number":          {user.Big(), false, true},
		"another number":    {big.NewInt(1), false, false},
		"no number":         {(*big.Int)(nil), false, false},
		"in a list":         {[]common.Address{other, user}, true, false},
		"in an array":       {[2]common.Address{user, other}, true, false},
		"bytes":             {user[:], false, false},
		"in a struct":       {pair{A: user, N: big.NewInt(2)}, true, false},
		"in a struct, both": {pair{A: user, N: user.Big()}, true, true},
		"in lists of both":  {[]any{user.Big(), []any{user, other}}, true, true},
		"in a pointer":      {&pair{A: other, N: user.Big()}, false, true},
		"text":              {"user", false, false},
		"true":              {true, false, false},
	} {
		address, number := occurs(reflect.ValueOf(c.value), user)
		if address != c.address || number != c.number {
			t.Errorf("%s: address %t, number %t", name, address, number)
		}
	}
}

// TestKeptByAccount: what a mapping keeps under a key that looks like an address is kept by account if that is one of the World, takes part
// or is named; not if a number is as large.
func TestKeptByAccount(t *testing.T) {
	const functions = `[{"type":"function","name":"pay","inputs":[{"type":"address"}]},{"type":"function","name":"set","inputs":[{"type":"uint256"}]}]`
	_, p := contractOfCode(t, functions, code(vm.STOP))
	call := func(name string, argument any) []byte {
		data, err := p.Contract.ABI.Pack(name, argument)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for name, c := range map[string]struct {
		keys  []uint256.Int
		input []byte
		want  bool
	}{
		"of the World":              {[]uint256.Int{accountWord(vault)}, nil, true},
		"a sender":                  {[]uint256.Int{accountWord(user)}, nil, true},
		"no one":                    {[]uint256.Int{accountWord(common.Address{7})}, nil, false},
		"named":                     {[]uint256.Int{accountWord(common.Address{7})}, call("pay", common.Address{7}), true},
		"as a number":               {[]uint256.Int{accountWord(common.Address{7})}, call("set", common.Address{7}.Big()), false},
		"a sender, and as a number": {[]uint256.Int{accountWord(user)}, call("set", user.Big()), false},
		"the second key":            {[]uint256.Int{number(5), accountWord(user)}, nil, true},
		"small numbers":             {[]uint256.Int{number(5), number(6)}, nil, false},
		"a hash":                    {[]uint256.Int{{1, 2, 3, 4}}, nil, false},
		"an unknown function":       {[]uint256.Int{accountWord(user)}, []byte{1, 2, 3, 4, 5}, true},
		"arguments that are cut":    {[]uint256.Int{accountWord(common.Address{7})}, call("pay", common.Address{7})[:9], false},
		"no key":                    {nil, nil, false},
	} {
		access := &evm.StorageAccess{Keys: evm.Keys{Count: len(c.keys)}}
		copy(access.Keys.Words[:], c.keys)
		s := &Scene{
			World: &evm.World{Accounts: map[common.Address]*evm.Account{vault: {}}, Senders: []evm.Sender{{Address: user}}},
			Exec:  &evm.Execution{Frames: []evm.Frame{{Parent: -1, Caller: stranger, Self: token, Program: p, Input: c.input}, {Parent: 0, Input: call("set", user.Big()), Program: p}}},
		}
		if got := s.isByAccount(access); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	for bits, want := range map[uint]bool{100: false, 128: false, 129: true, 160: true, 161: false, 256: false} {
		key := new(uint256.Int).Lsh(uint256.NewInt(1), bits-1)
		if isAccountKey(key) != want {
			t.Errorf("a number of %d bits looks like an account: %t", bits, !want)
		}
	}
}

// TestTakesPart: who calls and who is called takes part.
func TestTakesPart(t *testing.T) {
	s := &Scene{World: &evm.World{}, Exec: &evm.Execution{Frames: []evm.Frame{{Parent: -1, Caller: stranger, Self: token}}}}
	for account, want := range map[common.Address]bool{stranger: true, token: true, user: false} {
		if got := s.takesPartOrIsNamed(account); got != want {
			t.Errorf("%s takes part: %t", account, got)
		}
	}
}

// TestMayHaveSign: numbers with a sign may be in ints, bytes and functions, and in lists and structs of those.
func TestMayHaveSign(t *testing.T) {
	for name, want := range map[string]bool{
		"uint256": false, "bool": false, "address": false, "string": false, "int256": true, "bytes": true, "bytes32": true, "function": true,
		"uint8[]": false, "int8[]": true, "address[2]": false, "int256[2]": true, "bytes[][3]": true,
	} {
		typ, err := abi.NewType(name, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := mayHaveSign(&typ); got != want {
			t.Errorf("%s may have a sign: %t", name, got)
		}
	}
	for second, want := range map[string]bool{"uint256": false, "int8": true} {
		typ, err := abi.NewType("tuple", "", []abi.ArgumentMarshaling{{Name: "a", Type: "uint256"}, {Name: "b", Type: second}})
		if err != nil {
			t.Fatal(err)
		}
		if got := mayHaveSign(&typ); got != want {
			t.Errorf("a struct with %s may have a sign: %t", second, got)
		}
	}
}

// TestOperations: each instruction that wraps has a name.
func TestOperations(t *testing.T) {
	for op, want := range map[vm.OpCode]string{
		vm.ADD: "a sum", vm.SUB: "a difference", vm.MUL: "a product", vm.EXP: "a power", vm.SHL: "a power", vm.SDIV: "a quotient", vm.AND: "a number that is cut", vm.SIGNEXTEND: "a number that is cut",
	} {
		if got := operation(byte(op)); got != want {
			t.Errorf("%v is %q", op, got)
		}
	}
}

// TestCovers: a list is gone through where one word of each element is read: elements of one size, in a row.
func TestCovers(t *testing.T) {
	set := func(indexes ...uint64) map[uint64]bool {
		m := map[uint64]bool{}
		for _, i := range indexes {
			m[i] = true
		}
		return m
	}
	for name, c := range map[string]struct {
		indexes map[uint64]bool
		n       uint64
		want    bool
	}{
		"one word each":              {set(0, 1, 2), 3, true},
		"one is left out":            {set(0, 2), 3, false},
		"one is left out of more":    {set(0, 2, 3, 7), 4, false},
		"the last is left out":       {set(0, 1), 3, false},
		"the first is left out":      {set(1, 2, 3), 3, false},
		"two words, the first":       {set(0, 2, 4), 3, true},
		"two words, the second":      {set(1, 3, 5), 3, true},
		"two words, both":            {set(0, 1, 2, 3, 4, 5), 3, true},
		"eight words, the last":      {set(7, 15, 23), 3, true},
		"nine words":                 {set(0, 9, 18), 3, false},
		"three words, not in a row":  {set(2, 5, 9), 3, false},
		"none":                       {nil, 2, false},
		"more than there are, apart": {set(0, 1, 2, 100), 4, false},
	} {
		if got := coversArray(c.indexes, c.n); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestExtents: which lists a frame goes through, by its reads of storage.
func TestExtents(t *testing.T) {
	length := func(slot, n uint64) evm.StorageAccess {
		return evm.StorageAccess{Slot: number(slot), Base: number(slot), Value: number(n)}
	}
	write := func(slot, n uint64) evm.StorageAccess {
		a := length(slot, n)
		a.Write = true
		return a
	}
	element := func(base, i uint64) evm.StorageAccess {
		b := number(base)
		return evm.StorageAccess{Base: b, Slot: *new(uint256.Int).AddUint64(elementsOf(&b), i)}
	}
	mapped := func(base, key uint64) evm.StorageAccess {
		return evm.StorageAccess{Base: number(base), Slot: uint256.Int{key, base, 0, 1}, Keys: evm.Keys{Count: 1, Words: [2]uint256.Int{number(key)}}}
	}
	nested := mapped(4, 1)
	nested.Keys.Count = 2
	for name, c := range map[string]struct {
		storage []evm.StorageAccess
		want    string
	}{
		"an array":                        {[]evm.StorageAccess{length(3, 2), element(3, 0), element(3, 1)}, "3 3 2"},
		"an array of pairs":               {[]evm.StorageAccess{length(3, 2), element(3, 1), element(3, 3)}, "3 3 2"},
		"not all of it":                   {[]evm.StorageAccess{length(3, 3), element(3, 0), element(3, 1)}, ""},
		"one element":                     {[]evm.StorageAccess{length(3, 1), element(3, 0)}, ""},
		"as it was first read":            {[]evm.StorageAccess{length(3, 2), length(3, 3), element(3, 0), element(3, 1)}, "3 3 2"},
		"written before":                  {[]evm.StorageAccess{write(3, 2), length(3, 2), element(3, 0), element(3, 1)}, ""},
		"written":                         {[]evm.StorageAccess{write(3, 2), element(3, 0), element(3, 1)}, ""},
		"a mapping from 0":                {[]evm.StorageAccess{length(1, 2), mapped(4, 0), mapped(4, 1)}, "1 4 2"},
		"a mapping from 1":                {[]evm.StorageAccess{length(1, 2), mapped(4, 1), mapped(4, 2)}, "1 4 2"},
		"a mapping from 2":                {[]evm.StorageAccess{length(1, 2), mapped(4, 2), mapped(4, 3)}, ""},
		"a mapping, every second":         {[]evm.StorageAccess{length(1, 2), mapped(4, 0), mapped(4, 2)}, ""},
		"a mapping in a mapping":          {[]evm.StorageAccess{length(1, 2), nested, nested}, ""},
		"two counters":                    {[]evm.StorageAccess{length(1, 2), length(2, 2), mapped(4, 0), mapped(4, 1)}, "1 4 2; 2 4 2"},
		"an array is not counted by more": {[]evm.StorageAccess{length(1, 2), length(3, 2), element(3, 0), element(3, 1)}, "3 3 2"},
		"as many as there may be":         {[]evm.StorageAccess{length(3, mostLength+1), element(3, 0), element(3, 1)}, ""},
		"an index out of reach":           {[]evm.StorageAccess{length(3, 2), element(3, mostLength*mostWords), element(3, 0)}, ""},
		"a count beyond a number":         {[]evm.StorageAccess{{Slot: number(3), Base: number(3), Value: uint256.Int{2, 1}}, element(3, 0), element(3, 1)}, ""},
	} {
		var got []string
		for _, e := range extents(&evm.Frame{Self: vault, Storage: c.storage}) {
			if e.account != vault {
				t.Errorf("%s: of %s", name, e.account)
			}
			got = append(got, fmt.Sprintf("%v %v %d", &e.length, &e.base, e.count))
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}

// TestSameState: what outsiders have does not count, nor what accounts without code that the World lacks have.
func TestSameState(t *testing.T) {
	outsider := common.Address{0xee}
	base := func() map[common.Address]*evm.Account {
		return map[common.Address]*evm.Account{
			vault: {Code: []byte{1}, Balance: number(5), Storage: map[common.Hash]common.Hash{{1}: {2}}}, user: {Balance: number(7)}, outsider: {Balance: number(1)},
		}
	}
	s := &Scene{World: &evm.World{Accounts: base(), Senders: []evm.Sender{{Address: user}, {Address: outsider, Outsider: true}}}}
	for name, c := range map[string]struct {
		change func(map[common.Address]*evm.Account)
		want   bool
	}{
		"nothing":                   {func(map[common.Address]*evm.Account) {}, true},
		"a balance":                 {func(m map[common.Address]*evm.Account) { m[vault].Balance = number(6) }, false},
		"an outsider's":             {func(m map[common.Address]*evm.Account) { m[outsider].Balance = number(6) }, true},
		"a word":                    {func(m map[common.Address]*evm.Account) { m[vault].Storage[common.Hash{1}] = common.Hash{3} }, false},
		"a new word":                {func(m map[common.Address]*evm.Account) { m[vault].Storage[common.Hash{2}] = common.Hash{3} }, false},
		"a word less":               {func(m map[common.Address]*evm.Account) { delete(m[vault].Storage, common.Hash{1}) }, false},
		"a word of zero":            {func(m map[common.Address]*evm.Account) { m[vault].Storage[common.Hash{2}] = common.Hash{} }, true},
		"an account less":           {func(m map[common.Address]*evm.Account) { delete(m, user) }, false},
		"an account that was given": {func(m map[common.Address]*evm.Account) { m[stranger] = &evm.Account{Balance: number(1)} }, true},
		"a new contract": {func(m map[common.Address]*evm.Account) {
			m[stranger] = &evm.Account{Balance: number(1), Code: []byte{1}}
		}, false},
		"a new contract of nothing": {func(m map[common.Address]*evm.Account) { m[stranger] = &evm.Account{Code: []byte{1}} }, true},
	} {
		changed := base()
		c.change(changed)
		a, b := &evm.World{Accounts: base()}, &evm.World{Accounts: changed}
		if s.sameState(a, b) != c.want || s.sameState(b, a) != c.want {
			t.Errorf("%s: %t and %t", name, s.sameState(a, b), s.sameState(b, a))
		}
	}
}

// TestHarmsItself: an attack harms who makes it where nothing changes but that less is kept for him.
func TestHarmsItself(t *testing.T) {
	outsider := common.Address{0xee}
	own, other := common.Hash{1}, common.Hash{2}
	state := func(mine, theirs byte, balance uint64) *evm.World {
		return &evm.World{Accounts: map[common.Address]*evm.Account{
			vault: {Balance: number(balance), Storage: map[common.Hash]common.Hash{own: {31: mine}, other: {31: theirs}}}, outsider: {Balance: number(1)},
		}}
	}
	slot := func(h common.Hash) uint256.Int { return *new(uint256.Int).SetBytes32(h[:]) }
	s := &Scene{
		World: &evm.World{Senders: []evm.Sender{{Address: outsider, Outsider: true}}},
		Exec: &evm.Execution{Frames: []evm.Frame{{Storage: []evm.StorageAccess{
			{Address: vault, Slot: slot(own), Keys: evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(outsider)}}},
			{Address: vault, Slot: slot(other), Keys: evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(user)}}},
		}}}},
	}
	than := state(5, 5, 10)
	for name, c := range map[string]struct {
		state *evm.World
		want  bool
	}{
		"nothing changes":           {state(5, 5, 10), true},
		"he has less":               {state(4, 5, 10), true},
		"he has more":               {state(6, 5, 10), false},
		"another has less":          {state(5, 4, 10), false},
		"the contract has less":     {state(4, 5, 9), false},
		"the contract has more":     {state(4, 5, 11), true},
		"the contract is gone":      {&evm.World{Accounts: map[common.Address]*evm.Account{}}, false},
		"what he has is now zero":   {state(0, 5, 10), true},
		"what another has is zero":  {state(5, 0, 10), false},
		"only what he has is known": {&evm.World{Accounts: map[common.Address]*evm.Account{vault: {Balance: number(10), Storage: map[common.Hash]common.Hash{own: {31: 5}}}}}, false},
	} {
		if got := s.harmsItself(c.state, than); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestGains: who has more of one thing gains, unless he has less of another.
func TestGains(t *testing.T) {
	for name, c := range map[string]struct {
		before, now  [2]uint64
		lost, gained bool
	}{
		"the same":       {[2]uint64{1, 2}, [2]uint64{1, 2}, false, false},
		"more":           {[2]uint64{1, 2}, [2]uint64{1, 3}, false, true},
		"less":           {[2]uint64{1, 2}, [2]uint64{1, 1}, true, false},
		"more and less":  {[2]uint64{1, 2}, [2]uint64{0, 9}, true, false},
		"more of both":   {[2]uint64{1, 2}, [2]uint64{2, 3}, false, true},
		"more, and less": {[2]uint64{1, 2}, [2]uint64{2, 1}, true, false},
	} {
		before, now := []uint256.Int{number(c.before[0]), number(c.before[1])}, []uint256.Int{number(c.now[0]), number(c.now[1])}
		if lost(before, now) != c.lost || gained(before, now) != c.gained {
			t.Errorf("%s: lost %t, gained %t", name, lost(before, now), gained(before, now))
		}
	}
}

// TestMalleated: the other form of a signature is put where the first one is: 65 bytes in a row, or v and s as words of their own.
func TestMalleated(t *testing.T) {
	r, s := bytes.Repeat([]byte{7}, wordBytes), bytes.Repeat([]byte{9}, wordBytes)
	other := new(uint256.Int).Sub(curveOrder, new(uint256.Int).SetBytes(s)).Bytes32()
	v := func(v byte) []byte { return common.LeftPadBytes([]byte{v}, wordBytes) }
	input := slices.Concat(make([]byte, wordBytes), v(27), r, s)
	for name, c := range map[string]struct{ data, want []byte }{
		"in a row":            {slices.Concat([]byte{1, 2, 3, 4}, r, s, []byte{27}, make([]byte, 3)), slices.Concat([]byte{1, 2, 3, 4}, r, other[:], []byte{28}, make([]byte, 3))},
		"in a row, at an end": {slices.Concat(r, s, []byte{27}), slices.Concat(r, other[:], []byte{28})},
		"as words":            {slices.Concat(v(27), r, s), slices.Concat(v(28), r, other[:])},
		"as words, v behind":  {slices.Concat(r, s, v(27)), slices.Concat(r, other[:], v(28))},
		"s apart from r":      {slices.Concat(r, v(27), s), slices.Concat(r, v(28), other[:])},
		"another v":           {slices.Concat(v(29), r, s), nil},
		"no s":                {slices.Concat(v(27), r), nil},
		"cut behind s":        {slices.Concat(r, s), nil},
	} {
		was := bytes.Clone(c.data)
		got, ok := malleated(c.data, input)
		if ok != (c.want != nil) || !bytes.Equal(got, c.want) {
			t.Errorf("%s: %x, want %x", name, got, c.want)
		}
		if !bytes.Equal(was, c.data) {
			t.Errorf("%s: what was sent is changed", name)
		}
	}
	high := slices.Concat(make([]byte, wordBytes), v(28), r, s)
	if got, ok := malleated(slices.Concat(r, s, []byte{28}), high); !ok || got[len(got)-1] != 27 {
		t.Errorf("of v 28: %x", got)
	}
}

// TestChangesWords: a call that writes what was there changes nothing.
func TestChangesWords(t *testing.T) {
	at := func(write bool, slot, value uint64) evm.StorageAccess {
		return evm.StorageAccess{Address: vault, Write: write, Slot: number(slot), Value: number(value)}
	}
	elsewhere := at(false, 1, 5)
	elsewhere.Address = token
	for name, c := range map[string]struct {
		value   uint64
		storage []evm.StorageAccess
		want    bool
	}{
		"nothing":                       {0, nil, false},
		"ether":                         {1, nil, true},
		"it reads":                      {0, []evm.StorageAccess{at(false, 1, 5)}, false},
		"it writes":                     {0, []evm.StorageAccess{at(true, 1, 5)}, true},
		"another word":                  {0, []evm.StorageAccess{at(false, 1, 5), at(true, 1, 6)}, true},
		"the same word":                 {0, []evm.StorageAccess{at(false, 1, 5), at(true, 1, 5)}, false},
		"another place":                 {0, []evm.StorageAccess{at(false, 2, 5), at(true, 1, 5)}, true},
		"the same word of another":      {0, []evm.StorageAccess{elsewhere, at(true, 1, 5)}, true},
		"what it has read again before": {0, []evm.StorageAccess{at(false, 1, 5), at(false, 1, 6), at(true, 1, 6)}, false},
	} {
		exec := &evm.Execution{
			Frames: []evm.Frame{{Storage: []evm.StorageAccess{at(true, 9, 9)}}, {Value: number(c.value)}, {Storage: c.storage}, {Value: number(1)}},
			Calls:  []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, 3}}, {Frames: [2]int{3, 4}}},
		}
		if got := changesWords(exec, 1); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestWordsBefore: what was in a word's place before an access, and before all of them.
func TestWordsBefore(t *testing.T) {
	at := func(order uint32, write bool, slot, value uint64) evm.StorageAccess {
		return evm.StorageAccess{Address: vault, Order: order, Write: write, Slot: number(slot), Value: number(value)}
	}
	// In the order of frames, not of time: the inner frame's are between those of the outer.
	frames := func() []evm.Frame {
		return []evm.Frame{
			{Parent: -1, Storage: []evm.StorageAccess{at(0, false, 1, 5), at(3, true, 1, 8), at(4, true, 2, 1), at(7, true, 1, 9)}},
			{Parent: 0, Storage: []evm.StorageAccess{at(1, true, 1, 6), at(2, true, 1, 7), {Address: token, Order: 2, Slot: number(1), Value: number(77)}}},
		}
	}
	s := &Scene{Exec: &evm.Execution{Frames: frames()}}
	for order, want := range map[uint32]byte{0: 0, 1: 5, 2: 6, 3: 7, 7: 8} {
		access := at(order, true, 1, 0)
		if got := s.wordBefore(&access); got != [wordBytes]byte{31: want} {
			t.Errorf("before access %d there was %x, want %d", order, got, want)
		}
		if got := s.wordAtFirst(&access); order > 0 && got != [wordBytes]byte{31: 5} {
			t.Errorf("before all, as access %d is asked, there was %x", order, got)
		}
	}
	if access := at(5, true, 2, 0); s.wordAtFirst(&access) != [wordBytes]byte{} {
		t.Error("a word that is written first was not zero")
	}
	if access := at(9, true, 3, 0); s.wordAtFirst(&access) != [wordBytes]byte{} || s.wordBefore(&access) != [wordBytes]byte{} {
		t.Error("a word that nothing reads was not zero")
	}
	l := &lossAlone{Scene: s}
	access := at(1, true, 1, 6)
	if got := l.wordAtLast(&access); !bytes.Equal(got, common.LeftPadBytes([]byte{9}, wordBytes)) {
		t.Errorf("behind all there is %x", got)
	}
	s.Exec.Frames[0].Outcome = evm.Reverted
	if got := l.wordAtLast(&access); !bytes.Equal(got, common.LeftPadBytes([]byte{6}, wordBytes)) {
		t.Errorf("behind all that lasts there is %x", got)
	}
}

// TestNamesOfFunctions: initializers and views of who is in charge are told by their names.
func TestNamesOfFunctions(t *testing.T) {
	for name, want := range map[string]bool{
		"init": true, "initialize": true, "__init": true, "initializeV2": true, "initVault": true, "init_unchained": true, "initialized": true,
		"initiate": false, "reinit": false, "setUp": false, "inits": false, "initz": false, "inita": false, "": false,
	} {
		if isInitializer(name) != want {
			t.Errorf("%s initializes: %t", name, !want)
		}
	}
	for name, want := range map[string]bool{"owner": true, "getOwner": true, "ADMIN": true, "pendingOwner": false, "token": false, "": false} {
		if isCharge(name) != want {
			t.Errorf("%s is in charge: %t", name, !want)
		}
	}
}

// TestAttack: an attack begins with the first of the last calls that are the outsider's or his contract's; nothing before may have named either.
func TestAttack(t *testing.T) {
	outsider, contract := common.Address{0xee}, common.Address{0xef}
	s := &Scene{World: &evm.World{Senders: []evm.Sender{{Address: user}, {Address: outsider, Outsider: true}, {Address: contract, Through: outsider}}}}
	named := append([]byte{1, 2, 3, 4}, common.LeftPadBytes(outsider[:], wordBytes)...)
	for name, c := range map[string]struct {
		callers []common.Address
		inputs  [][]byte
		from    int
		ok      bool
	}{
		"all of it":            {[]common.Address{outsider, contract}, nil, 0, true},
		"the last":             {[]common.Address{user, outsider}, nil, 1, true},
		"the last two":         {[]common.Address{user, contract, outsider}, nil, 1, true},
		"another's comes last": {[]common.Address{outsider, user}, nil, 0, false},
		"another's between":    {[]common.Address{outsider, user, outsider}, nil, 0, false},
		"others alone":         {[]common.Address{user, user}, nil, 2, false},
		"named before":         {[]common.Address{user, outsider}, [][]byte{named, nil}, 0, false},
		"named in it":          {[]common.Address{user, outsider}, [][]byte{nil, named}, 1, true},
	} {
		s.Exec = &evm.Execution{}
		for i, caller := range c.callers {
			f := evm.Frame{Parent: -1, Call: i, Caller: caller}
			if c.inputs != nil {
				f.Input = c.inputs[i]
			}
			s.Exec.Calls = append(s.Exec.Calls, evm.CallResult{Frames: [2]int{i, i + 1}})
			s.Exec.Frames = append(s.Exec.Frames, f)
		}
		if from, ok := s.attack(); ok != c.ok || ok && from != c.from {
			t.Errorf("%s: from %d, %t", name, from, ok)
		}
	}
	if got := s.outsider(); got != outsider {
		t.Errorf("the outsider is %s", got)
	}
	if got := s.outsiders(); !slices.Equal(got, []common.Address{outsider, contract}) {
		t.Errorf("outsiders are %s", got)
	}
	if got := s.insider(); got != user {
		t.Errorf("the insider is %s", got)
	}
	s.World.Senders = s.World.Senders[1:]
	if got := s.insider(); got != outsider {
		t.Errorf("where there is no insider, he is %s", got)
	}
	s.World.Senders = nil
	if got := s.outsider(); got != (common.Address{}) || s.namesOutsider(make([]byte, 64)) {
		t.Errorf("where there is none, the outsider is %s", got)
	}
}

// TestChosenSlots: each write to a marked slot is told, also behind others that are not; a narrowly marked one only if the same instruction
// writes a variable as well.
func TestChosenSlots(t *testing.T) {
	_, p := contractOfCode(t, "", code(vm.SSTORE, vm.SSTORE))
	p.Contract.Variables = []bytecode.Variable{{Name: "owner", Slot: number(3), Slots: number(2)}}
	write := func(pc uint32, slot uint256.Int) evm.StorageAccess {
		return evm.StorageAccess{PC: pc, Write: true, Address: vault, Slot: slot, Base: slot}
	}
	narrow, wide := *MarkedOf(64), MarkedSlot
	read := write(0, wide)
	read.Write = false
	element := write(0, narrow)
	element.Base = number(9)
	elsewhere := write(0, number(4))
	elsewhere.Address = token
	for name, c := range map[string]struct {
		accesses []evm.StorageAccess
		want     []string
	}{
		"an ordinary slot":                {[]evm.StorageAccess{write(0, number(3))}, nil},
		"a marked one":                    {[]evm.StorageAccess{write(0, wide)}, []string{choosesSlot}},
		"near it":                         {[]evm.StorageAccess{write(0, *new(uint256.Int).AddUint64(&wide, 77))}, []string{choosesSlot}},
		"it is read":                      {[]evm.StorageAccess{read}, nil},
		"narrowly":                        {[]evm.StorageAccess{write(0, narrow)}, nil},
		"narrowly, then another":          {[]evm.StorageAccess{write(0, narrow), write(1, wide)}, []string{choosesSlot}},
		"a read, then another":            {[]evm.StorageAccess{read, write(1, wide)}, []string{choosesSlot}},
		"an ordinary one, then another":   {[]evm.StorageAccess{write(0, number(3)), write(1, wide)}, []string{choosesSlot}},
		"narrowly, and a variable":        {[]evm.StorageAccess{write(0, narrow), write(0, number(4))}, []string{choosesSlot + ", that of owner among them"}},
		"narrowly, and behind it":         {[]evm.StorageAccess{write(0, narrow), write(0, number(5))}, nil},
		"narrowly, and before it":         {[]evm.StorageAccess{write(0, narrow), write(0, number(2))}, nil},
		"narrowly, and by another":        {[]evm.StorageAccess{write(0, narrow), write(1, number(4))}, nil},
		"narrowly, and of another":        {[]evm.StorageAccess{write(0, narrow), elsewhere}, nil},
		"an element, and a variable":      {[]evm.StorageAccess{element, write(0, number(4))}, nil},
		"both, and a variable in between": {[]evm.StorageAccess{write(0, wide), write(0, number(3)), write(1, wide)}, []string{choosesSlot, choosesSlot}},
	} {
		exec := &evm.Execution{
			Frames: []evm.Frame{{Parent: -1, Outcome: evm.Reverted, Program: p, Storage: []evm.StorageAccess{write(0, wide), write(0, number(4))}}, {Parent: -1, Call: 1, Program: p, Storage: c.accesses}, {Parent: -1, Call: 2}},
			Calls:  []evm.CallResult{{Outcome: evm.Reverted, Frames: [2]int{0, 1}}, {Frames: [2]int{1, 2}}, {Frames: [2]int{2, 3}}},
		}
		var got []string
		checkArbitraryWrite(exec, func(o Observation) {
			got = append(got, o.Message)
			if o.Call != 1 || o.Contract != "C.sol:C" {
				t.Errorf("%s: call %d of %s", name, o.Call, o.Contract)
			}
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := VariableAt(p.Contract, &narrow); got != nil {
		t.Errorf("at the marked slot is %s", got.Name)
	}
}

// TestSuspects: executions in which an attacker's contract, a signature or all the gas there is takes part are looked at closely.
func TestSuspects(t *testing.T) {
	for name, c := range map[string]struct {
		frame evm.Frame
		want  bool
	}{
		"an ordinary call":      {evm.Frame{Caller: user, CodeAddress: vault}, false},
		"the attacker calls":    {evm.Frame{Caller: attacker.Address, CodeAddress: vault}, true},
		"the attacker's code":   {evm.Frame{Caller: vault, CodeAddress: attacker.Address}, true},
		"a signature":           {evm.Frame{Caller: vault, CodeAddress: ecrecoverAddress}, true},
		"all gas":               {evm.Frame{Outcome: evm.OutOfGas, GasUsed: evm.CallGas/2 + 1}, true},
		"half of it":            {evm.Frame{Outcome: evm.OutOfGas, GasUsed: evm.CallGas / 2}, false},
		"much gas, and success": {evm.Frame{GasUsed: evm.CallGas}, false},
	} {
		if got := IsSuspect(&evm.Execution{Frames: []evm.Frame{{}, c.frame}}); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestBurns: a frame that called one which used more than half of its gas has not used it up itself.
func TestBurns(t *testing.T) {
	for name, c := range map[string]struct {
		frames []evm.Frame
		want   bool
	}{
		"alone":                 {[]evm.Frame{{GasUsed: 100}}, false},
		"a cheap callee":        {[]evm.Frame{{GasUsed: 100}, {Depth: 1, GasUsed: 50}}, false},
		"an expensive one":      {[]evm.Frame{{GasUsed: 100}, {Depth: 1, GasUsed: 51}}, true},
		"further down":          {[]evm.Frame{{GasUsed: 100}, {Depth: 1}, {Depth: 2, GasUsed: 51}}, true},
		"that is another's":     {[]evm.Frame{{GasUsed: 100}, {Depth: 0, GasUsed: 100}}, false},
		"behind another's":      {[]evm.Frame{{GasUsed: 100}, {Depth: 0}, {Depth: 1, GasUsed: 100}}, false},
		"the second of its own": {[]evm.Frame{{GasUsed: 100}, {Depth: 1}, {Depth: 1, GasUsed: 99}}, true},
	} {
		if got := (&Scene{Exec: &evm.Execution{Frames: c.frames}}).burns(0); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestTaintedBranches: what a branch compares, and of what, as notes ask for it.
func TestTaintedBranches(t *testing.T) {
	from := func(s evm.Source) evm.Taint { return evm.Taint{Sources: s} }
	via := func(s evm.Source) evm.Taint { return evm.Taint{Via: s} }
	zero, nine := number(0), number(9)
	branch := func(op vm.OpCode, left, right evm.Taint, x, y uint256.Int) *evm.TracedBranch {
		return &evm.TracedBranch{
			Op: byte(op), LeftTaint: left, RightTaint: right, Left: x, Right: y,
			Condition: evm.Taint{Sources: left.Sources | right.Sources, Via: left.Via | right.Via, Labels: append(slices.Clone(left.Labels), right.Labels...)},
		}
	}
	clean := evm.Taint{}
	success := evm.Taint{Sources: evm.FromStorage, Via: evm.FromOrigin, Labels: []evm.Label{{Kind: evm.OfSuccess}}}
	answer := evm.Taint{Sources: evm.FromStorage, Via: evm.FromOrigin, Labels: []evm.Label{{Kind: evm.OfAnswer}}}
	for name, c := range map[string]struct {
		b                         *evm.TracedBranch
		againstZero, isSet, isSum bool
		byOrigin                  bool
	}{
		"a word and zero":                 {b: branch(vm.EQ, from(evm.FromStorage), clean, nine, zero), againstZero: true, isSet: true},
		"zero and a word":                 {b: branch(vm.EQ, clean, from(evm.FromStorage), zero, nine), againstZero: true, isSet: true},
		"a word and nine":                 {b: branch(vm.EQ, from(evm.FromStorage), clean, nine, nine)},
		"a word that is zero, and nine":   {b: branch(vm.EQ, from(evm.FromStorage), clean, zero, nine)},
		"two words, of which one is zero": {b: branch(vm.EQ, from(evm.FromStorage), from(evm.FromStorage), nine, zero)},
		"a word above zero":               {b: branch(vm.GT, from(evm.FromStorage), clean, nine, zero), againstZero: true, isSet: true},
		"zero below a word":               {b: branch(vm.LT, clean, from(evm.FromStorage), zero, nine), againstZero: true, isSet: true},
		"signed":                          {b: branch(vm.SLT, clean, from(evm.FromStorage), zero, nine)},
		"is it zero":                      {b: branch(vm.ISZERO, from(evm.FromNumber), clean, nine, zero), againstZero: true},
		"a time and a sum with it":        {b: branch(vm.LT, from(evm.FromTimestamp), from(evm.FromTimestamp), nine, nine), isSum: true},
		"a time and what is kept":         {b: branch(vm.LT, from(evm.FromTimestamp), from(evm.FromStorage), nine, nine)},
		"a time and one that is kept":     {b: branch(vm.LT, from(evm.FromTimestamp), from(evm.FromTimestamp|evm.FromStorage), nine, nine)},
		"a time and a hash of it":         {b: branch(vm.LT, from(evm.FromTimestamp), from(evm.FromTimestamp|evm.Hashed), nine, nine)},
		"who sends":                       {b: branch(vm.EQ, from(evm.FromOrigin), clean, nine, nine), byOrigin: true},
		"who sends, and who calls":        {b: branch(vm.EQ, from(evm.FromOrigin), from(evm.FromCaller), nine, nine)},
		"who calls, and who sends":        {b: branch(vm.EQ, from(evm.FromCaller), from(evm.FromOrigin), nine, nine)},
		"both, and both":                  {b: branch(vm.EQ, from(evm.FromOrigin|evm.FromCaller), from(evm.FromOrigin|evm.FromCaller), nine, nine), byOrigin: true},
		"both, and nine":                  {b: branch(vm.EQ, from(evm.FromOrigin|evm.FromCaller), clean, nine, nine), byOrigin: true},
		"nine, and both":                  {b: branch(vm.EQ, clean, from(evm.FromOrigin|evm.FromCaller), nine, nine), byOrigin: true},
		"who calls":                       {b: branch(vm.EQ, from(evm.FromCaller), clean, nine, nine)},
		"what is kept under it":           {b: branch(vm.EQ, evm.Taint{Sources: evm.FromStorage, Via: evm.FromOrigin}, clean, nine, nine), byOrigin: true},
		"two that are":                    {b: branch(vm.EQ, evm.Taint{Sources: evm.FromStorage, Via: evm.FromOrigin}, via(evm.FromOrigin), nine, nine)},
		"what is read under it":           {b: branch(vm.EQ, via(evm.FromOrigin), clean, nine, nine)},
		"whether a call of it succeeded":  {b: branch(vm.EQ, success, clean, nine, nine)},
		"what a call of it answered":      {b: branch(vm.EQ, answer, clean, nine, nine), byOrigin: true},
	} {
		if got := againstZero(c.b); got != c.againstZero {
			t.Errorf("%s: against zero %t", name, got)
		}
		if got := isSet(c.b); got != c.isSet {
			t.Errorf("%s: whether it is set %t", name, got)
		}
		if got := isSum(c.b, evm.FromTimestamp); got != c.isSum {
			t.Errorf("%s: whether a sum is right %t", name, got)
		}
		if got := decidesByOrigin(c.b); got != c.byOrigin {
			t.Errorf("%s: by who sends %t", name, got)
		}
	}
}

// TestWaysIn: calls into the middle of another are told apart by their function, and by whether they pay, or else write a word that they did not
// find there; what comes behind them does not count.
func TestWaysIn(t *testing.T) {
	at := func(write bool, slot, value uint64) evm.StorageAccess {
		return evm.StorageAccess{Write: write, Slot: number(slot), Value: number(value)}
	}
	inner := func(accesses ...evm.StorageAccess) evm.Frame {
		return evm.Frame{Depth: 2, Input: []byte{8, 8, 8, 8, 8}, Value: number(5), Storage: accesses}
	}
	plain, pays, writes := [4]byte{8, 8, 8, 8}, [4]byte{9, 8, 8, 8}, [4]byte{8, 9, 8, 8}
	for name, c := range map[string]struct {
		frames []evm.Frame
		want   [4]byte
	}{
		"nothing":                      {[]evm.Frame{inner()}, plain},
		"it reads":                     {[]evm.Frame{inner(at(false, 1, 7))}, plain},
		"it writes":                    {[]evm.Frame{inner(at(true, 1, 7))}, writes},
		"another word":                 {[]evm.Frame{inner(at(false, 1, 6), at(true, 1, 7))}, writes},
		"what is there":                {[]evm.Frame{inner(at(false, 1, 7), at(true, 1, 7))}, plain},
		"what is there, then more":     {[]evm.Frame{inner(at(false, 1, 7), at(true, 1, 7), at(true, 2, 7))}, writes},
		"it pays":                      {[]evm.Frame{inner(), {Depth: 3, Value: number(1)}}, pays},
		"it calls":                     {[]evm.Frame{inner(), {Depth: 3}}, plain},
		"a callee writes":              {[]evm.Frame{inner(at(false, 1, 7)), {Depth: 3, Storage: []evm.StorageAccess{at(true, 1, 8)}}}, writes},
		"it pays, then writes":         {[]evm.Frame{inner(), {Depth: 3, Value: number(1), Storage: []evm.StorageAccess{at(true, 1, 8)}}}, pays},
		"another pays behind it":       {[]evm.Frame{inner(), {Depth: 2, Value: number(1)}}, plain},
		"a callee of another's writes": {[]evm.Frame{inner(), {Depth: 1}, {Depth: 3, Storage: []evm.StorageAccess{at(true, 1, 8)}}}, plain},
	} {
		s := &Scene{Exec: &evm.Execution{Frames: append([]evm.Frame{{Depth: 0, Value: number(3)}}, c.frames...)}}
		if got := s.waysIn(1); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestPanicMade: a Panic is made of constants up to where code reverts, in straight-line code that a target may have cut.
func TestPanicMade(t *testing.T) {
	table, p := contractOfCode(t, "", code(vm.JUMPDEST, panicSelector, 0x11, vm.MSTORE, vm.REVERT, vm.JUMPDEST, vm.REVERT, panicSelector, 1))
	table.Cut([]bytecode.Location{{Code: p.ID, PC: 6}})
	for pc, want := range map[uint32]byte{0: 0, 1: 0, 6: 0x11, 9: 0x11, 10: 0, 11: 0, 12: 0, 17: 1, 19: 0, 99: 0} {
		if code, made := panicMade(p, pc); made != (want != 0) || made && code != want {
			t.Errorf("up to %d: Panic 0x%02x, %t", pc, code, made)
		}
	}
}

// TestNoteOfFrames: notes are about code of the project's whose effects last, and about constructors that calls run.
func TestNoteOfFrames(t *testing.T) {
	_, p := contractOfCode(t, "", code(vm.STOP))
	creation := &bytecode.Program{Contract: p.Contract, Code: &bytecode.Code{Kind: bytecode.Creation}}
	generated := &bytecode.Program{Contract: &bytecode.Contract{Generated: true}, Code: &bytecode.Code{Kind: bytecode.Runtime}}
	generatedCreation := &bytecode.Program{Contract: generated.Contract, Code: creation.Code}
	for name, c := range map[string]struct {
		frame         evm.Frame
		judged, noted bool
	}{
		"the project's":                {evm.Frame{Parent: -1, Self: vault, Program: p}, true, true},
		"another account":              {evm.Frame{Parent: -1, Self: stranger, Program: p}, false, false},
		"an account without code":      {evm.Frame{Parent: -1, Self: token, Program: p}, false, false},
		"an outsider's":                {evm.Frame{Parent: -1, Self: user, Program: p}, false, false},
		"undone":                       {evm.Frame{Parent: -1, Self: vault, Program: p, Outcome: evm.Reverted}, false, false},
		"no program":                   {evm.Frame{Parent: -1, Self: vault}, false, false},
		"unknown code":                 {evm.Frame{Parent: -1, Self: vault, Program: &bytecode.Program{}}, false, false},
		"code without a source":        {evm.Frame{Parent: -1, Self: vault, Program: &bytecode.Program{Contract: p.Contract}}, false, false},
		"code of Sightline's":          {evm.Frame{Parent: -1, Self: vault, Program: generated}, false, false},
		"a constructor":                {evm.Frame{Parent: -1, Self: stranger, Program: creation}, false, true},
		"a constructor that is undone": {evm.Frame{Parent: -1, Self: stranger, Program: creation, Outcome: evm.Reverted}, false, false},
		"a constructor in a call":      {evm.Frame{Parent: 0, Self: stranger, Program: creation}, false, false},
		"a constructor of Sightline's": {evm.Frame{Parent: -1, Self: stranger, Program: generatedCreation}, false, false},
	} {
		s := &Scene{
			World: &evm.World{
				Accounts: map[common.Address]*evm.Account{vault: {Code: []byte{0}}, user: {Code: []byte{0}}, token: {}},
				Senders:  []evm.Sender{{Address: user, Outsider: true}},
			},
			Exec: &evm.Execution{Frames: []evm.Frame{{Parent: -1}, c.frame}},
		}
		at := evm.At{Frame: 1, PC: 7}
		if _, place, ok := s.judged(at); ok != c.judged || ok && place.PC != 7 {
			t.Errorf("%s: judged %t", name, ok)
		}
		if _, place, ok := s.noted(at); ok != c.noted || ok && place.PC != 7 {
			t.Errorf("%s: noted %t", name, ok)
		}
		for _, frame := range []int{-1, 2} {
			if _, _, ok := s.noted(evm.At{Frame: frame}); ok {
				t.Errorf("%s: frame %d is noted", name, frame)
			}
		}
	}
}

// TestUntraced: what follows values is silent where that cannot be done, or an execution shows nothing new.
func TestUntraced(t *testing.T) {
	for name, s := range map[string]*Scene{
		"no trace": {New: true},
		"nothing new": {Trace: func() *evm.Trace {
			return &evm.Trace{Branches: make([]evm.TracedBranch, 1), Jumps: make([]evm.TracedJump, 1)}
		}},
		"it failed": {New: true, Trace: func() *evm.Trace { return nil }},
	} {
		s.Exec, s.World, s.Audit = &evm.Execution{}, &evm.World{}, true
		if s.trace() != nil {
			t.Errorf("%s: it is traced", name)
		}
		for _, o := range []*Oracle{BlockDependency, WeakRandomness, TxOrigin, StrictEquality, ArbitraryJump, Arithmetic} {
			o.Examine(s, func(o Observation) { t.Errorf("%s: %s", name, o.Message) })
		}
		examinePaysAll(s, func(o Observation) { t.Errorf("%s: %s", name, o.Message) })
	}
}

// TestMayGain: an attack is worth a look if the attackers get more ether than they pay, or as much and something that is kept for
// them rises, or a contract ends.
func TestMayGain(t *testing.T) {
	outsider := common.Address{0xee}
	_, ends := contractOfCode(t, "", code(vm.SELFDESTRUCT))
	gets := func(value uint64) evm.Frame {
		return evm.Frame{Parent: 0, Depth: 1, Kind: evm.KindCall, Caller: vault, Self: outsider, Value: number(value)}
	}
	pays := func(kind evm.CallKind, value uint64) evm.Frame {
		return evm.Frame{Parent: 0, Depth: 1, Kind: kind, Caller: outsider, Self: vault, Value: number(value)}
	}
	kept := func(whom common.Address, was, now uint64) evm.Frame {
		key := evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(whom)}}
		return evm.Frame{Parent: 0, Depth: 1, Storage: []evm.StorageAccess{
			{Address: token, Slot: number(1), Value: number(was), Keys: key}, {Address: token, Order: 1, Write: true, Slot: number(1), Value: number(now), Keys: key}}}
	}
	undone := gets(5)
	undone.Outcome = evm.Reverted
	for name, c := range map[string]struct {
		frames []evm.Frame
		want   bool
	}{
		"nothing":                      {nil, false},
		"ether":                        {[]evm.Frame{gets(1)}, true},
		"ether that is undone":         {[]evm.Frame{undone}, false},
		"more than is paid":            {[]evm.Frame{pays(evm.KindCall, 4), gets(5)}, true},
		"as much as is paid":           {[]evm.Frame{pays(evm.KindCall, 5), gets(5)}, false},
		"less than is paid":            {[]evm.Frame{pays(evm.KindCall, 6), gets(5)}, false},
		"paid with a creation":         {[]evm.Frame{pays(evm.KindCreate, 5), gets(5)}, false},
		"paid with a salted creation":  {[]evm.Frame{pays(evm.KindCreate2, 5), gets(5)}, false},
		"shown to a library":           {[]evm.Frame{pays(evm.KindDelegateCall, 5), gets(5)}, true},
		"more is kept":                 {[]evm.Frame{kept(outsider, 3, 4)}, true},
		"as much is kept":              {[]evm.Frame{kept(outsider, 3, 3)}, false},
		"less is kept":                 {[]evm.Frame{kept(outsider, 3, 2)}, false},
		"more is kept for another":     {[]evm.Frame{kept(user, 3, 4)}, false},
		"more is kept, and it is paid": {[]evm.Frame{kept(outsider, 3, 4), pays(evm.KindCall, 1)}, false},
		"more, then less is kept":      {[]evm.Frame{kept(outsider, 3, 4), gets(0), kept(user, 3, 2)}, true},
		"a contract ends":              {[]evm.Frame{{Parent: 0, Program: ends, Self: vault}}, true},
	} {
		root := evm.Frame{Parent: -1, Caller: user, Self: vault, Kind: evm.KindTransaction}
		l := &lossAlone{Scene: &Scene{
			World: &evm.World{Senders: []evm.Sender{{Address: outsider, Outsider: true}}},
			Exec:  &evm.Execution{Frames: append([]evm.Frame{root}, c.frames...), Calls: []evm.CallResult{{Frames: [2]int{0, 1 + len(c.frames)}}}},
		}}
		if got := l.mayGain(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestTakesPartIn: an account takes part in a call where its code runs, and that lasts.
func TestTakesPartIn(t *testing.T) {
	s := &Scene{Exec: &evm.Execution{
		Frames: []evm.Frame{{Parent: -1, Self: user}, {Parent: -1, Self: vault}, {Parent: 1, Self: token}, {Parent: 1, Self: stranger, Outcome: evm.Reverted}, {Parent: -1, Self: user}},
		Calls:  []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, 4}}, {Frames: [2]int{4, 5}}},
	}}
	for account, want := range map[common.Address]bool{vault: true, token: true, stranger: false, user: false} {
		if got := s.takesPart(1, account); got != want {
			t.Errorf("%s takes part: %t", account, got)
		}
	}
}

// TestEntrusts: attempts on a contract to which others have entrusted something are told from those on one that has nothing.
func TestEntrusts(t *testing.T) {
	mine := evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(vault)}}
	access := func(write bool, value uint64, keys evm.Keys) []evm.StorageAccess {
		return []evm.StorageAccess{{Write: write, Value: number(value), Keys: keys}}
	}
	for name, c := range map[string]struct {
		frame evm.Frame
		want  [4]byte
	}{
		"nothing":                    {evm.Frame{Parent: -1, Self: token}, [4]byte{}},
		"a balance":                  {evm.Frame{Parent: -1, Self: token, Storage: access(true, 5, mine)}, [4]byte{1}},
		"a balance, by its own code": {evm.Frame{Parent: -1, Self: vault, Storage: access(true, 5, mine)}, [4]byte{1, 1}},
		"a balance that is read":     {evm.Frame{Parent: -1, Self: token, Storage: access(false, 5, mine)}, [4]byte{}},
		"a balance of zero":          {evm.Frame{Parent: -1, Self: token, Storage: access(true, 0, mine)}, [4]byte{}},
		"a balance of another":       {evm.Frame{Parent: -1, Self: token, Storage: access(true, 5, evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(user)}})}, [4]byte{}},
		"a key that is not one":      {evm.Frame{Parent: -1, Self: token, Storage: access(true, 5, evm.Keys{Words: mine.Words})}, [4]byte{}},
		"in the attack":              {evm.Frame{Parent: -1, Call: 1, Self: token, Storage: access(true, 5, mine)}, [4]byte{}},
	} {
		s := &Scene{Exec: &evm.Execution{Frames: []evm.Frame{c.frame}, Calls: []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, 1}}}}}
		if got := s.entrusts(1, vault); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
