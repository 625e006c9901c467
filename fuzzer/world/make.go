package world

import (
	"context"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Make makes a World as the project's own tests do: test contracts are deployed
// and their setUp() is called as forge does, and what they deploy can be called.
// Contracts with targets that are not there then are deployed on top, as [Auto]
// does. Where no set-up succeeds, or options name none, the World is Auto's.
//
// The set-up whose tests execute most of the targets' lines is run first; of equal
// ones, the one with the most tests that do, then the one whose code holds most of them, then one
// with a setUp(), then the first of the table. As long as others execute lines that those before
// them do not, they follow, in the same state; then those whose tests execute lines that the calls
// of tests used so far do not come to when they are sent as sequences; at last those that hold
// lines which no instance does.
func Make(ctx context.Context, table *bytecode.Table, options Options) (*evm.World, *Report, error) {
	if options.Setup == nil || len(options.Only) > 0 || options.Plan.makesWorld() {
		return Auto(ctx, table, options)
	}
	options, err := options.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	s, err := newSetups(table.Contracts(), options)
	if err != nil {
		return nil, nil, err
	}
	tests := options
	tests.Machine = append(slices.Clip(options.Machine), evm.LiftCodeSizeLimits) // as forge does
	if !s.strict() && len(s.Entries) > 0 {
		if err := (&surveyor{s, table, tests}).run(ctx); err != nil {
			return nil, nil, err
		}
	}
	var edge cheatcode.Edge
	edge, s.answers = s.edge(options.Plan).Recorded()
	s.recorded = edge
	b, err := startBuilder(options.Plan.on(foundryWorld(options.Fork, &s.chain, edge)), table, tests, s)
	if err != nil {
		return nil, nil, err
	}
	b.options = options
	if err := inOrder(ctx,
		b.foundry.run,     // set-ups that are worth it
		b.foundry.follow,  // and for lines that calls of their tests do not come to
		b.foundry.runAlso, // test functions that deploy what has targets
	); err != nil {
		return nil, nil, err
	}
	s.nameRest()
	if !s.succeeded() {
		w, report, err := Auto(ctx, table, options)
		if err == nil {
			report.TestSetups, report.tested = s.tried, s.tested
		}
		return w, report, err
	}
	b.report.TestSetups, b.report.tested = s.tried, s.tested
	return b.run(ctx,
		[]stage{
			b.chooseRest,    // what the set-ups did not deploy
			b.runExtraSteps, // of another fuzzer's configuration
		},
		b.search(),
		[]stage{
			b.takeExamples,   // calls that tests make
			b.addTestSenders, // test contracts, and accounts that set-ups made special
			b.addCallers,     // accounts that contracts compare msg.sender with
			b.runFuzzTests,   // which campaigns run as well
			b.settle,
			b.leaveOut,
		})
}

// Auto deploys contracts of the table, in its order, on a fresh chain. The table's
// programs must have their final cuts, see [bytecode.Table.Cut]. What
// could not be deployed is in the report; an error means that nothing could be
// tried, or that ctx ended. The same table and options give the same World.
func Auto(ctx context.Context, table *bytecode.Table, options Options) (*evm.World, *Report, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	selection, err := choose(table.Contracts(), options)
	if err != nil {
		return nil, nil, err
	}
	b, err := startBuilder(beginAuto(table.Contracts(), options), table, options, nil)
	if err != nil {
		return nil, nil, err
	}
	b.selection = selection
	if b.uninitialized, err = namedContracts(table.Contracts(), options.Uninitialized); err != nil {
		return nil, nil, err
	}
	return b.run(ctx,
		[]stage{
			b.followPlan,    // and a deploy script
			b.runExtraSteps, // of another fuzzer's configuration
			b.nameRegistry,  // ERC-1820's, if code names it
		},
		b.search(),
		[]stage{
			b.addScriptSenders, // accounts that the script made special
			b.addCallers,       // accounts that contracts compare msg.sender with
			b.settle,
			b.leaveOut,
		})
}

// search is how the builder deploys what is wanted without being told how, and makes the World.
func (b *builder) search() []stage {
	return []stage{
		b.beginSearch,
		b.deployWanted,      // with dependencies, and initialized
		b.wire,              // setters tell instances of each other
		b.grantRoles,        // to the deployer
		b.initializeFurther, // what others were told of
		b.produce,           // by factories
		b.fund,              // senders with tokens
		b.stock,             // contracts with what only their owner pays in
		b.entrust,           // contracts with rights over those that they call
		b.addTwins,          // for code that ran once
		b.runAfter,          // the plan's last steps
		b.recognize,         // proxies, diamonds, and what constructors created
		b.export,
	}
}

// stage is a part of making a World.
type stage func(context.Context) error

// inOrder goes through stages, until one fails.
func inOrder(ctx context.Context, stages ...stage) error {
	for _, do := range stages {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// run goes through stages, after which the World is made.
func (b *builder) run(ctx context.Context, stages ...[]stage) (*evm.World, *Report, error) {
	if err := inOrder(ctx, slices.Concat(stages...)...); err != nil {
		return nil, nil, err
	}
	return b.world, b.report, nil
}
