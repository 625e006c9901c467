package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// effect is what a function did, as far as attacks are told apart by it.
type effect struct {
	function *input.Function
	changed  slotKey // the sum of variables whose value changed
	paid     bool    // the attacker's contract
	back     bool    // called back
	named    bool    // a word that names the attacker's contract was written
	scripted bool    // the contract answered as it was told: without that, the answers are still to be tried
	endowed  bool    // others had paid in first
	behind   bool    // others had made calls, or given it something
	small    bool    // and hardly anything was at stake
	half     bool    // and half of the stake was asked for
}

// effectOf is what the last call of an execution did.
func effectOf(exec *evm.Execution) (e effect) {
	type value struct{ was, is [4]uint64 }
	frames := exec.Calls[len(exec.Calls)-1].Frames
	known := map[place]*value{}
	keys := map[place]slotKey{}
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if f.CodeAddress == attacker.Address && f.Parent >= 0 {
			e.back = true
			e.paid = e.paid || !f.Value.IsZero()
		}
		for j := range f.Storage {
			access := &f.Storage[j]
			e.named = e.named || access.Write && access.Value.Bytes20() == attacker.Address
			at := place{access.Address, access.Slot}
			if v := known[at]; v != nil {
				v.is = access.Value
				continue
			}
			v := &value{access.Value, access.Value}
			if access.Write { // what was there is not known
				v.was = [4]uint64{^v.is[0]}
			}
			known[at], keys[at] = v, keyOf(access)
		}
	}
	for at, v := range known {
		if v.was != v.is {
			e.changed += keys[at]
		}
	}
	return e
}
