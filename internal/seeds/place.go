package seeds

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// place is what calls of a corpus are sent to: a contract of another fuzzer's World.
type place struct {
	contract string
	to       common.Address
}

// mapper finds the accounts of a Space that stand for those of a corpus.
type mapper struct {
	space     *input.Space
	instances map[place]int // index; −1: none has a function that is called there
	senders   map[common.Address]int
	accounts  map[common.Address]common.Address // what arguments mean
}

// newMapper looks at all calls of a corpus. Contracts are found by name where a file has one, and
// else by the functions that are called there: the instance that has most of them, and among equals
// the one at the same address, then one that stands for no other contract yet. Senders that the Space
// does not have are its ordinary senders in turn.
func newMapper(space *input.Space, corpus []sequence) *mapper {
	m := &mapper{space: space, instances: map[place]int{}, senders: map[common.Address]int{}, accounts: map[common.Address]common.Address{}}
	var places []place
	calls := map[place]map[string]*call{}
	var senders []common.Address
	for i := range corpus {
		for j := range corpus[i] {
			c := &corpus[i][j]
			if c.create {
				continue
			}
			if at := (place{c.contract, c.to}); calls[at] == nil {
				places, calls[at] = append(places, at), map[string]*call{}
			}
			calls[place{c.contract, c.to}][c.key()] = c
			if _, known := m.senders[c.from]; !known {
				m.senders[c.from], senders = -1, append(senders, c.from)
			}
		}
	}
	taken := map[int]bool{}
	for _, at := range places {
		i := m.instanceOf(at, calls[at], taken)
		if m.instances[at] = i; i >= 0 {
			taken[i] = true
			m.stands(at.to, space.Instances[i].Address)
		}
	}
	m.assign(senders)
	return m
}

// stands notes that an address of a corpus stands for one of the Space.
func (m *mapper) stands(theirs, ours common.Address) {
	if theirs != (common.Address{}) {
		m.accounts[theirs] = ours
	}
}

// instanceOf chooses the instance that calls to a place go to.
func (m *mapper) instanceOf(at place, calls map[string]*call, taken map[int]bool) int {
	best, most := -1, [4]int{}
	for i := range m.space.Instances {
		in := &m.space.Instances[i]
		if in.Fresh || in.Contract == nil {
			continue
		}
		rank := [4]int{}
		if at.contract != "" && (in.Contract.QualifiedName() == at.contract || in.Contract.Name == bytecode.ShortName(at.contract)) {
			rank[0] = 1
		}
		for _, c := range calls {
			if f := function(in, c); f != nil && (f.Kind != input.Fallback || rank[0] > 0 || in.Address == at.to) {
				rank[1]++
			}
		}
		if in.Address == at.to {
			rank[2] = 1
		}
		if !taken[i] {
			rank[3] = 1
		}
		if rank[1] > 0 && slices.Compare(rank[:], most[:]) > 0 {
			best, most = i, rank
		}
	}
	return best
}

// function is what a call enters in an instance; nil: nothing. Methods come before fallback functions.
func function(in *input.Instance, c *call) *input.Function {
	for _, f := range in.Functions {
		if c.enters(f) {
			return f
		}
	}
	return nil
}

// Senders that the fuzzers have by default, and whom Sightline's deployer stands for: Echidna's and
// Medusa's deployer, and the sender of forge's tests.
var (
	othersDeployer = common.HexToAddress("0x30000")
	forgesCaller   = common.HexToAddress("0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38")
)

// deployer is the name of the sender that deploys.
const deployer = "deployer"

// assign chooses the senders of the Space that stand for those of a corpus.
func (m *mapper) assign(theirs []common.Address) {
	var turn []int // the ordinary senders, the deployer last
	first := -1
	for i := range m.space.Senders {
		switch s := &m.space.Senders[i]; {
		case !m.space.IsOrdinary(s.Address):
		case s.Name == deployer:
			first = i
		default:
			turn = append(turn, i)
		}
	}
	if first >= 0 {
		turn = append(turn, first)
		m.stands(othersDeployer, m.space.Senders[first].Address) // also where it sends nothing
	}
	next := 0
	for _, a := range theirs {
		i := slices.IndexFunc(turn, func(i int) bool { return m.space.Senders[i].Address == a })
		switch {
		case i >= 0:
			m.senders[a] = turn[i]
			continue // it is itself
		case first >= 0 && (a == othersDeployer || a == forgesCaller || a == common.Address{}):
			m.senders[a] = first
		default:
			m.senders[a] = turn[next%len(turn)]
			next++
		}
		m.stands(a, m.space.Senders[m.senders[a]].Address)
	}
}

// loss is why a call is left out.
type loss uint8

const (
	kept       loss = iota
	noFunction      // what it calls does not exist
	misfit          // its arguments are not what the function takes
	creates         // it deploys a contract
)

// call is a call of a corpus as one of the Space.
func (m *mapper) call(c *call) (input.Call, loss) {
	if c.create {
		return input.Call{}, creates
	}
	i := m.instances[place{c.contract, c.to}]
	if i < 0 {
		return input.Call{}, noFunction
	}
	why := noFunction
	for _, f := range m.space.Instances[i].Functions {
		if !c.enters(f) {
			continue
		}
		out, ok := m.callOf(c, i, f)
		if ok {
			return out, kept
		}
		if why = misfit; f.Kind == input.Method && c.signature == "" {
			break // not one for the fallback function
		}
	}
	return input.Call{}, why
}

// callOf is a call of a function; false if its arguments do not fit.
func (m *mapper) callOf(c *call, instance int, f *input.Function) (input.Call, bool) {
	values, err := c.values(f)
	if err != nil {
		return input.Call{}, false
	}
	out := input.Call{Sender: m.senders[c.from], Instance: instance, Function: f, Value: c.value, TimeAdvance: c.time, BlockAdvance: c.blocks}
	out.Args = abi.MapAddresses(values, f.Inputs, func(a common.Address) common.Address {
		if ours, ok := m.accounts[a]; ok {
			return ours
		}
		return a
	})
	if most := m.space.MaxValue(); out.Value.Gt(&most) {
		out.Value = most
	}
	if f.Test { // forge runs it alone, by a sender of its own
		out = input.Call{Sender: m.space.TestsSender(), Instance: instance, Function: f, Args: values}
	}
	return out, m.space.Validate(input.Sequence{out}) == nil
}

// sequence is what of a sequence the Space has; why is the first reason for what is left out.
func (m *mapper) sequence(theirs sequence) (seq input.Sequence, why loss) {
	for i := range theirs {
		if len(seq) == input.MaxCalls {
			break
		}
		c, lost := m.call(&theirs[i])
		if lost == kept {
			seq = append(seq, c)
		} else if why == kept {
			why = lost
		}
	}
	if m.space.Validate(seq) != nil { // a test that is not alone
		return nil, misfit
	}
	return seq, why
}
