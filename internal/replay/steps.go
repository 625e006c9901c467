package replay

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/report"
)

// Steps describes the calls of a sequence with their outcome; exec is its execution.
func Steps(space *input.Space, seq input.Sequence, exec *evm.Execution) []report.Step {
	var steps []report.Step
	for i := range seq {
		step := report.Step{Sender: space.Senders[seq[i].Sender].Name, Call: space.ExpressionAlone(&seq[i]), Answers: space.DescribeScript(seq[i].Script), Test: seq[i].Function.Test}
		if exec.Calls[i].Outcome != evm.Success {
			step.Note = "reverts: " + space.NameAddresses(exec.Calls[i].Reason())
		}
		steps = append(steps, step)
	}
	return steps
}
