package testsolc

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/soljson"
)

// StandIn is a folder with a program node that has this process run the installed compilers, see [soljson.StandIn], until
// the test ends. It is for tests of what comes after compiling; those of the product's own way of running compilers use node.
func StandIn(t testing.TB) string {
	t.Helper()
	folder, remove, err := standIn(modulesDir(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	return folder
}

// UseStandIn puts the folder of [StandIn] in front of PATH.
func UseStandIn(t testing.TB) {
	t.Helper()
	t.Setenv("PATH", before(StandIn(t)))
}

// Main runs the tests of a package by calling run. Where compilers are installed, PATH begins with a stand-in for them meanwhile.
// Workers of go test -fuzz are processes of the same program, and use the stand-in of the process that started them.
func Main(m *testing.M, run func(*testing.M)) {
	if modules, err := findModules(); err == nil && !inherited() {
		folder, remove, err := standIn(modules)
		if err != nil {
			panic(err)
		}
		defer remove()
		_ = os.Setenv("PATH", before(folder)) // fails for no name without "="
	}
	run(m)
}

// inherited reports whether the first folder of PATH is a stand-in's.
func inherited() bool {
	first, _, _ := strings.Cut(os.Getenv("PATH"), string(filepath.ListSeparator))
	_, err := os.Stat(filepath.Join(first, soljson.Socket))
	return err == nil
}

func before(folder string) string { return folder + string(filepath.ListSeparator) + os.Getenv("PATH") }

func standIn(modules string) (folder string, remove func(), err error) {
	folder, err = os.MkdirTemp("", "standin") // not t.TempDir, which other users cannot reach
	if err != nil {
		return "", nil, err
	}
	var l io.Closer
	if err = os.Chmod(folder, 0o755); err == nil {
		l, err = soljson.StandIn(folder, modules)
	}
	if err != nil {
		_ = os.RemoveAll(folder)
		return "", nil, err
	}
	return folder, func() {
		_ = l.Close()
		_ = os.RemoveAll(folder)
	}, nil
}
