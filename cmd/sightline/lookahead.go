package main

import (
	"encoding/json"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/question"
	"github.com/spf13/cobra"
)

func (p *program) lookaheadCommand() *cobra.Command {
	var q question.Question
	var input string
	var batch bool
	cmd := &cobra.Command{
		Use:   "lookahead",
		Short: "Ask the analysis whether a path can still reach a target",
		Long: `Answers, as JSON, the question with which the lookahead analysis steers campaigns: once the
instructions of a prefix have been executed, can a target still be reached? "canReach": false is
proved for every input that takes this path, whatever the storage, calldata, environment and call
results; true means that a target may be ahead, and "reason" says why: a target, a call, an unknown
jump or opcode, or the budget.

"lid" is the hash of the shortest prefix with no target ahead, or of the whole prefix; "splitPoints"
are the pcs along it at which the question was asked; "states" and "steps" say how much work the
answer took, and "microseconds" how long, excluding what is done once per contract.

Exit codes: 0 for either answer, 2 if a question cannot be read.`,
		Example: `  sightline lookahead --code 6000356001146009575b00 --prefix 0,2,3,5,6,8 --target 10
  sightline lookahead --code @runtime.hex --input 0xa9059cbb --target invalid
  sightline lookahead --batch <<< '{"code": "@runtime.hex", "prefix": [0, 2, 4], "target": [17]}'`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("input") {
				q.Input = &input
			}
			answerer := question.NewAnswerer(p.now)
			if batch {
				return answerer.Batch(p.stdin, p.stdout, q)
			}
			answer, err := answerer.Answer(&q)
			if err != nil {
				return exit.BadInput("%w", err)
			}
			return json.NewEncoder(p.stdout).Encode(answer)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Code, "code", "", "runtime code: `HEX`, or @FILE to read it from a file")
	flags.Var(&q.Prefix, "prefix", "`PCs` executed so far, in order, separated by commas (default: none)")
	flags.StringVar(&input, "input", "", "calldata `HEX`; the path it takes is the prefix")
	flags.Var(&q.Target, "target", "`PCs` of the targets, or invalid for every INVALID and undefined opcode")
	flags.StringVar(&q.Calls, "calls", question.Conservative, "`MODEL` of where calls lead: conservative (anywhere), or observed (where they led in the run of --input; anywhere if it did not make them)")
	flags.BoolVar(&batch, "batch", false, "read questions from standard input, one JSON object per line; flags supply what a line omits")
	flags.SortFlags = false
	return cmd
}
