package pipeline

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/testing/long"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
	"github.com/sightline-evm/sightline/internal/testing/testdiff"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
	"github.com/sightline-evm/sightline/report"
)

// TestVerdicts runs the job on the pull requests of testdata/verdicts: archives with the
// files of base/ and head/. Lines of the head say what the report has to say of them:
//
//	assert(x != 3); // want assertion introduced [release=absent] [severity=note] [title~text]; guard-lost introduced
//	y = x;          // line reached
//	y = x;          // line not reached, only-reverts
//
// Every finding has to be wanted. The comment in front of the files has settings, one a line,
// and text to read after "#":
//
//	solc: 0.8.30                    the compiler's version (the default)
//	settings: {"viaIR": true}       of standard JSON: the project's own build has them
//	calls: 3000                     of the campaign (the default). But for long tests, a quarter, and 1500 at least, are tried first, and all
//	                                where these do not show what is wanted
//	layouts                         the builds have storage layouts, as those of the job have
//	panics: 0x11 0x12               codes that are findings
//	oracles: -behavior              that watch
//	without: callbacks              techniques that the campaign does not use
//	made                            the base is not given as a build: the job makes it
//	legacy: WHY                     not for projects that compile via IR
//	audit                           of the head alone: there is no base, and nothing below base/
//	git                             a Git repository without builds: the job makes them
//	strangers                       the head is not the caller's own, as in the action
//	allow: Vault.f by anyone        a waiver
//	verdict: pass                   of the whole
//	warn: TEXT                      that a warning of the report contains
//	comment: TEXT                   that the comment on the pull request contains
//	says: TEXT                      that the report contains anywhere
//	not: TEXT                       that it does not contain, but for what oracles have dropped
//
//	seed: N                         of the campaign, where 0 is one of few that miss something (default 0)
//
// With -seeds N it runs each with N seeds from that one on: what a campaign finds only with luck fails then.
func TestVerdicts(t *testing.T) {
	forVerdicts(t, "*", 1, func(t *testing.T, v *verdict) {
		for first := v.seed; v.seed < first+*seedCount; v.seed++ {
			t.Logf("seed %d", v.seed)
			v.test(t)
		}
	})
}

var seedCount = flag.Uint64("seeds", 1, "run the pull requests of TestVerdicts with so many seeds each")

// test runs the job and compares its report with what is expected of it, with a quarter of the calls first. Where something
// is to be found, what these do not show is searched with all; where nothing is, what they show has to be gone after all,
// since more is known of the base then. That nothing is found in all calls is for long tests.
func (v *verdict) test(t *testing.T) {
	t.Helper()
	few := min(v.calls, max(v.calls/4, fewestCalls))
	r, comment := v.run(t, long.Pick(few, v.calls))
	if few < v.calls && !long.Asked() && (len(v.missing(t, r, comment)) > 0 || !v.wantsFindings() && len(v.unwanted(t, r)) > 0) {
		r, comment = v.run(t, v.calls)
	}
	for _, text := range slices.Concat(v.missing(t, r, comment), v.unwanted(t, r)) {
		t.Error(text)
	}
}

// fewestCalls are tried of every pull request that asks for as many: most of what is found is found by then.
const fewestCalls = 1_500

func (v *verdict) wantsFindings() bool {
	for _, text := range v.head {
		if strings.Contains(text, "// want ") {
			return true
		}
	}
	return false
}

// TestVerdictsViaIR makes comparisons with the base again, in projects that compile via IR, but for those that say why
// not ("legacy"): every sixth, or all, see [long.Asked]. What compares is the same code, and what differs, how code maps
// to sources, has tests of its own in diffmap.
func TestVerdictsViaIR(t *testing.T) {
	forVerdicts(t, "compare-*", 6, func(t *testing.T, v *verdict) {
		if v.legacy || v.git {
			return
		}
		if v.settings == nil {
			v.settings = map[string]any{}
		}
		v.settings["viaIR"] = true
		v.test(t)
	})
}

// forVerdicts tests every n-th of the pull requests of some names.
func forVerdicts(t *testing.T, pattern string, n int, test func(*testing.T, *verdict)) {
	t.Helper()
	files, err := filepath.Glob("testdata/verdicts/" + pattern + ".txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no pull requests: %v", err)
	}
	useCompilers(t)
	for _, file := range long.Sample(files, n) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			test(t, readVerdict(t, archive))
		})
	}
}

// verdict is a pull request with what is expected of its report.
type verdict struct {
	solc     string
	settings map[string]any
	calls    uint64
	seed     uint64
	panics   []string
	oracles  []string
	without  string
	made     bool
	git      bool
	audit    bool
	legacy   bool

	strangers bool
	allow     []report.Waiver

	verdict         string
	comment         []string
	warn, says, not []string

	base, head map[string]string // texts by path
}

func readVerdict(t *testing.T, archive *txtar.Archive) *verdict {
	t.Helper()
	v := &verdict{solc: "0.8.30", calls: 3_000, base: map[string]string{}, head: map[string]string{}}
	for _, line := range strings.Split(strings.TrimSpace(string(archive.Comment)), "\n") {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "solc":
			v.solc = value
		case "settings":
			if err := json.Unmarshal([]byte(value), &v.settings); err != nil {
				t.Fatalf("settings: %v", err)
			}
		case "calls":
			if _, err := fmt.Sscan(value, &v.calls); err != nil {
				t.Fatalf("calls: %v", err)
			}
		case "seed":
			if _, err := fmt.Sscan(value, &v.seed); err != nil {
				t.Fatalf("seed: %v", err)
			}
		case "layouts":
			if v.settings == nil {
				v.settings = map[string]any{}
			}
			maps.Copy(v.settings, testbuild.Layouts())
		case "panics":
			v.panics = strings.Fields(value)
		case "oracles":
			v.oracles = strings.Fields(value)
		case "without":
			v.without = value
		case "made":
			v.made = true
		case "git":
			v.git = true
		case "audit":
			v.audit = true
		case "legacy":
			v.legacy = true
		case "allow":
			v.allow = append(v.allow, report.Waiver{Allow: value, Reason: "meant", Owner: "@octo", Expires: "2999-12-31"})
		case "strangers":
			v.strangers = true
		case "verdict":
			v.verdict = value
		case "warn":
			v.warn = append(v.warn, value)
		case "comment":
			v.comment = append(v.comment, value)
		case "says":
			v.says = append(v.says, value)
		case "not":
			v.not = append(v.not, value)
		default:
			if line != "" && !strings.HasPrefix(line, "#") {
				t.Fatalf("unknown setting %q", line)
			}
		}
	}
	for _, file := range archive.Files {
		version, path, _ := strings.Cut(file.Name, "/")
		switch version {
		case "base":
			v.base[path] = string(file.Data)
		case "head":
			v.head[path] = string(file.Data)
		default:
			t.Fatalf("%s is neither below base/ nor below head/", file.Name)
		}
	}
	return v
}

// run is the job on the pull request, with so many calls: its report and comment.
func (v *verdict) run(t *testing.T, calls uint64) (r *report.Report, comment string) {
	t.Helper()
	dir := t.TempDir()
	o := &Options{
		Campaign: Campaign{Calls: calls, Seed: v.seed, Workers: 1, Schedule: fuzzer.Lookahead.Name, Panics: v.panics, Oracles: v.oracles, Without: v.without},
		Gate:     Gate{FailOn: "high"},
		Output:   Output{Dir: filepath.Join(dir, "out")},
		Now:      time.Now, Log: progress.NewLog(io.Discard, time.Now),
	}
	if v.git {
		o.Change = v.repository(t, filepath.Join(dir, "repository"))
	} else {
		o.Change = v.builds(t, dir)
	}
	o.Change.Strangers, o.Gate.Waivers = v.strangers, v.allow
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(o.Output.Dir, report.CommentFile))
	if err != nil {
		t.Fatal(err)
	}
	return r, string(text)
}

// builds is the change as a diff, with builds of both versions.
func (v *verdict) builds(t *testing.T, dir string) change.Options {
	t.Helper()
	for version, texts := range map[string]map[string]string{"old": v.base, "new": v.head} {
		if err := os.Mkdir(filepath.Join(dir, version), 0o755); err != nil {
			t.Fatal(err)
		}
		for path, text := range texts {
			testfiles.Write(t, filepath.Join(dir, version, path), text)
		}
	}
	// "a/old/src/A.sol" becomes "a/src/A.sol", the name in a repository.
	diff := regexp.MustCompile(`(?m)^((?:diff --git |--- |\+\+\+ |rename from |rename to ).*)$`).ReplaceAllFunc(
		testdiff.Git(t, dir, "-M", "old", "new"), func(line []byte) []byte {
			return []byte(strings.NewReplacer("a/old/", "a/", "b/new/", "b/", "from old/", "from ", "to new/", "to ", "a/new/", "a/", "b/old/", "b/").Replace(string(line)))
		})
	testfiles.Write(t, filepath.Join(dir, "pr.diff"), string(diff))
	o := change.Options{Root: filepath.Join(dir, "new"), Diff: filepath.Join(dir, "pr.diff")}
	if v.audit {
		o.Audit, o.Diff = true, ""
	}
	for version, texts := range map[string]map[string]string{"base": v.base, "head": v.head} {
		sources := map[string]string{}
		for path, text := range texts {
			if strings.HasSuffix(path, ".sol") {
				sources[path] = text
			}
		}
		if len(sources) == 0 || v.made && version == "base" {
			continue
		}
		_, output := testbuild.Write(t, dir, version, v.solc, sources, v.settings)
		if version == "base" {
			o.BaseBuilds = []string{output}
		} else {
			o.Builds = []string{output}
		}
	}
	return o
}

// repository is the change as the working tree of a repository, compared with its commit.
func (v *verdict) repository(t *testing.T, root string) change.Options {
	t.Helper()
	git := func(arguments ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"}, arguments...)...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", arguments, err, out)
		}
	}
	testfiles.Write(t, filepath.Join(root, "README.md"), "A project.\n")
	for path, text := range v.base {
		testfiles.Write(t, filepath.Join(root, path), text)
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "base")
	for path := range v.base {
		if err := os.Remove(filepath.Join(root, path)); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range v.head {
		testfiles.Write(t, filepath.Join(root, path), text)
	}
	git("add", "-A")
	return change.Options{Root: root, Base: "HEAD"}
}

// missing says what a report, and its comment, lack of what is expected of them.
func (v *verdict) missing(t *testing.T, r *report.Report, comment string) (faults []string) {
	t.Helper()
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	_, faults = v.match(r)
	if v.verdict != "" && r.Verdict != v.verdict {
		fault("the verdict is %s, want %s", r.Verdict, v.verdict)
	}
	for _, text := range v.comment {
		if !strings.Contains(comment, text) {
			fault("the comment does not contain %q:\n%s", text, comment)
		}
	}
	all := inJSON(t, r)
	for _, text := range v.says {
		if !strings.Contains(all, text) {
			fault("the report does not contain %q", text)
		}
	}
	for _, text := range v.warn {
		if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, text) }) {
			fault("no warning contains %q: %q", text, r.Warnings)
		}
	}
	return faults
}

// unwanted says what a report has, and should not have.
func (v *verdict) unwanted(t *testing.T, r *report.Report) (faults []string) {
	t.Helper()
	found, _ := v.match(r)
	for at, findings := range found {
		for _, f := range findings {
			faults = append(faults, fmt.Sprintf("%s: %s %s (%s), severity %s, release %s (%s), %q %q: not wanted",
				at, f.Oracle, f.Comparison, f.ComparisonReason, f.Severity, f.Release, f.ReleaseReason, f.Title, f.Message))
		}
	}
	without := *r
	if e := r.Effect; e != nil {
		t.Logf("dropped: %v", e.Dropped)
		effect := *e
		effect.Dropped = nil
		without.Effect = &effect
	}
	text := inJSON(t, &without)
	for _, refused := range v.not {
		if strings.Contains(text, refused) {
			faults = append(faults, fmt.Sprintf("the report contains %q", refused))
		}
	}
	return faults
}

func inJSON(t *testing.T, r *report.Report) string {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// match compares findings and lines with the comments of the head: other findings than wanted, and what is missing.
func (v *verdict) match(r *report.Report) (others map[string][]report.Finding, faults []string) {
	others = map[string][]report.Finding{}
	for _, f := range r.Findings {
		at := fmt.Sprintf("%s:%d", f.Location.File, f.Location.Line)
		others[at] = append(others[at], f)
	}
	statuses := map[string]string{}
	for _, line := range r.Lines {
		statuses[fmt.Sprintf("%s:%d", line.File, line.Line)] = line.Status + " (" + line.Reason + ")"
	}
	expectation := regexp.MustCompile(`// (want|line) (.*)$`)
	for path, text := range v.head {
		for i, line := range strings.Split(text, "\n") {
			at := fmt.Sprintf("%s:%d", path, i+1)
			m := expectation.FindStringSubmatch(line)
			switch {
			case m == nil:
			case m[1] == "line":
				status, _, _ := strings.Cut(statuses[at], " (")
				refused, not := strings.CutPrefix(m[2], "not ")
				if not == slices.Contains(strings.Split(refused, ", "), status) {
					faults = append(faults, fmt.Sprintf("%s is %q, want %s", at, statuses[at], m[2]))
				}
			default:
				for _, want := range strings.Split(m[2], "; ") {
					i := slices.IndexFunc(others[at], func(f report.Finding) bool { return wanted(&f, want) })
					if i < 0 {
						faults = append(faults, fmt.Sprintf("%s: no finding %q", at, want))
						continue
					}
					others[at] = slices.Delete(others[at], i, i+1)
				}
			}
		}
	}
	return others, faults
}

// wanted reports whether a finding is as described: "ORACLE COMPARISON key=value key~text".
func wanted(f *report.Finding, want string) bool {
	fields := regexp.MustCompile(`\s\[?`).Split(strings.ReplaceAll(want, "]", ""), -1)
	if len(fields) < 2 || f.Oracle != fields[0] || f.Comparison != fields[1] {
		return false
	}
	values := map[string]string{"release": f.Release, "severity": f.Severity, "title": f.Title, "reason": f.ComparisonReason}
	for _, field := range fields[2:] {
		if key, value, ok := strings.Cut(field, "="); ok && values[key] != value && values[key] != strings.ReplaceAll(value, "_", " ") {
			return false
		}
		if key, text, ok := strings.Cut(field, "~"); ok && !strings.Contains(values[key], strings.ReplaceAll(text, "_", " ")) {
			return false
		}
	}
	return true
}
