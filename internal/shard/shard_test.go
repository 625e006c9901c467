package shard

import (
	"bytes"
	"context"
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
	w, err := NewWriter(dir, headerOf(t, c, i, n), c.Space, c.Table, c.Now)
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
