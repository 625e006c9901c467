package pipeline

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/exchange"
	"github.com/sightline-evm/sightline/internal/hub"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/plan"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/shard"
)

// TestReplayExchange: two workers that exchange inputs through a hub depend on each other, and each of them alone, with its log in place of the
// hub, gives the same bytes again.
func TestReplayExchange(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "plan.tar")
	options := &Options{Change: change.Options{Example: "vault"}, Now: noTime, Log: progress.NewLog(io.Discard, noTime)}
	options.Campaign.Workers, options.Campaign.Schedule, options.Campaign.Calls = 1, fuzzer.Lookahead.Name, 150_000
	if err := Plan(t.Context(), options, file); err != nil {
		t.Fatal(err)
	}
	h, err := hub.Start(t.Context(), hub.Options{Listen: "127.0.0.1:0", Store: filepath.Join(dir, "store")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	run := func(i int, name string, e Exchange) (*fuzzer.Result, []byte, error) {
		o := &ShardOptions{Plan: file, Shard: plan.Shard{Index: i, Of: 2}, Dir: filepath.Join(dir, name), Exchange: e, Now: noTime, Log: progress.NewLog(io.Discard, noTime)}
		result, err := Shard(t.Context(), o)
		if err != nil {
			return nil, nil, err
		}
		text, err := os.ReadFile(filepath.Join(o.Dir, shard.File))
		return result, text, err
	}
	var live [2][]byte
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
			if !strings.Contains(string(text), "not on the seed alone") {
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
		if !bytes.Equal(text, live[i]) {
			t.Errorf("worker %d ends otherwise when it is run again by its log", i)
		}
	}
	if _, _, err := run(1, "other", Exchange{Replay: filepath.Join(dir, "a", exchange.LogFile)}); err == nil || !strings.Contains(err.Error(), "--seed") {
		t.Errorf("the log of another worker: %v", err)
	}
}
