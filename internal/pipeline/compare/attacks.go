package compare

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/abi"
)

// attacks makes attacks of calls that do something else on the head: a campaign looks for differences, and not for
// who gains by them.
type attacks struct {
	*Sides
	seeds  map[sightingKey]int // in list
	list   []input.Sequence    // whose last call does something else, the shortest of each kind
	exits  []input.Call        // that pay whoever makes them, one of each function
	owned  []holding           // in the World
	left   effort              // for a seed
	losses *losses
	run    func(input.Sequence) *ran
}

// holding is what an account owns.
type holding struct {
	account common.Address
	what    asset
	amount  uint256.Int
}

// What is tried at most, see [attacks.try]. Arbitrary: some tenths of a second.
const (
	maxAttackSeeds = 32
	maxExits       = 4
	attackRuns     = 8000
	maxHoldings    = 6
)

func newAttacks(w *losses) *attacks {
	return &attacks{Sides: w.Sides, losses: w, seeds: map[sightingKey]int{}}
}

// note keeps what does something else.
func (a *attacks) note(r *ran) {
	d := r.first
	if d == nil {
		return
	}
	key := sightingOf(r.sequence, d)
	at, known := a.seeds[key]
	switch {
	case known && len(a.list[at]) > d.Call+1:
		a.list[at] = r.sequence[:d.Call+1].Clone()
	case !known && len(a.list) < maxAttackSeeds:
		a.seeds[key] = len(a.list)
		a.list = append(a.list, r.sequence[:d.Call+1].Clone())
	}
}

// noteExit keeps a call that pays its sender.
func (a *attacks) noteExit(call *input.Call) {
	for i := range a.exits {
		if a.exits[i].Function == call.Function && a.exits[i].Instance == call.Instance {
			return
		}
	}
	if len(a.exits) < maxExits {
		a.exits = append(a.exits, copyOf(call))
	}
}

// try runs attacks: the outsider makes the calls in the place of who made them, after others have, with
// accounts exchanged, several times, and takes out what it then has. Where it needs tokens for that, it is given some first.
func (a *attacks) try(machines *pair, outsider common.Address) {
	a.run = func(seq input.Sequence) *ran {
		r := machines.try(seq, &a.left)
		if r != nil && !r.head.Truncated && !r.base.Truncated {
			a.losses.look(r)
			return r
		}
		return nil
	}
	for _, seed := range a.list {
		a.left = effort{attackRuns / len(a.list), triedWork / uint64(len(a.list))}
		for _, scale := range scales {
			a.trySeed(scaled(seed, scale), outsider)
		}
	}
}

// trySeed makes the outsider make the calls of a sequence.
func (a *attacks) trySeed(seed input.Sequence, outsider common.Address) {
	at, victim := a.Head.Space.Outsider(), a.victimOf(seed)
	body, last := seed[:len(seed)-1], seed[len(seed)-1]
	prefixes := []input.Sequence{nil}
	if len(body) > 0 {
		own, theirs := timeless(a.Head.Space.By(body, at)), a.paying(a.byVictim(body, victim, outsider))
		prefixes = append(prefixes, own, theirs, slices.Concat(theirs, own))
		for i := range own { // what is for others to do, such as to lend
			if len(own) > 1 {
				prefixes = append(prefixes, slices.Concat(theirs, own[:i], own[i+1:]))
			}
		}
	}
	for _, call := range slices.Concat(a.toTake(&last, outsider), a.variants(&last, outsider, victim), withAmounts(&last, body), withHalf(&last)) {
		call.Sender, call.TimeAdvance, call.BlockAdvance = at, 0, 0
		for _, prefix := range prefixes {
			attack, r := a.begin(append(copied(prefix), call))
			if r == nil {
				continue
			}
			a.leave(attack, r, outsider)
			for range 3 { // arbitrary: the share, and what others paid, are used up
				attack = append(copied(attack), call)
				r = a.run(attack)
			}
			if r != nil {
				a.leave(attack, r, outsider)
			}
		}
	}
}

// begin runs an attack, with tokens if it needs some; nil: its last call fails.
func (a *attacks) begin(attack input.Sequence) (input.Sequence, *ran) {
	r := a.run(attack)
	for range maxGiven {
		if r == nil {
			break
		}
		with := a.given(attack, r)
		if with == nil {
			break
		}
		attack, r = with, a.run(with)
	}
	if r == nil || len(r.head.Calls) != len(attack) || r.head.Calls[len(attack)-1].Outcome != evm.Success {
		return nil, nil
	}
	return attack, r
}

// withAmounts are a call with the amounts of the calls before it: what was paid in is what is worth taking again.
func withAmounts(call *input.Call, before input.Sequence) []input.Call {
	var amounts []*uint256.Int
	for i := range before {
		for _, amount := range amountsOf(&before[i]) {
			if !amount.IsZero() && len(amounts) < maxExchanged && !slices.ContainsFunc(amounts, amount.Eq) {
				amounts = append(amounts, amount)
			}
		}
	}
	var all []input.Call
	for i := range call.Function.Inputs {
		if call.Function.Inputs[i].Kind != abi.Uint {
			continue
		}
		for _, amount := range amounts {
			if amount.BitLen() > call.Function.Inputs[i].Bits || call.Args[i].Word.Eq(amount) {
				continue
			}
			one := copyOf(call)
			one.Args[i].Word.Set(amount)
			all = append(all, one)
		}
	}
	return all
}

// withHalf is a call with half of its amounts, if it has some: what takes all leaves nothing for the next one.
func withHalf(call *input.Call) []input.Call {
	one := copyOf(call)
	for i := range call.Function.Inputs {
		if word := &one.Args[i].Word; call.Function.Inputs[i].Kind == abi.Uint && word.GtUint64(1) {
			word.Rsh(word, 1)
		}
	}
	if one.Equal(call) {
		return nil
	}
	return []input.Call{one}
}

// scales are what amounts are multiplied by, as powers of two: what a campaign finds first is small. Arbitrary: those of
// tokens have 6 or 18 digits more.
var scales = []uint{0, 20, 64}

// scaled is a sequence with larger amounts, as far as they fit.
func scaled(seq input.Sequence, by uint) input.Sequence {
	out := copied(seq)
	for i := range out {
		larger := func(w *uint256.Int) {
			if w.BitLen()+int(by) < largest {
				w.Lsh(w, by)
			}
		}
		larger(&out[i].Value)
		for j := range out[i].Function.Inputs {
			if kind := &out[i].Function.Inputs[j]; kind.Kind == abi.Uint && kind.Bits > largest {
				larger(&out[i].Args[j].Word)
			}
		}
	}
	return out
}

// largest are the bits of amounts, at most: accounts own 2⁹⁶ wei.
const largest = 95

// copied is a copy of a sequence whose arguments can be changed.
func copied(seq input.Sequence) input.Sequence {
	out := seq.Clone()
	for i := range out {
		out[i].Args = slices.Clone(out[i].Args)
	}
	return out
}

// copyOf is a copy of a call whose arguments can be changed.
func copyOf(call *input.Call) input.Call {
	out := *call
	out.Args = slices.Clone(call.Args)
	return out
}

// leave takes out what the outsider has after an attack, or changes it back.
func (a *attacks) leave(attack input.Sequence, r *ran, outsider common.Address) {
	last := &attack[len(attack)-1]
	exits := a.functionsOf(last.Instance)
	for i := range a.exits {
		exits = append(exits, a.exits[i])
		if other := a.otherWay(&a.exits[i]); !other.Equal(&a.exits[i]) {
			exits = append(exits, other)
		}
	}
	amounts := make([][]*uint256.Int, len(exits))
	gained := a.losses.gains(r)
	for i := range exits { // before anything else runs
		amounts[i] = append(amountsOf(last), gained...)
		if owned := a.losses.holdings(r, a.Head.Space.Instances[exits[i].Instance].Address); owned != nil {
			amounts[i] = []*uint256.Int{owned}
		}
	}
	for i := range exits {
		for _, amount := range amounts[i] {
			exit := copied(input.Sequence{exits[i]})
			exit[0].Sender, exit[0].TimeAdvance, exit[0].BlockAdvance = a.Head.Space.Outsider(), 0, 0
			for j := range exit[0].Function.Inputs {
				switch word := &exit[0].Args[j].Word; exit[0].Function.Inputs[j].Kind {
				case abi.Address:
					if !a.losses.isToken(word.Bytes20()) {
						word.SetBytes20(outsider[:])
					}
				case abi.Uint:
					word.Set(amount)
				}
			}
			a.begin(slices.Concat(attack, exit))
		}
	}
}

// otherWay is a call that exchanges something, the other way around: its flag is another one, or its two tokens change places.
func (a *attacks) otherWay(call *input.Call) input.Call {
	out := copyOf(call)
	first := -1
	for i := range call.Args {
		switch kind := call.Function.Inputs[i].Kind; {
		case kind == abi.Bool:
			out.Args[i].Word.SetUint64(1 - min(1, call.Args[i].Word.Uint64()))
			return out
		case kind == abi.Address && a.losses.isToken(call.Args[i].Word.Bytes20()) && first >= 0:
			out.Args[first].Word, out.Args[i].Word = call.Args[i].Word, call.Args[first].Word
			return out
		case kind == abi.Address && a.losses.isToken(call.Args[i].Word.Bytes20()):
			first = i
		}
	}
	return out
}

// functionsOf are calls of an instance's functions that take nothing but accounts and amounts.
func (a *attacks) functionsOf(instance int) []input.Call {
	const most = 6 // arbitrary
	var calls []input.Call
	for _, f := range a.Head.Space.Instances[instance].Functions {
		if f.Kind == input.Method && !f.View && !f.Test && len(calls) < most && !slices.ContainsFunc(f.Inputs, func(t input.Type) bool { return t.Kind != abi.Address && t.Kind != abi.Uint }) {
			calls = append(calls, input.Call{Instance: instance, Function: f, Args: make([]abi.Value, len(f.Inputs))})
		}
	}
	return calls
}

// amountsOf are the amounts that a call is about, one at least.
func amountsOf(call *input.Call) []*uint256.Int {
	all := []*uint256.Int{&call.Value}
	for i := range call.Function.Inputs {
		if call.Function.Inputs[i].Kind == abi.Uint && len(all) <= maxExchanged {
			all = append(all, &call.Args[i].Word)
		}
	}
	return all
}

// findHoldings finds what senders and contracts own, so that there are amounts, accounts and ids to take.
func (a *attacks) findHoldings(machine evm.Machine, tokens assets) {
	var accounts []common.Address
	for _, s := range a.Head.Space.Senders {
		if !s.Outsider && !s.IsContract() && !s.TestsOnly {
			accounts = append(accounts, s.Address)
		}
	}
	for _, in := range a.Head.World.Instances {
		accounts = append(accounts, in.Address)
	}
	for _, in := range a.Head.World.Instances {
		t := tokens[in.Address]
		if t == nil {
			continue
		}
		for n := range uint64(ids) {
			if t.kind == fungible && n > 0 {
				break
			}
			a.findHolders(machine, asset{t.kind, in.Address, *uint256.NewInt(n)}, accounts)
		}
	}
}

// ids are how many ids of tokens are asked for. Arbitrary: they begin with 0 or 1.
const ids = 4

// findHolders finds the first accounts that own something.
func (a *attacks) findHolders(machine evm.Machine, what asset, accounts []common.Address) {
	for _, account := range accounts {
		if len(a.owned) == maxHoldings {
			return
		}
		to, data := what.question(account)
		exec, err := machine.Run(evm.Sequence{{To: to, Data: data}})
		if err != nil || exec.Calls[0].Outcome != evm.Success || len(exec.Calls[0].Output) != wordBytes {
			continue
		}
		amount := *new(uint256.Int).SetBytes(exec.Calls[0].Output)
		if what.kind == unique {
			account, amount = amount.Bytes20(), *uint256.NewInt(1)
		}
		if !amount.IsZero() {
			a.owned = append(a.owned, holding{account, what, amount})
			return
		}
	}
}

// toTake are a call with arguments that name what accounts own: the first account is who owns it, others the outsider.
func (a *attacks) toTake(call *input.Call, outsider common.Address) []input.Call {
	var all []input.Call
	for i := range a.owned {
		h, one := &a.owned[i], copyOf(call)
		named, numbered := false, h.what.kind == fungible
		for j := range call.Function.Inputs {
			word := &one.Args[j].Word
			switch kind := &call.Function.Inputs[j]; {
			case kind.Kind == abi.Address && !named:
				word.SetBytes20(h.account[:])
				named = true
			case kind.Kind == abi.Address:
				word.SetBytes20(outsider[:])
			case kind.Kind == abi.Uint && !numbered:
				word.Set(&h.what.id)
				numbered = true
			case kind.Kind == abi.Uint && h.amount.BitLen() <= kind.Bits:
				word.Set(&h.amount)
			}
		}
		if named || len(call.Args) > 0 {
			all = append(all, one)
		}
	}
	return all
}

// victimOf is a sender of a sequence that is not the outsider, else the first of all that is not.
func (a *attacks) victimOf(seq input.Sequence) int {
	for i := range seq {
		if !a.Head.Space.IsOutsider(seq[i].Sender) {
			return seq[i].Sender
		}
	}
	return 0
}

// isContract reports whether an account is the outsider's contract.
func (a *attacks) isContract(account common.Address) bool {
	at := a.Head.Space.Contract()
	return at >= 0 && a.Head.Space.Senders[at].Address == account
}

// byVictim is a sequence with another sender in the outsider's place.
func (a *attacks) byVictim(seq input.Sequence, victim int, outsider common.Address) input.Sequence {
	out := copied(seq)
	for i := range out {
		if a.Head.Space.IsOutsider(out[i].Sender) {
			out[i].Sender, out[i].Script = victim, nil
		}
		out[i].Args = abi.MapAddresses(out[i].Args, out[i].Function.Inputs, func(account common.Address) common.Address {
			if account == outsider || a.isContract(account) {
				return a.Head.Space.Senders[victim].Address
			}
			return account
		})
	}
	return out
}

// timeless is a sequence, changed to let no time pass.
func timeless(seq input.Sequence) input.Sequence {
	for i := range seq {
		seq[i].TimeAdvance, seq[i].BlockAdvance = 0, 0
	}
	return seq
}

// maxExchanged bounds the arguments of a call for which other accounts are tried.
const maxExchanged = 2

// variants are a call with the outsider and a victim in the place of accounts among its arguments.
func (a *attacks) variants(call *input.Call, outsider common.Address, victim int) []input.Call {
	all := []input.Call{copyOf(call)}
	accounts := []common.Address{outsider, a.Head.Space.Senders[victim].Address, a.Head.Space.Senders[call.Sender].Address}
	exchanged := 0
	for i := range call.Function.Inputs {
		if call.Function.Inputs[i].Kind != abi.Address || exchanged == maxExchanged {
			continue
		}
		exchanged++
		for _, one := range all[:len(all):len(all)] {
			for n, account := range accounts {
				if one.Args[i].Word == *new(uint256.Int).SetBytes20(account[:]) || n == len(accounts)-1 && account == accounts[n-1] {
					continue
				}
				other := copyOf(&one)
				other.Args[i].Word.SetBytes20(account[:])
				all = append(all, other)
			}
		}
	}
	return all
}
