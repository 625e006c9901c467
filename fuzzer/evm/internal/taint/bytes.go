package taint

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// wordSize is the size of a word, in bytes.
const wordSize = 32

// bytes follows what moves between stack, memory and calldata; false: it does not.
func (s *step) bytes() bool {
	f := s.frame
	switch s.op {
	case vm.MLOAD:
		s.read(&f.memory)
	case vm.CALLDATALOAD:
		input := &f.input
		if f.creation {
			input = &data{}
		}
		s.read(input)
	case vm.MSTORE:
		s.write(wordSize)
	case vm.MSTORE8:
		s.write(1)
	case vm.KECCAK256:
		id := s.sets.via(s.all(2))
		if from, n, ok := reach(s.arg(0), s.arg(1)); ok {
			id = s.sets.union(id, f.memory.union(s.sets, from, n))
		}
		s.push(2, s.sets.hashed(id))
	case vm.CALLDATACOPY, vm.CODECOPY, vm.RETURNDATACOPY, vm.MCOPY:
		s.copy(0)
	case vm.EXTCODECOPY:
		s.copy(1)
	default:
		return false
	}
	return true
}

// read pushes a word of bytes that the operand says where to find.
func (s *step) read(from *data) {
	id := from.rest
	if offset, n, ok := reach(s.arg(0), uint256.NewInt(wordSize)); ok {
		id = from.union(s.sets, offset, n)
	}
	s.found(id)
}

// write follows MSTORE and MSTORE8, of so many bytes.
func (s *step) write(size int) {
	if at, n, ok := reach(s.arg(0), uint256.NewInt(uint64(size))); ok {
		id := s.shadow(1).taint
		s.frame.memory.set(at, n, func(int) ID { return id })
	}
	s.pop(2)
}

// copy follows what copies to memory; skip is the number of operands in front of the usual
// three: destination, offset, size.
func (s *step) copy(skip int) {
	f := s.frame
	at, n, ok := reach(s.arg(skip), s.arg(skip+2))
	if ok {
		from, extra := &data{}, ID(0)
		switch s.op {
		case vm.CALLDATACOPY:
			if !f.creation {
				from = &f.input
			}
		case vm.CODECOPY:
			if f.creation {
				from = &f.input
			}
		case vm.RETURNDATACOPY:
			from = &f.back
			if c := s.trace.Call(f.called); c != nil && n > 0 {
				c.Copied = c.Copied || len(f.back.bytes) > 0
			}
		case vm.MCOPY:
			from = &f.memory
		case vm.EXTCODECOPY:
			from, extra = &data{rest: s.sets.source(evm.FromCode)}, s.shadow(0).taint
		}
		extra = s.sets.via(s.sets.union(extra, s.shadow(skip+1).taint))
		source := data{rest: from.rest}
		if offset, _, near := reach(s.arg(skip+1), s.arg(skip+2)); near {
			source = from.part(offset, n)
			source.bytes = slices.Clone(source.bytes) // which may be those that are overwritten
		}
		f.memory.set(at, n, func(i int) ID { return s.sets.union(source.at(i), extra) })
	}
	s.pop(skip + 3)
}

// region is the taint of the bytes of memory that two operands name, taken together.
func (s *step) region(offset, size int) ID {
	if from, n, ok := reach(s.arg(offset), s.arg(size)); ok {
		return s.frame.memory.union(s.sets, from, n)
	}
	return 0
}
