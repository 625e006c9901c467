package seeds

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

const vaultABI = `[
 {"type":"function","name":"deposit","inputs":[{"name":"amount","type":"uint256"}],"outputs":[],"stateMutability":"payable"},
 {"type":"function","name":"deposit","inputs":[],"outputs":[],"stateMutability":"payable"},
 {"type":"function","name":"withdraw","inputs":[{"name":"amount","type":"uint96"},{"name":"to","type":"address"}],"outputs":[],"stateMutability":"nonpayable"},
 {"type":"function","name":"mixed","inputs":[
   {"name":"a","type":"int24"},{"name":"b","type":"bool"},{"name":"c","type":"bytes4"},{"name":"d","type":"bytes"},
   {"name":"e","type":"string"},{"name":"f","type":"uint8[]"},{"name":"g","type":"address[2]"},
   {"name":"h","type":"tuple","components":[{"name":"x","type":"uint256"},{"name":"y","type":"string"}]}],
   "outputs":[],"stateMutability":"nonpayable"},
 {"type":"fallback","stateMutability":"nonpayable"},
 {"type":"receive","stateMutability":"payable"}
]`

const tokenABI = `[
 {"type":"function","name":"transfer","inputs":[{"name":"to","type":"address"},{"name":"amount","type":"uint256"}],"outputs":[],"stateMutability":"nonpayable"}
]`

const testABI = `[
 {"type":"function","name":"testFuzz_half","inputs":[{"name":"m","type":"uint256"}],"outputs":[],"stateMutability":"nonpayable"}
]`

// testSpace has a token, two vaults, the vaults' fuzz test, and five senders.
func testSpace(t testing.TB) *input.Space {
	t.Helper()
	contract := func(name, source, text string) *bytecode.Contract {
		parsed, err := gethabi.JSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return &bytecode.Contract{Name: name, Source: source, ABI: parsed, Runtime: &bytecode.Code{Bytes: []byte{0}}}
	}
	account := func(n byte) common.Address { return common.Address{0xac, 19: n} }
	vault := contract("Vault", "src/Vault.sol", vaultABI)
	w := &evm.World{
		Accounts: map[common.Address]*evm.Account{},
		Senders: []evm.Sender{{Name: "deployer", Address: account(1)}, {Name: "user1", Address: account(2)}, {Name: "user2", Address: account(3)},
			{Name: "attacker", Address: account(4)}, {Name: "forge", Address: account(5), TestsOnly: true}},
		Instances: []evm.Instance{
			{Name: "token", Address: account(11), Contract: contract("Token", "src/Token.sol", tokenABI)},
			{Name: "vault", Address: account(12), Contract: vault}, {Name: "vault#2", Address: account(13), Contract: vault},
			{Name: "vaultTest", Address: account(14), Contract: contract("VaultTest", "test/Vault.t.sol", testABI), Tests: []string{"testFuzz_half(uint256)"}},
		},
		Cheats: &evm.Cheats{Tester: account(5)},
	}
	for _, s := range w.Senders {
		w.Accounts[s.Address] = &evm.Account{Balance: *uint256.NewInt(1 << 40)}
	}
	space, err := input.NewSpace(w, input.SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return space
}

// readText is what a folder or file gives, for goldens.
func readText(t *testing.T, path string) string {
	t.Helper()
	space := testSpace(t)
	r, err := (&Source{Name: path, Path: path}).Read(space)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, r.Describe())
	for _, seq := range r.Sequences {
		if err := space.Validate(seq); err != nil {
			t.Error(err)
		}
		b.WriteString("\n" + input.Format(space, seq))
	}
	return b.String()
}

// TestRead: a corpus of each fuzzer, with all kinds of arguments, and what is no sequence, does not fit
// any more or is not whole.
func TestRead(t *testing.T) {
	for _, tool := range []string{Echidna, Medusa, Forge} {
		golden.Check(t, "testdata/"+tool+".golden", readText(t, "testdata/"+tool))
	}
	golden.Check(t, "testdata/all.golden", readText(t, "testdata"))
}

// TestReadFile: a file by itself, a corpus of ours, and a compressed one of forge's.
func TestReadFile(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprintf(z, `[{"sender":"0x5","call_details":{"target":"0x6","calldata":"0xb6b55f25%064x","value":"0x3"}}]`, 7)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"a.json.gz": {packed.String(), "read 1 of 1 sequence of forge's corpus\n\nsightline-sequence v1\nuser1 vault.deposit(uint256) args (7) value 3\n"},
		"b.seq":     {"sightline-sequence v1\nuser2 vault.deposit() value 3\nuser2 vault.gone()\n", "read 1 of 1 sequence of sightline's corpus: 1 was read without some of its calls\n\nsightline-sequence v1\nuser2 vault.deposit() value 3\n"},
		"c.json":    {"{}", "read 0 of 1 sequence: 1 cannot be read (" + filepath.ToSlash(filepath.Join(folder, "c.json")) + ": it has no sequence of Echidna, Medusa or forge)\n"},
		"d.txt":     {"[]", "read 0 of 1 sequence: 1 cannot be read (" + filepath.ToSlash(filepath.Join(folder, "d.txt")) + ": it has no sequence of Echidna, Medusa or forge)\n"},
	} {
		if got := readText(t, write(name, c.text)); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
	write("e.json", strings.Repeat(" ", maxFileSize+1))
	write("f.json.gz", "no gzip")
	if err := os.Symlink("/etc/passwd", filepath.Join(folder, "g.json")); err != nil {
		t.Fatal(err)
	}
	if got := readText(t, folder); !strings.HasPrefix(got, "read 2 of 2 sequences of forge's and sightline's corpus: 1 was read without some of its calls, "+
		"1 file cannot be opened, 1 file is too large, or more than are read\n") {
		t.Error(got)
	}
	for _, name := range []string{"g.json", "h.json"} { // a link, and nothing
		if _, err := (&Source{Path: filepath.Join(folder, name)}).Read(testSpace(t)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// TestHaskellBytes: what GHC's show writes of byte strings, and what it does not.
func TestHaskellBytes(t *testing.T) {
	for text, want := range map[string]string{
		`""`: "", `"abc"`: "abc", `"\255\0\&0"`: "\xff\x000", `"\SOH\SO\&H"`: "\x01\x0eH", `"\DEL\ESC\^A\x1f\o17"`: "\x7f\x1b\x01\x1f\x0f",
		`"\a\b\f\n\r\t\v\"\'\\"`: "\a\b\f\n\r\t\v\"'\\", `"ÿ"`: "\xff",
	} {
		if got, err := haskellBytes(text); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{``, `"`, `abc`, `"a"b"`, `"\256"`, `"\x100"`, `"\q"`, `"\"`, `"\x"`, `"ā"`, `"\99999999999999999999"`} {
		if got, err := haskellBytes(text); err == nil {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// fuzz tries a parser with files like those of a folder: whatever is read is a sequence of the Space.
func fuzz(f *testing.F, folder string, parse func([]byte) (sequence, error)) {
	r, err := readSource(folder)
	if err != nil || len(r.files) == 0 {
		f.Fatal(err)
	}
	for _, file := range r.files {
		f.Add(file.data)
	}
	space := testSpace(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		theirs, err := parse(data)
		if err != nil {
			return
		}
		seq, _ := newMapper(space, []sequence{theirs}).sequence(theirs)
		if err := space.Validate(seq); err != nil {
			t.Fatal(err)
		}
		again, err := input.Parse(space, input.Format(space, seq))
		if err != nil || !again.Equal(seq) {
			t.Fatalf("%s: %v", input.Format(space, seq), err)
		}
	})
}

func FuzzEchidna(f *testing.F) { fuzz(f, "testdata/echidna", parseEchidna) }

func FuzzMedusa(f *testing.F) { fuzz(f, "testdata/medusa", parseMedusa) }

func FuzzForge(f *testing.F) {
	fuzz(f, "testdata/forge", func(data []byte) (sequence, error) { return parseForge(data, "VaultTest") })
}
