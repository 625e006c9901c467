package oracle

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file is about what accounts without code lose that have no part in an attack: they own it, or allow a contract to take it.

// examineBurn reports a call of the attackers' to a token by which an account that has made no call loses tokens, and gets nothing for them: no other
// asset, and no word that is kept for it rises. The attackers need not gain by it.
func (l *lossAlone) examineBurn(report func(Observation)) {
	last := len(l.Exec.Calls) - 1
	frames := l.Exec.Calls[last].Frames
	root := &l.Exec.Frames[frames[0]]
	if l.from > 0 || root.Program == nil || !slices.Contains(l.tokens, root.Self) || !l.isProjects(root) || !l.isLookedAt(contractOf(root), last) || l.takesTime(last) || l.deploys() {
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
			if !access.Write || access.Keys.Count != 1 || !l.isBystander(victim) || !l.falls(access) || l.isGiven(victim) {
				continue
			}
			at := bytecode.Location{Code: f.Program.ID, PC: access.PC}
			if !l.Attempt(at, [4]byte{0, 0, 1}) || !l.isPoorer(victim, root.Self) || l.isFree(root.Self) {
				return
			}
			report(Observation{Call: last, Location: at, Contract: contractOf(root), Severity: High,
				Message: fmt.Sprintf("anyone can make others lose their %s, for nothing", l.instanceName(root.Self))})
			return
		}
	}
}

// falls reports whether a write makes a word less than it was.
func (l *lossAlone) falls(access *evm.StorageAccess) bool {
	was := l.wordBefore(access)
	return bytes.Compare(valueOf(access), was[:]) < 0
}

// isBystander reports whether an account is a sender of the World's without code that has no part in the attack.
func (l *lossAlone) isBystander(account common.Address) bool {
	return !l.isTheirs(account) && l.contractAt(account) == nil &&
		slices.ContainsFunc(l.World.Senders, func(s evm.Sender) bool { return s.Address == account && !s.TestsOnly })
}

// takesOwned reports whether the attackers get tokens out of a token itself, while an account that has no part in the attack has less of them.
func (l *lossAlone) takesOwned(contract string, asset, call int) bool {
	if asset <= 0 || l.contractAt(l.tokens[asset-1]) == nil || l.contractAt(l.tokens[asset-1]).QualifiedName() != contract {
		return false
	}
	of, ok := l.holdings(asset, call)
	if !ok || l.isFree(l.tokens[asset-1]) {
		return false
	}
	return slices.ContainsFunc(l.World.Senders, func(s evm.Sender) bool {
		if !l.isBystander(s.Address) {
			return false
		}
		was, is := of(s.Address)
		return is.Lt(&was)
	})
}

// takesAllowed reports whether a call of the attack makes a contract take tokens from an account that allowed it to, and has no part in the attack: it is to
// take them when that account wants it.
func (l *lossAlone) takesAllowed(asset, call int) bool {
	frames := l.Exec.Calls[call].Frames
	for i := frames[0]; asset > 0 && i < frames[1]; i++ {
		f := &l.Exec.Frames[i]
		if f.Self != l.tokens[asset-1] || f.Kind != evm.KindCall || len(f.Input) < 4+wordBytes || [4]byte(f.Input[:4]) != transferFrom || !lasts(l.Exec, i) {
			continue
		}
		from := common.BytesToAddress(f.Input[4:][:wordBytes])
		if from != f.Caller && !l.isTheirs(from) && !l.isTheirs(f.Caller) && l.contractAt(from) == nil {
			return true
		}
	}
	return false
}

// isFree reports whether the outsider can have as much of a token as he likes, for nothing: one of its functions of accounts and numbers makes some. It is
// a stand-in, or worth nothing. Of what is counted one by one each is another. A token that does not tell is not worth a finding.
func (l *lossAlone) isFree(token common.Address) bool {
	contract, outsider := l.contractAt(token), l.outsider()
	if _, err := contract.ABI.MethodById(ownerOf[:]); err == nil {
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(contract.ABI.Methods)) {
		m := contract.ABI.Methods[name]
		data, ok := asksForSome(&m, outsider)
		if !ok || m.IsConstant() {
			continue
		}
		calls := evm.Sequence{{From: outsider, Origin: outsider, To: token, Data: data}}
		exec, err := l.Run(calls)
		if err == nil && exec.Calls[0].Outcome != evm.Success {
			continue
		}
		had, told := l.ask(nil, token, word(balanceOf, outsider))
		if has, tells := l.ask(calls, token, word(balanceOf, outsider)); err != nil || !told || !tells || has.Gt(&had) {
			return true
		}
	}
	return false
}

// asksForSome is calldata of a function of one or two accounts and numbers, for an account and a number; false: it is none.
func asksForSome(m *abi.Method, account common.Address) (data []byte, ok bool) {
	data = slices.Clone(m.ID)
	for _, in := range m.Inputs {
		switch in.Type.T {
		case abi.AddressTy:
			data = append(data, common.LeftPadBytes(account[:], wordBytes)...)
		case abi.UintTy:
			data = append(data, common.LeftPadBytes([]byte{1, 0}, wordBytes)...) // more than lossLeast
		default:
			return nil, false
		}
	}
	return data, len(m.Inputs) <= 2
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
