package main

import (
	"context"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// forms has the statements that marks are planted before and into.
const forms = `pragma solidity >=0.8.0;
interface I { function other() external returns (uint256); }
library L { function twice(uint256 x) internal pure returns (uint256) { return 2 * x; } }
function free(uint256 x) pure returns (uint256) { return x + 1; }
abstract contract A {
    uint256 public y = 3;
    constructor(uint256 x) { y = x; }
    modifier only(uint256 x) { require(x < 100); _; }
    function todo() internal virtual;
}
contract C is A(7) {
    function todo() internal override {}
    /// @param x some number
    function f(uint256 x) external payable only(x) returns (uint256 z) {
        if (x > 5) y = 1; else if (x == 5) y = 2;
        else { y = 4; }
        for (uint256 i = 0; i < x; i++) z += i;
        while (z > 10 && z < 1000 || z == 5) { unchecked { z -= 10; } }
        do z++; while (z < 3);
        try I(address(this)).other() returns (uint256 o) { z = o; } catch Error(string memory) { z = 7; } catch { z = x > 1 ? 8 : 9; }
        assembly { if gt(x, 3) { z := add(z, 1) } function g(a) -> b { b := a } z := g(z) }
        { z = L.twice(free(z)); }
        todo();
    }
    receive() external payable { if (msg.value == 1) revert("one"); }
}
`

const source = "src/Forms.sol"

// stage makes the deployments of the forms, as they are and with marks.
func stage(t *testing.T) (*planting, *deployment, *deployment) {
	t.Helper()
	const solc = "0.8.30"
	p := &project{name: "forms", deploy: []string{"C"}}
	o := testbuild.Compile(t, solc, map[string]string{source: forms}).Output
	var changes []unified.ChangedLine
	at := 0
	for i, text := range strings.SplitAfter(forms, "\n") {
		changes = append(changes, unified.ChangedLine{Path: source, Line: i + 1, Spans: []unified.Span{{Start: at, End: at + len(text)}}})
		at += len(text)
	}
	s, err := newDeployment(context.Background(), p, kinds[0], o, changes)
	if err != nil {
		t.Fatal(err)
	}
	planting := plant(o)
	unmapped := kind{name: "planted"}
	planted, err := newDeployment(context.Background(), p, unmapped, testbuild.Compile(t, solc, planting.sources).Output, nil)
	if err != nil {
		t.Fatal(err)
	}
	return planting, s, planted
}

// call is a call of the deployed contract's f.
func call(t *testing.T, s *deployment, x int64) evm.Sequence {
	t.Helper()
	in := s.World.Instances[0]
	data, err := in.Contract.ABI.Pack("f", big.NewInt(x))
	if err != nil {
		t.Fatal(err)
	}
	return evm.Sequence{{From: s.World.Senders[0].Address, To: in.Address, Data: data}}
}

func TestEveryMarkIsInTheCode(t *testing.T) {
	planting, _, planted := stage(t)
	marks := map[uint32]bool{}
	for _, mark := range planted.marks {
		marks[mark] = true
	}
	if planting.marks == 0 {
		t.Fatal("no mark was planted")
	}
	for mark := uint32(1); mark <= planting.marks; mark++ {
		if !marks[mark] {
			t.Errorf("mark %d of %d is not in the code", mark, planting.marks)
		}
	}
	if len(marks) != int(planting.marks) {
		t.Errorf("%d marks in the code, %d planted", len(marks), planting.marks)
	}
}

func TestMarksTellWhatRan(t *testing.T) {
	planting, s, planted := stage(t)
	never := func(int) bool { return false }
	sequences := []evm.Sequence{call(t, s, 200), call(t, s, 2), call(t, s, 5), call(t, s, 20)}
	want, err := s.run(sequences)
	if err != nil {
		t.Fatal(err)
	}
	got, err := planted.run(sequences)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if c, d := &want[i].calls[0], &got[i].calls[0]; !c.equal(d) || string(want[i].state) != string(got[i].state) {
			t.Errorf("call %d: %s, with marks %s", i, c, d)
		}
	}
	if v := planting.judge(s, planted, never); v.judged < 15 || len(v.falsely) > 0 || len(v.missed) > 0 {
		t.Errorf("%d lines judged, want at least 15; falsely reached %v; missed %v", v.judged, v.falsely, v.missed)
	}

	// A map that takes the line of "else" for its function's header is found out.
	lineOf := func(text string) int { return strings.Count(forms[:strings.Index(forms, text)], "\n") + 1 }
	targets := s.mapping.Targets
	header := slices.IndexFunc(targets, func(t bytecode.Target) bool { return t.Position.Line == lineOf("function f(") })
	tampered := slices.IndexFunc(targets, func(t bytecode.Target) bool { return t.Position.Line == lineOf("else { y = 4; }") })
	entries := targets[tampered].Entries
	targets[tampered].Entries = targets[header].Entries
	if v := planting.judge(s, planted, never); len(v.falsely) != 1 || v.falsely[0].Position.Line != targets[tampered].Position.Line {
		t.Errorf("falsely reached %v, want the line with else", v.falsely)
	}
	// One that does not see it at all, too.
	targets[tampered].Entries = entries[:0]
	if v := planting.judge(s, planted, never); len(v.missed) != 1 || len(v.falsely) != 0 {
		t.Errorf("missed %v, falsely reached %v, want the line with else to be missed", v.missed, v.falsely)
	}
}

func TestReadLCOV(t *testing.T) {
	lines, err := readLCOV([]byte("TN:\nSF:src/A.sol\nDA:4,1\nFN:4,A.f\nFNDA:1,A.f\nDA:5,0\nBRDA:5,0,0,1\nend_of_record\nSF:src/B.sol\nDA:4,7\nend_of_record\n"))
	if err != nil || !maps.Equal(lines["src/A.sol"], map[int]int{4: 1, 5: 0}) || !maps.Equal(lines["src/B.sol"], map[int]int{4: 7}) {
		t.Errorf("got %v, %v", lines, err)
	}
	for _, text := range []string{"", "DA:1,2", "SF:a\nDA:1", "SF:a\nDA:x,1", "SF:a\nDA:1,x"} {
		if lines, err := readLCOV([]byte(text)); err == nil {
			t.Errorf("%q: got %v, want an error", text, lines)
		}
	}
}

func TestComparableEndsWhereCodeDecidesAnAddress(t *testing.T) {
	a, b := common.HexToAddress("0xa"), common.HexToAddress("0xb")
	made := func(created ...common.Address) callOutcome { return callOutcome{created: created} }
	x := []callOutcome{made(), made(a), made(b), made()}
	for _, test := range []struct {
		other []callOutcome
		want  int
	}{
		{x, 4},
		{[]callOutcome{made(), made(a), made(a), made()}, 2},
		{[]callOutcome{made(a), made(a), made(b), made()}, 0},
	} {
		if got := comparable(x, test.other); got != test.want {
			t.Errorf("%v: %d calls can be compared, want %d", test.other, got, test.want)
		}
	}
}
