package evm

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
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// The accounts of random worlds: three contracts with random code, and a sender.
var (
	randomContracts = []common.Address{{0xc0, 1}, {0xc0, 2}, {0xc0, 3}}
	randomSender    = common.Address{0x5e, 1}
	nobody          = common.Address{0x0b, 1}
)

// randomCode is mostly valid code over few slots and accounts, so that what one
// instruction does is seen by another.
func randomCode(rng *rand.Rand, depth int) []byte {
	p := asm.New()
	for range 1 + rng.IntN(12) {
		randomSnippet(rng, p, depth)
	}
	return p.Bytes()
}

// randomTarget is an address to call or ask about; zero to nine and 0x100 are
// precompiles.
func randomTarget(rng *rand.Rand) common.Address {
	switch rng.IntN(5) {
	case 0:
		return common.BytesToAddress([]byte{byte(rng.IntN(19))})
	case 1:
		return nobody
	case 2:
		return randomSender
	}
	return randomContracts[rng.IntN(len(randomContracts))]
}

func randomSnippet(rng *rand.Rand, p *asm.Program, depth int) {
	slot := rng.IntN(4)
	size := rng.IntN(3) * 32
	switch rng.IntN(24) {
	case 0, 1, 2:
		p.Sstore(slot, rng.IntN(3))
	case 3:
		p.Push(slot).Op(vm.SLOAD).Push(1).Op(vm.ADD).Push(slot).Op(vm.SSTORE)
	case 4:
		p.Tstore(slot, rng.IntN(3))
	case 5:
		p.Push(slot).Op(vm.TLOAD).Push(slot).Op(vm.SSTORE)
	case 6, 7:
		randomCall(rng, p)
		p.Push(slot).Op(vm.SSTORE) // its success
	case 8:
		p.Op(vm.RETURNDATASIZE).Push(slot).Op(vm.SSTORE)
	case 9:
		if depth > 0 {
			p.Create2(randomInit(rng, depth-1), rng.IntN(2)).Push(slot).Op(vm.SSTORE)
		}
	case 10:
		if depth > 0 {
			code := randomInit(rng, depth-1)
			p.Mstore(code, 0).Push(len(code)).Push(0).Push(rng.IntN(2)).Op(vm.CREATE).Push(slot).Op(vm.SSTORE)
		}
	case 11:
		if rng.IntN(4) == 0 {
			p.Selfdestruct(randomTarget(rng).Bytes())
		}
	case 12:
		topics := rng.IntN(5)
		for range topics {
			p.Push(rng.IntN(9))
		}
		p.Push(size).Push(rng.IntN(64)).Op(vm.LOG0 + vm.OpCode(topics))
	case 13:
		if rng.IntN(3) == 0 {
			p.Push(size).Push(0).Op([]vm.OpCode{vm.REVERT, vm.RETURN}[rng.IntN(2)])
		}
	case 14:
		ops := []vm.OpCode{vm.BALANCE, vm.EXTCODEHASH, vm.EXTCODESIZE}
		p.Push(randomTarget(rng).Bytes()).Op(ops[rng.IntN(len(ops))]).Push(slot).Op(vm.SSTORE)
	case 15:
		ops := []vm.OpCode{vm.SELFBALANCE, vm.TIMESTAMP, vm.NUMBER, vm.PREVRANDAO, vm.GAS, vm.BASEFEE, vm.CHAINID, vm.COINBASE,
			vm.GASLIMIT, vm.CALLVALUE, vm.CALLER, vm.ORIGIN, vm.ADDRESS, vm.CALLDATASIZE, vm.CODESIZE, vm.MSIZE, vm.BLOBBASEFEE}
		p.Op(ops[rng.IntN(len(ops))]).Push(slot).Op(vm.SSTORE)
	case 16:
		p.Push(0).Op(vm.CALLDATALOAD).Push(rng.IntN(3)).Op(vm.LT)
		p.Push(p.Size()+8).Op(vm.JUMPI, vm.GAS, vm.POP, vm.GAS, vm.POP, vm.JUMPDEST)
	case 17:
		p.Push(64).Push(size).Op(vm.KECCAK256).Op(vm.SLOAD).Push(slot).Op(vm.SSTORE)
	case 18:
		p.Op(vm.NUMBER).Push(1+rng.IntN(3)).Op(vm.SWAP1, vm.SUB, vm.BLOCKHASH).Push(slot).Op(vm.SSTORE)
	case 19:
		p.ExtcodeCopy(randomTarget(rng).Bytes(), size, 0, 40)
	case 20:
		if rng.IntN(6) == 0 {
			p.Op(vm.OpCode(rng.IntN(256)))
		}
	case 21:
		p.Push(rng.IntN(100)).Op(vm.DUP1, vm.MUL).Push(size).Op(vm.MSTORE)
	case 22:
		p.Push(32).Push(size).Push(0).Op(vm.MCOPY)
	case 23:
		p.Push(rng.Uint64()).Op(vm.CLZ).Push(slot).Op(vm.SSTORE)
	}
}

// randomInit is creation code that runs something and returns something.
func randomInit(rng *rand.Rand, depth int) []byte {
	p := asm.New()
	for range rng.IntN(4) {
		randomSnippet(rng, p, depth)
	}
	if code := randomCode(rng, 0); rng.IntN(4) > 0 && len(code) < 200 {
		p.ReturnViaCodeCopy(code)
	}
	return p.Bytes()
}

func randomCall(rng *rand.Rand, p *asm.Program) {
	to := randomTarget(rng).Bytes()
	var gas *uint256.Int // nil: all there is
	if rng.IntN(3) == 0 {
		gas = uint256.NewInt(rng.Uint64N(30_000))
	}
	in, out := rng.IntN(3)*32, rng.IntN(2)*32
	switch rng.IntN(5) {
	case 0:
		p.DelegateCall(gas, to, 0, in, 0, out)
	case 1:
		p.StaticCall(gas, to, 0, in, 0, out)
	case 2:
		p.CallCode(gas, to, rng.IntN(2), 0, in, 0, out)
	default:
		p.Call(gas, to, rng.IntN(2)*rng.IntN(3), 0, in, 0, out)
	}
}

func randomWorld(rng *rand.Rand, fork string) *World {
	w := &World{Accounts: map[common.Address]*Account{}, Block: DefaultBlock(), Fork: fork}
	for _, a := range randomContracts {
		w.Accounts[a] = &Account{
			Nonce: 1, Balance: *uint256.NewInt(rng.Uint64N(4)), Code: randomCode(rng, 2),
			Storage: map[common.Hash]common.Hash{{}: {31: 1}, {31: 1}: {31: byte(rng.IntN(3))}},
		}
		if w.Accounts[a].Storage[common.Hash{31: 1}] == (common.Hash{}) {
			delete(w.Accounts[a].Storage, common.Hash{31: 1})
		}
	}
	w.Accounts[randomSender] = &Account{Balance: *uint256.NewInt(1000)}
	return w
}

func randomSequence(rng *rand.Rand) Sequence {
	var seq Sequence
	for i := range 1 + rng.IntN(4) {
		c := Call{From: randomSender, To: randomContracts[rng.IntN(len(randomContracts))], Data: make([]byte, rng.IntN(3)*32)}
		for i := range c.Data {
			c.Data[i] = byte(rng.IntN(2))
		}
		c.Value.SetUint64(rng.Uint64N(3) * rng.Uint64N(2))
		switch rng.IntN(4) {
		case 0:
			c.Gas = 1 + rng.Uint64N(100_000)
		case 1:
			c.TimeAdvance, c.BlockAdvance = rng.Uint64N(100), rng.Uint64N(5)
		}
		if rng.IntN(5) == 0 {
			c.Create, c.Data = true, randomInit(rng, 2)
			c.Address = crypto.CreateAddress(randomSender, uint64(i)) // as geth derives it
		}
		seq = append(seq, c)
	}
	return seq
}

// outcomeText is what both executors must agree on about one call.
func outcomeText(outcome Outcome, output []byte, gas, refund uint64, logs []string) string {
	return fmt.Sprintf("%v output %x gas %d refund %d logs %v", outcome, output, gas, refund, logs)
}

// runGeth runs the sequence on go-ethereum with its own state and without hooks.
func runGeth(t testing.TB, r *Reference, seq Sequence) (calls []string, db *state.StateDB) {
	t.Helper()
	db = gethState(t, r.world)
	config, extra := chainConfig(r.fork, ChainID, false)
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
			gas = CallGas
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
		calls = append(calls, outcomeText(outcomeOf(vm.VMErrorFromErr(err)), output, gas-left.ExecutionGas, refund, logs))
	}
	return calls, db
}

func logText(a common.Address, topics []common.Hash, data []byte) string {
	return fmt.Sprintf("%x %x %x", a, topics, data)
}

// lastingLogs are those of frames that succeeded with all their callers.
func lastingLogs(e *Execution, c CallResult) []string {
	var logs []string
	lasting := make([]bool, len(e.Frames))
	for i := c.Frames[0]; i < c.Frames[1]; i++ {
		f := &e.Frames[i]
		lasting[i] = f.Outcome == Success && (f.Parent < 0 || lasting[f.Parent])
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
	world, seq := randomWorld(rng, fork), randomSequence(rng)
	r, err := NewReference(world, nil)
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
	for _, fork := range Forks() {
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
		differ(t, seed, forks[int(fork)%len(forks)])
	})
}

// TestRewind: a run gives the same whatever the machine ran before.
func TestRewind(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 4))
		world := randomWorld(rng, "")
		used, err := NewReference(world, nil)
		if err != nil {
			t.Fatal(err)
		}
		seq := Sequence{}
		for range 8 {
			// Sometimes keep a prefix.
			next := append(seq[:rng.IntN(len(seq)+1)].Clone(), randomSequence(rng)...)
			seq = next[:min(len(next), 6)]
			got, err := used.Run(seq)
			if err != nil {
				t.Fatal(err)
			}
			fresh, err := NewReference(world, used.rec.programs.table)
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
	cmpopts.IgnoreUnexported(CallResult{}),
}
