package compile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// parseAST builds the node tree of one source from its compact AST. Every JSON
// object with a nodeType and a src is a node; inline assembly's Yul nodes are
// among them. Objects without are looked through (a using-directive's function
// list), and kept as attributes where no node is inside.
//
// The old form needs the source's id and, not everywhere, its text.
func parseAST(ast []byte, source *Source, depth int) (*Node, error) {
	if root := readCompact(ast, depth); root != nil {
		return root, nil
	}
	return decodeAST(ast, source, depth)
}

// decodeAST is parseAST for any form.
func decodeAST(ast []byte, source *Source, depth int) (*Node, error) {
	decoder := json.NewDecoder(bytes.NewReader(ast))
	decoder.UseNumber()
	var root map[string]any
	if err := decoder.Decode(&root); err != nil {
		return nil, fmt.Errorf("its AST is not an object: %w", err)
	}
	if root["nodeType"] == "YulObject" {
		if source.Text == nil {
			return nil, notSolidity("", yulLanguage)
		}
		root = yulUnit(root, source)
	}
	if isLegacy(root) {
		var err error
		if root, err = (&legacyAST{source, depth}).unit(root); err != nil {
			return nil, err
		}
	}
	if !isNode(root) {
		return nil, fmt.Errorf("its AST is not a node: nodeType and src are missing")
	}
	p := astParser{depth: depth, types: map[string]string{}}
	return p.node(root, "", nil, 0)
}

// astParser carries the limit through the recursion, and the names of types: the few that
// a source has are held once each.
type astParser struct {
	depth int
	types map[string]string
}

func isNode(object map[string]any) bool {
	nodeType, ok := object["nodeType"].(string)
	if !ok || nodeType == "" {
		return false
	}
	_, ok = object["src"].(string)
	return ok
}

func (p *astParser) node(object map[string]any, role string, parent *Node, depth int) (*Node, error) {
	if depth > p.depth {
		return nil, &reading.Error{Problem: fmt.Sprintf("its AST nests deeper than %d nodes", p.depth), Kind: reading.ErrTooLarge}
	}
	n := &Node{Type: text(object["nodeType"]), Parent: parent, Role: role}
	var err error
	if n.Start, n.Length, n.File, err = parseRange(text(object["src"])); err != nil {
		return nil, fmt.Errorf("its AST has a %s: %w", reading.Shorten(n.Type), err)
	}
	if id, ok := integer(object["id"]); ok {
		n.ID = id
	}
	if types, ok := object["typeDescriptions"].(map[string]any); ok {
		n.ValueType = p.once(text(types["typeString"]))
	}
	names := make([]string, 0, len(object))
	for name := range object {
		if name != "nodeType" && name != "src" && name != "id" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		value := object[name]
		if !containsNode(value, p.depth) {
			if value != nil && keepsAttribute(n.Type, name) {
				n.set(name, attribute(value))
			}
			continue
		}
		if err := p.children(n, name, value, depth+1); err != nil {
			return nil, err
		}
	}
	// By start, then by field and place in it: empty nodes, such as a missing parameter
	// list, share their start with the node after them.
	slices.SortStableFunc(n.Children, func(a, b *Node) int { return cmp.Compare(a.Start, b.Start) })
	return n, nil
}

// once is a string equal to s, the same for all that are equal.
func (p *astParser) once(s string) string {
	if known, ok := p.types[s]; ok {
		return known
	}
	p.types[s] = s
	return s
}

// keepsAttribute reports whether a field of a node is among its Attributes: those that tell something about the code. The places
// of names, and what else types of expressions have than names, are most of an AST, and are not used. Of types, those of
// variables are kept, and those of arrays, whose length only they say; of imports, what they mean.
func keepsAttribute(node, name string) bool {
	switch name {
	case "abstract", "constant", "contractKind", "fullyImplemented", "hexValue", "isConstructor", "kind", "linearizedBaseContracts", "memberName", "mutability",
		"name", "operator", "referencedDeclaration", "stateMutability", "stateVariable", "storageLocation", "subdenomination", "value", "virtual", "visibility":
		return true
	case "absolutePath":
		return node == "ImportDirective"
	case "typeDescriptions":
		return node == "VariableDeclaration" || node == "ArrayTypeName"
	}
	return false
}

// set gives the node an attribute.
func (n *Node) set(name string, value any) {
	for i := range n.Attributes {
		if n.Attributes[i].Name == name {
			n.Attributes[i].Value = value
			return
		}
	}
	n.Attributes = append(n.Attributes, Attribute{name, value})
}

// text is a value that is a string, else "".
func text(value any) string {
	s, _ := value.(string)
	return s
}

// children adds the nodes of a field to n.
func (p *astParser) children(n *Node, role string, value any, depth int) error {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			if err := p.children(n, role, element, depth); err != nil {
				return err
			}
		}
	case map[string]any:
		if isNode(v) {
			child, err := p.node(v, role, n, depth)
			if err != nil {
				return err
			}
			n.Children = append(n.Children, child)
			return nil
		}
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if err := p.children(n, role, v[name], depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// containsNode reports whether value is or holds a node, looking through at most
// depth layers of arrays and plain objects.
func containsNode(value any, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			if containsNode(element, depth-1) {
				return true
			}
		}
	case map[string]any:
		if isNode(v) {
			return true
		}
		for _, element := range v {
			if containsNode(element, depth-1) {
				return true
			}
		}
	}
	return false
}

// attribute makes whole numbers ints; other values stay as they are.
func attribute(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, ok := integer(v); ok {
			return n
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = attribute(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = attribute(v[name])
		}
	}
	return value
}

// integer is the value of a JSON number that is whole.
func integer(value any) (int, bool) {
	number, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(number.String())
	return n, err == nil
}

// parseRange reads a node's src, "start:length:file".
func parseRange(src string) (start, length, file int, err error) {
	fields := strings.SplitN(src, ":", 4)
	if len(fields) != 3 {
		return 0, 0, 0, fmt.Errorf("%q is not a source range", reading.Shorten(src))
	}
	var numbers [3]int
	for i, field := range fields {
		n, err := strconv.ParseInt(field, 10, offsetBits)
		if err != nil || n < -1 {
			return 0, 0, 0, fmt.Errorf("%q is not a source range", reading.Shorten(src))
		}
		numbers[i] = int(n)
	}
	return numbers[0], max(numbers[1], 0), numbers[2], nil
}

// checkRanges makes sure that every node lies in its source or is marked as
// generated.
func checkRanges(source *Source) error {
	var wrong *Node
	source.AST.Walk(func(n *Node) bool {
		if n.Start >= 0 && (n.File != source.ID || source.Text != nil && n.End() > len(source.Text)) && wrong == nil {
			wrong = n
		}
		return wrong == nil
	})
	switch {
	case wrong == nil:
		return nil
	case wrong.File != source.ID:
		return &reading.Error{Place: source.Path, Kind: reading.ErrFormat,
			Problem: fmt.Sprintf("its AST has a %s of the source with id %d, but its own is %d", reading.Shorten(wrong.Type), wrong.File, source.ID),
			Remedy:  "give the file as the compiler wrote it"}
	}
	return &reading.Error{Place: source.Path, Kind: ErrStale,
		Problem: fmt.Sprintf("its AST has a %s at bytes %d to %d of a text of %d", reading.Shorten(wrong.Type), wrong.Start, wrong.End(), len(source.Text)),
		Remedy:  "input and output are of different builds: build again"}
}

// Walk calls visit with n and the nodes below it, parents first, in source
// order. Where visit answers false, the nodes below are left out.
func (n *Node) Walk(visit func(*Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for _, child := range n.Children {
		child.Walk(visit)
	}
}

// Child is the first child with this role; nil when there is none.
func (n *Node) Child(role string) *Node {
	for _, child := range n.Children {
		if child.Role == role {
			return child
		}
	}
	return nil
}

// All are the children with this role.
func (n *Node) All(role string) []*Node {
	var all []*Node
	for _, child := range n.Children {
		if child.Role == role {
			all = append(all, child)
		}
	}
	return all
}

// Int is a whole-number attribute of the node; false when absent.
func (n *Node) Int(name string) (int, bool) {
	v, ok := n.Attributes.Get(name).(int)
	return v, ok
}
