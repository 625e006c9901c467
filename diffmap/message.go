package diffmap

import (
	"encoding/binary"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file finds the code of the message of a require: the second argument, a
// string or a custom error. It is used only where the condition does not hold, and
// has no range of its own there: the compiler writes that of the whole call. The
// first instruction of the branch that fails stands for the message. What a message
// is made of (names, numbers) may have been put on the stack before; that shows
// nothing. Functions that a message calls run before the condition is looked at
// (Solidity documentation, "Error handling"), and stand for themselves.

// isMessage reports whether n is the message of a require.
func isMessage(n *compile.Node) bool {
	if n.Role != "arguments" || n.Parent == nil || n.Parent.Type != "FunctionCall" {
		return false
	}
	callee := n.Parent.Child("expression")
	if callee == nil || callee.Type != "Identifier" || callee.Attribute("name") != "require" {
		return false
	}
	condition := n.Parent.Child("arguments")
	return condition != n
}

// messageOf is the message that n is part of; false where there is none, or where n
// belongs to a function that the message calls.
func (t *sourceTree) messageOf(n int32) (int32, bool) {
	for ; n >= 0; n = t.nodes[n].parent {
		node := &t.nodes[n]
		switch {
		case node.kind == messageNode:
			return n, true
		case node.kind != expressionNode, node.astType() == "FunctionCall" && !convertsType(node.ast):
			return 0, false
		}
	}
	return 0, false
}

// inMessage reports whether n is part of a message.
func (t *sourceTree) inMessage(n int32) bool {
	_, ok := t.messageOf(n)
	return ok
}

// convertsType reports whether a call is none: uint8(x).
func convertsType(n *compile.Node) bool {
	callee := n.Child("expression")
	return n.Attribute("kind") == "typeConversion" || callee != nil && callee.Type == "ElementaryTypeNameExpression"
}

// messageFinder finds the branches of an artifact that fail with messages.
type messageFinder struct {
	code    []byte
	pcs     []uint32
	entries []compile.SourceMapEntry
}

// messages are the messages that the code from a place on is of.
type messages map[bytecode.Location]placeholder

// codes are the artifacts that have any.
func (m messages) codes() map[bytecode.CodeID]bool {
	codes := map[bytecode.CodeID]bool{}
	for at := range m {
		codes[at.Code] = true
	}
	return codes
}

// find lets the code of an artifact stand for the messages of selections.
func (m messages) find(a *artifact, selections map[int]*selection) {
	byRange := map[fileRange]placeholder{} // by the range of the whole call
	for id, sel := range selections {
		for i := range sel.tree.nodes {
			if n := &sel.tree.nodes[i]; n.kind == messageNode {
				call := n.ast.Parent
				byRange[fileRange{id, call.Start, call.Length}] = placeholder{sel, int32(i)}
			}
		}
	}
	if len(byRange) == 0 {
		return
	}
	f := messageFinder{code: a.program.Bytes, pcs: make([]uint32, 0, len(a.entries)), entries: make([]compile.SourceMapEntry, 0, len(a.entries))}
	for pc, e := range a.entries.Instructions(f.code) {
		f.pcs = append(f.pcs, pc)
		f.entries = append(f.entries, e)
	}
	passed := map[fileRange]uint32{} // where the branch that was found last ends
	for i, e := range f.entries {
		op := vm.OpCode(f.code[f.pcs[i]])
		if op != vm.JUMPI && (op != vm.JUMP || !a.style.shuffled) {
			continue
		}
		at := fileRangeOf(e)
		found, ok := byRange[at]
		if !ok || f.pcs[i] < passed[at] {
			continue
		}
		var entry, end uint32
		if op == vm.JUMPI {
			entry, end, ok = f.branch(i)
		} else {
			entry, ok = f.routine(i, at)
		}
		if ok {
			passed[at] = end
			m[bytecode.Location{Code: a.program.ID, PC: entry}] = found
			found.selection.tree.nodes[found.node].code = true
		}
	}
}

// pushed is the number that the instruction before the i-th pushes.
func (f *messageFinder) pushed(i int) (uint32, bool) {
	if i == 0 {
		return 0, false
	}
	return f.pushedAt(i - 1)
}

func (f *messageFinder) pushedAt(i int) (uint32, bool) {
	pc := f.pcs[i]
	size := bytecode.PushSize(f.code[pc])
	if size == 0 || size > 4 || int(pc+1+size) > len(f.code) {
		return 0, false
	}
	var word [4]byte
	copy(word[4-size:], f.code[pc+1:pc+1+size])
	return binary.BigEndian.Uint32(word[:]), true
}

// branch is where the branch of the i-th instruction, a JUMPI, begins that fails, and
// the place behind it where that is known.
func (f *messageFinder) branch(i int) (entry, end uint32, ok bool) {
	to, known := f.pushed(i)
	switch {
	case i+1 < len(f.pcs) && f.fails(i+1):
		return f.pcs[i+1], to, true
	case known:
		if n, found := slices.BinarySearch(f.pcs, to); found && f.fails(n) {
			return to, 0, true
		}
	}
	return 0, 0, false
}

// fails reports whether the code from the i-th instruction on ends in a REVERT, whatever
// loops or routines it goes through: the labels in it are those that it pushes itself.
func (f *messageFinder) fails(i int) bool {
	labels := map[uint32]bool{f.pcs[i]: true}
	for ; i < len(f.pcs); i++ {
		if to, ok := f.pushedAt(i); ok {
			labels[to] = true
		}
		switch op := vm.OpCode(f.code[f.pcs[i]]); op {
		case vm.REVERT:
			return true
		case vm.JUMPDEST:
			if !labels[f.pcs[i]] {
				return false
			}
		case vm.JUMP:
			if i+1 == len(f.pcs) || !labels[f.pcs[i+1]] {
				return false
			}
		case vm.RETURN, vm.STOP, vm.INVALID, vm.SELFDESTRUCT:
			return false
		}
	}
	return false
}

// routine is the branch that fails in the routine that the i-th instruction, a JUMP of a
// require, calls: via-IR code has one for each message, and all requires with equal
// messages share it. Then which of them failed is unknown, and nothing is found.
func (f *messageFinder) routine(i int, at fileRange) (entry uint32, ok bool) {
	to, known := f.pushed(i)
	if !known {
		return 0, false
	}
	start, found := slices.BinarySearch(f.pcs, to)
	if !found || vm.OpCode(f.code[to]) != vm.JUMPDEST {
		return 0, false
	}
	for n, e := range f.entries {
		if value, ok := f.pushedAt(n); ok && value == to && fileRangeOf(e) != at {
			return 0, false
		}
	}
	for n := start; n < len(f.pcs); n++ {
		switch vm.OpCode(f.code[f.pcs[n]]) {
		case vm.JUMPI:
			entry, _, ok = f.branch(n)
			return entry, ok
		case vm.JUMP, vm.REVERT, vm.RETURN, vm.STOP:
			return 0, false
		}
	}
	return 0, false
}
