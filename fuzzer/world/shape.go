package world

import (
	"bytes"
	"cmp"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// hasMethods reports whether c has every function of t, of which there is at least
// one.
func hasMethods(c, t abi.ABI) bool {
	for _, m := range t.Methods {
		if !hasMethod(c, m.Sig) {
			return false
		}
	}
	return len(t.Methods) > 0
}

func hasMethod(c abi.ABI, signature string) bool {
	for _, m := range c.Methods {
		if m.Sig == signature {
			return true
		}
	}
	return false
}

// methodOf is a contract's function with a signature; nil when there is none.
func methodOf(c *bytecode.Contract, signature string) *abi.Method {
	for _, m := range c.ABI.Methods {
		if m.Sig == signature {
			return &m
		}
	}
	return nil
}

// sortedMethods lists a contract's functions by signature.
func sortedMethods(c *bytecode.Contract) []abi.Method {
	var methods []abi.Method
	for _, m := range c.ABI.Methods {
		methods = append(methods, m)
	}
	slices.SortFunc(methods, func(x, y abi.Method) int { return bytes.Compare([]byte(x.Sig), []byte(y.Sig)) })
	return methods
}

// selector is the first four bytes of a function's calldata.
func selector(signature string) []byte { return crypto.Keccak256([]byte(signature))[:4] }

// functionName is what a plan calls a contract's function: its signature, where
// several have its name.
func functionName(c *bytecode.Contract, m *abi.Method) string {
	for _, other := range c.ABI.Methods {
		if other.RawName == m.RawName && other.Sig != m.Sig {
			return m.Sig
		}
	}
	return m.RawName
}

// constructorOf is the contract's constructor under its name for people.
func constructorOf(c *bytecode.Contract) abi.Method {
	constructor := c.ABI.Constructor
	constructor.Name = "constructor"
	return constructor
}

// isToken reports whether a contract looks like an ERC-20.
func isToken(c *bytecode.Contract) bool {
	return hasMethod(c.ABI, "transfer(address,uint256)") && hasMethod(c.ABI, "balanceOf(address)")
}

// isWrappedEther reports whether a contract looks like WETH.
func isWrappedEther(c *bytecode.Contract) bool {
	return isToken(c) && hasMethod(c.ABI, "deposit()") && hasMethod(c.ABI, "withdraw(uint256)")
}

// isNFT reports whether a contract looks like an ERC-721.
func isNFT(c *bytecode.Contract) bool {
	return hasMethod(c.ABI, "ownerOf(uint256)") && hasMethod(c.ABI, "transferFrom(address,address,uint256)")
}

// isMultiToken reports whether a contract looks like an ERC-1155.
func isMultiToken(c *bytecode.Contract) bool {
	return hasMethod(c.ABI, "balanceOf(address,uint256)") && hasMethod(c.ABI, approveAll)
}

// isFeed reports whether a contract looks like one of Chainlink's price feeds.
func isFeed(c *bytecode.Contract) bool { return hasMethod(c.ABI, "latestRoundData()") }

// isBeacon reports whether a contract looks like one of ERC-1967's beacons, and not like a proxy, which has functions of its own to call.
func isBeacon(c *bytecode.Contract) bool {
	return hasMethod(c.ABI, "implementation()") && !c.ABI.HasFallback()
}

// approveAll is how ERC-721 and ERC-1155 let another account take everything.
const approveAll = "setApprovalForAll(address,bool)"

// paid is how an account pays with a kind of token.
type paid struct {
	approve  string // the signature of the function that lets an address take it
	approved reflect.Value
	balance  string          // likewise, of the one that answers how much an address has
	id       []reflect.Value // further arguments of balance
}

// payment says how accounts pay with a contract's instances; nil: they do not.
func payment(c *bytecode.Contract) *paid {
	switch {
	case isToken(c) && hasMethod(c.ABI, "approve(address,uint256)"):
		return &paid{"approve(address,uint256)", reflect.ValueOf(math.MaxBig256), "balanceOf(address)", nil}
	case isNFT(c) && hasMethod(c.ABI, approveAll):
		return &paid{approveAll, reflect.ValueOf(true), "balanceOf(address)", nil}
	case isMultiToken(c):
		return &paid{approveAll, reflect.ValueOf(true), "balanceOf(address,uint256)", []reflect.Value{reflect.ValueOf(big.NewInt(1))}}
	}
	return nil
}

// takesAddress reports whether a constructor could name another instance.
func takesAddress(c *bytecode.Contract) bool {
	return slices.ContainsFunc(c.ABI.Constructor.Inputs, func(p abi.Argument) bool {
		return strings.Contains(p.Type.String(), "address")
	})
}

// isTestCode reports whether a contract tests others, rather than stands in for
// something in tests: it inherits from a test library's contract.
func isTestCode(c *bytecode.Contract) bool {
	if role(c) == Dependency {
		return false
	}
	return inherits(c, "Test", "DSTest", "Script") != "" || hasMethod(c.ABI, "IS_TEST()")
}

// initializers lists the functions that set up a contract once, by their names:
// those called initialize first, then in the order of signatures. Of contracts with
// properties, setUp() is one: the properties are about the state after it.
func initializers(c *bytecode.Contract) []abi.Method {
	var methods []abi.Method
	for _, m := range c.ABI.Methods {
		if !m.IsConstant() && (initializerName(m.RawName, len(m.Inputs)) || m.Sig == evm.SetUp && hasProperties(c)) {
			methods = append(methods, m)
		}
	}
	rank := func(m *abi.Method) int {
		if m.RawName == "initialize" {
			return 0
		}
		return 1
	}
	slices.SortFunc(methods, func(x, y abi.Method) int {
		return cmp.Or(cmp.Compare(rank(&x), rank(&y)), cmp.Compare(x.Sig, y.Sig))
	})
	return methods
}

// factoryWords begin the names of functions that make contracts.
var factoryWords = []string{"create", "deploy", "new", "make", "launch", "open", "spawn", "build"}

// factoryMethods lists the functions of a contract that may make one of others, by
// signature.
func factoryMethods(c *bytecode.Contract, products []*bytecode.Contract) []abi.Method {
	var methods []abi.Method
	for _, m := range sortedMethods(c) {
		if list := words(m.RawName); !m.IsConstant() && len(list) > 0 && slices.Contains(factoryWords, list[0]) {
			methods = append(methods, m)
		}
	}
	made := func(d *bytecode.Contract) bool { return d != c && d.Deployable() && !d.Library && creates(c, d) }
	if len(methods) == 0 || !slices.ContainsFunc(products, made) {
		return nil
	}
	return methods
}

// facetCut is the type of what a diamond is told about one facet: its address, 0 to add
// it, and the selectors that lead there.
const facetCut = "(address,uint8,bytes4[])"

// takesCuts reports whether the parameter lists facets.
func takesCuts(p *parameter) bool {
	return p.typ.T == abi.SliceTy && p.typ.Elem.String() == facetCut
}

// isFacet reports whether a contract is meant to be part of a diamond. There is nothing
// to tell it by but the name that everybody gives them.
func isFacet(c *bytecode.Contract) bool {
	return c.Deployable() && !c.Library && nameHas(c.Name, "facet")
}
