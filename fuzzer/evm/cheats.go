package evm

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
)

// Cheats gives a World Foundry's cheatcodes.
type Cheats struct {
	State cheatcode.State // what cheatcodes have left behind, such as a prank that is open
	// Edge is what they ask of the world outside. No file holds it: where it is
	// missing, those that need it fail.
	Edge cheatcode.Edge `json:"-"`
	// Answers stand for the Edge where the World is to be saved; nil: there are none.
	Answers *cheatcode.Answers `json:",omitempty"`
	// Only lists the accounts whose calls of cheatcodes count; nil: everybody's. To
	// others the cheatcodes' account is one with code that does nothing.
	Only []common.Address `json:",omitempty"`
	// Tester is who runs fuzz tests: while a call of its to one of Only is under way,
	// everybody's calls of cheatcodes count, as in forge. Zero: there are no such tests.
	Tester common.Address `json:",omitzero"`
	// Lenient tells that a fuzz test does not fail by reverts of others than itself and
	// cheatcodes: fail_on_revert = false of foundry.toml's table fuzz.
	Lenient bool `json:",omitempty"`
}

// EnableCheats gives the World cheatcodes, and the accounts that they need.
func (w *World) EnableCheats(edge cheatcode.Edge) {
	w.Cheats = &Cheats{Edge: edge}
	w.Accounts[cheatcode.Address] = &Account{Code: cheatcode.Code}
	w.Accounts[cheatcode.Creator] = &Account{Nonce: 1, Code: cheatcode.CreatorCode}
}

// DisableCheats takes them away.
func (w *World) DisableCheats() {
	w.Cheats = nil
	delete(w.Accounts, cheatcode.Address)
	delete(w.Accounts, cheatcode.Creator)
}

// ForCheatcodes reports whether an account is there for cheatcodes alone: none of forge's chains has it.
func ForCheatcodes(a common.Address) bool { return a == cheatcode.Creator }
