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

// ArbitraryCall sees calls whose callee and calldata the input chooses (CWE-829): in an attack (see [Takeover]), a
// contract calls the attacker's contract, with bytes that were an argument.
//
// Whoever chooses both speaks in the contract's name. So the same is done with a token in the callee's place: its transfer
// to the attacker of what the contract has, an allowance for it that is then used, or the transfer of what others
// allow the contract to take. What ends with more for the attacker is reported as high; otherwise the contract has nothing that
// can be lost here, and only an audit says a word (low).
//
// What a contract was sent unasked does not count: it has what it had from the start, and what came to it in a call that its own code
// took part in; a contract that lends a token around the call may have been sent it by anyone. Nor does an allowance that it has no use for, since its code does not name transferFrom. So a contract that makes calls for
// everybody, and takes nothing, is not to blame for those who give it something.
//
// Known false positives: contracts that hold tokens for whoever calls next, such as a router that pays out what is left in it.
var ArbitraryCall = &Oracle{
	ID:       "arbitrary-call",
	Title:    "Anyone can make a contract call anything",
	CWE:      "829",
	Severity: High,
	Doc: "A contract calls an address with calldata that are both arguments of an account that was given nothing but ether. Put in the place of that call, a token's transfer, approval or transferFrom " +
		"gives that account what the contract has, or what others allow it to take. Tokens that the contract was sent unasked do not count, unless it lends them around that call, nor do allowances that its code has no use for.",
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
		if by < 0 || by != f.Parent || !s.isProjects(&s.Exec.Frames[by]) || !s.Attempt(at, s.entrusts(from, f.Caller)) {
			continue
		}
		c := &s.Exec.Frames[by]
		seen := Observation{Call: f.Call, Location: at, Contract: contractOf(c), Severity: High}
		if token := s.takes(from, i); token != "" {
			seen.Message = fmt.Sprintf("%s makes calls that the input chooses: it gives its %s away", nameOf(c), token)
		} else if s.Audit {
			seen.Severity, seen.Message = Low, fmt.Sprintf("%s makes calls that the input chooses; it has nothing that can be lost that way", nameOf(c))
		} else {
			continue
		}
		report(seen)
	}
}

// entrusts tells attempts apart by whether others have written to elements of mappings that are a contract's, such as its balance, and to
// which: attempts on a contract that has nothing, or something else, must not use up those on one that has what it can give away.
func (s *Scene) entrusts(from int, victim common.Address) (how [4]byte) {
	var key uint256.Int
	key.SetBytes20(victim[:])
	for i := range s.Exec.Frames {
		f := &s.Exec.Frames[i]
		if f.Call >= from {
			break
		}
		for j := range f.Storage {
			if a := &f.Storage[j]; a.Write && !a.Value.IsZero() && slices.Contains(a.Keys.Words[:a.Keys.Count], key) {
				how[0], how[2], how[3] = 1, a.Address[common.AddressLength-1], byte(a.Base.Uint64())
				if s.takesPart(f.Call, victim) {
					how[1] = 1
				}
			}
		}
	}
	return how
}

// takesPart reports whether an account's code runs in a call, and what it does lasts.
func (s *Scene) takesPart(call int, account common.Address) bool {
	frames := s.Exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		if s.Exec.Frames[i].Self == account && lasts(s.Exec, i) {
			return true
		}
	}
	return false
}

// takes puts tokens in the place of a call, and returns the name of one of which the outsiders then have
// more; empty: there is none.
func (s *Scene) takes(from, frame int) string {
	f := &s.Exec.Frames[frame]
	victim, data := f.Caller, bytes.Clone(f.Input)
	calls := s.Calls()
	had := func(calls evm.Sequence, token common.Address) uint256.Int {
		x, _ := s.ask(calls, token, word(balanceOf, attacker.Address))
		return x
	}
	// Calls before the last one may have named the callee as well, such as one that lists it.
	places := []int{len(calls) - 1}
	if from < len(calls)-1 {
		places = append(places, from)
	}
	for _, token := range s.tokens() {
		robberies := s.robberies(from, frame, token, victim)
		if len(robberies) == 0 {
			continue
		}
		before := had(calls[:from:from], token)
		if as := had(calls, token); as.Gt(&before) {
			before = as // what the attack gives anyway
		}
		for _, first := range places {
			// The same calls with nothing said in the contract's name: what they give, such as what the token mints for anyone, is not the contract's.
			idle := had(s.Replaced(first, attacker.Address, token, data, word(balanceOf, attacker.Address)), token)
			if idle.Lt(&before) {
				idle = before
			}
			for _, try := range robberies {
				changed := s.Replaced(first, attacker.Address, token, data, try.said)
				if x, ok := s.ask(append(changed, try.then...), token, word(balanceOf, attacker.Address)); ok && x.Gt(&idle) {
					return s.instanceName(token)
				}
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
func (s *Scene) robberies(from, frame int, token, victim common.Address) (list []robbery) {
	calls := s.Calls()[:from:from]
	holds, ok := s.ask(calls, token, word(balanceOf, victim))
	if ok && !holds.IsZero() && (s.wasGiven(from, token, victim) || s.lends(frame, token)) {
		amount := holds.Bytes32()
		take := append(word(transferFrom, victim, attacker.Address), amount[:]...)
		list = append(list,
			robbery{said: append(word(transfer, attacker.Address), amount[:]...)},
			robbery{append(word(approve, attacker.Address), amount[:]...), evm.Sequence{{From: attacker.Address, Origin: s.outsider(), To: token, Data: take}}})
	}
	if !s.names(victim, transferFrom) {
		return list
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

// wasGiven reports whether an account had some of a token from the start, or got some before the attack, in a call that its own
// code took part in.
func (s *Scene) wasGiven(from int, token, account common.Address) bool {
	had := func(calls int) uint256.Int {
		x, _ := s.ask(s.Calls()[:calls:calls], token, word(balanceOf, account))
		return x
	}
	if start := had(0); !start.IsZero() {
		return true
	}
	for call := range from {
		if !s.takesPart(call, token) || !s.takesPart(call, account) {
			continue
		}
		if before, after := had(call), had(call+1); after.Gt(&before) {
			return true
		}
	}
	return false
}

// lends reports whether the contract that makes a call lends a token of its own around that: it looks at what it has of it, sends some, and looks again
// after the call. What such a contract has was meant for it, whoever sent it. A router sends none before, or is told which token to look at.
func (s *Scene) lends(frame int, token common.Address) bool {
	f := &s.Exec.Frames[frame]
	frames := s.Exec.Calls[f.Call].Frames
	if bytes.Contains(s.Exec.Frames[frames[0]].Input, token[:]) {
		return false
	}
	looks := word(balanceOf, f.Caller)
	before, sends, after := false, false, false
	for i := frames[0]; i < frames[1]; i++ {
		g := &s.Exec.Frames[i]
		if g.Self != token || g.Caller != f.Caller || !lasts(s.Exec, i) {
			continue
		}
		switch {
		case bytes.Equal(g.Input, looks):
			before, after = before || i < frame, after || i > frame
		case i < frame && bytes.HasPrefix(g.Input, transfer[:]):
			sends = true
		}
	}
	return before && sends && after
}

// names reports whether the code of an account, or other code that ran in its name, has a selector.
func (s *Scene) names(account common.Address, selector [4]byte) bool {
	if a := s.World.Accounts[account]; a != nil && bytes.Contains(a.Code, selector[:]) {
		return true
	}
	return slices.ContainsFunc(s.Exec.Frames, func(f evm.Frame) bool {
		return f.Self == account && f.Program != nil && f.Program.Names(selector)
	})
}
