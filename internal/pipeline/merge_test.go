package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/sightline-evm/sightline/examples"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/plan"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/shard"
	"github.com/sightline-evm/sightline/report"
)

// exampleOptions are those of a run on an embedded example, limited in calls, whose files end up in
// written.
func exampleOptions(example string, seed, calls uint64, written *map[string][]byte) *Options {
	o := &Options{
		Change:   change.Options{Example: example},
		Campaign: Campaign{Calls: calls, Seed: seed, Workers: 1, Schedule: fuzzer.Lookahead.Name},
		Gate:     Gate{FailOn: "high"},
		Tool:     report.Tool{Name: "sightline", Version: "test"},
		Now:      noTime, Log: progress.NewLog(io.Discard, noTime),
	}
	o.Output.Keep = func(files map[string][]byte) { *written = maps.Clone(files) }
	return o
}

// planned writes the plan of a run, and returns its file.
func planned(t *testing.T, o *Options) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), plan.DefaultFile)
	if err := Plan(t.Context(), o, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// sharded fuzzes shard i of n, and returns its folder and result.
func sharded(ctx context.Context, t *testing.T, file string, i, n int) (string, *fuzzer.Result) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), fmt.Sprintf("shard-%d", i))
	result, err := Shard(ctx, &ShardOptions{Plan: file, Shard: plan.Shard{Index: i, Of: n}, Dir: dir,
		Tool: report.Tool{Name: "sightline", Version: "test"}, Now: noTime, Log: progress.NewLog(io.Discard, noTime)})
	if err != nil {
		t.Fatal(err)
	}
	return dir, result
}

// sameFiles holds the files of two runs against each other.
func sameFiles(t *testing.T, got, want map[string][]byte) {
	t.Helper()
	names := slices.Sorted(maps.Keys(want))
	if other := slices.Sorted(maps.Keys(got)); !slices.Equal(other, names) {
		t.Errorf("files %q, want %q", other, names)
	}
	for _, name := range names {
		if string(got[name]) != string(want[name]) {
			t.Errorf("%s differs:\n%s", name, firstDifference(string(got[name]), string(want[name])))
		}
	}
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return fmt.Sprintf("line %d\n%.300s\nwant\n%.300s", i+1, a[i], strings.Join(b[min(i, len(b)):min(i+1, len(b))], ""))
		}
	}
	return "it is shorter"
}

// TestMergeOfOne: the only shard of a campaign, merged, gives the files of the plain run, byte for byte.
func TestMergeOfOne(t *testing.T) {
	for _, example := range examples.Names() {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s %d", example, seed), func(t *testing.T) {
				t.Parallel()
				mergesToPlain(t, func(files *map[string][]byte) *Options { return exampleOptions(example, seed, 4_000, files) })
			})
		}
	}
}

// TestMergeOfProjects: so it is with all that a result may have: findings of fuzz tests and properties, of oracles that follow values, with
// ways, in contracts that are deployed on the way, in code that no contract of the build explains.
func TestMergeOfProjects(t *testing.T) {
	useCompilers(t)
	for _, name := range []string{
		"honest-property", "intent-fuzz-test", "compare-new-way", "compare-constructor", "harness-library", "loss-audit", "oracle-panics", "readonly-hook",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(filepath.Join("testdata", "verdicts", name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			v, dir := readVerdict(t, archive), t.TempDir()
			built := v.builds(t, dir)
			mergesToPlain(t, func(files *map[string][]byte) *Options {
				o := exampleOptions("", v.seed, 2_000, files)
				o.Change, o.Campaign.Panics, o.Campaign.Oracles, o.Campaign.Without = built, v.panics, v.oracles, v.without
				return o
			})
		})
	}
}

// mergesToPlain holds a run against the plan, the only shard and the merge with the same options.
func mergesToPlain(t *testing.T, options func(files *map[string][]byte) *Options) {
	t.Helper()
	var plain, merged map[string][]byte
	want, err := Run(t.Context(), options(&plain))
	if err != nil {
		t.Fatal(err)
	}
	file := planned(t, options(&merged))
	dir, _ := sharded(t.Context(), t, file, 0, 1)
	o := options(&merged)
	o.Campaign.Seed, o.Campaign.Calls = 99, 1 // those of the shards count
	got, err := Merge(t.Context(), o, &Shards{Dirs: []string{dir}, Plan: file, Quorum: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if got.Shards != nil || want.Stats.Executions == 0 || len(want.Targets) == 0 {
		t.Errorf("shards %v, %d executions, %d targets", got.Shards, want.Stats.Executions, len(want.Targets))
	}
	sameFiles(t, merged, plain)
}

// merge merges shards of the plan of an example, without a gate, and returns the report with its files.
func merge(t *testing.T, example, file string, quorum float64, dirs ...string) (*report.Report, map[string][]byte) {
	t.Helper()
	var files map[string][]byte
	r, err := Merge(t.Context(), exampleOptions(example, 0, 1, &files), &Shards{Dirs: dirs, Plan: file, Quorum: quorum})
	if err != nil {
		t.Fatal(err)
	}
	return r, files
}

// TestMergeInAnyOrder: eight shards give the same files in any order, and nothing that one of them found is lost.
func TestMergeInAnyOrder(t *testing.T) {
	const n = 8
	var files map[string][]byte
	file := planned(t, exampleOptions("crowdsale", 1, 1_000, &files))
	var dirs []string
	var results []*fuzzer.Result
	for i := range n {
		dir, result := sharded(t.Context(), t, file, i, n)
		dirs, results = append(dirs, dir), append(results, result)
	}
	r, want := merge(t, "crowdsale", file, 0.5, dirs...)
	if s := r.Shards; s == nil || s.Of != n || s.Complete != n || len(s.Missing)+len(s.Partial) != 0 {
		t.Errorf("shards %+v", s)
	}
	if strings.Contains(string(want["comment.md"]), "8 of 8 shards") {
		t.Error("the comment counts shards of which none is missing")
	}
	executions := uint64(0)
	for _, result := range results {
		executions += result.Stats.Executions
	}
	if r.Stats.Executions != executions || r.Stats.Stopped != results[0].Stopped {
		t.Errorf("%d executions (%s), want %d (%s)", r.Stats.Executions, r.Stats.Stopped, executions, results[0].Stopped)
	}
	reached := 0
	for i := range r.Targets {
		some := slices.ContainsFunc(results, func(result *fuzzer.Result) bool { return result.Targets[i].Reached })
		if some != (r.Targets[i].Status == report.Reached) {
			t.Errorf("target %d is %s, and that a shard reached it is %v", i, r.Targets[i].Status, some)
		}
		if some {
			reached++
		}
	}
	found := map[string]bool{}
	for _, f := range r.Findings {
		found[fmt.Sprint(f.Oracle, f.Location.PC, f.Location.Contract)] = true
	}
	for i, result := range results {
		for _, f := range result.Findings {
			if !found[fmt.Sprint(f.Oracle.ID, f.Location.PC, f.Contract)] {
				t.Errorf("the finding of %s at %v, of shard %d, is lost", f.Oracle.ID, f.Location, i)
			}
		}
	}
	if reached == 0 || len(found) == 0 {
		t.Errorf("%d targets reached, %d findings: this shows nothing", reached, len(found))
	}
	for seed := range uint64(3) {
		rand.New(rand.NewPCG(seed, 0)).Shuffle(n, func(i, j int) { dirs[i], dirs[j] = dirs[j], dirs[i] })
		again := slices.Concat(dirs, dirs[:2]) // the same folder twice is one
		_, got := merge(t, "crowdsale", file, 0.5, again...)
		sameFiles(t, got, want)
	}
}

// killed fuzzes shard i of n as a process does that is killed once it has run so many executions, and returns
// its folder.
func killed(t *testing.T, file string, h shard.Header, i int, after uint64) string {
	t.Helper()
	p, _, err := plan.ReadFile(file, "sightline test")
	if err != nil {
		t.Fatal(err)
	}
	s := &sharding{&ShardOptions{Shard: plan.Shard{Index: i, Of: h.Of}, Now: noTime, Log: progress.NewLog(io.Discard, noTime)}, p}
	config, err := s.configure()
	if err != nil {
		t.Fatal(err)
	}
	h.Index = i
	dir := filepath.Join(t.TempDir(), "killed")
	w, err := shard.NewWriter(dir, h, config.Space, config.Table, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	config.Checkpoint = func(e fuzzer.Event, soFar func() *fuzzer.Result) {
		if ctx.Err() != nil {
			return
		}
		w.Checkpoint(e, soFar)
		if e.Stats.Executions >= after {
			kill()
		}
	}
	if _, err := (&fuzzer.Campaign{Config: *config}).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if ctx.Err() == nil {
		t.Fatalf("the shard came to its end before it was killed after %d executions", after)
	}
	return dir
}

// TestMergeWithOneKilled: with one shard killed at any moment, the same folders give the same bytes, what it had found until then
// counts, and the report says that it is not all.
func TestMergeWithOneKilled(t *testing.T) {
	const n = 4
	var files map[string][]byte
	file := planned(t, exampleOptions("crowdsale", 2, 300, &files))
	var dirs []string
	for i := range n {
		dir, _ := sharded(t.Context(), t, file, i, n)
		dirs = append(dirs, dir)
	}
	set, err := shard.Open(dirs)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0))
			i := random.IntN(n)
			left := slices.Clone(dirs)
			left[i] = killed(t, file, set.Header, i, random.Uint64N(80))
			r, want := merge(t, "crowdsale", file, 0.5, left...)
			if s := r.Shards; s == nil || s.Complete != n-1 || !slices.Equal(s.Partial, []int{i}) || len(s.Missing) != 0 {
				t.Errorf("shards %+v, want shard %d to be partial", s, i)
			}
			for _, name := range []string{"comment.md", "summary.md", "sightline.sarif", "report.html"} {
				if !strings.Contains(string(want[name]), "3 of 4 shards") {
					t.Errorf("%s does not say that a shard is missing", name)
				}
			}
			random.Shuffle(n, func(i, j int) { left[i], left[j] = left[j], left[i] })
			_, got := merge(t, "crowdsale", file, 0.5, left...)
			sameFiles(t, got, want)
			// The killed one alone has what it says, and the others have not less without it.
			found := claimed(t, left...)
			for _, claim := range claimed(t, left[slices.IndexFunc(left, func(dir string) bool { return strings.HasSuffix(dir, "killed") })]) {
				if !slices.Contains(found, claim) {
					t.Errorf("%s is lost", claim)
				}
			}
			reached := 0
			for i := range r.Targets {
				if r.Targets[i].Status == report.Reached {
					reached++
				}
			}
			if got := strings.Count(strings.Join(found, "\n"), "target"); got != reached {
				t.Errorf("%d targets reached, want %d", reached, got)
			}
		})
	}
}

// claimed lists the targets that shards say they reached, and their findings.
func claimed(t *testing.T, dirs ...string) []string {
	t.Helper()
	var list []string
	for _, dir := range dirs {
		data, err := os.ReadFile(filepath.Join(dir, shard.File))
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Status   []struct{ Is string }
			Findings []struct {
				Oracle string
				At     [2]int
			}
		}
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatal(err)
		}
		for i, target := range file.Status {
			if target.Is == "reached" {
				list = append(list, fmt.Sprint("target ", i))
			}
		}
		for _, f := range file.Findings {
			list = append(list, fmt.Sprint("finding ", f.Oracle, f.At[1]))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestMergeBelowQuorum: where too few shards came to their end, a run that finds nothing is an error, and a finding
// fails it all the same.
func TestMergeBelowQuorum(t *testing.T) {
	const n = 8
	for example, want := range map[string]string{"crowdsale": report.Fail, "token": report.Error} {
		var files map[string][]byte
		calls := uint64(10_000)
		if want == report.Error {
			calls = 1_000 // too few to break the token
		}
		file := planned(t, exampleOptions(example, 1, calls, &files))
		var dir string
		i := 0
		for ; ; i++ { // one of the crowdsale's that finds what all but one in eight find
			var result *fuzzer.Result
			if dir, result = sharded(t.Context(), t, file, i, n); want == report.Error || len(result.Findings) > 0 {
				break
			}
		}
		r, _ := merge(t, example, file, 0.5, dir)
		if r.Verdict != want || r.Shards == nil || r.Shards.Complete != 1 || len(r.Shards.Missing) != n-1 || slices.Contains(r.Shards.Missing, i) {
			t.Errorf("%s: %s (%s), shards %+v, %d findings; want %s", example, r.Verdict, r.Reason, r.Shards, len(r.Findings), want)
		}
		if want == report.Error && !strings.HasPrefix(r.Reason, "1 of 8 shards: shards 1, 2, 3, 4, 5, 6, 7 left nothing; a pass needs 50 %") {
			t.Errorf("reason %q", r.Reason)
		}
		if r, _ := merge(t, example, file, 0, dir); want == report.Error && r.Verdict != report.Pass {
			t.Errorf("%s without a quorum: %s (%s)", example, r.Verdict, r.Reason)
		}
	}
}
