package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// writer writes one contract.
type writer struct {
	harness  *Harness
	of       *compile.Node // the contract or library; nil: the free functions of a file
	file     int           // source id
	child    bool          // the contract inherits from of
	contract Contract
	wanted   []*compile.Node // functions and modifiers to expose

	names  map[string]bool   // taken in the contract
	states map[string]string // state variables that stand for storage parameters, by type
	header string
	pieces []*piece
	reason string // why no contract could be written; empty: one was
}

// empty reports whether no contract was written.
func (w *writer) empty() bool {
	return w.reason != "" || !w.child && !slices.ContainsFunc(w.pieces, func(p *piece) bool { return p.name != "" && !p.dropped() })
}

// piece is a member of a contract. Its texts are versions of it, the best first.
type piece struct {
	name   string // of what it exposes; empty: it exposes nothing
	texts  []string
	needed bool // the contract does not compile without it
	level  int
	reason string // why the one before was rejected
}

func (p *piece) dropped() bool { return p.level >= len(p.texts) }

func (p *piece) text() string {
	if p.dropped() {
		return ""
	}
	return p.texts[p.level]
}

// reject takes the next version; it reports false where the contract cannot do without one.
func (p *piece) reject(reason string) bool {
	p.level, p.reason = p.level+1, reason
	return !p.dropped() || !p.needed
}

// write writes all pieces.
func (w *writer) write() {
	w.header = "contract " + w.contract.Name
	w.names[w.contract.Name] = true
	if w.child {
		name, err := w.harness.unit.base(w.of)
		if err != nil {
			w.reason = err.Error()
			return
		}
		w.header += " is " + name
		w.takeInherited()
		if !w.addConstructor() || !w.implement() {
			return
		}
	}
	functions := w.companions()
	for _, f := range functions {
		if n := len(w.pieces); n > 0 && len(functions) > maxWrapped && n >= maxWrapped && !slices.Contains(w.wanted, f) {
			continue
		}
		w.expose(f)
	}
	if !w.child && !w.harness.version.Less(solc.Version{Minor: 6}) {
		w.pieces = append(w.pieces, &piece{texts: []string{"    receive() external payable {}\n"}})
	}
}

// bases are the linearized base contracts, the contract itself first.
func (w *writer) bases() []*compile.Node {
	ids, _ := w.of.Attributes.Get("linearizedBaseContracts").([]any)
	list := []*compile.Node{w.of}
	for _, value := range ids {
		id, ok := value.(int)
		if base := w.harness.unit.byID[id]; ok && base != nil && base != w.of && base.Type == "ContractDefinition" {
			list = append(list, base)
		}
	}
	return list
}

// takeInherited takes the names that the contract inherits.
func (w *writer) takeInherited() {
	for _, base := range w.bases() {
		w.names[base.Attribute("name")] = true
		for _, n := range base.Children {
			w.names[n.Attribute("name")] = true
		}
	}
}

// companions are the wanted functions, followed by those that call them, which pass what they expect
// and take what no call can bring, and by those that make the state that they need: of a library the
// others that take storage, of a contract the other internal ones that write.
func (w *writer) companions() []*compile.Node {
	list := slices.Clone(w.wanted)
	for i := 0; i < len(list); i++ {
		for _, user := range w.harness.unit.uses[list[i].ID] {
			if w.canWrap(user) && !slices.Contains(list, user) {
				list = append(list, user)
			}
		}
	}
	others := w.storing
	if w.child {
		others = w.writing
	}
	for _, n := range others() {
		if w.canWrap(n) && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// canWrap reports whether a function needs a wrapper to be called, and can have one here.
func (w *writer) canWrap(n *compile.Node) bool {
	if n.Type != "FunctionDefinition" || n.Child("body") == nil || n.Attribute("visibility") == "private" {
		return false
	}
	if w.child {
		return isInternal(n) && n.Attribute("kind") == "function" && slices.Contains(w.bases(), containerOf(n))
	}
	return containerOf(n) == w.of && n.File == w.file
}

// writing are the functions of a contract and its bases that write and that nothing overrides.
func (w *writer) writing() []*compile.Node {
	var list []*compile.Node
	overridden := map[string]bool{}
	for _, base := range w.bases() {
		for _, n := range base.Children {
			if n.Type != "FunctionDefinition" {
				continue
			}
			key := functionKey(n)
			if m := n.Attribute("stateMutability"); !overridden[key] && m != "view" && m != "pure" {
				list = append(list, n)
			}
			overridden[key] = true
		}
	}
	return list
}

// storing are the functions next to the wanted ones that take storage, if one of these does.
func (w *writer) storing() []*compile.Node {
	if !slices.ContainsFunc(w.wanted, takesStorage) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(w.wanted[0].Parent.Children), func(n *compile.Node) bool { return !takesStorage(n) })
}

// takesStorage reports whether a function has a parameter in storage.
func takesStorage(n *compile.Node) bool {
	return slices.ContainsFunc(parameters(n, "parameters"), func(p *compile.Node) bool { return p.Attribute("storageLocation") == "storage" })
}

// parameters are the nodes of a parameter list.
func parameters(n *compile.Node, list string) []*compile.Node {
	if child := n.Child(list); child != nil {
		return child.Children
	}
	return nil
}

// functionKey is the same for two functions of which one overrides the other.
func functionKey(n *compile.Node) string {
	var types []string
	for _, p := range parameters(n, "parameters") {
		types = append(types, plainType(p))
	}
	return n.Type + " " + n.Attribute("name") + "(" + strings.Join(types, ",") + ")"
}

// plainType is the compiler's text of a variable's type without its data location.
func plainType(p *compile.Node) string {
	text := typeString(p)
	for _, location := range []string{" storage pointer", " storage ref", " memory", " calldata"} {
		text = strings.ReplaceAll(text, location, "")
	}
	return text
}

// variable is a parameter or result as text.
type variable struct {
	typ, location, name string
	storage             bool
}

// declaration is the variable in a list.
func (v *variable) declaration() string {
	return strings.Join(slices.DeleteFunc([]string{v.typ, v.location, v.name}, func(s string) bool { return s == "" }), " ")
}

// variables writes a list of parameters. names are taken within the function.
func (w *writer) variables(list []*compile.Node, names map[string]bool, prefix string) ([]variable, error) {
	var out []variable
	for i, p := range list {
		t := p.Child("typeName")
		text, err := w.harness.unit.typeText(t, 0)
		if err != nil {
			return nil, err
		}
		v := variable{typ: text, storage: p.Attribute("storageLocation") == "storage" || t.Type == "Mapping"}
		if !w.harness.unit.isValue(t) {
			v.location = "memory"
			if p.Attribute("storageLocation") == "calldata" && !w.harness.version.Less(calldataSince) {
				v.location = "calldata"
			}
		}
		v.name = p.Attribute("name")
		if !isIdentifier(v.name) || strings.HasPrefix(v.name, aliasPrefix) || names[v.name] {
			v.name = fmt.Sprintf("%s%d", prefix, i)
		}
		v.name = unique(names, v.name)
		out = append(out, v)
	}
	return out, nil
}

// calldataSince is when functions that are not external may have parameters in calldata, and
// external ones in memory.
var calldataSince = solc.Version{Minor: 6, Patch: 9}

// state is the name of two state variables of a type, which stand for a parameter in storage.
func (w *writer) state(typ string) string {
	if name := w.states[typ]; name != "" {
		return name
	}
	name := unique(w.names, fmt.Sprintf("stored%d", len(w.states)))
	w.states[typ] = name
	w.pieces = append(w.pieces, &piece{texts: []string{fmt.Sprintf("    %s[2] internal %s;\n", typ, name)}, needed: true})
	return name
}

// expose writes the wrapper of a function or modifier.
func (w *writer) expose(f *compile.Node) {
	p := &piece{name: printable(f.Attribute("name"))}
	if p.name == "" {
		p.name = "a function without a name"
	}
	defer func() { w.pieces = append(w.pieces, p) }()
	callee, err := w.callee(f)
	if err != nil {
		p.reason = err.Error()
		return
	}
	taken := map[string]bool{f.Attribute("name"): true}
	in, err := w.variables(parameters(f, "parameters"), taken, "a")
	if err != nil {
		p.reason = err.Error()
		return
	}
	var declared, passed []string
	for _, v := range in {
		if !v.storage {
			declared, passed = append(declared, v.declaration()), append(passed, v.name)
			continue
		}
		second := unique(taken, v.name+"Second")
		declared = append(declared, "bool "+second)
		passed = append(passed, fmt.Sprintf("%s[%s ? 1 : 0]", w.state(v.typ), second))
	}
	head := fmt.Sprintf("    function %s(%s) public payable", unique(w.names, "expose_"+f.Attribute("name")), strings.Join(declared, ", "))
	call := fmt.Sprintf("%s(%s)", callee, strings.Join(passed, ", "))
	if f.Type == "ModifierDefinition" {
		p.texts = []string{fmt.Sprintf("%s %s {}\n", head, call)}
		return
	}
	bare := fmt.Sprintf("%s {\n        %s;\n    }\n", head, call)
	if initializer := w.initializer(f); initializer != "" {
		p.texts = append(p.texts, strings.Replace(bare, " public payable", " public payable "+initializer, 1))
	}
	if results := w.results(f, taken); results != "" {
		p.texts = append(p.texts, fmt.Sprintf("%s returns (%s) {\n        return %s;\n    }\n", head, results, call))
	}
	p.texts = append(p.texts, bare)
}

// onlyInitializing begins the names of modifiers that let functions run within one whose name begins with initializer,
// and ends alike: in OpenZeppelin's Initializable, and in those of others (ERC721A).
const onlyInitializing = "onlyInitializing"

// initializer is the modifier that a wrapper needs for the function's own to let it run; empty for none.
func (w *writer) initializer(f *compile.Node) string {
	for _, invocation := range f.Children {
		name := invocation.Child("modifierName")
		if invocation.Type != "ModifierInvocation" || name == nil || !strings.HasPrefix(name.Attribute("name"), onlyInitializing) {
			continue
		}
		wanted := "initializer" + strings.TrimPrefix(name.Attribute("name"), onlyInitializing)
		for _, base := range w.bases() {
			for _, n := range base.Children {
				if n.Type == "ModifierDefinition" && n.Attribute("name") == wanted && len(parameters(n, "parameters")) == 0 && isIdentifier(wanted) {
					return wanted
				}
			}
		}
	}
	return ""
}

// callee is how a function is named in a wrapper.
func (w *writer) callee(f *compile.Node) (string, error) {
	if !w.child {
		return w.harness.unit.declared(f)
	}
	if name := f.Attribute("name"); isIdentifier(name) {
		return name, nil
	}
	return "", fmt.Errorf("its name is not an identifier")
}

// results is what a wrapper returns; empty for nothing, also where a result cannot leave the
// contract.
func (w *writer) results(f *compile.Node, taken map[string]bool) string {
	out, err := w.variables(parameters(f, "returnParameters"), taken, "r")
	if err != nil || slices.ContainsFunc(out, func(v variable) bool { return v.storage }) {
		return ""
	}
	var texts []string
	for _, v := range out {
		if v.location != "" {
			v.location = "memory"
		}
		v.name = ""
		texts = append(texts, v.declaration())
	}
	return strings.Join(texts, ", ")
}
