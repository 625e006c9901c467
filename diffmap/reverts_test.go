package diffmap

import (
	"bytes"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/unified"
)

// TestPartThatReverts: of a line whose condition is as it was, only what changed is asked about.
func TestPartThatReverts(t *testing.T) {
	f := fixtures(t, "testdata/targets/reverts.sol")[0]
	for part, want := range map[string]bool{
		"Plain.selector.throwIt()":  true,
		"n == 7":                    false,
		"Plain.selector.endsWell()": false,
		"failHere();\n        if":   true,
		"failLater()":               false,
		"failHere();\n        else": true,
		"n + total":                 true,
		"total = 3":                 false,
	} {
		start := bytes.Index(f.text, []byte(part))
		name, _, _ := bytes.Cut([]byte(part), []byte(";"))
		line := bytes.Count(f.text[:start], []byte("\n")) + 1
		change := unified.ChangedLine{Path: f.name + ".sol", Line: line, Kind: unified.LineEdited, Spans: []unified.Span{{Start: start, End: start + len(name)}}}
		m, err := Map(f.outputs, f.table, []unified.ChangedLine{change}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Targets) == 0 || m.Lines[0].Reverts != want || m.Targets[0].Reverts != want {
			t.Errorf("%s: %+v, want %t", part, m.Lines[0], want)
		}
	}
}
