package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/corpus"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/examples"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// kind is what is measured of a subject.
type kind uint8

const (
	covering  kind = iota // how much is covered
	reaching              // a target
	asserting             // a finding of the oracle assertion
)

// subject is a deployment, and what campaigns on it are after.
type subject struct {
	name     string
	kind     kind
	deployed *timetotarget.Subject
	target   bytecode.Target // reaching
}

// project is a folder of sources: of this repository, or of a package.
type project struct {
	name, compiler, folder, pkg string
}

// projects are some of those that bench/targets has, which campaigns do not take long
// on; auction's are among the farthest.
var projects = []project{
	{name: "orders", compiler: "0.8.17", folder: "bench/targets/contracts/orders"},
	{name: "tickets", compiler: "0.8.17", folder: "bench/targets/contracts/tickets"},
	{name: "grants", compiler: "0.8.17", folder: "bench/targets/contracts/grants"},
	{name: "lottery", compiler: "0.8.17", folder: "bench/targets/contracts/lottery"},
	{name: "wallet", compiler: "0.8.17", folder: "bench/targets/contracts/wallet"},
	{name: "zeppelin", compiler: "0.4.24", folder: "contracts", pkg: "zeppelin-solidity"},
}

// packages are what the projects are made of, and their compilers.
func packages() harness.Packages {
	return harness.Packages{
		"@openzeppelin/contracts": "4.9.3",
		"erc721a":                 "4.3.0",
		"solmate":                 "6.8.0",
		"zeppelin-solidity":       "1.12.0",
	}.Solc("0.4.24", "0.8.17", plantedCompiler)
}

// planted is where the fuzzer's tests keep contracts with planted bugs; a comment "//
// want assertion" is at each that an assert shows.
const (
	planted         = "fuzzer/testdata/planted"
	plantedCompiler = "0.8.30"
	plantedComment  = "// want assertion"
)

// most is where the brackets of the targets end that are measured, in executions of
// bench/targets' baseline.
const most = 4_000

func open(ctx context.Context, run *harness.Run) ([]*subject, error) {
	modules, err := run.Install(ctx, "techniques", packages())
	if err != nil {
		return nil, err
	}
	deployed, err := deployAll(ctx, run, modules)
	if err != nil {
		return nil, err
	}
	var subjects []*subject
	for _, s := range deployed {
		subjects = append(subjects, &subject{name: s.Name, kind: covering, deployed: s})
	}
	targets, err := targetsIn(run, deployed)
	if err != nil {
		return nil, err
	}
	subjects = append(subjects, targets...)
	asserts, err := assertsOf(ctx, run, modules, deployed)
	if err != nil {
		return nil, err
	}
	subjects = slices.DeleteFunc(append(subjects, asserts...), func(s *subject) bool { return !wanted(s.name) })
	if len(subjects) == 0 {
		return nil, fmt.Errorf("-only %s: no subject has such a name", options.only)
	}
	return subjects, nil
}

// deployAll builds and deploys the examples and the projects as bench/targets does, whose targets
// are places in that code.
func deployAll(ctx context.Context, run *harness.Run, modules string) ([]*timetotarget.Subject, error) {
	var deployed []*timetotarget.Subject
	add := func(name string, outputs []*compile.Output) error {
		s, err := timetotarget.Deploy(ctx, name, outputs, nil)
		deployed = append(deployed, s)
		return err
	}
	for _, name := range examples.Names() {
		output, err := corpus.Example(name)
		if err != nil {
			return nil, err
		}
		if err := add(name, []*compile.Output{output}); err != nil {
			return nil, err
		}
	}
	b := corpus.Builder{Run: run, Modules: modules, Peephole: true}
	for _, p := range projects {
		from := os.DirFS(run.Root)
		if p.pkg != "" {
			from = os.DirFS(filepath.Join(modules, filepath.FromSlash(p.pkg)))
		}
		outputs, err := b.Project(ctx, p.name, p.compiler, from, p.folder)
		if err != nil {
			return nil, err
		}
		if err := add(p.name, outputs); err != nil {
			return nil, err
		}
	}
	return deployed, nil
}

// frozen is what bench/targets keeps of a target.
type frozen struct {
	Case     string `json:"case"`
	Contract string `json:"contract"`
	PC       uint32 `json:"pc"`
	Code     string `json:"code"`
	Bracket  uint64 `json:"bracket"`
}

// targetsIn finds the targets of bench/targets in what is deployed.
func targetsIn(run *harness.Run, deployed []*timetotarget.Subject) ([]*subject, error) {
	file := filepath.Join(run.Root, "bench", "targets", "targets.json")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []frozen
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var subjects []*subject
	for _, f := range list {
		i := slices.IndexFunc(deployed, func(s *timetotarget.Subject) bool { return s.Name == f.Case })
		if i < 0 || f.Bracket > most {
			continue
		}
		s, err := f.in(deployed[i])
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, s)
	}
	return subjects, nil
}

// in finds the target in its deployment.
func (f *frozen) in(deployed *timetotarget.Subject) (*subject, error) {
	_, contract, _ := strings.Cut(f.Contract, ":")
	name := fmt.Sprintf("%s %s:%#x", f.Case, contract, f.PC)
	for _, c := range deployed.Table.Contracts() {
		if c.QualifiedName() != f.Contract || c.Runtime == nil {
			continue
		}
		p := deployed.Table.Program(c.Runtime.ID)
		if _, ok := p.StartsAt(uint64(f.PC)); !ok || fmt.Sprintf("%016x", p.Key) != f.Code {
			break
		}
		entry := bytecode.Location{Code: c.Runtime.ID, PC: f.PC}
		return &subject{name: name, kind: reaching, deployed: deployed, target: bytecode.Target{Contract: f.Contract, Entries: []bytecode.Location{entry}}}, nil
	}
	return nil, fmt.Errorf("%s: the code is another than when bench/targets froze it", name)
}

// assertsOf are the contracts in which an assert breaks: the planted ones, each
// source alone, and the crowdsale.
func assertsOf(ctx context.Context, run *harness.Run, modules string, deployed []*timetotarget.Subject) ([]*subject, error) {
	b := corpus.Builder{Run: run, Modules: modules}
	outputs, err := b.Project(ctx, "planted", plantedCompiler, os.DirFS(run.Root), planted)
	if err != nil {
		return nil, err
	}
	bySource := map[string][]string{}
	var sources []string
	for _, c := range compile.Contracts(outputs) {
		if !slices.Contains(sources, c.Source) {
			sources = append(sources, c.Source)
		}
		bySource[c.Source] = append(bySource[c.Source], c.Name)
	}
	var subjects []*subject
	for _, source := range sources {
		text, err := os.ReadFile(filepath.Join(run.Root, filepath.FromSlash(planted), filepath.Base(source)))
		if err != nil {
			return nil, err
		}
		if !strings.Contains(string(text), plantedComment) {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(source), ".sol")
		s, err := timetotarget.Deploy(ctx, name, outputs, bySource[source])
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, &subject{name: "assert " + name, kind: asserting, deployed: s})
	}
	for _, s := range deployed {
		if s.Name == "crowdsale" {
			subjects = append(subjects, &subject{name: "assert crowdsale", kind: asserting, deployed: s})
		}
	}
	return subjects, nil
}
