package fuzzer

import (
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Of the executions that take a known path, some are worth following their values: those with numbers so
// large that arithmetic may have gone beyond a word, on the way in or into storage. A sum that wraps takes no path of its
// own. The bounds are arbitrary: amounts have up to 128 bits, and a few executions of a path are as good as
// all.
const (
	extremeBits  = 200
	maxExtremes  = 4       // of a path, with how large the numbers are
	maxSeveral   = 16      // likewise, where several are: these are rare, and worth more
	extremePaths = 1 << 14 // that are counted

	// doubtfulBits: a number less than 2 to the power of that below 2^256 may be a negative one, and then leaves a
	// doubt (see evm.MaybeSigned). Such numbers are many, since the largest number is a favorite of mutation, and are counted apart.
	doubtfulBits = 128
)

// extremity is how large numbers are.
type extremity uint8

const (
	ordinary extremity = iota
	doubtful           // those that are large may be negative numbers
	large
	several // more than one is large: what is computed of them goes beyond a word more often than not
	extremities
)

// isExtreme reports whether an execution of a known path is one of those.
func (w *worker) isExtreme(seq input.Sequence, exec *evm.Execution, pid bytecode.PathID) bool {
	last := len(exec.Calls) - 1
	if exec.Calls[last].Outcome != evm.Success || !w.observer.follows {
		return false
	}
	how := extremityOfCall(&seq[last], exec, last)
	counts := w.extremes[pid]
	most := uint8(maxExtremes)
	if how == several {
		most = maxSeveral
	}
	if how == ordinary || counts[how] >= most || len(w.extremes) >= extremePaths {
		return false
	}
	counts[how]++
	w.extremes[pid] = counts
	return true
}

func extremityOf(x *uint256.Int) extremity {
	var not uint256.Int
	switch {
	case x.BitLen() <= extremeBits:
		return ordinary
	case not.Not(x).BitLen() <= doubtfulBits:
		return doubtful
	}
	return large
}

// extremityOfCall is how large the arguments of a call are, and what it reads and writes.
func extremityOfCall(c *input.Call, exec *evm.Execution, call int) extremity {
	var counts [extremities]int
	for i := range c.Args {
		countNumbers(&counts, &c.Args[i], &c.Function.Inputs[i])
	}
	var written [extremities]int
	for i := exec.Calls[call].Frames[0]; i < exec.Calls[call].Frames[1]; i++ {
		for j := range exec.Frames[i].Storage {
			a := &exec.Frames[i].Storage[j]
			if a.Write {
				written[extremityOf(&a.Value)]++
			} else {
				counts[extremityOf(&a.Value)]++
			}
		}
	}
	switch {
	case counts[large] > 1:
		return several
	case counts[large]+written[large] > 0:
		return large
	case counts[doubtful]+written[doubtful] > 0:
		return doubtful
	}
	return ordinary
}

func countNumbers(counts *[extremities]int, v *input.Value, t *input.Type) {
	if t.Kind == abi.Uint || t.Kind == abi.Int {
		counts[extremityOf(&v.Word)]++
		return
	}
	for i := range v.Elems {
		countNumbers(counts, &v.Elems[i], t.Child(i))
	}
}
