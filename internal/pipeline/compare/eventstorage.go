package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

const (
	// eventSupport calls of the base have to agree, with so many different values. Arbitrary: what holds by chance
	// rarely holds that often.
	eventSupport, eventValues = 50, 4
	// maxEventLooks bounds the calls whose events are looked at, on the base and where both sides differ. Arbitrary: a
	// tenth of a second.
	maxEventLooks = 1 << 12
	// maxEventWords bounds the arguments of an event. Arbitrary.
	maxEventWords = 8
)

// eventArgument is a word of an event, by where the head emits it: its topics first, then its data.
type eventArgument struct {
	emitter common.Address
	topic   common.Hash
	word    int
}

// relation is what an event's argument is to a state variable of the head.
type relation struct {
	address common.Address
	base    uint256.Int
	offset  uint
	kind    relationKind
}

type relationKind uint8

const (
	isWritten relationKind = iota
	isGrowth
	isFall
	isKey
)

// describe is a relation for people, with what it is of: "the growth of Vault.total".
func (s *Sides) describeRelation(r *relation) string {
	what := [...]string{"the value of", "the growth of", "the fall of", "the key in"}[r.kind]
	names := s.names([]place{{address: r.address, slot: r.base, base: r.base, offset: r.offset}})
	return what + " " + names[0]
}

// eventLaw is what is known of an argument.
type eventLaw struct {
	at        eventArgument
	calls     int // of the base that agree
	values    map[uint256.Int]bool
	relations []relation     // that hold in all of them
	broken    input.Sequence // the first on the head whose last call breaks it
	first     fuzzer.Mark    // when
}

// eventStorage watches for events that no longer say what is stored.
type eventStorage struct {
	*Sides
	laws        map[eventArgument]*eventLaw
	order       []*eventLaw // as they were first seen
	mined, held int         // looks
}

func (s *Sides) newEventStorage() *eventStorage {
	return &eventStorage{Sides: s, laws: map[eventArgument]*eventLaw{}}
}

// emission is an argument that a call emitted, with its value.
type emission struct {
	eventArgument
	value uint256.Int
	log   *evm.Log
	frame *evm.Frame
}

// see implements [watcher].
func (e *eventStorage) see(r *ran) {
	last := r.last()
	if last < 0 || r.head.Calls[last].Outcome != evm.Success || r.base.Calls[last].Outcome != evm.Success {
		return
	}
	differs := r.first != nil && r.first.Call == last
	if e.mined >= maxEventLooks && (!differs || e.held >= maxEventLooks) {
		return
	}
	emitted := emissionsOf(r.base, last, r.moved)
	if len(emitted) == 0 {
		return
	}
	_, writes := r.writes(last)
	changes := e.changesOf(writes, false, r.moved)
	if e.mined < maxEventLooks {
		e.mined++
		for i := range emitted {
			e.mine(&emitted[i], changes)
		}
	}
	if differs && e.held < maxEventLooks {
		e.held++
		for _, law := range e.order {
			if law.broken == nil && len(law.relations) > 0 && e.breaks(r, law, emitted, changes) != nil {
				law.broken, law.first = r.sequence.Clone(), r.at
			}
		}
	}
}

// emissionsOf are the words of the events of a call that last, but zero.
func emissionsOf(exec *evm.Execution, call int, moved movedAddresses) []emission {
	var all []emission
	lasts := exec.Lasting()
	frames := exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		for j := range f.Logs {
			log := &f.Logs[j]
			if !lasts[i] || len(log.Topics) == 0 || f.Program == nil {
				continue
			}
			at := eventArgument{emitter: moved.of(log.Address), topic: log.Topics[0]}
			words := log.Topics[1:]
			for from := 0; from+wordBytes <= len(log.Data) && len(words) < maxEventWords; from += wordBytes {
				words = append(words[:len(words):len(words)], common.Hash(log.Data[from:from+wordBytes]))
			}
			for n, word := range words {
				at.word = n
				if value := new(uint256.Int).SetBytes32(word[:]); !value.IsZero() {
					all = append(all, emission{at, *value, log, f})
				}
			}
		}
	}
	return all
}

// storageChange is what a call wrote to a state variable, be it what was there.
type storageChange struct {
	relation
	before, after uint256.Int
	keys          evm.Keys
}

// changesOf are the changes that writes of the head, or of the base, come to, by the variables of the head.
func (e *eventStorage) changesOf(writes []write, head bool, moved movedAddresses) []storageChange {
	var all []storageChange
	for i := range writes {
		w := &writes[i]
		address := w.address
		if !head {
			address = moved.of(address)
		}
		e.each(w, e.storage[address], head, moved, func(at place, _ word, own, _ bits) {
			c := storageChange{relation: relation{address: at.address, base: at.base, offset: at.offset}, before: own.of(&w.before), after: own.of(&w.after), keys: w.access.Keys}
			all = append(all, c)
		})
	}
	return all
}

// satisfied are the relations that a value has to changes, each once.
func satisfied(value *uint256.Int, changes []storageChange) []relation {
	var list []relation
	add := func(r relation, kind relationKind) {
		if r.kind = kind; !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	for i := range changes {
		c := &changes[i]
		if c.after == *value {
			add(c.relation, isWritten)
		}
		if c.after.Gt(&c.before) && *new(uint256.Int).Sub(&c.after, &c.before) == *value {
			add(c.relation, isGrowth)
		}
		if c.before.Gt(&c.after) && *new(uint256.Int).Sub(&c.before, &c.after) == *value {
			add(c.relation, isFall)
		}
		if slices.Contains(c.keys.Words[:c.keys.Count], *value) {
			add(c.relation, isKey)
		}
	}
	return list
}

// mine learns from an argument of the base.
func (e *eventStorage) mine(a *emission, changes []storageChange) {
	law := e.laws[a.eventArgument]
	switch {
	case law == nil:
		law = &eventLaw{at: a.eventArgument, values: map[uint256.Int]bool{}, relations: satisfied(&a.value, changes)}
		e.laws[a.eventArgument] = law
		e.order = append(e.order, law)
	case len(law.relations) > 0:
		holds := satisfied(&a.value, changes)
		law.relations = slices.DeleteFunc(law.relations, func(r relation) bool { return !slices.Contains(holds, r) })
	}
	law.calls++
	if len(law.values) < eventValues {
		law.values[a.value] = true
	}
}

// breaks finds the argument of the head that is nothing of what the last call changes, where on the base it is what it
// always is there; nil: there is none.
func (e *eventStorage) breaks(r *ran, law *eventLaw, there []emission, changes []storageChange) *emission {
	same := func(a emission) bool { return a.eventArgument == law.at }
	at := slices.IndexFunc(there, same)
	if at < 0 || !slices.ContainsFunc(satisfied(&there[at].value, changes), func(r relation) bool { return slices.Contains(law.relations, r) }) {
		return nil
	}
	here := emissionsOf(r.head, r.last(), nil)
	writes, _ := r.writes(r.last())
	mine := e.changesOf(writes, true, r.moved)
	for i := range here {
		if !same(here[i]) || e.accountsFor(&here[i].value, mine, writes) || len(satisfied(&here[i].value, stepsOf(r.head, r.last(), writes))) > 0 {
			continue
		}
		return &here[i]
	}
	return nil
}

// accountsFor reports whether a value is something of what a call of the head changes, in whichever variable: those that
// the base has not, and parts of words, among them.
func (e *eventStorage) accountsFor(value *uint256.Int, changes []storageChange, writes []write) bool {
	if len(satisfied(value, changes)) > 0 {
		return true
	}
	var whole []storageChange
	for i := range writes {
		w := &writes[i]
		if isPacked(value, w) {
			return true
		}
		whole = append(whole, storageChange{before: w.before, after: w.after, keys: w.access.Keys})
		pair := e.storage[w.address]
		if pair == nil {
			continue
		}
		for j := range pair.head.Variables {
			v := &pair.head.Variables[j]
			if part := (bits{v.Offset, v.Bytes}); holdsSlot(v, &w.access.Base) && v.Bytes > 0 {
				whole = append(whole, storageChange{before: part.of(&w.before), after: part.of(&w.after)})
			}
		}
	}
	return len(satisfied(value, whole)) > 0
}

// isPacked reports whether a value is in a written word, or by how much a part of it changes: of a struct in an array, a
// checkpoint for instance, it is not known what is where.
func isPacked(value *uint256.Int, w *write) bool {
	size := uint(value.ByteLen())
	mask := new(uint256.Int).SubUint64(new(uint256.Int).Lsh(uint256.NewInt(1), 8*size), 1)
	growth, fall := new(uint256.Int).Sub(&w.after, &w.before), new(uint256.Int).Sub(&w.before, &w.after)
	for shift := uint(0); shift+size <= wordBytes; shift++ {
		var part, by uint256.Int
		part.And(part.Rsh(&w.after, 8*shift), mask)
		by.Lsh(value, 8*shift)
		if part == *value || by == *growth || by == *fall {
			return true
		}
	}
	return false
}

// stepsOf are the single changes of a call, where what it writes to a word comes to another one: a fee that is
// credited to the account that pays it.
func stepsOf(exec *evm.Execution, call int, writes []write) []storageChange {
	now := map[word]uint256.Int{}
	for i := range writes {
		now[writes[i].word] = writes[i].before
	}
	var all []storageChange
	frames := exec.Calls[call].Frames
	for _, w := range exec.AppendWrites(nil, frames[0], frames[1], exec.Lasting()) {
		at := word{w.Address, w.Slot}
		all = append(all, storageChange{before: now[at], after: w.Value, keys: w.Keys})
		now[at] = w.Value
	}
	return all
}

// suspects implements [watcher].
func (e *eventStorage) suspects() []*suspect {
	var list []*suspect
	told := map[eventArgument]bool{} // by their first words: one argument of an event is enough
	for _, law := range e.order {
		event := law.at
		event.word = 0
		if told[event] || law.broken == nil || len(law.relations) == 0 {
			continue
		}
		if law.calls < eventSupport || len(law.values) < eventValues {
			list = append(list, &suspect{oracle: oracle.EventStorage, refuted: "the base was not seen to keep the law often enough"})
			continue
		}
		told[event] = true
		slices.SortFunc(law.relations, func(a, b relation) int {
			return cmp.Or(a.address.Cmp(b.address), a.base.Cmp(&b.base), cmp.Compare(a.offset, b.offset), cmp.Compare(a.kind, b.kind))
		})
		list = append(list, &suspect{oracle: oracle.EventStorage, sequence: law.broken, first: law.first, shows: e.shows(law)})
	}
	return list
}

// shows is the question whether a sequence's last call breaks a law.
func (e *eventStorage) shows(law *eventLaw) func(*ran) *shown {
	return func(r *ran) *shown {
		last := r.last()
		if r.first == nil || r.first.Call != last || r.head.Calls[last].Outcome != evm.Success || r.base.Calls[last].Outcome != evm.Success {
			return nil
		}
		_, writes := r.writes(last)
		a := e.breaks(r, law, emissionsOf(r.base, last, r.moved), e.changesOf(writes, false, r.moved))
		if a == nil || a.frame.Program.Contract == nil {
			return nil
		}
		return &shown{
			contract: a.frame.Program.Contract.QualifiedName(),
			at:       bytecode.Location{Code: a.frame.Program.ID, PC: a.log.PC},
			message:  fmt.Sprintf("%s is nothing that the call stores; on the base it is %s", argumentName(a), e.describeRelation(&law.relations[0])),
		}
	}
}

// argumentName is an event's argument for people: "amount of the event Paid".
func argumentName(a *emission) string {
	event, err := a.frame.Program.Contract.ABI.EventByID(a.topic)
	if err != nil {
		return "an argument of an event"
	}
	name, n := "an argument", a.word
	topics := len(a.log.Topics) - 1
	for i := range event.Inputs {
		own := &event.Inputs[i]
		if own.Indexed != (a.word < topics) {
			continue
		}
		if !own.Indexed && !isWord(own.Type) {
			break // what follows is not in order
		}
		if n == 0 || !own.Indexed && n == topics {
			name = cmp.Or(own.Name, name)
			break
		}
		n--
	}
	return name + " of the event " + event.RawName
}
