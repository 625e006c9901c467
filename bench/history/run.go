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
	Said      string         `json:"said,omitempty"` // the end of what it printed, where there is no report
	Report    *report.Report `json:"-"`
}

// fuzz runs the program in a work tree on what differs from base, without settings. If
// untilFirstCall is set, it ends there.
func fuzz(ctx context.Context, tool *harness.Tool, tree, base, out string, seconds float64, seed uint64, untilFirstCall bool) (*attempt, error) {
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	limit := time.Duration(seconds*float64(time.Second)) + overtime
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := tool.Command(ctx, "run", "--base", base, "--out", out, "--offline", "--workers", "1",
		"--timeout", strconv.FormatFloat(seconds, 'f', 3, 64), "--seed", strconv.FormatUint(seed, 10))
	cmd.Dir = tree
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second // after that, it is killed; arbitrary
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	start := time.Now() //nolint:forbidigo // measuring time is what this is for
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	processes, stop := harness.WatchTree(cmd.Process.Pid, "git", "sightline"), harness.WatchMemory(cmd.Process.Pid)
	a := &attempt{}
	var log bytes.Buffer
	lines := bufio.NewReader(pipe)
	for {
		line, err := lines.ReadString('\n')
		since := time.Since(start).Seconds() //nolint:forbidigo // as above
		fmt.Fprintf(&log, "%7.2f %s", since, line)
		if strings.HasPrefix(line, "fuzz ") && a.FirstCall == 0 {
			a.FirstCall, a.Compiling = since, processes.Others().Seconds()
			if untilFirstCall {
				cancel()
			}
		}
		if errors.Is(err, io.EOF) || err != nil {
			break
		}
	}
	err = cmd.Wait()
	a.Seconds = time.Since(start).Seconds() //nolint:forbidigo // as above
	processes.Stop()
	a.Memory, a.Own = processes.Memory(), stop()
	if err := os.WriteFile(out+".log", append(log.Bytes(), stderr.Bytes()...), 0o600); err != nil {
		return nil, err
	}
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
		a.Said = end(append(log.Bytes(), stderr.Bytes()...))
		if ctx.Err() != nil {
			a.Said = fmt.Sprintf("ended after %v; %s", limit, a.Said)
		}
		return a, nil
	}
	a.Report = &report.Report{}
	return a, json.Unmarshal(text, a.Report)
}

// end is the end of a text, for a message.
func end(text []byte) string {
	const most = 1000 // bytes; some lines
	return strings.ToValidUTF8(strings.TrimSpace(string(text[max(0, len(text)-most):])), "?")
}
