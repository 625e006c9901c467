package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/exit"
)

// merging is a checkout of what merging a pull request gives, with these files on
// either side.
func merging(t *testing.T, private bool, base, head map[string]string) *scene {
	s := newScene(t)
	old := s.repo.Commit("refs/heads/main", base)
	tip := s.repo.Commit("", head, old)
	merge := s.repo.Commit("", head, old, tip)
	s.checkout(merge, "2")
	s.build("head")
	repo := map[string]any{"full_name": "octo/vault"}
	s.event("pull_request", "refs/pull/7/merge", merge, map[string]any{
		"repository": map[string]any{"full_name": "octo/vault", "private": private, "default_branch": "main"}, "pull_request": map[string]any{"number": 7,
			"base": map[string]any{"sha": old, "repo": repo}, "head": map[string]any{"sha": tip, "repo": repo}}})
	return s
}

const crowdsaleWaiver = "waivers:\n  - {id: SL-36f8, fingerprint: 36f83a5125cb98222a1330cb27e367b3, reason: known, owner: '@alice', expires: 2999-12-31}\n"

// Waivers are the base's: one that the pull request takes away counts, one that
// it brings does not.
func TestActionWaivers(t *testing.T) {
	t.Parallel()
	s := merging(t, true, side(t, "crowdsale", "base", map[string]string{"sightline.yml": "waivers: ok.yml\n", "ok.yml": crowdsaleWaiver}), side(t, "crowdsale", "head", nil))
	s.act()
	s.want(0, map[string]string{"verdict": "pass", "findings": "2"}, slices.Concat(firstComment, uploadCalls)...)
	r := s.intact()
	if r.Findings[0].Waived == nil {
		t.Error("the finding is not waived")
	}
	if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, "the pull request changes ok.yml: ") }) {
		t.Errorf("nothing is said of the edit: %q", r.Warnings)
	}

	brought := map[string]string{"sightline.yml": "waivers: ok.yml\n", "ok.yml": crowdsaleWaiver}
	s = merging(t, true, side(t, "crowdsale", "base", map[string]string{"sightline.yml": "waivers: ok.yml\n"}), side(t, "crowdsale", "head", brought))
	s.act()
	s.want(2, map[string]string{"verdict": "error"}, firstComment...)
	if r := s.intact(); !strings.Contains(r.Reason, "ok.yml: the base does not have it: it takes effect once it is merged") {
		t.Errorf("the reason is %q", r.Reason)
	}
}

// On a public repository a finding that base has, too, is only counted, whatever
// is written; a private one shows it.
func TestActionDisclosure(t *testing.T) {
	t.Parallel()
	for _, private := range []bool{false, true} {
		head := side(t, "crowdsale", "head", nil)
		base := maps.Clone(head)
		const file, statement = "src/Crowdsale.sol", "        surplus[msg.sender] = 0;\n"
		if base[file] = strings.Replace(head[file], statement, "", 1); base[file] == head[file] {
			t.Fatal("the statement that the change adds is not there")
		}
		s := merging(t, private, base, head)
		s.env["INPUT_TEST-LIMIT"] = "60000"
		s.env["SIGHTLINE_NODE_MODULES"] = nodeModules(t) // base has to be compiled
		s.env["INPUT_CORPUS-DIR"] = ".sightline/corpus"
		s.act()
		s.want(0, map[string]string{"verdict": "pass", "findings": "1"}, slices.Concat(firstComment, uploadCalls)...)
		s.intact()
		for _, detail := range []string{"SL-36f8", "assert fails", "Crowdsale.sol:73"} {
			if told := strings.Contains(s.written(), detail); told != private {
				t.Errorf("private %v: %s is told: %v", private, detail, told)
			}
		}
		if kept := s.breaksInCorpus(); kept != private {
			t.Errorf("private %v: an input that breaks something is saved: %v", private, kept)
		}
		if !private {
			if comment := s.fake.Comments[0].Body; !strings.Contains(comment, "1 finding is not shown") {
				t.Errorf("the comment does not say that something is withheld:\n%s", comment)
			}
		}
	}
}

// breaksInCorpus reports whether one of the saved inputs makes the example's assert
// fail, by running them: a campaign begins with what is saved, and these end there.
func (s *scene) breaksInCorpus() bool {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.workspace, ".sightline", "corpus", "*.seq"))
	if err != nil || len(files) == 0 {
		s.t.Fatalf("no inputs are saved: %v", err)
	}
	const tried = 8 // of so many, a campaign runs all, whatever part of its budget they take
	for some := range slices.Chunk(files, tried) {
		if s.breaks(some) {
			return true
		}
	}
	return false
}

// breaks reports whether one of a few saved inputs makes the example's assert fail.
func (s *scene) breaks(files []string) bool {
	s.t.Helper()
	folder, out := s.t.TempDir(), s.t.TempDir()
	calls := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(path)), text, 0o644); err != nil {
			s.t.Fatal(err)
		}
		calls += strings.Count(string(text), "Crowdsale.")
	}
	var log bytes.Buffer
	p := newProgram(strings.NewReader(""), &log, &log)
	// The functions are tried first, each once.
	limit := strconv.Itoa(calls + 20)
	if code := p.main([]string{"run", "--root", s.workspace, "--target", "src/Crowdsale.sol:72", "--corpus-dir", folder, "--test-limit", limit,
		"--workers", "1", "--seq-len", "8", "--fail-on", "none", "--out", out}); code != exit.Pass {
		s.t.Fatalf("exit code %d\n%s", code, &log)
	}
	text, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	var r struct{ Findings []any }
	if err := json.Unmarshal(text, &r); err != nil {
		s.t.Fatal(err)
	}
	return len(r.Findings) > 0
}

// written is all that a run wrote.
func (s *scene) written() string {
	s.t.Helper()
	all := []string{s.log}
	for _, c := range s.fake.Comments {
		all = append(all, c.Body)
	}
	for _, u := range s.fake.Uploads() {
		all = append(all, string(u.SARIF))
	}
	for _, dir := range []string{s.dir, filepath.Join(s.workspace, "sightline-out")} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			all = append(all, string(data))
			return err
		})
		if err != nil {
			s.t.Error(err)
		}
	}
	return strings.Join(all, "\n")
}
