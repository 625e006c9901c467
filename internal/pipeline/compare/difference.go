package compare

import (
	"bytes"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// Kind is what a call does otherwise than on the base.
type Kind string

// The kinds, by how much they matter to a reader.
const (
	Succeeds Kind = "succeeds" // and fails on the base
	Stores   Kind = "stores"   // something else
	Sends    Kind = "sends"    // other ether
	Returns  Kind = "returns"  // something else
	Reverts  Kind = "reverts"  // and succeeds on the base
	Emits    Kind = "emits"    // other events
	Costs    Kind = "costs"    // more gas
)

// kinds lists them in that order.
var kinds = []Kind{Succeeds, Stores, Sends, Returns, Reverts, Emits, Costs}

// Difference is the first call of a sequence in which two executions differ, and how.
type Difference struct {
	Call int
	Kind Kind
	// Detail tells differences of a kind apart: what the call failed with and what it changes where
	// it succeeds, the variables, the events.
	Detail string
	failed string // what it failed with on one side
	// Changes are the variables that a call changes which fails on the base.
	Changes []string
	places  []place // that hold something else
}

// compared is one side of a comparison under way.
type compared struct {
	exec  *evm.Execution
	world *evm.World
	lasts []bool
	state map[word]uint256.Int // words that calls before have written
}

// onSide is an execution of a side, with the state that a call of it meets.
func onSide(d *deploy.Deployment, exec *evm.Execution, call int) *compared {
	c := &compared{exec: exec, world: d.World, lasts: exec.Lasting(), state: map[word]uint256.Int{}}
	for i := range call {
		c.writes(i)
	}
	return c
}

// compare is a sequence with what it did on both sides.
func (s *Sides) compare(seq input.Sequence, head, base *evm.Execution) *ran {
	r := &ran{Sides: s, sequence: seq, head: head, base: base, moved: s.movedIn(head, base)}
	if d, ok := s.differ(head, base, r.moved); ok {
		r.first = &d
	}
	return r
}

// differ finds the first call that does something else. Gas does not count, and a call in
// which anything ran out of it is the last that is looked at.
func (s *Sides) differ(head, base *evm.Execution, moved movedAddresses) (Difference, bool) {
	if head.Truncated || base.Truncated {
		return Difference{}, false
	}
	x, y := onSide(s.Head, head, 0), onSide(s.Base, base, 0)
	for i := range min(len(head.Calls), len(base.Calls)) {
		if outOfGas(head, i) || outOfGas(base, i) {
			return Difference{}, false
		}
		if d, ok := s.differIn(x, y, i, moved); ok {
			d.Call = i
			if s.mayBeOfPlace(x, y, i, &d, moved) {
				return Difference{}, false
			}
			return d, !s.readsMasked(head, i) || i == 0 && d.Kind == Returns && s.readsBuilt(head)
		}
	}
	return Difference{}, false
}

// readsMasked reports whether a call of the head reads what differs before any call: what it does
// differently may come from that.
func (s *Sides) readsMasked(head *evm.Execution, call int) bool {
	frames := head.Calls[call].Frames
	for i := frames[0]; i < frames[1] && len(s.masked) > 0; i++ {
		if slices.ContainsFunc(head.Frames[i].Storage, func(a evm.StorageAccess) bool { return s.masked[word{a.Address, a.Slot}] }) {
			return true
		}
	}
	return false
}

// readsBuilt reports whether all that the first call reads of what differs before any call is state of contracts whose constructors
// changed: what it returns is then what the change does to them.
func (s *Sides) readsBuilt(head *evm.Execution) bool {
	frames := head.Calls[0].Frames
	for i := frames[0]; i < frames[1]; i++ {
		if slices.ContainsFunc(head.Frames[i].Storage, func(a evm.StorageAccess) bool {
			return s.masked[word{a.Address, a.Slot}] && !s.built[a.Address]
		}) {
			return false
		}
	}
	return true
}

// movedIn are the contracts that are elsewhere on the base, those that the calls make among them.
func (s *Sides) movedIn(head, base *evm.Execution) movedAddresses {
	made := movedCreations(head, base)
	if len(made) == 0 {
		return s.moved
	}
	maps.Copy(made, s.moved)
	return made
}

// differIn compares one call.
func (s *Sides) differIn(x, y *compared, call int, moved movedAddresses) (Difference, bool) {
	a, b := &x.exec.Calls[call], &y.exec.Calls[call]
	switch {
	case a.Outcome == evm.InsufficientBalance, b.Outcome == evm.InsufficientBalance:
		return Difference{}, false // no code ran; why the sender has less ether there shows in an earlier call
	case a.Outcome == evm.Success && b.Outcome != evm.Success:
		d := Difference{Kind: Succeeds, failed: failureClass(b), Changes: s.changes(x, call)}
		d.Detail = d.failed + ": " + strings.Join(d.Changes, ", ")
		return d, true
	case a.Outcome != evm.Success && b.Outcome == evm.Success:
		class := failureClass(a)
		return Difference{Kind: Reverts, Detail: class, failed: class}, true
	case a.Outcome != evm.Success:
		return Difference{}, false
	}
	if places := s.stored(x, y, call, moved); len(places) > 0 {
		return Difference{Kind: Stores, Detail: strings.Join(s.names(places), ", "), places: places}, true
	}
	if !equalTransfers(transfersOf(x, call, nil), transfersOf(y, call, moved)) {
		return Difference{Kind: Sends}, true
	}
	if !creates(x.exec, a) && !moved.equal(a.Output, b.Output) {
		return Difference{Kind: Returns}, true
	}
	if p, q := x.logs(call), y.logs(call); !slices.EqualFunc(p, q, moved.equalLogs) {
		return Difference{Kind: Emits, Detail: topicsOf(p) + " " + topicsOf(q)}, true
	}
	return Difference{}, false
}

// outOfGas reports whether any frame of a call ran out of gas.
func outOfGas(e *evm.Execution, call int) bool {
	frames := e.Calls[call].Frames
	return slices.ContainsFunc(e.Frames[frames[0]:frames[1]], func(f evm.Frame) bool { return f.Outcome == evm.OutOfGas })
}

// failureClass is what a call failed with, without values that change from input to input.
func failureClass(c *evm.CallResult) string {
	selector := len(evm.ErrorSelector)
	switch out := c.Output; {
	case c.Outcome != evm.Reverted:
		return c.Outcome.String()
	case len(out) < selector:
		return "without a reason"
	case bytes.HasPrefix(out, evm.ErrorSelector[:]), bytes.HasPrefix(out, evm.PanicSelector[:]):
		return c.Reason()
	default:
		return hex.EncodeToString(out[:selector])
	}
}

// topicsOf are the kinds of events.
func topicsOf(logs []evm.Log) string {
	var all []string
	for i := range logs {
		topic := "-"
		if len(logs[i].Topics) > 0 {
			topic = hex.EncodeToString(logs[i].Topics[0][:4])
		}
		all = append(all, topic)
	}
	return strings.Join(all, ",")
}

// logs are the events of a call that last.
func (c *compared) logs(call int) []evm.Log {
	var logs []evm.Log
	frames := c.exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		if c.lasts[i] {
			logs = append(logs, c.exec.Frames[i].Logs...)
		}
	}
	return logs
}

// transfer is ether that a contract sends.
type transfer struct {
	from, to common.Address
	value    uint256.Int
}

// transfersOf are those of a call, the sum for each pair of accounts, in the order in which they
// were first made.
func transfersOf(c *compared, call int, moved movedAddresses) []transfer {
	var all []transfer
	frames := c.exec.Calls[call].Frames
	for i := frames[0] + 1; i < frames[1]; i++ {
		f := &c.exec.Frames[i]
		if f.Value.IsZero() || !c.lasts[i] || f.Kind == evm.KindDelegateCall || f.Kind == evm.KindCallCode {
			continue
		}
		from, to := moved.of(f.Caller), moved.of(f.Self)
		if at := slices.IndexFunc(all, func(t transfer) bool { return t.from == from && t.to == to }); at >= 0 {
			all[at].value.Add(&all[at].value, &f.Value)
		} else {
			all = append(all, transfer{from, to, f.Value})
		}
	}
	return all
}

func equalTransfers(a, b []transfer) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(t transfer) bool { return !slices.Contains(b, t) })
}

// write is a word that a call wrote in the end.
type write struct {
	word
	access        *evm.StorageAccess
	before, after uint256.Int
}

// written are the words that a call wrote and that last, in order of their first write.
type written struct {
	list  []write
	index map[word]int // in list
}

// writes are those of a call, and makes them the state that later calls meet.
func (c *compared) writes(call int) written {
	all := written{index: map[word]int{}}
	frames := c.exec.Calls[call].Frames
	for _, w := range c.exec.AppendWrites(nil, frames[0], frames[1], c.lasts) {
		access, at := w.StorageAccess, word{w.Address, w.Slot}
		if n, again := all.index[at]; again {
			all.list[n].after = access.Value
			continue
		}
		all.index[at] = len(all.list)
		all.list = append(all.list, write{word: at, access: access, before: c.at(at), after: access.Value})
	}
	for i := range all.list {
		c.state[all.list[i].word] = all.list[i].after
	}
	return all
}

// at is what is at a word after the writes.
func (c *compared) at(w word) uint256.Int {
	if value, ok := c.state[w]; ok {
		return value
	}
	return initial(c.world, w)
}

// stored lists the places that hold something else after a call than on the base, though they
// held the same before.
func (s *Sides) stored(x, y *compared, call int, moved movedAddresses) (differ []place) {
	var known map[place]bool
	s.eachStored(x, y, call, moved, func(at place, head, base uint256.Int) {
		if known == nil {
			known = map[place]bool{}
		}
		if !known[at] {
			known[at] = true
			differ = append(differ, at)
		}
	})
	return differ
}

// eachStored calls do for these places with what they hold on both sides, for some twice.
func (s *Sides) eachStored(x, y *compared, call int, moved movedAddresses, do func(at place, head, base uint256.Int)) {
	p, q := x.writes(call), y.writes(call)
	if len(moved) == 0 && slices.EqualFunc(p.list, q.list, func(a, b write) bool { return a.word == b.word && a.after == b.after && a.before == b.before }) {
		return // nearly always
	}
	same := func(head, base uint256.Int) bool {
		return sameValue(head, base, moved) || areCodeSizes(x.exec, y.exec, head, base)
	}
	check := func(at place, head, base, headBefore, baseBefore uint256.Int) {
		if !s.masked[word{at.address, at.slot}] && !same(head, base) && same(headBefore, baseBefore) {
			do(at, head, base)
		}
	}
	for i := range p.list {
		w := &p.list[i]
		s.each(w, s.storage[w.address], true, moved, func(at place, there word, own, other bits) {
			after, before := y.at(there), y.before(there, &q)
			check(at, own.of(&w.after), other.of(&after), own.of(&w.before), other.of(&before))
		})
	}
	for i := range q.list {
		w := &q.list[i]
		s.each(w, s.storage[moved.of(w.address)], false, moved, func(at place, there word, own, other bits) {
			after, before := x.at(there), x.before(there, &p)
			check(at, other.of(&after), own.of(&w.after), other.of(&before), own.of(&w.before))
		})
	}
}

// changes names the variables that a call of the head changes.
func (s *Sides) changes(x *compared, call int) []string {
	var places []place
	for _, w := range x.writes(call).list {
		if w.before == w.after {
			continue
		}
		at := place{address: w.address, slot: w.slot, base: w.access.Base}
		known := false
		for _, part := range s.partsOf(&w) {
			if part.of(&w.before) != part.of(&w.after) {
				at.offset, known = part.offset, true
				places = append(places, at)
			}
		}
		if !known {
			places = append(places, at)
		}
	}
	return s.names(places)
}

// partsOf are the parts of a written word that variables of the head share; nil: it is one variable's, or an element of one.
func (s *Sides) partsOf(w *write) (parts []bits) {
	pair := s.storage[w.address]
	if pair == nil || w.access.Base != w.access.Slot || w.access.Keys.Count > 0 {
		return nil
	}
	for i := range pair.head.Variables {
		if v := &pair.head.Variables[i]; v.Bytes > 0 && v.Bytes < wordBytes && holdsSlot(v, &w.slot) {
			parts = append(parts, bits{v.Offset, v.Bytes})
		}
	}
	return parts
}

// before is what was at a word before a call's writes.
func (c *compared) before(at word, call *written) uint256.Int {
	if n, ok := call.index[at]; ok {
		return call.list[n].before
	}
	return c.at(at)
}

// sameValue compares a value of the head with one of the base.
func sameValue(head, base uint256.Int, moved movedAddresses) bool {
	if head == base {
		return true
	}
	if len(moved) == 0 {
		return false
	}
	bytes := base.Bytes32()
	return *new(uint256.Int).SetBytes(moved.in(bytes[:])) == head
}

// bits are a part of a word: so many bytes from an offset on; 0: all of it.
type bits struct{ offset, bytes uint }

// wordBytes is the length of a word.
const wordBytes = 32

func (b bits) of(w *uint256.Int) uint256.Int {
	var x uint256.Int
	x.Rsh(w, 8*b.offset)
	if b.bytes > 0 && b.bytes < wordBytes {
		x.And(&x, new(uint256.Int).SubUint64(new(uint256.Int).Lsh(uint256.NewInt(1), 8*b.bytes), 1))
	}
	return x
}

// each calls do for the places of a word that one side (the head if here) wrote: with the word
// on the other side, and the parts of the words on this and on the other side. Variables that
// only one side has are left out.
func (s *Sides) each(w *write, pair *storagePair, here bool, moved movedAddresses, do func(at place, there word, own, other bits)) {
	translate := moved.of
	if here {
		translate = moved.back
	}
	c := crossing{write: w, there: word{translate(w.address), w.slot}, keys: keysThere(&w.access.Keys, len(moved) > 0, translate), here: here, same: pair != nil && pair.same, do: do}
	if pair != nil && (!pair.same || len(s.partsOf(w)) > 1) && len(pair.head.Variables) > 0 && len(pair.base.Variables) > 0 {
		own, other := pair.head, pair.base
		if !here {
			own, other = other, own
		}
		c.variables(own, other)
		return
	}
	c.asIs()
}

// crossing is a write of one side, looked up on the other.
type crossing struct {
	*write
	there word     // on the other side
	keys  evm.Keys // there
	here  bool     // the head wrote it
	same  bool     // both sides have the same variables
	do    func(at place, there word, own, other bits)
}

// call calls do. base is the slot of the variable on the head.
func (c *crossing) call(base uint256.Int, own, other bits) {
	at := place{address: c.address, slot: c.slot, base: base, offset: own.offset}
	if !c.here {
		at.address, at.slot, at.offset = c.there.address, c.there.slot, other.offset
	}
	c.do(at, c.there, own, other)
}

// asIs looks up a word where variables have not moved.
func (c *crossing) asIs() {
	ok := true
	if c.keys != c.access.Keys {
		c.there.slot, ok = elementThere(c.access, &c.access.Base, &c.keys)
	}
	if ok {
		c.call(c.access.Base, bits{}, bits{})
	}
}

// variables looks up the variables of a word by their names.
func (c *crossing) variables(own, other *bytecode.Contract) {
	element := c.access.Base != c.access.Slot || c.access.Keys.Count > 0
	known := false
	for i := range own.Variables {
		v := &own.Variables[i]
		if !holdsSlot(v, &c.access.Base) {
			continue
		}
		known = true
		u := variableNamed(other, v.Name)
		if c.same {
			u = &other.Variables[i]
		}
		if u == nil {
			continue
		}
		var base uint256.Int
		base.Add(&u.Slot, new(uint256.Int).Sub(&c.access.Base, &v.Slot))
		ok := true
		if c.there.slot = base; element {
			c.there.slot, ok = elementThere(c.access, &base, &c.keys)
		}
		if c.here {
			base = c.access.Base
		}
		switch {
		case element && ok:
			c.call(base, bits{}, bits{})
			return // there is one variable in its slot
		case ok:
			c.call(base, bits{v.Offset, v.Bytes}, bits{u.Offset, u.Bytes})
		}
	}
	if !known {
		c.asIs()
	}
}

func holdsSlot(v *bytecode.Variable, slot *uint256.Int) bool {
	var index uint256.Int
	index.Sub(slot, &v.Slot)
	return !slot.Lt(&v.Slot) && index.Lt(&v.Slots)
}

func variableNamed(c *bytecode.Contract, name string) *bytecode.Variable {
	if at := slices.IndexFunc(c.Variables, func(v bytecode.Variable) bool { return v.Name == name }); at >= 0 {
		return &c.Variables[at]
	}
	return nil
}

// elementThere is where the element of a mapping or an array is that was accessed, for a
// variable in another place, or under other keys (Solidity documentation, "Layout of State Variables
// in Storage").
func elementThere(access *evm.StorageAccess, base *uint256.Int, keys *evm.Keys) (slot uint256.Int, ok bool) {
	from, to := access.Keys.Elements(&access.Base), keys.Elements(base)
	var within uint256.Int
	within.Sub(&access.Slot, &from)
	const window = 1 << 32 // elements belong to the hash before them, as they do for the recorder
	if !within.LtUint64(window) {
		return slot, false
	}
	slot.Add(&to, &within)
	return slot, true
}

// keysThere are keys with the addresses that contracts have on the other side.
func keysThere(keys *evm.Keys, moved bool, translate func(common.Address) common.Address) evm.Keys {
	out := *keys
	for i := range out.Words[:out.Count] {
		if w := &out.Words[i]; moved && w.BitLen() <= 8*common.AddressLength {
			address := common.Address(w.Bytes20())
			if other := translate(address); other != address {
				w.SetBytes20(other[:])
			}
		}
	}
	return out
}

// names are the variables at places of the head, each once and sorted; a place that no
// variable is known at by its contract.
func (s *Sides) names(places []place) []string {
	var names []string
	for i := range places {
		name := s.variableAt(&places[i])
		if name == "" {
			name = "storage"
		}
		if pair := s.storage[places[i].address]; pair != nil {
			name = pair.head.Name + "." + name
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
