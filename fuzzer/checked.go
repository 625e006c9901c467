package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// checkedMachine is a machine that may be wrong and checks itself: [evm.Checked].
type checkedMachine interface {
	evm.Machine
	// Verify compares what was run last with the reference and gives the execution
	// to believe.
	Verify(evm.Sequence, *evm.Execution) (*evm.Execution, error)
	// faults returns the mismatches since its last call; seq is what was run last.
	faults(seq input.Sequence) []Fault
}

// newCheckedMachine makes one of any machine; all but evm.Checked are trusted.
func newCheckedMachine(m evm.Machine) checkedMachine {
	if checked, ok := m.(*evm.Checked); ok {
		return checking{checked}
	}
	return unchecked{m}
}

// checking is a machine that compares itself with the reference.
type checking struct{ *evm.Checked }

func (d checking) faults(seq input.Sequence) []Fault {
	var faults []Fault
	for _, m := range d.Mismatches() {
		faults = append(faults, Fault{Message: m.String(), Sequence: seq.Clone(), Mismatch: &m})
	}
	return faults
}

// unchecked is the reference, or a machine made by a test.
type unchecked struct{ evm.Machine }

// Verify implements checkedMachine.
func (unchecked) Verify(_ evm.Sequence, exec *evm.Execution) (*evm.Execution, error) {
	return exec, nil
}

func (unchecked) faults(input.Sequence) []Fault { return nil }
