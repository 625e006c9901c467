package project

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
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

// TestMain takes from the environment what would change which compiler is found.
func TestMain(m *testing.M) {
	for _, name := range []string{"SOLC", "HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "FOUNDRY_PROFILE"} {
		os.Unsetenv(name)
	}
	os.Exit(m.Run())
}

// compilers are the options under which tests find compilers.
func compilers(t testing.TB) solc.Options {
	t.Helper()
	return solc.Options{NodeModules: []string{testfiles.NodeModules(t)}, Cache: kept(t).Cache}
}

// kept are options that keep compilers' answers between runs of the tests: a compiler
// takes a second to start.
func kept(t testing.TB) compile.DebugOptions {
	t.Helper()
	return compile.DebugOptions{Cache: filepath.Join(testfiles.NodeModules(t), "..", "..", "builds")}
}

// builds are the builds that package compile reads in its tests.
var builds = filepath.Join("..", "testdata", "builds")

// fixtures are the names of folders of builds, made by the real tools.
func fixtures(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir(builds)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() != "src" {
			names = append(names, entry.Name())
		}
	}
	return names
}

func fixture(name string) string { return filepath.Join(builds, name) }
