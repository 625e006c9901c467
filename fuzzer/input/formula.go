package input

import (
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// term is a word that code computed: of other terms, of input words, or that does not
// depend on them.
type term struct {
	op       vm.OpCode // computed so of args; STOP: as it is
	variable int32     // index of the variable that it is; −1: none
	args     [3]int32  // indices of terms, smaller than its own
	value    uint256.Int
	known    bool   // the value is; one read from a place that is not tracked is not
	moves    bool   // depends on a variable
	pushed   bool   // a constant of the code
	loose    bool   // depends on words of the call that formulas have as constants, such as an address or the length of an array
	of       uint32 // the variables that it depends on, a bit each: there are at most maxOfAll
	read     uint64 // the state variables that it depends on, likewise: see Formulas.read
}

// unknown is the index of a term that nothing is known of.
const unknown = 0

// Formulas are what the last call of a run computed of the numbers among its words, and
// which way each conditional jump went by it, as the instructions of its frames say: where probing
// a word tells what it does from one input, they tell it of all that take the same path.
//
// Where that call reads what earlier calls stored, their numbers count as well, and so do the ways that they went.
type Formulas struct {
	space     *Space
	sequence  Sequence
	variables []Variable
	own       int // so many of them are of the last call
	terms     []term
	decisions []decision
	before    int               // so many of them are of earlier calls
	read      []StateVariable   // what was read from storage; the last of maxRead is all others as well
	failures  map[int32]stretch // by the terms that tell of them: the decisions in called frames that failed
	notes     *Notes
}

// stretch is decisions from one on up to another.
type stretch struct{ from, to int }

// Bounds of what is read. Arbitrary: calls of the corpora compute some hundreds of words, and most depend on one or two others.
const (
	maxTerms   = 1 << 14 // and so the memory and the time that formulas take
	maxFeeders = 8
	// maxOfAll bounds the variables of all calls: terms have a bit for each.
	maxOfAll = 32
	// maxRead bounds the state variables: terms have a bit for each.
	maxRead = 64
)

// StateVariable is a variable of a contract, with elements of mappings and arrays folded to their base.
type StateVariable struct {
	Address common.Address
	Base    uint256.Int
}

// Notes are what is kept from one reading of formulas, and one search in them, to the next, by whoever does one after the other. The
// zero value is empty.
type Notes struct {
	factors factors
	read    []term // room for what is read
	search  room
}

// Formulas reads those of a run's last call. encoded is what ran. False when
// it ran no code, or when what they tell of a jump is not what the run did: then they are wrong.
func (s *Space) Formulas(seq Sequence, encoded evm.Sequence, e *evm.Execution, notes *Notes) (*Formulas, bool) {
	last := len(seq) - 1
	if !reads(seq, e, last) {
		return nil, false
	}
	f := &Formulas{space: s, sequence: seq, variables: append(s.Variables(seq, last), s.chunksOf(seq, last)...), terms: notes.read, notes: notes}
	ok := f.readAll(encoded, e)
	notes.read = f.terms[:0]
	if !ok {
		return nil, false
	}
	f.compact()
	return f, true
}

// readAll reads the calls that the last one depends on, and it.
func (f *Formulas) readAll(encoded evm.Sequence, e *evm.Execution) bool {
	seq, last := f.sequence, len(f.sequence)-1
	f.own = min(len(f.variables), maxOfAll)
	f.variables = f.variables[:f.own]
	r := reader{Formulas: f, execution: e, stored: map[place]int32{}}
	r.add(term{op: vm.STOP, variable: -1})
	feeders := feedersOf(seq, e)
	firsts := make([]int, len(feeders)) // of their variables
	for i, call := range feeders {
		firsts[i] = len(f.variables)
		own := f.space.Variables(seq, call)
		f.variables = append(f.variables, own[:min(len(own), maxOfAll-len(f.variables))]...)
	}
	firsts = append(firsts, len(f.variables))
	for i := len(feeders) - 1; i >= 0; i-- { // they are the latest first
		if !r.readCall(feeders[i], firsts[i], firsts[i+1], encoded) {
			return false
		}
	}
	f.before = len(f.decisions)
	return r.readCall(last, 0, firsts[0], encoded)
}

// compact leaves out the terms that no decision was made by: most words that a call computes are offsets in memory. Searches
// copy the others over and over.
func (f *Formulas) compact() {
	to := make([]int32, len(f.terms)) // what each becomes; 0, which is unknown, where it is left out; at first 1 for all others
	keep := func(i int32) { to[i] = 1 }
	for _, d := range f.decisions {
		keep(d.condition)
	}
	count := 1
	for i := len(f.terms) - 1; i > 0; i-- {
		if to[i] == 0 && f.terms[i].variable < 0 {
			continue
		}
		keep(int32(i))
		count++
		if f.terms[i].op == vm.STOP {
			continue // it is not computed
		}
		for _, arg := range f.terms[i].args {
			keep(arg)
		}
	}
	kept := append(make([]term, 0, count), f.terms[unknown])
	to[unknown] = unknown
	for i := 1; i < len(to); i++ {
		if to[i] == 0 {
			continue
		}
		t := f.terms[i]
		for j, arg := range t.args {
			t.args[j] = to[arg]
		}
		to[i] = int32(len(kept))
		kept = append(kept, t)
	}
	f.terms = kept
	for i := range f.decisions {
		f.decisions[i].condition = to[f.decisions[i].condition]
	}
	failures := map[int32]stretch{}
	for i, within := range f.failures {
		if to[i] > 0 {
			failures[to[i]] = within
		}
	}
	f.failures = failures
}

// reads reports whether formulas can be read of a call.
func reads(seq Sequence, e *evm.Execution, call int) bool {
	frames := e.Calls[call].Frames
	if frames[0] == frames[1] {
		return false
	}
	frame := &e.Frames[frames[0]]
	return frame.Program != nil && frame.Kind == evm.KindTransaction && seq[call].Function.Kind != Constructor
}

// place is where a word is stored.
type place struct {
	account common.Address
	slot    uint256.Int
}

// feedersOf lists the calls that stored what the last one reads, and those that stored what these read, and so on: the latest first.
func feedersOf(seq Sequence, e *evm.Execution) (feeders []int) {
	wanted := map[place]bool{}
	want := func(call int) {
		eachAccess(e, call, func(a *evm.StorageAccess) bool {
			if !a.Write {
				wanted[place{a.Address, a.Slot}] = true
			}
			return true
		})
	}
	want(len(seq) - 1)
	for call := len(seq) - 2; call >= 0 && len(feeders) < maxFeeders; call-- {
		if e.Calls[call].Outcome != evm.Success || !reads(seq, e, call) {
			continue
		}
		if !eachAccess(e, call, func(a *evm.StorageAccess) bool { return !a.Write || !wanted[place{a.Address, a.Slot}] }) {
			feeders = append(feeders, call)
			want(call)
		}
	}
	return feeders
}

// eachAccess looks at what a call read and wrote, as long as look wants more; false when it did not.
func eachAccess(e *evm.Execution, call int, look func(*evm.StorageAccess) bool) bool {
	for i := e.Calls[call].Frames[0]; i < e.Calls[call].Frames[1]; i++ {
		for j := range e.Frames[i].Storage {
			if !look(&e.Frames[i].Storage[j]) {
				return false
			}
		}
	}
	return true
}

// reader follows the paths of calls.
type reader struct {
	*Formulas
	execution *evm.Execution
	stored    map[place]int32 // what was stored there last
	advances  []int32         // how far calls moved the time, where that is a variable
	advanced  uint64          // likewise, in seconds

	time  int32 // the term of TIMESTAMP in the call that is read, where it is a variable
	wrong bool  // a jump of a called frame went otherwise than its condition says
	level
}

// level is what is known within a frame.
type level struct {
	frame   *evm.Frame
	at      int    // its index in the call
	callers uint64 // tells apart from where it was called; 0: it is the outermost
	stack   []int32
	memory  map[uint64]int32 // by offset, what a MSTORE put there
	words   map[uint64]int32 // by offset in calldata: variables, and what callers make of them
	pieces  []piece          // of byte strings, likewise
	value   int32            // the term of CALLVALUE; unknown in the outermost: what it got moves with nothing
	storage int              // of the frame's accesses, the next one
	loose   bool             // a number of the call is a constant here
	inner   innerCalls
	times   map[loop]uint64
	returns []int32 // the words that it returns
	ended   bool    // it was followed to its end
}

// readCall reads one call, whose variables are those from one on up to another. It reports whether all jumps went as their conditions
// say.
func (r *reader) readCall(call, first, end int, encoded evm.Sequence) bool {
	outermost := r.execution.Calls[call].Frames[0]
	r.level = level{frame: &r.execution.Frames[outermost], stack: r.stack[:0], memory: map[uint64]int32{}, words: map[uint64]int32{}, times: map[loop]uint64{}}
	r.time = unknown
	r.inner = innersOf(r.execution, outermost)
	r.inner.given, r.inner.first, r.inner.end = answersGiven(r.sequence[call].Script, r.execution, call), int32(first), int32(end)
	r.bind(call, first, end, encoded[call].Data)
	return r.read() && !r.wrong
}

func (r *reader) add(t term) int32 {
	r.terms = append(r.terms, t)
	return int32(len(r.terms) - 1)
}

func (r *reader) constant(x *uint256.Int) int32 {
	return r.add(term{variable: -1, value: *x, known: true})
}

// bind finds out where a call's data holds its variables: where it changes with them.
func (r *reader) bind(call, first, end int, data []byte) {
	for i := first; i < end; i++ {
		v := &r.variables[i]
		if v.Word.answer > 0 {
			continue // no part of the call's own data
		}
		x, _ := r.space.Get(r.sequence, v.Word)
		t := term{variable: int32(i), value: x, known: true, moves: true, of: 1 << i}
		switch v.Word.Kind {
		case ValueWord:
			r.value = r.add(t)
		case TimeWord:
			r.time = r.timeOf(call, r.add(t))
		case ChunkWord:
			if p, ok := r.pieceAt(v.Word, data); ok {
				p.term = r.add(t)
				r.pieces = append(r.pieces, p)
			}
		default:
			var other uint256.Int
			if other.AddUint64(&x, 1); !r.space.Fits(r.sequence, v.Word, &other) {
				other.SubUint64(&x, 1)
			}
			changed, ok := r.space.With(r.sequence, v.Word, &other)
			if !ok {
				r.loose = true
				continue
			}
			if at, ok := differ(data, changed[call].Function.appendData(nil, changed[call].Args)); ok {
				r.words[at] = r.add(t)
			} else {
				r.loose = true
			}
		}
	}
}

// timeOf is the time of a call that moves it by a term.
func (r *reader) timeOf(call int, advance int32) int32 {
	base := uint256.NewInt(r.space.start.Time)
	for _, c := range r.sequence[:call] {
		base.AddUint64(base, c.TimeAdvance)
	}
	base.SubUint64(base, r.advanced)
	time := r.constant(base)
	r.advances, r.advanced = append(r.advances, advance), r.advanced+r.sequence[call].TimeAdvance
	for _, a := range r.advances {
		time = r.compute(vm.ADD, time, a, unknown)
	}
	return time
}

// differ finds the only word behind the selector in which two calls' data differ.
func differ(a, b []byte) (at uint64, ok bool) {
	if len(a) != len(b) {
		return 0, false
	}
	for i := 4; i+32 <= len(a); i += 32 {
		if string(a[i:i+32]) == string(b[i:i+32]) {
			continue
		}
		if ok {
			return 0, false
		}
		at, ok = uint64(i), true
	}
	return at, ok
}

// read runs the instructions of the path's blocks on terms, up to the first that does
// not fit: a path ends where it failed. It reports whether all jumps went as their conditions say.
func (r *reader) read() bool {
	code, path := r.frame.Program, r.frame.Path
	for i, id := range path {
		block := code.Blocks[id]
		for pc := block.Start; pc < block.End; pc += 1 + bytecode.PushSize(code.Bytes[pc]) {
			op := vm.OpCode(code.Bytes[pc])
			switch {
			case op == vm.STOP || op == vm.RETURN || op == vm.REVERT:
				r.end(op)
				return true
			case op != vm.JUMPI:
				if len(r.terms) >= maxTerms || !r.step(op, pc) {
					return true
				}
			case i+1 == len(path) || len(r.stack) < 2:
				return true
			case !r.decide(pc, code.Blocks[path[i+1]].Start != pc+1):
				return false
			}
		}
	}
	return true
}

// decide notes a conditional jump; false when its condition says otherwise.
func (r *reader) decide(pc uint32, taken bool) bool {
	condition := r.stack[len(r.stack)-2]
	r.stack = r.stack[:len(r.stack)-2]
	r.decisions = append(r.decisions, decision{jump{r.frame.Program.ID, r.at, pc, taken}, condition, r.context(pc)})
	t := &r.terms[condition]
	return !t.known || t.value.IsZero() != taken
}

// context is made of the constants on the stack to which code may jump. Where functions share code,
// solc puts the place to return to on the stack.
func (r *reader) context(pc uint32) uint64 {
	context := r.callers
	for _, i := range r.stack {
		if t := &r.terms[i]; t.pushed && t.value.LtUint64(uint64(len(r.frame.Program.Bytes))) && vm.OpCode(r.frame.Program.Bytes[t.value.Uint64()]) == vm.JUMPDEST {
			context = (context ^ t.value.Uint64()) * fnvPrime
		}
	}
	place := loop{pc, context}
	times := r.times[place]
	r.times[place] = min(times+1, maxTimes)
	return (context ^ times) * fnvPrime
}

// loop is a jump that a path may pass more than once, and from where the code around it was called.
type loop struct {
	pc      uint32
	context uint64
}

// maxTimes: so many rounds of a loop are told apart. Arbitrary.
const maxTimes = 4

// fnvPrime is that of the FNV hash of 64 bits.
const fnvPrime = 1099511628211

// step runs an instruction; false when the stack has too few words for it.
func (r *reader) step(op vm.OpCode, pc uint32) bool {
	n := len(r.stack)
	switch {
	case op >= vm.PUSH0 && op <= vm.PUSH32:
		r.stack = append(r.stack, r.push(pc))
		return true
	case op >= vm.DUP1 && op <= vm.DUP16:
		i := n - 1 - int(op-vm.DUP1)
		if i < 0 {
			return false
		}
		r.stack = append(r.stack, r.stack[i])
		return true
	case op >= vm.SWAP1 && op <= vm.SWAP16:
		i := n - 2 - int(op-vm.SWAP1)
		if i < 0 {
			return false
		}
		r.stack[i], r.stack[n-1] = r.stack[n-1], r.stack[i]
		return true
	}
	pops, pushes := arity(op)
	if n < pops {
		return false
	}
	var args [3]int32
	for i := range min(pops, 3) {
		args[i] = r.stack[n-1-i]
	}
	var passes passing
	if pops > 5 { // a call, or LOG4
		passes = passing{value: args[2], size: r.stack[n-pops+2], from: r.stack[n-pops+3], most: r.stack[n-pops], to: r.stack[n-pops+1]}
	}
	r.stack = r.stack[:n-pops]
	var result int32
	if opens(op) {
		result = r.callInner(op, pc, passes)
	} else {
		result = r.effect(op, args)
	}
	if pushes > 0 {
		r.stack = append(r.stack, result)
	}
	return true
}

// push is the constant of a PUSH; unknown where instances hold other bytes.
func (r *reader) push(pc uint32) int32 {
	code, size := r.frame.Program, bytecode.PushSize(r.frame.Program.Bytes[pc])
	if int(pc+1+size) > len(code.Bytes) || code.Varies(pc+1, pc+1+size) {
		return unknown
	}
	var x uint256.Int
	x.SetBytes(code.Bytes[pc+1 : pc+1+size])
	return r.add(term{variable: -1, value: x, known: true, pushed: true})
}

// effect is what an instruction makes of its operands; unknown for all that is not of
// numbers.
func (r *reader) effect(op vm.OpCode, args [3]int32) int32 {
	switch op {
	case vm.CALLDATALOAD:
		return r.load(args[0])
	case vm.CALLDATASIZE:
		return r.add(term{variable: -1, value: *uint256.NewInt(uint64(len(r.frame.Input))), known: true, loose: r.loose})
	case vm.CALLVALUE:
		return r.callValue()
	case vm.TIMESTAMP:
		return r.time
	case vm.SLOAD, vm.SSTORE:
		return r.access(op == vm.SSTORE, args[1])
	case vm.MLOAD, vm.MSTORE:
		return r.remember(op == vm.MSTORE, args)
	case vm.CALLDATACOPY:
		r.copyIn(args)
		return unknown
	case vm.RETURNDATASIZE:
		return r.returnedSize()
	case vm.RETURNDATACOPY:
		r.copyReturned(args)
		return unknown
	case vm.MCOPY:
		r.copyWithin(args)
		return unknown
	case vm.CODECOPY:
		r.forget(args[0], args[2])
		return unknown
	case vm.MSTORE8:
		r.forget(args[0], r.given(uint256.NewInt(1)))
		return unknown
	case vm.EXTCODECOPY:
		clear(r.memory)
		return unknown
	}
	return r.compute(op, args[0], args[1], args[2])
}

// callValue is the ether that the frame got.
func (r *reader) callValue() int32 {
	if r.value == unknown && r.at == 0 {
		return r.constant(&r.frame.Value)
	}
	return r.value
}

// load is a word of the call's data.
func (r *reader) load(offset int32) int32 {
	at := &r.terms[offset]
	if !at.known || !at.value.IsUint64() {
		return unknown
	}
	if at.moves { // other numbers may lead elsewhere: formulas have the place as a constant
		return r.loosely(r.loadAt(at.value.Uint64()))
	}
	return r.loadAt(at.value.Uint64())
}

// loosely is a term that depends on a word which formulas have as a constant.
func (r *reader) loosely(i int32) int32 {
	if i == unknown || r.terms[i].loose {
		return i
	}
	t := r.terms[i]
	t.loose = true
	return r.add(t)
}

// loadAt is the word of the call's data at an offset.
func (r *reader) loadAt(o uint64) int32 {
	if known, ok := r.words[o]; ok {
		return known
	}
	if r.at > 0 && o < uint64(len(r.frame.Input)) {
		return unknown // what callers make of other bytes is not
	}
	if o > uint64(len(r.frame.Input)) {
		return r.given(new(uint256.Int))
	}
	var data [32]byte
	copy(data[:], r.frame.Input[o:])
	if t, ok := r.piecesAt(o, &data); ok {
		return t
	}
	var x uint256.Int
	x.SetBytes32(data[:])
	return r.given(&x)
}

// given is what the call gives, which no variable moves.
func (r *reader) given(x *uint256.Int) int32 {
	return r.add(term{variable: -1, value: *x, known: true, loose: true})
}

// access is a word of storage, as this run met it: what was stored there, if what was read is the same.
func (r *reader) access(write bool, value int32) int32 {
	if r.storage >= len(r.frame.Storage) || r.frame.Storage[r.storage].Write != write {
		r.storage = len(r.frame.Storage)
		return unknown
	}
	a := &r.frame.Storage[r.storage]
	r.storage++
	at := place{a.Address, a.Slot}
	if write {
		r.stored[at] = value
		return unknown
	}
	t := r.terms[r.stored[at]]
	if !t.known || t.value != a.Value { // what other frames write is not followed
		t = term{variable: -1, value: a.Value, known: true}
	}
	t.pushed, t.read = false, t.read|r.bitOf(a)
	return r.add(t)
}

// bitOf is the bit of the state variable that was read.
func (r *reader) bitOf(a *evm.StorageAccess) uint64 {
	of := StateVariable{a.Address, a.Base}
	at := slices.Index(r.Formulas.read, of)
	if at < 0 {
		if len(r.Formulas.read) < maxRead {
			r.Formulas.read = append(r.Formulas.read, of)
		}
		at = len(r.Formulas.read) - 1
	}
	return 1 << at
}

// remember writes or reads a word of memory. Words that overlap are not known.
func (r *reader) remember(write bool, args [3]int32) int32 {
	at := &r.terms[args[0]]
	if !at.known || at.moves || !at.value.IsUint64() {
		if write {
			clear(r.memory)
		}
		return unknown
	}
	o := at.value.Uint64()
	if !write {
		return r.memory[o] // unknown where nothing is
	}
	r.overwrite(o, 32)
	r.memory[o] = args[1]
	return unknown
}

// copyWithin follows a copy within memory: words that are known are where they were copied to as well.
func (r *reader) copyWithin(args [3]int32) {
	to, from, size := &r.terms[args[0]], &r.terms[args[1]], &r.terms[args[2]]
	words := map[uint64]int32{}
	if to.known && from.known && size.known && !to.moves && !from.moves && to.value.LtUint64(maxMemory) && from.value.LtUint64(maxMemory) && size.value.LtUint64(maxMemory) {
		for o, word := range r.memory { // in any order: each by itself
			if at := o - from.value.Uint64(); o >= from.value.Uint64() && at+chunkBytes <= size.value.Uint64() {
				words[to.value.Uint64()+at] = word
			}
		}
	}
	r.forget(args[0], args[2])
	maps.Copy(r.memory, words)
}

// overwrite forgets the words of memory that so many bytes overlap.
func (r *reader) overwrite(from, size uint64) {
	for other := range r.memory { // in any order: each by itself
		if other+31 >= from && other < from+size {
			delete(r.memory, other)
		}
	}
}

// forget forgets what an instruction writes to memory that nothing is known of; all of it where that is not known either.
func (r *reader) forget(from, size int32) {
	at, n := &r.terms[from], &r.terms[size]
	if !at.known || !n.known || at.moves || n.moves || !at.value.LtUint64(maxMemory) || !n.value.LtUint64(maxMemory) {
		clear(r.memory)
		return
	}
	if !n.value.IsZero() {
		r.overwrite(at.value.Uint64(), n.value.Uint64())
	}
}

// compute is a term of others; a constant of constants.
func (r *reader) compute(op vm.OpCode, a, b, c int32) int32 {
	t := term{op: op, variable: -1, args: [3]int32{a, b, c}}
	pops, _ := arity(op)
	t.known = true
	for _, i := range t.args[:min(pops, 3)] {
		t.known = t.known && r.terms[i].known
		t.moves = t.moves || r.terms[i].moves
		t.read |= r.terms[i].read
		t.loose = t.loose || r.terms[i].loose
		t.of |= r.terms[i].of
	}
	if !t.known || !evaluate(&t, r.terms, &t.value) {
		return unknown
	}
	if !t.moves {
		t.op = vm.STOP
	}
	result := r.add(t)
	if op == vm.ISZERO {
		r.failed(result, r.failures[a])
	}
	return result
}
