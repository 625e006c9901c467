package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
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
func kept(t testing.TB) compile.DebugOptions {
	t.Helper()
	return compile.DebugOptions{Cache: testcache.Folder("builds")}
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
