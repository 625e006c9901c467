package compare

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// An attacker can buy tokens before an attack, or borrow them for it. The World gives the outsider none, so that what it gains is plain to see: where a call of
// its takes tokens that it does not have, another account gives it some first. What it has then is what it begins with.

// What an attack is given. Arbitrary: more than two tokens are rarely paid at once, and others need some of what there is.
const (
	maxGiven   = 2
	givenShare = 4 // one in so many of what an account owns
)

// isGift reports whether a call of another account sends the outsider, or his contract, some of a token.
func (w *losses) isGift(call *input.Call) bool {
	t := w.head[w.Head.Space.Instances[call.Instance].Address]
	return t != nil && t.kind == fungible && call.Function.Signature == input.GivesTokens && !w.Head.Space.IsOutsider(call.Sender) &&
		w.isOutsiders(common.Address(call.Args[0].Word.Bytes20()))
}

// lack is a token that the outsider did not have, or had not let an account take.
type lack struct {
	token   common.Address
	spender common.Address // zero: he was to pay himself
}

// given is an attack with what its calls failed for: another account gives the outsider tokens, and he lets them be taken; nil: that is not why, or he has been
// given them.
func (a *attacks) given(attack input.Sequence, r *ran) input.Sequence {
	from := slices.IndexFunc(attack, func(c input.Call) bool { return a.Head.Space.IsOutsider(c.Sender) })
	l, ok := a.lacks(attack, r.head, from)
	if !ok {
		return nil
	}
	i := slices.IndexFunc(a.owned, func(h holding) bool { return h.what.kind == fungible && h.what.token == l.token })
	if i < 0 {
		return nil
	}
	giver := slices.IndexFunc(a.Head.Space.Senders, func(s evm.Sender) bool { return s.Address == a.owned[i].account })
	amount := *new(uint256.Int).Div(&a.owned[i].amount, uint256.NewInt(givenShare))
	attacker := attack[from].Sender
	gift, can := a.Head.Space.TokenCall(giver, l.token, input.GivesTokens, a.Head.Space.Senders[attacker].Address, &amount)
	if giver < 0 || !can {
		return nil
	}
	before, own := slices.Clone(attack[:from]), attack[from:]
	if !has(before, &gift) {
		before = append(input.Sequence{gift}, before...)
	} else if l.spender == (common.Address{}) {
		return nil
	}
	if l.spender != (common.Address{}) {
		allow, can := a.Head.Space.TokenCall(attacker, l.token, input.LetsTake, l.spender, &amount)
		if !can || has(own, &allow) {
			return nil
		}
		before = append(before, allow)
	}
	return slices.Concat(before, own)
}

// has reports whether a sequence has a call.
func has(seq input.Sequence, call *input.Call) bool {
	return slices.ContainsFunc(seq, func(c input.Call) bool { return c.Equal(call) })
}

var transferFrom = [4]byte(crypto.Keccak256([]byte("transferFrom(address,address,uint256)")))

// lacks is the first token that was to be paid by the outsider, in one of the calls from one on, and was not.
func (a *attacks) lacks(attack input.Sequence, exec *evm.Execution, from int) (l lack, ok bool) {
	for call := from; call < min(len(attack), len(exec.Calls)); call++ {
		for i := exec.Calls[call].Frames[0]; i < exec.Calls[call].Frames[1]; i++ {
			f := &exec.Frames[i]
			if !slices.ContainsFunc(a.owned, func(h holding) bool { return h.what.kind == fungible && h.what.token == f.Self }) {
				continue
			}
			failed := f.Outcome != evm.Success || len(f.Output) == wordBytes && !slices.ContainsFunc(f.Output, func(b byte) bool { return b != 0 })
			switch {
			case !failed:
			case a.losses.isOutsiders(f.Caller):
				return lack{token: f.Self}, true
			case len(f.Input) >= 4+wordBytes && [4]byte(f.Input[:4]) == transferFrom && a.losses.isOutsiders(common.Address(f.Input[16:36])):
				return lack{f.Self, f.Caller}, true
			}
		}
	}
	return lack{}, false
}

// paying are the calls of a sequence by which accounts pay, or let others take what they own: only such calls may come before an attack.
func (a *attacks) paying(seq input.Sequence) input.Sequence {
	r := a.run(seq)
	if r == nil {
		return seq
	}
	n := -1
	return slices.DeleteFunc(seq, func(input.Call) bool {
		n++
		return n >= len(r.head.Calls) || r.head.Calls[n].Outcome != evm.Success || !a.losses.pays(r, n)
	})
}

// pays reports whether a call takes something from who makes it, or lets others take it.
func (w *losses) pays(r *ran, call int) bool {
	if isApproval(r.sequence[call].Function) {
		return true
	}
	b := w.book(w.head, onSide(w.Head, r.head, 0), nil, call, call)
	return !b.ledger.free(w.Head.Space.Senders[r.sequence[call].Sender].Address)
}

// gains are what the outsider has more of after his calls.
func (w *losses) gains(r *ran) (amounts []*uint256.Int) {
	from, to, ok := w.attack(r.sequence)
	if !ok || to >= len(r.head.Calls) {
		return nil
	}
	b := w.book(w.head, onSide(w.Head, r.head, 0), nil, from, to)
	for i := range b.ledger {
		if by, grew := b.ledger[i].grew(); grew && w.isOutsiders(b.ledger[i].account) && len(amounts) < maxExchanged {
			amounts = append(amounts, &by)
		}
	}
	return amounts
}

func (w *losses) isToken(account common.Address) bool { return w.head[account] != nil }

// givenNames are the tokens that others give the outsider some of, in a sequence.
func (w *losses) givenNames(seq input.Sequence) (names []string) {
	for i := range seq {
		if name := w.Head.Space.Instances[seq[i].Instance].Name; w.isGift(&seq[i]) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
