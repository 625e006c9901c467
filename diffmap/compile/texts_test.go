package compile_test

import (
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// TestTexts: a contract has the literals of its source and its bases', but no messages.
func TestTexts(t *testing.T) {
	const base = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Base {
    string internal constant NAME = "base name";
    function check(string memory s) internal pure { require(keccak256(bytes(s)) == keccak256("in the base"), "no message"); }
}
`
	const token = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
import "./Base.sol";
bytes constant MAGIC = hex"c0ffee";
contract Token is Base {
    function f(string memory s) external pure returns (string memory) {
        check(s);
        if (keccak256(bytes(s)) == keccak256(unicode"ünïcode")) revert("no message either");
        require(bytes(s).length == bytes("length of this").length || 5 > 3);
        return NAME;
    }
    function g() external pure returns (string memory) { return "in the base"; }
}
contract Other { function h() external pure returns (bytes32) { return "beside it"; } }
`
	const stranger = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Stranger { function f() external pure returns (string memory) { return "strange"; } }
`
	project := testbuild.Compile(t, "0.8.30", map[string]string{"Base.sol": base, "Token.sol": token, "Stranger.sol": stranger})
	own := []string{"\xc0\xff\xee", "ünïcode", "length of this", "in the base", "beside it"}
	want := map[string][]string{
		"Base":     {"base name", "in the base"},
		"Token":    append(slices.Clone(own), "base name"),
		"Other":    own,
		"Stranger": {"strange"},
	}
	for _, source := range []string{"Base.sol", "Token.sol", "Stranger.sol"} {
		for _, c := range project.Contracts(source) {
			if !slices.Equal(c.Texts, want[c.Name]) {
				t.Errorf("%s has %q, want %q", c.Name, c.Texts, want[c.Name])
			}
			delete(want, c.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("not seen: %v", want)
	}
}
