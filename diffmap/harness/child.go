package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// addConstructor writes a constructor that passes what the constructors of bases take and no
// contract gives them. It reports false where there is none.
func (w *writer) addConstructor() bool {
	bases := w.bases()
	taken := map[string]bool{}
	var declared, passed []string
	for _, base := range bases {
		own := constructorOf(base)
		if own == nil || len(parameters(own, "parameters")) == 0 || w.given(bases, base) {
			continue
		}
		name, err := w.harness.unit.base(base)
		if err != nil {
			w.reason = err.Error()
			return false
		}
		in, err := w.variables(parameters(own, "parameters"), taken, "a")
		if err != nil {
			w.reason = "its constructor: " + err.Error()
			return false
		}
		var values []string
		for _, v := range in {
			if v.storage {
				w.reason = "its constructor takes storage"
				return false
			}
			if v.location != "" {
				v.location = "memory"
			}
			declared, values = append(declared, v.declaration()), append(values, v.name)
		}
		passed = append(passed, fmt.Sprintf("%s(%s)", name, strings.Join(values, ", ")))
	}
	visibility := ""
	if w.harness.version.Less(solc.Version{Minor: 7}) {
		visibility = " public"
	}
	text := fmt.Sprintf("    constructor(%s) %s", strings.Join(declared, ", "), strings.Join(append(passed, "payable"), " "))
	w.pieces = append(w.pieces, &piece{texts: []string{text + visibility + " {}\n"}, needed: true})
	return true
}

// constructorOf is a contract's own constructor; nil when it has none.
func constructorOf(contract *compile.Node) *compile.Node {
	i := slices.IndexFunc(contract.Children, func(n *compile.Node) bool {
		return n.Type == "FunctionDefinition" && n.Attribute("kind") == "constructor"
	})
	if i < 0 {
		return nil
	}
	return contract.Children[i]
}

// given reports whether a contract passes the arguments of a base's constructor: in its list of
// bases, or at its constructor.
func (w *writer) given(contracts []*compile.Node, base *compile.Node) bool {
	names := func(n *compile.Node, role string) bool {
		name := n.Child(role)
		if name == nil {
			return false
		}
		id, ok := name.Int("referencedDeclaration")
		return ok && id == base.ID
	}
	for _, c := range contracts {
		for _, n := range c.Children {
			if n.Type == "InheritanceSpecifier" && names(n, "baseName") && n.Child("arguments") != nil {
				return true
			}
		}
		own := constructorOf(c)
		if own == nil {
			continue
		}
		for _, n := range own.Children {
			if n.Type == "ModifierInvocation" && names(n, "modifierName") {
				return true
			}
		}
	}
	return false
}

// implement writes the functions and modifiers that have no body: they return what a setter set.
// It reports false where one cannot be written.
func (w *writer) implement() bool {
	if w.of.Attributes.Get("fullyImplemented") == true {
		return true
	}
	decided, getters := map[string]bool{}, map[string]bool{}
	for _, base := range w.bases() {
		for _, n := range base.Children {
			if n.Type == "VariableDeclaration" && n.Attribute("visibility") == "public" {
				getters[n.Attribute("name")] = true
			}
		}
	}
	for _, base := range w.bases() {
		for _, n := range base.Children {
			if !isCallable(n) || n.Attribute("kind") == "constructor" {
				continue
			}
			key := functionKey(n)
			if decided[key] || getters[n.Attribute("name")] {
				continue
			}
			decided[key] = true
			if n.Child("body") == nil && !w.implementOne(n) {
				return false
			}
		}
	}
	return true
}

// overrides is what says that a function overrides those of bases.
func (w *writer) overrides(n *compile.Node) (string, error) {
	if w.harness.version.Less(solc.Version{Minor: 6}) {
		return "", nil
	}
	key := functionKey(n)
	var declaring []*compile.Node
	w.declaring(w.of, key, map[*compile.Node]bool{}, &declaring)
	if len(declaring) < 2 {
		return " override", nil
	}
	var names []string
	for _, c := range declaring {
		name, err := w.harness.unit.base(c)
		if err != nil {
			return "", err
		}
		names = append(names, name)
	}
	return " override(" + strings.Join(names, ", ") + ")", nil
}

// declaring adds the nearest of a contract and its bases that declare a function.
func (w *writer) declaring(contract *compile.Node, key string, seen map[*compile.Node]bool, list *[]*compile.Node) {
	if seen[contract] {
		return
	}
	seen[contract] = true
	if slices.ContainsFunc(contract.Children, func(n *compile.Node) bool { return isCallable(n) && functionKey(n) == key }) {
		*list = append(*list, contract)
		return
	}
	for _, n := range contract.Children {
		if n.Type != "InheritanceSpecifier" || n.Child("baseName") == nil {
			continue
		}
		id, _ := n.Child("baseName").Int("referencedDeclaration")
		if base := w.harness.unit.byID[id]; base != nil {
			w.declaring(base, key, seen, list)
		}
	}
}

// implementOne writes a function or modifier that has no body. It reports false where it cannot.
func (w *writer) implementOne(n *compile.Node) bool {
	fail := func(why string) bool {
		w.reason = fmt.Sprintf("%s, which it lacks, cannot be written: %s", printable(n.Attribute("name")), why)
		return false
	}
	name := n.Attribute("name")
	kind := n.Attribute("kind")
	if !isIdentifier(name) && kind != "receive" && kind != "fallback" {
		return fail("its name is not an identifier")
	}
	override, err := w.overrides(n)
	if err != nil {
		return fail(err.Error())
	}
	taken := map[string]bool{}
	in, err := w.variables(parameters(n, "parameters"), taken, "a")
	if err != nil {
		return fail(err.Error())
	}
	var declared []string
	for _, v := range in {
		if v.storage {
			v.location = "storage"
		}
		v.name = ""
		declared = append(declared, v.declaration())
	}
	if n.Type == "ModifierDefinition" {
		for i := range declared {
			declared[i] += fmt.Sprintf(" a%d", i)
		}
		w.pieces = append(w.pieces, &piece{needed: true, texts: []string{fmt.Sprintf("    modifier %s(%s)%s {\n        _;\n    }\n", name, strings.Join(declared, ", "), override)}})
		return true
	}
	mutability := n.Attribute("stateMutability")
	if mutability == "nonpayable" {
		mutability = ""
	}
	head := fmt.Sprintf("    function %s(%s)", name, strings.Join(declared, ", "))
	if kind == "receive" || kind == "fallback" {
		head = "    " + kind + "()"
	}
	for _, word := range []string{n.Attribute("visibility"), mutability} {
		if word != "" {
			head += " " + word
		}
	}
	head += override
	out, err := w.variables(parameters(n, "returnParameters"), taken, "r")
	if err != nil {
		return fail(err.Error())
	}
	if len(out) == 0 {
		w.pieces = append(w.pieces, &piece{needed: true, texts: []string{head + " {}\n"}})
		return true
	}
	w.implementReturning(name, head, mutability == "pure", n, out)
	return true
}

// implementReturning writes a function that returns what its setter set, or, where that does not
// compile or it may not read, what its results begin with.
func (w *writer) implementReturning(name, head string, pure bool, n *compile.Node, out []variable) {
	p := &piece{needed: true}
	var results, unset, assigned []string
	var setters strings.Builder
	for i, v := range out {
		r := fmt.Sprintf("r%d", i)
		switch {
		case v.storage:
			v.location, v.name = "storage", r
			assigned = append(assigned, fmt.Sprintf("        %s = %s[0];\n", r, w.state(v.typ)))
			results, unset = append(results, v.declaration()), append(unset, v.declaration())
			continue
		case v.location != "" && parameters(n, "returnParameters")[i].Attribute("storageLocation") == "calldata":
			v.location = "calldata"
			assigned = append(assigned, fmt.Sprintf("        %s = msg.data[0:0];\n", r))
			v.name = r
			results, unset = append(results, v.declaration()), append(unset, v.declaration())
			continue
		}
		v.name = r
		results = append(results, v.declaration())
		unset = append(unset, v.declaration())
		variable := unique(w.names, fmt.Sprintf("%sReturns%d", name, i))
		parameter := v
		parameter.name = "value"
		fmt.Fprintf(&setters, "    %s internal %s;\n\n    function %s(%s) public {\n        %s = value;\n    }\n\n",
			v.typ, variable, unique(w.names, "set_"+variable), parameter.declaration(), variable)
		if !pure {
			assigned = append(assigned, fmt.Sprintf("        %s = %s;\n", r, variable))
		}
	}
	body := strings.Join(assigned, "")
	if !pure && setters.Len() > 0 {
		p.texts = append(p.texts, fmt.Sprintf("%s%s returns (%s) {\n%s    }\n", setters.String(), head, strings.Join(results, ", "), body))
	}
	p.texts = append(p.texts, fmt.Sprintf("%s returns (%s) {%s}\n", head, strings.Join(unset, ", "), keepStorage(assigned)))
	w.pieces = append(w.pieces, p)
}

// keepStorage are the assignments without which a result has no value at all, in one line's body.
func keepStorage(assigned []string) string {
	var kept strings.Builder
	for _, text := range assigned {
		if strings.Contains(text, "[0];") || strings.Contains(text, "msg.data") {
			kept.WriteString("\n" + strings.TrimSuffix(text, "\n"))
		}
	}
	if kept.Len() > 0 {
		return kept.String() + "\n    "
	}
	return ""
}
