package layout

import (
	"fmt"
	"math/big"
	"slices"
)

// Change is a place of which base and head say different things.
type Change struct {
	Kind ChangeKind
	// Space is the id of the namespace that the place is in; empty: the contract's own
	// slots. Slots of a namespace count from its beginning.
	Space string
	// Before is what the base has there. After is what the head has there, nil: nothing.
	Before, After *Variable
	// Now is where the head has what Before was, when that is elsewhere; nil: nowhere
	// else. NowSpace is the namespace.
	Now      *Variable
	NowSpace string
	// Detail says how the types differ (Retyped), "uint64 before, uint128 now".
	Detail string
	// Deepest is the declaration of the head that makes the difference: After's, or that
	// of a member of its type; nil: not known.
	Deepest *Variable
}

// ChangeKind says what became of a variable.
type ChangeKind string

// The kinds of changes; after an upgrade, the first four read what was not written for
// them.
const (
	Moved    ChangeKind = "moved"    // it is somewhere else
	Retyped  ChangeKind = "retyped"  // in place, in another form
	Replaced ChangeKind = "replaced" // gone, and another variable has its place
	Shared   ChangeKind = "shared"   // in place, but shorter, and another variable has the rest
	Removed  ChangeKind = "removed"  // gone; its place keeps what it was
)

// Comparison is what came of comparing two layouts.
type Comparison struct {
	Changes []Change // by place, the contract's own slots first
	// Notes list what is not a clash but worth knowing: variables that were renamed.
	Notes []string
}

// Compare compares the layout of a contract with that of its base version. The base's
// unit was given the names that sources have in the head.
//
// What a clash is, is by and large what OpenZeppelin's upgrades plugins say it is
// (@openzeppelin/upgrades-core, storage/compare.ts). They compare variables in order;
// here it is their places that count, so that a variable may be put wherever nothing
// was, and a gap may be used up in any way that leaves its end where it was.
func Compare(base, head *Layout) *Comparison {
	c := &comparer{done: map[[2]*Type]string{}, culprit: map[[2]*Type]*Variable{}}
	c.space("", base.Variables, head.Variables)
	for i := range base.Namespaces {
		c.namespace(&base.Namespaces[i], head)
	}
	c.movedIntoNamespaces(base, head)
	return &c.result
}

// comparer carries what is known between the variables of a contract.
type comparer struct {
	result Comparison
	// done are the types that were compared, with why the head's cannot stand for the
	// base's; those being compared are taken to be alike, since a type may hold itself.
	done    map[[2]*Type]string
	culprit map[[2]*Type]*Variable // the member that is why
}

// namespace compares what the head has in a namespace.
func (c *comparer) namespace(base *Namespace, head *Layout) {
	find := func(same func(*Namespace) bool) *Namespace {
		at := slices.IndexFunc(head.Namespaces, func(n Namespace) bool { return same(&n) })
		if at < 0 {
			return nil
		}
		return &head.Namespaces[at]
	}
	if now := find(func(n *Namespace) bool { return n.ID == base.ID }); now != nil {
		c.space(base.ID, base.Members, now.Members)
		return
	}
	before := variableOf(base)
	change := Change{Kind: Removed, Space: base.ID, Before: before}
	if now := find(func(n *Namespace) bool { return n.Struct == base.Struct && n.Contract == base.Contract }); now != nil {
		change.Kind, change.Now, change.NowSpace = Moved, variableOf(now), now.ID
		change.Deepest = change.Now
	}
	c.result.Changes = append(c.result.Changes, change)
}

// variableOf is a namespace as if it were one variable.
func variableOf(n *Namespace) *Variable {
	return &Variable{Name: n.Struct, Contract: n.Contract, Slot: new(big.Int), Node: n.Node,
		Type: &Type{Kind: Struct, Label: "struct " + n.Struct, Bytes: new(big.Int), Members: n.Members}}
}

// movedIntoNamespaces finds those removed variables that a namespace of the head has
// under the same name: what was stored is not found there.
func (c *comparer) movedIntoNamespaces(base, head *Layout) {
	known := func(id string) bool {
		return slices.ContainsFunc(base.Namespaces, func(n Namespace) bool { return n.ID == id })
	}
	for i := range c.result.Changes {
		change := &c.result.Changes[i]
		if change.Space != "" || change.Now != nil || change.Kind != Removed && change.Kind != Replaced {
			continue
		}
		for _, n := range head.Namespaces {
			at := slices.IndexFunc(n.Members, func(m Variable) bool { return m.Name == change.Before.Name })
			if at < 0 || known(n.ID) {
				continue
			}
			change.Kind, change.Now, change.NowSpace = Moved, &n.Members[at], n.ID
			break
		}
	}
}

// space compares what is in the same slots on both sides.
func (c *comparer) space(id string, base, head []Variable) {
	m := match(base, head)
	for i := range base {
		b := &base[i]
		if b.gap() {
			c.noteGap(b, m.head[b])
			continue
		}
		for _, change := range c.variable(b, head, m) {
			change.Space = id
			c.result.Changes = append(c.result.Changes, change)
		}
	}
}

// noteGap says that a gap does not end where it did. What comes behind it in the same
// contract is reported as moved, but contracts of others may inherit it.
func (c *comparer) noteGap(b, h *Variable) {
	if h != nil && h.end().Cmp(b.end()) != 0 {
		c.result.Notes = append(c.result.Notes, fmt.Sprintf("%s of %s ends before slot %s, and before slot %s in the base version",
			h.Name, h.Contract, slotsOf(h.end()), slotsOf(b.end())))
	}
}

// variable lists what changed about one variable of the base, or where it was.
func (c *comparer) variable(b *Variable, head []Variable, m matching) []Change {
	there := inPlaceOf(b, head)
	h := m.head[b]
	switch {
	case h != nil && h.start().Cmp(b.start()) != 0:
		return []Change{{Kind: Moved, Before: b, After: other(there, nil), Now: h, Deepest: other(there, h)}}
	case h != nil:
		return c.inPlace(b, h, there)
	}
	now := other(there, nil)
	if now == nil {
		return []Change{{Kind: Removed, Before: b}}
	}
	if m.base[now] == nil && now.start().Cmp(b.start()) == 0 && c.differ(b.Type, now.Type) == "" {
		c.result.Notes = append(c.result.Notes, fmt.Sprintf("%s (%s) is called %s now", b.Name, b.Type.Label, now.Name))
		return nil
	}
	return []Change{{Kind: Replaced, Before: b, After: now, Deepest: now}}
}

// inPlace lists what changed about a variable that is where it was.
func (c *comparer) inPlace(b, h *Variable, there []*Variable) []Change {
	if h.Name != b.Name && h.RenamedFrom != b.Name {
		c.result.Notes = append(c.result.Notes, fmt.Sprintf("%s (%s) is called %s now", b.Name, b.Type.Label, h.Name))
	}
	if why := c.differ(b.Type, h.Type); why != "" && !retyped(b, h) {
		deepest := c.culprit[[2]*Type{b.Type, h.Type}]
		if deepest == nil {
			deepest = h
		}
		return []Change{{Kind: Retyped, Before: b, After: h, Detail: why, Deepest: deepest}}
	}
	if rest := other(there, h); rest != nil {
		return []Change{{Kind: Shared, Before: b, After: rest, Now: h, Deepest: rest}}
	}
	return nil
}

// retyped reports whether the authors say that a variable's new type stands for the old
// one: it must be of the same length.
func retyped(b, h *Variable) bool {
	return h.RetypedFrom != "" && h.RetypedFrom == bare(b.Type.Label) && h.Type.Bytes.Cmp(b.Type.Bytes) == 0
}

// inPlaceOf lists the head's variables that overlap one of the base's.
func inPlaceOf(b *Variable, head []Variable) []*Variable {
	var found []*Variable
	for i := range head {
		if head[i].overlaps(b) {
			found = append(found, &head[i])
		}
	}
	return found
}

// other is the first variable that is neither h nor a gap; nil: there is none but, it
// may be, h.
func other(there []*Variable, h *Variable) *Variable {
	for _, v := range there {
		if v != h && !v.gap() {
			return v
		}
	}
	return nil
}

// matching says which variables are the same on both sides, by what they are called.
type matching struct {
	head map[*Variable]*Variable // by the base's
	base map[*Variable]*Variable // by the head's
}

// match finds the variables of the base in the head: by their annotated former name, by
// contract and name, and what is left by name alone, where that is clear.
func match(base, head []Variable) matching {
	m := matching{map[*Variable]*Variable{}, map[*Variable]*Variable{}}
	pair := func(same func(b, h *Variable) bool) {
		for i := range base {
			b := &base[i]
			if m.head[b] != nil {
				continue
			}
			for j := range head {
				if h := &head[j]; m.base[h] == nil && same(b, h) {
					m.head[b], m.base[h] = h, b
					break
				}
			}
		}
	}
	pair(func(b, h *Variable) bool {
		return h.RenamedFrom == b.Name && h.Name != b.Name && h.Contract == b.Contract
	})
	pair(func(b, h *Variable) bool { return h.Name == b.Name && h.Contract == b.Contract })
	count := map[string]int{}
	for _, side := range [][]Variable{base, head} {
		for i := range side {
			count[side[i].Name]++
		}
	}
	pair(func(b, h *Variable) bool { return h.Name == b.Name && count[b.Name] == 2 })
	return m
}
