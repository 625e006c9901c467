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
//	campaign.go   the loop
//	start.go      workers, and the inputs to begin with
//	budget.go     when it ends
//	dispatch.go   what a worker does next
//	merge.go      merging a worker's batch, fact by fact
//	result.go     the result of a campaign, and its statistics
//	exchange.go   inputs to and from campaigns that run elsewhere
//	techniques.go techniques that can be switched off, to measure them
//	fuzztests.go  the project's own fuzz tests: their share, and which failures count
//
// The suite and the schedule:
//
//	suite.go      seeds, path counts, the closest inputs to uncovered branches
//	lids.go       counts by lookahead identifier and split point, rarity
//	schedule.go   which seed is picked and how much energy it gets
//	energy.go     more energy for nested branches and dangerous instructions
//	unsolved.go   which branch sides are solved for
//	demand.go     which functions need longer sequences
//	footprint.go  which calls write what a seed reads
//	newstate.go   which states sequences leave
//	plans.go      who writes what a wanted branch side waits for, put before the call
//
// The lookahead analysis:
//
//	steer.go      asks fuzzer/lookahead about executions
//	ahead.go      its answers: LIDs, and the targets ahead of a path
//	changes.go    instructions that change state, which targets may wait for
//
// Workers and their techniques:
//
//	worker.go     tasks, batches, the inner loop
//	tracker.go    which blocks, targets and branch sides executions reached
//	pathset.go    the paths that a worker remembers
//	stores.go     what kinds of writes calls have made
//	leads.go      inputs that are worth trying for a reason, and their order
//	predict.go    leads from comparisons (harvey §4)
//	slotsearch.go leads from storage writes whose slot the input moves
//	preimage.go   leads from hashes, and from commitments of earlier calls
//	sign.go       leads with signatures of accounts whose keys are known
//	resend.go     calls with a signature, sent by others, and once more
//	context.go    other calls before a seed's last one (harvey §5, mufuzz §IV-A)
//	repeat.go     copies of calls, and how many
//	climb.go      a call that accumulates, each time with the numbers that it takes then
//	keysubstitution.go  mapping keys, so that two calls use the same element
//	statefuzz.go  calls from states that no sequence leaves (harvey §5)
//	mask.go       which words of a seed mutation spares (mufuzz §IV-B)
//	solve.go, solve_system.go, solve_formula.go  getting through branches by the
//	              effect of all words of a call on all of them
//	leadup.go     calls that write what a call reads, and the numbers of all of them
//	shorten.go    leaving out calls that do not matter
//	property.go   property functions: when they are called, and when they fail
//
// Findings:
//
//	checked.go    machines that compare themselves with the reference
//	judge.go      confirming on the reference machine
//	tidy.go       minimizing what was confirmed, mostly once the search is over
//	finding.go    observations of oracles, and the findings made of them
//	minimize.go   the minimizer, pure
//	corpus.go     the corpus on disk
//	trim.go       reducing the corpus to the inputs that its coverage needs
package fuzzer
