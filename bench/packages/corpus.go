package main

import "github.com/sightline-evm/sightline/bench/internal/frame"

// pkg is a package and where its sources and its build are.
type pkg struct {
	name    string
	version string
	sources string // folder in the package
	build   string // shipped build: a file or folder in the package; empty: compiled from the sources
	solc    string // version of the compiler for it
}

// corpus are the packages: three that ship their build, each in another form,
// and five of sources, over all compiler versions that matter.
var corpus = []pkg{
	{"@gnosis.pm/safe-contracts", "1.3.0", "contracts", "build/artifacts/build-info", "0.7.6"},
	{"@aave/core-v3", "1.19.3", "contracts", "artifacts/build-info", "0.8.10"},
	{"openzeppelin-solidity", "2.5.1", "contracts", "build/contracts", "0.5.17"},
	{"zeppelin-solidity", "1.12.0", "contracts", "", "0.4.24"},
	{"@uniswap/v2-core", "1.0.1", "contracts", "", "0.5.16"},
	{"@uniswap/v3-core", "1.0.1", "contracts", "", "0.7.6"},
	{"solmate", "6.8.0", "src", "", "0.8.17"},
	{"erc721a", "4.3.0", "contracts", "", "0.8.17"},
}

// packages are the corpus and its compilers, to be installed.
func packages() frame.Packages {
	list := frame.Packages{}
	for _, p := range corpus {
		list[p.name] = p.version
		list.Solc(p.solc)
	}
	return list
}
