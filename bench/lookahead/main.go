// Command lookahead measures the analysis that steers campaigns: how precise it
// is, and how fast.
//
//	main.go       what is measured, and the tables
//	corpus.go     the contracts
//	paths.go      the paths that a campaign without lookahead takes
//	questions.go  the questions, and what becomes of them
package main

import (
	"context"
	"fmt"

	"github.com/sightline-evm/sightline/bench/internal/harness"
)

const doc = `Measures the lookahead analysis on debug builds of our examples, OpenZeppelin's ERC-20,
ERC-4626 and Governor, Gnosis Safe, Uniswap v2 and one plain contract under many solc
versions. Questions: every split point of the paths of a campaign that does without
lookahead, asked for each block that it did not enter (a sample of them, -questions).
A question's time includes running its prefix from the start, which a campaign does once
for all split points of a path.

summary: unknownJumpShare and exhaustedShare of the questions' answers, in percent;
medianMicroseconds and p99Microseconds of a question that was not asked before, and the
same of those that neither the control-flow graph nor memory could answer.`

// options are the flags of this comparison.
var options struct {
	executions, questions int
	verbose               bool
}

func main() {
	harness.Main(harness.Comparison{
		Name: "lookahead", Doc: doc, Seconds: 120, Runs: 1, Measure: measure, Flags: flags,
	})
}

// contractResult is what the questions about one contract's code came to.
type contractResult struct {
	subject, contract string
	bytes, blocks     int
	unreached, proved int // blocks not entered; those of them proved unreachable
	graphMicroseconds float64
	tally
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	list, err := subjects(ctx, run)
	if err != nil {
		return nil, err
	}
	var results []contractResult
	for _, s := range list {
		run.Logf("running a campaign on %s", s.name)
		walked, err := walk(ctx, run, s, len(list))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		for _, w := range walked {
			results = append(results, question(run, s.name, w))
		}
	}
	return tables(results), nil
}

func tables(results []contractResult) *harness.Result {
	table := harness.Table{
		Title: "questions by contract",
		Columns: []string{"project", "contract", "bytes", "blocks", "not entered", "unreachable", "graph µs", "questions", "by graph %",
			"no target %", "target %", "call %", "unknown %", "exhausted %", "median µs", "p99 µs", "explored median µs", "explored p99 µs"},
		Notes: []string{"Unreachable: blocks proved to be entered by no frame. By graph: answered by the control-flow graph alone. Explored: answered by a fixed point."},
	}
	var total tally
	for _, r := range results {
		table.Add(append([]string{r.subject, r.contract, fmt.Sprint(r.bytes), fmt.Sprint(r.blocks), fmt.Sprint(r.unreached), fmt.Sprint(r.proved),
			harness.Number(r.graphMicroseconds)}, r.cells()...)...)
		total.add(&r.tally)
	}
	table.Add(append([]string{"all", "", "", "", "", "", ""}, total.cells()...)...)
	return &harness.Result{
		Tables: []harness.Table{table},
		Summary: map[string]float64{
			"unknownJumpShare":   total.share(total.unknown),
			"exhaustedShare":     total.share(total.exhausted),
			"medianMicroseconds": quantile(total.micros, 0.5),
			"p99Microseconds":    quantile(total.micros, 0.99),

			"exploredMedianMicroseconds": quantile(total.explored, 0.5),
			"exploredP99Microseconds":    quantile(total.explored, 0.99),
		},
	}
}
