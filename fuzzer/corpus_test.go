package fuzzer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// texts are the sequences in their text form.
func texts(space *input.Space, seqs []input.Sequence) []string {
	var out []string
	for _, seq := range seqs {
		out = append(out, format(space, seq))
	}
	return out
}

func TestCorpusRoundTrip(t *testing.T) {
	p := open(t, "units/counter.sol")
	corpus := &Corpus{Dir: filepath.Join(t.TempDir(), "not", "yet", "there")}
	mutator := input.NewMutator(p.space, input.NewDictionary(nil), input.Options{})
	r := testRand(3)
	var want []string
	for range 50 {
		seq := mutator.GenerateSequence(r)
		if text := format(p.space, seq); !slices.Contains(want, text) {
			want = append(want, text)
		}
		for range 2 { // the second time it is there
			if err := corpus.Save(p.space, seq); err != nil {
				t.Fatal(err)
			}
		}
	}
	seqs, notes := corpus.Load(p.space)
	if len(notes) != 0 {
		t.Errorf("notes: %q", notes)
	}
	if got := texts(p.space, seqs); !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("%d sequences came back of %d", len(got), len(want))
	}
	again, _ := corpus.Load(p.space)
	if !slices.Equal(texts(p.space, seqs), texts(p.space, again)) {
		t.Error("the order changes from load to load")
	}
	entries, err := os.ReadDir(corpus.Dir)
	if err != nil || len(entries) != len(want) {
		t.Errorf("%d files for %d sequences (%v)", len(entries), len(want), err)
	}
}

func TestCorpusThatIsNotThere(t *testing.T) {
	p := open(t, "units/counter.sol")
	seqs, notes := (&Corpus{Dir: filepath.Join(t.TempDir(), "none")}).Load(p.space)
	if len(seqs) != 0 || len(notes) != 0 {
		t.Errorf("%d sequences, notes %q", len(seqs), notes)
	}
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "no folder")
	if _, notes := (&Corpus{Dir: file}).Load(p.space); len(notes) != 1 {
		t.Errorf("notes on a file in place of the folder: %q", notes)
	}
	if err := (&Corpus{Dir: file}).Save(p.space, parse(t, p.space, "user1 Counter.reset()")); err == nil {
		t.Error("saved into a file")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCorpusLeavesOut: what others put into the folder never ends a run, and is
// spoken about.
func TestCorpusLeavesOut(t *testing.T) {
	p := open(t, "units/counter.sol")
	const good = "sightline-sequence v1\nuser1 Counter.reset()\n"
	const one = "user1 Counter.reset()"
	outside := filepath.Join(t.TempDir(), "outside.seq")
	write(t, outside, good)
	for _, test := range []struct {
		name  string
		make  func(t *testing.T, path string)
		notes string // part of the only note
	}{
		{"binary", func(t *testing.T, path string) { write(t, path, "\x00\xff\x7fELF") }, `expected "sightline-sequence v1"`},
		{"empty", func(t *testing.T, path string) { write(t, path, "") }, "expected"},
		{"cut off", func(t *testing.T, path string) { write(t, path, good[:len(good)-6]+"\n") }, "line 2"},
		{"no calls", func(t *testing.T, path string) { write(t, path, "sightline-sequence v1\n# nothing\n") }, "no calls"},
		{"newer version", func(t *testing.T, path string) { write(t, path, "sightline-sequence v9\n"+one+"\n") }, "version"},
		{"oversized", func(t *testing.T, path string) {
			write(t, path, good+strings.Repeat("#", maxCorpusFileSize))
		}, "it has more than 1048576 bytes"},
		{"link", func(t *testing.T, path string) {
			if err := os.Symlink(outside, path); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file"},
		{"folder", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "good.seq"), good)
			test.make(t, filepath.Join(dir, "bad.seq"))
			seqs, notes := (&Corpus{Dir: dir}).Load(p.space)
			if got := texts(p.space, seqs); !slices.Equal(got, []string{one}) {
				t.Errorf("loaded %q", got)
			}
			if len(notes) != 1 || !strings.Contains(notes[0], test.notes) || !strings.Contains(notes[0], `"bad.seq"`) {
				t.Errorf("notes %q, want one with bad.seq and %q", notes, test.notes)
			}
		})
	}
}

// TestCorpusNames: only names with the suffix count, and a name cannot forge
// output.
func TestCorpusNames(t *testing.T) {
	p := open(t, "units/counter.sol")
	dir := t.TempDir()
	for _, name := range []string{"README.md", ".new-123", "x.seq.bak"} {
		write(t, filepath.Join(dir, name), "not read")
	}
	write(t, filepath.Join(dir, "a\n::error::\x1b[31m.seq"), "bad")
	_, notes := (&Corpus{Dir: dir}).Load(p.space)
	if len(notes) != 1 || strings.ContainsAny(notes[0], "\n\x1b") {
		t.Errorf("notes %q", notes)
	}
}

func TestCorpusOfManyBadFiles(t *testing.T) {
	p := open(t, "units/counter.sol")
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		write(t, filepath.Join(dir, name+corpusSuffix), "bad")
	}
	_, notes := (&Corpus{Dir: dir}).Load(p.space)
	if len(notes) != maxExamples+1 || notes[maxExamples] != "5 of 5 corpus files were left out" {
		t.Errorf("notes %q", notes)
	}
}

// TestCorpusOfAnotherBuild: calls that are no more are left out, the others used.
func TestCorpusOfAnotherBuild(t *testing.T) {
	p := open(t, "units/counter.sol")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "1.seq"), "sightline-sequence v1\nuser1 Counter.add(uint256) args (3)\nuser1 Counter.gone(uint8)\nuser2 Counter.reset()\n")
	write(t, filepath.Join(dir, "2.seq"), "sightline-sequence v1\nuser1 Other.gone()\n")
	seqs, notes := (&Corpus{Dir: dir}).Load(p.space)
	want := []string{"user1 Counter.add(uint256) args (3); user2 Counter.reset()"}
	if got := texts(p.space, seqs); !slices.Equal(got, want) {
		t.Errorf("loaded %q", got)
	}
	if len(notes) != 2 || !strings.Contains(notes[0], "Other") || !strings.Contains(notes[1], "1 of 2 corpus files were written for another build") {
		t.Errorf("notes %q", notes)
	}
}

// TestCampaignUsesItsCorpus: a second campaign starts where the first ended, and
// one whose folder cannot be written says so once and goes on.
func TestCampaignUsesItsCorpus(t *testing.T) {
	p := open(t, "planted/two-steps.sol")
	corpus := &Corpus{Dir: t.TempDir()}
	config := p.config(1, 20_000)
	config.Corpus = corpus
	first := mustRun(t, config)
	noFaults(t, first)
	if len(first.Findings) != 1 || len(first.Notes) != 0 {
		t.Fatalf("%d findings, notes %q", len(first.Findings), first.Notes)
	}
	config = p.config(2, 100)
	config.Corpus = corpus
	if second := mustRun(t, config); len(second.Findings) != 1 || !second.Targets[0].Reached {
		t.Errorf("with the first campaign's corpus: %d findings", len(second.Findings))
	}
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	config = p.config(1, 2_000)
	config.Corpus = &Corpus{Dir: file}
	if r := mustRun(t, config); len(r.Notes) != 2 || r.Stats.Calls < 1_000 { // not read, not saved
		t.Errorf("notes %q after %d calls", r.Notes, r.Stats.Calls)
	}
}
