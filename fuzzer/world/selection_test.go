package world

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

func TestRoleOf(t *testing.T) {
	for _, tc := range []struct {
		source, name string
		bases        string
		want         Role
	}{
		{"src/Vault.sol", "Vault", "", UnderTest},
		{"contracts/Vault.sol", "Test", "", UnderTest},
		{"src/lib/Math.sol", "Math", "", UnderTest},
		{"contracts/lib/Math.sol", "Math", "", UnderTest},
		{"src/testing/Faucet.sol", "Faucet", "", UnderTest},
		{"src/Vault.sol", "Mocking", "", UnderTest},
		{"", "Vault", "", UnderTest},
		{"lib/solmate/src/tokens/WETH.sol", "WETH", "", Dependency},
		{"packages/core/lib/solmate/src/tokens/WETH.sol", "WETH", "", Dependency},
		{"node_modules/a/B.sol", "B", "", Dependency},
		{"@openzeppelin/contracts/proxy/Proxy.sol", "Proxy", "", Dependency},
		{"forge-std/Test.sol", "Test", "", Dependency},
		{"test/mocks/MockERC20.sol", "MockERC20", "ERC20", Mock},
		{"src/mock/Thing.sol", "Thing", "", Mock},
		{"src/VaultMock.sol", "VaultMock", "", Mock},
		{"test/Vault.t.sol", "VaultTest", "Test DSTest", Test},
		{"src/Vault.sol", "VaultTest", "Test", Test},
		{"src/kept/Sightline_MockVault_set_0a1b2c.t.sol", "Sightline_MockVault_set_0a1b2c", "", Test},
		{"src/test/Helper.sol", "Helper", "", Test},
		{"certora/harness/VaultHarness.sol", "VaultHarness", "Vault", Test},
		{"fv/harnesses/VaultHarness.sol", "VaultHarness", "Vault", Test},
		{"src/Vault.t.sol", "Helper", "", Test},
		{"script/Deploy.sol", "Deploy", "", Script},
		{"src/Deploy.s.sol", "Deploy", "", Script},
		{"src/Deploy.sol", "Deploy", "Script", Script},
		{"test/Harness.sol", "Harness+", "", UnderTest},
		{"test/Harness.sol", "Harness+", "Test", Test},
		{"lib/a/Harness.sol", "Harness+", "", Dependency},
	} {
		name, property := strings.CutSuffix(tc.name, "+")
		c := &bytecode.Contract{Source: tc.source, Name: name, Implements: append([]string{name}, strings.Fields(tc.bases)...)}
		if property {
			c.ABI = abi.ABI{Methods: map[string]abi.Method{"invariant_sum": {RawName: "invariant_sum"}}}
		}
		if got, why := RoleOf(c); got != tc.want || (why == "") != (got == UnderTest) {
			t.Errorf("%s:%s (%s): %s (%q), want %s", tc.source, tc.name, tc.bases, got, why, tc.want)
		}
	}
}

func TestSelect(t *testing.T) {
	table := map[string]*bytecode.Contract{}
	var all []*bytecode.Contract
	add := func(name, source string, types ...string) *bytecode.Contract {
		c := artifact(t, name, make([]string, 0)...)
		if len(types) > 0 {
			c = artifact(t, name, strings.Fields(strings.Repeat("address ", len(types)))...)
		}
		c.Source, c.ArgumentTypes = source, types
		table[name] = c
		all = append(all, c)
		return c
	}
	add("Unrelated", "src/A.sol")
	vault := add("Vault", "src/A.sol")
	vault.Implements = []string{"Vault", "Base", "IVault"}
	add("Base", "src/A.sol")
	add("Reader", "src/A.sol").RawABI = []byte(`[{"type":"function","inputs":[{"internalType":"contract IVault"}]}]`)
	add("Router", "src/A.sol", "IVault")
	factory := add("Factory", "src/A.sol")
	factory.Runtime = &bytecode.Code{Bytes: append([]byte{1, 2, 3}, long(vault)...)}
	add("MockVault", "src/MockVault.sol")
	add("Token", "lib/token/Token.sol")
	add("Tests", "test/A.t.sol")
	library := add("Math", "src/A.sol")
	library.Library = true
	table["Tests"].Creation.Links = []bytecode.Link{{Library: library.QualifiedName()}}
	table["IVault"] = &bytecode.Contract{Name: "IVault", Source: "src/A.sol"}
	all = append(all, table["IVault"])

	for _, tc := range []struct {
		targets string
		without string // not in the build
		limit   int
		want    string
		leftOut string
	}{
		{"", "", 9, "Unrelated Vault Base Reader Router Factory", "MockVault Token Tests"},
		{"", "", 2, "Unrelated Vault", "Base Reader Router Factory MockVault Token Tests"},
		{"Vault", "", 9, "Vault Unrelated Reader Router Factory", "Base MockVault Token Tests"},
		{"Vault Base", "", 9, "Vault Base Unrelated Reader Router Factory", "MockVault Token Tests"},
		{"Vault", "", 4, "Vault Router Factory Reader", "Unrelated Base MockVault Token Tests"},
		{"Vault", "", 2, "Vault Router", "Unrelated Base Reader Factory MockVault Token Tests"},
		{"Vault Reader Tests", "", 1, "Vault Reader Tests", "Unrelated Base Router Factory MockVault Token"},
		{"Token IVault", "Vault Base Unrelated Reader Router Factory", 9, "Token", "MockVault Tests"},
		{"Token Math IVault", "Vault Base Unrelated Reader Router Factory", 9, "Token Tests", "MockVault"},
		{"Token Math", "Tests", 1, "Token", "Unrelated Vault Base Reader Router Factory MockVault"},
		{"", "Vault Base Unrelated Reader Router Factory", 9, "MockVault", "Token Tests"},
		{"", "Vault Base Unrelated Reader Router Factory MockVault", 9, "Token", "Tests"},
		{"", "Vault Base Unrelated Reader Router Factory MockVault Token", 9, "Tests", ""},
	} {
		var contracts, targets []*bytecode.Contract
		for _, c := range all {
			if !strings.Contains(tc.without+" ", c.Name+" ") {
				contracts = append(contracts, c)
			}
		}
		for _, name := range strings.Fields(tc.targets) {
			targets = append(targets, table[name])
		}
		s := Select(contracts, targets, tc.limit)
		var wanted, leftOut []string
		for _, c := range s.Wanted {
			wanted = append(wanted, c.Name)
		}
		for _, l := range s.LeftOut {
			leftOut = append(leftOut, l.Contract.Name)
			if l.Reason == "" {
				t.Errorf("targets %q: %s is left out without a reason", tc.targets, l.Contract.Name)
			}
		}
		if diff := cmp.Diff(strings.Fields(tc.want), wanted); diff != "" {
			t.Errorf("targets %q, limit %d, without %q: chosen (-want +got):\n%s", tc.targets, tc.limit, tc.without, diff)
		}
		if diff := cmp.Diff(strings.Fields(tc.leftOut), append([]string{}, leftOut...)); diff != "" {
			t.Errorf("targets %q, limit %d, without %q: left out (-want +got):\n%s", tc.targets, tc.limit, tc.without, diff)
		}
	}
}

// long gives a contract creation code that is long enough to be recognized in
// other code.
func long(c *bytecode.Contract) []byte {
	c.Creation.Bytes = append(c.Creation.Bytes, []byte("some forty bytes of code that nobody runs")...)
	return c.Creation.Bytes
}

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"_maxSupply": "max supply", "UniswapV2Factory": "uniswap v2 factory", "ERC20Token": "erc20 token",
		"WETH9": "weth9", "ownerOf": "owner of", "trustedForwarder_": "trusted forwarder", "token0": "token0",
		"__$a$b": "a b", "": "", "URI": "uri", "tokenURI": "token uri", "feeBPS": "fee bps", "größe": "größe", "maßÜberÄHnlich": "maß über ä hnlich", "a\xffB": "a\ufffd b", "aBCd": "a b cd", "x_": "x", "URIs": "ur is", "aB_Cd$e": "a b cd e", "IERC20": "ierc20",
	} {
		if diff := cmp.Diff(strings.Fields(want), append([]string{}, words(name)...)); diff != "" {
			t.Errorf("words of %q (-want +got):\n%s", name, diff)
		}
	}
}

func TestIsInitializer(t *testing.T) {
	for name, want := range map[string]bool{
		"initialize": true, "initialise": true, "init": true, "initializeV2": true, "__Ownable_init": true, "__Ownable_init_unchained": true,
		"reinitialize": true, "setup": true, "setUp": true, "initialSupply": false, "deposit": false, "": false, "initializer": true,
	} {
		if got := IsInitializer(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
	if initializerName("setUp", 0) {
		t.Error("a forge test's setUp() is no initializer")
	}
}
