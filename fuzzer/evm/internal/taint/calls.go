package taint

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
)

// pending is a call that has begun and not ended.
type pending struct {
	call      int // index in Trace.Calls; −1: not recorded
	input     data
	inputSize ID
	value     ID
	at, size  int  // where in memory its return data goes
	opaque    bool // no instruction ran
}

// maxLooked bounds the bytes of a call's input that are looked at, as a whole, when it is
// recorded: passing megabytes costs a contract nothing. No ABI encodes as much.
const maxLooked = 1 << 16

// selectorSize is the number of bytes that choose a function.
const selectorSize = 4

// call follows CALL and its kind.
func (s *step) call() {
	shift := 0 // CALL and CALLCODE have a value before the regions
	p := &pending{}
	if s.op == vm.CALL || s.op == vm.CALLCODE {
		shift, p.value = 1, s.shadow(2).taint
	}
	event := evm.TracedCall{Address: s.sets.taint(s.shadow(1).taint), Value: s.sets.taint(p.value)}
	p.inputSize = s.shadow(3 + shift).taint
	if from, n, ok := reach(s.arg(2+shift), s.arg(3+shift)); ok {
		p.input = s.frame.memory.part(from, n)
		head, tail := p.input.union(s.sets, 0, min(n, selectorSize)), s.looked(&p.input, selectorSize, n-selectorSize)
		event.Selector, event.Data = s.sets.taint(head), s.sets.taint(tail)
		s.goesTo(s.sets.union(head, tail), evm.SinkCallData, -1)
	}
	if at, n, ok := reach(s.arg(4+shift), s.arg(5+shift)); ok {
		p.at, p.size = at, n
	}
	s.open(p, event, 6+shift)
}

// create follows CREATE and CREATE2.
func (s *step) create() {
	p := &pending{value: s.shadow(0).taint, inputSize: s.shadow(2).taint}
	event := evm.TracedCall{Value: s.sets.taint(p.value)}
	if from, n, ok := reach(s.arg(1), s.arg(2)); ok {
		p.input = s.frame.memory.part(from, n)
		all := s.looked(&p.input, 0, n)
		event.Data = s.sets.taint(all)
		s.goesTo(all, evm.SinkCallData, -1)
	}
	operands := 3
	if s.op == vm.CREATE2 {
		operands, event.Address = 4, s.sets.taint(s.shadow(3).taint)
	}
	s.open(p, event, operands)
}

// looked is the taint of a call's input, where the call is recorded.
func (s *step) looked(input *data, from, n int) ID {
	if n <= 0 || len(s.trace.Calls) >= evm.MaxTraced {
		return 0
	}
	return input.union(s.sets, from, min(n, maxLooked))
}

// open records a call and leaves the word that it will push.
func (s *step) open(p *pending, event evm.TracedCall, operands int) {
	f := s.frame
	s.goesTo(p.value, evm.SinkCallValue, -1)
	taint := s.sets.via(s.all(operands))
	p.call = -1
	if s.room(len(s.trace.Calls)) {
		p.call = len(s.trace.Calls)
		event.At, event.Kind, event.Callee = s.at(), record.KindOf(s.op, 1), -1
		s.trace.Calls = append(s.trace.Calls, event)
		taint = s.sets.union(taint, s.sets.label(evm.OfSuccess, p.call))
	}
	s.push(operands, taint)
	f.guards, f.pending = nil, p
	f.back, f.backSize, f.called = data{}, 0, p.call
}

// settle ends a call: the machine is about to run what comes behind it.
func (t *Tracer) settle(f *frame, stack []uint256.Int, back []byte) {
	p := f.pending
	f.pending = nil
	returned := t.sets.source(evm.FromReturnData)
	answer, rest := returned, returned
	if c := t.trace.Call(p.call); c != nil {
		c.Success = len(stack) > 0 && !stack[len(stack)-1].IsZero()
		c.Output, c.Copied = len(back), min(p.size, len(back)) > 0
		answer = t.sets.union(returned, t.sets.label(evm.OfAnswer, p.call))
		rest = t.sets.union(returned, t.sets.label(evm.OfOutput, p.call))
	}
	from := f.back
	if p.opaque && len(back) > 0 { // a precompiled contract
		from = data{rest: p.input.union(t.sets, 0, len(p.input.bytes))}
	}
	f.back = data{bytes: make([]ID, len(back)), rest: returned}
	for i := range back {
		if i < wordSize {
			f.back.bytes[i] = t.sets.union(from.at(i), answer)
		} else {
			f.back.bytes[i] = t.sets.union(from.at(i), rest)
		}
	}
	f.memory.set(p.at, min(p.size, len(back)), f.back.at)
}
