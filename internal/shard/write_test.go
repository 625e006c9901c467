package shard

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestEarlierAttempt: a shard that is started again keeps what it had until it got further, and a folder of another shard is refused.
func TestEarlierAttempt(t *testing.T) {
	c, dirs := three(t)
	result := &fuzzer.Result{Targets: make([]fuzzer.TargetResult, len(c.Targets)), Stats: fuzzer.Stats{Executions: 5}}
	dir := t.TempDir()
	attempt := func() *Writer {
		t.Helper()
		w, err := NewWriter(dir, headerOf(t, c, 0, 3), c.Space, c.Table, c.Now)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	executions := func() uint64 {
		t.Helper()
		set, err := Open([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		return set.Shards[0].file.Stats.Executions
	}
	if err := attempt().Write(result, Running); err != nil {
		t.Fatal(err)
	}
	again := attempt()
	for n := range uint64(10) {
		result.Stats.Executions = n
		if err := again.Write(result, Running); err != nil {
			t.Fatal(err)
		}
		if got := executions(); got != max(n, 5) {
			t.Errorf("%d executions after the second attempt's %d", got, n)
		}
	}
	result.Stats.Executions = 2
	if err := attempt().Write(result, Done); err != nil || executions() != 2 {
		t.Errorf("the end of the third attempt counts: %d, %v", executions(), err)
	}
	if err := attempt().Write(result, Canceled); err != nil {
		t.Fatal(err)
	}
	if set, err := Open([]string{dir}); err != nil || set.Shards[0].End != Done {
		t.Errorf("an attempt that was canceled took the place of one that was done (%v)", err)
	}
	for want, h := range map[string]Header{
		"has shard 0 of 3 of another campaign": headerOf(t, c, 1, 3), "of another campaign: name another folder": headerOf(t, c, 0, 2), "there is no shard 3 of 3": headerOf(t, c, 3, 3),
	} {
		if _, err := NewWriter(dirs[0], h, c.Space, c.Table, c.Now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestWriteFails: where writing fails, that is said, what was there stays, and later writes have all of it.
func TestWriteFails(t *testing.T) {
	c := campaignOn(t, "crowdsale")
	dir := t.TempDir()
	w, err := NewWriter(dir, headerOf(t, c, 0, 1), c.Space, c.Table, c.Now)
	if err != nil {
		t.Fatal(err)
	}
	result := &fuzzer.Result{Targets: make([]fuzzer.TargetResult, len(c.Targets))}
	if err := w.Write(result, Running); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	blocked := filepath.Join(dir, sequencesFolder) // where a folder is to be
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	of := *c
	of.Checkpoint = w.Checkpoint
	if result, err = (&fuzzer.Campaign{Config: of}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(result, Done); err == nil || !strings.Contains(err.Error(), "shard 0 of 1 could not be written to "+dir) || w.Failed() == nil {
		t.Errorf("%v, %v", err, w.Failed())
	}
	if after, err := os.ReadFile(filepath.Join(dir, File)); err != nil || !bytes.Equal(after, before) {
		t.Errorf("shard.json changed although its sequences could not be written (%v)", err)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(result, Done); err != nil || w.Failed() != nil {
		t.Fatal(err, w.Failed())
	}
	got, err := unite(c, dir)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, result)
}

// TestOnlyWhatIsNamedIsLeft: files that shard.json does not name any more are removed.
func TestOnlyWhatIsNamedIsLeft(t *testing.T) {
	_, dirs := three(t)
	set, err := Open(dirs[:1])
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, folder := range []string{sequencesFolder, codeFolder} {
		list, err := filepath.Glob(filepath.Join(dirs[0], folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range list {
			there = append(there, folder+"/"+filepath.Base(file))
		}
	}
	named := filesOf(set.Shards[0].file)
	slices.Sort(named)
	slices.Sort(there)
	if !slices.Equal(there, named) {
		t.Errorf("there is %q, and shard.json names %q", there, named)
	}
}

// TestText: text that is not UTF-8 is what it was.
func TestText(t *testing.T) {
	for _, want := range []string{"", "plain", "\xff\x00\"<", "é"} {
		data, err := json.Marshal(text(want))
		if err != nil {
			t.Fatal(err)
		}
		var got text
		if err := json.Unmarshal(data, &got); err != nil || string(got) != want {
			t.Errorf("%q is %q as %s (%v)", want, got, data, err)
		}
	}
	for _, bad := range []string{`["YQ==","YQ=="]`, `[]`, `5`, `"` + strings.Repeat("a", maxText+1) + `"`} {
		if err := json.Unmarshal([]byte(bad), new(text)); err == nil {
			t.Errorf("%.20s is read", bad)
		}
	}
}

// TestFaultsAreKept: what machines disagreed on comes back whole.
func TestFaultsAreKept(t *testing.T) {
	c := campaignOn(t, "crowdsale")
	dir := t.TempDir()
	w, err := NewWriter(dir, headerOf(t, c, 0, 1), c.Space, c.Table, c.Now)
	if err != nil {
		t.Fatal(err)
	}
	seq := input.NewMutator(c.Space, input.NewDictionary(nil), input.Options{}).Seeds()[0]
	want := &fuzzer.Result{Targets: make([]fuzzer.TargetResult, len(c.Targets)), Faults: []fuzzer.Fault{
		{Message: "plain"}, {Message: "with calls", Sequence: seq},
		{Message: "a mismatch", Sequence: seq, Mismatch: &evm.Mismatch{Sequence: c.Space.Encode(seq, nil), Difference: "gas"}},
	}}
	if err := w.Write(want, Done); err != nil {
		t.Fatal(err)
	}
	got, err := unite(c, dir)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Faults, want.Faults) {
		t.Errorf("%+v\nwant\n%+v", got.Faults, want.Faults)
	}
}

// TestFindingsAreKept: what a finding says beyond its calls comes back, and so do the tests that passed.
func TestFindingsAreKept(t *testing.T) {
	c, dirs := three(t)
	united, err := unite(c, dirs[:]...)
	if err != nil {
		t.Fatal(err)
	}
	found := *united.Findings[0]
	found.NeverPassed = true
	found.Ways = []input.Sequence{found.Sequence.Clone(), input.NewMutator(c.Space, input.NewDictionary(nil), input.Options{}).Seeds()[0]}
	want := &fuzzer.Result{Targets: make([]fuzzer.TargetResult, len(c.Targets)), Findings: []*fuzzer.Finding{&found}, Stopped: "time limit",
		Unconfirmed: 3, Useful: 5, Burners: []fuzzer.Burner{{Contract: "a", Function: "b", Calls: 1, Share: 0.5, Ended: 2}}, Notes: []string{"note"}}
	want.Stats.Findings = 1
	for _, i := range fuzzer.Unreachable(c.Table, c.Targets) {
		want.Targets[i].Unreachable = true
	}
	write := func(passed ...input.Callable) *fuzzer.Result {
		t.Helper()
		dir := t.TempDir()
		w, err := NewWriter(dir, headerOf(t, c, 0, 1), c.Space, c.Table, c.Now)
		if err != nil {
			t.Fatal(err)
		}
		want.Passed = passed
		if err := w.Write(want, Done); err != nil {
			t.Fatal(err)
		}
		got, err := unite(c, dir)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	same(t, write(), want)
	last := found.Sequence[len(found.Sequence)-1]
	got := write(input.Callable{Instance: last.Instance, Function: last.Function}) // in some shard
	if len(got.Passed) != 1 || got.Findings[0].NeverPassed {
		t.Errorf("%v passed, and the finding says of it that it never did: %v", got.Passed, got.Findings[0].NeverPassed)
	}
}

// TestSameBytes: what a shard leaves in the end does not tell when it was written before.
func TestSameBytes(t *testing.T) {
	c := campaignOn(t, "crowdsale")
	result, err := (&fuzzer.Campaign{Config: *c}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	early := *result
	early.Suite = slices.Clone(result.Suite[len(result.Suite)/2:])
	slices.Reverse(early.Suite)
	var folders [2]map[string]string
	for i := range folders {
		dir := t.TempDir()
		w, err := NewWriter(dir, headerOf(t, c, 0, 1), c.Space, c.Table, c.Now)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if err := w.Write(&early, Running); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Write(result, Done); err != nil {
			t.Fatal(err)
		}
		folders[i] = map[string]string{}
		err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(filepath.Join(dir, name))
			folders[i][name] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !maps.Equal(folders[0], folders[1]) {
		t.Errorf("%q, and %q where it was written before", slices.Sorted(maps.Keys(folders[0])), slices.Sorted(maps.Keys(folders[1])))
	}
}
