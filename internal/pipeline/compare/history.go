package compare

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// History is what runs on one pull request keep for the next: the findings, so that a
// rerun cannot lose one and reports which are fixed.
type History struct {
	Version  int    `json:"version"`
	Findings []kept `json:"findings"`

	path string
	head string // what people call this run's head: the commit that was pushed
}

// kept is a finding of an earlier run.
type kept struct {
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
	historyVersion = 1
	// Bounds of the file, which comes from a cache that others may have written: arbitrary,
	// and far more than the findings of one change.
	maxHistory = 1 << 20
	maxKept    = 200
)

// ReadHistory reads what earlier runs kept in a file; nil where none is named. head is
// what people call this run's head. The first run finds no file; a file that cannot be read
// causes a warning and an empty history.
func ReadHistory(path, head string, log *progress.Log) *History {
	if path == "" {
		return nil
	}
	h := &History{Version: historyVersion, path: path, head: head}
	data, err := readHistory(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h
	}
	if err == nil {
		err = json.Unmarshal(data, h)
	}
	switch {
	case err != nil: // said below
	case h.Version != historyVersion:
		err = fmt.Errorf("it has format version %d; this program reads version %d", h.Version, historyVersion)
	case len(h.Findings) > maxKept:
		err = fmt.Errorf("it has %d findings; the limit is %d", len(h.Findings), maxKept)
	default:
		n := len(h.Findings)
		h.Findings = slices.DeleteFunc(h.Findings, func(f kept) bool { return !f.isOurs() })
		if n -= len(h.Findings); n > 0 {
			log.Warn("%s of earlier runs left out: not as Sightline writes them to %s", human.Plural(n, "finding"), path)
		}
		for i := range h.Findings {
			h.Findings[i].reword()
		}
		return h
	}
	log.Warn("findings of earlier runs were not loaded: %s cannot be read: %v", path, files.Plain(err))
	return &History{Version: historyVersion, path: path, head: head}
}

// The file comes from a cache that the author of a pull request may have written, and the
// comment shows what it says. So it may hold no words: an id, a contract and a function have
// no spaces, and what is a sentence is written anew.
var (
	keptID   = regexp.MustCompile(`^SL-[0-9a-f]+$`)
	keptName = regexp.MustCompile(`^[^\s<>\[\]|]+$`)
	keptHead = regexp.MustCompile(`^([0-9a-f]{7,64}|working tree|sources)$`) // a commit, or what is not committed
)

// maxName bounds an id and a name, bytes: a function's with its parameters is the longest. Arbitrary.
const maxName = 300

// isOurs reports whether a finding is one that Sightline may have kept.
func (f *kept) isOurs() bool {
	is := func(text string, what *regexp.Regexp) bool { return len(text) <= maxName && what.MatchString(text) }
	return is(f.ID, keptID) && f.oracle() != nil && is(f.Contract, keptName) && (f.Function == "" || is(f.Function, keptName))
}

// reword replaces sentences by our own.
func (f *kept) reword() {
	f.Title = f.oracle().Title
	if !keptHead.MatchString(f.Since) {
		f.Since = "an earlier run"
	}
}

// oracle is what saw the finding; nil if it is not one of ours.
func (f *kept) oracle() *oracle.Oracle {
	for _, o := range append(oracle.Known(), oracle.Compared()...) {
		if o.ID == f.Oracle {
			return o
		}
	}
	return nil
}

// findings are those of earlier runs; none without a history.
func (h *History) findings() []kept {
	if h == nil {
		return nil
	}
	return h.Findings
}

// LeaveUntried warns of the findings that a run without a campaign did not try.
func (h *History) LeaveUntried(log *progress.Log) {
	for _, f := range h.findings() {
		log.Warn("%s of an earlier run was not tried: there is nothing to fuzz", f.ID)
	}
}

// Seeds are the sequences of earlier findings, as far as they fit: a campaign's first
// inputs.
func (h *History) Seeds(space *input.Space) []input.Sequence {
	var seeds []input.Sequence
	for i := range h.findings() {
		f := &h.Findings[i]
		seq, err := input.Parse(space, strings.Join(f.Sequence, "\n")+"\n")
		if err != nil || len(seq) == 0 {
			f.reason = fmt.Sprint(err)
			continue
		}
		f.parsed = seq
		seeds = append(seeds, seq)
	}
	return seeds
}

// Compare marks the findings of a report that earlier runs have seen, and lists those that
// no longer happen on the head. Findings that could not be tried stay in the history.
func (h *History) Compare(r *report.Report, head *deploy.Deployment, judge evm.Machine, log *progress.Log) {
	var untried []kept
	for _, f := range h.findings() {
		at := slices.IndexFunc(r.Findings, func(g report.Finding) bool { return g.ID == f.ID })
		switch {
		case at >= 0:
			r.Findings[at].Since = f.Since
		case f.parsed == nil:
			log.Warn("%s of an earlier run was not tried: its calls no longer fit: %s", f.ID, f.reason)
			untried = append(untried, f)
		case f.stillBreaks(head, judge):
			untried = append(untried, f) // in another place, where it has another id
		default:
			r.Fixed = append(r.Fixed, report.Fixed{ID: f.ID, Oracle: f.Oracle, Title: f.Title, Contract: f.Contract, Function: f.Function, Since: f.Since, In: h.head})
		}
	}
	if h != nil {
		h.Findings = untried
	}
}

// stillBreaks replays an earlier finding, and reports whether its oracle still sees a
// failure in its contract.
func (f *kept) stillBreaks(head *deploy.Deployment, judge evm.Machine) bool {
	_, observed, err := fuzzer.Replay(judge, Judging(head), f.parsed)
	return err != nil || seenIn(f.Contract, f.Oracle, observed, &head.Build)
}

// Write keeps a report's findings for the next run, and those left of earlier runs;
// sequence has the text of a reproducer by its path. The report holds only what may be
// disclosed. Failing to write is a warning.
func (h *History) Write(r *report.Report, sequence func(reproducer string) ([]string, bool), log *progress.Log) {
	if h == nil {
		return
	}
	for _, f := range r.Findings {
		text, ok := sequence(f.Reproducer)
		if !ok || len(h.Findings) == maxKept {
			continue
		}
		h.Findings = append(h.Findings, kept{ID: f.ID, Oracle: f.Oracle, Contract: f.Location.Contract, Function: f.Function, Title: f.Title, Since: cmp.Or(f.Since, h.head), Sequence: text})
	}
	if err := h.save(); err != nil {
		log.Warn("the findings could not be saved for the next run: %v", err)
	}
}

// readHistory reads the file, which no symbolic link may be or lead to.
func readHistory(path string) ([]byte, error) {
	folder, err := files.OpenFolder(filepath.Dir(path), false)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return files.ReadIn(folder, filepath.Base(path), maxHistory)
}

func (h *History) save() error {
	data, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return err
	}
	folder, err := files.OpenFolder(filepath.Dir(h.path), true)
	if err != nil {
		return err
	}
	defer folder.Close()
	// For every user: a later step saves it, and the action's container is another one.
	return atomicfile.WriteIn(folder, filepath.Base(h.path), append(data, '\n'))
}
