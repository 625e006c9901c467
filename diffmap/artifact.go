package diffmap

import (
	"bytes"
	"iter"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// artifact is one code of one contract with its source map.
type artifact struct {
	contract *compile.Contract
	program  *bytecode.Program
	entries  compile.SourceMap
	style    codeStyle
}

// codeStyle is how a compiler lays out code, as far as ownership depends on it.
type codeStyle struct {
	shuffled bool // it arranges the stack (via-IR, optimizer), see [evidence]
	hoisted  bool // it makes local variables where the function starts (before 0.5)
}

// blockScoped is the first solc that makes local variables where they are
// declared (Solidity documentation, "v0.5.0 Breaking Changes", scoping).
var blockScoped = solc.Version{Major: 0, Minor: 5, Patch: 0}

func styleOf(o *compile.Output) codeStyle {
	v, err := solc.ParseVersion(o.Compiler)
	return codeStyle{
		shuffled: o.Settings.ViaIR || o.Settings.Optimizer,
		hoisted:  err == nil && v.Less(blockScoped),
	}
}

// artifacts lists the code of an output that the table knows.
func artifacts(output *compile.Output, table *bytecode.Table) []artifact {
	var list []artifact
	for _, c := range output.Contracts {
		for _, a := range []struct {
			code    *bytecode.Code
			entries compile.SourceMap
		}{{c.Creation, c.CreationMap}, {c.Runtime, c.RuntimeMap}} {
			if a.code == nil || a.code.ID == bytecode.NoCode {
				continue
			}
			if p := table.Program(a.code.ID); p != nil && p.Code == a.code {
				list = append(list, artifact{c, p, a.entries, styleOf(output)})
			}
		}
	}
	return list
}

// evidence is what executing an instruction says of its source range.
//
// In legacy code without optimizer an instruction stands where what it was
// compiled from runs, but for what [jumpFinder] knows. Where the compiler arranges the stack (via-IR, optimizer),
// PUSH, DUP, SWAP and POP stand anywhere before or behind the operation that they
// serve, under its range; labels stand under that of either neighbor; and the
// code that computes a constant under that of another use of the constant.
// Measured with solc 0.8.30: a return address is pushed three statements early,
// and "revert Bad(…)" holds instructions of another "revert Bad(…)".
type evidence uint8

const (
	ranRange evidence = 1 << iota // the node with this range ran
	ranLabel                      // a label of it was passed: a function was entered
	ranPart                       // the node ran, unless it is a function: that has a label of its own
	ranEnd                        // the node ran, unless it is a catch clause: that may end before
)

// proves reports whether evidence shows that n ran. A function's label is its
// entry in all code.
func (e evidence) proves(n *treeNode) bool {
	function := n.kind == functionNode
	return e&ranRange != 0 || e&ranLabel != 0 && function || e&ranPart != 0 && !function ||
		e&ranEnd != 0 && n.astType() != "TryCatchClause"
}

// instruction is an instruction's source range and what executing it says.
type instruction struct {
	compile.SourceMapEntry
	evidence evidence
}

// bytes is the range of the instruction's source.
func (i instruction) bytes() byteRange { return byteRange{i.Start, i.Start + i.Length} }

// isOfAny reports whether an instruction has a range of one of the files.
func (a *artifact) isOfAny(files func(id int) bool) bool {
	last := -1 // most instructions are of the file of the one before
	for i := range a.entries {
		if file := a.entries.At(i).File; file != last {
			if files(file) {
				return true
			}
			last = file
		}
	}
	return false
}

// instructions walks over the instructions that have a source map entry, by pc.
func (a *artifact) instructions() iter.Seq2[uint32, instruction] {
	return func(yield func(uint32, instruction) bool) {
		constants := 0 // values on top of the stack that the code before computed from nothing
		clauses := clauseFinder{code: a.program.Bytes}
		jumps := jumpFinder{artifact: a}
		for pc, entry := range a.entries.Instructions(a.program.Bytes) {
			var found evidence
			if a.style.shuffled {
				found = evidenceOf(vm.OpCode(a.program.Bytes[pc]), &constants)
				if clauses.decides(pc) {
					found = 0
				}
			} else {
				found = jumps.evidenceOf(pc, entry)
			}
			if !yield(pc, instruction{entry, found}) {
				return
			}
		}
	}
}

// evidenceOf is what executing op says in code whose stack is arranged. It
// counts the constants on the stack.
func evidenceOf(op vm.OpCode, constants *int) evidence {
	known := *constants
	*constants = 0
	switch {
	case op == vm.JUMPDEST:
		return ranLabel
	case op.IsPush():
		*constants = known + 1
		return 0
	case op >= vm.DUP1 && op <= vm.DUP16 && int(op-vm.DUP1) < known:
		*constants = known + 1 // of one of them: 2^255 − 1 begins with PUSH1 1 DUP1
		return 0
	case op == vm.POP, op >= vm.DUP1 && op <= vm.SWAP16:
		return 0
	case op == vm.NOT && known >= 1:
		*constants = known
		return 0
	case computesConstants(op) && known >= 2:
		*constants = known - 1
		return 0
	}
	return ranRange
}

// computesConstants reports whether solc makes constants with op (libevmasm,
// ConstantOptimizer.cpp).
func computesConstants(op vm.OpCode) bool {
	switch op {
	case vm.SHL, vm.EXP, vm.MUL, vm.ADD, vm.SUB:
		return true
	}
	return false
}

// clauseFinder follows code to find where it decides between the catch clauses of
// a try statement. The comparison of the error's selector and the jump carry the
// range of the statement that stands before them in the intermediate language:
// the last one of another clause (measured with solc 0.8.17 and 0.8.30).
type clauseFinder struct {
	code []byte
	step int // 1: a selector was pushed, 2: it was compared
}

// errorSelectors are those of Error(string) and Panic(uint256).
var errorSelectors = [][]byte{{0x08, 0xc3, 0x79, 0xa0}, {0x4e, 0x48, 0x7b, 0x71}}

// decides takes the next instruction and reports whether it is such a comparison or
// jump.
func (c *clauseFinder) decides(pc uint32) bool {
	op := vm.OpCode(c.code[pc])
	switch {
	case op == vm.PUSH4 && slices.ContainsFunc(errorSelectors, func(s []byte) bool { return bytes.HasPrefix(c.code[pc+1:], s) }):
		c.step = 1
	case op.IsPush(), op >= vm.DUP1 && op <= vm.SWAP16:
		// only arranges the stack
	case op == vm.EQ && c.step == 1:
		c.step = 2
		return true
	default:
		jump := op == vm.JUMPI && c.step == 2
		c.step = 0
		return jump
	}
	return false
}
