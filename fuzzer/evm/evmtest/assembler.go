package evmtest

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// assembler writes code with labels.
type assembler struct {
	code   []byte
	labels []int   // where each is; −1: not yet placed
	uses   []usage // to be filled in
}

// usage is a PUSH2 of a label.
type usage struct{ at, label int }

func (a *assembler) op(ops ...vm.OpCode) {
	for _, o := range ops {
		a.code = append(a.code, byte(o))
	}
}

// push writes the shortest PUSH of a word, at least a PUSH1: PUSH0 is an
// instruction of its own here, since the oldest fork has none.
func (a *assembler) push(w *uint256.Int) {
	b := w.Bytes()
	if len(b) == 0 {
		b = []byte{0}
	}
	a.code = append(a.code, byte(vm.PUSH1)+byte(len(b)-1))
	a.code = append(a.code, b...)
}

func (a *assembler) number(n uint64) { a.push(uint256.NewInt(n)) }

func (a *assembler) address(x common.Address) {
	a.code = append(a.code, byte(vm.PUSH20))
	a.code = append(a.code, x[:]...)
}

func (a *assembler) newLabel() int {
	a.labels = append(a.labels, -1)
	return len(a.labels) - 1
}

// pushLabel writes a PUSH2, which reaches all code that is made here.
func (a *assembler) pushLabel(label int) {
	a.uses = append(a.uses, usage{len(a.code) + 1, label})
	a.code = append(a.code, byte(vm.PUSH2), 0, 0)
}

// place puts a label here.
func (a *assembler) place(label int) { a.labels[label] = len(a.code) }

// dest puts a label on a JUMPDEST here.
func (a *assembler) dest(label int) {
	a.place(label)
	a.op(vm.JUMPDEST)
}

// assemble fills in the labels. All must have been placed.
func (a *assembler) assemble() []byte {
	for _, u := range a.uses {
		at := a.labels[u.label]
		if at < 0 || at > 0xffff {
			panic("evmtest: a label that is nowhere or out of reach")
		}
		a.code[u.at], a.code[u.at+1] = byte(at>>8), byte(at)
	}
	return a.code
}
