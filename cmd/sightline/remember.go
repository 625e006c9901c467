package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// memory is what runs on one pull request keep for the next: the findings, so
// that a rerun cannot lose one and tells which are fixed.
type memory struct {
	Version  int        `json:"version"`
	Findings []recalled `json:"findings"`

	path string
	head string // what people call this run's head: the commit that was pushed
}

// recalled is a finding of an earlier run.
type recalled struct {
	ID       string   `json:"id"`
	Oracle   string   `json:"oracle"`
	Contract string   `json:"contract"`
	Function string   `json:"function"`
	Title    string   `json:"title"`
	Since    string   `json:"since"`    // head of the first run that saw it
	Sequence []string `json:"sequence"` // the text form's lines

	parsed input.Sequence // in the campaign's Space; nil when its calls do not fit
	reason string         // why not
}

const (
	memoryVersion = 1
	// Bounds of the file, which a cache may give back as anybody's: arbitrary, and far
	// more than the findings of one change.
	maxMemory   = 1 << 20
	maxRecalled = 200
)

// readMemory reads what an earlier run kept; nil where no file is named. A file
// that is not there is the first run's; one that cannot be read is said to be so,
// and the run begins anew.
func readMemory(path, head string, r *report.Report) *memory {
	if path == "" {
		return nil
	}
	m := &memory{Version: memoryVersion, path: path, head: head}
	data, err := files.ReadBounded(path, maxMemory)
	if errors.Is(err, fs.ErrNotExist) {
		return m
	}
	if err == nil {
		err = json.Unmarshal(data, m)
	}
	switch {
	case err != nil:
	case m.Version != memoryVersion:
		err = fmt.Errorf("it has format version %d, this program reads version %d", m.Version, memoryVersion)
	case len(m.Findings) > maxRecalled:
		err = fmt.Errorf("it has %d findings, at most %d are read", len(m.Findings), maxRecalled)
	default:
		return m
	}
	r.Warnings = append(r.Warnings, fmt.Sprintf("findings of earlier runs are not known: %s cannot be read: %v", path, files.Plain(err)))
	return &memory{Version: memoryVersion, path: path, head: head}
}

// recalled are the findings of earlier runs; none without a memory.
func (m *memory) recalled() []recalled {
	if m == nil {
		return nil
	}
	return m.Findings
}

// leave says what a run without a campaign did not try.
func (m *memory) leave(r *report.Report) {
	for _, f := range m.recalled() {
		r.Warnings = append(r.Warnings, f.ID+" of an earlier run was not tried: there is nothing to fuzz")
	}
}

// recall makes the sequences of earlier findings the campaign's first inputs.
func (c *campaign) recall(m *memory) {
	for i := range m.recalled() {
		f := &m.Findings[i]
		seq, err := input.Parse(c.space, strings.Join(f.Sequence, "\n")+"\n")
		if err != nil || len(seq) == 0 {
			f.reason = fmt.Sprint(err)
			continue
		}
		f.parsed = seq
		c.recalled = append(c.recalled, seq)
	}
}

// compareWithMemory marks the findings that earlier runs have seen, and lists those
// that do not happen any more. What could not be tried stays in the memory.
func (a *assembler) compareWithMemory(m *memory) {
	var untried []recalled
	for _, f := range m.recalled() {
		at := slices.IndexFunc(a.report.Findings, func(g report.Finding) bool { return g.ID == f.ID })
		switch {
		case at >= 0:
			a.report.Findings[at].Since = f.Since
		case f.parsed == nil:
			a.report.Warnings = append(a.report.Warnings, fmt.Sprintf("%s of an earlier run was not tried: its calls do not fit any more: %s", f.ID, f.reason))
			untried = append(untried, f)
		case a.stillBreaks(&f):
			untried = append(untried, f) // in another place, and found there
		default:
			a.report.Fixed = append(a.report.Fixed, report.Fixed{ID: f.ID, Oracle: f.Oracle, Title: f.Title, Contract: f.Contract, Function: f.Function, Since: f.Since, In: m.head})
		}
	}
	if m != nil {
		m.Findings = untried
	}
}

// stillBreaks replays an earlier finding: its oracle still sees something in its
// contract.
func (a *assembler) stillBreaks(f *recalled) bool {
	_, observed, err := fuzzer.Replay(a.machine, &fuzzer.Config{Space: a.space, Oracles: oracle.All()}, f.parsed)
	return err != nil || slices.ContainsFunc(observed, func(o fuzzer.Observed) bool {
		p := a.table.Program(o.Location.Code)
		return o.Oracle == f.Oracle && p != nil && p.Contract != nil && p.Contract.QualifiedName() == f.Contract
	})
}

// write keeps a report's findings for the next run, and what is left of earlier
// ones. The report holds only what may be told. That it fails is a warning.
func (m *memory) write(r *report.Report, reproducers map[string]*replay.Reproducer) {
	if m == nil {
		return
	}
	for _, f := range r.Findings {
		reproducer := reproducers[f.Reproducer]
		if reproducer == nil || len(m.Findings) == maxRecalled {
			continue
		}
		since := f.Since
		if since == "" {
			since = m.head
		}
		m.Findings = append(m.Findings, recalled{ID: f.ID, Oracle: f.Oracle, Contract: f.Location.Contract, Function: f.Function, Title: f.Title, Since: since, Sequence: reproducer.Sequence})
	}
	if err := m.save(); err != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the findings could not be kept for the next run: %v", err))
	}
}

func (m *memory) save() error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(m.path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(m.path, append(data, '\n'), 0o600)
}
