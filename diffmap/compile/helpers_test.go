package compile

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

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

// kept are debug options that keep compilers' answers between runs of the
// tests: a compiler takes a second to start.
func kept(t testing.TB) DebugOptions {
	t.Helper()
	return DebugOptions{Cache: filepath.Join(testfiles.NodeModules(t), "..", "..", "builds")}
}

// identified holds the compilers that tests have asked for their versions.
var identified sync.Map

// compiler is the installed compiler of a version.
func compiler(t testing.TB, version string) *solc.Compiler {
	t.Helper()
	if c, ok := identified.Load(version); ok {
		return c.(*solc.Compiler)
	}
	c, err := solc.Find(t.Context(), []string{"=" + version}, compilers(t))
	if err != nil {
		t.Fatal(err)
	}
	identified.Store(version, c)
	return c
}

// installed are the versions that ./test installs.
var installed = []string{"0.4.26", "0.5.17", "0.7.6", "0.8.17", "0.8.30"}
