package main

import (
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/published"
)

// project is a published package with the files of it that count as changed, or an example of ours.
type project struct {
	published.Package
	changed []string // in the package's folder
	example string   // below examples; empty: a package
}

func (p *project) name() string {
	if p.example != "" {
		return "examples/" + p.example
	}
	return p.Name
}

// projects are of all compilers that matter. Their files are those in which the package's contracts do their work.
var projects = []project{
	{example: "token"},
	{example: "crowdsale"},
	{example: "vault"},
	{Package: published.Package{Name: "canonical-weth", Version: "1.4.0", Sources: "contracts", Solc: "0.5.17"}, changed: []string{"contracts/WETH9.sol"}},
	{Package: published.Package{Name: "minimetoken", Version: "0.2.0", Sources: "contracts", Solc: "0.4.24"}, changed: []string{"contracts/MiniMeToken.sol"}},
	{Package: published.Package{Name: "@chainlink/token", Version: "1.1.0", Sources: "contracts/v0.4", Solc: "0.4.24"},
		changed: []string{"contracts/v0.4/LinkToken.sol", "contracts/v0.4/ERC677Token.sol", "contracts/v0.4/token/linkStandardToken.sol", "contracts/v0.4/token/linkBasicToken.sol"}},
	{Package: published.Package{Name: "zeppelin-solidity", Version: "1.12.0", Sources: "contracts", Solc: "0.4.24"},
		changed: []string{"contracts/token/ERC20/StandardToken.sol", "contracts/token/ERC20/BasicToken.sol", "contracts/token/ERC20/MintableToken.sol", "contracts/ownership/Ownable.sol"}},
	{Package: published.Package{Name: "@ensdomains/ens", Version: "0.6.2", Sources: "contracts", Solc: "0.7.6"},
		changed: []string{"contracts/ENSRegistry.sol", "contracts/FIFSRegistrar.sol", "contracts/ReverseRegistrar.sol"}},
	{Package: published.Package{Name: "@uniswap/v2-core", Version: "1.0.1", Sources: "contracts", Solc: "0.5.16"},
		changed: []string{"contracts/UniswapV2Pair.sol", "contracts/UniswapV2ERC20.sol"}},
	{Package: published.Package{Name: "openzeppelin-solidity", Version: "2.5.1", Sources: "contracts", Solc: "0.5.17"},
		changed: []string{"contracts/token/ERC20/ERC20.sol", "contracts/payment/PaymentSplitter.sol", "contracts/token/ERC721/ERC721.sol"}},
	{Package: published.Package{Name: "@gnosis.pm/safe-contracts", Version: "1.3.0", Sources: "contracts", Solc: "0.7.6"},
		changed: []string{"contracts/base/OwnerManager.sol", "contracts/base/ModuleManager.sol", "contracts/GnosisSafe.sol"}},
	{Package: published.Package{Name: "@openzeppelin/contracts", Version: "5.4.0", Sources: ".", Solc: "0.8.30", Harness: "openzeppelin-5.sol"},
		changed: []string{"token/ERC20/ERC20.sol", "token/ERC20/extensions/ERC4626.sol", "token/ERC721/ERC721.sol", "access/AccessControl.sol"}},
	{Package: published.Package{Name: "@openzeppelin/contracts-upgradeable", Version: "4.9.6", Sources: ".", Solc: "0.8.17", Harness: "openzeppelin-upgradeable-4.sol"},
		changed: []string{"token/ERC20/ERC20Upgradeable.sol", "token/ERC20/extensions/ERC20VotesUpgradeable.sol", "access/OwnableUpgradeable.sol", "security/PausableUpgradeable.sol"}},
	{Package: published.Package{Name: "solmate", Version: "6.8.0", Sources: "src", Solc: "0.8.17", Harness: "solmate.sol"},
		changed: []string{"src/tokens/ERC20.sol", "src/tokens/ERC721.sol", "src/tokens/ERC4626.sol", "src/tokens/WETH.sol"}},
	{Package: published.Package{Name: "erc721a", Version: "4.3.0", Sources: "contracts", Solc: "0.8.17", Harness: "erc721a.sol"}, changed: []string{"contracts/ERC721A.sol"}},
}

func packages() harness.Packages {
	var all []published.Package
	for _, p := range projects {
		if p.example == "" {
			all = append(all, p.Package)
		}
	}
	list := published.Install(all).Solc(exampleSolc)
	for name, version := range forge.Packages(exampleSolc) {
		list[name] = version
	}
	return list
}

// exampleSolc compiles the examples, which are built with it (examples/build.mjs).
const exampleSolc = "0.8.30"

// arguments are those of sightline run that say what is compared.
func (p *project) arguments(run *harness.Run, modules, work string) ([]string, error) {
	if p.example != "" {
		folder := filepath.Join(run.Root, "examples", p.example)
		return []string{"run", "--root", filepath.Join(folder, "head"), "--diff", filepath.Join(folder, "pr.diff")}, nil
	}
	root, err := p.Prepare(modules, work)
	if err != nil {
		return nil, err
	}
	diff, err := harness.AddFiles(filepath.Join(modules, filepath.FromSlash(p.Name)), p.changed)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(work, "pr.diff")
	return []string{"run", "--root", root, "--diff", file}, os.WriteFile(file, diff, 0o600)
}
