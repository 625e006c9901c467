package oracle

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// last stands for the end of a frame.
const last = -1

// statement is the instruction at pc, run for the nth time in a frame (from 0), if it is a
// statement's own; else, in code that statements share, the last instruction of one that
// the frame ran before that, or before its end ([last]): the jump to the shared code. Where
// too little of the frame's path is known, it is pc.
func statement(f *evm.Frame, pc uint32, nth int) bytecode.Location {
	at := bytecode.Location{Code: f.Program.ID, PC: pc}
	if f.Program.Code == nil || !f.Program.Code.IsShared(pc) {
		return at
	}
	path := f.Path // until then
	switch {
	case nth == last && f.PathTruncated:
		path = f.Tail
	case f.PathTruncated:
		return at
	case nth != last:
		path = until(f, pc, nth)
	}
	for _, block := range slices.Backward(path) {
		if own, ok := lastOwn(f.Program, block); ok {
			at.PC = own
			break
		}
	}
	return at
}

// until are the blocks of a frame's path before the one with pc that it ran for the nth
// time.
func until(f *evm.Frame, pc uint32, nth int) []bytecode.BlockID {
	block, _ := f.Program.BlockOf(pc)
	before := len(f.Path)
	for i, b := range f.Path {
		if b != block {
			continue
		}
		if before = i; nth == 0 {
			break
		}
		nth--
	}
	return f.Path[:before]
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
