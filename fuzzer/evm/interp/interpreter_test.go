package interp

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/forks"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
)

// TestOpcodes holds the instruction sets to go-ethereum's own: which opcodes there
// are, and their stack and static gas. Of some the dynamic part is static here.
func TestOpcodes(t *testing.T) {
	static := map[vm.OpCode]uint64{vm.EXP: params.ExpGas}
	for n := range uint64(5) {
		static[vm.LOG0+vm.OpCode(n)] = params.LogGas + n*params.LogTopicGas
	}
	fields := []string{"Merge", "Shanghai", "Cancun", "Prague", "Osaka"}
	checked := 0
	for _, theirs := range vm.GenForks() {
		for fork, field := range fields {
			if field != theirs.Name {
				continue
			}
			checked++
			for op, info := range opcodeTable(fork) {
				want := theirs.Ops[op]
				want.Defined = want.Defined && vm.OpCode(op) != vm.INVALID // which they list
				if info.defined != want.Defined {
					t.Errorf("%s: %v is defined: %t", forks.Names[fork], vm.OpCode(op), info.defined)
				}
				if !want.Defined {
					continue
				}
				pops, grows := want.MinStack, int(params.StackLimit)-want.MaxStack
				gas := want.ConstantGas + static[vm.OpCode(op)]
				if int(info.pops) != pops || int(info.pushes)-int(info.pops) != grows || uint64(info.gas) != gas {
					t.Errorf("%s: %v is %+v, want %d words, %d more, %d gas", forks.Names[fork], vm.OpCode(op), info, pops, grows, gas)
				}
			}
		}
	}
	if checked != len(forks.Names) {
		t.Errorf("%d of %d forks were compared", checked, len(forks.Names))
	}
}

func fastAt(t *testing.T, code []byte) *Interpreter {
	t.Helper()
	m, err := New(evmtest.WorldOf(code), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustRunFast(t *testing.T, m *Interpreter, seq ...evm.Call) *evm.Execution {
	t.Helper()
	e, err := m.Run(seq)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// broken is a precompiled contract that is broken.
type broken struct{}

func (broken) RequiredGas([]byte) uint64  { return 0 }
func (broken) Run([]byte) ([]byte, error) { panic("broken") }
func (broken) Name() string               { return "broken" }

// TestInterpreterPanic: what goes wrong inside is an error that names the call.
func TestInterpreterPanic(t *testing.T) {
	sha := common.BytesToAddress([]byte{2})
	m := fastAt(t, asm.New().Call(nil, sha.Bytes(), 0, 0, 0, 0, 0).Bytes())
	want := mustRunFast(t, m, evmtest.CallWith(), evmtest.CallWith()).PathID()
	mustRunFast(t, m) // nothing is left to undo
	m.ledger.find(&sha).precompile = broken{}
	_, err := m.Run(evm.Sequence{{From: evmtest.RandomSender, To: evmtest.Nobody}, evmtest.CallWith()})
	if err == nil || !strings.Contains(err.Error(), "call 1 of 2: panic: broken") {
		t.Fatalf("error %v", err)
	}
	if got := mustRunFast(t, m, evmtest.CallWith(), evmtest.CallWith()).PathID(); got != want {
		t.Error("the machine is not usable after a panic")
	}
}

// TestIdle: what a run of hostile code has grown is let go by the next.
func TestIdle(t *testing.T) {
	self := evmtest.RandomContracts[0].Bytes()
	deep := asm.New().Call(nil, self, 0, 0, 0, 0, 0).Bytes()
	m := fastAt(t, deep)
	mustRunFast(t, m, evmtest.CallWith())
	if len(m.frames) < 100 {
		t.Fatalf("%d frames: the call was not deep", len(m.frames))
	}
	mustRunFast(t, m, evm.Call{From: evmtest.RandomSender, To: evmtest.Nobody})
	if len(m.frames) > record.MaxIdleFrames || len(m.rec.Open) != len(m.frames) {
		t.Errorf("%d and %d frames are kept", len(m.frames), len(m.rec.Open))
	}

	m = fastAt(t, asm.New().Push(1).Push(1<<20).Op(vm.MSTORE).Bytes())
	mustRunFast(t, m, evmtest.CallWith())
	if size := cap(m.frames[0].memory); size > maxIdleMemory {
		t.Errorf("%d bytes of memory are kept", size)
	}

	m = fastAt(t, evmtest.Loop(func(p *asm.Program) { p.Push(0).Op(vm.CALLDATALOAD, vm.GAS, vm.ADD, vm.SLOAD, vm.POP) }))
	most := 0
	for i := range byte(8) {
		mustRunFast(t, m, evmtest.CallWith(make([]byte, i)...), evmtest.CallWith(1, i)) // other words than before
		most = max(most, m.ledger.cells.used)
		mustRunFast(t, m)
		if m.ledger.cells.used > maxCachedSlots || cap(m.ledger.journal) > maxIdleJournal {
			t.Errorf("%d slots, a journal of %d are kept", m.ledger.cells.used, cap(m.ledger.journal))
		}
	}
	if most <= maxCachedSlots {
		t.Errorf("only %d slots were read", most)
	}
}

// TestDecodings: decodings of codes that never come again are let go, and blocks
// are covered once all the same.
func TestDecodings(t *testing.T) {
	// Deploys code that holds the gas that is left, so that it is new each time.
	p := asm.New().Op(vm.GAS).Push(0).Op(vm.MSTORE).Push(20_000).Push(0).Op(vm.RETURN)
	init := p.Bytes()
	code := evmtest.Loop(func(p *asm.Program) {
		p.Mstore(init, 0).Op(vm.GAS).Push(len(init)).Op(vm.MSTORE).
			Push(len(init)+32).Push(0).Push(0).Op(vm.CREATE).
			Push(0).Push(0).Push(0).Push(0).Push(0).Op(vm.DUP6, vm.GAS, vm.CALL, vm.POP, vm.POP)
	})
	m := fastAt(t, code)
	seen := 0
	for range 40 {
		mustRunFast(t, m, evmtest.CallWith())
		seen += m.codeBytes
		mustRunFast(t, m)
		if m.codeBytes > m.codeLimit {
			t.Fatalf("%d bytes of code are kept decoded", m.codeBytes)
		}
	}
	if seen <= m.codeLimit {
		t.Errorf("only %d bytes of code were decoded", seen)
	}
}

// TestLargeWorld: the code of a World stays decoded, however much it is.
func TestLargeWorld(t *testing.T) {
	w := evmtest.WorldOf(nil)
	// More than the bound on other code, in contracts that are all called.
	var seq evm.Sequence
	for i := range maxDecoded/100_000 + 2 {
		a := common.BytesToAddress([]byte{0xaa, byte(i)})
		code := append(asm.New().Push(i).Op(vm.STOP).Bytes(), make([]byte, 100_000)...)
		w.Accounts[a] = &evm.Account{Nonce: 1, Code: code}
		seq = append(seq, evm.Call{From: evmtest.RandomSender, To: a})
	}
	m, err := New(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustRunFast(t, m, seq...)
	if m.codeBytes <= maxDecoded {
		t.Fatalf("only %d bytes of code ran", m.codeBytes)
	}
	if n := m.shared(seq); n != len(seq) {
		t.Errorf("%d of %d calls are not run again", n, len(seq))
	}
	before := m.generation
	mustRunFast(t, m)
	if m.generation != before {
		t.Error("the World's code was forgotten")
	}
}

// TestLedgerWords: keys that share their place in a table do not meet.
func TestLedgerWords(t *testing.T) {
	l := newLedger(&evm.World{Accounts: map[common.Address]*evm.Account{}}, nil)
	e := l.find(&evmtest.Nobody)
	for i := range uint64(3000) {
		key := uint256.Int{i % 50, i / 50, i % 7, 0}
		l.store(e, l.cell(e, &key), &uint256.Int{i + 1})
	}
	for i := range uint64(3000) {
		key := uint256.Int{i % 50, i / 50, i % 7, 0}
		if got := l.cell(e, &key).value; got != (uint256.Int{i + 1}) {
			t.Fatalf("key %v holds %v, want %d", key, got, i+1)
		}
	}
	l.revert(0)
	for i := range uint64(3000) {
		key := uint256.Int{i % 50, i / 50, i % 7, 0}
		if got := l.cell(e, &key).value; !got.IsZero() {
			t.Fatalf("key %v holds %v after all was undone", key, got)
		}
	}
}
