package report

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	oasis "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sightline-evm/sightline/report/sarif"
)

// sarifSchema compiles the OASIS schema of SARIF 2.1.0, which go-sarif holds in
// an unexported constant of its source.
var sarifSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	var text string
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err = strconv.Unquote(lit.Value)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	const url = "https://schema.test/sarif.json"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(url, doc); err != nil {
		return nil, err
	}
	return compiler.Compile(url)
})

// checkSARIF validates a file against the OASIS schema, reads it with go-sarif
// and checks what GitHub asks for beyond the schema.
func checkSARIF(t testing.TB, data []byte) *oasis.Report {
	t.Helper()
	schema, err := sarifSchema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Fatalf("against the OASIS schema: %v\n%s", err, data)
	}
	read, err := oasis.FromBytes(data)
	if err != nil {
		t.Fatalf("go-sarif: %v", err)
	}
	var log sarif.Log
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&log); err != nil {
		t.Fatal(err)
	}
	if err := checkForGitHub(&log, data); err != nil {
		t.Fatalf("for GitHub: %v\n%s", err, data)
	}
	return read
}

var (
	severityNumber = regexp.MustCompile(`^(10\.0|[0-9]\.[0-9])$`)
	fingerprint    = regexp.MustCompile(`^[0-9a-f]{1,16}:[1-9][0-9]*$`)
	messageLink    = regexp.MustCompile(`\[([^\[\]]*)\]\(([^)]*)\)`)
)

func checkForGitHub(log *sarif.Log, data []byte) error {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write(data)
	w.Close()
	if zipped.Len() > sarif.MaxGzip || len(log.Runs) != 1 {
		return fmt.Errorf("%d bytes gzipped, %d runs", zipped.Len(), len(log.Runs))
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name != "Sightline" || strings.Count(run.AutomationDetails.ID, "/") == 0 || run.ColumnKind != "utf16CodeUnits" {
		return fmt.Errorf("run: driver %q, id %q, columns %q", run.Tool.Driver.Name, run.AutomationDetails.ID, run.ColumnKind)
	}
	ids := map[string]bool{}
	for _, rule := range run.Tool.Driver.Rules {
		if err := checkRule(rule); err != nil || ids[rule.ID] {
			return fmt.Errorf("rule %q (there before: %v): %w", rule.ID, ids[rule.ID], err)
		}
		ids[rule.ID] = true
	}
	if len(run.Results) > sarif.MaxResults {
		return fmt.Errorf("%d results", len(run.Results))
	}
	alerts := map[string]bool{}
	for i, res := range run.Results {
		if err := checkResult(run, res); err != nil {
			return fmt.Errorf("result %d: %w", i, err)
		}
		place := res.Locations[0].Physical
		key := fmt.Sprint(res.RuleID, place.Artifact.URI, place.Region.StartLine)
		if alerts[key] {
			return fmt.Errorf("result %d: GitHub makes one alert of two results: %s", i, key)
		}
		alerts[key] = true
	}
	return nil
}

func checkRule(rule sarif.Rule) error {
	p := rule.Properties
	switch short, full := rule.ShortDescription.Text, rule.FullDescription.Text; {
	case rule.ID == "" || short == "" || full == "" || rule.Help.Text == "":
		return fmt.Errorf("a required text is empty")
	case len([]rune(short)) > sarif.MaxDescription || len([]rune(full)) > sarif.MaxDescription || len([]rune(rule.Name)) > sarif.MaxName:
		return fmt.Errorf("a text is too long")
	case len(p.Tags) > sarif.MaxTags:
		return fmt.Errorf("%d tags", len(p.Tags))
	case p.SecuritySeverity != "" && (!severityNumber.MatchString(p.SecuritySeverity) || p.SecuritySeverity == "0.0"):
		return fmt.Errorf("security severity %q", p.SecuritySeverity)
	}
	return nil
}

func checkResult(run *sarif.Run, res sarif.Result) error {
	if res.RuleIndex < 0 || res.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[res.RuleIndex].ID != res.RuleID {
		return fmt.Errorf("rule %q has another index than %d", res.RuleID, res.RuleIndex)
	}
	if len(res.Locations) != 1 || res.Message.Text == "" {
		return fmt.Errorf("%d locations, message %q", len(res.Locations), res.Message.Text)
	}
	for key, value := range res.PartialFingerprints {
		if key != sarif.LineHash || !fingerprint.MatchString(value) {
			return fmt.Errorf("fingerprint %s: %q", key, value)
		}
	}
	locations := append([]sarif.Location{}, res.Locations...)
	steps := 0
	for _, flow := range res.CodeFlows {
		for _, step := range flow.ThreadFlows[0].Locations {
			locations = append(locations, step.Location)
			steps++
		}
	}
	linked := map[int]bool{}
	for _, link := range messageLink.FindAllStringSubmatch(res.Message.Text, -1) {
		id, err := strconv.Atoi(link[2])
		if err != nil {
			return fmt.Errorf("a link in the message leads to %q", link[2])
		}
		linked[id] = true
	}
	for _, l := range res.RelatedLocations {
		if !linked[l.ID] {
			return fmt.Errorf("related location %d is not linked from %q", l.ID, res.Message.Text)
		}
		delete(linked, l.ID)
		locations = append(locations, l)
	}
	if len(linked) > 0 || len(res.RelatedLocations) > sarif.MaxLocations || steps > sarif.MaxFlowLocations {
		return fmt.Errorf("links to nothing: %v; %d related locations, %d steps", linked, len(res.RelatedLocations), steps)
	}
	for _, l := range locations {
		r, uri := l.Physical.Region, l.Physical.Artifact.URI
		if r.StartLine < 1 || r.EndLine != r.StartLine || r.StartColumn < 1 || r.EndColumn <= r.StartColumn {
			return fmt.Errorf("region %v is not a part of one line", r)
		}
		if strings.HasPrefix(uri, "/") || strings.Contains(uri, "..") || strings.Contains(uri, "://") {
			return fmt.Errorf("URI %q", uri)
		}
	}
	return nil
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
	for novelty, want := range map[string]string{Introduced: sarif.Error, Unknown: sarif.Error, PreExisting: sarif.Note} {
		r := load(t, "fail")
		r.Findings[0].Novelty = novelty
		data, err := SARIF(r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := checkSARIF(t, data).Runs[0].Results[0].Level; got != want {
			t.Errorf("%s: level %s, want %s", novelty, got, want)
		}
	}
	r := load(t, "fail")
	r.Findings[0].Shipped = ShippedAbsent
	data, err := SARIF(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := checkSARIF(t, data).Runs[0].Results[0].Level; got != sarif.Note {
		t.Errorf("not on the shipped build: level %s", got)
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
	if err := checkForGitHub(&log, data); err != nil {
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
