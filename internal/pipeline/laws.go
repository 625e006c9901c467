package pipeline

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/mine"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/compare"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// Laws finds laws of a project as it is, and writes them as a Foundry test. Half of the budget finds them,
// the other half tries to break them.
func Laws(ctx context.Context, o *Options, out io.Writer) error {
	o.Change.Known, o.Output = nil, Output{}
	var err error
	if o.Change.Known, err = change.Everything(o.Change.Root); err != nil {
		return err
	}
	c, err := change.Read(ctx, o.Reading(), o.Log)
	if err != nil {
		return err
	}
	defer c.StopCompiling()
	r := begin(o, c)
	if !c.HasTargets() {
		return exit.CannotFuzz("nothing of the project can be called")
	}
	head, recipe, err := deploy.Head(ctx, c, &o.World, o.Log)
	if err != nil {
		return err
	}
	if err := r.deployed(head, recipe); err != nil {
		return err
	}
	if len(head.Space.Callables) == 0 {
		return exit.CannotFuzz("nothing of the project could be deployed that has a function to call")
	}
	if err := r.configure(); err != nil {
		return err
	}
	miner, err := r.mineLaws(ctx)
	if err != nil {
		return err
	}
	laws := slices.DeleteFunc(miner.Proven(), (*mine.Law).OfCalls) // no invariants of a state
	for _, l := range laws {
		o.Log.Line("law     %s: held in %s of %s (%s)", l, human.Plural(l.Calls, "call"), human.Plural(len(l.Functions), "function"), functionNames(l))
	}
	if len(laws) == 0 {
		return exit.CannotFuzz("no law was found: none was at stake in 1,000 calls of three functions and held in all of them; give it more time with --timeout")
	}
	r.closeWorld()
	text, err := r.files.Snapshot.Invariants(head.Table, head.Space, laws)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}

// functionNames are the functions of a law, each once.
func functionNames(l *mine.Law) string {
	const shown = 4 // arbitrary
	var names []string
	for _, f := range l.Functions {
		name := f.Name
		if f.Contract != nil {
			name = f.Contract.Name + "." + name
		}
		names = append(names, name)
	}
	return strings.Join(names[:min(len(names), shown)], ", ") + human.More(len(names)-min(len(names), shown))
}

// askInterval: views are asked after one in so many executions. Arbitrary: each asks several runs.
const askInterval = 4

// mineLaws runs both campaigns.
func (r *run) mineLaws(ctx context.Context) (*mine.Miner, error) {
	d := r.head.Deployment
	machine, err := d.NewInterpreter()
	if err != nil {
		return nil, err
	}
	miner := mine.New(machine, d.World, compare.Mined)
	miner.AddViews(machine)
	n := 0
	var encoded evm.Sequence
	breaker := &mine.Breaker{Miner: miner, Counts: true, After: func(seq input.Sequence, exec *evm.Execution) {
		if n++; n%askInterval == 0 {
			encoded = d.Space.Encode(seq, encoded)
			miner.Ask(machine, encoded, seq[len(seq)-1].Function)
		}
	}}
	config := r.config
	config.Oracles, config.Ways, config.Targets, config.Corpus = nil, 0, nil, nil
	config.Space = d.Space.WithOutsider()
	config.NewOther = func() (fuzzer.Other, error) { return breaker, nil }
	config.Timeout, config.MaxCalls = config.Timeout/2, config.MaxCalls/2
	config.Progress = r.display().show
	for i, what := range []string{"find laws", "break them"} {
		r.o.Log.Line("%s, seed %d", what, config.Seed)
		result, err := (&fuzzer.Campaign{Config: config}).Run(ctx)
		r.o.Log.Clear()
		if err != nil {
			return nil, exit.CannotFuzz("%w", err)
		}
		if i == 0 {
			config.Seed++
			for _, packed := range result.Suite {
				config.Seeds = append(slices.Clip(config.Seeds), packed.Unpack())
			}
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("canceled: %w", ctx.Err())
	}
	return miner, nil
}
