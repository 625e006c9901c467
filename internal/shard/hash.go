package shard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Hash sets World, Build and Targets of a header. It is asked where the change was read and deployed:
// by the plan, from which shards take it, and by the merge.
func (h *Header) Hash(world *evm.World, space *input.Space, table *bytecode.Table, targets []bytecode.Target) (err error) {
	if h.World, err = sumOf(struct {
		World worldHashed
		Calls []string
		Bound *uint256.Int
		Time  *uint64
		Block *uint64
	}{worldOf(world), callsOf(space), space.Options.MaxValue, space.Options.MaxTime, space.Options.MaxBlocks}); err != nil {
		return fmt.Errorf("the World has no hash: %w", err)
	}
	var build []contractHashed
	for _, c := range table.Contracts() {
		build = append(build, contractHashed{c.QualifiedName(), c.RawABI, bytesOf(c.Creation), bytesOf(c.Runtime)})
	}
	if h.Build, err = sumOf(build); err != nil {
		return fmt.Errorf("the build has no hash: %w", err)
	}
	places := newPlaces(table)
	var lines []targetHashed
	for _, t := range targets {
		line := targetHashed{Position: t.Position.String(), Contract: t.Contract, Deletion: t.Deletion, Reverts: t.Reverts}
		for _, entry := range t.Entries {
			at := places.of(entry)
			line.Entries = append(line.Entries, fmt.Sprintf("%s %d", places.names[at[0]], at[1]))
		}
		lines = append(lines, line)
	}
	if h.Targets, err = sumOf(lines); err != nil {
		return fmt.Errorf("the targets have no hash: %w", err)
	}
	return nil
}

// sumOf is the SHA-256 of a value's JSON, in hexadecimal.
func sumOf(value any) (string, error) {
	hash := sha256.New()
	if err := json.NewEncoder(hash).Encode(value); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// worldHashed is what of a World decides what sequences do. What a chain would answer is not in it: the
// block that is forked is.
type worldHashed struct {
	Fork       string
	Block      evm.Block
	Accounts   map[common.Address]accountHashed // encoding/json sorts the keys
	Instances  []instanceHashed
	Senders    []evm.Sender
	Cheats     *evm.Cheats
	Properties []string
	Callbacks  []string
}

type accountHashed struct {
	Balance uint256.Int
	Nonce   uint64
	Code    []byte                      `json:",omitempty"`
	Storage map[common.Hash]common.Hash `json:",omitempty"`
}

type instanceHashed struct {
	Name     string
	Address  common.Address
	Contract string `json:",omitempty"`
	Asked    bool
	Scope    *evm.Scope
	Tests    []string
	At       common.Address // of the instance on Bare
	Bare     *worldHashed
}

func worldOf(w *evm.World) worldHashed {
	out := worldHashed{Fork: w.Fork, Block: w.Block, Senders: w.Senders, Cheats: w.Cheats, Properties: w.Properties, Callbacks: w.Callbacks, Accounts: map[common.Address]accountHashed{}}
	for address, a := range w.Accounts { // into a map
		out.Accounts[address] = accountHashed{a.Balance, a.Nonce, a.Code, a.Storage}
	}
	for i := range w.Instances {
		in := &w.Instances[i]
		hashed := instanceHashed{Name: in.Name, Address: in.Address, Asked: in.Asked, Scope: in.Scope, Tests: in.Tests}
		if in.Contract != nil {
			hashed.Contract = in.Contract.QualifiedName()
		}
		if in.Bare != nil {
			bare := worldOf(in.Bare.World)
			hashed.At, hashed.Bare = in.Bare.Address, &bare
		}
		out.Instances = append(out.Instances, hashed)
	}
	return out
}

// callsOf are the calls that sequences are made of.
func callsOf(space *input.Space) (calls []string) {
	for i := range space.Instances {
		in := &space.Instances[i]
		for _, list := range [][]*input.Function{in.Functions, in.Properties} {
			for _, f := range list {
				calls = append(calls, in.Name+"."+f.Signature)
			}
		}
	}
	return calls
}

type contractHashed struct {
	Name              string
	ABI               []byte
	Creation, Runtime []byte
}

func bytesOf(c *bytecode.Code) []byte {
	if c == nil {
		return nil
	}
	return c.Bytes
}

type targetHashed struct {
	Position, Contract string
	Deletion, Reverts  bool
	Entries            []string
}
