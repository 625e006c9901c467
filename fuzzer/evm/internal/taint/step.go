package taint

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
)

// step is one instruction, before it runs.
type step struct {
	*Tracer
	frame *frame
	pc    uint32
	op    vm.OpCode
	stack []uint256.Int
}

// arg is the n-th operand, from the top of the stack.
func (s *step) arg(n int) *uint256.Int { return &s.stack[len(s.stack)-1-n] }

// shadow is what is known of the n-th operand.
func (s *step) shadow(n int) *word { return &s.frame.stack[len(s.frame.stack)-1-n] }

// all is the taint of the first n operands taken together.
func (s *step) all(n int) ID {
	id := ID(0)
	for i := range n {
		id = s.sets.union(id, s.shadow(i).taint)
	}
	return id
}

// replace puts a word where n operands were.
func (s *step) replace(n int, w word) {
	f := s.frame
	f.stack = append(f.stack[:len(f.stack)-n], w)
}

// push puts a word that is made from n operands.
func (s *step) push(n int, taint ID) { s.replace(n, s.fresh(taint, 0)) }

func (s *step) pop(n int) { s.frame.stack = s.frame.stack[:len(s.frame.stack)-n] }

// run follows the instruction.
func (s *step) run() {
	if s.op == vm.JUMPDEST {
		s.frame.block++
	}
	in := s.instructions[s.op]
	switch in.Action {
	case record.ActDup:
		s.frame.stack = append(s.frame.stack, *s.shadow(int(in.Pops) - 1))
		return
	case record.ActSwap:
		a, b := s.shadow(0), s.shadow(int(in.Pops))
		*a, *b = *b, *a
		return
	}
	if s.op.IsPush() || s.op == vm.PUSH0 {
		s.replace(0, s.constant())
		return
	}
	if s.number() || s.environment() || s.bytes() || s.effect() {
		return
	}
	if in.Action == record.ActPush {
		s.push(int(in.Pops), s.all(int(in.Pops)))
		return
	}
	s.pop(int(in.Pops))
}

// number follows what computes on the stack alone; false: it does not.
func (s *step) number() bool {
	switch s.op {
	case vm.ADD, vm.SUB, vm.MUL, vm.EXP, vm.SHL, vm.SDIV:
		s.arithmetic()
	case vm.DIV, vm.MOD, vm.SMOD, vm.SAR, vm.SHR, vm.BYTE:
		s.divide()
	case vm.ADDMOD, vm.MULMOD:
		s.modulo()
	case vm.AND, vm.OR, vm.XOR, vm.NOT, vm.SIGNEXTEND:
		s.bitwise()
	case vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ:
		s.compare()
	case vm.ISZERO:
		s.isZero()
	default:
		return false
	}
	return true
}

// sources are those of instructions that push a word of the environment and take nothing.
var sources = map[vm.OpCode]evm.Source{
	vm.ORIGIN: evm.FromOrigin, vm.TIMESTAMP: evm.FromTimestamp, vm.NUMBER: evm.FromNumber,
	vm.COINBASE: evm.FromOtherBlock, vm.PREVRANDAO: evm.FromOtherBlock, vm.GASLIMIT: evm.FromOtherBlock,
	vm.BASEFEE: evm.FromFee, vm.BLOBBASEFEE: evm.FromFee, vm.GASPRICE: evm.FromFee,
	vm.SELFBALANCE: evm.FromBalance | evm.FromOwnBalance, vm.GAS: evm.FromGas, vm.MSIZE: evm.FromGas,
}

// environment follows what asks for something outside the frame; false: it does not.
func (s *step) environment() bool {
	f := s.frame
	if source, ok := sources[s.op]; ok {
		s.push(0, s.sets.source(source))
		return true
	}
	switch s.op {
	case vm.PC, vm.CODESIZE:
		s.replace(0, s.constant())
	case vm.CALLER:
		id := ID(0)
		if f.caller == s.sender {
			id = s.sets.source(evm.FromCaller)
		}
		s.push(0, id)
	case vm.CALLVALUE:
		s.push(0, f.value)
	case vm.CALLDATASIZE:
		if f.creation {
			s.push(0, 0)
		} else {
			s.push(0, f.inputSize)
		}
	case vm.RETURNDATASIZE:
		s.push(0, s.sets.union(f.backSize, s.sets.source(evm.FromReturnData)))
	case vm.BALANCE:
		source := evm.FromBalance
		if s.arg(0).Bytes20() == f.self {
			source |= evm.FromOwnBalance
		}
		s.found(s.sets.source(source))
	case vm.BLOCKHASH, vm.BLOBHASH:
		s.found(s.sets.source(evm.FromOtherBlock))
	case vm.EXTCODESIZE, vm.EXTCODEHASH:
		s.found(s.sets.source(evm.FromCode))
	case vm.SLOAD, vm.TLOAD:
		s.load()
	default:
		return false
	}
	return true
}

// found pushes a word that the operand says where to find.
func (s *step) found(taint ID) { s.push(1, s.sets.union(taint, s.sets.via(s.shadow(0).taint))) }

// load follows SLOAD and TLOAD.
func (s *step) load() {
	p := place{s.frame.self, *s.arg(0), s.op == vm.TLOAD}
	id, _ := s.storage.load(p)
	if !p.transient {
		id = s.sets.union(id, s.sets.source(evm.FromStorage))
	}
	s.found(id)
}
