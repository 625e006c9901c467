package evm_test

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// traced runs calls of contracts that are given as code, the first of them the one that
// evmtest.CallWith calls.
func traced(t testing.TB, codes [][]byte, calls ...evm.Call) *evm.Execution {
	t.Helper()
	world := evmtest.WorldOf(codes[0])
	for i, code := range codes[1:] {
		world.Accounts[evmtest.RandomContracts[i+1]] = &evm.Account{Nonce: 1, Code: code}
	}
	m, err := gethvm.New(world, bytecode.NewTable(nil), evm.WithTrace)
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.Run(calls)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// load pushes the n-th word of calldata.
func load(n int) []byte { return asm.New().Push(32 * n).Op(vm.CALLDATALOAD).Bytes() }

// words is calldata.
func words(numbers ...int64) []byte {
	var data []byte
	for _, n := range numbers {
		data = append(data, common.BigToHash(new(big.Int).And(big.NewInt(n), allOnes)).Bytes()...)
	}
	return data
}

var allOnes = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))

// storeTop stores the top of the stack in slot 0.
func storeTop(p *asm.Program) []byte { return p.Push(0).Op(vm.SSTORE).Bytes() }

// TestTraceSources stores a word that each piece of code pushes.
func TestTraceSources(t *testing.T) {
	for name, tc := range map[string]struct {
		code []byte
		want evm.Source
		via  evm.Source
	}{
		"constant":        {asm.New().Push(1).Push(2).Op(vm.ADD).Bytes(), 0, 0},
		"calldata":        {load(0), evm.FromCalldata, 0},
		"caller":          {asm.New().Op(vm.CALLER).Bytes(), evm.FromCaller, 0},
		"origin and time": {asm.New().Op(vm.ORIGIN, vm.TIMESTAMP, vm.ADD).Bytes(), evm.FromOrigin | evm.FromTimestamp, 0},
		"number":          {asm.New().Op(vm.NUMBER).Bytes(), evm.FromNumber, 0},
		"block":           {asm.New().Op(vm.PREVRANDAO, vm.COINBASE, vm.XOR).Bytes(), evm.FromOtherBlock, 0},
		"block hash":      {append(load(0), byte(vm.BLOCKHASH)), evm.FromOtherBlock, evm.FromCalldata},
		"own balance":     {asm.New().Op(vm.ADDRESS, vm.BALANCE).Bytes(), evm.FromBalance | evm.FromOwnBalance, 0},
		"self balance":    {asm.New().Op(vm.SELFBALANCE).Bytes(), evm.FromBalance | evm.FromOwnBalance, 0},
		"balance":         {asm.New().Op(vm.CALLER, vm.BALANCE).Bytes(), evm.FromBalance, evm.FromCaller},
		"value":           {asm.New().Op(vm.CALLVALUE).Bytes(), evm.FromCallValue, 0},
		"gas":             {asm.New().Op(vm.GAS).Bytes(), evm.FromGas, 0},
		"code":            {asm.New().Op(vm.ADDRESS, vm.EXTCODESIZE).Bytes(), evm.FromCode, 0},
		"storage":         {asm.New().Push(5).Op(vm.SLOAD).Bytes(), evm.FromStorage, 0},
		"mapping":         {append(load(0), byte(vm.SLOAD)), evm.FromStorage, evm.FromCalldata},
		"stored":          {asm.New().Op(vm.CALLER).Push(5).Op(vm.SSTORE).Push(5).Op(vm.SLOAD).Bytes(), evm.FromStorage | evm.FromCaller, 0},
		"transient":       {asm.New().Op(vm.CALLER).Push(5).Op(vm.TSTORE).Push(5).Op(vm.TLOAD).Bytes(), evm.FromCaller, 0},
		"swapped":         {asm.New().Op(vm.CALLER, vm.ORIGIN, vm.SWAP1, vm.POP).Bytes(), evm.FromOrigin, 0},
		"hash":            {asm.New().Op(vm.CALLER).Push(0).Op(vm.MSTORE).Push(32).Push(0).Op(vm.KECCAK256).Bytes(), evm.FromCaller | evm.Hashed, 0},
		"memory":          {asm.New().Op(vm.CALLER).Push(0).Op(vm.MSTORE).Push(0).Op(vm.MLOAD).Bytes(), evm.FromCaller, 0},
		"memory beside":   {asm.New().Op(vm.CALLER).Push(0).Op(vm.MSTORE).Push(32).Op(vm.MLOAD).Bytes(), 0, 0},
		"overlap":         {asm.New().Op(vm.CALLER).Push(0).Op(vm.MSTORE).Push(31).Op(vm.MLOAD).Bytes(), evm.FromCaller, 0},
		"a byte":          {asm.New().Op(vm.CALLER).Push(40).Op(vm.MSTORE8).Push(9).Op(vm.MLOAD).Bytes(), evm.FromCaller, 0},
		"before a byte":   {asm.New().Op(vm.CALLER).Push(40).Op(vm.MSTORE8).Push(8).Op(vm.MLOAD).Bytes(), 0, 0},
		"overwritten":     {asm.New().Op(vm.CALLER).Push(0).Op(vm.MSTORE).Push(1).Push(0).Op(vm.MSTORE).Push(0).Op(vm.MLOAD).Bytes(), 0, 0},
		"moved":           {asm.New().Op(vm.CALLER).Push(0).Op(vm.MSTORE).Push(32).Push(0).Push(16).Op(vm.MCOPY).Push(40).Op(vm.MLOAD).Bytes(), evm.FromCaller, 0},
		"calldata copied": {asm.New().Push(32).Push(0).Push(0).Op(vm.CALLDATACOPY).Push(0).Op(vm.MLOAD).Bytes(), evm.FromCalldata, 0},
		"own code":        {asm.New().Push(32).Push(0).Push(0).Op(vm.CODECOPY).Push(0).Op(vm.MLOAD).Bytes(), 0, 0},
		"foreign code":    {asm.New().ExtcodeCopy(common.Address{1}.Bytes(), 0, 0, 32).Push(0).Op(vm.MLOAD).Bytes(), evm.FromCode, 0},
	} {
		t.Run(name, func(t *testing.T) {
			code := append(slices.Clone(tc.code), storeTop(asm.New())...)
			e := traced(t, [][]byte{code}, evmtest.CallWith(words(3)...))
			stores := e.Trace.Stores
			if len(stores) == 0 {
				t.Fatalf("no store: %v", e.Calls[0].Outcome)
			}
			last := stores[len(stores)-1]
			if last.Value.Sources != tc.want || last.Value.Via != tc.via {
				t.Errorf("sources %b via %b, want %b and %b", last.Value.Sources, last.Value.Via, tc.want, tc.via)
			}
			if a := last.Access; a < 0 || e.Frames[last.Frame].Storage[a].PC != last.PC || !e.Frames[last.Frame].Storage[a].Write {
				t.Errorf("access %d", a)
			}
		})
	}
}

// TestTraceFrames: calldata and return data carry what the memory carried that they were
// copied from, and CALLER is the sender where it is.
func TestTraceFrames(t *testing.T) {
	callee := asm.New().Append(load(0)).Push(0).Op(vm.SSTORE).Append(load(1)).Push(1).Op(vm.SSTORE).
		Op(vm.CALLER).Push(2).Op(vm.SSTORE).Op(vm.CALLVALUE).Push(3).Op(vm.SSTORE).
		Op(vm.TIMESTAMP).Push(0).Op(vm.MSTORE).Push(64).Push(0).Op(vm.RETURN).Bytes()
	caller := func(op vm.OpCode) []byte {
		p := asm.New().Append(load(0)).Push(0).Op(vm.MSTORE).Push(7).Push(32).Op(vm.MSTORE)
		p.Push(64).Push(64).Push(64).Push(0)
		if op == vm.CALL || op == vm.CALLCODE {
			p.Push(0).Op(vm.CALLDATASIZE, vm.MUL)
		}
		p.Push(evmtest.RandomContracts[1].Bytes()).Op(vm.GAS, op)
		p.Push(10).Op(vm.SSTORE)
		p.Push(64).Op(vm.MLOAD).Push(11).Op(vm.SSTORE)
		return p.Push(96).Op(vm.MLOAD).Push(12).Op(vm.SSTORE).Bytes()
	}
	for _, op := range []vm.OpCode{vm.CALL, vm.CALLCODE, vm.DELEGATECALL} {
		e := traced(t, [][]byte{caller(op), callee}, evmtest.CallWith(words(3)...))
		if len(e.Trace.Stores) != 7 || !e.Trace.Calls[0].Success || e.Trace.Calls[0].Callee != 1 || e.Trace.Calls[0].Output != 64 {
			t.Fatalf("%v: %+v", op, e.Trace)
		}
		wantCaller, wantValue := evm.Source(0), evm.FromCalldata
		if op == vm.DELEGATECALL {
			wantCaller, wantValue = evm.FromCaller, evm.FromCallValue
		}
		want := []evm.Source{evm.FromCalldata, 0, wantCaller, wantValue, 0, evm.FromTimestamp | evm.FromReturnData, evm.FromReturnData}
		for i, s := range e.Trace.Stores {
			if s.Value.Sources != want[i] {
				t.Errorf("%v: store %d comes from %b, want %b", op, i, s.Value.Sources, want[i])
			}
		}
		for i, kind := range []evm.LabelKind{evm.OfSuccess, evm.OfAnswer, evm.OfOutput} {
			if !e.Trace.Stores[4+i].Value.Carries(kind, 0) {
				t.Errorf("%v: store %d carries %v", op, 4+i, e.Trace.Stores[4+i].Value.Labels)
			}
		}
		c := e.Trace.Calls[0]
		if c.SuccessUse.Kind != evm.UseStore || c.AnswerUse.Kind != evm.UseStore {
			t.Errorf("%v: uses %+v and %+v", op, c.SuccessUse, c.AnswerUse)
		}
		if !c.Selector.Has(evm.FromCalldata) || !c.Address.Clean() {
			t.Errorf("%v: %+v", op, c)
		}
		if own := e.Trace.Of(1); len(own.Stores) != 4 || len(own.Calls) != 0 {
			t.Errorf("%v: of the callee %+v", op, own)
		}
		if kept := e.Clone(); !reflect.DeepEqual(kept.Trace, e.Trace) || kept.Trace == e.Trace || &kept.Trace.Stores[0] == &e.Trace.Stores[0] {
			t.Errorf("%v: the clone is another trace, or the same", op)
		}
	}
}

// TestTraceUndone: what a failing frame stored is not what is loaded later.
func TestTraceUndone(t *testing.T) {
	callee := asm.New().Op(vm.CALLER).Push(0).Op(vm.SSTORE).Push(0).Push(0).Op(vm.REVERT).Bytes()
	caller := asm.New().DelegateCall(nil, evmtest.RandomContracts[1].Bytes(), 0, 0, 0, 0).Op(vm.POP).
		Push(0).Op(vm.SLOAD).Push(1).Op(vm.SSTORE).Bytes()
	e := traced(t, [][]byte{caller, callee}, evmtest.CallWith())
	if got := e.Trace.Stores[1].Value.Sources; got != evm.FromStorage {
		t.Errorf("sources %b", got)
	}
	if c := e.Trace.Calls[0]; c.SuccessUse.Decided() || c.Success {
		t.Errorf("call %+v", c)
	}
}

// TestTraceBranches, with what decided them and where that comes from.
func TestTraceBranches(t *testing.T) {
	p := asm.New().Append(load(0)).Op(vm.TIMESTAMP, vm.LT, vm.ISZERO)
	p.Push(p.Size()+3).Op(vm.JUMPI, vm.JUMPDEST)
	code := p.Append(load(1)).Op(vm.JUMP).Bytes()
	e := traced(t, [][]byte{code}, evmtest.CallWith(words(9, 1000)...))
	b := e.Trace.Branches[0]
	if b.Op != byte(vm.LT) || !b.Negated || !b.Taken || b.LeftTaint.Sources != evm.FromTimestamp || b.RightTaint.Sources != evm.FromCalldata || b.Right.Uint64() != 9 {
		t.Errorf("branch %+v", b)
	}
	if len(e.Trace.Jumps) != 1 || e.Trace.Jumps[0].Conditional || !e.Trace.Jumps[0].Destination.Has(evm.FromCalldata) {
		t.Errorf("jumps %+v", e.Trace.Jumps)
	}
	e = traced(t, [][]byte{append(load(0), byte(vm.SELFDESTRUCT))}, evmtest.CallWith(words(9)...))
	if len(e.Trace.Selfdestructs) != 1 || !e.Trace.Selfdestructs[0].Beneficiary.Has(evm.FromCalldata) {
		t.Errorf("%+v", e.Trace.Selfdestructs)
	}
}

// TestTraceWraps: what counts as wrapped, in code that stores what it computes of its input.
func TestTraceWraps(t *testing.T) {
	const most = -1
	binary := func(op vm.OpCode) *asm.Program { return asm.New().Append(load(1)).Append(load(0)).Op(op) }
	ones := make([]byte, 32)
	for i := range ones {
		ones[i] = 0xff
	}
	minusOne := func(op vm.OpCode) *asm.Program { return asm.New().Append(load(0)).Push(ones).Op(op) }
	narrow := func(op vm.OpCode) *asm.Program { return binary(op).Push(0xff).Op(vm.AND) }
	for name, tc := range map[string]struct {
		code  *asm.Program
		data  []byte
		op    vm.OpCode // 0: nothing wraps
		doubt evm.Doubt
	}{
		"sum":               {binary(vm.ADD), words(1, 2), 0, 0},
		"sum of small":      {binary(vm.ADD), words(most, 2), vm.ADD, evm.MaybeSigned},
		"difference":        {binary(vm.SUB), words(1, 2), vm.SUB, 0},
		"right difference":  {binary(vm.SUB), words(2, 1), 0, 0},
		"product":           {binary(vm.MUL), words(most, most-4), vm.MUL, evm.MaybeSigned},
		"power":             {binary(vm.EXP), words(10, 78), vm.EXP, 0},
		"right power":       {binary(vm.EXP), words(10, 77), 0, 0},
		"minus one":         {minusOne(vm.ADD), words(5), 0, 0},
		"minus one of zero": {minusOne(vm.ADD), words(0), vm.SUB, 0},
		"negation":          {asm.New().Append(load(0)).Push(0).Op(vm.SUB), words(5), 0, 0},
		"masked":            {asm.New().Append(load(0)).Push(0xff).Op(vm.AND), words(500), 0, 0},
		"narrow sum":        {narrow(vm.ADD), words(200, 100), vm.AND, 0},
		"narrow, fits":      {narrow(vm.ADD), words(100, 100), 0, 0},
		"narrow difference": {narrow(vm.SUB), words(1, 2), vm.SUB, 0},
		"signed sum":        {asm.New().Append(load(1)).Push(0).Op(vm.SIGNEXTEND).Append(load(0)).Push(0).Op(vm.SIGNEXTEND, vm.ADD).Push(0).Op(vm.SIGNEXTEND), words(most, 2), 0, 0},
		"signed, narrow":    {asm.New().Append(load(1)).Push(0).Op(vm.SIGNEXTEND).Append(load(0)).Push(0).Op(vm.SIGNEXTEND, vm.ADD).Push(0).Op(vm.SIGNEXTEND), words(100, 100), vm.SIGNEXTEND, 0},
		"used as signed":    {binary(vm.SUB).Op(vm.DUP1).Push(3).Op(vm.SLT, vm.POP), words(1, 2), vm.SUB, evm.UsedSigned},
		"signed quotient":   {asm.New().Push(5).Append(binary(vm.SDIV).Bytes()).Op(vm.SUB), words(1, 2), 0, 0},
		"signed remainder":  {asm.New().Push(5).Append(binary(vm.SMOD).Bytes()).Op(vm.SUB), words(1, 2), 0, 0},
		"signed shift":      {asm.New().Push(5).Append(binary(vm.SAR).Bytes()).Op(vm.SUB), words(1, 2), 0, 0},
		"quotient":          {asm.New().Push(5).Append(binary(vm.DIV).Bytes()).Op(vm.SUB), words(1, 2), vm.SUB, 0},
		"used as unsigned":  {binary(vm.ADD).Append(load(0)).Op(vm.DUP1).Push(3).Op(vm.LT, vm.POP, vm.ADD, vm.POP).Append(load(1)).Op(vm.DUP1).Push(3).Op(vm.LT, vm.POP).Push(7).Op(vm.ADD), words(0, most), vm.ADD, 0},
		"complement":        {asm.New().Append(load(0)).Op(vm.NOT).Push(0xff).Op(vm.AND), words(5), 0, 0},
		"packed":            {asm.New().Append(load(0)).Push(200).Op(vm.SHL), words(most), 0, 0},
		"shifted":           {asm.New().Append(load(0)).Append(load(1)).Op(vm.SHL), words(most, 3), vm.SHL, 0},
		"bit":               {asm.New().Push(1).Append(load(0)).Op(vm.SHL), words(300), 0, 0},
		"hash":              {asm.New().Push(32).Push(0).Op(vm.KECCAK256).Append(load(0)).Op(vm.ADD), words(most), 0, 0},
		"long string":       {asm.New().Push(1).Append(load(0)).Op(vm.ISZERO).Push(256).Op(vm.MUL, vm.SUB), words(5), 0, 0},
		"wide product": {asm.New().Push(ones).Append(load(1)).Append(load(0)).Op(vm.MULMOD, vm.POP).Append(load(1)).Append(load(0)).Op(vm.MUL),
			words(most, most-4), 0, 0},
		"wide, behind": {binary(vm.MUL).Push(ones).Append(load(1)).Append(load(0)).Op(vm.MULMOD, vm.POP), words(most, most-4), vm.MUL, evm.Wide},
	} {
		t.Run(name, func(t *testing.T) {
			e := traced(t, [][]byte{storeTop(tc.code)}, evmtest.CallWith(tc.data...))
			if tc.op == 0 {
				if len(e.Trace.Wraps) > 0 {
					t.Errorf("wraps %+v", e.Trace.Wraps)
				}
				return
			}
			if len(e.Trace.Wraps) != 1 {
				t.Fatalf("wraps %+v", e.Trace.Wraps)
			}
			w := e.Trace.Wrapped(0)
			sink := w.Reaches(evm.SinkStore)
			if vm.OpCode(w.Op) != tc.op || w.Doubt != tc.doubt || w.Checked || sink == nil || sink.Access != 0 || w.Sure() != (tc.doubt == 0) {
				t.Errorf("wrap %+v", w)
			}
		})
	}
}

// compilers are those that answers and arithmetic are tried with.
var compilers = map[string]testsolc.Settings{
	"0.4":                 {Package: "solc-0.4.26"},
	"0.5":                 {Package: "solc-0.5.17"},
	"0.6":                 {Package: "solc-0.6.12", Optimize: true},
	"0.7":                 {Package: "solc-0.7.6", Optimize: true},
	"0.8.17":              {Package: "solc-0.8.17", Optimize: true},
	"newest":              {},
	"newest via IR":       {ViaIR: true},
	"newest, shipped":     {Optimize: true},
	"newest, IR, shipped": {Optimize: true, ViaIR: true},
}

// traceCalls deploys a contract and calls it on a machine that traces.
func traceCalls(t testing.TB, source, name string, settings testsolc.Settings, function string, args ...any) *evm.Execution {
	t.Helper()
	b := deployed(t, source, name, settings)
	m, err := gethvm.New(b.machine.World(), bytecode.NewTable(testsolc.Compile(t, source, settings)), evm.WithTrace)
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.Run(evm.Sequence{b.deploy, b.call(function, args...)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

const answers = `
contract Token {
    function transfer(address, uint256 n) public returns (bool) { return n > 5; }
}
contract Answers {
    Token token = new Token();
    uint256 done;
    function ignored() public { token.transfer(address(this), 1); done = 1; }
    function required() public { require(token.transfer(address(this), 9)); done = 1; }
    function stored() public { done = token.transfer(address(this), 1) ? 1 : 2; }
    function returned() public returns (bool) { return token.transfer(address(this), 1); }
}`

// TestTraceAnswers: an answer that nothing looks at is told from one that is, whatever the
// compiler does to decode it.
func TestTraceAnswers(t *testing.T) {
	for name, settings := range compilers {
		for function, want := range map[string]evm.UseKind{
			"ignored": evm.Unused, "required": evm.UseBranch, "stored": evm.UseBranch, "returned": evm.UseReturn,
		} {
			e := traceCalls(t, answers, "Answers", settings, function)
			var of []evm.TracedCall
			for _, c := range e.Trace.Calls {
				if e.Frames[c.Frame].Call == 1 {
					of = append(of, c)
				}
			}
			if len(of) != 1 {
				t.Fatalf("%s, %s: %+v", name, function, of)
			}
			if c := of[0]; c.SuccessUse.Kind != evm.UseBranch || c.AnswerUse.Kind != want || !c.Address.Has(evm.FromStorage) || c.Output != 32 {
				t.Errorf("%s, %s: %+v", name, function, c)
			}
		}
	}
}

const sums = `
contract Sums {
    mapping(address => uint256) balances;
    uint8 a = 200; uint8 b = 100; uint64 c; uint128 d = 7;
    int256 signed = -5;
    string text = "a text that is longer than thirty-one bytes is";
    uint256[] list;
    event Said(string);
    function debit() public { UNSAFE { balances[msg.sender] -= 1; } }
    function narrow() public { UNSAFE { a = a + b; } }
    function multiplied(uint256 x) public { UNSAFE { balances[msg.sender] = x * 4; } }
    function safe(uint256 x) public { UNSAFE { uint256 y = x + 10; require(y >= x); balances[msg.sender] = y; } }
    function plain(uint64 x) public {
        signed = signed + 3; signed = signed - 1;
        c = x; d = d + 1; a = a - 1; b = b + 1;
        list.push(x); list.push(3); list[1] = x;
        text = "another text that is longer than thirty-one bytes is";
        emit Said(text);
        for (uint256 i = list.length; i > 0; i--) { d += uint128(list[i - 1]); }
        balances[msg.sender] += x;
    }
    function wide(uint256 x, uint256 y, uint256 z) public returns (uint256 r) { // Remco Bloemen's mulDiv
        assembly {
            let mm := mulmod(x, y, not(0))
            let low := mul(x, y)
            let high := sub(sub(mm, low), lt(mm, low))
            let rest := mulmod(x, y, z)
            high := sub(high, gt(rest, low))
            low := sub(low, rest)
            let twos := and(z, sub(0, z))
            z := div(z, twos)
            low := div(low, twos)
            twos := add(div(sub(0, twos), twos), 1)
            low := or(low, mul(high, twos))
            let inv := xor(mul(3, z), 2)
            inv := mul(inv, sub(2, mul(z, inv)))
            inv := mul(inv, sub(2, mul(z, inv)))
            inv := mul(inv, sub(2, mul(z, inv)))
            inv := mul(inv, sub(2, mul(z, inv)))
            inv := mul(inv, sub(2, mul(z, inv)))
            inv := mul(inv, sub(2, mul(z, inv)))
            r := mul(low, inv)
        }
        balances[msg.sender] = r;
    }
    function panics(uint256 x) public { balances[msg.sender] = x + 10; }
    function packed(bytes memory x, string memory y) public { text = y; emit Said(string(x)); text = "short"; text = string(abi.encodePacked(x, y)); }
}`

// TestTraceSums: what overflows is seen, and nothing in what compilers write is.
func TestTraceSums(t *testing.T) {
	huge := new(big.Int).Lsh(big.NewInt(1), 254)
	for name, settings := range compilers {
		checks := settings.Package == "" || settings.Package == "solc-0.8.17"
		source := strings.ReplaceAll(sums, "UNSAFE", "")
		if checks {
			source = strings.ReplaceAll(sums, "UNSAFE", "unchecked")
		}
		for _, tc := range []struct {
			function string
			args     []any
			op       vm.OpCode // 0: nothing
			checked  bool
		}{
			{"debit", nil, vm.SUB, false},
			{"narrow", nil, vm.AND, false},
			{"multiplied", []any{huge}, vm.MUL, false},
			{"multiplied", []any{common.Big3}, 0, false},
			{"safe", []any{allOnes}, vm.ADD, true},
			{"safe", []any{common.Big3}, 0, false},
			{"plain", []any{uint64(77)}, 0, false},
			{"wide", []any{huge, huge, new(big.Int).Add(huge, common.Big3)}, 0, false},
			{"packed", []any{make([]byte, 33), "a text that is longer than thirty-one bytes is"}, 0, false},
		} {
			e := traceCalls(t, source, "Sums", settings, tc.function, tc.args...)
			title := fmt.Sprintf("%s, %s%v", name, tc.function, tc.args)
			var of []evm.Wrap
			for _, w := range e.Trace.Wraps {
				if w.Doubt == evm.NoDoubt {
					of = append(of, w)
				}
			}
			if tc.op == 0 {
				if len(of) > 0 {
					t.Errorf("%s: %+v", title, of)
				}
				continue
			}
			if len(of) == 1 && tc.op == vm.MUL && of[0].Op == byte(vm.SHL) {
				of[0].Op = byte(vm.MUL) // by four, as optimizers write it
			}
			if len(of) != 1 || vm.OpCode(of[0].Op) != tc.op || of[0].Checked != tc.checked {
				t.Errorf("%s: outcome %v, %+v", title, e.Calls[1].Outcome, of)
				continue
			}
			if sink := of[0].Reaches(evm.SinkStore); (sink == nil) != tc.checked {
				t.Errorf("%s: sinks %+v", title, of[0].Sinks)
			}
		}
	}
}

// TestTracePanic: what checked arithmetic finds itself is checked.
func TestTracePanic(t *testing.T) {
	for name, settings := range compilers {
		if settings.Package != "" && settings.Package != "solc-0.8.17" {
			continue
		}
		e := traceCalls(t, strings.ReplaceAll(sums, "UNSAFE", "unchecked"), "Sums", settings, "panics", allOnes)
		if e.Calls[1].Outcome != evm.Reverted {
			t.Fatalf("%s: %v", name, e.Calls[1].Outcome)
		}
		for _, w := range e.Trace.Wraps {
			if w.Sure() {
				t.Errorf("%s: %+v", name, w)
			}
		}
	}
}

// TestTraceBounds: code that does nothing but what is recorded fills no list beyond its
// bound, and what was lost sight of is said.
func TestTraceBounds(t *testing.T) {
	for name, code := range map[string][]byte{
		"calls": evmtest.Loop(func(p *asm.Program) {
			p.Op(vm.CALLER).Push(500_000).Op(vm.MSTORE)
			p.StaticCall(nil, evmtest.Nobody.Bytes(), 0, 500_000, 0, 0).Op(vm.POP)
		}),
		"branches": evmtest.Loop(func(p *asm.Program) { p.Push(0).Push(0).Op(vm.JUMPI) }),
		"sums": evmtest.Loop(func(p *asm.Program) {
			p.Op(vm.CALLER, vm.CALLVALUE, vm.SUB).Push(0).Op(vm.MLOAD, vm.OR).Push(0).Op(vm.MSTORE)
		}),
		"answers": evmtest.Loop(func(p *asm.Program) {
			p.StaticCall(uint256.NewInt(0), evmtest.Nobody.Bytes(), 0, 0, 0, 0).Push(0).Op(vm.MLOAD, vm.OR).Push(0).Op(vm.MSTORE)
		}),
	} {
		e := traced(t, [][]byte{code}, evmtest.CallWith())
		trace := e.Trace
		if !trace.Truncated || max(len(trace.Calls), len(trace.Branches), len(trace.Wraps)) != evm.MaxTraced {
			t.Errorf("%s: %d calls, %d branches, %d wraps", name, len(trace.Calls), len(trace.Branches), len(trace.Wraps))
		}
		if name == "answers" && trace.Calls[100].SuccessUse.Kind != evm.UseNotKnown {
			t.Errorf("%+v", trace.Calls[100])
		}
	}
}
