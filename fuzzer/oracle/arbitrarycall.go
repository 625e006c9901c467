package oracle

import (
	"bytes"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// ArbitraryCall sees calls whose callee and calldata the input chooses (CWE-829): in an attack (see [Takeover]), a
// contract calls the attacker's contract, with bytes that were an argument.
//
// Whoever chooses both speaks in the contract's name. So the same is done with a token in the callee's place: its transfer
// to the attacker of what the contract has, an allowance for it that is then used, or the transfer of what others
// allow the contract to take. What ends with more for the attacker is reported as high; otherwise the contract has nothing that
// can be lost here, and only an audit says a word (low).
//
// Known false positives: contracts that hold tokens for whoever calls next, such as a router that pays out what is left in it.
var ArbitraryCall = &Oracle{
	ID:       "arbitrary-call",
	Title:    "Anyone can make a contract call anything",
	CWE:      "829",
	Severity: High,
	Doc: "A contract calls an address with calldata that are both arguments of an account that was given nothing but ether. Put in the place of that call, a token's transfer, approval or transferFrom " +
		"gives that account what the contract has, or what others allow it to take.",
	Remedy: "Let only trusted accounts choose what is called, or only from a list of callees; refuse tokens and contracts that allowances were given to as callees; keep allowances and holdings out of contracts that " +
		"call for others.",
	Examine: examineArbitraryCall,
	Places:  callPlaces,
}

// callPlaces lists where a program calls.
func callPlaces(p *bytecode.Program) (places []uint32) {
	p.Instructions(func(pc uint32) bool {
		if vm.OpCode(p.Bytes[pc]) == vm.CALL {
			places = append(places, pc)
		}
		return true
	})
	return places
}

func examineArbitraryCall(s *Scene, report func(Observation)) {
	last := len(s.Exec.Calls) - 1
	root := &s.Exec.Frames[s.Exec.Calls[last].Frames[0]]
	if !s.isOutsider(root.Caller) {
		return
	}
	from, ok := s.attack()
	if !ok {
		return
	}
	for i := s.Exec.Calls[last].Frames[0]; i < s.Exec.Calls[last].Frames[1]; i++ {
		f := &s.Exec.Frames[i]
		if f.Kind != evm.KindCall || f.CodeAddress != attacker.Address || len(f.Input) < 4 || !bytes.Contains(root.Input, f.Input) || !lasts(s.Exec, i) {
			continue
		}
		by, at := caller(s.Exec, i)
		if by < 0 || by != f.Parent || !s.isProjects(&s.Exec.Frames[by]) || !s.Attempt(at, [4]byte{}) {
			continue
		}
		c := &s.Exec.Frames[by]
		seen := Observation{Call: f.Call, Location: at, Contract: contractOf(c), Severity: High}
		if token := s.takes(from, f); token != "" {
			seen.Message = fmt.Sprintf("%s makes calls that the input chooses: it gives its %s away", nameOf(c), token)
		} else if s.Audit {
			seen.Severity, seen.Message = Low, fmt.Sprintf("%s makes calls that the input chooses; it has nothing that can be lost that way", nameOf(c))
		} else {
			continue
		}
		report(seen)
	}
}

// takes puts tokens in the place of a call, and returns the name of one of which the outsiders then have
// more; empty: there is none.
func (s *Scene) takes(from int, f *evm.Frame) string {
	victim, data := f.Caller, f.Input
	calls := s.Calls()
	had := func(token common.Address) uint256.Int {
		x, _ := s.ask(calls[:from:from], token, word(balanceOf, attacker.Address))
		return x
	}
	for _, token := range s.tokens() {
		before := had(token)
		for _, try := range s.robberies(calls[:from:from], token, victim) {
			changed := append(s.Replaced(attacker.Address, token, data, try.said), try.then...)
			if changed == nil {
				continue
			}
			if x, ok := s.ask(changed, token, word(balanceOf, attacker.Address)); ok && x.Gt(&before) {
				return s.instanceName(token)
			}
		}
	}
	return ""
}

// robbery is what a contract is made to say to a token, and what the attacker does then.
type robbery struct {
	said []byte
	then evm.Sequence
}

// robberies are ways to a token through a contract that says what it is told.
func (s *Scene) robberies(calls evm.Sequence, token, victim common.Address) (list []robbery) {
	holds, ok := s.ask(calls, token, word(balanceOf, victim))
	if ok && !holds.IsZero() {
		amount := holds.Bytes32()
		take := append(word(transferFrom, victim, attacker.Address), amount[:]...)
		list = append(list,
			robbery{said: append(word(transfer, attacker.Address), amount[:]...)},
			robbery{append(word(approve, attacker.Address), amount[:]...), evm.Sequence{{From: attacker.Address, Origin: s.outsider(), To: token, Data: take}}})
	}
	for i := range s.World.Senders {
		owner := s.World.Senders[i].Address
		if s.isOutsider(owner) {
			continue
		}
		allowed, ok := s.ask(calls, token, word(allowance, owner, victim))
		if !ok || allowed.IsZero() {
			continue
		}
		has, ok := s.ask(calls, token, word(balanceOf, owner))
		if !ok || has.IsZero() {
			continue
		}
		if has.Gt(&allowed) {
			has = allowed
		}
		amount := has.Bytes32()
		list = append(list, robbery{said: append(word(transferFrom, owner, attacker.Address), amount[:]...)})
	}
	return list
}
