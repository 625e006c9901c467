package main

import "github.com/sightline-evm/sightline/bench/internal/published"

// corpus are the packages: three that ship their build, each in another form,
// and five of sources, over all compiler versions that matter.
var corpus = []published.Package{
	{Name: "@gnosis.pm/safe-contracts", Version: "1.3.0", Sources: "contracts", Solc: "0.7.6", Build: "build/artifacts/build-info"},
	{Name: "@aave/core-v3", Version: "1.19.3", Sources: "contracts", Solc: "0.8.10", Build: "artifacts/build-info"},
	{Name: "openzeppelin-solidity", Version: "2.5.1", Sources: "contracts", Solc: "0.5.17", Build: "build/contracts"},
	{Name: "zeppelin-solidity", Version: "1.12.0", Sources: "contracts", Solc: "0.4.24"},
	{Name: "@uniswap/v2-core", Version: "1.0.1", Sources: "contracts", Solc: "0.5.16"},
	{Name: "@uniswap/v3-core", Version: "1.0.1", Sources: "contracts", Solc: "0.7.6", Harness: "v3-core.sol"},
	{Name: "solmate", Version: "6.8.0", Sources: "src", Solc: "0.8.17", Harness: "solmate.sol"},
	{Name: "erc721a", Version: "4.3.0", Sources: "contracts", Solc: "0.8.17", Harness: "erc721a.sol"},
}
