// Package fuzzer is the campaign: greybox fuzzing of a [evm.World] toward the
// targets of a diff.
//
// [Campaign.Run] is Algorithm 1 of the lookahead paper merged with Harvey's. One
// goroutine owns the suite, the counters and the schedule; workers hold a machine and a
// random source each, work on a task (a seed and its energy) and send back a batch (what
// they ran and what it showed). With one worker, a seed and a budget in calls, a campaign
// is deterministic.
//
// The papers: Wüstholz and Christakis, Targeted Greybox Fuzzing with Static Lookahead
// Analysis, ICSE'20 (lookahead); Wüstholz and Christakis, Harvey: A Greybox Fuzzer for
// Smart Contracts, ESEC/FSE'20 (harvey); Qian et al., MuFuzz: Sequence-Aware Mutation
// and Seed Mask Guidance for Blockchain Smart Contract Fuzzing, ICDE'24 (mufuzz).
//
// The campaign's goroutine:
//
//	config.go     the configuration of a campaign
//	campaign.go   the loop: Algorithm 1
//	start.go      what it begins with: workers, and what they share
//	initial.go    the inputs to begin with
//	dispatch.go   what a worker does next
//	merge.go      merging a worker's batch, fact by fact
//	unsolved.go   which branch sides are solved for
//	precursors.go functions that plans wait for, and that have not succeeded
//	plans.go      who writes what a wanted branch side waits for, put before the call
//	unfollowed.go inputs whose leads were not all made, which are followed later
//	pick.go       the seed that is fuzzed next, and its energy
//	conclude.go   how it ends
//
// What a batch showed is confirmed, and told:
//
//	fuzztests.go  the project's own fuzz tests: their share, and which failures count
//	confirm.go    targets and findings, confirmed by the judge
//	exchange.go   inputs to and from campaigns that run elsewhere
//	tidy.go       minimizing what was confirmed, mostly once the search is over
//	stop.go       where executions leave the way to targets that were not reached
//	trim.go       reducing the corpus to the inputs that its coverage needs
//	corpus.go     the corpus on disk
//	judge.go      the judge: runs on the reference machine
//	deferred.go   what heavy calls showed waits until the judge has time for it
//	budget.go     what is left of calls, time and analysis
//	result.go     the result of a campaign
//	timeline.go   samples of it
//	stats.go      its counts
//
// A worker, and what it does with a seed:
//
//	worker.go     tasks, one after the other
//	fuzz.go       the inner loop: mutants, and the leads of each
//	relink.go     mutants of what an earlier call names by its hash
//	stages.go     the techniques, in the order in which they come up
//	invariants.go property functions: when they are called
//	statefuzz.go  calls from states that no sequence leaves (harvey §5)
//	solve.go      getting through branches, by the effect of all words of a call on all of them
//	leadup.go     calls that write what a call reads, and the numbers of all of them
//	compose.go    which calls these are: what a branch depends on, and what they depend on
//	caller.go     calls by whom their sender is compared with, and what can be called behind them
//	climb.go      a call that accumulates, each time with the numbers that it takes then
//	solve_formula.go, solve_system.go  by what the code computes, and by what runs show
//	pathfinder.go what solving knows, and the run that it is at
//	shorten.go    leaving out calls that do not matter
//	try.go        running an input, and recording what it showed
//	novelty.go    which paths are new
//	sightings.go  what oracles saw, for the first time
//	extreme.go    executions whose numbers are worth following
//
// What it asks the lookahead analysis:
//
//	analyze.go    what was ahead of an execution, and its LID
//	energy.go     more energy for nested branches and dangerous instructions
//	steer.go      asks fuzzer/lookahead about executions
//	changes.go    instructions that change state, which targets may wait for
//
// Techniques that make inputs, and run nothing:
//
//	mask.go       which words of a seed mutation spares (mufuzz §IV-B)
//	mutate.go     mutants and splices
//	context.go    other calls before a seed's last one (harvey §5, mufuzz §IV-A)
//	repeat.go     copies of calls, and how many
//	resend.go     calls with a signature, sent by others, and once more
//	callbacks.go  the attacker's contract called, and what it may answer
//	attacks.go    sequences of the attacker's contract alone
//	halve.go      half of what was refused
//	draw.go       more of them, at random, of that and of what calls were seen to do
//	walk.go       attacks that are made one call at a time
//	unpaid.go     walks in which all take part, until a contract cannot pay
//	mend.go       what failed, made again as the check asks for that it failed at
//	shortfall.go  what contracts cannot pay
//	deeds.go      what calls were seen to do
//	producers.go  which calls say what an argument of another one is to be
//	amounts.go    which numbers that functions take are amounts
//	again.go      what they ask for again
//	gifts.go      what others give it first
//	effect.go     what a call did, as far as attacks are told apart by it
//	slotsearch.go leads from storage writes whose slot the input moves
//	predict.go    leads along the line through two runs (harvey §4)
//	operands.go   leads from what words, and hashes of texts, are compared with
//	earlier.go    leads from what earlier calls left in the state
//	keysubstitution.go  mapping keys, so that two calls use the same element
//	sign.go       leads with signatures of accounts whose keys are known
//
// What they are made with:
//
//	leads.go      inputs that are worth trying for a reason, and their order
//	step.go       a run that leads are made from, and which were
//	tools.go      what techniques share
//	run.go        running a sequence within a task's budget
//	other.go      another version of the code, which runs the same
//	task.go       tasks and batches: what the campaign and workers send each other
//	techniques.go techniques that can be switched off, to measure them
//	finding.go    observations of oracles, and the findings made of them
//	scene.go      what oracles look closely at
//	property.go   property functions: when they fail
//	checked.go    machines that compare themselves with the reference
//	tracker.go    which blocks, targets and branch sides executions reached
//	barrier.go    sides of functions' own, where code that they share made them fail
//	sides.go      branch sides, and which were taken
//	entries.go    which blocks enter targets
//	failure.go    what made a frame fail
//	slotwrites.go which slots instructions write to
//	pathset.go    the paths that a worker remembers
//	pieces.go     a call's path as those of its parts, where the attacker's contract calls
//	stores.go     what kinds of writes calls have made
//	ahead.go      the targets ahead of a path
//	minimize.go, minimize_scripts.go  the minimizer, pure
//
// The suite and the schedule:
//
//	schedule.go   which seed is picked and how much energy it gets
//	suite.go      seeds, path counts, the closest inputs to uncovered branches
//	lids.go       counts by lookahead identifier and split point, rarity
//	demand.go     which functions need longer sequences
//	writers.go    which entries write what a seed reads
//	readers.go    which functions have read something, and failed
//	footprint.go  what a call reads and writes
//	newstate.go   which states sequences leave
//	pool.go       seeds to pick from, those with a script apart
//	ration.go     the work of calls, by function: who has had too much of it
//	execution.go  what an execution did
package fuzzer
