package layout_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/layout"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
	"github.com/sightline-evm/sightline/internal/testing/testcache"
)

// cases are upgrades of a contract C: the declarations of base and head, with the
// changes and notes that comparing them has to yield. In declarations, "contract C" is
// added in front of a lone body.
var cases = []struct {
	name, base, head string
	since            string // first version; "" for all
	changes, notes   []string
}{
	{name: "nothing", base: `{ address a; uint96 b; mapping(address => uint256) m; }`, head: `{ address a; uint96 b; mapping(address => uint256) m; }`},
	{name: "appended", base: `{ address a; }`, head: `{ address a; uint96 b; bytes c; }`},
	{name: "in padding", base: `{ uint64 a; uint256 b; }`, head: `{ uint64 a; uint128 c; uint256 b; }`},
	{name: "inserted", base: `{ address owner; uint256 total; }`, head: `{ uint256 fee; address owner; uint256 total; }`, changes: []string{
		"moved owner (address) 0+0; there is fee (uint256); now in 1+0",
		"moved total (uint256) 1+0; there is owner (address); now in 2+0",
	}},
	{name: "swapped", base: `{ uint128 a; uint128 b; }`, head: `{ uint128 b; uint128 a; }`, changes: []string{
		"moved a (uint128) 0+0; there is b (uint128); now in 0+16",
		"moved b (uint128) 0+16; there is a (uint128); now in 0+0",
	}},
	{name: "retyped", base: `{ uint128 a; int256 b; bool c; }`, head: `{ uint64 a; uint256 b; uint8 c; }`, changes: []string{
		"retyped a (uint128) 0+0; uint128 before, uint64 now",
		"retyped b (int256) 1+0; int256 before, uint256 now",
		"retyped c (bool) 2+0; bool before, uint8 now",
	}},
	{name: "retyped, as annotated", base: `{ bool a; bool b; }`, head: `{
		/// @custom:oz-retyped-from bool
		uint8 a;
		/// @custom:oz-retyped-from bool
		uint16 b; }`, changes: []string{"retyped b (bool) 0+1; bool before, uint16 now"}},
	{name: "contracts are addresses", base: `interface I {} contract C { I a; address b; address payable c; }`, head: `interface J {} contract C { J a; J b; address c; }`},
	{name: "renamed", base: `{ uint256 a; uint256 b; }`, head: `{ uint256 a; uint256 c; }`, notes: []string{"b (uint256) is called c now"}},
	{name: "renamed, as annotated", base: `{ uint256 a; uint256 b; }`, head: `{ uint256 a; /** @custom:oz-renamed-from b */ uint256 c; }`},
	{name: "renamed and retyped", base: `{ uint256 a; }`, head: `{ address b; }`, changes: []string{"replaced a (uint256) 0+0; there is b (address)"}},
	{name: "removed at the end", base: `{ uint256 a; uint256 b; }`, head: `{ uint256 a; }`, changes: []string{"removed b (uint256) 1+0"}},
	{name: "removed, another in its place", base: `{ uint256 a; address b; uint256 c; }`, head: `{ uint256 a; uint256 c; }`, changes: []string{
		"replaced b (address) 1+0; there is c (uint256)",
		"moved c (uint256) 2+0; now in 1+0",
	}},
	{name: "visibility, constants and immutables", base: `{ uint256 constant A = 1; uint256 a; }`, head: `{ uint256 constant A = 1; uint256 constant B = 2; uint256 public a; }`},
	{name: "a gap that shrinks", base: `contract A { uint256 a; uint256[50] private __gap; } contract C is A { uint256 c; }`,
		head: `contract A { uint256 a; address b; uint96 d; uint256[49] private __gap; } contract C is A { uint256 c; }`},
	{name: "a gap that is used up", base: `contract A { uint256 a; uint256[2] private __gap; } contract C is A { uint256 c; }`,
		head: `contract A { uint256 a; uint256 b; uint256 d; } contract C is A { uint256 c; }`},
	{name: "a gap that does not shrink", base: `contract A { uint256 a; uint256[50] private __gap; } contract C is A { uint256 c; }`,
		head:    `contract A { uint256 a; uint256 b; uint256[50] private __gap; } contract C is A { uint256 c; }`,
		changes: []string{"moved c (uint256) 51+0; now in 52+0"},
		notes:   []string{"__gap of FILE:A ends before slot 52, and before slot 51 in the base version"}},
	{name: "a gap that shrinks by too much", base: `contract A { uint256 a; uint256[50] private __gap; } contract C is A { uint256 c; }`,
		head:    `contract A { uint256 a; uint256 b; uint256[48] private __gap; } contract C is A { uint256 c; }`,
		changes: []string{"moved c (uint256) 51+0; now in 50+0"},
		notes:   []string{"__gap of FILE:A ends before slot 50, and before slot 51 in the base version"}},
	{name: "a new base", base: `contract A { uint256 a; } contract C is A { uint256 c; }`, head: `contract A { uint256 a; } contract B { address b; } contract C is A, B { uint256 c; }`,
		changes: []string{"moved c (uint256) 1+0; there is b (address); now in 2+0"}},
	{name: "bases in another order", base: `contract A { uint256 a; } contract B { address b; } contract C is A, B {}`,
		head:    `contract A { uint256 a; } contract B { address b; } contract C is B, A {}`,
		changes: []string{"moved a (uint256) 0+0; there is b (address); now in 1+0", "moved b (address) 1+0; there is a (uint256); now in 0+0"}},
	{name: "moved into a base", base: `contract C { uint256 a; uint256 c; }`, head: `contract A { uint256 a; } contract C is A { uint256 c; }`},
	{name: "private variables of one name, and a new base in front", base: `contract A { uint256 private x; } contract C is A { address private x; }`,
		head:    `contract Z { uint128 private x; } contract A { uint256 private x; } contract C is Z, A { address private x; }`,
		changes: []string{"moved x (uint256) 0+0; there is x (uint128); now in 1+0", "moved x (address) 1+0; there is x (uint256); now in 2+0"}},
	{name: "private variables of one name", base: `contract A { uint256 private x; } contract C is A { uint256 private x; }`,
		head: `contract A { uint256 private x; } contract C is A { uint256 private x; }`},
	{name: "a struct that grows in a mapping", base: `{ struct S { uint256 a; } mapping(uint256 => S) m; S last; }`, head: `{ struct S { uint256 a; address b; } mapping(uint256 => S) m; S last; }`},
	{name: "a struct that grows in front of others", base: `{ struct S { uint256 a; } S s; uint256 b; }`, head: `{ struct S { uint256 a; uint256 c; } S s; uint256 b; }`,
		changes: []string{"moved b (uint256) 1+0; there is s (struct C.S); now in 2+0"}},
	{name: "a struct that grows in an array", base: `{ struct S { uint256 a; } S[] list; }`, head: `{ struct S { uint256 a; uint256 c; } S[] list; }`,
		changes: []string{"retyped list (struct C.S[]) 0+0; elements (C.S): 1 slot each before, 2 slots each now"}},
	{name: "a struct with padding that grows in an array", base: `{ struct S { uint64 a; } S[] list; }`, head: `{ struct S { uint64 a; uint64 c; } S[] list; }`},
	{name: "a member that moves", base: `{ struct S { uint128 a; uint128 b; } mapping(address => mapping(uint256 => S)) m; }`,
		head:    `{ struct S { uint128 c; uint128 a; uint128 b; } mapping(address => mapping(uint256 => S)) m; }`,
		changes: []string{"retyped m (mapping(address => mapping(uint256 => struct C.S))) 0+0; values: values: a of struct C.S is in slot 0, byte 16 now and was in slot 0; blame c"}},
	{name: "a member of another type", base: `{ struct S { uint256 a; uint128 b; } struct T { S[] list; } T t; }`, head: `{ struct S { uint256 a; uint64 b; } struct T { S[] list; } T t; }`,
		changes: []string{"retyped t (struct C.T) 0+0; elements: b of struct C.S: uint128 before, uint64 now; blame b"}},
	{name: "a member of another name", base: `{ struct S { uint256 a; } S s; }`, head: `{ struct S { uint256 b; } S s; }`, notes: []string{"in struct C.S: a (uint256) is called b now"}},
	{name: "a struct of one member", base: `{ struct T { uint64 at; } struct S { T start; T end; bool done; } mapping(uint256 => S) m; T t; uint64 u; }`,
		head: `{ struct T { uint64 at; uint64 to; } struct S { uint64 start; address who; bytes4 __gap_unused0; uint64 end; bytes24 __gap_unused1; bool done; bool gone; } mapping(uint256 => S) m; T t; T u; }`},
	{name: "a struct of two members", base: `{ struct T { uint64 at; uint64 to; } T t; T u; }`, head: `{ struct T { uint64 at; uint64 to; } uint64 t; T u; }`,
		changes: []string{"retyped t (struct C.T) 0+0; struct C.T before, uint64 now"}},
	{name: "elements that were structs of one member", base: `{ struct T { uint64 at; } T[] list; }`, head: `{ uint64[] list; }`,
		changes: []string{"retyped list (struct C.T[]) 0+0; elements (uint64): 1 slot each before, 4 to a slot now"}},
	{name: "structs that hold themselves", base: `{ struct S { uint256 a; mapping(uint256 => S) next; S[] list; } S s; }`, head: `{ struct S { uint256 a; mapping(uint256 => S) next; S[] list; } S s; }`},
	{name: "keys", base: `{ mapping(uint256 => uint256) m; mapping(address => bool) n; }`, head: `{ mapping(bytes32 => uint256) m; mapping(address => bool) n; }`,
		changes: []string{"retyped m (mapping(uint256 => uint256)) 0+0; mapping(uint256 => uint256) before, mapping(bytes32 => uint256) now: keys are not hashed alike"}},
	{name: "values", base: `{ mapping(address => uint256) m; }`, head: `{ mapping(address => int256) m; }`, changes: []string{"retyped m (mapping(address => uint256)) 0+0; values: uint256 before, int256 now"}},
	{name: "arrays", base: `{ uint256[3] a; uint256 z; }`, head: `{ uint256[4] a; uint256 z; }`, changes: []string{"moved z (uint256) 3+0; there is a (uint256[4]); now in 4+0"}},
	{name: "an array that grows at the end", base: `{ uint256 z; uint256[3] a; }`, head: `{ uint256 z; uint256[4] a; }`},
	{name: "an array that shrinks", base: `{ uint256[3] a; }`, head: `{ uint256[2] a; address b; }`, changes: []string{"shared a (uint256[3]) 0+0; there is b (address); now in 0+0"}},
	{name: "packed elements", base: `{ uint64[] a; }`, head: `{ uint128[] a; }`, changes: []string{"retyped a (uint64[]) 0+0; elements: uint64 before, uint128 now"}},
	{name: "fixed and dynamic", base: `{ uint256[1] a; }`, head: `{ uint256[] a; }`, changes: []string{"retyped a (uint256[1]) 0+0; uint256[1] before, uint256[] now"}},
	{name: "bytes and strings", base: `{ bytes a; string b; }`, head: `{ string a; bytes b; }`},
	{name: "an enum that grows", base: `{ enum E { A, B } E e; mapping(uint256 => E) m; }`, head: `{ enum E { A, B, C } E e; mapping(uint256 => E) m; }`},
	{name: "an enum in another order", base: `{ enum E { A, B } E e; }`, head: `{ enum E { B, A } E e; }`, changes: []string{"retyped e (enum C.E) 0+0; A of enum C.E is number 1 now and was 0"}},
	{name: "an enum that shrinks", base: `{ enum E { A, B, C } E e; }`, head: `{ enum E { A, B } E e; }`, changes: []string{"retyped e (enum C.E) 0+0; enum C.E lacks number 2, which was C"}},
	{name: "an enum with another name in it", base: `{ enum E { A, B } E e; }`, head: `{ enum E { A, C } E e; }`},
	{name: "types of the user", since: "0.8.8", base: `type U is uint128; contract C { U u; uint128 v; U w; }`, head: `type U is uint128; type V is uint128; contract C { V u; U v; int128 w; }`,
		changes: []string{"retyped w (uint128) 1+0; uint128 before, int128 now"}},
	{name: "functions", base: `{ function() external f; function() internal g; }`, head: `{ function() external view f; function() internal g; }`},
	{name: "a huge array", base: `{ uint256[2**200] a; uint256 z; }`, head: `{ uint256[2**200] a; address y; uint256 z; }`, changes: []string{
		"moved z (uint256) 1606938044258990275541962092341162602522202993782792835301376+0; there is y (address); now in 1606938044258990275541962092341162602522202993782792835301377+0"}},
	{name: "a namespace", base: namespace("uint256 a; mapping(address => uint256[2]) m; uint128 b;"), head: namespace("uint256 a; mapping(address => uint256[2]) m; uint128 b; address c;")},
	{name: "a namespace that clashes", base: namespace("uint128 a; address b; E e; S[3] s; uint256 z;"), head: namespace("uint128 a; address b; uint8 c; E e; S[4] s; uint256 z;"), changes: []string{
		"moved e (enum E) example.main/1+20; there is c (uint8); now in 1+21",
		"moved z (uint256) example.main/5+0; there is s (struct S[4]); now in 6+0",
	}},
	{name: "a namespace with another id", base: namespace("uint256 a;"), head: strings.Replace(namespace("uint256 a;"), "example.main", "example.other", 1),
		changes: []string{"moved Main (struct Main) example.main/0+0; now in example.other/0+0"}},
	{name: "a namespace that is gone", base: namespace("uint256 a;"), head: `contract C {}`, changes: []string{"removed Main (struct Main) example.main/0+0"}},
	{name: "moved into a namespace", base: `{ mapping(address => uint256) balances; uint256[49] private __gap; }`, head: namespace("mapping(address => uint256) balances;"),
		changes: []string{"moved balances (mapping(address => uint256)) 0+0; now in example.main/0+0"}},
	{name: "transient storage", since: "0.8.28", base: `{ uint256 a; }`, head: `{ uint256 transient t; uint256 a; }`},
	{name: "storage that begins elsewhere", since: "0.8.29", base: `contract C { uint256 a; }`, head: `contract C layout at 7 { uint256 a; }`, changes: []string{"moved a (uint256) 0+0; now in 7+0"}},
}

// namespace is a contract that keeps a struct in a place of its own.
func namespace(members string) string {
	return `contract A {
    enum E { X, Y }
    struct S { uint64 x; uint192 y; }

    /// @custom:storage-location erc7201:example.main
    struct Main { ` + members + ` }
}
contract C is A {}`
}

// compiled is what a compiler made of one side of all cases.
type compiled struct {
	output *compile.Output
	unit   *layout.Unit
}

func compileSources(t *testing.T, version string, sources map[string]string) compiled {
	t.Helper()
	o := testbuild.Compile(t, version, sources).Output
	o.Compiler = version
	cache := testcache.Folder("builds")
	err := o.AddStorageLayouts(context.Background(), solc.Options{NodeModules: []string{filepath.Join("..", "..", ".cache", "npm", "node_modules")}, Cache: cache},
		compile.DebugOptions{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	return compiled{o, layout.NewUnit(o, nil)}
}

// layoutOf is the layout of a file's contract C.
func (c compiled) layoutOf(t *testing.T, file string) *layout.Layout {
	t.Helper()
	at := slices.IndexFunc(c.output.Contracts, func(c *compile.Contract) bool { return c.Source == file && c.Name == "C" })
	if at < 0 {
		t.Fatalf("%s has no contract C", file)
	}
	l, err := c.unit.Layout(c.output.Contracts[at])
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func source(text string) string {
	if strings.HasPrefix(text, "{") {
		text = "contract C " + text
	}
	return "pragma solidity *;\n" + text + "\n"
}

// TestCompare compares every case as several compilers lay it out.
func TestCompare(t *testing.T) {
	for _, version := range []string{"0.5.17", "0.8.17", "0.8.30"} {
		t.Run(version, func(t *testing.T) {
			number, err := solc.ParseVersion(version)
			if err != nil {
				t.Fatal(err)
			}
			base, head := map[string]string{}, map[string]string{}
			for i, c := range cases {
				since, err := solc.ParseVersion(c.since)
				if c.since == "" || err == nil && !number.Less(since) {
					base[fmt.Sprintf("%02d.sol", i)], head[fmt.Sprintf("%02d.sol", i)] = source(c.base), source(c.head)
				}
			}
			before, after := compileSources(t, version, base), compileSources(t, version, head)
			for i, c := range cases {
				file := fmt.Sprintf("%02d.sol", i)
				if _, ok := base[file]; !ok {
					continue
				}
				if same := layout.Compare(before.layoutOf(t, file), before.layoutOf(t, file)); len(same.Changes)+len(same.Notes) > 0 {
					t.Errorf("%s: the base version clashes with itself: %+v", c.name, same)
				}
				got := layout.Compare(before.layoutOf(t, file), after.layoutOf(t, file))
				var changes, notes []string
				for i := range got.Changes {
					changes = append(changes, describe(&got.Changes[i]))
				}
				for _, note := range got.Notes {
					notes = append(notes, strings.ReplaceAll(note, file, "FILE"))
				}
				if diff := cmp.Diff(c.changes, changes); diff != "" {
					t.Errorf("%s: changes (-want +got):\n%s", c.name, diff)
				}
				if diff := cmp.Diff(c.notes, notes); diff != "" {
					t.Errorf("%s: notes (-want +got):\n%s", c.name, diff)
				}
			}
		})
	}
}

func describe(c *layout.Change) string {
	at := func(space string, v *layout.Variable) string {
		if space != "" {
			space += "/"
		}
		return fmt.Sprintf("%s%s+%d", space, v.Slot, v.Offset)
	}
	text := fmt.Sprintf("%s %s (%s) %s", c.Kind, c.Before.Name, c.Before.Type.Label, at(c.Space, c.Before))
	if c.Kind == layout.Retyped {
		text += "; " + c.Detail
		if c.Deepest != c.After {
			text += "; blame " + c.Deepest.Name
		}
		return text
	}
	if c.After != nil {
		text += fmt.Sprintf("; there is %s (%s)", c.After.Name, c.After.Type.Label)
	}
	if c.Now != nil {
		text += "; now in " + at(c.NowSpace, c.Now)
	}
	return text
}
