package laws

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Family is a family of values that a token keeps.
type Family uint8

// The families, by the views that answer them.
const (
	Balance     Family = iota // of an account
	Supply                    // of all
	Allowance                 // of an account to another
	Owner                     // of an id
	Approved                  // account for an id
	BalanceOfID               // of an account and an id
	SupplyOfID
	families
)

// views are the functions that answer what is in a family.
var views = [families]struct {
	signature string
	arguments int
}{
	Balance:     {"balanceOf(address)", 1},
	Supply:      {"totalSupply()", 0},
	Allowance:   {"allowance(address,address)", 2},
	Owner:       {"ownerOf(uint256)", 1},
	Approved:    {"getApproved(uint256)", 1},
	BalanceOfID: {"balanceOf(address,uint256)", 2},
	SupplyOfID:  {"totalSupply(uint256)", 1},
}

// wordBytes is the length of a word.
const wordBytes = 32

// place is where a token keeps a family: a part of a word, or of an element of a mapping, or of
// a mapping in a mapping.
type place struct {
	base   uint256.Int // of the variable
	within uint64      // words behind the hash of an element
	keys   int
	order  [2]int // the argument of the view that each key is, the innermost first
	// offset and bytes say which part of the word, from its low end.
	offset, bytes uint
}

// slot is where the element for some arguments of the view is.
func (p *place) slot(arguments []uint256.Int) uint256.Int {
	at := p.base
	for i := p.keys - 1; i >= 0; i-- { // the innermost is hashed last
		key, bytes := arguments[p.order[i]].Bytes32(), at.Bytes32()
		at.SetBytes(crypto.Keccak256(key[:], bytes[:]))
	}
	at.AddUint64(&at, p.within)
	return at
}

// of is the value in a word.
func (p *place) of(word *uint256.Int) (value uint256.Int) {
	value.Rsh(word, 8*p.offset)
	if p.bytes < wordBytes {
		value.And(&value, ones(p.bytes))
	}
	return value
}

// ones is the largest number of so many bytes.
func ones(bytes uint) *uint256.Int {
	if bytes >= wordBytes {
		return new(uint256.Int).SetAllOne()
	}
	return new(uint256.Int).SubUint64(new(uint256.Int).Lsh(uint256.NewInt(1), 8*bytes), 1)
}

// Token is an instance that keeps books as a standard says.
type Token struct {
	Address  common.Address
	Contract *bytecode.Contract
	Laws     []*Law

	places [families]*place
	fixed  bool // the supply is in no storage

	// elements are what slots hold, as far as they came up; preset what those hold that
	// compilers compute.
	elements, preset map[uint256.Int][]element
	constants        map[uint256.Int]bool // other slots, whether they are constants of the code

	changes []Change // of the call that is read
	unclear bool
}

// element is a value of a family.
type element struct {
	family Family
	keys   [2]uint256.Int // arguments of the view
}

// has reports whether the contract has a function.
func (t *Token) has(signature string) bool {
	for _, m := range t.Contract.ABI.Methods {
		if m.Sig == signature {
			return true
		}
	}
	return false
}

// Keeps reports whether it is known where the token keeps a family.
func (t *Token) Keeps(f Family) bool { return t.places[f] != nil }

// Holds are the arguments of a family's view that asks for the value to which an access went; false: it went elsewhere.
func (t *Token) Holds(f Family, a *evm.StorageAccess) (keys [2]uint256.Int, ok bool) {
	e, ok := t.holds(f, a)
	return e.keys, ok
}

// Of is the value of a family in a word that holds one.
func (t *Token) Of(f Family, word *uint256.Int) uint256.Int { return t.places[f].of(word) }

// Learn finds the contracts of a World that keep a family at least by asking them, on a machine of it. Few have
// laws. An error means that it failed.
func Learn(machine evm.Machine, w *evm.World) ([]*Token, error) {
	var tokens []*Token
	for i := range w.Instances {
		in := &w.Instances[i]
		if in.Contract == nil || in.Tests != nil {
			continue
		}
		t := &Token{Address: in.Address, Contract: in.Contract, elements: map[uint256.Int][]element{}, preset: map[uint256.Int][]element{}, constants: map[uint256.Int]bool{}}
		f := &finder{machine: machine, from: w.Senders[0].Address, token: t}
		if err := f.find(); err != nil {
			return nil, err
		}
		for _, s := range standards {
			if s.is(t) {
				t.Laws = append(t.Laws, s.laws...)
			}
		}
		if len(t.Laws) > 0 || t.places != [families]*place{} {
			tokens = append(tokens, t)
		}
	}
	return tokens, nil
}

// finder finds where a token keeps what it answers.
type finder struct {
	machine evm.Machine
	from    common.Address
	token   *Token
}

// asked are the arguments with which views are asked: no value that code or state has, each once.
var asked = []uint256.Int{*uint256.MustFromHex("0x7e57ed0acc0417a5a5a5a5a5a5a5a5a5a5a5a5a1"), *uint256.MustFromHex("0x7e57ed0acc0417a5a5a5a5a5a5a5a5a5a5a5a5a2")}

// pattern is a word whose bytes all differ: any part of it says which part it is.
var pattern = func() (w uint256.Int) {
	var bytes [wordBytes]byte
	for i := range bytes {
		bytes[i] = byte(0xa0 + i)
	}
	return *w.SetBytes32(bytes[:])
}()

func (f *finder) find() error {
	for family := range families {
		if !f.token.has(views[family].signature) {
			continue
		}
		if err := f.learn(family); err != nil {
			return err
		}
	}
	return nil
}

// learn finds where a family is kept.
func (f *finder) learn(family Family) error {
	var state []evm.Overwrite
	if owners := f.token.places[Owner]; family == Approved && owners != nil { // ids without an owner have no answer
		state = append(state, evm.Overwrite{Address: f.token.Address, Slot: owners.slot(asked), Value: pattern})
	}
	_, answered, reads, err := f.ask(family, state)
	if err != nil {
		return err
	}
	f.token.fixed = f.token.fixed || family == Supply && answered && len(reads) == 0
	var found *place
	for i := range reads {
		p, ok := newPlace(family, &reads[i].StorageAccess)
		if !ok {
			continue
		}
		with := append(slices.Clone(state), evm.Overwrite{Address: f.token.Address, Slot: reads[i].Slot, Value: pattern})
		value, ok, _, err := f.ask(family, with)
		if err != nil {
			return err
		}
		if !ok || !p.isPart(&value) {
			continue
		}
		if found != nil {
			return nil // a sum of two
		}
		alone, err := f.alone(family, with, reads, i, &value)
		if err != nil || !alone {
			return err
		}
		found = p
	}
	if found != nil {
		f.token.places[family] = found
		f.preset(family, found)
	}
	return nil
}

// alone reports whether nothing else that the frame reads changes an answer: a rate, an exemption.
func (f *finder) alone(family Family, with []evm.Overwrite, reads []read, at int, answer *uint256.Int) (bool, error) {
	for i := range reads {
		if reads[i].frame != reads[at].frame || slices.ContainsFunc(with, func(o evm.Overwrite) bool { return o.Slot == reads[i].Slot }) {
			continue
		}
		value, ok, _, err := f.ask(family, append(slices.Clip(with), evm.Overwrite{Address: f.token.Address, Slot: reads[i].Slot, Value: pattern}))
		if err != nil || !ok || value != *answer {
			return false, err
		}
	}
	return true, nil
}

// read is a read of the token's storage, by the frame that made it.
type read struct {
	evm.StorageAccess
	frame int
}

// ask calls a view on storage that was set from outside, and lists what it reads, each slot once. ok: it answered one word.
func (f *finder) ask(family Family, state []evm.Overwrite) (answer uint256.Int, ok bool, reads []read, err error) {
	s := selector(views[family].signature)
	data := s[:]
	for i := range views[family].arguments {
		word := asked[i].Bytes32()
		data = append(data, word[:]...)
	}
	exec, err := f.machine.Run(evm.Sequence{{From: f.from, To: f.token.Address, Data: data, Overwrites: state}})
	if err != nil || len(exec.Calls) == 0 {
		return answer, false, nil, err
	}
	for i := range exec.Frames {
		for _, a := range exec.Frames[i].Storage {
			if a.Address == f.token.Address && !slices.ContainsFunc(reads, func(r read) bool { return r.Slot == a.Slot }) {
				reads = append(reads, read{a, i})
			}
		}
	}
	c := &exec.Calls[0]
	if ok = c.Outcome == evm.Success && len(c.Output) == wordBytes; ok {
		answer.SetBytes(c.Output)
	}
	return answer, ok, reads, nil
}

// proxySlots say which code runs: not what a token keeps.
var proxySlots = []common.Hash{world.ImplementationSlot, world.AdminSlot, world.BeaconSlot}

// newPlace is what a read is, for a view with the arguments of [asked]; false where other keys led there.
func newPlace(family Family, a *evm.StorageAccess) (*place, bool) {
	n := views[family].arguments
	if a.Keys.Count != n || slices.Contains(proxySlots, common.Hash(a.Slot.Bytes32())) {
		return nil, false
	}
	p := &place{base: a.Base, keys: n}
	if n == 0 {
		p.base = a.Slot // in a struct, or of an array
		return p, true
	}
	for i := range n {
		if p.order[i] = slices.Index(asked[:n], a.Keys.Words[i]); p.order[i] < 0 {
			return nil, false
		}
	}
	if n == len(p.order) && p.order[0] == p.order[1] {
		return nil, false
	}
	first := p.slot(asked)
	var within uint256.Int
	if within.Sub(&a.Slot, &first); !within.IsUint64() || within.Uint64() >= maxWithin {
		return nil, false
	}
	p.within = within.Uint64()
	return p, true
}

// maxWithin bounds the words of a struct in a mapping. Arbitrary: more than any has.
const maxWithin = 1 << 10

// isPart finds the part of [pattern] that a value is.
func (p *place) isPart(value *uint256.Int) bool {
	p.bytes = uint(value.ByteLen())
	for p.offset = 0; p.bytes > 0 && p.offset+p.bytes <= wordBytes; p.offset++ {
		if p.of(&pattern) == *value {
			return true
		}
	}
	return false
}

// preset adds the elements under keys that are constants of the code: compilers hash such keys themselves.
func (f *finder) preset(family Family, p *place) {
	if p.keys != 1 || f.token.Contract.Runtime == nil {
		return
	}
	add := func(key uint256.Int) {
		at := p.slot([]uint256.Int{key})
		e := element{family: family}
		e.keys[0] = key
		f.token.preset[at] = append(f.token.preset[at], e)
	}
	add(uint256.Int{})
	for _, bytes := range (&bytecode.Program{Bytes: f.token.Contract.Runtime.Bytes}).PushConstants() {
		if len(bytes) > 0 && len(bytes) <= common.AddressLength {
			add(*new(uint256.Int).SetBytes(bytes))
		}
	}
}

// constantWindow is how far behind a constant a slot may be that is one of its struct's. Arbitrary.
const constantWindow = 64

// isConstant reports whether a slot is a constant of the code that writes it, or close behind one: a variable in a
// namespace (ERC-7201), or of a proxy.
func (t *Token) isConstant(slot *uint256.Int, p *bytecode.Program) bool {
	known, met := t.constants[*slot]
	if met || p == nil {
		return known
	}
	for _, bytes := range p.PushConstants() {
		var distance, constant uint256.Int
		constant.SetBytes(bytes)
		if distance.Sub(slot, &constant); distance.LtUint64(constantWindow) {
			known = true
			break
		}
	}
	if len(t.constants) < maxElements {
		t.constants[*slot] = known
	}
	return known
}

// maxElements bounds the slots that are remembered. Arbitrary: a megabyte.
const maxElements = 1 << 13

// at is what the token keeps where an access went. known: it cannot be anything else.
func (t *Token) at(a *evm.StorageAccess, p *bytecode.Program) (list []element, known bool) {
	if list, met := t.elements[a.Slot]; met {
		return list, true
	}
	if a.Base == a.Slot && a.Keys.Count == 0 {
		if list, met := t.preset[a.Slot]; met {
			return list, true
		}
	}
	for family := range families {
		if e, is := t.holds(family, a); is {
			list = append(list, e)
		}
	}
	if a.Base == a.Slot && a.Keys.Count == 0 && !a.Slot.IsUint64() && len(list) == 0 {
		return nil, t.isConstant(&a.Slot, p) // else something that was hashed elsewhere
	}
	if len(t.elements) >= maxElements {
		clear(t.elements)
	}
	t.elements[a.Slot] = list
	return list, true
}

// holds reports whether an access went to an element of a family.
func (t *Token) holds(family Family, a *evm.StorageAccess) (e element, is bool) {
	p := t.places[family]
	e.family = family
	switch {
	case p == nil:
		return e, false
	case p.keys == 0:
		return e, a.Slot == p.base
	case a.Base != p.base || a.Keys.Count != p.keys:
		return e, false
	}
	for i := range p.keys {
		e.keys[p.order[i]] = a.Keys.Words[i]
	}
	return e, p.slot(e.keys[:]) == a.Slot
}
