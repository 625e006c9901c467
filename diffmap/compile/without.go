package compile

import "slices"

// Without copies an output, as [Output.Copy] does, without the sources that lacks reports
// and their contracts. What is left of it was compiled without them if none of it imports
// one.
func (o *Output) Without(lacks func(source string) bool) *Output {
	rest := o.Copy()
	rest.Sources = slices.DeleteFunc(rest.Sources, func(s *Source) bool { return lacks(s.Path) })
	rest.Contracts = slices.DeleteFunc(rest.Contracts, func(c *Contract) bool { return lacks(c.Source) })
	return rest
}
