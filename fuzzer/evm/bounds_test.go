package evm_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// at is a pair of machines on a World with code where random ones have their first contract.
func at(t testing.TB, code []byte, opts ...evm.Option) *pair {
	t.Helper()
	return newPair(t, evmtest.WorldOf(code), nil, opts...)
}

// mustRun runs the calls on the reference, and sees to it that the interpreter
// yields the same.
func mustRun(t testing.TB, p *pair, seq ...evm.Call) *evm.Execution {
	t.Helper()
	e, err := p.run(seq)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestOutcomes(t *testing.T) {
	self := evmtest.RandomContracts[0].Bytes()
	for name, tc := range map[string]struct {
		code  []byte
		want  evm.Outcome // of the call
		inner evm.Outcome // of the last frame inside; the same when there is none
	}{
		"stop":         {asm.New().Op(vm.STOP).Bytes(), evm.Success, evm.Success},
		"end of code":  {asm.New().Push(1).Bytes(), evm.Success, evm.Success},
		"revert":       {asm.New().Push(0).Push(0).Op(vm.REVERT).Bytes(), evm.Reverted, evm.Reverted},
		"loop":         {evmtest.Loop(func(*asm.Program) {}), evm.OutOfGas, evm.OutOfGas},
		"memory":       {asm.New().Push(0).Push(1 << 40).Op(vm.MSTORE).Bytes(), evm.OutOfGas, evm.OutOfGas},
		"invalid":      {asm.New().Op(vm.INVALID).Bytes(), evm.InvalidOpcode, evm.InvalidOpcode},
		"undefined":    {asm.New().Op(0xef).Bytes(), evm.InvalidOpcode, evm.InvalidOpcode},
		"jump":         {asm.New().Jump(77).Bytes(), evm.InvalidJump, evm.InvalidJump},
		"underflow":    {asm.New().Op(vm.ADD).Bytes(), evm.StackFault, evm.StackFault},
		"overflow":     {evmtest.Loop(func(p *asm.Program) { p.Push(1) }), evm.StackFault, evm.StackFault},
		"return data":  {asm.New().Push(9).Push(0).Push(0).Op(vm.RETURNDATACOPY).Bytes(), evm.OtherFault, evm.OtherFault},
		"poor":         {asm.New().Call(nil, evmtest.Nobody.Bytes(), 5, 0, 0, 0, 0).Bytes(), evm.Success, evm.InsufficientBalance},
		"poor create":  {asm.New().Push(0).Push(0).Push(5).Op(vm.CREATE).Bytes(), evm.Success, evm.InsufficientBalance},
		"static write": {asm.New().Op(vm.CALLDATASIZE).Push(11).Op(vm.JUMPI).Sstore(1, 1).Op(vm.STOP, vm.STOP, vm.JUMPDEST).StaticCall(nil, self, 0, 0, 0, 0).Bytes(), evm.Success, evm.StaticViolation},
		"bad point":    {asm.New().Call(uint256.NewInt(9000), common.BytesToAddress([]byte{8}).Bytes(), 0, 0, 5, 0, 0).Bytes(), evm.Success, evm.OutOfGas},
	} {
		t.Run(name, func(t *testing.T) {
			data := []byte{}
			if name == "static write" {
				data = []byte{1}
			}
			e := mustRun(t, at(t, tc.code), evmtest.CallWith(data...))
			if got := e.Calls[0].Outcome; got != tc.want {
				t.Errorf("outcome %v, want %v", got, tc.want)
			}
			if got := e.Frames[len(e.Frames)-1].Outcome; got != tc.inner {
				t.Errorf("inner outcome %v, want %v", got, tc.inner)
			}
		})
	}
}

// TestBounds runs contracts that try to exhaust memory; what they do is recorded
// up to the bounds, and the identifier and coverage tell on.
func TestBounds(t *testing.T) {
	self := evmtest.RandomContracts[0].Bytes()
	for name, code := range map[string][]byte{
		"calls":     evmtest.Loop(func(p *asm.Program) { p.Call(uint256.NewInt(200), self, 0, 0, 0, 0, 0).Op(vm.POP) }),
		"recursion": asm.New().Call(nil, self, 0, 0, 0, 0, 0).Call(nil, self, 0, 0, 0, 0, 0).Bytes(),
		"storage":   evmtest.Loop(func(p *asm.Program) { p.Push(1).Op(vm.SLOAD, vm.POP) }),
		"logs":      evmtest.Loop(func(p *asm.Program) { p.Push(1000).Push(0).Op(vm.LOG0) }),
		"branches":  evmtest.Loop(func(p *asm.Program) { p.Push(0).Push(0).Op(vm.LT).Push(0).Op(vm.JUMPI) }),
		"hashes":    evmtest.Loop(func(p *asm.Program) { p.Op(vm.GAS).Push(0).Op(vm.MSTORE).Push(32).Push(0).Op(vm.KECCAK256, vm.POP) }),
		"inputs": evmtest.Loop(func(p *asm.Program) {
			p.StaticCall(uint256.NewInt(100), evmtest.Nobody.Bytes(), 0, 500_000, 0, 0).Op(vm.POP)
		}),
		"deployments": evmtest.Loop(func(p *asm.Program) { p.Push(32).Push(0).Push(0).Op(vm.CREATE, vm.POP) }),
	} {
		t.Run(name, func(t *testing.T) {
			r := at(t, code)
			e := mustRun(t, r, evmtest.CallWith(), evmtest.CallWith(), evmtest.CallWith())
			comparisons, blocks, accesses, logs, size := 0, 0, 0, 0, 0
			cut := e.Truncated
			for i := range e.Frames {
				f := &e.Frames[i]
				cut = cut || f.PathTruncated
				comparisons += len(f.Comparisons)
				blocks += len(f.Path)
				accesses += len(f.Storage)
				logs += len(f.Logs)
				size += len(f.Input)
			}
			if len(e.Frames) > record.MaxFrames+3 || comparisons > record.MaxComparisons || blocks > record.MaxPathBlocks || accesses > record.MaxAccesses || logs > record.MaxLogs || size > record.MaxBytes {
				t.Errorf("beyond the bounds: %d frames, %d comparisons, %d blocks, %d accesses, %d logs, %d bytes", len(e.Frames), comparisons, blocks, accesses, logs, size)
			}
			if !cut && name != "deployments" {
				t.Error("nothing tells that something is missing")
			}
			if len(e.Covered) == 0 {
				t.Error("nothing covered")
			}
		})
	}
}

// bigInit is creation code that returns so many zero bytes, headed by a byte.
func bigInit(head byte, size int) []byte {
	return asm.New().Push(head).Push(0).Op(vm.MSTORE8).Push(size).Push(0).Op(vm.RETURN).Bytes()
}

func TestCodeSize(t *testing.T) {
	nested := func(init []byte, size int) []byte {
		return asm.New().Mstore(init, 0).Push(size).Push(0).Push(0).Op(vm.CREATE).Push(0).Op(vm.SSTORE).Bytes()
	}
	small, large := bigInit(0, params.MaxCodeSize), bigInit(0, 30_000)
	for _, fork := range evm.Forks() {
		for name, tc := range map[string]struct {
			init         []byte
			size         int // of the creation code, padded
			length       int // of what is deployed
			plain, large evm.Outcome
		}{
			"at the limit":       {small, len(small), params.MaxCodeSize, evm.Success, evm.Success},
			"large":              {large, len(large), 30_000, evm.CreateFault, evm.Success},
			"large, reserved":    {bigInit(0xef, 30_000), len(large), 0, evm.CreateFault, evm.CreateFault},
			"large, unpayable":   {bigInit(0, 90_000), len(large) + 1, 0, evm.OutOfGas, evm.OutOfGas},
			"large creation":     {small, params.MaxInitCodeSize + 1, params.MaxCodeSize, evm.OutOfGas, evm.Success},
			"both large, nested": {large, params.MaxInitCodeSize + 1, 30_000, evm.OutOfGas, evm.Success},
		} {
			for _, lifted := range []bool{false, true} {
				var opts []evm.Option
				want := tc.plain
				if lifted {
					opts, want = []evm.Option{evm.LiftCodeSizeLimits}, tc.large
				}
				if fork == "paris" && tc.size > params.MaxInitCodeSize && !lifted {
					want = evm.Success // EIP-3860 is newer
					if tc.length > params.MaxCodeSize {
						want = evm.CreateFault
					}
				}
				w := evmtest.WorldOf(nested(tc.init, tc.size))
				w.Fork = fork
				r := newPair(t, w, nil, opts...)
				e := mustRun(t, r, evmtest.CallWith())
				got := e.Calls[0].Outcome
				if len(e.Frames) > 1 {
					got = e.Frames[1].Outcome
				}
				if got != want {
					t.Errorf("%s, %s, lifted %t: %v, want %v", fork, name, lifted, got, want)
				}
				if want == evm.Success {
					f := &e.Frames[1]
					if size := len(r.reference.Export().Accounts[f.Self].Code); len(f.Output) != tc.length || size != tc.length {
						t.Errorf("%s, %s: deployed %d bytes, output has %d, want %d", fork, name, size, len(f.Output), tc.length)
					}
				}
				// The same as a deployment call of its own.
				init := append(tc.init, make([]byte, tc.size-len(tc.init))...)
				top := mustRun(t, r, evm.Call{From: evmtest.RandomSender, Create: true, Address: evmtest.Nobody, Data: init})
				if tc.size > params.MaxInitCodeSize && want == evm.OutOfGas {
					want = evm.CreateFault // a transaction with it would not be valid
				}
				if got := top.Calls[0].Outcome; got != want {
					t.Errorf("%s, %s, lifted %t: deployment call: %v, want %v", fork, name, lifted, got, want)
				}
			}
		}
	}
}

// TestReleaseSize: code that is too long only in the build at hand is deployed, and no other.
func TestReleaseSize(t *testing.T) {
	for _, fork := range evm.Forks() {
		for _, test := range []struct {
			release  int // bytes of the code
			size     int // of the code that is deployed
			creation int // of the creation code
			want     evm.Outcome
		}{
			{0, 30_000, 100, evm.CreateFault},
			{20_000, 30_000, 100, evm.Success},
			{bytecode.MaxRuntime, 30_000, bytecode.MaxCreation + 1, evm.Success},
			{bytecode.MaxRuntime + 1, 30_000, 100, evm.CreateFault},
			{bytecode.SizeUnknown, 30_000, 100, evm.Success},
			{20_000, 30_001, 100, evm.CreateFault}, // not the artifact
		} {
			init := bigInit(0, test.size)
			init = append(init, make([]byte, test.creation-len(init))...)
			c := &bytecode.Contract{Name: "C",
				Creation: &bytecode.Code{Kind: bytecode.Creation, Bytes: init, Released: min(test.release, len(init))},
				Runtime:  &bytecode.Code{Kind: bytecode.Runtime, Bytes: make([]byte, 30_000), Released: test.release}}
			create := asm.New().Push(len(init)).Push(0).Push(0).Op(vm.CALLDATACOPY).Push(len(init)).Push(0).Push(0).Op(vm.CREATE).
				Push(0).Op(vm.SSTORE).Bytes()
			w := evmtest.WorldOf(create)
			w.Fork = fork
			r := newPair(t, w, bytecode.NewTable([]*bytecode.Contract{c}))
			nested := evmtest.CallWith()
			nested.Data = init
			for name, call := range map[string]evm.Call{"nested": nested, "transaction": {From: evmtest.RandomSender, Create: true, Address: evmtest.Nobody, Data: init}} {
				e := mustRun(t, r, call)
				if got := e.Frames[len(e.Frames)-1].Outcome; got != test.want {
					t.Errorf("%s, %+v, %s: %v", fork, test, name, got)
				}
			}
		}
	}
}

// TestLiftedGas: lifting the limits changes no gas.
func TestLiftedGas(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 5))
		world, seq := evmtest.RandomWorld(rng, evm.Forks()[seed%5]), evmtest.RandomSequence(rng)
		plain, lifted := newPair(t, world, nil), newPair(t, world, nil, evm.LiftCodeSizeLimits)
		a, b := mustRun(t, plain, seq...), mustRun(t, lifted, seq...)
		for i := range a.Calls {
			if a.Calls[i].GasUsed != b.Calls[i].GasUsed || a.Calls[i].Outcome != b.Calls[i].Outcome {
				t.Fatalf("seed %d, call %d: %v with %d gas, lifted %v with %d", seed, i,
					a.Calls[i].Outcome, a.Calls[i].GasUsed, b.Calls[i].Outcome, b.Calls[i].GasUsed)
			}
		}
	}
}

// TestBlockEnvironment: calls share a block until an advance moves it on, and
// going back moves it back.
func TestBlockEnvironment(t *testing.T) {
	code := asm.New().Op(vm.NUMBER).Push(0).Op(vm.MSTORE, vm.TIMESTAMP).Push(32).Op(vm.MSTORE, vm.PREVRANDAO).Push(64).Op(vm.MSTORE).
		Return(0, 96).Bytes()
	r := at(t, code)
	later := evmtest.CallWith()
	later.TimeAdvance, later.BlockAdvance = 10, 2
	e := mustRun(t, r, evmtest.CallWith(), later, evmtest.CallWith())
	word := func(call, i int) uint64 {
		return new(uint256.Int).SetBytes(e.Calls[call].Output[32*i : 32*i+32]).Uint64()
	}
	if n := word(1, 0) - word(0, 0); n != 2 {
		t.Errorf("the number moved by %d", n)
	}
	if n := word(1, 1) - word(0, 1); n != 10 {
		t.Errorf("the time moved by %d", n)
	}
	if word(1, 2) == word(0, 2) || word(2, 2) != word(1, 2) || word(2, 0) != word(1, 0) {
		t.Errorf("outputs %x, %x, %x", e.Calls[0].Output, e.Calls[1].Output, e.Calls[2].Output)
	}
	first := string(e.Calls[0].Output)
	never := evmtest.CallWith()
	never.TimeAdvance, never.BlockAdvance = ^uint64(0), ^uint64(0)
	if e = mustRun(t, r, never, never); word(1, 1) != ^uint64(0) {
		t.Errorf("the time is %d after huge advances", word(1, 1))
	}
	if e = mustRun(t, r, evmtest.CallWith(0)); string(e.Calls[0].Output) != first {
		t.Error("the block is not the World's again")
	}
}

// TestDefaultFork notices when go-ethereum schedules a newer fork for mainnet.
func TestDefaultFork(t *testing.T) {
	if c := params.MainnetChainConfig; c.OsakaTime == nil || c.AmsterdamTime != nil || c.BogotaTime != nil {
		t.Error("the newest fork scheduled for mainnet is not " + evm.DefaultFork + " any more")
	}
}
