package evm_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
)

// Accounts that code of TestPrices asks about or calls.
var (
	full      = common.Address{0xf0, 1} // has code and ether
	empty     = common.Address{0xe0, 1} // is not there
	delegated = common.Address{0xd0, 1} // runs the code of full (EIP-7702)
	poor      = common.Address{0xb0, 1} // has a nonce only
	identity  = common.BytesToAddress([]byte{4})
)

// priced are pieces of code whose price depends on more than the instruction.
func priced() map[string][]byte {
	all := map[string][]byte{}
	op := func(name string, o vm.OpCode, operands ...any) { // the last operand is on top
		p := asm.New()
		for _, x := range operands {
			p.Push(x)
		}
		all[name] = p.Op(o).Bytes()
	}
	for name, exponent := range map[string]any{"0": 0, "of a byte": 255, "of two": 256, "of 32": common.MaxHash.Big()} {
		op("EXP "+name, vm.EXP, exponent, 3)
	}
	for name, size := range map[string]int{"nothing": 0, "a byte": 1, "a word": 32, "a word and a byte": 33, "much": 5000} {
		op("KECCAK256 of "+name, vm.KECCAK256, size, 7)
		op("RETURN of "+name, vm.RETURN, size, 7)
		op("REVERT of "+name, vm.REVERT, size, 7)
		op("LOG0 of "+name, vm.LOG0, size, 7)
		op("LOG3 of "+name, vm.LOG3, 1, 2, 3, size, 7)
		for _, o := range []vm.OpCode{vm.CALLDATACOPY, vm.CODECOPY, vm.MCOPY} {
			op(o.String()+" of "+name, o, size, 1, 7)
			op(o.String()+" from afar of "+name, o, size, 3000, 7)
		}
		op("RETURNDATACOPY of "+name, vm.RETURNDATACOPY, size, 0, 7)
		op("EXTCODECOPY of "+name, vm.EXTCODECOPY, size, 1, 7, full.Bytes())
		op("CREATE of "+name, vm.CREATE, size, 0, 0)
		op("CREATE2 of "+name, vm.CREATE2, 5, size, 0, 0)
		op("CREATE with ether of "+name, vm.CREATE, size, 0, 3)
	}
	for name, at := range map[string]any{"at 0": 0, "at the end of a word": 31, "in the second word": 32, "far": 100_000, "at 724 words": 724 * 32, "too far": 1 << 38, "nowhere": common.MaxHash.Big()} {
		op("MLOAD "+name, vm.MLOAD, at)
		op("MSTORE "+name, vm.MSTORE, 9, at)
		op("MSTORE8 "+name, vm.MSTORE8, 9, at)
		op("KECCAK256 "+name, vm.KECCAK256, 1, at)
		op("KECCAK256 of nothing "+name, vm.KECCAK256, 0, at)
	}
	all["MSTORE twice"] = asm.New().Push(9).Push(100).Op(vm.MSTORE).Push(9).Push(200).Op(vm.MSTORE).Bytes()
	for name, account := range map[string]common.Address{"full": full, "empty": empty, "delegated": delegated, "poor": poor, "precompile": identity, "itself": evmtest.RandomContracts[0], "sender": evmtest.RandomSender} {
		for _, o := range []vm.OpCode{vm.BALANCE, vm.EXTCODESIZE, vm.EXTCODEHASH} {
			op(o.String()+" of "+name, o, account.Bytes())
		}
		op("EXTCODECOPY of code of "+name, vm.EXTCODECOPY, 40, 0, 0, account.Bytes())
		for value, with := range map[int]string{0: "", 3: " with ether", 5000: " with more ether than there is"} {
			op("CALL of "+name+with, vm.CALL, 32, 64, 40, 0, value, account.Bytes(), 70_000)
			op("CALLCODE of "+name+with, vm.CALLCODE, 32, 64, 40, 0, value, account.Bytes(), 70_000)
		}
		op("CALL without gas of "+name, vm.CALL, 0, 0, 0, 0, 0, account.Bytes(), 0)
		op("CALL without gas, but ether, of "+name, vm.CALL, 0, 0, 0, 0, 1, account.Bytes(), 0)
		op("CALL with all gas of "+name, vm.CALL, 0, 0, 0, 0, 0, account.Bytes(), common.MaxHash.Big())
		op("DELEGATECALL of "+name, vm.DELEGATECALL, 32, 640, 40, 0, account.Bytes(), 70_000)
		op("STATICCALL of "+name, vm.STATICCALL, 32, 64, 400, 0, account.Bytes(), 70_000)
		op("SELFDESTRUCT to "+name, vm.SELFDESTRUCT, account.Bytes())
	}
	op("a call with memory beyond all", vm.STATICCALL, 32, 1<<40, 0, 0, full.Bytes(), 1)
	op("a call with input beyond all", vm.STATICCALL, 0, 0, 32, common.MaxHash.Big(), full.Bytes(), 1)
	op("a creation with memory beyond all", vm.CREATE, 32, common.MaxHash.Big(), 0)
	op("a creation that is too large", vm.CREATE, params.MaxInitCodeSize+1, 0, 0)
	op("a creation that is as large as it may be", vm.CREATE, params.MaxInitCodeSize, 0, 0)
	op("SLOAD", vm.SLOAD, 1)
	op("TLOAD", vm.TLOAD, 1)
	op("TSTORE", vm.TSTORE, 3, 1)
	op("BLOCKHASH", vm.BLOCKHASH, 19_999_999)
	for name, words := range map[string][]int{ // what is stored in slots that hold 0 and 7, one after the other
		"0": {0}, "7": {7}, "5": {5}, "5 and 0": {5, 0}, "5 and 7": {5, 7}, "0 and 7": {0, 7}, "0 and 5": {0, 5}, "5, 0 and 7": {5, 0, 7}, "0, 5 and 0": {0, 5, 0},
	} {
		for slot, was := range []string{"0", "7"} {
			p, warm := asm.New(), asm.New().Push(slot).Op(vm.SLOAD, vm.POP)
			for _, word := range words {
				p.Sstore(slot, word)
				warm.Sstore(slot, word)
			}
			all["SSTORE of "+name+" where "+was+" is"] = p.Bytes()
			all["SSTORE of "+name+" where "+was+" was read"] = warm.Bytes()
		}
	}
	for name, init := range map[string][]byte{
		"code":          asm.New().Push(1).Push(0).Op(vm.MSTORE8).Push(100).Push(0).Op(vm.RETURN).Bytes(),
		"reserved code": bigInit(0xef, 1),
		"much code":     bigInit(1, params.MaxCodeSize),
		"too much code": bigInit(1, params.MaxCodeSize+1),
		"nothing":       asm.New().Op(vm.STOP).Bytes(),
		"a revert":      asm.New().Push(3).Push(0).Op(vm.REVERT).Bytes(),
	} {
		all["creation of "+name] = asm.New().Mstore(init, 0).Push(len(init)).Push(0).Push(2).Op(vm.CREATE).Op(vm.POP, vm.RETURNDATASIZE).Bytes()
		all["salted creation of "+name] = asm.New().Mstore(init, 0).Push(9).Push(len(init)).Push(0).Push(2).Op(vm.CREATE2).Op(vm.POP, vm.RETURNDATASIZE).Bytes()
	}
	return all
}

// TestPrices: what an instruction costs is what go-ethereum says, on every fork, when what it touches is cold and when it is warm; and
// with just that gas, and with less, the same comes of it.
func TestPrices(t *testing.T) {
	pieces := priced()
	names := slices.Sorted(maps.Keys(pieces))
	place := func(i int) common.Address { return common.Address{0xa0, byte(i >> 8), byte(i)} }
	for _, fork := range evm.Forks() {
		w := evmtest.WorldOf(asm.New().Op(vm.STOP).Bytes())
		w.Fork = fork
		w.Accounts[full] = &evm.Account{Nonce: 1, Balance: *uint256.NewInt(5), Code: asm.New().Op(vm.CALLDATASIZE).Push(0).Op(vm.MSTORE).Push(50).Push(0).Op(vm.RETURN).Bytes()}
		w.Accounts[poor] = &evm.Account{Nonce: 1}
		if fork == "prague" || fork == "osaka" {
			w.Accounts[delegated] = &evm.Account{Nonce: 1, Code: types.AddressToDelegation(full)}
		}
		for i, name := range names {
			w.Accounts[place(i)] = &evm.Account{Nonce: 1, Balance: *uint256.NewInt(100), Storage: map[common.Hash]common.Hash{{31: 1}: {31: 7}},
				Code: append(bytes.Clone(pieces[name]), pieces[name]...)} // the second time, all is warm
		}
		p := newPair(t, w, nil)
		for i, name := range names {
			call := evm.Call{From: evmtest.RandomSender, To: place(i), Data: []byte{1, 2, 3}}
			exec, err := p.run(evm.Sequence{call})
			if err != nil {
				t.Fatalf("%s, %s: %v", fork, name, err)
			}
			used := exec.Calls[0].GasUsed
			for _, gas := range []uint64{used, used - 1, used/2 + 1, used + params.SstoreSentryGasEIP2200 + 1} {
				if call.Gas = gas; gas == 0 || gas > evm.CallGas || exec.Calls[0].GasUsed == evm.CallGas {
					continue
				}
				if _, err := p.run(evm.Sequence{call}); err != nil {
					t.Errorf("%s, %s with %d gas of %d: %v", fork, name, gas, used, err)
				}
			}
		}
	}
}
