package deploy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
)

func testProject(t *testing.T, foundry string) *change.Change {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"foundry.toml": foundry, "data/a.json": "{}", ".env": "KEY=1", ".git/config": "token"} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &change.Change{Root: root, Outputs: []*compile.Output{{}}}
}

// Tests run on the chain that foundry.toml describes.
func TestChainSettings(t *testing.T) {
	t.Setenv("FOUNDRY_PROFILE", "")
	pr := testProject(t, `
[profile.default]
sender = "0x00000000000000000000000000000000000000aa"
initial_balance = "0xff"
gas_limit = 9223372036854775807
block_number = 1_000
block_timestamp = 1700000000
block_base_fee_per_gas = 7
block_coinbase = '0x00000000000000000000000000000000000000bb'
block_prevrandao = "0x0000000000000000000000000000000000000000000000000000000000000009"
chain_id = 1
`)
	c, notes := testChain(pr)
	if c.Sender != common.HexToAddress("0xaa") || c.Balance.Uint64() != 255 || c.Gas != 1<<30 || c.Block.GasLimit != 1<<63-1 ||
		c.Block.Number != 1000 || c.Block.Time != 1_700_000_000 || c.Block.BaseFee != 7 || c.Block.ChainID != 1 ||
		c.Block.Coinbase != common.HexToAddress("0xbb") || c.Block.PrevRandao != common.HexToHash("0x9") || len(notes) > 0 {
		t.Errorf("chain %+v, warnings %q", c, notes)
	}
}

// What cannot be understood is said, and forge's default stays.
func TestChainSettingsWrong(t *testing.T) {
	t.Setenv("FOUNDRY_PROFILE", "")
	pr := testProject(t, `
[profile.default]
sender = "alice"
initial_balance = "much"
gas_limit = 0
block_number = -1
block_prevrandao = "0x1"
`)
	c, notes := testChain(pr)
	if c.Sender != common.HexToAddress("0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38") || c.Balance.BitLen() != 96 || c.Block.Number != 1 {
		t.Errorf("chain %+v, want forge's", c)
	}
	if len(notes) != 5 || !strings.Contains(notes[0], "sender") {
		t.Errorf("notes %q, want one each", notes)
	}
}

// A foundry.toml that is not TOML is reported, and forge's defaults stay.
func TestChainSettingsRefused(t *testing.T) {
	c, notes := testChain(testProject(t, "[profile.default]\nchain_id =\n"))
	if c.Block.ChainID != world.DefaultChain().Block.ChainID || len(notes) != 1 || !strings.Contains(notes[0], "foundry.toml: line 2: ") {
		t.Errorf("chain %+v, notes %q", c, notes)
	}
}

// Tests read the project's files, and nothing that may be secret.
func TestTestFiles(t *testing.T) {
	read := testFiles(testProject(t, ""))
	for _, name := range []string{"data/a.json", "./data/a.json", testRoot + "/data/a.json"} {
		if text, err := read(name); err != nil || string(text) != "{}" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for name, want := range map[string]string{
		".env": "hidden", "data/../.git/config": "hidden", testRoot + "/.git/config": "hidden",
		"../secret": "not in the project", "/etc/passwd": "not in the project", testRoot + "/../x": "not in the project", "": "regular file", "none": "no such file",
	} {
		if text, err := read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v, want an error with %q", name, text, err, want)
		}
	}
}

// Of the chains that foundry.toml names, only the names are read.
func TestEndpoints(t *testing.T) {
	got := endpoints(testProject(t, "[profile.default]\nsrc = \"src\"\n[rpc_endpoints]\nmainnet = \"https://node.example/KEY\"\nours = \"${OUR_RPC}\"\n[etherscan]\nsepolia = { key = \"KEY\" }\n"))
	if !slices.Equal(got, []string{"mainnet", "ours"}) {
		t.Errorf("%q", got)
	}
	if got := endpoints(testProject(t, "")); len(got) > 0 {
		t.Errorf("%q", got)
	}
}
