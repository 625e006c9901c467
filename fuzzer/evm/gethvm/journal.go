package gethvm

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// changeKind tells what an entry of the journal undoes.
type changeKind uint8

const (
	existed     changeKind = iota // the account did not exist
	balanced                      // balance
	nonced                        // number
	coded                         // code, and word: its hash
	created                       // number: the stamp
	destructed                    // number: the stamp
	warmed                        // number: the stamp
	removed                       // before: the whole account
	stored                        // key, word
	slotWarmed                    // number: the stamp
	transiented                   // key, word
	refunded                      // number
	logged                        // the last event
	vanished                      // the account existed; see Restore
	marked                        // nothing; number: that of a snapshot
)

// change is one entry of the journal: what was there before. Which fields count
// depends on the kind.
type change struct {
	kind    changeKind
	account *account
	slot    *slot
	number  uint64
	word    common.Hash
	key     common.Hash
	balance *uint256.Int
	code    []byte
	before  *account
}

// Snapshot implements vm.StateDB: a mark to go back to, at any later time, in
// this transaction or after it.
func (s *State) Snapshot() int { return len(s.journal) }

// RevertToSnapshot implements vm.StateDB: it undoes all changes since the mark.
func (s *State) RevertToSnapshot(mark int) {
	if s.spared {
		s.spared = false
		return
	}
	for i := len(s.journal) - 1; i >= mark; i-- {
		s.undo(&s.journal[i])
		s.journal[i] = change{} // let go of what it holds
	}
	s.journal = s.journal[:mark]
}

func (s *State) undo(c *change) {
	switch c.kind {
	case existed:
		c.account.exists = false
	case vanished:
		c.account.exists = true
	case balanced:
		c.account.balance = c.balance
	case nonced:
		c.account.nonce = c.number
	case coded:
		c.account.code, c.account.hash = c.code, c.word
	case created:
		c.account.created = c.number
	case destructed:
		c.account.destructed = c.number
	case warmed:
		c.account.warm = c.number
	case removed:
		*c.account = *c.before
	case stored:
		c.slot.value = c.word
	case slotWarmed:
		c.slot.warm = c.number
	case transiented:
		s.transient[transientKey{c.account.address, c.key}] = c.word
	case refunded:
		s.refund = c.number
	case logged:
		s.logs = s.logs[:len(s.logs)-1]
	}
}
