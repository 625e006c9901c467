// Package checksarif checks SARIF files for tests: against the OASIS schema, and
// for everything that GitHub's code scanning asks for beyond it.
package checksarif

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
	"regexp"
	"strconv"
	"strings"
	"sync"

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

// Check validates a file against the OASIS schema, reads it with go-sarif, and
// checks what GitHub asks for beyond the schema.
func Check(data []byte) (*oasis.Report, error) {
	schema, err := sarifSchema()
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if err := schema.Validate(doc); err != nil {
		return nil, fmt.Errorf("against the OASIS schema: %w", err)
	}
	read, err := oasis.FromBytes(data)
	if err != nil {
		return nil, fmt.Errorf("go-sarif: %w", err)
	}
	var log sarif.Log
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&log); err != nil {
		return nil, err
	}
	if err := ForGitHub(&log, data); err != nil {
		return nil, fmt.Errorf("for GitHub: %w", err)
	}
	return read, nil
}

var (
	severityNumber = regexp.MustCompile(`^(10\.0|[0-9]\.[0-9])$`)
	fingerprint    = regexp.MustCompile(`^[0-9a-f]{1,16}:[1-9][0-9]*$`)
	// counted is what differs between two runs that find the same, so that an alert with it in
	// its message would be another one each time.
	counted     = regexp.MustCompile(`(?i)\b\d+(\.\d+)?[kMG]? (call|sequence|execution|second|minute|path|worker|input)s?\b|\b\d+(\.\d+)? (s|ms|min)\b|\bseed \d|\b[0-9a-f]{12,40}\b`)
	messageLink = regexp.MustCompile(`\[([^\[\]]*)\]\(([^)]*)\)`)
)

// ForGitHub checks what GitHub asks of a file, which is data.
func ForGitHub(log *sarif.Log, data []byte) error {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
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
	case !strings.HasPrefix(rule.HelpURI, "https://"):
		return fmt.Errorf("help is at %q", rule.HelpURI)
	case !strings.Contains(rule.Help.Text, "How to waive") || !strings.Contains(rule.Help.Markdown, "How to waive"):
		return fmt.Errorf("help does not say how to waive")
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
	if found := counted.FindString(res.Message.Text); found != "" {
		return fmt.Errorf("message %q says %q, which another run would not", res.Message.Text, found)
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
		if err := checkPlace(l.Physical); err != nil {
			return err
		}
	}
	return nil
}

func checkPlace(p sarif.PhysicalLocation) error {
	r, uri := p.Region, p.Artifact.URI
	if r.StartLine < 1 || r.EndLine != r.StartLine || r.StartColumn < 1 || r.EndColumn <= r.StartColumn {
		return fmt.Errorf("region %v is not a part of one line", r)
	}
	if strings.HasPrefix(uri, "/") || strings.Contains(uri, "..") || strings.Contains(uri, "://") {
		return fmt.Errorf("URI %q", uri)
	}
	return nil
}
