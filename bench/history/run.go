package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/report"
)

// overtime is how long a run may take beyond its campaign: builds, the base, comparisons.
// Arbitrary; the largest projects compile for minutes.
const overtime = 15 * time.Minute

// attempt is one run of the program.
type attempt struct {
	Code    int     `json:"code"`
	Seconds float64 `json:"seconds"` // from the start of the process to its end
	// FirstCall is when the campaign began, seconds from the start of the process; 0: it did not.
	FirstCall float64 `json:"firstCall,omitempty"`
	// Compiling is for how much of that forge or a compiler ran.
	Compiling float64        `json:"compiling,omitempty"`
	Memory    float64        `json:"memory"`         // most of the process and its children at once, bytes
	Own       float64        `json:"own"`            // most of the process itself, bytes
	Said      string         `json:"said,omitempty"` // the end of what it printed; empty if it wrote a report
	Report    *report.Report `json:"-"`
}

// fuzz runs the program in a work tree on what differs from base, without settings. If
// untilFirstCall is set, it ends there.
func fuzz(ctx context.Context, tool *harness.Tool, tree, base, out string, seconds float64, seed uint64, untilFirstCall bool) (*attempt, error) {
	limit := time.Duration(seconds*float64(time.Second)) + overtime
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := tool.Command(ctx, "run", "--base", base, "--out", out, "--offline", "--workers", "1",
		"--timeout", strconv.FormatFloat(seconds, 'f', 3, 64), "--seed", strconv.FormatUint(seed, 10))
	cmd.Dir = tree
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second // after that, it is killed; arbitrary
	file, err := os.Create(out + ".log")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var said bytes.Buffer
	log := io.MultiWriter(&said, file)
	a := &attempt{}
	var processes *harness.Tree
	start := time.Now() //nolint:forbidigo // measuring time is what this is for
	printed := &lines{each: func(line string) {
		since := time.Since(start).Seconds() //nolint:forbidigo // as above
		fmt.Fprintf(log, "%7.2f %s\n", since, line)
		if strings.HasPrefix(line, "fuzz ") && a.FirstCall == 0 {
			a.FirstCall, a.Compiling = since, processes.Others().Seconds()
			if untilFirstCall {
				cancel()
			}
		}
	}}
	cmd.Stdout, cmd.Stderr = printed, printed // one writer: never called twice at once
	ready := make(chan struct{})
	printed.ready = ready
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	processes = harness.WatchTree(cmd.Process.Pid, "git", "sightline")
	stop := harness.WatchMemory(cmd.Process.Pid)
	close(ready)
	err = cmd.Wait()
	a.Seconds = time.Since(start).Seconds() //nolint:forbidigo // as above
	processes.Stop()
	a.Memory, a.Own = processes.Memory(), stop()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return nil, err
	}
	a.Code = cmd.ProcessState.ExitCode()
	if untilFirstCall && a.FirstCall > 0 {
		return a, nil
	}
	text, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		a.Said = end(said.Bytes())
		if ctx.Err() != nil {
			a.Said = fmt.Sprintf("ended after %v; %s", limit, a.Said)
		}
		return a, nil
	}
	a.Report = &report.Report{}
	return a, json.Unmarshal(text, a.Report)
}

// lines is a writer that hands on each line, without its end.
type lines struct {
	each  func(string)
	ready <-chan struct{} // closed when it may
	rest  []byte
}

// Write implements [io.Writer].
func (l *lines) Write(text []byte) (int, error) {
	<-l.ready
	l.rest = append(l.rest, text...)
	for {
		line, rest, found := bytes.Cut(l.rest, []byte("\n"))
		if !found {
			return len(text), nil
		}
		l.each(string(line))
		l.rest = rest
	}
}

// end is the end of a text, for a message.
func end(text []byte) string {
	const most = 1000 // bytes; some lines
	return strings.ToValidUTF8(strings.TrimSpace(string(text[max(0, len(text)-most):])), "?")
}
