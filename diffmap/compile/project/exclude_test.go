package project

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestPlain compiles the projects of testdata/plain, where forge is not at hand, for a change of the files
// that the first line of an archive's comment names. The other lines say what comes out: the
// project's own contracts of each output, warnings, sources that lack a dependency, and the error. -update rewrites them.
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
			options := FindOptions{Compilers: compilers(t), Debug: kept(t), Warn: warn,
				Lacking: func(names []string, why string) { got += "lacking " + strings.Join(names, ", ") + ": " + why + "\n" }}
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
				got += "output " + o.Compiler
				if o.Generator() == compile.ViaIR {
					got += " via IR"
				}
				got += "\n"
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
	if err := p.open(f.closureOfFoundry().Tests); err != nil {
		t.Fatal(err)
	}
	p.chooseTests(1, "solc takes long for so many tests without forge")
	p.tell()
	want := []string{"src/Bank.sol", "src/Vault.sol", "test/Bank.t.sol", "test/Changed.t.sol", "test/Small.t.sol"}
	if got := slices.Sorted(slices.Values(p.graph.roots)); !slices.Equal(got, want) {
		t.Errorf("compiled %q, want %q", got, want)
	}
	if !strings.HasPrefix(warnings, "test/Vault.t.sol is not compiled, and its set-up is not used: solc takes long for so many tests") {
		t.Errorf("warnings %q", warnings)
	}
}

// TestTrapped: where solc's WebAssembly gives up on the sources with all tests, it gets fewer. The fake
// takes two tests, and without any, the sources that use what changed. Where all of them are needed, they are
// compiled in parts, each with what it imports.
func TestTrapped(t *testing.T) {
	const soljson = `const real = require(%q);
module.exports = {
	_solidity_version() {}, _solidity_compile() {}, _malloc: real._malloc, stringToUTF8(text, pointer, size) {
		const names = Object.keys(JSON.parse(text).sources);
		if (names.filter((n) => n.startsWith('test/')).length > %d || names.length > %d || names.includes('src/Heavy.sol')) throw new WebAssembly.RuntimeError('memory access out of bounds');
		real.stringToUTF8(text, pointer, size);
	},
	cwrap: (...of) => real.cwrap(...of),
};`
	for name, c := range map[string]struct {
		takes   int // tests
		most    int // sources
		heavy   bool
		users   int // sources that use what changed
		changed []string
		want    []string // sources
		says    string
	}{
		"fewer tests":          {takes: 2, most: 9, changed: []string{"src/Vault.sol"}, want: []string{"src/Vault.sol", "test/A.t.sol", "test/B.t.sol"}, says: "test/C.t.sol and 1 more are not compiled, and their set-ups are not used: solc 0.8.30"},
		"what the change uses": {takes: 9, most: 9, heavy: true, changed: []string{"src/Vault.sol"}, want: []string{"src/Vault.sol"}, says: "src/Heavy.sol is not compiled, and nothing that changed uses it: solc 0.8.30"},
		"in parts": {takes: 0, most: 3, users: 3, changed: []string{"src/Vault.sol"},
			want: []string{"src/User1.sol", "src/User2.sol", "src/User3.sol", "src/Vault.sol", "src/Vault.sol"}, says: "compiling them in two parts"},
		"nothing can be spared": {takes: 9, most: 9, heavy: true, says: "native compiler with --solc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, solc := t.TempDir(), filepath.Join(t.TempDir(), "soljson.js")
			testfiles.Write(t, solc, fmt.Sprintf(soljson, filepath.Join(testfiles.NodeModules(t), "solc", "soljson.js"), c.takes, c.most))
			testfiles.Write(t, filepath.Join(root, "foundry.toml"), "")
			testfiles.Write(t, filepath.Join(root, "src/Vault.sol"), "contract Vault {}")
			if c.heavy {
				testfiles.Write(t, filepath.Join(root, "src/Heavy.sol"), "contract Heavy {}")
			}
			for i := range c.users {
				testfiles.Write(t, filepath.Join(root, "src", fmt.Sprintf("User%d.sol", i+1)), fmt.Sprintf("import './Vault.sol'; contract User%d { Vault v; }", i+1))
			}
			function := "test"
			if c.heavy { // without a test that runs, all of the project is compiled
				function = "helper"
			}
			for i, test := range []string{"A", "B", "C", "D"} {
				testfiles.Write(t, filepath.Join(root, "test", test+".t.sol"), "import '../src/Vault.sol'; contract "+test+" { function "+function+"() public {} }"+strings.Repeat("\n", i))
			}
			said := ""
			options := FindOptions{Compilers: compilers(t), Changed: c.changed, Warn: func(text string) { said += text + "\n" }}
			options.Compilers.Solc, options.Progress = solc, options.Warn
			f := finder{root: root, shown: ".", FindOptions: options}
			outputs, err := f.compilePlain(t.Context())
			if err != nil {
				said += err.Error()
			}
			var got []string
			for _, o := range outputs {
				for _, s := range o.Sources {
					got = append(got, s.Path)
				}
			}
			if slices.Sort(got); !slices.Equal(got, c.want) || !strings.Contains(said, c.says) {
				t.Errorf("compiled %q, want %q; said:\n%s\nwant %q", got, c.want, said, c.says)
			}
		})
	}
}
