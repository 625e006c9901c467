package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Other is another version of the code, which runs what a campaign runs.
type Other interface {
	// Run runs a sequence there, whose execution here is exec. way identifies in what way both
	// differ; 0: they do the same. there is valid until the next Run, and nil where the sequence
	// cannot be run; an error means that a machine failed.
	Run(seq input.Sequence, exec *evm.Execution) (there *evm.Execution, way uint64, err error)
}
