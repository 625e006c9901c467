package oracle_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

var (
	heading = regexp.MustCompile(`(?m)^## (.*)$`)
	example = regexp.MustCompile("(?s)```solidity\n(.*?)```")
)

// TestDocumented holds docs/oracles.md to the code: a section per oracle, in the
// order of Known, with its Doc, and with examples that are fixtures.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/oracles.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	var ids, sections []string
	headings := heading.FindAllStringSubmatchIndex(doc, -1)
	for i, h := range headings {
		end := len(doc)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		ids = append(ids, doc[h[2]:h[3]])
		sections = append(sections, doc[h[1]:end])
	}
	var want []string
	all := append(oracle.Known(), oracle.Compared()...)
	for _, o := range all {
		want = append(want, o.ID)
	}
	if !slices.Equal(ids, want) {
		t.Fatalf("docs/oracles.md has sections %q, want %q", ids, want)
	}
	for i, o := range all {
		row := fmt.Sprintf("| [`%s`](#%s) | %s | ", o.ID, o.ID, o.Title)
		if !strings.Contains(doc, row) || !strings.Contains(doc, fmt.Sprintf(" | %s |\n", o.Severity)) {
			t.Errorf("%s: no row %q in the table, with severity %s", o.ID, row, o.Severity)
		}
		checkSection(t, o, sections[i])
	}
}

func checkSection(t *testing.T, o *oracle.Oracle, section string) {
	for _, part := range []string{
		o.Doc, "**How to mend it**\n\n" + o.Remedy + "\n", "**" + o.Title + "**", "severity " + o.Severity.String(), "**Known false positives**",
	} {
		if !strings.Contains(section, part) {
			t.Errorf("%s: its section does not have %q", o.ID, part)
		}
	}
	if o.SWC != "" && !strings.Contains(section, "SWC-"+o.SWC) {
		t.Errorf("%s: its section does not name SWC-%s", o.ID, o.SWC)
	}
	if o.Check == nil {
		return // its fixtures are pull requests: internal/pipeline/testdata/verdicts
	}
	all := fixtures(t, o.ID)
	shown := map[string]int{}
	for _, m := range example.FindAllStringSubmatch(section, -1) {
		i := slices.IndexFunc(all, func(f fixture) bool { return f.text == m[1] })
		if i < 0 {
			t.Errorf("%s: an example that is no fixture:\n%s", o.ID, m[1])
			continue
		}
		shown[strings.Split(all[i].path, "/")[1]]++
	}
	for _, kind := range kinds {
		if shown[kind] == 0 {
			t.Errorf("%s: its section has no example of kind %s", o.ID, kind)
		}
	}
}
