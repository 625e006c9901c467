package oracle

import (
	"fmt"
	"slices"
	"strings"
)

// What a choice of oracles names apart from oracles: what a change does otherwise than the base, of which no
// finding is made, and the comparison of storage layouts, which runs nothing.
const (
	Behavior      = "behavior"
	StorageLayout = "storage-layout"
)

// Choice is which oracles watch. The zero value is all of them.
type Choice struct {
	only, without, also []string
}

// Choose reads names of oracles: those alone, or if they have "-" in front, all but those; with "+" in front, those of
// [Notes] that watch as well.
func Choose(names []string) (Choice, error) {
	var c Choice
	known := []string{Behavior, StorageLayout}
	for _, o := range append(Known(), Compared()...) {
		known = append(known, o.ID)
	}
	for _, name := range names {
		id, without := strings.CutPrefix(strings.TrimSpace(name), "-")
		id, also := strings.CutPrefix(id, "+")
		if !slices.Contains(known, id) {
			return c, fmt.Errorf("there is no oracle %q; there are %s", id, strings.Join(known, ", "))
		}
		switch {
		case without:
			c.without = append(c.without, id)
		case also:
			c.also = append(c.also, id)
		default:
			c.only = append(c.only, id)
		}
	}
	if len(c.only) > 0 && len(c.without) > 0 {
		return c, fmt.Errorf("%s: name the oracles that watch, or with - in front those that do not", strings.Join(names, ", "))
	}
	return c, nil
}

// Has reports whether an oracle watches, by its ID or as [Behavior].
func (c Choice) Has(id string) bool {
	return !slices.Contains(c.without, id) && (len(c.only) == 0 || slices.Contains(c.only, id) || slices.Contains(c.also, id))
}

// Notes are those of [Notes] that were asked for.
func (c Choice) Notes() []*Oracle {
	return slices.DeleteFunc(Notes(), func(o *Oracle) bool { return !slices.Contains(c.only, o.ID) && !slices.Contains(c.also, o.ID) })
}

// Of are those of some oracles that watch.
func (c Choice) Of(all []*Oracle) []*Oracle {
	return slices.DeleteFunc(slices.Clone(all), func(o *Oracle) bool { return !c.Has(o.ID) })
}

// Compares reports whether anything watches that base and head are compared for.
func (c Choice) Compares() bool { return c.Has(Behavior) || len(c.Of(Compared())) > 0 }
