package shard

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

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
