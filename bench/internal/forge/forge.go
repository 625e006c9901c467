// Package forge runs Foundry's fuzzer on projects that comparisons make, to
// measure it alongside Sightline.
package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/internal/soljson"
)

// Version is the forge that is measured.
const Version = "1.7.1"

// Packages are forge and a compiler, from npm.
func Packages(solc string) harness.Packages {
	return harness.Packages{
		"@foundry-rs/forge":             Version,
		"@foundry-rs/forge-linux-amd64": Version,
	}.Solc(solc)
}

// config is foundry.toml. What is not forge's default: the compiler and its
// optimizer, as on the other side; no calls of other networks; the time limits,
// with more runs than fit in them; no shrinking of what was found, which the
// other side's times do not include either; files may be written, in the project; and,
// for coverage guidance, a folder.
const config = `[profile.default]
solc = %q
offline = true
optimizer = false
fs_permissions = [{ access = "read-write", path = "./" }]

[fuzz]
runs = 1000000000
timeout = %[2]d

[invariant]
runs = 1000000000
timeout = %[2]d
fail_on_revert = false
shrink_run_limit = 0
%[3]s`

// Project is a Foundry project.
type Project struct {
	forge  string
	folder string
	solc   string
}

// NewProject writes a project's files, by their path in it, to a folder. modules
// is where [Packages] with the compiler's version were installed.
func NewProject(folder, modules, solc string, files map[string][]byte) (*Project, error) {
	p := &Project{
		forge:  filepath.Join(modules, "@foundry-rs", "forge-linux-amd64", "bin", "forge"),
		folder: folder,
	}
	if err := Write(folder, files); err != nil {
		return nil, err
	}
	var err error
	p.solc, err = soljson.Program(folder, filepath.Join(modules, "solc-"+solc, "soljson.js"))
	return p, err
}

// Write writes files, by their path in a folder.
func Write(folder string, files map[string][]byte) error {
	for name, text := range files {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// TestRun is what forge says of the tests of one contract.
type TestRun struct {
	Calls   float64 // of target contracts, or runs of stateless tests
	Seconds float64
	Broken  bool // an assert failed
}

// Run runs the tests of one contract with one thread. Nothing of earlier runs is
// left but what was compiled.
func (p *Project) Run(ctx context.Context, contract string, guided bool, limit time.Duration, seed uint64) (*TestRun, error) {
	corpus := ""
	if guided {
		corpus = "corpus_dir = \"corpus\"\n"
	}
	seconds := max(1, int(limit.Round(time.Second).Seconds())) // forge takes whole ones
	text := fmt.Appendf(nil, config, p.solc, seconds, corpus)
	if err := os.WriteFile(filepath.Join(p.folder, "foundry.toml"), text, 0o600); err != nil {
		return nil, err
	}
	for _, kept := range []string{"corpus", "cache/invariant", "cache/fuzz"} { // forge tries earlier failures first
		if err := os.RemoveAll(filepath.Join(p.folder, filepath.FromSlash(kept))); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, p.forge, "test", "--json", "--threads", "1", "--match-contract", "^"+contract+"$",
		"--fuzz-seed", strconv.FormatUint(seed, 10))
	cmd.Dir = p.folder
	cmd.Env = append(os.Environ(), "FOUNDRY_DISABLE_NIGHTLY_WARNING=1", "NO_COLOR=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) || ctx.Err() != nil { // 1: a test failed
		return nil, fmt.Errorf("forge test: %w: %s", err, stderr.Bytes())
	}
	r, err := readTests(out)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	return r, nil
}

// suites is what is read of forge's JSON, by the tests' contract.
type suites map[string]suite

type suite struct {
	Results map[string]struct {
		Status   string
		Reason   string
		Duration string
		Kind     struct {
			Invariant *struct{ Calls float64 }
			Fuzz      *struct{ Runs float64 }
		}
	} `json:"test_results"`
}

// readTests sums up forge's JSON: one object with the tests, among others that
// tell what happens meanwhile.
func readTests(text []byte) (*TestRun, error) {
	i := bytes.Index(text, []byte(`{"`)) // what stands before is for people
	if i < 0 {
		return nil, errors.New("forge wrote no JSON")
	}
	r := &TestRun{}
	for values := json.NewDecoder(bytes.NewReader(text[i:])); ; {
		var value json.RawMessage
		if err := values.Decode(&value); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("forge's JSON: %w", err)
		}
		var all suites
		if json.Unmarshal(value, &all) != nil {
			continue // an event
		}
		for name, s := range all {
			if err := r.add(s); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	if r.Seconds == 0 {
		return nil, errors.New("forge ran no test")
	}
	return r, nil
}

// add takes in the tests of one contract. A failure other than a failed assert
// is an error: by construction, nothing else in the tests can fail.
func (r *TestRun) add(s suite) error {
	for name, result := range s.Results {
		seconds, err := parseDuration(result.Duration)
		if err != nil {
			return err
		}
		r.Seconds += seconds
		if result.Kind.Invariant != nil {
			r.Calls += result.Kind.Invariant.Calls
		}
		if result.Kind.Fuzz != nil {
			r.Calls += result.Kind.Fuzz.Runs
		}
		if result.Status != "Success" {
			if !strings.Contains(result.Reason, "assertion failed") {
				return fmt.Errorf("%s: %s: %s", name, result.Status, result.Reason)
			}
			r.Broken = true
		}
	}
	return nil
}

// parseDuration reads forge's "5s 784ms 86µs 279ns", in seconds.
func parseDuration(text string) (float64, error) {
	d, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		return 0, fmt.Errorf("forge's JSON: %w", err)
	}
	return d.Seconds(), nil
}
