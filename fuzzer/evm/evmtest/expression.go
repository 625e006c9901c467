package evmtest

import (
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// Everything here pushes one word. The chances and sizes are arbitrary, as those of
// program.go.

// expression pushes a word, computed by at most so many levels of operators.
func (p *program) expression(depth int) {
	if depth == 0 || p.oneIn(3) {
		p.atom()
		return
	}
	switch p.r.IntN(10) {
	case 0:
		p.expression(depth - 1)
		ops := []vm.OpCode{vm.NOT, vm.ISZERO, vm.CLZ, vm.BALANCE, vm.EXTCODESIZE, vm.EXTCODEHASH, vm.CALLDATALOAD, vm.BLOCKHASH, vm.BLOBHASH}
		op := ops[p.r.IntN(len(ops))]
		if op == vm.CLZ && p.fork < osaka || op == vm.BLOBHASH && p.fork < cancun {
			op = vm.NOT
		}
		p.op(op)
	case 1:
		p.expression(depth - 1)
		p.expression(depth - 1)
		p.expression(depth - 1)
		p.op([]vm.OpCode{vm.ADDMOD, vm.MULMOD}[p.r.IntN(2)])
		p.height -= 2
	case 2:
		p.size()
		p.offset()
		p.op(vm.KECCAK256)
		p.height--
	case 3:
		p.offset()
		p.op(vm.MLOAD)
	case 4, 5:
		p.slot()
		p.op(vm.SLOAD)
	default:
		p.expression(depth - 1)
		p.expression(depth - 1)
		p.op(binary[p.r.IntN(len(binary))])
		p.height--
	}
}

var binary = []vm.OpCode{
	vm.ADD, vm.ADD, vm.MUL, vm.SUB, vm.SUB, vm.DIV, vm.SDIV, vm.MOD, vm.SMOD, vm.EXP, vm.SIGNEXTEND, vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ,
	vm.AND, vm.OR, vm.XOR, vm.BYTE, vm.SHL, vm.SHR, vm.SAR,
}

var environment = []vm.OpCode{
	vm.ADDRESS, vm.ORIGIN, vm.CALLER, vm.CALLVALUE, vm.CALLDATASIZE, vm.CODESIZE, vm.GASPRICE, vm.RETURNDATASIZE, vm.COINBASE, vm.TIMESTAMP,
	vm.NUMBER, vm.PREVRANDAO, vm.GASLIMIT, vm.CHAINID, vm.SELFBALANCE, vm.BASEFEE, vm.PC, vm.MSIZE, vm.GAS, vm.GAS,
}

// atom pushes a word that nothing is computed of.
func (p *program) atom() {
	p.height++
	switch p.r.IntN(9) {
	case 0:
		if p.height > 1 {
			p.op(vm.DUP1 + vm.OpCode(p.r.IntN(min(p.height-1, 16))))
			return
		}
		p.op(vm.CALLER)
	case 1:
		p.op(environment[p.r.IntN(len(environment))])
	case 2:
		p.number(uint64(p.r.IntN(3) * 32))
		p.op(vm.CALLDATALOAD)
	case 3:
		if p.fork >= shanghai {
			p.op(vm.PUSH0)
			return
		}
		p.number(0)
	case 4:
		if p.fork >= cancun {
			p.number(uint64(p.r.IntN(3)))
			p.op(vm.TLOAD)
			return
		}
		p.op(vm.GAS)
	case 5:
		if p.fork >= cancun && p.oneIn(4) {
			p.op(vm.BLOBBASEFEE)
			return
		}
		p.push(wordOf(p.r))
	default:
		p.push(wordOf(p.r))
	}
}

// wordOf is a word as programs have them: small, at a boundary, or anything.
func wordOf(r *rand.Rand) *uint256.Int {
	w := new(uint256.Int)
	switch r.IntN(6) {
	case 0:
		w.Lsh(uint256.NewInt(1), uint(r.IntN(256)))
		if r.IntN(2) == 0 {
			w.SubUint64(w, 1)
		}
	case 1:
		w.Not(uint256.NewInt(r.Uint64N(3)))
	case 2:
		*w = uint256.Int{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
		w.Rsh(w, uint(r.IntN(256)))
	default:
		w.SetUint64(r.Uint64N(9))
	}
	return w
}

// slot pushes a slot: one of a few, one of a mapping, or behind an array.
func (p *program) slot() {
	if !p.oneIn(4) {
		p.number(uint64(p.r.IntN(4)))
		p.height++
		return
	}
	if p.oneIn(3) { // of an array: the hash of its slot
		p.number(uint64(p.r.IntN(3)))
		p.op(vm.PUSH1, 0x20, vm.MSTORE, vm.PUSH1, 0x20, vm.PUSH1, 0x20, vm.KECCAK256)
	} else { // of a mapping: the hash of key and slot
		p.expression(1)
		p.height--
		p.op(vm.PUSH1, 0x00, vm.MSTORE)
		p.number(uint64(p.r.IntN(3)))
		p.op(vm.PUSH1, 0x20, vm.MSTORE, vm.PUSH1, 0x40, vm.PUSH1, 0x00, vm.KECCAK256)
	}
	if p.oneIn(2) {
		p.number(uint64(p.r.IntN(4)))
		p.op(vm.ADD)
	}
	p.height++
}

// offset pushes a place in memory.
func (p *program) offset() {
	switch p.r.IntN(60) {
	case 0:
		p.push(wordOf(p.r))
	case 1, 2, 3:
		p.number(p.r.Uint64N(2000))
	case 4, 5, 6, 7, 8:
		p.number(p.r.Uint64N(70))
	default:
		p.number(32 * p.r.Uint64N(6))
	}
	p.height++
}

// size pushes a length.
func (p *program) size() {
	switch p.r.IntN(60) {
	case 0:
		p.push(wordOf(p.r))
	case 1, 2:
		p.number(p.r.Uint64N(1000))
	default:
		p.number([]uint64{0, 0, 1, 4, 31, 32, 32, 33, 64, 96, 128}[p.r.IntN(11)])
	}
	p.height++
}

// target pushes an address.
func (p *program) target() {
	p.height++
	switch p.r.IntN(10) {
	case 0:
		p.address(common.BytesToAddress([]byte{byte(p.r.IntN(20))})) // precompiles, and two that are none
	case 1:
		p.number(0x100) // P256VERIFY (EIP-7951)
	case 2:
		p.op([]vm.OpCode{vm.ADDRESS, vm.CALLER, vm.ORIGIN, vm.COINBASE}[p.r.IntN(4)])
	case 3:
		p.address(others[p.r.IntN(len(others))])
	case 4:
		p.number(createdSlot)
		p.op(vm.SLOAD)
	default:
		// Mostly one of those behind: calls in circles end when the gas does.
		if n := len(contracts) - 1 - p.self; n > 0 && !p.oneIn(8) {
			p.address(contracts[p.self+1+p.r.IntN(n)])
		} else if p.oneIn(3) {
			p.address(contracts[p.r.IntN(len(contracts))])
		} else {
			p.address(others[p.r.IntN(len(others))])
		}
	}
}
