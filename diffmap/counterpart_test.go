package diffmap_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// TestCounterparts: names first, then what is left by its text.
func TestCounterparts(t *testing.T) {
	build := func(sources map[string]string) *compile.Output {
		return testbuild.Compile(t, "0.8.30", sources).Output
	}
	base := build(map[string]string{"a.sol": `
contract Kept { function f(uint x) external pure returns (uint) { return x + 1; } function gone(uint x) external pure returns (uint) { return x * 2 + 7 - x; } }
contract Old { uint total; function put(uint x) external { total = x + 5; total *= 3; } }
`, "b.sol": "contract Moved { function g() external pure returns (uint) { return 4; } }"})
	head := build(map[string]string{"a.sol": `
contract Kept { function f(uint256 x) external pure returns (uint) { return 99; } function f(uint x, address) external pure returns (uint) { return x + 1; } function renamed(uint y) external pure returns (uint) { return y * 2 + 7 - y; } }
contract New { uint sum; function put(uint x) external { sum = x + 5; sum *= 3; } }
contract Fresh { mapping(address => bool) ok; function allow(address a) external { ok[a] = true; } }
`, "c.sol": "contract Moved { function g() external pure returns (uint) { return 4; } }"})
	c := diffmap.NewCounterparts(diffmap.BaseSide{Head: head, Base: base})
	for was, is := range map[string]string{"a.sol:Kept": "a.sol:Kept", "a.sol:Old": "a.sol:New", "b.sol:Moved": "c.sol:Moved"} {
		if c.Contracts[was] != is {
			t.Errorf("%s became %q, want %s", was, c.Contracts[was], is)
		}
	}
	if len(c.Contracts) != 3 {
		t.Errorf("%v", c.Contracts)
	}
	for _, f := range []struct{ contract, name, parameters, was string }{
		{"Kept", "f", "uint256", "Kept.f"}, // by its name, whatever it does
		{"Kept", "f", "uint256,address", ""},
		{"Kept", "renamed", "uint256", "Kept.gone"},
		{"New", "put", "uint256", "Old.put"},
		{"Moved", "g", "", "Moved.g"},
		{"Fresh", "allow", "address", ""},
	} {
		definitions := c.Functions(f.contract, f.name)
		at := slices.IndexFunc(definitions, func(d diffmap.Definition) bool {
			return strings.Join(diffmap.ParameterTypes(c.HeadText(diffmap.Range{Source: d.Source, Start: d.Start, End: d.End})), ",") == f.parameters
		})
		if at < 0 {
			t.Errorf("%+v is not among %+v", f, definitions)
			continue
		}
		was, ok := c.Function(definitions[at])
		if ok != (f.was != "") || ok && was.Contract+"."+was.Name != f.was {
			t.Errorf("%s.%s(%s) was %+v, want %q", f.contract, f.name, f.parameters, was, f.was)
		}
	}
}

// TestParameterTypes: the types of parameters as they are written, without locations and
// names.
func TestParameterTypes(t *testing.T) {
	for text, want := range map[string]string{
		"function f() external {}":                                        "",
		"function f(uint x, int, address payable to) public {}":           "uint256|int256|address",
		"function f(L.S calldata s, uint256[] memory a, B[3] c) {}":       "L.S|uint256[]|B[3]",
		"modifier only { _; }":                                            "",
		"modifier only(bytes32 role /* , x */) { _; }":                    "bytes32",
		"function f(mapping(uint => uint) storage m, uint x) {}":          "mapping|uint256",
		"function f(function(uint) external returns (uint) g, bool b) {}": "function|bool",
	} {
		if got := strings.Join(diffmap.ParameterTypes([]byte(text)), "|"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
