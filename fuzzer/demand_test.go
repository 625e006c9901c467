package fuzzer

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestDemands: sequences grow while sides are wanted, and what is met is not wanted.
func TestDemands(t *testing.T) {
	d := newDemands()
	f, other := input.Callable{Instance: 1}, input.Callable{Instance: 2}
	side := func(pc uint32) branchSide { return branchSide{pc: pc} }
	is := func(what string, want demand) {
		t.Helper()
		if got := d.get(f); got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	d.countExecutions(f, 10*lastPatience, maxSeqLen, 0)
	is("nothing is wanted", demand{})
	d.want(f, side(1), 8)
	d.want(f, side(1), 8)
	d.want(f, side(2), 8)
	is("two sides are wanted", demand{wanted: 2, length: 8})
	if got := d.get(other); got.wanted != 0 {
		t.Errorf("of another function: %+v", got)
	}
	for _, length := range []int{16, 32, 64} {
		d.countExecutions(f, lengthPatience, maxSeqLen, 0)
		is("after the patience with a length", demand{wanted: 2, length: length})
	}
	d.countExecutions(f, lengthPatience, maxSeqLen, 0)
	is("with the longest for a while", demand{wanted: 2, length: 64, spent: lengthPatience})
	d.countExecutions(f, lastPatience, maxSeqLen, 0)
	is("with the longest for long", demand{})
	d.countExecutions(f, lastPatience, maxSeqLen, 0)
	is("given up for good", demand{})
	d.countExecutions(f, lastPatience-lengthPatience, maxSeqLen, 8)
	is("rested", demand{wanted: 2, length: 8, again: true})
	d.countExecutions(f, lengthPatience, maxSeqLen, 8)
	is("sequences stay short", demand{wanted: 2, length: 8, again: true, spent: lengthPatience})
	d.countExecutions(f, lastPatience, maxSeqLen, 8)
	is("rests once more", demand{})
	d.want(f, side(3), 8)
	is("something new is wanted", demand{wanted: 3, length: 8})
	d.met(side(1))
	d.met(side(1))
	d.met(side(9))
	is("one has been met", demand{wanted: 2, length: 8})
	d.met(side(2))
	d.met(side(3))
	is("all have been met", demand{})
	d.want(f, side(4), 20)
	d.countExecutions(f, lengthPatience, 20, 0)
	is("the length may not grow", demand{wanted: 1, length: 20, spent: lengthPatience})
}

// lengths is a machine that notes how long sequences are, and for how many of them a
// state was made up.
type lengths struct {
	evm.Machine
	longest, made *int
}

func (m lengths) Run(seq evm.Sequence) (*evm.Execution, error) {
	*m.longest = max(*m.longest, len(seq))
	for i := range seq {
		if len(seq[i].Overwrites) > 0 {
			*m.made++
		}
	}
	return m.Machine.Run(seq)
}

// TestSequencesGrowOnDemand: 42 calls are made where the length is left to the campaign,
// and no more than are allowed where it is given. Without state fuzzing sequences grow,
// too, since each call of the counter takes a path that one more call leads to.
func TestSequencesGrowOnDemand(t *testing.T) {
	for _, test := range []struct {
		name    string
		seqLen  int
		without Techniques
		most    int
		found   bool
	}{
		{"by itself", 0, Techniques{}, maxSeqLen, true},
		{"given", 20, Techniques{}, 20, false},
		{"without state fuzzing", 0, Techniques{StateFuzzing: true}, maxSeqLen, true},
		{"without repetition", 0, Techniques{RawOrder: true}, maxSeqLen, true}, // step by step
	} {
		p := open(t, "planted/counted.sol")
		config := p.config(3, plantedCalls)
		config.SeqLen, config.Without = test.seqLen, test.without
		longest, made := 0, 0
		config.NewMachine = func() (evm.Machine, error) {
			m, err := p.newMachine()
			return lengths{m, &longest, &made}, err
		}
		r := untilFound(t, config)
		if longest > test.most || (len(r.Findings) == 1) != test.found {
			t.Errorf("%s: up to %d calls, %d findings", test.name, longest, len(r.Findings))
		}
		if (made > 0) == test.without.StateFuzzing {
			t.Errorf("%s: %d states were made up", test.name, made)
		}
		t.Logf("%s: %d calls, up to %d in a sequence, %d states made up", test.name, r.Stats.Calls, longest, made)
	}
}
