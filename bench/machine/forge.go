package main

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/forge"
)

//go:embed tests/Token.t.sol
var forgeTests embed.FS

// forgeRun is forge's invariant test of the ERC-20: its calls are made and run as
// those of a campaign are, one thread, with nothing guided.
type forgeRun struct{ project *forge.Project }

// newForge installs forge and makes the project. An error means that forge cannot
// be measured here.
func (b *bench) newForge(ctx context.Context) (*forgeRun, error) {
	modules, err := b.run.Install(ctx, "machine-forge", forge.Packages(solcVersion))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"remappings.txt": []byte("@openzeppelin/=lib/@openzeppelin/\n")}
	if files["src/Token.sol"], err = fs.ReadFile(contracts, "contracts/Token.sol"); err != nil {
		return nil, err
	}
	if files["test/Token.t.sol"], err = forgeTests.ReadFile("tests/Token.t.sol"); err != nil {
		return nil, err
	}
	if err := b.library(files); err != nil {
		return nil, err
	}
	folder := filepath.Join(b.run.Cache, "machine-forge", "project")
	if err := os.MkdirAll(filepath.Join(folder, "src"), 0o755); err != nil {
		return nil, err
	}
	project, err := forge.NewProject(folder, modules, solcVersion, files)
	if err != nil {
		return nil, err
	}
	r := &forgeRun{project}
	_, err = r.rate(ctx, time.Second, b.run.Seed) // compiles, so that no measurement has to
	return r, err
}

// library adds what the ERC-20 imports.
func (b *bench) library(files map[string][]byte) error {
	root := os.DirFS(filepath.Join(b.modules, "@openzeppelin", "contracts"))
	for _, folder := range []string{"token/ERC20", "interfaces", "utils"} {
		sources, err := fs.Glob(root, folder+"/*.sol")
		if err != nil {
			return err
		}
		nested, err := fs.Glob(root, folder+"/extensions/*.sol")
		if err != nil {
			return err
		}
		for _, name := range append(sources, nested...) {
			if !needed(name) {
				continue
			}
			if files[path.Join("lib/@openzeppelin/contracts", name)], err = fs.ReadFile(root, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// needed reports whether ERC20.sol imports a file, itself or through another.
func needed(name string) bool {
	for _, end := range []string{"/ERC20.sol", "/IERC20.sol", "/IERC20Metadata.sol", "/Context.sol", "/draft-IERC6093.sol"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// rate is forge's calls per second.
func (f *forgeRun) rate(ctx context.Context, share time.Duration, seed uint64) (float64, error) {
	r, err := f.project.Run(ctx, "Calls", false, share, seed)
	if err != nil {
		return 0, err
	}
	if r.Broken {
		return 0, errors.New("forge's test of the ERC-20 failed: it checks nothing")
	}
	return r.Calls / r.Seconds, nil
}
