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
//	worker.go     tasks, batches and what a worker does
//	suite.go      seeds, path counts, the closest inputs to uncovered branches
//	schedule.go   who is picked and how much energy it gets
//	tracker.go    which blocks, targets and branch sides executions reached
//	finding.go    observations become findings: minimised, replayed, deduplicated
//	minimise.go   the minimiser, pure
//	corpus.go     the corpus on disk
package fuzzer
