package world

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// words splits an identifier into its words in lower case: "_maxSupply" is max,
// supply; "UniswapV2Factory" is uniswap, v2, factory; "ERC20Token" is erc20,
// token.
func words(name string) (out []string) {
	start := 0
	flush := func(end int) {
		if word := strings.Trim(name[start:end], "_$"); word != "" {
			out = append(out, strings.ToLower(word))
		}
		start = end
	}
	upperBefore := true
	for i, r := range name { // contracts' names are taken apart by the million, so nothing is copied
		upper := unicode.IsUpper(r)
		_, size := utf8.DecodeRuneInString(name[i:])
		after, _ := utf8.DecodeRuneInString(name[i+size:])
		if i > 0 && (r == '_' || r == '$' || upper && (!upperBefore || unicode.IsLower(after))) {
			flush(i)
		}
		upperBefore = upper
	}
	flush(len(name))
	return out
}

// nameHas reports whether one of the words, or its plural, is a word of the name.
func nameHas(name string, any ...string) bool {
	return slices.ContainsFunc(words(name), func(w string) bool {
		return slices.Contains(any, w) || slices.Contains(any, strings.TrimSuffix(w, "s"))
	})
}

// accountRole is a sender with the words that name it.
type accountRole struct {
	words  []string
	sender int // index of Senders
}

// accountRoles say which sender an address is by its parameter's name: those who
// own or profit are the deployer, those who work on behalf of others are not, so
// that the two are told apart.
var accountRoles = []accountRole{
	{[]string{"owner", "admin", "governor", "governance", "gov", "deployer", "treasury", "treasurer", "beneficiary",
		"guardian", "multisig", "timelock", "authority", "dao"}, 0},
	{[]string{"forwarder", "relayer", "operator", "minter", "keeper", "manager", "controller", "signer", "proposer", "executor"}, 1},
}

// namedKind is a kind of contract that a parameter asks for by its name alone.
type namedKind struct {
	name  string
	words []string // one of them is a word of the parameter's name
	meets func(*bytecode.Contract) bool
	mock  string // name of the built-in mock; empty: none
}

// feedKind is the name of a kind.
const feedKind = "price feed"

// namedKinds are these, the more special ones first.
var namedKinds = []namedKind{
	{"wrapped ether", []string{"weth", "weth9"}, isWrappedEther, "TestWETH"},
	{feedKind, []string{"feed", "aggregator"}, isFeed, "TestFeed"},
	{"ERC-721", []string{"nft", "erc721", "collection"}, isNFT, "TestNFT"},
	{"ERC-1155", []string{"erc1155"}, isMultiToken, "TestMultiToken"},
	{"beacon", []string{"beacon"}, isBeacon, beaconMock},
	{"token", []string{"token", "token0", "token1", "token2", "asset", "underlying", "currency", "collateral", "erc20", "coin"}, isToken, "TestToken"},
}

// kindNamed is the kind that an address of this name should be of; nil: it says none.
func kindNamed(name string) *namedKind {
	if nameHas(name, "owner", "admin", "holder", "receiver", "recipient", "implementation", "factory", "oracle") {
		return nil
	}
	for i := range namedKinds {
		if nameHas(name, namedKinds[i].words...) {
			return &namedKinds[i]
		}
	}
	return nil
}

// logicName reports whether an address of this name should be what a proxy runs.
func logicName(name string) bool {
	return nameHas(name, "logic", "implementation", "impl", "singleton", "template", "copy")
}

// initializerName reports whether a function is one that sets up a contract once:
// init, initialize (initialise), initializeV2, __Vault_init, __Vault_init_unchained; setup and setUp, Gnosis' names
// for it, when it has parameters.
func initializerName(name string, parameters int) bool {
	list := words(strings.TrimSuffix(name, "_unchained"))
	if len(list) == 0 {
		return false
	}
	names := []string{"init", "initialize", "initialise", "initializer", "reinitialize"}
	return slices.Contains(names, list[0]) || strings.HasPrefix(name, "__") && slices.Contains(names, list[len(list)-1]) ||
		parameters > 0 && strings.EqualFold(name, "setup")
}

// IsInitializer reports whether a function sets up a contract once, by its name:
// see [Options].Uninitialized.
func IsInitializer(function string) bool { return initializerName(function, 1) }

// fillers are words in the names of setters and their parameters that say nothing about which
// contract is meant.
var fillers = []string{"new", "address", "addr", "contract", "impl", "implementation", "logic", "instance", "the"}

// meant are the words of a name that say which contract it means.
func meant(name string) []string {
	return slices.DeleteFunc(words(name), func(w string) bool { return slices.Contains(fillers, w) })
}

// isInitials reports whether a parameter is named by the initials of a contract: vcc is a VaultCoreConnector. Two letters say nothing.
func isInitials(parameter, contract string) bool {
	const least = 3
	var initials []byte
	for i := range len(contract) {
		if c := contract[i]; 'A' <= c && c <= 'Z' {
			initials = append(initials, c)
		}
	}
	return len(initials) >= least && len(initials) < len(contract) && strings.EqualFold(strings.Trim(parameter, "_"), string(initials))
}

// sameWords reports whether a contract's name has just these words.
func sameWords(contract string, list []string) bool {
	return len(words(contract)) == len(list) && hasWords(contract, list)
}

// hasWords reports whether a contract's name has all these words.
func hasWords(contract string, list []string) bool {
	own := words(contract)
	return len(list) > 0 && !slices.ContainsFunc(list, func(w string) bool { return !slices.Contains(own, w) })
}

// commonWords are in the names of contracts of any kind.
var commonWords = []string{"the", "new", "my", "test", "mock", "base", "contract", "address", "impl", "implementation",
	"upgradeable", "owner", "admin", "token", "v1", "v2", "v3", "v4"}

// sharedWords counts the words of a parameter that may name a contract: router is
// UniswapV2Router's.
func sharedWords(contract string, parameter []string) int {
	const least = 3 // letters; shorter words say nothing
	n, own := 0, words(contract)
	for _, w := range parameter {
		if len(w) >= least && !slices.Contains(commonWords, w) && slices.Contains(own, w) {
			n++
		}
	}
	return n
}
