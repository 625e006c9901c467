package input

import (
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// This file follows what a frame is answered by those that it calls. Contracts with known code are read like the frame itself, with what
// their caller made of the numbers. What the attacker's contract answers are numbers of the call as well, or do not depend on them.

// innerCalls are the calls of a frame, as the run made them.
type innerCalls struct {
	frames     []int         // that are still to come, in order
	given      map[int]uint8 // by frame of the attacker's contract: the number of the answer that it gave, see answersGiven
	first, end int32         // the variables of the call around them

	answered bool    // one has ended, and it is known which
	size     int     // of its answer
	words    []int32 // of it, where the attacker's contract answered
}

// opens reports whether an instruction opens a frame.
func opens(op vm.OpCode) bool {
	switch op {
	case vm.CALL, vm.CALLCODE, vm.DELEGATECALL, vm.STATICCALL, vm.CREATE, vm.CREATE2:
		return true
	}
	return false
}

// innersOf are the calls of a frame.
func innersOf(e *evm.Execution, frame int) innerCalls {
	calls := innerCalls{answered: true}
	for i := frame + 1; i < e.Calls[e.Frames[frame].Call].Frames[1]; i++ {
		if e.Frames[i].Parent == frame {
			calls.frames = append(calls.frames, i)
		}
	}
	return calls
}

// passing is what an instruction that opens a frame takes: ether, where its input is in memory, and where its answer goes.
type passing struct{ value, from, size, to, most int32 }

// callInner follows an instruction that opens a frame, whose answer goes to memory. It returns the term of what the instruction leaves on the stack.
func (r *reader) callInner(op vm.OpCode, pc uint32, passes passing) int32 {
	c := &r.inner
	c.answered, c.words = false, nil
	if len(c.frames) == 0 || r.execution.Frames[c.frames[0]].CallPC != pc {
		c.frames = nil
		clear(r.memory)
		return unknown
	}
	at := c.frames[0]
	f := &r.execution.Frames[at]
	c.frames = c.frames[1:]
	if op == vm.CREATE || op == vm.CREATE2 {
		return unknown
	}
	c.answered, c.size = true, len(f.Output)
	if f.CodeAddress != attacker.Address && f.Program != nil && op != vm.CALLCODE {
		return r.enter(op, at, passes)
	}
	r.forget(passes.to, passes.most)
	if f.CodeAddress != attacker.Address || f.Outcome != evm.Success {
		return unknown
	}
	c.words = r.answerOf(f, c.given[at])
	r.put(passes.to, 0, passes.most)
	return r.given(uint256.NewInt(1))
}

// enter reads a frame that was called, and returns whether it succeeded: as long as all its jumps go the same way, that is so.
func (r *reader) enter(op vm.OpCode, at int, passes passing) int32 {
	f := &r.execution.Frames[at]
	stored := r.stored
	if f.Outcome != evm.Success {
		stored = maps.Clone(stored) // what it stores is undone
	}
	inside := level{
		frame: f, at: at - r.execution.Calls[f.Call].Frames[0], callers: (r.callers ^ uint64(f.CallPC+1)) * fnvPrime,
		memory: map[uint64]int32{}, words: r.passed(f, passes), times: map[loop]uint64{}, loose: true, inner: innersOf(r.execution, at),
	}
	inside.inner.given, inside.inner.first, inside.inner.end = r.inner.given, r.inner.first, r.inner.end
	inside.value = r.valuePassed(op, f, passes.value)
	outside, from := r.level, len(r.decisions)
	r.level = inside
	r.wrong = !r.read() || r.wrong
	ended, returns := r.ended, r.returns
	r.level, r.stored = outside, stored
	r.forget(passes.to, passes.most)
	if r.wrong || !ended {
		return unknown
	}
	r.inner.words = returns
	r.put(passes.to, 0, passes.most)
	if f.Outcome == evm.Success {
		return r.given(uint256.NewInt(1))
	}
	failure := r.given(new(uint256.Int))
	r.failed(failure, stretch{from, len(r.decisions)})
	return failure
}

// failed notes that a term tells that a called frame failed.
func (f *Formulas) failed(tells int32, within stretch) {
	if within.to == within.from {
		return
	}
	if f.failures == nil {
		f.failures = map[int32]stretch{}
	}
	f.failures[tells] = within
}

// valuePassed is the term of CALLVALUE in a frame that is called with ether; unknown where nothing is known of that.
func (r *reader) valuePassed(op vm.OpCode, f *evm.Frame, value int32) int32 {
	switch t := &r.terms[value]; {
	case op == vm.DELEGATECALL:
		return r.callValue()
	case op == vm.STATICCALL:
		return r.constant(new(uint256.Int))
	case t.known && t.value == f.Value:
		return value
	}
	return unknown
}

// passed are the words of memory that a frame gets as input, by offset.
func (r *reader) passed(f *evm.Frame, passes passing) map[uint64]int32 {
	words := map[uint64]int32{}
	from := &r.terms[passes.from]
	if !from.known || from.moves || !from.value.LtUint64(maxMemory) {
		return words
	}
	for o, word := range r.memory { // in any order: each by itself
		at := o - from.value.Uint64()
		if o < from.value.Uint64() || at+chunkBytes > uint64(len(f.Input)) || !r.terms[word].known {
			continue
		}
		if bytes := r.terms[word].value.Bytes32(); string(bytes[:]) == string(f.Input[at:at+chunkBytes]) {
			words[at] = word
		}
	}
	return words
}

// end notes that a frame ended, and the words that it answers.
func (r *reader) end(op vm.OpCode) {
	r.ended = true
	if n := len(r.stack); op != vm.STOP && n >= 2 {
		from, size := &r.terms[r.stack[n-1]], &r.terms[r.stack[n-2]]
		if !from.known || from.moves || !size.known || size.moves || !from.value.LtUint64(maxMemory) || !size.value.LtUint64(chunkBytes*maxCopied) {
			return
		}
		for i := uint64(0); i+chunkBytes <= min(size.value.Uint64(), uint64(len(r.frame.Output))); i += chunkBytes {
			word := r.memory[from.value.Uint64()+i]
			if bytes := r.terms[word].value.Bytes32(); string(bytes[:]) != string(r.frame.Output[i:i+chunkBytes]) {
				word = unknown
			}
			r.returns = append(r.returns, word)
		}
	}
}

// answerOf makes terms of the words that the attacker's contract answered: variables, if they are those of an answer of its script.
func (r *reader) answerOf(f *evm.Frame, number uint8) []int32 {
	words := wordsOf(f.Output)
	terms := make([]int32, len(words))
	for i := range words {
		terms[i] = r.constant(&words[i])
	}
	if number == 0 {
		return terms
	}
	if a := &r.sequence[f.Call].Script.Answers[number-1]; a.End != attacker.Return || !slices.Equal(a.Words, words) {
		return terms
	}
	for i := r.inner.first; i < r.inner.end; i++ {
		if w := &r.variables[i].Word; w.Kind == AnswerWord && w.answer == number {
			at := w.path[0]
			terms[at] = r.add(term{variable: i, value: words[at], known: true, moves: true, of: 1 << i})
		}
	}
	return terms
}

// wordsOf are the words of an answer.
func wordsOf(output []byte) []uint256.Int {
	words := make([]uint256.Int, len(output)/chunkBytes)
	for i := range words {
		words[i].SetBytes32(output[chunkBytes*i:])
	}
	return words
}

// answersGiven tells which answer of a script the attacker's contract gave in each of its frames in a call, as its code chooses
// them. Numbers count from 1; what is not of the script is left out.
func answersGiven(script *Script, e *evm.Execution, call int) map[int]uint8 {
	if script == nil {
		return nil
	}
	given := map[int]uint8{}
	used := make([]uint8, len(script.Answers))
	for i := e.Calls[call].Frames[0]; i < e.Calls[call].Frames[1]; i++ {
		f := &e.Frames[i]
		if f.CodeAddress != attacker.Address || f.Self != attacker.Address {
			continue
		}
		for n := range script.Answers {
			a := &script.Answers[n]
			if !a.Any && selectorOf(f.Input) != a.On || a.After > 0 && used[a.After-1] == 0 || a.Times > 0 && used[n] >= a.Times {
				continue
			}
			if a.Times > 0 {
				used[n]++
			}
			given[i] = uint8(n + 1)
			break
		}
	}
	return given
}

// selectorOf is the function that is called; zero: none.
func selectorOf(data []byte) (selector [4]byte) {
	if len(data) >= 4 {
		copy(selector[:], data)
	}
	return selector
}

// Spelled is a sequence with a script for its last call, in which the attacker's contract answers what it answered, and does nothing else: so that all
// of these words are numbers of the call, and those before a function that is not a view was called may differ from those after it. False where the
// call has such a script, or the contract was not called.
func (s *Space) Spelled(seq Sequence, e *evm.Execution) (Sequence, bool) {
	last := len(seq) - 1
	if s.contract < 0 || seq[last].Function.Test {
		return nil, false
	}
	before, other, behind := asksOf(e, last)
	var answers []Answer
	if other != nil {
		a := Answer{On: other.on, Times: 1}
		if len(other.words) > 0 {
			a.End, a.Words = attacker.Return, other.words
		}
		answers = append(answers, a)
	}
	for _, q := range behind {
		answers = append(answers, Answer{On: q.on, After: 1, End: attacker.Return, Words: q.words})
	}
	for _, q := range before {
		answers = append(answers, Answer{On: q.on, End: attacker.Return, Words: q.words})
	}
	if len(answers) == 0 || len(answers) > attacker.MaxAnswers {
		return nil, false
	}
	spelled := &Script{Answers: answers}
	if script := seq[last].Script; script != nil && script.Equal(spelled) {
		return nil, false
	}
	out := seq.Clone()
	out[last].Script = spelled
	return out, true
}

// ask is a function of the attacker's contract that was called, and what it answered.
type ask struct {
	on    [4]byte
	words []uint256.Int
}

// asksOf lists the views that a call asked the attacker's contract for before it called another function of it, that one, and the views that it
// asked for then: each once.
func asksOf(e *evm.Execution, call int) (before []ask, other *ask, behind []ask) {
	for i := e.Calls[call].Frames[0]; i < e.Calls[call].Frames[1]; i++ {
		f := &e.Frames[i]
		if f.CodeAddress != attacker.Address || f.Self != attacker.Address || f.Outcome != evm.Success || len(f.Output)%chunkBytes != 0 {
			continue
		}
		q := ask{selectorOf(f.Input), wordsOf(f.Output)}
		if len(q.words) > attacker.MaxWords || q.on == [4]byte{} {
			continue
		}
		switch {
		case f.Kind != evm.KindStaticCall && other == nil:
			other = &q
		case f.Kind != evm.KindStaticCall || len(q.words) == 0:
		case other == nil:
			before = addAsk(before, q)
		default:
			behind = addAsk(behind, q)
		}
	}
	return before, other, behind
}

func addAsk(asks []ask, q ask) []ask {
	if slices.ContainsFunc(asks, func(known ask) bool { return known.on == q.on }) {
		return asks
	}
	return append(asks, q)
}

// put puts the words of the latest answer, from one on, to memory that is known to hold nothing else.
func (r *reader) put(to int32, from uint64, most int32) {
	at, n := &r.terms[to], &r.terms[most]
	if !at.known || at.moves || !n.known || n.moves || !at.value.LtUint64(maxMemory) || from%chunkBytes != 0 {
		return
	}
	for i := from / chunkBytes; i < uint64(len(r.inner.words)) && n.value.GtUint64(chunkBytes*(i+1)-from-1); i++ {
		r.memory[at.value.Uint64()+chunkBytes*i-from] = r.inner.words[i]
	}
}

// returnedSize is the size of the latest answer: numbers seldom change it.
func (r *reader) returnedSize() int32 {
	if !r.inner.answered {
		return unknown
	}
	return r.given(uint256.NewInt(uint64(r.inner.size)))
}

// copyReturned follows an answer that is copied to memory.
func (r *reader) copyReturned(args [3]int32) {
	r.forget(args[0], args[2])
	if from := &r.terms[args[1]]; r.inner.answered && from.known && !from.moves && from.value.LtUint64(maxMemory) {
		r.put(args[0], from.value.Uint64(), args[2])
	}
}
