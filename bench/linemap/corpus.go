package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/examples"
)

// harnesses are contracts of ours: one with statements of every form, and those
// that make something of packages which have nothing that runs alone, and bring
// calls deep into those that have.
//
//go:embed harness
var harnesses embed.FS

// project is a set of sources whose lines are compared.
type project struct {
	name    string
	pkg     string // npm package; empty: ours
	folder  string // of the sources in the package
	harness string // a file below harness/, which is not compared if there is a package; empty: the example of the name
	solc    string
	evm     string // EVM version that both sides compile for
	deploy  []string
}

const (
	newSolc = "0.8.30"
	oldSolc = "0.5.16" // Uniswap v2's own
)

var corpus = []project{
	{"crowdsale", "", "", "", newSolc, "prague", nil},
	{"token", "", "", "", newSolc, "prague", nil},
	{"vault", "", "", "", newSolc, "prague", nil},
	{"forms", "", "", "forms.sol", newSolc, "prague", []string{"Forms"}},
	{"openzeppelin", "@openzeppelin/contracts", "", "openzeppelin.sol", newSolc, "prague", []string{"Coin", "Vault4626", "Items", "Multi", "Sale", "Helpers"}},
	{"solmate", "solmate", "src", "solmate.sol", newSolc, "prague", []string{"Coin", "Vault", "Items", "Multi", "Helpers"}},
	{"uniswap-v2", "@uniswap/v2-core", "contracts", "uniswap-v2.sol", oldSolc, "istanbul", []string{"Market"}},
}

const forgeVersion = "1.7.1"

// packages are what npm has of all this.
func packages() harness.Packages {
	return harness.Packages{
		"@foundry-rs/forge-linux-amd64": forgeVersion,
		"@openzeppelin/contracts":       "4.9.3",
		"solmate":                       "6.8.0",
		"@uniswap/v2-core":              "1.0.1",
	}.Solc(newSolc, oldSolc)
}

// functional writes an instruction of inline assembly as newer compilers want it:
// forge's parser of sources reads nothing older, whatever the compiler.
var functional = strings.NewReplacer("chainId := chainid\n", "chainId := chainid()\n")

// harnessName is the harness's place among the sources. It is not compared.
const harnessName = "src/Harness.sol"

// sources reads what is compiled, by the name it is compiled under: "src/…".
func (p *project) sources(modules string) (map[string]string, error) {
	if p.harness == "" {
		return exampleSources(p.name)
	}
	source, err := fs.ReadFile(harnesses, "harness/"+p.harness)
	if err != nil {
		return nil, err
	}
	if p.pkg == "" {
		return map[string]string{"src/" + p.harness: string(source)}, nil
	}
	texts := map[string]string{harnessName: string(source)}
	root := filepath.Join(modules, filepath.FromSlash(p.pkg), filepath.FromSlash(p.folder))
	for queue := []string{harnessName}; len(queue) > 0; queue = queue[1:] {
		for _, imported := range solidity.Imports([]byte(texts[queue[0]])) {
			if !strings.HasPrefix(imported.Path, ".") {
				return nil, fmt.Errorf("%s imports %s, which is not in the package", queue[0], imported.Path)
			}
			name := path.Join(path.Dir(queue[0]), imported.Path)
			if _, known := texts[name]; known {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(name, "src/"))))
			if err != nil {
				return nil, err
			}
			texts[name] = functional.Replace(string(text))
			queue = append(queue, name)
		}
	}
	return texts, nil
}

// exampleSources are the head version of an example.
func exampleSources(name string) (map[string]string, error) {
	files, err := examples.Load(name)
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, "head/src/*.sol")
	if err != nil {
		return nil, err
	}
	sources := map[string]string{}
	for _, file := range slices.Sorted(slices.Values(names)) {
		text, err := fs.ReadFile(files, file)
		if err != nil {
			return nil, err
		}
		sources[strings.TrimPrefix(file, "head/")] = string(text)
	}
	return sources, nil
}
