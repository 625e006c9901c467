package oracle

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Takeover sees that an outsider becomes master of a contract (SWC-112, SWC-106; mufuzz §III, harvey §6): in
// an attack, in which all calls are of an account that nothing in the World knows, or of his contract, after calls of others that
// do not name them,
//
//   - a contract runs the attacker's code by DELEGATECALL or CALLCODE, in its own storage;
//   - a slot of EIP-1967 comes to name the attacker: implementation, beacon or admin;
//   - a proxy's initializer succeeds, and writes over what it had stored;
//   - a view that names who is in charge (owner, admin …) answers the attacker, where it named another account before; or
//   - a contract destroys itself, and its code is gone (before Cancun).
//
// In an audit, and of contracts that a change adds, also that a variable of its own comes to name the attacker, whether a view answers
// it or not, and that a call which compares it with its sender then does what it did not do for the attacker before. Of those that
// are added, the variable must name an account from the beginning: turns and locks are for whoever comes first.
//
// The contract must have been there before the attack: what attackers deploy, or make a factory deploy for them, is theirs. So is what a
// proxy runs that has not been set up: the code itself is looked at without it.
// That the attacker's contract is what is run cannot be chance: its address is a hash, and nothing in the World holds it.
//
// What another contract of the World makes and ends within one call may be ended by anyone in between.
//
// Known false positives: contracts that anyone is meant to take, such as one whose owner is who paid most. Where the attack pays
// for it, with ether or a token, the change of an owner is not reported. Where only an account with a role can open the door, by
// a call before the attack, the finding is medium, and its title says so; it is a note where that call names the contract and the
// function that is called then, or has the proxy that is called run other code.
var Takeover = &Oracle{
	ID:       "takeover",
	Title:    "Anyone can take a contract over",
	SWC:      "112",
	CWE:      "284",
	Severity: Critical,
	Doc: "An account that was given nothing but ether makes a contract of the World run code of its own (DELEGATECALL to an address that the input chose), replaces its implementation (EIP-1967), " +
		"becomes its owner in place of another account, initializes a proxy again, or makes it destroy itself. In an audit, and of contracts that a change adds, also: it becomes the account that a function asks for. Low where the attack only sets up what the deployment has not set up: that may lack a step.",
	Remedy: "Let only the owner or a role choose what is called by DELEGATECALL, what a proxy runs, and when a contract ends; guard initializers, so that they work once; " +
		"and take the address of a library from a constant.",
	Examine:  examineTakeover,
	Places:   takeoverPlaces,
	ByAnyone: true,
}

// takeoverPlaces lists where a program runs other code in its own name, or destroys itself.
func takeoverPlaces(p *bytecode.Program) (places []uint32) {
	p.Instructions(func(pc uint32) bool {
		switch vm.OpCode(p.Bytes[pc]) {
		case vm.DELEGATECALL, vm.CALLCODE, vm.SELFDESTRUCT:
			places = append(places, pc)
		}
		return true
	})
	return places
}

// erc1967 are the slots of EIP-1967, by what they hold.
var erc1967 = map[uint256.Int]string{
	eip1967("eip1967.proxy.implementation"): "the implementation",
	eip1967("eip1967.proxy.beacon"):         "the beacon",
	eip1967("eip1967.proxy.admin"):          "the admin",
}

func eip1967(name string) (slot uint256.Int) {
	hash := new(big.Int).SetBytes(crypto.Keccak256([]byte(name)))
	slot.SetFromBig(hash.Sub(hash, big.NewInt(1)))
	return slot
}

func examineTakeover(s *Scene, report func(Observation)) {
	last := len(s.Exec.Calls) - 1
	if !s.isOutsider(s.Exec.Frames[s.Exec.Calls[last].Frames[0]].Caller) {
		return
	}
	from, ok := s.attack()
	if !ok {
		return
	}
	named := map[common.Address]namedIn{} // where an outsider was written last
	for i := s.Exec.Calls[from].Frames[0]; i < len(s.Exec.Frames); i++ {
		f := &s.Exec.Frames[i]
		if !lasts(s.Exec, i) || !s.existed(f.Self) {
			continue
		}
		s.takenByCode(from, i, report)
		if f.Program == nil || f.Program.Contract == nil || f.Program.Contract.Generated {
			continue
		}
		s.takenByEnd(f, report)
		s.initializesAgain(i, report)
		for j := range f.Storage {
			access := &f.Storage[j]
			s.takenBySlot(from, i, access, report)
			if access.Write && s.writesOutsider(access) {
				named[access.Address] = namedIn{i, access}
			}
		}
	}
	for i := range s.World.Instances { // in their order
		if at, ok := named[s.World.Instances[i].Address]; ok {
			if !s.takenOver(from, at.frame, at.access, report) {
				s.letIn(from, at.frame, at.access, report)
			}
		}
	}
}

// namedIn is a write that names an outsider, and its frame.
type namedIn struct {
	frame  int
	access *evm.StorageAccess
}

// isGone reports whether the account of a frame has no code behind the calls: since Cancun, SELFDESTRUCT leaves it.
func (s *Scene) isGone(f *evm.Frame) bool {
	if !s.Attempt(bytecode.Location{Code: f.Program.ID, PC: f.LastPC}, [4]byte{}) {
		return false
	}
	self := f.Self
	w, ok := s.state(s.Calls(), func(int) bool { return true })
	return ok && (w.Accounts[self] == nil || len(w.Accounts[self].Code) == 0)
}

// takenByCode reports that a frame runs the attacker's code in another contract's name. What had nothing in its storage, and is set up once, waits
// for whoever does so.
func (s *Scene) takenByCode(from, frame int, report func(Observation)) {
	f := &s.Exec.Frames[frame]
	if f.CodeAddress != attacker.Address || f.Kind != evm.KindDelegateCall && f.Kind != evm.KindCallCode {
		return
	}
	by, at := caller(s.Exec, frame)
	if s.wasUpgraded(frame) || by < 0 || s.Exec.Frames[by].Program.Contract == nil || s.isBlankProxy(&s.Exec.Frames[by]) {
		return
	}
	c := &s.Exec.Frames[by]
	severity := Critical
	if s.isUnset(c.Self) {
		if !s.isCalledByOutsider(by) || !s.Attempt(at, [4]byte{}) {
			return
		}
		if access := s.namesAttacker(from, c.Self); access != nil && !s.worksAgain(from, access) {
			severity = Low
		}
	}
	if setUp := s.setsUp(from); setUp >= 0 && severity > Low {
		if !s.Attempt(at, [4]byte{1}) {
			return
		}
		if !s.runsAgain(setUp) {
			severity = Low
		}
	}
	report(Observation{Call: f.Call, Location: at, Contract: contractOf(c), Severity: severity, Message: fmt.Sprintf("%s runs code that the input chooses, by DELEGATECALL", nameOf(c))})
}

// isBlankProxy reports whether a frame runs for a proxy that has held nothing but what it runs and who may change that, before all calls: it has not
// been set up yet, and whoever does so chooses what it does then.
func (s *Scene) isBlankProxy(f *evm.Frame) bool {
	account := s.World.Accounts[f.Self]
	if account == nil || f.Self == f.CodeAddress || account.Remote {
		return false
	}
	for slot, value := range account.Storage {
		at := *new(uint256.Int).SetBytes32(slot[:])
		if value != (common.Hash{}) && erc1967[at] == "" && value != common.BytesToHash(f.CodeAddress[:]) {
			return false
		}
	}
	return true
}

// takenByEnd reports that a frame makes its contract destroy itself.
func (s *Scene) takenByEnd(f *evm.Frame, report func(Observation)) {
	if Ends(f) && s.isGone(f) && !s.isMadeToEnd(f) {
		report(Observation{Call: f.Call, Location: bytecode.Location{Code: f.Program.ID, PC: f.LastPC}, Contract: contractOf(f),
			Message: fmt.Sprintf("anyone can make %s destroy itself", nameOf(f))})
	}
}

// isMadeToEnd reports whether another contract of the World makes contracts like a frame's, and calls the function by which they end: each lasts for
// one call of that one then, such as what collects a deposit, and whoever ends one that was left alone takes nothing.
func (s *Scene) isMadeToEnd(f *evm.Frame) bool {
	c := s.contractAt(f.Self)
	if c == nil || c.Creation == nil || len(c.Creation.Bytes) == 0 || len(f.Input) < 4 {
		return false
	}
	ends := bytes.TrimLeft(f.Input[:4], "\x00") // as code pushes the number
	return slices.ContainsFunc(s.World.Instances, func(in evm.Instance) bool {
		if in.Contract == nil || in.Contract == c || in.Contract.Runtime == nil {
			return false
		}
		code := in.Contract.Runtime.Bytes
		return bytes.Contains(code, c.Creation.Bytes) && bytes.Contains(code, ends)
	})
}

// takenBySlot reports that an access makes a slot of EIP-1967 name an outsider. One that was empty, and that can be set once, waits for
// whoever sets the proxy up: mostly what deploys it.
func (s *Scene) takenBySlot(from, frame int, access *evm.StorageAccess, report func(Observation)) {
	f := &s.Exec.Frames[frame]
	what := erc1967[access.Slot]
	if what == "" || !access.Write || !s.isOutsider(access.Value.Bytes20()) {
		return
	}
	at := bytecode.Location{Code: f.Program.ID, PC: access.PC}
	severity := Critical
	if s.initially(f.Self, access.Slot) == [wordBytes]byte{} {
		if !s.isCalledByOutsider(frame) || !s.Attempt(at, [4]byte{}) {
			return
		}
		if !s.worksAgain(from, access) {
			severity = Low
		}
	}
	report(Observation{Call: f.Call, Location: at, Contract: contractOf(f), Severity: severity,
		Message: fmt.Sprintf("anyone can set %s of a proxy", what)})
}

// initializesAgain reports that a call of an outsider runs a proxy's initializer, which writes over a word that was not zero.
// Implementations that are not initialized hold nothing.
func (s *Scene) initializesAgain(frame int, report func(Observation)) {
	f := &s.Exec.Frames[frame]
	name, ok := initializer(f)
	if !ok || f.Kind != evm.KindDelegateCall || f.Parent < 0 || !s.isOutsider(s.Exec.Frames[f.Parent].Caller) {
		return
	}
	for j := range f.Storage {
		access := &f.Storage[j]
		was := s.wordAtFirst(access)
		if access.Write && access.Slot == access.Base && was != [wordBytes]byte{} && !bytes.Equal(was[:], valueOf(access)) && s.Attempt(bytecode.Location{Code: f.Program.ID, PC: access.PC}, [4]byte{}) {
			report(Observation{Call: f.Call, Location: bytecode.Location{Code: f.Program.ID, PC: access.PC}, Contract: contractOf(f),
				Message: fmt.Sprintf("anyone can run %s of %s again, through a proxy that is initialized", name, nameOf(f))})
			return
		}
	}
}

// initializer is the function of its contract that a frame runs, if that initializes.
func initializer(f *evm.Frame) (name string, ok bool) {
	if len(f.Input) < 4 || f.Program == nil || f.Program.Contract == nil {
		return "", false
	}
	m, err := f.Program.Contract.ABI.MethodById(f.Input[:4])
	if err != nil || !isInitializer(m.RawName) {
		return "", false
	}
	return m.RawName, true
}

// isInitializer reports whether a function's name says that it initializes: init, initVault, initialize, initializeV2, but not initiate.
func isInitializer(name string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(name, "_"), "init")
	return ok && (rest == "" || strings.HasPrefix(rest, "ialize") || rest[0] < 'a' || rest[0] > 'z')
}

// wasUpgraded reports whether a slot of EIP-1967 of the account that a frame runs for has come to name an outsider: that is
// what is to be said then.
func (s *Scene) wasUpgraded(frame int) bool {
	self := s.Exec.Frames[frame].Self
	return slices.ContainsFunc(s.Exec.Frames[:frame], func(f evm.Frame) bool {
		return f.Self == self && slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool {
			return a.Write && erc1967[a.Slot] != "" && s.isOutsider(a.Value.Bytes20())
		})
	})
}

// writesOutsider reports whether a word that is written to a variable of its own names an outsider, whom it did not
// name before.
func (s *Scene) writesOutsider(access *evm.StorageAccess) bool {
	if access.Slot != access.Base {
		return false // an element
	}
	data := access.Value.Bytes32()
	for _, account := range s.outsiders() {
		if bytes.Contains(data[:], account[:]) {
			was := s.wordBefore(access)
			return !bytes.Contains(was[:], account[:])
		}
	}
	return false
}

// wordBefore is what was in a word's place when it was last read or written before, in the execution.
func (s *Scene) wordBefore(access *evm.StorageAccess) (word [wordBytes]byte) {
	order := int64(-1)
	for i := range s.Exec.Frames {
		for j := range s.Exec.Frames[i].Storage {
			a := &s.Exec.Frames[i].Storage[j]
			if a.Address == access.Address && a.Slot == access.Slot && a.Order < access.Order && int64(a.Order) > order {
				order, word = int64(a.Order), a.Value.Bytes32()
			}
		}
	}
	return word
}

// wordAtFirst is what was in a word's place before the execution; zero where it was written before it was read.
func (s *Scene) wordAtFirst(access *evm.StorageAccess) (word [wordBytes]byte) {
	first := access
	for i := range s.Exec.Frames {
		for j := range s.Exec.Frames[i].Storage {
			a := &s.Exec.Frames[i].Storage[j]
			if a.Address == access.Address && a.Slot == access.Slot && a.Order < first.Order {
				first = a
			}
		}
	}
	if !first.Write {
		word = first.Value.Bytes32()
	}
	return word
}

// chargeWords are in the names of views that answer who is in charge.
var chargeWords = []string{"owner", "admin", "governor", "governance", "controller", "authority", "minter", "pauser", "operator", "manager", "guardian"}

// takenOver reports that a view of a contract names an outsider after the attack, and another account before it.
func (s *Scene) takenOver(from, frame int, access *evm.StorageAccess, report func(Observation)) bool {
	f := &s.Exec.Frames[frame]
	at := bytecode.Location{Code: f.Program.ID, PC: access.PC}
	if !s.Attempt(at, [4]byte{}) {
		return false
	}
	calls := s.Calls()
	for _, m := range sortedMethods(f.Program.Contract) {
		if len(m.Inputs) > 0 || !m.IsConstant() || len(m.Outputs) != 1 || m.Outputs[0].Type.String() != "address" || !isCharge(m.RawName) {
			continue
		}
		before, ok := s.ask(calls[:from:from], access.Address, m.ID)
		if !ok || s.isOutsider(before.Bytes20()) {
			continue
		}
		now, ok := s.ask(calls, access.Address, m.ID)
		if !ok || !s.isOutsider(now.Bytes20()) || !s.answersFrom(calls, m.ID, access) || s.pays(calls, from) {
			continue
		}
		severity := Critical
		if before.IsZero() { // the deployment may just lack what sets it
			severity = Low
			if !s.Audit {
				continue
			}
		}
		report(Observation{Call: f.Call, Location: at, Contract: contractOf(f), Severity: severity, Message: fmt.Sprintf("anyone can become the %s of %s", m.RawName, nameOf(f))})
		return true
	}
	return false
}

// letIn reports that the last call of an attack compares its sender with a variable that the attack has set, and does something:
// the same call does nothing without the calls before it.
func (s *Scene) letIn(from, frame int, access *evm.StorageAccess, report func(Observation)) {
	last := len(s.Exec.Calls) - 1
	f := &s.Exec.Frames[frame]
	at := bytecode.Location{Code: f.Program.ID, PC: access.PC}
	asks := s.asksForSender(last, access)
	if !s.standsAlone(contractOf(f)) || f.Call == last || asks == nil || !hasEffect(s.Exec, last) || !s.Attempt(at, selectorOf(asks)) {
		return
	}
	calls := s.Calls()
	was := s.wordBefore(access)
	if s.pays(calls, from) {
		return
	}
	exec, err := s.Run(append(slices.Clone(calls[:from]), calls[last]))
	if err != nil || hasEffect(exec, from) {
		return
	}
	severity := Critical
	if was == [wordBytes]byte{} { // the deployment may just lack what sets it
		severity = Low
	}
	if !s.Audit && (s.initially(access.Address, access.Slot) != was || !s.namesSomeone(was[:])) {
		return // a turn, a lock or a place that is taken from whoever took it before
	}
	report(Observation{Call: f.Call, Location: at, Contract: contractOf(f), Severity: severity,
		Message: fmt.Sprintf("anyone can become the account that %s of %s asks for", functionOf(asks), nameOf(asks))})
}

// initially is what the World begins with in a word.
func (s *Scene) initially(address common.Address, slot uint256.Int) [wordBytes]byte {
	if a := s.World.Accounts[address]; a != nil {
		return a.Storage[slot.Bytes32()]
	}
	return [wordBytes]byte{}
}

// namesSomeone reports whether a word holds the address of a sender or of an instance of the World. Small numbers, with which locks
// say that they are open, do not count, even where the World has a sender of that address.
func (s *Scene) namesSomeone(word []byte) bool {
	names := func(account common.Address) bool {
		return !bytes.HasPrefix(account[:], make([]byte, len(account)/2)) && bytes.Contains(word, account[:])
	}
	return slices.ContainsFunc(s.World.Senders, func(sender evm.Sender) bool { return names(sender.Address) }) ||
		slices.ContainsFunc(s.World.Instances, func(in evm.Instance) bool { return names(in.Address) })
}

// asksForSender is the frame of a call that has read a word, and found it equal to its sender; nil: there is none.
func (s *Scene) asksForSender(call int, access *evm.StorageAccess) *evm.Frame {
	frames := s.Exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &s.Exec.Frames[i]
		sender := new(uint256.Int).SetBytes(f.Caller[:])
		if f.Self != access.Address || !s.isProjects(f) || !lasts(s.Exec, i) || !s.isOutsider(f.Caller) ||
			!slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool { return !a.Write && a.Slot == access.Slot }) {
			continue
		}
		if slices.ContainsFunc(f.Comparisons, func(c evm.Comparison) bool {
			return vm.OpCode(c.Op) == vm.EQ && c.Left == *sender && c.Right == *sender
		}) {
			return f
		}
	}
	return nil
}

// hasEffect reports whether a call succeeds, and changes what is stored, calls another account or emits an event.
func hasEffect(exec *evm.Execution, call int) bool {
	if exec.Calls[call].Outcome != evm.Success {
		return false
	}
	for i := exec.Calls[call].Frames[0]; i < exec.Calls[call].Frames[1]; i++ {
		f := &exec.Frames[i]
		if lasts(exec, i) && (len(f.Logs) > 0 || f.Parent >= 0 && f.Kind == evm.KindCall || slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool { return a.Write })) {
			return true
		}
	}
	return false
}

// answersFrom reports whether a view reads a word.
func (s *Scene) answersFrom(calls evm.Sequence, id []byte, access *evm.StorageAccess) bool {
	exec, err := s.Run(append(slices.Clip(calls), evm.Call{From: s.World.Senders[0].Address, To: access.Address, Data: id}))
	if err != nil {
		return false
	}
	frames := exec.Calls[len(exec.Calls)-1].Frames
	return slices.ContainsFunc(exec.Frames[frames[0]:frames[1]], func(f evm.Frame) bool {
		return slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool { return a.Address == access.Address && a.Slot == access.Slot })
	})
}

func isCharge(name string) bool {
	name = strings.ToLower(name)
	for _, word := range chargeWords {
		if strings.Contains(name, word) && !strings.Contains(name, "pending") {
			return true
		}
	}
	return false
}

// pays reports whether the outsiders have less of something after an attack.
func (s *Scene) pays(calls evm.Sequence, from int) bool {
	tokens := s.tokens()
	before, ok := s.state(calls[:from:from], func(int) bool { return true })
	if !ok {
		return true
	}
	had := s.owned(calls[:from:from], before, tokens)
	after, ok := s.state(calls, func(int) bool { return true })
	if !ok {
		return true
	}
	return lost(had, s.owned(calls, after, tokens))
}
