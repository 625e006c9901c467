package compile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/sightline-evm/sightline/internal/jsontext"
)

// This file reads the compact form of an AST from its text, without decoding what no [Node] keeps: ASTs are most of a build. What it
// makes is what [astParser] makes of the decoded text, which reads everything that is out of the ordinary, and says what is wrong with it.

// readCompact is the tree of a compact AST; nil where the other way has to read it.
func readCompact(text []byte, depth int) *Node {
	r := compactReader{text: text, depth: depth, names: map[string]string{}, strings: map[string]any{}}
	end, ok := r.value(jsontext.Space(text, 0), 0)
	if !ok || jsontext.Space(text, end) != len(text) || len(r.found) != 1 || r.text[jsontext.Space(text, 0)] != '{' {
		return nil
	}
	root := r.found[0]
	if root.isPart || root.node.Type == "YulObject" {
		return nil
	}
	return root.node
}

// compactReader reads values; what it has of the objects around the present place is on stacks.
type compactReader struct {
	text    []byte
	depth   int      // most layers of values
	members []member // of the objects around
	found   []foundNode
	names   map[string]string // names of fields and types, and short values: the few that a source has are held once each
	strings map[string]any    // the same, as attributes
	// typeString is that field of the object that was read last, as it stands there.
	typeString []byte
}

// member is a field of an object, and the nodes in it: those in found from first on, before last.
type member struct {
	name, value []byte
	first, last int
	typeString  []byte // a field of the value, as it stands there
	kept        bool   // among the attributes of the node
}

// foundNode is a node whose parent is still to come.
type foundNode struct {
	node   *Node
	isPart bool // of an object or array that is not a node
}

// value reads the value that begins at i; the nodes in it are found. It is not ok where the text has to be decoded.
func (r *compactReader) value(i, depth int) (end int, ok bool) {
	if i >= len(r.text) || depth > r.depth {
		return 0, false
	}
	switch r.text[i] {
	case '{':
		return r.object(i+1, depth+1)
	case '[':
		return r.array(i+1, depth+1)
	}
	end = jsontext.End(r.text, i)
	return end, end >= 0
}

func (r *compactReader) array(i, depth int) (end int, ok bool) {
	first := len(r.found)
	if i = jsontext.Space(r.text, i); i < len(r.text) && r.text[i] == ']' {
		return i + 1, true
	}
	for {
		if i, ok = r.value(i, depth); !ok {
			return 0, false
		}
		if i = jsontext.Space(r.text, i); i >= len(r.text) {
			return 0, false
		}
		switch r.text[i] {
		case ',':
			i = jsontext.Space(r.text, i+1)
		case ']':
			r.markParts(first)
			return i + 1, true
		default:
			return 0, false
		}
	}
}

func (r *compactReader) markParts(first int) {
	for i := range r.found[first:] {
		r.found[first+i].isPart = true
	}
}

func (r *compactReader) object(i, depth int) (end int, ok bool) {
	begin, first := len(r.members), len(r.found)
	if i = jsontext.Space(r.text, i); i < len(r.text) && r.text[i] == '}' {
		r.typeString = nil
		return i + 1, true
	}
	for {
		name, next, ok := r.name(i)
		if !ok {
			return 0, false
		}
		before := len(r.found)
		if i, ok = r.value(next, depth); !ok {
			return 0, false
		}
		m := member{name: name, value: r.text[next:i], first: before, last: len(r.found)}
		if r.text[next] == '{' {
			m.typeString = r.typeString
		}
		r.members = append(r.members, m)
		if i = jsontext.Space(r.text, i); i >= len(r.text) {
			return 0, false
		}
		switch r.text[i] {
		case ',':
			i = jsontext.Space(r.text, i+1)
			continue
		case '}':
		default:
			return 0, false
		}
		ok = r.close(begin, first)
		return i + 1, ok
	}
}

// name reads a field's name and the colon; it is not ok if the name is not plain.
func (r *compactReader) name(i int) (name []byte, next int, ok bool) {
	if i >= len(r.text) || r.text[i] != '"' {
		return nil, 0, false
	}
	end := jsontext.StringEnd(r.text, i)
	if end < 0 {
		return nil, 0, false
	}
	name = r.text[i+1 : end-1]
	for _, c := range name {
		if c == '\\' || c >= 0x80 {
			return nil, 0, false
		}
	}
	if i = jsontext.Space(r.text, end); i >= len(r.text) || r.text[i] != ':' {
		return nil, 0, false
	}
	return name, jsontext.Space(r.text, i+1), true
}

// close ends an object whose members begin at begin, and the nodes in them at first: they are a node's children, or parts of what is around.
func (r *compactReader) close(begin, first int) bool {
	members := r.members[begin:]
	r.members = r.members[:begin]
	byName := func(a, b member) int { return bytes.Compare(a.name, b.name) }
	if sorted := slices.IsSortedFunc(members, byName); !sorted {
		slices.SortFunc(members, byName)
	}
	var kind, src []byte
	r.typeString = nil
	for i := range members {
		m := &members[i]
		if i > 0 && bytes.Equal(m.name, members[i-1].name) {
			return false // the last one counts
		}
		switch string(m.name) {
		case "nodeType":
			kind = m.value
		case "src":
			src = m.value
		case "typeString":
			r.typeString = m.value
		}
	}
	if len(kind) == 0 || kind[0] != '"' || len(kind) == len(`""`) || len(src) == 0 || src[0] != '"' {
		r.reorder(members, first)
		return true
	}
	n, ok := r.node(members, kind, src)
	r.found = append(r.found[:first], foundNode{node: n})
	return ok
}

// reorder puts the nodes of an object that is not one, which are in found from first on, in the order of its members.
func (r *compactReader) reorder(members []member, first int) {
	inOrder := make([]foundNode, 0, len(r.found)-first)
	for _, m := range members {
		inOrder = append(inOrder, r.found[m.first:m.last]...)
	}
	copy(r.found[first:], inOrder)
	r.markParts(first)
}

// node makes a node of its members, which are in order of their names.
func (r *compactReader) node(members []member, kind, src []byte) (*Node, bool) {
	n := &Node{}
	var ok bool
	if n.Type, ok = r.string(kind); !ok {
		return nil, false
	}
	if n.Start, n.Length, n.File, ok = compactRange(src); !ok {
		return nil, false
	}
	nodes, kept := 0, 0
	for i := range members {
		m := &members[i]
		if name := string(m.name); name == "nodeType" || name == "src" || name == "id" {
			continue
		}
		nodes += m.last - m.first
		if m.kept = m.last == m.first && m.value[0] != 'n' && keepsAttribute(n.Type, string(m.name)); m.kept {
			kept++
		}
	}
	if nodes > 0 {
		n.Children = make([]*Node, 0, nodes)
	}
	if kept > 0 {
		n.Attributes = make(Attributes, 0, kept)
	}
	ok = r.fill(n, members)
	byStart := func(a, b *Node) int { return cmp.Compare(a.Start, b.Start) } // see astParser.node
	if !slices.IsSortedFunc(n.Children, byStart) {
		slices.SortStableFunc(n.Children, byStart)
	}
	return n, ok
}

// fill gives a node what its members say.
func (r *compactReader) fill(n *Node, members []member) (ok bool) {
	for i := range members {
		m := &members[i]
		switch string(m.name) {
		case "nodeType", "src":
			continue
		case "id":
			n.ID, _ = compactInt(m.value)
			continue
		case "typeDescriptions":
			if len(m.typeString) > 0 && m.typeString[0] == '"' {
				if n.ValueType, ok = r.string(m.typeString); !ok {
					return false
				}
			}
		}
		if m.last > m.first {
			role := r.once(m.name)
			for _, child := range r.found[m.first:m.last] {
				child.node.Role, child.node.Parent = role, n
				n.Children = append(n.Children, child.node)
			}
		} else if m.kept {
			n.Attributes = append(n.Attributes, Attribute{r.once(m.name), r.attribute(m.value)})
		}
	}
	return true
}

// string is a string, held once.
func (r *compactReader) string(value []byte) (string, bool) {
	if bytes.IndexByte(value, '\\') < 0 && isASCII(value) {
		return r.once(value[1 : len(value)-1]), true
	}
	return jsontext.String(value)
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// once is a string of bytes, the same for all that are equal.
func (r *compactReader) once(text []byte) string {
	if known, ok := r.names[string(text)]; ok {
		return known
	}
	s := string(text)
	r.names[s] = s
	return s
}

// maxHeldOnce is the length of texts of attributes that are held once each, in bytes. Names are that short; arbitrary.
const maxHeldOnce = 64

// attribute is a value without nodes, as [attribute] makes it of the decoded value.
func (r *compactReader) attribute(value []byte) any {
	switch value[0] {
	case '"':
		if len(value) > maxHeldOnce {
			s, _ := jsontext.String(value)
			return s
		}
		if known, ok := r.strings[string(value)]; ok {
			return known
		}
		s, _ := jsontext.String(value)
		r.strings[string(value)] = s
		return s
	case '{':
		object := map[string]any{}
		jsontext.Members(value, func(name, value []byte) bool {
			object[r.once(name)] = r.attribute(value)
			return true
		})
		return object
	case '[':
		array := []any{}
		jsontext.Elements(value, func(value []byte) bool {
			array = append(array, r.attribute(value))
			return true
		})
		return array
	case 't':
		return true
	case 'f':
		return false
	case 'n':
		return nil
	}
	if n, ok := compactInt(value); ok {
		return n
	}
	return json.Number(value).String()
}

// compactInt is [integer] of a text.
func compactInt(value []byte) (int, bool) {
	if c := value[0]; c != '-' && (c < '0' || c > '9') {
		return 0, false
	}
	n, err := strconv.Atoi(string(value))
	if err != nil {
		return 0, false
	}
	return n, true
}

// compactRange is [parseRange] of a string as it stands in JSON, where it is as compilers write it.
func compactRange(src []byte) (start, length, file int, ok bool) {
	var numbers [3]int
	field, digits := 0, 0
	for _, c := range src[1 : len(src)-1] {
		switch {
		case '0' <= c && c <= '9' && digits < 9: // fewer digits than those of offsetBits
			numbers[field] = 10*numbers[field] + int(c-'0')
			digits++
		case c == ':' && digits > 0 && field < len(numbers)-1:
			field, digits = field+1, 0
		default:
			return slowRange(src)
		}
	}
	if field < len(numbers)-1 || digits == 0 {
		return slowRange(src)
	}
	return numbers[0], numbers[1], numbers[2], true
}

func slowRange(src []byte) (start, length, file int, ok bool) {
	text, ok := jsontext.String(src)
	if !ok {
		return 0, 0, 0, false
	}
	start, length, file, err := parseRange(text)
	return start, length, file, err == nil
}
