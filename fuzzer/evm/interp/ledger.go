package interp

import (
	"maps"
	"math/bits"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/source"
)

// ledger is the [Interpreter]'s state: an overlay over the immutable World, as
// gethvm.State is, and by design without anything in common with it, so that a fault
// in either shows as a difference between the machines.
//
// Every change is journaled, across transactions too; a mark is the length of the
// journal. What lasts for one transaction only is a stamp with the transaction's
// number, which is never used twice.
type ledger struct {
	world       *evm.World
	precompiles vm.PrecompiledContracts

	entries map[common.Address]*entry
	// recent has the latest entries that were looked up, by the low bits of their
	// addresses: most look-ups are of the same few.
	recent [64]*entry
	pool   slab[entry]
	cells  slab[cell]

	journal []undo
	codes   []codeUndo // of the journal's coded entries, in order
	gone    []entry    // of its removed ones
	words   []wordUndo // of its transiented ones

	tx        uint64 // number of the current transaction, from 2; 1: none has begun
	txStart   int    // journal mark of its start
	refund    uint64
	transient map[transientWord]uint256.Int
	logs      []*types.Log // of a message, without those that were undone

	ripemdTouched uint64 // the last transaction that touched it without paying; see ripemd
	installed     int    // bytes of code set since entries were last forgotten
}

// entry is one account, whether it exists or not.
type entry struct {
	address    common.Address
	precompile vm.PrecompiledContract // nil for the others

	exists  bool
	nonce   uint64
	balance uint256.Int
	code    []byte
	hash    common.Hash  // of code; zero: not computed yet
	made    *madeCode    // the same code; nil: it was not made in a run
	world   *evm.Account // where cells come from that are not in the table; nil: they are zero
	remote  bool         // and from the World's origin those that world lacks

	decoded    *decoded // of code, or of what it delegates to; see Interpreter.code
	generation uint64   // of the decodings that decoded belongs to

	table []*cell // a power of two, at most half full
	count int     // of cells in it

	warm, created, destructed uint64 // the last transaction in which it was that
}

// cell is one word of storage.
type cell struct {
	key, value uint256.Int
	original   uint256.Int // at the start of transaction written
	written    uint64      // the last transaction that wrote it
	warm       uint64      // the last transaction in which it was warm
}

// changeKind tells what an entry of the journal undoes.
type changeKind uint8

const (
	existed     changeKind = iota // the account did not exist
	balanced                      // balance
	nonced                        // number
	coded                         // the latest of codes
	created                       // number: the stamp
	destructed                    // number: the stamp
	warmed                        // number: the stamp
	removed                       // the latest of gone
	stored                        // word
	slotWarmed                    // number: the stamp
	transiented                   // the latest of words
	refunded                      // number
	logged                        // the last event
	vanished                      // the account existed; see Restore
	marked                        // nothing; number: that of a snapshot
)

// undo is one entry of the journal: what was there before.
type undo struct {
	kind   changeKind
	entry  *entry // nil for warmed cells
	cell   *cell
	number uint64
	word   uint256.Int
}

// codeUndo is code of an account; the hash is zero where it is not known yet.
type codeUndo struct {
	code []byte
	hash common.Hash
	made *madeCode
}

// madeCode is code that creation code returned. Most of it is met once, and a hash to find it by would take
// longer than what is run of it.
type madeCode struct {
	code       []byte
	decoded    *decoded // nil: not yet
	generation uint64   // of the decodings that it belongs to
}

type wordUndo struct {
	at     transientWord
	before uint256.Int
}

type transientWord struct {
	entry *entry
	key   uint256.Int
}

// slab hands out zeroed structs from chunks that it keeps.
type slab[T any] struct {
	chunks [][]T
	used   int // of all chunks' elements
}

// slabChunk is the number of structs that are allocated together; arbitrary.
const slabChunk = 1 << 6

func (s *slab[T]) get() *T {
	chunk := s.used / slabChunk
	if chunk == len(s.chunks) {
		s.chunks = append(s.chunks, make([]T, slabChunk))
	}
	item := &s.chunks[chunk][s.used%slabChunk]
	s.used++
	return item
}

// reset takes everything back.
func (s *slab[T]) reset() {
	for _, chunk := range s.chunks {
		clear(chunk)
	}
	s.used = 0
}

// What a ledger remembers of accounts and words that it has looked up in its World,
// beyond which it forgets all of them at the next reset: about 5 MB between sequences,
// at about 200 bytes each. Fuzzed keys of mappings are words that are looked up once and
// never again.
const (
	maxCachedAccounts = 1 << 13
	maxCachedSlots    = 1 << 14
)

// ripemd is the precompile whose touch survives the failure of the call that
// touched it: what happened on mainnet in block 1,714,175 became a rule that
// go-ethereum keeps.
var ripemd = common.BytesToAddress([]byte{3})

// leastCells is the size of an account's table to begin with; arbitrary.
const leastCells = 1 << 4

// maxInstalledBytes bounds the code that deployments have left behind in
// forgotten entries and decodings: a few hundred contracts of the largest size.
const maxInstalledBytes = 1 << 24

func newLedger(world *evm.World, precompiles vm.PrecompiledContracts) *ledger {
	return &ledger{
		world:       world,
		precompiles: precompiles,
		tx:          1, // stamps are 0 at first
		entries:     map[common.Address]*entry{},
		transient:   map[transientWord]uint256.Int{},
	}
}

// overgrown reports whether the next reset will forget accounts and cells.
func (l *ledger) overgrown() bool {
	return len(l.entries) > maxCachedAccounts || l.cells.used > maxCachedSlots || l.installed > maxInstalledBytes
}

// reset undoes everything: the state is the World's again.
func (l *ledger) reset() {
	l.revert(0)
	if l.overgrown() {
		clear(l.entries)
		clear(l.transient)
		l.recent = [len(l.recent)]*entry{}
		l.pool.reset()
		l.cells.reset()
		l.installed = 0
	}
}

// find is the record of an address.
func (l *ledger) find(address *common.Address) *entry {
	recent := &l.recent[(address[19]^address[12])%byte(len(l.recent))]
	if e := *recent; e != nil && e.address == *address {
		return e
	}
	e := l.entries[*address]
	if e == nil {
		e = l.load(address)
	}
	*recent = e
	return e
}

// at is the record of the address in a word's low 20 bytes.
func (l *ledger) at(word *uint256.Int) *entry {
	address := common.Address(word.Bytes20())
	return l.find(&address)
}

// load makes the record of an address from the World.
func (l *ledger) load(address *common.Address) *entry {
	e := l.pool.get()
	e.address, e.precompile = *address, l.precompiles[*address]
	if w, remote := source.Account(l.world, *address); w != nil {
		e.exists, e.nonce, e.balance, e.code, e.world, e.remote = true, w.Nonce, w.Balance, w.Code, w, remote
	}
	l.entries[*address] = e
	return e
}

// mixWord makes a table's index of a word: keys are small numbers or hashes, and
// either kind may be followed by the elements of a struct or an array. The
// factor is the 64-bit golden ratio, as in Fibonacci hashing (Knuth, TAOCP 6.4).
func mixWord(w *uint256.Int) uint64 {
	x := (w[0] ^ bits.RotateLeft64(w[1], 17) ^ bits.RotateLeft64(w[2], 31) ^ w[3]) * 0x9e3779b97f4a7c15
	return x ^ x>>32
}

// cell is one word of an account's storage.
func (l *ledger) cell(e *entry, key *uint256.Int) *cell {
	if mask := uint64(len(e.table) - 1); len(e.table) > 0 {
		for i := mixWord(key); ; i++ {
			c := e.table[i&mask]
			if c == nil {
				break
			}
			if c.key == *key {
				return c
			}
		}
	}
	return l.addCell(e, key)
}

func (l *ledger) addCell(e *entry, key *uint256.Int) *cell {
	if 2*e.count >= len(e.table) {
		old := e.table
		e.table = make([]*cell, max(leastCells, 2*len(old)))
		for _, c := range old {
			if c != nil {
				e.insert(c)
			}
		}
	}
	c := l.cells.get()
	c.key = *key
	if e.world != nil {
		value := source.Word(l.world, e.address, e.world, e.remote, key.Bytes32())
		c.value.SetBytes32(value[:])
	}
	e.insert(c)
	e.count++
	return c
}

func (e *entry) insert(c *cell) {
	mask := uint64(len(e.table) - 1)
	i := mixWord(&c.key)
	for e.table[i&mask] != nil {
		i++
	}
	e.table[i&mask] = c
}

// empty is EIP-161's emptiness.
func (e *entry) empty() bool { return e.nonce == 0 && len(e.code) == 0 && e.balance.IsZero() }

func (e *entry) codeHash() common.Hash {
	if e.hash == (common.Hash{}) {
		e.hash = types.EmptyCodeHash
		if len(e.code) > 0 {
			e.hash = crypto.Keccak256Hash(e.code)
		}
	}
	return e.hash
}

// note appends to the journal.
func (l *ledger) note(kind changeKind, e *entry, number uint64) *undo {
	l.journal = append(l.journal, undo{kind: kind, entry: e, number: number})
	return &l.journal[len(l.journal)-1]
}

// touch brings an account into existence if need be.
func (l *ledger) touch(e *entry) {
	if !e.exists {
		l.note(existed, e, 0)
		e.exists = true
	}
}

// warmEntry makes an account warm for the transaction (EIP-2929).
func (l *ledger) warmEntry(e *entry) {
	if e.warm != l.tx {
		l.note(warmed, e, e.warm)
		e.warm = l.tx
	}
}

// cold reports whether an account was not accessed yet in the transaction;
// precompiles always were.
func (l *ledger) cold(e *entry) bool { return e.warm != l.tx && e.precompile == nil }

func (l *ledger) warmCell(c *cell) {
	l.journal = append(l.journal, undo{kind: slotWarmed, cell: c, number: c.warm})
	c.warm = l.tx
}

func (l *ledger) setNonce(e *entry, nonce uint64) {
	l.touch(e)
	l.note(nonced, e, e.nonce)
	e.nonce = nonce
}

func (l *ledger) setBalance(e *entry, balance *uint256.Int) {
	l.note(balanced, e, 0).word = e.balance
	e.balance = *balance
}

// credit adds to a balance. Adding nothing touches an empty account, which goes
// at the end of the transaction then (EIP-161).
func (l *ledger) credit(e *entry, amount *uint256.Int) {
	l.touch(e)
	if !amount.IsZero() || e.empty() {
		if amount.IsZero() && e.address == ripemd {
			l.ripemdTouched = l.tx
		}
		var sum uint256.Int
		l.setBalance(e, sum.Add(&e.balance, amount))
	}
}

// debit takes from a balance, which is large enough.
func (l *ledger) debit(e *entry, amount *uint256.Int) {
	l.touch(e)
	if !amount.IsZero() {
		var rest uint256.Int
		l.setBalance(e, rest.Sub(&e.balance, amount))
	}
}

// setCode gives an account code, whose hash may be left out.
func (l *ledger) setCode(e *entry, to codeUndo) {
	l.touch(e)
	l.note(coded, e, 0)
	l.codes = append(l.codes, codeUndo{e.code, e.hash, e.made})
	e.resetCode(to)
}

func (e *entry) resetCode(to codeUndo) {
	e.code, e.hash, e.made, e.decoded = to.code, to.hash, to.made, nil
}

// before is a cell's value at the start of the transaction (EIP-2200).
func (l *ledger) before(c *cell) *uint256.Int {
	if c.written == l.tx {
		return &c.original
	}
	return &c.value
}

func (l *ledger) store(e *entry, c *cell, value *uint256.Int) {
	if c.value == *value {
		return
	}
	l.journal = append(l.journal, undo{kind: stored, entry: e, cell: c, word: c.value})
	if c.written != l.tx {
		// Undoing the write leaves the stamp: the value is the original again then.
		c.written, c.original = l.tx, c.value
	}
	c.value = *value
}

// overwrite sets a word before a transaction begins, as if an earlier one had.
func (l *ledger) overwrite(o *evm.Overwrite) {
	e := l.find(&o.Address)
	l.touch(e)
	l.store(e, l.cell(e, &o.Slot), &o.Value)
}

func (l *ledger) setTransient(e *entry, key, value *uint256.Int) {
	at := transientWord{e, *key}
	before := l.transient[at]
	if before == *value {
		return
	}
	l.note(transiented, e, 0)
	l.words = append(l.words, wordUndo{at, before})
	l.transient[at] = *value
}

// setRefund sets the refund counter (EIP-3529).
func (l *ledger) setRefund(refund uint64) {
	l.note(refunded, nil, l.refund)
	l.refund = refund
}

// destruct marks an account: it goes when the transaction ends.
func (l *ledger) destruct(e *entry) {
	if e.exists && e.destructed != l.tx {
		l.note(destructed, e, e.destructed)
		e.destructed = l.tx
	}
}

// begin starts a transaction.
func (l *ledger) begin() {
	l.tx++
	l.txStart = len(l.journal)
	l.refund = 0
	if len(l.transient) > 0 {
		clear(l.transient)
	}
}

// finish ends a transaction by removing destructed contracts and touched empty
// accounts (EIP-161). It can be undone like any other change.
func (l *ledger) finish() {
	for i, end := l.txStart, len(l.journal); i < end; i++ {
		if u := &l.journal[i]; u.entry != nil && u.kind != warmed && u.kind != transiented && u.kind != stored { // those touch nothing
			l.sweep(u.entry)
		}
	}
	if l.ripemdTouched == l.tx {
		l.sweep(l.find(&ripemd))
	}
}

// sweep removes an account that the transaction touched, if it is to go.
func (l *ledger) sweep(e *entry) {
	if e.exists && (e.destructed == l.tx || e.empty()) {
		l.note(removed, e, 0)
		l.gone = append(l.gone, *e)
		*e = entry{address: e.address, precompile: e.precompile, warm: e.warm}
	}
}

// revert undoes all changes since the mark, in this transaction or before it.
func (l *ledger) revert(mark int) {
	for i := len(l.journal) - 1; i >= mark; i-- {
		l.undo(&l.journal[i])
	}
	l.journal = l.journal[:mark]
}

func (l *ledger) undo(u *undo) {
	switch u.kind {
	case stored:
		u.cell.value = u.word
	case slotWarmed:
		u.cell.warm = u.number
	case existed:
		u.entry.exists = false
	case vanished:
		u.entry.exists = true
	case balanced:
		u.entry.balance = u.word
	case nonced:
		u.entry.nonce = u.number
	case created:
		u.entry.created = u.number
	case destructed:
		u.entry.destructed = u.number
	case warmed:
		u.entry.warm = u.number
	case refunded:
		l.refund = u.number
	case logged:
		l.logs = l.logs[:len(l.logs)-1]
	case coded:
		last := len(l.codes) - 1
		u.entry.resetCode(l.codes[last])
		l.codes[last] = codeUndo{} // let go of the code
		l.codes = l.codes[:last]
	case removed:
		last := len(l.gone) - 1
		*u.entry = l.gone[last]
		l.gone[last] = entry{}
		l.gone = l.gone[:last]
	case transiented:
		last := len(l.words) - 1
		l.transient[l.words[last].at] = l.words[last].before
		l.words = l.words[:last]
	}
}

// export is what the ledger holds of accounts. Accounts that nothing changed are the World's own, and are
// shared with it; those that came from its origin are what it answered.
func (l *ledger) export() map[common.Address]*evm.Account {
	accounts := make(map[common.Address]*evm.Account, len(l.world.Accounts))
	maps.Copy(accounts, l.world.Accounts)
	put := func(e *entry, changed []*cell) {
		if e.exists {
			accounts[e.address] = e.export(changed)
		} else {
			source.Forget(l.world, accounts, e.address)
		}
	}
	if l.world.Origin != nil {
		for _, e := range l.entries {
			put(e, e.table)
		}
		return accounts
	}
	changed := map[*entry][]*cell{}
	for i := range l.journal {
		u := &l.journal[i]
		switch {
		case u.entry == nil || u.kind == warmed || u.kind == transiented:
		case u.kind == stored && u.entry.world != nil: // and so have been all its cells
			changed[u.entry] = append(changed[u.entry], u.cell)
		case changed[u.entry] == nil:
			changed[u.entry] = nil
		}
	}
	for e, cells := range changed { // into a map
		if e.world == nil {
			cells = e.table
		} else {
			for i, c := range cells { // a cell may be of a time when the account was another, see [cheatcode.History]
				cells[i] = l.cell(e, &c.key)
			}
		}
		put(e, cells)
	}
	return accounts
}

// export is the account as a World has it, which has the words of the account's World but for some cells, of which
// some may be nil.
func (e *entry) export(cells []*cell) *evm.Account {
	out := &evm.Account{Balance: e.balance, Nonce: e.nonce, Code: e.code, Storage: map[common.Hash]common.Hash{}, Remote: e.remote}
	if e.world != nil && len(e.world.Storage) > 0 {
		out.Storage = maps.Clone(e.world.Storage)
	}
	for _, c := range cells {
		switch {
		case c == nil:
		case c.value.IsZero() && !e.remote:
			delete(out.Storage, c.key.Bytes32())
		default:
			out.Storage[c.key.Bytes32()] = c.value.Bytes32()
		}
	}
	return out
}
