package world

import (
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// outsider is an account that nothing in a World knows. The number only makes its address
// begin with none of those of [Senders].
var outsider = keyed("outsider", 0)

// WithOutsider is a copy of a World with two more senders, the last ones: an account with ether
// that no set-up, constructor or owner has ever heard of, and a contract of his, which does what sequences
// say when one of some contracts calls it. The attacker of set-ups is given tokens and roles like
// everyone else.
func WithOutsider(w *evm.World, contracts []*bytecode.Contract) *evm.World {
	taken := map[string]common.Address{}
	for _, s := range w.Senders {
		taken[s.Name] = s.Address
	}
	for _, in := range w.Instances {
		taken[in.Name] = in.Address
	}
	sender := outsider
	sender.Name = uniqueName(sender.Name, sender.Address, taken)
	sender.Outsider = true
	contract := evm.Sender{Name: uniqueName(attacker.Name, attacker.Address, taken), Address: attacker.Address, Through: sender.Address}
	out := *w
	out.Senders = append(slices.Clip(w.Senders), sender, contract)
	out.Accounts = maps.Clone(w.Accounts)
	out.Accounts[sender.Address] = &evm.Account{Balance: *funds}
	callbacks := attacker.Functions(contracts)
	out.Accounts[contract.Address] = &evm.Account{Balance: *funds, Nonce: 1, Code: attacker.Code(), Storage: attacker.Storage(callbacks)}
	for i := range callbacks {
		out.Callbacks = append(out.Callbacks, callbacks[i].Signature+abi.TupleName(callbacks[i].Outputs))
	}
	return &out
}

// AccountRole is the role that a function without parameters names by convention, if it
// returns an account: "owner" for owner and getOwner, "keeper" for keeper; empty: none.
func AccountRole(function string) string {
	for _, r := range accountRoles {
		for _, word := range r.words {
			if nameHas(function, word) {
				return word
			}
		}
	}
	return ""
}
