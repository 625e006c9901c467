package pipeline

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/exchange"
	"github.com/sightline-evm/sightline/internal/hub"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/plan"
	"github.com/sightline-evm/sightline/internal/progress"
)

// TestReplayExchange: two workers that exchange inputs through a hub depend on each other, and each of them alone, with its log in place of the
// hub, gives the same result again.
func TestReplayExchange(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "plan.tar")
	options := &Options{Change: change.Options{Example: "vault"}, Now: noTime, Log: progress.NewLog(io.Discard, noTime)}
	options.Campaign.Workers, options.Campaign.Schedule, options.Campaign.Calls = 1, fuzzer.Lookahead.Name, 200_000
	if err := Plan(t.Context(), options, file); err != nil {
		t.Fatal(err)
	}
	h, err := hub.Start(t.Context(), hub.Options{Listen: "127.0.0.1:0", Store: filepath.Join(dir, "store")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	p, _, err := plan.ReadFile(file, nameOf(options.Tool))
	if err != nil {
		t.Fatal(err)
	}
	run := func(i int, name string, e Exchange) (*fuzzer.Result, string, error) {
		o := &ShardOptions{Plan: file, Shard: plan.Shard{Index: i, Of: 2}, Dir: filepath.Join(dir, name), Exchange: e, Now: noTime, Log: progress.NewLog(io.Discard, noTime)}
		result, err := Shard(t.Context(), o)
		if err != nil {
			return nil, "", err
		}
		return result, allOf(p.Config.Space, result), nil
	}
	var live [2]string
	var all sync.WaitGroup
	for i, name := range []string{"a", "b"} {
		all.Go(func() {
			result, text, err := run(i, name, Exchange{Link: exchange.Link{URL: h.URL()}})
			if err != nil {
				t.Error(err)
				return
			}
			if live[i] = text; result.Exchange.Received == 0 {
				t.Errorf("worker %d received nothing: %+v", i, *result.Exchange)
			}
			if !slices.Contains(result.Notes, exchanged) {
				t.Error("the shard does not say that its seed alone does not give it again")
			}
		})
	}
	all.Wait()
	h.Stop()
	for i, name := range []string{"a", "b"} {
		_, text, err := run(i, name+" again", Exchange{Replay: filepath.Join(dir, name, exchange.LogFile)})
		if err != nil {
			t.Fatal(err)
		}
		if text != live[i] {
			t.Errorf("worker %d ends otherwise when it is run again by its log: %s", i, cmp.Diff(live[i], text))
		}
	}
	if _, _, err := run(1, "other", Exchange{Replay: filepath.Join(dir, "a", exchange.LogFile)}); err == nil || !strings.Contains(err.Error(), "--seed") {
		t.Errorf("the log of another worker: %v", err)
	}
}

// allOf is everything that a result has, as text.
func allOf(space *input.Space, r *fuzzer.Result) string {
	var b strings.Builder
	for _, target := range r.Targets {
		fmt.Fprintln(&b, "target", target.Reached, target.Entered, target.First, input.Format(space, target.Sequence))
	}
	for _, f := range r.Findings {
		fmt.Fprintln(&b, "finding", f.Oracle.ID, f.Location, f.Message, f.First, input.Format(space, f.Sequence))
		for _, way := range f.Ways {
			fmt.Fprintln(&b, "way", input.Format(space, way))
		}
	}
	for _, seq := range r.Suite {
		fmt.Fprintln(&b, "input", input.Format(space, seq.Unpack()))
	}
	fmt.Fprintln(&b, r.Entered, r.Notes, len(r.Faults), r.Stats.Executions, r.Stats.Calls, r.Stats.Paths, r.Stats.Analysis, r.Stopped, r.Timeline, r.Useful, *r.Exchange)
	return b.String()
}
