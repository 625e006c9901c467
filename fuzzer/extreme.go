package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Of the executions that take a known path, some are worth following their values: those with numbers so
// large that arithmetic may have gone beyond its type, on the way in or into storage. A sum that wraps takes no path of its
// own; but where one does, what is stored is mostly less than before, or small though a large number came in. So a few are followed
// of each path and of each way in which numbers get large (extreme). The bounds are arbitrary: a few executions are as good as all.
const (
	extremeBits  = 200     // of a number of 256 bits; of a narrower one, as large a part
	amountBits   = 96      // of amounts that come up by right: 2^96 wei are more than there are
	maxExtremes  = 4       // of a path, in one way
	extremePaths = 1 << 14 // that are counted
)

// extreme is a path, and how numbers get large on it.
type extreme struct {
	path   bytecode.PathID
	large  bool // an argument is as large as its type lets it be, and not only more than any amount
	stores bool // a large number is stored
	falls  bool // what is stored is less than what was there
}

// extremes are the ways that were met, and how often.
type extremes struct {
	follows bool // some oracle follows values
	known   map[extreme]uint8
}

// isExtreme reports whether an execution of a known path is one of those.
func (e *extremes) isExtreme(seq input.Sequence, exec *evm.Execution, pid bytecode.PathID) bool {
	last := len(exec.Calls) - 1
	if exec.Calls[last].Outcome != evm.Success || !e.follows {
		return false
	}
	way := extreme{path: pid, large: hasLargeNumber(&seq[last], isLarge)}
	way.stores, way.falls = storesNumbers(exec, last)
	if !way.large && !way.stores && !hasLargeNumber(&seq[last], isMuch) {
		return false
	}
	if e.known[way] >= maxExtremes || len(e.known) >= extremePaths {
		return false
	}
	e.known[way]++
	return true
}

func hasLargeNumber(c *input.Call, is func(v *input.Value, t *input.Type) bool) bool {
	for i := range c.Args {
		if hasNumber(&c.Args[i], &c.Function.Inputs[i], is) {
			return true
		}
	}
	return false
}

func hasNumber(v *input.Value, t *input.Type, is func(v *input.Value, t *input.Type) bool) bool {
	if t.Kind == abi.Uint || t.Kind == abi.Int {
		return is(v, t)
	}
	for i := range v.Elems {
		if hasNumber(&v.Elems[i], t.Child(i), is) {
			return true
		}
	}
	return false
}

func isLarge(v *input.Value, t *input.Type) bool { return v.Word.BitLen()*256 > extremeBits*t.Bits }

func isMuch(v *input.Value, _ *input.Type) bool { return v.Word.BitLen() > amountBits }

// storesNumbers reports whether a call stores a large number, and one that is less than what it replaces.
func storesNumbers(exec *evm.Execution, call int) (large, less bool) {
	for i := exec.Calls[call].Frames[0]; i < exec.Calls[call].Frames[1]; i++ {
		list := exec.Frames[i].Storage
		for j := range list {
			a := &list[j]
			if !a.Write {
				continue
			}
			large = large || a.Value.BitLen() > extremeBits
			for k := j - 1; k >= 0 && !less; k-- {
				if b := &list[k]; b.Slot == a.Slot {
					less = a.Value.Lt(&b.Value)
					break
				}
			}
		}
	}
	return large, less
}
