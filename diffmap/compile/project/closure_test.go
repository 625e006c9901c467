package project

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// vaults is a project of two contracts with a test each, a test that names a file, and sources
// that forge does not compile.
const vaults = `
-- foundry.toml --
[profile.default]
skip = ["src/old/**", "Broken", "script/Old*"]
remappings = ["@own=src"]
-- src/Math.sol --
library Math {}
-- src/Vault.sol --
import "./Math.sol";
contract Vault {}
-- src/Token.sol --
contract Token {}
-- src/test/Own.t.sol --
import "@own/Token.sol";
contract OwnTest { function testIt() public {} }
-- src/old/Vault1.sol --
import "../Math.sol";
-- src/BrokenVault.sol --
import "./Math.sol";
-- test/Vault.t.sol --
import {Base} from "./Base.sol";
contract VaultTest is Base { function test_it() public {} }
-- test/Base.sol --
import "../src/Vault.sol";
abstract contract Base { function setUp() public {} }
-- test/Named.t.sol --
contract NamedTest { function setUp() public { deployCode("out/Vault.sol/Vault.json"); } }
-- test/Token.t.sol --
import "../src/Token.sol";
contract TokenTest { function testIt() public {} }
-- script/Deploy.s.sol --
import "../src/Math.sol";
-- script/OldDeploy.s.sol --
import "../src/Math.sol";
-- lib/forge-std/src/Test.sol --
contract Test {}
-- out/Vault.sol/Vault.json --
{}
`

func TestClosure(t *testing.T) {
	root := t.TempDir()
	if !testfiles.Unpack(root, []byte(vaults)) {
		t.Fatal("no files")
	}
	layout, err := settings.FoundryLayout(root, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	whole := "script/Deploy.s.sol src/Math.sol src/Token.sol src/Vault.sol src/test/Own.t.sol test/Base.sol test/Named.t.sol test/Token.t.sol test/Vault.t.sol"
	for _, test := range []struct{ changed, names, tests string }{
		{"src/Vault.sol", "src/Vault.sol test/Base.sol test/Named.t.sol test/Vault.t.sol", "test/Base.sol test/Named.t.sol test/Vault.t.sol"},
		{"src/Math.sol", "src/Math.sol src/Vault.sol test/Base.sol test/Named.t.sol test/Vault.t.sol", "test/Base.sol test/Named.t.sol test/Vault.t.sol"},
		{"src/Token.sol src/gone/Token.sol", "src/Token.sol src/test/Own.t.sol test/Token.t.sol", "src/test/Own.t.sol test/Token.t.sol"},
		{"test/Token.t.sol", "test/Token.t.sol", "test/Token.t.sol"},
		{"src/Vault.sol script/Deploy.s.sol", "script/Deploy.s.sol src/Vault.sol test/Base.sol test/Named.t.sol test/Vault.t.sol", "test/Base.sol test/Named.t.sol test/Vault.t.sol"},
		// What no test uses is compiled with the whole project.
		{"lib/forge-std/src/Test.sol", whole, "src/test/Own.t.sol test/Base.sol test/Named.t.sol test/Token.t.sol test/Vault.t.sol"},
	} {
		closure, err := ClosureOf(root, layout, strings.Fields(test.changed), compilers(t))
		if err != nil {
			t.Fatal(err)
		}
		if names := strings.Join(closure.Names, " "); names != test.names {
			t.Errorf("%s: %s", test.changed, names)
		}
		if tests := strings.Join(closure.Tests, " "); tests != test.tests {
			t.Errorf("%s: tests %s", test.changed, tests)
		}
		if all := slices.Sorted(slices.Values(slices.Concat(closure.Names, closure.Left))); strings.Join(all, " ") != whole {
			t.Errorf("%s: %s are left of %s", test.changed, closure.Left, all)
		}
	}
}
