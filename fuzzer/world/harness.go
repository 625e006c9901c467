package world

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// The harnesses of other fuzzers call cheatcodes, which echidna and medusa answer as forge does.

// callsCheats reports whether a contract has properties, and cheatcodes' address in its code.
func callsCheats(c *bytecode.Contract) bool {
	if c == nil || c.Runtime == nil || !hasProperties(c) {
		return false
	}
	return bytes.Contains(c.Runtime.Bytes, cheatcode.Address[:]) || bytes.Contains(c.Creation.Bytes, cheatcode.Address[:])
}

// harnesses are the instances that cheatcodes answer although no test made them.
func harnesses(instances []evm.Instance) []common.Address {
	var list []common.Address
	for _, in := range instances {
		if callsCheats(in.Contract) {
			list = append(list, in.Address)
		}
	}
	return list
}

// beginAuto is the World that Auto starts from: with cheatcodes where a harness of the build may
// call them.
func beginAuto(contracts []*bytecode.Contract, options Options) *evm.World {
	w := options.Plan.Begin(options.Fork)
	putRegistry(w, contracts)
	if slices.ContainsFunc(contracts, callsCheats) {
		w.EnableCheats(cheatcode.Edge{})
	}
	return w
}

// settleAuto leaves cheatcodes to the harnesses that were deployed.
func settleAuto(w *evm.World) {
	if w.Cheats == nil {
		return
	}
	asked := harnesses(w.Instances)
	if len(asked) == 0 && len(w.Cheats.State.Mocks) == 0 {
		w.DisableCheats()
		return
	}
	w.Cheats.Only = onlyFor(asked)
}

// onlyFor are the accounts that cheatcodes answer: where there are none, their own address, which
// calls nothing, since an empty list would be all accounts.
func onlyFor(accounts ...[]common.Address) []common.Address {
	if only := slices.Concat(accounts...); len(only) > 0 {
		return only
	}
	return []common.Address{cheatcode.Address}
}
