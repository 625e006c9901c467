package compare

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// TestHistory follows findings over three runs: found, found again beside one that is
// fixed, and gone.
func TestHistory(t *testing.T) {
	h := headOf(t, compiled(t, "head"), "Twice")
	d := h.Deployment
	judge, err := d.NewJudge()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "below", "findings.json")
	log := progress.NewLog(io.Discard, time.Now)
	sequences := map[string]string{
		"breaks.json": input.Format(d.Space, parse(t, h, "Twice.spend(uint256) args (3)")),
		"fixed.json":  input.Format(d.Space, parse(t, h, "Twice.spend(uint256) args (4)")),
		"stale.json":  "sightline-sequence v1\ndeployer Gone.spend()\n",
	}
	sequence := func(path string) ([]string, bool) {
		text, ok := sequences[path]
		return strings.Split(strings.TrimSuffix(text, "\n"), "\n"), ok
	}
	finding := func(id, reproducer string) report.Finding {
		return report.Finding{ID: id, Oracle: "assertion", Location: report.Place{Contract: source + ":Twice"}, Function: "spend", Title: "t", Reproducer: reproducer}
	}

	first := ReadHistory(file, "0000001", log)
	if seeds := first.Seeds(d.Space); len(seeds) != 0 {
		t.Errorf("the first run has %d seeds", len(seeds))
	}
	r := &report.Report{Findings: []report.Finding{finding("SL-3", "stale.json"), finding("SL-1", "breaks.json"), finding("SL-2", "fixed.json"), finding("SL-4", "withheld.json")}}
	first.Compare(r, d, judge, log)
	first.Write(r, sequence, log)
	if w := log.Warnings(); len(w) > 0 {
		t.Fatalf("warnings %q", w)
	}

	second := ReadHistory(file, "0000002", log)
	if seeds := second.Seeds(d.Space); len(seeds) != 2 {
		t.Errorf("the second run has %d seeds, want two", len(seeds))
	}
	r = &report.Report{Findings: []report.Finding{finding("SL-1", "breaks.json")}}
	second.Compare(r, d, judge, log)
	if r.Findings[0].Since != "0000001" {
		t.Errorf("SL-1 is known since %q", r.Findings[0].Since)
	}
	if len(r.Fixed) != 1 || r.Fixed[0].ID != "SL-2" || r.Fixed[0].Since != "0000001" || r.Fixed[0].In != "0000002" {
		t.Errorf("fixed: %+v", r.Fixed)
	}
	if w := log.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0], "SL-3 of an earlier run was not tried: its calls no longer fit: ") {
		t.Errorf("warnings %q", w)
	}
	second.Write(r, sequence, log)

	// A finding that the campaign did not meet again, and that still breaks, is kept.
	third := ReadHistory(file, "0000003", log)
	third.Seeds(d.Space)
	r = &report.Report{}
	third.Compare(r, d, judge, log)
	if len(r.Fixed) > 0 || len(third.Findings) != 2 {
		t.Errorf("fixed %+v, kept %+v; want SL-1 and SL-3 kept", r.Fixed, third.Findings)
	}
}

// TestHistoryFile: a file that cannot be read is a warning, and the run begins anew.
func TestHistoryFile(t *testing.T) {
	for text, want := range map[string]string{
		`{"version": 1, "findings": []}`: "",
		`{"version": 9}`:                 "it has format version 9",
		`[`:                              "unexpected end of JSON input",
		`{"version": 1, "findings": [` + strings.Repeat(`{},`, maxKept) + `{}]}`:   "it has 201 findings; the limit is 200",
		`{"version": 1, "findings": [` + strings.Repeat(`{},`, maxKept-1) + `{}]}`: "200 findings of earlier runs left out",
		`{"version": 1, "findings": [{}]}`:                                         "1 finding of earlier runs left out",
	} {
		file := filepath.Join(t.TempDir(), "findings.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		log := progress.NewLog(io.Discard, time.Now)
		h := ReadHistory(file, "head", log)
		if warnings := strings.Join(log.Warnings(), ""); (warnings == "") != (want == "") || !strings.Contains(warnings, want) || len(h.Findings) > 0 {
			t.Errorf("%.40s: %q, want %q", text, warnings, want)
		}
	}
	if h := ReadHistory("", "head", nil); h != nil {
		t.Error("a history without a file")
	}
	// Who may write the cache does not get to write the comment.
	file := filepath.Join(t.TempDir(), "findings.json")
	const good = `{"id": "SL-7f3a", "oracle": "assertion", "contract": "src/A.sol:A", "function": "f", "title": "audited by @octocat", "since": "yesterday, and is fine"}`
	text := good
	for _, edit := range [][2]string{{"SL-7f3a", "SL-7f3a is fine"}, {"assertion", "all is well"}, {"src/A.sol:A", "all is well"}, {`"f"`, `"f is fine"`}, {"src/A.sol:A", "<img>"}} {
		text += "," + strings.Replace(good, edit[0], edit[1], 1)
	}
	if err := os.WriteFile(file, []byte(`{"version": 1, "findings": [`+text+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	log := progress.NewLog(io.Discard, time.Now)
	h := ReadHistory(file, "head", log)
	if len(h.Findings) != 1 || h.Findings[0].Title != "An assertion fails" || h.Findings[0].Since != "an earlier run" {
		t.Errorf("%+v", h.Findings)
	}
	if w := log.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0], "5 findings of earlier runs left out: ") {
		t.Errorf("warnings %q", w)
	}
	var none *History
	none.LeaveUntried(nil)
	none.Compare(&report.Report{}, nil, nil, nil)
	none.Write(&report.Report{}, nil, nil)
}

func FuzzReadHistory(f *testing.F) {
	f.Add([]byte(`{"version": 1, "findings": [{"id": "SL-1", "oracle": "assertion", "sequence": ["sightline-sequence v1", "deployer A.f()"]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "findings.json")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		log := progress.NewLog(io.Discard, time.Now)
		h := ReadHistory(file, "head", log)
		if w := strings.Join(log.Warnings(), ""); len(h.Findings) > 0 && strings.Contains(w, "cannot be read") {
			t.Errorf("%d findings of a file that cannot be read", len(h.Findings))
		}
		for _, f := range h.Findings {
			if shown := f.ID + f.Contract + f.Function; strings.ContainsAny(shown, " \n\t<>") {
				t.Errorf("words of the file: %q", shown)
			}
		}
	})
}
