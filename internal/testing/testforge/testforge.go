// Package testforge runs forge's tests for tests, with the forge and the solc that ./test
// installs from npm.
package testforge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/sightline-evm/sightline/internal/soljson"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// config is foundry.toml: the compiler, no network, and the files of the project.
const config = `[profile.default]
solc = %q
offline = true
optimizer = false
fs_permissions = [{ access = "read", path = "./" }]
`

// Result is what forge says of a test function.
type Result struct {
	Status string // "Success", "Failure", "Skipped"
	Reason string
	Logs   []string `json:"decoded_logs"`
}

// Program is where forge is.
func Program(t testing.TB) string {
	t.Helper()
	modules := filepath.Dir(filepath.Dir(testsolc.Soljson(t, "")))
	path := filepath.Join(modules, "@foundry-rs", fmt.Sprintf("forge-%s-%s", runtime.GOOS, runtime.GOARCH), "bin", "forge")
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run ./test once, it installs forge", err)
	}
	return path
}

// Test runs forge on the files of a folder called test, by their names, and gives its
// results by contract ("test/Name.t.sol:NameTest") and function ("testIt()").
func Test(t testing.TB, files map[string][]byte) map[string]map[string]Result {
	t.Helper()
	return TestOn(t, files, "")
}

// TestOn is Test with more tables of foundry.toml.
func TestOn(t testing.TB, files map[string][]byte, tables string) map[string]map[string]Result {
	t.Helper()
	forge, folder := Program(t), t.TempDir()
	solc, err := soljson.Program(folder, testsolc.Soljson(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "test"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, "test", name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "foundry.toml"), fmt.Appendf(nil, config+tables, solc), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(forge, "test", "--json", "-vv", "--threads", "1")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "FOUNDRY_DISABLE_NIGHTLY_WARNING=1", "NO_COLOR=1", "HOME="+folder,
		"PATH="+testsolc.StandIn(t)+string(os.PathListSeparator)+os.Getenv("PATH"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) { // 1: a test failed
		t.Fatal(err)
	}
	var suites map[string]struct {
		Results map[string]Result `json:"test_results"`
	}
	if err := json.Unmarshal(out, &suites); err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.Bytes())
	}
	results := map[string]map[string]Result{}
	for contract, suite := range suites {
		results[contract] = suite.Results
	}
	return results
}
