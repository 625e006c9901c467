package chase

import (
	"context"
	"fmt"
	"time"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Scene is contracts, deployed. Campaigns share it.
type Scene struct {
	Name  string
	Table *bytecode.Table
	World *evm.World
	Space *input.Space

	Positions *diffmap.Positions

	// Library has the control-flow graphs of the Table's programs, made once for all
	// campaigns; nil: every campaign makes them anew.
	Library *lookahead.Library
	// OnReference runs campaigns on go-ethereum, as they were before there was an
	// interpreter: they take the same executions there, and several times as long.
	OnReference bool
}

// Deploy makes the World as campaigns do, of some contracts or of all that are in
// the outputs (only is empty).
func Deploy(ctx context.Context, name string, outputs []*build.Output, only []string) (*Scene, error) {
	s := &Scene{Name: name, Table: bytecode.NewTable(build.Contracts(outputs)), Library: new(lookahead.Library)}
	w, report, err := world.Auto(ctx, s.Table, world.Options{Only: only, Machine: machineOptions})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(w.Instances) == 0 {
		return nil, fmt.Errorf("%s: nothing could be deployed: %+v", name, report.Failures)
	}
	s.World, s.Positions = w, diffmap.NewPositions(outputs, s.Table, diffmap.Options{})
	s.Space, err = input.NewSpace(w, input.SpaceOptions{})
	return s, err
}

// machineOptions: mapping builds are larger than what is shipped.
var machineOptions = []evm.Option{evm.LiftCodeSizeLimits}

// NewMachine makes the machine that campaigns use.
func (s *Scene) NewMachine() (evm.Machine, error) {
	if s.OnReference {
		return evm.NewReference(s.World, s.Table, machineOptions...)
	}
	return evm.NewInterpreter(s.World, s.Table, machineOptions...)
}

// Config is a campaign's: one worker, no targets.
func (s *Scene) Config(schedule *fuzzer.Schedule, without fuzzer.Techniques, seed uint64, now func() time.Time) fuzzer.Config {
	return fuzzer.Config{
		World: s.World, Space: s.Space, Table: s.Table, Library: s.Library,
		Schedule: schedule, Without: without, Seed: seed, Workers: 1, Now: now,
	}
}
