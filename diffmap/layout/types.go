package layout

import (
	"fmt"
	"slices"
	"strings"
)

// differ says why a type of the head cannot stand for one of the base, in the same
// place; empty where it can. It may be longer: what is behind it is compared on its own.
func (c *comparer) differ(base, head *Type) string {
	key := [2]*Type{base, head}
	if why, known := c.done[key]; known {
		return why
	}
	c.done[key] = ""
	why := c.compare(base, head)
	c.done[key] = why
	return why
}

func (c *comparer) compare(base, head *Type) string {
	unlike := fmt.Sprintf("%s before, %s now", base.Label, head.Label)
	switch {
	case base.Kind == head.Kind:
	case base.Kind == Struct && len(base.Members) == 1: // stored as its only member is
		return c.differ(base.Members[0].Type, head)
	case head.Kind == Struct && len(head.Members) > 0: // the first one is where the value was
		return c.differ(base, head.Members[0].Type)
	default:
		return unlike
	}
	switch base.Kind {
	case Elementary:
		function := strings.HasPrefix(base.Label, "function") && strings.HasPrefix(head.Label, "function")
		if base.Label != head.Label && !function || base.Bytes.Cmp(head.Bytes) != 0 {
			return unlike
		}
	case Enum:
		return compareEnums(base, head)
	case Struct:
		return c.compareMembers(base, head)
	case Mapping:
		if why := c.differ(base.Key, head.Key); why != "" {
			return fmt.Sprintf("%s: keys are not hashed alike", unlike)
		}
		return c.inner(base, head, "values")
	case Array, DynamicArray:
		if why := c.inner(base, head, "elements"); why != "" {
			return why
		}
		if before, now := stride(base.Element), stride(head.Element); before != now {
			return fmt.Sprintf("elements (%s): %s before, %s now", bare(head.Element.Label), before, now)
		}
	case Address, Bytes: // stored alike, whatever they are called
	}
	return ""
}

// inner compares what a mapping or an array holds.
func (c *comparer) inner(base, head *Type, what string) string {
	why := c.differ(base.Element, head.Element)
	if why == "" {
		return ""
	}
	c.culprit[[2]*Type{base, head}] = c.culprit[[2]*Type{base.Element, head.Element}]
	return what + ": " + why
}

// stride says how the elements of an array follow each other.
func stride(t *Type) string {
	slots := slotsOf(t.Bytes)
	switch n := perSlot(t); {
	case n > 1:
		return fmt.Sprintf("%d to a slot", n)
	case slots.IsUint64() && slots.Uint64() == 1:
		return "1 slot each"
	}
	return fmt.Sprintf("%s slots each", slots)
}

// compareMembers compares structs: each member must be where it was.
func (c *comparer) compareMembers(base, head *Type) string {
	m := match(base.Members, head.Members)
	inner := &comparer{done: c.done, culprit: c.culprit}
	for i := range base.Members {
		b := &base.Members[i]
		if b.gap() {
			continue
		}
		for _, change := range inner.variable(b, head.Members, m) {
			if change.Kind == Removed {
				c.result.Notes = append(c.result.Notes, fmt.Sprintf("%s of %s is gone", b.Name, base.Label))
				continue
			}
			c.culprit[[2]*Type{base, head}] = change.Deepest
			return change.member(base)
		}
	}
	for _, note := range inner.result.Notes {
		c.result.Notes = append(c.result.Notes, fmt.Sprintf("in %s: %s", head.Label, note))
	}
	return ""
}

// member says what changed about a member of a struct.
func (c *Change) member(of *Type) string {
	name := fmt.Sprintf("%s of %s", c.Before.Name, of.Label)
	switch {
	case c.Kind == Retyped && c.Deepest == c.After:
		return fmt.Sprintf("%s: %s", name, c.Detail)
	case c.Kind == Retyped:
		return c.Detail
	case c.Kind == Moved:
		return fmt.Sprintf("%s is in %s now and was in %s", name, c.Now.place(), c.Before.place())
	}
	return fmt.Sprintf("%s (%s) has its place, %s, taken by %s (%s)", name, c.Before.Type.Label, c.Before.place(), c.After.Name, c.After.Type.Label)
}

// place is where a member is.
func (v *Variable) place() string {
	if v.Offset == 0 {
		return "slot " + v.Slot.String()
	}
	return fmt.Sprintf("slot %s, byte %d", v.Slot, v.Offset)
}

// compareEnums compares what the numbers of an enum mean. A value may get another name,
// and more may follow, as long as they are numbers of the same length.
func compareEnums(base, head *Type) string {
	if base.Bytes.Cmp(head.Bytes) != 0 {
		return fmt.Sprintf("%s has %s bytes now and had %s", head.Label, head.Bytes, base.Bytes)
	}
	if base.Values == nil || head.Values == nil {
		return ""
	}
	for i, name := range base.Values {
		switch at := slices.Index(head.Values, name); {
		case at >= 0 && at != i:
			return fmt.Sprintf("%s of %s is number %d now and was %d", name, head.Label, at, i)
		case at < 0 && i >= len(head.Values):
			return fmt.Sprintf("%s lacks number %d, which was %s", head.Label, i, name)
		}
	}
	return ""
}

// bare is a label without the words that Solidity puts in front of the names of types.
func bare(label string) string {
	for _, word := range []string{"contract ", "struct ", "enum "} {
		label = strings.ReplaceAll(label, word, "")
	}
	return label
}
