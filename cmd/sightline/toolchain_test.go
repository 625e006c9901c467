package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sightline-evm/sightline/internal/programfile"
	"github.com/sightline-evm/sightline/internal/soljson"
)

// cmdToolchain is "toolchain forge" or "toolchain hardhat": puts the tool and its
// compiler where a developer has them: forge in PATH and solc in Foundry's cache,
// or Hardhat in the project's node_modules and solc in Hardhat's cache. Both are
// those of npm.
func cmdToolchain(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 1, "toolchain forge|hardhat")
	solc, err := soljson.Program(ts.MkAbs("."), filepath.Join(ts.Getenv("NPM"), "solc", "soljson.js"))
	ts.Check(err)
	version, err := longVersion(solc)
	ts.Check(err)
	switch args[0] {
	case "forge":
		short, _, _ := strings.Cut(version, "+")
		ts.Check(move(solc, filepath.Join(ts.Getenv("HOME"), ".svm", short, "solc-"+short)))
		bin := filepath.Join(ts.Getenv("NPM"), "@foundry-rs", fmt.Sprintf("forge-%s-%s", runtime.GOOS, runtime.GOARCH), "bin")
		if _, err := os.Stat(filepath.Join(bin, "forge")); err != nil {
			ts.Fatalf("%v: run ./test once, it installs forge", err)
		}
		ts.Setenv("PATH", ts.Getenv("PATH")+string(os.PathListSeparator)+bin)
	case "hardhat":
		// Scripts share a cache, and others are to find no compiler in it.
		ts.Setenv("XDG_CACHE_HOME", filepath.Join(ts.Getenv("HOME"), ".cache"))
		ts.Check(writeHardhatCache(filepath.Join(hardhatCache(ts), "compilers-v2", hardhatPlatform()), solc, version))
		ts.Check(os.Symlink(ts.Getenv("NPM"), ts.MkAbs("node_modules")))
	default:
		ts.Fatalf("no tool is called %s", args[0])
	}
}

// longVersion is the version that a solc reports, without the platform. All that scripts use are of the same compiler, which
// is asked once.
func longVersion(solc string) (string, error) {
	solcVersion.Do(func() { solcVersion.text, solcVersion.err = exec.Command(solc, "--version").Output() })
	out, err := solcVersion.text, solcVersion.err
	if err != nil {
		return "", err
	}
	m := regexp.MustCompile(`Version: (\d+\.\d+\.\d+\+commit\.[0-9a-f]+)`).FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("%s says no version: %s", solc, out)
	}
	return string(m[1]), nil
}

var solcVersion struct {
	sync.Once
	text []byte
	err  error
}

// move moves a program, to another file system too.
func move(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), programfile.Write(to, text, 0o755), os.Remove(from))
}

// hardhatCache is where Hardhat keeps files between runs (npm's env-paths).
func hardhatCache(ts *testscript.TestScript) string {
	if runtime.GOOS == "darwin" {
		return filepath.Join(ts.Getenv("HOME"), "Library", "Caches", "hardhat-nodejs")
	}
	return filepath.Join(ts.Getenv("XDG_CACHE_HOME"), "hardhat-nodejs")
}

// hardhatPlatform is Hardhat's name of the platform whose compilers it takes.
func hardhatPlatform() string {
	if runtime.GOOS == "darwin" {
		return "macosx-amd64"
	}
	return "linux-amd64" // whatever the processor
}

// writeHardhatCache writes a list of compilers with one, as Hardhat downloads it,
// and the compiler.
func writeHardhatCache(folder, solc, version string) error {
	type build struct {
		Path        string `json:"path"`
		Version     string `json:"version"`
		LongVersion string `json:"longVersion"`
	}
	name := "solc-" + filepath.Base(folder) + "-v" + version
	short, _, _ := strings.Cut(version, "+")
	list, err := json.Marshal(map[string]any{"builds": []build{{name, short, version}}})
	if err != nil {
		return err
	}
	return errors.Join(move(solc, filepath.Join(folder, name)), os.WriteFile(filepath.Join(folder, "list.json"), list, 0o644))
}
