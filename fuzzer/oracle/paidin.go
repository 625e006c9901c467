package oracle

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// isPaidIn reports whether others pay a contract before the attack, and it writes something down then: who pays itself is not paid.
func (l *lossAlone) isPaidIn(contract string, asset int) bool {
	for call := range l.from {
		frames := l.Exec.Calls[call].Frames
		paid, notes := false, false
		for i := frames[0]; i < frames[1]; i++ {
			f := &l.Exec.Frames[i]
			if !lasts(l.Exec, i) {
				continue
			}
			if asset == 0 {
				paid = paid || !f.Value.IsZero() && f.Caller != f.Self && l.runs(call, f.Self, contract)
			} else if f.Self == l.tokens[asset-1] {
				access := keptFor(f, func(a common.Address) bool { return l.runs(call, a, contract) })
				paid = paid || access != nil && l.risesIn(call, access)
			}
			notes = notes || f.Program != nil && f.Program.Contract != nil && contractOf(f) == contract &&
				slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool { return a.Write })
		}
		if paid && notes {
			return true
		}
	}
	return false
}

// rises reports whether a write makes a word more than it was.
func (l *lossAlone) rises(access *evm.StorageAccess) bool {
	was := l.wordBefore(access)
	return bytes.Compare(valueOf(access), was[:]) > 0
}

// risesIn reports whether a word is more behind a call in which it is written than before it.
func (l *lossAlone) risesIn(call int, written *evm.StorageAccess) bool {
	first, last := written, written
	frames := l.Exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		for j := range l.Exec.Frames[i].Storage {
			access := &l.Exec.Frames[i].Storage[j]
			if access.Address != written.Address || access.Slot != written.Slot || !lasts(l.Exec, i) {
				continue
			}
			if access.Order < first.Order {
				first = access
			}
			if access.Write && access.Order > last.Order {
				last = access
			}
		}
	}
	if first.Write {
		return l.rises(first)
	}
	return bytes.Compare(valueOf(last), valueOf(first)) > 0
}

// runs reports whether a contract's code runs in an account's name in a call.
func (l *lossAlone) runs(call int, account common.Address, contract string) bool {
	frames := l.Exec.Calls[call].Frames
	return slices.ContainsFunc(l.Exec.Frames[frames[0]:frames[1]], func(f evm.Frame) bool {
		return f.Self == account && f.Program != nil && f.Program.Contract != nil && contractOf(&f) == contract
	})
}
