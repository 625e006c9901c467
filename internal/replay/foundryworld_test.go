package replay

import (
	"testing"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestImports: a test imports contracts by names that are unique in it, and none whose name or
// source could end the import or lead out of the project.
func TestImports(t *testing.T) {
	shared := &imports{within: "test", names: map[string]string{}, sources: map[*bytecode.Contract]string{}}
	for _, c := range []struct {
		source, name, folder string
		want, from           string // empty: it cannot be imported
	}{
		{"src/Vault.sol", "Vault", "", "Vault", "../src/Vault.sol"},
		{"src/Other.sol", "Vault", "", "Vault_2", "../src/Other.sol"},
		{"@openzeppelin/contracts/token/ERC20.sol", "ERC20", "", "ERC20", "@openzeppelin/contracts/token/ERC20.sol"},
		{"lib/a b/C.sol", "C", "", "C", "../lib/a b/C.sol"},
		{"src/Far.sol", "Far", "packages/core", "", ""},
		{`src/V"; contract PWNED {} import "x.sol`, "V", "", "", ""},
		{"src/V\n.sol", "V", "", "", ""},
		{"src/V\u2028.sol", "V", "", "", ""},
		{`src/V\.sol`, "V", "", "", ""},
		{"../V.sol", "V", "", "", ""},
		{"/V.sol", "V", "", "", ""},
		{"src/../../V.sol", "V", "", "", ""},
		{"src/V.vy", "V", "", "", ""},
		{"src/W.sol", `V} from "x"; contract PWNED {`, "", "", ""},
		{"src/W.sol", "1V", "", "", ""},
		{"src/W.sol", "", "", "", ""},
	} {
		contract := &bytecode.Contract{Source: c.source, Name: c.name, Folder: c.folder}
		name, ok := shared.name(contract)
		if name != c.want || ok != (c.want != "") || shared.sources[contract] != c.from {
			t.Errorf("%q in %q: %q from %q, want %q from %q", c.name, c.source, name, shared.sources[contract], c.want, c.from)
		}
	}
}
