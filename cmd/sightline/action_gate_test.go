package main

import (
	"slices"
	"strings"
	"testing"
)

// waiving is a base with a file of waivers, and a pull request without it.
func waiving(t *testing.T, base, head map[string]string) *scene {
	s := newScene(t)
	old := s.repo.Commit("refs/heads/main", side(t, "crowdsale", "base", base))
	tip := s.repo.Commit("", side(t, "crowdsale", "head", head), old)
	merge := s.repo.Commit("", side(t, "crowdsale", "head", head), old, tip)
	s.checkout(merge, "2")
	s.build("head")
	repo := map[string]any{"full_name": "octo/vault"}
	s.event("pull_request", "refs/pull/7/merge", merge, map[string]any{"pull_request": map[string]any{"number": 7,
		"base": map[string]any{"sha": old, "repo": repo}, "head": map[string]any{"sha": tip, "repo": repo}}})
	return s
}

const crowdsaleWaiver = "waivers:\n  - {id: SL-36f8, reason: known, owner: '@alice', expires: 2999-12-31}\n"

// Waivers are the base's: one that the pull request takes away counts, one that
// it brings does not.
func TestActionWaivers(t *testing.T) {
	t.Parallel()
	s := waiving(t, map[string]string{"sightline.yml": "waivers: ok.yml\n", "ok.yml": crowdsaleWaiver}, nil)
	s.act()
	s.want(0, map[string]string{"verdict": "pass", "findings": "1"}, slices.Concat(firstComment, uploadCalls)...)
	r := s.intact()
	if r.Findings[0].Waived == nil {
		t.Error("the finding is not waived")
	}
	if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, "the pull request changes ok.yml: ") }) {
		t.Errorf("nothing is said of the edit: %q", r.Warnings)
	}

	brought := map[string]string{"sightline.yml": "waivers: ok.yml\n", "ok.yml": crowdsaleWaiver}
	s = waiving(t, map[string]string{"sightline.yml": "waivers: ok.yml\n"}, brought)
	s.act()
	s.want(2, map[string]string{"verdict": "error"}, firstComment...)
	if r := s.intact(); !strings.Contains(r.Reason, "ok.yml: the base does not have it: it counts once it is merged") {
		t.Errorf("the reason is %q", r.Reason)
	}
}
