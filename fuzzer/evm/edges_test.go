package evm_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
)

// TestFarPlaces: memory and data at the end of all that 64 bits name, and beyond, cost and hold what go-ethereum says.
func TestFarPlaces(t *testing.T) {
	last := new(uint256.Int).SetUint64(math.MaxUint64)
	words := []*uint256.Int{uint256.NewInt(0), uint256.NewInt(1), uint256.NewInt(33), last, new(uint256.Int).SubUint64(last, 31), new(uint256.Int).SubUint64(last, 32),
		new(uint256.Int).AddUint64(last, 1), new(uint256.Int).AddUint64(last, 2), new(uint256.Int).SetAllOne()}
	w := evmtest.WorldOf(nil)
	w.Accounts[full] = &evm.Account{Nonce: 1, Code: []byte{byte(vm.STOP), 1, 2}}
	p := newPair(t, w, nil)
	outcomes := map[evm.Outcome]int{}
	for _, at := range words {
		for _, size := range words {
			for name, code := range map[string]*asm.Program{
				"KECCAK256":      asm.New().Push(size).Push(at).Op(vm.KECCAK256),
				"RETURN":         asm.New().Push(size).Push(at).Op(vm.RETURN),
				"LOG1":           asm.New().Push(5).Push(size).Push(at).Op(vm.LOG1),
				"CALLDATACOPY":   asm.New().Push(size).Push(1).Push(at).Op(vm.CALLDATACOPY),
				"CODECOPY from":  asm.New().Push(33).Push(at).Push(1).Op(vm.CODECOPY),
				"EXTCODECOPY":    asm.New().Push(size).Push(1).Push(at).Push(full).Op(vm.EXTCODECOPY),
				"MCOPY to":       asm.New().Push(size).Push(1).Push(at).Op(vm.MCOPY),
				"MCOPY from":     asm.New().Push(size).Push(at).Push(1).Op(vm.MCOPY),
				"RETURNDATACOPY": asm.New().Push(size).Push(at).Push(0).Op(vm.RETURNDATACOPY),
				"CREATE":         asm.New().Push(size).Push(at).Push(0).Op(vm.CREATE),
				"CALL with":      asm.New().Push(0).Push(0).Push(size).Push(at).Push(0).Push(full).Op(vm.GAS, vm.CALL),
				"CALL for":       asm.New().Push(size).Push(at).Push(0).Push(0).Push(0).Push(full).Op(vm.GAS, vm.CALL),
				"MLOAD":          asm.New().Push(at).Op(vm.MLOAD),
				"MSTORE":         asm.New().Push(size).Push(at).Op(vm.MSTORE),
				"MSTORE8":        asm.New().Push(size).Push(at).Op(vm.MSTORE8),
				"BLOCKHASH":      asm.New().Push(at).Op(vm.BLOCKHASH),
				"BLOBHASH":       asm.New().Push(at).Op(vm.BLOBHASH),
				"CALLDATALOAD":   asm.New().Push(at).Op(vm.CALLDATALOAD),
				"JUMP":           asm.New().Push(at).Op(vm.JUMP),
			} {
				init := code.Op(vm.MSIZE).Push(0).Op(vm.SSTORE, vm.STOP).Bytes()
				exec, err := p.run(evm.Sequence{{From: evmtest.RandomSender, Create: true, Address: place, Data: init}})
				if err != nil {
					t.Errorf("%s, %v bytes at %v: %v", name, size, at, err)
					continue
				}
				outcomes[exec.Calls[0].Outcome]++
			}
		}
	}
	if outcomes[evm.Success] < 100 || outcomes[evm.OutOfGas] < 100 || outcomes[evm.OtherFault] == 0 {
		t.Errorf("what comes of it is %v", outcomes)
	}
}

// TestDeepStacks: frames keep their words while those that they call have many of their own, as deep as calls go.
func TestDeepStacks(t *testing.T) {
	for _, words := range []int{1, 30, 1000} {
		p := asm.New()
		for i := range words {
			p.Push(i + 1)
		}
		p.Push(0).Push(0).Push(0).Push(0).Push(0).Op(vm.ADDRESS, vm.GAS, vm.CALL)
		for range words {
			p.Op(vm.ADD)
		}
		code := p.Push(0).Op(vm.SLOAD, vm.ADD).Push(0).Op(vm.SSTORE).Bytes()
		call := evm.Call{From: evmtest.RandomSender, To: evmtest.RandomContracts[0], Gas: 1 << 40}
		exec, err := newPair(t, evmtest.WorldOf(code), nil).run(evm.Sequence{call})
		if err != nil {
			t.Errorf("%d words: %v", words, err)
			continue
		}
		if depth := exec.Calls[0].Frames[1]; exec.Calls[0].Outcome != evm.Success || depth < 100 {
			t.Errorf("%d words: %v, %d frames", words, exec.Calls[0].Outcome, depth)
		}
	}
}

// TestLongCode: code without a jump in it runs to its end, however long, and as often as it is called; as does a loop whose body is long.
func TestLongCode(t *testing.T) {
	long := func(p *asm.Program) *asm.Program {
		return p.Append(bytes.Repeat([]byte{byte(vm.CALLDATASIZE), byte(vm.POP)}, 5000))
	}
	loop, start := long(asm.New()).Push(3).Jumpdest()
	long(loop).Push(1).Op(vm.SWAP1, vm.SUB, vm.DUP1).Push(start).Op(vm.JUMPI).Push(0).Op(vm.SLOAD).Push(1).Op(vm.ADD).Push(0).Op(vm.SSTORE)
	middle := long(asm.New())
	middle.Push(0).Op(vm.CALLDATALOAD).Push(12_000).Op(vm.ADD, vm.JUMP)
	jumps := append(middle.Bytes(), bytes.Repeat([]byte{byte(vm.JUMPDEST)}, 12_000)...)
	for name, code := range map[string][]byte{
		"without jumps":      long(asm.New()).Op(vm.MSIZE).Push(1).Op(vm.ADD).Push(0).Op(vm.SSTORE).Bytes(),
		"a loop":             loop.Bytes(),
		"jumps into the end": jumps,
	} {
		call := func(n byte) evm.Call {
			return evm.Call{From: evmtest.RandomSender, To: evmtest.RandomContracts[0], Data: common.LeftPadBytes([]byte{n}, 32)}
		}
		p := newPair(t, evmtest.WorldOf(code), nil)
		for _, gas := range []uint64{0, 30_000, 52_000, 60_000} {
			first := call(0)
			first.Gas = gas
			if _, err := p.run(evm.Sequence{first, call(200), call(100), call(1)}); err != nil {
				t.Errorf("%s, %d gas: %v", name, gas, err)
			}
		}
	}
}

// TestGasBetweenFunctions: functions that are called as solc calls them, with every amount of
// gas up to enough: each instruction fails once, some in memory that grows or in an access of
// storage, and blocks behind it are not entered.
func TestGasBetweenFunctions(t *testing.T) {
	const first, second, main = 4, 16, 26 // where the functions begin
	code := []byte{byte(vm.PUSH1), main, byte(vm.JUMP), byte(vm.INVALID)}
	for _, f := range [][]vm.OpCode{ // each is given where it returns to and a word
		{vm.JUMPDEST, vm.DUP1, vm.DUP1, vm.MSTORE, vm.DUP1, vm.DUP1, vm.JUMPDEST, vm.ADD, vm.MLOAD, vm.ADD, vm.SWAP1, vm.JUMP},
		{vm.JUMPDEST, vm.DUP1, vm.SLOAD, vm.ADD, vm.JUMPDEST, vm.DUP1, vm.MLOAD, vm.EXP, vm.SWAP1, vm.JUMP},
	} {
		for _, op := range f {
			code = append(code, byte(op))
		}
	}
	code = append(code, byte(vm.JUMPDEST))
	for i := range byte(3) {
		for _, f := range []byte{first, second} {
			back := byte(len(code)) + 7
			code = append(code, byte(vm.PUSH1), back, byte(vm.PUSH1), 50*i+f, byte(vm.PUSH1), f, byte(vm.JUMP), byte(vm.JUMPDEST))
		}
		code = append(code, byte(vm.ADD))
	}
	code = append(code, byte(vm.ADD), byte(vm.ADD), byte(vm.PUSH1), 7, byte(vm.SSTORE), byte(vm.STOP))
	p := newPair(t, evmtest.WorldOf(code), nil)
	ends := map[evm.Outcome]int{}
	for gas := uint64(1); gas < 60_000; gas++ {
		call := evm.Call{From: evmtest.RandomSender, To: evmtest.RandomContracts[0], Gas: gas}
		exec, err := p.run(evm.Sequence{call, call})
		if err != nil {
			t.Fatalf("%d gas: %v", gas, err)
		}
		ends[exec.Calls[0].Outcome]++
		if exec.Calls[0].Outcome == evm.Success {
			break
		}
	}
	if ends[evm.OutOfGas] < 1000 || ends[evm.Success] == 0 {
		t.Errorf("calls end with %v", ends)
	}
}

// TestTakenPlaces: a contract cannot be created where there is a nonce or code, and can where there is only ether, or nothing (EIP-684).
func TestTakenPlaces(t *testing.T) {
	init := asm.New().Push(9).Push(1).Op(vm.SSTORE).Push(1).Push(31).Op(vm.RETURN).Bytes()
	factory := evmtest.RandomContracts[0]
	created2 := crypto.CreateAddress2(factory, [32]byte{31: 7}, crypto.Keccak256(init))
	for name, c := range map[string]struct {
		there *evm.Account
		taken bool
	}{
		"nothing":      {nil, false},
		"ether":        {&evm.Account{Balance: *uint256.NewInt(5)}, false},
		"a nonce":      {&evm.Account{Nonce: 1}, true},
		"a byte":       {&evm.Account{Code: []byte{1}}, true},
		"code":         {&evm.Account{Code: []byte{1, 2, 3}}, true},
		"a contract":   {&evm.Account{Nonce: 1, Code: []byte{1, 2, 3}}, true},
		"a delegation": {&evm.Account{Nonce: 4, Code: append([]byte{0xef, 1, 0}, factory[:]...)}, true},
	} {
		for _, fork := range evm.Forks() {
			code := asm.New().Mstore(init, 0).Push(7).Push(len(init)).Push(0).Push(1).Op(vm.CREATE2).Push(0).Op(vm.SSTORE).
				Mstore(init, 0).Push(len(init)).Push(0).Push(1).Op(vm.CREATE).Push(2).Op(vm.SSTORE).Bytes()
			w := evmtest.WorldOf(code)
			w.Fork = fork
			w.Accounts[factory].Balance = *uint256.NewInt(10)
			if c.there != nil {
				w.Accounts[created2] = c.there
				w.Accounts[crypto.CreateAddress(factory, 2)] = c.there
				w.Accounts[place] = c.there
			}
			p := newPair(t, w, nil)
			exec, err := p.run(evm.Sequence{{From: evmtest.RandomSender, To: factory}, {From: evmtest.RandomSender, Create: true, Address: place, Data: init, Value: *uint256.NewInt(1)}})
			if err != nil {
				t.Errorf("%s, %s: %v", name, fork, err)
				continue
			}
			if got := exec.Calls[1].Outcome != evm.Success; got != c.taken {
				t.Errorf("%s, %s: it is taken: %t", name, fork, got)
			}
		}
	}
}

// TestLastNonce: an account with the greatest nonce creates nothing more (EIP-2681), and has it still.
func TestLastNonce(t *testing.T) {
	for _, nonce := range []uint64{math.MaxUint64, math.MaxUint64 - 1, math.MaxUint64 - 2} {
		w := evmtest.WorldOf(asm.New().Push(0).Push(0).Push(0).Op(vm.CREATE).Push(0).Op(vm.SSTORE).Push(5).Push(0).Push(0).Push(0).Op(vm.CREATE2).Push(1).Op(vm.SSTORE).Bytes())
		w.Accounts[evmtest.RandomContracts[0]].Nonce = nonce
		if _, err := newPair(t, w, nil).run(evm.Sequence{evmtest.CallWith()}); err != nil {
			t.Errorf("nonce %d: %v", nonce, err)
		}
	}
}

// TestEmptyAccounts: of empty accounts that a World has, those go that are touched, not those that others' payments pass by; and a word that is set from
// outside stays where nothing else is.
func TestEmptyAccounts(t *testing.T) {
	ripemd, other := common.BytesToAddress([]byte{3}), common.Address{0xe7}
	pay := func(to common.Address, gas any) *asm.Program {
		return asm.New().Push(0).Push(0).Push(0).Push(0).Push(0).Push(to).Push(gas).Op(vm.CALL)
	}
	for name, code := range map[string][]byte{
		"nothing":               asm.New().Op(vm.STOP).Bytes(),
		"RIPEMD-160":            pay(ripemd, 10_000).Bytes(),
		"RIPEMD-160, it fails":  pay(ripemd, 10).Bytes(),
		"RIPEMD-160, undone":    pay(ripemd, 10_000).Push(0).Push(0).Op(vm.REVERT).Bytes(),
		"another":               pay(other, 10_000).Bytes(),
		"another, undone":       pay(other, 10_000).Push(0).Push(0).Op(vm.REVERT).Bytes(),
		"one that is not there": pay(common.Address{0xe8}, 10_000).Bytes(),
		"an answer":             asm.New().Push(other).Op(vm.BALANCE, vm.POP).Push(ripemd).Op(vm.EXTCODEHASH, vm.POP).Bytes(),
	} {
		w := evmtest.WorldOf(code)
		w.Accounts[ripemd], w.Accounts[other] = &evm.Account{}, &evm.Account{}
		call := evmtest.CallWith()
		outside := evmtest.CallWith()
		outside.Overwrites = []evm.Overwrite{{Address: common.Address{0xe9}, Slot: *uint256.NewInt(1), Value: *uint256.NewInt(2)}}
		p := newPair(t, w, nil)
		for i, seq := range []evm.Sequence{{call}, {call, call}, {outside}, {call, outside, call}, {call}} {
			if _, err := p.run(seq); err != nil {
				t.Errorf("%s, sequence %d: %v", name, i, err)
			}
		}
	}
}

// TestStipends: a call that pays ether has 2,300 gas more, and all but a 64th can be handed on (EIP-150), to the last gas.
func TestStipends(t *testing.T) {
	inner := asm.New().Op(vm.GAS).Push(0).Op(vm.MSTORE).Push(32).Push(0).Op(vm.RETURN).Bytes()
	for _, given := range []uint64{0, 1, 100, 2300, 5000, 10_000, 63_000, math.MaxUint64} {
		for _, value := range []int{0, 1} {
			for _, kind := range []vm.OpCode{vm.CALL, vm.CALLCODE} {
				w := evmtest.WorldOf(asm.New().Push(32).Push(0).Push(0).Push(0).Push(value).Push(full).Push(new(uint256.Int).SetUint64(given)).Op(kind, vm.POP).Push(0).Op(vm.MLOAD).Push(0).Op(vm.SSTORE).Bytes())
				w.Accounts[evmtest.RandomContracts[0]].Balance = *uint256.NewInt(5)
				w.Accounts[full] = &evm.Account{Nonce: 1, Code: inner}
				p := newPair(t, w, nil)
				for gas := params.CallValueTransferGas + 20_000; gas < 90_000; gas += 6_413 {
					call := evmtest.CallWith()
					call.Gas = gas
					if _, err := p.run(evm.Sequence{call}); err != nil {
						t.Errorf("%v of %d with %d gas of %d: %v", kind, value, given, gas, err)
					}
				}
			}
		}
	}
}
