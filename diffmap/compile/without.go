package compile

import "slices"

// Without copies an output, as [Output.Copy] does, without the sources that lacks reports
// and their contracts. left are the sources that import one of those, if by way of others: they would not compile without it, and
// are left out as well. What remains was compiled without any of them.
func (o *Output) Without(lacks func(source string) bool) (rest *Output, left []string) {
	importers := map[string][]string{}
	gone := map[string]bool{}
	var queue []string
	for _, s := range o.Sources {
		if lacks(s.Path) {
			gone[s.Path] = true
			queue = append(queue, s.Path)
		}
		for _, imported := range s.imports() {
			importers[imported] = append(importers[imported], s.Path)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, importer := range importers[queue[0]] {
			if !gone[importer] {
				gone[importer] = true
				queue, left = append(queue, importer), append(left, importer)
			}
		}
	}
	slices.Sort(left)
	rest = o.Copy()
	rest.Sources = slices.DeleteFunc(rest.Sources, func(s *Source) bool { return gone[s.Path] })
	rest.Contracts = slices.DeleteFunc(rest.Contracts, func(c *Contract) bool { return gone[c.Source] })
	return rest, left
}

// imports are the paths of the sources that a source imports, as its AST has them; nil where there is none.
func (s *Source) imports() (paths []string) {
	if s.AST == nil {
		return nil
	}
	for _, n := range s.AST.Children {
		if n.Type == "ImportDirective" {
			paths = append(paths, n.Attribute("absolutePath"))
		}
	}
	return paths
}
