package solgen

import "slices"

// Shrink makes a program smaller as long as it fails: nodes go, then the parts after their
// first one, then what stands around their bodies. fails is asked at most so many times;
// it is given programs that need not compile.
func (p *Program) Shrink(attempts int, fails func(*Program) bool) *Program {
	s := &shrinker{best: p, left: attempts, fails: fails}
	for before := -1; before != s.taken && s.left > 0; {
		before = s.taken
		s.pass()
	}
	return s.best
}

type shrinker struct {
	best        *Program
	left, taken int
	fails       func(*Program) bool
}

// pass tries every change once. Places are counted in the order of the text: after a change
// that was taken, the same place holds what followed.
func (s *shrinker) pass() {
	for _, change := range []func(list []*Node, i int) []*Node{omit(8), omit(4), omit(2), omit(1), omitParts, unwrap} {
		for place := 0; s.left > 0; {
			smaller, exists := s.best.changed(place, change)
			if !exists {
				break
			}
			if smaller == nil {
				place++
				continue
			}
			s.left--
			if s.fails(smaller) {
				s.best, s.taken = smaller, s.taken+1
			} else {
				place++
			}
		}
	}
}

// omit leaves out so many nodes from the i-th one on, those apart that are needed. Groups of
// several begin at multiples of their size.
func omit(size int) func(list []*Node, i int) []*Node {
	return func(list []*Node, i int) []*Node {
		if i%size != 0 {
			return nil
		}
		left := slices.Clone(list[:i])
		for k, n := range list[i:] {
			if k >= size || n.Fixed {
				left = append(left, n)
			}
		}
		if gone := len(list) - len(left); gone == 0 || size > 1 && gone == 1 {
			return nil // alone it has its turn later
		}
		return left
	}
}

// omitParts leaves out what comes after a node's first part: the branches of else.
func omitParts(list []*Node, i int) []*Node {
	n := list[i]
	if n.Fixed || len(n.Parts) < 2 || n.Parts[1].Mark != 0 {
		return nil
	}
	short := *n
	short.Parts = n.Parts[:1]
	list = slices.Clone(list)
	list[i] = &short
	return list
}

// unwrap puts the nodes of a body in the place of the node around them.
func unwrap(list []*Node, i int) []*Node {
	n := list[i]
	if n.Fixed || len(n.Parts) == 0 || len(n.Parts[0].Body) == 0 {
		return nil
	}
	return slices.Replace(slices.Clone(list), i, i+1, n.Parts[0].Body...)
}

// changed is the program with one place changed, nil if the change does not apply there.
// exists reports whether the program has that place.
func (p *Program) changed(place int, change func([]*Node, int) []*Node) (smaller *Program, exists bool) {
	e := &edit{place: place, change: change}
	root := e.node(p.Root)
	if root == nil {
		return nil, e.exists
	}
	return &Program{root}, true
}

// edit changes one place of a tree, and copies what leads there.
type edit struct {
	place  int // so many nodes come before it
	change func([]*Node, int) []*Node
	exists bool // the place was found
}

// node is the changed node; nil: nothing in it was changed.
func (e *edit) node(n *Node) *Node {
	for at, part := range n.Parts {
		if body := e.list(part.Body); body != nil {
			copied := *n
			copied.Parts = slices.Clone(n.Parts)
			copied.Parts[at].Body = body
			return &copied
		}
		if e.exists {
			return nil
		}
	}
	return nil
}

// list is likewise the changed list.
func (e *edit) list(list []*Node) []*Node {
	for i, child := range list {
		if e.place == 0 {
			e.exists = true
			return e.change(list, i)
		}
		e.place--
		if changed := e.node(child); changed != nil {
			list = slices.Clone(list)
			list[i] = changed
			return list
		}
		if e.exists {
			return nil
		}
	}
	return nil
}
