package fuzzer

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestTechniquesNamed(t *testing.T) {
	for list, want := range map[string]Techniques{
		"":                              {},
		"prediction":                    {Prediction: true},
		"sequences, frontier,":          {Sequences: true, Frontier: true},
		"prediction,prediction":         {Prediction: true},
		"frontier,prediction,sequences": {Prediction: true, Frontier: true, Sequences: true},
	} {
		if got, err := TechniquesNamed(list); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", list, got, err, want)
		}
	}
	_, err := TechniquesNamed("prediction,predicton")
	if err == nil || !strings.Contains(err.Error(), `"predicton": want some of callbacks, dictionary, energy, frontier, helpers, masks, prediction, raw-order, sequences, solving, state-fuzzing`) {
		t.Errorf("a name that is none: %v", err)
	}
}

// TestStagesNameTechniques: whoever wants to know what a switch is about finds its name in the list of stages.
func TestStagesNameTechniques(t *testing.T) {
	text, err := os.ReadFile("stages.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range TechniqueNames() {
		if name == "frontier" || name == "dictionary" { // those of the schedule and the mutator
			continue
		}
		if !strings.Contains(string(text), fmt.Sprintf("%q", name)) {
			t.Errorf("stages.go does not name %q", name)
		}
	}
}
