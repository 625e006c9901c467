package compile

// maxHands bounds how many constructors of bases are gone through for what becomes of an argument. Arbitrary: a token and what it inherits
// from hand a name through three.
const maxHands = 8

// argumentTypes names the contract type of each constructor parameter: the one that it is declared with, or, of an address, the one that it is
// converted to, as in token = IERC20(token_); "" for other parameters.
func argumentTypes(declaration *Node, all declarations) []string {
	return argumentTypesFrom(declaration, all, maxHands)
}

func argumentTypesFrom(declaration *Node, all declarations, depth int) []string {
	constructor := constructorOf(declaration)
	if constructor == nil {
		return nil
	}
	parameters := constructor.Child("parameters")
	if parameters == nil {
		return nil
	}
	converted := convertedTo(constructor, all, depth)
	var types []string
	for _, parameter := range parameters.Children {
		name := converted[parameter.ID]
		if t := parameter.Child("typeName"); t != nil && t.Type == "UserDefinedTypeName" {
			if id, ok := t.Int("referencedDeclaration"); ok && all.byID[id] != nil {
				name = all.byID[id].Attribute("name")
			}
		}
		types = append(types, name)
	}
	return types
}

// convertedTo are the contract types that a constructor first converts variables to, its parameters among them, by their AST ids; or that the
// constructor of a base does which it hands them to.
func convertedTo(constructor *Node, all declarations, depth int) map[int]string {
	types := map[int]string{}
	note := func(variable *Node, name string) {
		if id, ok := variable.Int("referencedDeclaration"); ok && variable.Type == "Identifier" && name != "" && types[id] == "" {
			types[id] = name
		}
	}
	constructor.Walk(func(n *Node) bool {
		arguments := n.All("arguments")
		switch n.Type {
		case "FunctionCall":
			if target := all.named(n.Child("expression")); target != nil && len(arguments) == 1 {
				note(arguments[0], target.Attribute("name"))
			}
		case "ModifierInvocation":
			base := all.named(n.Child("modifierName"))
			if base == nil || depth == 0 || len(arguments) == 0 {
				break
			}
			wanted := argumentTypesFrom(base, all, depth-1)
			for i := range min(len(arguments), len(wanted)) {
				note(arguments[i], wanted[i])
			}
		}
		return true
	})
	return types
}

// named is the contract that an expression names; nil: none.
func (d *declarations) named(n *Node) *Node {
	if n == nil {
		return nil
	}
	if id, ok := n.Int("referencedDeclaration"); ok && (n.Type == "Identifier" || n.Type == "IdentifierPath") {
		return d.byID[id]
	}
	return nil
}
