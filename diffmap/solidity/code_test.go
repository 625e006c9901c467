package solidity

import (
	"slices"
	"testing"
)

// TestCode compares sources by their code.
func TestCode(t *testing.T) {
	const base = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
import {A, B as C} from "./a.sol";
import "./b.sol";
contract T { bytes x = hex"00"; function f() external { assembly { x := 1 } } }
`
	of := func(source string) []string {
		code, ok := Code([]byte(source), nil)
		if !ok {
			t.Fatalf("no code: %s", source)
		}
		return code
	}
	for name, c := range map[string]struct {
		head string
		same bool
	}{
		"license and layout": {"// SPDX-License-Identifier: UNLICENSED\r\npragma solidity ^0.8.0;\nimport {A, B as C} from \"./a.sol\"; import \"./b.sol\";\n/** @notice T. @dev Of f. */ contract T {\n\tbytes x = hex\"00\";\n\tfunction f() external { // comment\n assembly { x := 1 } } }", true},
		"order of imports":   {"pragma solidity ^0.8.0;\nimport './b.sol';\nimport {B as C, A} from './a.sol';\ncontract T { bytes x = hex\"00\"; function f() external { assembly { x := 1 } } }", true},
		"pragma":             {"pragma solidity ^0.8.1;\nimport {A, B as C} from \"./a.sol\"; import \"./b.sol\"; contract T { bytes x = hex\"00\"; function f() external { assembly { x := 1 } } }", false},
		"alias":              {"pragma solidity ^0.8.0;\nimport {A as C, B} from \"./a.sol\"; import \"./b.sol\"; contract T { bytes x = hex\"00\"; function f() external { assembly { x := 1 } } }", false},
		"import left out":    {"pragma solidity ^0.8.0;\nimport {A, B as C} from \"./a.sol\"; contract T { bytes x = hex\"00\"; function f() external { assembly { x := 1 } } }", false},
		"name left out":      {"pragma solidity ^0.8.0;\nimport {A} from \"./a.sol\"; import \"./b.sol\"; contract T { bytes x = hex\"00\"; function f() external { assembly { x := 1 } } }", false},
		"literal cut":        {"pragma solidity ^0.8.0;\nimport {A, B as C} from \"./a.sol\"; import \"./b.sol\"; contract T { bytes x = hex \"00\"; function f() external { assembly { x := 1 } } }", false},
		"comment with a tag": {"pragma solidity ^0.8.0;\nimport {A, B as C} from \"./a.sol\"; import \"./b.sol\"; contract T { bytes x = hex\"00\"; function f() external { /// @solidity memory-safe-assembly\n assembly { x := 1 } } }", false},
		"storage location":   {"pragma solidity ^0.8.0;\nimport {A, B as C} from \"./a.sol\"; import \"./b.sol\"; /// @custom:storage-location erc7201:x\ncontract T { bytes x = hex\"00\"; function f() external { assembly { x := 1 } } }", false},
		"commented out":      {"pragma solidity ^0.8.0;\nimport {A, B as C} from \"./a.sol\"; import \"./b.sol\"; contract T { bytes x = hex\"00\"; function f() external { /* assembly { x := 1 } */ } }", false},
	} {
		if same := slices.Equal(of(base), of(c.head)); same != c.same {
			t.Errorf("%s: same is %v", name, same)
		}
	}
	for _, source := range []string{"contract A { string x = \"", "/* no end", "contract A { \\ }"} {
		if code, ok := Code([]byte(source), nil); ok {
			t.Errorf("%q has the code %q", source, code)
		}
	}
	moved := func(string) string { return "src/a.sol" }
	one, _ := Code([]byte(`import "../a.sol";`), moved)
	other, _ := Code([]byte(`import './a.sol';`), moved)
	if !slices.Equal(one, other) {
		t.Errorf("%q, %q", one, other)
	}
}
