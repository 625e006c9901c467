package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/internal/soljson"
)

// terminal is where a user types commands: it stays in the folder that the last one went to.
type terminal struct {
	hour   *hour
	folder string
	env    []string
}

// exampleSolc is the compiler that the example projects name.
const exampleSolc = "0.8.30"

// openTerminal gives the user a home of their own, with the compilers that Foundry and Hardhat
// have downloaded before, and forge; everything else is the machine's.
func (h *hour) openTerminal() (*terminal, error) {
	home, bin := filepath.Join(h.folder, "home"), filepath.Join(h.folder, "bin")
	if err := errors.Join(os.MkdirAll(home, 0o755), os.MkdirAll(bin, 0o755)); err != nil {
		return nil, err
	}
	if err := h.placeCompilers(home, bin); err != nil {
		return nil, err
	}
	forge := filepath.Join(h.tests(), "@foundry-rs", fmt.Sprintf("forge-%s-%s", runtime.GOOS, runtime.GOARCH), "bin")
	t := &terminal{hour: h, folder: h.folder, env: clean(os.Environ())}
	t.env = append(t.env, "HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "GOBIN="+bin, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=User", "GIT_AUTHOR_EMAIL=user@example.com", "GIT_COMMITTER_NAME=User", "GIT_COMMITTER_EMAIL=user@example.com",
		"PATH="+strings.Join([]string{bin, forge, os.Getenv("PATH")}, string(os.PathListSeparator)))
	// Go and npm would look for their settings and caches in the home.
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOENV").Output()
	values := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(values) != 3 {
		return nil, fmt.Errorf("go env: %q, %w", out, err)
	}
	if cold {
		values[0] = filepath.Join(h.folder, "go-build")
	}
	t.env = append(t.env, "GOCACHE="+values[0], "GOMODCACHE="+values[1], "GOENV="+values[2])
	real, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	if settings := filepath.Join(real, ".npmrc"); exists(settings) && os.Getenv("npm_config_userconfig") == "" {
		t.env = append(t.env, "npm_config_userconfig="+settings)
	}
	return t, nil
}

// tests is where the packages of ./test are.
func (h *hour) tests() string { return h.modules[len(h.modules)-1] }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// clean is an environment without what would give Sightline settings.
func clean(environment []string) []string {
	return slices.DeleteFunc(environment, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return name == "SOLC" || name == "FOUNDRY_PROFILE" || slices.ContainsFunc([]string{"SIGHTLINE_", "GITHUB_", "INPUT_", "RUNNER_"}, func(prefix string) bool {
			return strings.HasPrefix(name, prefix)
		})
	})
}

// placeCompilers puts the compiler where Foundry and Hardhat look for it.
func (h *hour) placeCompilers(home, temporary string) error {
	solc, err := soljson.Program(temporary, filepath.Join(h.tests(), "solc", "soljson.js"))
	if err != nil {
		return err
	}
	defer os.Remove(solc)
	text, err := exec.Command(solc, "--version").Output()
	if err != nil {
		return fmt.Errorf("solc --version: %w", err)
	}
	version, err := longVersion(string(text))
	if err != nil {
		return err
	}
	hardhat, platform := filepath.Join(home, ".cache", "hardhat-nodejs"), "linux-amd64"
	if runtime.GOOS == "darwin" {
		hardhat, platform = filepath.Join(home, "Library", "Caches", "hardhat-nodejs"), "macosx-amd64"
	}
	hardhat = filepath.Join(hardhat, "compilers-v2", platform)
	name := "solc-" + platform + "-v" + version
	list := fmt.Sprintf(`{"builds": [{"path": %q, "version": %q, "longVersion": %q}]}`, name, exampleSolc, version)
	return errors.Join(
		copyFile(solc, filepath.Join(home, ".svm", exampleSolc, "solc-"+exampleSolc), 0o755),
		copyFile(solc, filepath.Join(hardhat, name), 0o755),
		os.WriteFile(filepath.Join(hardhat, "list.json"), []byte(list), 0o600))
}

// longVersion reads what solc --version prints: 0.8.30+commit.73712a01, without the platform.
func longVersion(text string) (string, error) {
	_, version, ok := strings.Cut(text, "Version: ")
	parts := strings.Split(strings.TrimSpace(version), ".")
	if !ok || len(parts) < 4 {
		return "", fmt.Errorf("solc says no version: %q", text)
	}
	return strings.Join(parts[:4], "."), nil
}

func copyFile(from, to string, mode os.FileMode) error {
	data, err := os.ReadFile(from)
	return cmp.Or(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, mode))
}

// do runs a command, and returns its seconds, its exit code and all that it printed.
func (t *terminal) do(ctx context.Context, command string) (seconds float64, code int, out string, err error) {
	after := filepath.Join(t.hour.folder, "folder") // that the command goes to
	script := command + "\ncode=$?; pwd -P > " + strconv.Quote(after) + "; exit $code"
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Dir, cmd.Env = t.folder, t.env
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	start := t.hour.run.Now()
	err = cmd.Run()
	seconds = t.hour.run.Now().Sub(start).Seconds()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		return seconds, 0, text.String(), cmp.Or(ctx.Err(), err)
	}
	folder, err := os.ReadFile(after)
	if err != nil {
		return seconds, 0, text.String(), err
	}
	t.folder = strings.TrimSpace(string(folder))
	return seconds, cmd.ProcessState.ExitCode(), text.String(), nil
}
