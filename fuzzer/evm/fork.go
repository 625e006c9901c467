package evm

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm/internal/forks"
)

// DefaultFork is the newest fork that go-ethereum schedules for mainnet. The
// blob-parameter forks after it do not change the EVM.
const DefaultFork = forks.Default

// ChainID is what CHAINID answers: Foundry's and Hardhat's default, so that
// chain-dependent code behaves as in a project's own tests.
const ChainID = 31337

// Forks lists the names that [World].Fork and the evm_version setting accept,
// oldest first.
func Forks() []string { return slices.Clone(forks.Names) }

// CheckFork reports whether a fork's name is supported; "" is [DefaultFork].
func CheckFork(name string) error {
	_, err := forks.Index(name)
	return err
}
