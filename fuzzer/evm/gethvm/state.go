package gethvm

import (
	"maps"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/stateless"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/types/bal"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/source"
)

// What a State remembers of accounts and slots that it has looked up in its
// World, beyond which it forgets all of them at the next reset. Each entry costs
// about 200 bytes, so this bounds a machine to about 5 MB between sequences:
// fuzzed keys of mappings are slots that are looked up once and never again.
const (
	maxCachedAccounts = 1 << 13
	maxCachedSlots    = 1 << 14
)

// maxInstalled is the number of deployments after which the EVM is made anew,
// since it keeps an analysis of every code it ever ran.
const maxInstalled = 1 << 14

// State is a flat in-memory state over a World that many of them share: it is
// go-ethereum's [vm.StateDB] without tries, hashing or a database.
//
// Every change is journaled, across transactions too, so that a whole sequence
// can be undone: a mark is the length of the journal. What lasts for one
// transaction only (warm accounts and slots, original values, new and destructed
// contracts) is a stamp with the transaction's number, which is never used twice,
// so that ending a transaction costs nothing.
type State struct {
	world    *evm.World
	accounts map[common.Address]*account
	slots    int // in all accounts
	last     *account

	journal       []change
	tx            uint64 // number of the current transaction, from 2; 1: none has begun
	txStart       int    // journal mark of its start
	refund        uint64
	transient     map[transientKey]common.Hash
	ripemdTouched uint64 // the last transaction that touched ripemd without paying

	precompiles map[common.Address]bool // warm in every transaction (EIP-2929)
	installed   int                     // codes set since the State was made
	onLog       func(*types.Log)
	keepsLogs   bool
	logs        []*types.Log // of all transactions, those that were undone left out
	// oversize holds code that is too long for go-ethereum's EIP-170 check, by
	// the address it is being deployed to; see hooks.liftCodeSize.
	oversize map[common.Address][]byte
	// spared makes the next attempt to undo something do nothing; see detourAccount.
	spared bool
}

var _ vm.StateDB = (*State)(nil)

// account is one account of the state, whether it exists or not.
type account struct {
	address common.Address
	exists  bool
	nonce   uint64
	balance *uint256.Int // never changed in place, as go-ethereum expects
	code    []byte
	hash    common.Hash // of code; zero: not computed yet
	storage map[common.Hash]*slot
	world   *evm.Account // where slots come from that are not in storage; nil: they are zero
	remote  bool         // and from the World's origin those that world lacks

	warm, created, destructed uint64 // the last transaction in which it was that
}

// slot is one word of storage.
type slot struct {
	value    common.Hash
	original common.Hash // at the start of transaction written
	written  uint64      // the last transaction that wrote it
	warm     uint64      // the last transaction in which it was warm
}

type transientKey struct {
	address common.Address
	key     common.Hash
}

var zeroBalance = new(uint256.Int)

// NewState is the state of a World.
func NewState(world *evm.World) *State {
	return &State{
		world:       world,
		tx:          1, // stamps are 0 at first
		accounts:    map[common.Address]*account{},
		transient:   map[transientKey]common.Hash{},
		precompiles: map[common.Address]bool{},
	}
}

// Reset undoes everything: the state is the World's again.
func (s *State) Reset() {
	s.RevertToSnapshot(0)
	s.oversize = nil
	if s.overgrown() {
		s.accounts = map[common.Address]*account{}
		s.slots, s.last = 0, nil
	}
}

// overgrown reports whether the next Reset will forget accounts and slots.
func (s *State) overgrown() bool {
	return len(s.accounts) > maxCachedAccounts || s.slots > maxCachedSlots || s.installed > maxInstalled
}

// account finds or makes the record of an address.
func (s *State) account(address common.Address) *account {
	if s.last != nil && s.last.address == address {
		return s.last
	}
	a := s.accounts[address]
	if a == nil {
		a = &account{address: address, balance: zeroBalance}
		if w, remote := source.Account(s.world, address); w != nil {
			a.exists, a.nonce, a.code, a.world, a.remote = true, w.Nonce, w.Code, w, remote
			a.balance = new(uint256.Int).Set(&w.Balance)
		}
		s.accounts[address] = a
	}
	s.last = a
	return a
}

// existing is the account, brought into existence if need be.
func (s *State) existing(address common.Address) *account {
	a := s.account(address)
	if !a.exists {
		s.journal = append(s.journal, change{kind: existed, account: a})
		a.exists = true
	}
	return a
}

// slot finds or makes the record of one word of an account's storage.
func (s *State) slot(address common.Address, key common.Hash) *slot {
	a := s.account(address)
	if w := a.storage[key]; w != nil {
		return w
	}
	w := new(slot)
	if a.world != nil {
		w.value = source.Word(s.world, address, a.world, a.remote, key)
	}
	if a.storage == nil {
		a.storage = map[common.Hash]*slot{}
	}
	a.storage[key] = w
	s.slots++
	return w
}

func (a *account) empty() bool {
	return a.nonce == 0 && len(a.code) == 0 && a.balance.IsZero()
}

// codeHash computes the hash when it is first asked for: most accounts of a
// World are never called.
func (a *account) codeHash() common.Hash {
	if a.hash == (common.Hash{}) {
		a.hash = types.EmptyCodeHash
		if len(a.code) > 0 {
			a.hash = crypto.Keccak256Hash(a.code)
		}
	}
	return a.hash
}

// CreateAccount implements vm.StateDB.
func (s *State) CreateAccount(address common.Address) { s.existing(address) }

// CreateContract implements vm.StateDB: the account is a contract that this
// transaction deploys (EIP-6780).
func (s *State) CreateContract(address common.Address) {
	a := s.account(address)
	s.journal = append(s.journal, change{kind: created, account: a, number: a.created})
	a.created = s.tx
}

// IsNewContract implements vm.StateDB.
func (s *State) IsNewContract(address common.Address) bool {
	return s.account(address).created == s.tx
}

// SubBalance implements vm.StateDB.
func (s *State) SubBalance(address common.Address, amount *uint256.Int, _ tracing.BalanceChangeReason) uint256.Int {
	a := s.existing(address)
	before := *a.balance
	if !amount.IsZero() {
		s.setBalance(a, new(uint256.Int).Sub(a.balance, amount))
	}
	return before
}

// AddBalance implements vm.StateDB. Adding nothing touches the account, which
// removes it at the end of the transaction if it is empty (EIP-161).
func (s *State) AddBalance(address common.Address, amount *uint256.Int, _ tracing.BalanceChangeReason) uint256.Int {
	a := s.existing(address)
	before := *a.balance
	if amount.IsZero() && address == ripemd {
		s.ripemdTouched = s.tx
	}
	if !amount.IsZero() || a.empty() {
		s.setBalance(a, new(uint256.Int).Add(a.balance, amount))
	}
	return before
}

func (s *State) setBalance(a *account, balance *uint256.Int) {
	s.journal = append(s.journal, change{kind: balanced, account: a, balance: a.balance})
	a.balance = balance
}

// GetBalance implements vm.StateDB; the result must not be changed.
func (s *State) GetBalance(address common.Address) *uint256.Int { return s.account(address).balance }

// GetNonce implements vm.StateDB.
func (s *State) GetNonce(address common.Address) uint64 { return s.account(address).nonce }

// SetNonce implements vm.StateDB.
func (s *State) SetNonce(address common.Address, nonce uint64, _ tracing.NonceChangeReason) {
	a := s.existing(address)
	s.journal = append(s.journal, change{kind: nonced, account: a, number: a.nonce})
	a.nonce = nonce
}

// GetCodeHash implements vm.StateDB: zero for an account that does not exist
// (EIP-1052).
func (s *State) GetCodeHash(address common.Address) common.Hash {
	a := s.account(address)
	if !a.exists {
		return common.Hash{}
	}
	return a.codeHash()
}

// GetCode implements vm.StateDB.
func (s *State) GetCode(address common.Address) []byte { return s.account(address).code }

// GetCodeSize implements vm.StateDB.
func (s *State) GetCodeSize(address common.Address) int { return len(s.account(address).code) }

// SetCode implements vm.StateDB.
func (s *State) SetCode(address common.Address, code []byte, _ tracing.CodeChangeReason) []byte {
	a := s.existing(address)
	before := a.code
	s.journal = append(s.journal, change{kind: coded, account: a, word: a.hash, code: before})
	if whole := s.oversize[address]; whole != nil {
		code = whole
		delete(s.oversize, address)
	}
	a.code, a.hash = code, common.Hash{}
	s.installed++
	return before
}

// AddRefund implements vm.StateDB.
func (s *State) AddRefund(gas uint64) { s.setRefund(s.refund + gas) }

// SubRefund implements vm.StateDB. The refund never falls below zero, by the
// rules of EIP-2200.
func (s *State) SubRefund(gas uint64) {
	if gas > s.refund {
		if s.world.Cheats == nil {
			panic("evm: refund counter below zero")
		}
		gas = s.refund // a cheatcode cleared the word whose refund is taken back
	}
	s.setRefund(s.refund - gas)
}

func (s *State) setRefund(refund uint64) {
	s.journal = append(s.journal, change{kind: refunded, number: s.refund})
	s.refund = refund
}

// GetRefund implements vm.StateDB.
func (s *State) GetRefund() uint64 { return s.refund }

// GetStateAndCommittedState implements vm.StateDB: the current value, and the
// one at the start of the transaction (EIP-2200).
func (s *State) GetStateAndCommittedState(address common.Address, key common.Hash) (common.Hash, common.Hash) {
	w := s.slot(address, key)
	if w.written == s.tx {
		return w.value, w.original
	}
	return w.value, w.value
}

// GetState implements vm.StateDB.
func (s *State) GetState(address common.Address, key common.Hash) common.Hash {
	return s.slot(address, key).value
}

// SetState implements vm.StateDB.
func (s *State) SetState(address common.Address, key, value common.Hash) common.Hash {
	a := s.existing(address)
	w := s.slot(address, key)
	before := w.value
	if before == value {
		return before
	}
	s.journal = append(s.journal, change{kind: stored, account: a, slot: w, key: key, word: before})
	if w.written != s.tx {
		// Undoing the write leaves the stamp: the value is the original again then.
		w.written, w.original = s.tx, before
	}
	w.value = value
	return before
}

// GetTransientState implements vm.StateDB (EIP-1153).
func (s *State) GetTransientState(address common.Address, key common.Hash) common.Hash {
	return s.transient[transientKey{address, key}]
}

// SetTransientState implements vm.StateDB.
func (s *State) SetTransientState(address common.Address, key, value common.Hash) {
	k := transientKey{address, key}
	before := s.transient[k]
	if before == value {
		return
	}
	s.journal = append(s.journal, change{kind: transiented, account: s.account(address), key: key, word: before})
	s.transient[k] = value
}

// SelfDestruct implements vm.StateDB: the account goes when the transaction ends.
func (s *State) SelfDestruct(address common.Address) {
	a := s.account(address)
	if !a.exists || a.destructed == s.tx {
		return
	}
	s.journal = append(s.journal, change{kind: destructed, account: a, number: a.destructed})
	a.destructed = s.tx
}

// HasSelfDestructed implements vm.StateDB.
func (s *State) HasSelfDestructed(address common.Address) bool {
	a := s.account(address)
	return a.exists && a.destructed == s.tx
}

// Exist implements vm.StateDB.
func (s *State) Exist(address common.Address) bool { return s.account(address).exists }

// Empty implements vm.StateDB (EIP-161).
func (s *State) Empty(address common.Address) bool { return s.account(address).empty() }

// AddressInAccessList implements vm.StateDB (EIP-2929).
func (s *State) AddressInAccessList(address common.Address) bool {
	return s.account(address).warm == s.tx || s.precompiles[address]
}

// SlotInAccessList implements vm.StateDB.
func (s *State) SlotInAccessList(address common.Address, key common.Hash) (addressOk, slotOk bool) {
	return s.AddressInAccessList(address), s.slot(address, key).warm == s.tx
}

// AddAddressToAccessList implements vm.StateDB.
func (s *State) AddAddressToAccessList(address common.Address) {
	if a := s.account(address); a.warm != s.tx {
		s.journal = append(s.journal, change{kind: warmed, account: a, number: a.warm})
		a.warm = s.tx
	}
}

// AddSlotToAccessList implements vm.StateDB.
func (s *State) AddSlotToAccessList(address common.Address, key common.Hash) {
	if w := s.slot(address, key); w.warm != s.tx {
		s.journal = append(s.journal, change{kind: slotWarmed, slot: w, number: w.warm})
		w.warm = s.tx
	}
}

// Prepare implements vm.StateDB: it begins a transaction.
func (s *State) Prepare(rules params.Rules, sender, coinbase common.Address, to *common.Address, precompiles []common.Address, list types.AccessList) {
	for _, a := range precompiles {
		s.precompiles[a] = true
	}
	s.tx++
	s.txStart = len(s.journal)
	s.refund = 0
	if len(s.transient) > 0 {
		clear(s.transient)
	}
	s.AddAddressToAccessList(sender)
	if to != nil {
		s.AddAddressToAccessList(*to)
	}
	if rules.IsShanghai { // EIP-3651
		s.AddAddressToAccessList(coinbase)
	}
	for _, entry := range list { // EIP-2930
		s.AddAddressToAccessList(entry.Address)
		for _, key := range entry.StorageKeys {
			s.AddSlotToAccessList(entry.Address, key)
		}
	}
}

// Finalise implements vm.StateDB: it ends a transaction by removing destructed
// contracts and touched empty accounts (EIP-161). It can be undone like any
// other change.
func (s *State) Finalise(params.Rules) *bal.ConstructionBlockAccessList {
	for i, end := s.txStart, len(s.journal); i < end; i++ {
		if c := &s.journal[i]; c.account != nil && c.kind != warmed && c.kind != transiented && c.kind != stored {
			s.sweep(c.account)
		}
	}
	if s.ripemdTouched == s.tx {
		s.sweep(s.account(ripemd))
	}
	return nil
}

// ripemd is the precompile whose touch survives the failure of the call that
// touched it: what happened on mainnet in block 1,714,175 became a rule that
// go-ethereum keeps.
var ripemd = common.BytesToAddress([]byte{3})

// sweep removes an account that the transaction touched, if it is to go.
func (s *State) sweep(a *account) {
	if a.exists && (a.destructed == s.tx || a.empty()) {
		s.remove(a)
	}
}

func (s *State) remove(a *account) {
	before := *a
	s.journal = append(s.journal, change{kind: removed, account: a, before: &before})
	*a = account{address: a.address, balance: zeroBalance, warm: a.warm}
}

// AddLog implements vm.StateDB.
func (s *State) AddLog(log *types.Log) {
	if s.onLog != nil {
		s.onLog(log)
	}
	if s.keepsLogs {
		s.journal = append(s.journal, change{kind: logged})
		s.logs = append(s.logs, log)
	}
}

// KeepLogs makes the state keep the events of its transactions for [State.Logs].
// A campaign's machine does not: its recorder has them.
func (s *State) KeepLogs() { s.keepsLogs = true }

// Logs are the events since the state was made or reset, in order, without those
// that were undone.
func (s *State) Logs() []*types.Log { return s.logs }

// Export is what the state holds of accounts. Accounts that nothing changed are the World's own, and
// are shared with it; those that came from its origin are what it answered.
func (s *State) Export() map[common.Address]*evm.Account {
	accounts := maps.Clone(s.world.Accounts)
	if accounts == nil {
		accounts = map[common.Address]*evm.Account{}
	}
	if s.world.Origin != nil {
		for _, a := range s.accounts {
			s.export(accounts, a)
		}
		return accounts
	}
	words := map[*account][]common.Hash{} // stored, of accounts that hold the World's words otherwise
	for i := range s.journal {
		c := &s.journal[i]
		if c.account == nil || c.kind == warmed || c.kind == transiented {
			continue
		}
		if _, known := words[c.account]; !known {
			words[c.account] = nil
		}
		if c.kind == stored && c.account.world != nil {
			words[c.account] = append(words[c.account], c.key)
		}
	}
	for a, stores := range words { // into a map
		if !a.exists || a.world == nil {
			s.export(accounts, a)
			continue
		}
		out := a.scalars()
		out.Storage = maps.Clone(a.world.Storage)
		if out.Storage == nil {
			out.Storage = map[common.Hash]common.Hash{}
		}
		for _, key := range stores {
			if w := a.storage[key]; w != nil { // nil: it was stored while the account was another, see [cheatcode.History]
				out.keep(key, w.value)
			}
		}
		accounts[a.address] = &out.Account
	}
	return accounts
}

// export puts an account into exported ones, or takes it out.
func (s *State) export(accounts map[common.Address]*evm.Account, a *account) {
	if !a.exists {
		source.Forget(s.world, accounts, a.address)
		return
	}
	out := a.scalars()
	out.Storage = map[common.Hash]common.Hash{}
	if a.world != nil {
		maps.Copy(out.Storage, a.world.Storage)
	}
	for key, s := range a.storage {
		out.keep(key, s.value)
	}
	accounts[a.address] = &out.Account
}

// exported is an account on its way out of a state.
type exported struct{ evm.Account }

// scalars is the account without its storage.
func (a *account) scalars() *exported {
	return &exported{evm.Account{Balance: *a.balance, Nonce: a.nonce, Code: a.code, Remote: a.remote}}
}

// keep sets a word: a zero is left out, except where the origin has another.
func (e *exported) keep(key, value common.Hash) {
	if value == (common.Hash{}) && !e.Remote {
		delete(e.Storage, key)
	} else {
		e.Storage[key] = value
	}
}

// Touch implements vm.StateDB: reads leave no trace here.
func (s *State) Touch(common.Address) {}

// AddPreimage implements vm.StateDB; preimages are the recorder's business.
func (s *State) AddPreimage(common.Hash, []byte) {}

// Witness implements vm.StateDB: there is none.
func (s *State) Witness() *stateless.Witness { return nil }

// AccessEvents implements vm.StateDB: there are none before EIP-4762.
func (s *State) AccessEvents() *state.AccessEvents { return nil }

// SetTxContext implements vm.StateDB; logs are not numbered here.
func (s *State) SetTxContext(common.Hash, int, uint32) {}
