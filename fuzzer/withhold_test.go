package fuzzer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// breaking counts the saved inputs in which something breaks, or after which a
// property does.
func breaking(t *testing.T, p *project, machine evm.Machine, corpus *Corpus) (breaks, all int) {
	t.Helper()
	config := p.config(1, 1)
	seqs, _ := corpus.Load(p.space)
	for _, seq := range seqs {
		probes := []input.Sequence{seq}
		for _, property := range p.space.Properties() {
			probes = append(probes, append(seq[:len(seq):len(seq)], input.Call{Instance: property.Instance, Function: property.Function}))
		}
		bad := false
		for _, probe := range probes {
			_, observed, err := Replay(machine, &config, probe)
			if err != nil {
				t.Fatal(err)
			}
			bad = bad || len(observed) > 0
		}
		if bad {
			breaks++
		}
	}
	return breaks, len(seqs)
}

// What breaks something is neither saved nor left where inputs are withheld, and
// everything else is there.
func TestCorpusWithholds(t *testing.T) {
	for source, text := range map[string]string{
		"planted/properties.sol": "user1 Properties.mint(uint256) args (7)\nuser1 Properties.mint(uint256) args (7)\n",
		"planted/late.sol":       "",
		"planted/repeated.sol":   "",
	} {
		p := open(t, source)
		machine, err := p.newMachine()
		if err != nil {
			t.Fatal(err)
		}
		for _, withhold := range []bool{false, true} {
			corpus := &Corpus{Dir: t.TempDir(), Withhold: withhold}
			if text != "" {
				write(t, filepath.Join(corpus.Dir, "earlier.seq"), "sightline-sequence v1\n"+text)
			}
			config := p.config(1, 30_000)
			config.Corpus = corpus
			result := mustRun(t, config)
			noFaults(t, result)
			if len(result.Findings) == 0 {
				t.Fatalf("%s: nothing is found", source)
			}
			breaks, all := breaking(t, p, machine, corpus)
			if (breaks == 0) != withhold || all == 0 {
				t.Errorf("%s: withheld %v: %d of %d saved inputs break something", source, withhold, breaks, all)
			}
		}
	}
}

func TestCorpusBound(t *testing.T) {
	corpus := &Corpus{Dir: t.TempDir()}
	for i := range 10 {
		write(t, filepath.Join(corpus.Dir, fmt.Sprintf("%d.seq", i)), strings.Repeat("x", 10*(i+1)))
	}
	write(t, filepath.Join(corpus.Dir, "notes.txt"), strings.Repeat("x", 1000))
	needed := map[string]bool{"9.seq": true, "8.seq": true, "3.seq": true}
	names := func() string {
		entries, err := os.ReadDir(corpus.Dir)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, e := range entries {
			text += " " + strings.TrimSuffix(e.Name(), ".seq")
		}
		return text
	}
	for _, step := range []struct {
		files int
		bytes int64
		want  string
	}{
		{10, 1 << 20, " 0 1 2 3 4 5 6 7 8 9 notes.txt"},
		{8, 1 << 20, " 0 1 2 3 4 5 8 9 notes.txt"}, // the largest of what is not needed
		{8, 300, " 0 1 2 3 8 9 notes.txt"},
		{3, 1 << 20, " 3 8 9 notes.txt"},
		{3, 150, " 3 8 notes.txt"}, // then the largest of what is
		{0, 0, " notes.txt"},
	} {
		if err := corpus.bound(needed, step.files, step.bytes); err != nil {
			t.Fatal(err)
		}
		if got := names(); got != step.want {
			t.Errorf("within %d files and %d bytes:%s, want%s", step.files, step.bytes, got, step.want)
		}
	}
}

// Two folders have the same sum if they hold the same, and what is not a saved input
// has none.
func TestCorpusSum(t *testing.T) {
	sum := func(files map[string]string) (int, string) {
		corpus := &Corpus{Dir: t.TempDir()}
		for name, text := range files {
			write(t, filepath.Join(corpus.Dir, name), text)
		}
		n, sum, err := corpus.Sum()
		if err != nil {
			t.Fatal(err)
		}
		return n, sum
	}
	n, one := sum(map[string]string{"a.seq": "1", "b.seq": "2"})
	if _, same := sum(map[string]string{"b.seq": "2", "a.seq": "1"}); same != one || n != 2 || len(one) != 64 {
		t.Errorf("%d files, %s and %s", n, one, same)
	}
	for name, files := range map[string]map[string]string{
		"a text": {"a.seq": "1", "b.seq": "3"}, "a name": {"a.seq": "1", "c.seq": "2"}, "one less": {"a.seq": "1"},
		"moved": {"a.seq": "1 5 b.seq 1 2"}, "none": {},
	} {
		if _, other := sum(files); other == one {
			t.Errorf("%s: the sum is the same", name)
		}
	}
	if n, _, err := (&Corpus{Dir: filepath.Join(t.TempDir(), "none")}).Sum(); n != 0 || err != nil {
		t.Errorf("a folder that is not there: %d, %v", n, err)
	}
	for name, plant := range map[string]func(path string) error{
		"program.sh": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"folder.seq": func(path string) error { return os.Mkdir(path, 0o700) },
		"link.seq":   func(path string) error { return os.Symlink("/etc/passwd", path) },
		"large.seq":  func(path string) error { return os.WriteFile(path, make([]byte, maxCorpusFileSize+1), 0o600) },
	} {
		corpus := &Corpus{Dir: t.TempDir()}
		if err := plant(filepath.Join(corpus.Dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := corpus.Sum(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
