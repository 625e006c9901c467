package fuzzer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Techniques is a set of techniques that a campaign can do without, so that the effect of
// each can be measured. The zero value is the empty set. What a worker does by its stages has
// the same names there; the frontier is the schedule's, and the dictionary the mutator's.
type Techniques struct {
	Prediction bool // inputs predicted from comparisons (harvey §4)
	Solving    bool // several branches solved for at once, by the effect of a call's words on all of them
	Helpers    bool // calls that write what a call reads, put before it where solving for its own words does not get through
	Frontier   bool // picks among the inputs closest to an untaken branch side
	Sequences  bool // mutants that differ in more than one word of the last call, and calls after those that changed state
	RawOrder   bool // calls that write what the last one reads, put before it and repeated (mufuzz §IV-A)
	// StateFuzzing is calls from states that no sequence leaves, and the longer sequences
	// that they demand (harvey §5).
	StateFuzzing bool
	Callbacks    bool // an attacker's contract among the senders, whose answers are part of the input
	Dictionary   bool // values from constants of the code, operands, storage and return data

	// Off by default, since they have not been shown to help (bench/techniques).
	Masks  bool // mutants that spare the words which lead to a nested branch (mufuzz §IV-B)
	Energy bool // more energy for nested or dangerous branches, once no target is left (mufuzz §IV-C)
}

// Optional names the techniques that a campaign uses only when Config.With does.
func Optional() []string { return []string{"energy", "masks"} }

// fields are the techniques by name.
func (t *Techniques) fields() map[string]*bool {
	return map[string]*bool{"prediction": &t.Prediction, "solving": &t.Solving, "frontier": &t.Frontier, "helpers": &t.Helpers, "sequences": &t.Sequences, "raw-order": &t.RawOrder, "state-fuzzing": &t.StateFuzzing, "dictionary": &t.Dictionary, "callbacks": &t.Callbacks, "masks": &t.Masks, "energy": &t.Energy}
}

// TechniquesNamed parses a list of names, separated by commas; it may be empty. An error
// means that a name is unknown.
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
