package report

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// jsonPaths lists the JSON fields of a type that hold a value: "stats.calls",
// "lines[].file".
func jsonPaths(t reflect.Type, prefix string) []string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonPaths(t.Elem(), prefix)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			return jsonPaths(t.Elem(), prefix+"[]")
		}
	case reflect.Struct:
		var paths []string
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if name == "-" {
				continue // not in the file
			}
			path := name
			if t.Field(i).Anonymous {
				path = prefix
			} else if prefix != "" {
				path = prefix + "." + name
			}
			paths = append(paths, jsonPaths(t.Field(i).Type, path)...)
		}
		return paths
	}
	return []string{prefix}
}

// TestDocumented holds docs/report.md to the model.
func TestDocumented(t *testing.T) {
	data, err := os.ReadFile("../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	paths := jsonPaths(reflect.TypeFor[Report](), "")
	if len(paths) < 60 {
		t.Fatalf("only %d fields: %v", len(paths), paths)
	}
	for _, path := range paths {
		if !strings.Contains(doc, "`"+path+"`") && !strings.Contains(doc, "`"+path+"[]`") {
			t.Errorf("docs/report.md does not say what `%s` is", path)
		}
	}
	for _, words := range [][]string{statuses, severities, {Pass, Fail, Skipped, Error, Introduced, PreExisting, Unknown}} {
		for _, word := range words {
			if !strings.Contains(doc, "`"+word+"`") {
				t.Errorf("docs/report.md does not say what `%s` means", word)
			}
		}
	}
}

// TestVerdictsAreDocumented holds the table of verdicts in docs/report.md to the rules.
// After a change of the rules, run with -update.
func TestVerdictsAreDocumented(t *testing.T) {
	const path, head = "../docs/report.md", "| what is so | verdict | exit code |\n|---|---|---|\n"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(data), head)
	if !found {
		t.Fatalf("%s has no table that begins with\n%s", path, head)
	}
	_, after, _ = strings.Cut(after, "\n\n")
	var rows strings.Builder
	for _, r := range rules {
		fmt.Fprintf(&rows, "| %s | `%s` | %d |\n", r.when, r.verdict, ExitCode(r.verdict))
	}
	golden.Check(t, path, before+head+rows.String()+"\n"+after)
}
