package oracle

import (
	"bytes"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// testABI is that of a test contract, with the events by which forge-std and ds-test say what is wrong.
const testABI = `[
	{"type":"function","name":"testFuzz_x","inputs":[{"type":"uint256"}]},
	{"type":"function","name":"test_plain","inputs":[]},
	{"type":"function","name":"testFail_x","inputs":[{"type":"uint256"}]},
	{"type":"function","name":"invariant_x","inputs":[{"type":"uint256"}]},
	{"type":"function","name":"IS_TEST","inputs":[],"outputs":[{"type":"bool"}],"stateMutability":"view"},
	{"type":"event","name":"log","inputs":[{"type":"string"}]},
	{"type":"event","name":"log_named_uint","inputs":[{"type":"string"},{"type":"uint256"}]},
	{"type":"event","name":"log_named_string","inputs":[{"type":"string"},{"type":"string"}]},
	{"type":"event","name":"noted","inputs":[{"type":"string"},{"type":"string"}]}]`

// cheat is calldata of a cheatcode without arguments.
func cheat(signature string) []byte { return crypto.Keccak256([]byte(signature))[:4] }

// note is the call with which ds-test notes that a test failed.
func note(value byte) []byte {
	return slices.Concat(storeSelector, failedWord, common.LeftPadBytes([]byte{value}, wordBytes))
}

// saidBy is the revert of a vm.assert….
func saidBy(t *testing.T, text string) []byte {
	t.Helper()
	_, p := contractOfCode(t, `[{"type":"function","name":"CheatcodeError","inputs":[{"type":"string"}]}]`, []byte{0})
	data, err := p.Contract.ABI.Pack("CheatcodeError", text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFailsAssertion: which failures of an invariants' handler forge takes for failed assertions.
func TestFailsAssertion(t *testing.T) {
	_, p := contractOfCode(t, testABI, code(vm.ADD, vm.INVALID, vm.JUMPDEST, vm.DIV, vm.INVALID, vm.STOP))
	failed, own := saidBy(t, "assertion failed: 1 != 2"), saidBy(t, "of its own")
	handler := func(outcome evm.Outcome, pc uint32, output []byte) evm.Frame {
		return evm.Frame{Parent: -1, Program: p, Outcome: outcome, LastPC: pc, Output: output}
	}
	cheats := func(input, output []byte, outcome evm.Outcome) evm.Frame {
		return evm.Frame{Parent: 0, Depth: 1, CodeAddress: cheatcode.Address, Input: input, Output: output, Outcome: outcome}
	}
	for name, c := range map[string]struct {
		frames    []evm.Frame
		truncated bool
		want      bool
	}{
		"it succeeds":                      {frames: []evm.Frame{handler(evm.Success, 0, nil)}},
		"an assert":                        {frames: []evm.Frame{handler(evm.Reverted, 0, panicAssert)}, want: true},
		"an assert, not all is known":      {frames: []evm.Frame{handler(evm.Reverted, 0, panicAssert)}, truncated: true},
		"an overflow":                      {frames: []evm.Frame{handler(evm.Reverted, 0, panicData(0x11))}},
		"an assert of a callee's":          {frames: []evm.Frame{handler(evm.Reverted, 0, panicAssert), {Parent: 0, Depth: 1, Outcome: evm.Reverted, Output: panicAssert}}},
		"INVALID":                          {frames: []evm.Frame{handler(evm.InvalidOpcode, 4, nil)}, want: true},
		"INVALID of a check":               {frames: []evm.Frame{handler(evm.InvalidOpcode, 1, nil)}},
		"an opcode of no fork":             {frames: []evm.Frame{handler(evm.InvalidOpcode, 0, nil)}},
		"INVALID of unknown code":          {frames: []evm.Frame{{Parent: -1, Outcome: evm.InvalidOpcode}}},
		"vm.assertEq":                      {frames: []evm.Frame{handler(evm.Reverted, 0, failed), cheats(cheat("assertEq(uint256,uint256)"), failed, evm.Reverted)}, want: true},
		"vm.assertEq with a text":          {frames: []evm.Frame{handler(evm.Reverted, 0, own), cheats(cheat("assertEq(uint256,uint256)"), own, evm.Reverted)}},
		"vm.assertEq, and another revert":  {frames: []evm.Frame{handler(evm.Reverted, 0, []byte("no")), cheats(cheat("assertEq(uint256,uint256)"), failed, evm.Reverted)}},
		"the text of no cheatcode":         {frames: []evm.Frame{handler(evm.Reverted, 0, failed), {Parent: 0, Depth: 1, CodeAddress: vault, Outcome: evm.Reverted, Output: failed}}},
		"the text, which no one said":      {frames: []evm.Frame{handler(evm.Reverted, 0, failed)}},
		"the text of one that succeeded":   {frames: []evm.Frame{handler(evm.Reverted, 0, failed), cheats(cheat("assertEq(uint256,uint256)"), failed, evm.Success)}},
		"a failure is noted":               {frames: []evm.Frame{handler(evm.Success, 0, nil), cheats(note(1), nil, evm.Success)}, want: true},
		"that there is none is noted":      {frames: []evm.Frame{handler(evm.Success, 0, nil), cheats(note(0), nil, evm.Success)}},
		"a note that is undone":            {frames: []evm.Frame{handler(evm.Success, 0, nil), {Parent: 0, Depth: 1, Outcome: evm.Reverted}, {Parent: 1, Depth: 2, CodeAddress: cheatcode.Address, Input: note(1)}}},
		"another word is stored":           {frames: []evm.Frame{handler(evm.Success, 0, nil), cheats(slices.Concat(storeSelector, failedWord[:wordBytes], make([]byte, wordBytes), note(1)[4+2*wordBytes:]), nil, evm.Success)}},
		"another account stores it":        {frames: []evm.Frame{handler(evm.Success, 0, nil), {Parent: 0, Depth: 1, CodeAddress: vault, Input: note(1)}}},
		"a note that is cut":               {frames: []evm.Frame{handler(evm.Success, 0, nil), cheats(note(1)[:4+2*wordBytes+1], nil, evm.Success)}},
		"an assert, with a strange cheat":  {frames: []evm.Frame{handler(evm.Reverted, 0, panicAssert), cheats([]byte{1, 2, 3, 4}, nil, evm.Success)}},
		"an assert, with a known cheat":    {frames: []evm.Frame{handler(evm.Reverted, 0, panicAssert), cheats(cheat("warp(uint256)"), nil, evm.Success)}, want: true},
		"an assert, with a failing cheat":  {frames: []evm.Frame{handler(evm.Reverted, 0, panicAssert), cheats(cheat("warp(uint256)"), nil, evm.Reverted)}},
		"an assert, and a lack of gas":     {frames: []evm.Frame{handler(evm.Reverted, 0, panicAssert), {Parent: 0, Depth: 1, Outcome: evm.OutOfGas}}},
		"an assert, and ether of no one's": {frames: []evm.Frame{handler(evm.Reverted, 0, panicAssert), {Parent: 0, Depth: 1, Caller: params.SystemAddress, Value: number(1)}}},
		"an assert, and a call of no one":  {frames: []evm.Frame{handler(evm.Reverted, 0, panicAssert), {Parent: 0, Depth: 1, Caller: params.SystemAddress}}, want: true},
		"an expected revert":               {frames: []evm.Frame{handler(evm.Reverted, 0, panicAssert), cheats(cheat("expectRevert()"), nil, evm.Success)}},
		"an expected revert, and a call":   {frames: []evm.Frame{handler(evm.Reverted, 0, panicAssert), cheats(cheat("expectRevert()"), nil, evm.Success), {Parent: 0, Depth: 1, CodeAddress: vault}}, want: true},
		"an expected revert, and a log":    {frames: []evm.Frame{handler(evm.Reverted, 0, panicAssert), cheats(cheat("expectRevert()"), nil, evm.Success), {Parent: 0, Depth: 1, CodeAddress: cheatcode.Console}}},
		"an expected revert of a callee":   {frames: []evm.Frame{handler(evm.Reverted, 0, panicAssert), {Parent: 0, Depth: 1}, {Parent: 1, Depth: 2, CodeAddress: cheatcode.Address, Input: cheat("expectRevert()")}}, want: true},
	} {
		exec := &evm.Execution{
			Frames:    append([]evm.Frame{{Parent: -1, Outcome: evm.OutOfGas}}, shifted(c.frames)...),
			Calls:     []evm.CallResult{{Frames: [2]int{0, 1}, Outcome: evm.OutOfGas}, {Frames: [2]int{1, 1 + len(c.frames)}, Outcome: c.frames[0].Outcome, Output: c.frames[0].Output}},
			Truncated: c.truncated,
		}
		if got := FailsAssertion(exec, 1); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// shifted are the frames of a second call, behind one of the first.
func shifted(frames []evm.Frame) []evm.Frame {
	all := slices.Clone(frames)
	for i := range all {
		all[i].Call = 1
		if all[i].Parent >= 0 {
			all[i].Parent++
		}
	}
	return all
}

// TestWhichTestRan: a fuzz test is a function test… with parameters of a test contract, which nothing but deployments runs before.
func TestWhichTestRan(t *testing.T) {
	_, tests := contractOfCode(t, testABI, []byte{0})
	_, other := contractOfCode(t, `[{"type":"function","name":"testFuzz_x","inputs":[{"type":"uint256"}]}]`, []byte{0})
	_, inherits := contractOfCode(t, `[{"type":"function","name":"testFuzz_x","inputs":[{"type":"uint256"}]}]`, []byte{0})
	inherits.Contract.Implements = []string{"T", "Test"}
	call := func(p *bytecode.Program, name string, args ...any) evm.Frame {
		data, err := p.Contract.ABI.Pack(name, args...)
		if err != nil {
			t.Fatal(err)
		}
		return evm.Frame{Parent: -1, Program: p, Input: data}
	}
	one := big.NewInt(1)
	creation := evm.Frame{Parent: -1, Program: &bytecode.Program{Code: &bytecode.Code{Kind: bytecode.Creation}}}
	for name, c := range map[string]struct {
		frames []evm.Frame
		want   string
	}{
		"a fuzz test":        {[]evm.Frame{call(tests, "testFuzz_x", one)}, "testFuzz_x"},
		"of a child":         {[]evm.Frame{call(inherits, "testFuzz_x", one)}, "testFuzz_x"},
		"behind a creation":  {[]evm.Frame{creation, call(tests, "testFuzz_x", one)}, "testFuzz_x"},
		"behind a call":      {[]evm.Frame{call(tests, "test_plain"), call(tests, "testFuzz_x", one)}, ""},
		"behind a transfer":  {[]evm.Frame{{Parent: -1}, call(tests, "testFuzz_x", one)}, ""},
		"without parameters": {[]evm.Frame{call(tests, "test_plain")}, ""},
		"that has to fail":   {[]evm.Frame{call(tests, "testFail_x", one)}, ""},
		"no test":            {[]evm.Frame{call(tests, "invariant_x", one)}, ""},
		"no test contract":   {[]evm.Frame{call(other, "testFuzz_x", one)}, ""},
		"of unknown code":    {[]evm.Frame{{Parent: -1, Input: []byte{1, 2, 3, 4}}}, ""},
		"without arguments":  {[]evm.Frame{{Parent: -1, Program: tests, Input: call(tests, "testFuzz_x", one).Input[:4]}}, "testFuzz_x"},
		"without a selector": {[]evm.Frame{{Parent: -1, Program: tests, Input: []byte{1}}}, ""},
		"no function":        {[]evm.Frame{{Parent: -1, Program: tests, Input: []byte{1, 2, 3, 4}}}, ""},
	} {
		exec := &evm.Execution{Frames: c.frames}
		for i := range c.frames {
			exec.Calls = append(exec.Calls, evm.CallResult{Frames: [2]int{i, i + 1}})
		}
		got := ""
		if m := testOf(exec); m != nil {
			got = m.RawName
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestDescribeTestFailure: where a test failed, and what it says of that, by a revert or by events of ds-test.
func TestDescribeTestFailure(t *testing.T) {
	_, p := contractOfCode(t, testABI, []byte{0})
	input, err := p.Contract.ABI.Pack("testFuzz_x", big.NewInt(1))
	if err != nil {
		t.Fatal(err)
	}
	event := func(name string, values ...any) evm.Log {
		e := p.Contract.ABI.Events[name]
		data, err := e.Inputs.Pack(values...)
		if err != nil {
			t.Fatal(err)
		}
		return evm.Log{Topics: []common.Hash{e.ID}, Data: data}
	}
	says := func(logs ...evm.Log) []evm.Log { return logs }
	sides := func(left, right string) []evm.Log {
		return says(event("log_named_uint", left, big.NewInt(4)), event("log_named_uint", right, big.NewInt(9)))
	}
	for name, c := range map[string]struct {
		logs []evm.Log
		want string
	}{
		"nothing":                  {nil, "an assertion does not hold"},
		"a message":                {says(event("log", "Error: a == b not satisfied [uint]")), "a == b not satisfied [uint]"},
		"something else":           {says(event("log", "hello")), "an assertion does not hold"},
		"of the test":              {says(event("log_named_string", "Error", "of mine")), "of mine"},
		"sides":                    {sides("      Left", "     Right"), "4 != 9"},
		"what it was":              {sides("    Actual", "  Expected"), "4 != 9"},
		"values":                   {sides("  Value a", "  Value b"), "4 != 9"},
		"one side":                 {says(event("log_named_uint", "Left", big.NewInt(4))), "an assertion does not hold"},
		"of other pairs":           {sides("Left", "Expected"), "an assertion does not hold"},
		"it should have been less": {append(says(event("log", "Error: a < b not satisfied [uint]")), sides("Value a", "Value b")...), "4 >= 9"},
		"or other":                 {append(says(event("log", "Error: a != b not satisfied [uint]")), sides("Left", "Right")...), "4 == 9"},
		"of one word":              {append(says(event("log", "Error: a")), sides("Left", "Right")...), "4 != 9"},
		"about something else":     {append(says(event("log", "Error: b < c")), sides("Left", "Right")...), "4 != 9"},
		"the first side counts":    {append(sides("Left", "Right"), event("log_named_uint", "Left", big.NewInt(5))), "4 != 9"},
		"of no log":                {says(event("noted", "Error", "of mine")), "an assertion does not hold"},
		"an unknown event":         {says(evm.Log{Topics: []common.Hash{{1}}}), "an assertion does not hold"},
		"an event without a topic": {says(evm.Log{}), "an assertion does not hold"},
		"data that is cut":         {says(evm.Log{Topics: event("log", "").Topics, Data: []byte{1}}), "an assertion does not hold"},
	} {
		exec := &evm.Execution{
			Frames: []evm.Frame{
				{Parent: -1, Program: p, Input: input, Path: bytecode.Path{3, 4, 5}, Logs: c.logs},
				{Parent: 0, CallAt: 1, CallPC: 77},
				{Parent: 1, CodeAddress: cheatcode.Address, Input: note(1), Logs: says(event("log", "Error: too late"))},
			},
			Calls: []evm.CallResult{{Frames: [2]int{0, 3}}},
		}
		got := DescribeTestFailure(exec)
		if got == nil || got.Text != c.want || got.Name != "testFuzz_x" || got.Frame != &exec.Frames[0] || !slices.Equal(got.Path, bytecode.Path{3, 4}) || got.PC != 77 {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
		exec.Frames[1].CallAt = 3
		if got := DescribeTestFailure(exec); got == nil || got.Path != nil || got.Text != c.want {
			t.Errorf("%s, where its path is not known: %+v", name, got)
		}
		exec.Frames[2].Input = note(0)
		if got := DescribeTestFailure(exec); got != nil {
			t.Errorf("%s, and no failure noted: %+v", name, got)
		}
	}

	reverts := evm.Frame{Parent: -1, Program: p, Input: input, Outcome: evm.OutOfGas, LastPC: 9, Path: bytecode.Path{3, 4}, Tail: bytecode.Path{7}}
	exec := &evm.Execution{Frames: []evm.Frame{reverts}, Calls: []evm.CallResult{{Frames: [2]int{0, 1}, Outcome: evm.OutOfGas}}}
	if got := DescribeTestFailure(exec); got == nil || got.Text != evm.OutOfGas.String() || !slices.Equal(got.Path, bytecode.Path{3, 4}) || got.PC != 9 {
		t.Errorf("a test without gas: %+v", got)
	}
	exec.Frames[0].PathTruncated = true
	if got := DescribeTestFailure(exec); got == nil || !slices.Equal(got.Path, bytecode.Path{7}) {
		t.Errorf("a test of a long path: %+v", got)
	}
	exec.Frames[0].Input = nil
	if got := DescribeTestFailure(exec); got != nil {
		t.Errorf("no test: %+v", got)
	}
}

// TestRejected: a test that says that its arguments are not what it is about has not failed.
func TestRejected(t *testing.T) {
	for name, c := range map[string]struct {
		outcome evm.Outcome
		output  []byte
		want    bool
	}{
		"vm.assume":      {evm.Reverted, cheatcode.Assume, true},
		"and more":       {evm.Reverted, append(bytes.Clone(cheatcode.Assume), 1), false},
		"vm.skip":        {evm.Reverted, append(bytes.Clone(cheatcode.Skip), []byte("why")...), true},
		"another reason": {evm.Reverted, []byte("no"), false},
		"no revert":      {evm.Success, cheatcode.Assume, false},
	} {
		if got := rejected(&evm.Execution{Calls: []evm.CallResult{{}, {Outcome: c.outcome, Output: c.output}}}); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
