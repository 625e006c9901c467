package replay

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/long"
	"github.com/sightline-evm/sightline/internal/testing/testforge"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// attackedWorld is testdata/attacked.sol in a World with an outsider and his contract.
func attackedWorld(t *testing.T) (source []byte, s *Snapshot, table *bytecode.Table) {
	t.Helper()
	source, err := os.ReadFile("testdata/attacked.sol")
	if err != nil {
		t.Fatal(err)
	}
	table = bytecode.NewTable(testsolc.Compile(t, string(source), testsolc.Settings{}))
	w, made, err := world.Make(context.Background(), table, world.Options{Targets: []string{"Victim"}})
	if err != nil {
		t.Fatal(err)
	}
	return source, snapshotOf(world.WithOutsider(w, table.Contracts()), made, table), table
}

type attackCase struct{ name, calls string }

// attacks are calls that a script follows, and scripts; Victim notes all that comes of them.
var attacks = []attackCase{
	{"none", "attackerContract Victim.views() args ()"},
	{"receivers", "attackerContract Victim.magic() args ()"},
	{"interfaces", "attackerContract Victim.interfaces() args ()"},
	{"time", "attackerContract Victim.views() args ()\nattackerContract Victim.views() args () time +100"},
	{"named", "user1 Victim.viewsOf(address) args (attackerContract)"},
	{"sender", "attackerContract Victim.origin() args () value 7"},
	{"transfer", "attackerContract Victim.pay() args ()"},
	{"transfer cold", "user1 Victim.payTo(address) args (attackerContract)"},
	{"transfer with a script", "attackerContract Victim.pay() args () on \"isOpen(uint256)\" reverts"},
	{"transfer refused", "attackerContract Victim.pay() args () on payment reverts"},
	{"transfer burns", "attackerContract Victim.pay() args () on any burns"},
	{"transfer of a later answer", "attackerContract Victim.pay() args () on payment times 1 on payment reverts"},
	{"transfer of too little to call back", "attackerContract Victim.pay() args () on payment times 1 calls {Victim.call()}"},
	{"accepts", "attackerContract Victim.call() args () on payment"},
	{"returns", "attackerContract Victim.call() args () on payment returns (1, attackerContract, 0xffffffffffffffffffffffff)"},
	{"returns nothing", "attackerContract Victim.views() args () on \"isOpen(uint256)\" returns"},
	{"returns most", "attackerContract Victim.call() args () on payment returns (1, 2, 3, 4, 5, 6, 7, 8)"},
	{"returns six", "attackerContract Victim.call() args () on payment returns (1, 2, 3, 4, 5, user1)"},
	{"reverts", "attackerContract Victim.call() args () on payment reverts (5)"},
	{"burns", "attackerContract Victim.call() args () on payment burns"},
	{"burns often", "attackerContract Victim.call() args () on payment burns\nattackerContract Victim.call() args ()\nattackerContract Victim.call() args () on any burns"},
	{"destructs", "attackerContract Victim.call() args () on payment destructs (user2)"},
	{"once", "attackerContract Victim.call() args () on payment times 1 calls {Victim.call() args ()}"},
	{"twice", "attackerContract Victim.call() args () on payment times 1 calls {Victim.call() args (); Victim.call() args ()}"},
	{"three deep", "attackerContract Victim.call() args () on payment times 3 calls {Victim.call() args ()} returns (9)"},
	{"undone", "attackerContract Victim.call() args () on payment times 1 calls {Victim.call() args ()} reverts (9)"},
	{"inner call fails", "attackerContract Victim.call() args () on payment times 1 calls {Victim.fail(bool) args (true); Victim.origin() args () value 3}"},
	{"arguments", "attackerContract Victim.call() args () on any times 1 calls {Victim.many(uint256,int128,address,bytes4,bool) args (115792089237316195423570985008687907853269984665640564039457584007913129639935, -5, user2, 0x01020304, true); " +
		"Victim.texts(bytes,string,uint256[]) args (0x010203, \"a\", [1, 2]) value 5}"},
	{"bytes", "attackerContract Victim.call() args () on any times 1 calls {Victim.two(bytes,string) args (0x0102, \"it's\") value 1; Victim.fallback args (0x01020304)}"},
	{"other function", "attackerContract Victim.call() args () on 0x01020304 reverts"},
	{"first of two", "attackerContract Victim.views() args () on \"decimals()\" returns (6) on any returns (77)"},
	{"after", "attackerContract Victim.twoViews() args () on payment times 1 on \"decimals()\" after 1 returns (6)"},
	{"after later", "attackerContract Victim.twoViews() args () on \"decimals()\" after 2 returns (6) on payment times 1"},
	{"counted in a view", "attackerContract Victim.views() args () on \"decimals()\" times 1 returns (6)"},
	{"times two", "attackerContract Victim.call() args () on payment times 2 reverts (1)\nattackerContract Victim.call() args ()"},
	{"counts anew", "attackerContract Victim.call() args () on payment times 1 reverts (1)\nattackerContract Victim.call() args () on payment times 1 reverts (1)"},
	{"forgotten", "attackerContract Victim.call() args () on payment reverts (1)\nuser1 Victim.callOf(address) args (attackerContract)"},
	{"of another sender", "user1 Victim.callOf(address) args (attackerContract) on payment times 1 calls {Victim.call() args ()} reverts (1)"},
	{"short data", "attackerContract Victim.short() args () on payment returns (3)"},
	{"short data, no script", "attackerContract Victim.short() args ()"},
	{"delegated", "attackerContract Victim.run() args ()"},
	{"delegated with a script", "attackerContract Victim.run() args () on payment times 1 calls {Victim.origin() args ()} on \"isOpen(uint256)\" reverts (8)"},
	{"delegated in a view", "attackerContract Victim.runView() args ()"},
}

// TestFoundryAttacks: what the attacker's contract does in an exported test is what it does in the
// World. The last call reverts with a hash of all that Victim saw, and forge fails the test with the same one
// alone.
func TestFoundryAttacks(t *testing.T) {
	source, s, _ := attackedWorld(t)
	files := map[string][]byte{"../test.sol": source}
	texts := map[string]string{}
	for _, c := range attacks {
		text, err := exported(t, s, c.name, strings.Split("user1 Victim.fund() args () value 1000\n"+c.calls+"\nuser1 Victim.reveal() args ()", "\n"))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		texts[c.name] = text
		files[solidityName(c.name)+".t.sol"] = []byte(text)
		if c.name != "after" { // that one is compiled as it is
			attacker, rest := withoutAttacker(t, text)
			name := fmt.Sprintf("Attacker%x.sol", sha256.Sum256([]byte(attacker)))
			files[name] = []byte(attacker)
			files[solidityName(c.name)+".t.sol"] = fmt.Appendf(nil, "%simport {SightlineAttacker} from \"./%s\";\n", rest, name)
		}
	}
	golden.Check(t, "testdata/foundryattack.sol", texts["after"])
	versions := []string{"cancun"}
	if long.Asked() {
		versions = append(versions, "berlin") // as that of TestFoundryParts
	}
	for _, version := range versions {
		results := testforge.TestOn(t, files, fmt.Sprintf("evm_version = %q\n", version))
		for name, text := range texts {
			id := solidityName(name)
			got := results[fmt.Sprintf("test/%s.t.sol:Sightline_%s", id, id)][fmt.Sprintf("test_%s()", id)]
			if got.Status != "Failure" || !strings.HasPrefix(got.Reason, "Seen(") || len(got.Logs) > 0 { // by the last call
				t.Errorf("%s on %s: %+v\n%s", name, version, got, text[:strings.Index(text, "\n// A contract of an attacker")])
			}
		}
	}
}

// withoutAttacker splits an exported test into a file with the contract of its attacker, which most tests have the same of, so
// that forge compiles it once, and the rest.
func withoutAttacker(t *testing.T, text string) (attacker, rest string) {
	t.Helper()
	rest, attacker, found := strings.Cut(text, "\n// A contract of an attacker")
	if !found {
		t.Fatalf("no attacker:\n%s", text)
	}
	pragma := text[:strings.Index(text, ";\n")+2]
	return pragma + "\n// A contract of an attacker" + attacker, rest + "\n"
}

// TestFoundryAttackCompilers: every compiler from the first that a test may have compiles the contract and
// what tests tell it. Each test is compiled by two of them, or all, see [long.Asked].
func TestFoundryAttackCompilers(t *testing.T) {
	_, s, _ := attackedWorld(t)
	compilers := []testsolc.Settings{{Package: "solc-0.6.12"}, {Package: "solc-0.7.6"}, {Package: "solc-0.8.17"}, {}, {ViaIR: true, Optimize: true}}
	for n, name := range []string{"arguments", "bytes", "returns", "returns six", "destructs", "after"} {
		i := slices.IndexFunc(attacks, func(a attackCase) bool { return a.name == name })
		text, err := exported(t, s, name, strings.Split(attacks[i].calls, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(text, "selfdestruct("); got != (name == "destructs") {
			t.Errorf("%s: it has selfdestruct, of which compilers warn: %t", name, got)
		}
		text = strings.Replace(text, "import {Victim} from \"../test.sol\";", "contract Victim {}", 1)
		for c, compiler := range compilers {
			if long.Asked() || (n+c)%len(compilers) < 2 {
				testsolc.Compile(t, text, compiler)
			}
		}
	}
}

// TestFoundryAttackDestroyed: before Cancun the contract is gone after its SELFDESTRUCT, and that cannot be
// shown in a test.
func TestFoundryAttackDestroyed(t *testing.T) {
	_, s, _ := attackedWorld(t)
	i := slices.IndexFunc(attacks, func(a attackCase) bool { return a.name == "destructs" })
	calls := []string{"user1 Victim.fund() args () value 9", attacks[i].calls}
	for fork, refused := range map[string]bool{"shanghai": true, "cancun": false} {
		s.World.Fork = fork
		if _, err := exported(t, s, "last", calls); err != nil {
			t.Errorf("%s: in the last call: %v", fork, err)
		}
		_, err := exported(t, s, "before", append(slices.Clone(calls), "user1 Victim.reveal()"))
		if got := err != nil && strings.Contains(err.Error(), "attackerContract destroys itself"); got != refused {
			t.Errorf("%s: %v", fork, err)
		}
	}
}
