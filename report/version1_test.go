package report

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// TestReadVersion1: a report of version 1, which has every field that was renamed, is read as one of this version.
func TestReadVersion1(t *testing.T) {
	data, err := os.ReadFile("testdata/version1/report.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range renamed {
		if !bytes.Contains(data, []byte(`"`+f.old+`":`)) {
			t.Errorf("the report has no %s", f.old)
		}
	}
	r, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if r.Version != FormatVersion {
		t.Errorf("version %d", r.Version)
	}
	golden.Check(t, "testdata/version1/as2.json", string(encodeReport(t, r, false)))
}

func TestReadVersion1Errors(t *testing.T) {
	data, err := os.ReadFile("testdata/version1/report.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, new, says string }{
		"a field of version 2": {`"novelty":`, `"comparison": "introduced", "novelty":`, "findings: comparison is not a field of version 1"},
		"a list's field":       {`"setUps": [`, `"setups": [], "setUps": [`, "world: setups is not a field of version 1"},
		"an unknown field":     {`"failOn"`, `"failOff"`, `"failOff"`},
		"an unknown value":     {`"novelty": "pre-existing"`, `"novelty": "old"`, `unknown comparison "old"`},
		"another type":         {`"setUps": [`, `"setUps": 7, "senders": [`, "number"},
	} {
		broken := strings.Replace(string(data), c.old, c.new, 1)
		if broken == string(data) {
			t.Fatalf("%s: the report has no %s", name, c.old)
		}
		if _, err := Read([]byte(broken)); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "report.json") {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}
}
