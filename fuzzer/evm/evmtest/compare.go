package evmtest

import (
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Compare runs a sequence on two machines of one World and finds the first
// difference between what they yield, and between their states afterwards; nil
// when there is none. An error is a machine's own failure.
func Compare(a, b evm.Exporter, seq evm.Sequence) (*evm.Difference, error) {
	left, err := a.Run(seq)
	if err != nil {
		return nil, fmt.Errorf("the first machine: %w", err)
	}
	right, err := b.Run(seq)
	if err != nil {
		return nil, fmt.Errorf("the second machine: %w", err)
	}
	if d := evm.Differ(left, right); d != nil {
		return d, nil
	}
	return evm.DifferWorlds(a.Export(), b.Export()), nil
}

// Run compares two machines on all sequences of a case, and returns the first that
// they disagree about.
func (c *Case) Run(a, b evm.Exporter) (evm.Sequence, *evm.Difference, error) {
	for _, seq := range c.Sequences {
		if d, err := Compare(a, b, seq); d != nil || err != nil {
			return seq, d, err
		}
	}
	return nil, nil, nil
}
