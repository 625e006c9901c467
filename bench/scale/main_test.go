package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// TestMachine: a generated contract compiles, and its target takes all of its milestones, in order.
func TestMachine(t *testing.T) {
	const odds, k = 16, 4
	m := newMachine(3, k, odds)
	if m.source() != newMachine(3, k, odds).source() || m.source() == newMachine(4, k, odds).source() {
		t.Error("one seed makes two contracts, or two make one")
	}
	for _, s := range m.milestones {
		if s.odds < odds || s.odds >= odds*oddsFactor || s.residue >= s.odds {
			t.Errorf("a milestone that is passed by residue %d of %d", s.residue, s.odds)
		}
	}
	project := testbuild.Compile(t, compiler, map[string]string{"src/Machine.sol": m.source()})
	s, err := timetotarget.Deploy(context.Background(), "machine", []*compile.Output{project.Output}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := eventGoal(s, m.name(), k)
	if err != nil {
		t.Fatal(err)
	}
	var passed []byte
	reached := g.Reached
	g.Limit, g.Reached = 20_000, func(exec *evm.Execution) bool {
		if !reached(exec) {
			return false
		}
		for i := range exec.Frames {
			for _, log := range exec.Frames[i].Logs {
				if len(log.Topics) == 2 { // Passed
					passed = append(passed, log.Topics[1][31])
				}
			}
		}
		return true
	}
	o, err := runLive(context.Background(), g, 2, 500, 0, 1, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if !o.Reached || o.Exchange.Admitted == 0 || !slices.Equal(passed[:k], []byte{1, 2, 3, 4}) {
		t.Errorf("%+v, passed %v", o, passed)
	}
}

// TestFlags: what cannot be measured is refused, with the flag's name.
func TestFlags(t *testing.T) {
	was := options
	defer func() { options = was }()
	valid := was
	valid.curves, valid.workers, valid.milestones = "shards,live,processes", "16, 4,1", "3"
	valid.machines, valid.groups, valid.parallel, valid.slice, valid.limit, valid.odds = 1, 1, 1, 1, 1, 2
	options = valid
	if err := check(); err != nil || !slices.Equal(options.ns, []int{1, 4, 16}) || !options.shards || !options.live || !options.processes {
		t.Errorf("%v, %+v", err, options)
	}
	for flag, change := range map[string]func(){
		"-curves":  func() { options.curves = "shard" },
		"-samples": func() { options.curves = "shards" },
		"-workers": func() { options.workers = "1,1000" },
		"-slice":   func() { options.slice = 0 },
		"-odds":    func() { options.odds = 1 },
		"-latency": func() { options.latency = -1 },
	} {
		options = valid
		options.shards, options.live, options.processes = false, false, false
		change()
		if err := check(); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%s: %v", flag, err)
		}
	}
}

// TestStored: of a file of bench/targets, the product's campaigns count.
func TestStored(t *testing.T) {
	was := options
	defer func() { options = was }()
	options.samples = filepath.Join(t.TempDir(), "samples.jsonl")
	file, err := os.Create(options.samples)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(2) {
		for _, schedule := range []string{"lookahead", "cutoff"} {
			for _, without := range []fuzzer.Techniques{{}, {Prediction: true}} {
				key := timetotarget.Key{Target: "vault src/Vault.sol:Vault:0x734", Schedule: schedule, Without: without, Seed: seed}
				if err := timetotarget.Keep(file, key, timetotarget.Sample{Reached: true, Executions: 100 + 200*seed}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	file.Close()
	result := &harness.Result{Summary: map[string]float64{}}
	if err := stored(result); err != nil {
		t.Fatal(err)
	}
	row := result.Tables[0].Rows[0]
	if want := []string{"vault Vault:0x734", "2", "0", "200", "2", "—"}; !slices.Equal(row[:6], want) {
		t.Errorf("%q, want %q", row[:6], want)
	}
	options.only = "crowdsale"
	if err := stored(result); err == nil || !strings.Contains(err.Error(), "-only") {
		t.Errorf("%v", err)
	}
}

// TestReport: speed-ups are of medians, and what rests on misses is marked.
func TestReport(t *testing.T) {
	was := options
	defer func() { options = was }()
	options.ns, options.slice, options.shards = []int{1, 16}, 10, true
	sample := func(executions uint64) timetotarget.Sample {
		return timetotarget.Sample{Reached: executions < 1000, Executions: executions, Seconds: 1}
	}
	groups := func(executions ...uint64) (list []*outcome) {
		for _, n := range executions {
			list = append(list, &outcome{Reached: n < 1000, Executions: n, Workers: 16, now: 16 * n, traffic: traffic{offers: [reasons]int{0, 32, 0, 0}, early: 16, bytes: 3200}})
		}
		return list
	}
	goals := []*goal{{name: "a", milestones: 3}, {name: "b"}}
	all := []measured{
		{[]timetotarget.Sample{sample(400), sample(600), sample(200)}, map[int][]*outcome{16: groups(30, 20, 40)}},
		{[]timetotarget.Sample{sample(1000), sample(1000), sample(200)}, map[int][]*outcome{16: groups(1000, 1000, 500)}}, // 733 of 833
	}
	result := &harness.Result{Summary: map[string]float64{}}
	report(result, goals, all)
	live := result.Tables[1]
	for i, want := range map[int][]string{1: {"a", "3", "16", "30", "30", "0", "13.3", "13.3"}, 3: {"b", "—", "16", "≥ 833", "1,000", "2", "~ 0.880", "~ 1"}} {
		if !slices.Equal(live.Rows[i][:8], want) {
			t.Errorf("%q, want %q", live.Rows[i], want)
		}
	}
	for name, want := range map[string]float64{"targets": 2, "overTen": 1, "worstLive16": 0.88} {
		if got := result.Summary[name]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	// 100 bytes each, one before and one after the first slice.
	if row := result.Tables[2].Rows[0]; !slices.Equal(row[2:5], []string{"2", "1", "100"}) {
		t.Errorf("%q", row)
	}
}

// TestWorkersResult: what a worker prints is read, or an error.
func TestWorkersResult(t *testing.T) {
	s, err := readWorker([]byte(`{"summary": {"reached": 1, "executions": 12, "seconds": 0.5}, "tables": null}`))
	if err != nil || s != (timetotarget.Sample{Reached: true, Executions: 12, Seconds: 0.5}) {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := readWorker([]byte("killed")); err == nil {
		t.Error("text is taken for a result")
	}
}
