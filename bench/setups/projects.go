package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/clones"
	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/internal/soljson"
)

// uniswap is an npm package that holds three repositories as they are, tests
// included: its own, and those of two dependencies below lib/.
const uniswap = "@uniswap/v4-core"

// project is a Foundry project by others: of the package, or HEAD of a local clone, as it is.
type project struct {
	name     string
	clone    string   // its folder; empty: the project is of the package, to which the rest applies
	from     string   // its folder in the package
	files    []string // what of it is copied
	sources  string   // folder of the contracts under test
	tests    string   // folder below which tests and stand-ins are
	solc     string
	fuzzRuns int    // of forge's tests with arguments; 0: fuzzRuns
	settings string // further lines of foundry.toml
}

// corpus are the projects. Settings are their own, but for the compiler, which is
// npm's; the remappings that say where their libraries are; and for v4-core, which
// is compiled as its profile "debug" is, since forge measures no coverage of via-IR
// code.
var corpus = []project{
	{name: "solmate", from: "lib/solmate", files: []string{"src", "lib"}, sources: "src", tests: "src/test", solc: "0.8.15",
		settings: `remappings = ["ds-test/=lib/ds-test/src/"]
bytecode_hash = "none"
`},
	{name: "openzeppelin-contracts", from: "lib/openzeppelin-contracts", files: []string{"contracts", "lib", "test"}, sources: "contracts", tests: "contracts/mocks", solc: "0.8.30",
		settings: `remappings = ["@openzeppelin/contracts/=contracts/", "forge-std/=lib/forge-std/src/", "ds-test/=lib/forge-std/lib/ds-test/src/", "erc4626-tests/=lib/erc4626-tests/"]
evm_version = "cancun"
`},
	// With 64 runs forge's coverage of v4-core alone takes more than six minutes.
	{name: "v4-core", from: ".", files: []string{"src", "lib", "test"}, sources: "src", tests: "src/test", solc: "0.8.26", fuzzRuns: 32,
		settings: `remappings = ["@openzeppelin/=lib/openzeppelin-contracts/", "forge-std/=lib/forge-std/src/", "ds-test/=lib/forge-std/lib/ds-test/src/", "solmate/=lib/solmate/"]
optimizer_runs = 200
evm_version = "cancun"
gas_limit = "300000000"
bytecode_hash = "none"
allow_internal_expect_revert = true
fs_permissions = [{ access = "read-write", path = ".forge-snapshots/"}, { access = "read", path = "./out"}, { access = "read", path = "./test/bin"}]

[profile.pr.fuzz]
runs = 64

[profile.ci.fuzz]
runs = 64

[profile.debug]
via_ir = false
`},
}

// packages are the projects, forge and the compilers, to be installed.
func packages() harness.Packages {
	list := forge.Packages(corpus[0].solc)
	list[uniswap] = "1.0.2"
	for _, p := range corpus {
		list.Solc(p.solc)
	}
	return list
}

// prepare copies a project to a folder, along with a compiler.
func (p *project) prepare(ctx context.Context, modules, folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if p.clone != "" {
		return p.checkOut(ctx, folder)
	}
	from := filepath.Join(modules, filepath.FromSlash(uniswap), filepath.FromSlash(p.from))
	for _, name := range p.files {
		if err := p.copy(from, name, folder); err != nil {
			return err
		}
	}
	solc, err := soljson.Program(folder, filepath.Join(modules, "solc-"+p.solc, "soljson.js"))
	if err != nil {
		return err
	}
	settings := fmt.Sprintf("[profile.default]\nsrc = %q\nsolc = %q\noffline = true\n%s", p.sources, solc, p.settings)
	return os.WriteFile(filepath.Join(folder, "foundry.toml"), []byte(settings), 0o600)
}

// checkOut makes a work tree of a clone's HEAD.
func (p *project) checkOut(ctx context.Context, folder string) error {
	head, err := clones.Git(ctx, p.clone, nil, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	c := clones.Commit{Repository: p.clone, Head: head, Base: head}
	sources, err := clones.NewSources(libraries, clonesDir, dirs...)
	if err != nil {
		return err
	}
	made, err := c.CheckOut(ctx, folder, sources)
	if err == nil && len(made.Missing) > 0 {
		err = fmt.Errorf("%s: submodules are nowhere: %s", p.name, strings.Join(made.Missing, ", "))
	}
	return errors.Join(err, forge.RenameBelow(folder))
}

// copy copies the Solidity files below a folder, see [forge.Renamed].
func (p *project) copy(from, name, to string) error {
	root := filepath.Join(from, name)
	return filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if entry.IsDir() {
			if file != root && strings.HasSuffix(filepath.ToSlash(relative), "forge-std/test") {
				return fs.SkipDir // a library's own
			}
			return os.MkdirAll(target, 0o755)
		}
		if filepath.Ext(file) != ".sol" && filepath.Ext(file) != ".bytecode" {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(target, forge.Renamed(text), 0o600)
	})
}

// underTest reports whether a file holds contracts under test.
func (p *project) underTest(file string) bool {
	if p.clone != "" {
		return clones.Ships(file)
	}
	return strings.HasPrefix(file, p.sources+"/") && !strings.HasPrefix(file, p.tests+"/") && !strings.HasSuffix(file, ".t.sol")
}

var errNoTests = errors.New("forge's tests reach nothing of the contracts under test")
