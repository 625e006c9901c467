package pipeline

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/examples"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/plan"
	"github.com/sightline-evm/sightline/internal/progress"
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
				const calls = 4_000
				var plain, merged map[string][]byte
				want, err := Run(t.Context(), exampleOptions(example, seed, calls, &plain))
				if err != nil {
					t.Fatal(err)
				}
				file := planned(t, exampleOptions(example, seed, calls, &merged))
				dir, _ := sharded(t.Context(), t, file, 0, 1)
				// Seed and limits are the shards'.
				got, err := Merge(t.Context(), exampleOptions(example, 99, 1, &merged), &Shards{Dirs: []string{dir}, Plan: file, Quorum: 0.5})
				if err != nil {
					t.Fatal(err)
				}
				if got.Shards != nil || want.Stats.Executions == 0 || len(want.Targets) == 0 {
					t.Errorf("shards %v, %d executions, %d targets", got.Shards, want.Stats.Executions, len(want.Targets))
				}
				sameFiles(t, merged, plain)
			})
		}
	}
}

var _ = time.Second
