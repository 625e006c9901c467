package evm_test

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// programs is how many random programs the differential test of the machines
// runs.
var differentialPrograms = flag.Int("programs", 1000, "random programs that the machines are compared on")

// pair is the two machines on one World and one table.
type pair struct {
	reference   *gethvm.Reference
	interpreter *interp.Interpreter
}

func newPair(t testing.TB, world *evm.World, table *bytecode.Table, opts ...evm.Option) *pair {
	t.Helper()
	if table == nil {
		table = bytecode.NewTable(nil)
	}
	r, err := gethvm.New(world, table, opts...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(world, table, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return &pair{r, m}
}

// run runs the sequence on both machines and compares everything.
func (p *pair) run(seq evm.Sequence) (*evm.Execution, error) {
	want, err := p.reference.Run(seq)
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	got, err := p.interpreter.Run(seq)
	if err != nil {
		return nil, fmt.Errorf("interpreter: %w", err)
	}
	if d := evm.Differ(want, got); d != nil {
		return nil, fmt.Errorf("reference and interpreter differ: %v", d)
	}
	if theirs, ours := p.reference.Refund(), p.interpreter.Refund(); theirs != ours {
		return nil, fmt.Errorf("refund %d, interpreter's %d", theirs, ours)
	}
	if d := evm.DifferWorlds(p.reference.Export(), p.interpreter.Export()); d != nil {
		return nil, fmt.Errorf("reference and interpreter differ: %v", d)
	}
	return want, nil
}

// wildCode is random code of another kind than randomCode: any instruction, over
// a stack that mostly holds small numbers, with jumps between blocks.
func wildCode(rng *rand.Rand, set *vm.JumpTable) []byte {
	// Bounds of the stack's height are what go-ethereum says of an instruction's operands.
	pops := func(op byte) int { least, _ := set[op].Stack(); return least }
	grows := func(op byte) int { _, most := set[op].Stack(); return int(params.StackLimit) - most }
	var code, dests []byte
	var patches []int
	height := 0
	push := func(v int) {
		if v < 0 || v > 255 {
			code = append(code, byte(vm.PUSH2), byte(v>>8), byte(v))
		} else {
			code = append(code, byte(vm.PUSH1), byte(v))
		}
		height++
	}
	for range 4 + rng.IntN(60) {
		switch rng.IntN(12) {
		case 0:
			dests = append(dests, byte(len(code)))
			code = append(code, byte(vm.JUMPDEST))
		case 1:
			if rng.IntN(2) == 0 && height > 0 {
				for range rng.IntN(3) {
					code = append(code, byte(vm.ISZERO))
				}
				height--
				patches = append(patches, len(code)+1)
				code = append(code, byte(vm.PUSH1), 0, byte(vm.JUMPI))
			} else if rng.IntN(4) == 0 {
				patches = append(patches, len(code)+1)
				code = append(code, byte(vm.PUSH1), 0, byte(vm.JUMP))
			}
		case 2, 3, 4:
			push(rng.IntN(3) * rng.IntN(100))
		case 5:
			n := 1 + rng.IntN(32)
			code = append(code, byte(vm.PUSH1)+byte(n-1))
			for range n {
				code = append(code, byte(rng.UintN(256)))
			}
			height++
		case 6, 7:
			ops := []vm.OpCode{vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ, vm.SUB, vm.XOR, vm.ADD, vm.ISZERO, vm.AND, vm.SHR, vm.SHL}
			op := byte(ops[rng.IntN(len(ops))])
			for height < pops(op) {
				push(rng.IntN(4))
			}
			code = append(code, op)
			height += grows(op)
		case 8:
			if height > 1 {
				n := rng.IntN(min(height-1, 16))
				code = append(code, byte(vm.SWAP1)+byte(n))
			}
		case 9:
			if height > 0 {
				n := rng.IntN(min(height, 16))
				code = append(code, byte(vm.DUP1)+byte(n))
				height++
			}
		case 10:
			op := byte(rng.UintN(256))
			for height < pops(op) && rng.IntN(50) > 0 {
				push(rng.IntN(3) * rng.IntN(70))
			}
			code = append(code, op)
			height += grows(op)
		case 11:
			randomSnippetInto(rng, &code)
		}
		height = max(height, 0)
	}
	for _, at := range patches {
		if len(dests) > 0 && rng.IntN(30) > 0 && at < len(code) {
			code[at] = dests[rng.IntN(len(dests))]
		}
	}
	return code
}

func randomSnippetInto(rng *rand.Rand, code *[]byte) {
	for _, b := range evmtest.RandomCode(rng, 1) {
		if len(*code) > 200 {
			return
		}
		*code = append(*code, b)
	}
}

// instructionSet is go-ethereum's of a fork.
func instructionSet(fork string) *vm.JumpTable {
	times := []*uint64{nil, nil, nil, nil}
	for i := range slices.Index(evm.Forks(), fork) {
		times[i] = new(uint64)
	}
	config := *params.MergedTestChainConfig
	config.ShanghaiTime, config.CancunTime, config.PragueTime, config.OsakaTime = times[0], times[1], times[2], times[3]
	set, err := vm.LookupInstructionSet(config.Rules(new(big.Int), true, 0))
	if err != nil {
		panic(err)
	}
	return &set
}

// wildWorld has contracts of wild code, one of them behind a delegation.
func wildWorld(rng *rand.Rand, fork string) *evm.World {
	w := evmtest.RandomWorld(rng, fork)
	set := instructionSet(fork)
	for _, a := range evmtest.RandomContracts {
		if rng.IntN(3) > 0 {
			w.Accounts[a].Code = wildCode(rng, set)
		}
	}
	if rng.IntN(8) == 0 {
		w.Accounts[evmtest.Nobody] = &evm.Account{Code: append([]byte{0xef, 1, 0}, evmtest.RandomContracts[rng.IntN(3)].Bytes()...)}
	}
	return w
}

// compareRandom runs one random program's sequences on both machines, with and
// without what they share with the sequence before.
func compareRandom(t testing.TB, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 6))
	var opts []evm.Option
	if rng.IntN(4) == 0 {
		opts = append(opts, evm.LiftCodeSizeLimits)
	}
	fork := evm.Forks()[rng.IntN(len(evm.Forks()))]
	world := wildWorld(rng, fork)
	p := newPair(t, world, nil, opts...)
	seq := boundedSequence(rng)
	for round := range 3 {
		exec, err := p.run(seq)
		if err != nil {
			t.Fatalf("seed %d, fork %s, round %d: %v", seed, fork, round, err)
		}
		if round == 0 {
			// The same with gas that ends somewhere inside.
			for i := range seq {
				if used := exec.Calls[i].GasUsed; used > 0 {
					seq[i].Gas = 1 + rng.Uint64N(used)
				}
			}
			continue
		}
		next := seq[:rng.IntN(len(seq)+1)].Clone()
		seq = append(next, boundedSequence(rng)...)
	}
}

// boundedSequence is a random sequence whose calls mostly have little gas, so that
// many can be run.
func boundedSequence(rng *rand.Rand) evm.Sequence {
	seq := evmtest.RandomSequence(rng)
	for i := range seq {
		if seq[i].Gas == 0 && rng.IntN(50) > 0 {
			seq[i].Gas = 50_000 + rng.Uint64N(200_000)
		}
	}
	return seq
}

// TestMachines: both machines yield the same for random programs.
func TestMachines(t *testing.T) {
	for seed := range uint64(*differentialPrograms) {
		compareRandom(t, seed)
	}
}

func FuzzInterpreter(f *testing.F) {
	f.Add([]byte{byte(vm.PUSH1), 1, byte(vm.PUSH0), byte(vm.LT)}, []byte{1}, uint64(100), uint8(4))
	f.Fuzz(func(t *testing.T, code, data []byte, gas uint64, fork uint8) {
		w := &evm.World{Block: evm.DefaultBlock(), Fork: evm.Forks()[int(fork)%len(evm.Forks())], Accounts: map[common.Address]*evm.Account{
			evmtest.RandomContracts[0]: {Nonce: 1, Code: code},
			evmtest.RandomSender:       {},
		}}
		w.Accounts[evmtest.RandomSender].Balance.SetUint64(1000)
		p := newPair(t, w, nil)
		c := evmtest.CallWith(data...)
		c.Gas = gas % (1 << 20)
		if _, err := p.run(evm.Sequence{c, {From: evmtest.RandomSender, Create: true, Address: evmtest.Nobody, Data: code, Gas: c.Gas}, evmtest.CallWith(data...)}); err != nil {
			t.Fatal(err)
		}
	})
}
