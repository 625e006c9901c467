package fuzzer

import (
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Other is another version of the code, which runs what a campaign runs.
type Other interface {
	// Run runs a sequence there, whose execution here is exec. way identifies in what way both
	// differ; 0: they do the same. there is valid until the next Run, and nil where the sequence
	// cannot be run; an error means that a machine failed.
	Run(seq input.Sequence, exec *evm.Execution) (there *evm.Execution, way uint64, err error)
}

// otherVersion is a worker's.
type otherVersion struct {
	other Other          // nil: there is none
	there *evm.Execution // the latest on it; nil where it ran nothing
	way   uint64         // how it differs from the one here; 0: it does the same
}

// runOther runs a sequence on the other version as well, if there is one, and returns the
// path of both: an input whose pair of paths is new, or that makes the versions differ in a
// new way, is as good as one whose path is new (the path diversity of NEZHA, Petsios and
// others, S&P 2017, section 3). What the other version compares is worth trying here: the
// change may have removed it.
func (o *otherVersion) runOther(seq input.Sequence, exec *evm.Execution, b *batch) (bytecode.PathID, bool) {
	pid := exec.PathID()
	o.there, o.way = nil, 0
	if o.other == nil || input.IsTest(seq) {
		return pid, true
	}
	there, way, err := o.other.Run(seq, exec)
	if err != nil {
		b.fault = &Fault{fmt.Sprintf("the machine of the other version failed: %v", err), seq.Clone(), nil}
		return pid, false
	}
	if there == nil {
		return pid, true
	}
	o.there, o.way = there, way
	return pid.With(there.PathID(), way), true
}
