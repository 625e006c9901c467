package evm

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
)

// Scope is which calls a test's invariants speak of: what Foundry's targetContract,
// excludeSender and so on say. An empty list bounds nothing.
type Scope struct {
	Contracts, ExcludedContracts []common.Address
	Senders, ExcludedSenders     []common.Address
	// Selectors are, of these contracts, the only functions that count.
	Selectors         map[common.Address][][4]byte
	ExcludedSelectors map[common.Address][][4]byte
}

// SetUp is the signature of what forge calls before a test, and never as a call of one.
const SetUp = "setUp()"

// Names reports whether the test lists a contract among those to call.
func (s *Scope) Names(contract common.Address) bool {
	return slices.Contains(s.Contracts, contract) || s.Selectors[contract] != nil
}

// Allows reports whether a call counts.
func (s *Scope) Allows(sender, contract common.Address, selector [4]byte) bool {
	switch {
	case len(s.Contracts)+len(s.Selectors) > 0 && !s.Names(contract),
		slices.Contains(s.ExcludedContracts, contract),
		!s.AllowsSender(sender),
		slices.Contains(s.ExcludedSelectors[contract], selector):
		return false
	}
	return len(s.Selectors[contract]) == 0 || slices.Contains(s.Selectors[contract], selector)
}

// AllowsSender reports whether the calls of an account count.
func (s *Scope) AllowsSender(sender common.Address) bool {
	return (len(s.Senders) == 0 || slices.Contains(s.Senders, sender)) && !slices.Contains(s.ExcludedSenders, sender)
}
