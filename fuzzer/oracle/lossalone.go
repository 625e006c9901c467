package oracle

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// examineLoss is [ThirdPartyLoss] of contracts that are looked at alone: in an audit, where a change adds them, and where an attack runs what it has made
// of them. After an attack, the outsider and his contract have more of something than before, and less of nothing; or a contract
// lost tokens by it, and got nothing. What a token mints does not count.
func examineLoss(s *Scene, report func(Observation)) {
	last := len(s.Exec.Calls) - 1
	if !s.Audit && len(s.Added)+len(s.Altered) == 0 || s.Exec.Calls[last].Outcome != evm.Success {
		return
	}
	from, ok := s.attack()
	if !ok {
		if from, given, ok := s.given(); ok {
			l := lossAlone{s, from, given, s.tokens(), s.controlled(from)}
			l.examineGain(report)
			if !l.takesTime(last) {
				l.examineSelf(report)
			}
			return
		}
		examineInflation(s, report)
		return
	}
	l := lossAlone{s, from, nil, s.tokens(), s.controlled(from)}
	l.examineGain(report)
	l.examineDrain(report)
	l.examineBurn(report)
	l.examineSelf(report)
}

// lossAlone is an attack, from a call on.
type lossAlone struct {
	*Scene
	from   int
	given  []string // tokens that others give the attackers before it, by name
	tokens []common.Address
	theirs []common.Address // accounts of the attackers besides [Scene.outsiders]
}

// controlled lists accounts that an attack made and that ran the attacker's code as their own: it could give away all
// that they have, then or later.
func (s *Scene) controlled(from int) (list []common.Address) {
	for i := s.Exec.Calls[from].Frames[0]; i < len(s.Exec.Frames); i++ {
		f := &s.Exec.Frames[i]
		if f.CodeAddress == attacker.Address && f.Self != attacker.Address && s.World.Accounts[f.Self] == nil && lasts(s.Exec, i) && !slices.Contains(list, f.Self) {
			list = append(list, f.Self)
		}
	}
	return list
}

// deploys reports whether a call of the attack deploys something. Constructors pay and keep what they like.
func (l *lossAlone) deploys() bool {
	return slices.ContainsFunc(l.Calls()[l.from:], func(c evm.Call) bool { return c.Create })
}

// gainsAgain reports whether the attackers gain as well where another account has run an initializer before they do: it takes more than to be the first.
// had is what they have before the attack.
func (l *lossAlone) gainsAgain(frame int, had []uint256.Int) bool {
	calls, at := l.setUpBefore(frame, l.attackers())
	w, ok := l.inOrder(calls.Clone(), func(i int) bool { return i < at })
	return ok && !l.isOutsider(l.insider()) && gained(had, l.ownedBy(l.attackers(), calls, w, l.tokens))
}

// attackers are the accounts that an attack is for.
func (l *lossAlone) attackers() []common.Address { return slices.Concat(l.outsiders(), l.theirs) }

func (l *lossAlone) isTheirs(account common.Address) bool {
	return l.isOutsider(account) || slices.Contains(l.theirs, account)
}

// after is what the attackers have behind so many calls.
func (l *lossAlone) after(calls int) ([]uint256.Int, bool) {
	prefix := l.Calls()[:calls:calls]
	w, ok := l.inOrder(prefix, func(int) bool { return true })
	if !ok {
		return nil, false
	}
	return l.ownedBy(l.attackers(), prefix, w, l.tokens), true
}

// examineGain reports the call with which the attackers first have more of what others had than before.
func (l *lossAlone) examineGain(report func(Observation)) {
	last := len(l.Exec.Calls) - 1
	at, contract := l.paysThem(last)
	if contract == "" || !l.isLookedAt(contract, l.from) {
		return
	}
	may, much := l.mayGain()
	how := [4]byte{}
	if !much { // so that it does not use up the attempts at what counts
		how[0] = 1
	}
	if !may || l.deploys() {
		return
	}
	setUp := l.setsUp(l.from)
	if setUp >= 0 {
		how[1] = 1
	}
	if l.makeTokens() {
		how[3] = 1
	}
	if !l.Attempt(at, how) {
		return
	}
	had, ok := l.after(l.from)
	if !ok {
		return
	}
	has, ok := l.after(last + 1)
	if !ok || !gained(had, has) || setUp >= 0 && !l.gainsAgain(setUp, had) {
		return
	}
	call, has, ok := l.firstGain(had, has)
	if !ok {
		return
	}
	if at, contract = l.paysThem(call); contract == "" || !l.isLookedAt(contract, l.from) {
		return
	}
	asset := l.taken(had, has, call)
	if asset < 0 || !l.Audit && !l.isOwned(contract, asset, call) && (asset > 0 || !l.givesAll(at, had, has, call)) || l.mayBeDue(asset, had, has, call) || l.isDust(asset, had, has, call) {
		return
	}
	if !l.standsAlone(contract) && l.gainsWithout(call) {
		return
	}
	if !l.Audit && l.isHandout(contract, asset, had, has, call) || l.isOffered(asset, has, call) || l.isTrade(asset, call) || l.isSold(asset, call) {
		return
	}
	what := "ether"
	if asset > 0 {
		what = l.instanceName(l.tokens[asset-1])
	}
	report(Observation{Call: call, Location: at, Contract: contract, Message: fmt.Sprintf("%s can take %s that others own", l.who(), what)})
}

// firstGain is the call behind which the attackers first have more of what others had than before the attack, and what they have then: the last
// one, with what they have at last, where it is none before.
func (l *lossAlone) firstGain(had, atLast []uint256.Int) (call int, has []uint256.Int, ok bool) {
	last := len(l.Exec.Calls) - 1
	for call = l.from; call < last; call++ {
		now, ok := l.after(call + 1)
		if !ok {
			return 0, nil, false
		}
		if gained(had, now) && l.taken(had, now, call) >= 0 { // tokens that are made for nothing may buy what others own
			return call, now, true
		}
	}
	return last, atLast, true
}

// isOwned reports whether what a contract loses in a call was meant to stay there, or where it came from.
func (l *lossAlone) isOwned(contract string, asset, call int) bool {
	return l.keeps(contract, asset) || l.takesAllowed(asset, call) || l.takesOwned(contract, asset, call)
}

// keeps reports whether what a contract loses was meant to stay there: it has some of it from the beginning, or it writes
// something down in calls with which others pay it, before the attack. What is left in a router is for whoever comes next, and what a
// faucet notes is who came.
func (l *lossAlone) keeps(contract string, asset int) bool {
	has := l.beginsWith(contract, asset)
	return !has.IsZero() || l.isPaidIn(contract, asset)
}

// beginsWith is the most that a contract has of an asset before all calls.
func (l *lossAlone) beginsWith(contract string, asset int) (most uint256.Int) {
	for i := range l.World.Instances {
		in := &l.World.Instances[i]
		if in.Contract == nil || in.Contract.QualifiedName() != contract {
			continue
		}
		if has := l.ownedBy([]common.Address{in.Address}, nil, l.World, l.tokens)[asset]; has.Gt(&most) {
			most = has
		}
	}
	return most
}

// isHandout reports whether a contract gives what its deployer put into it, to each who comes for it: a part that is chosen by the contract, and no more to
// who has come already.
func (l *lossAlone) isHandout(contract string, asset int, had, has []uint256.Int, call int) bool {
	var gain, left uint256.Int
	gain.Sub(&has[asset], &had[asset])
	held := l.beginsWith(contract, asset)
	if left.Sub(&held, &gain); held.Lt(&gain) || left.Lt(&gain) || l.isPaidIn(contract, asset) {
		return false
	}
	if l.isAskedFor(contract, gain.Bytes32(), call) {
		return false
	}
	attack := l.Calls()[l.from : call+1]
	again := slices.Concat(l.Calls()[:call+1], attack)
	w, ok := l.inOrder(again, func(int) bool { return true })
	if !ok {
		return false
	}
	now := l.ownedBy(l.attackers(), again, w, l.tokens)
	return !now[asset].Gt(&has[asset])
}

// isAskedFor reports whether the attack names a number in a call of a contract, up to one of its calls.
func (l *lossAlone) isAskedFor(contract string, number [wordBytes]byte, last int) bool {
	for i := l.Exec.Calls[l.from].Frames[0]; i < l.Exec.Calls[last].Frames[1]; i++ {
		f := &l.Exec.Frames[i]
		if f.Program != nil && f.Program.Contract != nil && contractOf(f) == contract && lasts(l.Exec, i) && bytes.Contains(f.Input, number[:]) {
			return true
		}
	}
	return false
}

// givesAll reports whether a contract gives a caller all the ether that others have paid in, how much that ever is, although it writes
// nothing down: it ends and sends what it has, or it takes payments that call no function, and pays them out. A router may look like
// that, and what is left in it is for whoever comes next; but it knows other contracts. A faucet does, too; but it gives no more when it has more.
func (l *lossAlone) givesAll(at bytecode.Location, had, has []uint256.Int, call int) bool {
	frames := l.Exec.Calls[call].Frames
	by := slices.IndexFunc(l.Exec.Frames[frames[0]:frames[1]], func(f evm.Frame) bool { return f.Program != nil && f.Program.ID == at.Code && l.isVictims(&f) })
	if by < 0 || l.takesTime(call) {
		return false
	}
	giver := &l.Exec.Frames[frames[0]+by]
	if Ends(giver) {
		return l.holdsOthers(giver.Self)
	}
	if knowsOthers(giver.Program) {
		return false
	}
	var gain uint256.Int
	gain.Sub(&has[0], &had[0])
	more, paid := l.paidMore(giver.Self, &gain, call)
	if !paid {
		return false
	}
	before, ok := l.inOrder(more[:l.from:l.from], func(int) bool { return true })
	if !ok {
		return false
	}
	list := l.attackers()
	had = l.ownedBy(list, nil, before, nil)
	held := before.Accounts[giver.Self]
	after, ok := l.inOrder(more, func(int) bool { return true })
	if !ok || held == nil || held.Balance.IsZero() {
		return false
	}
	has = l.ownedBy(list, nil, after, nil)
	gain.Sub(&has[0], &had[0])
	return !has[0].Lt(&had[0]) && !gain.Lt(&held.Balance)
}

// paidMore are the calls up to one, in which others pay a contract so many times as much without calling a function, and the attack
// asks for so many times as much where it asks for what it got; false: it is not paid.
func (l *lossAlone) paidMore(contract common.Address, gain *uint256.Int, call int) (more evm.Sequence, paid bool) {
	times := uint256.NewInt(paidTimes)
	var asked uint256.Int
	asked.Mul(gain, times)
	was, is := gain.Bytes32(), asked.Bytes32()
	more = l.Calls()[:call+1].Clone()
	for i := range more {
		c := &more[i]
		if i >= l.from {
			c.Data = slices.Clone(c.Data)
			for at := 4; at+wordBytes <= len(c.Data); at += wordBytes {
				if bytes.Equal(c.Data[at:at+wordBytes], was[:]) {
					copy(c.Data[at:], is[:])
				}
			}
		} else if c.To == contract && len(c.Data) == 0 && !c.Value.IsZero() && l.Exec.Calls[i].Outcome == evm.Success {
			c.Value.Mul(&c.Value, times)
			paid = true
		}
	}
	return more, paid
}

// paidTimes: what gives all that it has gives as much more. Arbitrary: more than faucets are off by.
const paidTimes = 1000

// knowsOthers reports whether a program calls functions of other contracts, or makes some: the compiler asks whether there is code, or forbids
// what is called to write, before all but few such calls.
func knowsOthers(p *bytecode.Program) bool {
	return has(p, vm.EXTCODESIZE, vm.STATICCALL, vm.DELEGATECALL, vm.CALLCODE, vm.CREATE, vm.CREATE2)
}

// mayGain reports whether the attack may give the attackers something for nothing, as far as the execution alone tells: no ether is paid by them
// that they do not get back, and they get some, or something that is kept for them rises. Most of what pays them only gives back what
// they have put in, and is not worth a close look. much tells that it is more than what rounding leaves.
func (l *lossAlone) mayGain() (may, much bool) {
	var in, out, by uint256.Int
	rises := false
	for i := l.Exec.Calls[l.from].Frames[0]; i < len(l.Exec.Frames); i++ {
		f := &l.Exec.Frames[i]
		if !lasts(l.Exec, i) {
			continue
		}
		if Ends(f) && l.holdsOthers(f.Self) {
			return true, true // to whom it pays is not told
		}
		if f.Kind == evm.KindTransaction || f.Kind == evm.KindCall || f.Kind == evm.KindCreate || f.Kind == evm.KindCreate2 {
			if l.isTheirs(f.Caller) {
				out.Add(&out, &f.Value)
			}
			if l.isTheirs(f.Self) {
				in.Add(&in, &f.Value)
			}
		}
		if more, ok := l.keepsMore(f); ok {
			rises, much = true, much || more.GtUint64(lossLeast)
		}
	}
	by.Sub(&in, &out)
	return (in.Gt(&out) || rises && in.Eq(&out)) && !l.paysTokens(), much || in.Gt(&out) && by.GtUint64(lossLeast)
}

// keepsMore is by how much what a frame last writes of what is kept for the attackers is more in the end than it was first; false: by nothing, or it is what
// they let others take.
func (l *lossAlone) keepsMore(f *evm.Frame) (more uint256.Int, ok bool) {
	access := keptFor(f, l.isTheirs)
	if access == nil || l.isAllowance(f) {
		return more, false
	}
	before := l.wordAtBegin(access)
	was, is := new(uint256.Int).SetBytes(before[:]), new(uint256.Int).SetBytes(l.wordAtLast(access))
	return *more.Sub(is, was), is.Gt(was)
}

// isAllowance reports whether a frame is a call by which the attackers let others take what is theirs.
func (l *lossAlone) isAllowance(f *evm.Frame) bool {
	return l.isTheirs(f.Caller) && len(f.Input) >= 4 && [4]byte(f.Input[:4]) == approve
}

// holdings tells what an account has of an asset before the attack and after one of its calls; false where that could not be run.
func (l *lossAlone) holdings(asset, call int) (of func(common.Address) (was, is uint256.Int), ok bool) {
	calls := l.Calls()
	first, whole := calls[:l.from:l.from], calls[:call+1:call+1]
	before, ok := l.inOrder(first, func(int) bool { return true })
	if !ok {
		return nil, false
	}
	after, ok := l.inOrder(whole, func(int) bool { return true })
	return func(account common.Address) (was, is uint256.Int) {
		list := []common.Address{account}
		return l.ownedBy(list, first, before, l.tokens)[asset], l.ownedBy(list, whole, after, l.tokens)[asset]
	}, ok
}

// holdsOthers reports whether an account may have ether that is not the attackers': it had some from the start, or others paid it.
func (l *lossAlone) holdsOthers(account common.Address) bool {
	if a := l.World.Accounts[account]; a != nil && !a.Balance.IsZero() {
		return true
	}
	return slices.ContainsFunc(l.Exec.Frames, func(f evm.Frame) bool { return f.Self == account && !f.Value.IsZero() && !l.isTheirs(f.Caller) })
}

// wordAtLast is what is in a word's place after the execution.
func (l *lossAlone) wordAtLast(access *evm.StorageAccess) []byte {
	last := access
	for i := range l.Exec.Frames {
		for j := range l.Exec.Frames[i].Storage {
			a := &l.Exec.Frames[i].Storage[j]
			if a.Address == access.Address && a.Slot == access.Slot && a.Order > last.Order && lasts(l.Exec, i) {
				last = a
			}
		}
	}
	return valueOf(last)
}

// taken is the number of an asset of which the attackers have more behind a call, and that was not made by the attack until then: 0 is
// ether, then come the tokens; −1: there is none.
func (l *lossAlone) taken(had, has []uint256.Int, call int) int {
	if has[0].Gt(&had[0]) {
		return 0
	}
	for i := 1; i < len(has); i++ {
		if has[i].Gt(&had[i]) && !l.minted(l.tokens[i-1], call) {
			return i
		}
	}
	return -1
}

// takesTime reports whether time passes in the attack, up to a call.
func (l *lossAlone) takesTime(call int) bool {
	return slices.ContainsFunc(l.Calls()[l.from:call+1], func(c evm.Call) bool { return c.TimeAdvance > 0 || c.BlockAdvance > 0 })
}

// empties reports whether an account has nearly nothing left of an asset. Where time passes, what was waited for may be due, such as
// interest; all that a contract has is not.
func (l *lossAlone) empties(asset, call int) bool {
	of, ok := l.holdings(asset, call)
	if !ok {
		return false
	}
	for i := range l.World.Instances {
		had, left := of(l.World.Instances[i].Address)
		if left.Mul(&left, uint256.NewInt(emptiedShare)); !had.IsZero() && !left.Gt(&had) {
			return true
		}
	}
	return false
}

// emptiedShare: an account that has less than one in so many of what it had is empty. Arbitrary.
const emptiedShare = 100

// minted reports whether a token's supply grew in the attack, up to some call: what is burned later does not undo it. Of one that does not
// tell it, as those of ERC-721, whether no account of the World has less of it behind that call than before it.
func (l *lossAlone) minted(token common.Address, call int) bool {
	calls := l.Calls()
	was, tells := l.ask(calls[:l.from:l.from], token, totalSupply[:])
	for end := l.from + 1; tells && end <= call+1; end++ {
		now, ok := l.ask(calls[:end:end], token, totalSupply[:])
		if tells = ok; ok && now.Gt(&was) {
			return true
		}
	}
	if tells {
		return false
	}
	end := call + 1
	return !slices.ContainsFunc(l.others(), func(account common.Address) bool {
		was, ok := l.ask(calls[:call:call], token, word(balanceOf, account))
		now, still := l.ask(calls[:end:end], token, word(balanceOf, account))
		return ok && still && now.Lt(&was)
	})
}

// others are the accounts of the World that are not the attackers'.
func (l *lossAlone) others() (list []common.Address) {
	for i := range l.World.Instances {
		list = append(list, l.World.Instances[i].Address)
	}
	for i := range l.World.Senders {
		if a := l.World.Senders[i].Address; !l.isTheirs(a) && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// isVictims reports whether a frame runs code of the project, in the name of an account that had code before the attack.
func (l *lossAlone) isVictims(f *evm.Frame) bool {
	return l.isProjects(f) || runsProjects(f) && slices.ContainsFunc(l.Calls()[:l.from], func(c evm.Call) bool { return c.Create && c.Address == f.Self })
}

// paysThem is where a call pays the attackers: where a contract of the project sends one of them ether, or a token changes what
// it keeps for one.
func (l *lossAlone) paysThem(call int) (at bytecode.Location, contract string) {
	frames := l.Exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &l.Exec.Frames[i]
		if !lasts(l.Exec, i) {
			continue
		}
		if !f.Value.IsZero() && f.Parent >= 0 && l.isTheirs(f.Self) && f.Kind == evm.KindCall {
			if by, place := caller(l.Exec, i); by >= 0 && l.isVictims(&l.Exec.Frames[by]) {
				return place, contractOf(&l.Exec.Frames[by])
			}
		}
		if Ends(f) && l.isVictims(f) {
			return bytecode.Location{Code: f.Program.ID, PC: f.LastPC}, contractOf(f)
		}
		if access := keptFor(f, l.isTheirs); access != nil {
			if by, place := caller(l.Exec, i); by >= 0 && l.isVictims(&l.Exec.Frames[by]) {
				at, contract = place, contractOf(&l.Exec.Frames[by])
			} else if f.Program != nil && f.Program.Contract != nil { // a built-in mock has none
				at, contract = bytecode.Location{Code: f.Program.ID, PC: access.PC}, contractOf(f)
			}
		}
	}
	return at, contract
}

// keptFor is the last write of a frame to what is kept for some accounts; nil: there is none.
func keptFor(f *evm.Frame, whom func(common.Address) bool) (last *evm.StorageAccess) {
	for j := range f.Storage {
		access := &f.Storage[j]
		for k := range access.Keys.Count {
			if access.Write && whom(access.Keys.Words[k].Bytes20()) {
				last = access
			}
		}
	}
	return last
}

// Bounds of losses: what is less may come from rounding. A price in units of ether makes some hundreds of units of a token free, of which there are 10^18 in one.
const (
	lossLeast   = 10                // units
	lossLeastOf = 1_000_000_000_000 // of what those have who lose it, one in so many
)

// Bounds of drains, see examineDrain. Arbitrary.
const (
	drainRepeats  = 8
	drainLeastOf  = 1_000_000 // of what the account has, one in so many
	drainedAtOnce = 2         // a call that takes more than one in so many cannot be repeated
)

// examineDrain reports a contract that loses tokens in the last call of an attack without having a part in that: it does not
// send them, had allowed no account to take them before the attack, nothing is written in it or kept for it elsewhere, and it is
// paid nothing; and the more often the call is made, the more it loses. A contract that is called back in the attack, and allows
// its caller what that asks for, loses tokens like that.
func (l *lossAlone) examineDrain(report func(Observation)) {
	last := len(l.Exec.Calls) - 1
	frames := l.Exec.Calls[last].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &l.Exec.Frames[i]
		if !slices.Contains(l.tokens, f.Self) || f.Program == nil || !lasts(l.Exec, i) {
			continue
		}
		for j := range f.Storage {
			victim := l.loser(i, &f.Storage[j])
			if victim == (common.Address{}) || l.hasPart(victim, f.Self) {
				continue
			}
			by, at := caller(l.Exec, i)
			if by < 0 || !l.isProjects(&l.Exec.Frames[by]) || !l.isLookedAt(contractOf(&l.Exec.Frames[by]), last) || l.deploys() || !l.Attempt(at, [4]byte{}) || !l.drains(victim, l.Exec.Frames[by].Self, f.Self) {
				continue
			}
			report(Observation{Call: last, Location: at, Contract: contractOf(&l.Exec.Frames[by]), Severity: High,
				Message: fmt.Sprintf("anyone can make %s lose its %s, for nothing", l.instanceName(victim), l.instanceName(f.Self))})
			return
		}
	}
}

// loser is the contract of which a token keeps less after a write, in a frame that it has not led to; the zero address: there is none.
func (l *lossAlone) loser(frame int, access *evm.StorageAccess) common.Address {
	if !access.Write || access.Keys.Count != 1 {
		return common.Address{}
	}
	victim := common.Address(access.Keys.Words[0].Bytes20())
	if !l.existed(victim) || !l.falls(access) {
		return common.Address{}
	}
	for at := frame; at >= 0; at = l.Exec.Frames[at].Parent {
		if l.Exec.Frames[at].Self == victim || l.Exec.Frames[at].Caller == victim {
			return common.Address{}
		}
	}
	return victim
}

func valueOf(access *evm.StorageAccess) []byte {
	word := access.Value.Bytes32()
	return word[:]
}

// hasPart reports whether something is written in a contract, or kept for it elsewhere than in a token, or it is paid ether, in the
// last call.
func (l *lossAlone) hasPart(victim, token common.Address) bool {
	frames := l.Exec.Calls[len(l.Exec.Calls)-1].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &l.Exec.Frames[i]
		if f.Self == victim && !f.Value.IsZero() && f.Kind == evm.KindCall {
			return true
		}
		for j := range f.Storage {
			access := &f.Storage[j]
			if !access.Write || access.Address == token {
				continue
			}
			if access.Address == victim || bytes.Contains(valueOf(access), victim[:]) {
				return true
			}
			for k := range access.Keys.Count {
				if common.Address(access.Keys.Words[k].Bytes20()) == victim {
					return true
				}
			}
		}
	}
	return false
}

// drains reports whether a contract loses the more of a token the more often the last call is made, and had not allowed it to
// whom takes it.
func (l *lossAlone) drains(victim, by, token common.Address) bool {
	calls := l.Calls()
	last := len(calls) - 1
	if allowed, ok := l.ask(calls[:l.from:l.from], token, word(allowance, victim, by)); !ok || !allowed.IsZero() {
		return false
	}
	balance := func(repeats int) (x uint256.Int, ok bool) {
		repeated := slices.Clip(calls[:last])
		for range repeats {
			repeated = append(repeated, calls[last])
		}
		return l.ask(repeated, token, word(balanceOf, victim))
	}
	had, ok := balance(0)
	has, still := balance(1)
	if !ok || !still || !has.Lt(&had) {
		return false
	}
	var lost, least uint256.Int
	lost.Sub(&had, &has)
	if least.Div(&had, uint256.NewInt(drainLeastOf)); !lost.GtUint64(lossLeast) || !lost.Gt(&least) {
		return false
	}
	left, ok := balance(drainRepeats)
	if !ok {
		return false
	}
	// Each call takes as much, until too little is left for another.
	var all uint256.Int
	if _, overflow := all.MulOverflow(&lost, uint256.NewInt(drainRepeats)); !overflow && !all.Gt(&had) {
		return left.Eq(new(uint256.Int).Sub(&had, &all))
	}
	return left.Lt(&lost) && lost.Lt(new(uint256.Int).Div(&had, uint256.NewInt(drainedAtOnce)))
}
