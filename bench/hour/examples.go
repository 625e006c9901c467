package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/report"
)

// outFolder is where a run's files are.
const outFolder = "sightline-out"

func (h *hour) clone() string { return filepath.Join(h.folder, "sightline") }

// start clones the repository, and installs the program. Without it nothing else works.
func (h *hour) start(ctx context.Context) error {
	t := h.terminal
	for _, c := range []struct{ shown, command string }{
		{"git clone", "git clone --quiet " + strconv.Quote(h.run.Root) + " " + strconv.Quote(h.clone())},
		{"", "cd " + strconv.Quote(h.clone())},
	} {
		if err := h.step(ctx, t, partStart, c.shown, c.command); err != nil {
			return err
		}
	}
	if chosen(partReadme) {
		return nil // the demo is compiled first: see readme
	}
	return h.install(ctx)
}

// install stands for the README's go install, which takes the published version.
func (h *hour) install(ctx context.Context) error {
	h.terminal.folder = h.clone()
	return h.step(ctx, h.terminal, partStart, "go install", "go install ./cmd/sightline")
}

// readme does what the README's first section says.
func (h *hour) readme(ctx context.Context) error {
	commands, err := h.commands(partReadme, "README.md", "Try it")
	if err != nil {
		return h.install(ctx) // the fault is in the record
	}
	h.terminal.folder = h.clone()
	for _, command := range commands {
		if h.step(ctx, h.terminal, partReadme, command, command) != nil {
			break // what follows needs what this makes
		}
	}
	return h.install(ctx)
}

// example does what the README of an example project says.
func (h *hour) example(ctx context.Context, part, name string) {
	commands, err := h.commands(part, "examples/"+name+"/README.md", "")
	if err != nil {
		return
	}
	h.terminal.folder = filepath.Join(h.clone(), "examples", name)
	for _, command := range commands {
		if command == "sightline run" {
			command += " --timeout " + strconv.FormatFloat(h.run.Seconds, 'f', -1, 64)
		}
		if h.step(ctx, h.terminal, part, command, command) != nil {
			return
		}
	}
}

// commands reads those of a page of the clone.
func (h *hour) commands(part, page, heading string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(h.clone(), filepath.FromSlash(page)))
	if err != nil {
		return nil, h.record.step(part, page, 0, "", err)
	}
	commands, err := commandsOf(string(text), heading)
	if err != nil {
		return nil, h.record.step(part, page, 0, "", fmt.Errorf("%s: %w", page, err))
	}
	return commands, nil
}

// step runs one command and records it under a name; nothing is recorded without one.
func (h *hour) step(ctx context.Context, t *terminal, part, name, command string) error {
	if name != "" {
		h.run.Logf("%s: %s", part, name)
	}
	campaign := fuzzes(command)
	if campaign {
		if err := os.RemoveAll(filepath.Join(t.folder, outFolder)); err != nil {
			return err
		}
	}
	seconds, code, out, err := t.do(ctx, command)
	note := ""
	switch {
	case err != nil:
	case campaign && slices.Contains([]int{exit.Pass, exit.Fail}, code):
		note, err = outcome(filepath.Join(t.folder, outFolder))
		if err != nil {
			err = fmt.Errorf("%w: %s", err, lastLines(out))
		}
	case code != exit.Pass:
		err = fmt.Errorf("exit code %d: %s", code, lastLines(out))
	}
	if name == "" {
		return err
	}
	h.run.Logf("  %s s", harness.Number(seconds))
	return h.record.step(part, name, seconds, note, err)
}

// fuzzes reports whether a command is one that leaves a report.
func fuzzes(command string) bool {
	return strings.Contains(command+" ", "sightline demo ") || strings.Contains(command+" ", "sightline run ")
}

// outcome sums up the report of a run. A run that could not fuzz is an error.
func outcome(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err != nil {
		return "", err
	}
	r, err := report.Read(text)
	if err != nil {
		return "", err
	}
	if r.Verdict != report.Pass && r.Verdict != report.Fail {
		return "", fmt.Errorf("the verdict is %s: %s", r.Verdict, r.Reason)
	}
	return sum(r), nil
}

// sum is a report in a table's cell.
func sum(r *report.Report) string {
	reached, code := 0, 0
	for _, l := range r.Lines {
		if l.Status != report.NoBytecode {
			code++
		}
		if l.Status == report.Reached {
			reached++
		}
	}
	return fmt.Sprintf("%s, %d of %d lines reached", r.Verdict, reached, code)
}

// lastLines is the end of what a command printed, for a message.
func lastLines(out string) string {
	const most = 400 // bytes; a few lines
	out = strings.TrimSpace(out)
	if len(out) > most {
		out = "…" + out[len(out)-most:]
	}
	return strings.ToValidUTF8(strings.Join(strings.Fields(out), " "), "")
}
