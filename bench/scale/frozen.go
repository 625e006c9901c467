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
)

// frozen is what bench/targets keeps of a target.
type frozen struct {
	Case     string `json:"case"`
	Contract string `json:"contract"`
	PC       uint32 `json:"pc"`
	Code     string `json:"code"`
	Bracket  uint64 `json:"bracket"`
}

// frozenCompiler is the solc of bench/targets' contracts of our own, and what they import.
const frozenCompiler = "0.8.17"

func frozenPackages() harness.Packages {
	return harness.Packages{"@openzeppelin/contracts": "4.9.3", "erc721a": "4.3.0", "solmate": "6.8.0"}.Solc(frozenCompiler)
}

func (f *frozen) name() string {
	_, contract, _ := strings.Cut(f.Contract, ":")
	return fmt.Sprintf("%s %s:%#x", f.Case, contract, f.PC)
}

// openFrozen finds the targets of bench/targets that are asked for, in contracts of our own that they are
// compiled from as there.
func openFrozen(ctx context.Context, run *harness.Run) ([]*goal, error) {
	file := filepath.Join(run.Root, "bench", "targets", "targets.json")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []frozen
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	folder := func(f frozen) string { return filepath.Join("bench", "targets", "contracts", f.Case) }
	list = slices.DeleteFunc(list, func(f frozen) bool {
		_, err := os.Stat(filepath.Join(run.Root, folder(f)))
		return err != nil || f.Case == "market" || f.Bracket < options.bracket || !wanted(f.name()) // market has another compiler
	})
	if len(list) == 0 {
		return nil, nil
	}
	modules, err := run.Install(ctx, "scale-targets", frozenPackages())
	if err != nil {
		return nil, err
	}
	b := corpus.Builder{Run: run, Modules: modules, Peephole: true}
	deployed := map[string]*timetotarget.Subject{}
	var goals []*goal
	for _, f := range list {
		if deployed[f.Case] == nil {
			outputs, err := b.Project(ctx, f.Case, frozenCompiler, os.DirFS(run.Root), folder(f))
			if err != nil {
				return nil, err
			}
			if deployed[f.Case], err = timetotarget.Deploy(ctx, f.Case, outputs, nil); err != nil {
				return nil, err
			}
		}
		g, err := f.in(deployed[f.Case])
		if err != nil {
			return nil, err
		}
		goals = append(goals, g)
	}
	return goals, nil
}

// in finds the target in its deployment.
func (f *frozen) in(s *timetotarget.Subject) (*goal, error) {
	for _, c := range s.Table.Contracts() {
		if c.QualifiedName() != f.Contract || c.Runtime == nil {
			continue
		}
		p := s.Table.Program(c.Runtime.ID)
		if block, ok := p.StartsAt(uint64(f.PC)); ok && fmt.Sprintf("%016x", p.Key) == f.Code {
			return blockGoal(s, f.name(), c, block, 0), nil
		}
	}
	return nil, fmt.Errorf("%s: the code is another than when bench/targets froze it", f.name())
}
