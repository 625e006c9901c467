package build

import (
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// nodeModules is the folder of node packages that ./test installs.
func nodeModules(t testing.TB) string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("..", "..", ".cache", "npm", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Fatalf("%s is missing: run ./test once, it installs the compilers and contracts that tests need", folder)
	}
	return folder
}

// TestMain takes from the environment what would change which compiler is found.
func TestMain(m *testing.M) {
	for _, name := range []string{"SOLC", "HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "FOUNDRY_PROFILE"} {
		os.Unsetenv(name)
	}
	os.Exit(m.Run())
}

// compilers are the options under which tests find compilers.
func compilers(t testing.TB) CompilerOptions {
	t.Helper()
	return CompilerOptions{NodeModules: []string{nodeModules(t)}, Cache: kept(t).Cache}
}

// kept are mapping options that keep compilers' answers between runs of the
// tests: a compiler takes a second to start.
func kept(t testing.TB) MappingOptions {
	t.Helper()
	return MappingOptions{Cache: filepath.Join(nodeModules(t), "..", "..", "builds")}
}

// identified holds the compilers that tests have asked for their versions.
var identified sync.Map

// compiler is the installed compiler of a version.
func compiler(t testing.TB, version string) *Compiler {
	t.Helper()
	if c, ok := identified.Load(version); ok {
		return c.(*Compiler)
	}
	c, err := FindCompiler(t.Context(), []string{"=" + version}, compilers(t))
	if err != nil {
		t.Fatal(err)
	}
	identified.Store(version, c)
	return c
}

// installed are the versions that ./test installs.
var installed = []string{"0.4.26", "0.5.17", "0.7.6", "0.8.17", "0.8.30"}
