package replay

import (
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/report"
)

// maxChanges bounds the variables that a finding shows. Arbitrary: a minimized sequence seldom writes a dozen.
const maxChanges = 32

// Changes are the state variables that a sequence changes, by its execution on a World, and how many more than the list has. What
// the attacker's contract keeps for itself is none of them. There are none where the execution lacks accesses.
func Changes(world *evm.World, space *input.Space, variables map[string][]Variable, exec *evm.Execution) (list []report.StorageChange, left int, err error) {
	if exec.Truncated {
		return nil, 0, nil
	}
	c := &changes{naming: &naming{space, variables}, world: world, exec: exec, lasts: exec.Lasting(), first: map[storageKey]uint256.Int{}, now: map[storageKey]uint256.Int{}, known: map[partKey]*change{}}
	for i := range exec.Calls {
		if err := c.call(i); err != nil {
			return nil, 0, err
		}
	}
	for _, found := range c.list {
		if !found.undone {
			word := c.now[found.key]
			found.after = found.of(&word)
		}
		switch {
		case found.before == found.after:
		case len(list) == maxChanges:
			left++
		default:
			list = append(list, report.StorageChange{Account: found.account, Variable: found.Name, Slot: found.key.slot.Hex(),
				Before: c.text(&found.before, found.Type), After: c.text(&found.after, found.Type), Step: found.step + 1, Undone: found.undone})
		}
	}
	return list, left, nil
}

// changes collects what a sequence writes, call by call.
type changes struct {
	*naming
	world *evm.World
	exec  *evm.Execution
	lasts []bool                     // by frame: what it did is not undone
	first map[storageKey]uint256.Int // words before the sequence
	now   map[storageKey]uint256.Int // words after the calls so far
	list  []*change
	known map[partKey]*change // of list, those that last
}

// partKey is a part of a word; without bytes all of it.
type partKey struct {
	storageKey
	offset, bytes uint
}

// change is a variable that is written.
type change struct {
	changedVariable
	account string
	key     storageKey
	step    int // the last call that writes it, from 0
	undone  bool
}

// of is what the variable holds of its word.
func (c *change) of(word *uint256.Int) uint256.Int {
	if c.isWhole() {
		return *word
	}
	return c.in(word)
}

func (c *change) isWhole() bool { return c.Bytes == 0 || c.Bytes == wordBytes }

// wordWritten is a word that a call writes.
type wordWritten struct {
	key    storageKey
	access *evm.StorageAccess
	frame  *evm.Frame
	value  uint256.Int // in the end
}

// call adds what a call writes: what lasts, or all that one wrote which fails.
func (c *changes) call(index int) error {
	fails := c.exec.Calls[index].Outcome != evm.Success
	writes, err := c.writes(index, fails)
	if err != nil {
		return err
	}
	for _, w := range writes {
		before := c.now[w.key]
		if before == w.value {
			if known := c.known[partKey{storageKey: w.key}]; known != nil && !fails {
				known.step = index
			}
			continue
		}
		for _, v := range c.changed(w.access, w.frame, &before, &w.value) {
			c.add(&change{changedVariable: v, account: c.account(w), key: w.key, step: index, undone: fails})
		}
		if !fails {
			c.now[w.key] = w.value
		}
	}
	return nil
}

// writes are the words that a call writes, in the order of their first writes.
func (c *changes) writes(index int, undone bool) ([]*wordWritten, error) {
	type at struct {
		access *evm.StorageAccess
		frame  int
	}
	var accesses []at
	frames := c.exec.Calls[index].Frames
	for i := frames[0]; i < frames[1]; i++ {
		for j := range c.exec.Frames[i].Storage {
			if a := &c.exec.Frames[i].Storage[j]; a.Address != attacker.Address {
				accesses = append(accesses, at{a, i})
			}
		}
	}
	slices.SortStableFunc(accesses, func(a, b at) int { return cmp.Compare(a.access.Order, b.access.Order) })
	var list []*wordWritten
	known := map[storageKey]*wordWritten{}
	for _, a := range accesses {
		key := storageKey{a.access.Address, a.access.Slot}
		if err := c.meet(key, a.access); err != nil {
			return nil, err
		}
		switch w := known[key]; {
		case !a.access.Write || !undone && !c.lasts[a.frame]:
		case w != nil:
			w.value = a.access.Value
		default:
			w = &wordWritten{key, a.access, &c.exec.Frames[a.frame], a.access.Value}
			known[key], list = w, append(list, w)
		}
	}
	return list, nil
}

// meet notes what a word holds before the sequence, at its first access: a read says it, even where a cheatcode has
// set it meanwhile.
func (c *changes) meet(key storageKey, a *evm.StorageAccess) error {
	if _, known := c.first[key]; known {
		return nil
	}
	value := a.Value
	if a.Write {
		word, err := c.world.Word(key.address, common.Hash(key.slot.Bytes32()))
		if err != nil {
			return err
		}
		value.SetBytes32(word[:])
	}
	c.first[key], c.now[key] = value, value
	return nil
}

// add adds a change, or what a later call does to a variable that has one.
func (c *changes) add(found *change) {
	if !found.undone {
		part := partKey{storageKey: found.key}
		if !found.isWhole() {
			part.offset, part.bytes = found.Offset, found.Bytes
		}
		if known := c.known[part]; known != nil {
			known.step = found.step
			return
		}
		c.known[part] = found
		word := c.first[found.key]
		found.before = found.of(&word)
	}
	c.list = append(c.list, found)
}

// account names whose storage a word is in.
func (c *changes) account(w *wordWritten) string {
	if w.frame.CodeAddress == w.key.address {
		return partner(c.space, w.key.address, w.frame)
	}
	return partner(c.space, w.key.address, nil)
}

// text shows a value as the calls of a report show their arguments.
func (c *changes) text(v *uint256.Int, kind string) string {
	text, number := c.value(v, kind)
	if number {
		return input.Round(text)
	}
	return text
}
