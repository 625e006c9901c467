package main

import (
	"context"
	"embed"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/bench/internal/corpus"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/examples"
)

// own are contracts of ours: harnesses around OpenZeppelin's, and one that every
// compiler takes.
//
//go:embed contracts
var own embed.FS

// versions are the compilers that the plain contract is built with.
var versions = []string{"0.4.26", "0.5.17", "0.6.12", "0.7.6", "0.8.17", "0.8.30"}

// subject is a project: contracts that are built and deployed together.
type subject struct {
	name    string
	outputs []*compile.Output
}

// subjects compiles everything: our examples, and what npm has.
func subjects(ctx context.Context, run *harness.Run) ([]subject, error) {
	packages := harness.Packages{
		"@openzeppelin/contracts":   "4.9.3",
		"@gnosis.pm/safe-contracts": "1.3.0",
		"@uniswap/v2-core":          "1.0.1",
	}.Solc("0.5.16").Solc(versions...)
	modules, err := run.Install(ctx, "lookahead", packages)
	if err != nil {
		return nil, err
	}
	var all []subject
	for _, name := range examples.Names() {
		output, err := corpus.Example(name)
		if err != nil {
			return nil, err
		}
		all = append(all, subject{name, []*compile.Output{output}})
	}
	type project struct {
		name, version string
		from          fs.FS
		folder        string
	}
	projects := []project{
		{"OpenZeppelin 4.9.3", "0.8.17", own, "contracts/oz"},
		{"Gnosis Safe 1.3.0", "0.7.6", os.DirFS(filepath.Join(modules, "@gnosis.pm/safe-contracts")), "contracts"},
		{"Uniswap v2", "0.5.16", os.DirFS(filepath.Join(modules, "@uniswap/v2-core")), "contracts"},
	}
	for _, v := range versions {
		projects = append(projects, project{"plain, solc " + v, v, own, "contracts/plain"})
	}
	b := corpus.Builder{Run: run, Modules: modules, Peephole: true}
	for _, p := range projects {
		outputs, err := b.Project(ctx, p.name, p.version, p.from, p.folder)
		if err != nil {
			return nil, err
		}
		all = append(all, subject{p.name, outputs})
	}
	return all, nil
}
