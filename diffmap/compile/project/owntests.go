package project

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// OwnTests are a project's own Foundry tests, to be run on edits of its sources: in a copy of the checkout, so that nothing is written
// to it.
type OwnTests struct {
	finder  *finder
	where   place
	command command
	folders []string // to remove
	done    func()
	failing []string // without an edit
}

// maxOwnTests bounds how long a project's own tests may take, each time. Arbitrary: those that take longer are not run on every edit.
const maxOwnTests = 5 * time.Minute

// maxOwnOutput is how much of forge's results is kept. Arbitrary: those of a project with thousands of tests are a few megabytes.
const maxOwnOutput = 64 << 20

// OpenOwnTests copies a project, and runs its tests once as they are. The options are those of [ForgeTests], without sources. An
// error says that there are none that could be run: no foundry.toml, no forge, or sources that do not compile.
func OpenOwnTests(ctx context.Context, t ForgeTests, progress func(command string)) (*OwnTests, error) {
	f, setup, program, err := t.forge(maxOwnTests, progress)
	if err != nil {
		return nil, err
	}
	own := &OwnTests{finder: f, command: command{Setup: setup, argv: []string{program, "test", "--json", "--offline", "--build-info", "--fuzz-seed", "1"}, shown: []string{"forge", "test"}, temporary: true,
		env: []string{"FOUNDRY_DISABLE_NIGHTLY_WARNING=1", "FOUNDRY_LINT_LINT_ON_BUILD=false"}}}
	folder, err := own.command.prepare()
	if err != nil {
		return nil, err
	}
	own.folders = append(own.folders, folder)
	if own.where, own.done, err = f.placeFor(ctx); err == nil && own.where.copy == "" {
		err = own.copy(ctx, t.Repository)
	}
	if err == nil {
		own.failing, err = own.run(ctx)
		f.Progress = nil // once is enough
	}
	if err != nil {
		own.Close()
		return nil, err
	}
	return own, nil
}

// copy copies the checkout for its owner.
func (t *OwnTests) copy(ctx context.Context, repository string) error {
	folder, err := os.MkdirTemp("", "sightline-tests-")
	if err != nil {
		return err
	}
	t.folders = append(t.folders, folder)
	t.where = place{checkout: t.finder.root, copy: filepath.Join(folder, "project")}
	if repository != "" {
		t.where.checkout = repository
	}
	return copyTree(ctx, t.where.checkout, t.where.copy, func(string) error { return nil })
}

// Close removes the copy.
func (t *OwnTests) Close() {
	if t.done != nil {
		t.done()
	}
	for _, folder := range t.folders {
		_ = os.RemoveAll(folder) // what is left in a temporary folder does no harm
	}
}

// Failing are the tests that fail without an edit, "test/Vault.t.sol:VaultTest.testDeposit()".
func (t *OwnTests) Failing() []string { return t.failing }

// Run runs the tests with another text of a file of the checkout, an absolute path, and returns those that fail then and do not
// otherwise. compiles is false where the project does not compile with it: the tests could not pass.
func (t *OwnTests) Run(ctx context.Context, file string, text []byte) (failed []string, compiles bool, err error) {
	there := t.where.of(file)
	if there == file {
		return nil, false, fmt.Errorf("%s is not in the checkout", file)
	}
	was, err := os.ReadFile(there)
	if err != nil {
		return nil, false, err
	}
	if err := os.WriteFile(there, text, 0o644); err != nil { //nolint:gosec // forge may run as another user
		return nil, false, err
	}
	failed, err = t.run(ctx)
	if restored := os.WriteFile(there, was, 0o644); restored != nil { //nolint:gosec // as above
		return nil, false, restored
	}
	var none *noResultsError
	if errors.As(err, &none) {
		return nil, false, nil
	}
	failed = slices.DeleteFunc(failed, func(name string) bool { return slices.Contains(t.failing, name) })
	return failed, true, err
}

// noResultsError says that forge ran no test: the sources do not compile, or there are none.
type noResultsError struct{ error }

func (t *OwnTests) run(ctx context.Context) (failed []string, err error) {
	c := t.command
	output := &tail{limit: maxOwnOutput}
	c.stdout = output
	heard, finished := t.finder.during(c.String())
	_, err = t.finder.run(ctx, t.where, c, heard)
	finished()
	suites, ok := readForgeSuites(output.bytes())
	if !ok && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !ok && err == nil {
		err = errors.New("forge runs no tests in this project")
	}
	if !ok {
		return nil, &noResultsError{err}
	}
	for _, contract := range slices.Sorted(maps.Keys(suites)) {
		for _, function := range slices.Sorted(maps.Keys(suites[contract].Results)) {
			if suites[contract].Results[function].Status == "Failure" {
				failed = append(failed, contract+"."+function)
			}
		}
	}
	return failed, nil // a test that fails is a failure of the program, too
}
