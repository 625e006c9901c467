package world

import (
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file makes contracts that stand in for interfaces of a project that nothing in the build implements: those of price feeds and
// other sources of numbers, which are contracts of other projects wherever this one is deployed.
//
//	function price(address asset) external view returns (uint256)
//
// is answered with what the deployer has set last, for each asset, by
//
//	function setPrice(address asset, uint256 value) external
//
// and before that with a number that fits the name: 18 decimals, the time of the block, else 10^18. What stands in for other interfaces is idle (idle.go).

// Bounds of the interfaces that have a stand-in. Arbitrary: feeds have one to six functions.
const (
	maxAnswered  = 16 // functions
	maxAskedWith = 4  // parameters of one
	maxAnswers   = 8  // numbers that one returns
)

// feedWords are words of the names of contracts that report prices, and rateWords of the names of their functions.
var (
	feedWords = []string{"oracle", "feed", "price", "pricer", "rate", "aggregator", "quote", "quoter"}
	rateWords = []string{"price", "rate", "answer", "quote", "decimals"}
)

// feedFor stands in for a feed of these functions; nil: they are not about prices, or ask for more than numbers.
func feedFor(name string, functions []abi.Method) *bytecode.Contract {
	other := func(m abi.Method) bool { return !canAnswer(&m) }
	plain := func(m abi.Method) bool { return !nameHas(m.RawName, rateWords...) }
	switch {
	case len(functions) == 0 || len(functions) > maxAnswered || slices.ContainsFunc(functions, other) || !settersDiffer(functions):
		return nil
	case !nameHas(name, feedWords...) && slices.ContainsFunc(functions, plain):
		return nil
	}
	answered := make([]standInFunction, len(functions))
	for i := range functions {
		answered[i].Method = functions[i]
	}
	return newStandIn(name, answered, "")
}

// settersDiffer reports whether functions and what sets their answers all have signatures of their own.
func settersDiffer(functions []abi.Method) bool {
	seen := map[string]bool{}
	for i := range functions {
		for _, sig := range []string{functions[i].Sig, setterSig(&functions[i])} {
			if seen[sig] {
				return false
			}
			seen[sig] = true
		}
	}
	return true
}
