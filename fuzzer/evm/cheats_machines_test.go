package evm_test

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
	"github.com/sightline-evm/sightline/internal/testing/long"
)

// stateful are the cheatcodes that something later may look different for.
var stateful = strings.Fields(`warp(uint256) roll(uint256) fee(uint256) chainId(uint256) coinbase(address) prevrandao(uint256) txGasPrice(uint256)
	deal(address,uint256) store(address,bytes32,bytes32) load(address,bytes32) etch(address,bytes) setNonce(address,uint64) setNonceUnsafe(address,uint64)
	resetNonce(address) getNonce(address) prank(address) prank(address,address) prank(address,bool) startPrank(address) startPrank(address,address)
	startPrank(address,bool) stopPrank() readCallers() broadcast() broadcast(address) startBroadcast() startBroadcast(address) stopBroadcast()
	expectRevert() expectRevert() expectRevert(bytes4) expectRevert(bytes) expectRevert(uint64) expectRevert(address) _expectCheatcodeRevert()
	expectEmit() expectEmit(address) expectEmit(uint64) expectCall(address,bytes) expectCall(address,bytes,uint64) expectCreate(bytes,address) assumeNoRevert()
	mockCall(address,bytes,bytes) mockCall(address,uint256,bytes,bytes) mockCallRevert(address,bytes,bytes) clearMockedCalls()
	snapshotState() snapshotState() revertToState(uint256) revertToState(uint256) revertToStateAndDelete(uint256) deleteStateSnapshot(uint256)
	record() accesses(address) recordLogs() getRecordedLogs() setBlockhash(uint256,bytes32) assertTrue(bool) setSeed(uint256) randomUint() nonsense()`)

// schemer writes random code that calls cheatcodes.
type schemer struct {
	rng  *rand.Rand
	code []byte
}

func (s *schemer) op(ops ...vm.OpCode) {
	for _, op := range ops {
		s.code = append(s.code, byte(op))
	}
}

func (s *schemer) push(n int) {
	s.code = binary.BigEndian.AppendUint16(append(s.code, byte(vm.PUSH2)), uint16(n))
}

func (s *schemer) address() common.Address {
	all := append([]common.Address{evmtest.RandomSender, evmtest.Nobody, {19: 2}, cheatcode.Address, cheatcode.Console}, evmtest.RandomContracts[:]...)
	if s.rng.IntN(3) > 0 {
		return evmtest.RandomContracts[s.rng.IntN(len(evmtest.RandomContracts))]
	}
	return all[s.rng.IntN(len(all))]
}

// memory writes data to memory, from 0 on.
func (s *schemer) memory(data []byte) {
	for at := 0; at < len(data); at += 32 {
		var word [32]byte
		copy(word[:], data[at:])
		s.op(vm.PUSH32)
		s.code = append(s.code, word[:]...)
		s.push(at)
		s.op(vm.MSTORE)
	}
}

// argument is a value of a type, for go-ethereum's encoder.
func (s *schemer) argument(t abi.Type) any {
	small := int64(s.rng.IntN(4))
	switch t.T {
	case abi.AddressTy:
		return s.address()
	case abi.BoolTy:
		return small > 0
	case abi.BytesTy:
		return [][]byte{{}, {1, 2, 3, 4}, {1}, make([]byte, 32), s.child()}[s.rng.IntN(5)]
	case abi.FixedBytesTy:
		if t.Size == 4 {
			return [4]byte{1, 2, 3, 4}
		}
		return [32]byte{31: byte(small)}
	}
	if t.Size == 64 {
		return uint64(small)
	}
	return big.NewInt(small)
}

// cheat calls a cheatcode.
func (s *schemer) cheat() {
	signature := stateful[s.rng.IntN(len(stateful))]
	open := strings.IndexByte(signature, '(')
	data := crypto.Keccak256([]byte(signature))[:4]
	var arguments abi.Arguments
	var values []any
	for name := range strings.SplitSeq(strings.Trim(signature[open:], "()"), ",") {
		if name == "" {
			continue
		}
		t, err := abi.NewType(name, "", nil)
		if err != nil {
			panic(err)
		}
		arguments, values = append(arguments, abi.Argument{Type: t}), append(values, s.argument(t))
	}
	packed, err := arguments.Pack(values...)
	if err != nil {
		panic(err)
	}
	data = append(data, packed...)
	if s.rng.IntN(40) == 0 {
		data = data[:s.rng.IntN(len(data)+1)]
	}
	s.memory(data)
	s.call(cheatcode.Address, len(data), []vm.OpCode{vm.CALL, vm.CALL, vm.CALL, vm.STATICCALL, vm.DELEGATECALL, vm.CALLCODE}[s.rng.IntN(6)], s.rng.IntN(30)/29)
}

// call makes a call with so much of memory, and keeps what comes of it in storage.
func (s *schemer) call(to common.Address, size int, op vm.OpCode, value int) {
	s.push(64)  // the size of the result
	s.push(512) // and its place
	s.push(size)
	s.push(0)
	if op == vm.CALL || op == vm.CALLCODE {
		s.push(value)
	}
	s.op(vm.PUSH20)
	s.code = append(s.code, to[:]...)
	if s.rng.IntN(4) == 0 {
		s.push(s.rng.IntN(40_000))
	} else {
		s.op(vm.GAS)
	}
	s.op(op)
	s.keep()
	if s.rng.IntN(3) == 0 {
		s.op(vm.RETURNDATASIZE)
		s.keep()
		s.push(512)
		s.op(vm.MLOAD)
		s.keep()
	}
}

// keep stores the word on the stack, if code is not to be without effects on others.
func (s *schemer) keep() {
	if s.rng.IntN(4) == 0 {
		s.op(vm.POP)
		return
	}
	s.push(s.rng.IntN(6))
	s.op(vm.SSTORE)
}

// child is creation code.
func (s *schemer) child() []byte {
	return [][]byte{
		{},
		{byte(vm.PUSH1), 1, byte(vm.PUSH1), 0, byte(vm.RETURN)},
		{byte(vm.PUSH1), 0, byte(vm.PUSH1), 0, byte(vm.REVERT)},
		{byte(vm.CALLER), byte(vm.PUSH1), 0, byte(vm.MSTORE), byte(vm.PUSH1), 32, byte(vm.PUSH1), 0, byte(vm.REVERT)},
		{byte(vm.CALLER), byte(vm.PUSH1), 1, byte(vm.SSTORE), byte(vm.ORIGIN), byte(vm.PUSH1), 2, byte(vm.SSTORE)},
		{byte(vm.INVALID)},
	}[s.rng.IntN(6)]
}

func (s *schemer) create() {
	init := s.child()
	s.memory(init)
	op := vm.CREATE
	if s.rng.IntN(2) == 0 {
		op = vm.CREATE2
		s.push(s.rng.IntN(2))
	}
	s.push(len(init))
	s.push(0)
	s.push(s.rng.IntN(8) / 7)
	s.op(op)
	s.keep()
}

// scheme is a contract.
func scheme(rng *rand.Rand) []byte {
	s := &schemer{rng: rng}
	environment := []vm.OpCode{vm.CALLER, vm.ORIGIN, vm.TIMESTAMP, vm.NUMBER, vm.COINBASE, vm.CHAINID, vm.BASEFEE, vm.PREVRANDAO, vm.GASPRICE, vm.SELFBALANCE, vm.GAS}
	for range 2 + rng.IntN(12) {
		switch rng.IntN(12) {
		case 0, 1, 2, 3, 4:
			s.cheat()
		case 5, 6, 7:
			s.memory([]byte{1, 2, 3, 4})
			s.call(s.address(), rng.IntN(5), []vm.OpCode{vm.CALL, vm.CALL, vm.STATICCALL, vm.DELEGATECALL, vm.CALLCODE}[rng.IntN(5)], rng.IntN(8)/7)
		case 8:
			s.create()
		case 9:
			s.op(environment[rng.IntN(len(environment))])
			s.keep()
		case 10:
			s.push(rng.IntN(2)) // the topic
			s.push(32)
			s.push(0)
			s.op(vm.LOG1)
		case 11:
			s.push(rng.IntN(6))
			s.op(vm.SLOAD)
			s.keep()
		}
	}
	if rng.IntN(4) == 0 {
		s.push(rng.IntN(40))
		s.push(0)
		s.op([]vm.OpCode{vm.REVERT, vm.REVERT, vm.RETURN, vm.INVALID, vm.SELFDESTRUCT}[rng.IntN(5)])
	}
	return s.code
}

// compareSchemes runs contracts that call cheatcodes on both machines.
func compareSchemes(t *testing.T, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 9))
	world := evmtest.RandomWorld(rng, evm.Forks()[rng.IntN(len(evm.Forks()))])
	for _, a := range evmtest.RandomContracts {
		world.Accounts[a].Code = scheme(rng)
	}
	world.EnableCheats(cheatcode.Edge{})
	p := newPair(t, world, nil)
	seq := boundedSequence(rng)
	for i := range seq {
		seq[i].Gas *= 4
	}
	for round := range 3 {
		if _, err := p.run(seq); err != nil {
			t.Fatalf("seed %d, fork %s, round %d: %v", seed, world.Fork, round, err)
		}
		next := seq[:rng.IntN(len(seq)+1)].Clone()
		seq = append(next, boundedSequence(rng)...)
	}
	// What is left behind is a World's: machines that begin with it go on alike.
	p = newPair(t, p.reference.Export(), nil)
	if _, err := p.run(seq); err != nil {
		t.Fatalf("seed %d, fork %s, from where it was: %v", seed, world.Fork, err)
	}
}

// TestSchemes: both machines yield the same for contracts that call cheatcodes, each
// other, and create.
func TestSchemes(t *testing.T) {
	programs := uint64(*differentialPrograms)
	for seed := range long.Pick(programs*2/5, programs) {
		compareSchemes(t, seed)
	}
}
