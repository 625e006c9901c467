package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	htmlpage "github.com/sightline-evm/sightline/report/page"
)

// TestHTMLIsInert: whatever a report says, the page is the frame, one block of data, and one script.
func TestHTMLIsInert(t *testing.T) {
	const text = "</script><script>alert(1)</script><!--<script>\u2028\u2029\u202e&\x00\xff"
	r := load(t, "hostile")
	r.Findings[0].Message, r.Lines[0].File, r.Reason = text, text, text
	r.Verdict = Error // whose reason is in the frame, too
	data, err := HTML(r, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	if n := strings.Count(page, "<script"); n != 2 {
		t.Errorf("%d scripts", n)
	}
	if n := strings.Count(page, "</script"); n != 2 {
		t.Errorf("%d ends of scripts", n)
	}
	if strings.Contains(page, "<!--") || strings.ContainsAny(page, "\u2028\u2029\u202e\x00") {
		t.Error("a comment begins, or a character is invisible")
	}
	if !strings.Contains(page, `<meta http-equiv="Content-Security-Policy" content="`+htmlpage.Policy()+`">`) {
		t.Error("the page has no policy")
	}
	if !bytes.Equal(data, must(HTML(r, testOptions()))) {
		t.Error("two pages of one report differ")
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

// TestHTMLKeepsReport: rendering changes nothing of the report, whose lists it shares.
func TestHTMLKeepsReport(t *testing.T) {
	r := load(t, "hostile")
	before := encodeReport(t, r, false)
	must(HTML(r, testOptions()))
	if !bytes.Equal(before, encodeReport(t, r, false)) {
		t.Error("the report has changed")
	}
}

// TestHTMLSource: rows have the indentation of the source, and lines around them; where the source is another
// one, or is not there, only what the report says.
func TestHTMLSource(t *testing.T) {
	lines := strings.Join([]string{"contract A {", "", "\tfunction f() {", "\t\tx = 1;", "\t}", "}", "", "", "end"}, "\n")
	of := func(source string, there bool, rows ...Line) browserFile {
		t.Helper()
		r := &Report{Verdict: Pass, FailOn: "high", Lines: rows}
		data := pageData(t, must(HTML(r, Options{Source: func(string) ([]byte, bool) { return []byte(source), there }})))
		var page browserPage
		if err := json.Unmarshal(data, &page); err != nil {
			t.Fatal(err)
		}
		return page.Files[0]
	}
	row := Line{File: "a.sol", Line: 4, Status: Reached, Text: "x = 1;"}
	f := of(lines, true, row)
	if want := "        x = 1;"; f.Rows[0].Text != want {
		t.Errorf("the row is %q, want %q", f.Rows[0].Text, want)
	}
	want := []sourceLine{{2, ""}, {3, "    function f() {"}, {5, "    }"}, {6, "}"}}
	if !reflect.DeepEqual(f.Lines, want) {
		t.Errorf("around it is %v, want %v", f.Lines, want)
	}
	row.Text = "y = 2;"
	if f := of(lines, true, row); f.Rows[0].Text != "y = 2;" || len(f.Lines) > 0 {
		t.Errorf("of another source: %q, %v", f.Rows[0].Text, f.Lines)
	}
	row.Line = 100
	if f := of(lines, true, row); len(f.Lines) > 0 {
		t.Errorf("of a line that the source does not have: %v", f.Lines)
	}
	if f := of("", false, row); len(f.Lines) > 0 || f.Rows[0].Text != "y = 2;" {
		t.Errorf("without source: %v", f.Lines)
	}
}

func TestCleanText(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"  a\n\tb  ":             "  a\n    b",
		"a\u202eb\x1b[2J":        `a\u202eb\x1b[2J`,
		"\xff":                   `\xff`,
		strings.Repeat(" ", 300): "",
	} {
		if got := cleanText(text); strings.TrimRight(got, " ") != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
