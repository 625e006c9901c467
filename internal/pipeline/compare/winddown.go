package compare

import (
	"math/rand/v2"
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/mine"
	"github.com/sightline-evm/sightline/internal/abi"
)

// A contract that owes more than it holds pays all but the last of those whom it owes. So what a change makes accounts
// owe each other shows when all of them leave: after calls that execute changed code, what is known to pay is called, by
// all accounts, until one call cannot pay.

// What is tried at most. Arbitrary: some tenths of a second.
const (
	maxLeaving     = 64 // calls that pay
	maxLeavingOf   = 8  // of one function
	maxActs        = 32 // calls that change something, one of each function
	maxWoundDown   = 32 // calls that execute changed code
	maxWoundDownOf = 4  // of one function
	maxStarts      = 3  // what comes before one
	windDownSteps  = 24 // calls that are tried after it
	windDownTries  = 8  // of one of them
	windDownRuns   = 24000
	smallNumbers   = 4 // of elements, from 0 up
)

// leaving are calls that are known to pay out of a contract of the head, and others that succeed, and may have to come
// before.
type leaving struct {
	calls, acts []input.Call
	of          map[*input.Function]int // how many of calls

	last, before []input.Sequence // what executes changed code, and what may come before it
}

// noteLeaving keeps the calls of an input that pay.
func (w *lawLost) noteLeaving(seq input.Sequence, exec *evm.Execution) {
	of := func(call *input.Call) func(input.Call) bool {
		return func(known input.Call) bool { return callableOf(&known) == callableOf(call) }
	}
	for i := range min(len(seq), len(exec.Calls)) {
		if exec.Calls[i].Outcome != evm.Success {
			continue
		}
		call := copyOf(&seq[i])
		call.Script = nil
		if len(w.leaving.acts) < maxActs && stores(exec, i) && !slices.ContainsFunc(w.leaving.acts, of(&call)) {
			w.leaving.acts = append(w.leaving.acts, call)
		}
		if len(w.leaving.calls) < maxLeaving && w.leaving.of[call.Function] < maxLeavingOf && w.head.HasPaid(exec, i) &&
			!slices.ContainsFunc(w.leaving.calls, func(known input.Call) bool { return known.Equal(&call) }) {
			w.leaving.calls = append(w.leaving.calls, call)
			w.leaving.of[call.Function]++
		}
	}
	w.noteWoundDown(seq, exec)
}

// noteWoundDown keeps an input whose last call executes changed code, and changes something: the first few of each function.
func (w *lawLost) noteWoundDown(seq input.Sequence, exec *evm.Execution) {
	last := len(seq) - 1
	if seq[last].Function.Kind != input.Method || len(exec.Calls) != len(seq) || exec.Calls[last].Outcome != evm.Success || !stores(exec, last) || len(w.entered(exec, last)) == 0 {
		return
	}
	of := 0
	for _, known := range w.leaving.last {
		if callableOf(&known[len(known)-1]) == callableOf(&seq[last]) {
			of++
		}
	}
	if of < maxWoundDownOf && len(w.leaving.last) < maxWoundDown {
		w.leaving.last = append(w.leaving.last, seq.Clone())
	}
}

// windDown makes accounts leave after calls that execute changed code, and returns the sequences whose last call fails
// since then (see fails), one of each function.
func (w *lawLost) windDown(calls *suiteCalls, on *pair, seed uint64) (found []input.Sequence) {
	w.leaving.before = calls.changing
	d := newWindDown(w.Head.Space, on.head, &w.leaving, seed)
	d.see = func(seq input.Sequence, exec *evm.Execution) (over bool) {
		over = w.fails(exec)
		if over {
			found = addShortest(found, seq)
		}
		return over
	}
	d.try()
	return found
}

// windDownBase makes accounts leave on the base, as far as it has the calls, so that what they are paid there counts.
func (w *lawLost) windDownBase(on *pair, seed uint64) {
	there := &leaving{calls: w.carryCalls(w.leaving.calls), acts: w.carryCalls(w.leaving.acts), last: w.carryAll(w.leaving.last), before: w.carryAll(w.leaving.before)}
	d := newWindDown(w.Base.Space, on.base, there, seed)
	d.see = func(seq input.Sequence, exec *evm.Execution) bool {
		w.base.See(seq, exec, func(l *mine.Law, _ int) { l.Broken = true })
		return false
	}
	d.try()
}

func (w *lawLost) carryCalls(calls []input.Call) (there []input.Call) {
	for _, call := range calls {
		if was, ok := w.carryCall(call); ok {
			there = append(there, was)
		}
	}
	return there
}

// carryAll carries sequences without the calls that the base has not.
func (w *lawLost) carryAll(list []input.Sequence) (there []input.Sequence) {
	for _, seq := range list {
		if seq = w.carry(w.withoutAdded(seq), nil); len(seq) > 0 {
			there = append(there, seq.Clone())
		}
	}
	return there
}

// windDown makes accounts leave on one side.
type windDown struct {
	*leaving
	space   *input.Space
	machine evm.Machine
	random  *rand.Rand
	left    effort
	encoded evm.Sequence
	see     func(input.Sequence, *evm.Execution) (over bool) // is told what ran
}

func newWindDown(space *input.Space, machine evm.Machine, of *leaving, seed uint64) *windDown {
	return &windDown{leaving: of, space: space, machine: machine, random: rand.New(rand.NewPCG(seed, 0)), left: effort{windDownRuns, triedWork}}
}

// try makes accounts leave again and again, after other calls each time.
func (d *windDown) try() {
	starts := slices.Concat(d.last, d.before)
	for len(d.calls) > 0 && len(d.last) > 0 && d.left.left() {
		for _, seq := range d.last {
			var start input.Sequence
			for range d.random.IntN(maxStarts + 1) {
				start = append(start, starts[d.random.IntN(len(starts))]...)
			}
			d.from(append(start, seq...))
		}
	}
}

// from makes accounts leave after a sequence.
func (d *windDown) from(seq input.Sequence) {
	if exec := d.run(seq); exec == nil || exec.Calls[len(seq)-1].Outcome != evm.Success {
		return
	}
	for range windDownSteps {
		next, over := d.step(slices.Clip(seq))
		if over {
			return
		}
		if next != nil {
			seq = next
		}
	}
}

// step adds a call to a sequence: by whoever made it, or by others and with other numbers until it succeeds; nil where it does not.
func (d *windDown) step(seq input.Sequence) (next input.Sequence, over bool) {
	call := d.next()
	for n := range windDownTries {
		if n > 0 {
			d.vary(&call, seq)
		}
		next = append(seq, call)
		exec := d.run(next)
		if exec == nil || d.see(next, exec) {
			return nil, true
		}
		if exec.Calls[len(seq)].Outcome == evm.Success {
			return next, false
		}
	}
	return nil, false
}

// next is a call that may pay: mostly one that is known to.
func (d *windDown) next() input.Call {
	call := d.calls[d.random.IntN(len(d.calls))]
	switch n := d.random.IntN(6); {
	case n == 0:
		seq := d.last[d.random.IntN(len(d.last))]
		call = seq[len(seq)-1]
	case n <= 2 && len(d.acts) > 0:
		call = d.acts[d.random.IntN(len(d.acts))]
	}
	if d.random.IntN(8) == 0 {
		call.TimeAdvance = waits[d.random.IntN(len(waits))]
	}
	return call
}

// vary makes another account make a call, with other numbers: small ones, such as those of elements, or some of the sequence.
func (d *windDown) vary(call *input.Call, after input.Sequence) {
	*call = copyOf(call)
	call.Sender = after[d.random.IntN(len(after))].Sender // mostly one of those who take part
	if d.random.IntN(2) == 0 {
		call.Sender = d.random.IntN(len(d.space.Senders))
	}
	for i := range call.Args {
		if call.Function.Inputs[i].Kind != abi.Uint || d.random.IntN(2) == 0 {
			continue
		}
		number := uint256.NewInt(d.random.Uint64N(smallNumbers))
		if amounts := amountsOf(&after[d.random.IntN(len(after))]); d.random.IntN(2) == 0 {
			number = amounts[d.random.IntN(len(amounts))]
		}
		if number.BitLen() <= call.Function.Inputs[i].Bits {
			call.Args[i].Word = *number
		}
	}
}

// waits are what may pass before a call, in seconds: an hour, a day, a month and a year.
var waits = []uint64{3600, 86400, 30 * 86400, 365 * 86400}

// run runs a sequence; nil where that is not possible, or nothing is left to be tried.
func (d *windDown) run(seq input.Sequence) *evm.Execution {
	if !d.left.left() {
		return nil
	}
	d.encoded = d.space.Encode(seq, d.encoded)
	exec, err := d.machine.Run(d.encoded)
	if err != nil || exec.Truncated || len(exec.Calls) != len(seq) {
		d.left.spend()
		return nil
	}
	d.left.spend(exec)
	return exec
}
