package diffmap

import (
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file finds the seam between a modifier and what its "_" stands for. In
// legacy code the placeholder has no instruction of its own: the code of the
// function, or of the next modifier, follows the modifier's directly. The first
// instruction of it stands for the placeholder.

// seam is what the code behind a modifier's stands for.
type seam struct {
	selection   *selection // of the source that holds the modifier
	placeholder int32      // its "_"
}

// findSeams adds the seams of an artefact, by the instruction that follows, and
// marks their placeholders as having code.
//
// The modifier depth of the source map rises at a seam (solc documentation,
// "Source Mappings"). Compilers before 0.6 write none; there a modifier whose
// placeholder comes last is left only through it.
func findSeams(a *artefact, selections map[int]*selection, seams map[bytecode.Location]seam) {
	if a.style.shuffled {
		return // the placeholder has code of its own there
	}
	hasDepth := false
	for _, e := range a.entries {
		hasDepth = hasDepth || e.ModifierDepth > 0
	}
	var before instruction
	for pc, e := range a.instructions() {
		sel := selections[before.File]
		entered := sel != nil && e.ModifierDepth > before.ModifierDepth
		if sel != nil && !hasDepth {
			entered = leavesModifier(sel.tree, before.Start, selections[e.File], e.Start)
		}
		if entered {
			if n, ok := sel.tree.placeholderBehind(before.Start); ok {
				seams[bytecode.Location{Code: a.program.ID, PC: pc}] = seam{sel, n}
				sel.tree.nodes[n].code = true
			}
		}
		before = e
	}
}

// modifierAt is the modifier that holds the byte at offset.
func (t *sourceTree) modifierAt(offset int) (int32, bool) {
	if offset < 0 || offset >= len(t.text) {
		return 0, false
	}
	n, ok := t.callable(t.innermost(offset))
	return n, ok && t.nodes[n].kind == modifierNode
}

// placeholderBehind is the first "_" behind offset inside the same modifier.
func (t *sourceTree) placeholderBehind(offset int) (int32, bool) {
	modifier, ok := t.modifierAt(offset)
	if !ok {
		return 0, false
	}
	for i := modifier; int(i) < len(t.nodes) && t.nodes[i].start < t.nodes[modifier].end; i++ {
		if t.nodes[i].start > offset && t.nodes[i].astType() == "PlaceholderStatement" {
			return i, true
		}
	}
	return 0, false
}

// leavesModifier tells whether two instructions in a row, compiled from what
// stands at offsets before of t and after of sel, go from a modifier that
// ends with its placeholder to the code of another function or modifier. A
// constant's literal, which lies elsewhere too, is part of the modifier.
func leavesModifier(t *sourceTree, before int, sel *selection, after int) bool {
	modifier, ok := t.modifierAt(before)
	if !ok || sel == nil || after < 0 || after >= len(sel.tree.text) {
		return false
	}
	if n, ok := sel.tree.callable(sel.tree.innermost(after)); !ok || sel.tree == t && n == modifier {
		return false
	}
	last, ok := t.placeholderBehind(before)
	if !ok {
		return false
	}
	for i := last + 1; int(i) < len(t.nodes) && t.nodes[i].start < t.nodes[modifier].end; i++ {
		if t.nodes[i].kind == statementNode {
			return false
		}
	}
	return t.nodes[t.nodes[last].parent].kind == bodyNode && t.nodes[t.nodes[t.nodes[last].parent].parent].kind == modifierNode
}
