package solc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// nativeSolc answers for its version, and to nothing else.
func nativeSolc(t *testing.T, file, version string) {
	t.Helper()
	testfiles.Write(t, file, fmt.Sprintf("#!/bin/sh\necho 'solc, the solidity compiler'\necho 'Version: %s+commit.01234567.Linux.g++'\n", version))
	if err := os.Chmod(file, 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestCachedCompilers looks through what Foundry and Hardhat keep.
func TestCachedCompilers(t *testing.T) {
	home := t.TempDir()
	hardhats := filepath.Join(home, ".cache", "hardhat-nodejs")
	linux := filepath.Join(hardhats, "compilers-v2", "linux-amd64")
	nativeSolc(t, filepath.Join(home, ".svm", "0.8.17", "solc-0.8.17"), "0.8.17")
	nativeSolc(t, filepath.Join(home, ".local", "share", "svm", "0.8.20", "solc-0.8.20"), "0.8.20")
	nativeSolc(t, filepath.Join(linux, "solc-linux-amd64-v0.8.24+commit.e11b9ed9"), "0.8.24")
	nativeSolc(t, filepath.Join(linux, "solc-linux-amd64-v0.8.26+commit.8a97fa7a"), "0.8.26")
	testfiles.Write(t, filepath.Join(linux, "solc-linux-amd64-v0.8.26+commit.8a97fa7a.does.not.work"), "")
	testfiles.Write(t, filepath.Join(linux, "solc-linux-amd64-v0.8.27+commit.40a35a09"), "half a download")
	testfiles.Write(t, filepath.Join(linux, "list.json"), "{}")
	nativeSolc(t, filepath.Join(linux, "solc-linux-amd64-latest"), "0.8.99")
	soljson := filepath.Join(hardhats, "compilers-v3", "wasm", "soljson-v0.7.6+commit.7338295f.js")
	testfiles.Write(t, soljson, "")
	if err := os.Remove(soljson); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(testfiles.NodeModules(t), "solc-0.7.6", "soljson.js"), soljson); err != nil {
		t.Fatal(err)
	}
	node, err := checkout{}.findNode()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cachedCompilers(home, node, reading.Limits{}) {
		got = append(got, c.version.String())
	}
	if want := []string{"0.8.17", "0.8.20", "0.8.24", "0.7.6"}; !slices.Equal(got, want) {
		t.Errorf("versions %q, want %q", got, want)
	}
	if len(cachedCompilers(home, "", reading.Limits{})) != 3 || cachedCompilers("", node, reading.Limits{}) != nil {
		t.Error("compilers without node or home")
	}
	options := Options{Home: home, table: releaseTable{}}
	for pragma, want := range map[string]string{"^0.8.0": "0.8.24+commit.01234567", "^0.7.0": "0.7.6+commit.7338295f"} {
		c, err := Find(t.Context(), []string{pragma}, options)
		if err != nil || c.Version() != want {
			t.Errorf("%s: %v, %v", pragma, c, err)
		}
	}
	// One that does not run here gives way to the next.
	nativeSolc(t, filepath.Join(home, ".svm", "0.8.25", "solc-0.8.25"), "")
	if c, err := Find(t.Context(), []string{"^0.8.0"}, options); err != nil || c.version.Patch != 24 {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := Find(t.Context(), []string{"=0.8.25"}, options); !errors.Is(err, ErrNoCompiler) {
		t.Errorf("error %v", err)
	}
}
