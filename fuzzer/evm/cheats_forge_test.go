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

// TestForge: forge says of each function of the test contracts what their names say, and
// so what [TestCheatcodes] holds our machines to.
func TestForge(t *testing.T) {
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
	if err := os.CopyFS(filepath.Join(folder, "test"), os.DirFS(cheatsFolder)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "foundry.toml"), fmt.Appendf(nil, forgeConfig, solc), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(forge, "test", "--json", "--threads", "1")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "FOUNDRY_DISABLE_NIGHTLY_WARNING=1", "NO_COLOR=1", "HOME="+folder)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var suites map[string]struct {
		Results map[string]struct{ Status, Reason string } `json:"test_results"`
	}
	if err := json.Unmarshal(out, &suites); err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.Bytes())
	}
	tests := 0
	for contract, suite := range suites {
		for name, result := range suite.Results {
			tests++
			if passed := result.Status == "Success"; passed == strings.HasPrefix(name, "testBad") {
				t.Errorf("%s %s: %s %s", contract, name, result.Status, result.Reason)
			}
		}
	}
	if want := len(cheatTests(t)); tests != want {
		t.Errorf("forge ran %d functions, we run %d\n%s", tests, want, stderr.Bytes())
	}
}
