package compile

import (
	"sync"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/testing/testcache"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

func TestMain(m *testing.M) { testsolc.Main(m, testfiles.Main) }

// compilers are the options under which tests find compilers.
func compilers(t testing.TB) solc.Options {
	t.Helper()
	return solc.Options{NodeModules: []string{testfiles.NodeModules(t)}, Cache: testcache.Folder("builds")}
}

// kept are debug options that keep compilers' answers.
func kept(t testing.TB) DebugOptions {
	t.Helper()
	return DebugOptions{Cache: testcache.Folder("builds")}
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
