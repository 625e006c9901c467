package project

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/child"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// findIn finds the build of a project whose only compilers are the installed ones.
func findIn(t *testing.T, root string, change func(*FindOptions)) (*Found, error) {
	t.Helper()
	options := FindOptions{Compilers: compilers(t), Debug: kept(t)}
	if change != nil {
		change(&options)
	}
	return Find(t.Context(), root, options)
}

// contractNames lists the contracts of a build.
func contractNames(outputs []*compile.Output) []string {
	var names []string
	for _, c := range compile.Contracts(outputs) {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return names
}

// TestFindExisting: what the tools have left is used as long as it is of the
// sources as they are.
func TestFindExisting(t *testing.T) {
	for _, name := range fixtures(t) {
		found, err := findIn(t, fixture(name), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if how := strings.Join(found.How, "\n"); !strings.Contains(how, "made from the sources as they are") {
			t.Errorf("%s: %s", name, how)
		}
		if names := contractNames(found.Outputs); !slices.Contains(names, "Counter") {
			t.Errorf("%s: contracts %v", name, names)
		}
	}
}

// TestFindStale: a build of other sources is made again, here by solc since the
// tools are not installed.
func TestFindStale(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fixture string
		change  func(t *testing.T, root string)
		how     string
	}{
		"edited": {"foundry", func(t *testing.T, root string) {
			replace(t, filepath.Join(root, "src", "Step.sol"), "b > 9", "b > 8")
		}, "it is stale, src/Step.sol is another now"},
		"edited, hash only": {"foundry-split", func(t *testing.T, root string) {
			replace(t, filepath.Join(root, "src", "Step.sol"), "b > 9", "b > 8")
		}, "it is stale, src/Step.sol is another now"},
		"edited, no AST": {"foundry-plain", func(t *testing.T, root string) {
			replace(t, filepath.Join(root, "src", "Step.sol"), "b > 9", "b > 8")
		}, "src/Step.sol: the source does not match the build, which has no AST"},
		"edited, Hardhat 3": {"hardhat3", func(t *testing.T, root string) {
			replace(t, filepath.Join(root, "contracts", "Step.sol"), "b > 9", "b > 8")
		}, "it is stale, project/contracts/Step.sol is another now"},
		"added": {"hardhat2", func(t *testing.T, root string) {
			testfiles.Write(t, filepath.Join(root, "contracts", "New.sol"), "contract New {}")
		}, "it is stale, contracts/New.sol is not part of it"},
		"renamed": {"truffle", func(t *testing.T, root string) {
			if err := os.Rename(filepath.Join(root, "contracts", "Counter.sol"), filepath.Join(root, "contracts", "Meter.sol")); err != nil {
				t.Fatal(err)
			}
		}, "it is stale, contracts/Counter.sol is not there any more"},
		"damaged": {"hardhat2", func(t *testing.T, root string) {
			testfiles.Write(t, filepath.Join(root, "artifacts", "build-info", "cut.json"), `{"input": {`)
		}, "invalid JSON"},
	} {
		root := testfiles.Copy(t, fixture(c.fixture))
		c.change(t, root)
		found, err := findIn(t, root, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if how := strings.Join(found.How, "\n"); !strings.Contains(how, c.how) || !strings.Contains(how, "compiled the sources with solc 0.8.30") {
			t.Errorf("%s: %s", name, how)
		}
	}
}

// TestStaleWhateverTheAge: hashes decide. A build of older sources is stale
// although its files are newer than theirs, as a cache of a workflow or a
// checkout leaves them, and one of the sources as they are is used although it
// is older.
func TestStaleWhateverTheAge(t *testing.T) {
	t.Parallel()
	older, newer := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	sources := []string{"src", "contracts"}
	for _, name := range []string{"foundry", "foundry-split", "hardhat2", "hardhat3", "truffle"} {
		for _, edited := range []bool{true, false} {
			root := testfiles.Copy(t, fixture(name))
			age(t, root, func(path string) time.Time {
				if first, _, _ := strings.Cut(path, "/"); slices.Contains(sources, first) == edited {
					return older
				}
				return newer
			})
			if edited {
				file := filepath.Join(root, "src", "Step.sol")
				if _, err := os.Stat(file); err != nil {
					file = filepath.Join(root, "contracts", "Step.sol")
				}
				replace(t, file, "b > 9", "b > 8")
				if err := os.Chtimes(file, older, older); err != nil {
					t.Fatal(err)
				}
			}
			found, err := findIn(t, root, nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			how, want := strings.Join(found.How, "\n"), "made from the sources as they are"
			if edited {
				want = "Step.sol is another now"
			}
			if !strings.Contains(how, want) {
				t.Errorf("%s, edited %v: %s", name, edited, how)
			}
		}
	}
}

// age sets the time of every file below root, by its path there.
func age(t *testing.T, root string, when func(path string) time.Time) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		path, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		at := when(filepath.ToSlash(path))
		return os.Chtimes(file, at, at)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFindDeleted: a contract whose source is no more does not make a build
// stale; tools leave its output.
func TestFindDeleted(t *testing.T) {
	t.Parallel()
	root := testfiles.Copy(t, fixture("truffle"))
	if err := os.Remove(filepath.Join(root, "contracts", "Counter.sol")); err != nil {
		t.Fatal(err)
	}
	found, err := findIn(t, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if names := contractNames(found.Outputs); !slices.Equal(names, []string{"Step"}) {
		t.Errorf("contracts %v: %v", names, found.How)
	}
}

func replace(t *testing.T, file, old, by string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	testfiles.Write(t, file, strings.ReplaceAll(string(text), old, by))
}

// install puts a shell script into a project as one of its tools.
func install(t *testing.T, root, name, script string) {
	t.Helper()
	file := filepath.Join(root, "node_modules", ".bin", name)
	testfiles.Write(t, file, "#!/bin/sh\n"+script)
	if err := os.Chmod(file, 0o755); err != nil {
		t.Fatal(err)
	}
}

// fakeForge stands for forge: it "builds" by copying a fixture's output to where
// it is told.
func fakeForge(t *testing.T, from string) string {
	t.Helper()
	absolute, err := filepath.Abs(filepath.Join(fixture(from), "out"))
	if err != nil {
		t.Fatal(err)
	}
	return `while [ "$1" != --out ]; do shift; done; cp -R "` + absolute + `" "$2"`
}

// TestFindBuilds: a stale build is made again with the project's own tool.
func TestFindBuilds(t *testing.T) {
	root := testfiles.Copy(t, fixture("foundry"))
	if err := os.RemoveAll(filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	install(t, root, "forge", fakeForge(t, "foundry"))
	var lines []string
	found, err := findIn(t, root, func(o *FindOptions) { o.Progress = func(line string) { lines = append(lines, line) } })
	if err != nil {
		t.Fatal(err)
	}
	const command = "forge build --build-info --ast"
	if !slices.Equal(lines, []string{"running " + command}) || !slices.Equal(found.How, []string{"built with " + command}) {
		t.Errorf("lines %q, how %q", lines, found.How)
	}
	if o := found.Outputs[0]; o.Origin != command || len(o.Contracts) != 2 {
		t.Errorf("origin %q, %d contracts", o.Origin, len(o.Contracts))
	}
	if reading.IsFolder(filepath.Join(root, "out")) {
		t.Error("it has built into the project's own folder")
	}
	// An old forge does not know the flag.
	install(t, root, "forge", `for a in "$@"; do if [ "$a" = --ast ]; then echo "error: unexpected argument '--ast' found" >&2; exit 2; fi; done
`+fakeForge(t, "foundry"))
	if found, err = findIn(t, root, nil); err != nil || len(found.Outputs) != 1 {
		t.Errorf("without --ast: %v", err)
	}
	// What it builds is of other sources.
	replace(t, filepath.Join(root, "src", "Step.sol"), "b > 9", "b > 8")
	if _, err = findIn(t, root, nil); !errors.Is(err, compile.ErrStale) {
		t.Errorf("error %v", err)
	}
}

// TestFindHardhat: Hardhat's folder is where its configuration says.
func TestFindHardhat(t *testing.T) {
	root := testfiles.Copy(t, fixture("hardhat2"))
	if err := os.Rename(filepath.Join(root, "artifacts"), filepath.Join(root, "kept")); err != nil {
		t.Fatal(err)
	}
	testfiles.Write(t, filepath.Join(root, "hardhat.config.js"), "// artifacts: \"no\"\nmodule.exports = {paths: {\n  artifacts: 'build/artifacts',\n}};\n")
	install(t, root, "hardhat", `[ "$*" = "compile --force" ] && mkdir build && mv kept build/artifacts`)
	found, err := findIn(t, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if names := contractNames(found.Outputs); !slices.Equal(names, []string{"Counter", "Step"}) || found.How[0] != "built with npx hardhat compile --force" {
		t.Errorf("contracts %v: %v", names, found.How)
	}
}

// TestFindEnvironment: a tool gets what it needs of our environment, and no
// more; the user may name further variables.
func TestFindEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"GITHUB_TOKEN": "secret", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "secret", "GITHUB_OUTPUT": "output-file",
		"GITHUB_STEP_SUMMARY": "summary-file", "NODE_OPTIONS": "--title=x", "ALCHEMY_KEY": "key", "FOUNDRY_PROFILE": "ci",
		"FOUNDRY_FFI": "true", "HOME": t.TempDir(),
	} {
		t.Setenv(name, value)
	}
	root := testfiles.Copy(t, fixture("foundry"))
	if err := os.RemoveAll(filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	install(t, root, "forge", "env > environment\n"+fakeForge(t, "foundry"))
	if _, err := findIn(t, root, func(o *FindOptions) { o.Env = []string{"ALCHEMY_KEY"} }); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "environment"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, "=")
		names = append(names, name)
	}
	for _, name := range []string{"PATH", "HOME", "ALCHEMY_KEY", "FOUNDRY_PROFILE"} {
		if !slices.Contains(names, name) {
			t.Errorf("it does not get %s", name)
		}
	}
	allowed := slices.Concat(child.AllowedEnvironment, toolEnvironment, []string{
		"ALCHEMY_KEY", "FOUNDRY_FFI", "FOUNDRY_DISABLE_NIGHTLY_WARNING", "FOUNDRY_LINT_LINT_ON_BUILD", "NO_COLOR",
		"PWD", "OLDPWD", "SHLVL", "_", // the shell's own
	})
	for _, name := range names {
		if !slices.Contains(allowed, name) {
			t.Errorf("it gets %s", name)
		}
	}
	if !strings.Contains(string(text), "FOUNDRY_FFI=false\n") || strings.Contains(string(text), "FOUNDRY_FFI=true") {
		t.Error("ffi is on")
	}
}

// TestFindOffline: where forge wants the network and does not get it, the sources are compiled
// without it.
func TestFindOffline(t *testing.T) {
	root := testfiles.Copy(t, fixture("foundry"))
	if err := os.RemoveAll(filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	install(t, root, "forge", "echo 'Error: error sending request for url (list.json)'; exit 1")
	found, err := findIn(t, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if how := strings.Join(found.How, "\n"); !strings.Contains(how, "forge wants the network") || len(found.Outputs) == 0 {
		t.Errorf("%d outputs: %s", len(found.Outputs), how)
	}
}

// TestFindFailure: the message names the command, what it wrote last and what to do.
func TestFindFailure(t *testing.T) {
	cases := []struct {
		name, fixture, tool, script string
		options                     FindOptions
	}{
		{"compile error", "foundry", "forge", `printf '\033[31mError\033[0m: Compiler run failed:\n::set-output name=x::y\n'; exit 1`, FindOptions{}},
		{"long output", "foundry", "forge", `i=0; while [ $i -lt 100 ]; do echo line $i; i=$((i+1)); done; exit 1`, FindOptions{}},
		{"silent", "foundry", "forge", `exit 3`, FindOptions{}},
		{"no output", "foundry", "forge", `exit 0`, FindOptions{}},
		{"missing variable", "hardhat2", "hardhat", `echo 'Error HHE7: Configuration Variable "SEPOLIA_KEY" not found.' >&2; exit 1`, FindOptions{}},
		{"endless", "hardhat2", "hardhat", `echo started; sleep 60`, FindOptions{Timeout: 200 * time.Millisecond}},
		{"own command", "hardhat2", "", "", FindOptions{Command: []string{"sh", "-c", "echo no; exit 7"}}},
		{"no such command", "hardhat2", "", "", FindOptions{Command: []string{"no-such-program"}}},
	}
	var messages strings.Builder
	for _, c := range cases {
		root := testfiles.Copy(t, fixture(c.fixture))
		for _, folder := range []string{"out", "artifacts"} {
			if err := os.RemoveAll(filepath.Join(root, folder)); err != nil {
				t.Fatal(err)
			}
		}
		if c.tool != "" {
			install(t, root, c.tool, c.script)
		}
		_, err := Find(t.Context(), root, c.options)
		var e *reading.Error
		if !errors.As(err, &e) || e.Remedy == "" {
			t.Errorf("%s: %v", c.name, err)
		}
		messages.WriteString(c.name + "\n" + strings.ReplaceAll(err.Error(), root, "ROOT") + "\n\n")
	}
	golden.Check(t, "testdata/tool-errors.txt", messages.String())
}

// TestFindAdvice: where a tool fails for what it lacks here, the message says what
// that is, and what brings it. The outputs are those of forge 1.7.1 and Hardhat
// 2.26.3, but for their stacks, and of Hardhat 3.18.0's templates.
func TestFindAdvice(t *testing.T) {
	const (
		hh8 = "echo \"Error HH8: There's one or more errors in your config file:\n\n  * Invalid value undefined for HardhatConfig.networks.sepolia.url - Expected a value of type string.\n" +
			"    at validateConfig (/x/config-validation.ts:374:9)\n    at main (/x/cli.ts:221:62)\"; exit 1"
		hh411 = "echo 'Error HH411: The library @openzeppelin/contracts, imported from contracts/A.sol, is not installed. Try installing it using npm.'; exit 1"
		forge = `echo 'Error: Compiler run failed:\nError (6275): Source "@openzeppelin/contracts/token/ERC20.sol" not found: File not supplied initially.'; exit 0`
	)
	gitmodules := "[submodule \"lib/oz\"]\n\tpath = lib/oz\n\turl = ../oz\n[submodule \"lib/std\"]\n\tpath = lib/std\n"
	hardhatConfig := func(text string) map[string]string { return map[string]string{"hardhat.config.js": text} }
	cases := []struct {
		name, tool, script string
		files              map[string]string
		env                []string
	}{
		{"HH8", "hardhat", hh8, hardhatConfig("// process.env.OLD\nmodule.exports = { url: process.env.SEPOLIA_URL,\n accounts: [process.env['PRIVATE_KEY']], home: process.env.HOME };"), nil},
		{"HH8, one of two named", "hardhat", hh8, hardhatConfig("module.exports = { url: process.env.SEPOLIA_URL, accounts: [process.env.PRIVATE_KEY] };"), []string{"PRIVATE_KEY"}},
		{"HH8 for another reason", "hardhat", hh8, hardhatConfig("module.exports = { solidity: 8 };"), nil},
		{"configuration throws", "hardhat", "echo 'Error: Please set your MNEMONIC in a .env file\n    at Object.<anonymous> (/x/hardhat.config.js:1:33)'; exit 1",
			hardhatConfig("const m = process.env.MNEMONIC; const u = process.env.OPTIONAL_URL;"), nil},
		{"undefined", "hardhat", "echo \"TypeError: Cannot read properties of undefined (reading 'trim')\n    at Object.<anonymous> (/x/hardhat.config.js:1:103)\"; exit 1",
			hardhatConfig("const m = process.env.MNEMONIC.trim();"), nil},
		{"HH1201", "hardhat", "echo \"Error HH1201: Cannot find a value for the configuration variable 'DEPLOYER_KEY'. Use 'npx hardhat vars set DEPLOYER_KEY' to set it\"; exit 1",
			hardhatConfig(`vars.get("DEPLOYER_KEY")`), nil},
		{"foundry.toml", "forge", "echo 'Error: `solc` ${SOLC_PATH} does not exist'; exit 1", map[string]string{"foundry.toml": "[profile.default]\nsolc = \"${SOLC_PATH}\"\n"}, nil},
		{"HH411", "hardhat", hh411, map[string]string{"package-lock.json": "{}", "package.json": "{}"}, nil},
		{"HH411, yarn", "hardhat", hh411, map[string]string{"yarn.lock": "", "package.json": "{}"}, nil},
		{"Hardhat 3", "hardhat", `echo 'Error HHE900: There was an error while resolving the import "@openzeppelin/contracts/A.sol" from "./contracts/A.sol":\n\nThe package is not installed.'; exit 1`, map[string]string{"package.json": "{}"}, nil},
		{"a plugin", "hardhat", "echo \"Error: Cannot find module 'dotenv'\nRequire stack:\n- /x/hardhat.config.js\n    at Object.<anonymous> (/x/hardhat.config.js:1:1)\"; exit 1",
			map[string]string{"hardhat.config.js": "require('dotenv'); process.env.KEY", "pnpm-lock.yaml": ""}, nil},
		{"own module", "hardhat", "echo \"Error: Cannot find module './tasks'\"; exit 1", map[string]string{"package-lock.json": "{}"}, nil},
		{"submodule", "forge", forge, map[string]string{".gitmodules": gitmodules, "lib/oz/README": ""}, nil},
		{"no submodule", "forge", forge, nil, nil},
		{"soldeer", "forge", forge, map[string]string{"soldeer.lock": ""}, nil},
		{"soldeer without a lock file", "forge", strings.ReplaceAll(forge, "@openzeppelin", "dependencies/@openzeppelin"), map[string]string{"package.json": "{}"}, nil},
		{"a library next to npm's", "forge", strings.ReplaceAll(forge, "@openzeppelin", "lib/@openzeppelin"), map[string]string{"package.json": "{}"}, nil},
	}
	t.Setenv("PRIVATE_KEY", "0x1")
	var messages strings.Builder
	for _, c := range cases {
		name, folder := "hardhat2", "artifacts"
		if c.tool == "forge" {
			name, folder = "foundry", "out"
		}
		root := testfiles.Copy(t, fixture(name))
		if err := os.RemoveAll(filepath.Join(root, folder)); err != nil {
			t.Fatal(err)
		}
		for file, text := range c.files {
			testfiles.Write(t, filepath.Join(root, filepath.FromSlash(file)), text)
		}
		install(t, root, c.tool, c.script)
		_, err := Find(t.Context(), root, FindOptions{Env: c.env})
		if !errors.Is(err, ErrTool) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		messages.WriteString(c.name + "\n" + strings.ReplaceAll(err.Error(), root, "ROOT") + "\n\n")
	}
	golden.Check(t, "testdata/advice.txt", messages.String())
}

// TestFindCancel: a tool ends with its context.
func TestFindCancel(t *testing.T) {
	root := testfiles.Copy(t, fixture("hardhat2"))
	if err := os.RemoveAll(filepath.Join(root, "artifacts")); err != nil {
		t.Fatal(err)
	}
	install(t, root, "hardhat", "sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Find(ctx, root, FindOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// TestDetect lists what configuration files say.
func TestDetect(t *testing.T) {
	const toml = `[profile.default]
out = "artifacts/foundry" # a comment
[profile.ci]
out = 'ci'
build_info_path = "infos"
`
	for name, c := range map[string]struct {
		files   map[string]string
		profile string
		want    []string
	}{
		"nothing":         {map[string]string{"a.txt": ""}, "", nil},
		"foundry":         {map[string]string{"foundry.toml": ""}, "", []string{"Foundry out"}},
		"foundry's out":   {map[string]string{"foundry.toml": toml}, "", []string{"Foundry artifacts/foundry"}},
		"profile":         {map[string]string{"foundry.toml": toml, "infos/a.json": "{}"}, "ci", []string{"Foundry infos"}},
		"other profile":   {map[string]string{"foundry.toml": toml}, "local", []string{"Foundry artifacts/foundry"}},
		"both":            {map[string]string{"foundry.toml": "", "hardhat.config.ts": ""}, "", []string{"Foundry out", "Hardhat artifacts/build-info"}},
		"hardhat's":       {map[string]string{"hardhat.config.cjs": `paths: { artifacts: "./build/artifacts" }`}, "", []string{"Hardhat build/artifacts/build-info"}},
		"truffle":         {map[string]string{"truffle.js": ""}, "", []string{"truffle build/contracts"}},
		"shipped builds":  {map[string]string{"build/contracts/A.json": "{}"}, "", []string{"truffle build/contracts"}},
		"shipped, but":    {map[string]string{"build/contracts/A.json": "{}", "foundry.toml": ""}, "", []string{"Foundry out"}},
		"folder, no file": {map[string]string{"foundry.toml/a": ""}, "", nil},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			testfiles.Write(t, filepath.Join(root, filepath.FromSlash(file)), text)
		}
		var got []string
		for _, s := range settings.Detect(root, func(string) string { return c.profile }) {
			relative, err := filepath.Rel(root, s.Builds)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, s.Tool+" "+filepath.ToSlash(relative))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
