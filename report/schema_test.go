package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// schema is the JSON schema of report.json, made from the model and its comments. A strict one refuses fields that it
// does not know: programs that read reports should not.
func schema(t *testing.T, strict bool) []byte {
	t.Helper()
	r := jsonschema.Reflector{AllowAdditionalProperties: !strict, Anonymous: true, ExpandedStruct: true}
	if err := r.AddGoComments("github.com/sightline-evm/sightline/report", "."); err != nil {
		t.Fatal(err)
	}
	s := r.Reflect(&Report{})
	s.Title = "report.json of Sightline"
	version, ok := s.Properties.Get("version")
	if !ok {
		t.Fatal("a report has no version")
	}
	version.Const = FormatVersion
	for of, fields := range map[string]reflect.Type{"Finding": reflect.TypeFor[DeprecatedFinding](), "Target": reflect.TypeFor[DeprecatedTarget]()} {
		for i := range fields.NumField() {
			name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
			property, ok := s.Definitions[of].Properties.Get(name)
			if !ok {
				t.Fatalf("a %s has no %s", of, name)
			}
			property.Deprecated = true
		}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// TestSchema: docs/report.schema.json is that of the model, and every expected report is as it says. The strict one
// shows that it knows all fields; a report without its verdict, or of another version, is refused.
func TestSchema(t *testing.T) {
	golden.Check(t, "../docs/report.schema.json", string(schema(t, false)))

	compile := func(strict bool) func(report []byte) error {
		doc, err := validator.UnmarshalJSON(bytes.NewReader(schema(t, strict)))
		if err != nil {
			t.Fatal(err)
		}
		compiler := validator.NewCompiler()
		if err := compiler.AddResource("report.schema.json", doc); err != nil {
			t.Fatal(err)
		}
		compiled, err := compiler.Compile("report.schema.json")
		if err != nil {
			t.Fatal(err)
		}
		return func(report []byte) error {
			instance, err := validator.UnmarshalJSON(bytes.NewReader(report))
			if err != nil {
				t.Fatal(err)
			}
			return compiled.Validate(instance)
		}
	}
	strict, published := compile(true), compile(false)
	files, err := filepath.Glob("testdata/golden/*/report.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := strict(text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for _, edit := range [][2]string{{`"verdict":`, `"outcome":`}, {`"version": 2`, `"version": 1`}, {`"findings": [`, `"findings": [7, `}} {
			broken := strings.Replace(string(text), edit[0], edit[1], 1)
			if strings.HasSuffix(edit[1], "[7, ") {
				broken = strings.Replace(broken, "[7, ]", "[7]", 1)
			}
			if broken == string(text) {
				t.Fatalf("%s has no %s", file, edit[0])
			}
			if published([]byte(broken)) == nil {
				t.Errorf("%s: %s is accepted", file, edit[1])
			}
		}
		newer := strings.Replace(string(text), "{", `{"of a later version": 1,`, 1)
		if err := published([]byte(newer)); err != nil {
			t.Errorf("%s: a field of a later version: %v", file, err)
		}
	}
}
