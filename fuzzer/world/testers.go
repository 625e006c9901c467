package world

import (
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// maxMade bounds the contracts of a tester that are looked for. Arbitrary; testers make a handful.
const maxMade = 256

// BoundTesters makes the properties of a tester, and the assertions of its functions, speak of the tester's calls alone, as Echidna
// and Medusa do, which call no other contract: a tester makes the contracts that it tests, and wraps their functions in its
// own, which keep books for its properties (ghost variables). Calls around it leave these books behind. A tester
// that has properties and nothing to call is one for all calls.
func BoundTesters(w *evm.World) {
	for i := range w.Instances {
		in := &w.Instances[i]
		if in.Scope == nil && !in.Asked && in.Contract != nil && !isTestCode(in.Contract) && isTester(in.Contract, w.Properties) && makesInstance(w, in) {
			in.Scope = &evm.Scope{Contracts: []common.Address{in.Address}}
		}
	}
}

// isTester reports whether a contract is a harness, and has functions besides properties that change something.
func isTester(c *bytecode.Contract, prefixes []string) bool {
	properties, handlers := IsHarness(c), false
	for _, m := range c.ABI.Methods { // in any order
		switch {
		case len(m.Inputs) == 0 && slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(m.RawName, prefix) }):
			properties = true
		case !m.IsConstant() && m.Sig != evm.SetUp && !isPropertyName(m.RawName):
			handlers = true
		}
	}
	return properties && handlers
}

// makesInstance reports whether an instance created another one that is called.
func makesInstance(w *evm.World, in *evm.Instance) bool {
	account := w.Accounts[in.Address]
	if account == nil {
		return false
	}
	for nonce := uint64(1); nonce < min(account.Nonce, maxMade); nonce++ {
		made := crypto.CreateAddress(in.Address, nonce)
		if slices.ContainsFunc(w.Instances, func(other evm.Instance) bool { return other.Address == made }) {
			return true
		}
	}
	return false
}
