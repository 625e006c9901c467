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

// examineBurn reports a call of the attackers' to a token by which an account that has made no call loses tokens, and gets nothing for them: no other asset, and
// no word that is kept for it rises. The attackers gain nothing by it.
func (l *lossAlone) examineBurn(report func(Observation)) {
	last := len(l.Exec.Calls) - 1
	frames := l.Exec.Calls[last].Frames
	root := &l.Exec.Frames[frames[0]]
	if l.from > 0 || root.Program == nil || !slices.Contains(l.tokens, root.Self) || !l.isProjects(root) || !l.standsAlone(contractOf(root)) {
		return
	}
	for i := frames[0]; i < frames[1]; i++ {
		f := &l.Exec.Frames[i]
		if f.Self != root.Self || f.Program == nil || !lasts(l.Exec, i) {
			continue
		}
		for j := range f.Storage {
			access := &f.Storage[j]
			victim := common.Address(access.Keys.Words[0].Bytes20())
			was := l.wordBefore(access)
			if !access.Write || access.Keys.Count != 1 || !l.isBystander(victim) || bytes.Compare(was[:], valueOf(access)) <= 0 || l.deploys() || l.isGiven(victim) {
				continue
			}
			at := bytecode.Location{Code: f.Program.ID, PC: access.PC}
			if !l.Attempt(at, [4]byte{0, 0, 1}) || !l.isPoorer(victim, root.Self) {
				return
			}
			report(Observation{Call: last, Location: at, Contract: contractOf(root), Severity: High,
				Message: fmt.Sprintf("anyone can make others lose their %s, for nothing", l.instanceName(root.Self))})
			return
		}
	}
}

// isBystander reports whether an account is a sender of the World's without code that has no part in the attack.
func (l *lossAlone) isBystander(account common.Address) bool {
	return !l.isTheirs(account) && l.contractAt(account) == nil &&
		slices.ContainsFunc(l.World.Senders, func(s evm.Sender) bool { return s.Address == account && !s.TestsOnly })
}

// isGiven reports whether the attack makes a word rise that is kept for an account.
func (l *lossAlone) isGiven(account common.Address) bool {
	is := func(a common.Address) bool { return a == account }
	for i := range l.Exec.Frames {
		if !lasts(l.Exec, i) {
			continue
		}
		if access := keptFor(&l.Exec.Frames[i], is); access != nil && l.rises(access) {
			return true
		}
	}
	return false
}

// isPoorer reports whether an account has less of a token behind the attack, by more than rounding takes, and more of nothing.
func (l *lossAlone) isPoorer(account, token common.Address) bool {
	calls := l.Calls()
	after, ok := l.inOrder(calls, func(int) bool { return true })
	if !ok {
		return false
	}
	list := []common.Address{account}
	has := l.ownedBy(list, calls, after, l.tokens)
	had := l.ownedBy(list, nil, l.World, l.tokens)
	for i := range had {
		if has[i].Gt(&had[i]) {
			return false
		}
	}
	at := 1 + slices.Index(l.tokens, token)
	var loss, least uint256.Int
	loss.Sub(&had[at], &has[at])
	if _, err := l.contractAt(token).ABI.MethodById(ownerOf[:]); err == nil { // each has an owner
		return !loss.IsZero()
	}
	return loss.GtUint64(lossLeast) && loss.Gt(least.Div(&had[at], uint256.NewInt(drainLeastOf)))
}
