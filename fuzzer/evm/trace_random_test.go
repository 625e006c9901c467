package evm_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/long"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// dataWords is how many words of calldata random programs look at.
const dataWords = 4

// randomFlow is code that moves words between stack, memory, storage and other contracts at
// places that are mostly constants, computes with them, and stores and branches on some.
func randomFlow(rng *rand.Rand, calls int) []byte {
	p := asm.New()
	small := func() int { return rng.IntN(160) }
	value := func() { // pushes one
		switch rng.IntN(8) {
		case 0, 1:
			p.Push(32 * rng.IntN(dataWords)).Op(vm.CALLDATALOAD)
		case 2:
			p.Push(small()).Op(vm.MLOAD)
		case 3:
			p.Push(rng.IntN(4)).Op(vm.SLOAD)
		case 4:
			p.Push(rng.IntN(4)).Op(vm.TLOAD)
		case 5:
			p.Push(rng.IntN(64)).Push(small()).Op(vm.KECCAK256)
		case 6:
			p.Push(rng.Uint64N(1 << 20))
		case 7:
			p.Push(0xff).Push(32*rng.IntN(dataWords)).Op(vm.CALLDATALOAD, vm.AND, vm.MLOAD) // found by way of the input
		}
	}
	binary := []vm.OpCode{
		vm.ADD, vm.SUB, vm.MUL, vm.DIV, vm.SDIV, vm.MOD, vm.SMOD, vm.EXP, vm.SIGNEXTEND, vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ,
		vm.AND, vm.OR, vm.XOR, vm.BYTE, vm.SHL, vm.SHR, vm.SAR,
	}
	for range 4 + rng.IntN(30) {
		value()
		for range rng.IntN(4) {
			value()
			switch rng.IntN(6) {
			case 0:
				value()
				p.Op([]vm.OpCode{vm.ADDMOD, vm.MULMOD}[rng.IntN(2)])
			case 1:
				p.Op([]vm.OpCode{vm.NOT, vm.ISZERO}[rng.IntN(2)], vm.SWAP1, binary[rng.IntN(len(binary))])
			default:
				p.Op(binary[rng.IntN(len(binary))])
			}
		}
		switch rng.IntN(8) {
		case 0, 1:
			p.Push(small()).Op(vm.MSTORE)
		case 2:
			p.Push(small()).Op(vm.MSTORE8)
		case 3, 4:
			p.Push(rng.IntN(4)).Op(vm.SSTORE)
		case 5:
			p.Push(rng.IntN(4)).Op(vm.TSTORE)
		case 6:
			at := p.Size() + 4
			p.Op(vm.PUSH2, vm.OpCode(at>>8), vm.OpCode(at), vm.JUMPI, vm.JUMPDEST) // both ways lead on
		case 7:
			p.Op(vm.POP)
		}
		switch rng.IntN(6) {
		case 0:
			p.Push(rng.IntN(70)).Push(rng.IntN(130)).Push(small()).Op([]vm.OpCode{vm.CALLDATACOPY, vm.CODECOPY, vm.MCOPY}[rng.IntN(3)])
		case 1:
			if calls == 0 {
				break
			}
			calls--
			to := evmtest.RandomContracts[1+rng.IntN(2)].Bytes()
			p.Push(rng.IntN(70)).Push(small()).Push(rng.IntN(130)).Push(small())
			switch rng.IntN(3) {
			case 0:
				p.Push(0).Push(to).Push(1_000_000).Op(vm.CALL)
			case 1:
				p.Push(to).Push(1_000_000).Op(vm.DELEGATECALL)
			case 2:
				p.Push(to).Push(1_000_000).Op(vm.STATICCALL)
			}
			p.Op(vm.POP).Push(0).Push(0).Push(small()).Op(vm.RETURNDATACOPY)
		}
	}
	return p.Push(rng.IntN(96)).Push(small()).Op([]vm.OpCode{vm.RETURN, vm.RETURN, vm.REVERT}[rng.IntN(3)]).Bytes()
}

// flowWorld has a contract that calls two others.
func flowWorld(rng *rand.Rand) *evm.World {
	world := evmtest.WorldOf(randomFlow(rng, 3))
	for _, a := range evmtest.RandomContracts[1:] {
		world.Accounts[a] = &evm.Account{Nonce: 1, Code: randomFlow(rng, 0)}
	}
	return world
}

// alike reports whether two executions went the same way and looked at the same places, and
// so did the same instructions in the same order.
func alike(a, b *evm.Execution) bool {
	if len(a.Frames) != len(b.Frames) || len(a.Trace.Stores) != len(b.Trace.Stores) || len(a.Trace.Branches) != len(b.Trace.Branches) {
		return false
	}
	for i := range a.Frames {
		f, g := &a.Frames[i], &b.Frames[i]
		if f.Outcome != g.Outcome || f.LastPC != g.LastPC || len(f.Storage) != len(g.Storage) || f.Program != g.Program {
			return false
		}
		for j := range f.Storage {
			if f.Storage[j].PC != g.Storage[j].PC || f.Storage[j].Slot != g.Storage[j].Slot {
				return false
			}
		}
	}
	for i := range a.Trace.Branches {
		if a.Trace.Branches[i].At != b.Trace.Branches[i].At || a.Trace.Branches[i].Taken != b.Trace.Branches[i].Taken {
			return false
		}
	}
	return true
}

// TestTraceIsSound: another calldata changes no value that, by the trace, does not depend on
// calldata, as long as the same instructions run.
func TestTraceIsSound(t *testing.T) {
	compared, independent, worlds := 0, 0, long.Pick[uint64](500, 1500)
	for seed := range worlds {
		rng := rand.New(rand.NewPCG(seed, 11))
		m, err := gethvm.New(flowWorld(rng), bytecode.NewTable(nil), evm.WithTrace)
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, 32*dataWords)
		for i := range data {
			data[i] = byte(rng.IntN(2) * rng.IntN(256))
		}
		run := func() *evm.Execution {
			e, err := m.Run(evm.Sequence{evmtest.CallWith(data...), evmtest.CallWith(data...)})
			if err != nil {
				t.Fatal(err)
			}
			return e.Clone()
		}
		first := run()
		for range 4 {
			data[rng.IntN(len(data))] ^= byte(1 + rng.IntN(255))
			second := run()
			if !alike(first, second) {
				continue
			}
			compared++
			same := func(at evm.At, of evm.Taint, a, b uint256.Int) {
				if of.Depends(evm.FromCalldata) {
					return
				}
				independent++
				if a != b {
					t.Fatalf("seed %d, %+v: %s and %s, of %+v", seed, at, &a, &b, of)
				}
			}
			for i, s := range first.Trace.Stores {
				if s.Access >= 0 {
					same(s.At, s.Value, first.Frames[s.Frame].Storage[s.Access].Value, second.Frames[s.Frame].Storage[s.Access].Value)
				}
				if s.Value.Depends(evm.FromCalldata) != second.Trace.Stores[i].Value.Depends(evm.FromCalldata) {
					t.Fatalf("seed %d, %+v: %+v and %+v", seed, s.At, s.Value, second.Trace.Stores[i].Value)
				}
			}
			for i, b := range first.Trace.Branches {
				same(b.At, b.LeftTaint, b.Left, second.Trace.Branches[i].Left)
				same(b.At, b.RightTaint, b.Right, second.Trace.Branches[i].Right)
			}
		}
	}
	if least := int(worlds * 2 / 3); compared < least || independent < least {
		t.Errorf("%d pairs of runs, %d values", compared, independent)
	}
	t.Logf("%d pairs of runs, %d values that do not depend on calldata", compared, independent)
}

// BenchmarkTrace measures what tracing costs, next to BenchmarkRun's reference: the same
// calls, each run anew.
func BenchmarkTrace(b *testing.B) {
	bank := deployed(b, bank, "Bank", testsolc.Settings{})
	table := bytecode.NewTable([]*bytecode.Contract{bank.contract})
	for name, options := range map[string][]evm.Option{"plain": nil, "traced": {evm.WithTrace}} {
		b.Run(name, func(b *testing.B) {
			m, err := gethvm.New(bank.machine.World(), table, options...)
			if err != nil {
				b.Fatal(err)
			}
			sequences := randomSequences(bank, 256)
			calls := 0
			b.ReportAllocs()
			for i := range b.N {
				seq := sequences[i%len(sequences)]
				seq[0].TimeAdvance = uint64(i) // nothing is shared with the run before
				e, err := m.Run(seq)
				if err != nil {
					b.Fatal(err)
				}
				calls += len(e.Calls)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
		})
	}
}
