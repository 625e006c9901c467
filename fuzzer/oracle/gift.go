package oracle

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// examineGift is the part of [Denial] that needs no call of the attacker's contract (SWC-132): the last call succeeds where a balance is
// exactly what the code wants it to be, and fails once the balance is more by one, which everyone can make it: ether of a contract that
// destroys itself goes to whom that likes, and tokens are sent to whom their holder likes. What gets by with other numbers is left out, and
// so is what a function of the contract mends.
func examineGift(s *Scene, report func(Observation)) {
	last := len(s.Exec.Calls) - 1
	if !s.New || !hasEffect(s.Exec, last) || len(s.Calls()) > maxGiftCalls {
		return
	}
	frames := s.Exec.Calls[last].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &s.Exec.Frames[i]
		if !s.isProjects(f) || !s.standsAlone(contractOf(f)) || !lasts(s.Exec, i) {
			continue
		}
		exact := exactly(f)
		if len(exact) == 0 {
			continue
		}
		for _, g := range s.gifts(i, bytecode.Location{Code: f.Program.ID, PC: exact[0]}) {
			if at, ok := s.stops(i, g); ok {
				report(Observation{Call: last, Location: at, Contract: contractOf(f),
					Message: fmt.Sprintf("anyone can make %s of %s fail for others, by sending %s %s, whether or not a function takes it: a balance has to be exactly an amount",
						functionOf(f), nameOf(f), s.giftee(g.to, f), g.what)})
				return
			}
		}
	}
}

// maxGiftCalls bounds the calls before which a gift is tried: arbitrary, as most findings take fewer.
const maxGiftCalls = 16

// isExact reports whether a comparison is of two words that are equal, and may be a balance: not of the function that is called.
func isExact(f *evm.Frame, c *evm.Comparison) bool {
	if vm.OpCode(c.Op) != vm.EQ || c.Left != c.Right || f.Program.Code.IsShared(c.PC) {
		return false
	}
	var selector uint256.Int
	return len(f.Input) < 4 || !selector.SetBytes(f.Input[:4]).Eq(&c.Left)
}

// exactly lists the jumps of a frame that are decided by two equal words whenever it comes there.
func exactly(f *evm.Frame) (jumps []uint32) {
	for i := range f.Comparisons {
		if c := &f.Comparisons[i]; isExact(f, c) && !slices.Contains(jumps, c.PC) {
			jumps = append(jumps, c.PC)
		}
	}
	return slices.DeleteFunc(jumps, func(pc uint32) bool {
		return slices.ContainsFunc(f.Comparisons, func(c evm.Comparison) bool { return c.PC == pc && c.Left != c.Right })
	})
}

// gift is what anyone can send to an account.
type gift struct {
	calls evm.Sequence
	to    common.Address
	what  string
}

// gifts are what can be sent to accounts whose balance a frame asks for, as far as its code and its calls tell: ether to itself and to
// what it creates, and tokens to whom it asks about. Who has tokens takes runs to find out, which are attempts at a place.
func (s *Scene) gifts(frame int, at bytecode.Location) (list []gift) {
	f := &s.Exec.Frames[frame]
	ether := has(f.Program, vm.BALANCE, vm.SELFBALANCE)
	if ether {
		list = append(list, s.giftOfEther(f.Self))
	}
	frames := s.Exec.Calls[f.Call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		inner := &s.Exec.Frames[i]
		if inner.Parent < 0 || within(s.Exec, i, frame) < 0 {
			continue
		}
		switch {
		case ether && (inner.Kind == evm.KindCreate || inner.Kind == evm.KindCreate2):
			list = append(list, s.giftOfEther(inner.Self))
		case len(inner.Input) == 4+wordBytes && bytes.HasPrefix(inner.Input, balanceOf[:]) && inner.Outcome == evm.Success:
			to := common.Address(inner.Input[4+wordBytes-common.AddressLength:])
			if !s.existed(to) { // who may have none, such as each account that buys one, is sent one at a cost, and it alone is stopped
				continue
			}
			if !s.Attempt(at, [4]byte{'t', inner.Self[common.AddressLength-1], to[common.AddressLength-1]}) {
				continue
			}
			if g, ok := s.giftOfTokens(inner.Self, to); ok && !slices.ContainsFunc(list, func(l gift) bool { return l.to == g.to && l.what == g.what }) {
				list = append(list, g)
			}
		}
	}
	return list[:min(len(list), maxGifts)]
}

// maxGifts bounds what is tried for one frame. Arbitrary.
const maxGifts = 4

// within is how many calls lead from a frame to one inside it; −1: it is not inside.
func within(exec *evm.Execution, frame, around int) (depth int) {
	for ; frame >= 0; frame = exec.Frames[frame].Parent {
		if frame == around {
			return depth
		}
		depth++
	}
	return -1
}

// giver is where what destroys itself is created: an account of which nothing knows.
var giver = common.BytesToAddress([]byte("sightline: what gives ether"))

// giftOfEther is a deployment of what destroys itself in favor of an account, with a wei.
func (s *Scene) giftOfEther(to common.Address) gift {
	code := append(append([]byte{byte(vm.PUSH20)}, to[:]...), byte(vm.SELFDESTRUCT))
	call := evm.Call{From: s.World.Senders[0].Address, Create: true, Address: giver, Data: code, Value: *uint256.NewInt(1)}
	return gift{evm.Sequence{call}, to, "1 wei"}
}

// giftOfTokens is a transfer of the least amount by a sender that has some before the last call, or gets some by one of the token's calls that
// is made again, such as one that mints; false: there is none.
func (s *Scene) giftOfTokens(token, to common.Address) (g gift, ok bool) {
	data := append(word(transfer, to), common.LeftPadBytes([]byte{1}, wordBytes)...)
	g = gift{to: to, what: "1 unit of " + s.tokenName(token)}
	send := func(from common.Address, more ...evm.Call) (gift, bool) {
		g.calls = append(more, evm.Call{From: from, To: token, Data: data})
		return g, true
	}
	var all []common.Address
	for i := range s.World.Senders {
		if from := s.World.Senders[i].Address; !s.isOutsider(from) && from != to {
			all = append(all, from)
		}
	}
	calls := s.Calls()
	before := calls[: len(calls)-1 : len(calls)-1]
	if from, ok := s.holder(before, token, all); ok {
		return send(from)
	}
	for i := range before {
		again := before[i]
		if again.TimeAdvance, again.BlockAdvance = 0, 0; again.To != token || again.Create || again.From == to {
			continue
		}
		if from, ok := s.holder(append(before, again), token, []common.Address{again.From}); ok {
			return send(from, again)
		}
	}
	return g, false
}

// holder is the first of some accounts that has some of a token after calls, which run once.
func (s *Scene) holder(calls evm.Sequence, token common.Address, accounts []common.Address) (account common.Address, ok bool) {
	asking := slices.Clip(calls)
	for _, a := range accounts {
		asking = append(asking, question(s.World, token, word(balanceOf, a)))
	}
	exec, err := s.Run(asking)
	if err != nil {
		return account, false
	}
	for i, a := range accounts {
		if has, ok := answer(exec, len(calls)+i); ok && !has.IsZero() {
			return a, true
		}
	}
	return account, false
}

// stops reports whether the last call fails behind a gift, since what was equal in a frame no longer is, and where; and nothing helps.
func (s *Scene) stops(frame int, g gift) (at bytecode.Location, ok bool) {
	f := &s.Exec.Frames[frame]
	self, program, exact := f.Self, f.Program, exactly(f)
	if !s.Attempt(bytecode.Location{Code: program.ID, PC: exact[0]}, [4]byte{byte(len(g.what))}) {
		return at, false
	}
	calls := s.Calls()
	last := len(calls) - 1
	before := append(calls[:last:last], g.calls...)
	given := len(before)
	behind := append(slices.Clip(before), calls[last])
	exec, err := s.Run(behind)
	if err != nil || exec.Calls[given-1].Outcome != evm.Success || exec.Calls[given].Outcome == evm.Success {
		return at, false
	}
	same := exec.Calls[given].Frames[0] + frame - s.Exec.Calls[last].Frames[0] // what comes before is the same
	if same >= len(exec.Frames) || exec.Frames[same].Self != self || exec.Frames[same].Program != program {
		return at, false
	}
	for i := range exec.Frames[same].Comparisons {
		if c := &exec.Frames[same].Comparisons[i]; vm.OpCode(c.Op) == vm.EQ && c.Left != c.Right && slices.Contains(exact, c.PC) {
			at, ok = bytecode.Location{Code: program.ID, PC: c.PC}, true
			break
		}
	}
	return at, ok && !s.getsBy(before, calls[last]) && !s.mends(before, calls[last], self)
}

// getsBy reports whether a call succeeds with other numbers: one of them is one more, or less is paid.
func (s *Scene) getsBy(before evm.Sequence, call evm.Call) bool {
	var x uint256.Int
	one := uint256.NewInt(1)
	for at := 4; at+wordBytes <= len(call.Data); at += wordBytes {
		for _, change := range []func(z, x, y *uint256.Int) *uint256.Int{(*uint256.Int).Add, (*uint256.Int).Sub} {
			other := call
			other.Data = slices.Clone(call.Data)
			change(&x, x.SetBytes(call.Data[at:at+wordBytes]), one).WriteToSlice(other.Data[at : at+wordBytes])
			if s.succeeds(append(slices.Clip(before), other)) {
				return true
			}
		}
	}
	if call.Value.IsZero() {
		return false
	}
	call.Value.Sub(&call.Value, one)
	return s.succeeds(append(slices.Clip(before), call))
}

func (s *Scene) succeeds(calls evm.Sequence) bool {
	exec, err := s.Run(calls)
	return err == nil && exec.Calls[len(calls)-1].Outcome == evm.Success
}

// maxMends bounds the calls of which one may mend what a gift did. Arbitrary.
const maxMends = 128

// mends reports whether a call succeeds behind one of another function of a contract, by whoever that takes: what was given is taken out, or counted in.
func (s *Scene) mends(before evm.Sequence, call evm.Call, contract common.Address) bool {
	c := s.contractAt(contract)
	if c == nil {
		return false
	}
	soon := call
	soon.TimeAdvance, soon.BlockAdvance = 0, 0
	tried := 0
	for _, m := range sortedMethods(c) {
		if m.IsConstant() || bytes.HasPrefix(call.Data, m.ID) {
			continue
		}
		for i := range s.World.Senders {
			from := s.World.Senders[i].Address
			if tried++; tried > maxMends {
				return false
			}
			mend := evm.Call{From: from, To: contract, Data: slices.Clone(m.ID), TimeAdvance: call.TimeAdvance, BlockAdvance: call.BlockAdvance}
			for _, in := range m.Inputs {
				argument := common.LeftPadBytes([]byte{1}, wordBytes)
				if in.Type.String() == "address" {
					argument = common.LeftPadBytes(from[:], wordBytes)
				}
				mend.Data = append(mend.Data, argument...)
			}
			if s.succeeds(append(slices.Clip(before), mend, soon)) {
				return true
			}
		}
	}
	return false
}

// tokenName is a token, for people.
func (s *Scene) tokenName(token common.Address) string {
	if s.contractAt(token) == nil {
		return "the token"
	}
	return s.instanceName(token)
}

// giftee is an account that is sent something, for people.
func (s *Scene) giftee(to common.Address, asking *evm.Frame) string {
	if to == asking.Self {
		return "it"
	}
	if s.contractAt(to) != nil {
		return s.instanceName(to)
	}
	return "what it creates"
}
