package world

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file makes contracts that stand in for interfaces that act and that nothing in the build implements: strategies, venues, routers of other
// projects. What they do is not in an interface, so that they do nothing, and say so:
//
//	function asset() view returns (address)          the contract that the constructor was given: a token, a vault
//	function totalAssets() view returns (uint256)    zero
//	function exchangeRate() view returns (uint256)   like a feed's: what the deployer has set last, at first 10^18
//	function isKeeper(address) view returns (bool)   no: if the answer were yes, what an account takes would look like a bug
//	function onDeposit(address, uint256)             nothing: it is told something
//	function deposit(uint256)                        fails
//
// So a contract that asks them when it is made is made, and what does not need them works. What they refuse moves no token that could be lost.

// Bounds of the interfaces that have one. Arbitrary: Aave's pool has some sixty functions.
const (
	maxIdleFunctions = 96
	maxIdleWords     = 64 // that one returns
	maxIdleGiven     = 4  // contracts that the constructor takes
)

// idleRefusal is the reason why what would act fails.
const idleRefusal = "idle: nothing implements this"

// IsIdle reports whether a contract stands in for one that acts, and does not.
func IsIdle(c *bytecode.Contract) bool {
	return isStandIn(c) && bytes.Contains(c.Runtime.Bytes, []byte(idleRefusal))
}

// paysWith are names of functions of tokens. What has one of them is a token of a special kind; an account of a plain one means it better than a
// contract of which no account can have any.
var paysWith = []string{"transfer", "transferFrom", "safeTransferFrom", "approve", "permit"}

// toldWords begin the names of functions that are told what their caller has done, and do nothing that it could notice.
var toldWords = []string{"on", "before", "after", "notify", "update", "sync", "poke", "checkpoint", "accrue", "record", "register", "emit", "log"}

// idleFor stands in for an interface that acts; nil: it has no functions or too many, or is that of a token.
func idleFor(name string, functions []abi.Method) *bytecode.Contract {
	if len(functions) == 0 || len(functions) > maxIdleFunctions || slices.ContainsFunc(functions, func(m abi.Method) bool { return slices.Contains(paysWith, m.RawName) }) {
		return nil
	}
	var idle []standInFunction
	given := 0
	for i := range functions {
		m := &functions[i]
		first := ""
		if list := words(m.RawName); len(list) > 0 {
			first = list[0]
		}
		switch {
		case m.IsConstant() && given < maxIdleGiven && namesContract(m):
			given++
			idle = append(idle, standInFunction{*m, byConstructor})
		case canAnswer(m) && nameHas(m.RawName, rateWords...) && !hasSetter(functions, m):
			idle = append(idle, standInFunction{*m, byDeployer})
		case m.IsConstant() && canBeNothing(m), slices.Contains(toldWords, first) && !m.IsPayable() && canBeNothing(m):
			idle = append(idle, standInFunction{*m, byNothing})
		}
	}
	return newStandIn(name, idle, idleRefusal)
}

// namesContract reports whether a function answers with a contract that is there, such as a token or a vault, by its name. It names no account that may do something.
func namesContract(m *abi.Method) bool {
	if len(m.Inputs) != 0 || len(m.Outputs) != 1 || m.Outputs[0].Type.T != abi.AddressTy {
		return false
	}
	name := answerName(m.RawName)
	return !logicName(name) && !slices.ContainsFunc(accountRoles, func(r accountRole) bool { return nameHas(name, r.words...) })
}

// hasSetter reports whether what would set the answers of a function is the name of another function, or sets those of another one.
func hasSetter(functions []abi.Method, m *abi.Method) bool {
	setter := setterSig(m)
	return slices.ContainsFunc(functions, func(other abi.Method) bool {
		return other.Sig == setter || other.Sig != m.Sig && setterSig(&other) == setter
	})
}

// canBeNothing reports whether zeros are an answer of a function: words, one array, or one text.
func canBeNothing(m *abi.Method) bool {
	if len(m.Outputs) == 1 && isEmptiable(&m.Outputs[0].Type) {
		return true
	}
	n := wordsOf(m.Outputs)
	return n >= 0 && n <= maxIdleWords
}
