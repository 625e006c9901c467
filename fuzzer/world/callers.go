package world

import (
	"context"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
)

// This file makes senders of the accounts that contracts compare msg.sender with: owners that
// a constructor names, entry points, the contract itself. No one else gets past such a check.

// Bounds of the search for such accounts. Arbitrary; a contract asks for few accounts, and a
// campaign's calls are spread over all senders.
const (
	maxCallers      = 4
	maxCallerProbes = 512 // calls
	probesOfMethod  = 2   // with the first choices of arguments
)

// addCallers adds to the senders of a World the accounts that its instances compare
// msg.sender with, those of contracts with targets first, accounts without code before
// contracts. known are those of another World that was made in the same way; nil: they are
// looked for.
func (b *builder) addCallers(ctx context.Context, w *evm.World, targets []string, known []Party) error {
	b.report.Callers = []Party{}
	if known == nil {
		var err error
		if known, err = b.findCallers(ctx, w, targets); err != nil {
			return err
		}
	}
	c := b.newCast(w)
	for _, p := range known {
		b.report.Callers = append(b.report.Callers, p)
		if c.sending[p.Address] {
			continue
		}
		if err := c.add(p.Name, party{address: p.Address, sign: compared, why: p.Why}); err != nil {
			return err
		}
	}
	w.Senders = c.list
	return nil
}

// findCallers calls each function that may change something, as a user without any rights,
// and lists the accounts that msg.sender is compared with.
func (b *builder) findCallers(ctx context.Context, w *evm.World, targets []string) ([]Party, error) {
	machine, err := gethvm.New(w, b.table, b.machineOptions...)
	if err != nil {
		return nil, err
	}
	hasTargets := func(in *evm.Instance) bool {
		return in.Contract != nil && slices.ContainsFunc(targets, func(name string) bool { return named(in.Contract, name) })
	}
	instances := slices.Clone(w.Instances)
	slices.SortStableFunc(instances, func(x, y evm.Instance) int {
		return boolRank(!hasTargets(&x)) - boolRank(!hasTargets(&y))
	})
	f := callerSearch{builder: b, machine: machine, world: w}
	for i := range instances {
		if instances[i].Contract == nil {
			continue
		}
		for _, m := range sortedMethods(instances[i].Contract) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if m.IsConstant() {
				continue
			}
			if err := f.probe(&instances[i], &m); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(f.found, func(x, y foundCaller) int { return boolRank(x.code) - boolRank(y.code) })
	var parties []Party
	for _, c := range f.found[:min(len(f.found), maxCallers)] {
		parties = append(parties, c.Party)
	}
	return parties, nil
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// callerSearch looks for accounts that msg.sender is compared with.
type callerSearch struct {
	*builder
	machine evm.Machine
	world   *evm.World
	probes  int
	found   []foundCaller
}

type foundCaller struct {
	Party
	code bool // it is a contract
}

// probe calls a function of an instance.
func (s *callerSearch) probe(in *evm.Instance, m *abi.Method) error {
	search, err := s.newSearch(m, methodParameters(in.Contract, m))
	if err != nil {
		return nil //nolint:nilerr // too large to be made up
	}
	for range probesOfMethod {
		a, ok := search.next()
		if s.probes++; !ok || s.probes > maxCallerProbes {
			return nil
		}
		call := evm.Call{From: User2.Address, To: in.Address, Data: slices.Concat(m.ID, a.packed), Gas: questionGas, Value: *a.wei}
		exec, err := s.machine.Run(evm.Sequence{call})
		if err != nil {
			return err
		}
		if exec.Calls[0].Outcome == evm.Success {
			return nil // a user may call it
		}
		for i := range exec.Frames {
			if err := s.look(in, m, &exec.Frames[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// look notes the accounts that a frame compares its caller, the probing user, with.
func (s *callerSearch) look(in *evm.Instance, m *abi.Method, f *evm.Frame) error {
	if f.Caller != User2.Address {
		return nil
	}
	caller := new(uint256.Int).SetBytes(f.Caller[:])
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		other := c.Right
		switch {
		case c.Op != byte(vm.EQ) || c.Left == c.Right:
			continue
		case c.Right == *caller:
			other = c.Left
		case c.Left != *caller:
			continue
		}
		const addressBits = 160
		address := common.Address(other.Bytes20())
		if other.BitLen() > addressBits || !isParty(&party{address: address}, false) ||
			slices.ContainsFunc(s.world.Senders, func(o evm.Sender) bool { return o.Address == address }) ||
			slices.ContainsFunc(s.found, func(o foundCaller) bool { return o.Address == address }) {
			continue
		}
		account, err := s.world.Account(address)
		if err != nil {
			return err
		}
		name := s.labels[address]
		if name == "" {
			name = s.names[address]
		}
		if name == "" {
			name = shortName(address)
		}
		s.found = append(s.found, foundCaller{Party{Name: name, Address: address, Why: callerWhy + in.Name + "." + m.RawName}, account != nil && len(account.Code) > 0})
	}
	return nil
}

// callerWhy begins [Party.Why] of an account that is a sender since msg.sender is compared
// with it, see [IsCaller].
const callerWhy = "compared with msg.sender in "

// IsCaller reports whether an account is a sender since a contract compares msg.sender with
// it, so that no other account gets where it does.
func IsCaller(p *Party) bool {
	return len(p.Why) > len(callerWhy) && p.Why[:len(callerWhy)] == callerWhy
}
