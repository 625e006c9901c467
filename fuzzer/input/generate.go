package input

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Seeds are the inputs that a campaign starts with: every callable function
// once, with zero arguments from the first sender, in the order of
// Space.Callables. A function of a fresh instance comes after the constructor
// call that makes it.
func (m *Mutator) Seeds() []Sequence {
	var seeds []Sequence
	for _, c := range m.space.Callables {
		call := Call{Sender: m.space.senderOf(c.Function), Instance: c.Instance, Function: c.Function, Args: abi.Zeros(c.Function.Inputs)}
		in := &m.space.Instances[c.Instance]
		if in.Fresh && c.Function != in.constructor {
			seeds = append(seeds, Sequence{zeroConstructor(in, c.Instance), call})
			continue
		}
		seeds = append(seeds, Sequence{call})
	}
	return seeds
}

// maxSeedsBySender bounds SeedsBySender. Arbitrary: some tens of milliseconds of a campaign.
const maxSeedsBySender = 2048

// fewSenders are paired with functions by chance soon enough. Arbitrary; four are always there.
const fewSenders = 8

// SeedsBySender are calls with zero arguments of the functions of some contracts' instances, by each
// sender: much of what changes may only be called by one of them, and where there are many
// senders and functions, chance takes long to pair them. With few senders it does not: none.
func (s *Space) SeedsBySender(of func(*bytecode.Contract) bool) []Sequence {
	var seeds []Sequence
	if len(s.ordinary) <= fewSenders {
		return nil
	}
	for _, c := range s.Callables {
		in := &s.Instances[c.Instance]
		if in.Fresh || c.Function.Test || in.Contract == nil || !of(in.Contract) {
			continue
		}
		for _, sender := range s.ordinary {
			if sender == s.senderOf(c.Function) {
				continue // among Mutator.Seeds
			}
			if len(seeds) == maxSeedsBySender {
				return seeds
			}
			seeds = append(seeds, Sequence{{Sender: sender, Instance: c.Instance, Function: c.Function, Args: abi.Zeros(c.Function.Inputs)}})
		}
	}
	return seeds
}

func zeroConstructor(in *Instance, instance int) Call {
	return Call{Instance: instance, Function: in.constructor, Args: abi.Zeros(in.constructor.Inputs)}
}

// Generate makes a call of a random function, view functions less often (see
// viewWeight), with random arguments. Functions of fresh instances are not
// among the choices: GenerateSequence and Mutate add them.
func (m *Mutator) Generate(r Rand) Call {
	return m.generate(r, m.choose(r, m.space.choices))
}

// generateChanging makes a call that may change the state, for places in front
// of other calls; any call when the Space has no such function.
func (m *Mutator) generateChanging(r Rand) Call {
	if len(m.space.changing) == 0 {
		return m.Generate(r)
	}
	return m.generate(r, m.choose(r, m.space.preparing))
}

// choose draws from a list of choices; when there are none (a Space whose only
// instances are fresh, or tests), from all functions.
func (m *Mutator) choose(r Rand, choices []Callable) Callable {
	if len(choices) == 0 {
		choices = m.space.Callables
	}
	c := choices[r.IntN(len(choices))]
	for draws := 1; m.avoided[c.Function] && draws < avoidingDraws; draws++ {
		c = choices[r.IntN(len(choices))]
	}
	return c
}

// avoidingDraws is how often a function is drawn until it is none of those to avoid.
// Arbitrary.
const avoidingDraws = 64

// GenerateSequence makes a sequence of 1 to SeqLen calls. When the Space can
// deploy, half of them begin with a constructor call.
func (m *Mutator) GenerateSequence(r Rand) Sequence {
	if len(m.space.choices) == 0 && len(m.fresh) == 0 {
		return Sequence{m.Generate(r)} // of a test
	}
	n := 1 + r.IntN(m.options.SeqLen)
	seq := make(Sequence, 0, n+1)
	for len(seq) < n-1 {
		seq = append(seq, m.generateChanging(r))
	}
	seq = append(seq, m.Generate(r))
	if len(m.fresh) > 0 && oneIn(r, 2) {
		seq = m.deploy(r, seq)
	}
	return seq
}

// deploy puts a constructor call in front, unless the sequence has one for that
// instance, and turns the last call into one on the fresh instance in half of
// the cases.
func (m *Mutator) deploy(r Rand, seq Sequence) Sequence {
	instance := m.fresh[r.IntN(len(m.fresh))]
	in := &m.space.Instances[instance]
	if len(seq) > 0 && len(in.Functions) > 1 && oneIn(r, 2) {
		f := in.Functions[r.IntN(len(in.Functions)-1)] // the constructor is the last
		seq[len(seq)-1] = m.generate(r, Callable{instance, f})
	}
	for i := range seq {
		if seq[i].Function == in.constructor {
			return seq
		}
	}
	if len(seq) >= m.options.SeqLen {
		seq = seq[len(seq)-m.options.SeqLen+1:]
	}
	first := m.generate(r, Callable{instance, in.constructor})
	return append(Sequence{first}, seq...)
}

// Shares of a generated call's environment: most calls carry no ether unless
// they may, and come in the same block as the call before. Arbitrary.
const (
	generateAdvance = 8 // one call in so many lets time pass
	generateValue   = 2 // one payable call in so many carries ether
)

func (m *Mutator) generate(r Rand, c Callable) Call {
	call := Call{Sender: m.sender(r, c.Function), Instance: c.Instance, Function: c.Function}
	budget := MaxCallWords / 4 // leaves mutations room to grow
	m.parallel = 0
	if arrays(c.Function.Inputs) > 1 && oneIn(r, 2) {
		m.parallel = 1 + r.IntN(maxParallel)
	}
	if n := len(c.Function.Inputs); n > 0 {
		call.Args = make([]Value, n)
		for i := range call.Args {
			call.Args[i] = m.generateValue(r, &c.Function.Inputs[i], &call, &budget)
		}
	}
	if c.Function.Payable && oneIn(r, generateValue) {
		call.Value = m.etherAmount(r, &call)
	}
	if !c.Function.Test && oneIn(r, generateAdvance) {
		call.TimeAdvance = min(timeSteps[r.IntN(len(timeSteps))], m.space.maxTime)
		call.BlockAdvance = min(call.TimeAdvance/12, m.space.maxBlocks)
	}
	return call
}

// sender draws who calls a function.
func (m *Mutator) sender(r Rand, f *Function) int {
	if f.Test {
		return m.space.tester
	}
	if m.space.contract >= 0 && oneIn(r, contractShare) {
		return m.space.contract
	}
	return m.space.ordinary[r.IntN(len(m.space.ordinary))]
}

// contractShare: one call in so many is the attacker's contract's. It is tried in the place of who sends a
// call that succeeds anyway (AsContract), so that this is for the rest; most Worlds have four other senders
// and few functions that call back. Arbitrary.
const contractShare = 24

// generateValue makes a value of type t; budget counts down the words that the
// call may still grow by, and ends growth when it is used up.
func (m *Mutator) generateValue(r Rand, t *Type, c *Call, budget *int) Value {
	switch t.Kind {
	case Bytes, String:
		v := Value{Bytes: m.generateBytes(r, t, c)}
		*budget -= 1 + len(v.Bytes)/32
		if *budget < 0 {
			return Value{}
		}
		return v
	case Slice, Array, Tuple:
		n := t.Length
		if t.Kind == Slice {
			if n = m.parallel; n == 0 {
				n = generateLength(r)
			}
			n = min(n, max(*budget, 0)/t.Elem.Words())
		} else if t.Kind == Tuple {
			n = len(t.Fields)
		}
		if n == 0 {
			return Value{}
		}
		if t.Kind == Tuple {
			if v, ok := m.space.known.sample(r, t); ok {
				*budget -= t.Words()
				return v
			}
		}
		v := Value{Elems: make([]Value, n)}
		for i := range v.Elems {
			v.Elems[i] = m.generateValue(r, t.Child(i), c, budget)
		}
		return v
	}
	*budget--
	return Value{Word: m.generateWord(r, t)}
}

// maxParallel bounds the length of a call's arrays that are all made equally long, as most functions want them that take several: in half of the calls of
// these. Arbitrary; one element is enough for most.
const maxParallel = 3

// arrays counts the arrays among types, and among the fields of structs.
func arrays(types []Type) (n int) {
	for i := range types {
		switch types[i].Kind {
		case Slice:
			n++
		case Tuple:
			n += arrays(types[i].Fields)
		}
	}
	return n
}

// generateLength draws the length of a new array: short ones suffice for most
// loops, and each element costs mutations their aim.
func generateLength(r Rand) int {
	if oneIn(r, 16) {
		return r.IntN(16)
	}
	return r.IntN(4)
}

// How new leaves are drawn. Arbitrary; the dictionary leads because guards
// compare with what it holds.
var generateWeights = []int{2, 2, 6, 4, 3} // zero, small, dictionary, boundary, random width

func (m *Mutator) generateWord(r Rand, t *Type) uint256.Int {
	switch t.Kind {
	case Address:
		return m.addressFor(r, t)
	case Bool:
		return *uint256.NewInt(r.Uint64N(2))
	}
	switch pick(r, generateWeights) {
	case 0:
		return uint256.Int{}
	case 1:
		w := uint256.NewInt(r.Uint64N(smallNumbers))
		return t.Wrap(w)
	case 2:
		if w, ok := m.dictionary.Sample(r, t); ok {
			return w
		}
	case 3:
		return boundary(r, t)
	}
	return randomOf(r, t)
}

// smallNumbers bounds what counts as a small number: indices, counts, fees.
// Arbitrary.
const smallNumbers = 256

// addressFor draws an address for a parameter: mostly one that it means, if that is known.
func (m *Mutator) addressFor(r Rand, t *Type) uint256.Int {
	if likely := m.space.likely[t]; len(likely) > 0 && !oneIn(r, anyShare) {
		return addressWord(likely[r.IntN(len(likely))])
	}
	return m.generateAddress(r)
}

// anyShare: one address in so many is any, where it is known which are meant. Arbitrary.
const anyShare = 4

func (m *Mutator) generateAddress(r Rand) uint256.Int {
	switch r.IntN(16) {
	case 0:
		return randomWord(r, 160)
	case 1:
		return *uint256.NewInt(r.Uint64N(32)) // precompiles and their neighbors
	case 2, 3:
		if w, ok := m.dictionary.Sample(r, &addressType); ok {
			return w
		}
	}
	return addressWord(m.space.Addresses[r.IntN(len(m.space.Addresses))])
}

var (
	addressType = abi.MustParse("(address)")[0]
	wordType    = abi.MustParse("(uint256)")[0]
)

// bytesLengths are the lengths worth a try: around the words and selectors that
// code reads, a signature's 65.
var bytesLengths = [...]int{0, 1, 4, 20, 31, 32, 33, 36, 64, 65, 68, 96, 128, 256}

// textShare: one byte string in so many is a text that the code knows, if it knows
// one. Arbitrary.
const textShare = 4

// plainElements bounds the length of arrays inside bytes. Arbitrary.
const plainElements = 3

// meant is an instance whose functions calldata among a call's arguments may be of: its own (a multicall), one that its arguments
// name (an executor, a factory), or any.
func (m *Mutator) meant(r Rand, c *Call) int {
	if c.Function.Test && len(m.space.choices) > 0 { // only forge calls tests
		return m.choose(r, m.space.choices).Instance
	}
	switch r.IntN(3) {
	case 0:
		return c.Instance
	case 1:
		var named []int
		abi.EachAddress(c.Args, c.Function.Inputs, func(a common.Address) {
			if i := m.space.instanceAt(a); i >= 0 {
				named = append(named, i)
			}
		})
		if len(named) > 0 {
			return named[r.IntN(len(named))]
		}
		return c.Instance
	}
	return m.choose(r, m.space.choices).Instance
}

// generateBytes makes a byte string. Where the World's contracts decode some, half of the bytes arguments are made to be decoded; half of
// the rest are the calldata of a call to the same instance, which is what multicalls, proxies and
// executors want; strings are printable.
func (m *Mutator) generateBytes(r Rand, t *Type, c *Call) []byte {
	if oneIn(r, textShare) {
		if text, ok := m.dictionary.Text(r); ok {
			return text
		}
	}
	if t.Kind == Bytes && len(m.space.encodings.all) > 0 && m.encodedDepth < maxEncodedDepth && oneIn(r, encodingShare) {
		if data := m.encoded(r, c); data != nil {
			return data
		}
	}
	if t.Kind == Bytes && oneIn(r, 2) {
		if data := m.calldata(r, c); data != nil {
			return data
		}
	}
	data := make([]byte, bytesLengths[r.IntN(len(bytesLengths))])
	fillBytes(r, t, data)
	if len(data) == 0 {
		return nil
	}
	return data
}

func fillBytes(r Rand, t *Type, data []byte) {
	for i := range data {
		if t.Kind == String {
			data[i] = byte(' ' + r.IntN('~'-' '+1))
		} else {
			data[i] = byte(r.Uint64())
		}
	}
}

// calldata is the encoding of a random method of an instance that the call may mean, with plain
// arguments: zero or elementary random ones, and short arrays of those (no bytes inside bytes). nil when
// there is no method, or the encoding is too long.
func (m *Mutator) calldata(r Rand, c *Call) []byte {
	functions := m.space.Instances[m.meant(r, c)].Functions
	if len(functions) == 0 {
		return nil
	}
	f := functions[r.IntN(len(functions))]
	if f.Kind != Method {
		return nil
	}
	args := abi.Zeros(f.Inputs)
	for i := range args {
		switch t := &f.Inputs[i]; {
		case t.Elementary() && oneIn(r, 2): // zero is what is left out
			args[i].Word = m.generateWord(r, t)
		case t.Kind == Slice && t.Elem.Elementary():
			args[i].Elems = make([]Value, r.IntN(plainElements))
			for j := range args[i].Elems {
				args[i].Elems[j].Word = m.generateWord(r, t.Elem)
			}
		}
	}
	data := f.appendData(nil, args)
	if len(data) > MaxBytes {
		return nil
	}
	return data
}
