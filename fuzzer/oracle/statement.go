package oracle

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// last stands for the last time that a frame ran an instruction.
const last = -1

// statement is the instruction at pc, run for the nth time in a frame (from 0; or [last]),
// if it is a statement's own; else, in code that statements share, the last instruction of
// one that the frame ran before: the jump to the shared code. Where the frame's path is not
// known as far as that, it is pc.
func statement(f *evm.Frame, pc uint32, nth int) bytecode.Location {
	p := f.Program
	if p.Code == nil || !p.Code.IsShared(pc) || f.PathTruncated {
		return bytecode.Location{Code: p.ID, PC: pc}
	}
	block, _ := p.BlockOf(pc)
	at := -1
	for i, b := range f.Path {
		if b != block {
			continue
		}
		if at = i; nth == 0 {
			break
		}
		nth--
	}
	for i := at - 1; i >= 0; i-- {
		if end := lastOf(p, f.Path[i]); !p.Code.IsShared(end) {
			return bytecode.Location{Code: p.ID, PC: end}
		}
	}
	return bytecode.Location{Code: p.ID, PC: pc}
}

// lastOf is the last instruction of a block.
func lastOf(p *bytecode.Program, block bytecode.BlockID) uint32 {
	b := p.Blocks[block]
	end := b.Start
	bytecode.Instructions(p.Bytes[b.Start:b.End], func(pc uint32) bool {
		end = b.Start + pc
		return true
	})
	return end
}

// writer is the instruction that made a frame's nth storage access, or the statement that
// had shared code make it.
func writer(f *evm.Frame, nth int) bytecode.Location {
	pc, before := f.Storage[nth].PC, 0
	for _, access := range f.Storage[:nth] {
		if access.PC == pc {
			before++
		}
	}
	return statement(f, pc, before)
}
