package world

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
)

// This file makes senders of the accounts that contracts compare msg.sender with: owners that
// a constructor names, entry points, the contract itself. No one else gets past such a check.
// Nor does anyone past one of a mapping of roles (isOwner[msg.sender]), but those to whom the
// set-up gave one, and to whom they give it.

// Bounds of the search for such accounts. Arbitrary; a contract asks for few accounts, and a
// campaign's calls are spread over all senders. A probe takes about 100 µs.
const (
	maxCallers      = 6
	maxCallerProbes = 4096 // calls, twice as many with those that show what an account gets
	probesOfMethod  = 2    // with the first choices of arguments
	// filledCallers is how many there are to be before one is of no use that only gets past the
	// check in a second contract.
	filledCallers = 2
)

// addCallers adds to the senders of a World the accounts that its instances compare
// msg.sender with, those of contracts with targets first, accounts without code before
// contracts. known are those of another World that was made in the same way; nil: they are
// looked for.
func (cs *callers) addCallers(ctx context.Context, w *evm.World, targets []string, known []Party) error {
	cs.report.Callers = []Party{}
	if known == nil {
		var err error
		if known, err = cs.findCallers(ctx, w, targets); err != nil {
			return err
		}
	}
	c := newCast(w, cs.report)
	for _, p := range known {
		cs.report.Callers = append(cs.report.Callers, p)
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
func (cs *callers) findCallers(ctx context.Context, w *evm.World, targets []string) ([]Party, error) {
	machine, err := gethvm.New(w, cs.table, cs.machineOptions...)
	if err != nil {
		return nil, err
	}
	hasTargets := func(in *evm.Instance) bool {
		return in.Contract != nil && slices.ContainsFunc(targets, func(name string) bool { return named(in.Contract, name) })
	}
	idle := func(in *evm.Instance) bool { return cs.proxied[in.Address] || cs.spares[in.Address] }
	instances := slices.Clone(w.Instances)
	slices.SortStableFunc(instances, func(x, y evm.Instance) int {
		return cmp.Or(boolRank(!hasTargets(&x))-boolRank(!hasTargets(&y)), boolRank(idle(&x))-boolRank(idle(&y)))
	})
	f := callerSearch{callers: cs, machine: machine, world: w}
	if len(cs.calls) > 0 {
		exec, err := cs.machine.Run(cs.calls)
		if err != nil {
			return nil, err
		}
		cs.keepMembers(exec)
	}
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
			f.targets = hasTargets(&instances[i])
			if err := f.probe(&instances[i], &m); err != nil {
				return nil, err
			}
		}
	}
	return f.best(), nil
}

// best lists the accounts that get past most checks that those before them do not. A function
// that several contracts have, since they inherit it, counts once; those of contracts with targets come
// first, and accounts without code before contracts.
func (s *callerSearch) best() []Party {
	var chosen []Party
	functions, places := map[string]bool{}, map[string]bool{}
	rest := slices.Clone(s.found)
	for len(chosen) < maxCallers {
		best, most := -1, callerWorth{}
		for i, c := range rest {
			w := c.worth(functions, places)
			if w.code && w.functions == 0 && len(chosen) >= filledCallers {
				continue
			}
			if w.targets+w.functions+w.places > 0 && (best < 0 || w.compare(most) > 0) {
				best, most = i, w
			}
		}
		if best < 0 {
			break
		}
		for _, o := range rest[best].opens {
			functions[o.function], places[o.place] = true, true
		}
		chosen = append(chosen, rest[best].Party)
		rest = slices.Delete(rest, best, best+1)
	}
	return chosen
}

// opened is a function that an account gets further in than a user.
type opened struct {
	function string // its signature
	place    string // of an instance
	target   bool   // whose contract has targets
}

// callerWorth is what an account adds to those that were chosen.
type callerWorth struct {
	targets, functions, places int // functions of contracts with targets; all functions; of instances
	code                       bool
}

func (c *foundCaller) worth(functions, places map[string]bool) callerWorth {
	w := callerWorth{code: c.code}
	counted := map[string]bool{}
	for _, o := range c.opens {
		if !places[o.place] {
			w.places++
		}
		if functions[o.function] || counted[o.function] {
			continue
		}
		counted[o.function] = true
		w.functions++
		if o.target {
			w.targets++
		}
	}
	return w
}

func (w callerWorth) compare(v callerWorth) int {
	return cmp.Or(cmp.Compare(w.targets, v.targets), cmp.Compare(w.functions, v.functions), boolRank(v.code)-boolRank(w.code), cmp.Compare(w.places, v.places))
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// callers finds accounts that the World's contracts compare msg.sender with.
type callers struct {
	*deployer
	finder  *finder
	members []member // what may say that an account has a role
}

// callerSearch looks for accounts that msg.sender is compared with.
type callerSearch struct {
	*callers
	machine evm.Machine
	world   *evm.World
	probes  int
	targets bool // the probed instance's contract has some
	found   []foundCaller
}

// member is an element of a mapping that made the World what it is: maybe that an account has a
// role.
type member struct {
	account    common.Address // whose storage it is in
	slot, base uint256.Int
	keys       evm.Keys
}

// maxRoleValue is the greatest value of what may say that an account has a role: a bool, a
// level, a few bits; balances are greater. maxMembers bounds these elements. Arbitrary.
const (
	maxRoleValue = 0xff
	maxMembers   = 256
)

// keepMembers keeps the elements of mappings that an execution wrote, which is part of what
// makes the World, and that may say that an account has a role.
func (cs *callers) keepMembers(exec *evm.Execution) {
	cs.members = slices.Clone(cs.members) // saved states share it
	for i := range exec.Frames {
		for j := range exec.Frames[i].Storage {
			a := &exec.Frames[i].Storage[j]
			if !a.Write || a.Keys.Count == 0 {
				continue
			}
			same := func(m member) bool { return m.slot == a.Slot && m.account == a.Address }
			cs.members = slices.DeleteFunc(cs.members, same) // the last value counts
			if !a.Value.IsZero() && a.Value.LtUint64(maxRoleValue+1) && exec.Frames[i].Outcome == evm.Success && len(cs.members) < maxMembers {
				cs.members = append(cs.members, member{a.Address, a.Slot, a.Base, a.Keys})
			}
		}
	}
}

type foundCaller struct {
	Party
	code  bool // it is a contract
	opens []opened
}

// probe calls a function of an instance.
func (s *callerSearch) probe(in *evm.Instance, m *abi.Method) error {
	if s.probes >= maxCallerProbes { // what to call it with is not worth making up
		return nil
	}
	search, err := s.finder.newSearch(m, methodParameters(in.Contract, m))
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
		var asked []Party
		for i := range exec.Frames {
			asked = append(asked, s.look(in, m, &exec.Frames[i])...)
			asked = append(asked, s.lookForMembers(in, m, &exec.Frames[i])...)
		}
		reached := progressOf(exec)
		for i := range asked { // exec is gone with the next run
			if err := s.note(in, m, &asked[i], &call, reached); err != nil {
				return err
			}
		}
	}
	return nil
}

// look lists the accounts that a frame compares its caller, the probing user, with.
func (s *callerSearch) look(in *evm.Instance, m *abi.Method, f *evm.Frame) []Party {
	var asked []Party
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
		asked = s.ask(asked, &other, callerWhy+in.Name+"."+m.RawName)
	}
	return asked
}

// ask adds an account to a list, unless it sends calls already.
func (s *callerSearch) ask(list []Party, word *uint256.Int, why string) []Party {
	const addressBits = 160
	address := common.Address(word.Bytes20())
	if word.BitLen() > addressBits || !isParty(&party{address: address}, false) || s.sends(address) ||
		slices.ContainsFunc(list, func(p Party) bool { return p.Address == address }) {
		return list
	}
	return append(list, Party{Name: cmp.Or(s.namer.labels[address], s.namer.names[address], shortName(address)), Address: address, Why: why})
}

// note makes a call of the user's as an account, and keeps that it gets further, if it does: msg.sender
// is also compared with accounts that are refused. reached is how far the user got.
func (s *callerSearch) note(in *evm.Instance, m *abi.Method, p *Party, call *evm.Call, reached int) error {
	c := *call
	c.From = p.Address
	exec, err := s.machine.Run(evm.Sequence{c})
	if err != nil {
		return err
	}
	if exec.Calls[0].Outcome != evm.Success && progressOf(exec) <= reached {
		return nil
	}
	o := opened{m.Sig, in.Name + "." + m.Sig, s.targets}
	if i := slices.IndexFunc(s.found, func(f foundCaller) bool { return f.Address == p.Address }); i >= 0 {
		s.found[i].opens = append(s.found[i].opens, o)
		return nil
	}
	account, err := s.world.Account(p.Address)
	if err != nil {
		return err
	}
	s.found = append(s.found, foundCaller{*p, account != nil && len(account.Code) > 0, []opened{o}})
	return nil
}

func (s *callerSearch) sends(address common.Address) bool {
	return slices.ContainsFunc(s.world.Senders, func(o evm.Sender) bool { return o.Address == address })
}

// lookForMembers lists the accounts that have an element in a mapping of which a frame reads
// the probing user's, who has none: those with the same other keys (the role) first, then any.
// There are none to add where a sender has such an element.
func (s *callerSearch) lookForMembers(in *evm.Instance, m *abi.Method, f *evm.Frame) []Party {
	var asked []Party
	caller := *new(uint256.Int).SetBytes(User2.Address[:])
	for i := range f.Storage {
		a := &f.Storage[i]
		place := slices.Index(a.Keys.Words[:a.Keys.Count], caller)
		if a.Write || place < 0 || !a.Value.IsZero() {
			continue
		}
		of, others := s.membersOf(a, place, true), s.membersOf(a, place, false)
		if len(of) == 0 {
			of = others
		}
		if slices.ContainsFunc(of, func(word uint256.Int) bool { return s.sends(word.Bytes20()) }) {
			continue
		}
		for n := range of {
			asked = s.ask(asked, &of[n], roleWhy+in.Name+"."+m.RawName)
		}
	}
	return asked
}

// membersOf lists the keys at a place of the elements in a mapping, all or those whose other
// keys are those of what was read.
func (s *callerSearch) membersOf(read *evm.StorageAccess, place int, same bool) []uint256.Int {
	var list []uint256.Int
	for _, m := range s.members {
		if m.account != read.Address || m.base != read.Base || m.keys.Count != read.Keys.Count {
			continue
		}
		keys := m.keys
		keys.Words[place] = read.Keys.Words[place]
		if !same || keys == read.Keys {
			list = append(list, m.keys.Words[place])
		}
	}
	return list
}

// callerWhy and roleWhy begin [Party.Why] of an account that is a sender since msg.sender is
// compared with it, or since it has what is asked of msg.sender, see [IsCaller].
const (
	callerWhy = "compared with msg.sender in "
	roleWhy   = "has what is stored for msg.sender in "
)

// IsCaller reports whether an account is a sender since a contract compares msg.sender with
// it, or has it in a mapping, so that no other account gets where it does.
func IsCaller(p *Party) bool {
	return strings.HasPrefix(p.Why, callerWhy) || strings.HasPrefix(p.Why, roleWhy)
}
