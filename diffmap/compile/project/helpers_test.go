package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

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
