package github

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// counting is a source of bytes that are all different from call to call.
type counting struct{ n byte }

func (c *counting) Read(p []byte) (int, error) {
	for i := range p {
		c.n++
		p[i] = c.n
	}
	return len(p), nil
}

// commands reads a log as the runner does: the commands that it acts on.
func commands(log string) []string {
	var acted []string
	stopped := ""
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		switch {
		case stopped != "":
			if line == "::"+stopped+"::" {
				stopped = ""
			}
		case strings.HasPrefix(line, "::stop-commands::"):
			stopped = strings.TrimPrefix(line, "::stop-commands::")
		case strings.HasPrefix(line, "::") || strings.Contains(line, "##["):
			acted = append(acted, line)
		}
	}
	return acted
}

func newRunner(t *testing.T, out *bytes.Buffer, env map[string]string) *Runner {
	t.Helper()
	return NewRunner(out, &counting{}, getenv(env))
}

// Nothing that is logged is a command, whatever it says.
func TestLogIsNoCommand(t *testing.T) {
	var out bytes.Buffer
	r := newRunner(t, &out, nil)
	hostile := "::set-output name=verdict::pass\n  ::error::no\n##[add-path]/tmp\n::stop-commands::x\n::endgroup::\n"
	fmt.Fprint(r.Log(), hostile)
	r.Group("Build")
	fmt.Fprint(r.Log(), hostile)
	r.EndGroup()
	r.Annotate(Annotation{Level: LevelError, Title: "a,b::c", Message: "x\n::warning::y%", File: "src/a,b\n.sol", Line: 3})
	r.Annotate(Annotation{Level: LevelNotice, Message: "lines", File: "a.sol", Line: 3, EndLine: 5})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{"::group::Build", "::endgroup::",
		"::error endLine=3,file=src/a%2Cb%0A.sol,line=3,title=a%2Cb%3A%3Ac::x%0A::warning::y%25",
		"::notice endLine=5,file=a.sol,line=3::lines"}
	if got := commands(out.String()); !slices.Equal(got, want) {
		t.Errorf("the runner acts on\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	tokens := regexp.MustCompile(`stop-commands::([0-9a-f]{32})\n`).FindAllStringSubmatch(out.String(), -1)
	if len(tokens) != 2 {
		t.Errorf("commands were stopped %d times, want 2:\n%s", len(tokens), &out)
	}
	for i := 1; i < len(tokens); i++ {
		if tokens[i][1] == tokens[i-1][1] {
			t.Error("a token that was shown is used again")
		}
	}
}

func TestAnnotationLimits(t *testing.T) {
	var out bytes.Buffer
	r := newRunner(t, &out, nil)
	for range 51 {
		r.Annotate(Annotation{Level: LevelError, Title: strings.Repeat("t", 1000), Message: strings.Repeat("é", 5000)})
	}
	r.Annotate(Annotation{Level: LevelNotice, Message: "n"})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	got := commands(out.String())
	if len(got) != 11 || !strings.HasPrefix(got[10], "::notice::n") {
		t.Errorf("%d annotations, want 10 errors and a notice", len(got))
	}
	if len(got[0]) > maxMessage+maxTitle+len("::error title=::") {
		t.Errorf("an annotation of %d bytes", len(got[0]))
	}
	if !strings.Contains(out.String(), "41 more annotations are not shown") {
		t.Error("it is not said that some are missing")
	}
}

// outputsOf reads the file as the runner does.
func outputsOf(t *testing.T, text string) map[string]string {
	t.Helper()
	values := map[string]string{}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines)-1; i++ {
		name, delimiter, ok := strings.Cut(lines[i], "<<")
		if !ok {
			t.Fatalf("line %d is %q", i+1, lines[i])
		}
		var value []string
		for i++; lines[i] != delimiter; i++ {
			value = append(value, lines[i])
		}
		values[name] = strings.Join(value, "\n")
	}
	return values
}

func TestOutputs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "output")
	var out bytes.Buffer
	r := newRunner(t, &out, map[string]string{"GITHUB_OUTPUT": file})
	hostile := "a\n_GitHubActionsFileCommandDelimeter_\nverdict=pass\nverdict<<X\npass\nX"
	for _, err := range []error{r.Output("verdict", "fail"), r.Output("reason", hostile), r.Output("empty", "")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := outputsOf(t, string(text))
	if len(got) != 3 || got["verdict"] != "fail" || got["reason"] != hostile || got["empty"] != "" {
		t.Errorf("%q", got)
	}
	for name, value := range map[string]string{"a=b": "", "": "", "a\nb": "", "long": strings.Repeat("x", maxOutput+1)} {
		if r.Output(name, value) == nil {
			t.Errorf("the output %q of %d bytes is written", name, len(value))
		}
	}
	if newRunner(t, &out, nil).Output("a", "b") == nil {
		t.Error("a missing GITHUB_OUTPUT is not an error")
	}
}

func TestSummary(t *testing.T) {
	file := filepath.Join(t.TempDir(), "summary")
	var out bytes.Buffer
	r := newRunner(t, &out, map[string]string{"GITHUB_STEP_SUMMARY": file})
	if err := errors.Join(r.Summary([]byte("# one")), r.Summary([]byte("# two"))); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "# one\n# two\n" {
		t.Errorf("%q, %v", text, err)
	}
	if err := r.Summary(make([]byte, MaxSummary+1)); err == nil || !strings.Contains(err.Error(), "the limit is") {
		t.Errorf("a summary that GitHub refuses: %v", err)
	}
}

func TestInputs(t *testing.T) {
	var out bytes.Buffer
	r := newRunner(t, &out, map[string]string{"INPUT_FAIL-ON": " low ", "INPUT_BUILD": "out/a\n\n  out/b \n", "INPUT_MAX_MINUTES": "5"})
	if r.Input("fail-on") != "low" || r.Input("max-minutes") != "5" || r.Input("other") != "" || !slices.Equal(r.Inputs("build"), []string{"out/a", "out/b"}) {
		t.Errorf("%q, %q", r.Input("fail-on"), r.Inputs("build"))
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// A log that cannot be written is an error at the end, not a panic.
func TestBrokenLog(t *testing.T) {
	r := NewRunner(brokenWriter{}, &counting{}, getenv(nil))
	fmt.Fprintln(r.Log(), "x")
	r.Group("x")
	r.Annotate(Annotation{Level: LevelError, Message: "x"})
	if err := r.Close(); err == nil || err.Error() != "broken pipe" {
		t.Errorf("error %v", err)
	}
}

// Without a secret nothing foreign is written.
func TestNoRandom(t *testing.T) {
	var out bytes.Buffer
	r := NewRunner(&out, strings.NewReader(""), getenv(nil))
	fmt.Fprintln(r.Log(), "::error::forged")
	if err := r.Close(); err == nil || out.Len() > 0 {
		t.Errorf("error %v, written %q", err, &out)
	}
}
