package oracle

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// last stands for the end of a frame.
const last = -1

// statement is the instruction at pc, run for the nth time in a frame (from 0), if it is a
// statement's own; else, in code that statements share, the last instruction of one that
// the frame ran before that, or before its end ([last]): the jump to the shared code. Where
// the path of the frame is not
// known as far as that, it is pc.
func statement(f *evm.Frame, pc uint32, nth int) bytecode.Location {
	p := f.Program
	if p.Code == nil || !p.Code.IsShared(pc) || f.PathTruncated {
		return bytecode.Location{Code: p.ID, PC: pc}
	}
	before := len(f.Path) // blocks that the frame ran until then
	if nth != last {
		block, _ := p.BlockOf(pc)
		for i, b := range f.Path {
			if b != block {
				continue
			}
			if before = i; nth == 0 {
				break
			}
			nth--
		}
	}
	for i := before - 1; i >= 0; i-- {
		if own, ok := lastOwn(p, f.Path[i]); ok {
			return bytecode.Location{Code: p.ID, PC: own}
		}
	}
	return bytecode.Location{Code: p.ID, PC: pc}
}

// lastOwn is the last instruction of a block that is not shared; false when all are.
func lastOwn(p *bytecode.Program, block bytecode.BlockID) (own uint32, ok bool) {
	b := p.Blocks[block]
	bytecode.Instructions(p.Bytes[b.Start:b.End], func(pc uint32) bool {
		if !p.Code.IsShared(b.Start + pc) {
			own, ok = b.Start+pc, true
		}
		return true
	})
	return own, ok
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
