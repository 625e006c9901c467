package diffmap

import (
	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// jumpFinder finds the instructions of legacy code that say less than that their
// range ran. It is asked for each instruction in turn.
//
//   - The peephole optimizer, which runs with the optimizer off too, makes one
//     conditional jump of a condition and a jump behind it ("if (c) { break; }",
//     libevmasm/PeepholeOptimizer.cpp, DoubleJump, in solc 0.8): what is left of
//     the "break" is the number of its label in front of the JUMPI, which runs
//     whether or not it is taken.
//   - An external function's arguments are decoded, and wei refused, by code with
//     the function's range, before a jump enters the function.
//   - A catch clause has no code of its own but what takes its variables from the
//     stack at its end, which it does not come to if it reverts.
type jumpFinder struct {
	artifact *artifact
	number   int // of instructions seen
	// entries are the labels of functions that a jump from the same range enters.
	entries map[fileRange]uint32
	// last is the range that was looked up last, entered is what entries has of it: the next instruction is mostly of the same.
	last    fileRange
	entered struct {
		label uint32
		known bool
	}
}

// fileRange is a range of a source, by the source's id.
type fileRange struct{ file, start, length int }

func fileRangeOf(e compile.SourceMapEntry) fileRange { return fileRange{e.File, e.Start, e.Length} }

// evidenceOf is what executing the instruction at pc says.
func (j *jumpFinder) evidenceOf(pc uint32, entry compile.SourceMapEntry) evidence {
	if j.entries == nil {
		j.findEntries()
	}
	j.number++
	code, at := j.artifact.program.Bytes, fileRangeOf(entry)
	if next := behind(code, pc); vm.OpCode(code[pc]).IsPush() && opAt(code, next) == vm.JUMPI &&
		j.number < len(j.artifact.entries) && fileRangeOf(j.artifact.entries.At(j.number)) != at {
		return 0
	}
	if at != j.last || j.number == 1 {
		j.last = at
		j.entered.label, j.entered.known = j.entries[at]
	}
	if j.entered.known && j.entered.label != pc {
		return ranPart
	}
	if vm.OpCode(code[pc]) == vm.POP {
		return ranEnd
	}
	return ranRange
}

// findEntries looks for the jumps from a range to a label of the same range; the
// last such label counts. Of loops there are such jumps, too: what is said of them
// holds for functions alone.
func (j *jumpFinder) findEntries() {
	j.entries = map[fileRange]uint32{}
	code := j.artifact.program.Bytes
	type jump struct {
		from fileRange
		to   uint32
	}
	jumps, labels := map[jump]bool{}, map[uint32]fileRange{} // by pc
	for pc, entry := range j.artifact.entries.Instructions(code) {
		switch op := vm.OpCode(code[pc]); {
		case op == vm.JUMPDEST:
			labels[pc] = fileRangeOf(entry)
		case op.IsPush() && opAt(code, behind(code, pc)) == vm.JUMP:
			to := uint32(0)
			for _, digit := range code[pc+1 : behind(code, pc)] {
				to = to<<8 | uint32(digit)
			}
			jumps[jump{fileRangeOf(entry), to}] = true
		}
	}
	for to, from := range labels {
		if jumps[jump{from, to}] {
			j.entries[from] = max(j.entries[from], to)
		}
	}
}

// behind is the pc of the instruction that follows.
func behind(code []byte, pc uint32) uint32 { return pc + 1 + bytecode.PushSize(code[pc]) }

// opAt is the instruction at pc; STOP behind the end, as the EVM has it.
func opAt(code []byte, pc uint32) vm.OpCode {
	if int(pc) >= len(code) {
		return vm.STOP
	}
	return vm.OpCode(code[pc])
}
