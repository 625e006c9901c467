package evmtest

import (
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// The accounts of a case: contracts with code, and others, of which the first sends
// and the last does not exist.
var (
	contracts = []common.Address{{0xc0, 1}, {0xc0, 2}, {0xc0, 3}, {0xc0, 4}}
	others    = []common.Address{{0x5e, 1}, {0x5e, 2}, {0x0b, 1}}
	sender    = others[0]
)

// Case is a World and sequences to run on it, in order, on one machine: those that
// follow begin like the one before, as a campaign's do.
type Case struct {
	World     *evm.World
	Sequences []evm.Sequence
	Programs  int // contracts and creation codes that were made for it
}

// deepInterval: one case in so many goes to the bottom of the call stack. They are
// some hundred times as slow as others.
const deepInterval = 400

// deep makes a case in which a contract calls itself until the EVM forbids it. No
// gas that a transaction may have is enough for that (EIP-150), so there is more,
// and no other program may run on it.
func (c *Case) deep(r *rand.Rand) {
	p := &assembler{}
	p.number(0)
	p.op(vm.DUP1, vm.DUP1, vm.DUP1)
	kinds := []vm.OpCode{vm.CALL, vm.CALLCODE, vm.DELEGATECALL, vm.STATICCALL}
	kind := kinds[r.IntN(len(kinds))]
	if kind == vm.CALL || kind == vm.CALLCODE {
		p.op(vm.DUP1)
	}
	p.op(vm.ADDRESS, vm.GAS, kind)
	if kind != vm.STATICCALL {
		p.op(vm.PUSH1, 0, vm.SLOAD, vm.ADD, vm.PUSH1, 0, vm.SSTORE) // how many succeeded
	}
	c.World.Accounts[contracts[0]].Code = p.assemble()
	c.Sequences = []evm.Sequence{{{From: sender, To: contracts[0], Gas: 1 << (30 + r.IntN(20))}}}
}

// prague is when code may be a delegation (EIP-7702); index in evm.Forks.
const prague = 3

// Programs makes a case of random programs.
func Programs(seed uint64) *Case {
	r := rand.New(rand.NewPCG(seed, 1))
	c := newCase(r)
	fork := forkOf(c.World)
	for i, address := range contracts {
		c.place(r, address, newProgram(r, fork, i, 2+r.IntN(12), 2, (*program).finish))
	}
	if r.IntN(deepInterval) == 0 {
		c.deep(r)
		return c
	}
	if fork >= prague && r.IntN(3) == 0 {
		c.World.Accounts[others[1]].Code = types.AddressToDelegation(contracts[r.IntN(len(contracts))])
	}
	c.sequences(r, func() evm.Call {
		call := evm.Call{To: contracts[r.IntN(len(contracts))], Data: calldata(r)}
		switch r.IntN(12) {
		case 0:
			call.To = others[r.IntN(len(others))]
		case 1, 2:
			call.Create, call.Data = true, newInit(r, fork, 2)
			call.Address = common.Address{0xd0, byte(r.IntN(3))}
			c.Programs++
		}
		return call
	})
	return c
}

// Mutants makes a case of real runtime code with small changes. Calldata begins
// with what the code compares it with.
func Mutants(seed uint64, originals [][]byte) *Case {
	r := rand.New(rand.NewPCG(seed, 2))
	c := newCase(r)
	var selectors [][]byte
	for _, address := range contracts {
		code := mutate(r, originals[r.IntN(len(originals))])
		selectors = append(selectors, selectorsOf(code)...)
		c.place(r, address, code)
	}
	c.sequences(r, func() evm.Call {
		data := calldata(r)
		if len(selectors) > 0 && r.IntN(10) > 0 {
			data = append(append([]byte{}, selectors[r.IntN(len(selectors))]...), data...)
		}
		return evm.Call{To: contracts[r.IntN(len(contracts))], Data: data}
	})
	return c
}

// newCase makes a World with everything but contracts.
func newCase(r *rand.Rand) *Case {
	forks := evm.Forks()
	w := &evm.World{Accounts: map[common.Address]*evm.Account{}, Block: evm.DefaultBlock(), Fork: forks[len(forks)-1]}
	if r.IntN(2) == 0 { // half of all on the newest
		w.Fork = forks[r.IntN(len(forks))]
	}
	w.Accounts[others[0]] = &evm.Account{Balance: *uint256.NewInt(1000), Nonce: r.Uint64N(3)}
	w.Accounts[others[1]] = &evm.Account{Balance: *uint256.NewInt(r.Uint64N(5))}
	if w.Accounts[others[1]].Balance.IsZero() {
		w.Accounts[others[1]].Nonce = 1 // empty accounts are no more
	}
	return &Case{World: w}
}

func forkOf(w *evm.World) int {
	for i, name := range evm.Forks() {
		if name == w.Fork {
			return i
		}
	}
	panic("evmtest: a fork that is none")
}

// place puts a contract into the World.
func (c *Case) place(r *rand.Rand, address common.Address, code []byte) {
	account := &evm.Account{Nonce: 1, Balance: *uint256.NewInt(r.Uint64N(6)), Code: code, Storage: map[common.Hash]common.Hash{}}
	for slot := range byte(4) {
		if value := wordOf(r); r.IntN(2) == 0 && !value.IsZero() {
			account.Storage[common.Hash{31: slot}] = value.Bytes32()
		}
	}
	c.World.Accounts[address] = account
	c.Programs++
}

// sequences makes some of the case's calls: one sequence, and others that share
// its beginning.
func (c *Case) sequences(r *rand.Rand, call func() evm.Call) {
	next := func() evm.Call {
		x := call()
		x.From, x.Gas = sender, callGas(r)
		if r.IntN(4) == 0 {
			x.From = others[r.IntN(2)]
		}
		x.Value.SetUint64(r.Uint64N(4) * r.Uint64N(2))
		if r.IntN(5) == 0 {
			x.TimeAdvance, x.BlockAdvance = r.Uint64N(1000), r.Uint64N(5)
		}
		for range r.IntN(3) * r.IntN(2) {
			x.Overwrites = append(x.Overwrites, evm.Overwrite{Address: x.To, Slot: *uint256.NewInt(r.Uint64N(5)), Value: *wordOf(r)})
		}
		if r.IntN(8) == 0 {
			x.Origin = others[r.IntN(2)]
			x.Instructions = append(x.Instructions, evm.Overwrite{Address: x.To, Slot: *uint256.NewInt(r.Uint64N(5)), Value: *wordOf(r)})
		}
		return x
	}
	var seq evm.Sequence
	for range 1 + r.IntN(4) {
		seq = append(seq, next())
	}
	c.Sequences = append(c.Sequences, seq)
	for range 3 {
		keep := r.IntN(len(seq) + 1)
		seq = seq[:keep].Clone()
		for len(seq) == 0 || len(seq) < 6 && r.IntN(3) > 0 {
			seq = append(seq, next())
		}
		c.Sequences = append(c.Sequences, seq)
	}
}

// callGas spreads gas over all magnitudes, so that it ends everywhere.
func callGas(r *rand.Rand) uint64 {
	switch r.IntN(40) {
	case 0:
		return 0 // evm.CallGas
	case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12:
		return 1 + r.Uint64N(1<<(6+r.IntN(14)))
	}
	return 1<<17 + r.Uint64N(1<<20)
}

// calldata is words, now and then cut off.
func calldata(r *rand.Rand) []byte {
	var data []byte
	for range r.IntN(5) {
		word := wordOf(r).Bytes32()
		if r.IntN(5) == 0 {
			copy(word[12:], contracts[r.IntN(len(contracts))][:])
		}
		data = append(data, word[:]...)
	}
	if len(data) > 0 && r.IntN(6) == 0 {
		data = data[:r.IntN(len(data))]
	}
	return data
}
