package taint

import (
	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// effect follows what is seen outside of the frame, and jumps; false: it does neither.
func (s *step) effect() bool {
	switch s.op {
	case vm.JUMP:
		s.destination(false)
		s.pop(1)
	case vm.JUMPI:
		s.destination(true)
		s.branch()
		s.pop(2)
	case vm.SSTORE, vm.TSTORE:
		s.store()
	case vm.LOG0, vm.LOG1, vm.LOG2, vm.LOG3, vm.LOG4:
		topics := int(s.op - vm.LOG0)
		id := s.region(0, 1)
		for i := range topics {
			id = s.sets.union(id, s.shadow(2+i).taint)
		}
		s.goesTo(id, evm.SinkLog, -1)
		s.frame.guards = nil
		s.pop(2 + topics)
	case vm.RETURN, vm.REVERT:
		s.output()
	case vm.SELFDESTRUCT:
		if s.room(len(s.trace.Selfdestructs)) {
			s.trace.Selfdestructs = append(s.trace.Selfdestructs, evm.TracedSelfdestruct{At: s.at(), Beneficiary: s.sets.taint(s.shadow(0).taint)})
		}
		s.pop(1)
	case vm.CALL, vm.CALLCODE, vm.DELEGATECALL, vm.STATICCALL:
		s.call()
	case vm.CREATE, vm.CREATE2:
		s.create()
	default:
		return false
	}
	return true
}

// destination records a jump to where input or state says.
func (s *step) destination(conditional bool) {
	taint := s.sets.taint(s.shadow(0).taint)
	if taint.Any(evm.FromCalldata|evm.FromCallValue|evm.FromStorage) && s.room(len(s.trace.Jumps)) {
		s.trace.Jumps = append(s.trace.Jumps, evm.TracedJump{At: s.at(), Conditional: conditional, Destination: taint})
	}
}

// branch records a conditional jump.
func (s *step) branch() {
	condition := s.shadow(1)
	s.goesTo(condition.taint, evm.SinkBranch, -1)
	s.decides(condition.taint, evm.UseBranch)
	for _, l := range s.sets.taint(condition.taint).Labels {
		if l.Kind == evm.OfWrapped && len(s.frame.guards) < maxGuards {
			s.frame.guards = append(s.frame.guards, l.Event)
		}
	}
	if !s.room(len(s.trace.Branches)) {
		return
	}
	b := evm.TracedBranch{At: s.at(), Taken: !s.arg(1).IsZero(), Condition: s.sets.taint(condition.taint)}
	if c := condition.truth; c != nil {
		b.Op, b.Negated, b.Left, b.Right = byte(c.op), c.negated, c.left, c.right
		b.LeftTaint, b.RightTaint = s.sets.taint(c.lt), s.sets.taint(c.rt)
	} else {
		b.Op, b.Negated, b.Left, b.LeftTaint = byte(vm.ISZERO), true, *s.arg(1), b.Condition
	}
	s.trace.Branches = append(s.trace.Branches, b)
}

// maxGuards bounds what is remembered of a frame's branches between two effects. Arbitrary.
const maxGuards = 64

// store follows SSTORE and TSTORE. The machine has recorded the access already.
func (s *step) store() {
	slot, value := s.shadow(0).taint, s.shadow(1).taint
	transient := s.op == vm.TSTORE
	access := -1
	if f := s.frame.index; f >= 0 && !transient {
		list := s.exec.Frames[f].Storage
		if n := len(list) - 1; n >= 0 && list[n].Write && list[n].PC == s.pc && list[n].Slot == *s.arg(0) {
			access = n
		}
	}
	if s.room(len(s.trace.Stores)) {
		s.trace.Stores = append(s.trace.Stores, evm.TracedStore{
			At: s.at(), Access: access, Transient: transient, Slot: s.sets.taint(slot), Value: s.sets.taint(value),
		})
	}
	if !transient {
		s.goesTo(value, evm.SinkStore, access)
		s.goesTo(slot, evm.SinkSlot, access)
	}
	s.decides(value, evm.UseStore)
	s.storage.store(place{s.frame.self, *s.arg(0), transient}, value)
	s.frame.guards = nil
	s.pop(2)
}

// output follows RETURN and REVERT.
func (s *step) output() {
	f := s.frame
	f.outSize = s.shadow(1).taint
	if from, n, ok := reach(s.arg(0), s.arg(1)); ok {
		f.output = f.memory.part(from, n)
		if s.op == vm.RETURN {
			all := f.output.union(s.sets, 0, n)
			s.goesTo(all, evm.SinkReturn, -1)
			s.decides(all, evm.UseReturn)
		}
	}
	s.pop(2)
}

// decides notes the first use of what calls yielded.
func (s *step) decides(id ID, kind evm.UseKind) {
	if s.frame.index < 0 {
		return
	}
	for _, l := range s.sets.taint(id).Labels {
		if use := s.useOf(l); use != nil && !use.Decided() {
			*use = evm.Use{Kind: kind, At: s.at()}
		}
	}
}

// useOf is where the use of what a label names is noted; nil: nowhere.
func (t *Tracer) useOf(l evm.Label) *evm.Use {
	switch l.Kind {
	case evm.OfSuccess:
		return &t.trace.Calls[l.Event].SuccessUse
	case evm.OfAnswer:
		return &t.trace.Calls[l.Event].AnswerUse
	}
	return nil
}

// goesTo notes where the results of operations that wrapped come to.
func (s *step) goesTo(id ID, kind evm.SinkKind, access int) {
	if s.frame.index < 0 {
		return
	}
	for _, l := range s.sets.taint(id).Labels {
		if l.Kind != evm.OfWrapped {
			continue
		}
		w := &s.trace.Wraps[l.Event]
		known := func() bool { // a loop goes to the same place again and again
			for i := range w.Sinks {
				if w.Sinks[i].Kind == kind && w.Sinks[i].At == s.at() {
					return true
				}
			}
			return false
		}
		if len(w.Sinks) < evm.MaxSinks && !known() {
			w.Sinks = append(w.Sinks, evm.Sink{Kind: kind, At: s.at(), Access: access})
		}
	}
}

// lose notes that a label was dropped.
func (t *Tracer) lose(l evm.Label) {
	if l.Kind == evm.OfWrapped {
		t.trace.Wraps[l.Event].Lost = true
	} else if use := t.useOf(l); use != nil && !use.Decided() {
		use.Kind = evm.UseNotKnown
	}
}
