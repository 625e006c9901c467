package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// testOptions are those of the golden files: the sources are testdata/head.
func testOptions() Options {
	return Options{
		Source: func(file string) ([]byte, bool) {
			if !filepath.IsLocal(file) {
				return nil, false
			}
			data, err := os.ReadFile(filepath.Join("testdata/head", file))
			return data, err == nil
		},
		Out:        "sightline-out",
		FileURL:    "https://github.com/o/r/blob/1a2b3c4/",
		SummaryURL: "https://github.com/o/r/actions/runs/812",
		Key:        "ci.yml/sightline", SHA: "1a2b3c4", Run: "812",
	}
}

// fixtures are the names of the reports in testdata.
func fixtures(t testing.TB) []string {
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = strings.TrimSuffix(filepath.Base(p), ".json")
	}
	return names
}

// load reads a fixture and decides its verdict.
func load(t testing.TB, name string) *Report {
	data, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	Decide(r)
	return r
}

// TestGolden renders each fixture in every form. After a change that is meant,
// run with -update and read the difference.
func TestGolden(t *testing.T) {
	for _, name := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			r, o := load(t, name), testOptions()
			var data, terminal bytes.Buffer
			if err := WriteJSON(&data, r, true); err != nil {
				t.Fatal(err)
			}
			if err := Terminal(&terminal, r, o, false); err != nil {
				t.Fatal(err)
			}
			alerts, err := SARIF(r, o)
			if err != nil {
				t.Fatal(err)
			}
			page, err := HTML(r, o)
			if err != nil {
				t.Fatal(err)
			}
			var explained strings.Builder
			for i := range r.Lines {
				if e, err := r.Explain(fmt.Sprintf("%s:%d", r.Lines[i].File, r.Lines[i].Line)); err == nil {
					explained.WriteString(e.Text(o.Out) + "\n")
				}
			}
			issue := NewIssue(r, o)
			for file, got := range map[string][]byte{
				"issue.md":    slices.Concat([]byte(issue.Title+"\n\n"), issue.Body, []byte("\n\n"), issue.News(2)),
				"explain.txt": []byte(explained.String()), "page.json": pageData(t, page), "terminal.txt": terminal.Bytes(), "annotations.txt": annotations(r),
				JSONFile: data.Bytes(), SARIFFile: alerts, CommentFile: Comment(r, o), SummaryFile: Summary(r, o), LCOVFile: LCOV(r),
			} {
				golden.Check(t, filepath.Join("testdata/golden", name, file), string(got))
			}
		})
	}
}

// annotations shows the annotations, after the numbers.
func annotations(r *Report) []byte {
	c := CountsOf(r)
	text := fmt.Sprintf("%d findings (%d new), %d of %d lines reached\n", c.Findings, c.New, c.Reached, c.Lines)
	for _, a := range Annotations(r) {
		text += fmt.Sprintf("\n%s %q line %d: %s\n%s\n", a.Level, a.File, a.Line, a.Title, a.Message)
	}
	return []byte(text)
}

// pageData is what the page in a browser shows, indented. The rest of the page is the same for all reports.
func pageData(t testing.TB, page []byte) []byte {
	t.Helper()
	_, data, _ := bytes.Cut(page, []byte(`<script type="application/json" id="data">`))
	data, _, found := bytes.Cut(data, []byte("</script>"))
	if !found {
		t.Fatalf("a page without data:\n%.2000s", page)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, data, "", "  "); err != nil {
		t.Fatal(err)
	}
	out.WriteByte('\n')
	return out.Bytes()
}
