package oracle

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// examineSelf reports a token of which an account has more after a call that names it, and less after the same call with another account named there: what
// was read before it is paid out is written behind it. No other account has less for it, but each unit is worth less.
func (l *lossAlone) examineSelf(report func(Observation)) {
	calls := l.Calls()
	last := len(calls) - 1
	root := &l.Exec.Frames[l.Exec.Calls[last].Frames[0]]
	self, token := root.Caller, root.Self
	if !l.isOutsider(self) || !slices.Contains(l.tokens, token) || !root.Value.IsZero() || !bytes.Contains(argumentsOf(root), self[:]) {
		return
	}
	place, contract := l.pays(last, token, self)
	if contract == "" || !l.standsAlone(contract) || !l.Attempt(place, [4]byte{0, 0, 2}) {
		return
	}
	if more, ok := l.differs(calls, token, self); !ok || more <= 0 || l.minted(token, last) {
		return
	}
	other := l.insider()
	for at := 4; at+wordBytes <= len(calls[last].Data); at += wordBytes {
		if !isWordOf(calls[last].Data[at:at+wordBytes], self) {
			continue
		}
		changed := calls.Clone()
		changed[last].Data = slices.Clone(calls[last].Data)
		copy(changed[last].Data[at+wordBytes-common.AddressLength:], other[:])
		own, ok := l.differs(changed, token, self)
		others, known := l.differs(changed, token, other)
		if ok && known && own < 0 && others > 0 {
			report(Observation{Call: last, Location: place, Contract: contract, Severity: High,
				Message: fmt.Sprintf("anyone who has some %s can make more of it, by a transfer to itself", l.instanceName(token))})
			return
		}
	}
}

// isWordOf reports whether a word is an account.
func isWordOf(word []byte, account common.Address) bool {
	return bytes.Equal(word, common.LeftPadBytes(account[:], wordBytes))
}

// pays is where a token last writes more of what it keeps for an account in a call.
func (l *lossAlone) pays(call int, token, account common.Address) (place bytecode.Location, contract string) {
	for i := l.Exec.Calls[call].Frames[0]; i < l.Exec.Calls[call].Frames[1]; i++ {
		f := &l.Exec.Frames[i]
		if f.Self != token || f.Program == nil || f.Program.Contract == nil || !lasts(l.Exec, i) {
			continue
		}
		access := keptFor(f, func(a common.Address) bool { return a == account })
		if access != nil && l.rises(access) {
			place, contract = bytecode.Location{Code: f.Program.ID, PC: access.PC}, contractOf(f)
		}
	}
	return place, contract
}

// differs says whether an account has more of a token (1) or less (−1) after the last of some calls than before it; false: the token does not tell, or the call fails.
func (l *lossAlone) differs(calls evm.Sequence, token, account common.Address) (sign int, ok bool) {
	last := len(calls) - 1
	if !l.succeeds(calls) {
		return 0, false
	}
	was, ok := l.ask(calls[:last:last], token, word(balanceOf, account))
	is, still := l.ask(calls, token, word(balanceOf, account))
	return is.Cmp(&was), ok && still
}
