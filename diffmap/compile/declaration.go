package compile

import "slices"

// declarations finds a unit's contract declarations.
type declarations struct {
	contracts map[contractName]*Node
	byID      map[int]*Node  // contracts, by AST id
	sources   map[int]string // their sources' paths, likewise
}

func declarationsOf(sources []*Source) declarations {
	d := declarations{contracts: map[contractName]*Node{}, byID: map[int]*Node{}, sources: map[int]string{}}
	for _, source := range sources {
		if source.AST == nil {
			continue
		}
		for _, n := range source.AST.Children { // contracts stand at the top only
			if n.Type == "ContractDefinition" {
				d.contracts[contractName{source.Path, n.Attribute("name")}] = n
				d.byID[n.ID] = n
				d.sources[n.ID] = source.Path
			}
		}
	}
	return d
}

// describe fills in what the contract's declaration says.
func (c *Contract) describe(declaration *Node, all declarations) {
	c.Kind = declaration.Attribute("contractKind")
	// Before 0.6 nothing says "abstract"; such a contract lacks a function body.
	abstract, _ := declaration.Attributes.Get("abstract").(bool)
	implemented, known := declaration.Attributes.Get("fullyImplemented").(bool)
	if c.Kind == "contract" && (abstract || known && !implemented) {
		c.Kind = "abstract contract"
	}
	c.Library = c.Kind == "library"
	c.Implements = linearizedNames(declaration, all)
	c.ArgumentTypes = argumentTypes(declaration, all)
}

// linearizedNames are the names of the linearized base list, own name first.
func linearizedNames(declaration *Node, all declarations) []string {
	ids, _ := declaration.Attributes.Get("linearizedBaseContracts").([]any)
	var names []string
	for _, value := range ids {
		id, ok := value.(int)
		if base := all.byID[id]; ok && base != nil {
			names = append(names, base.Attribute("name"))
		}
	}
	return names
}

// linearizedSources are the paths of the linearized bases' sources, the own first,
// each once.
func (d *declarations) linearizedSources(declaration *Node) []string {
	ids, _ := declaration.Attributes.Get("linearizedBaseContracts").([]any)
	paths := []string{d.sources[declaration.ID]}
	for _, value := range ids {
		id, ok := value.(int)
		if path, known := d.sources[id]; ok && known && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// constructorOf is the contract's own constructor; nil when it has none. Before
// 0.5 the AST marks it by isConstructor instead of its kind.
func constructorOf(declaration *Node) *Node {
	for _, n := range declaration.Children {
		marked, _ := n.Attributes.Get("isConstructor").(bool)
		if n.Type == "FunctionDefinition" && (marked || n.Attribute("kind") == "constructor") {
			return n
		}
	}
	return nil
}
