package evm

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
)

// Bare is what the fuzz tests of a test contract run on: the state that forge has after its
// setUp(), and nothing that a campaign adds for calls of its own (funds, other set-ups,
// deployments).
type Bare struct {
	World   *World
	Address common.Address // of the test contract there
}

// For is the World that a sequence runs on, and the sequence as it is run there: those of
// [Bare] where the last call runs a fuzz test of an instance that has one, and otherwise w and
// the sequence itself.
func (w *World) For(seq Sequence) (*World, Sequence) {
	if len(seq) == 0 {
		return w, seq
	}
	last := &seq[len(seq)-1]
	for i := range w.Instances {
		in := &w.Instances[i]
		if in.Bare == nil || in.Address != last.To || !in.runsTest(last) {
			continue
		}
		if in.Bare.Address != in.Address {
			seq = slices.Clone(seq)
			seq[len(seq)-1].To = in.Bare.Address
		}
		return in.Bare.World, seq
	}
	return w, seq
}

// RunsTest reports whether a call runs a fuzz test of an instance.
func (w *World) RunsTest(c *Call) bool {
	return slices.ContainsFunc(w.Instances, func(in Instance) bool { return in.Address == c.To && in.runsTest(c) })
}

// runsTest reports whether a call to the instance runs one of its fuzz tests.
func (in *Instance) runsTest(c *Call) bool {
	if len(in.Tests) == 0 || c.Create {
		return false
	}
	m, err := in.Contract.ABI.MethodById(c.Data)
	return err == nil && slices.Contains(in.Tests, m.Sig)
}

// Apart is a machine that runs each sequence on the World that [World.For] says.
type Apart struct {
	world    *World
	make     func(*World, ...Option) (Exporter, error)
	machines map[*World]Exporter
	last     Exporter // that ran something last
}

// NewApart makes a machine of those that make makes, one for each World when it is first
// needed. Forge's tests have no limits on the size of code: neither have machines on [Bare].
func NewApart(w *World, make func(*World, ...Option) (Exporter, error)) (*Apart, error) {
	m, err := make(w)
	if err != nil {
		return nil, err
	}
	return &Apart{world: w, make: make, machines: map[*World]Exporter{w: m}, last: m}, nil
}

// Run implements [Machine].
func (a *Apart) Run(seq Sequence) (*Execution, error) {
	w, seq := a.world.For(seq)
	m := a.machines[w]
	if m == nil {
		var err error
		if m, err = a.make(w, LiftCodeSizeLimits); err != nil {
			return nil, err
		}
		a.machines[w] = m
	}
	a.last = m
	return m.Run(seq)
}

// Export implements [Exporter]: the state after the last run, on the World of that run.
func (a *Apart) Export() *World { return a.last.Export() }

// World is what the machine runs sequences from, unless they run fuzz tests.
func (a *Apart) World() *World { return a.world }

// Forget implements [Trusted].
func (a *Apart) Forget() {
	if m, ok := a.last.(Trusted); ok {
		m.Forget()
	}
}
