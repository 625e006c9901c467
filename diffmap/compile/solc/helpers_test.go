package solc

import (
	"os"
	"path/filepath"
	"testing"

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
func compilers(t testing.TB) Options {
	t.Helper()
	modules := testfiles.NodeModules(t)
	return Options{NodeModules: []string{modules}, Cache: filepath.Join(modules, "..", "..", "builds")}
}

// compiler is the installed compiler of a version.
func compiler(t testing.TB, version string) *Compiler {
	t.Helper()
	c, err := Find(t.Context(), []string{"=" + version}, compilers(t))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
