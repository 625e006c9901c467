package oracle

import (
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// given is the first call of an attack as [Scene.attack] has it, right before which other accounts give the attackers tokens, by a plain transfer, and what
// tokens these are: anyone could have bought them, or borrow them for one transaction. What is called are contracts that are looked at, and
// tokens that may be taken: a price that a stand-in is told would be worth as much as is given.
func (s *Scene) given() (from int, tokens []string, ok bool) {
	calls := s.Calls()
	last := len(s.Exec.Calls) - 1
	for from = last + 1; from > 0 && s.isOutsider(calls[from-1].From); from-- {
		if !s.isAttacked(&calls[from-1]) {
			return 0, nil, false
		}
	}
	tokens, before := s.giftsBefore(from)
	return from, tokens, from <= last && len(tokens) > 0 && !s.isHelped(before) && !s.isSigned(from) && !s.fitsHash(from)
}

// giftsBefore lists the tokens that others give the attackers right before a call, by name, and where that begins.
func (s *Scene) giftsBefore(call int) (tokens []string, before int) {
	for before = call; before > 0 && s.isGift(before-1); before-- {
		if name := s.instanceName(s.Calls()[before-1].To); !slices.Contains(tokens, name) {
			tokens = append(tokens, name)
		}
	}
	slices.Sort(tokens)
	return tokens, before
}

// isHelped reports whether one of so many calls is the attackers', or names them.
func (s *Scene) isHelped(calls int) bool {
	for i := range calls {
		if s.isOutsider(s.Calls()[i].From) || s.isNamed(i) {
			return true
		}
	}
	return false
}

// isGift reports whether a call is another account's, and gives the attackers some of a token.
func (s *Scene) isGift(call int) bool {
	c := &s.Calls()[call]
	return s.Exec.Calls[call].Outcome == evm.Success && slices.Contains(s.tokens(), c.To) && c.Value.IsZero() && c.TimeAdvance == 0 && c.BlockAdvance == 0 &&
		len(c.Data) == 4+2*wordBytes && [4]byte(c.Data[:4]) == transfer && s.isOutsider([20]byte(c.Data[16:36]))
}

// isAttacked reports whether a call is of a contract that is looked at, or lets tokens be taken.
func (s *Scene) isAttacked(c *evm.Call) bool {
	if s.asksToken(c, approve) {
		return true
	}
	of := s.contractAt(c.To)
	return of != nil && (s.standsAlone(of.QualifiedName()) || s.isAltered(of.QualifiedName()))
}

// asksToken reports whether a call is of a function of a token.
func (s *Scene) asksToken(c *evm.Call, function [4]byte) bool {
	return len(c.Data) >= 4 && [4]byte(c.Data[:4]) == function && slices.Contains(s.tokens(), c.To)
}

// wordAtBegin is what is in a word's place when the attack begins.
func (l *lossAlone) wordAtBegin(access *evm.StorageAccess) (word [wordBytes]byte) {
	var last *evm.StorageAccess
	for i := range l.Exec.Calls[l.from].Frames[0] {
		for j := range l.Exec.Frames[i].Storage {
			a := &l.Exec.Frames[i].Storage[j]
			if a.Write && a.Address == access.Address && a.Slot == access.Slot && (last == nil || a.Order > last.Order) && lasts(l.Exec, i) {
				last = a
			}
		}
	}
	if last != nil {
		return last.Value.Bytes32()
	}
	return l.wordAtFirst(access)
}

// who says, for people, who can make the attack.
func (l *lossAlone) who() string {
	if len(l.given) == 0 {
		return "anyone"
	}
	return "anyone who has some " + strings.Join(l.given, " and ")
}

// isTrade reports whether the attackers were given tokens, and those who lose an asset until a call have more of another one then: they have sold it, and whether
// the price was right is not told by who buys from one and sells to another. What is next to nothing of what they lose is what rounding leaves.
func (l *lossAlone) isTrade(asset, call int) bool {
	if len(l.given) == 0 {
		return false
	}
	of, ok := l.holdings(asset, call)
	if !ok {
		return true
	}
	lost := map[common.Address]uint256.Int{}
	for _, account := range l.others() {
		if was, is := of(account); is.Lt(&was) {
			lost[account] = *was.Sub(&was, &is)
		}
	}
	for other := range 1 + len(l.tokens) {
		of, ok := l.holdings(other, call)
		if other == asset || !ok {
			continue
		}
		for account, loses := range lost {
			was, is := of(account)
			if !is.Gt(&was) {
				continue
			}
			gains := *is.Sub(&is, &was)
			if gains.GtUint64(lossLeast) || !loses.Div(&loses, uint256.NewInt(tradeLeastOf)).Gt(&gains) {
				return true
			}
		}
	}
	return false
}

// tradeLeastOf: who gets some units of something for what is at most so many times as much has been paid. Arbitrary.
const tradeLeastOf = 1_000_000
