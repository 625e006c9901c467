package world

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// makingWords begin the names of functions that make tokens, or give them to the caller.
var makingWords = []string{"mint", "deposit", "issue", "faucet", "drip", "claim", "wrap", "airdrop", "allocate", "give", "initialize"}

// makesTokens reports whether a token has functions by which an account may obtain
// some.
func makesTokens(c *bytecode.Contract) bool {
	for _, m := range c.ABI.Methods {
		list := words(m.RawName)
		if !m.IsConstant() && len(list) > 0 && slices.Contains(makingWords, list[0]) {
			return true
		}
	}
	return false
}

// lookForSupply notes a new instance if it is a token that no account has and that is
// unmintable: the ERC-20 of a library of contracts, deployed as it is. A contract that
// takes payment in it could never be paid.
func (dp *dependencies) lookForSupply(in *evm.Instance) error {
	if !isToken(in.Contract) || makesTokens(in.Contract) || !hasMethod(in.Contract.ABI, "totalSupply()") {
		return nil
	}
	supply, err := dp.word(in, "totalSupply()", nil)
	dp.unmintable[in.Address] = supply != nil && supply.IsZero()
	return err
}
