package compile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// This file reads the AST's old form ("legacyAST"), which solc 0.4.11 has alone
// and truffle of that time put into its artifacts: nodes have a name, attributes
// and children that do not say what they are to their parent. They are turned
// into the compact form.

// isLegacy reports whether an AST is in the old form.
func isLegacy(root map[string]any) bool {
	return root["nodeType"] == nil && root["name"] == "SourceUnit"
}

// legacyAST turns the nodes of a source into the compact form.
type legacyAST struct {
	of    *Source
	depth int // most layers of nodes
}

// unit is the compact form of the whole. In the output of 0.4.11 it has no place
// of its own.
func (l *legacyAST) unit(root map[string]any) (map[string]any, error) {
	unit, err := l.node(root, "", 0)
	if err != nil || text(unit["src"]) != "" {
		return unit, err
	}
	end := len(l.of.Text)
	for _, child := range objects(unit["nodes"]) {
		start, length, _, err := parseRange(text(child["src"]))
		if err != nil {
			return nil, fmt.Errorf("its AST has a part without a place: %w", err)
		}
		if l.of.Text == nil {
			end = max(end, start+length)
		}
	}
	unit["src"] = fmt.Sprintf("0:%d:%d", end, l.of.ID)
	return unit, nil
}

// node is the compact form of a node inside one called parent.
func (l *legacyAST) node(old map[string]any, parent string, depth int) (map[string]any, error) {
	if depth > l.depth {
		return nil, &reading.Error{Problem: fmt.Sprintf("its AST nests deeper than %d nodes", l.depth), Kind: reading.ErrTooLarge}
	}
	name := text(old["name"])
	compact := map[string]any{"nodeType": name, "id": old["id"], "src": old["src"]}
	attributes, _ := old["attributes"].(map[string]any)
	for key, value := range attributes {
		setLegacyAttribute(compact, name, key, value)
	}
	var children []map[string]any
	for _, child := range objects(old["children"]) {
		child, err := l.node(child, name, depth+1)
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	for i, role := range l.roles(compact, children) {
		if slices.Contains(legacyLists, role) {
			compact[role] = append(list(compact[role]), children[i])
		} else {
			compact[role] = children[i]
		}
	}
	l.complete(compact, name, parent)
	return compact, nil
}

// list is a value that is an array, else nil.
func list(value any) []any {
	array, _ := value.([]any)
	return array
}

// objects are the objects of an array: not null, which stands for a part that is
// not there.
func objects(value any) []map[string]any {
	var found []map[string]any
	for _, element := range list(value) {
		if object, ok := element.(map[string]any); ok {
			found = append(found, object)
		}
	}
	return found
}

// legacyNames are attributes that the compact form calls otherwise.
var legacyNames = map[string]map[string]string{
	"Identifier":   {"value": "name"},
	"MemberAccess": {"member_name": "memberName"},
	"Literal":      {"hexvalue": "hexValue", "token": "kind"},
}

// setLegacyAttribute copies an attribute.
func setLegacyAttribute(compact map[string]any, node, key string, value any) {
	if array := list(value); len(array) == 1 && array[0] == nil {
		value = []any{} // how the old form writes it
	}
	switch {
	case legacyNames[node][key] != "":
		compact[legacyNames[node][key]] = value
	case key == "type" && node != "PragmaDirective":
		compact["typeDescriptions"] = map[string]any{"typeString": value}
	case key == "isLibrary":
		compact["contractKind"] = "contract"
		if value == true {
			compact["contractKind"] = "library"
		}
	case key == "nodeType", key == "id", key == "src", key == "constant" && node == "FunctionDefinition": // a variable's is another thing
	case value != nil:
		compact[key] = value
	}
}

// legacyLists are the fields that hold several nodes.
var legacyLists = []string{"nodes", "baseContracts", "arguments", "modifiers", "statements", "parameters", "members", "declarations", "components"}

// legacyRoles say what the children are to a node, in order; the last one holds
// for all that follow.
var legacyRoles = map[string][]string{
	"Assignment":           {"leftHandSide", "rightHandSide"},
	"ArrayTypeName":        {"baseType", "length"},
	"BinaryOperation":      {"leftExpression", "rightExpression"},
	"Block":                {"statements"},
	"Conditional":          {"condition", "trueExpression", "falseExpression"},
	"DoWhileStatement":     {"condition", "body"},
	"EmitStatement":        {"eventCall"},
	"EnumDefinition":       {"members"},
	"EventDefinition":      {"parameters"},
	"ExpressionStatement":  {"expression"},
	"FunctionCall":         {"expression", "arguments"},
	"FunctionTypeName":     {"parameterTypes", "returnParameterTypes"},
	"IfStatement":          {"condition", "trueBody", "falseBody"},
	"IndexAccess":          {"baseExpression", "indexExpression"},
	"InheritanceSpecifier": {"baseName", "arguments"},
	"Mapping":              {"keyType", "valueType"},
	"MemberAccess":         {"expression"},
	"ModifierDefinition":   {"parameters", "body"},
	"ModifierInvocation":   {"modifierName", "arguments"},
	"NewExpression":        {"typeName"},
	"ParameterList":        {"parameters"},
	"Return":               {"expression"},
	"StructDefinition":     {"members"},
	"TupleExpression":      {"components"},
	"UnaryOperation":       {"subExpression"},
	"UsingForDirective":    {"libraryName", "typeName"},
	"WhileStatement":       {"condition", "body"},
}

// roles are the fields that a node's children belong into.
func (l *legacyAST) roles(node map[string]any, children []map[string]any) []string {
	name := text(node["nodeType"])
	if name == "ForStatement" {
		return l.loopRoles(node, children)
	}
	roles := make([]string, len(children))
	parameters := 0
	for i, child := range children {
		kind := text(child["nodeType"])
		switch {
		case kind == "InheritanceSpecifier":
			roles[i] = "baseContracts"
		case name == "FunctionDefinition":
			roles[i] = map[string]string{"ModifierInvocation": "modifiers", "Block": "body", "ParameterList": "parameters"}[kind]
			if kind == "ParameterList" {
				if parameters++; parameters == 2 {
					roles[i] = "returnParameters"
				}
			}
		case name == "VariableDeclaration":
			roles[i] = "value"
			if i == 0 && (strings.HasSuffix(kind, "TypeName") || kind == "Mapping") {
				roles[i] = "typeName"
			}
		case name == "VariableDeclarationStatement":
			roles[i] = "initialValue"
			if kind == "VariableDeclaration" {
				roles[i] = "declarations"
			}
		default:
			known := legacyRoles[name]
			roles[i] = "nodes"
			if len(known) > 0 {
				roles[i] = known[min(i, len(known)-1)]
			}
		}
		if roles[i] == "" {
			roles[i] = "nodes"
		}
	}
	return roles
}

// loopRoles are those of a for statement, of which any part but the body may be
// missing: the expression is the condition, a statement before it the initialization,
// one after it the step. Without a condition the semicolons before a statement tell
// which it is.
func (l *legacyAST) loopRoles(node map[string]any, children []map[string]any) []string {
	roles := make([]string, len(children))
	condition := slices.IndexFunc(children, func(child map[string]any) bool { return !isStatement(text(child["nodeType"])) })
	for i, child := range children {
		switch {
		case i == len(children)-1:
			roles[i] = "body"
		case i == condition:
			roles[i] = "condition"
		case condition >= 0 && i > condition, condition < 0 && (i > 0 || l.afterSemicolon(node, child)):
			roles[i] = "loopExpression"
		default:
			roles[i] = "initializationExpression"
		}
	}
	return roles
}

// isStatement tells the statements from the expressions.
func isStatement(name string) bool {
	return strings.HasSuffix(name, "Statement") || name == "Block" || name == "Return" || name == "Throw" || name == "Break" ||
		name == "Continue" || name == "InlineAssembly"
}

func (l *legacyAST) afterSemicolon(node, child map[string]any) bool {
	from, _, _, err := parseRange(text(node["src"]))
	to, _, _, err2 := parseRange(text(child["src"]))
	return err == nil && err2 == nil && from >= 0 && from <= to && to <= len(l.of.Text) && bytes.IndexByte(l.of.Text[from:to], ';') >= 0
}

// complete adds what 0.4.11 does not say, though the place of a node does.
func (l *legacyAST) complete(node map[string]any, name, parent string) {
	switch name {
	case "VariableDeclaration":
		if node["stateVariable"] == nil {
			node["stateVariable"] = parent == "ContractDefinition"
		}
	case "ContractDefinition":
		if start, _, _, err := parseRange(text(node["src"])); err == nil && node["contractKind"] == "contract" && start >= 0 && start < len(l.of.Text) &&
			bytes.HasPrefix(l.of.Text[start:], []byte("interface")) {
			node["contractKind"] = "interface"
		}
		for _, member := range objects(node["nodes"]) {
			if member["nodeType"] == "FunctionDefinition" && member["isConstructor"] == nil {
				member["isConstructor"] = member["name"] == node["name"]
			}
		}
	}
}
