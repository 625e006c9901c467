package world

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
)

// Chain is the chain that a Foundry project's tests run on.
type Chain struct {
	Block evm.Block
	// Sender deploys test contracts and runs tests.
	Sender common.Address
	// Balance is what the sender and each test contract own, wei.
	Balance uint256.Int
	// Gas is what each of the two calls gets.
	Gas uint64
}

// SetupCaller calls setUp(), whoever foundry.toml says deploys and runs tests (CALLER in
// Foundry's crate evm/core, constants.rs).
var SetupCaller = common.HexToAddress("0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38")

// DefaultChain is what `forge test` has where foundry.toml says nothing else:
// sender, initial_balance, block_number, block_timestamp, chain_id, gas_limit and
// their like in forge's configuration reference. Its base fee, coinbase and
// PREVRANDAO are zero.
func DefaultChain() Chain {
	const gas = 1 << 30 // gas_limit, of calls and of the block
	chain := Chain{
		Block:  evm.Block{Number: 1, Time: 1, GasLimit: gas, ChainID: evm.ChainID},
		Sender: SetupCaller,
		Gas:    gas,
	}
	chain.Balance.Lsh(uint256.NewInt(1), 96).SubUint64(&chain.Balance, 1)
	return chain
}

// Create2Deployer is the deterministic deployment proxy, which forge puts on the
// chain of its tests: `new C{salt: s}()` of scripts goes through it.
var Create2Deployer = common.HexToAddress("0x4e59b44847b379578588920cA78FbF26c0B4956C")

// create2DeployerCode is its code on every chain that has it.
var create2DeployerCode = common.FromHex("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3")

// foundryWorld is a World with nothing but what forge's tests find there, and the
// senders of every World. The sender's nonce begins at 1: with that, test
// contracts are where they always are.
func foundryWorld(fork string, chain *Chain, edge cheatcode.Edge) *evm.World {
	w := Empty(fork)
	w.EnableCheats(edge)
	w.Block = chain.Block
	w.Accounts[chain.Sender] = &evm.Account{Nonce: 1, Balance: chain.Balance}
	w.Accounts[Create2Deployer] = &evm.Account{Nonce: 1, Code: create2DeployerCode}
	return w
}
