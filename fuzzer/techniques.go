package fuzzer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Techniques is what a campaign can do without, so that the worth of each can be
// measured. The zero value names none.
type Techniques struct {
	Prediction bool // inputs made of what comparisons tell (harvey §4)
	Solving    bool // several branches solved for at once, by what the words of a call do to all of them
	Frontier   bool // picks among the inputs closest to a branch side that nothing has taken
	Sequences  bool // mutants that differ in more than one word of the last call, and calls behind what came somewhere new
	RawOrder   bool // calls that write what the last one reads, put in front of it, and repeated (mufuzz §IV-A)
	// StateFuzzing is calls from states that nobody made, and the longer sequences that
	// they ask for (harvey §5).
	StateFuzzing bool
	Dictionary   bool // values from constants of the code, operands, storage and return data

	// What a campaign does only when it is asked to, since it has not been seen to
	// help (bench/techniques).
	Masks  bool // mutants that spare what brings a call to a nested branch (mufuzz §IV-B)
	Energy bool // more energy for what is nested or dangerous, once no target is left (mufuzz §IV-C)
}

// Optional names the techniques that a campaign uses only when Config.With does.
func Optional() []string { return []string{"energy", "masks"} }

// fields are the techniques by name.
func (t *Techniques) fields() map[string]*bool {
	return map[string]*bool{"prediction": &t.Prediction, "solving": &t.Solving, "frontier": &t.Frontier, "sequences": &t.Sequences, "raw-order": &t.RawOrder, "state-fuzzing": &t.StateFuzzing, "dictionary": &t.Dictionary, "masks": &t.Masks, "energy": &t.Energy}
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
