package gethvm

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/forks"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// outcomeText is what both executors must agree on about one call.
func outcomeText(outcome evm.Outcome, output []byte, gas, refund uint64, logs []string) string {
	return fmt.Sprintf("%v output %x gas %d refund %d logs %v", outcome, output, gas, refund, logs)
}

// runGeth runs the sequence on go-ethereum with its own state and without hooks.
func runGeth(t testing.TB, r *Reference, seq evm.Sequence) (calls []string, db *state.StateDB) {
	t.Helper()
	db = gethState(t, r.world)
	config, extra := forks.ChainConfig(r.fork, evm.ChainID, false)
	context := r.evm.Context
	context.BlockNumber = new(big.Int).SetUint64(r.world.Block.Number)
	context.Time = r.world.Block.Time
	random := r.world.Block.PrevRandao
	context.Random = &random
	machine := vm.NewEVM(context, db, config, vm.Config{ExtraEips: extra})
	for i, c := range seq {
		if c.BlockAdvance > 0 {
			context := &machine.Context
			context.BlockNumber.Add(context.BlockNumber, new(big.Int).SetUint64(c.BlockAdvance))
			random = crypto.Keccak256Hash(r.world.Block.PrevRandao[:], context.BlockNumber.FillBytes(make([]byte, 8)))
		}
		machine.Context.Time += c.TimeAdvance
		gas := c.Gas
		if gas == 0 {
			gas = evm.CallGas
		}
		to := &c.To
		if c.Create {
			to = nil
		}
		hash := common.Hash{31: byte(i + 1)}
		db.SetTxContext(hash, i, 0)
		machine.SetTxContext(vm.TxContext{Origin: c.From, GasPrice: new(uint256.Int)})
		db.Prepare(r.rules, c.From, context.Coinbase, to, vm.ActivePrecompiles(r.rules), nil)
		var (
			output []byte
			left   vm.GasBudget
			err    error
		)
		if c.Create {
			output, _, left, err = machine.Create(c.From, c.Data, vm.NewGasBudget(gas, 0), &c.Value)
		} else {
			db.SetNonce(c.From, db.GetNonce(c.From)+1, 0)
			output, left, err = machine.Call(c.From, c.To, c.Data, vm.NewGasBudget(gas, 0), &c.Value)
		}
		refund := db.GetRefund()
		db.Finalise(r.rules)
		var logs []string
		for _, l := range db.GetLogs(hash, 0, common.Hash{}, 0) {
			logs = append(logs, logText(l.Address, l.Topics, l.Data))
		}
		calls = append(calls, outcomeText(record.OutcomeOf(vm.VMErrorFromErr(err)), output, gas-left.ExecutionGas, refund, logs))
	}
	return calls, db
}

func logText(a common.Address, topics []common.Hash, data []byte) string {
	return fmt.Sprintf("%x %x %x", a, topics, data)
}

// lastingLogs are those of frames that succeeded with all their callers.
func lastingLogs(e *evm.Execution, c evm.CallResult) []string {
	var logs []string
	lasting := make([]bool, len(e.Frames))
	for i := c.Frames[0]; i < c.Frames[1]; i++ {
		f := &e.Frames[i]
		lasting[i] = f.Outcome == evm.Success && (f.Parent < 0 || lasting[f.Parent])
	}
	for i := c.Frames[0]; i < c.Frames[1]; i++ {
		if lasting[i] {
			for _, l := range e.Frames[i].Logs {
				logs = append(logs, logText(l.Address, l.Topics, l.Data))
			}
		}
	}
	return logs
}

// differ runs a random world and sequence on both and compares everything.
func differ(t testing.TB, seed uint64, fork string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	world, seq := evmtest.RandomWorld(rng, fork), evmtest.RandomSequence(rng)
	r, err := New(world, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, db := runGeth(t, r, seq)
	var got []string
	truncated := false
	for n := range seq { // call by call, to see each one's refund counter
		exec, err := r.Run(seq[:n+1])
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		c := exec.Calls[n]
		truncated = truncated || exec.Truncated
		got = append(got, outcomeText(c.Outcome, c.Output, c.GasUsed, r.state.refund, lastingLogs(exec, c)))
	}
	for i := range want {
		want[i], got[i] = sortLogs(want[i], truncated), sortLogs(got[i], truncated)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("seed %d, fork %s: calls differ (-go-ethereum +ours):\n%s", seed, fork, diff)
	}
	compareStates(t, seed, r, db)
}

// sortLogs makes the order of events not matter, since frames keep theirs apart;
// nor events at all when some were beyond the bounds.
func sortLogs(text string, drop bool) string {
	head, logs, _ := strings.Cut(text, "logs [")
	if drop {
		return head
	}
	parts := strings.Fields(strings.TrimSuffix(logs, "]"))
	slices.Sort(parts)
	return head + strings.Join(parts, " ")
}

func compareStates(t testing.TB, seed uint64, r *Reference, db *state.StateDB) {
	t.Helper()
	exported := r.Export()
	for _, address := range slices.SortedFunc(maps.Keys(r.state.accounts), common.Address.Cmp) {
		a := exported.Accounts[address]
		if exists := db.Exist(address); exists != (a != nil) {
			t.Fatalf("seed %d: %x exists %t in go-ethereum's state, %t in ours", seed, address, exists, a != nil)
		}
		if a == nil {
			continue
		}
		if !db.GetBalance(address).Eq(&a.Balance) || db.GetNonce(address) != a.Nonce || string(db.GetCode(address)) != string(a.Code) {
			t.Fatalf("seed %d: %x: balance %s nonce %d code %x, ours %s %d %x", seed, address,
				db.GetBalance(address), db.GetNonce(address), db.GetCode(address), &a.Balance, a.Nonce, a.Code)
		}
		for key := range r.state.accounts[address].storage {
			if want := db.GetState(address, key); want != a.Storage[key] {
				t.Fatalf("seed %d: %x slot %x = %x, ours %x", seed, address, key, want, a.Storage[key])
			}
		}
	}
}

func TestDifferential(t *testing.T) {
	for _, fork := range evm.Forks() {
		t.Run(fork, func(t *testing.T) {
			for seed := range uint64(300) {
				differ(t, seed, fork)
			}
		})
	}
}

func FuzzDifferential(f *testing.F) {
	f.Add(uint64(1), uint8(4))
	f.Fuzz(func(t *testing.T, seed uint64, fork uint8) {
		differ(t, seed, evm.Forks()[int(fork)%len(evm.Forks())])
	})
}

// TestRewind: a run gives the same whatever the machine ran before.
func TestRewind(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 4))
		world := evmtest.RandomWorld(rng, "")
		table := bytecode.NewTable(nil)
		used, err := New(world, table)
		if err != nil {
			t.Fatal(err)
		}
		seq := evm.Sequence{}
		for range 8 {
			// Sometimes keep a prefix.
			next := append(seq[:rng.IntN(len(seq)+1)].Clone(), evmtest.RandomSequence(rng)...)
			seq = next[:min(len(next), 6)]
			got, err := used.Run(seq)
			if err != nil {
				t.Fatal(err)
			}
			fresh, err := New(world, table)
			if err != nil {
				t.Fatal(err)
			}
			want, err := fresh.Run(seq)
			if err != nil {
				t.Fatal(err)
			}
			if len(want.Frames) > 200 {
				continue // thousands of frames take seconds to compare
			}
			if diff := cmp.Diff(want.Clone(), got.Clone(), executionOptions); diff != "" {
				t.Fatalf("seed %d: execution depends on earlier runs (-fresh +used):\n%s", seed, diff)
			}
			if diff := cmp.Diff(fresh.Export(), used.Export()); diff != "" {
				t.Fatalf("seed %d: state depends on earlier runs (-fresh +used):\n%s", seed, diff)
			}
		}
		if _, err := used.Run(nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(world, used.Export(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d: the World is not restored:\n%s", seed, diff)
		}
	}
}

// executionOptions compare programs by identity and treat nil and empty alike.
var executionOptions = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b *bytecode.Program) bool { return a == b }),
	cmpopts.IgnoreUnexported(evm.Execution{}, evm.CallResult{}),
}
