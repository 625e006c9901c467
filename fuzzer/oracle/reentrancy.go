package oracle

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Reentrancy sees calls into the middle of a call (SWC-107; harvey §6, mufuzz §III): a frame of a
// contract of the project calls the attacker's contract, which calls a contract of the project in turn,
// and all of that succeeds.
//
// That alone is how callbacks are meant. So the same calls are made one after the other, in both orders, on the
// reference: the outer one without what the attacker's contract calls, then those calls, and the other way round. What is
// reported ends in a state that neither order ends in, and
//
//   - leaves the attacker with more than both do, of ether or a token, and less of nothing, at once or after one more call, which
//     pays what he is owed: high; or
//   - all calls succeed in both orders, and none keeps or pays what it computes of the gas that is used: medium.
//
// A lock makes the inner call fail, so that nothing is reported; where effects come before interactions, the state
// is that of one after the other. Where the outer call fails without the inner ones, they are part of what it is
// for (the repayment of a flash loan), and the orders say nothing.
//
// Known false positives: contracts that are meant to end otherwise when they are entered again, and do not pay for
// it, such as one that counts how deep it is entered.
var Reentrancy = &Oracle{
	ID:       "reentrancy",
	Title:    "A contract that is called back gains by entering again",
	SWC:      "107",
	CWE:      "841",
	Severity: High,
	Doc: "A contract calls an account that the input chose or that sent the call, before it has finished; that account's code calls a contract of the project in the middle, and both calls succeed. " +
		"What is left differs from what the same calls leave one after the other, in either order; and the caller owns more than then, at once or after one more call (high), or all of these calls succeed one after the other as well (medium).",
	Remedy: "Change what is stored before the call is made (checks, effects, interactions), or keep a lock over all functions that share that storage, views of it included. " +
		"A lock per function or per contract does not help where another one reads or writes the same.",
	Examine: examineReentrancy,
}

func examineReentrancy(s *Scene, report func(Observation)) {
	harmless := -1 // the call that was last found to be
	for i := range s.Exec.Frames {
		inner := &s.Exec.Frames[i]
		if inner.Parent < 0 || inner.Call == harmless || s.Exec.Frames[inner.Parent].CodeAddress != attacker.Address || !s.isProjects(inner) || inner.Kind == evm.KindStaticCall || !lasts(s.Exec, i) {
			continue
		}
		outer, at := caller(s.Exec, i)
		if outer < 0 || !s.isProjects(&s.Exec.Frames[outer]) || isInside(s.Exec, outer) {
			continue // of calls in the middle of one another, the outermost is what the comparison is about
		}
		way, acts := s.waysIn(i)
		if !acts || !s.Attempt(at, way) {
			continue // where it does nothing, the state is as if it were not made
		}
		severity, gains := s.reenters(inner.Call)
		if severity == Note {
			harmless = inner.Call
			continue
		}
		f := &s.Exec.Frames[outer]
		middle := functionOf(f)
		if nameOf(f) != nameOf(inner) {
			middle = nameOf(f) + "." + middle
		}
		message := fmt.Sprintf("%s is entered again by %s in the middle of %s, and ends in a state that it cannot reach by one call after the other",
			nameOf(inner), functionOf(inner), middle)
		if gains {
			message = fmt.Sprintf("%s is entered again by %s in the middle of %s, and the caller ends with more than the same calls give one after the other",
				nameOf(inner), functionOf(inner), middle)
		}
		report(Observation{Call: inner.Call, Location: at, Contract: contractOf(f), Message: message, Severity: severity})
	}
}

// isInside reports whether the attacker's contract made a call, in the middle of another, or what called it.
func isInside(exec *evm.Execution, frame int) bool {
	for at := exec.Frames[frame].Parent; at >= 0; at = exec.Frames[at].Parent {
		if exec.Frames[at].CodeAddress == attacker.Address {
			return true
		}
	}
	return false
}

// waysIn tells calls into the middle of another apart: by what is called, and whether that moves ether or changes what is
// stored, so that those that do neither do not use up all attempts. acts is false where it leaves nothing behind in any way.
func (s *Scene) waysIn(inner int) (id [4]byte, acts bool) {
	id = selectorOf(&s.Exec.Frames[inner])
	acts = !s.Exec.Frames[inner].Value.IsZero()
	type word struct {
		address common.Address
		slot    uint256.Int
	}
	read := map[word]uint256.Int{}
	for i := inner; i < len(s.Exec.Frames) && (i == inner || s.Exec.Frames[i].Depth > s.Exec.Frames[inner].Depth); i++ {
		f := &s.Exec.Frames[i]
		if i > inner && !f.Value.IsZero() {
			id[0] ^= 1
			return id, true
		}
		acts = acts || mayLeaveMore(f)
		for j := range f.Storage {
			access := &f.Storage[j]
			at := word{access.Address, access.Slot}
			if was, known := read[at]; access.Write && (!known || was != access.Value) {
				id[1] ^= 1
				return id, true
			}
			read[at] = access.Value
		}
	}
	return id, acts
}

// mayLeaveMore reports whether a frame may leave more behind than what it stores and pays: another account, none of its own, or words
// of transient storage, which executions do not list.
func mayLeaveMore(f *evm.Frame) bool {
	return f.Kind == evm.KindCreate || f.Kind == evm.KindCreate2 ||
		f.Program != nil && (f.Program.Has(byte(vm.TSTORE)) || f.Program.Has(byte(vm.SELFDESTRUCT)))
}

func selectorOf(f *evm.Frame) (id [4]byte) {
	copy(id[:], f.Input)
	return id
}

func nameOf(f *evm.Frame) string { return f.Program.Contract.Name }

// functionOf is the function that a frame was called by, for people.
func functionOf(f *evm.Frame) string {
	if f.Program.Code != nil && f.Program.Code.Kind == bytecode.Creation {
		return "the constructor"
	}
	if len(f.Input) >= 4 {
		if m, err := f.Program.Contract.ABI.MethodById(f.Input[:4]); err == nil {
			return m.RawName
		}
	}
	if len(f.Input) == 0 {
		return "receive"
	}
	return "fallback"
}

// reenters compares a call, in which the attacker's contract makes others, with the same calls one after the
// other. Note: it makes no difference that counts.
func (s *Scene) reenters(call int) (severity Severity, gains bool) {
	calls := s.Calls()[:call+1]
	if len(calls) > maxSceneCalls {
		return Note, false
	}
	before, whole := calls[:call:call], calls[call]
	if attacker.Destroys(whole.Instructions) {
		return Note, false // it is not the contract that moves the ether then
	}
	plain := whole
	plain.Instructions = attacker.WithoutCalls(whole.Instructions)
	others := s.inside(call)
	if len(others) == 0 {
		return Note, false
	}
	behind := plain // where others come first, time passes before them
	behind.TimeAdvance, behind.BlockAdvance = 0, 0
	ahead := others.Clone()
	ahead[0].TimeAdvance, ahead[0].BlockAdvance = whole.TimeAdvance, whole.BlockAdvance
	mayFail := func(i int) bool { return i < call }
	outerFirst, innerFirst := append(append(before, plain), others...), append(append(before, ahead...), behind)
	exec, err := s.Run(outerFirst)
	if err != nil || exec.Calls[call].Outcome != evm.Success {
		return Note, false // it takes what is called in the middle
	}
	after, okAfter := s.State(), succeed(exec, mayFail)
	nested, ok := s.inOrder(append(before, whole), mayFail)
	if !ok || s.sameState(nested, after) { // most end like this
		return Note, false
	}
	first, okFirst := s.inOrder(innerFirst, mayFail)
	if first == nil || s.sameState(nested, first) {
		return Note, false
	}
	tokens := s.tokens()
	now := s.owned(append(before, whole), nested, tokens)
	oneAfterOther := [2][]uint256.Int{s.owned(outerFirst, after, tokens), s.owned(innerFirst, first, tokens)}
	if s.doesWithout(call, before, plain, ahead[0], nested, oneAfterOther) {
		return Note, false
	}
	if gained(oneAfterOther[0], now) && gained(oneAfterOther[1], now) {
		return High, true
	}
	if s.gainsLater([3]evm.Sequence{append(before, whole), outerFirst, innerFirst}, plain, tokens) {
		return High, true
	}
	if okAfter && okFirst && !s.harmsItself(nested, after) && !s.harmsItself(nested, first) && !s.countsGas(call) {
		return Medium, false
	}
	return Note, false
}

// countsGas reports whether a call keeps or pays what it computes of the gas that is used, as where accounts pay for what they take: that is another
// number in the middle of a call.
func (s *Scene) countsGas(call int) bool {
	t := s.trace()
	if t == nil {
		return false
	}
	within := func(at evm.At) bool { return s.Exec.Frames[at.Frame].Call == call }
	return slices.ContainsFunc(t.Stores, func(store evm.TracedStore) bool { return within(store.At) && store.Value.Any(evm.FromGas) }) ||
		slices.ContainsFunc(t.Calls, func(c evm.TracedCall) bool { return within(c.At) && c.Value.Any(evm.FromGas) })
}

// doesWithout reports whether what is shown takes no entry into the middle of a call, since it happens in the middle of what is called
// there: the attacker's contract is called by the outsider instead, before the call or after it, and goes on as it did.
func (s *Scene) doesWithout(call int, before evm.Sequence, plain, first evm.Call, nested *evm.World, oneAfterOther [2][]uint256.Int) bool {
	asked, deeper := s.asked(call)
	if len(asked) == 0 || !deeper {
		return false
	}
	asked[0].Instructions = s.Calls()[call].Instructions
	ahead := asked.Clone()
	ahead[0].TimeAdvance, ahead[0].BlockAdvance = first.TimeAdvance, first.BlockAdvance
	behind := plain
	behind.TimeAdvance, behind.BlockAdvance = 0, 0
	for _, calls := range []evm.Sequence{append(append(before, plain), asked...), append(append(before, ahead...), behind)} {
		state, ok := s.inOrder(calls, func(int) bool { return true })
		if !ok {
			continue
		}
		owned := s.owned(calls, state, s.tokens())
		if s.sameState(nested, state) || gained(oneAfterOther[0], owned) && gained(oneAfterOther[1], owned) {
			return true
		}
	}
	return false
}

// asked are the calls of the attacker's contract in the middle of a call, by the outsider; deeper tells that others are in the middle
// of what it calls then.
func (s *Scene) asked(call int) (asked evm.Sequence, deeper bool) {
	for i := s.Exec.Calls[call].Frames[0]; i < s.Exec.Calls[call].Frames[1]; i++ {
		f := &s.Exec.Frames[i]
		switch {
		case f.Parent < 0 || f.Kind != evm.KindCall || !lasts(s.Exec, i):
		case s.Exec.Frames[f.Parent].CodeAddress == attacker.Address:
			deeper = deeper || isInside(s.Exec, f.Parent)
		case f.CodeAddress == attacker.Address && f.Self == attacker.Address && !isInside(s.Exec, i):
			asked = append(asked, evm.Call{From: s.outsider(), Origin: s.outsider(), To: attacker.Address, Data: f.Input})
		}
	}
	return asked.Clone(), deeper
}

// inside are the calls that the attacker's contract makes during one, as far as they succeed, one by one.
func (s *Scene) inside(call int) (others evm.Sequence) {
	for i := s.Exec.Calls[call].Frames[0]; i < s.Exec.Calls[call].Frames[1]; i++ {
		f := &s.Exec.Frames[i]
		if f.Parent >= 0 && f.Caller == attacker.Address && s.Exec.Frames[f.Parent].CodeAddress == attacker.Address && f.Kind == evm.KindCall && lasts(s.Exec, i) {
			others = append(others, evm.Call{From: attacker.Address, Origin: s.outsider(), To: f.CodeAddress, Data: f.Input, Value: f.Value})
		}
	}
	return others.Clone()
}

// gainsLater reports whether outsiders own more after the first of some calls than after the others once each has made one
// more call: what they are owed by then is paid.
func (s *Scene) gainsLater(ways [3]evm.Sequence, call evm.Call, tokens []common.Address) bool {
	call.Instructions = attacker.AppendInstructions(nil, nil)
	var more evm.Sequence
	for _, account := range s.outsiders() {
		call.From = account
		more = append(more, call)
	}
	var owned [3][]uint256.Int
	for i, way := range ways {
		calls := append(slices.Clip(way), more...)
		w, ok := s.state(calls, func(int) bool { return true })
		if !ok {
			return false
		}
		owned[i] = s.owned(calls, w, tokens)
	}
	return gained(owned[1], owned[0]) && gained(owned[2], owned[0])
}

// keptForOutsiders are the words of storage that the execution shows to be kept for outsiders, by account.
func (s *Scene) keptForOutsiders() map[common.Address]map[common.Hash]bool {
	own := map[common.Address]map[common.Hash]bool{}
	for i := range s.Exec.Frames {
		for _, access := range s.Exec.Frames[i].Storage {
			for _, key := range access.Keys.Words[:access.Keys.Count] {
				if s.isOutsider(key.Bytes20()) {
					if own[access.Address] == nil {
						own[access.Address] = map[common.Hash]bool{}
					}
					own[access.Address][access.Slot.Bytes32()] = true
				}
			}
		}
	}
	return own
}

// harmsItself reports whether one state differs from another in nothing but that what is kept for outsiders is less.
func (s *Scene) harmsItself(state, than *evm.World) bool {
	own := s.keptForOutsiders()
	for address, account := range than.Accounts {
		other := state.Accounts[address]
		if account == other || s.isOutsider(address) {
			continue
		}
		if other == nil || other.Balance.Lt(&account.Balance) {
			return false
		}
		for _, words := range []map[common.Hash]common.Hash{account.Storage, other.Storage} {
			for slot := range words {
				was, now := account.Storage[slot], other.Storage[slot]
				if was != now && (!own[address][slot] || now.Cmp(was) > 0) {
					return false
				}
			}
		}
	}
	return true
}

// inOrder is the state behind calls, of which all or only those of may fail; nil where the machine does.
func (s *Scene) inOrder(calls evm.Sequence, may func(int) bool) (w *evm.World, ok bool) {
	exec, err := s.Run(calls)
	if err != nil {
		return nil, false
	}
	ok = succeed(exec, may)
	return s.State(), ok
}

// succeed reports whether all calls do but those that may fail.
func succeed(exec *evm.Execution, may func(int) bool) bool {
	for i := range exec.Calls {
		if exec.Calls[i].Outcome != evm.Success && !may(i) {
			return false
		}
	}
	return true
}

// ReadOnlyReentrancy sees views that are read in the middle of a call (SWC-107): a contract of the project calls
// the attacker's contract before it has finished, and another contract of the project reads a view of it meanwhile.
//
// What is reported reads a value that the view has neither before the call nor after it.
//
// Nor is it what the view has between calls that are made one after the other, and something comes of it: the call in which it
// is read writes, pays or emits an event. A view of true or false that is the same before and after says whether a call is under
// way, and one that fails before and after says something of the call that is under way: both are left out.
//
// Known false positives: views that say in another way that a call is under way, such as how deep it is entered.
var ReadOnlyReentrancy = &Oracle{
	ID:       "read-only-reentrancy",
	Title:    "A view is read in the middle of a call",
	SWC:      "107",
	CWE:      "841",
	Severity: Medium,
	Doc: "A contract calls back before it has finished, and meanwhile another contract of the project reads one of its views, and goes on with a value that the view has neither before the call nor after it, " +
		"such as a price per share while shares are burned and ether is already paid. What comes of it counts: a call that neither writes, pays nor emits an event does no harm.",
	Remedy:  "Change all that the view reads before the call is made, or let the view fail while the lock of the contract is held; the reader can ask for the lock as well.",
	Examine: examineReadOnly,
}

func examineReadOnly(s *Scene, report func(Observation)) {
	for i := range s.Exec.Frames {
		view := &s.Exec.Frames[i]
		if view.Parent < 0 || len(view.Output) == 0 || !s.isProjects(view) || !lasts(s.Exec, i) {
			continue
		}
		reader, at := caller(s.Exec, i)
		if reader < 0 || reader != view.Parent || !s.isProjects(&s.Exec.Frames[reader]) || s.Exec.Frames[reader].Self == view.Self || !isView(view) {
			continue
		}
		within := s.within(reader, view.Self)
		if within < 0 || !s.acts(within, reader) || view.Call > maxSceneCalls || !s.Attempt(at, selectorOf(view)) {
			continue
		}
		call, name, contract, function := view.Call, nameOf(view), contractOf(&s.Exec.Frames[reader]), functionOf(view)
		if s.isMomentary(view) {
			report(Observation{Call: call, Location: at, Contract: contract, Severity: Medium,
				Message: fmt.Sprintf("%s of %s is read in the middle of a call, when it says what it says neither before nor after", function, name)})
		}
	}
}

// isView reports whether a frame changes nothing: it is a STATICCALL, or one of a function that says so, as callers of
// before Solidity 0.5 make it.
func isView(f *evm.Frame) bool {
	if f.Kind == evm.KindStaticCall {
		return true
	}
	if f.Kind != evm.KindCall || f.Program == nil || f.Program.Contract == nil || len(f.Input) < 4 {
		return false
	}
	m, err := f.Program.Contract.ABI.MethodById(f.Input[:4])
	return err == nil && m.IsConstant()
}

// acts reports whether something comes of a call that the attacker's contract makes, and in which a frame is: it writes,
// pays, or says so in an event. What is only read, the attacker could read himself.
func (s *Scene) acts(attackers, frame int) bool {
	from := frame
	for s.Exec.Frames[from].Parent != attackers {
		from = s.Exec.Frames[from].Parent
	}
	for i := from; i < len(s.Exec.Frames) && (i == from || s.Exec.Frames[i].Depth > s.Exec.Frames[from].Depth); i++ {
		f := &s.Exec.Frames[i]
		if len(f.Logs) > 0 || i > from && !f.Value.IsZero() || slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool { return a.Write }) {
			return true
		}
	}
	return false
}

// isMomentary reports whether a view says what it says neither before the call around it nor after it, nor between calls
// that the attacker's contract makes in the middle of it, were they made one after the other.
func (s *Scene) isMomentary(view *evm.Frame) bool {
	calls := s.Calls()
	before, whole := calls[:view.Call:view.Call], calls[view.Call]
	question := evm.Call{From: view.Caller, To: view.Self, Data: slices.Clone(view.Input)}
	value := string(view.Output)
	earlier, fails, ok := s.answers(before, question)
	if !ok || earlier == value {
		return false
	}
	later, failsLater, ok := s.answers(append(before, whole), question)
	if !ok || later == value || fails && failsLater {
		return false // where there is none under way, it says nothing that could be mistaken
	}
	if isFlag(view.Output) && later == earlier && isFlag([]byte(earlier)) {
		return false // whether a call is under way
	}
	plain := whole
	plain.Instructions = attacker.WithoutCalls(whole.Instructions)
	others := s.inside(view.Call)
	for n := range len(others) + 1 {
		some := others[:n:n]
		for _, calls := range []evm.Sequence{append(append(before, plain), some...), append(before, some...)} {
			if between, _, ok := s.answers(calls, question); !ok || between == value {
				return false
			}
		}
	}
	return true
}

// isFlag reports whether what a view says is true or false.
func isFlag(output []byte) bool {
	return len(output) == wordBytes && new(uint256.Int).SetBytes(output).LtUint64(2)
}

// within is the attacker's frame around one, inside of a frame of an account; −1: there is none.
func (s *Scene) within(frame int, account common.Address) int {
	met := -1
	for at := frame; at >= 0; at = s.Exec.Frames[at].Parent {
		f := &s.Exec.Frames[at]
		if met >= 0 && f.Self == account && f.Program != nil {
			return met
		}
		if met < 0 && f.CodeAddress == attacker.Address {
			met = at
		}
	}
	return -1
}

// answers is what a call returns after others, and whether it fails; not ok where the machine does.
func (s *Scene) answers(calls evm.Sequence, question evm.Call) (output string, fails, ok bool) {
	exec, err := s.Run(append(calls, question))
	if err != nil {
		return "", false, false
	}
	last := &exec.Calls[len(exec.Calls)-1]
	return string(last.Output), last.Outcome != evm.Success, true
}
