package fuzzer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Techniques is what a campaign can do without, so that the worth of each can be
// measured. The zero value leaves nothing out.
type Techniques struct {
	Prediction bool // inputs made of what comparisons tell (harvey §4)
	Frontier   bool // picks among the inputs closest to a branch side that nothing has taken
	Sequences  bool // mutants that differ in more than one word of the last call
	RawOrder   bool // calls that write what the last one reads, put in front of it (mufuzz §IV-A)
}

// fields are the techniques by name.
func (t *Techniques) fields() map[string]*bool {
	return map[string]*bool{"prediction": &t.Prediction, "frontier": &t.Frontier, "sequences": &t.Sequences, "raw-order": &t.RawOrder}
}

// TechniquesNamed reads a list of names, separated by commas; empty for none.
func TechniquesNamed(list string) (Techniques, error) {
	var t Techniques
	fields := t.fields()
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if fields[name] == nil {
			return t, fmt.Errorf("unknown technique %q: want some of %s", name, strings.Join(TechniqueNames(), ", "))
		}
		*fields[name] = true
	}
	return t, nil
}

// TechniqueNames lists the names of all techniques, sorted.
func TechniqueNames() []string {
	return slices.Sorted(maps.Keys(new(Techniques).fields()))
}
