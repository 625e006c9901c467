package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// doubter is a machine that may be wrong and looks whether it is: [evm.Checked].
type doubter interface {
	evm.Machine
	// Verify compares what was run last with the reference and gives the execution
	// to believe.
	Verify(evm.Sequence, *evm.Execution) (*evm.Execution, error)
	// faults are what it was wrong about since the method was last called; seq is
	// what was run last.
	faults(seq input.Sequence) []Fault
}

// newDoubter makes one of any machine; most are believed.
func newDoubter(m evm.Machine) doubter {
	if checked, ok := m.(*evm.Checked); ok {
		return doubted{checked}
	}
	return believed{m}
}

// doubted is a machine that is checked.
type doubted struct{ *evm.Checked }

func (d doubted) faults(seq input.Sequence) []Fault {
	var faults []Fault
	for _, m := range d.Mismatches() {
		faults = append(faults, Fault{Message: m.String(), Sequence: seq.Clone(), Mismatch: &m})
	}
	return faults
}

// believed is a machine that is the reference, or that a test made.
type believed struct{ evm.Machine }

// Verify implements doubter.
func (believed) Verify(_ evm.Sequence, exec *evm.Execution) (*evm.Execution, error) { return exec, nil }

func (believed) faults(input.Sequence) []Fault { return nil }
