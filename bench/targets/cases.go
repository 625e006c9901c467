package main

import (
	"context"
	"embed"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/bench/internal/corpus"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/examples"
)

// own are contracts of ours, and harnesses around packages.
//
//go:embed contracts
var own embed.FS

// caseOf is a project that targets lie in: sources of ours below contracts/, or
// a folder of a package. One without a compiler is an example with its build.
type caseOf struct {
	name     string
	compiler string
	pkg      string // empty: own
	folder   string
	only     []string // contracts to deploy; empty: all
}

// projects lists the cases that are compiled here.
var projects = []caseOf{
	{name: "auction", compiler: "0.8.17", folder: "contracts/auction"},
	{name: "wallet", compiler: "0.8.17", folder: "contracts/wallet"},
	{name: "lending", compiler: "0.8.17", folder: "contracts/lending"},
	{name: "orders", compiler: "0.8.17", folder: "contracts/orders"},
	{name: "decoder", compiler: "0.8.17", folder: "contracts/decoder"},
	{name: "lottery", compiler: "0.8.17", folder: "contracts/lottery"},
	{name: "governor", compiler: "0.8.17", folder: "contracts/governor"},
	{name: "grants", compiler: "0.8.17", folder: "contracts/grants"},
	{name: "rewards", compiler: "0.8.17", folder: "contracts/rewards"},
	{name: "tickets", compiler: "0.8.17", folder: "contracts/tickets"},
	{name: "market", compiler: "0.5.16", folder: "contracts/market"},
	{name: "safe", compiler: "0.7.6", pkg: "@gnosis.pm/safe-contracts", folder: "contracts"},
	{name: "zeppelin", compiler: "0.4.24", pkg: "zeppelin-solidity", folder: "contracts"},
}

// packages are what the cases are made of.
func packages() harness.Packages {
	return harness.Packages{
		"@openzeppelin/contracts":   "4.9.3",
		"@gnosis.pm/safe-contracts": "1.3.0",
		"@uniswap/v2-core":          "1.0.1",
		"solmate":                   "6.8.0",
		"erc721a":                   "4.3.0",
		"zeppelin-solidity":         "1.12.0",
	}.Solc("0.4.24", "0.5.16", "0.7.6", "0.8.17")
}

// subjectsOf builds and deploys the cases that are asked for.
func subjectsOf(ctx context.Context, run *harness.Run, asked func(name string) bool) (map[string]*timetotarget.Subject, error) {
	subjects := map[string]*timetotarget.Subject{}
	for _, name := range examples.Names() {
		if !asked(name) {
			continue
		}
		output, err := corpus.Example(name)
		if err != nil {
			return nil, err
		}
		if subjects[name], err = timetotarget.Deploy(ctx, name, []*compile.Output{output}, nil); err != nil {
			return nil, err
		}
	}
	for _, p := range projects {
		if !asked(p.name) {
			continue
		}
		outputs, err := p.compile(ctx, run)
		if err != nil {
			return nil, err
		}
		if subjects[p.name], err = timetotarget.Deploy(ctx, p.name, outputs, p.only); err != nil {
			return nil, err
		}
	}
	return subjects, nil
}

func (c *caseOf) compile(ctx context.Context, run *harness.Run) ([]*compile.Output, error) {
	modules, err := run.Install(ctx, "targets", packages())
	if err != nil {
		return nil, err
	}
	var from fs.FS = own
	if c.pkg != "" {
		from = os.DirFS(filepath.Join(modules, filepath.FromSlash(c.pkg)))
	}
	b := corpus.Builder{Run: run, Modules: modules, Peephole: true}
	return b.Project(ctx, c.name, c.compiler, from, c.folder)
}
