package sarif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestFileURI(t *testing.T) {
	for path, want := range map[string]string{
		"src/Vault.sol":         "src/Vault.sol",
		"src/My Vault.sol":      "src/My%20Vault.sol",
		"src/é#?%.sol":          "src/%C3%A9%23%3F%25.sol",
		"a:b/c:d.sol":           "a%3Ab/c:d.sol",
		"":                      "",
		"/etc/passwd":           "",
		"../up.sol":             "",
		"src/./x.sol":           "",
		"src//x.sol":            "",
		`src\x.sol`:             "",
		"src/x\n.sol":           "",
		"src/\xff.sol":          "",
		"javascript:alert(1)/x": "javascript%3Aalert%281%29/x",
	} {
		got, ok := FileURI(path)
		if got != want || ok != (want != "") {
			t.Errorf("FileURI(%q) = %q, %v, want %q", path, got, ok, want)
		}
	}
}

func TestLineRegion(t *testing.T) {
	for text, want := range map[string]Region{
		"x;":         {7, 1, 7, 3},
		"    x; \r":  {7, 5, 7, 7},
		"":           {7, 1, 7, 2},
		"   ":        {7, 4, 7, 5},
		"\t😀é":       {7, 2, 7, 5},
		"\xff\xfe x": {7, 1, 7, 5},
	} {
		if got := LineRegion(7, []byte(text)); got != want {
			t.Errorf("LineRegion(%q) = %v, want %v", text, got, want)
		}
	}
}

// logOf has n results, every third an error, each with the given steps and
// related locations.
func logOf(n, steps, related int) *Log {
	log := New(Driver{Name: "T", Rules: []Rule{{ID: "r"}}}, "t/")
	place := Location{Physical: PhysicalLocation{ArtifactLocation{"a.sol"}, LineRegion(1, nil)}}
	for i := range n {
		res := Result{RuleID: "r", Level: Note, Message: Text{fmt.Sprint(i)}, Locations: []Location{place}}
		if i%3 == 0 {
			res.Level = Error
		}
		for range steps {
			res.CodeFlows = append(res.CodeFlows, Flow(place))
		}
		for range related {
			res.RelatedLocations = append(res.RelatedLocations, place)
		}
		log.Runs[0].Results = append(log.Runs[0].Results, res)
	}
	return log
}

func TestLimitOfResults(t *testing.T) {
	log := logOf(MaxResults+1_000, 0, 0)
	if _, err := Encode(log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Results) != MaxResults {
		t.Fatalf("%d results are kept", len(run.Results))
	}
	errors := 0
	for _, res := range run.Results {
		if res.Level == Error {
			errors++
		}
	}
	if errors != (MaxResults+1_000)/3 {
		t.Errorf("%d errors are kept: the most severe must be", errors)
	}
	if notes := run.Invocations[0].Notifications; len(notes) != 1 || !strings.Contains(notes[0].Message.Text, "1000 of 6000") {
		t.Errorf("notifications: %v", notes)
	}
}

func TestLimitOfLocations(t *testing.T) {
	log := logOf(1, MaxFlowLocations+5, MaxLocations+5)
	if _, err := Encode(log); err != nil {
		t.Fatal(err)
	}
	res := log.Runs[0].Results[0]
	if len(res.CodeFlows) != MaxFlowLocations || len(res.RelatedLocations) != MaxLocations {
		t.Errorf("%d flows, %d related locations", len(res.CodeFlows), len(res.RelatedLocations))
	}
	if len(log.Runs[0].Invocations[0].Notifications) != 1 {
		t.Error("nothing says that something was cut")
	}
}

func TestLimitOfSize(t *testing.T) {
	log := logOf(64, 50, 0)
	for i := range log.Runs[0].Results {
		// Text that gzip cannot shrink to nothing.
		log.Runs[0].Results[i].Message.Text = fmt.Sprintf("%x", bytes.Repeat([]byte{byte(i * 37), byte(i*i + 1)}, 20+i))
	}
	const size = 1_500
	data, err := encodeWithin(log, size)
	if err != nil {
		t.Fatal(err)
	}
	if zipped, err := gzipSize(data); err != nil || zipped > size || len(log.Runs[0].Results) == 0 {
		t.Errorf("%d bytes, %d results, %v", zipped, len(log.Runs[0].Results), err)
	}
	if log.Runs[0].Results[0].CodeFlows != nil {
		t.Error("results were dropped before the steps")
	}
	if _, err := encodeWithin(logOf(0, 0, 0), 10); err == nil {
		t.Error("a limit below the smallest file must be an error")
	}
}

func TestLimitOfRules(t *testing.T) {
	log := New(Driver{Name: "T", Rules: []Rule{{
		ID: "r", Name: strings.Repeat("é", 300),
		ShortDescription: Text{strings.Repeat("a", 2_000)}, FullDescription: Text{strings.Repeat("b", MaxDescription)},
		Properties: RuleProperties{Tags: make([]string, 12)},
	}}}, "t/")
	if _, err := Encode(log); err != nil {
		t.Fatal(err)
	}
	rule := log.Runs[0].Tool.Driver.Rules[0]
	if n := len([]rune(rule.Name)); n != MaxName {
		t.Errorf("name has %d characters", n)
	}
	if n := len([]rune(rule.ShortDescription.Text)); n != MaxDescription {
		t.Errorf("short description has %d characters", n)
	}
	if n := len(rule.FullDescription.Text); n != MaxDescription {
		t.Errorf("full description has %d characters", n)
	}
	if len(rule.Properties.Tags) != MaxTags {
		t.Errorf("%d tags", len(rule.Properties.Tags))
	}
}

// Without results the arrays that the standard requires are there.
func TestEmptyRun(t *testing.T) {
	data, err := Encode(New(Driver{Name: "T", Rules: []Rule{}}, "t/"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Runs []struct{ Results []any } }
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Runs[0].Results == nil {
		t.Errorf("results are absent, which means that the run failed:\n%s", data)
	}
}
