package diffmap

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testdiff"
)

// indirectCases are changes with what they change elsewhere: "function: reason"
// of each indirect target, sorted.
var indirectCases = []struct {
	name, base, head string
	since, before    string // compiler versions, "" for all
	want             []string
}{
	{name: "the type of a struct's field", base: `
contract C {
    struct P {
        uint256 a;
        uint128 b;
    }
    P p;
    function get() public view returns (uint256) { return p.b; }
    function set(uint8 x) public { p.b = x; }
    function whole() public view returns (uint256) { return p.a; }
}`, head: `
contract C {
    struct P {
        uint256 a;
        uint64 b;
    }
    P p;
    function get() public view returns (uint256) { return p.b; }
    function set(uint8 x) public { p.b = x; }
    function whole() public view returns (uint256) { return p.a; }
}`, want: []string{"get: uses the changed field b of struct P at FILE:5", "set: uses the changed field b of struct P at FILE:5"}},
	{name: "a base list", base: `
contract A { uint256 a; function one() public { a = 1; } }
contract B { uint256 b; function two() public { b = 2; } }
contract D is A {
    function three() public pure returns (uint256) { return 3; }
}`, head: `
contract A { uint256 a; function one() public { a = 1; } }
contract B { uint256 b; function two() public { b = 2; } }
contract D is A, B {
    function three() public pure returns (uint256) { return 3; }
}`, want: []string{"two: new in D with the changed base list at FILE:4"}},
	{name: "a state variable in front of others", base: `
contract C {
    uint256 x;
    function f() public { x = 1; }
    function g() public pure returns (uint256) { return 1; }
}`, head: `
contract C {
    uint256 w;
    uint256 x;
    function f() public { x = 1; }
    function g() public pure returns (uint256) { return 1; }
}`, want: []string{"f: its code differs with the changed variable w at FILE:3"}},
	{name: "removed state variables that were declared before others", base: `
contract C {
    uint256 v;
    uint256 w;
    uint256 x;
    uint256 y;
    uint256 z;
    function f() public { x = 1; z = 2; }
    function g() public pure returns (uint256) { return 1; }
}`, head: `
contract C {
    uint256 x;
    uint256 z;
    function f() public { x = 1; z = 2; }
    function g() public pure returns (uint256) { return 1; }
}`, want: []string{"f: its code differs, and what was declared before FILE:3, FILE:4 is gone"}},
	{name: "a value of an enum in front of others", base: `
contract C {
    enum State { Idle, Done }
    State s;
    function f() public { s = State.Done; }
    function g() public pure returns (uint256) { return 1; }
}`, head: `
contract C {
    enum State { Idle, Busy, Done }
    State s;
    function f() public { s = State.Done; }
    function g() public pure returns (uint256) { return 1; }
}`, want: []string{"f: uses the changed enum value Done at FILE:3"}},
	{name: "code that only moves", base: `
contract C {
    uint256 x;
    function f() public { x = 1; }
    function g() public { if (x > 3) { h(); } x = x + 2; }
    function h() internal { x = x * 5; }
    function k() public returns (uint256) { g(); h(); return x; }
}`, head: `
contract C {
    uint256 x;
    function f() public { x = 1; x = x + 7; require(x > 2); }
    function g() public { if (x > 3) { h(); } x = x + 2; }
    function h() internal { x = x * 5; }
    function k() public returns (uint256) { g(); h(); return x; }
}`},
	{name: "a child contract of another size", base: `
contract Child { uint256 x; function f() public { x = 1; } }
contract Maker { address last; function make() public { last = address(new Child()); } }`, head: `
contract Child { uint256 x; function f() public { x = 1; x = x + 2; } }
contract Maker { address last; function make() public { last = address(new Child()); } }`},
	{name: "a constant, whose line is a target", base: `
contract C {
    uint256 constant LIMIT = 1000;
    uint256 x;
    function f() public { require(x < LIMIT); x = LIMIT; }
}`, head: `
contract C {
    uint256 constant LIMIT = 2000;
    uint256 x;
    function f() public { require(x < LIMIT); x = LIMIT; }
}`},
	{name: "the parameter of a function that another calls", base: `
contract C {
    uint256 x;
    function h(uint8 y) internal { x = y; }
    function f(uint16 z) public { h(uint8(z)); }
    function g() public { x = 2; }
}`, head: `
contract C {
    uint256 x;
    function h(uint16 y) internal { x = y; }
    function f(uint16 z) public { h(uint8(z)); }
    function g() public { x = 2; }
}`, want: []string{"f: its code differs from the base version's"}},
	{name: "a function that overrides another", base: `
contract A {
    uint256 x;
    function hook() internal { x = x + 1; }
    function move() public { hook(); }
}
contract B is A {
    function other() public pure returns (uint256) { return 1; }
}`, head: `
contract A {
    uint256 x;
    function hook() internal { x = x + 1; }
    function move() public { hook(); }
}
contract B is A {
    function hook() internal { x = 5; }
    function other() public pure returns (uint256) { return 1; }
}`, before: "0.6", want: []string{"move: calls B.hook where the base version does not"}},
	{name: "the type behind a name", since: "0.8", base: `
type Amount is uint128;
contract C {
    mapping(address => Amount) a;
    function f() public view returns (Amount) { return a[msg.sender]; }
    function g() public pure returns (uint256) { return 1; }
}`, head: `
type Amount is uint96;
contract C {
    mapping(address => Amount) a;
    function f() public view returns (Amount) { return a[msg.sender]; }
    function g() public pure returns (uint256) { return 1; }
}`, want: []string{"f: uses the changed type Amount at FILE:2"}},
	{name: "a payable function beside others", base: `
contract C {
    uint256 public x;
    uint256[] public list;
    function f() public { x = 1; }
    function g(uint256 a) public view returns (uint256) { return x + a; }
    function p() public payable { x = 2; }
}
contract D {
    uint256 public x;
    uint256[] public list;
    constructor() public { x = 5; }
    function f() public { x = 1; }
    function g(uint256 a) public view returns (uint256) { return x + a; }
}`, head: `
contract C {
    uint256 public x;
    uint256[] public list;
    function f() public { x = 1; }
    function g(uint256 a) public view returns (uint256) { return x + a; }
    function p() public { x = 2; }
}
contract D {
    uint256 public x;
    uint256[] public list;
    constructor() public { x = 5; }
    function f() public { x = 1; }
    function g(uint256 a) public view returns (uint256) { return x + a; }
    function h() public payable { x = 3; }
}`},
	{name: "a function that may only look, and more of them", base: `
contract C {
    uint256 public x;
    function f() public returns (uint256) { return g() + 1; }
    function g() internal returns (uint256) { return x; }
    function k(string memory a) public { require(bytes(a).length > 3, "short"); x = bytes(a).length; }
}`, head: `
contract C {
    uint256 public x;
    function f() public returns (uint256) { return g() + 1; }
    function g() internal view returns (uint256) { return x; }
    function k(string memory a) public { require(bytes(a).length > 3, "short"); x = bytes(a).length; }
    function m(uint256 a) public pure returns (uint256) { require(a > 5, "a message that takes more than thirty-two bytes of the code"); return a; }
    function n(uint256 a) public pure returns (string memory) { if (a > 9) return "another text"; return "a text that takes more than thirty-two bytes of the code, too"; }
}`},
	{name: "an immutable before another", since: "0.8", base: `
contract C {
    uint256 public immutable b;
    uint256 x;
    constructor(uint256 v) { b = v; }
    function f() public { x = b; }
}
contract D {
    uint256 public immutable b;
    uint256 x;
    constructor(uint256 v) { b = v; x = b + 1; }
    function f() public { x = b; }
}`, head: `
contract C {
    uint256 public immutable b;
    uint256 x;
    constructor(uint256 v) { b = v; }
    function f() public { x = b; }
    uint256 public immutable z = 7;
}
contract D {
    uint256 public immutable a = 7;
    uint256 public immutable b;
    uint256 x;
    constructor(uint256 v) { b = v; x = b + 1; }
    function f() public { x = b; }
}`},
	{name: "an error beside others", since: "0.8", base: `
contract C {
    error Small(uint256 v);
    uint256 x;
    function f(uint256 v) public { if (v < 3) revert Small(v); x = v; }
    function g(uint256 v) public { f(v); }
}`, head: `
contract C {
    error Large(uint256 v);
    error Small(uint256 v);
    uint256 x;
    function f(uint256 v) public { if (v < 3) revert Small(v); x = v; }
    function g(uint256 v) public { f(v); }
    function h(uint256 v) public { if (v > 3) revert Large(v); x = v; }
}`},
	{name: "functions that can be called with a value and return it", base: `
contract C {
    address a;
    function send(uint256 v) public { require(msg.value == 0); x = v; }
    uint256 x;
}`, head: `
contract C {
    address a;
    function send(uint256 v) public { require(msg.value == 0); x = v; }
    uint256 x;
    function take() public payable {}
}`, before: "0.4.27"},
}

func TestIndirect(t *testing.T) {
	for _, version := range []string{"0.4.26", "0.5.17", "0.8.30", "0.8.30-ir"} {
		t.Run(version, func(t *testing.T) {
			base, head := map[string]string{}, map[string]string{}
			for i, c := range indirectCases {
				if strings.HasPrefix(version, c.since) && (c.before == "" || version < c.before) {
					file := fmt.Sprintf("case%d.sol", i)
					base[file], head[file] = "pragma solidity >=0.4.11;"+c.base, "pragma solidity >=0.4.11;"+c.head
				}
			}
			side := BaseSide{Head: compileSources(t, version, head), Base: compileSources(t, version, base)}
			for i, c := range indirectCases {
				file := fmt.Sprintf("case%d.sol", i)
				if head[file] == "" {
					continue
				}
				mapping, got := indirectOf(t, side, file, base[file], head[file])
				if !slices.Equal(got, c.want) {
					t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
				}
				checkMapping(t, mapping)
			}
		})
	}
}

// TestIndirectNumbers: a number in code, here the 256 by which values are placed
// in a storage slot, 300 and 511, is the same although in one version a jump leads
// to a place of that number. Functions that push everything on by one byte more
// each make sure that this happens.
func TestIndirectNumbers(t *testing.T) {
	const source = `pragma solidity >=0.4.11;
contract C {
    uint128 a;
    uint128 b;
    function set(uint128 x) public { b = x; }
    function add(uint128 x) public { b = x + 300; if (x > 511) a = 1; }
%s}`
	for _, version := range []string{"0.4.26", "0.8.30"} {
		t.Run(version, func(t *testing.T) {
			base, head := map[string]string{}, map[string]string{}
			for size := 1; size <= 32; size++ {
				file := fmt.Sprintf("case%d.sol", size)
				base[file] = fmt.Sprintf(source, "")
				head[file] = fmt.Sprintf(source, fmt.Sprintf("    function more() public pure returns (uint256) { return %s; }\n", literal(size)))
			}
			side := BaseSide{Head: compileSources(t, version, head), Base: compileSources(t, version, base)}
			for file := range head {
				if _, got := indirectOf(t, side, file, base[file], head[file]); len(got) > 0 {
					t.Errorf("%s: %q", file, got)
				}
			}
		})
	}
}

// literal is a number that takes so many bytes.
func literal(size int) string {
	n := new(big.Int).Lsh(big.NewInt(1), uint(8*size-1))
	return n.String()
}

// indirectOf maps the change of one file and lists its indirect targets.
func indirectOf(t *testing.T, side BaseSide, file, base, head string) (*Mapping, []string) {
	t.Helper()
	d, err := unified.Parse(testdiff.Files(t, file, []byte(base), []byte(head)), unified.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	changes, err := d.Files[0].Changes([]byte(head))
	if err != nil {
		t.Fatal(err)
	}
	for i := range changes {
		changes[i].Path = file // the diff was made in folders of its own
	}
	outputs := []*compile.Output{side.Head}
	table := bytecode.NewTable(compile.Contracts(outputs))
	options := Options{Heads: map[string][]byte{file: []byte(head)}}
	mapping, err := Map(outputs, table, changes, options)
	if err != nil {
		t.Fatal(err)
	}
	mapping.AddIndirect([]BaseSide{side}, table, options, func(*bytecode.Contract) bool { return false })
	var got []string
	for _, l := range mapping.Lines {
		if l.Kind == unified.Indirect && l.Position.File == file {
			got = append(got, l.Function+": "+strings.ReplaceAll(l.Because, file, "FILE"))
		}
	}
	slices.Sort(got)
	return mapping, got
}

// checkMapping holds a mapping to what its type promises.
func checkMapping(t *testing.T, m *Mapping) {
	t.Helper()
	used := map[int]bool{}
	for i, l := range m.Lines {
		if i > 0 && (l.Position.File < m.Lines[i-1].Position.File || l.Position.File == m.Lines[i-1].Position.File && l.Position.Line <= m.Lines[i-1].Position.Line) {
			t.Errorf("line %v is behind %v", l.Position, m.Lines[i-1].Position)
		}
		if (l.Status == "") != (len(l.Targets) > 0) {
			t.Errorf("line %v has status %q and %d targets", l.Position, l.Status, len(l.Targets))
		}
		for _, n := range l.Targets {
			if used[n] || m.Targets[n].Position != l.Position || len(m.Targets[n].Entries) == 0 {
				t.Errorf("line %v has target %d: %+v", l.Position, n, m.Targets[n])
			}
			used[n] = true
		}
	}
	if len(used) != len(m.Targets) {
		t.Errorf("%d of %d targets belong to lines", len(used), len(m.Targets))
	}
}
