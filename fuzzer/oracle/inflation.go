package oracle

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// inflation is an attack on who pays into a contract after the attackers have: they have made a share of it worth so much that what the next
// one pays is rounded to none, and take out both (the inflation attack on vaults of ERC-4626, see its security considerations).
type inflation struct {
	lossAlone
	paid  int // the call in which another account pays in
	payer common.Address
}

// examineInflation is [ThirdPartyLoss] where another account pays in the middle of an attack: it pays tokens and gets nothing for them, it gets something
// without the attack, and the attackers have more of the tokens at last than they began with.
func examineInflation(s *Scene, report func(Observation)) {
	l, ok := s.inflation()
	if !ok || l.deploys() {
		return
	}
	place, contract, token := l.takes()
	if contract == "" || !l.standsAlone(contract) || l.notes(l.paid, token) || !l.Attempt(place, [4]byte{0, 0, 1}) {
		return
	}
	last := len(l.Exec.Calls) - 1
	had, ok := l.after(l.from)
	if !ok {
		return
	}
	has, ok := l.after(last + 1)
	asset := 1 + slices.Index(l.tokens, token)
	if !ok || !gained(had, has) || l.taken(had, has, last) != asset || l.isDust(asset, had, has, last) || !l.getsOtherwise(token) {
		return
	}
	report(Observation{Call: last, Location: place, Contract: contract, Severity: High,
		Message: fmt.Sprintf("%s can take the %s that another account pays in, which gets nothing for it", l.who(), l.instanceName(token))})
}

// inflation tells the attack from the calls: others give the attackers tokens, the attackers make calls, another account makes one call, before which it may let tokens be
// taken, and the attackers make calls again. No time passes from the first of the attackers' on.
func (s *Scene) inflation() (l inflation, ok bool) {
	calls := s.Calls()
	last := len(calls) - 1
	attackers := func(i int) bool { return s.isOutsider(calls[i].From) }
	at := last
	for at >= 0 && attackers(at) {
		at--
	}
	if at == last || at < 0 {
		return l, false
	}
	l.paid, l.payer = at, calls[at].From
	for at--; at >= 0 && calls[at].From == l.payer && s.asksToken(&calls[at], approve); at-- {
	}
	before := at
	for at >= 0 && attackers(at) {
		at--
	}
	from := at + 1
	if at == before || s.Exec.Calls[l.paid].Outcome != evm.Success {
		return l, false
	}
	for i := from; i <= last; i++ {
		c := &calls[i]
		if c.TimeAdvance > 0 || c.BlockAdvance > 0 || !s.isAttacked(c) && !s.asksToken(c, transfer) || !attackers(i) && s.isNamed(i) {
			return l, false
		}
	}
	tokens, begin := s.giftsBefore(from)
	if len(tokens) == 0 || s.isHelped(begin) || s.isSigned(from) || s.fitsHash(from) {
		return l, false
	}
	l.lossAlone = lossAlone{s, from, tokens, s.tokens(), s.controlled(from)}
	return l, true
}

// takes is where the payer's tokens are taken in its call, by which contract, and which tokens they are.
func (l *inflation) takes() (place bytecode.Location, contract string, token common.Address) {
	frames := l.Exec.Calls[l.paid].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &l.Exec.Frames[i]
		if !slices.Contains(l.tokens, f.Self) || !lasts(l.Exec, i) {
			continue
		}
		access := keptFor(f, func(account common.Address) bool { return account == l.payer })
		if access == nil || !l.falls(access) {
			continue
		}
		if by, at := caller(l.Exec, i); by >= 0 && l.isProjects(&l.Exec.Frames[by]) {
			return at, contractOf(&l.Exec.Frames[by]), f.Self
		}
	}
	return place, "", token
}

// notes reports whether something is noted for the payer in a call, other than by the token that it pays: a word that is kept for it rises, or one names it.
func (l *inflation) notes(call int, token common.Address) bool {
	frames := l.Exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		if !lasts(l.Exec, i) {
			continue
		}
		for j := range l.Exec.Frames[i].Storage {
			access := &l.Exec.Frames[i].Storage[j]
			if access.Write && access.Address != token && (isKey(access, l.payer) || bytes.Contains(valueOf(access), l.payer[:])) && l.rises(access) {
				return true
			}
		}
	}
	return false
}

// getsOtherwise reports whether something is noted for the payer where the attackers have done nothing before.
func (l *inflation) getsOtherwise(token common.Address) bool {
	calls := l.Calls()
	own := slices.Clone(calls[:l.from])
	for _, c := range calls[l.from : l.paid+1] {
		if c.From == l.payer {
			own = append(own, c)
		}
	}
	exec, err := l.Run(own)
	if err != nil || exec.Calls[len(own)-1].Outcome != evm.Success {
		return false
	}
	scene := *l.Scene
	scene.Exec = exec
	without := inflation{lossAlone: lossAlone{Scene: &scene}, payer: l.payer}
	return without.notes(len(own)-1, token)
}

// isKey reports whether a word is kept for an account.
func isKey(access *evm.StorageAccess, account common.Address) bool {
	key := *new(uint256.Int).SetBytes20(account[:])
	return slices.Contains(access.Keys.Words[:access.Keys.Count], key)
}
