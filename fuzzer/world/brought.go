package world

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// broughtSource is the source of contracts that come with Sightline. No source of a
// project is called so: it would end in .sol.
const broughtSource = "sightline"

// BroughtPrefix begins the qualified names of contracts that come with Sightline,
// which plans may name: "sightline:TestToken".
const BroughtPrefix = broughtSource + ":"

// standIn is a contract of brought/Brought.sol.
type standIn struct {
	name string
	// standsFor are the names of the interfaces that it implements, and of the libraries'
	// base contracts that are declared in their place.
	standsFor []string
}

// standIns are what Worlds are given where a constructor asks for something so well
// known that everybody means the same by it, and the build has none. What else is
// missing stays missing: a contract that answers anything to any question would let
// lines be reached that no chain reaches.
var standIns = []standIn{
	{"TestToken", []string{"IERC20", "IERC20Metadata", "ERC20", "IERC20Upgradeable", "IERC20MetadataUpgradeable", "ERC20Upgradeable",
		"ERC20Basic", "ERC20Interface", "IERC20Minimal", "IERC20Detailed", "EIP20Interface"}},
	{"TestWETH", []string{"IWETH", "IWETH9", "WETH", "WETH9", "IWrappedEther", "IWrappedNative", "IWrappedNativeToken"}},
	{"TestNFT", []string{"IERC721", "IERC721Metadata", "ERC721", "IERC721Upgradeable", "ERC721Upgradeable"}},
	{"TestMultiToken", []string{"IERC1155", "IERC1155MetadataURI", "ERC1155", "IERC1155Upgradeable", "ERC1155Upgradeable"}},
	{"TestFeed", []string{"AggregatorV3Interface", "AggregatorInterface", "AggregatorV2V3Interface", "IAggregatorV3", "IAggregatorV3Interface",
		"IChainlinkAggregator"}},
}

// isStandard reports whether everybody means the same by an interface's name.
func isStandard(name string) bool {
	return slices.ContainsFunc(standIns, func(s standIn) bool { return slices.Contains(s.standsFor, name) })
}

//go:embed brought/brought.json
var broughtFile []byte

// broughtArtifact is a contract in that file.
type broughtArtifact struct {
	ABI      json.RawMessage `json:"abi"`
	Creation []byte          `json:"creation"` // base64, as encoding/json has it
	Runtime  []byte          `json:"runtime"`
}

// Brought are the contracts that come with Sightline, the same ones each time. They are
// in no table: their code is unknown code, so that nothing in it is a target or has a
// line.
var Brought = sync.OnceValue(func() []*bytecode.Contract {
	var file map[string]broughtArtifact
	if err := json.Unmarshal(broughtFile, &file); err != nil {
		panic(fmt.Sprintf("brought.json: %v", err)) // embedded, and held by a test
	}
	contracts := []*bytecode.Contract{broughtProxy()}
	for _, s := range standIns {
		a := file[s.name]
		contracts = append(contracts, &bytecode.Contract{
			Name: s.name, Source: broughtSource, ABI: broughtABI(string(a.ABI)), RawABI: a.ABI,
			Creation:   &bytecode.Code{Kind: bytecode.Creation, Bytes: a.Creation},
			Runtime:    &bytecode.Code{Kind: bytecode.Runtime, Bytes: a.Runtime},
			Implements: append([]string{s.name}, s.standsFor...),
		})
	}
	return contracts
})

func broughtABI(text string) abi.ABI {
	parsed, err := abi.JSON(strings.NewReader(text))
	if err != nil {
		panic(fmt.Sprintf("an ABI of brought contracts: %v", err)) // likewise
	}
	return parsed
}

// IsBrought reports whether a contract comes with Sightline.
func IsBrought(c *bytecode.Contract) bool { return c.Source == broughtSource }

// broughtNamed is one of them by its name; nil when there is none.
func broughtNamed(name string) *bytecode.Contract {
	list := Brought()
	i := slices.IndexFunc(list, func(c *bytecode.Contract) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return list[i]
}

// broughtNames are the names under which plans know them.
func broughtNames() []string {
	var names []string
	for _, c := range Brought() {
		names = append(names, c.QualifiedName())
	}
	return names
}

// standsIn is the brought contract that meets a need; nil when none does.
func standsIn(meets func(*bytecode.Contract) bool) *bytecode.Contract {
	for _, s := range standIns {
		if c := broughtNamed(s.name); meets(c) {
			return c
		}
	}
	return nil
}
