package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// measures lists what is measured of an executor, each for the given time.
func (b *bench) measures(e executor, share time.Duration) ([]harness.Contender, error) {
	var list []harness.Contender
	for _, w := range b.workloads {
		machine, err := e.make(b.deployed.world, b.table)
		if err != nil {
			return nil, err
		}
		list = append(list, harness.Contender{Name: w.name, Measure: func(context.Context, int) (float64, error) {
			calls, seconds, err := b.runFor(machine, w.sequences, share)
			return float64(calls) / seconds, err
		}})
		if w.name == mixed {
			list = append(list, harness.Contender{Name: allocations, Measure: func(context.Context, int) (float64, error) {
				return b.allocations(machine, w.sequences, share)
			}})
		}
	}
	machine, err := e.make(b.loop.world, b.loop.table)
	if err != nil {
		return nil, err
	}
	list = append(list, harness.Contender{Name: loopTime, Measure: func(context.Context, int) (float64, error) {
		calls, seconds, err := b.runFor(machine, b.loop.sequences, share)
		return 1e9 * seconds / (float64(calls) * b.loop.instructions), err
	}})
	if e.bare {
		return list, nil
	}
	list = append(list, harness.Contender{Name: campaignRate, Measure: func(ctx context.Context, round int) (float64, error) {
		stats, err := b.campaign(ctx, e, 1, b.run.Seed+uint64(round), share)
		return float64(stats.Calls) / stats.Seconds, err
	}})
	for i, name := range []string{oneWorker, twoWorkers} {
		workers := i + 1
		list = append(list, harness.Contender{Name: name, Measure: func(ctx context.Context, round int) (float64, error) {
			before := harness.CPUSeconds()
			stats, err := b.campaign(ctx, e, workers, b.run.Seed+uint64(round), share)
			if used := harness.CPUSeconds() - before; used > 0 {
				return float64(stats.Calls) / used, err
			}
			return 0, err
		}})
	}
	return list, nil
}

// runFor runs the sequences, over and over, for some time.
func (b *bench) runFor(machine evm.Machine, sequences []evm.Sequence, share time.Duration) (calls int, seconds float64, err error) {
	start := b.run.Now()
	for {
		for _, seq := range sequences {
			if _, err := machine.Run(seq); err != nil {
				return 0, 0, err
			}
			calls += len(seq)
			if elapsed := b.run.Now().Sub(start); elapsed >= share {
				return calls, elapsed.Seconds(), nil
			}
		}
	}
}

// allocations per call in the steady state: buffers that grow have grown.
func (b *bench) allocations(machine evm.Machine, sequences []evm.Sequence, share time.Duration) (float64, error) {
	if _, _, err := b.runFor(machine, sequences, share/2); err != nil {
		return 0, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	calls, _, err := b.runFor(machine, sequences, share/2)
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(calls), err
}

// campaign runs a whole campaign on the ERC-20, without targets.
func (b *bench) campaign(ctx context.Context, e executor, workers int, seed uint64, share time.Duration) (fuzzer.Stats, error) {
	w := *b.deployed.world
	w.Instances = slices.DeleteFunc(slices.Clone(w.Instances), func(in evm.Instance) bool { return in.Name != token })
	space, err := input.NewSpace(&w, input.SpaceOptions{})
	if err != nil {
		return fuzzer.Stats{}, err
	}
	result, err := (&fuzzer.Campaign{Config: fuzzer.Config{
		World: &w, Space: space, Table: b.table, Oracles: oracle.All(),
		NewMachine: func() (evm.Machine, error) { return e.make(&w, b.table) },
		Seed:       seed, Workers: workers, SeqLen: maxCalls, Timeout: share, Now: b.run.Now,
	}}).Run(ctx)
	if err != nil {
		return fuzzer.Stats{}, err
	}
	if len(result.Faults) > 0 {
		return fuzzer.Stats{}, fmt.Errorf("the campaign had a fault: %s", result.Faults[0].Message)
	}
	return result.Stats, nil
}

// profile is what sequences consist of.
type profile struct {
	calls, reverting, instructions float64
}

// profileOf counts the instructions of the blocks on the paths of all frames.
func profileOf(machine evm.Machine, sequences []evm.Sequence) (profile, error) {
	lengths := map[bytecode.CodeID][]int{} // instructions by block
	var p profile
	for _, seq := range sequences {
		exec, err := machine.Run(seq)
		if err != nil {
			return p, err
		}
		for i := range exec.Calls {
			p.calls++
			if exec.Calls[i].Outcome != evm.Success {
				p.reverting++
			}
		}
		for i := range exec.Frames {
			f := &exec.Frames[i]
			if f.Program == nil {
				continue
			}
			if lengths[f.Program.ID] == nil {
				lengths[f.Program.ID] = instructionsByBlock(f.Program)
			}
			for _, block := range f.Path {
				p.instructions += float64(lengths[f.Program.ID][block])
			}
		}
	}
	return p, nil
}

func instructionsByBlock(p *bytecode.Program) []int {
	lengths := make([]int, len(p.Blocks))
	for i, b := range p.Blocks {
		for pc := b.Start; pc < b.End; pc += 1 + bytecode.PushSize(p.Bytes[pc]) {
			lengths[i]++
		}
	}
	return lengths
}

// arithmetic is a contract that computes in a loop and does nothing else.
type arithmetic struct {
	world        *evm.World
	table        *bytecode.Table
	sequences    []evm.Sequence
	instructions float64 // of one call
}

// The loop. Its body is what solc makes of checked arithmetic, less the checks:
// as many pushes, copies and swaps as additions, multiplications and
// comparisons.
const (
	iterations = 10_000
	prologue   = 2
	epilogue   = 1
)

func newArithmetic() (*arithmetic, error) {
	body := []byte{
		byte(vm.JUMPDEST), // counter x
		byte(vm.DUP1), byte(vm.PUSH1), 7, byte(vm.MUL),
		byte(vm.DUP3), byte(vm.ADD), // counter x 7x+counter
		byte(vm.SWAP1), byte(vm.PUSH1), 13, byte(vm.XOR), byte(vm.ADD), // counter x'
		byte(vm.PUSH1), 3, byte(vm.SHR), byte(vm.DUP2), byte(vm.ADD),
		byte(vm.SWAP1), byte(vm.PUSH1), 1, byte(vm.SWAP1), byte(vm.SUB), // x' counter−1
		byte(vm.SWAP1), byte(vm.DUP2), byte(vm.PUSH1), 0, byte(vm.JUMPI),
	}
	code := []byte{byte(vm.PUSH3), 0, iterations >> 8, iterations & 0xff, byte(vm.PUSH1), 1}
	body[len(body)-2] = byte(len(code)) // where the loop begins
	code = append(append(code, body...), byte(vm.STOP))

	contract := &bytecode.Contract{Name: "Loop", Source: "loop", Runtime: &bytecode.Code{Kind: bytecode.Runtime, Bytes: code}}
	a := &arithmetic{world: world.Empty(""), table: bytecode.NewTable([]*bytecode.Contract{contract})}
	to := common.BytesToAddress([]byte("loop"))
	a.world.Accounts[to] = &evm.Account{Nonce: 1, Code: code}
	for n := range 64 { // any number but 1, see distinguish
		seq := evm.Sequence{{From: world.Deployer.Address, To: to}}
		distinguish(seq, n)
		a.sequences = append(a.sequences, seq)
	}
	perIteration := 0
	for pc := 0; pc < len(body); pc += 1 + int(bytecode.PushSize(body[pc])) {
		perIteration++
	}
	a.instructions = prologue + iterations*float64(perIteration) + epilogue

	machine, err := gethvm.New(a.world, a.table)
	if err != nil {
		return nil, err
	}
	exec, err := machine.Run(a.sequences[0])
	if err != nil {
		return nil, err
	}
	if got := exec.Calls[0]; got.Outcome != evm.Success {
		return nil, fmt.Errorf("the arithmetic loop fails: %s", got.Reason())
	}
	return a, nil
}
