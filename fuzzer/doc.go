// Package fuzzer is the campaign: greybox fuzzing of a [evm.World] toward the
// targets of a diff.
//
// [Campaign.Run] is Algorithm 1 of the lookahead paper merged with Harvey's
// (design §6). One goroutine owns the suite, the counters and the schedule;
// workers hold a machine and a random source each, work off a task (a seed and
// its energy) and send back a batch (what they ran and what it showed). With one
// worker, a seed and a budget in calls, a campaign is deterministic.
//
//	campaign.go   the loop, its configuration and its result
//	budget.go     when it ends
//	worker.go     tasks, batches and what a worker does
//	predict.go    inputs that a worker has a reason to try
//	slotsearch.go the same for storage writes whose slot the input moves
//	sign.go       inputs with signatures by accounts whose keys are known
//	preimage.go   inputs of what was hashed, and of what an earlier call promised
//	statefuzz.go  calls from states that no sequence leaves (harvey §5)
//	demand.go     which functions they show to need longer sequences
//	context.go    other calls before a seed's last one
//	repeat.go     how many copies of calls
//	keysubstitution.go  mapping keys, so that both calls use the same element
//	mask.go       what of a seed mutation spares
//	energy.go     more energy for what is nested or dangerous
//	solve.go      getting through branches by what all words of a call do to all of them
//	unsolved.go   which branch sides that is done for
//	shorten.go    calls that do not matter are left out of what is built on
//	footprint.go  who writes what a seed reads
//	property.go   property functions: when they are asked, and when they fail
//	tracker.go    which blocks, targets and branch sides executions reached
//	ahead.go      which of its branches may lead to a target
//	changes.go    places that change state, which targets may wait for
//	steer.go      what lies ahead of an execution, by fuzzer/lookahead
//	techniques.go what a campaign can do without, to be measured
//	suite.go      seeds, path counts, the closest inputs to uncovered branches
//	lids.go       counts by lookahead identifier and split point, rarity
//	pathset.go    the paths that a worker remembers
//	schedule.go   who is picked and how much energy it gets
//	judge.go      confirming on the reference machine
//	finding.go    what oracles see, and the findings it becomes
//	minimize.go   the minimizer, pure
//	corpus.go     the corpus on disk
//	trim.go       the corpus, cut to what its coverage needs
package fuzzer
