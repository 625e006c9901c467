package main

import (
	"context"
	"slices"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/solgen"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// place is a line in the code of one contract.
type place struct {
	contract string // qualified name; empty: any
	mark     int
}

// observed are the places that ran, in calls that may revert.
type observed map[place]bool

// add notes what ran in an execution, and reports whether any of it is new. The event says
// which line it is, and the frame's code which contract; the source map is not asked.
func (o observed) add(exec *evm.Execution) (isNew bool) {
	note := func(p place) {
		isNew = isNew || !o[p]
		o[p] = true
	}
	for i := range exec.Frames {
		f := &exec.Frames[i]
		for _, l := range f.Logs {
			mark, ok := solgen.MarkOf(l.Topics)
			if !ok {
				continue
			}
			note(place{"", mark})
			if f.Program != nil && f.Program.Contract != nil {
				note(place{f.Program.Contract.QualifiedName(), mark})
			}
		}
	}
	return isNew
}

// observer is a machine that notes what runs on it. Runs on storage that was set from
// outside count as well: what is called unreachable is so whatever the state.
type observer struct {
	evm.Machine
	*observations
}

// observations are what several machines for one build note.
type observations struct {
	seen       observed
	sequences  []evm.Sequence // that were the first to run something
	executions uint64
}

// Run is part of [evm.Machine].
func (o *observer) Run(seq evm.Sequence) (*evm.Execution, error) {
	exec, err := o.Machine.Run(seq)
	if err == nil {
		o.executions++
		if o.seen.add(exec) {
			o.sequences = append(o.sequences, seq.Clone())
		}
	}
	return exec, err
}

// deployed is a build whose executions are observed.
type deployed struct {
	*deploy.Deployment
	way     way
	debug   bool // it is what was fuzzed for that way, not the release build
	viaIR   bool // its own code generator
	machine *observer
}

// observe begins to observe a build.
func observe(d *deploy.Deployment, w way, debug bool) (*deployed, error) {
	out := &deployed{Deployment: d, way: w, debug: debug, viaIR: d.Outputs[0].Settings.ViaIR}
	machine, err := d.NewInterpreter()
	if err != nil {
		return nil, err
	}
	out.machine = &observer{machine, &observations{seen: observed{}}}
	return out, nil
}

// run makes the calls of a sequence that is written down; false where they do not fit the
// build. What ran is also returned.
func (d *deployed) run(text string) (observed, bool, error) {
	seq, err := input.Parse(d.Space, text)
	if err != nil {
		return nil, false, nil //nolint:nilerr // a sequence of another build need not fit
	}
	exec, err := d.machine.Run(d.Space.Encode(seq, nil))
	if err != nil {
		return nil, false, err
	}
	seen := observed{}
	seen.add(exec)
	return seen, !exec.Truncated, nil
}

// campaign runs random calls, led to where nothing has been and to no target. It begins with
// the deployments as calls, and with sequences that are written down.
func (d *deployed) campaign(ctx context.Context, seed, calls uint64, texts []string, now func() time.Time) error {
	seeds := d.DeploymentSeeds()
	for _, text := range texts {
		if seq, err := input.Parse(d.Space, text); err == nil {
			seeds = append(seeds, seq)
		}
	}
	_, err := (&fuzzer.Campaign{Config: fuzzer.Config{
		World: d.World, Space: d.Space, Table: d.Table, Seeds: seeds, Seed: seed, Workers: 1, MaxCalls: calls, Now: now,
		NewMachine: func() (evm.Machine, error) {
			machine, err := d.NewInterpreter()
			return &observer{machine, d.machine.observations}, err
		},
	}}).Run(ctx)
	return err
}

// repeat makes the calls that were the first to run something on another build. Deployments
// are left out: they bring the code of the other build.
func (d *deployed) repeat(other *deployed) error {
	same := slices.EqualFunc(d.World.Instances, other.World.Instances, func(a, b evm.Instance) bool {
		return a.Name == b.Name && a.Address == b.Address
	})
	if !same {
		return nil
	}
	for _, seq := range slices.Clone(other.machine.sequences) {
		if slices.ContainsFunc(seq, func(c evm.Call) bool { return c.Create }) {
			continue
		}
		if _, err := d.machine.Run(seq); err != nil {
			return err
		}
	}
	return nil
}
