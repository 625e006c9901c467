package solidity

import (
	"slices"
	"testing"
)

func TestDirectives(t *testing.T) {
	source := []byte(`// pragma solidity ^0.1.0; import "no.sol";
/* import "no.sol"; */ pragma solidity >= 0.4.22 /* and */ <0.9.0;
pragma abicoder v2;
import "./a.sol";
import * as B from 'lib/b.sol';
import {
    C as D, // import "no.sol";
    E
} from "c\"d.sol"; import "e.sol" as F;
contract G {
    string s = "import 'no.sol';";
    function f() public { import "no.sol"; }
}
pragma solidity ^0.8.0;import"f.sol";
import "unterminated.sol
`)
	pragmas, imports := directives(source)
	if want := []string{">= 0.4.22 <0.9.0", "^0.8.0"}; !slices.Equal(pragmas, want) {
		t.Errorf("pragmas %q", pragmas)
	}
	want := []Import{
		{"./a.sol", 4}, {"lib/b.sol", 5}, {`c"d.sol`, 6}, {"e.sol", 9}, {"f.sol", 14}, {"unterminated.sol", 15},
	}
	if !slices.Equal(imports, want) {
		t.Errorf("imports %v", imports)
	}
}

func FuzzDirectives(f *testing.F) {
	f.Add([]byte("pragma solidity ^0.8.0; import {A} from \"./a.sol\"; /* */ contract B { }"))
	f.Fuzz(func(t *testing.T, source []byte) {
		for _, i := range Imports(source) {
			if i.Line < 1 {
				t.Errorf("%v", i)
			}
		}
		Pragmas(source)
	})
}
