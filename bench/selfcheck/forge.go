package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/soljson"
	"github.com/sightline-evm/sightline/report"
)

// confirmed is what forge says of the Foundry test of a mistake.
type confirmed struct {
	project *project
	mutant  *report.Mutant
	with    string // its status with the mistake, "Failure" as it should be
	without string // and without
}

// holds reports whether the test fails because of the mistake.
func (c *confirmed) holds() bool { return c.with == "Failure" && c.without == "Success" }

// leastSolc compiles the Foundry tests that Sightline writes.
var leastSolc = solc.Version{Minor: 6, Patch: 2}

// testable reports whether the tests and the project can be compiled together.
func (p *project) testable() bool {
	if p.example != "" {
		return true
	}
	version, err := solc.ParseVersion(p.Solc)
	return err == nil && !version.Less(leastSolc)
}

// sample chooses so many of the mistakes with a test that fails with them, in turns from all results.
func sample(results []result, most int) (list []confirmed) {
	for round := 0; len(list) < most; round++ {
		before := len(list)
		for i := range results {
			if results[i].check == nil || !results[i].project.testable() {
				continue
			}
			nth := 0
			for j := range results[i].check.Mutants {
				m := &results[i].check.Mutants[j]
				if m.Test == nil || !m.Test.Fails {
					continue
				}
				if nth++; nth == round+1 && len(list) < most {
					list = append(list, confirmed{project: results[i].project, mutant: m})
				}
			}
		}
		if len(list) == before {
			break
		}
	}
	return list
}

// confirm runs the tests of so many mistakes under forge, with the mistake and without.
func confirm(ctx context.Context, run *harness.Run, modules string, results []result, most int) ([]confirmed, error) {
	list := sample(results, most)
	for i := range list {
		c := &list[i]
		folder := filepath.Join(run.Cache, "selfcheck", "forge")
		if err := os.RemoveAll(folder); err != nil {
			return nil, err
		}
		var err error
		if c.without, err = c.project.test(ctx, run, modules, folder, c.mutant, false); err == nil {
			c.with, err = c.project.test(ctx, run, modules, folder, c.mutant, true)
		}
		if ctx.Err() != nil {
			return list[:i], ctx.Err()
		}
		if err != nil {
			c.with = err.Error()
		}
		run.Logf("forge: %s %s: %s with it, %s without", c.project.name(), c.mutant.Description, c.with, c.without)
	}
	return list, nil
}

// forgeConfig has forge compile the test and what it imports, and nothing else.
const forgeConfig = `[profile.default]
src = "sightline-no-sources"
test = "test"
solc = %q
offline = true
optimizer = false
`

// named is the name of a test's function.
var named = regexp.MustCompile(`function (test_\w+)\(`)

// test runs the Foundry test of a mistake in a copy of the project, and returns its status.
func (p *project) test(ctx context.Context, run *harness.Run, modules, folder string, m *report.Mutant, planted bool) (string, error) {
	root, sources, version := filepath.Join(run.Root, "examples", p.example, "head"), ".", exampleSolc
	if p.example == "" {
		var err error
		if root, err = p.Prepare(modules, filepath.Join(run.Cache, "selfcheck", strings.ReplaceAll(p.name(), "/", "-"))); err != nil {
			return "", err
		}
		sources, version = p.Sources, p.Solc
	}
	if err := errors.Join(os.RemoveAll(folder), os.CopyFS(filepath.Join(folder, sources), os.DirFS(filepath.Join(root, sources)))); err != nil {
		return "", err
	}
	if planted {
		if err := apply(folder, m.Patch); err != nil {
			return "", err
		}
	}
	program, err := soljson.Program(folder, filepath.Join(modules, "solc-"+version, "soljson.js"))
	if err != nil {
		return "", err
	}
	name := named.FindStringSubmatch(m.Test.Text)
	if name == nil {
		return "", errors.New("the test has no function")
	}
	err = errors.Join(os.MkdirAll(filepath.Join(folder, "test"), 0o755), os.WriteFile(filepath.Join(folder, "test", "SL.t.sol"), []byte(m.Test.Text), 0o600),
		os.WriteFile(filepath.Join(folder, "foundry.toml"), fmt.Appendf(nil, forgeConfig, program), 0o600))
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(modules, "@foundry-rs", "forge-linux-amd64", "bin", "forge"), "test", "--json", "--match-path", "test/SL.t.sol", "--match-test", "^"+name[1]+`\(`)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "FOUNDRY_DISABLE_NIGHTLY_WARNING=1", "NO_COLOR=1")
	out, _ := cmd.Output() // a test that fails is a failure of the program
	var suites map[string]struct {
		Results map[string]struct{ Status string } `json:"test_results"`
	}
	_ = json.Unmarshal(out, &suites) // anything but JSON says that nothing ran
	for _, suite := range suites {
		for _, result := range suite.Results {
			return result.Status, nil
		}
	}
	return "does not run", nil
}

// apply plants a mistake in a project's copy: its patch is of one file.
func apply(folder, patch string) error {
	d, err := unified.Parse([]byte(patch), unified.Limits{})
	if err != nil || len(d.Files) != 1 {
		return fmt.Errorf("the patch cannot be read: %w", err)
	}
	f := &d.Files[0]
	file := filepath.Join(folder, filepath.FromSlash(f.NewPath))
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(text), "\n")
	for i := len(f.Edits) - 1; i >= 0; i-- {
		e := &f.Edits[i]
		var with []string
		for _, line := range e.New {
			with = append(with, line+"\n")
		}
		lines = append(lines[:e.OldStart-1:e.OldStart-1], append(with, lines[e.OldStart-1+len(e.Old):]...)...)
	}
	return os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600)
}

// ofForge is the table of what forge says.
func ofForge(list []confirmed) (harness.Table, int) {
	t := harness.Table{Title: "under forge", Columns: []string{"project", "mistake", "told by", "test with the mistake", "test without"}}
	holds := 0
	for i := range list {
		c := &list[i]
		t.Add(c.project.name(), c.mutant.Place()+" "+c.mutant.Description, strings.Join(c.mutant.Oracles, ", "), c.with, c.without)
		if c.holds() {
			holds++
		}
	}
	return t, holds
}
