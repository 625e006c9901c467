package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/exchange"
	"github.com/sightline-evm/sightline/internal/hub"
)

// The curve of processes: workers as they are in the product, each a process of its own, connected through a hub on
// this machine. What counts is time.

// ready is what a worker says once its contracts are deployed; it begins when it is given a line.
const ready = "ready"

// alone is a worker's hub when it has none.
const alone = "none"

// processes races one worker against two, in turns.
func processes(ctx context.Context, run *harness.Run, goals []*goal) (harness.Table, map[string]float64, error) {
	table := harness.Table{
		Title:   "two processes and a hub, in seconds",
		Columns: []string{"target", "k", "runs", "one worker", "two workers", "faster", "executions of one", "of two, each", "missed", "test"},
		Notes: []string{"Medians of seconds from the start to the first worker that is there, on one machine whose cores the two workers, the hub and other programs share. " +
			"Executions are those of the worker that was the first."},
	}
	summary := map[string]float64{}
	var ratios []float64
	for _, g := range goals {
		var seconds, executions [3][]float64
		misses := 0
		for round := range run.Runs {
			for i := range 2 {
				n := 1 + (round+i)%2 // who is first changes
				s, err := together(ctx, run, g, n, seedOf(run.Seed, n, round))
				if err != nil {
					return table, nil, fmt.Errorf("%s, %d processes: %w", g.name, n, err)
				}
				run.Logf("%s, %d processes, run %d of %d: %s", g.name, n, round+1, run.Runs, s)
				seconds[n], executions[n] = append(seconds[n], s.Seconds), append(executions[n], float64(s.Executions))
				misses += missed(*s)
			}
		}
		test := harness.Compare(seconds[1], seconds[2])
		ratios = append(ratios, test.Ratio)
		table.Add(g.name, g.depth(), fmt.Sprint(run.Runs), harness.Summarize(seconds[1]).String(), harness.Summarize(seconds[2]).String(), harness.Number(test.Ratio),
			harness.Number(harness.Median(executions[1])), harness.Number(harness.Median(executions[2])), fmt.Sprint(misses), test.String())
	}
	summary["processes2"] = harness.Median(ratios)
	return table, summary, nil
}

// together runs n workers until the first has reached the target, or has missed it.
func together(ctx context.Context, run *harness.Run, g *goal, n int, seed uint64) (*timetotarget.Sample, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	address := alone
	if n > 1 {
		store, err := os.MkdirTemp("", "sightline-scale-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(store)
		h, err := hub.Start(ctx, hub.Options{Listen: "127.0.0.1:0", Store: store})
		if err != nil {
			return nil, err
		}
		defer h.Stop()
		address = h.URL()
	}
	var workers []*process
	defer func() {
		stop()
		for _, w := range workers {
			<-w.ended
		}
	}()
	for i := range n {
		w, err := startWorker(ctx, run, g, address, memberSeed(seed, i))
		if err != nil {
			return nil, err
		}
		workers = append(workers, w)
		if err := w.isReady(); err != nil { // one after the other: both build in the same folder
			return nil, err
		}
		go io.Copy(run.Log, w.says) //nolint:errcheck // for people
	}
	first := make(chan process, n)
	for _, w := range workers {
		if _, err := io.WriteString(w.in, "go\n"); err != nil {
			return nil, err
		}
		go func() {
			<-w.ended
			first <- *w
		}()
	}
	var missedBy *timetotarget.Sample
	for range workers {
		w := <-first
		if w.err != nil {
			return nil, w.err
		}
		if w.sample.Reached {
			return &w.sample, nil
		}
		missedBy = &w.sample
	}
	return missedBy, nil
}

// process is a worker.
type process struct {
	in     io.WriteCloser
	says   *bufio.Reader
	ended  chan struct{}
	sample timetotarget.Sample
	err    error
}

// startWorker starts this program again, as a worker.
func startWorker(ctx context.Context, run *harness.Run, g *goal, address string, seed uint64) (*process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, "-json", "-worker", address, "-only", g.name, "-seed", strconv.FormatUint(run.Seed, 10), "-campaign-seed", strconv.FormatUint(seed, 10),
		"-milestones", options.milestones, "-machines", strconv.Itoa(options.machines), "-odds", strconv.FormatUint(options.odds, 10),
		"-bracket", strconv.FormatUint(options.bracket, 10), "-limit", strconv.FormatUint(options.limit, 10))
	cmd.Dir = run.Root
	p := &process{ended: make(chan struct{})}
	var out bytes.Buffer
	cmd.Stdout = &out
	reading, writing, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer writing.Close()
	cmd.Stderr = writing
	p.says = bufio.NewReader(reading)
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.ended)
		defer reading.Close()
		if p.err = cmd.Wait(); p.err != nil {
			return
		}
		p.sample, p.err = readWorker(out.Bytes())
	}()
	return p, nil
}

// isReady waits until the worker says so.
func (p *process) isReady() error {
	said := ""
	for {
		line, err := p.says.ReadString('\n')
		if strings.TrimSpace(line) == ready {
			return nil
		}
		said += line
		if err != nil {
			return fmt.Errorf("a worker ended before it began: %s", strings.TrimSpace(said))
		}
	}
}

// readWorker reads what a worker printed.
func readWorker(text []byte) (timetotarget.Sample, error) {
	var r harness.Result
	if err := json.Unmarshal(text, &r); err != nil {
		return timetotarget.Sample{}, fmt.Errorf("a worker printed something else than its result: %w", err)
	}
	return timetotarget.Sample{Reached: r.Summary["reached"] > 0, Executions: uint64(r.Summary["executions"]), Seconds: r.Summary["seconds"]}, nil
}

// work is what a worker does: one campaign toward the only goal, connected with a hub.
func work(ctx context.Context, run *harness.Run, goals []*goal) (*harness.Result, error) {
	i := slices.IndexFunc(goals, func(g *goal) bool { return g.name == options.only })
	if i < 0 {
		return nil, fmt.Errorf("-worker: -only %s names none of the targets", options.only)
	}
	g := goals[i]
	config := g.Subject.Config(fuzzer.Lookahead, fuzzer.Techniques{}, options.campaignSeed, run.Now)
	config.Targets = g.targets
	if options.worker != alone {
		live, err := exchange.Dial(ctx, exchange.Options{Link: exchange.Link{URL: options.worker}, Campaign: campaignName, Space: g.Subject.Space, Say: func(text string) { run.Logf("%s", text) }})
		if err != nil {
			return nil, err
		}
		defer live.Close()
		config.Exchange = live
	}
	run.Logf(ready)
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return nil, errors.New("-worker: nothing said when to begin")
	}
	s, err := timetotarget.Run(ctx, g.Goal, config)
	if err != nil {
		return nil, err
	}
	summary := map[string]float64{"executions": float64(s.Executions), "seconds": s.Seconds, "reached": 0}
	if s.Reached {
		summary["reached"] = 1
	}
	return &harness.Result{Summary: summary}, nil
}

// campaignName is that of the campaign on the hub, which has no other.
const campaignName = "scale"
