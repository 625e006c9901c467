package evm_test

import (
	_ "embed"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// Bank has what benchmarks need: mappings, arithmetic, events, an external call
// and calls that revert.
//
//go:embed testdata/bank.sol
var bank string

// randomSequences makes sequences of 1 to 8 random calls after the deployment.
func randomSequences(b *bench, n int) []evm.Sequence {
	rng := rand.New(rand.NewPCG(1, 2))
	small := func() *big.Int { return big.NewInt(rng.Int64N(5000)) }
	senders := []common.Address{deployer, user}
	out := make([]evm.Sequence, n)
	for i := range out {
		out[i] = evm.Sequence{b.deploy}
		for range 1 + rng.IntN(8) {
			var c evm.Call
			switch rng.IntN(4) {
			case 0:
				c = b.call("fund", small())
			case 1:
				c = b.call("deposit", small())
			case 2:
				c = b.call("withdraw", small())
			case 3:
				c = b.call("magic", small())
			}
			c.From = senders[rng.IntN(2)]
			out[i] = append(out[i], c)
		}
	}
	return out
}

// onBoth runs a benchmark on each machine.
func onBoth(b *testing.B, run func(*testing.B, *bench, evm.Machine)) {
	bank := deployed(b, bank, "Bank", testsolc.Settings{})
	b.Run("reference", func(b *testing.B) { run(b, bank, bank.machine) })
	b.Run("interpreter", func(b *testing.B) { run(b, bank, bank.fast) })
}

// BenchmarkRun measures calls of random sequences, each from the start.
func BenchmarkRun(b *testing.B) { onBoth(b, benchmarkRun) }

func benchmarkRun(b *testing.B, bank *bench, machine evm.Machine) {
	sequences := randomSequences(bank, 4096)
	calls, failed, blocks := 0, 0, 0
	run := func(s evm.Sequence) {
		exec, err := machine.Run(s)
		if err != nil {
			b.Fatal(err)
		}
		for i := 1; i < len(exec.Calls); i++ {
			calls++
			if exec.Calls[i].Outcome != evm.Success {
				failed++
			}
		}
		for i := range exec.Frames {
			blocks += len(exec.Frames[i].Path)
		}
	}
	for _, s := range sequences {
		run(s)
	}
	calls, failed, blocks = 0, 0, 0
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		run(sequences[i%len(sequences)])
	}
	b.ReportMetric(float64(calls)/b.Elapsed().Seconds(), "calls/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
	b.ReportMetric(float64(failed)/float64(calls), "failed/call")
	b.ReportMetric(float64(calls)/float64(b.N), "calls/op")
	b.ReportMetric(float64(blocks)/float64(calls), "blocks/call")
}

// BenchmarkLastCall measures executions of eight calls that differ in the last
// one only, as when one call of a seed is fuzzed.
func BenchmarkLastCall(b *testing.B) { onBoth(b, benchmarkLastCall) }

func benchmarkLastCall(b *testing.B, bank *bench, machine evm.Machine) {
	rng := rand.New(rand.NewPCG(3, 4))
	seq := evm.Sequence{bank.deploy}
	for range 8 {
		seq = append(seq, bank.call("deposit", big.NewInt(1000)))
	}
	last := make([]evm.Call, 512)
	for i := range last {
		last[i] = bank.call("withdraw", big.NewInt(rng.Int64N(20_000)))
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		seq[8] = last[i%len(last)]
		if _, err := machine.Run(seq); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "executions/s")
}

// TestAllocations: what has grown has grown, and then calls allocate nothing.
func TestAllocations(t *testing.T) {
	b := deployed(t, bank, "Bank", testsolc.Settings{})
	sequences := randomSequences(b, 64)
	run := func() {
		for _, seq := range sequences {
			if _, err := b.fast.Run(seq[1:]); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The World is the one after the deployment: what a deployment installs is new.
	if _, err := b.machine.Run(evm.Sequence{b.deploy}); err != nil {
		t.Fatal(err)
	}
	var err error
	if b.fast, err = interp.New(b.machine.Export(), bytecode.NewTable(testsolc.Compile(t, bank, testsolc.Settings{}))); err != nil {
		t.Fatal(err)
	}
	run()
	if n := testing.AllocsPerRun(5, run); n != 0 {
		t.Errorf("%v allocations for %d sequences", n, len(sequences))
	}
}

// TestConcurrent: machines share nothing but the World and the table.
func TestConcurrent(t *testing.T) {
	b := deployed(t, bank, "Bank", testsolc.Settings{})
	contracts := testsolc.Compile(t, bank, testsolc.Settings{})
	table := bytecode.NewTable(contracts)
	sequences := randomSequences(b, 40)
	results := make([][]bytecode.PathID, 4)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			var machine evm.Machine
			var err error
			if i%2 == 0 {
				machine, err = gethvm.New(b.machine.World(), table)
			} else {
				machine, err = interp.New(b.machine.World(), table)
			}
			if err != nil {
				t.Error(err)
				return
			}
			for _, seq := range sequences {
				exec, err := machine.Run(seq)
				if err != nil {
					t.Error(err)
					return
				}
				results[i] = append(results[i], exec.PathID())
			}
		})
	}
	group.Wait()
	for _, r := range results[1:] {
		if diff := cmp.Diff(results[0], r); diff != "" {
			t.Errorf("machines differ:\n%s", diff)
		}
	}
}
