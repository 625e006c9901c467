package solc

import (
	"testing"

	"github.com/sightline-evm/sightline/internal/testing/testcache"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

func TestMain(m *testing.M) { testfiles.Main(m) }

// compilers are the options under which tests find compilers.
func compilers(t testing.TB) Options {
	t.Helper()
	return Options{NodeModules: []string{testfiles.NodeModules(t)}, Cache: testcache.Folder("builds")}
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
