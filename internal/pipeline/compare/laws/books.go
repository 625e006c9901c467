package laws

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Books are the tokens of one World, read in executions on it. Not for several goroutines.
type Books struct {
	Tokens []*Token

	world  *evm.World
	state  map[slot]uint256.Int // that earlier calls wrote
	lasts  []bool               // frames that are not undone
	writes []evm.Write          // of a call
	now    Call
}

// slot is a word of storage.
type slot struct {
	address common.Address
	number  uint256.Int
}

// NewBooks keeps the books of those of a World's tokens that have laws.
func NewBooks(tokens []*Token, w *evm.World) *Books {
	tokens = slices.DeleteFunc(slices.Clone(tokens), func(t *Token) bool { return len(t.Laws) == 0 })
	return &Books{Tokens: tokens, world: w, state: map[slot]uint256.Int{}}
}

// Token is the one at an address; nil: there is none.
func (b *Books) Token(at common.Address) *Token {
	for _, t := range b.Tokens {
		if t.Address == at {
			return t
		}
	}
	return nil
}

// Call is a call of a sequence that succeeded, and that is one of a token or changes its books. It is valid until
// the next one is read.
type Call struct {
	Token   *Token
	Index   int
	Changes []Change // in the order of the first writes

	books  *Books
	result *evm.CallResult
	frame  *evm.Frame // of the token, which nothing calls back into; nil: it is not such a call
	// unclear: what is written is not known.
	unclear bool
	in, out uint256.Int // ether that the token got and sent
	wide    bool        // more ether than a word holds
}

// Change is a value of a family that a call changed.
type Change struct {
	Family        Family
	Keys          [2]uint256.Int
	Before, After uint256.Int
	From, At      bytecode.Location // of the first and the last write

	slot uint256.Int
}

// Read calls do for the calls of an execution from one on, for each token that they concern.
func (b *Books) Read(exec *evm.Execution, from int, do func(*Call)) {
	if len(b.Tokens) == 0 {
		return
	}
	clear(b.state)
	b.lasts = b.lasts[:0]
	for i := range exec.Frames {
		f := &exec.Frames[i]
		b.lasts = append(b.lasts, f.Outcome == evm.Success && (f.Parent < 0 || b.lasts[f.Parent]))
	}
	for i := range exec.Calls {
		if exec.Calls[i].Outcome == evm.Success {
			b.read(exec, i, i >= from, do)
		}
	}
}

// read reads one call, and calls do if it is asked for.
func (b *Books) read(exec *evm.Execution, call int, asked bool, do func(*Call)) {
	for _, t := range b.Tokens {
		t.changes, t.unclear = t.changes[:0], false
	}
	frames := exec.Calls[call].Frames
	b.writes = exec.AppendWrites(b.writes[:0], frames[0], frames[1], b.lasts)
	for _, w := range b.writes {
		if t := b.Token(w.Address); t != nil {
			b.write(exec, t, w)
		}
	}
	for _, t := range b.Tokens {
		direct := exec.Frames[frames[0]].Self == t.Address
		if asked && (direct || len(t.changes) > 0 || t.unclear) {
			do(b.callOf(exec, call, t))
		}
	}
}

// write notes a write to a token's storage.
func (b *Books) write(exec *evm.Execution, t *Token, a evm.Write) {
	elements, known := t.at(a.StorageAccess, exec.Frames[a.Frame].Program)
	if !known {
		t.unclear = true
		return
	}
	if len(elements) == 0 {
		return
	}
	at := slot{t.Address, a.Slot}
	before := b.at(at)
	b.state[at] = a.Value
	for i := range elements {
		e := &elements[i]
		p := t.places[e.family]
		n := slices.IndexFunc(t.changes, func(c Change) bool { return c.slot == a.Slot && c.Family == e.family })
		if n < 0 {
			n = len(t.changes)
			t.changes = append(t.changes, Change{Family: e.family, Keys: e.keys, Before: p.of(&before), slot: a.Slot})
		}
		c := &t.changes[n]
		c.After = p.of(&a.Value)
		if program := exec.Frames[a.Frame].Program; program != nil {
			c.At = bytecode.Location{Code: program.ID, PC: a.PC}
			if c.From == (bytecode.Location{}) {
				c.From = c.At
			}
		}
	}
}

// at is what is in a slot after the writes that were read.
func (b *Books) at(at slot) uint256.Int {
	if value, ok := b.state[at]; ok {
		return value
	}
	var value uint256.Int
	if account := b.world.Accounts[at.address]; account != nil {
		word := account.Storage[common.Hash(at.number.Bytes32())]
		value.SetBytes32(word[:])
	}
	return value
}

// isUnknown reports whether only a chain knows what was in a slot before any call.
func (b *Books) isUnknown(at slot) bool {
	account := b.world.Accounts[at.address]
	if account == nil || !account.Remote {
		return false
	}
	_, stored := account.Storage[common.Hash(at.number.Bytes32())]
	return !stored
}

// callOf is what was read, for a token.
func (b *Books) callOf(exec *evm.Execution, call int, t *Token) *Call {
	c := &b.now
	*c = Call{books: b, Token: t, Index: call, Changes: t.changes, result: &exec.Calls[call], unclear: t.unclear}
	for i := range t.changes {
		c.unclear = c.unclear || b.isUnknown(slot{t.Address, t.changes[i].slot})
	}
	c.Changes = slices.DeleteFunc(c.Changes, func(c Change) bool { return c.Before == c.After })
	frames := exec.Calls[call].Frames
	entered := 0
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Kind == evm.KindDelegateCall || f.Kind == evm.KindCallCode || f.Kind == evm.KindStaticCall || !b.lasts[i] {
			continue
		}
		if f.Self == t.Address {
			entered++
		}
		c.ether(f)
	}
	if first := &exec.Frames[frames[0]]; first.Self == t.Address && first.Kind == evm.KindTransaction && entered == 1 {
		c.frame = first
	}
	return c
}

// ether counts what a frame brings the token, or takes from it.
func (c *Call) ether(f *evm.Frame) {
	if f.Value.IsZero() {
		return
	}
	var over bool
	if f.Self == c.Token.Address {
		_, over = c.in.AddOverflow(&c.in, &f.Value)
		c.wide = c.wide || over
	}
	if f.Caller == c.Token.Address {
		_, over = c.out.AddOverflow(&c.out, &f.Value)
		c.wide = c.wide || over
	}
}

// is reports whether the call is one of the token's function, with so many words of arguments at least, and nothing
// calls back into the token.
func (c *Call) is(function [4]byte, words int) bool {
	return c.frame != nil && bytes.HasPrefix(c.frame.Input, function[:]) && len(c.frame.Input) >= len(function)+words*wordBytes
}

// argument is a word of the calldata.
func (c *Call) argument(i int) (word uint256.Int) {
	at := 4 + i*wordBytes
	word.SetBytes(c.frame.Input[at : at+wordBytes])
	return word
}

// caller is who makes the call, as a word.
func (c *Call) caller() (word uint256.Int) {
	word.SetBytes(c.frame.Caller[:])
	return word
}

// changeOf is how a value changed; nil: it did not.
func (c *Call) changeOf(f Family, keys ...uint256.Int) *Change {
	for i := range c.Changes {
		if change := &c.Changes[i]; change.Family == f && slices.Equal(change.Keys[:len(keys)], keys) {
			return change
		}
	}
	return nil
}

// by reports whether a value rose (fell, for a sign of −1) by so much.
func (c *Change) by(amount *uint256.Int, sign int) bool {
	var s sum
	if c != nil {
		s.change(&c.Before, &c.After)
	}
	if sign < 0 {
		s.add(amount)
	} else {
		s.sub(amount)
	}
	return s.sign() == 0
}

// only reports whether the call changes no other values of a family.
func (c *Call) only(f Family, changes ...*Change) bool {
	for i := range c.Changes {
		if change := &c.Changes[i]; change.Family == f && !slices.Contains(changes, change) {
			return false
		}
	}
	return true
}

// Value is what a token keeps under some keys after the calls that were read; false where that is not known.
func (b *Books) Value(t *Token, f Family, keys [2]uint256.Int) (value uint256.Int, ok bool) {
	p := t.places[f]
	if p == nil {
		return value, false
	}
	at := slot{t.Address, p.slot(keys[:])}
	if _, written := b.state[at]; !written && b.isUnknown(at) {
		return value, false
	}
	word := b.at(at)
	return p.of(&word), true
}

// value is what the token keeps after the call.
func (c *Call) value(f Family, keys [2]uint256.Int) (uint256.Int, bool) {
	return c.books.Value(c.Token, f, keys)
}

// View is the calldata that asks for a value of a family.
func View(f Family, keys [2]uint256.Int) []byte {
	s := selector(views[f].signature)
	data := s[:]
	for i := range views[f].arguments {
		word := keys[i].Bytes32()
		data = append(data, word[:]...)
	}
	return data
}
