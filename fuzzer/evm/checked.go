package evm

import "fmt"

// Checked is the machine for campaigns: it runs on a fast machine that need not be
// believed. Of every so many calls one is run on the reference as well and compared
// in full: the execution, field by field, and the state after it. So is, within a
// budget, what a campaign is about to build on ([Checked.Verify]).
//
// Where the two disagree, the fast machine is wrong until proved otherwise: the
// case is kept for [Checked.Mismatches], the reference's answer counts, and from
// then on the code that ran is run on the reference alone.
//
// What is compared depends on the calls that were run and on nothing else, so that
// a campaign is a function of its seed. A comparison that finds nothing changes
// nothing.
type Checked struct {
	fast      Exporter
	reference Trusted
	last      Exporter // that ran what Export is about

	calls      uint64          // run so far, comparisons not counted
	due        uint64          // the number of the call that is compared next
	ran        uint64          // likewise, a heavy one counted as several, see workPerCall
	verified   uint64          // run for Verify, counted in the same way
	distrusted map[uint64]bool // by the program's key
	overruled  bool            // nothing is run on the fast machine any more
	mismatches []Mismatch
	found      int // mismatches in all
}

// Exporter is a machine whose state can be looked at.
type Exporter interface {
	Machine
	Export() *World
}

// Trusted is the machine whose answer counts.
type Trusted interface {
	Exporter
	World() *World // that it runs sequences from
	// Forget releases the memory of a large execution that is not needed any more.
	Forget()
}

// Mismatch is a sequence that the machines disagree about.
type Mismatch struct {
	Sequence   Sequence
	Difference string // for people
}

const (
	// compareInterval: one call in so many is compared. The reference takes some
	// five times as long for a call, so this costs half a percent.
	compareInterval = 1000
	// verifyShare: Verify runs at most one call for so many ordinary ones. At five
	// times the cost that is a twentieth of the time.
	verifyShare = 100
	// verifyAllowance is what Verify may run before there are ordinary calls to
	// share: a campaign learns most of what it learns in the beginning. 2,000 calls
	// take the reference about 20 ms.
	verifyAllowance = 2000
	// workPerCall is the work of a call that counts as one more: most calls take less, so
	// that they count as one each, and an endless loop counts as a thousand.
	workPerCall = 1 << 12
	// maxMismatches is the number of mismatches after which the fast machine is not
	// used any more. The code of each is run on the reference from then on; so many
	// cannot be due to one odd contract. Arbitrary.
	maxMismatches = 16
)

// NewChecked makes a machine of a fast one and the reference, which must have been
// made for the same World, table and options.
func NewChecked(fast Exporter, reference Trusted) *Checked {
	return &Checked{fast: fast, reference: reference, last: fast, due: compareInterval, distrusted: map[uint64]bool{}}
}

// Run implements Machine. That the fast machine failed is a mismatch; an error is
// the reference's.
func (c *Checked) Run(seq Sequence) (*Execution, error) {
	c.calls += uint64(len(seq))
	if c.overruled {
		return c.ask(seq)
	}
	exec, err := c.fast.Run(seq)
	c.last = c.fast
	c.ran += cost(seq, exec)
	switch {
	case err == nil && len(c.distrusted) > 0 && c.doubtful(exec):
		return c.ask(seq)
	case err != nil || c.calls >= c.due:
		// Comparing takes all of the sequence's calls: the next turn comes later in
		// proportion.
		c.due = c.calls + compareInterval*uint64(max(len(seq), 1))
		return c.compare(seq, exec, err)
	}
	return exec, nil
}

// cost is the number of calls that a sequence counts as, of those that were run this time.
func cost(seq Sequence, exec *Execution) uint64 {
	calls := uint64(len(seq))
	if exec == nil {
		return calls
	}
	for i := exec.Reused(); i < len(exec.Calls); i++ {
		calls += exec.Calls[i].Work() / workPerCall
	}
	return calls
}

// Verify compares the sequence that was run last, as long as the budget allows,
// and gives the execution to believe.
func (c *Checked) Verify(seq Sequence, exec *Execution) (*Execution, error) {
	takes := uint64(len(seq))
	for i := range exec.Calls {
		takes += exec.Calls[i].Work() / workPerCall
	}
	if c.last != c.fast || c.verified+takes > verifyAllowance+c.ran/verifyShare {
		return exec, nil
	}
	c.verified += takes
	return c.compare(seq, exec, nil)
}

// compare runs the sequence on the reference, too. exec is what the fast machine
// made of it, or failed is why it made nothing.
func (c *Checked) compare(seq Sequence, exec *Execution, failed error) (*Execution, error) {
	want, err := c.reference.Run(seq)
	if err != nil {
		return nil, err
	}
	var difference string
	if failed != nil {
		difference = failed.Error()
	} else if d := Differ(exec, want); d != nil {
		difference = d.String()
	} else if d := DifferWorlds(c.fast.Export(), c.reference.Export()); d != nil {
		difference = d.String()
	} else {
		c.reference.Forget()
		return exec, nil
	}
	c.distrust(exec)
	c.distrust(want)
	c.mismatches = append(c.mismatches, Mismatch{seq.Clone(), difference})
	c.found++
	c.overruled = c.found >= maxMismatches
	c.last = c.reference
	return want, nil
}

// ask runs the sequence on the reference alone.
func (c *Checked) ask(seq Sequence) (*Execution, error) {
	c.last = c.reference
	return c.reference.Run(seq)
}

// distrust takes all code that an execution ran from the fast machine: a fault in
// one call may show in another.
func (c *Checked) distrust(exec *Execution) {
	if exec == nil {
		return
	}
	for i := range exec.Frames {
		if p := exec.Frames[i].Program; p != nil {
			c.distrusted[p.Key] = true
		}
	}
}

// doubtful reports whether distrusted code ran, or may have run beyond what was
// recorded.
func (c *Checked) doubtful(exec *Execution) bool {
	if exec.Truncated {
		return true
	}
	for i := range exec.Frames {
		if p := exec.Frames[i].Program; p != nil && c.distrusted[p.Key] {
			return true
		}
	}
	return false
}

// Mismatches are those since the method was last called.
func (c *Checked) Mismatches() []Mismatch {
	m := c.mismatches
	c.mismatches = nil
	return m
}

// Export is the state after the last run.
func (c *Checked) Export() *World { return c.last.Export() }

// World is what the machine runs sequences from.
func (c *Checked) World() *World { return c.reference.World() }

func (m *Mismatch) String() string {
	return fmt.Sprintf("the machines disagree: %s (the interpreter, then go-ethereum, whose answer counts)", m.Difference)
}
