package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// This file has another account give the attacker's contract tokens before an attack, and that let them be taken.

// Functions of tokens by which they are given, and let be taken.
const (
	GivesTokens = "transfer(address,uint256)"
	LetsTake    = "approve(address,uint256)"
)

// Tokens are the World's first tokens. They must not be written to.
func (s *Space) Tokens() []common.Address { return s.tokens }

// Gift is a call by which a sender gives the attacker's contract so much of a token; false: that cannot be called so.
func (s *Space) Gift(token common.Address, sender int, amount *uint256.Int) (Call, bool) {
	if s.contract < 0 {
		return Call{}, false
	}
	return s.TokenCall(sender, token, GivesTokens, s.Senders[s.contract].Address, amount)
}

// TokenCall is a call by a sender of a token's function of an account and an amount; false: it has no such function.
func (s *Space) TokenCall(sender int, token common.Address, signature string, account common.Address, amount *uint256.Int) (call Call, ok bool) {
	i := slices.IndexFunc(s.changing, func(c Callable) bool {
		return s.Instances[c.Instance].Address == token && c.Function.Signature == signature
	})
	if i < 0 {
		return call, false
	}
	c := s.changing[i]
	call = Call{Sender: sender, Instance: c.Instance, Function: c.Function, Args: abi.Zeros(c.Function.Inputs)}
	call.Args[0].Word, call.Args[1].Word = addressWord(account), *amount
	return call, true
}

// IsGift reports whether a call is one that [Space.Gift] makes.
func (s *Space) IsGift(c *Call) bool {
	return s.contract >= 0 && c.Sender != s.contract && c.Function.Signature == GivesTokens && common.Address(c.Args[0].Word.Bytes20()) == s.Senders[s.contract].Address
}

// Attack is where in a sequence an attack begins, and how many gifts are right before it: from there on all calls are the attacker's contract's, and
// those before are gifts, and before these, of ordinary senders, who do not name it; false: that is not so.
func (s *Space) Attack(seq Sequence) (from, gifts int, ok bool) {
	for from = len(seq); from > 0 && seq[from-1].Sender == s.contract; from-- {
	}
	for gifts < from && s.IsGift(&seq[from-gifts-1]) {
		gifts++
	}
	before := seq[:from-gifts]
	ok = s.contract >= 0 && from < len(seq) && !s.HelpsContract(before) &&
		!slices.ContainsFunc(before, func(c Call) bool { return !slices.Contains(s.ordinary, c.Sender) })
	return from, gifts, ok
}

// Length is how many calls of an attack are more than that tokens may be taken.
func (s *Space) Length(attack Sequence) (n int) {
	for i := range attack {
		if attack[i].Function.Signature != LetsTake {
			n++
		}
	}
	return n
}

// givenTimes: where a gift is less than the stake, the stake is one of so many parts of it. Arbitrary.
const givenTimes = 16

// Given is an attack that begins at a call, before which a gift is made, and before whose last call an account is allowed to take it, unless that is zero;
// false: it is so already, or too long.
func (s *Space) Given(seq Sequence, from int, gift *Call, spender common.Address) (Sequence, bool) {
	last := len(seq) - 1
	out := slices.Clone(seq[:from])
	has := func(calls Sequence, call *Call) bool {
		return slices.ContainsFunc(calls, func(c Call) bool { return c.Equal(call) })
	}
	more := !has(out, gift)
	if more {
		out = append(out, *gift)
	}
	out = append(out, seq[from:last]...)
	if spender != (common.Address{}) {
		allows, ok := s.Lets(s.contract, gift, spender)
		if ok && !has(seq[from:], &allows) {
			out, more = append(out, allows), true
		}
	}
	out = append(out, seq[last])
	if amount := gift.Args[1].Word; more && amount.Lt(&Stake) {
		out = s.staking(out, from, amount.Div(&amount, uint256.NewInt(givenTimes)))
	}
	return out, more && len(out) <= MaxCalls
}

// giveTo is a gift to a sender.
func (s *Space) giveTo(who int, gift *Call) (Call, bool) {
	return s.TokenCall(gift.Sender, s.Instances[gift.Instance].Address, GivesTokens, s.Senders[who].Address, &gift.Args[1].Word)
}

// Lets is a call by which a sender lets an account take what a gift gives; false: that cannot be called so.
func (s *Space) Lets(who int, gift *Call, spender common.Address) (Call, bool) {
	return s.TokenCall(who, s.Instances[gift.Instance].Address, LetsTake, spender, &gift.Args[1].Word)
}

// staking is a sequence in which the calls of the attacker's contract have a number in the place of the stake.
func (s *Space) staking(seq Sequence, from int, number *uint256.Int) Sequence {
	out := seq.Clone()
	for i := from; i < len(out); i++ {
		if out[i].Sender != s.contract {
			continue
		}
		out[i].Args = slices.Clone(out[i].Args)
		for j := range out[i].Args {
			if out[i].Function.Inputs[j].Kind == Uint && out[i].Args[j].Word == Stake {
				out[i].Args[j].Word = *number
			}
		}
	}
	return out
}

// leastStake is what is not next to nothing. Arbitrary: a token of six decimals.
const leastStake = 1_000_000

// IsStaked reports whether a call pays, or has a number, that is not next to nothing, or it has none.
func (c *Call) IsStaked() bool {
	numbers := c.Function.Payable
	for i := range c.Args {
		if c.Function.Inputs[i].Kind == Uint {
			if numbers = true; !c.Args[i].Word.LtUint64(leastStake) {
				return true
			}
		}
	}
	return !numbers || !c.Value.LtUint64(leastStake)
}

// Inflated is an attack on who pays into a contract second: with what it was given, the attacker's contract pays next to nothing, and gives the rest to the account that takes payments. Then
// the giver pays as much, and the attacker's contract takes out what is next to nothing; false: that cannot be called so.
func (s *Space) Inflated(gift *Call, payment, out Callable, takes common.Address) (Sequence, bool) {
	token, giver := s.Instances[gift.Instance].Address, gift.Sender
	one, amount := uint256.NewInt(1), gift.Args[1].Word
	rest := new(uint256.Int).Sub(&amount, one)
	pays := func(sender int, amount *uint256.Int) Call {
		call := s.own(payment, amount, sender)
		call.Sender, call.Value = sender, uint256.Int{}
		return call
	}
	seq, ok := Sequence{*gift}, true
	ofToken := func(sender int, signature string, account common.Address, amount *uint256.Int) {
		call, can := s.TokenCall(sender, token, signature, account, amount)
		seq, ok = append(seq, call), ok && can
	}
	ofToken(s.contract, LetsTake, takes, &amount)
	seq = append(seq, pays(s.contract, one))
	ofToken(s.contract, GivesTokens, takes, rest)
	ofToken(giver, LetsTake, takes, rest)
	seq = append(seq, pays(giver, rest), s.own(out, one, s.contract))
	return seq, ok && s.mayAttack(payment) && s.mayAttack(out)
}
