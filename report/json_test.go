package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func encodeReport(t testing.TB, r *Report, omitTimes bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJSON(&b, r, omitTimes); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWriteAndRead(t *testing.T) {
	for _, name := range fixtures(t) {
		r := load(t, name)
		back, err := Read(encodeReport(t, r, false))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(r, back); diff != "" {
			t.Errorf("%s (-written +read):\n%s", name, diff)
		}
	}
}

func TestWriteJSON(t *testing.T) {
	r := &Report{Version: FormatVersion, FailOn: "high", Warnings: []string{"<b>&\u202e\x7f\u009b\u2028 é ✅ \U000e0041\x1b"}, Seed: math.MaxUint64}
	got := string(encodeReport(t, r, false))
	if want := `"<b>&\u202e\u007f\u009b\u2028 é ✅ \udb40\udc41\u001b"`; !strings.Contains(got, want) {
		t.Errorf("no %s in %s", want, got)
	}
	if strings.Contains(got, "null") {
		t.Errorf("a list is null:\n%s", got)
	}
	if !strings.Contains(got, "18446744073709551615") {
		t.Error("a large seed loses digits")
	}
	if r.Lines != nil {
		t.Error("the report was changed")
	}
	r.Stats.Seconds = math.NaN()
	if err := WriteJSON(&bytes.Buffer{}, r, false); err == nil {
		t.Error("NaN is not an error")
	}
}

func TestOmitTimes(t *testing.T) {
	r := load(t, "fail")
	before := encodeReport(t, r, false)
	got := string(encodeReport(t, r, true))
	if limits := `"seconds": 120`; !strings.Contains(got, limits) {
		t.Errorf("the limit, which no clock measured, is left out")
	}
	if strings.Count(got, `"seconds"`) != 1 || strings.Contains(got, "callsPerSecond") {
		t.Errorf("times are left:\n%s", got)
	}
	if !bytes.Equal(before, encodeReport(t, r, false)) {
		t.Error("the report was changed")
	}
}

func TestReadErrors(t *testing.T) {
	good := string(encodeReport(t, load(t, "fail"), false))
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %s in the fixture", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for name, c := range map[string]struct{ data, says string }{
		"empty":              {"", "not a report.json"},
		"not JSON":           {"{\n  \"version\": 2,\n  oops\n}", "line 3"},
		"not a report":       {`[1]`, "not a report.json"},
		"no version":         {`{}`, "format version 0"},
		"newer version":      {replace(`"version": 2`, `"version": 3`), `use the version of Sightline that wrote it ("0.1.0")`},
		"unknown field":      {replace(`"failOn"`, `"failOff"`), "failOff"},
		"wrong type":         {replace(`"workers": 2`, `"workers": "two"`), "workers"},
		"after the end":      {good + "{}", "line"},
		"unknown verdict":    {replace(`"verdict": "fail"`, `"verdict": "fine"`), `unknown verdict "fine"`},
		"unknown gate":       {replace(`"failOn": "high"`, `"failOn": "always"`), `unknown severity "always"`},
		"unknown status":     {replace(`"status": "no-bytecode"`, `"status": "safe"`), `lines[0]: unknown status "safe"`},
		"unknown comparison": {replace(`"comparison": "introduced"`, `"comparison": "old"`), `findings[0]: unknown comparison "old"`},
		"line zero":          {replace(`"line": 1,`, `"line": 0,`), "lines[0]: line number 0"},
		"too large":          {strings.Repeat(" ", MaxSize+1), "at most"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read([]byte(c.data))
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "report.json") {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
}

// FuzzRead: what Read accepts can be written and read again, and is rendered.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"skipped", "zero", "error", "version1/report"} { // the small ones: large seeds make a slow fuzzer
		data, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		var small bytes.Buffer
		if err := json.Compact(&small, data); err != nil {
			f.Fatal(err)
		}
		f.Add(small.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read(data)
		if err != nil {
			return
		}
		written := encodeReport(t, r, false)
		back, err := Read(written)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if again := encodeReport(t, back, false); !bytes.Equal(written, again) {
			t.Fatalf("written twice, with a difference:\n%s", cmp.Diff(string(written), string(again)))
		}
		Decide(r)
		if err := checkPage(string(Comment(r, testOptions())), true); err != nil {
			t.Fatal(err)
		}
		if _, err := SARIF(r, Options{}); err != nil {
			t.Fatal(err)
		}
	})
}
