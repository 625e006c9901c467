package interp

import (
	"math"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/params"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestWork: what a call takes beyond its instructions is counted: hashes and copies by the word, a large exponent, memory that is cleared
// or moved, precompiled contracts by their gas, creation code by the byte.
func TestWork(t *testing.T) {
	const hash, word, copied = record.FirstHashWork, record.HashWork, record.CopyWork
	sha, ripemd160 := common.BytesToAddress([]byte{2}).Bytes(), common.BytesToAddress([]byte{3}).Bytes()
	init := asm.New().Op(vm.STOP, vm.STOP, vm.STOP, vm.STOP, vm.STOP).Bytes()
	ops := func(o vm.OpCode, operands ...any) *asm.Program {
		p := asm.New()
		for _, x := range operands {
			p.Push(x)
		}
		return p.Op(o)
	}
	for name, c := range map[string]struct {
		code   *asm.Program
		frames uint64
		extra  uint64
	}{
		"nothing":                        {ops(vm.STOP), 1, 0},
		"a hash of nothing":              {ops(vm.KECCAK256, 0, 0), 1, hash},
		"a hash of a word":               {ops(vm.KECCAK256, 32, 0), 1, hash + word + copied},
		"a hash of a byte more":          {ops(vm.KECCAK256, 33, 0), 1, hash + 2*word + 2*copied},
		"a small exponent":               {ops(vm.EXP, 255, 2), 1, params.ExpByteEIP158},
		"an exponent of 32 bytes":        {ops(vm.EXP, common.MaxHash.Big(), 2), 1, 32 * params.ExpByteEIP158},
		"a copy of calldata":             {ops(vm.CALLDATACOPY, 320, 0, 0), 1, 20 * copied},
		"a copy of code":                 {ops(vm.CODECOPY, 65, 0, 0), 1, 6 * copied},
		"a copy of another's code":       {ops(vm.EXTCODECOPY, 64, 0, 0, evmtest.Nobody.Bytes()), 1, 4 * copied},
		"a copy within memory":           {ops(vm.MCOPY, 64, 0, 32), 1, 5 * copied},
		"a return":                       {ops(vm.RETURN, 65, 0), 1, 6 * copied},
		"a revert":                       {ops(vm.REVERT, 33, 64), 1, 6 * copied},
		"a return of nothing":            {ops(vm.RETURN, 0, 0), 1, 0},
		"a block's hash":                 {ops(vm.BLOCKHASH, 1), 1, hash},
		"memory":                         {ops(vm.MSTORE, 1, 32*99), 1, 100 * copied},
		"memory twice, which is moved":   {asm.New().Push(1).Push(0).Op(vm.MSTORE).Push(1).Push(32 * 99).Op(vm.MSTORE), 1, 101 * copied},
		"a precompiled contract":         {ops(vm.STATICCALL, 0, 0, 0, 0, sha, 1000), 2, record.GasWork * params.Sha256BaseGas},
		"another one":                    {ops(vm.STATICCALL, 0, 0, 0, 0, ripemd160, 1000), 2, record.GasWork * params.Ripemd160BaseGas},
		"one without gas":                {ops(vm.STATICCALL, 0, 0, 0, 0, sha, 1), 2, 0},
		"a creation of nothing":          {ops(vm.CREATE, 0, 0, 0), 2, 0},
		"a creation of five bytes":       {asm.New().Mstore(init, 0).Push(len(init)).Push(0).Push(0).Op(vm.CREATE), 2, record.DecodeWork*5 + copied + 1 /* its STOP */},
		"a call of an account of no one": {ops(vm.CALL, 0, 0, 0, 0, 0, evmtest.Nobody.Bytes(), 1000), 2, 0},
	} {
		instructions := uint64(0)
		bytecode.Instructions(c.code.Bytes(), func(uint32) bool { instructions++; return true })
		e := mustRunFast(t, fastAt(t, c.code.Bytes()), evmtest.CallWith())
		end := uint64(1) // behind the code there is a STOP
		if name == "nothing" || strings.HasPrefix(name, "a return") || name == "a revert" {
			end = 0
		}
		if got, want := e.Calls[0].Work(), instructions+end+c.frames*record.FrameWork+c.extra; got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// TestWorkOfFailing: a call that runs out of gas in the middle of a block, in memory that
// grows or at the block's head, counts the instructions up to the one that fails.
func TestWorkOfFailing(t *testing.T) {
	// The jump goes to the first of two rows of JUMPDEST, PUSH1 0 and POP, and the last MSTORE far away.
	code := asm.New().Push(7).Push(0).Op(vm.MSTORE).Push(9).Op(vm.JUMP, vm.INVALID)
	for range 2 {
		code.Op(vm.JUMPDEST).Push(0).Op(vm.POP)
	}
	code.Push(1).Push(1 << 20).Op(vm.MSTORE).Push(0).Op(vm.POP)
	prices := []uint64{3, 3, 3 + 3, 3, 8, 1, 3, 2, 1, 3, 2, 3, 3}
	check := func(instruction int, gas uint64) {
		t.Helper()
		call := evmtest.CallWith()
		call.Gas = gas
		e := mustRunFast(t, fastAt(t, code.Bytes()), call)
		want := uint64(instruction) + 1 + record.FrameWork
		if instruction > 2 {
			want += record.CopyWork
		}
		if got := e.Calls[0].Work(); got != want || e.Calls[0].Outcome != evm.OutOfGas {
			t.Errorf("instruction %d: %d, %s, want %d", instruction, got, e.Calls[0].Outcome, want)
		}
	}
	spent := uint64(0)
	for i, price := range prices {
		check(i, spent+price-1)
		spent += price
	}
	check(len(prices), spent+2)      // not even the instruction
	check(len(prices), spent+10_000) // not the memory
}

// TestMemoryPrices: how large memory may be is where go-ethereum stops computing prices, and what is beyond has none.
func TestMemoryPrices(t *testing.T) {
	f := &frame{}
	for end, want := range map[uint64]uint64{
		0: 0, 1: 3, 32: 3, 33: 6, 23 * 32: 69 + 1, 724 * 32: 3*724 + 724*724/512, maxMemory: 3*(maxMemory/32) + (maxMemory/32)*(maxMemory/32)/512,
	} {
		if got, ok := f.price(end); !ok || got != want {
			t.Errorf("%d bytes cost %d, %t, want %d", end, got, ok, want)
		}
	}
	for _, end := range []uint64{maxMemory + 1, endless, math.MaxUint64 - 40} {
		if got, ok := f.price(end); ok {
			t.Errorf("%d bytes cost %d", end, got)
		}
	}
	f.extend(64)
	for end, want := range map[uint64]uint64{0: 0, 33: 0, 64: 0, 65: 3, 96: 3} {
		if got, ok := f.price(end); !ok || got != want {
			t.Errorf("beyond two words, %d bytes cost %d, %t, want %d", end, got, ok, want)
		}
	}
}
