package sources

import "testing"

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
