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

// mockSource is the source of built-in mocks. No source of a project has this name: it
// would end in .sol.
const mockSource = "sightline"

// mockPrefix begins the qualified names of built-in mocks, which plans may use:
// "sightline:TestToken".
const mockPrefix = mockSource + ":"

// mock is a contract of mocks/Mocks.sol.
type mock struct {
	name string
	// standsFor are the names of the interfaces that it implements, and of libraries' base
	// contracts that projects declare instead of them.
	standsFor []string
}

// mocks serve where a constructor asks for a contract so well known that its name means
// the same in every project, and the build has none. Other missing contracts stay missing:
// one that answers anything to any question would let a campaign reach lines that no chain
// reaches.
var mocks = []mock{
	{"TestToken", []string{"IERC20", "IERC20Metadata", "ERC20", "IERC20Upgradeable", "IERC20MetadataUpgradeable", "ERC20Upgradeable",
		"ERC20Basic", "ERC20Interface", "IERC20Minimal", "IERC20Detailed", "EIP20Interface"}},
	{"TestWETH", []string{"IWETH", "IWETH9", "WETH", "WETH9", "IWrappedEther", "IWrappedNative", "IWrappedNativeToken"}},
	{"TestVault", []string{"IERC4626", "ERC4626", "IERC4626Upgradeable", "ERC4626Upgradeable"}},
	{"TestNFT", []string{"IERC721", "IERC721Metadata", "ERC721", "IERC721Upgradeable", "ERC721Upgradeable"}},
	{"TestMultiToken", []string{"IERC1155", "IERC1155MetadataURI", "ERC1155", "IERC1155Upgradeable", "ERC1155Upgradeable"}},
	{"TestFeed", []string{"AggregatorV3Interface", "AggregatorInterface", "AggregatorV2V3Interface", "IAggregatorV3", "IAggregatorV3Interface",
		"IChainlinkAggregator"}},
	{beaconMock, []string{"IBeacon"}},
	{registryMock, []string{"IERC1820Registry"}},
}

// beaconMock is the name of one.
const beaconMock = "TestBeacon"

// isStandard reports whether an interface's name means the same in every project.
func isStandard(name string) bool {
	return slices.ContainsFunc(mocks, func(s mock) bool { return slices.Contains(s.standsFor, name) })
}

//go:embed mocks/mocks.json
var mockFile []byte

// mockArtifact is a contract in that file.
type mockArtifact struct {
	ABI      json.RawMessage `json:"abi"`
	Creation []byte          `json:"creation"` // base64, as encoding/json has it
	Runtime  []byte          `json:"runtime"`
}

// BuiltInMocks are the contracts that come with Sightline, the same ones each time. No
// table has them: their code is unknown code, so that nothing in it is a target or has a
// line.
var BuiltInMocks = sync.OnceValue(func() []*bytecode.Contract {
	var file map[string]mockArtifact
	if err := json.Unmarshal(mockFile, &file); err != nil {
		panic(fmt.Sprintf("mocks.json: %v", err)) // embedded, and held by a test
	}
	contracts := []*bytecode.Contract{mockProxy()}
	for _, s := range mocks {
		a := file[s.name]
		contracts = append(contracts, &bytecode.Contract{
			Name: s.name, Source: mockSource, ABI: mockABI(string(a.ABI)), RawABI: a.ABI,
			Creation:   &bytecode.Code{Kind: bytecode.Creation, Bytes: a.Creation},
			Runtime:    &bytecode.Code{Kind: bytecode.Runtime, Bytes: a.Runtime},
			Implements: append([]string{s.name}, s.standsFor...),
		})
	}
	return contracts
})

func mockABI(text string) abi.ABI {
	parsed, err := abi.JSON(strings.NewReader(text))
	if err != nil {
		panic(fmt.Sprintf("an ABI of a built-in mock: %v", err)) // likewise
	}
	return parsed
}

// IsBuiltInMock reports whether a contract is one of [BuiltInMocks].
func IsBuiltInMock(c *bytecode.Contract) bool { return c.Source == mockSource }

// namedMock is the built-in mock of a name; nil when there is none.
func namedMock(name string) *bytecode.Contract {
	list := BuiltInMocks()
	i := slices.IndexFunc(list, func(c *bytecode.Contract) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return list[i]
}

// mockNames are the names of the built-in mocks in plans.
func mockNames() []string {
	var names []string
	for _, c := range BuiltInMocks() {
		names = append(names, c.QualifiedName())
	}
	return names
}

// mockFor is the first of [mocks] that meets a need; nil when none does.
func mockFor(meets func(*bytecode.Contract) bool) *bytecode.Contract {
	for _, s := range mocks {
		if c := namedMock(s.name); meets(c) {
			return c
		}
	}
	return nil
}
