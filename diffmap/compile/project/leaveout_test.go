package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestPlain compiles the projects of testdata/plain, where forge is not at hand, for a change of the files
// that the first line of an archive's comment names. The other lines say what comes out: the
// project's own contracts of each output, warnings, and the error. -update rewrites them.
func TestPlain(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "plain", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(string(archive.Comment), "\n")
			list, _ := strings.CutPrefix(first, "changed:")
			root := extract(t, archive)
			got := first + "\n"
			warn := func(text string) { got += "warning " + text + "\n" }
			options := FindOptions{Compilers: compilers(t), Debug: kept(t), Warn: warn}
			if list = strings.TrimSpace(list); list != "everything" {
				options.Changed = strings.Fields(list)
			}
			f := finder{root: root, shown: ".", FindOptions: options}
			f.Compilers.Warn = warn
			outputs, err := f.compilePlain(t.Context())
			if err != nil {
				got += "error " + err.Error() + "\n"
			}
			for _, o := range outputs {
				got += "output " + o.Compiler + "\n"
				var names []string
				for _, c := range o.Contracts {
					names = append(names, "  "+c.UnitName()+"\n")
				}
				got += strings.Join(slices.Sorted(slices.Values(names)), "")
			}
			got = strings.ReplaceAll(strings.ReplaceAll(got, root, "ROOT"), testfiles.NodeModules(t), "NODE_MODULES")
			if *golden.Update {
				archive.Comment = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if want := string(archive.Comment); got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

// TestChooseTests: of more tests than solc compiles in a reasonable time, those next to the change are
// compiled.
func TestChooseTests(t *testing.T) {
	root, warnings := t.TempDir(), ""
	for name, text := range map[string]string{
		"foundry.toml":       "[profile.default]\nvia_ir = true\n",
		"src/Vault.sol":      "contract Vault {}",
		"src/Bank.sol":       "import './Vault.sol'; contract Bank {}",
		"test/Bank.t.sol":    "import '../src/Bank.sol'; contract BankTest { function test() public {} }",
		"test/Vault.t.sol":   "import '../src/Vault.sol'; import './Long.sol'; contract VaultTest { function test() public {} }",
		"test/Long.sol":      "contract Long {}" + strings.Repeat("\n", mostTestsViaIR),
		"test/Small.t.sol":   "import '../src/Vault.sol'; contract SmallTest { function test() public {} }",
		"test/Changed.t.sol": "import '../src/Bank.sol'; contract ChangedTest { function test() public {} }" + strings.Repeat("\n", mostTestsViaIR/2),
	} {
		testfiles.Write(t, filepath.Join(root, name), text)
	}
	f := finder{root: root, FindOptions: FindOptions{
		Compilers: compilers(t), Changed: []string{"src/Vault.sol", "test/Changed.t.sol"}, Warn: func(text string) { warnings += text + "\n" },
	}}
	p := &plain{finder: &f, left: map[string][]string{}}
	if err := p.open(f.testsOf()); err != nil {
		t.Fatal(err)
	}
	p.chooseTests()
	p.tell()
	want := []string{"src/Bank.sol", "src/Vault.sol", "test/Bank.t.sol", "test/Changed.t.sol", "test/Small.t.sol"}
	if got := slices.Sorted(slices.Values(p.graph.roots)); !slices.Equal(got, want) {
		t.Errorf("compiled %q, want %q", got, want)
	}
	if !strings.HasPrefix(warnings, "test/Vault.t.sol is not compiled, and its set-up is not used: solc takes long for so many tests") {
		t.Errorf("warnings %q", warnings)
	}
}
