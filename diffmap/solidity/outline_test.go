package solidity

import (
	"fmt"
	"strings"
	"testing"
)

func TestOutline(t *testing.T) {
	const source = `// SPDX
pragma solidity ^0.8.0;
import {A, B} from "./A.sol";
using {add} for uint256 global;
error Top(uint256 x);
function free(uint256 x) pure returns (uint256) { return x; }
interface I { function f() external; }
abstract contract C is A(1), B {
    struct S { uint256 a; }
    uint256[] public list;
    function (uint256) external returns (bool) hook;
    event E(uint256 x); // function no() {}
    constructor(uint256 x) A(x) {}
    modifier m() { _; }
    function f(uint256 x) external virtual returns (uint256);
    function g() external { if (true) { x = "}"; } }
    receive() external payable { }
}
library L { uint256 constant WAD = 1e18; }`
	var got []string
	for _, item := range Outline([]byte(source)) {
		got = append(got, fmt.Sprintf("%s %s in %s %s %t %q", item.Kind, item.Name, item.In, item.Contract, item.Body, source[item.Start:item.End]))
	}
	want := `pragma solidity in   false "pragma solidity ^0.8.0;"
import  in   true "import {A, B} from \"./A.sol\";"
using  in   true "using {add} for uint256 global;"
error Top in   false "error Top(uint256 x);"
function free in   true "function free(uint256 x) pure returns (uint256) { return x; }"
interface I in interface  false "interface I"
function f in interface I false "function f() external;"
contract C in contract  false "contract C is A(1), B"
struct S in contract C true "struct S { uint256 a; }"
variable  in contract C false "uint256[] public list;"
function  in contract C false "function (uint256) external returns (bool) hook;"
event E in contract C false "event E(uint256 x);"
constructor  in contract C false "constructor(uint256 x) A(x) {}"
modifier m in contract C true "modifier m() { _; }"
function f in contract C false "function f(uint256 x) external virtual returns (uint256);"
function g in contract C true "function g() external { if (true) { x = \"}\"; } }"
receive  in contract C false "receive() external payable { }"
library L in library  false "library L"
variable  in library L false "uint256 constant WAD = 1e18;"`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// Any text is read to its end.
func FuzzOutline(f *testing.F) {
	for _, seed := range []string{"contract C { }", "}}}", "contract", "function f(", "abstract", "import {", "interface I { event E", "library L { uint x = 1 } }"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, item := range Outline([]byte(text)) {
			if item.Start < end || item.End < item.Start || item.End > len(text) {
				t.Fatalf("%q: item %+v after %d", text, item, end)
			}
			end = item.End
		}
	})
}
