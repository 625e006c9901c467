package fuzzer

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

func TestTrim(t *testing.T) {
	entry := func(size int, blocks ...uint32) trimEntry {
		e := trimEntry{size: size}
		for _, b := range blocks {
			e.features = append(e.features, feature{code: 1, at: b})
		}
		return e
	}
	for name, tc := range map[string]struct {
		entries []trimEntry
		want    []int
	}{
		"nothing":               {nil, nil},
		"covers nothing":        {[]trimEntry{entry(1)}, nil},
		"equals: smaller stays": {[]trimEntry{entry(3, 1, 2), entry(2, 1, 2), entry(2, 2, 1)}, []int{1}},
		"subsets":               {[]trimEntry{entry(1, 1), entry(9, 1, 2, 3), entry(1, 2)}, []int{1}},
		"each has its own":      {[]trimEntry{entry(1, 1, 9), entry(1, 2, 9), entry(1, 3, 9)}, []int{0, 1, 2}},
		"rarest first":          {[]trimEntry{entry(1, 1, 2), entry(1, 2, 3), entry(1, 3, 4), entry(1, 1, 4), entry(5, 5, 1, 2, 3, 4)}, []int{4}},
	} {
		if got := trim(tc.entries); !slices.Equal(got, tc.want) {
			t.Errorf("%s: kept %v, want %v", name, got, tc.want)
		}
	}
}

// TestTrimProperties: nothing is lost, and trimming again adds nothing.
func TestTrimProperties(t *testing.T) {
	r := testRand(1)
	for range 300 {
		entries := make([]trimEntry, r.IntN(20))
		for i := range entries {
			entries[i].size = r.IntN(5)
			for range r.IntN(8) {
				f := feature{bytecode.CodeID(r.IntN(2)), uint32(r.IntN(6)), featureKind(r.IntN(4))}
				if !slices.Contains(entries[i].features, f) {
					entries[i].features = append(entries[i].features, f)
				}
			}
		}
		kept := trim(entries)
		if !slices.IsSorted(kept) {
			t.Fatalf("kept %v: not sorted", kept)
		}
		covers := func(indices []int) map[feature]bool {
			all := map[feature]bool{}
			for _, i := range indices {
				for _, f := range entries[i].features {
					all[f] = true
				}
			}
			return all
		}
		everything := make([]int, len(entries))
		for i := range everything {
			everything[i] = i
		}
		if got, want := len(covers(kept)), len(covers(everything)); got != want {
			t.Fatalf("%d of %d features are left", got, want)
		}
		var rest []trimEntry
		for _, i := range kept {
			rest = append(rest, entries[i])
		}
		if again := trim(rest); len(again) > len(rest) {
			t.Fatalf("trimming again: %d of %d", len(again), len(rest))
		}
	}
}

// TestCorpusTrim: the folder covers the same with fewer files, and what is not
// ours or does not fit stays.
func TestCorpusTrim(t *testing.T) {
	p := open(t, "units/counter.sol")
	corpus := &Corpus{Dir: t.TempDir()}
	machine, err := p.newMachine()
	if err != nil {
		t.Fatal(err)
	}
	mutator := input.NewMutator(p.space, input.NewDictionary(nil), input.Options{})
	r := testRand(4)
	for range 100 {
		if err := corpus.Save(p.space, mutator.GenerateSequence(r)); err != nil {
			t.Fatal(err)
		}
	}
	strangers := map[string]string{
		"broken.seq": "sightline-sequence v1\nnonsense\n",
		"stale.seq":  "sightline-sequence v1\nuser1 Gone.f()\n",
		"notes.txt":  "not ours",
	}
	for name, text := range strangers {
		if err := os.WriteFile(filepath.Join(corpus.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	covered := func() (map[feature]bool, int) {
		all := map[feature]bool{}
		seqs, _ := corpus.Load(p.space)
		for _, seq := range seqs {
			exec, err := machine.Run(p.space.Encode(seq, nil))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range features(exec) {
				all[f] = true
			}
		}
		return all, len(seqs)
	}
	before, many := covered()
	if err := corpus.Trim(p.space, machine); err != nil {
		t.Fatal(err)
	}
	after, few := covered()
	if len(after) != len(before) || few >= many || few == 0 {
		t.Errorf("%d features in %d files, before trimming %d in %d", len(after), few, len(before), many)
	}
	for name := range strangers {
		if _, err := os.Stat(filepath.Join(corpus.Dir, name)); err != nil {
			t.Errorf("%s is gone: %v", name, err)
		}
	}
	if err := (&Corpus{Dir: filepath.Join(t.TempDir(), "none")}).Trim(p.space, machine); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestCorpusAdd: of a suite that others made, inputs that cover the same as all of it are kept; of those in which an oracle
// sees something, none where they are withheld.
func TestCorpusAdd(t *testing.T) {
	p := open(t, "units/counter.sol")
	machine, err := p.newMachine()
	if err != nil {
		t.Fatal(err)
	}
	mutator := input.NewMutator(p.space, input.NewDictionary(nil), input.Options{})
	r := testRand(4)
	var suite []input.Packed
	all := map[feature]bool{}
	for range 100 {
		seq := mutator.GenerateSequence(r)
		suite = append(suite, input.Pack(seq, nil))
		exec, err := machine.Run(p.space.Encode(seq, nil))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range features(exec) {
			all[f] = true
		}
	}
	alarm := &oracle.Oracle{ID: "alarm", Check: func(_ *evm.Execution, report func(oracle.Observation)) { report(oracle.Observation{}) }}
	config := &Config{Space: p.space, Table: p.table, NewJudge: p.newMachine, Oracles: []*oracle.Oracle{alarm}}
	for _, withhold := range []bool{false, true} {
		corpus := &Corpus{Dir: t.TempDir(), Withhold: withhold}
		if err := corpus.Add(config, suite); err != nil {
			t.Fatal(err)
		}
		kept, notes := corpus.Load(p.space)
		covered := map[feature]bool{}
		for _, seq := range kept {
			exec, err := machine.Run(p.space.Encode(seq, nil))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range features(exec) {
				covered[f] = true
			}
		}
		if len(notes) > 0 || withhold && len(kept) > 0 || !withhold && (len(covered) != len(all) || len(kept) >= len(suite) || len(kept) == 0) {
			t.Errorf("withheld %v: %d inputs of %d, %d features of %d, notes %q", withhold, len(kept), len(suite), len(covered), len(all), notes)
		}
	}
}
