package github

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func TestReadRelease(t *testing.T) {
	for name, want := range map[string][2]string{
		"v1.2.3": {"", "1.2.3"}, "1.2.3": {"", "1.2.3"}, "V2.0.0": {"", "2.0.0"}, "v1.2": {"", "1.2.0"}, "v7": {"", "7.0.0"},
		"v1.1.0-rc.1": {"", "1.1.0-rc.1"}, "v1.1.0-rc-2": {"", "1.1.0-rc-2"}, "v1.0.0+20240501": {"", "1.0.0+20240501"},
		"core@1.2.3": {"core@", "1.2.3"}, "@scope/core@1.2.3-beta.0": {"@scope/core@", "1.2.3-beta.0"}, "contracts/v1.2.3": {"contracts/", "1.2.3"},
		"pkg-v1.2": {"pkg-", "1.2.0"}, "release_3.1": {"release_", "3.1.0"}, "v4-core-v1.0.2": {"v4-core-", "1.0.2"}, "erc20-v1.0.0": {"erc20-", "1.0.0"},
		"2024.05.01": {"", "2024.5.1"}, "2024-05-01": {"", "2024.0.0-05-01"}, "nightly-20240501": {"nightly-", "20240501.0.0"},
		"nightly": {}, "latest": {}, "v1.2.3.4": {}, "audit": {}, "v99999999999999999999.0.0": {}, "v1..2": {}, "": {}, "vx": {}, "v": {},
	} {
		got := readRelease(tag{name: name})
		version := ""
		if got.version != nil {
			version = got.version.String()
		}
		if got.series != want[0] || version != want[1] {
			t.Errorf("%q is %q of the series %q, want %q of %q", name, version, got.series, want[1], want[0])
		}
	}
}

// TestSinceRelease: a release is compared with the highest version below it on its branch.
//
//	root ── a ── b ── c ── d     main
//	        └── e ── f           a branch of maintenance, 1.0.x
func TestSinceRelease(t *testing.T) {
	h := newHistory(t)
	ids := map[string]string{}
	for _, c := range []struct{ name, parent string }{{"a", ""}, {"b", "a"}, {"c", "b"}, {"d", "c"}, {"e", "a"}, {"f", "e"}} {
		parent := h.root
		if c.parent != "" {
			parent = ids[c.parent]
		}
		ids[c.name] = h.repo.Commit("", map[string]string{"a.sol": c.name + "\n"}, parent)
	}
	for name, c := range map[string]struct {
		tags  string // "v1.0.0=a v1.1.0=b"
		tag   string // that is released
		event Event
		want  string // a commit; empty: the whole project
		how   string
	}{
		"next":                 {tags: "v1.0.0=a v1.1.0=b v1.2.0=c", tag: "v1.2.0", want: "b", how: "v1.1.0, the highest version below v1.2.0 on its branch"},
		"ten after nine":       {tags: "v1.9.0=a v1.10.0=b v1.11.0=c", tag: "v1.11.0", want: "b"},
		"maintenance":          {tags: "v1.0.0=a v2.0.0=c v1.0.1=e v1.0.2=f", tag: "v1.0.2", want: "e", how: "v1.0.1, "},
		"not another branch's": {tags: "v1.0.0=a v1.0.1=e v1.1.0=b", tag: "v1.1.0", want: "a", how: "v1.0.0, "},
		"own branch only":      {tags: "v1.0.0=e v1.1.0=c", tag: "v1.1.0", want: "e", how: "v1.0.0, the highest version below v1.1.0, which descends from none"},
		"late maintenance":     {tags: "v1.0.0=a v3.0.0=d v1.0.1=f", tag: "v1.0.1", want: "a"},
		"prerelease":           {tags: "v1.0.9=a v1.1.0-rc.1=b v1.1.0=c", tag: "v1.1.0", want: "a"},
		"first prerelease":     {tags: "v1.0.9=a v1.1.0-rc.1=b", tag: "v1.1.0-rc.1", want: "a"},
		"second prerelease":    {tags: "v1.0.9=a v1.1.0-rc.1=b v1.1.0-rc.2=c", tag: "v1.1.0-rc.2", want: "b"},
		"build metadata":       {tags: "v1.0.0+1=a v1.0.0+2=b", tag: "v1.0.0+2", want: "a"},
		"v or not":             {tags: "1.0.0=a v1.1.0=b", tag: "v1.1.0", want: "a"},
		"two numbers":          {tags: "v1.1=a v1.2=b v1.10=c", tag: "v1.10", want: "b"},
		"dates":                {tags: "2024.04.30=a 2024.05.01=b", tag: "2024.05.01", want: "a"},
		"dates with dashes":    {tags: "2023-12-31=a 2024-04-30=b 2024-05-01=c", tag: "2024-05-01", want: "b"},
		"monorepo":             {tags: "core@1.0.0=a periphery@1.5.0=b core@1.1.0=c", tag: "core@1.1.0", want: "a"},
		"monorepo, folders":    {tags: "contracts/v1.0.0=a sdk/v1.0.1=b contracts/v1.0.2=c", tag: "contracts/v1.0.2", want: "a"},
		"first of its series":  {tags: "core@1.0.0=a periphery@1.0.0=b", tag: "periphery@1.0.0", how: `the whole project, since there is no release of the series "periphery@" before periphery@1.0.0`},
		"first":                {tags: "v1.0.0=b", tag: "v1.0.0", how: "the whole project, since there is no release before v1.0.0"},
		"lowest":               {tags: "v1.0.0=b v2.0.0=c", tag: "v1.0.0", how: "the whole project"},
		"first after beta":     {tags: "v1.0.0-beta=a v1.0.0=b", tag: "v1.0.0", how: "the whole project"},
		"a name for the last":  {tags: "v1=b v1.0.0=a v1.0.1=b", tag: "v1.0.1", want: "a"},
		"nightly":              {tags: "v1.0.0=a v1.1.0=b nightly=c", tag: "nightly", want: "b", how: "v1.1.0, the nearest tag before nightly, which is not a version"},
		"nightly, moved":       {tags: "v1.0.0=a nightly=c", tag: "nightly", event: Event{Base: ids["b"]}, want: "b", how: "where the tag nightly was before"},
		"moved version":        {tags: "v1.0.0=a v1.1.0=c", tag: "v1.1.0", event: Event{Base: ids["b"]}, want: "a"},
		"first of all":         {tags: "latest=b", tag: "latest", how: "the whole project, since there is no tag before latest"},
	} {
		t.Run(name, func(t *testing.T) {
			head := ""
			for _, entry := range strings.Fields(c.tags) {
				at := strings.LastIndexByte(entry, '=')
				id := ids[entry[at+1:]]
				h.repo.SetRef("refs/tags/"+entry[:at], id)
				t.Cleanup(func() { h.repo.SetRef("refs/tags/"+entry[:at], "") })
				if entry[:at] == c.tag {
					head = id
				}
			}
			for event, depth := range map[string]string{Push: "0", Release: "1"} { // with the history, and asking GitHub
				c.event.Name, c.event.Ref = event, "refs/tags/"+c.tag
				got, err := h.resolver(t, c.event, head, depth).Compare(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if got.Base != ids[c.want] || !strings.HasPrefix(got.How, c.how) {
					t.Errorf("%s: compared with %q (%s), want %q (%s)", event, got.Base, got.How, ids[c.want], c.how)
				}
			}
		})
	}
}

// Without the history, a bounded number of questions is asked.
func TestSinceReleaseBounds(t *testing.T) {
	h := newHistory(t)
	for i := range maxAsked + 2 {
		h.repo.SetRef("refs/tags/v1.0."+string(rune('0'+i/10))+string(rune('0'+i%10)), h.next)
	}
	for name, want := range map[string]string{"v2.0.0": "from none of the 30 highest versions below it", "nightly": "finding the nearest of 32 tags needs the history"} {
		h.repo.SetRef("refs/tags/"+name, h.main)
		before := len(h.fake.Calls())
		_, err := h.resolver(t, Event{Name: Release, Ref: "refs/tags/" + name}, h.main, "1").Compare(context.Background())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "`fetch-depth: 0`") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if calls := h.fake.Calls()[before:]; len(calls) > maxAsked+1 {
			t.Errorf("%s: %d calls", name, len(calls))
		}
	}
	r := h.resolver(t, Event{Name: Release, Ref: "refs/tags/v2.0.0"}, h.main, "1")
	r.Client = nil
	if _, err := r.Compare(context.Background()); err == nil || !strings.Contains(err.Error(), "needs a token") {
		t.Errorf("without a token: %v", err)
	}
	if calls := h.fake.Calls(); slices.Contains(calls, "GET /repos/octo/vault/releases") {
		t.Error("releases are not needed")
	}
}
