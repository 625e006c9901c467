package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/harness"
)

// contract is one that others have published.
type contract struct {
	name    string
	npm     string // the package
	version string
	folder  string // of the package's sources
	source  string // the contract's, in folder
}

// contracts are of the kinds that projects have most: tokens, and what holds ether for others.
var contracts = []contract{
	{"WETH", "solmate", "6.8.0", "src", "tokens/WETH.sol"},
	{"ERC20PresetMinterPauser", "@openzeppelin/contracts", "4.9.6", ".", "token/ERC20/presets/ERC20PresetMinterPauser.sol"},
	{"PaymentSplitter", "@openzeppelin/contracts", "4.9.6", ".", "finance/PaymentSplitter.sol"},
}

// packages are forge, a compiler, and what the contracts are of.
func packages() harness.Packages {
	list := forge.Packages(solcVersion)
	for _, c := range contracts {
		list[c.npm] = c.version
	}
	return list
}

// imported is the path of an import.
var imported = regexp.MustCompile(`(?m)^import [^;]*"([^"]+)";`)

// sources are the contract's file and all that it imports, by their path in a project.
func (c *contract) sources(modules string) (map[string][]byte, error) {
	root := os.DirFS(filepath.Join(modules, filepath.FromSlash(c.npm), c.folder))
	files := map[string][]byte{}
	for open := []string{c.source}; len(open) > 0; {
		name := open[0]
		open = open[1:]
		if files["src/"+name] != nil {
			continue
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return nil, err
		}
		files["src/"+name] = text
		for _, match := range imported.FindAllSubmatch(text, -1) {
			open = append(open, path.Join(path.Dir(name), string(match[1]))) // these packages import by relative paths
		}
	}
	return files, nil
}

// ourConfig is foundry.toml of a project with the sources alone: tests would say how it is set up.
const ourConfig = "[profile.default]\nsolc = \"" + solcVersion + "\"\noptimizer = false\n"

// makeProjects writes the contract's sources twice: with forge's tests, and without them for the sightline binary, whose diff adds
// the contract's own file.
func (c *contract) makeProjects(run *harness.Run, modules string) (p *forge.Project, args []string, err error) {
	files, err := c.sources(modules)
	if err != nil {
		return nil, nil, err
	}
	folder := filepath.Join(run.Cache, "forge", c.name)
	root := filepath.Join(folder, "alone")
	files["foundry.toml"] = []byte(ourConfig) // forge's side writes its own
	if err := forge.Write(root, files); err != nil {
		return nil, nil, err
	}
	text, err := harness.AddFiles(root, []string{"src/" + c.source})
	if err != nil {
		return nil, nil, err
	}
	diff := filepath.Join(folder, "added.diff")
	if err := os.WriteFile(diff, text, 0o600); err != nil {
		return nil, nil, err
	}
	if err := addTests(files, c.name); err != nil {
		return nil, nil, err
	}
	p, err = forge.NewProject(filepath.Join(folder, "base"), modules, solcVersion, files)
	return p, []string{"--root", root, "--diff", diff}, err
}
