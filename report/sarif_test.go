package report

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	oasis "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/sightline-evm/sightline/internal/testing/checksarif"
	"github.com/sightline-evm/sightline/report/sarif"
)

// checkSARIF fails a test whose SARIF is not as it should be.
func checkSARIF(t testing.TB, data []byte) *oasis.Report {
	t.Helper()
	read, err := checksarif.Check(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return read
}

func TestSARIFOfFixtures(t *testing.T) {
	for _, name := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			for _, o := range []Options{testOptions(), {}} {
				data, err := SARIF(load(t, name), o)
				if err != nil {
					t.Fatal(err)
				}
				checkSARIF(t, data)
			}
		})
	}
}

// The alert is at the changed line, where it breaks is linked, the calls are the
// steps.
func TestSARIFResult(t *testing.T) {
	data, err := SARIF(load(t, "fail"), testOptions())
	if err != nil {
		t.Fatal(err)
	}
	res := checkSARIF(t, data).Runs[0].Results[0]
	if got := *res.Locations[0].PhysicalLocation.Region.StartLine; got != 25 {
		t.Errorf("the alert is at line %d, not at the changed one", got)
	}
	if got := *res.RelatedLocations[0].PhysicalLocation.Region.StartLine; got != 23 {
		t.Errorf("it breaks at line %d", got)
	}
	if got := len(res.CodeFlows[0].ThreadFlows[0].Locations); got != 4 {
		t.Errorf("%d steps, want three calls and the end", got)
	}
	source, _ := testOptions().Source("src/Vault.sol")
	if got, want := res.PartialFingerprints[sarif.LineHash], sarif.LineHashes(source)[24]; got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}
}

// A pre-existing finding must not fail GitHub's check when it passes the gate.
func TestSARIFLevels(t *testing.T) {
	for comparison, want := range map[string]string{Introduced: sarif.Error, Unknown: sarif.Error, PreExisting: sarif.Note} {
		r := load(t, "fail")
		r.Findings[0].Comparison = comparison
		data, err := SARIF(r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := checkSARIF(t, data).Runs[0].Results[0].Level; got != want {
			t.Errorf("%s: level %s, want %s", comparison, got, want)
		}
	}
	r := load(t, "fail")
	r.Findings[0].Release = ReleaseAbsent
	data, err := SARIF(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := checkSARIF(t, data).Runs[0].Results[0].Level; got != sarif.Note {
		t.Errorf("not on the release build: level %s", got)
	}
}

// What has no line in the repository is said, not dropped.
func TestSARIFWithoutSource(t *testing.T) {
	for _, place := range []Place{{}, {File: "../x.sol", Line: 1}, {File: "/abs.sol", Line: 1}, {File: "a.sol"}, {File: strings.Repeat("a", 5000), Line: 1}} {
		r := load(t, "fail")
		r.Findings[0].Changed, r.Findings[0].Location = nil, place
		data, err := SARIF(r, testOptions())
		if err != nil {
			t.Fatal(err)
		}
		run := checkSARIF(t, data).Runs[0]
		if len(run.Results) != 0 || !strings.Contains(*run.Invocations[0].ToolExecutionNotifications[0].Message.Text, "SL-7f3a") {
			t.Errorf("%v: %s", place, data)
		}
	}
}

func TestSARIFOfNastyStrings(t *testing.T) {
	for i, s := range nasty {
		r := hostile(t, Fail, s, nasty[(i+1)%len(nasty)])
		r.Findings[0].Location = Place{File: "src/x.sol", Line: 3}
		data, err := SARIF(r, testOptions())
		if err != nil {
			t.Fatal(err)
		}
		checkSARIF(t, data)
	}
}

// 6,000 findings and a file's text of one line.
func TestSARIFOfManyFindings(t *testing.T) {
	r := load(t, "fail")
	for i := range 6_000 {
		f := r.Findings[0]
		f.ID, f.Changed, f.Location = fmt.Sprint("SL-", i), nil, Place{File: "src/Vault.sol", Line: i + 1}
		r.Findings = append(r.Findings, f)
	}
	data, err := SARIF(r, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	var log sarif.Log
	if err := json.Unmarshal(data, &log); err != nil {
		t.Fatal(err)
	}
	if err := checksarif.ForGitHub(&log, data); err != nil {
		t.Fatal(err)
	}
	if len(log.Runs[0].Results) != sarif.MaxResults {
		t.Errorf("%d results", len(log.Runs[0].Results))
	}
}

// TestDeterministic renders twice from two readings of one report.
func TestDeterministic(t *testing.T) {
	for _, name := range fixtures(t) {
		var all [2][][]byte
		for i := range all {
			r, o := load(t, name), testOptions()
			alerts, err := SARIF(r, o)
			if err != nil {
				t.Fatal(err)
			}
			all[i] = [][]byte{alerts, Comment(r, o), Summary(r, o), encodeReport(t, r, false)}
		}
		if !reflect.DeepEqual(all[0], all[1]) {
			t.Errorf("%s: two renderings differ", name)
		}
	}
}

// TestSARIFStops: a notification says of each line that was not reached where executions end.
func TestSARIFStops(t *testing.T) {
	r := &Report{Verdict: Pass, Lines: []Line{
		{File: "src/A.sol", Line: 3, Status: Unreached, Reason: "stopped at B", Barrier: &Barrier{File: "src/A.sol", Line: 2}},
		{File: "src/A.sol", Line: 9, Status: Unreached, Reason: "why is unknown"},
	}}
	text, err := SARIF(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "src/A.sol:3: stopped at B") || strings.Contains(string(text), "why is unknown") {
		t.Errorf("notifications: %s", text)
	}
}
