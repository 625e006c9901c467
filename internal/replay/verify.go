package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// maxPacked bounds a packed bundle, bytes: its files, and a header and padding of at most
// 2 KiB for each.
const maxPacked = maxBundleBytes + maxBundleFiles<<11

// verification is the result of verifying a bundle.
type verification struct {
	SHA256    string   `json:"sha256"` // of the packed bundle
	Files     int      `json:"files"`
	Verdict   string   `json:"verdict"`
	Findings  int      `json:"findings"` // that happen, of those in the report
	Of        int      `json:"of"`
	Lines     int      `json:"lines"` // that are reached, of those that the report says are
	OfLines   int      `json:"ofLines"`
	Setups    int      `json:"setups"`  // lines that the World's making reached: there is nothing to replay
	Clashes   int      `json:"clashes"` // of storage layouts that are shown, of those that can be
	OfClashes int      `json:"ofClashes"`
	Disagrees []string `json:"disagrees"` // claims of the report that do not hold

	files Bundle
}

// verify replays everything in the bundle of a file, and reports whether it agrees with its
// report; or shows what the reproducers of some ids in it do.
func verify(out io.Writer, file string, ids []string, o Options) (holds bool, err error) {
	data, err := files.ReadBounded(file, maxPacked)
	if err != nil {
		return false, exit.BadInput("bundle %s: %v", file, files.Plain(err))
	}
	bundle, err := ReadBundle(bytes.NewReader(data))
	if err != nil {
		return false, exit.BadInput("bundle %s: %w; take the file that `sightline run --bundle` wrote", file, err)
	}
	r, err := report.Read(bundle[report.JSONFile])
	if err != nil {
		return false, exit.BadInput("bundle %s: %w", file, err)
	}
	all, err := loadBundle(bundle, r)
	if err != nil {
		return false, exit.BadInput("bundle %s: %w", file, err)
	}
	if len(ids) > 0 {
		return showBundled(out, all, ids, o)
	}
	v := &verification{SHA256: fmt.Sprintf("%x", sha256.Sum256(data)), Files: len(bundle), Verdict: r.Verdict, Disagrees: []string{}, files: bundle}
	if err := v.replay(r, all); err != nil {
		return false, exit.CannotFuzz("bundle %s: %w", file, err)
	}
	v.decide(r)
	holds = len(v.Disagrees) == 0
	if o.JSON {
		return holds, json.NewEncoder(out).Encode(v)
	}
	v.print(out, file, r)
	return holds, nil
}

// loadBundle reads the reproducers of a bundle, by path. They share one snapshot.
func loadBundle(bundle Bundle, r *report.Report) (map[string]*loaded, error) {
	all := map[string]*loaded{}
	var snapshot *Snapshot
	var table *bytecode.Table
	for _, name := range slices.Sorted(maps.Keys(bundle)) {
		if path.Dir(name) != ReproducerFolder {
			continue
		}
		reproducer, err := ReadReproducer(bundle[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if snapshot == nil {
			if snapshot, table, err = ReadSnapshot(bundle[SnapshotFile]); err != nil {
				return nil, fmt.Errorf("%s: %w", SnapshotFile, err)
			}
		}
		l := &loaded{path: name, reproducer: reproducer, snapshot: snapshot, table: table, report: r}
		if err := l.prepare(); err != nil {
			return nil, fmt.Errorf("%s does not fit %s: %w", name, SnapshotFile, err)
		}
		all[name] = l
	}
	return all, nil
}

// replay tries everything that the report claims.
func (v *verification) replay(r *report.Report, all map[string]*loaded) error {
	machine, err := sharedMachine(all)
	if err != nil {
		return err
	}
	tried := map[string]bool{}
	again := func(name string, claims func(*Claim) bool) (bool, error) {
		tried[name] = true
		if all[name] == nil || !claims(&all[name].reproducer.Claim) {
			return false, nil
		}
		_, holds, err := all[name].run(machine)
		return holds, err
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Reproducer == "" {
			continue // it was read off the builds
		}
		v.Of++
		holds, err := again(f.Reproducer, func(c *Claim) bool { return c.is(f) })
		if err != nil {
			return err
		}
		if holds {
			v.Findings++
			continue
		}
		v.disagree("%s %s does not happen", f.ID, f.Oracle)
	}
	if err := v.replayLines(r, again); err != nil {
		return err
	}
	for i := range r.Clashes {
		c := &r.Clashes[i]
		if c.Reproducer == "" {
			continue // it was detected from two compilations
		}
		v.OfClashes++
		if showsClash(v.files[c.Reproducer]) {
			v.Clashes++
			continue
		}
		v.disagree("%s is not shown by %s", c.ID, c.Reproducer)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !tried[name] {
			v.disagree("%s belongs to nothing in the report", name)
		}
	}
	return nil
}

// replayLines tries what the report claims of lines; again runs a reproducer.
func (v *verification) replayLines(r *report.Report, again func(name string, claims func(*Claim) bool) (bool, error)) error {
	for i := range r.Targets {
		t := &r.Targets[i]
		if t.Status != report.Reached && t.Reproducer == "" {
			continue // the report does not claim that it is reached
		}
		if t.Setup != "" && t.Reproducer == "" {
			v.Setups++
			continue
		}
		v.OfLines++
		holds, err := again(t.Reproducer, func(c *Claim) bool { return c.reaches(t) })
		if err != nil {
			return err
		}
		if holds {
			v.Lines++
			continue
		}
		v.disagree("%s of %s is not %s", place(t), bytecode.ShortName(t.Contract), t.Status)
	}
	return nil
}

func (v *verification) disagree(format string, args ...any) {
	v.Disagrees = append(v.Disagrees, fmt.Sprintf(format, args...))
}

// sharedMachine is one machine for all reproducers, whose targets have cut the code by
// now; nil if there is no reproducer.
func sharedMachine(all map[string]*loaded) (evm.Machine, error) {
	for _, l := range all {
		machine, err := l.machine()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", SnapshotFile, err)
		}
		return machine, nil
	}
	return nil, nil
}

// place is where a target is: its line, or the pc of one without a line.
func place(t *report.Target) string {
	if t.PC > 0 || t.File == "" {
		return fmt.Sprintf("%#x", t.PC)
	}
	return fmt.Sprintf("%s:%d", t.File, t.Line)
}

// decide checks that the verdict follows from the report. That of a run that failed, or of
// one that withholds findings, follows from more than the report has.
func (v *verification) decide(r *report.Report) {
	if r.Withheld.Findings > 0 || r.Verdict == report.Error {
		return
	}
	again := *r
	if report.Decide(&again); again.Verdict != r.Verdict {
		v.disagree("the verdict is %s, but from what the report says it would be %s", r.Verdict, again.Verdict)
	}
}

// showBundled shows what the reproducers of some findings do.
func showBundled(out io.Writer, all map[string]*loaded, ids []string, o Options) (holds bool, err error) {
	holds = true
	for i, id := range ids {
		if i > 0 && !o.JSON {
			fmt.Fprintln(out)
		}
		name := ReproducerFolder + "/" + strings.TrimSuffix(path.Base(id), ".json") + ".json"
		l := all[name]
		if l == nil {
			return false, exit.BadInput("the bundle has no %s; its findings and lines are in its %s", human.Printable(name), report.JSONFile)
		}
		held, err := l.show(out, o)
		if err != nil {
			return false, err
		}
		holds = holds && held
	}
	return holds, nil
}

// print says what agrees.
func (v *verification) print(out io.Writer, file string, r *report.Report) {
	fmt.Fprintf(out, "bundle    %s, %s, unchanged\n", human.Printable(file), human.Plural(v.Files, "file"))
	fmt.Fprintf(out, "SHA-256   %s\n", v.SHA256)
	fmt.Fprintf(out, "report    %s: %s\n", r.Verdict, human.Printable(r.Reason))
	fmt.Fprintf(out, "made by   sightline %s, of %s, seed %d\n", human.Printable(r.Tool.Version), human.Printable(r.Diff.Base+".."+r.Diff.Head), r.Seed)
	fmt.Fprintf(out, "findings  %d of %d happen on go-ethereum\n", v.Findings, v.Of)
	fmt.Fprintf(out, "lines     %d of %d are reached\n", v.Lines, v.OfLines)
	if v.Setups > 0 {
		fmt.Fprintf(out, "          %d more, reached while the World was made: there is nothing to replay\n", v.Setups)
	}
	if n := len(r.Clashes); n > 0 {
		fmt.Fprintf(out, "clashes   %d of %d are shown on go-ethereum\n", v.Clashes, v.OfClashes)
		if left := n - v.OfClashes; left > 0 {
			fmt.Fprintf(out, "          %d more, detected from compiler output: there is nothing to replay\n", left)
		}
	}
	for _, text := range v.Disagrees {
		fmt.Fprintf(out, "DISAGREES %s\n", human.Printable(text))
	}
	if n := r.Withheld.Findings; n > 0 {
		fmt.Fprintf(out, "          %s of the run not shown in the report, and not tried\n", human.Plural(n, "finding"))
	}
	if len(v.Disagrees) == 0 {
		fmt.Fprintln(out, "the bundle agrees with its report")
	}
}
