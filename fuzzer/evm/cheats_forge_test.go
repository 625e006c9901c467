package evm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/soljson"
	"github.com/sightline-evm/sightline/internal/testsolc"
)

// forgeConfig is foundry.toml: the compiler, no network, and the files of the project.
const forgeConfig = `[profile.default]
solc = %q
offline = true
optimizer = false
fs_permissions = [{ access = "read", path = "./" }]
`

// forgeResult is what forge says of a test function.
type forgeResult struct {
	Status, Reason string
	Logs           []string `json:"decoded_logs"`
}

// forgeTest runs forge on the sources, by their names, and gives its results by
// contract and function.
func forgeTest(t *testing.T, sources map[string][]byte) map[string]map[string]forgeResult {
	t.Helper()
	soljs := testsolc.Soljson(t, "")
	modules := filepath.Dir(filepath.Dir(soljs))
	forge := filepath.Join(modules, "@foundry-rs", fmt.Sprintf("forge-%s-%s", runtime.GOOS, runtime.GOARCH), "bin", "forge")
	if _, err := os.Stat(forge); err != nil {
		t.Fatalf("%v: run ./test once, it installs forge", err)
	}
	folder := t.TempDir()
	solc, err := soljson.Program(folder, soljs)
	if err != nil {
		t.Fatal(err)
	}
	sources["../foundry.toml"] = fmt.Appendf(nil, forgeConfig, solc)
	if err := os.Mkdir(filepath.Join(folder, "test"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range sources {
		if err := os.WriteFile(filepath.Join(folder, "test", name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(forge, "test", "--json", "-vv", "--threads", "1")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "FOUNDRY_DISABLE_NIGHTLY_WARNING=1", "NO_COLOR=1", "HOME="+folder)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var suites map[string]struct {
		Results map[string]forgeResult `json:"test_results"`
	}
	if err := json.Unmarshal(out, &suites); err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.Bytes())
	}
	results := map[string]map[string]forgeResult{}
	for contract, suite := range suites {
		results[contract] = suite.Results
	}
	return results
}

// TestForge: forge says of each function of the test contracts what their names say, and
// so what [TestCheatcodes] holds our machines to.
func TestForge(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(cheatsFolder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string][]byte{}
	for _, file := range files {
		if sources[filepath.Base(file)], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	tests := 0
	for contract, results := range forgeTest(t, sources) {
		for name, result := range results {
			tests++
			if passed := result.Status == "Success"; passed == strings.HasPrefix(name, "testBad") {
				t.Errorf("%s %s: %s %s", contract, name, result.Status, result.Reason)
			}
		}
	}
	if want := len(cheatTests(t)); tests != want {
		t.Errorf("forge ran %d functions, we run %d", tests, want)
	}
}
