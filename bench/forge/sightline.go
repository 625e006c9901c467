package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/report"
)

// ours runs the sightline binary on one side of an example, as it ships, or on a published contract.
type ours struct {
	run       *harness.Run
	tool      *harness.Tool
	published map[string][]string // arguments, by the contract
}

// args are the arguments for an example's side: the head with the pull request's
// diff, the base as if all of it were new.
func (o *ours) args(example, side string) ([]string, error) {
	if args := o.published[example]; args != nil {
		return append([]string{"run", "--workers", "1", "--fail-on", "none"}, args...), nil
	}
	folder := filepath.Join(o.run.Root, "examples", example)
	diff := filepath.Join(folder, "pr.diff")
	if side == "base" {
		text, err := harness.AddEverything(filepath.Join(folder, side), "src")
		if err != nil {
			return nil, err
		}
		diff = filepath.Join(o.run.Cache, "forge", example+"-base.diff")
		if err := os.WriteFile(diff, text, 0o600); err != nil {
			return nil, err
		}
	}
	return []string{"run", "--root", filepath.Join(folder, side), "--diff", diff,
		"--build", filepath.Join(folder, "build", side+".output.json"), "--workers", "1", "--fail-on", "none"}, nil
}

// fuzz runs one campaign with one worker on one processor. With untilBroken it
// ends with the first assert that fails.
func (o *ours) fuzz(ctx context.Context, example, side string, seqLen int, untilBroken bool, limit time.Duration, seed uint64) (*forge.TestRun, error) {
	args, err := o.args(example, side)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(o.run.Cache, "forge", "out")
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	args = append(args, "--out", out, "--seq-len", strconv.Itoa(seqLen), "--seed", strconv.FormatUint(seed, 10),
		"--timeout", strconv.FormatFloat(limit.Seconds(), 'f', 3, 64))
	cmd := o.tool.Command(ctx, args...)
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
	if err := o.watch(cmd, untilBroken); err != nil {
		return nil, fmt.Errorf("%s, %s: %w", example, side, err)
	}
	text, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		return nil, err
	}
	var r report.Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	result := &forge.TestRun{Calls: float64(r.Stats.Calls), Seconds: r.Stats.Seconds}
	for _, f := range r.Findings {
		if f.Oracle == assertion && (!result.Broken || f.Seconds < result.Seconds) {
			result.Broken, result.Seconds = true, f.Seconds
		}
	}
	return result, nil
}

// assertion is the oracle that sees what the examples' pull requests break.
const assertion = "assertion"

// watch runs the program and interrupts it, as a person would, at the first
// finding of a failed assert. The report is written all the same.
func (o *ours) watch(cmd *exec.Cmd, untilBroken bool) error {
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if untilBroken && strings.Contains(lines.Text(), " FOUND ") && strings.Contains(lines.Text(), " "+assertion+": ") {
			untilBroken = false // once
			if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
				return err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	err = cmd.Wait()
	var ended *exec.ExitError
	if errors.As(err, &ended) && (ended.ExitCode() == exit.Fail || ended.ExitCode() == exit.Canceled) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sightline: %w: %s", err, stderr.String())
	}
	return nil
}
