package oracle

import (
	"bytes"
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Denial sees that an outsider stands in the way of others (SWC-113; harvey §6), in contracts that a change adds, and in audits: behind calls of the
// attacker's contract, the call of another account fails since that contract refuses what it is called for. The call does not name it, and
//
//   - succeeds where the attacker's contract accepts: whoever has placed it there decides; and
//   - succeeds, and does something, where the attacker's contract has made none of its calls: it is not about what those have brought, such as
//     an order that the attacker has placed.
//
// Nor does it take calls where a gift is enough, see examineGift, or attacks that run an initializer.
//
// [DosFailedCall] is the pattern, whoever loses by it, and [StrictEquality] that of gifts.
//
// Known false positives: contracts that are meant to stop as long as one account refuses, such as a veto that anyone has.
var Denial = &Oracle{
	ID:       "denial",
	Title:    "Anyone can make the calls of others fail",
	SWC:      "113",
	CWE:      "703",
	Severity: Medium,
	Doc: "Behind calls of an attacker's contract, the call of another account, which does not name it, fails, since that contract refuses a payment or a call. " +
		"The same call succeeds where it accepts, and where it has made none of its calls. " +
		"Or it succeeds, and fails once an account has been sent a wei, by SELFDESTRUCT, or a unit of a token, since a balance is compared with an amount for equality, and no other number of the call and no other function of the contract helps. " +
		"In an audit, and of contracts that a change adds.",
	Remedy: "Let those who are owed something take it themselves (pull payments), and go on where a payment or a call of an account that anyone can choose fails. Ask whether a balance is at least an amount, or keep count of what was paid in.",
	Examine: func(s *Scene, report func(Observation)) {
		examineDenial(s, report)
		examineGift(s, report)
	},
	ByAnyone: true,
}

func examineDenial(s *Scene, report func(Observation)) {
	last := len(s.Exec.Calls) - 1
	if s.Exec.Calls[last].Outcome == evm.Success {
		return
	}
	if by, _ := s.refused(s.Exec); by < 0 || !s.standsAlone(contractOf(&s.Exec.Frames[by])) {
		return
	}
	kept, ok := s.ofOthers(last)
	if !ok || s.initialized(last) {
		return
	}
	by, at, accepted, ok := s.refusedOthers()
	if !ok {
		return
	}
	var without evm.Sequence
	for _, call := range append(kept, last) {
		without = append(without, accepted[call])
	}
	if exec, err := s.Run(without); err != nil || !hasEffect(exec, len(without)-1) {
		return
	}
	f := &s.Exec.Frames[by]
	report(Observation{Call: last, Location: at, Contract: contractOf(f),
		Message: fmt.Sprintf("anyone can make %s of %s fail for others, by refusing what it pays or calls", functionOf(f), nameOf(f))})
}

// initialized reports whether an outsider has run an initializer before a call: whoever does owns the contract, and what it pays is theirs.
func (s *Scene) initialized(before int) bool {
	for i := range s.Exec.Frames {
		f := &s.Exec.Frames[i]
		if f.Call >= before {
			break
		}
		if !s.isOutsider(f.Caller) || !lasts(s.Exec, i) {
			continue
		}
		if _, ok := initializer(f); ok {
			return true
		}
	}
	return false
}

// ofOthers lists the calls before one that are not the outsiders'; false where there are none of theirs among them, or one of the others names them.
func (s *Scene) ofOthers(before int) (kept []int, ok bool) {
	for i := range before {
		root := &s.Exec.Frames[s.Exec.Calls[i].Frames[0]]
		if s.isOutsider(root.Caller) {
			ok = true
			continue
		}
		if bytes.Contains(root.Input, attacker.Address[:]) || s.namesOutsider(root.Input) {
			return nil, false
		}
		kept = append(kept, i)
	}
	return kept, ok
}
