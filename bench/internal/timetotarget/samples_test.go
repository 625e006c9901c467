package timetotarget

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSamplesAreKept: what is in the file is not run again.
func TestSamplesAreKept(t *testing.T) {
	name := filepath.Join(t.TempDir(), "samples")
	known, file, err := OpenSamples(name)
	if err != nil || len(known) != 0 {
		t.Fatal(known, err)
	}
	k := Key{Target: "a", Schedule: "cutoff", Seed: 3}
	if err := Keep(file, k, Sample{Executions: 7}); err != nil {
		t.Fatal(err)
	}
	file.Close()
	known, file, err = OpenSamples(name)
	if err != nil || known[k].Executions != 7 {
		t.Fatalf("%v, %v", known, err)
	}
	file.Close()
}

// TestSamplesThatAreNone: what is not a sample is an error that says where.
func TestSamplesThatAreNone(t *testing.T) {
	_, err := ReadSamples("s.jsonl", strings.NewReader("{\"Target\":\"a\",\"Executions\":7}\n{\"Target\":3}\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "s.jsonl:2: ") {
		t.Errorf("%v", err)
	}
}
