package compare

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// Permission is who can change a state variable of a contract with changed code, as calls on both sides
// show it, on go-ethereum.
type Permission struct {
	Contract  string // qualified
	Variable  string
	Instances []common.Address // of the contract on the head
	// Now and Before are the senders that change it on the head and on the base, in the Space of
	// [Sides.Head]: the outsider alone where it does.
	Now, Before []int
	// Here and There report whether the head and the base have the variable.
	Here, There bool
}

// onHead and onBase are the sides of a table.
const (
	onHead = iota
	onBase
	sides
)

// Bounds of the table. Arbitrary: the first is more than is read; the second finds the variables that share a
// word with others, and writes that mostly leave what was there; the third are the functions that change a
// variable; the last is a tenth of a second.
const (
	maxRows  = 128
	maxLooks = 16
	maxWays  = 8
	maxSwaps = 1 << 10
)

// table notes who changes which variable.
type table struct {
	*Sides
	counts []bool // by instance of the head: calls of it count, and are not made by a harness in the name of others
	rows   []*row
	kept   [sides]map[common.Address]*variablesAt
	looked map[lookKey]*look
}

// row is a variable.
type row struct {
	Permission
	by   [sides][]input.Sequence // by sender: calls the last of which changes it; nil: none was seen
	ways [sides][]input.Sequence // such calls, of each function one sequence: what the head takes the base may refuse, or the other way round
}

// variablesAt are the variables of an instance on one side.
type variablesAt struct {
	variables []bytecode.Variable
	rows      []*row
}

// lookKey is what was looked at: a word, or a mapping, that a function changes for a sender.
type lookKey struct {
	side, sender int
	function     *input.Function
	at           word
}

// look is how often it may still be looked at.
type look struct{ left int }

// newTable is empty.
func (s *Sides) newTable() *table {
	t := &table{Sides: s, looked: map[lookKey]*look{}, kept: [sides]map[common.Address]*variablesAt{{}, {}}}
	for i := range s.Head.Space.Instances {
		in := &s.Head.Space.Instances[i]
		ships := in.Contract != nil && !in.Fresh && s.ships(in.Contract) // of what the calls deploy, whoever deploys it is the owner
		t.counts = append(t.counts, ships)
		pair := s.storage[in.Address]
		if !ships || pair == nil || !s.holders[in.Contract.QualifiedName()] || len(t.rows) >= maxRows {
			continue
		}
		here, there := withProxySlots(pair.head.Variables), withProxySlots(pair.base.Variables)
		t.kept[onHead][in.Address] = t.keep(in, here, onHead, func(v *bytecode.Variable) string { return v.Name })
		t.kept[onBase][s.moved.back(in.Address)] = t.keep(in, there, onBase, func(v *bytecode.Variable) string { return nameNow(v, there, here) })
	}
	return t
}

// keep makes rows of the variables of an instance.
func (t *table) keep(in *input.Instance, all []bytecode.Variable, side int, name func(*bytecode.Variable) string) *variablesAt {
	kept := &variablesAt{variables: all}
	for i := range all {
		contract, variable := in.Contract.QualifiedName(), name(&all[i])
		at := slices.IndexFunc(t.rows, func(r *row) bool { return r.Contract == contract && r.Variable == variable })
		if at < 0 {
			at = len(t.rows)
			r := &row{Permission: Permission{Contract: contract, Variable: variable}}
			for side := range r.by {
				r.by[side] = make([]input.Sequence, len(t.Head.Space.Senders))
			}
			t.rows = append(t.rows, r)
		}
		r := t.rows[at]
		r.Here, r.There = r.Here || side == onHead, r.There || side == onBase
		if !slices.Contains(r.Instances, in.Address) {
			r.Instances = append(r.Instances, in.Address)
		}
		kept.rows = append(kept.rows, r)
	}
	return kept
}

// withProxySlots are variables with those that proxies keep in slots that no compiler gives out (ERC-1967).
func withProxySlots(all []bytecode.Variable) []bytecode.Variable {
	all = slices.Clip(all)
	for i, name := range []string{"implementation (ERC-1967)", "admin (ERC-1967)", "beacon (ERC-1967)"} {
		all = append(all, bytecode.Variable{Name: name, Slot: *new(uint256.Int).SetBytes32(proxySlots[i][:]), Slots: *uint256.NewInt(1)})
	}
	return all
}

// nameNow is what the head calls a variable of the base: it was renamed if both sides have a variable in its place
// that the other side does not know.
func nameNow(v *bytecode.Variable, there, here []bytecode.Variable) string {
	named := func(all []bytecode.Variable, name string) bool {
		return slices.ContainsFunc(all, func(u bytecode.Variable) bool { return u.Name == name })
	}
	if named(here, v.Name) {
		return v.Name
	}
	for i := range here {
		u := &here[i]
		if u.Slot == v.Slot && u.Slots == v.Slots && u.Offset == v.Offset && u.Bytes == v.Bytes && !named(there, u.Name) {
			return u.Name
		}
	}
	return v.Name
}

// see looks at a sequence of the head that ran on a side.
func (t *table) see(side int, seq input.Sequence, exec *evm.Execution) {
	if len(t.rows) == 0 || exec.Truncated {
		return
	}
	for call := range min(len(seq), len(exec.Calls)) {
		if exec.Calls[call].Outcome == evm.Success && t.counts[seq[call].Instance] && !seq[call].Function.Test && t.isNew(side, seq, exec, call) {
			t.note(side, seq[:call+1].Clone(), t.changedBy(side, exec, call))
		}
	}
}

// isNew reports whether a call writes something that has to be looked at.
func (t *table) isNew(side int, seq input.Sequence, exec *evm.Execution, call int) bool {
	found := false
	frames := exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Outcome != evm.Success {
			continue
		}
		for j := range f.Storage {
			access := &f.Storage[j]
			if !access.Write || t.kept[side][access.Address] == nil {
				continue
			}
			key := lookKey{side, seq[call].Sender, seq[call].Function, word{access.Address, access.Base}}
			known := t.looked[key]
			if known == nil {
				known = &look{maxLooks}
				t.looked[key] = known
			}
			if known.left > 0 && (found || !t.isNamed(seq, call)) {
				known.left--
				found = true
			}
		}
	}
	return found
}

// isNamed reports whether a call before was another sender's and named the call's sender: what it may do was given
// to it. What others give to the attacker's contract, whoever calls that contract may make use of.
func (t *table) isNamed(seq input.Sequence, call int) (named bool) {
	space := t.Head.Space
	sender := space.Senders[seq[call].Sender].Address
	for i := range seq[:call] {
		if seq[i].Sender == seq[call].Sender {
			continue
		}
		abi.EachAddress(seq[i].Args, seq[i].Function.Inputs, func(a common.Address) {
			contract := space.Contract() >= 0 && a == space.Senders[space.Contract()].Address
			named = named || a == sender || contract && !space.IsOutsider(seq[i].Sender)
		})
	}
	return named
}

// changedBy are the variables that a call changes.
func (t *table) changedBy(side int, exec *evm.Execution, call int) []*row {
	var changed []*row
	for _, w := range onSide(t.side(side), exec, call).writes(call).list {
		kept := t.kept[side][w.address]
		if kept == nil || w.before == w.after {
			continue
		}
		element := w.access.Base != w.slot || w.access.Keys.Count > 0
		for i := range kept.variables {
			v := &kept.variables[i]
			part := bits{v.Offset, v.Bytes}
			if holdsSlot(v, &w.access.Base) && (element || part.of(&w.before) != part.of(&w.after)) && !slices.Contains(changed, kept.rows[i]) {
				changed = append(changed, kept.rows[i])
			}
		}
	}
	return changed
}

func (t *table) side(side int) *deploy.Deployment {
	if side == onHead {
		return t.Head
	}
	return t.Base
}

// note keeps a sequence whose last call changes variables on a side.
func (t *table) note(side int, seq input.Sequence, changed []*row) {
	last := &seq[len(seq)-1]
	for _, r := range changed {
		if known := r.by[side][last.Sender]; known == nil || len(seq) < len(known) {
			r.by[side][last.Sender] = seq
		}
		at := slices.IndexFunc(r.ways[side], func(way input.Sequence) bool {
			end := &way[len(way)-1]
			return end.Function == last.Function && end.Instance == last.Instance
		})
		switch {
		case at >= 0 && len(seq) < len(r.ways[side][at]):
			r.ways[side][at] = seq
		case at < 0 && len(r.ways[side]) < maxWays:
			r.ways[side] = append(r.ways[side], seq)
		}
	}
}

// permissions are the rows of variables that someone changes, once others have tried the same calls.
func (t *table) permissions(fast, judges *pair) []*Permission {
	swaps := &swapping{table: t, machines: fast, left: maxSwaps, tried: map[swapKey]bool{}}
	swaps.bySenders()
	swaps.onOtherSides()
	swaps.machines = judges
	var all []*Permission
	seen := map[*input.Call][sides][]*row{}
	for _, r := range t.rows {
		r.Now, r.Before = swaps.confirmed(r, onHead, seen), swaps.confirmed(r, onBase, seen)
		if len(r.Now)+len(r.Before) > 0 {
			all = append(all, &r.Permission)
		}
	}
	return all
}

// swapping makes the calls that change variables in the name of other senders.
type swapping struct {
	*table
	machines *pair
	left     int
	tried    map[swapKey]bool
}

// swapKey is a try: a sequence, by its first call, and a sender of its last one.
type swapKey struct {
	first  *input.Call
	sender int
}

// order lists the senders, the outsider first.
func (s *swapping) order() []int {
	outsider := s.Head.Space.Outsider()
	var list []int
	for i := range s.Head.Space.Senders {
		switch {
		case i == outsider:
			list = slices.Insert(list, 0, i)
		case !s.Head.Space.Senders[i].TestsOnly && s.senders[i] >= 0:
			list = append(list, i)
		}
	}
	return list
}

// byAnyone reports whether the outsider changes a variable on both sides: no other sender says more.
func (s *swapping) byAnyone(r *row) bool {
	at := s.Head.Space.Outsider()
	return at >= 0 && r.by[onHead][at] != nil && r.by[onBase][at] != nil
}

// bySenders has all senders make the calls.
func (s *swapping) bySenders() {
	for _, sender := range s.order() {
		for _, r := range s.rows {
			for _, way := range slices.Concat(r.ways[onHead], r.ways[onBase]) {
				key := swapKey{&way[0], sender}
				if s.byAnyone(r) || r.by[onHead][sender] != nil && r.by[onBase][sender] != nil || s.tried[key] {
					continue
				}
				s.tried[key] = true
				s.swap(way, sender)
			}
		}
	}
}

// swap has a sender make the last call, and name itself where the call names who made it.
func (s *swapping) swap(seq input.Sequence, sender int) {
	own := seq[len(seq)-1].Sender
	other := seq.Clone()
	last := &other[len(other)-1]
	last.Sender = sender
	s.try(other)
	from, to := s.Head.Space.Senders[own].Address, s.Head.Space.Senders[sender].Address
	named := false
	abi.EachAddress(last.Args, last.Function.Inputs, func(a common.Address) { named = named || a == from })
	if named && own != sender {
		renamed := other.Clone()
		end := &renamed[len(renamed)-1]
		end.Args = abi.ReplaceAddress(end.Args, end.Function.Inputs, from, to)
		s.try(renamed)
	}
}

// onOtherSides makes what changes a variable on one side only on the other side as well.
func (s *swapping) onOtherSides() {
	for _, r := range s.rows {
		for _, sender := range s.order() {
			here, there := r.by[onHead][sender], r.by[onBase][sender]
			switch {
			case here != nil && there == nil:
				s.try(here)
			case here == nil && there != nil:
				s.try(there)
			}
		}
	}
}

// try makes calls on both sides, and notes what the last one changes.
func (s *swapping) try(seq input.Sequence) {
	if s.left == 0 || s.isNamed(seq, len(seq)-1) {
		return
	}
	s.left--
	for side := range sides {
		s.note(side, seq, s.run(side, seq))
	}
}

// run are the variables that the last call of a sequence changes on a side.
func (s *swapping) run(side int, seq input.Sequence) []*row {
	machine, calls := s.machines.head, seq
	if side == onBase {
		machine, calls = s.machines.base, s.carry(seq, nil)
	}
	if len(calls) != len(seq) {
		return nil
	}
	exec, err := machine.Run(s.side(side).Space.Encode(calls, nil))
	last := len(calls) - 1
	if err != nil || exec.Truncated || len(exec.Calls) <= last || exec.Calls[last].Outcome != evm.Success {
		return nil
	}
	return s.changedBy(side, exec, last)
}

// confirmed are the senders that change a variable on a side: the outsider alone where it does.
func (s *swapping) confirmed(r *row, side int, seen map[*input.Call][sides][]*row) []int {
	var list []int
	for _, sender := range s.order() {
		seq := r.by[side][sender]
		if seq == nil {
			continue
		}
		known, ok := seen[&seq[0]]
		if !ok {
			for i := range known {
				known[i] = s.run(i, seq)
			}
			seen[&seq[0]] = known
		}
		switch {
		case !slices.Contains(known[side], r):
		case sender == s.Head.Space.Outsider():
			return []int{sender}
		default:
			list = append(list, sender)
		}
	}
	return list
}
