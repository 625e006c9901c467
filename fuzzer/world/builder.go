package world

import (
	"context"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// builder makes a World, stage by stage: it hands what one strategy leaves to the next.
type builder struct {
	*deployer
	options Options

	planner    *planner
	extras     *extras
	foundry    *foundry // nil: no tests make the World
	recognizer *recognizer
	wiring     *wiring
	auto       *auto
	factories  *factories
	funder     *funder
	entruster  *entruster
	twins      *twins
	callers    *callers

	selection Selection  // what is wanted, and what is not
	adopted   int        // so many instances, the first, are of set-ups
	first     int        // the index of the first instance of the search
	world     *evm.World // once it is made
}

// startBuilder makes a builder that goes on from a World. s is nil where no tests make it.
func startBuilder(w *evm.World, table *bytecode.Table, options Options, s *setups) (*builder, error) {
	d, err := startDeployer(w, table, options)
	if err != nil {
		return nil, err
	}
	linker, deps, recognizer, parties := newLinker(d), newDependencies(d), &recognizer{deployer: d}, &parties{deployer: d}
	finder := &finder{deployer: d, deps: deps}
	initializer := &initializer{deployer: d, linker: linker, finder: finder}
	wiring := &wiring{deployer: d, deps: deps, recognizer: recognizer, initializer: initializer}
	twins, callers := newTwins(d, options.Entries), &callers{deployer: d, finder: finder}
	planner := &planner{deployer: d, linker: linker, deps: deps, recognizer: recognizer, repeater: &repeater{deployer: d, linker: linker, parties: parties}}
	b := &builder{
		deployer: d, options: options,
		planner:    planner,
		extras:     &extras{deployer: d, planner: planner},
		recognizer: recognizer,
		wiring:     wiring,
		auto: &auto{
			deployer: d, linker: linker, deps: deps, finder: finder, initializer: initializer, wiring: wiring,
			copies: map[*bytecode.Contract]int{},
		},
		factories: &factories{deployer: d, finder: finder},
		funder:    &funder{deployer: d, deps: deps, wiring: wiring},
		entruster: &entruster{deployer: d, wiring: wiring, selectors: map[*bytecode.Contract]map[uint32]bool{}},
		twins:     twins,
		callers:   callers,
	}
	if s != nil {
		runner := &testRunner{deployer: d, linker: linker, finder: finder, tester: s.chain.Sender, testPlaces: s.Places}
		b.foundry = &foundry{
			deployer: d, setups: s, linker: linker, parties: parties, callers: callers, twins: twins, runner: runner,
			adopter:  &adopter{deployer: d, setups: s, recognizer: recognizer, parties: parties, callers: callers, twins: twins},
			examples: &examples{deployer: d, setups: s, runner: runner, parties: parties},
		}
	}
	return b, nil
}

// followPlan does what the plan says, and leaves to the search what it has to.
func (b *builder) followPlan(ctx context.Context) error {
	if !b.options.Plan.makesWorld() {
		return nil
	}
	if err := b.planner.follow(ctx, b.options.Plan); err != nil {
		return err
	}
	b.selection = b.planner.leftByPlan(b.selection, b.options.Targets)
	return nil
}

// chooseRest chooses what the set-ups did not deploy.
func (b *builder) chooseRest(context.Context) error {
	targets, err := namedContracts(b.build.contracts, b.options.Targets)
	if err != nil {
		return err
	}
	if b.uninitialized, err = namedContracts(b.build.contracts, b.options.Uninitialized); err != nil {
		return err
	}
	for _, c := range Select(b.build.contracts, targets, 0).Wanted {
		if !b.hasInstance(c) || slices.Contains(b.uninitialized, c) {
			b.selection.Wanted = append(b.selection.Wanted, c)
		}
	}
	b.adopted = len(b.instances)
	return nil
}

func (b *builder) runExtraSteps(ctx context.Context) (err error) {
	b.selection.Wanted, err = b.extras.runExtraSteps(ctx, b.options.Plan, b.selection.Wanted)
	return err
}

func (b *builder) nameRegistry(context.Context) error { return nameRegistry(b.deployer) }

// beginSearch notes what is there without a search.
func (b *builder) beginSearch(context.Context) error {
	b.report.keepUses(b.calls)
	b.report.Given = len(b.report.Deployments)
	b.first = len(b.instances)
	b.wiring.from = b.first
	return nil
}

func (b *builder) deployWanted(ctx context.Context) error {
	return b.auto.deployAll(ctx, b.selection.Wanted)
}

func (b *builder) wire(ctx context.Context) error { return b.wiring.wire(ctx, true) }

func (b *builder) grantRoles(ctx context.Context) error { return b.funder.grantRoles(ctx, b.first) }

func (b *builder) initializeFurther(ctx context.Context) error {
	return b.wiring.initializeFurther(ctx, b.first)
}

func (b *builder) produce(ctx context.Context) error {
	return b.factories.produce(ctx, b.selection.Wanted, b.first)
}

func (b *builder) fund(ctx context.Context) error { return b.funder.fund(ctx, b.first) }

func (b *builder) stock(ctx context.Context) error { return b.funder.stock(ctx, b.first) }

func (b *builder) entrust(ctx context.Context) error { return b.entruster.entrust(ctx, b.first) }

func (b *builder) addTwins(context.Context) error {
	if b.options.Plan.makesWorld() {
		return nil
	}
	return b.twins.addTwins(b.options.Twins)
}

func (b *builder) runAfter(ctx context.Context) error {
	return b.extras.runAfter(ctx, b.options.Plan)
}

func (b *builder) recognize(context.Context) error { return b.recognizer.recognize(b.table, b.adopted) }

// export makes the World of what was done, and reports how.
func (b *builder) export(context.Context) error {
	if err := b.runCalls(); err != nil {
		return err
	}
	b.world = b.machine.Export()
	b.world.Instances = b.instances
	b.markSpares()
	b.report.Steps = b.writer.steps
	b.report.Likely = b.auto.deps.likely()
	if b.foundry != nil {
		b.report.Tester = b.foundry.runner.tester
	}
	return b.tell(b.options.Plan)
}

// markSpares marks the instances that have the code of a contract where a proxy runs it as well.
func (b *builder) markSpares() {
	isDirect := func(in *evm.Instance) bool {
		account := b.world.Accounts[in.Address]
		p := (*bytecode.Program)(nil)
		if account != nil {
			p = b.table.LookupRuntime(account.Code)
		}
		return p != nil && p.Contract == in.Contract
	}
	proxied := map[*bytecode.Contract]bool{}
	for i := range b.world.Instances {
		if in := &b.world.Instances[i]; in.Contract != nil && !IsBuiltInMock(in.Contract) && !isDirect(in) {
			proxied[in.Contract] = true
		}
	}
	for i := range b.world.Instances {
		in := &b.world.Instances[i]
		in.Spare = proxied[in.Contract] && isDirect(in)
	}
}

func (b *builder) addScriptSenders(context.Context) error {
	return b.planner.repeater.addScriptSenders(b.world, b.options.Plan)
}

// takeExamples goes on from the World that was made.
func (b *builder) takeExamples(ctx context.Context) error {
	if err := b.moveTo(b.world); err != nil {
		return err
	}
	return b.foundry.examples.take(ctx, b.world)
}

func (b *builder) addTestSenders(context.Context) (err error) {
	b.world.Senders, err = b.foundry.senders(b.world)
	return err
}

func (b *builder) addCallers(ctx context.Context) error {
	return b.callers.addCallers(ctx, b.world, b.options.Targets, b.options.Callers)
}

func (b *builder) runFuzzTests(ctx context.Context) error {
	return b.foundry.runTests(ctx, b.world, b.options)
}

// settle leaves of senders and cheatcodes what campaigns need.
func (b *builder) settle(context.Context) error {
	if b.foundry == nil {
		settleAuto(b.world)
		return nil
	}
	b.foundry.examples.fromSenders(b.world)
	b.foundry.settle(b.world)
	return nil
}

// leaveOut lists what is not deployed, and why.
func (b *builder) leaveOut(context.Context) error {
	for _, l := range b.selection.LeftOut {
		if !b.tried[l.Contract] { // not even as a dependency
			b.report.LeftOut = append(b.report.LeftOut, l)
		}
	}
	if b.foundry == nil {
		return nil
	}
	for _, c := range b.build.contracts {
		if !c.Deployable() || c.Library || b.tried[c] || b.hasInstance(c) {
			continue
		}
		reason := "left out: the set-up does not deploy it, and it has no targets"
		if r, why := RoleOf(c); r != UnderTest {
			reason = fmt.Sprintf("left out as a %s: %s", r, why)
		}
		b.report.LeftOut = append(b.report.LeftOut, LeftOut{c, reason})
	}
	return nil
}
