package sources

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

// TestUnitName holds the examples of solc's documentation, "Import Path
// Resolution", and of its remapping rule.
func TestUnitName(t *testing.T) {
	remappings := []Remapping{
		{"", "github.com/ethereum/dapp-bin/", "dapp-bin/"},
		{"", "@oz/", "lib/oz/"},
		{"", "@oz/token/", "lib/token/"},
		{"module2", "dapp/", "dapp_old/"},
		{"", "dapp/", "dapp_new/"},
		{"", "dotted/", "./lib/dotted/"},
		{"", "same/", "first/"},
		{"", "same/", "second/"},
	}
	for _, c := range []struct{ imported, importer, want string }{
		{"./util.sol", "lib/math.sol", "lib/util.sol"},
		{"../token.sol", "lib/math/add.sol", "lib/token.sol"},
		{"./../token.sol", "lib/math/add.sol", "lib/token.sol"},
		{"../../../token.sol", "lib/add.sol", "token.sol"},
		{"./x/../util.sol", "math.sol", "util.sol"},
		{"lib/util.sol", "src/a.sol", "lib/util.sol"},
		{"github.com/ethereum/dapp-bin/library/math.sol", "a.sol", "dapp-bin/library/math.sol"},
		{"@oz/token/ERC20.sol", "a.sol", "lib/token/ERC20.sol"},
		{"@oz/utils/A.sol", "a.sol", "lib/oz/utils/A.sol"},
		{"dapp/x.sol", "module1/a.sol", "dapp_new/x.sol"},
		{"dapp/x.sol", "module2/a.sol", "dapp_old/x.sol"},
		{"dotted/A.sol", "a.sol", "./lib/dotted/A.sol"},
		{"./B.sol", "./lib/dotted/A.sol", "./lib/dotted/B.sol"},
		{"same/a.sol", "a.sol", "second/a.sol"},
		{"./a.sol", "same/b.sol", "second/a.sol"},
	} {
		if got := UnitName(remappings, c.imported, c.importer); got != c.want {
			t.Errorf("%s in %s is %s, want %s", c.imported, c.importer, got, c.want)
		}
	}
}
