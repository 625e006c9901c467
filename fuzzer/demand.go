package fuzzer

import "github.com/sightline-evm/sightline/fuzzer/input"

// demands are the results of state fuzzing by function (harvey §5): branch sides that the
// function takes from some state, and that no sequence has taken. While there are any,
// sequences that end with the function may be longer.
//
// Harvey counts new paths instead. A loop over an array of the state makes any number of
// them, and campaigns took twice as long with them as without (bench/targets).
type demands struct {
	of map[input.Callable]*demand
	by map[branchSide]*demand
}

// demand is that of one function. The zero value wants nothing.
type demand struct {
	wanted int    // sides
	length int    // the most calls of a sequence that ends with it
	spent  uint64 // executions with this length
	tired  bool   // the longest sequences were tried for a while: the demand is given up, or rests
	again  bool   // it has rested, and sequences stay short: long ones take calls from all else
}

const (
	// maxSeqLen is the most calls that sequences grow to (harvey §5).
	maxSeqLen = 64
	// lengthPatience is the number of executions with one length before it doubles; at
	// the last length it takes eight times as many to give up: many wanted sides need a
	// state that no sequence leaves, such as another owner's. Arbitrary.
	lengthPatience = 256
	lastPatience   = 8 * lengthPatience
)

func newDemands() demands {
	return demands{of: map[input.Callable]*demand{}, by: map[branchSide]*demand{}}
}

// want adds a side that a function took from an overridden state. A demand that was given
// up is tried again together with the new side.
func (d *demands) want(function input.Callable, side branchSide, length int) {
	if d.by[side] != nil {
		return
	}
	f := d.of[function]
	if f == nil {
		f = &demand{}
		d.of[function] = f
	}
	if f.wanted == 0 || f.tired {
		*f = demand{length: length, wanted: f.wanted}
	}
	f.wanted++
	d.by[side] = f
}

// met drops a side that a sequence has taken.
func (d *demands) met(side branchSide) {
	if f := d.by[side]; f != nil {
		f.wanted--
		delete(d.by, side)
	}
}

// get is the demand of a function.
func (d *demands) get(function input.Callable) demand {
	if f := d.of[function]; f != nil && f.wanted > 0 && !f.tired {
		return *f
	}
	return demand{}
}

// countExecutions counts executions of sequences that end with a function, and doubles their
// length, up to the longest, when it is time. A demand that was given up rests for as long as its longest sequences were tried, and begins
// again with the given length; 0: it stays given up.
func (d *demands) countExecutions(function input.Callable, executions uint64, longest, again int) {
	f := d.of[function]
	if f == nil || f.wanted == 0 || f.tired && again == 0 {
		return
	}
	f.spent += executions
	switch {
	case f.tired:
		if f.spent >= 2*lastPatience {
			*f = demand{length: again, wanted: f.wanted, again: true}
		}
	case !f.again && f.length < longest && f.spent >= lengthPatience:
		f.length, f.spent = min(2*f.length, longest), 0
	case f.spent >= lastPatience:
		f.tired = true
	}
}
