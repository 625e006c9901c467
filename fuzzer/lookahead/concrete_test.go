package lookahead_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// arithmeticWorld has a contract for each operation on words: it takes the
// operands from its calldata, the top of the stack first, and returns the result.
func arithmeticWorld(ops map[vm.OpCode]int) *evm.World {
	w := &evm.World{Accounts: map[common.Address]*evm.Account{}, Block: evm.DefaultBlock()}
	for op, operands := range ops {
		a := newAssembler()
		for i := operands - 1; i >= 0; i-- {
			a.push(uint64(32 * i)).op(vm.CALLDATALOAD)
		}
		a.op(op).push(0).op(vm.MSTORE).push(32).push(0).op(vm.RETURN)
		w.Accounts[common.Address{0xa0, byte(op)}] = &evm.Account{Nonce: 1, Code: a.bytes()}
	}
	w.Accounts[senderAddress] = &evm.Account{Balance: *uint256.NewInt(1)}
	return w
}

// TestConstantsAsTheEVM: on constants the analysis computes what go-ethereum does.
func TestConstantsAsTheEVM(t *testing.T) {
	ops := lookahead.WordOperations()
	machine, err := gethvm.New(arithmeticWorld(ops), bytecode.NewTable(nil))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(6, 1))
	for range 200 {
		operands := []uint256.Int{lookahead.RandomWord(rng), lookahead.RandomWord(rng), lookahead.RandomWord(rng)}
		var data []byte
		for _, x := range operands {
			word := x.Bytes32()
			data = append(data, word[:]...)
		}
		for op := range 256 {
			n, ok := ops[vm.OpCode(op)]
			if !ok {
				continue
			}
			exec, err := machine.Run(evm.Sequence{{From: senderAddress, To: common.Address{0xa0, byte(op)}, Data: data}})
			if err != nil {
				t.Fatal(err)
			}
			var want uint256.Int
			want.SetBytes(exec.Calls[0].Output)
			if got, known := lookahead.Compute(vm.OpCode(op), operands[:n]); !known || got != want {
				t.Fatalf("%v of %v is %v, on go-ethereum %v", vm.OpCode(op), operands[:n], &got, &want)
			}
		}
	}
}
