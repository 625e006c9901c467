package main

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/corpus"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// vault is a target of bench/targets in an example, which takes one campaign some thousands of executions.
func vault(t *testing.T, limit uint64) *goal {
	t.Helper()
	output, err := corpus.Example("vault")
	if err != nil {
		t.Fatal(err)
	}
	s, err := timetotarget.Deploy(context.Background(), "vault", []*compile.Output{output}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const pc = 0x734
	for _, c := range s.Table.Contracts() {
		if c.QualifiedName() != "src/Vault.sol:Vault" {
			continue
		}
		block, ok := s.Table.Program(c.Runtime.ID).StartsAt(pc)
		if !ok {
			break
		}
		g := blockGoal(s, "vault", c, block, 0)
		g.Limit = limit
		return g
	}
	t.Fatal("the vault has no such block: take one of bench/targets/targets.json")
	return nil
}

// TestVirtualTimeIsDeterministic: the same group does the same again, message by message.
func TestVirtualTimeIsDeterministic(t *testing.T) {
	g := vault(t, 2_000)
	g.Reached = func(*evm.Execution) bool { return false }
	var first []byte
	for range 2 {
		o, err := runLive(context.Background(), g, 5, 250, 1, 7, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if o.Exchange.Offered == 0 || o.Exchange.Received == 0 {
			t.Fatalf("nothing was exchanged: %+v", o)
		}
		text, err := json.Marshal([]any{o, o.traffic.offers, o.early, o.bytes, o.dropped, o.now})
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && string(text) != string(first) {
			t.Errorf("first %s, then %s", first, text)
		}
		first = text
	}
}

// TestAloneIsAsBefore: one worker takes as long as bench/targets says.
func TestAloneIsAsBefore(t *testing.T) {
	g := vault(t, 6_000)
	for seed := range uint64(3) {
		config := g.Subject.Config(fuzzer.Lookahead, fuzzer.Techniques{}, seed, time.Now)
		config.Targets = g.targets
		want, err := timetotarget.Run(context.Background(), g.Goal, config)
		if err != nil {
			t.Fatal(err)
		}
		o, err := runLive(context.Background(), g, 1, 100, 0, seed, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if o.Reached != want.Reached || o.Executions != want.Executions {
			t.Errorf("seed %d: %+v, want %+v", seed, o, want)
		}
	}
}

// step is one of a member in a simulated group: executions, and what is offered then.
type step struct {
	executions uint64
	offers     []byte // each a sequence of so many calls
}

// simulate runs members without campaigns, and returns when each got what.
func simulate(t *testing.T, slice uint64, latency int, script [][]step) [][]map[uint64][]int {
	t.Helper()
	g := vault(t, math.MaxUint64)
	c := newClock(len(script), g, slice, latency)
	got := make([][]map[uint64][]int, len(script))
	var group sync.WaitGroup
	for i, m := range c.members {
		m.stop = func() {}
		group.Go(func() {
			defer m.leave()
			for _, s := range script[i] {
				for range s.executions {
					m.observe(&evm.Execution{}, true)
				}
				for _, calls := range s.offers {
					m.Offer(fuzzer.Offer{Sequence: slices.Repeat(input.Sequence{call(t, g)}, int(calls)), Why: fuzzer.OfferPath, Target: -1, Path: bytecode.PathID{byte(i), calls}})
				}
				m.wait(context.Background())
				var lengths []int
				for _, seq := range m.Receive(m.now, 100) {
					lengths = append(lengths, len(seq))
				}
				if lengths != nil {
					got[i] = append(got[i], map[uint64][]int{m.now: lengths})
				}
			}
		})
	}
	finished := make(chan struct{})
	go func() {
		group.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-time.After(20 * time.Second):
		t.Fatal("the members wait for each other")
	}
	return got
}

// call is a call that the vault takes.
func call(t *testing.T, g *goal) input.Call {
	t.Helper()
	seeds := input.NewMutator(g.Subject.Space, input.NewDictionary(nil), input.Options{}).Seeds()
	if len(seeds) == 0 {
		t.Fatal("the vault has no function")
	}
	return seeds[0][0]
}

// TestSlices: what is offered in a slice is there at its end, or later, for all others and in the order of the
// campaigns, and once; what is offered beyond its end belongs to the next one; who ends is not waited for.
func TestSlices(t *testing.T) {
	some := func(executions uint64, offers ...byte) step { return step{executions, offers} }
	for name, test := range map[string]struct {
		latency int
		script  [][]step
		want    [][]map[uint64][]int
	}{
		"in order": {0,
			[][]step{{some(10), some(10)}, {some(5, 3, 2), some(5)}, {some(5, 4, 3), some(5)}},
			[][]map[uint64][]int{{{10: {4, 2, 3}}}, {{10: {4}}}, {{10: {2, 3}}}}},
		"later": {1,
			[][]step{{some(10), some(10), some(10)}, {some(5, 3), some(5), some(10)}},
			[][]map[uint64][]int{{{20: {3}}}, nil}},
		"beyond the end": {0,
			[][]step{{some(10), some(10)}, {some(12, 3), some(8)}},
			[][]map[uint64][]int{{{20: {3}}}, nil}},
		"far beyond the end": {0,
			[][]step{{some(10), some(10), some(10), some(10)}, {some(35, 3), some(5)}},
			[][]map[uint64][]int{{{40: {3}}}, nil}},
		"early ends": {0,
			[][]step{{some(10, 2), some(10), some(10)}, {some(3)}, {some(10), some(2)}, {}},
			[][]map[uint64][]int{nil, nil, {{10: {2}}}, nil}},
	} {
		got := simulate(t, 10, test.latency, test.script)
		a, b := encoded(t, got), encoded(t, test.want)
		if a != b {
			t.Errorf("%s: %s, want %s", name, a, b)
		}
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCancelled: a group that is given up ends, though its campaigns wait for each other.
func TestCancelled(t *testing.T) {
	g := vault(t, 1<<40)
	g.Reached = func(*evm.Execution) bool { return false }
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := runLive(ctx, g, 6, 50, 0, 1, time.Now); err == nil {
		t.Error("no error")
	}
}
