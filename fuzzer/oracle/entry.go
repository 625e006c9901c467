package oracle

import (
	"encoding/binary"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// FunctionEntry is the block that the dispatcher jumps to for a selector: the
// function's own code, wherever it fails; where that is shared code, which decodes
// arguments, the function's first instruction after it. The frame's start when the
// dispatcher does not compare selectors.
func FunctionEntry(f *evm.Frame, selector [4]byte) bytecode.Location {
	entry := bytecode.Location{Code: f.Program.ID}
	want := uint64(binary.BigEndian.Uint32(selector[:]))
	for _, c := range f.Comparisons {
		if c.Op != byte(vm.EQ) || !c.Taken || !(c.Left.IsUint64() && c.Left.Uint64() == want) || c.Left != c.Right {
			continue
		}
		for i, block := range f.Path[:max(len(f.Path)-1, 0)] {
			if block == c.Block {
				entry.PC = f.Program.Blocks[f.Path[i+1]].Start
				if f.Program.Code != nil && f.Program.Code.IsShared(entry.PC) {
					entry.PC = firstOwn(f.Program, f.Path[i+1:], entry.PC)
				}
				return entry
			}
		}
	}
	return entry
}

// firstOwn is the first instruction on a path that is not shared; otherwise where all are.
func firstOwn(p *bytecode.Program, path []bytecode.BlockID, otherwise uint32) uint32 {
	for _, block := range path {
		b := p.Blocks[block]
		for pc := b.Start; pc < b.End; pc += 1 + bytecode.PushSize(p.Bytes[pc]) {
			if !p.Code.IsShared(pc) {
				return pc
			}
		}
	}
	return otherwise
}
