package replay

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

func exampleReproducer() *Reproducer {
	return &Reproducer{Version: snapshotVersion, Sequence: []string{"sightline-sequence v1", "user1 a.f()"},
		Claim: Claim{Kind: FindingClaim, ID: "SL-1", Contract: "a.sol:A", Entries: []Entry{{"a.sol:A", "runtime", 2}}, Message: "<breaks>"}}
}

func TestReproducer(t *testing.T) {
	want := exampleReproducer()
	data, err := want.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadReproducer(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a reproducer read back differs:\n%s", diff)
	}
	for name, c := range map[string]struct{ old, new, says string }{
		"version":  {`"version": 1`, `"version": 2`, "version 2, this program reads version 1"},
		"field":    {`"claim"`, `"hope": 1, "claim"`, `unknown field "hope"`},
		"kind":     {`"finding"`, `"wish"`, `unknown kind "wish"`},
		"sequence": {`"sequence": [`, `"sequence": [], "x": [`, "unknown field"},
		"no json":  {`{`, ``, "not a reproducer"},
	} {
		changed := bytes.Replace(data, []byte(c.old), []byte(c.new), 1)
		if _, err := ReadReproducer(changed); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}
	empty := exampleReproducer()
	empty.Sequence = nil
	if data, err = empty.Marshal(); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadReproducer(data); err == nil || !strings.Contains(err.Error(), "no sequence") {
		t.Errorf("without a sequence: %v", err)
	}
}

// TestEntry: an entry is found in other contracts of the same name, if there is code at its pc.
func TestEntry(t *testing.T) {
	contract := func(length int) []*bytecode.Contract {
		return []*bytecode.Contract{{Name: "A", Source: "a.sol", Runtime: &bytecode.Code{Kind: bytecode.Runtime, Bytes: make([]byte, length)}}}
	}
	first := contract(3)
	table := bytecode.NewTable(first)
	at := bytecode.Location{Code: first[0].Runtime.ID, PC: 2}
	e, ok := EntryOf(table, at)
	if want := (Entry{"a.sol:A", "runtime", 2}); !ok || e != want {
		t.Errorf("entry %+v, %v; want %+v", e, ok, want)
	}
	if got, err := e.Locate(first); err != nil || got != at {
		t.Errorf("it is located at %+v, %v", got, err)
	}
	for says, contracts := range map[string][]*bytecode.Contract{
		"no runtime code at pc 2": contract(2), "there is no contract a.sol:A": nil,
	} {
		if _, err := e.Locate(contracts); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
	if _, err := (Entry{"a.sol:A", "creation", 0}).Locate(first); err == nil {
		t.Error("creation code that is not there is found")
	}
}

func FuzzReadReproducer(f *testing.F) {
	data, err := exampleReproducer().Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadReproducer(data)
		if err != nil {
			return
		}
		written, err := r.Marshal()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if _, err := ReadReproducer(written); err != nil {
			t.Errorf("what was written cannot be read: %v", err)
		}
	})
}
