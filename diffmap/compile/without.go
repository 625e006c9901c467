package compile

import "slices"

// Without copies an output, as [Output.Copy] does, without the sources that lacks reports
// and their contracts. left are the sources that import one of those, if by way of others: they would not compile without it, and
// are left out as well. What remains was compiled without any of them.
func (o *Output) Without(lacks func(source string) bool) (rest *Output, left []string) {
	gone := o.Users(lacks)
	for _, s := range o.Sources {
		if gone[s.Path] && !lacks(s.Path) {
			left = append(left, s.Path)
		}
	}
	slices.Sort(left)
	rest = o.Copy()
	rest.Sources = slices.DeleteFunc(rest.Sources, func(s *Source) bool { return gone[s.Path] })
	rest.Contracts = slices.DeleteFunc(rest.Contracts, func(c *Contract) bool { return gone[c.Source] })
	return rest, left
}

// Users are the paths of the sources that some reports, and of those that import one of them, if by way of others.
func (o *Output) Users(some func(source string) bool) map[string]bool {
	importers := map[string][]string{}
	users := map[string]bool{}
	var queue []string
	for _, s := range o.Sources {
		if some(s.Path) {
			users[s.Path] = true
			queue = append(queue, s.Path)
		}
		for _, imported := range s.imports() {
			importers[imported] = append(importers[imported], s.Path)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, importer := range importers[queue[0]] {
			if !users[importer] {
				users[importer] = true
				queue = append(queue, importer)
			}
		}
	}
	return users
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
