package compile

import (
	"slices"
	"strings"
)

// This file finds what code decodes byte strings to: `bytes` in an ABI says nothing of what has to be in them, but abi.decode names
// the types, and so does what a function returns that decodes them by hand.

// Bounds of what is kept. Arbitrary: a project decodes some tens.
const (
	maxEncodings     = 64 // of a contract
	maxEncodingDepth = 16
	maxFields        = 32 // of a struct, or of what is decoded at once
	// maxEncodingText bounds the text of one: structs of structs could make it endless.
	maxEncodingText = 1 << 12
)

// decoderWords are in the names of functions that make values of a byte string.
var decoderWords = []string{"decode", "parse", "unpack"}

// typeDeclarations are the declarations of a unit's types, by AST id.
type typeDeclarations map[int]*Node

func typeDeclarationsOf(sources []*Source) typeDeclarations {
	d := typeDeclarations{}
	for _, source := range sources {
		if source.AST == nil {
			continue
		}
		source.AST.Walk(func(n *Node) bool {
			switch n.Type {
			case "ContractDefinition", "StructDefinition", "EnumDefinition", "UserDefinedValueTypeDefinition":
				d[n.ID] = n
			}
			return n.Type == "SourceUnit" || n.Type == "ContractDefinition"
		})
	}
	return d
}

// encodingsOf lists what a source decodes byte strings to, as types of parameters, "(uint256,(address,bytes)[])", each once, in its order.
func (d typeDeclarations) encodingsOf(source *Source) (found []string) {
	add := func(types []string, ok bool) {
		if text := "(" + strings.Join(types, ",") + ")"; ok && len(types) > 0 && !slices.Contains(found, text) && len(found) < maxEncodings {
			found = append(found, text)
		}
	}
	source.AST.Walk(func(n *Node) bool {
		switch n.Type {
		case "FunctionDefinition":
			if results := n.Child("returnParameters"); results != nil && isDecoder(n) {
				add(d.declared(results.Children, 0))
			}
		case "FunctionCall":
			if types := decodedTypes(n); types != nil {
				add(d.typesOf(types.Children, 0))
			}
		}
		return true
	})
	return found
}

// isDecoder reports whether a function is one that decodes a byte string, by its name and its parameter.
func isDecoder(n *Node) bool {
	name := strings.ToLower(n.Attribute("name"))
	if !slices.ContainsFunc(decoderWords, func(word string) bool { return strings.Contains(name, word) }) {
		return false
	}
	parameters := n.Child("parameters")
	if parameters == nil || len(parameters.Children) != 1 {
		return false
	}
	t := parameters.Children[0].Child("typeName")
	return t != nil && t.Type == "ElementaryTypeName" && t.Attribute("name") == "bytes"
}

// decodedTypes is the second argument of abi.decode; nil where a call is another one.
func decodedTypes(n *Node) *Node {
	called := n.Child("expression")
	if called == nil || called.Type != "MemberAccess" || called.Attribute("memberName") != "decode" {
		return nil
	}
	if of := called.Child("expression"); of == nil || of.Type != "Identifier" || of.Attribute("name") != "abi" {
		return nil
	}
	arguments := n.All("arguments")
	if len(arguments) != 2 || arguments[1].Type != "TupleExpression" {
		return nil
	}
	return arguments[1]
}

// declared are the types of variables: parameters, or members of a struct.
func (d typeDeclarations) declared(variables []*Node, depth int) ([]string, bool) {
	names := make([]*Node, len(variables))
	for i, v := range variables {
		names[i] = v.Child("typeName")
	}
	return d.typesOf(names, depth)
}

// typesOf are the types that nodes name; false where the ABI lacks one, or they are too many.
func (d typeDeclarations) typesOf(names []*Node, depth int) (types []string, ok bool) {
	if len(names) > maxFields || depth > maxEncodingDepth {
		return nil, false
	}
	length := 0
	for _, n := range names {
		t, ok := d.typeOf(n, depth+1)
		if length += len(t); !ok || length > maxEncodingText {
			return nil, false
		}
		types = append(types, t)
	}
	return types, true
}

// typeOf is the ABI's type (ABI specification, "Mapping Solidity to ABI types") for a type's name, or for an expression that names it; false where
// the ABI has none.
func (d typeDeclarations) typeOf(n *Node, depth int) (string, bool) {
	if n == nil || depth > maxEncodingDepth {
		return "", false
	}
	switch n.Type {
	case "ElementaryTypeName":
		return elementaryType(n.Attribute("name"))
	case "ElementaryTypeNameExpression":
		inner, _ := strings.CutPrefix(n.ValueType, "type(")
		inner, _, _ = strings.Cut(inner, ")")
		inner, _, _ = strings.Cut(inner, " ") // "bytes storage pointer", "address payable"
		return elementaryType(inner)
	case "ArrayTypeName":
		return d.arrayOf(n.Child("baseType"), n.Child("length"), depth)
	case "IndexAccess":
		return d.arrayOf(n.Child("baseExpression"), n.Child("indexExpression"), depth)
	case "UserDefinedTypeName", "Identifier", "MemberAccess":
		id, _ := n.Int("referencedDeclaration")
		return d.userType(d[id], depth)
	}
	return "", false
}

func (d typeDeclarations) arrayOf(element, length *Node, depth int) (string, bool) {
	t, ok := d.typeOf(element, depth+1)
	switch {
	case !ok:
		return "", false
	case length == nil:
		return t + "[]", true
	case length.Type == "Literal":
		return t + "[" + length.Attribute("value") + "]", true
	}
	return "", false // a constant, which is seldom
}

// userType is the ABI's type for one that the sources declare.
func (d typeDeclarations) userType(n *Node, depth int) (string, bool) {
	if n == nil {
		return "", false
	}
	switch n.Type {
	case "ContractDefinition":
		return "address", true
	case "EnumDefinition":
		return "uint8", true
	case "UserDefinedValueTypeDefinition":
		return d.typeOf(n.Child("underlyingType"), depth+1)
	case "StructDefinition":
		types, ok := d.declared(n.All("members"), depth)
		return "(" + strings.Join(types, ",") + ")", ok && len(types) > 0
	}
	return "", false
}

// elementaryType is the ABI's name of an elementary type.
func elementaryType(name string) (string, bool) {
	switch name {
	case "uint", "int":
		return name + "256", true
	case "byte":
		return "bytes1", true
	case "var", "":
		return "", false
	}
	return strings.TrimSuffix(name, " payable"), true
}

// giveEncodings gives every contract what its own source decodes, and then what the sources that it imports do.
func (o *Output) giveEncodings() {
	declared := typeDeclarationsOf(o.Sources)
	known, sources := map[string][]string{}, map[string]*Source{}
	for _, s := range o.Sources {
		if s.AST != nil {
			sources[s.Path], known[s.Path] = s, declared.encodingsOf(s)
		}
	}
	reached := map[string][]string{} // by source
	for _, c := range o.Contracts {
		if _, done := reached[c.Source]; !done {
			reached[c.Source] = encodingsFrom(c.Source, sources, known)
		}
		c.Encodings = reached[c.Source]
	}
}

// encodingsFrom lists the encodings of a source and of those that it imports, the nearest first.
func encodingsFrom(source string, sources map[string]*Source, known map[string][]string) (found []string) {
	met := map[string]bool{source: true}
	for queue := []string{source}; len(queue) > 0; queue = queue[1:] {
		s := sources[queue[0]]
		if s == nil {
			continue
		}
		for _, encoding := range known[s.Path] {
			if !slices.Contains(found, encoding) && len(found) < maxEncodings {
				found = append(found, encoding)
			}
		}
		for _, imported := range s.imports() {
			if !met[imported] {
				met[imported] = true
				queue = append(queue, imported)
			}
		}
	}
	return found
}
