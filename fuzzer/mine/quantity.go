package mine

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Kind is what a quantity is.
type Kind uint8

// The kinds.
const (
	Scalar  Kind = iota // a state variable of at most a word
	Sum                 // of the elements of a mapping
	Holding             // what an instance has of a token of the World
	Ether               // what an instance has of ether
	Answer              // of a view, see [Miner.Ask]
)

// Quantity is a number that the state of an instance has.
type Quantity struct {
	Kind     Kind
	Instance *evm.Instance // whose law it may be part of
	// Slot is where it is, or the mapping is, in the storage of Account; of an Answer it is zero.
	Account common.Address
	Slot    uint256.Int
	// Variable is at Slot; nil: it is not known, and all of the word counts.
	Variable *bytecode.Variable
	Token    *evm.Instance // of a Holding
	View     string        // of an Answer: "totalAssets()"
	// Keys are those of a mapping that were written, and Odd is set where one is not an address.
	Keys map[common.Address]bool
	Odd  bool

	initial uint256.Int
	writes  int // calls that wrote it
	laws    []int
	value   uint256.Int // after the call that is looked at
	before  uint256.Int // and before it
	touched bool        // in the call that is looked at
	stale   bool        // in the sequence that is looked at: its value is not the initial one
}

// place is a word of storage.
type place struct {
	address common.Address
	slot    uint256.Int
}

// wordBytes is the length of a word.
const wordBytes = 32

// of is the part of a word that a quantity is.
func (q *Quantity) of(word *uint256.Int) uint256.Int {
	v := q.Variable
	if v == nil || v.Bytes == 0 || v.Bytes >= wordBytes {
		return *word
	}
	var x uint256.Int
	x.Rsh(word, 8*v.Offset)
	x.And(&x, new(uint256.Int).SubUint64(new(uint256.Int).Lsh(uint256.NewInt(1), 8*v.Bytes), 1))
	return x
}

// isNumber reports whether it makes sense to ask which of two is larger: an address or a flag is
// not.
func (q *Quantity) isNumber() bool {
	return q.Variable == nil || q.Variable.Bytes != common.AddressLength && q.Variable.Bytes != 1
}

// isAnonymous reports whether all that is known of a state variable is its slot, which is a hash, as that of a library's own storage is (ERC-7201).
func (q *Quantity) isAnonymous() bool {
	return q.Kind == Scalar && q.Variable == nil && !q.Slot.IsUint64()
}

// word is what is at a place in the World.
func (m *Miner) word(at *place) (value uint256.Int) {
	if account := m.world.Accounts[at.address]; account != nil {
		word := account.Storage[at.slot.Bytes32()]
		value.SetBytes32(word[:])
	}
	return value
}

// elementOf is where the element of a mapping is for a key (Solidity documentation, "Layout of State
// Variables in Storage").
func elementOf(base, key *uint256.Int) (slot uint256.Int) {
	k, b := key.Bytes32(), base.Bytes32()
	slot.SetBytes(crypto.Keccak256(k[:], b[:]))
	return slot
}

// scalarsAt are the quantities of a word, made when it is first written.
func (m *Miner) scalarsAt(at place) []int {
	if list, known := m.scalars[at]; known {
		return list
	}
	var list []int
	in := m.instances[at.address]
	if in != nil && in.Contract != nil && len(m.quantities) < maxQuantities {
		known := false
		for i := range in.Contract.Variables {
			v := &in.Contract.Variables[i]
			var index uint256.Int
			if index.Sub(&at.slot, &v.Slot); at.slot.Lt(&v.Slot) || !index.Lt(&v.Slots) {
				continue
			}
			known = true
			if v.Bytes > 0 {
				list = append(list, m.add(&Quantity{Kind: Scalar, Instance: in, Account: at.address, Slot: at.slot, Variable: v}))
			}
		}
		if !known {
			list = append(list, m.add(&Quantity{Kind: Scalar, Instance: in, Account: at.address, Slot: at.slot}))
		}
	}
	m.scalars[at] = list
	return list
}

// sumAt is the sum of a mapping, made when an element is first written; −1: there is none.
func (m *Miner) sumAt(base place) int {
	if i, known := m.sums[base]; known {
		return i
	}
	i := -1
	if in := m.instances[base.address]; in != nil && in.Contract != nil && len(m.quantities) < maxQuantities {
		i = m.add(&Quantity{Kind: Sum, Instance: in, Account: base.address, Slot: base.slot, Keys: map[common.Address]bool{}})
	}
	m.sums[base] = i
	return i
}

// add adds a quantity, and the laws between it and the others of its instance.
func (m *Miner) add(q *Quantity) int {
	n := len(m.quantities)
	q.initial = m.initialOf(q)
	q.value, q.before = q.initial, q.initial
	if q.Kind == Scalar || q.Kind == Sum {
		if at := slices.IndexFunc(q.Instance.Contract.Variables, func(v bytecode.Variable) bool { return v.Slot == q.Slot && q.Kind == Sum }); at >= 0 {
			q.Variable = &q.Instance.Contract.Variables[at]
		}
	}
	m.quantities = append(m.quantities, q)
	m.addLaws(n)
	return n
}

// initialOf is what a quantity is in the World. The keys of a mapping are among the World's accounts, as
// far as is known.
func (m *Miner) initialOf(q *Quantity) (sum uint256.Int) {
	switch q.Kind {
	case Ether:
		if account := m.world.Accounts[q.Account]; account != nil {
			sum = account.Balance
		}
	case Sum:
		for i := range m.accounts {
			at := place{q.Account, elementOf(&q.Slot, new(uint256.Int).SetBytes20(m.accounts[i][:]))}
			value := m.word(&at)
			sum.Add(&sum, &value)
		}
	case Scalar, Holding:
		word := m.word(&place{q.Account, q.Slot})
		return q.of(&word)
	}
	return sum
}
