package mine

import (
	"sync"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Breaker makes a campaign try to break a miner's laws: what brings one nearer to its end than any input before
// is kept as what takes a new path is. It is the [fuzzer.Other] of all workers.
type Breaker struct {
	sync.Mutex
	Miner *Miner
	// Counts is set where what keeps a law counts for it.
	Counts bool
	// After is called after each execution; nil: nothing is.
	After func(seq input.Sequence, exec *evm.Execution)
}

// Run implements fuzzer.Other.
func (b *Breaker) Run(seq input.Sequence, exec *evm.Execution) (*evm.Execution, uint64, error) {
	if exec.Truncated {
		return exec, 0, nil
	}
	b.Lock()
	defer b.Unlock()
	look := b.Miner.Attack
	if b.Counts {
		look = b.Miner.See
	}
	look(seq, exec, func(l *Law, _ int) { l.Broken = true })
	near := b.Miner.near()
	if b.After != nil {
		b.After(seq, exec)
	}
	return exec, near, nil
}

// near identifies how near the last call of the execution that was looked at has come to the end of the
// laws that it concerns; 0: to none. Only orders of magnitude count.
func (m *Miner) near() (way uint64) {
	for _, i := range m.touched {
		for _, n := range m.quantities[i].laws {
			l := m.laws[n]
			if l.Broken || l.Template != Covers || l.A.Kind == Answer || l.B.Kind == Answer || l.B.value.IsZero() || l.A.value.Lt(&l.B.value) {
				continue
			}
			gap := l.A.value
			gap.Sub(&gap, &l.B.value)
			const step = 16 // bits
			const prime = 1099511628211
			way = (way ^ (uint64(n)<<8 | uint64(gap.BitLen()/step) + 1)) * prime
		}
	}
	return way
}
