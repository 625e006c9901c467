package compare

import (
	"bytes"
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// Sides are head and base, deployed by the same steps, on which the same calls are made, the
// outsider's among them.
type Sides struct {
	Head, Base *deploy.Deployment
	recipe     *deploy.Recipe // the head's; nil: not known

	versions *Base // says what code of the base became

	calls   map[input.Callable]counterpart // what the head's are on the base
	senders []int                          // what the head's are on the base; −1: it has none
	moved   movedAddresses                 // of instances: the head's by the base's
	// ambiguous are addresses that are one instance on one side and another, or none, on the other:
	// calls that name them mean something else there.
	ambiguous map[common.Address]bool
	storage   map[common.Address]*storagePair
	masked    map[word]bool // of the head's: what differs before any call
	// built are the head's instances whose constructors have changed code: what differs in their state before any call is the
	// change's doing.
	built     map[common.Address]bool
	changed   map[bytecode.Location]bool
	changedAt []bytecode.Position
	deletions map[bytecode.Location]bool // of these, what stands for deleted code
	holders   map[string]bool            // contracts with changed code

	deciding deciding // once a search has begun
	gas      bool     // likewise: what calls cost is compared
	asks     bool     // likewise: behaviors say what shows them afterwards
}

// counterpart is a function of an instance of the base.
type counterpart struct {
	input.Callable
	same bool // it takes the same arguments
}

// storagePair is where an instance, by its address on the head, keeps its state on both sides.
type storagePair struct {
	head, base *bytecode.Contract
	same       bool // all variables are where they were
}

// place is a part of storage, as the head has it: a word, or the variable that begins at an
// offset of it.
type place struct {
	address common.Address
	slot    uint256.Int
	base    uint256.Int // of the variable that it is an element of; slot where it is none
	offset  uint        // 0 for a whole word
}

// variableAt names the variable that a place is of; empty: it is not known.
func (s *Sides) variableAt(at *place) string {
	pair := s.storage[at.address]
	if pair == nil {
		return ""
	}
	for i := range pair.head.Variables {
		if v := &pair.head.Variables[i]; holdsSlot(v, &at.base) && (v.Bytes == 0 || v.Offset == at.offset || at.base != at.slot) {
			return v.Name
		}
	}
	return ""
}

// NewSides deploys nothing: both sides are there. changed are the targets. An error says why
// the same calls do not begin with the same state.
func NewSides(head Head, base *Base, changed []bytecode.Target) (*Sides, error) {
	switch {
	case base == nil || base.Deployment == nil:
		return nil, errors.New("the base has no World")
	case base.otherWorld != "":
		return nil, errors.New(base.otherWorld)
	}
	s := &Sides{Head: head.Deployment, Base: base.Deployment, versions: base, recipe: head.Recipe, calls: map[input.Callable]counterpart{}, moved: movedAddresses{}, ambiguous: map[common.Address]bool{}, storage: map[common.Address]*storagePair{}, changed: map[bytecode.Location]bool{}, deletions: map[bytecode.Location]bool{}, holders: map[string]bool{}, built: map[common.Address]bool{}}
	for _, t := range changed {
		s.holders[t.Contract] = true
		if t.Position.Line > 0 {
			s.changedAt = append(s.changedAt, t.Position)
		}
		for _, at := range t.Entries {
			s.noteBuilt(at)
			s.changed[at] = true
			s.deletions[at] = s.deletions[at] || t.Deletion
		}
	}
	s.pairSenders()
	s.pairInstances(base)
	s.mask()
	return s, nil
}

// noteBuilt notes the instances whose constructors have changed code at a place.
func (s *Sides) noteBuilt(at bytecode.Location) {
	p := s.Head.Table.Program(at.Code)
	if p == nil || p.Contract == nil || p.Code.Kind != bytecode.Creation {
		return
	}
	for i := range s.Head.World.Instances {
		if in := &s.Head.World.Instances[i]; in.Contract == p.Contract {
			s.built[in.Address] = true
		}
	}
}

// pairSenders finds the head's senders on the base. A test contract that the base lacks is none there: it has not set up anything.
func (s *Sides) pairSenders() {
	for i := range s.Head.Space.Senders {
		sender := &s.Head.Space.Senders[i]
		at := slices.IndexFunc(s.Base.Space.Senders, func(other evm.Sender) bool { return other.Name == sender.Name })
		if s.versions.isAbsent(sender.Name) {
			at = -1
		}
		s.senders = append(s.senders, at)
		if at >= 0 && s.Base.Space.Senders[at].Address != sender.Address {
			s.moved[s.Base.Space.Senders[at].Address] = sender.Address
		}
	}
}

// pairInstances finds the functions and the storage of the head's instances on the base.
func (s *Sides) pairInstances(base *Base) {
	there, standsFor, here := map[string]int{}, map[common.Address]string{}, map[common.Address]string{}
	for i := range s.Head.Space.Instances {
		here[s.Head.Space.Instances[i].Address] = s.Head.Space.Instances[i].Name
	}
	for i := range s.Base.Space.Instances {
		was := &s.Base.Space.Instances[i]
		there[was.Name], standsFor[was.Address] = i, was.Name
		if here[was.Address] != was.Name {
			s.ambiguous[was.Address] = true
		}
	}
	for i := range s.Head.Space.Instances {
		in := &s.Head.Space.Instances[i]
		at, ok := there[in.Name]
		if ok = ok && !s.lacksPart(in, there); !ok {
			delete(there, in.Name) // nor are those that are made of it
		}
		if other := standsFor[in.Address]; !ok || other != "" && other != in.Name {
			s.ambiguous[in.Address] = true
		}
		if !ok {
			continue
		}
		was := &s.Base.Space.Instances[at]
		if in.Address != was.Address {
			s.moved[was.Address] = in.Address
		}
		if in.Contract != nil && was.Contract != nil {
			s.storage[in.Address] = &storagePair{in.Contract, was.Contract, slices.Equal(in.Contract.Variables, was.Contract.Variables)}
		}
		s.pairFunctions(base, i, at)
	}
}

// lacksPart reports whether an instance of the head got another one for its constructor that is not there on the base, though its code is: it is
// something else with what the base's World has.
func (s *Sides) lacksPart(in *input.Instance, there map[string]int) bool {
	if s.Head.Setup == nil {
		return false
	}
	at := slices.IndexFunc(s.Head.Setup.Deployments, func(d world.Deployment) bool { return d.Address == in.Address })
	if at < 0 || len(s.Head.Setup.Deployments[at].Code) == 0 {
		return false
	}
	made := &s.Head.Setup.Deployments[at]
	arguments := made.Call.Data[len(made.Code):]
	return slices.ContainsFunc(s.Head.Space.Instances, func(part input.Instance) bool {
		_, has := there[part.Name]
		return !has && part.Name != in.Name && part.Contract != nil && s.versions.deployable(part.Contract.QualifiedName()) &&
			bytes.Contains(arguments, common.LeftPadBytes(part.Address[:], wordBytes))
	})
}

// pairFunctions finds the functions of an instance on the base.
func (s *Sides) pairFunctions(base *Base, i, at int) {
	in, was := &s.Head.Space.Instances[i], &s.Base.Space.Instances[at]
	for _, f := range slices.Concat(in.Functions, in.Properties) {
		if f.Kind == input.Constructor && (was.Contract == nil || !was.Fresh) {
			continue
		}
		other := counterpart{input.Callable{Instance: at, Function: was.Callable(f.Signature)}, true}
		if other.Function == nil {
			other = counterpart{input.Callable{Instance: at, Function: base.functionWas(in, was, f)}, false}
		}
		if other.Function != nil {
			s.calls[input.Callable{Instance: i, Function: f}] = other
		}
	}
}

// carry is a sequence of the head on the base, up to the first call that the base has not, or that means
// something else there.
func (s *Sides) carry(seq input.Sequence, dst input.Sequence) input.Sequence {
	dst = dst[:0]
	for i := range seq {
		call, ok := s.carryCall(seq[i])
		if !ok {
			break
		}
		if call.Script, ok = call.Script.Map(s.carryCall); !ok {
			break
		}
		dst = append(dst, call)
	}
	return dst
}

// carryCall is a call of the head on the base, but for its script.
func (s *Sides) carryCall(call input.Call) (input.Call, bool) {
	was, ok := s.calls[input.Callable{Instance: call.Instance, Function: call.Function}]
	if !ok || s.senders[call.Sender] < 0 || s.isAmbiguous(&call) {
		return call, false
	}
	if !was.same {
		call.Args = convert(call.Function, was.Function, call.Args)
	}
	call.Sender, call.Instance, call.Function = s.senders[call.Sender], was.Instance, was.Function
	if len(s.moved) > 0 {
		call.Args = abi.MapAddresses(call.Args, call.Function.Inputs, s.moved.back)
	}
	return call, true
}

func (s *Sides) isAmbiguous(c *input.Call) (names bool) {
	if len(s.ambiguous) > 0 {
		abi.EachAddress(c.Args, c.Function.Inputs, func(a common.Address) { names = names || s.ambiguous[a] })
	}
	return names
}

// mask notes the variables that differ before any call: what follows from that is not what the
// calls do. An address that is another instance on the base differs as well.
func (s *Sides) mask() {
	s.masked = map[word]bool{}
	for here, pair := range s.storage {
		head, base := s.Head.World.Accounts[here], s.Base.World.Accounts[s.moved.back(here)]
		if head == nil || base == nil || !pair.same {
			continue // of variables that moved, see differs
		}
		for _, words := range []map[common.Hash]common.Hash{head.Storage, base.Storage} {
			for slot := range words {
				was := base.Storage[slot]
				if now := head.Storage[slot]; now != was || now != common.Hash(s.moved.in(was[:])) {
					s.masked[word{here, *new(uint256.Int).SetBytes32(slot[:])}] = true
				}
			}
		}
	}
}
