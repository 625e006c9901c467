package change

import (
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
)

// warnUncompiledTests warns once of Foundry projects whose tests are in no build: their set-ups are not
// used, and what only they call is not fuzzed.
func (c *Change) warnUncompiledTests() {
	if slices.ContainsFunc(c.Table.Contracts(), func(contract *bytecode.Contract) bool {
		role, _ := world.RoleOf(contract)
		return role == world.Test
	}) {
		return
	}
	held := map[string]bool{}
	for _, o := range c.Outputs {
		for _, source := range o.Sources {
			held[path.Join(o.Folder, source.Path)] = true
		}
	}
	var tests []string
	for _, folder := range c.folders {
		dir := filepath.Join(c.Root, filepath.FromSlash(folder))
		if _, err := os.Stat(filepath.Join(dir, "foundry.toml")); err != nil {
			continue
		}
		for _, pattern := range []string{"test/*.t.sol", "test/*/*.t.sol", "src/test/*.t.sol"} {
			found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
			if err != nil {
				continue
			}
			for _, file := range found {
				if name, err := filepath.Rel(c.Root, file); err == nil {
					if held[filepath.ToSlash(name)] {
						return // what it has are contracts under test, such as a fuzzer's harness
					}
					tests = append(tests, human.Printable(filepath.ToSlash(name)))
				}
			}
		}
	}
	if c.Untested = len(tests) > 0; c.Untested {
		c.log.Warn("no build holds the tests (%s): none of their set-ups is used, and code that only tests call is not fuzzed; install Foundry, and the libraries that they import, so that they are compiled, or name forge's output with --build", human.First(tests, 3))
	}
}
