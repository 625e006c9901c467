package testsolc

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-evm/sightline/internal/soljson"
)

// StandIn is a folder with a program node that has this process run the installed compilers, see [soljson.StandIn], until
// the test ends. It is for tests of what comes after compiling; those of the product's own way of running compilers use node.
func StandIn(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "standin") // not t.TempDir, which other users cannot reach
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := soljson.StandIn(folder, modulesDir(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return folder
}

// UseStandIn puts the folder of [StandIn] in front of PATH.
func UseStandIn(t testing.TB) {
	t.Helper()
	t.Setenv("PATH", StandIn(t)+string(filepath.ListSeparator)+os.Getenv("PATH"))
}
