package fuzzer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/examples"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// openExample deploys the head side of an example; no line is a target.
func openExample(t testing.TB, name string) *project {
	t.Helper()
	files, err := examples.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	var texts [2][]byte
	for i, file := range []string{"build/head.input.json", "build/head.output.json"} {
		if texts[i], err = fs.ReadFile(files, file); err != nil {
			t.Fatal(err)
		}
	}
	output, err := compile.ReadSolc(texts[0], texts[1], name, reading.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	outputs := []*compile.Output{output}
	return deploy(t, outputs, compile.Contracts(outputs), nil)
}

// frozen is a clock that stands still: results hold no times then.
func frozen() time.Time { return time.Unix(1_750_000_000, 0) }

// untilFound runs a campaign until it has found something.
func untilFound(t *testing.T, config Config) *Result {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	config.Progress = func(e Event) {
		if e.Found != nil {
			stop()
		}
	}
	result, err := (&Campaign{Config: config}).Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	noFaults(t, result)
	return result
}

// TestExamples: the assertion of each example is found within a budget that its
// slowest seed here needs about a third of. What people are shown is short and
// round.
func TestExamples(t *testing.T) {
	for _, test := range []struct {
		name  string
		calls uint64
		line  int
		words string // in the sequence that is shown
	}{
		{"crowdsale", 300_000, 73, "Crowdsale.invest() value 40000000000000000000;"},
	} {
		p := openExample(t, test.name)
		for seed := range uint64(5) {
			r := untilFound(t, p.config(seed, test.calls))
			if len(r.Findings) != 1 || p.line(r.Findings[0].Location) != test.line {
				t.Errorf("%s, seed %d: %d findings in %d calls", test.name, seed, len(r.Findings), r.Stats.Calls)
				continue
			}
			f := r.Findings[0]
			t.Logf("%s, seed %d: %d calls: %s", test.name, seed, f.First.Calls, format(p.space, f.Sequence))
			if text := format(p.space, f.Sequence); !strings.Contains(text, test.words) || len(f.Sequence) != 4 {
				t.Errorf("%s, seed %d: shown is %s", test.name, seed, text)
			}
		}
	}
}

// TestExempt: what fails at an exempt place is not reported.
func TestExempt(t *testing.T) {
	p := openExample(t, "crowdsale")
	config := p.config(0, 300_000)
	r := untilFound(t, config)
	if len(r.Findings) != 1 {
		t.Fatalf("%d findings", len(r.Findings))
	}
	at := r.Findings[0].Location
	config = p.config(0, r.Stats.Calls)
	config.Exempt = func(l bytecode.Location) bool { return l == at }
	if again, err := (&Campaign{Config: config}).Run(context.Background()); err != nil || len(again.Findings) != 0 {
		t.Errorf("%d findings, %v: want none", len(again.Findings), err)
	}
}

// TestSameSeedSameResult: with one worker and a budget in calls two campaigns
// have equal results, on Worlds made separately.
func TestSameSeedSameResult(t *testing.T) {
	for _, source := range []string{"planted/properties.sol", "planted/callee.sol", "planted/statuses.sol", "planted/constructor.sol"} {
		var results []*Result
		for range 2 {
			p := open(t, source)
			config := p.config(7, 8_000)
			config.Now = frozen
			config.Seeds = p.deploymentSeeds()
			results = append(results, mustRun(t, config))
		}
		if !reflect.DeepEqual(results[0], results[1]) {
			t.Errorf("%s: two runs differ:\n%+v\n%+v", source, results[0], results[1])
		}
		config := open(t, source).config(8, 8_000)
		config.Now = frozen
		if other := mustRun(t, config); reflect.DeepEqual(other.Stats, results[0].Stats) {
			t.Errorf("%s: another seed does the same", source)
		}
	}
}

// TestLibraryIsShared: campaigns that share what the analysis knows of programs do what
// each of them does by itself, also at the same time.
func TestLibraryIsShared(t *testing.T) {
	p := open(t, "planted/statuses.sol")
	run := func(library *lookahead.Library) *Result {
		config := p.config(7, 4_000)
		config.Now, config.Library = frozen, library
		r, err := (&Campaign{Config: config}).Run(t.Context())
		if err != nil {
			t.Error(err)
		}
		return r
	}
	alone, library := run(nil), new(lookahead.Library)
	if alone.Stats.Analysis.Questions == 0 {
		t.Fatal("the analysis was asked nothing")
	}
	results := make([]*Result, 3)
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() { results[i] = run(library) })
	}
	wait.Wait()
	for _, r := range results {
		if !reflect.DeepEqual(r, alone) {
			t.Errorf("with a shared library:\n%+v\nwithout:\n%+v", r, alone)
		}
	}
}

// TestSchedules: every schedule reaches what can be reached, and the same way
// twice.
func TestSchedules(t *testing.T) {
	for _, schedule := range Schedules() {
		var results []*Result
		for range 2 {
			config := open(t, "planted/statuses.sol").config(5, 4_000)
			config.Schedule, config.Now = schedule, frozen
			results = append(results, mustRun(t, config))
		}
		r := results[0]
		noFaults(t, r)
		if !r.Targets[0].Reached || !r.Targets[1].Reached || r.Targets[2].Reached || r.Targets[3].Entered {
			t.Errorf("%s: targets %+v", schedule.Name, r.Targets)
		}
		if !reflect.DeepEqual(r, results[1]) {
			t.Errorf("%s: two runs differ:\n%+v\n%+v", schedule.Name, r, results[1])
		}
	}
}

// TestWorkersFindTheSame: how the work is shared changes when things are found,
// not what.
func TestWorkersFindTheSame(t *testing.T) {
	for _, source := range []string{"planted/properties.sol", "planted/callee.sol"} {
		p := open(t, source)
		config := p.config(1, 60_000)
		config.Workers = 4
		r := mustRun(t, config)
		noFaults(t, r)
		var lines []int
		for _, f := range r.Findings {
			lines = append(lines, p.line(f.Location))
		}
		slices.Sort(lines)
		var want []int
		for i, line := range strings.Split(p.text, "\n") {
			if strings.Contains(line, "// want") {
				want = append(want, i+1)
			}
		}
		if !slices.Equal(lines, want) {
			t.Errorf("%s: findings at lines %v, want %v", source, lines, want)
		}
	}
}

// counting is a machine that counts the calls it runs.
type counting struct {
	evm.Machine
	calls *atomic.Uint64
}

func (m counting) Run(seq evm.Sequence) (*evm.Execution, error) {
	m.calls.Add(uint64(len(seq)))
	return m.Machine.Run(seq)
}

// TestCallsAreCountedAndLimited: the statistics count what the machines ran, and
// only the replays that confirm something go beyond the limit.
func TestCallsAreCountedAndLimited(t *testing.T) {
	p := open(t, "planted/properties.sol")
	for _, workers := range []int{1, 3} {
		for _, limit := range []uint64{1, 8, 30, 100, 1_500, 4_001} {
			var ran atomic.Uint64
			config := p.config(limit, limit)
			config.Workers = workers
			config.NewMachine = func() (evm.Machine, error) {
				m, err := p.newMachine()
				return counting{m, &ran}, err
			}
			r := mustRun(t, config)
			if r.Stats.Calls != ran.Load() {
				t.Errorf("limit %d: %d calls are counted, %d were run", limit, r.Stats.Calls, ran.Load())
			}
			confirmed := uint64(len(r.Findings)) * 2 * (maxSeqLen + 1)
			if r.Stats.Calls > limit+confirmed {
				t.Errorf("%d workers, limit %d: %d calls, %d findings", workers, limit, r.Stats.Calls, len(r.Findings))
			}
			if r.Stopped != "call limit" {
				t.Errorf("limit %d: stopped: %s", limit, r.Stopped)
			}
			if limit > 100 && r.Stats.Calls < limit-100 {
				t.Errorf("limit %d: only %d calls", limit, r.Stats.Calls)
			}
		}
	}
}

// TestLongSeedsDoNotStopTheCampaign: a seed longer than what is left of the budget
// is not run, and the campaign still ends.
func TestLongSeedsDoNotStopTheCampaign(t *testing.T) {
	p := open(t, "units/counter.sol")
	long := parse(t, p.space, strings.TrimSuffix(strings.Repeat("user1 Counter.add(uint256) args (3); ", 200), "; "))
	config := p.config(1, 2_000)
	config.Seeds = []input.Sequence{long, long}
	r := mustRun(t, config)
	noFaults(t, r)
	if r.Stopped != "call limit" || r.Stats.Calls > 2_000 || r.Stats.Calls < 1_900 {
		t.Errorf("stopped: %s after %d calls", r.Stopped, r.Stats.Calls)
	}
}

// slow is a machine that takes a while for every run.
type slow struct {
	evm.Machine
	pause time.Duration
}

func (m slow) Run(seq evm.Sequence) (*evm.Execution, error) {
	time.Sleep(m.pause)
	return m.Machine.Run(seq)
}

// TestTimeLimitAndCancel: both end a campaign at once, also while it minimizes
// what it found, and keep what it has.
func TestTimeLimitAndCancel(t *testing.T) {
	p := open(t, "units/counter.sol")
	start := func(timeout time.Duration, ctx context.Context) (*Result, time.Duration) {
		config := p.config(1, 0)
		config.Timeout = timeout
		config.Workers = 2
		config.NewMachine = func() (evm.Machine, error) {
			m, err := p.newMachine()
			return slow{m, 2 * time.Millisecond}, err
		}
		begun := time.Now()
		r, err := (&Campaign{Config: config}).Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return r, time.Since(begun)
	}
	const limit = 300 * time.Millisecond
	const moment = limit + 20*time.Second // on a busy machine
	if r, took := start(limit, context.Background()); r.Stopped != "time limit" || took < limit || took > moment {
		t.Errorf("stopped: %s after %v", r.Stopped, took)
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Hour, nil)
	time.AfterFunc(limit, cancel)
	if r, took := start(0, ctx); r.Stopped != "canceled" || took > moment || r.Stats.Executions == 0 {
		t.Errorf("stopped: %s after %v", r.Stopped, took)
	}
}

// TestGrace: once every target is reached, half of the budget is spent on breaking
// them.
func TestGrace(t *testing.T) {
	p := open(t, "planted/correct.sol")
	r := mustRun(t, p.config(1, 40_000)) // the task that is under way then may take some thousand
	if r.Stopped != "every target reached" || r.Stats.Calls < 20_000 || r.Stats.Calls > 30_000 || r.Stats.Reached != 1 {
		t.Errorf("stopped: %s after %d calls, %d reached", r.Stopped, r.Stats.Calls, r.Stats.Reached)
	}
}

// TestAfterReached: what is spent once every target is reached is for the caller to say, and the event
// of the last target tells that it was the last.
func TestAfterReached(t *testing.T) {
	p := open(t, "planted/correct.sol")
	for _, test := range []struct {
		share       float64
		least, most uint64 // calls
	}{{0, 1, 3_000}, {0.2, 2_000, 5_000}, {1, 9_900, 10_000}} {
		config := p.config(1, 10_000)
		config.AfterReached = &test.share
		reached, last := 0, 0
		config.Progress = func(e Event) {
			if e.Target >= 0 {
				reached++
			}
			if e.Last {
				last = reached
			}
		}
		r := mustRun(t, config)
		if r.Stats.Reached != len(config.Targets) || r.Stats.Calls < test.least || r.Stats.Calls > test.most {
			t.Errorf("%g of the budget: stopped: %s after %d calls, %d reached", test.share, r.Stopped, r.Stats.Calls, r.Stats.Reached)
		}
		if want := test.share < 1; (r.Stopped == EveryTargetReached) != want {
			t.Errorf("%g of the budget: stopped: %s", test.share, r.Stopped)
		}
		if last != reached || reached == 0 {
			t.Errorf("%g of the budget: %d targets, and the last was number %d", test.share, reached, last)
		}
	}
}

// TestAlwaysReverts: a target that whatever runs it reverts is looked for until it ran, and no longer.
func TestAlwaysReverts(t *testing.T) {
	config := open(t, "units/refused.sol").config(1, 20_000)
	none := 0.
	config.AfterReached = &none
	r := mustRun(t, config)
	if r.Stopped != EveryTargetReached || r.Stats.Reached != 3 {
		t.Fatalf("stopped: %s after %d calls, %d reached", r.Stopped, r.Stats.Calls, r.Stats.Reached)
	}
	for i, target := range r.Targets {
		if !target.Done(&config.Targets[i]) || target.Reached == config.Targets[i].Reverts || len(target.Sequence) == 0 || len(target.Stops) > 0 {
			t.Errorf("%s: %+v", config.Targets[i].Position, target)
		}
	}
}

// faulty is a machine that fails when told.
type faulty struct {
	evm.Machine
	runs int
	fail func(run int) error // may panic
}

func (m *faulty) Run(seq evm.Sequence) (*evm.Execution, error) {
	m.runs++
	if err := m.fail(m.runs); err != nil {
		return nil, err
	}
	return m.Machine.Run(seq)
}

// withFaults is a campaign whose workers' machines fail; the judge's does not.
func withFaults(p *project, calls uint64, fail func(run int) error) Config {
	config := p.config(1, calls)
	made := 0
	config.NewMachine = func() (evm.Machine, error) {
		made++
		m, err := p.newMachine()
		if made == 1 || err != nil {
			return m, err
		}
		return &faulty{Machine: m, fail: fail}, nil
	}
	return config
}

// TestFaultsOfTheTool: the campaign reports a fault with the input that caused it,
// and goes on as long as anything works.
func TestFaultsOfTheTool(t *testing.T) {
	p := open(t, "units/counter.sol")
	broken := errors.New("out of order")
	t.Run("panics now and then", func(t *testing.T) {
		r := mustRun(t, withFaults(p, 20_000, func(run int) error {
			if run%1_000 == 500 {
				panic("slipped")
			}
			return nil
		}))
		if len(r.Faults) < 5 || r.Stopped != "call limit" || r.Stats.Reached != 2 {
			t.Errorf("%d faults, %d targets reached, stopped: %s", len(r.Faults), r.Stats.Reached, r.Stopped)
		}
		for _, f := range r.Faults {
			if !strings.Contains(f.Message, "panic in worker: slipped") || !strings.Contains(f.Message, ".go:") || len(f.Sequence) == 0 {
				t.Errorf("fault %q with %d calls", f.Message, len(f.Sequence))
			}
		}
	})
	t.Run("many, but never only faults", func(t *testing.T) {
		r := mustRun(t, withFaults(p, 20_000, func(run int) error {
			if run%50 == 0 {
				return broken
			}
			return nil
		}))
		if len(r.Faults) != maxFaults || r.Stopped != "call limit" {
			t.Errorf("%d faults, stopped: %s", len(r.Faults), r.Stopped)
		}
	})
	t.Run("breaks for good", func(t *testing.T) {
		r := mustRun(t, withFaults(p, 100_000, func(run int) error {
			if run > 200 {
				return broken
			}
			return nil
		}))
		if len(r.Faults) != maxFaults || r.Stopped != "too many faults of the tool" || !strings.Contains(r.Faults[0].Message, "out of order") {
			t.Errorf("%d faults, stopped: %s", len(r.Faults), r.Stopped)
		}
	})
	t.Run("never works", func(t *testing.T) {
		r := mustRun(t, withFaults(p, 100_000, func(int) error { return broken }))
		if len(r.Faults) == 0 || r.Stopped != "no seed could be run" || r.Stats.Paths != 0 {
			t.Errorf("%d faults, stopped: %s", len(r.Faults), r.Stopped)
		}
	})
}

// blind is a judge that runs every call without its data: it confirms nothing.
type blind struct{ evm.Machine }

func (m blind) Run(seq evm.Sequence) (*evm.Execution, error) {
	seq = slices.Clone(seq)
	for i := range seq {
		seq[i].Data = nil
	}
	return m.Machine.Run(seq)
}

// TestNothingIsReportedUnconfirmed: what the judge does not see is a fault, no
// finding and no reached target.
func TestNothingIsReportedUnconfirmed(t *testing.T) {
	p := open(t, "planted/two-steps.sol")
	config := p.config(1, 20_000)
	made := 0
	config.NewMachine = func() (evm.Machine, error) {
		m, err := p.newMachine()
		if made++; made == 1 {
			return blind{m}, err
		}
		return m, err
	}
	r := mustRun(t, config)
	if len(r.Findings) != 0 || r.Targets[0].Reached || r.Targets[0].Entered || r.Targets[0].Sequence != nil || r.Stats.Reached != 0 {
		t.Errorf("%d findings, target %+v", len(r.Findings), r.Targets[0])
	}
	if len(r.Faults) < 2 {
		t.Fatalf("%d faults", len(r.Faults))
	}
	for _, f := range r.Faults {
		if !strings.Contains(f.Message, "not confirmed by go-ethereum") || len(f.Sequence) == 0 {
			t.Errorf("fault %q", f.Message)
		}
	}
}

func TestImpossibleCampaigns(t *testing.T) {
	p := open(t, "planted/two-steps.sol")
	refused := errors.New("no machine")
	for name, change := range map[string]func(*Config){
		"at least one worker": func(c *Config) { c.Workers = 0 },
		"nothing to call":     func(c *Config) { c.Space = &input.Space{} },
		"no machine":          func(c *Config) { c.NewMachine = func() (evm.Machine, error) { return nil, refused } },
		"no machine for the worker": func(c *Config) {
			made := 0
			c.NewMachine = func() (evm.Machine, error) {
				if made++; made > 1 {
					return nil, fmt.Errorf("no machine for the worker: %w", refused)
				}
				return p.newMachine()
			}
		},
	} {
		config := p.config(1, 100)
		change(&config)
		r, err := (&Campaign{Config: config}).Run(context.Background())
		if r != nil || err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEventsAndMarks: who watches hears of every target and finding once, with
// counts that only grow.
func TestEventsAndMarks(t *testing.T) {
	p := open(t, "planted/properties.sol")
	config := p.config(3, 30_000)
	var found []*Finding
	var last Stats
	config.Progress = func(e Event) {
		if e.Found != nil {
			found = append(found, e.Found)
		}
		if e.Stats.Calls < last.Calls || e.Stats.Executions < last.Executions || e.Stats.Paths < last.Paths || e.At.Calls > e.Stats.Calls {
			t.Errorf("after %+v comes %+v at %+v", last, e.Stats, e.At)
		}
		last = e.Stats
	}
	r := mustRun(t, config)
	if !slices.Equal(found, r.Findings) || len(found) != 2 {
		t.Errorf("%d findings were told of, %d are in the result", len(found), len(r.Findings))
	}
	if !slices.IsSortedFunc(r.Entered, bytecode.Location.Compare) || len(slices.Compact(slices.Clone(r.Entered))) != r.Stats.Blocks {
		t.Errorf("%d locations entered, %d blocks", len(r.Entered), r.Stats.Blocks)
	}
	for _, f := range r.Findings {
		if f.First.Calls == 0 || f.First.Calls > r.Stats.Calls || f.Contract != "planted/properties.sol:Properties" || len(f.Path) == 0 {
			t.Errorf("finding %+v", f)
		}
		machine, err := p.newMachine()
		if err != nil {
			t.Fatal(err)
		}
		_, seen, err := Replay(machine, &config, f.Sequence)
		if err != nil || !slices.Contains(seen, Observed{f.Oracle.ID, f.Location, f.Message, len(f.Sequence) - 1}) {
			t.Errorf("the replay shows %+v (%v)", seen, err)
		}
	}
}

// TestChangedState: what makes a prefix worth keeping and properties worth asking.
func TestChangedState(t *testing.T) {
	p := open(t, "units/counter.sol")
	machine, err := p.newMachine()
	if err != nil {
		t.Fatal(err)
	}
	for calls, want := range map[string]bool{
		"user1 Counter.add(uint256) args (3)":                          true,
		"user1 Counter.add(uint256) args (3000)":                       false, // reverts
		"user1 Counter.fail(uint256) args (3)":                         false, // writes, then reverts
		"user1 Counter.count()":                                        false,
		"user1 Counter.add(uint256) args (3); user1 Counter.balance()": false, // the last call counts
	} {
		exec, err := machine.Run(p.space.Encode(parse(t, p.space, calls), nil))
		if err != nil {
			t.Fatal(err)
		}
		if got := changedState(exec); got != want {
			t.Errorf("%s: %v", calls, got)
		}
	}
}

// TestCheckpoint: what a campaign has found is there at any time, and asking for it changes nothing.
func TestCheckpoint(t *testing.T) {
	p := open(t, "units/counter.sol")
	config := p.config(1, 2_000)
	config.Now = frozen
	want := mustRun(t, config)
	news, last := 0, Result{}
	config.Checkpoint = func(e Event, soFar func() *Result) {
		r := soFar()
		if e.Target >= 0 || e.Found != nil {
			news++
		}
		if r.Stats.Executions < last.Stats.Executions || len(r.Suite) < len(last.Suite) || len(r.Entered) < len(last.Entered) || r.Stopped != "" {
			t.Errorf("%+v, after %+v", r.Stats, last.Stats)
		}
		if e.Target >= 0 && !r.Targets[e.Target].Reached {
			t.Errorf("target %d is reached, and is not in the result so far", e.Target)
		}
		last = *r
	}
	got := mustRun(t, config)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
	if news == 0 || len(last.Suite) != len(want.Suite) || last.Stats.Reached != want.Stats.Reached {
		t.Errorf("%d targets or findings; in the end %+v, want %+v", news, last.Stats, want.Stats)
	}
}
