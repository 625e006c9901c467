package project

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/soljson"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
	"github.com/sightline-evm/sightline/internal/testing/testforge"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// wallet is a project whose sources need remappings of all kinds.
const wallet = `
-- SRC/Wallet.sol --
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
import {Math} from "@math/Math.sol";
import {Sum} from "sums/Sum.sol";
import "lists/List.sol";
contract Wallet is List {
    uint256 public total;
    function add(uint256 amount) external { require(amount > 0, "nothing"); total = Math.add(total, Sum.plus(amount, 1)); }
}
-- SRC/Other.sol --
pragma solidity ^0.8.20;
contract Other { function it() external pure returns (uint256) { return 1; } }
-- SRC/Broken.sol --
pragma solidity ^0.8.20;
contract Broken is Nothing {}
-- TEST/Wallet.t.sol --
pragma solidity ^0.8.20;
import "../SRC/Wallet.sol";
contract WalletTest {
    Wallet wallet;
    function setUp() public { wallet = new Wallet(); }
    function testAdd() public { wallet.add(1); assert(wallet.total() == 2); }
}
-- TEST/Unrelated.t.sol --
pragma solidity ^0.8.20;
interface Vm { function ffi(string[] calldata) external returns (bytes memory); }
contract UnrelatedTest {
    constructor() { Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D).ffi(new string[](1)); }
    function testIt() public {}
}
-- deps/math/Math.sol --
pragma solidity ^0.8.20;
library Math { function add(uint256 a, uint256 b) internal pure returns (uint256) { return a + b; } }
-- lib/sums/src/Sum.sol --
pragma solidity ^0.8.20;
import "base/One.sol";
library Sum { function plus(uint256 a, uint256 b) public pure returns (uint256) { return a + b * One.ONE; } }
-- lib/sums/one/One.sol --
pragma solidity ^0.8.20;
library One { uint256 internal constant ONE = 1; }
-- lib/lists/contracts/List.sol --
pragma solidity ^0.8.20;
abstract contract List { uint256[] internal list; }
`

// walletSettings are settings that all have: a source that does not compile is skipped, and
// remappings lack slashes or have a context.
const walletSettings = `skip = ["Broken"]
remappings = ["@math=deps/math", "lib/sums/:base/=lib/sums/one"]
`

// TestForgeSettings compiles the sources that a change concerns with what forge says of many
// settings, and compares all bytecode with that of forge's own build, metadata and all.
func TestForgeSettings(t *testing.T) {
	t.Parallel()
	forge := testforge.Program(t)
	program, err := soljson.Program(t.TempDir(), testsolc.Soljson(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	for name, settings := range map[string]string{
		"plain":  "extra_output = ['storageLayout', 'ir']\ndynamic_test_linking = true\nsparse_mode = true\nbuild_info = true\nauto_detect_solc = false\nffi = true\n",
		"via IR": "via_ir = true\noptimizer = true\nevm_version = 'paris'\nuse_literal_content = true\nlibraries = ['lib/sums/src/Sum.sol:Sum:0x000000000000000000000000000000000000dEaD']\n",
		"details": "optimizer = true\noptimizer_runs = 7\nbytecode_hash = 'none'\ncbor_metadata = false\nrevert_strings = 'debug'\n" +
			"[profile.default.optimizer_details]\ncse = true\nyul = true\n[profile.default.optimizer_details.yulDetails]\nstackAllocation = true\n",
		"places": "src = 'code'\ntest = 'checks/'\nlibs = ['lib', 'more']\n[profile.lite]\noptimizer = true\noptimizer_runs = 3\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src, tests := "src", "test"
			if name == "places" {
				src, tests = "code", "checks"
			}
			root := t.TempDir()
			text := strings.NewReplacer("SRC", src, "TEST", tests).Replace(wallet)
			if !testfiles.Unpack(root, []byte(text)) {
				t.Fatal("no files")
			}
			common := "[profile.default]\n" + walletSettings
			testfiles.Write(t, filepath.Join(root, "foundry.toml"), common+"solc = '0.8.30'\n"+settings)
			install(t, root, "forge", `[ "$1" = config ] || { echo "forge is run: $*" >&2; exit 1; }
FOUNDRY_PROFILE=`+profileOf(name)+` exec "`+forge+`" "$@"`)
			found, err := findIn(t, root, func(o *FindOptions) {
				o.Changed, o.Progress = []string{src + "/Wallet.sol"}, func(line string) { t.Log(line) }
			})
			if err != nil {
				t.Fatal(err)
			}
			if how := strings.Join(found.How, "\n"); how != "compiled the 2 sources that use what changed, of 4" {
				t.Error(how)
			}
			if len(found.Made) != 1 || found.Made[0].Own != found.Outputs[0] || !found.Made[0].Mapped.KeepsLines() {
				t.Fatalf("made %v", found.Made)
			}
			testfiles.Write(t, filepath.Join(root, "foundry.toml"), common+"offline = true\n"+strings.Replace(settings, "dynamic_test_linking = true", "", 1)) // else tests are rewritten
			build := exec.Command(forge, "build", "--use", program, "--build-info", "--ast")
			build.Dir = root
			build.Env = append(os.Environ(), "FOUNDRY_PROFILE="+profileOf(name), "FOUNDRY_LINT_LINT_ON_BUILD=false", "HOME="+root)
			if said, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			theirs, err := compile.Read(filepath.Join(root, "out"), compile.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			compareContracts(t, found.Outputs[0], theirs)
		})
	}
}

// TestForgeInPart leaves to forge what differs between sources, but not more than what the change
// concerns, and shows what forge's compiler is at.
func TestForgeInPart(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if !testfiles.Unpack(root, []byte(strings.NewReplacer("SRC", "src", "TEST", "test").Replace(wallet))) {
		t.Fatal("no files")
	}
	program, err := soljson.Program(root, testsolc.Soljson(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	testfiles.Write(t, filepath.Join(root, "foundry.toml"), "[profile.default]\n"+walletSettings+"offline = true\nsolc = '"+program+"'\n"+
		"additional_compiler_profiles = [{ name = 'small', optimizer_runs = 1, optimizer = true }]\n"+
		"compilation_restrictions = [{ paths = 'src/Wallet.sol', optimizer_runs = 1 }]\n")
	// What forge writes reaches us at once, or when it ends.
	install(t, root, "forge", `HOME="$PWD" "`+testforge.Program(t)+`" "$@" || exit; [ "$1" = config ] || sleep 1.5`)
	var lines, waited []string
	found, err := findIn(t, root, func(o *FindOptions) {
		o.Changed = []string{"src/Wallet.sol"}
		o.Progress = func(line string) { lines = append(lines, line) }
		o.Waiting = func(line string) { waited = append(waited, line) }
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"forge builds the project: foundry.toml has compilation_restrictions", "running forge build --build-info --ast"}; !slices.Equal(lines, want) {
		t.Errorf("%q", lines)
	}
	names := contractNames(found.Outputs)
	if slices.Contains(names, "UnrelatedTest") || slices.Contains(names, "Other") || !slices.Contains(names, "WalletTest") || len(found.Made) > 0 {
		t.Errorf("contracts %v", names)
	}
	if len(waited) == 0 || !compilingShown.MatchString(waited[len(waited)-1]) {
		t.Errorf("%q", waited)
	}
}

var compilingShown = regexp.MustCompile(`^forge: compiling \d+ files? with Solc 0\.8\.30, \d+ s$`)

// profileOf is the profile of foundry.toml that a case uses.
func profileOf(name string) string {
	if name == "places" {
		return "lite"
	}
	return "default"
}

// compareContracts compares the bytecode of the contracts of an output with that of others.
func compareContracts(t *testing.T, own *compile.Output, theirs []*compile.Output) {
	t.Helper()
	var names []string
	for _, ours := range own.Contracts {
		names = append(names, ours.Name)
		compared := false
		for _, their := range compile.Contracts(theirs) {
			if their.UnitName() != ours.UnitName() {
				continue
			}
			compared = true
			if ours.Runtime != nil && !bytes.Equal(ours.Runtime.Bytes, their.Runtime.Bytes) {
				t.Errorf("%s:\n%x\n%x", ours.Name, ours.Runtime.Bytes, their.Runtime.Bytes)
			}
		}
		if !compared {
			t.Errorf("forge has no %s", ours.UnitName())
		}
	}
	slices.Sort(names)
	if want := []string{"List", "Math", "One", "Sum", "Wallet", "WalletTest"}; !slices.Equal(names, want) {
		t.Errorf("contracts %v", names)
	}
}
