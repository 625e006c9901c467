package fuzzer

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

// attacks leads toward sequences of which all calls are the attacker's contract's: each function with arguments that are
// of use to it (itself, an amount), then another one behind what had an effect, and what it may do when it is called
// back then. Mutants rarely are such sequences, since most calls have other senders.
type attacks struct {
	*tools
	possible bool // they may be made
	begun    bool
	left     int              // that may still be made
	queue    []input.Sequence // to be tried, in order
	trusted  []input.Sequence // before which others entrust something to a contract that says what it is told: few, and others may fill the queue
	others   []input.Sequence // attacks that name tokens, or others who have some, or are paid for once and counted twice
	named    []input.Sequence // before which those entrust something who are named in a call that was refused
	handed   []input.Sequence // calls that are handed on, left over from the first ones
	behind   []input.Sequence // attacks behind gifts, and what goes on behind those or payments
	repeated []input.Sequence // attacks that ask again for a payment, made when all others are
	resumed  []input.Sequence // what goes on with what was begun, and what comes of it if it pays: few, and queue may be longer than the campaign
	made     int
	endowed  int // how many go on after payments of others; they are made when most others have been
	effects  map[effect]bool
	spoken   map[speaker]bool
	borrowed map[speaker]bool
	lent     map[loan]bool           // contracts that pay tokens to the attacker's contract and call it back
	owing    map[speaker]bool        // contracts that others have entrusted tokens to because they could not pay
	halved   map[halving]bool        // where half was asked for
	refused  map[*input.Function]int // how often those who are named have entrusted something because a call was refused
	again    map[*input.Function]int // how often attacks have been made of what it paid
	gifts    gifts
	drawn    drawn
}

// speaker is a contract that made a call which the attacker's contract chose, and the function that led there.
type speaker struct {
	function *input.Function
	contract common.Address
	helped   bool // others named the attacker's contract before, or gave it something
	whole    bool // what it said is an argument, and not a part of one, such as of a call to itself
	small    bool // hardly anything is at stake
	odd      bool // something else is paid than the stake: what goes on asks for the stake
	half     bool // half of the stake is asked for
}

// loan is how a contract lends tokens to the attacker's contract: by which function, and behind how many calls of others.
type loan struct {
	function *input.Function
	lender   common.Address
	before   int
}

// Bounds of attacks. Arbitrary: what takes more calls than three is rare, and is left to mutants; a worker makes so many
// attacks in a fraction of a second.
const (
	maxAttackCalls     = 3
	maxAttacks         = 4096
	maxAttackFunctions = 32
	maxEndowed         = 512
)

// newAttacks prepares them: not where no oracle sees more of them, nor where two versions run.
func newAttacks(t *tools, oracles []*oracle.Oracle, compares bool) attacks {
	return attacks{tools: t, possible: attacking(oracles) && !compares && t.space.Contract() >= 0}
}

// attacking reports whether some oracle sees more of an attack than of other calls.
func attacking(oracles []*oracle.Oracle) bool {
	return slices.ContainsFunc(oracles, func(o *oracle.Oracle) bool { return o.Examine != nil })
}

// first are the attacks of one call. They are made once.
func (a *attacks) first() (all []input.Sequence) {
	if a.begun || !a.possible {
		return nil
	}
	a.begun, a.left, a.effects, a.spoken = true, maxAttacks, map[effect]bool{}, map[speaker]bool{}
	a.borrowed, a.lent, a.owing = map[speaker]bool{}, map[loan]bool{}, map[speaker]bool{}
	a.halved = map[halving]bool{}
	a.refused, a.again = map[*input.Function]int{}, map[*input.Function]int{}
	for _, c := range a.space.Changing() {
		for _, call := range a.space.Own(c) {
			all = append(all, input.Sequence{call})
		}
		a.others = append(a.others, a.space.Batched(c)...)
		for _, call := range a.space.Elsewhere(c) {
			a.others = append(a.others, input.Sequence{call})
		}
	}
	all = all[:min(len(all), a.left)]
	a.drawHandedOn()
	first := min(len(a.handed), handedFirst)
	all, a.handed = append(all, a.handed[:first]...), a.handed[first:]
	return all
}

// drawHandedOn lines up calls that are handed on.
func (a *attacks) drawHandedOn() {
	for _, call := range a.space.HandedOn(a.rand) {
		a.handed = append(a.handed, input.Sequence{call})
	}
}

// handedFirst calls that are handed on come before attacks of two calls, which go on from what they show. Arbitrary: all of them, with an
// executor and a few contracts.
const handedFirst = 1024

// watch goes on from attacks.
func (a *attacks) watch(seq input.Sequence, exec *evm.Execution) {
	if !a.begun {
		return
	}
	a.watchAttack(seq, exec)
	a.watchBehind(seq, exec)
	a.watchEndowed(seq, exec)
	a.watchSpeaker(seq, exec)
	a.watchBorrower(seq, exec)
	a.watchRefusal(seq, exec)
	a.watchDebtor(seq, exec)
	a.watchLender(seq, exec)
	a.watchPoor(seq, exec)
	a.watchPayment(seq, exec)
	a.watchDeed(seq, exec)
	a.watchShortfall(seq, exec)
}

// watchAttack goes on from an attack whose last call had an effect that its function did not have before.
func (a *attacks) watchAttack(seq input.Sequence, exec *evm.Execution) {
	if a.left <= 0 || len(seq) > maxAttackCalls || !a.space.IsAttack(seq) || exec.Calls[len(seq)-1].Outcome != evm.Success || seq[len(seq)-1].Function.View {
		return
	}
	e := effectOf(exec)
	e.function, e.scripted = seq[len(seq)-1].Function, e.back && seq[len(seq)-1].Script != nil
	if a.effects[e] {
		return
	}
	a.effects[e] = true
	var next []input.Sequence
	if e.back && seq[len(seq)-1].Script == nil {
		next = a.mutator.Scripts(a.rand, seq, len(seq)-1)
		if prepared, ok := a.space.PreparedByOthers(seq); ok {
			next = append(next, a.mutator.Scripts(a.rand, prepared, len(prepared)-1)...)
		}
	}
	if e.changed != 0 {
		next = append(next, a.mutator.FollowedInside(a.rand, seq)...)
	}
	if len(seq) < maxAttackCalls && (e.changed != 0 || e.paid) {
		a.add(a.space.Resumed(seq), &a.resumed)
		next = append(next, a.space.FollowedBy(seq, a.followers())...)
	}
	if e.paid && len(seq) > 1 {
		a.add(next, &a.resumed)
	} else {
		a.add(next, &a.queue)
	}
}

// watchBehind goes on from an attack behind gifts, or behind what others paid, as [attacks.watchAttack] does.
func (a *attacks) watchBehind(seq input.Sequence, exec *evm.Execution) {
	last := len(seq) - 1
	if a.gifts.left <= 0 || exec.Calls[last].Outcome != evm.Success || seq[last].Function.View {
		return
	}
	from, _, ok := a.space.Attack(seq)
	if !ok || from == 0 || from > maxBefore || a.space.Length(seq[from:]) >= maxAttackCalls {
		return
	}
	e := effectOf(exec)
	e.function, e.behind, e.small = seq[last].Function, true, !seq[last].IsStaked()
	e.half, e.scripted = input.IsHalved(&seq[last]), e.back && seq[last].Script != nil
	if e.changed == 0 && !e.paid || a.effects[e] || seq[last].Script != nil && !e.scripted {
		return
	}
	a.effects[e] = true
	a.addBehind(a.space.FollowedBy(seq, a.followers()))
}

// watchEndowed goes on from what the attacker's contract did when it was called back, where others had to pay in first for that: it may have been
// lent what they paid, and have paid it in as its own. It goes on with the same contract.
func (a *attacks) watchEndowed(seq input.Sequence, exec *evm.Execution) {
	last := len(seq) - 1
	others := a.space.PaidFirst(seq)
	if a.endowed >= maxEndowed || others == 0 || len(seq)-others >= maxAttackCalls || exec.Calls[last].Outcome != evm.Success || seq[last].Script == nil {
		return
	}
	e := effectOf(exec)
	e.function, e.scripted, e.endowed = seq[last].Function, true, true
	if !e.back || e.changed == 0 || a.effects[e] {
		return
	}
	a.effects[e] = true
	for _, c := range a.space.Changing() {
		if c.Instance == seq[last].Instance && a.endowed < maxEndowed {
			next := a.space.FollowedBy(seq, []input.Callable{c})
			a.endowed += len(next)
			a.resumed = append(a.resumed, next...)
		}
	}
}

// add lines up attacks as far as there is room.
func (a *attacks) add(next []input.Sequence, line *[]input.Sequence) {
	next = next[:min(len(next), a.left)]
	a.left -= len(next)
	*line = append(*line, next...)
}

// watchSpeaker has others entrust tokens to a contract that says what the attacker's contract wants it to: the attack
// gains nothing as long as that contract has nothing, and nothing in it tells what it may have.
func (a *attacks) watchSpeaker(seq input.Sequence, exec *evm.Execution) {
	last := len(seq) - 1
	if a.left <= 0 || seq[last].Sender != a.space.Contract() || exec.Calls[last].Outcome != evm.Success {
		return
	}
	frames := exec.Calls[last].Frames
	root := &exec.Frames[frames[0]]
	for i := frames[0] + 1; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if f.CodeAddress != attacker.Address || f.Kind != evm.KindCall || len(f.Input) < 4 || !bytes.Contains(root.Input, f.Input) {
			continue
		}
		by := speaker{function: seq[last].Function, contract: f.Caller, whole: hasBytes(seq[last].Args, f.Input)}
		attack := seq
		if a.space.HelpsContract(seq) { // an account that is not the attacker's would not list or approve it
			var ok bool
			if attack, ok = a.space.AsAttack(seq); !ok {
				continue
			}
			by.helped = true
		}
		if a.spoken[by] {
			continue
		}
		a.spoken[by] = true
		next := a.space.Entrusted(seq[last:], f.Caller) // what comes before may be no part of an attack
		if last > 0 {
			next = append(next, a.space.Entrusted(attack, f.Caller)...)
		}
		if by.helped { // it may not come that far
			next = []input.Sequence{attack}
		}
		a.add(next, &a.trusted)
	}
}

// hasBytes reports whether bytes are one of some values, or an element of theirs.
func hasBytes(values []input.Value, data []byte) bool {
	return slices.ContainsFunc(values, func(v input.Value) bool { return bytes.Equal(v.Bytes, data) || hasBytes(v.Elems, data) })
}

// watchBorrower has the attacker's contract make a call that names a contract, which is called then and pays with its tokens, or lets them be
// taken: behind that, others have sent it some. It may not have been asked whether it wants that.
func (a *attacks) watchBorrower(seq input.Sequence, exec *evm.Execution) {
	last := len(seq) - 1
	if a.left <= 0 {
		return
	}
	frames := exec.Calls[last].Frames
	root := &exec.Frames[frames[0]]
	for i := frames[0] + 1; i < frames[1]; i++ {
		f := &exec.Frames[i]
		by := speaker{function: seq[last].Function, contract: f.Self}
		if f.Kind != evm.KindCall || f.Program == nil || f.Self == attacker.Address || f.Self == root.Self || a.borrowed[by] || !bytes.Contains(root.Input, f.Self[:]) || !paysTokens(exec, i, frames[1]) {
			continue
		}
		a.borrowed[by] = true
		own, ok := a.space.AsOwn(seq[last:])
		if !ok {
			return
		}
		next := a.space.Sent(own, f.Self)
		if last > 0 {
			next = append(next, a.space.Sent(slices.Concat(seq[:last], own), f.Self)...)
		}
		a.add(next, &a.queue)
	}
}

// watchDebtor has others entrust tokens to a contract that the attacker's contract makes pay tokens that it does not have, or take some that it may not
// take, or none at all; or that asks whether it has any, in a call that fails.
func (a *attacks) watchDebtor(seq input.Sequence, exec *evm.Execution) {
	last := len(seq) - 1
	from, gifts, ok := a.space.Attack(seq)
	othersPay := gifts < from
	if gifts == 0 && a.left <= 0 || !ok || othersPay || a.space.Length(seq[from:]) > maxAttackCalls {
		return
	}
	for i := exec.Calls[last].Frames[0] + 1; i < exec.Calls[last].Frames[1]; i++ {
		f := &exec.Frames[i]
		if !a.space.IsToken(f.Self) || f.Caller == attacker.Address || !(f.Kind == evm.KindCall && a.isOwed(f) || exec.Calls[last].Outcome == evm.Reverted && asksForOwn(f)) {
			continue
		}
		by := speaker{function: seq[last].Function, contract: f.Caller, whole: f.Outcome == evm.Success, helped: gifts > 0, small: !seq[last].IsStaked(), odd: !seq[last].Value.IsZero() && seq[last].Value != input.Stake, half: input.IsHalved(&seq[last])}
		if a.owing[by] || len(a.owing) >= maxOwing {
			continue
		}
		a.owing[by] = true
		if gifts == 0 {
			a.trusted = append(a.trusted, a.space.Entrusted(a.space.Staked(seq[last:]), f.Caller)...) // what comes before may be no part of it
		}
		if last > 0 || !by.small && !seq[:1].Equal(a.space.Staked(seq[:1])) { // otherwise that was all
			a.trusted = append(a.trusted, a.space.Entrusted(seq, f.Caller)...)
		}
	}
	if function := seq[last].Function; gifts == 0 && exec.Calls[last].Outcome == evm.Reverted && a.refused[function] < maxRefused {
		if next := a.space.EntrustedByNamed(seq, exec.Frames[exec.Calls[last].Frames[0]].Self); len(next) > 0 {
			a.refused[function]++
			a.named = append(a.named, next...)
		}
	}
}

// watchLender has the attacker's contract do with tokens what it may when it is called back, where a contract to which others have entrusted some pays it that before: to
// give them back is not all that it may do. Whether the call succeeds does not matter, since it fails where they are not given back.
func (a *attacks) watchLender(seq input.Sequence, exec *evm.Execution) {
	last := len(seq) - 1
	from, gifts, ok := a.space.Attack(seq)
	if a.gifts.left <= 0 || !ok || from == gifts || from > maxBefore || seq[last].Script != nil || a.space.Length(seq[from:]) >= maxAttackCalls {
		return
	}
	lender, ok := lends(a.space, exec)
	by := loan{seq[last].Function, lender, from - gifts}
	if !ok || a.lent[by] || !seq[last].IsStaked() {
		return
	}
	a.lent[by] = true
	a.addBehind(slices.DeleteFunc(a.mutator.Scripts(a.rand, seq, last), func(seq input.Sequence) (small bool) {
		seq[last].Script.EachCall(func(c *input.Call) { small = small || !c.IsStaked() })
		return small
	}))
}

// lends reports which contract pays tokens to the attacker's contract in the last call of an execution, before that is called back; false: none does.
func lends(space *input.Space, exec *evm.Execution) (lender common.Address, ok bool) {
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for i := frames[0] + 1; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if f.CodeAddress == attacker.Address && ok {
			return lender, true
		}
		if f.Kind == evm.KindCall && f.Caller != attacker.Address && len(f.Input) >= 4+2*wordBytes && [4]byte(f.Input[:4]) == transfer &&
			common.Address(f.Input[16:36]) == attacker.Address && !isZero(f.Input[36:68]) && space.IsToken(f.Self) {
			lender, ok = f.Caller, true
		}
	}
	return common.Address{}, false
}

// maxOwing bounds the contracts, with the functions by which they are to pay, that others entrust tokens to. Arbitrary: a protocol has some dozens. What is
// made of them leaves what the others may be (left) as it is.
const maxOwing = 64

// maxRefused bounds the calls of a function that are refused, and before which who is named in them entrusts something. Arbitrary: two accounts and
// three numbers, in the first place for an account.
const maxRefused = 6

// isOwed reports whether a call is of a token that is to pay the attacker's contract, or to be taken from an ordinary account, and fails or pays nothing.
func (a *attacks) isOwed(f *evm.Frame) bool {
	if len(f.Input) < 4 {
		return false
	}
	amount := 1 // the word of the input that is the amount
	switch [4]byte(f.Input[:4]) {
	case transfer:
		if len(f.Input) < 4+2*32 || common.Address(f.Input[16:36]) != attacker.Address {
			return false
		}
	case transferFrom:
		if len(f.Input) < 4+3*32 || !a.space.IsOrdinary(common.Address(f.Input[16:36])) && common.Address(f.Input[48:68]) != attacker.Address {
			return false
		}
		amount = 2
	default:
		return false
	}
	return f.Outcome != evm.Success || [32]byte(f.Input[4+32*amount:][:32]) == [32]byte{}
}

// asksForOwn reports whether a contract asks a token how much of it it has, and has none: it may refuse for that to lend some.
func asksForOwn(f *evm.Frame) bool {
	return isBalanceOfCaller(f) && isZero(f.Output)
}

// paysTokens reports whether a frame calls a function by which tokens are paid.
func paysTokens(exec *evm.Execution, frame, end int) bool {
	return slices.ContainsFunc(exec.Frames[frame+1:end], func(f evm.Frame) bool {
		return f.Parent == frame && len(f.Input) >= 4 && slices.Contains(payments, [4]byte(f.Input[:4]))
	})
}

// Functions of tokens.
var (
	balanceOf    = attacker.Selector("balanceOf(address)")
	transfer     = attacker.Selector("transfer(address,uint256)")
	transferFrom = attacker.Selector("transferFrom(address,address,uint256)")
	payments     = [][4]byte{attacker.Selector("approve(address,uint256)"), transfer}
)

// watchBreak makes attacks of a sequence that breaks something: a number that has wrapped may be a claim to what others have. The
// attacker's contract makes all calls, and then one more.
func (a *attacks) watchBreak(seq input.Sequence, seen []observation) {
	for i := range seen {
		for _, way := range shortWays(seq[:seen[i].Call+1]) {
			own, ok := a.space.AsOwn(way)
			if !a.begun || a.left <= 0 || !ok {
				continue
			}
			next := []input.Sequence{own}
			for _, more := range a.space.FollowedBy(own, a.followers()) {
				next = append(append(next, more), a.space.Less(more)...)
			}
			a.add(next, &a.resumed)
		}
	}
}

// shortWays are ways to a sequence's last call that leave an attack room for one more: the sequence itself, or where it is too long
// what may be left of it, that call alone and behind each one before. Most of what is found is longer than it has to be.
func shortWays(seq input.Sequence) []input.Sequence {
	last := len(seq) - 1
	if len(seq) < maxAttackCalls {
		return []input.Sequence{seq}
	}
	ways := []input.Sequence{seq[last:]}
	for i := range seq[:last] {
		ways = append(ways, input.Sequence{seq[i], seq[last]})
	}
	return ways
}

// followers are functions that attacks go on with.
func (a *attacks) followers() []input.Callable {
	functions := a.space.Changing()
	if n := len(functions); n > maxAttackFunctions {
		first := a.rand.IntN(n)
		functions = slices.Concat(functions[first:], functions[:first])[:maxAttackFunctions]
	}
	return functions
}

// attackShare: one execution in so many is an attack of these. Attacks make seeds, which take energy from others: with one in
// eight, lines behind values that occur in one place of the configuration were missed in one campaign of four.
const attackShare = 10

// take takes the attacks whose turn has come. When all are done, they are drawn. In audits, calls that are handed on are drawn anew in every other turn
// then: the first ones are right in all their words or not.
func (a *attacks) take() []lead {
	var next []input.Sequence
	a.queue = append(a.queue, a.first()...)
	for a.made < a.runs/attackShare {
		line := a.nextLine()
		if len(*line) == 0 && a.begun && a.audit && (a.drawn.counts == nil || a.made%2 == 0) {
			a.drawHandedOn()
			line = &a.handed
		}
		if len(*line) == 0 {
			break
		}
		next, *line = append(next, (*line)[0]), (*line)[1:]
		a.made++
	}
	if len(next) == 0 && a.begun && len(*a.nextLine()) == 0 {
		next = a.draw()
	}
	return asLeads(next)
}

// Shares of attacks that are long. Arbitrary.
const (
	behindShare   = 8  // one turn in so many is for those behind gifts or payments, as long as there are others
	inflatedShare = 16 // and one in so many for those on who pays in second
)

// nextLine is the line whose turn it is. Half of the turns are the queue's, as long as there is any, and the other lines take turns at the others.
func (a *attacks) nextLine() *[]input.Sequence {
	if len(a.gifts.inflated) > 0 && a.made%inflatedShare == inflatedShare/2+1 {
		return &a.gifts.inflated
	}
	if len(a.behind) > 0 && a.made%behindShare == 1 {
		return &a.behind
	}
	lines := []*[]input.Sequence{&a.trusted, &a.others, &a.named, &a.handed, &a.resumed}
	for i := range lines {
		if line := lines[(a.made/2+i)%len(lines)]; len(*line) > 0 && (len(a.queue) == 0 || a.made%2 == 1) {
			return line
		}
	}
	for _, line := range []*[]input.Sequence{&a.queue, &a.behind, &a.gifts.inflated} {
		if len(*line) > 0 {
			return line
		}
	}
	return &a.repeated
}
