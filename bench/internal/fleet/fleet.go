// Package fleet runs workers of a live exchange and their hub as processes of their own, and does to them what happens to machines: it
// kills, stops and starts them.
package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/shard"
	"github.com/sightline-evm/sightline/report"
)

// clock measures what takes too long.
var clock = time.Now //nolint:forbidigo // measuring time is what this is for

// Programs are the two binaries.
type Programs struct{ Sightline, Hub string }

// version is that of both programs where a release does not set it: plans are of the same one.
const version = "0.1.0-dev"

// Build builds both programs into a folder.
func Build(ctx context.Context, dir string) (Programs, error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator),
		"github.com/sightline-evm/sightline/cmd/sightline", "github.com/sightline-evm/sightline/cmd/sightline-hub")
	if text, err := cmd.CombinedOutput(); err != nil {
		return Programs{}, fmt.Errorf("go build: %w\n%s", err, text)
	}
	return Programs{filepath.Join(dir, "sightline"), filepath.Join(dir, "sightline-hub")}, nil
}

// Plan writes the plan of a campaign on an embedded example.
func Plan(ctx context.Context, example, file string) error {
	flags := pflag.NewFlagSet("plan", pflag.ContinueOnError)
	settings := config.New(flags)
	settings.RegisterCampaign()
	o, err := settings.Resolve()
	if err != nil {
		return err
	}
	o.Change.Example, o.Tool, o.Now, o.Log = example, report.Tool{Name: "sightline", Version: version}, clock, progress.NewLog(io.Discard, clock)
	return pipeline.Plan(ctx, o, file)
}

// process is a program that runs.
type process struct {
	cmd   *exec.Cmd
	out   output
	begun time.Time
	took  time.Duration // once it has ended
	ended chan struct{}
	meant bool // it was killed by us
}

// output keeps the beginning of what a process prints.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.text.Len() < 64<<10 {
		o.text.Write(p)
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func start(program string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(program, args...), begun: clock(), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	p.cmd.Env = append(os.Environ(), "GOMAXPROCS=1") // workers and hub share a machine here
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait()
		p.took = clock().Sub(p.begun)
		close(p.ended)
	}()
	return p, nil
}

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

func (p *process) kill() {
	p.meant = true
	p.signal(syscall.SIGKILL)
	<-p.ended
}

func (p *process) runs() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// memory is the most that a process has had in memory, bytes; 0: it cannot be told.
func (p *process) memory() (peak, now int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		_, _ = fmt.Sscanf(line, "VmHWM: %d kB", &peak)
		_, _ = fmt.Sscanf(line, "VmRSS: %d kB", &now)
	}
	return peak << 10, now << 10
}

// Options of a run of the fleet.
type Options struct {
	Programs
	Plan    string
	Dir     string // of results and the store; it must be empty
	Workers int
	Timeout time.Duration // of each worker's campaign
	// What is done to them, at moments that Rand chooses. At least one worker is left alone.
	Rand        *rand.Rand
	KillWorkers int
	KillHub     bool
	RestartHub  bool
	StopWorker  time.Duration // one is stopped for so long, and continued; 0: none
	StopHub     time.Duration // likewise the hub
	Store       string        // of the hub; empty: a folder in Dir
	MaxBytes    int64         // of the hub; 0: its default
	// Watch is called every second with what the fleet looks like; may be nil.
	Watch func(Sight)
}

// Sight is what a fleet looks like at a moment.
type Sight struct {
	After     time.Duration
	Hub       int64 // bytes in memory
	Workers   []int64
	StoreSize int64 // bytes on disk
}

// Worker is how one ended.
type Worker struct {
	Killed   bool
	Exit     int
	Overrun  time.Duration // beyond its time limit
	End      string        // as its shard.json says; empty: there is none
	Reached  map[int]bool  // targets
	Findings int
	Output   string
}

// Outcome is how a fleet ended.
type Outcome struct {
	Workers []Worker
	HubPeak int64    // the most memory of a hub, bytes
	HubSays string   // what the last hub printed
	Done    []string // what was done to them
}

// Bounds of what is held. A process has ten seconds to end, and a bit on a machine where all of them share a core.
const (
	hang        = 10 * time.Second
	hubMemory   = 256 << 20
	hubPatience = 20 * time.Second
)

// Run runs a fleet to its end. An error is that it could not be run; what went wrong in it is in the outcome.
func Run(ctx context.Context, o Options) (*Outcome, error) {
	f := &fleet{o: o, out: &Outcome{}}
	defer f.clear()
	if err := f.begin(); err != nil {
		return nil, err
	}
	f.disturb(ctx)
	for i, w := range f.workers {
		select {
		case <-w.ended:
		case <-time.After(w.begun.Add(o.Timeout + 3*hang).Sub(clock())):
			f.out.Done = append(f.out.Done, fmt.Sprintf("worker %d hangs", i))
			w.signal(syscall.SIGKILL)
			<-w.ended
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	f.lookAtHub()
	f.out.HubSays = f.hub.out.String()
	for i, w := range f.workers {
		f.out.Workers = append(f.out.Workers, f.outcome(i, w))
	}
	return f.out, nil
}

type fleet struct {
	o       Options
	hub     *process
	address string
	workers []*process
	out     *Outcome
	begun   time.Time
}

// begin starts the hub and the workers.
func (f *fleet) begin() error {
	if f.o.Store == "" {
		f.o.Store = filepath.Join(f.o.Dir, "store")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	f.address = listener.Addr().String()
	if err := listener.Close(); err != nil {
		return err
	}
	if err := f.startHub(); err != nil {
		return err
	}
	f.begun = clock()
	for i := range f.o.Workers {
		w, err := start(f.o.Sightline, "run", "--plan", f.o.Plan, "--shard", fmt.Sprintf("%d/%d", i, f.o.Workers), "--out", f.folder(i), "--workers", "1",
			"--timeout", fmt.Sprintf("%g", f.o.Timeout.Seconds()), "--exchange", "nats://"+f.address)
		if err != nil {
			return err
		}
		f.workers = append(f.workers, w)
	}
	return nil
}

func (f *fleet) folder(i int) string { return filepath.Join(f.o.Dir, fmt.Sprintf("shard-%d", i)) }

func (f *fleet) startHub() (err error) {
	args := []string{"--listen", f.address, "--store", f.o.Store}
	if f.o.MaxBytes > 0 {
		args = append(args, "--max-bytes", fmt.Sprint(f.o.MaxBytes))
	}
	if f.hub, err = start(f.o.Hub, args...); err != nil {
		return err
	}
	for until := clock().Add(hubPatience); !strings.Contains(f.hub.out.String(), "is ready"); time.Sleep(10 * time.Millisecond) {
		if clock().After(until) || !f.hub.runs() {
			return fmt.Errorf("the hub does not get ready: %s", f.hub.out.String())
		}
	}
	return nil
}

// event is what is done at a moment.
type event struct {
	at   time.Duration // since the workers began
	what string
	do   func() error
}

// disturb does to the fleet what was asked for, and watches it until all workers are gone.
func (f *fleet) disturb(ctx context.Context) {
	var events []event
	moment := func() time.Duration { return time.Duration(f.o.Rand.Float64() * float64(f.o.Timeout)) }
	add := func(at time.Duration, what string, do func() error) { events = append(events, event{at, what, do}) }
	var order []int
	if f.o.Rand != nil {
		order = f.o.Rand.Perm(f.o.Workers)
	}
	for _, i := range order[:min(len(order), f.o.KillWorkers, f.o.Workers-1)] {
		add(moment(), fmt.Sprintf("worker %d killed", i), func() error { f.workers[i].kill(); return nil })
	}
	if f.o.KillHub {
		at := moment()
		add(at, "hub killed", func() error { f.lookAtHub(); f.hub.kill(); return nil })
		if f.o.RestartHub {
			add(at+time.Duration(f.o.Rand.Float64()*float64(f.o.Timeout)/2), "hub started again", f.startHub)
		}
	}
	if d := f.o.StopWorker; d > 0 {
		w, at := order[len(order)-1], moment()/2
		add(at, fmt.Sprintf("worker %d stopped", w), func() error { f.workers[w].signal(syscall.SIGSTOP); return nil })
		add(at+d, fmt.Sprintf("worker %d continued", w), func() error { f.workers[w].signal(syscall.SIGCONT); return nil })
	}
	if d := f.o.StopHub; d > 0 {
		at := moment() / 2
		add(at, "hub stopped", func() error { f.hub.signal(syscall.SIGSTOP); return nil })
		add(at+d, "hub continued", func() error { f.hub.signal(syscall.SIGCONT); return nil })
	}
	slices.SortStableFunc(events, func(a, b event) int { return int(a.at - b.at) })
	watch := time.NewTicker(time.Second)
	defer watch.Stop()
	for ctx.Err() == nil && (len(events) > 0 || slices.ContainsFunc(f.workers, (*process).runs)) && clock().Sub(f.begun) < f.o.Timeout+3*hang {
		var next <-chan time.Time
		if len(events) > 0 {
			next = time.After(f.begun.Add(events[0].at).Sub(clock()))
		}
		select {
		case <-next:
			what := events[0].what
			if err := events[0].do(); err != nil {
				what += ": " + err.Error()
			}
			f.out.Done = append(f.out.Done, fmt.Sprintf("%s at %.1f s", what, clock().Sub(f.begun).Seconds()))
			events = events[1:]
		case <-watch.C:
			f.lookAtHub()
			f.show()
		case <-ctx.Done():
		}
	}
}

// lookAtHub notes the memory of the hub that runs.
func (f *fleet) lookAtHub() {
	peak, _ := f.hub.memory()
	f.out.HubPeak = max(f.out.HubPeak, peak)
}

// show tells who watches.
func (f *fleet) show() {
	if f.o.Watch == nil {
		return
	}
	s := Sight{After: clock().Sub(f.begun)}
	_, s.Hub = f.hub.memory()
	for _, w := range f.workers {
		_, now := w.memory()
		s.Workers = append(s.Workers, now)
	}
	_ = filepath.WalkDir(f.o.Store, func(_ string, e os.DirEntry, err error) error {
		if info, infoErr := e.Info(); err == nil && infoErr == nil && info.Mode().IsRegular() {
			s.StoreSize += info.Size()
		}
		return nil
	})
	f.o.Watch(s)
}

// outcome is how a worker ended.
func (f *fleet) outcome(i int, w *process) Worker {
	out := Worker{Killed: w.meant, Exit: w.cmd.ProcessState.ExitCode(), Overrun: w.took - f.o.Timeout, Reached: map[int]bool{}, Output: w.out.String()}
	var file struct {
		End      string
		Status   []struct{ Is string }
		Findings []json.RawMessage
	}
	text, err := os.ReadFile(filepath.Join(f.folder(i), shard.File))
	if err != nil || json.Unmarshal(text, &file) != nil {
		return out
	}
	out.End, out.Findings = file.End, len(file.Findings)
	for target, status := range file.Status {
		if status.Is == "reached" {
			out.Reached[target] = true
		}
	}
	return out
}

// clear ends what is left.
func (f *fleet) clear() {
	for _, p := range append(slices.Clone(f.workers), f.hub) {
		if p != nil && p.runs() {
			p.kill()
		}
	}
}

// Check reports what is wrong with an outcome: a worker that was left alone did not come to its end in time, a killed one left something that
// cannot be read, or the hub took too much memory. extra is how long workers may take beyond their limit for what was done to them.
func (o *Outcome) Check(extra time.Duration) error {
	var errs []error
	for i := range o.Workers {
		w := &o.Workers[i]
		switch {
		case w.Killed:
			continue
		case w.Exit != 0 || w.End != shard.Done:
			errs = append(errs, fmt.Errorf("worker %d ended with %d, its shard is %q: %s", i, w.Exit, w.End, w.Output))
		case w.Overrun > hang+extra:
			errs = append(errs, fmt.Errorf("worker %d took %s beyond its limit", i, w.Overrun))
		}
	}
	if o.HubPeak > hubMemory {
		errs = append(errs, fmt.Errorf("the hub had %d MB in memory", o.HubPeak>>20))
	}
	return errors.Join(errs...)
}

// Union is how many targets some worker reached, and Least how many the worker that was left alone with the fewest did.
func (o *Outcome) Union() (union, least int) {
	all := map[int]bool{}
	least = -1
	for i := range o.Workers {
		w := &o.Workers[i]
		for target := range w.Reached {
			all[target] = true
		}
		if !w.Killed && (least < 0 || len(w.Reached) < least) {
			least = len(w.Reached)
		}
	}
	return len(all), least
}

// Exchanged is what a worker says of what it exchanged; empty: nothing.
func (w *Worker) Exchanged() string {
	for line := range strings.Lines(w.Output) {
		if text, is := strings.CutPrefix(line, "hub     "); is && strings.Contains(text, " sent, ") {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// Received is how many inputs of others it ran, as it says.
func (w *Worker) Received() int {
	_, text, _ := strings.Cut(w.Exchanged(), " sent, ")
	text, _, _ = strings.Cut(text, " ")
	n, _ := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	return n
}
