package change

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
)

// warnUncompiledTests warns of Foundry projects whose tests are in no build: their set-ups are not used,
// and what only they call is not fuzzed.
func (c *Change) warnUncompiledTests() {
	if slices.ContainsFunc(c.Table.Contracts(), func(contract *bytecode.Contract) bool {
		role, _ := world.RoleOf(contract)
		return role == world.Test
	}) {
		return
	}
	for _, folder := range c.folders {
		dir := filepath.Join(c.Root, filepath.FromSlash(folder))
		if _, err := os.Stat(filepath.Join(dir, "foundry.toml")); err != nil {
			continue
		}
		for _, pattern := range []string{"test/*.t.sol", "test/*/*.t.sol", "src/test/*.t.sol"} {
			if tests, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern))); err == nil && len(tests) > 0 {
				c.log.Warn("the tests of %s are in no build: none of their set-ups is used, and code that only tests call is not fuzzed; install Foundry, so that forge builds them, or name forge's output with --build", human.Printable(projectName(folder)))
				return
			}
		}
	}
}

// projectName is a project's folder for people.
func projectName(folder string) string {
	if folder == "." {
		return "the project"
	}
	return folder
}
