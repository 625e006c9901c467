package solc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// plantedSoljson is a soljson.js that leaves a file when it is run.
func plantedSoljson(canary, version string) string {
	return fmt.Sprintf("require('fs').writeFileSync(%q, ''); exports.cwrap = () => () => '%s+commit.01234567'; exports._solidity_version = () => {};", canary, version)
}

func plantPackage(t *testing.T, folder, version, soljson string) {
	t.Helper()
	testfiles.Write(t, filepath.Join(folder, "package.json"), `{"name": "solc", "version": "`+version+`"}`)
	testfiles.Write(t, filepath.Join(folder, "soljson.js"), soljson)
}

// TestProjectsCompiler: what the checkout brings runs if Solidity released it, or if the
// caller trusts the project.
func TestProjectsCompiler(t *testing.T) {
	real, err := os.ReadFile(filepath.Join(testfiles.NodeModules(t), "solc", "soljson.js"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		plant   func(root, canary string)
		pragma  string
		want    string // version; empty: none
		problem string // what a warning, or the error, says
	}{
		"a release in node_modules": {func(root, _ string) {
			plantPackage(t, filepath.Join(root, "node_modules", "solc"), "0.8.30", string(real))
			// What is beside it is not run, and decides nothing.
			testfiles.Write(t, filepath.Join(root, "node_modules", "solc", "index.js"), "process.exit(1)")
		}, "^0.8.0", "0.8.30+commit.73712a01", ""},
		"another file": {func(root, canary string) {
			plantPackage(t, filepath.Join(root, "node_modules", "solc"), "0.8.30", plantedSoljson(canary, "0.8.30"))
		}, "^0.8.0", "", "node_modules/solc/soljson.js is not a compiler that Solidity released"},
		"a newer one beside a release": {func(root, canary string) {
			plantPackage(t, filepath.Join(root, "node_modules", "solc"), "0.8.30", string(real))
			plantPackage(t, filepath.Join(root, "node_modules", "solc-next"), "0.8.99", plantedSoljson(canary, "0.8.99"))
		}, "^0.8.0", "0.8.30+commit.73712a01", "node_modules/solc-next/soljson.js is not a compiler"},
		"another version": {func(root, _ string) {
			plantPackage(t, filepath.Join(root, "node_modules", "solc"), "0.8.7", string(real))
		}, "=0.8.7", "", "no solc satisfies"},
		"a line at the end": {func(root, canary string) {
			plantPackage(t, filepath.Join(root, "node_modules", "solc"), "0.8.30", string(real)+"\nrequire('fs').writeFileSync("+fmt.Sprintf("%q", canary)+", '')\n")
		}, "^0.8.0", "", "is not a compiler that Solidity released"},
		"foundry.toml": {func(root, canary string) {
			testfiles.Write(t, filepath.Join(root, "foundry.toml"), "[profile.default]\nsolc = \"./evil.sh\"\n")
			testfiles.Write(t, filepath.Join(root, "evil.sh"), "#!/bin/sh\ntouch "+canary+"\necho 'Version: 0.8.30+commit.01234567'\n")
			if err := os.Chmod(filepath.Join(root, "evil.sh"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, "=0.8.30", "", "evil.sh is not a compiler that Solidity released"},
		"foundry.toml, a program of the machine": {func(root, _ string) {
			testfiles.Write(t, filepath.Join(root, "foundry.toml"), "[profile.default]\nsolc = \"/bin/sh\"\n")
		}, "=0.8.30", "", "/bin/sh is not a compiler that Solidity released"},
		"a device": {func(root, _ string) {
			plantPackage(t, filepath.Join(root, "node_modules", "solc"), "0.8.30", "")
			soljson := filepath.Join(root, "node_modules", "solc", "soljson.js")
			if err := errors.Join(os.Remove(soljson), os.Symlink("/dev/zero", soljson)); err != nil {
				t.Fatal(err)
			}
		}, "=0.8.30", "", "is not a compiler that Solidity released"},
		"a package that does not end": {func(root, _ string) {
			plantPackage(t, filepath.Join(root, "node_modules", "solc"), "0.8.30", "")
			file := filepath.Join(root, "node_modules", "solc", "package.json")
			if err := errors.Join(os.Remove(file), os.Symlink("/dev/zero", file)); err != nil {
				t.Fatal(err)
			}
		}, "=0.8.30", "", "no solc satisfies"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, canary := t.TempDir(), filepath.Join(t.TempDir(), "ran")
			c.plant(root, canary)
			var said []string
			options := Options{Root: root, Home: t.TempDir(), Warn: func(text string) { said = append(said, text) }}
			got, err := Find(t.Context(), []string{c.pragma}, options)
			if c.want != "" && (err != nil || got.Version() != c.want) || c.want == "" && !errors.Is(err, ErrNoCompiler) {
				t.Errorf("%v, %v", got, err)
			}
			if err != nil {
				said = append(said, err.Error())
			}
			if all := strings.Join(said, "\n"); !strings.Contains(all, c.problem) || c.problem == "" && all != "" {
				t.Errorf("said %q, want %q", all, c.problem)
			}
			if _, err := os.Stat(canary); err == nil {
				t.Error("it was run")
			}
			if got != nil {
				// What was checked is what runs, whatever becomes of the file.
				testfiles.Write(t, got.Path(), plantedSoljson(canary, "0.8.30"))
				if output, err := got.Compile(t.Context(), []byte(`{"language":"Solidity","sources":{"a.sol":{"content":"contract A {}"}}}`)); err != nil || !strings.Contains(string(output), "sources") {
					t.Errorf("%s, %v", output, err)
				}
				if _, err := os.Stat(canary); err == nil {
					t.Error("another file was run")
				}
			}
		})
	}
}

// TestTrustProject: with the caller's word, the project's own compilers are used, and said.
func TestTrustProject(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	nativeSolc(t, filepath.Join(root, "tools", "solc"), "0.8.19")
	testfiles.Write(t, filepath.Join(root, "foundry.toml"), "[profile.default]\nsolc = \"tools/solc\"\n")
	plantPackage(t, filepath.Join(root, "node_modules", "solc"), "0.8.18", plantedSoljson(filepath.Join(root, "ran"), "0.8.18"))
	var said []string
	options := Options{Root: root, Home: t.TempDir(), TrustProject: true, Warn: func(text string) { said = append(said, text) }}
	for _, version := range []string{"0.8.19", "0.8.18"} {
		c, err := Find(t.Context(), []string{"=" + version}, options)
		if err != nil || c.Version() != version+"+commit.01234567" {
			t.Errorf("%v, %v", c, err)
		}
	}
	if !slices.ContainsFunc(said, func(s string) bool {
		return strings.HasPrefix(s, "tools/solc is used as --trust-project-compiler says")
	}) ||
		!slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "soljson.js is used as --trust-project-compiler says") }) {
		t.Errorf("said %q", said)
	}
	testfiles.Write(t, filepath.Join(root, "foundry.toml"), "[profile.default]\nsolc = \"0.8.19\"\n")
	if _, err := Find(t.Context(), []string{"=0.8.19"}, options); !errors.Is(err, ErrNoCompiler) {
		t.Errorf("error %v", err)
	}
}

// TestNamedInCheckout: a compiler that the caller names in the checkout is the change's to
// write, through links too; one outside is the caller's.
func TestNamedInCheckout(t *testing.T) {
	t.Parallel()
	outside, root := t.TempDir(), t.TempDir()
	nativeSolc(t, filepath.Join(outside, "solc"), "0.8.19")
	nativeSolc(t, filepath.Join(root, "solc"), "0.8.19")
	for link, target := range map[string]string{filepath.Join(root, "link"): filepath.Join(outside, "solc"), filepath.Join(outside, "link"): filepath.Join(root, "solc")} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(root, "solc"), filepath.Join(root, "link"), filepath.Join(outside, "link")} {
		if _, err := Find(t.Context(), nil, Options{Root: root, Solc: file}); !errors.Is(err, ErrNoCompiler) || !strings.Contains(err.Error(), "lies in the checkout") {
			t.Errorf("%s: %v", file, err)
		}
		if c, err := Find(t.Context(), nil, Options{Root: root, Solc: file, TrustProject: true}); err != nil || c.Number().Patch != 19 {
			t.Errorf("%s: %v, %v", file, c, err)
		}
	}
	if c, err := Find(t.Context(), nil, Options{Root: root, Solc: filepath.Join(outside, "solc")}); err != nil || c.Number().Patch != 19 {
		t.Errorf("%v, %v", c, err)
	}
}

// TestSearchPath: programs of the checkout that a job has put into PATH are not run.
func TestSearchPath(t *testing.T) {
	root, canary := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	bin := filepath.Join(root, "node_modules", ".bin")
	for _, name := range []string{"solc", "node"} {
		testfiles.Write(t, filepath.Join(bin, name), "#!/bin/sh\ntouch "+canary+"\necho 'Version: 0.8.30+commit.01234567'\n")
		if err := os.Chmod(filepath.Join(bin, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	linked := filepath.Join(t.TempDir(), "bin")
	if err := os.Symlink(bin, linked); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", strings.Join([]string{bin, linked, "node_modules/.bin", "", os.Getenv("PATH")}, string(os.PathListSeparator)))
	options := compilers(t)
	options.Root = root
	c, err := Find(t.Context(), []string{"=0.8.30"}, options)
	if err != nil || c.Version() != "0.8.30+commit.73712a01" {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("the checkout's program was run")
	}
}

// TestPoisonedCache: a native compiler in a tool's cache that is not the release whose name
// it has is not used.
func TestPoisonedCache(t *testing.T) {
	home := t.TempDir()
	nativeSolc(t, filepath.Join(home, ".svm", "0.8.30", "solc-0.8.30"), "0.8.30")
	var said []string
	options := Options{Home: home, Say: func(text string) { said = append(said, text) }, table: releaseTable{fakeRelease(t, "0.8.30", platformHere(), "another")}}
	if c, err := Find(t.Context(), []string{"=0.8.30"}, options); err == nil || len(said) != 1 || !strings.Contains(said[0], "solc-0.8.30 is not solc 0.8.30 as Solidity released it") {
		t.Errorf("%v, %v, said %q", c, err, said)
	}
	options.table = releaseTable{fakeRelease(t, "0.8.30", platformHere(), "#!/bin/sh\necho 'solc, the solidity compiler'\necho 'Version: 0.8.30+commit.01234567.Linux.g++'\n")}
	if c, err := Find(t.Context(), []string{"=0.8.30"}, options); err != nil || c.Version() != "0.8.30+commit.01234567" {
		t.Errorf("%v, %v", c, err)
	}
}
