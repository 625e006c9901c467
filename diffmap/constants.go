package diffmap

import (
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
)

// A constant's value is compiled where the constant is used. Most values keep the
// range of their expression there, so that the declaration owns their code. Of
// others (a string in legacy code) the code has the range of the use: these stand
// for the declaration then.

// constants are the changed constants of an output and their uses.
type constants struct {
	changed map[int]*compile.Node   // declarations by AST id
	uses    map[int][]*compile.Node // by AST id of the declaration
}

// findConstants looks for the constants that changed lines declare. changes are by
// source id.
func findConstants(output *compile.Output, changes map[int][]unified.ChangedLine) constants {
	c := constants{changed: map[int]*compile.Node{}, uses: map[int][]*compile.Node{}}
	for _, s := range output.Sources {
		if len(changes[s.ID]) == 0 || s.AST == nil {
			continue
		}
		for _, n := range s.AST.Children {
			c.declare(n, changes[s.ID])
			if n.Type == "ContractDefinition" {
				for _, member := range n.Children {
					c.declare(member, changes[s.ID])
				}
			}
		}
	}
	if len(c.changed) == 0 {
		return c
	}
	for _, s := range output.Sources {
		s.AST.Walk(func(n *compile.Node) bool {
			if id, ok := n.Int("referencedDeclaration"); ok && c.changed[id] != nil && n.File == s.ID {
				c.uses[id] = append(c.uses[id], n)
			}
			return true
		})
	}
	return c
}

// declare notes n if it is a constant with a changed line.
func (c *constants) declare(n *compile.Node, changes []unified.ChangedLine) {
	if n.Type != "VariableDeclaration" || n.Attributes.Get("constant") != true {
		return
	}
	for i := range changes {
		if touches(&changes[i], n) {
			c.changed[n.ID] = n
			return
		}
	}
}

// touches reports whether changed code lies in a node, or deleted code at its edge.
func touches(l *unified.ChangedLine, n *compile.Node) bool {
	for _, s := range l.Spans {
		if s.Start < n.End() && s.End > n.Start || s.Start == s.End && s.Start <= n.End() && s.End >= n.Start {
			return true
		}
	}
	return false
}

// files lists the sources that use changed constants.
func (c *constants) files() map[int]bool {
	files := map[int]bool{}
	for _, uses := range c.uses {
		for _, n := range uses {
			files[n.File] = true
		}
	}
	return files
}

// usesOf lists the uses of the constant that a changed line of a source declares.
func (c *constants) usesOf(file int, change *unified.ChangedLine) []*compile.Node {
	var uses []*compile.Node
	for id, n := range c.changed {
		if n.File == file && touches(change, n) {
			uses = append(uses, c.uses[id]...)
		}
	}
	return uses
}
