package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/compare/laws"
)

// losses looks for what the outsider takes from others on the head alone.
type losses struct {
	*Sides
	outsider   common.Address
	contract   common.Address // his; zero: he has none
	head, base assets
	// known are accounts and tokens from which the outsider can take on the base as well, and worthless tokens that it
	// can have there for nothing, all by their addresses on the head.
	known, worthless map[common.Address]bool
	seen             map[bytecode.Location]*seenLoss
	list             []*seenLoss // in the order in which they were first seen
	attacks          *attacks
	exitLooks        int
}

// seenLoss is how a loss was seen.
type seenLoss struct {
	sequence input.Sequence
	first    fuzzer.Mark
	loss     loss
}

// loss is what an account loses in an attack.
type loss struct {
	victim common.Address
	what   asset
	takes  bool // the outsider has it then, or his contract
	taker  common.Address
	dust   bool // so little that rounding leaves it
	at     bytecode.Location
}

// newLosses is given the tokens of both sides. Nil where the World is a chain's: what its storage held is not
// all at hand.
func (s *Sides) newLosses(head, base []*laws.Token) *losses {
	at := s.Head.Space.Outsider()
	if at < 0 || s.Head.World.Origin != nil {
		return nil
	}
	machines, err := s.fast()
	if err != nil {
		return nil
	}
	w := &losses{Sides: s, outsider: s.Head.Space.Senders[at].Address, known: map[common.Address]bool{}, worthless: map[common.Address]bool{}, seen: map[bytecode.Location]*seenLoss{}}
	w.attacks = newAttacks(w)
	if contract := s.Head.Space.Contract(); contract >= 0 {
		w.contract = s.Head.Space.Senders[contract].Address
	}
	w.head, w.base = assetsOf(head), assetsOf(base)
	w.attacks.findHoldings(machines.head, w.head)
	w.tryTokens(machines.base)
	return w
}

// tryTokens makes the outsider call the base's tokens with arguments that mint and burn: mocks let anyone.
func (w *losses) tryTokens(machine evm.Machine) {
	for i := range w.Base.Space.Instances {
		in := &w.Base.Space.Instances[i]
		if w.base[in.Address] == nil {
			continue
		}
		for _, f := range in.Functions {
			if f.Kind != input.Method {
				continue
			}
			for j := range w.Base.Space.Senders {
				data, ok := plainArguments(f, w.Base.Space.Senders[j].Address)
				if !ok {
					break
				}
				exec, err := machine.Run(evm.Sequence{{From: w.outsider, To: in.Address, Data: data}})
				if err == nil && !exec.Truncated {
					w.learn(exec, 0, 0)
				}
			}
		}
	}
}

// plainArguments is calldata of a function whose arguments are accounts and numbers: an account, and ones.
func plainArguments(f *input.Function, account common.Address) (data []byte, ok bool) {
	data = slices.Clone(f.Selector[:])
	for i := range f.Inputs {
		switch f.Inputs[i].Kind {
		case abi.Address:
			data = append(data, common.LeftPadBytes(account[:], wordBytes)...)
		case abi.Uint:
			data = append(data, common.LeftPadBytes([]byte{1}, wordBytes)...)
		default:
			return nil, false
		}
	}
	return data, len(f.Inputs) > 0
}

// see implements [watcher].
func (w *losses) see(r *ran) {
	w.attacks.note(r)
	w.noteExit(r)
	w.look(r)
}

// exitLooks bounds the calls that are looked at for whether they pay who makes them. Arbitrary: a few of each
// function.
const exitLooks = 1000

// noteExit keeps a sequence's last call if it pays who makes it.
func (w *losses) noteExit(r *ran) {
	last := len(r.head.Calls) - 1
	if w.exitLooks == exitLooks || last < 0 || r.head.Calls[last].Outcome != evm.Success || !movesAssets(w.head, r.head, last, last) {
		return
	}
	w.exitLooks++
	call := &r.sequence[last]
	b := w.book(w.head, onSide(w.Head, r.head, 0), nil, last, last)
	if slices.ContainsFunc(b.ledger, func(e balance) bool {
		_, grew := e.grew()
		return grew && e.account == w.Head.Space.Senders[call.Sender].Address
	}) {
		w.attacks.noteExit(call)
	}
}

// look looks for what the outsider takes in a sequence.
func (w *losses) look(r *ran) {
	from, to, ok := w.attack(r.sequence)
	if !ok {
		return
	}
	if to < len(r.base.Calls) && movesAssets(w.base, r.base, from, to) {
		w.learn(r.base, from, to)
	}
	if r.first == nil || r.first.Call > to || to >= len(r.base.Calls) || to >= len(r.head.Calls) || !movesAssets(w.head, r.head, from, to) {
		return
	}
	for n := to; n >= from && r.head.Calls[n].Outcome != evm.Success; n-- {
		to--
	}
	if to < from || r.first.Call > to {
		return
	}
	l := w.judge(r, from, to)
	if l == nil {
		return
	}
	seq := r.sequence[:to+1]
	switch known := w.seen[l.at]; {
	case known == nil:
		known = &seenLoss{seq.Clone(), r.at, *l}
		w.seen[l.at] = known
		w.list = append(w.list, known)
	case l.worse(&known.loss) || !known.loss.worse(l) && len(known.sequence) > len(seq):
		known.sequence, known.loss = seq.Clone(), *l
	}
}

// worse reports whether a loss says more than another one.
func (l *loss) worse(than *loss) bool {
	if l.dust != than.dust {
		return than.dust
	}
	return l.takes && !than.takes
}

// isOutsiders reports whether an account is the outsider, or his contract.
func (w *losses) isOutsiders(account common.Address) bool {
	return account == w.outsider || account == w.contract
}

// spares reports whether neither the outsider nor his contract loses anything.
func (w *losses) spares(l ledger) bool { return l.free(w.outsider) && l.free(w.contract) }

// attack is the first run of the outsider's calls, and his contract's, in a sequence, in which no time passes; what comes before does
// not name the outsider, but to give him tokens.
func (w *losses) attack(seq input.Sequence) (from, to int, ok bool) {
	for from = 0; from < len(seq) && !w.Head.Space.IsOutsider(seq[from].Sender); from++ {
		call, named := &seq[from], false
		if w.isGift(call) {
			continue
		}
		abi.EachAddress(call.Args, call.Function.Inputs, func(a common.Address) { named = named || w.isOutsiders(a) })
		if named || call.Function.Kind == input.Constructor || call.Function.Test || call.Script.Destroys() {
			return 0, 0, false
		}
	}
	for to = from; to < len(seq); to++ {
		call := &seq[to]
		if was := w.calls[input.Callable{Instance: call.Instance, Function: call.Function}]; !w.Head.Space.IsOutsider(call.Sender) || call.TimeAdvance > 0 || call.BlockAdvance > 0 || !was.same || call.Script.Destroys() { // what that gives away is not booked
			break
		}
	}
	return from, to - 1, to > from
}

// movesAssets reports whether calls may change what accounts own.
func movesAssets(a assets, exec *evm.Execution, from, to int) bool {
	for i := exec.Calls[from].Frames[0]; i < exec.Calls[to].Frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Outcome != evm.Success {
			continue
		}
		if f.Parent >= 0 && sendsEther(f) {
			return true
		}
		for j := range f.Storage {
			if f.Storage[j].Write && a.touches(&f.Storage[j]) {
				return true
			}
		}
	}
	return false
}

// booked is what the calls of an attack did on a side.
type booked struct {
	side   *compared
	ledger ledger
	signed bool // a signature was checked
	paid   bool // the calls before were payments and approvals
}

// book enters the calls of an attack; a call before that no one paid in is not paid.
func (w *losses) book(a assets, side *compared, seq input.Sequence, from, to int) *booked {
	b, owned := &booked{side: side, paid: true}, etherOwned{}
	for i := range from {
		var before ledger
		a.book(&before, side, i, owned)
		owned.settle(before)
		if seq != nil && w.isGift(&seq[i]) {
			continue
		}
		b.paid = b.paid && (seq == nil || side.exec.Calls[i].Outcome != evm.Success || isApproval(seq[i].Function) || !before.free(w.Head.Space.Senders[seq[i].Sender].Address))
		b.paid = b.paid && !slices.ContainsFunc(before, func(e balance) bool { return w.isOutsiders(e.account) })
	}
	for i := from; i <= to; i++ {
		a.book(&b.ledger, side, i, owned)
		b.signed = b.signed || recovers(side.exec, i)
	}
	return b
}

// holdings are what the outsider owns of a token after a sequence; nil: of an instance that is none.
func (w *losses) holdings(r *ran, token common.Address) *uint256.Int {
	if w.head[token] == nil {
		return nil
	}
	side, owned := onSide(w.Head, r.head, 0), new(uint256.Int)
	for i := range r.head.Calls {
		for _, write := range side.writes(i).list {
			w.head.moves(&write, func(account common.Address, what asset, _, after uint256.Int) {
				if w.isOutsiders(account) && what.token == token && what.kind == fungible {
					owned.Set(&after)
				}
			})
		}
	}
	return owned
}

// isApproval reports whether a function lets another account take.
func isApproval(f *input.Function) bool {
	return strings.HasPrefix(f.Name, "approve") || strings.HasPrefix(f.Name, "setApproval") || strings.HasPrefix(f.Name, "increaseAllowance")
}

// learn notes what an attack does on the base.
func (w *losses) learn(exec *evm.Execution, from, to int) {
	b := w.book(w.base, onSide(w.Base, exec, 0), nil, from, to)
	if !w.spares(b.ledger) {
		return
	}
	for i := range b.ledger {
		e := &b.ledger[i]
		if _, grew := e.grew(); grew && w.isOutsiders(e.account) && !slices.ContainsFunc(b.ledger, func(o balance) bool {
			_, fell := o.fell()
			return fell && o.what == e.what
		}) {
			w.worthless[w.moved.of(e.what.token)] = true
		}
		if l, ok := w.lossOf(b, e); ok && (l.takes || w.directly(w.base, b.side, &l, from, to)) {
			w.known[w.key(l, w.moved)] = true
		}
	}
}

// key is by what a loss is known on the base: the contract that loses, or the token of another account's.
func (w *losses) key(l loss, moved movedAddresses) common.Address {
	if account := w.Base.World.Accounts[l.victim]; len(moved) > 0 && account != nil && len(account.Code) > 0 {
		return moved.of(l.victim)
	}
	if account := w.Head.World.Accounts[l.victim]; account != nil && len(account.Code) > 0 {
		return l.victim
	}
	return moved.of(l.what.token)
}

// lossOf is what an account loses, without its place.
func (w *losses) lossOf(b *booked, e *balance) (l loss, ok bool) {
	by, fell := e.fell()
	if !fell || w.isOutsiders(e.account) || e.account == (common.Address{}) {
		return l, false
	}
	l = loss{victim: e.account, what: e.what}
	for i := range b.ledger {
		o := &b.ledger[i]
		if gain, grew := o.grew(); grew && w.isOutsiders(o.account) && o.what == e.what {
			l.takes, l.taker = true, o.account
			if gain.Lt(&by) {
				by = gain
			}
		}
	}
	l.dust = isDust(e, &by)
	return l, true
}

// Of an amount, more than ten units and more than a millionth do not come from rounding.
const (
	dustUnits = 10
	dustParts = 1_000_000
)

// isDust reports whether what an account loses is so little that it comes from rounding.
func isDust(e *balance, by *uint256.Int) bool {
	if e.what.kind == unique {
		return false
	}
	var part uint256.Int
	part.Div(&e.before, uint256.NewInt(dustParts))
	return !by.Gt(&part) || e.what.kind != multiple && !by.GtUint64(dustUnits)
}

// directly reports whether the outsider itself calls the token wherever that takes from the account: where a contract
// does, the account may have allowed it to.
func (w *losses) directly(a assets, side *compared, l *loss, from, to int) (found bool) {
	for i := side.exec.Calls[from].Frames[0]; i < side.exec.Calls[to].Frames[1]; i++ {
		f := &side.exec.Frames[i]
		if !side.lasts[i] || !slices.ContainsFunc(f.Storage, func(s evm.StorageAccess) bool {
			return s.Write && s.Address == l.what.token && a.touches(&s) && isOf(&s, l)
		}) {
			continue
		}
		for f.Parent >= 0 && f.Kind == evm.KindDelegateCall {
			f = &side.exec.Frames[f.Parent]
		}
		if f.Parent >= 0 {
			return false
		}
		found = true
	}
	return found
}

// judge says what an attack takes on the head and not on the base; nil: nothing.
func (w *losses) judge(r *ran, from, to int) *loss {
	in := &w.Head.Space.Instances[r.sequence[to].Instance]
	if in.Contract == nil || in.Fresh || !ships(in.Contract) {
		return nil
	}
	head := w.book(w.head, onSide(w.Head, r.head, 0), r.sequence, from, to)
	if !head.paid || head.signed || !w.spares(head.ledger) {
		return nil
	}
	var base *booked
	for i := range head.ledger {
		e := &head.ledger[i]
		l, ok := w.lossOf(head, e)
		if !ok || !l.takes && !w.directly(w.head, head.side, &l, from, to) || w.ambiguous[l.victim] {
			continue
		}
		if base == nil {
			base = w.book(w.base, onSide(w.Base, r.base, 0), r.sequence, from, to)
		}
		if w.happens(base, l, r.moved) {
			continue
		}
		if l.at = w.placeOfLoss(head.side, &l, from, to); l.at != (bytecode.Location{}) {
			return &l
		}
	}
	return nil
}

// ships reports whether a contract is of the project and not of its tests.
func ships(c *bytecode.Contract) bool {
	role, _ := world.RoleOf(c)
	return !c.Generated && (role == world.UnderTest || role == world.Dependency)
}

// happens reports whether an attack takes the same on the base.
func (w *losses) happens(base *booked, l loss, moved movedAddresses) bool {
	if l.takes && !w.spares(base.ledger) {
		return false
	}
	return slices.ContainsFunc(base.ledger, func(e balance) bool {
		what := e.what
		what.token = moved.of(what.token)
		_, grew := e.grew()
		_, fell := e.fell()
		return what == l.what && (l.takes && grew && w.isOutsiders(e.account) || !l.takes && fell && moved.of(e.account) == l.victim)
	})
}

// placeOfLoss is where the last call of an attack that takes something does so: the call that a contract of
// the project makes, or the token's own write.
func (w *losses) placeOfLoss(side *compared, l *loss, from, to int) (at bytecode.Location) {
	to = w.lastLoss(side, l, from, to)
	for i := side.exec.Calls[from].Frames[0]; i < side.exec.Calls[to].Frames[1]; i++ {
		f := &side.exec.Frames[i]
		switch {
		case !side.lasts[i]:
		case l.what == (asset{}):
			if sendsEther(f) && f.Caller == l.victim {
				at = side.calledFrom(i)
			}
		default:
			for j := range f.Storage {
				if access := &f.Storage[j]; access.Write && access.Address == l.what.token && w.head.touches(access) && isOf(access, l) {
					if at = side.calledFrom(i); at == (bytecode.Location{}) && f.Program != nil {
						at = bytecode.Location{Code: f.Program.ID, PC: access.PC}
					}
				}
			}
		}
	}
	return at
}

// lastLoss is the last call of an attack in which who loses something does so.
func (w *losses) lastLoss(side *compared, l *loss, from, to int) (call int) {
	call = to
	again, owned := onSide(w.Head, side.exec, 0), etherOwned{}
	for i := 0; i <= to; i++ {
		var one ledger
		w.head.book(&one, again, i, owned)
		owned.settle(one)
		if b := one.of(l.victim, l.what, func() (none uint256.Int) { return none }); i >= from {
			if _, fell := b.fell(); fell {
				call = i
			}
		}
	}
	return call
}

// isOf reports whether a word of a token's is about what a loss is of.
func isOf(access *evm.StorageAccess, l *loss) bool {
	of := *new(uint256.Int).SetBytes20(l.victim[:])
	if l.what.kind == unique {
		of = l.what.id
	}
	return slices.Contains(access.Keys.Words[:access.Keys.Count], of)
}

// calledFrom is the call by which a frame's account was entered from another one.
func (c *compared) calledFrom(frame int) bytecode.Location {
	f := &c.exec.Frames[frame]
	for f.Parent >= 0 && f.Kind == evm.KindDelegateCall {
		f = &c.exec.Frames[f.Parent]
	}
	if f.Parent < 0 || c.exec.Frames[f.Parent].Program == nil {
		return bytecode.Location{}
	}
	return bytecode.Location{Code: c.exec.Frames[f.Parent].Program.ID, PC: f.CallPC}
}

// suspects implements [watcher]. Dust is left to the laws of token standards.
func (w *losses) suspects() []*suspect {
	if fast, err := w.fast(); err == nil {
		w.attacks.try(fast, w.outsider)
		for _, one := range w.list {
			w.tryOnBase(fast.base, one, &effort{maxBaseRuns, triedWork / uint64(len(w.list))})
		}
	}
	var list []*suspect
	for _, one := range w.list {
		seen := &suspect{oracle: oracle.ThirdPartyLoss, sequence: one.sequence, first: one.first, shows: func(r *ran) *shown { return w.shows(one, r) }}
		switch {
		case one.loss.dust:
			seen.refuted = "so little that it comes from rounding"
		case w.isKnown(one.loss):
			seen.refuted = "the same can be taken on the base, or is worthless there"
		}
		list = append(list, seen)
	}
	return list
}

func (w *losses) isKnown(l loss) bool {
	return w.known[w.key(l, nil)] || w.worthless[l.what.token]
}

// shows judges a sequence that ran on both sides.
func (w *losses) shows(one *seenLoss, r *ran) *shown {
	from, to, ok := w.attack(r.sequence)
	if !ok || to != r.last() || r.first == nil || r.head.Calls[to].Outcome != evm.Success {
		return nil
	}
	l := w.judge(r, from, to)
	if l == nil || l.takes != one.loss.takes || l.dust || l.at != one.loss.at || w.isKnown(*l) {
		return nil
	}
	out := &shown{at: l.at, takes: l.takes, message: w.sentence(l, r.sequence[:to+1])}
	if p := w.Head.Table.Program(l.at.Code); p != nil && p.Contract != nil {
		out.contract = p.Contract.QualifiedName()
	}
	owner, what := l.victim, l.what
	if l.takes {
		owner, what = w.telling(r, from, to, l)
	}
	out.answer = &fuzzer.Answer{}
	out.answer.To, out.answer.Data = what.question(owner)
	return out
}

// telling is whose part of which asset differs from the base's after an attack that takes something: mostly what was taken, but that may be had on the base as well, for
// what is lost there.
func (w *losses) telling(r *ran, from, to int, l *loss) (common.Address, asset) {
	head := w.book(w.head, onSide(w.Head, r.head, 0), nil, from, to).ledger
	base := w.book(w.base, onSide(w.Base, r.base, 0), nil, from, to).ledger
	same := func(account common.Address, what asset) bool {
		of := func(list ledger, moved movedAddresses) (sum [2]uint256.Int) {
			for i := range list {
				there := list[i].what
				there.token = moved.of(there.token)
				if list[i].account == account && there == what {
					sum = [2]uint256.Int{list[i].gained, list[i].lost}
				}
			}
			return sum
		}
		return of(head, nil) == of(base, r.moved)
	}
	if !same(l.taker, l.what) {
		return l.taker, l.what
	}
	for i := range base {
		what := base[i].what
		what.token = r.moved.of(what.token)
		if _, fell := base[i].fell(); fell && w.isOutsiders(base[i].account) && !same(base[i].account, what) {
			return base[i].account, what
		}
	}
	return l.taker, l.what
}

// sentence says who loses what.
func (w *losses) sentence(l *loss, seq input.Sequence) string {
	call := &seq[len(seq)-1]
	name := func(a common.Address) string {
		for i := range w.Head.Space.Instances {
			if in := &w.Head.Space.Instances[i]; in.Address == a && in.Contract != nil {
				return in.Contract.Name
			}
		}
		if name, ok := w.Head.Space.NameOf(a); ok {
			return name
		}
		return "another account"
	}
	what := "ether"
	if l.what.kind != ether {
		what = name(l.what.token)
	}
	if l.what.kind == unique {
		what = "a token of " + what
	}
	with := shortSignature(w.Head.Space.Instances[call.Instance].Name, call.Function.Signature)
	anyone := "anyone"
	if given := w.givenNames(seq); len(given) > 0 {
		anyone += " who has some " + strings.Join(given, " and ")
	}
	if !l.takes {
		return fmt.Sprintf("%s loses %s, which it allowed no account to take, where %s calls %s; on the base the same calls do not do that", name(l.victim), what, anyone, with)
	}
	return fmt.Sprintf("%s can take %s of %s with %s, for nothing; on the base the same calls do not do that", anyone, what, name(l.victim), with)
}
