package fuzzer

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// gifts have another account give the attacker's contract tokens, right before an attack that fails for want of them: it could have bought them, or have
// borrowed them for that. What it has then is what it begins with.
type gifts struct {
	each []input.Call // one for each token
	left int          // attacks that may still be made behind gifts or payments of others
	poor map[want]int // how often an attack was given what it lacked

	inflating map[want]bool    // by what others may pay in second
	inflated  []input.Sequence // attacks on them
}

// want is what a function lacked.
type want struct {
	function *input.Function // or the last one that the attacker's contract called when it was called back
	token    common.Address
	has      int // gifts that there were already
	lent     int // calls by which others had entrusted something before, where it was called back with that
}

// Bounds of gifts. Arbitrary.
const (
	maxBehind = 2048
	maxPoor   = 6 // attacks that call the same function last, with other arguments
	maxGifts  = 2 // more tokens are rarely paid at once
	maxBefore = 4 // calls of others: who pays with tokens lets them be taken first, and two may be given
	giftShare = 4 // one in so many of what an account has: others need some of it
)

// newGifts finds who has tokens: ordinary senders first.
func newGifts(space *input.Space, machine evm.Machine) gifts {
	g := gifts{left: maxBehind, poor: map[want]int{}, inflating: map[want]bool{}}
	var givers []int
	for _, ordinary := range []bool{true, false} {
		for i := range space.Senders {
			if !space.IsOutsider(i) && space.IsOrdinary(space.Senders[i].Address) == ordinary {
				givers = append(givers, i)
			}
		}
	}
	for _, token := range space.Tokens() {
		for _, giver := range givers {
			account := space.Senders[giver].Address
			exec, err := machine.Run(evm.Sequence{{From: account, To: token, Data: append(balanceOf[:], common.LeftPadBytes(account[:], wordBytes)...)}})
			if err != nil || exec.Calls[0].Outcome != evm.Success || len(exec.Calls[0].Output) != wordBytes {
				break
			}
			amount := new(uint256.Int).SetBytes(exec.Calls[0].Output)
			amount.Div(amount, uint256.NewInt(giftShare))
			if call, ok := space.Gift(token, giver, amount); ok && !amount.IsZero() {
				g.each = append(g.each, call)
				break
			}
		}
	}
	return g
}

// giftOf is the gift of a token; −1: there is none.
func (a *attacks) giftOf(token common.Address) int {
	return slices.IndexFunc(a.gifts.each, func(c input.Call) bool { return a.space.Instances[c.Instance].Address == token })
}

// giftsFor are gifts of the first tokens that are taken from accounts in an execution.
func (a *attacks) giftsFor(exec *evm.Execution) (list []input.Call) {
	for i := range exec.Frames {
		f := &exec.Frames[i]
		if f.Outcome != evm.Success || len(f.Input) < 4 || [4]byte(f.Input[:4]) != transferFrom {
			continue
		}
		at := a.giftOf(f.Self)
		if at >= 0 && len(list) < maxGifts && !slices.ContainsFunc(list, func(c input.Call) bool { return c.Equal(&a.gifts.each[at]) }) {
			list = append(list, a.gifts.each[at])
		}
	}
	return list
}

const wordBytes = 32

// watchPoor gives the attacker's contract what its last call failed for.
func (a *attacks) watchPoor(seq input.Sequence, exec *evm.Execution) {
	if len(a.gifts.each) == 0 {
		return
	}
	from, has, ok := a.space.Attack(seq)
	if !ok || has >= maxGifts || a.space.Length(seq[from:]) > maxAttackCalls {
		return
	}
	last := len(seq) - 1
	token, spender, ok := lacks(exec, last, attacker.Address)
	if !ok {
		return
	}
	i := a.giftOf(token)
	if i < 0 {
		return
	}
	a.inflate(lastOf(seq), &a.gifts.each[i], spender)
	lacking := want{function: seq[last].Function, token: token, has: has}
	if seq[last].Script != nil {
		lacking.lent = from - has
		seq[last].Script.EachCall(func(c *input.Call) { lacking.function = c.Function })
	}
	if a.gifts.poor[lacking] >= maxPoor {
		return
	}
	a.gifts.poor[lacking]++
	if next, ok := a.space.Given(seq, from, &a.gifts.each[i], spender); ok {
		a.addBehind([]input.Sequence{next})
	}
}

// maxInflated bounds the attacks on who pays in second by a function. Arbitrary: few functions take something out.
const maxInflated = 16

// inflate lines up attacks on who pays into a contract second, by a function that lets an account take tokens: with each function of the contract that may take out what
// the attackers have a part in then.
func (a *attacks) inflate(payment input.Callable, gift *input.Call, takes common.Address) {
	paid := want{function: payment.Function, token: a.space.Instances[gift.Instance].Address}
	if takes == (common.Address{}) || a.gifts.inflating[paid] {
		return
	}
	a.gifts.inflating[paid] = true
	n := 0
	for _, out := range a.space.Changing() {
		if out.Instance != payment.Instance || out.Function == payment.Function || n == maxInflated {
			continue
		}
		if seq, ok := a.space.Inflated(gift, payment, out, takes); ok {
			a.gifts.inflated = append(a.gifts.inflated, seq)
			n++
		}
	}
}

// addBehind lines up attacks that are made behind gifts or payments of others, as far as there is room.
func (a *attacks) addBehind(next []input.Sequence) {
	next = next[:min(len(next), a.gifts.left)]
	a.gifts.left -= len(next)
	a.behind = append(a.behind, next...)
}

// lacks is the first token that an account, such as the attacker's contract, was to pay in a call, and did not have, or had not let an account take: the spender, which is zero
// where it was to pay itself. Last comes one that it was asked whether it has any, in a call that fails.
func lacks(exec *evm.Execution, call int, account common.Address) (token, spender common.Address, ok bool) {
	frames := exec.Calls[call].Frames
	if frames[0] == frames[1] {
		return common.Address{}, common.Address{}, false
	}
	if root := &exec.Frames[frames[0]]; givesItself(root, account) && root.Outcome != evm.Success {
		return root.Self, common.Address{}, true
	}
	for i := frames[0] + 1; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if len(f.Input) < 4+2*wordBytes || f.Outcome == evm.Success && !isZero(f.Output) {
			continue
		}
		switch selector := [4]byte(f.Input[:4]); {
		case selector == transfer && f.Caller == account:
			return f.Self, common.Address{}, true
		case selector == transferFrom && common.Address(f.Input[16:36]) == account && f.Caller != account:
			return f.Self, f.Caller, true
		}
	}
	for i := frames[0] + 1; i < frames[1] && exec.Calls[call].Outcome == evm.Reverted; i++ {
		f := &exec.Frames[i]
		if len(f.Input) == 4+wordBytes && [4]byte(f.Input[:4]) == balanceOf && common.Address(f.Input[16:36]) == account && isZero(f.Output) {
			return f.Self, common.Address{}, true
		}
	}
	return common.Address{}, common.Address{}, false
}

// givesItself reports whether a call is an account's, and a transfer of tokens to itself.
func givesItself(f *evm.Frame, account common.Address) bool {
	return f.Caller == account && len(f.Input) == 4+2*wordBytes && [4]byte(f.Input[:4]) == transfer && common.Address(f.Input[16:36]) == account
}

// isZero reports whether a word is zero: a token's answer that it does not do it.
func isZero(output []byte) bool {
	return len(output) == wordBytes && !slices.ContainsFunc(output, func(b byte) bool { return b != 0 })
}
