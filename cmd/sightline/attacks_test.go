package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/testing/fakegithub"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testcache"
	"github.com/sightline-evm/sightline/report"
)

// TestAttacks runs testdata/attacks/*.txtar: pull requests whose author wants a verdict, a
// secret or a command of the runner that are not theirs, each with the verdict that it must
// end in. docs/security.md names them.
//
// An archive is a script. Its files below base/ and head/ are the two versions of the
// repository, those below step/ what earlier steps of the job left in the workspace. In all
// of them @CANARY@ stands for a folder outside of the workspace that every user may write to,
// in which hostile commands leave a file. Beside the commands of [scriptCommands] there are
//
//	pull [-fork] [-public]      the repository, its merge commit, the checkout and the event
//	act [NAME=VALUE]...         runs the action; lower-case names are inputs, others variables
//	verdict WORD [REGEXP]       the verdict, its exit code, and what the reason matches
//
// `pull` sets WORKSPACE, EVENT (the payload's file), OUTSIDE (a folder that no run may change)
// and CANARY. `act` leaves log, comment, summary, sarif, report.json, commands, calls and reason
// in the folder out, and all that was decided and shown in the file record. After each run it
// checks what must hold for all: see [attack.check].
func TestAttacks(t *testing.T) {
	npm, cache := nodeModules(t), testcache.Folder("product")
	tools := toolFolder(t)
	commands := map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"pull": cmdPull, "act": cmdAct, "verdict": cmdVerdict,
	}
	for _, more := range []map[string]func(*testscript.TestScript, bool, []string){scriptCommands, buildCommands} {
		maps.Copy(commands, more)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "attacks"),
		UpdateScripts:       *golden.Update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                commands,
		Setup: func(env *testscript.Env) error {
			canary, err := os.MkdirTemp("", "canary")
			if err != nil {
				return err
			}
			env.Defer(func() { _ = os.RemoveAll(canary) })
			outside := filepath.Join(env.WorkDir, "outside")
			err = errors.Join(os.Chmod(canary, 0o777), os.MkdirAll(outside, 0o755),
				os.WriteFile(filepath.Join(outside, "kept"), []byte("the owner's own file\n"), 0o644))
			own, _, _ := strings.Cut(env.Getenv("PATH"), string(os.PathListSeparator)) // testscript's, with sightline
			env.Setenv("PATH", own+string(os.PathListSeparator)+tools)
			env.Setenv("HOME", filepath.Join(env.WorkDir, ".tmp", "home"))
			env.Setenv("NPM", npm)
			env.Setenv("CANARY", canary)
			env.Setenv("OUTSIDE", outside)
			env.Values[attackKey{}] = &attack{canary: canary, outside: outside, npm: npm, cache: cache, t: env.T().(testing.TB)}
			return err
		},
	})
}

type attackKey struct{}

// attack is an archive at work.
type attack struct {
	*scene
	canary, outside, npm, cache string
	t                           testing.TB
	commits                     map[string]string // ids by what they are
	before                      map[string]string // what must not change, by path
}

func attackOf(ts *testscript.TestScript) *attack { return ts.Value(attackKey{}).(*attack) }

// cmdPull is "pull [-fork] [-public]".
func cmdPull(ts *testscript.TestScript, neg bool, args []string) {
	known := []string{"-fork", "-public"}
	usage(ts, !neg && !slices.ContainsFunc(args, func(a string) bool { return !slices.Contains(known, a) }), "pull [-fork] [-public]")
	a := attackOf(ts)
	a.scene = newScene(a.t)
	a.env["PATH"], a.env["SIGHTLINE_NODE_MODULES"], a.env["INPUT_TEST-LIMIT"], a.env["XDG_CACHE_HOME"] = ts.Getenv("PATH"), a.npm, "4000", a.cache
	base, head, step := ts.MkAbs("base"), ts.MkAbs("head"), ts.MkAbs("step")
	for _, dir := range []string{base, head, step} {
		ts.Check(a.plant(dir))
	}
	readme := func(text string) {
		for _, dir := range []string{base, head} {
			ts.Check(os.WriteFile(filepath.Join(dir, "README.md"), []byte(text), 0o644))
		}
	}
	readme("A sale.\n")
	old := a.repo.CommitFolder("", base)
	headCommit := a.repo.CommitFolder("", head, old)
	readme("A sale, and more.\n")
	baseCommit := a.repo.CommitFolder("refs/heads/main", base, old)
	merge := a.repo.CommitFolder("refs/pull/7/merge", head, baseCommit, headCommit)
	a.commits = map[string]string{"BASE": baseCommit, "HEAD": headCommit, "MERGE": merge}
	a.checkout(merge, "2")
	ts.Check(overlay(a.workspace, step))
	from := "octo/vault"
	if slices.Contains(args, "-fork") {
		from = "mallory/vault"
		a.fake.Scripted = map[string][]fakegithub.Answer{createComment: {integration}, uploadSARIF: {integration}}
	}
	a.event("pull_request", "refs/pull/7/merge", merge, map[string]any{
		"action": "synchronize", "number": 7,
		"repository": map[string]any{"full_name": "octo/vault", "private": !slices.Contains(args, "-public"), "default_branch": "main"},
		"pull_request": map[string]any{"number": 7,
			"base": map[string]any{"sha": baseCommit, "ref": "main", "repo": map[string]any{"full_name": "octo/vault"}},
			"head": map[string]any{"sha": headCommit, "ref": "feature", "repo": map[string]any{"full_name": from}}},
	})
	ts.Setenv("WORKSPACE", a.workspace)
	ts.Setenv("EVENT", a.env["GITHUB_EVENT_PATH"])
}

// plant replaces @CANARY@ in the files of a tree.
func (a *attack) plant(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if path == dir && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte("@CANARY@")) {
			return err
		}
		return os.WriteFile(path, bytes.ReplaceAll(text, []byte("@CANARY@"), []byte(a.canary)), info.Mode())
	})
}

// overlay puts the files and links of a tree over those of another.
func overlay(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if path == from && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.Type() == fs.ModeSymlink {
			link, err := os.Readlink(path)
			return errors.Join(err, os.Symlink(link, target))
		}
		text, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(target, text, info.Mode().Perm()))
	})
}

// cmdAct is "act [NAME=VALUE]...".
func cmdAct(ts *testscript.TestScript, neg bool, args []string) {
	a := attackOf(ts)
	usage(ts, !neg && a.scene != nil, "act [NAME=VALUE]... after pull")
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		usage(ts, ok, "act [NAME=VALUE]...")
		if name == strings.ToLower(name) {
			name = "INPUT_" + strings.ToUpper(name)
		}
		a.env[name] = value
	}
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		_ = os.Remove(a.env[name]) // of the run before, if there was one
	}
	a.fake.Forget()
	a.before = a.fixed()
	a.act()
	a.keep(ts)
	a.check(ts)
}

// fixed are the contents of what a run must not change: the folder outside, the files of the
// checkout, and git's configuration and hooks.
func (a *attack) fixed() map[string]string {
	sums := map[string]string{}
	add := func(path string) {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			to, _ := os.Readlink(path)
			sums[path] = "link to " + to
			return
		}
		data, _ := os.ReadFile(path) // a file that is not there has no bytes
		sums[path] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	for _, dir := range []string{a.outside, filepath.Join(a.workspace, ".git", "hooks")} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				add(path)
			}
			return nil
		})
	}
	add(filepath.Join(a.workspace, ".git", "config"))
	for name := range strings.SplitSeq(strings.TrimRight(a.git("ls-files", "-z"), "\x00"), "\x00") {
		add(filepath.Join(a.workspace, filepath.FromSlash(name)))
	}
	return sums
}

// keep writes what the run left where scripts look for it.
func (a *attack) keep(ts *testscript.TestScript) {
	out := ts.MkAbs("out")
	ts.Check(errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)))
	left := func(output string) string {
		if a.values[output] == "" {
			return ""
		}
		data, _ := os.ReadFile(filepath.Join(a.workspace, filepath.FromSlash(a.values[output]))) // check tells of one that lacks
		return string(data)
	}
	calls := strings.Join(a.calls(), "\n")
	for name, text := range map[string]string{
		"log": a.log, "comment": left("comment-file"), "summary": left("summary"), "sarif": left("sarif"), "report.json": left("report"), "calls": calls,
		"commands": strings.Join(a.commands(), "\n"), "reason": a.values["reason"],
	} {
		ts.Check(os.WriteFile(filepath.Join(out, name), []byte(text+"\n"), 0o644))
	}
	ts.Check(os.WriteFile(ts.MkAbs("record"), []byte(a.record(left("comment-file"))), 0o644))
}

// credential is what a checkout leaves in git's configuration.
const credential = "bGVmdCBiZWhpbmQ"

// ours are the workflow commands that a run may print: groups, and annotations with our titles.
var ours = regexp.MustCompile(`^::(group::|endgroup::|(error|warning|notice) ([a-zA-Z]+=[^,:]*,)*title=(Sightline|SL-|Not reached|Reached in part|Proved unreachable)[^,]*::)`)

// check looks for what no attack may do: commands of the runner, the checkout's credential in
// what is shown, writes outside of the run's own folders, commands as root, and an output
// folder that is not whole. [scene.collect] looks for the token.
func (a *attack) check(ts *testscript.TestScript) {
	for _, c := range a.commands() {
		if !ours.MatchString(c) {
			a.t.Errorf("the runner acts on %q", c)
		}
	}
	shown := a.log
	for _, c := range a.fake.Comments {
		shown += c.Body
	}
	for _, u := range a.fake.Uploads() {
		shown += string(u.SARIF)
	}
	_ = filepath.WalkDir(filepath.Join(a.workspace, a.values["out"]), func(path string, d fs.DirEntry, err error) error {
		if a.values["out"] == "" || err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		shown += string(data)
		return err
	})
	if strings.Contains(shown, credential) {
		a.t.Error("the checkout's credential is shown")
	}
	after := a.fixed()
	for path, was := range a.before {
		if after[path] != was {
			a.t.Errorf("%s was changed", path)
		}
	}
	for path := range after {
		if _, there := a.before[path]; !there {
			a.t.Errorf("%s was written", path)
		}
	}
	a.checkCanaries(ts)
	if a.values["out"] != "" {
		a.intact()
	}
	if a.t.Failed() {
		a.t.Logf("the log:\n%s", a.log)
	}
}

// checkCanaries looks for files that commands wrote as root. Where the tests are not run by
// root, nothing else is either.
func (a *attack) checkCanaries(ts *testscript.TestScript) {
	if os.Getuid() != 0 {
		return
	}
	entries, err := os.ReadDir(a.canary)
	ts.Check(err)
	for _, e := range entries {
		info, err := e.Info()
		ts.Check(err)
		if ownedByRoot(info) {
			a.t.Errorf("a command ran as root and left %s", e.Name())
		}
	}
}

// calls are those of GitHub's API, as [scene.want] has them.
func (a *attack) calls() []string {
	got := a.fake.Calls()
	for i, call := range got {
		got[i] = strings.ReplaceAll(strings.ReplaceAll(call, "/repos/octo/vault", ""), "47177e22-5596-11eb-80a1-c1e54ef945c6", "1")
	}
	return got
}

// record is what a run decided and showed.
func (a *attack) record(comment string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "exit %d, %s: %s\n\n", a.code, a.values["verdict"], a.values["reason"])
	for _, section := range []struct {
		title string
		lines []string
	}{{"calls", a.calls()}, {"commands", a.commands()}} {
		fmt.Fprintf(&b, "%s:\n", section.title)
		for _, line := range section.lines {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	fmt.Fprintf(&b, "\ncomment:\n%s", comment)
	text := b.String()
	for value, name := range map[string]string{a.workspace: "$WORKSPACE", a.fake.URL: "$GITHUB", a.canary: "$CANARY", a.outside: "$OUTSIDE", a.dir: "$RUNNER", filepath.Dir(a.npm): "$NPM"} {
		text = strings.ReplaceAll(text, value, name)
		text = strings.ReplaceAll(text, strings.ReplaceAll(value, "_", "&#95;"), name) // as markup
	}
	for name, id := range a.commits {
		for _, digits := range []int{len(id), 12, 7} { // as people see them
			text = strings.ReplaceAll(text, id[:digits], "$"+name)
		}
	}
	return varying.ReplaceAllString(folded.ReplaceAllString(text, "<details>…</details>"), "…")
}

// folded is what a record leaves out of a comment: reproducers and lists, which have tests of
// their own.
var folded = regexp.MustCompile(`(?s)<details>.*?</details>`)

// varying is what a record leaves out: durations, and speeds.
var varying = regexp.MustCompile(`\b\d+(\.\d+)? ?(s|ms|min)\b|\b[\d.]+[kM]? calls/s`)

// cmdVerdict is "verdict WORD [REGEXP]".
func cmdVerdict(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) >= 1 && len(args) <= 2, "verdict WORD [REGEXP]")
	a := attackOf(ts)
	if got := a.values["verdict"]; got != args[0] {
		ts.Fatalf("verdict %q (%s), want %s; the log:\n%s", got, a.values["reason"], args[0], a.log)
	}
	if want := report.ExitCode(args[0]); a.code != want && !(args[0] == report.Error && a.code == exit.Input) {
		ts.Fatalf("exit code %d, want %d", a.code, want)
	}
	if len(args) == 2 {
		match, err := regexp.MatchString(args[1], a.values["reason"])
		ts.Check(err)
		if !match {
			ts.Fatalf("the reason is %q", a.values["reason"])
		}
	}
}

// The page that says what is not trusted names every attack, and none that is not there.
func TestAttacksAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	archives, err := filepath.Glob(filepath.Join("testdata", "attacks", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	there := map[string]bool{}
	for _, archive := range archives {
		name := strings.TrimSuffix(filepath.Base(archive), ".txtar")
		there[name] = true
		if !bytes.Contains(page, []byte("`"+name+"`")) {
			t.Errorf("docs/security.md does not name %s", name)
		}
	}
	for row := range strings.Lines(string(page)) {
		cells := strings.Split(row, "|")
		if len(cells) != 5 {
			continue
		}
		for _, name := range regexp.MustCompile("`([a-z][a-z0-9-]+)`").FindAllStringSubmatch(cells[3], -1) {
			if !there[name[1]] {
				t.Errorf("docs/security.md names %s, which is not in testdata/attacks", name[1])
			}
		}
	}
}
