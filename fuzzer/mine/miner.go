package mine

import (
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Bounds of what is mined in one World. Arbitrary: a hundred state variables, and fewer laws than cost
// a tenth of a campaign.
const (
	maxQuantities = 256
	maxLaws       = 1 << 13
	maxKeys       = 256 // of one mapping that are kept
)

// Miner looks at executions on one World. Not for several goroutines.
type Miner struct {
	world      *evm.World
	accounts   []common.Address // of the World, and zero
	isSender   map[uint256.Int]bool
	instances  map[common.Address]*evm.Instance
	quantities []*Quantity
	laws       []*Law
	byKey      map[string]*Law // of the first indexed of them, see Named
	indexed    int
	tallies    map[int]*Tally // of laws ByOwner, by the quantity that is the account
	scalars    map[place][]int
	sums       map[place]int
	holdings   map[place]int
	elements   map[place]bool // see isElement
	ethers     map[common.Address]int
	payers     map[payer]int // the quantities that are paid from
	pays       map[int]*Law  // the laws of that
	views      []int
	mirrored   int // quantities of another miner, see Mirror

	// Of the sequence that is looked at.
	state   map[place]uint256.Int
	stale   []int
	touched []int
	writes  []evm.Write // of the call
	lasts   []bool
	stamp   int
	only    *Law // nil: all
}

// New mines the World's instances that ours names; a machine of it is asked for what tokens are where.
func New(machine evm.Machine, w *evm.World, ours func(*evm.Instance) bool) *Miner {
	m := &Miner{world: w, isSender: map[uint256.Int]bool{}, instances: map[common.Address]*evm.Instance{}, tallies: map[int]*Tally{},
		scalars: map[place][]int{}, sums: map[place]int{}, holdings: map[place]int{}, ethers: map[common.Address]int{}, payers: map[payer]int{}, pays: map[int]*Law{},
		elements: map[place]bool{}, byKey: map[string]*Law{}, state: map[place]uint256.Int{}}
	m.accounts = append(slices.SortedFunc(maps.Keys(w.Accounts), common.Address.Cmp), common.Address{})
	for i := range w.Senders {
		m.isSender[*new(uint256.Int).SetBytes20(w.Senders[i].Address[:])] = true
	}
	var mine []*evm.Instance
	for i := range w.Instances {
		if in := &w.Instances[i]; in.Contract != nil && m.instances[in.Address] == nil && ours(in) {
			m.instances[in.Address] = in
			mine = append(mine, in)
		}
	}
	for _, in := range mine {
		m.addOwners(in)
		if in.Contract.ABI.HasReceive() || slices.ContainsFunc(slices.Collect(maps.Keys(in.Contract.ABI.Methods)), func(name string) bool { return in.Contract.ABI.Methods[name].IsPayable() }) {
			m.ethers[in.Address] = m.add(&Quantity{Kind: Ether, Instance: in, Account: in.Address})
			m.payers[payer{account: in.Address}] = m.ethers[in.Address]
		}
	}
	m.addHoldings(machine, mine)
	return m
}

// addOwners adds the variables of an instance that hold a sender.
func (m *Miner) addOwners(in *evm.Instance) {
	account := m.world.Accounts[in.Address]
	if account == nil {
		return
	}
	for _, slot := range slices.SortedFunc(maps.Keys(account.Storage), common.Hash.Cmp) {
		word := new(uint256.Int).SetBytes32(slot[:])
		at := place{in.Address, *word}
		value := m.word(&at)
		for shift := uint(0); shift <= 8*(wordBytes-common.AddressLength); shift += 8 {
			var part uint256.Int
			part.Rsh(&value, shift)
			bytes := part.Bytes20()
			if part.SetBytes20(bytes[:]); m.isSender[part] && word.BitLen() <= 64 {
				m.scalarsAt(at)
				break
			}
		}
	}
}

// addHoldings adds what instances have of the World's tokens: contracts that have a function balanceOf(address),
// which reads its answer from the element of a mapping.
func (m *Miner) addHoldings(machine evm.Machine, mine []*evm.Instance) {
	for i := range m.world.Instances {
		token := &m.world.Instances[i]
		if token.Contract == nil || token.Contract.ABI.Methods["balanceOf"].Sig != "balanceOf(address)" {
			continue
		}
		for _, in := range mine {
			if in.Address == token.Address {
				continue
			}
			if at, ok := m.balanceAt(machine, token, in.Address); ok {
				if _, known := m.holdings[at]; !known {
					m.holdings[at] = m.add(&Quantity{Kind: Holding, Instance: in, Account: at.address, Slot: at.slot, Token: token})
					m.payers[payer{in.Address, token.Address}] = m.holdings[at]
				}
			}
		}
	}
}

// balanceAt is where a token keeps the balance of an account.
func (m *Miner) balanceAt(machine evm.Machine, token *evm.Instance, of common.Address) (at place, ok bool) {
	data := append(crypto.Keccak256([]byte("balanceOf(address)"))[:4], common.LeftPadBytes(of[:], wordBytes)...)
	exec, err := machine.Run(evm.Sequence{{From: m.world.Senders[0].Address, To: token.Address, Data: data}})
	if err != nil || exec.Calls[0].Outcome != evm.Success || len(exec.Calls[0].Output) != wordBytes {
		return at, false
	}
	key := *new(uint256.Int).SetBytes20(of[:])
	for i := range exec.Frames {
		for j := range exec.Frames[i].Storage {
			access := &exec.Frames[i].Storage[j]
			if isElement(access) && access.Keys.Words[0] == key && access.Value == *new(uint256.Int).SetBytes32(exec.Calls[0].Output) {
				return place{access.Address, access.Slot}, true
			}
		}
	}
	return at, false
}

// isElement reports whether an access is of the element of a mapping, and the element not a struct.
func isElement(access *evm.StorageAccess) bool {
	return access.Keys.Count == 1 && access.Slot == elementOf(&access.Base, &access.Keys.Words[0])
}

// Proven are the laws that count.
func (m *Miner) Proven() []*Law {
	return slices.DeleteFunc(slices.Clone(m.laws), func(l *Law) bool { return !l.Proven() })
}

// Named is the law of a key; nil: there is none.
func (m *Miner) Named(key string) *Law {
	for ; m.indexed < len(m.laws); m.indexed++ {
		l := m.laws[m.indexed]
		if other := l.Key(); m.byKey[other] == nil {
			m.byKey[other] = l
		}
	}
	return m.byKey[key]
}

// See looks at an execution, and calls broken for each law that it breaks and that was not broken
// before, with the call.
func (m *Miner) See(seq input.Sequence, exec *evm.Execution, broken func(l *Law, call int)) {
	if last := len(exec.Calls) - 1; last >= exec.Reused() && !m.changes(exec, last) && !m.FailsToPay(exec, last) {
		m.settle()
		return // the calls before it were seen on their own
	}
	m.look(seq, exec, exec.Reused(), broken)
}

// changes reports whether a call may write anything that lasts.
func (m *Miner) changes(exec *evm.Execution, call int) bool {
	if exec.Calls[call].Outcome != evm.Success {
		return false
	}
	frames := exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if !f.Value.IsZero() || slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool { return a.Write }) {
			return true
		}
	}
	return false
}

// Attack is See for executions that are to break laws: they do not count for any.
func (m *Miner) Attack(seq input.Sequence, exec *evm.Execution, broken func(l *Law, call int)) {
	m.look(seq, exec, len(seq), broken)
}

// BrokenIn is the first call of an execution that breaks a law; −1: none does.
func (m *Miner) BrokenIn(l *Law, seq input.Sequence, exec *evm.Execution) int {
	at := -1
	m.only = l
	m.look(seq, exec, len(seq), func(_ *Law, call int) {
		if at < 0 {
			at = call
		}
	})
	m.only = nil
	return at
}

// BrokenBy reports whether a call of an execution breaks a law, whatever came before it.
func (m *Miner) BrokenBy(l *Law, seq input.Sequence, exec *evm.Execution, call int) (breaks bool) {
	m.only = l
	m.look(seq, exec, len(seq), func(_ *Law, at int) { breaks = breaks || at == call })
	m.only = nil
	return breaks
}

// look follows the quantities through an execution, which may have more calls than are looked at. Calls count from a number on.
func (m *Miner) look(seq input.Sequence, exec *evm.Execution, from int, broken func(l *Law, call int)) {
	m.reset()
	m.settle()
	m.findLasting(exec)
	for i := range min(len(seq), len(exec.Calls)) {
		m.judgePayments(seq[i].Function, exec, i, i >= from, broken)
		if exec.Calls[i].Outcome != evm.Success {
			m.settle()
			continue
		}
		m.follow(exec, i)
		if len(m.touched) == 0 {
			continue
		}
		root := &exec.Frames[exec.Calls[i].Frames[0]]
		m.judge(seq[i].Function, &root.Caller, i, i >= from, broken)
	}
}

// reset goes back to the World.
func (m *Miner) reset() {
	clear(m.state)
	for _, i := range m.stale {
		q := m.quantities[i]
		q.value, q.before, q.stale = q.initial, q.initial, false
	}
	m.stale = m.stale[:0]
}

func (m *Miner) findLasting(exec *evm.Execution) {
	m.lasts = m.lasts[:0]
	for i := range exec.Frames {
		f := &exec.Frames[i]
		m.lasts = append(m.lasts, f.Outcome == evm.Success && (f.Parent < 0 || m.lasts[f.Parent]))
	}
}

// follow takes over what a call wrote.
func (m *Miner) follow(exec *evm.Execution, call int) {
	m.settle()
	frames := exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if !m.lasts[i] {
			continue
		}
		if !f.Value.IsZero() && f.Kind != evm.KindDelegateCall && f.Kind != evm.KindCallCode && f.Caller != f.Self {
			m.move(f)
		}
	}
	m.writes = exec.AppendWrites(m.writes[:0], frames[0], frames[1], m.lasts)
	for _, w := range m.writes {
		m.write(w.StorageAccess)
	}
}

// settle ends a call.
func (m *Miner) settle() {
	for _, i := range m.touched {
		q := m.quantities[i]
		q.touched, q.before = false, q.value
	}
	m.touched = m.touched[:0]
}

// move takes over ether that a frame sent.
func (m *Miner) move(f *evm.Frame) {
	if i, ok := m.ethers[f.Caller]; ok {
		m.touch(i)
		q := m.quantities[i]
		q.value.Sub(&q.value, &f.Value)
	}
	if i, ok := m.ethers[f.Self]; ok {
		m.touch(i)
		q := m.quantities[i]
		q.value.Add(&q.value, &f.Value)
	}
}

// write takes over one write.
func (m *Miner) write(access *evm.StorageAccess) {
	at := place{access.Address, access.Slot}
	if m.instances[at.address] == nil {
		if i, ok := m.holdings[at]; ok {
			m.set(i, access.Value)
		}
		return
	}
	if i, ok := m.holdings[at]; ok {
		m.set(i, access.Value)
	}
	switch {
	case access.Keys.Count == 1:
		if m.isElement(at, access) {
			m.writeElement(at, access)
		}
	case access.Keys.Count == 0 && access.Base == access.Slot:
		for _, i := range m.scalarsAt(at) {
			m.set(i, m.quantities[i].of(&access.Value))
		}
	}
}

// maxElements bounds the elements of which is remembered that they are some. Arbitrary: a few megabytes.
const maxElements = 1 << 15

// isElement is the function of that name, whose hashes take longer than all else.
func (m *Miner) isElement(at place, access *evm.StorageAccess) bool {
	is, known := m.elements[at]
	if !known {
		if len(m.elements) >= maxElements {
			clear(m.elements)
		}
		is = isElement(access)
		m.elements[at] = is
	}
	return is
}

// writeElement takes over a write to a mapping.
func (m *Miner) writeElement(at place, access *evm.StorageAccess) {
	i := m.sumAt(place{access.Address, access.Base})
	if i < 0 {
		return
	}
	q, key := m.quantities[i], &access.Keys.Words[0]
	if key.BitLen() > 8*common.AddressLength {
		q.Odd = true
	} else if a := common.Address(key.Bytes20()); len(q.Keys) < maxKeys {
		q.Keys[a] = true
	}
	before, known := m.state[at]
	if !known {
		before = m.word(&at)
	}
	m.state[at] = access.Value
	m.touch(i)
	q.value.Sub(&q.value, &before)
	q.value.Add(&q.value, &access.Value)
}

func (m *Miner) set(i int, value uint256.Int) {
	m.touch(i)
	m.quantities[i].value = value
}

// touch notes that a call writes a quantity.
func (m *Miner) touch(i int) {
	q := m.quantities[i]
	if q.touched {
		return
	}
	q.touched = true
	m.touched = append(m.touched, i)
	if !q.stale {
		q.stale = true
		m.stale = append(m.stale, i)
	}
}

// judge asks the laws of what a call wrote.
func (m *Miner) judge(f *input.Function, sender *common.Address, call int, counts bool, broken func(l *Law, call int)) {
	m.stamp++
	from := new(uint256.Int).SetBytes20(sender[:])
	for _, i := range m.touched {
		q := m.quantities[i]
		if counts {
			q.writes++
		}
		for _, n := range q.laws {
			l := m.laws[n]
			if l.Template == Pays || l.stamp == m.stamp || l.Broken && m.only == nil || m.only != nil && m.only != l || l.A.Kind == Answer || l.B != nil && l.B.Kind == Answer {
				continue
			}
			l.stamp = m.stamp
			if !l.holds(from) {
				broken(l, call)
				continue
			}
			if counts {
				l.at(f)
				l.weigh()
			}
		}
	}
}

// Mirror knows of what another World's miner has quantities of, so that the laws of both are the same: what this
// World's calls never write may be what they should.
func (m *Miner) Mirror(other *Miner) {
	for ; m.mirrored < len(other.quantities); m.mirrored++ {
		q := other.quantities[m.mirrored]
		if q.Kind != Scalar && q.Kind != Sum {
			continue
		}
		for i := range m.world.Instances {
			if in := &m.world.Instances[i]; in.Name == q.Instance.Name && m.instances[in.Address] == in {
				at := place{in.Address, q.Slot}
				if q.Variable != nil {
					n := slices.IndexFunc(in.Contract.Variables, func(v bytecode.Variable) bool { return v.Name == q.Variable.Name })
					if n < 0 {
						break
					}
					at.slot = in.Contract.Variables[n].Slot
				}
				if q.Kind == Sum {
					m.sumAt(at)
				} else {
					m.scalarsAt(at)
				}
			}
		}
	}
}
