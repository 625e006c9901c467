package shard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/progress"
)

// campaignOn is the campaign on an embedded example, deployed once more for each call.
func campaignOn(t testing.TB, example string) *fuzzer.Config {
	t.Helper()
	still := func() time.Time { return time.Unix(1_750_000_000, 0) }
	log := progress.NewLog(io.Discard, still)
	c, err := change.Read(t.Context(), &change.Options{Example: example}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.StopCompiling)
	d, _, err := deploy.Head(t.Context(), c, &deploy.Options{}, log)
	if err != nil {
		t.Fatal(err)
	}
	return &fuzzer.Config{
		World: d.World, Space: d.Space, Table: d.Table, Targets: c.Mapping.Targets, Oracles: oracle.All(), Ways: 4,
		NewMachine: d.NewMachine, NewJudge: d.NewJudge, NewTracer: d.NewTracer, FunctionAt: d.Positions.FunctionAt,
		Seed: 1, Workers: 1, MaxCalls: 3_000, Now: still,
	}
}

// headerOf is the header of shard i of n.
func headerOf(t testing.TB, c *fuzzer.Config, i, n int) Header {
	t.Helper()
	h := Header{Index: i, Of: n, Tool: "sightline test", Seed: c.Seed, Workers: c.Workers, Calls: c.MaxCalls}
	if err := h.Hash(c.World, c.Space, c.Table, c.Targets); err != nil {
		t.Fatal(err)
	}
	return h
}

// write runs a campaign, and writes it as shard i of n.
func write(t testing.TB, c *fuzzer.Config, dir string, i, n int) *fuzzer.Result {
	t.Helper()
	w, err := NewWriter(dir, headerOf(t, c, i, n), c.Space, c.Table)
	if err != nil {
		t.Fatal(err)
	}
	of := *c
	of.Seed, of.Checkpoint = Seed(c.Seed, i, n), w.Checkpoint
	result, err := (&fuzzer.Campaign{Config: of}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(result, Done); err != nil {
		t.Fatal(err)
	}
	return result
}

func unite(c *fuzzer.Config, dirs ...string) (*fuzzer.Result, error) {
	set, err := Open(dirs)
	if err != nil {
		return nil, err
	}
	return Unite(context.Background(), c, set, func(int, int) {})
}

// same holds results against each other, field by field.
func same(t *testing.T, got, want *fuzzer.Result) {
	t.Helper()
	g, w := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for i := range g.NumField() {
		name, a, b := g.Type().Field(i).Name, g.Field(i).Interface(), w.Field(i).Interface()
		if name == "Findings" { // an oracle has functions, which cannot be compared
			a, b = plainFindings(got.Findings), plainFindings(want.Findings)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s is\n%.2000s\nwant\n%.2000s", name, fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b))
		}
	}
}

func plainFindings(list []*fuzzer.Finding) (plain []fuzzer.Finding) {
	for _, f := range list {
		p := *f
		p.Oracle = &oracle.Oracle{ID: f.Oracle.ID, Title: f.Oracle.Title}
		plain = append(plain, p)
	}
	return plain
}

// TestWhatIsWrittenIsRead: the only shard of a campaign is the campaign, in another process as well: the folder is
// read with a World, a table and a space of its own. Code that no artifact explains may have other numbers there.
func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, example := range []string{"crowdsale", "token", "vault"} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			c, dir := campaignOn(t, example), t.TempDir()
			want := write(t, c, dir, 0, 1)
			got, err := unite(c, dir)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, want)
			if want.Stats.Reached == 0 || len(want.Suite) == 0 || len(want.Entered) == 0 || len(want.Timeline) == 0 {
				t.Errorf("%+v: this shows nothing", want.Stats)
			}
			other := campaignOn(t, example)
			if h := headerOf(t, other, 0, 1); h != headerOf(t, c, 0, 1) {
				t.Errorf("another process has other hashes: %+v", h)
			}
			got, err = unite(other, dir)
			if err != nil {
				t.Fatal(err)
			}
			if got.Stats != want.Stats || len(got.Entered) != len(want.Entered) || len(got.Faults) != len(want.Faults) {
				t.Errorf("in another process %+v, want %+v; faults %v", got.Stats, want.Stats, got.Faults)
			}
			if example == "vault" && !slices.ContainsFunc(want.Targets, func(t fuzzer.TargetResult) bool { return len(t.Stops) > 0 }) {
				t.Error("no target has stops: this shows less than it should")
			}
		})
	}
}

// TestSequences: random sequences are what they were, in packs within bounds, whatever arguments and scripts they have.
func TestSequences(t *testing.T) {
	for _, example := range []string{"crowdsale", "vault", "token"} {
		c := campaignOn(t, example)
		r := rand.New(rand.NewPCG(3, 0))
		m := input.NewMutator(c.Space, input.NewDictionary(nil), input.Options{SeqLen: 16})
		s := newSequences(c.Space)
		var all []input.Sequence
		var numbers []int
		seq := m.GenerateSequence(r)
		for range 2_000 {
			if seq = m.Mutate(r, seq); r.IntN(4) == 0 {
				seq = scripted(r, c.Space, seq)
			}
			kept := seq.Clone()
			n, ok := s.sequence(kept)
			if again, _ := s.packed(input.Pack(kept, nil)); !ok || again != n {
				t.Fatalf("number %d, and %d of the same sequence", n, again)
			}
			all, numbers = append(all, kept), append(numbers, n)
		}
		var read []unpacked
		for _, p := range s.packs {
			if len(p.text) > maxPack || p.items > maxPackItems {
				t.Errorf("a pack of %d bytes, %d items", len(p.text), p.items)
			}
			list, err := unpack(c.Space, p.text)
			if err != nil {
				t.Fatal(err)
			}
			read = append(read, list...)
		}
		if len(s.packs) < 2 || len(read) != s.count {
			t.Errorf("%d packs, %d sequences of %d", len(s.packs), len(read), s.count)
		}
		for i, n := range numbers {
			if got := read[n].calls.Unpack(); !got.Equal(all[i]) {
				t.Fatalf("read\n%s\nwant\n%s", input.Format(c.Space, got), input.Format(c.Space, all[i]))
			}
		}
	}
}

// scripted gives a call a random script.
func scripted(r *rand.Rand, space *input.Space, seq input.Sequence) input.Sequence {
	out := seq.Clone()
	var s input.Script
	for range 1 + r.IntN(attacker.MaxAnswers) {
		a := input.Answer{Times: uint8(1 + r.IntN(3)), Any: r.IntN(3) == 0}
		if !a.Any && r.IntN(2) == 0 {
			a.On = attacker.Selector("onPaid(uint256)")
		}
		a.End = attacker.End(r.IntN(4)) // not one that destructs
		if a.End == attacker.Return || a.End == attacker.Revert {
			a.Words = []uint256.Int{*uint256.NewInt(r.Uint64()), *new(uint256.Int).SetBytes(bytes.Repeat([]byte{byte(r.Uint64())}, 32))}
		}
		if a.End == attacker.Destruct {
			a.End = attacker.Expected
		}
		s.Answers = append(s.Answers, a)
	}
	for i := range out {
		if !out[i].Function.Test && r.IntN(2) == 0 {
			out[i].Script = &s
		}
	}
	return out
}

var folders struct {
	sync.Once
	config *fuzzer.Config
	dirs   [3]string // shards of three
}

// three are the folders of three shards, which tests copy and do not change.
func three(t testing.TB) (*fuzzer.Config, [3]string) {
	t.Helper()
	folders.Do(func() {
		base, err := os.MkdirTemp("", "shards")
		if err != nil {
			t.Fatal(err)
		}
		folders.config = campaignOn(t, "crowdsale")
		folders.config.MaxCalls = 10_000 // enough for a finding
		for i := range folders.dirs {
			folders.dirs[i] = filepath.Join(base, fmt.Sprint(i))
			write(t, folders.config, folders.dirs[i], i, 3)
		}
	})
	return folders.config, folders.dirs
}

func TestMain(m *testing.M) {
	code := m.Run()
	if dir := folders.dirs[0]; dir != "" {
		_ = os.RemoveAll(filepath.Dir(dir))
	}
	os.Exit(code)
}

// copyOf copies a folder, with shard.json edited.
func copyOf(t *testing.T, dir string, edit func(json string) string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if edit == nil {
		return to
	}
	file := filepath.Join(to, File)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	edited := edit(string(data))
	if edited == string(data) {
		t.Fatal("the edit changes nothing")
	}
	if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

func replace(old, new string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, new, 1) }
}

func matched(pattern, with string) func(string) string {
	return func(s string) string {
		done := false
		return regexp.MustCompile(pattern).ReplaceAllStringFunc(s, func(m string) string {
			if done {
				return m
			}
			done = true
			return regexp.MustCompile(pattern).ReplaceAllString(m, with)
		})
	}
}

// TestMalformed: whatever is wrong in a folder is said, with the folder.
func TestMalformed(t *testing.T) {
	c, dirs := three(t)
	for _, test := range []struct {
		name string
		edit func(string) string
		want string
	}{
		{"no JSON", func(s string) string { return s[:len(s)/2] }, "it is not JSON of a shard"},
		{"another version", replace(`"version":1`, `"version":2`), "version 2, this program reads version 1"},
		{"an index too high", replace(`"i":0`, `"i":3`), "there is no shard 3 of 3"},
		{"a negative index", replace(`"i":0`, `"i":-1`), "there is no shard -1 of 3"},
		{"no shards", replace(`"n":3`, `"n":0`), "there is no shard 0 of 0"},
		{"too many shards", replace(`"n":3`, `"n":1000000`), "at most 4096"},
		{"another seed", replace(`"seed":1`, `"seed":2`), "its campaign is not the hash of what it was asked for"},
		{"another end", replace(`"end":"done"`, `"end":"ended"`), `its end is "ended"`},
		{"too many executions", matched(`"Executions":\d+`, `"Executions":18446744073709551615`), "it has a count or a time that no campaign comes to"},
		{"negative paths", matched(`"Paths":\d+`, `"Paths":-1`), "it has a count or a time that no campaign comes to"},
		{"a negative time", matched(`"Seconds":0`, `"Seconds":-1`), "it has a count or a time that no campaign comes to"},
		{"too many objects", func(s string) string { return s + strings.Repeat("{", maxObjects) }, "objects, at most"},
		{"a target too few", matched(`"status":\[\{[^}]*\}[^}]*\},`, `"status":[`), "targets, and there are"},
		{"an unknown status", replace(`"is":"reached"`, `"is":"passed"`), `"passed" is no status of a target`},
		{"a target without a mark", matched(`"is":"reached","first":\{[^}]*\}`, `"is":"reached"`), "it does not say when it was entered first"},
		{"a sequence too high", matched(`"sequence":\d+`, `"sequence":99999999`), "it names a sequence that is not there"},
		{"a negative sequence", matched(`"sequence":\d+`, `"sequence":-1`), "it names a sequence that is not there"},
		{"an unknown contract", replace(`runtime"`, `runtim"`), "the build has no code called"},
		{"a pc beyond the code", matched(`"at":\[\d+`, `"at":[4294967295`), "it names a place in code that is not there"},
		{"an artifact too high", matched(`"artifact":\d+`, `"artifact":99`), "it names a place in code that is not there"},
		{"a negative artifact", matched(`"artifact":\d+`, `"artifact":-1`), "it names a place in code that is not there"},
		{"a suite beyond the sequences", matched(`"suite":\[\[0,\d+`, `"suite":[[0,9999999`), "the suite: it names a sequence that is not there"},
		{"a suite that overflows", matched(`"suite":\[\[0,\d+`, `"suite":[[9223372036854775807,2`), "the suite: it names a sequence that is not there"},
		{"an unknown severity", replace(`"findings":[{`, `"findings":[{"severity":5,`), "5 is no severity"},
		{"a path for a file", matched(`"sequences":\["[0-9a-f]*`, `"sequences":["../../../../etc/passwd`), `"../../../../etc/passwd" is not the SHA-256 of a file`},
		{"a file that is not there", matched(`"sequences":\["[0-9a-f]{4}`, `"sequences":["0000`), "no such file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := copyOf(t, dirs[0], test.edit)
			_, err := unite(c, dir, dirs[1])
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%v\nwant %q", err, test.want)
			}
		})
	}
}

// TestFolders: files are what their names say, and no link is followed.
func TestFolders(t *testing.T) {
	c, dirs := three(t)
	pack := func(dir string) string {
		list, err := filepath.Glob(filepath.Join(dir, sequencesFolder, "*"))
		if err != nil || len(list) == 0 {
			t.Fatal(err, list)
		}
		return list[0]
	}
	for name, test := range map[string]struct {
		damage func(dir string) error
		want   string
	}{
		"other contents": {func(dir string) error { return os.WriteFile(pack(dir), []byte("sightline-sequence v1\n"), 0o600) }, "has other contents than its name says"},
		"too large":      {func(dir string) error { return os.WriteFile(pack(dir), make([]byte, maxPack+1), 0o600) }, "it has more than 1048576 bytes"},
		"a link": {func(dir string) error {
			elsewhere := filepath.Join(t.TempDir(), "pack")
			return errorsJoin(os.Rename(pack(dir), elsewhere), os.Symlink(elsewhere, filepath.Join(dir, sequencesFolder, filepath.Base(pack(dirs[0])))))
		}, "it is not a regular file"},
		"a linked folder": {func(dir string) error {
			elsewhere := filepath.Join(t.TempDir(), "sequences")
			return errorsJoin(os.Rename(filepath.Join(dir, sequencesFolder), elsewhere), os.Symlink(elsewhere, filepath.Join(dir, sequencesFolder)))
		}, "is a symbolic link"},
		"a linked shard.json": {func(dir string) error {
			elsewhere := filepath.Join(t.TempDir(), File)
			return errorsJoin(os.Rename(filepath.Join(dir, File), elsewhere), os.Symlink(elsewhere, filepath.Join(dir, File)))
		}, "it is not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copyOf(t, dirs[0], nil)
			if err := test.damage(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := unite(c, dir); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%v\nwant %q", err, test.want)
			}
		})
	}
}

func errorsJoin(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// TestOpen: which folders are a set.
func TestOpen(t *testing.T) {
	c, dirs := three(t)
	empty, parent := t.TempDir(), t.TempDir()
	for i, dir := range dirs {
		if err := os.CopyFS(filepath.Join(parent, fmt.Sprint("shard-", i)), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(parent, "other"), 0o700); err != nil {
		t.Fatal(err)
	}
	further := copyOf(t, dirs[1], nil)
	shorter := copyOf(t, dirs[1], func(s string) string {
		return matched(`"Executions":\d+`, `"Executions":1`)(replace(`"end":"done"`, `"end":"running"`)(s))
	})
	const more = "shard 1 has more than one folder, of different contents: the one that got further counts"
	for name, test := range map[string]struct {
		dirs    []string
		shards  []int
		missing []int
		notes   []string
	}{
		"all":                     {dirs[:], []int{0, 1, 2}, nil, nil},
		"in another order":        {[]string{dirs[2], dirs[0], dirs[1]}, []int{0, 1, 2}, nil, nil},
		"one is missing":          {[]string{dirs[2], dirs[0]}, []int{0, 2}, []int{1}, nil},
		"the first is missing":    {dirs[1:], []int{1, 2}, []int{0}, nil},
		"a folder of them":        {[]string{parent}, []int{0, 1, 2}, nil, nil},
		"the same twice":          {[]string{dirs[0], dirs[1], further, dirs[2], parent}, []int{0, 1, 2}, nil, nil},
		"two attempts":            {[]string{shorter, dirs[1]}, []int{1}, []int{0, 2}, []string{more}},
		"two attempts, backwards": {[]string{dirs[1], shorter, dirs[1]}, []int{1}, []int{0, 2}, []string{more}},
		"an empty folder":         {[]string{empty, dirs[0]}, []int{0}, []int{1, 2}, []string{"1 folder has no shard.json: whatever ran there wrote nothing"}},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := Open(test.dirs)
			if err != nil {
				t.Fatal(err)
			}
			var shards []int
			for _, s := range set.Shards {
				if shards = append(shards, s.Index); s.End != Done {
					t.Errorf("shard %d is %s: not the one that got further", s.Index, s.End)
				}
			}
			if !slices.Equal(shards, test.shards) || !slices.Equal(set.Missing(), test.missing) || !slices.Equal(set.Notes, test.notes) {
				t.Errorf("shards %v, missing %v, notes %q", shards, set.Missing(), set.Notes)
			}
		})
	}
	foreign, fewer := t.TempDir(), t.TempDir()
	other := *c
	other.Seed = 7
	write(t, &other, foreign, 0, 3)
	write(t, c, fewer, 0, 2)
	for name, test := range map[string]struct {
		dirs []string
		want string
	}{
		"another seed":       {[]string{dirs[0], foreign}, "has a shard of another campaign than " + dirs[0] + ": its seed is 7, not 1"},
		"another number":     {[]string{fewer, dirs[0]}, "its campaign has 3 shards, not 2"},
		"nothing":            {[]string{empty}, "there are no shards to merge: " + empty},
		"no such folder":     {[]string{filepath.Join(empty, "x")}, "there is no such folder"},
		"a file":             {[]string{filepath.Join(dirs[0], File)}, "cannot be read as a shard"},
		"no folder is named": {nil, "no folder was named"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Open(test.dirs); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v\nwant %q", err, test.want)
			}
		})
	}
}

// TestNothingIsBelieved: what go-ethereum does not see is a fault, and another shard's word counts in its place.
func TestNothingIsBelieved(t *testing.T) {
	c, dirs := three(t)
	honest, err := unite(c, dirs[:]...)
	if err != nil {
		t.Fatal(err)
	}
	if len(honest.Findings) == 0 || len(honest.Faults) > 0 {
		t.Fatalf("%d findings, faults %v", len(honest.Findings), honest.Faults)
	}
	lies := func(edit func(f *shardFile)) (*fuzzer.Result, string) {
		t.Helper()
		dir := copyOf(t, dirs[0], func(text string) string {
			var f shardFile
			if err := json.Unmarshal([]byte(text), &f); err != nil {
				t.Fatal(err)
			}
			edit(&f)
			out, err := json.Marshal(&f)
			if err != nil {
				t.Fatal(err)
			}
			return string(out)
		})
		got, err := unite(c, dir, dirs[1], dirs[2])
		if err != nil {
			t.Fatal(err)
		}
		var faults []string
		for _, f := range got.Faults {
			faults = append(faults, f.Message)
		}
		return got, strings.Join(faults, "\n")
	}
	// A target that nothing reached, and all targets with another one's calls.
	open := slices.IndexFunc(honest.Targets, func(t fuzzer.TargetResult) bool { return !t.Entered })
	got, faults := lies(func(f *shardFile) {
		some := f.Targets[slices.IndexFunc(f.Targets, func(t targetFile) bool { return t.Status == statusReached })]
		some.First = &fuzzer.Mark{}
		f.Targets[open] = some
	})
	if got.Targets[open].Entered || !strings.Contains(faults, ", of shard 0, was not confirmed by go-ethereum: not reported") || len(got.Faults) != 1 {
		t.Errorf("target %d: %+v; faults %s", open, got.Targets[open], faults)
	}
	// The first claim to a target is a lie: the next one counts.
	reached := slices.IndexFunc(honest.Targets, func(t fuzzer.TargetResult) bool { return t.Reached })
	got, faults = lies(func(f *shardFile) {
		f.Targets[reached].First, f.Targets[reached].Sequence = &fuzzer.Mark{}, nil
	})
	if t0 := got.Targets[reached]; !t0.Reached || t0.First == (fuzzer.Mark{}) || len(t0.Sequence) == 0 || len(got.Faults) != 1 {
		t.Errorf("target %d: %+v; faults %s", reached, t0, faults)
	}
	// A finding elsewhere, one of another oracle, one in another contract, and one of an oracle that does not watch.
	for name, edit := range map[string]func(f *findingFile){
		"elsewhere":    func(f *findingFile) { f.At[1]++ },
		"severity":     func(f *findingFile) { f.Severity = uint8(oracle.Critical) },
		"contract":     func(f *findingFile) { f.Contract = "src/Other.sol:Other" },
		"oracle":       func(f *findingFile) { f.Oracle = oracle.Takeover.ID },
		"not watching": func(f *findingFile) { f.Oracle = "no-oracle" },
	} {
		got, faults = lies(func(f *shardFile) {
			false1 := f.Findings[0]
			edit(&false1)
			f.Findings = append([]findingFile{false1}, f.Findings...)
		})
		if len(got.Findings) != len(honest.Findings) || len(got.Faults) != 1 {
			t.Errorf("%s: %d findings, want %d; faults %s", name, len(got.Findings), len(honest.Findings), faults)
		}
	}
}

// TestUnion: targets, findings, blocks, inputs and counts of three shards.
func TestUnion(t *testing.T) {
	c, dirs := three(t)
	got, err := unite(c, dirs[1], dirs[2], dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	var each []*claims
	set, err := Open(dirs[:])
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range set.Shards {
		claims, err := s.read(c)
		if err != nil {
			t.Fatal(err)
		}
		each = append(each, claims)
	}
	var executions, calls uint64
	for _, c := range each {
		executions += c.result.Stats.Executions
		calls += c.result.Stats.Calls
		for _, l := range c.result.Entered {
			if !slices.Contains(got.Entered, l) {
				t.Errorf("block %v of shard %d is lost", l, c.index)
			}
		}
	}
	if got.Stats.Executions != executions || got.Stats.Calls != calls {
		t.Errorf("%+v, want %d executions, %d calls", got.Stats, executions, calls)
	}
	for i, target := range got.Targets {
		first, reached := uint64(1<<63), false
		for _, c := range each {
			if claim := c.result.Targets[i]; claim.Reached {
				first, reached = min(first, claim.First.Executions), true
			}
		}
		if target.Reached != reached || reached && target.First.Executions != first {
			t.Errorf("target %d: %+v, first %d, reached %v", i, target.First, first, reached)
		}
		if target.Reached && len(target.Stops) > 0 {
			t.Errorf("target %d was reached, and has stops", i)
		}
	}
	last := got.Timeline[len(got.Timeline)-1]
	if last.Executions != executions || last.Reached != got.Stats.Reached || last.Findings != len(got.Findings) {
		t.Errorf("the timeline ends with %+v; %+v", last, got.Stats)
	}
	if !slices.IsSortedFunc(got.Timeline, func(a, b fuzzer.Sample) int { return int(a.Executions) - int(b.Executions) }) {
		t.Errorf("the timeline is out of order: %+v", got.Timeline)
	}
	texts := map[string]bool{}
	for _, packed := range got.Suite {
		texts[input.Format(c.Space, packed.Unpack())] = true
	}
	if len(texts) != len(got.Suite) || len(got.Suite) != got.Stats.Seeds {
		t.Errorf("%d inputs in the suite, %d of them different, and %d counted", len(got.Suite), len(texts), got.Stats.Seeds)
	}
}

// TestSuiteIsBounded: a united suite has no more inputs than a campaign's, and each shard its share.
func TestSuiteIsBounded(t *testing.T) {
	for _, test := range []struct {
		sizes []int
		want  int
	}{
		{[]int{10, 20}, maxSuite}, {[]int{maxSuite}, maxSuite}, {[]int{maxSuite, maxSuite}, maxSuite / 2},
		{[]int{36, maxSuite, maxSuite}, (maxSuite - 36) / 2},
	} {
		set := new(Set)
		for _, n := range test.sizes {
			set.Shards = append(set.Shards, &Shard{file: &shardFile{Suite: runs{{0, n}}}})
		}
		if got := quotaOf(set); got != test.want {
			t.Errorf("%v: %d, want %d", test.sizes, got, test.want)
		}
	}
}

// TestEarlierAttempt: a shard that is started again keeps what it had until it got further, and a folder of another shard is refused.
func TestEarlierAttempt(t *testing.T) {
	c, dirs := three(t)
	result := &fuzzer.Result{Targets: make([]fuzzer.TargetResult, len(c.Targets)), Stats: fuzzer.Stats{Executions: 5}}
	dir := t.TempDir()
	attempt := func() *Writer {
		t.Helper()
		w, err := NewWriter(dir, headerOf(t, c, 0, 3), c.Space, c.Table)
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
		if _, err := NewWriter(dirs[0], h, c.Space, c.Table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestWriteFails: where writing fails, that is said, what was there stays, and later writes have all of it.
func TestWriteFails(t *testing.T) {
	c := campaignOn(t, "crowdsale")
	dir := t.TempDir()
	w, err := NewWriter(dir, headerOf(t, c, 0, 1), c.Space, c.Table)
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

// TestText: text that is no UTF-8 is what it was.
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
	w, err := NewWriter(dir, headerOf(t, c, 0, 1), c.Space, c.Table)
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

// FuzzShard: any shard.json is read, or an error, within bounds. What is read can be united: that takes machines, and
// is left to the seeds.
func FuzzShard(f *testing.F) {
	c := campaignOn(f, "crowdsale")
	c.MaxCalls = 100 // a small file
	dir := f.TempDir()
	write(f, c, dir, 0, 1)
	data, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parse(data)
		if err != nil {
			return
		}
		s := &Shard{Header: file.Header, End: file.End, dir: dir, file: file}
		claims, err := s.read(c)
		if err != nil {
			return
		}
		if len(claims.result.Targets) != len(c.Targets) || len(claims.suite) != len(claims.result.Suite) {
			t.Errorf("%d targets, %d inputs of %d", len(claims.result.Targets), len(claims.suite), len(claims.result.Suite))
		}
	})
}

// FuzzSequences: any file of sequences is read, or an error.
func FuzzSequences(f *testing.F) {
	c := campaignOn(f, "vault")
	s := newSequences(c.Space)
	for _, seq := range input.NewMutator(c.Space, input.NewDictionary(nil), input.Options{}).Seeds() {
		s.sequence(seq)
	}
	f.Add(s.packs[0].text)
	f.Add([]byte(header))
	f.Add([]byte("\n" + header + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := unpack(c.Space, text)
		if err != nil {
			return
		}
		again := newSequences(c.Space)
		for _, u := range list {
			if len(u.calls) == 0 {
				t.Fatal("a sequence without calls")
			}
			if _, ok := again.packed(u.calls); !ok {
				return // longer than it was: numbers may be written in fewer digits than here
			}
		}
	})
}
