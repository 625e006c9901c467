// Package world makes the World that a campaign starts from.
//
// [Make] does what the project's own tests do before each test. [Auto] does what a [Plan] says,
// and deploys every contract under test without being told how: dependencies first, constructor
// arguments by type and name, a bounded search when a constructor reverts. Contracts with an
// initializer are initialized by the same search, behind a proxy where they demand it.
//
// Each strategy is a type of its own. All act through one deployer, which has the machine, the
// World in the making, and the record of what was done; a strategy adds what only it has to
// remember, and the strategies that it calls. So the order of the files is that of the calls.
//
// What makes a World:
//
//	make.go       Make and Auto, as lists of stages
//	builder.go    the stages, which hand what one strategy leaves to the next
//	unknown.go    what a plan names and the build does not have
//	passing.go    the project's tests, run for other purposes
//	outsider.go   accounts that no World knows of, added to it
//	testers.go    which calls the properties of Echidna's testers speak of
//	statefile.go  the state of a chain, read from a file
//
// By the project's tests:
//
//	survey.go     running all tests once, to see which set-ups are worth something
//	follow.go     set-ups for lines that calls of tests do not come to
//	madebytests.go  test functions that deploy what has targets
//	setup.go      running set-ups as long as they are worth it
//	foundry.go    a set-up: it is in the World, or leaves nothing behind
//	examples.go   the calls that tests make
//	fuzztests.go  which fuzz tests campaigns run
//	bare.go       what these run on
//	runner.go     running a set-up or a test function
//	adopt.go      instances of what a set-up has left behind
//	invariants.go what is asked of test contracts, and their handlers
//	created.go    which accounts a set-up gave code
//	choice.go     which set-up is worth the most
//	surveyed.go   what running the tests of a contract showed
//	testcontract.go  which contracts are tests, and their names
//	testchain.go  the chain that they run on
//	artifacts.go  what their cheatcodes see of the project
//
// By a plan:
//
//	extrasteps.go the steps that run after everything else
//	plan.go       the steps of the plan
//	recorded.go   the transactions of a deploy script
//
// Without being told how:
//
//	harness.go    the World to begin with, and cheatcodes of harnesses
//	registry.go   the registry of ERC-1820
//	auto.go       one contract after the other, dependencies first
//	circle.go     contracts that want each other
//	helpers.go    mocks that functions may be given
//	stock.go      tokens for what only the deployer puts some into
//	entrust.go    rights for contracts over those that they call
//	fund.go       tokens for senders, and roles for the deployer
//	factory.go    what factories make
//	wire.go       setters tell instances of each other
//	initialize.go initializers, on the instance or behind a proxy
//	proxy.go      that proxy
//	twin.go       instances for code that ran once
//	recognize.go  what can be called besides what was deployed: proxies, created contracts
//	diamond.go    the facets of diamonds
//	callers.go    accounts that contracts compare msg.sender with
//	likely.go     accounts that functions take as a rule
//	senders.go    accounts that the making of the World made special
//
// The search for arguments:
//
//	site.go       the address that a constructor demands
//	drawn.go      arguments at random
//	search.go     one choice of arguments after the other
//	scale.go      ratios that are worth something
//	leaf.go       values of elementary types in arguments
//	failure.go    why a call failed
//	candidates.go values of a parameter
//	hints.go      what its name suggests
//	addresses.go  which accounts it may mean
//	dependencies.go  what parameters ask for, and which instances meet it
//
// What all strategies share:
//
//	link.go       libraries
//	ran.go        which code ran when the World was made
//	told.go       the transactions that made it
//	deployer.go   the machine, the instances, calls, and the record of them
//	written.go    the record as steps of a plan
//	steps.go      plans and their steps
//	world.go      options, and what every World begins with
//	namer.go      what accounts are called
//	build.go      the contracts of the build, by name
//	report.go     how a World was made
//	uses.go       calls whose arguments are worth keeping
//
// What is known of contracts:
//
//	standin.go    what stands in for feeds that nothing implements
//	idle.go       and for what acts
//	standincode.go  the code of both
//	shape.go      what they are, by their functions
//	selection.go  which are worth deploying
//	value.go      arguments as people write them
//	parameter.go  their parameters
//	role.go       what they are for in the project
//	names.go      words of names
//	mocks.go      built-in mocks
package world
