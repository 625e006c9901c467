package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
)

// project is one with a pull request.
type project struct {
	name, pull string // what the pull request is, in a cell

	example    string // below examples: its two sides, or its base and pr.diff
	base, head string // packages of npm, as they are installed; the head is the base and the edit without one
	folders    []string
	edit       edit

	build    string // the command of the workflow's job that builds, without one the action compiles
	artifact string // what that leaves, and the input build
}

// edit replaces a text that a file has once.
type edit struct{ file, old, new string }

// projects are the examples, and three of npm: two whose next version changes little, and one
// where the script makes a small change, since there the next version moves two structures that
// nearly all files use. Tests that come without what they import are left out, and so are builds.
var projects = []project{
	{name: "crowdsale", pull: "the example's", example: "crowdsale"},
	{name: "vault", pull: "the example's", example: "vault"},
	{name: "token", pull: "the example's", example: "token"},
	{name: "foundry", pull: "the example's", example: "foundry", build: "forge build --build-info --ast", artifact: "out/build-info"},
	{name: "hardhat", pull: "the example's", example: "hardhat", build: "npm install --no-audit --no-fund && npx hardhat compile --force", artifact: "artifacts/build-info"},
	{name: "@openzeppelin/contracts", pull: "4.9.3 to 4.9.4", base: "oz-4.9.3", head: "oz-4.9.4",
		folders: []string{"access", "crosschain", "finance", "governance", "interfaces", "metatx", "proxy", "security", "token", "utils", "vendor"}},
	{name: "solmate", pull: "6.6.1 to 6.7.0", base: "solmate-6.6.1", head: "solmate-6.7.0",
		folders: []string{"src/auth", "src/mixins", "src/tokens", "src/utils"}},
	{name: "@uniswap/v4-core", pull: "1.0.2, 3 lines edited", base: "v4-core-1.0.2",
		folders: []string{"src", "lib", "test", "foundry.toml", "remappings.txt"},
		edit: edit{"src/ProtocolFees.sol",
			`        amountCollected = (amount == 0) ? protocolFeesAccrued[currency] : amount;
        protocolFeesAccrued[currency] -= amountCollected;
`,
			`        uint256 accrued = protocolFeesAccrued[currency];
        amountCollected = (amount == 0 || amount > accrued) ? accrued : amount;
        protocolFeesAccrued[currency] = accrued - amountCollected;
`}},
}

// largest is the project that has a limit of its own.
const largest = "@uniswap/v4-core"

// packages are those of the projects, and compilers that the tests' packages lack.
func packages() harness.Packages {
	return harness.Packages{
		"oz-4.9.3": "npm:@openzeppelin/contracts@4.9.3", "oz-4.9.4": "npm:@openzeppelin/contracts@4.9.4",
		"solmate-6.6.1": "npm:solmate@6.6.1", "solmate-6.7.0": "npm:solmate@6.7.0",
		"v4-core-1.0.2": "npm:@uniswap/v4-core@1.0.2",
	}.Solc("0.8.26")
}

// sides makes the folders of both versions.
func (p *project) sides(ctx context.Context, h *hour, base, head string) error {
	if p.example != "" {
		return p.exampleSides(ctx, h, base, head)
	}
	if err := p.copyPackage(h, p.base, base); err != nil {
		return err
	}
	if p.head != "" {
		return p.copyPackage(h, p.head, head)
	}
	return errors.Join(p.copyPackage(h, p.base, head), p.edit.apply(head))
}

// exampleSides are those of an example of the clone.
func (p *project) exampleSides(ctx context.Context, h *hour, base, head string) error {
	example := filepath.Join(h.clone(), "examples", p.example)
	if err := os.CopyFS(base, os.DirFS(filepath.Join(example, "base"))); err != nil {
		return err
	}
	if sides := filepath.Join(example, "head"); exists(sides) {
		return os.CopyFS(head, os.DirFS(sides))
	}
	if err := os.CopyFS(head, os.DirFS(base)); err != nil {
		return err
	}
	t := &terminal{hour: h, folder: head, env: append(slices.Clip(h.terminal.env), "GIT_CEILING_DIRECTORIES="+filepath.Dir(head))}
	_, code, out, err := t.do(ctx, "git apply '"+filepath.Join(example, "pr.diff")+"'")
	if err == nil && code != 0 {
		err = fmt.Errorf("git apply: exit code %d: %s", code, lastLines(out))
	}
	return err
}

// copyPackage copies the project's folders and files of a package.
func (p *project) copyPackage(h *hour, name, to string) error {
	from := filepath.Join(h.modules[0], name)
	for _, folder := range p.folders {
		source, target := filepath.Join(from, filepath.FromSlash(folder)), filepath.Join(to, filepath.FromSlash(folder))
		info, err := os.Stat(source)
		switch {
		case errors.Is(err, fs.ErrNotExist): // other versions have it
		case err != nil:
			return err
		case info.IsDir():
			if err := os.CopyFS(target, os.DirFS(source)); err != nil {
				return err
			}
		default:
			if err := copyFile(source, target, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply makes the edit in a folder.
func (e *edit) apply(folder string) error {
	path := filepath.Join(folder, filepath.FromSlash(e.file))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), e.old); n != 1 {
		return fmt.Errorf("%s has the text to replace %d times, want once", e.file, n)
	}
	return os.WriteFile(path, []byte(strings.Replace(string(text), e.old, e.new, 1)), 0o644)
}
