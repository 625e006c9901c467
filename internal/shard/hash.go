package shard

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Hash sets World, Build and Targets of a header.
func (h *Header) Hash(world *evm.World, space *input.Space, table *bytecode.Table, targets []bytecode.Target) error {
	return nil
}
