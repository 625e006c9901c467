package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// This file verifies a run that is handed on in one file: that nothing in it was
// changed, and that what its report says happens.

// maxBundleFile bounds the file itself: what it may hold, with headers.
const maxBundleFile = 1<<30 + 1<<26

// verification is what comes of a bundle.
type verification struct {
	SHA256    string   `json:"sha256"` // of the file
	Files     int      `json:"files"`
	Verdict   string   `json:"verdict"`
	Findings  int      `json:"findings"` // that happen again, of those in the report
	Of        int      `json:"of"`
	Lines     int      `json:"lines"` // that are reached again
	OfLines   int      `json:"ofLines"`
	Clashes   int      `json:"clashes"` // of storage layouts that are shown again, of those that can be
	OfClashes int      `json:"ofClashes"`
	Disagrees []string `json:"disagrees"` // what the report says and is not so

	files replay.Bundle
}

// verifyBundle replays all of a bundle, or shows what the reproducers of some ids
// do.
func (p *program) verifyBundle(file string, ids []string, show replayView) error {
	data, err := files.ReadBounded(file, maxBundleFile)
	if err != nil {
		return exit.BadInput("bundle %s: %v", file, files.Plain(err))
	}
	archive, err := replay.ReadBundle(bytes.NewReader(data))
	if err != nil {
		return exit.BadInput("bundle %s: %w; take the file that `sightline run --bundle` wrote", file, err)
	}
	r, err := report.Read(archive[report.JSONFile])
	if err != nil {
		return exit.BadInput("bundle %s: %w", file, err)
	}
	all, err := readBundled(archive)
	if err != nil {
		return exit.BadInput("bundle %s: %w", file, err)
	}
	if len(ids) > 0 {
		return p.showBundled(all, ids, show)
	}
	v := &verification{SHA256: fmt.Sprintf("%x", sha256.Sum256(data)), Files: len(archive), Verdict: r.Verdict, Disagrees: []string{}, files: archive}
	if err := v.replay(r, all); err != nil {
		return exit.CannotFuzz("bundle %s: %w", file, err)
	}
	v.decide(r)
	if len(v.Disagrees) > 0 {
		p.exit = exit.Fail
	}
	if show.json {
		return json.NewEncoder(p.stdout).Encode(v)
	}
	p.printVerification(file, r, v)
	return nil
}

// readBundled reads the reproducers of an archive, by path, all with one world.
func readBundled(archive replay.Bundle) (map[string]*replayed, error) {
	all := map[string]*replayed{}
	var bundle *replay.Snapshot
	var table *bytecode.Table
	for _, name := range slices.Sorted(maps.Keys(archive)) {
		if path.Dir(name) != "reproducers" {
			continue
		}
		reproducer, err := replay.ReadReproducer(archive[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if bundle == nil {
			if bundle, table, err = replay.ReadSnapshot(archive[replay.SnapshotFile]); err != nil {
				return nil, fmt.Errorf("%s: %w", replay.SnapshotFile, err)
			}
		}
		r := &replayed{path: name, reproducer: reproducer, bundle: bundle, table: table}
		if err := r.prepare(); err != nil {
			return nil, fmt.Errorf("%s does not fit %s: %w", name, replay.SnapshotFile, err)
		}
		all[name] = r
	}
	return all, nil
}

// replay tries everything that the report says happens.
func (v *verification) replay(r *report.Report, all map[string]*replayed) error {
	machine, err := bundledMachine(all)
	if err != nil {
		return err
	}
	tried := map[string]bool{}
	again := func(name string, claims func(*replayed) bool) (bool, error) {
		tried[name] = true
		if all[name] == nil || !claims(all[name]) {
			return false, nil
		}
		return all[name].happens(machine)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		v.Of++
		holds, err := again(f.Reproducer, func(r *replayed) bool { return r.shows(f) })
		if err != nil {
			return err
		}
		if holds {
			v.Findings++
			continue
		}
		v.Disagrees = append(v.Disagrees, fmt.Sprintf("%s %s does not happen", f.ID, f.Oracle))
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		if t.Status != report.Reached && t.Reproducer == "" {
			continue // nothing is said of how it is reached
		}
		v.OfLines++
		holds, err := again(t.Reproducer, func(r *replayed) bool { return r.reaches(t) })
		if err != nil {
			return err
		}
		if holds {
			v.Lines++
			continue
		}
		v.Disagrees = append(v.Disagrees, fmt.Sprintf("%s of %s is not %s", place(t), contractName(t.Contract), t.Status))
	}
	for i := range r.Clashes {
		c := &r.Clashes[i]
		if c.Reproducer == "" {
			continue // it is read off two compilations
		}
		v.OfClashes++
		if showsClash(v.files[c.Reproducer]) {
			v.Clashes++
			continue
		}
		v.Disagrees = append(v.Disagrees, fmt.Sprintf("%s is not shown by %s", c.ID, c.Reproducer))
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !tried[name] {
			v.Disagrees = append(v.Disagrees, name+" belongs to nothing in the report")
		}
	}
	return nil
}

// bundledMachine is one for all reproducers; nil without any. Their targets have cut
// the code by now.
func bundledMachine(all map[string]*replayed) (evm.Machine, error) {
	for _, r := range all { // they share one world
		machine, err := evm.NewReference(r.bundle.World, r.table, evm.LiftCodeSizeLimits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", replay.SnapshotFile, err)
		}
		return machine, nil
	}
	return nil, nil
}

func place(t *report.Target) string {
	if t.PC > 0 || t.File == "" {
		return fmt.Sprintf("%#x", t.PC)
	}
	return fmt.Sprintf("%s:%d", t.File, t.Line)
}

// happens replays a reproducer and judges its claim.
func (r *replayed) happens(machine evm.Machine) (bool, error) {
	exec, observed, err := fuzzer.Replay(machine, &fuzzer.Config{Space: r.space, Oracles: oracle.All()}, r.sequence)
	if err != nil {
		return false, fmt.Errorf("%s: %w", r.path, err)
	}
	return r.holds(exec, observed), nil
}

// shows reports whether the reproducer claims what the report says of a finding.
func (r *replayed) shows(f *report.Finding) bool {
	c := &r.reproducer.Claim
	return c.Kind == "finding" && c.ID == f.ID && c.Oracle == f.Oracle && c.Contract == f.Location.Contract && c.File == f.Location.File && c.Line == f.Location.Line
}

// reaches reports whether the reproducer claims what the report says of a target.
func (r *replayed) reaches(t *report.Target) bool {
	c := &r.reproducer.Claim
	return c.Kind == "line" && c.Contract == t.Contract && c.File == t.File && c.Line == t.Line && c.Kept == (t.Status == report.Reached)
}

// decide reports whether the verdict follows from the report. That of a run that
// failed, or of one that withholds findings, cannot be told from it.
func (v *verification) decide(r *report.Report) {
	if r.Withheld.Findings > 0 || r.Verdict == report.Error {
		return
	}
	again := *r
	if report.Decide(&again); again.Verdict != r.Verdict {
		v.Disagrees = append(v.Disagrees, fmt.Sprintf("the verdict is %s, and what the report holds makes it %s", r.Verdict, again.Verdict))
	}
}

// showBundled shows what the reproducers of some findings do.
func (p *program) showBundled(all map[string]*replayed, ids []string, show replayView) error {
	for i, id := range ids {
		if i > 0 && !show.json {
			fmt.Fprintln(p.stdout)
		}
		name := "reproducers/" + strings.TrimSuffix(path.Base(id), ".json") + ".json"
		r := all[name]
		if r == nil {
			return exit.BadInput("the bundle has no %s; its findings and lines are in its %s", human.Printable(name), report.JSONFile)
		}
		holds, err := p.showReplay(r, show)
		if err != nil {
			return err
		}
		if !holds {
			p.exit = exit.Fail
		}
	}
	return nil
}

// printVerification says what agrees.
func (p *program) printVerification(file string, r *report.Report, v *verification) {
	fmt.Fprintf(p.stdout, "bundle    %s, %s, unchanged\n", human.Printable(file), human.Plural(v.Files, "file"))
	fmt.Fprintf(p.stdout, "SHA-256   %s\n", v.SHA256)
	fmt.Fprintf(p.stdout, "report    %s: %s\n", r.Verdict, human.Printable(r.Reason))
	fmt.Fprintf(p.stdout, "made by   sightline %s, of %s, seed %d\n", human.Printable(r.Tool.Version), human.Printable(r.Diff.Base+".."+r.Diff.Head), r.Seed)
	fmt.Fprintf(p.stdout, "findings  %d of %d happen on go-ethereum\n", v.Findings, v.Of)
	fmt.Fprintf(p.stdout, "lines     %d of %d are reached\n", v.Lines, v.OfLines)
	if n := len(r.Clashes); n > 0 {
		fmt.Fprintf(p.stdout, "clashes   %d of %d are shown on go-ethereum\n", v.Clashes, v.OfClashes)
		if left := n - v.OfClashes; left > 0 {
			fmt.Fprintf(p.stdout, "          %d more, read off two compilations: there is nothing to replay\n", left)
		}
	}
	for _, text := range v.Disagrees {
		fmt.Fprintf(p.stdout, "DISAGREES %s\n", human.Printable(text))
	}
	if n := r.Withheld.Findings; n > 0 {
		fmt.Fprintf(p.stdout, "          %s of the run not shown in the report, and not tried\n", human.Plural(n, "finding"))
	}
	if len(v.Disagrees) == 0 {
		fmt.Fprintln(p.stdout, "the bundle agrees with its report")
	}
}
