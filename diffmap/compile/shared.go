package compile

import "github.com/sightline-evm/sightline/internal/bytecode"

// findShared finds the code of the intermediate language that the compiler made for the
// contract as a whole: its source range is that of a contract's declaration, or none.
func (c *Contract) findShared(sources map[int]*Source) {
	for _, artifact := range []struct {
		code    *bytecode.Code
		entries SourceMap
	}{{c.Creation, c.CreationMap}, {c.Runtime, c.RuntimeMap}} {
		if artifact.code == nil {
			continue
		}
		open := false // the last range goes on
		for pc, entry := range artifact.entries.Instructions(artifact.code.Bytes) {
			if !isOfContract(sources[entry.File], entry) {
				open = false
				continue
			}
			if !open {
				artifact.code.Shared = append(artifact.code.Shared, bytecode.Range{Start: pc})
			}
			open = true
			artifact.code.Shared[len(artifact.code.Shared)-1].End = pc + 1
		}
	}
}

// isOfContract reports whether a range is a contract's declaration, or none at all.
func isOfContract(s *Source, entry SourceMapEntry) bool {
	if s == nil {
		return true
	}
	if s.AST == nil {
		return false
	}
	for _, n := range s.AST.Children {
		if n.Type == "ContractDefinition" && n.Start == entry.Start && n.Length == entry.Length {
			return true
		}
	}
	return false
}
