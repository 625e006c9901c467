package compile

import "slices"

// Without copies an output, as [Output.Copy] does, without the sources that lacks reports
// and their contracts. left are the sources that import one of those, if by way of others: they would not compile without it, and
// are left out as well. What remains was compiled without any of them.
func (o *Output) Without(lacks func(source string) bool) (rest *Output, left []string) {
	importers := map[string][]string{}
	var gone []string
	for _, s := range o.Sources {
		if lacks(s.Path) {
			gone = append(gone, s.Path)
		}
		if s.AST == nil {
			continue
		}
		for _, n := range s.AST.Children {
			if n.Type == "ImportDirective" {
				imported := n.Attribute("absolutePath")
				importers[imported] = append(importers[imported], s.Path)
			}
		}
	}
	for at := 0; at < len(gone); at++ {
		for _, s := range importers[gone[at]] {
			if !slices.Contains(gone, s) && !lacks(s) {
				gone, left = append(gone, s), append(left, s)
			}
		}
	}
	slices.Sort(left)
	rest = o.Copy()
	rest.Sources = slices.DeleteFunc(rest.Sources, func(s *Source) bool { return slices.Contains(gone, s.Path) })
	rest.Contracts = slices.DeleteFunc(rest.Contracts, func(c *Contract) bool { return slices.Contains(gone, c.Source) })
	return rest, left
}
