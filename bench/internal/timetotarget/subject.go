package timetotarget

import (
	"context"
	"fmt"
	"time"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// Subject is a program under test: a deployment that campaigns share.
type Subject struct {
	Name string
	*deploy.Deployment

	// Library has the control-flow graphs of the programs in the Table, made once for
	// all campaigns; nil: every campaign makes them anew.
	Library *lookahead.Library
	// OnReference runs campaigns on go-ethereum, as they were before there was an
	// interpreter: the same executions, which take several times as long.
	OnReference bool
}

// Deploy deploys contracts as campaigns do: those that only names, with what they
// depend on, or all of the outputs where it is empty.
func Deploy(ctx context.Context, name string, outputs []*compile.Output, only []string) (*Subject, error) {
	d, err := deploy.Make(ctx, deploy.NewBuild(outputs, diffmap.Options{}), &deploy.Recipe{Only: only})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(d.World.Instances) == 0 {
		return nil, fmt.Errorf("%s: nothing could be deployed: %+v", name, d.Setup.Failures)
	}
	return &Subject{Name: name, Deployment: d, Library: new(lookahead.Library)}, nil
}

// NewMachine makes one machine of a campaign. The fast one is not checked against the
// reference, so that only its time is measured.
func (s *Subject) NewMachine() (evm.Machine, error) {
	if s.OnReference {
		return s.NewJudge()
	}
	return s.NewInterpreter()
}

// Config is a campaign's: one worker, no targets.
func (s *Subject) Config(schedule *fuzzer.Schedule, without fuzzer.Techniques, seed uint64, now func() time.Time) fuzzer.Config {
	return fuzzer.Config{
		World: s.World, Space: s.Space, Table: s.Table, Library: s.Library,
		Schedule: schedule, Without: without, Seed: seed, Workers: 1, Now: now,
	}
}
