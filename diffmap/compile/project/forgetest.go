package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// ForgeTests are Foundry tests of ours that import a project's sources.
type ForgeTests struct {
	Root string // the project's folder
	// Sources are the texts of the tests by the name of their file, without folders. They
	// import the project's sources below [ForgeImports]. Their contracts' names begin with
	// Sightline_, and their functions' with test_SL.
	Sources map[string]string
	// Imports are the folders of the project whose sources they import, with slashes and
	// relative to Root.
	Imports []string
	Names   []string // of environment variables that builds may see
	// Repository is the folder of the checkout that holds the project; empty: Root.
	Repository string
	Strangers  bool // as in [FindOptions]
}

// ForgeImports is what the paths of the project's sources begin with in [ForgeTests].
const ForgeImports = "sightline-project/"

// ForgeResult is what forge says of a test function.
type ForgeResult struct {
	Status string // "Success", "Failure", "Skipped"
	Reason string // of a failure
}

// maxForgeTests bounds how long forge may take to compile and run tests. What they import has
// been built before, within twice that.
const maxForgeTests = 5 * time.Minute

// RunForgeTests runs tests under forge as a project's build is run, and returns the results
// by contract and function, "Sightline_SL_1" and "test_SL_1()". Nothing is written to the project,
// and nothing is compiled but the tests and what they import. Where a set-up fails, the
// function is "setUp()". It tells progress before forge runs.
func RunForgeTests(ctx context.Context, t ForgeTests, progress func(command string)) (map[string]map[string]ForgeResult, error) {
	f, setup, program, err := t.forge(maxForgeTests, progress)
	if err != nil {
		return nil, err
	}
	c := command{Setup: setup, argv: []string{program, "test", "--json", "--offline", "--build-info", "--match-contract", "^Sightline_", "--match-test", "^test_SL"}, shown: []string{"forge", "test"}, temporary: true}
	folder, err := c.prepare()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	tests := filepath.Join(folder, "tests")
	c.env = []string{
		"FOUNDRY_DISABLE_NIGHTLY_WARNING=1", "FOUNDRY_LINT_LINT_ON_BUILD=false", "FOUNDRY_SRC=" + tests, "FOUNDRY_TEST=" + tests,
		"FOUNDRY_TEST_FAILURES_FILE=" + filepath.Join(folder, "cache", "test-failures"),
	}
	for _, imported := range t.Imports {
		imported = path.Clean(imported)
		c.argv = append(c.argv, "--remappings", ForgeImports+imported+"/="+imported+"/")
	}
	if err := writeTests(tests, t.Sources); err != nil {
		return nil, err
	}
	where, done, err := f.placeFor(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	output := &tail{limit: maxForgeOutput}
	c.stdout = output
	heard, finished := f.during(c.String())
	_, err = f.run(ctx, where, c, heard)
	finished()
	if results, ok := readForgeResults(output.bytes()); ok {
		return results, nil // a test that fails is a failure of the program, too
	}
	if err == nil {
		err = fmt.Errorf("%s ended well, but gave no results", c.String())
	}
	return nil, briefly(err)
}

// briefly is why forge gave no results, in a line: findings say it, where advice for builds does not help.
func briefly(err error) error {
	var e *reading.Error
	if !errors.As(err, &e) {
		return err
	}
	said := ""
	for line := range strings.Lines(e.Excerpt) {
		line = strings.TrimLeft(strings.TrimSpace(line), "| ")
		if told := toldError.MatchString(line); line != "" && (told || !toldError.MatchString(said)) {
			if said = line; told {
				break
			}
		}
	}
	if said == "" {
		return fmt.Errorf("%s: %s", e.Origin, e.Problem)
	}
	return fmt.Errorf("%s: %s: %s", e.Origin, e.Problem, said)
}

// toldError are the lines with which forge, solc and git say what is wrong.
var toldError = regexp.MustCompile(`(?i)\b(?:error|fatal)\b`)

// forge finds the program that runs the tests, and how the project is set up; an error says that it has no foundry.toml, or that forge is not
// installed.
func (t *ForgeTests) forge(limit time.Duration, progress func(command string)) (f *finder, setup settings.Setup, program string, err error) {
	root, err := filepath.Abs(t.Root)
	if err != nil {
		return nil, setup, "", fmt.Errorf("%s: %w", t.Root, err)
	}
	f = &finder{root: root, shown: t.Root, FindOptions: FindOptions{Env: t.Names, Timeout: limit, Progress: progress, Strangers: t.Strangers, Compilers: solc.Options{Repository: t.Repository}}}
	setups := settings.Detect(root, os.Getenv)
	i := slices.IndexFunc(setups, func(s settings.Setup) bool { return s.Tool == settings.ToolFoundry && s.Config != "" })
	program = f.program(programs[settings.ToolFoundry])
	switch {
	case i < 0:
		return nil, setup, "", errors.New("the project has no foundry.toml")
	case program == "":
		return nil, setup, "", errors.New("forge is not installed")
	}
	return f, setups[i], program, nil
}

// maxForgeOutput is how much of forge's results is kept: some kilobytes for each test.
const maxForgeOutput = 4 << 20

// writeTests writes tests where every user can read them.
func writeTests(folder string, sources map[string]string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for name, text := range sources {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil { //nolint:gosec // the tool's user reads it
			return err
		}
	}
	return nil
}

// testName is the key of a function in forge's results.
var testName = regexp.MustCompile(`^[A-Za-z0-9_$]+\(\)$`)

// readForgeResults reads what `forge test --json` prints, after what else it may have said.
func readForgeResults(out []byte) (map[string]map[string]ForgeResult, bool) {
	suites, ok := readForgeSuites(out)
	if !ok {
		return nil, false
	}
	results := map[string]map[string]ForgeResult{}
	for name, suite := range suites { // "…/SL_1.t.sol:Sightline_1"
		contract := name[strings.LastIndex(name, ":")+1:]
		results[contract] = map[string]ForgeResult{}
		for function, result := range suite.Results {
			if !testName.MatchString(function) {
				continue // fuzz tests that ours inherit
			}
			r := ForgeResult{Status: result.Status}
			if result.Reason != nil {
				r.Reason = *result.Reason
			}
			results[contract][function] = r
		}
	}
	return results, true
}

// forgeSuite are the results of a test contract.
type forgeSuite struct {
	Results map[string]struct {
		Status string  `json:"status"`
		Reason *string `json:"reason"`
	} `json:"test_results"`
}

// readForgeSuites reads what `forge test --json` prints, by "test/Vault.t.sol:VaultTest"; false where it ran no tests.
func readForgeSuites(out []byte) (suites map[string]forgeSuite, ok bool) {
	begin := strings.Index(string(out), "{")
	if begin < 0 {
		return nil, false
	}
	err := json.NewDecoder(strings.NewReader(string(out[begin:]))).Decode(&suites)
	return suites, err == nil && len(suites) > 0
}
