package compile

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Copy returns an output whose contracts, with their code, and sources may be changed,
// and may go into a table of their own, while o stays as it is. ASTs and texts are shared.
func (o *Output) Copy() *Output {
	clone := *o
	clone.Contracts = make([]*Contract, len(o.Contracts))
	for i, c := range o.Contracts {
		own := *c
		own.Creation, own.Runtime = copyCode(own.Creation), copyCode(own.Runtime)
		clone.Contracts[i] = &own
	}
	clone.Sources = make([]*Source, len(o.Sources))
	for i, s := range o.Sources {
		own := *s
		clone.Sources[i] = &own
	}
	return &clone
}

func copyCode(code *bytecode.Code) *bytecode.Code {
	if code == nil {
		return nil
	}
	own := *code
	own.Links = slices.Clone(code.Links)
	return &own
}

// Rename gives contracts, and the links to libraries among them, other names.
func (o *Output) Rename(name func(*Contract) (source, name string)) {
	names := map[string]string{}
	for _, c := range o.Contracts {
		was := c.UnitName()
		c.Source, c.Name = name(c)
		names[was] = c.UnitName()
	}
	for _, c := range o.Contracts {
		for _, code := range []*bytecode.Code{c.Creation, c.Runtime} {
			if code == nil {
				continue
			}
			for i, link := range code.Links {
				if name, ok := names[link.Library]; ok {
					code.Links[i].Library = name
				}
			}
		}
	}
}

// Fits reports whether a text can be the one that the source was compiled from: its
// hash is that of the metadata, or, where the output has none, every node of the AST
// begins and ends with a visible character of it, and every declaration holds its name.
func (s *Source) Fits(text []byte) bool {
	if s.Keccak256 != nil {
		return bytes.Equal(s.Keccak256, crypto.Keccak256(text))
	}
	if s.AST == nil {
		return false
	}
	fits := true
	s.AST.Walk(func(n *Node) bool {
		if n.Start < 0 || n.Length == 0 || n.File != s.ID || n.Type == "SourceUnit" { // old compilers end that after the last line
			return fits
		}
		if n.End() > len(text) || isSpace(text[n.Start]) || isSpace(text[n.End()-1]) {
			fits = false
		} else if name, ok := n.Attributes.Get("name").(string); ok && declares(n) && !bytes.Contains(text[n.Start:n.End()], []byte(name)) {
			fits = false
		}
		return fits
	})
	return fits
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// declares reports whether a node writes its own name.
func declares(n *Node) bool {
	return n.Type == "ContractDefinition" || n.Type == "FunctionDefinition" || n.Type == "VariableDeclaration"
}
