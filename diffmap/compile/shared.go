package compile

import "github.com/sightline-evm/sightline/internal/bytecode"

// findShared finds the code that the compiler wrote by itself: its source range is that of a
// contract's declaration, or none. Through the intermediate language, helpers that follow the
// function of a constant have the range of its value, which does nothing that fails or writes.
// declarations are [declarationPlaces].
func (c *Contract) findShared(sources map[int]*Source, declarations map[SourceMapEntry]bool) {
	for _, artifact := range []struct {
		code    *bytecode.Code
		entries SourceMap
	}{{c.Creation, c.CreationMap}, {c.Runtime, c.RuntimeMap}} {
		if artifact.code == nil {
			continue
		}
		list := &artifact.code.Shared
		for pc, entry := range artifact.entries.Instructions(artifact.code.Bytes) {
			if sources[entry.File] != nil && !declarations[SourceMapEntry{Start: entry.Start, Length: entry.Length, File: entry.File}] {
				continue
			}
			end := pc + 1 + bytecode.PushSize(artifact.code.Bytes[pc])
			if n := len(*list); n > 0 && (*list)[n-1].End == pc {
				(*list)[n-1].End = end
			} else {
				*list = append(*list, bytecode.Range{Start: pc, End: end})
			}
		}
	}
}

// declarationPlaces are the ranges that findShared looks for, of all sources.
func declarationPlaces(sources map[int]*Source, viaIR bool) map[SourceMapEntry]bool {
	declarations := map[SourceMapEntry]bool{}
	for _, s := range sources {
		if s.AST != nil {
			addDeclarations(declarations, s, viaIR)
		}
	}
	return declarations
}

// addDeclarations adds the ranges of a source's contracts and, via IR, of its constants.
func addDeclarations(to map[SourceMapEntry]bool, s *Source, viaIR bool) {
	declare := func(n *Node) bool {
		to[SourceMapEntry{Start: n.Start, Length: n.Length, File: s.ID}] = true
		return true
	}
	for _, n := range s.AST.Children {
		if n.Type == "ContractDefinition" {
			declare(n)
		}
	}
	if !viaIR {
		return
	}
	s.AST.Walk(func(n *Node) bool {
		if n.Type == "VariableDeclaration" && n.Attributes.Get("constant") == true {
			n.Walk(declare)
		}
		return n.Type != "FunctionDefinition"
	})
}
