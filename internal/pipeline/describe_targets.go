package pipeline

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// findFunctions notes which functions any call entered, to say how close the campaign came
// to a line.
func (d *describer) findFunctions() {
	for _, l := range d.result.Entered {
		d.entered[l] = true
		p := d.head.Table.Program(l.Code)
		if p == nil || p.Contract == nil {
			continue
		}
		if name, ok := d.head.Positions.FunctionAt(l); ok {
			d.functions[p.Contract.QualifiedName()+" "+name] = true
		}
	}
}

// targets reports on all targets.
func (d *describer) targets() error {
	for i := range d.change.Mapping.Targets {
		t, err := d.target(i)
		if err != nil {
			return err
		}
		t.Tests = d.change.TestsReach(d.change.Mapping.Targets[i].Position)
		d.report.Targets = append(d.report.Targets, t)
	}
	return d.elsewhere()
}

// elsewhere takes back proofs about contracts that do something else in the project's own
// build by the same calls: there, what guards a target may depend on the size of code or on
// gas.
func (d *describer) elsewhere() error {
	for _, f := range d.result.Findings {
		_, exec, err := d.steps(f.Sequence)
		if err != nil {
			return err
		}
		d.with.release.Note(f.Sequence, exec, d.head)
	}
	for i := range d.report.Targets {
		out := &d.report.Targets[i]
		if out.Status != report.Unreachable {
			continue
		}
		if calls := d.with.release.Elsewhere(&d.change.Mapping.Targets[i]); calls != nil {
			out.Status = report.Unreached
			out.Reason = "no call reaches it in the debug build that was fuzzed, but that proves nothing here: the project's own build does something else in " + calls[len(calls)-1].Call
		}
	}
	return nil
}

// target reports on one target of the campaign.
func (d *describer) target(i int) (report.Target, error) {
	t, got := d.change.Mapping.Targets[i], d.result.Targets[i]
	out := report.Target{File: t.Position.File, Line: t.Position.Line, Contract: t.Contract}
	if len(d.change.About.Explicit) > 0 && len(t.Entries) == 1 {
		out.PC = t.Entries[0].PC
	}
	if by, ok := d.head.Setup.RanBy(t.Entries); ok && !got.Reached {
		out.Status = report.Reached
		out.Setup, out.Reason = by, "reached by the set-up, on go-ethereum: "+by
		return out, nil
	}
	if got.Unreachable {
		out.Status, out.Reason = d.unreachable(&t)
		return out, nil
	}
	if !got.Entered {
		out.Status, out.Reason = d.whyNot(&t)
		if out.Status == report.Unreached {
			out.Barrier, out.Reason = d.withBarrier(&t, out.Reason, &got)
			if test, ok := d.head.Setup.TestedBy(t.Position); ok {
				out.Reason += "; the project's own " + test + " executes it, in a state or with calls that sequences do not have"
			}
		}
		return out, nil
	}
	out.Status = report.Reached
	out.Executions, out.Calls, out.Seconds = got.First.Executions, got.First.Calls, got.First.Seconds
	steps, exec, err := d.steps(got.Sequence)
	if err != nil {
		return out, err
	}
	out.Sequence = steps
	release := d.with.release.TryTarget(&t, got.Sequence, exec, got.Reached, d.head)
	out.Release, out.ReleaseReason = release.Is, release.Reason
	if release.Is == report.ReleaseAbsent {
		return report.Target{File: out.File, Line: out.Line, PC: out.PC, Contract: out.Contract, Status: report.Unreached,
			Reason:  "reached only in the debug build, not in the project's own: " + release.Reason,
			Release: release.Is, ReleaseReason: release.Reason}, nil
	}
	if different := d.differentCode(&t); different != "" && release.Is == report.ReleaseUnknown {
		out.Reason = different + ", on which it could not be tried: " + release.Reason
	}
	if out.Reason == "" && d.change.IsGenerated(t.Contract) {
		out.Reason = "called by " + d.named(t.Contract) + ": what its callers pass is not known"
	}
	last := exec.Calls[len(exec.Calls)-1]
	why := d.head.Space.NameAddresses(last.Reason())
	if !got.Reached && t.Reverts {
		out.Reason = "reverts with " + strings.TrimPrefix(why, "reverted with ")
		if len(last.Output) == 0 {
			out.Reason = "reverts without a reason"
		}
	} else if !got.Reached {
		out.Status = report.OnlyReverts
		out.Reason = "executed only in calls that revert: " + cmp.Or(why, "inner calls of one that succeeds")
		out.Barrier, out.Reason = d.whereReverts(out.Reason, why, exec, &got)
	}
	name := fmt.Sprintf("reproducers/%s-%d-%s.json", fileName(path.Base(t.Position.File)), t.Position.Line, fileName(bytecode.ShortName(t.Contract)))
	if out.PC != 0 {
		name = fmt.Sprintf("reproducers/%s-0x%x.json", fileName(bytecode.ShortName(t.Contract)), out.PC)
	}
	out.Reproducer = d.reproduce(name, got.Sequence, replay.Claim{
		Kind: "line", File: out.File, Line: out.Line, Contract: t.Contract, Kept: got.Reached,
	}, t.Entries)
	return out, nil
}

// unreachable says of a target that no call reaches in the code that was fuzzed whether that
// holds for what the project ships.
func (d *describer) unreachable(t *bytecode.Target) (status, reason string) {
	if different := d.differentCode(t); different != "" {
		return report.Unreached, "no call reaches it in the code that was fuzzed, but that proves nothing here: " + different
	}
	return report.Unreachable, fmt.Sprintf("no call of %s reaches it, whatever the state and the arguments", d.named(t.Contract))
}

// named is a contract in a sentence.
func (d *describer) named(contract string) string {
	name := bytecode.ShortName(contract)
	if d.change.IsGenerated(contract) {
		name += " (generated)"
	}
	return name
}

// differentCode says how the code that was fuzzed for a target differs from the release build.
func (d *describer) differentCode(t *bytecode.Target) string {
	if o := d.change.OutputOf(t.Contract); o != nil {
		return d.change.DifferentCode(o)
	}
	return ""
}

// whyNot says why a target was not reached, as far as that is known.
func (d *describer) whyNot(t *bytecode.Target) (status, reason string) {
	for _, f := range d.head.Setup.Failures {
		if f.Contract.QualifiedName() == t.Contract && !d.deployedLater(f.Contract) {
			return report.Undeployable, "the contract could not be deployed: " + d.head.WhyNotDeployed(&f)
		}
	}
	tried := fmt.Sprintf("in %s executions", human.Count(d.result.Stats.Executions))
	for _, entry := range t.Entries {
		name, ok := d.head.Positions.FunctionAt(entry)
		if !ok {
			continue
		}
		if d.functions[t.Contract+" "+name] {
			return report.Unreached, fmt.Sprintf("%s was entered, but never reached this line %s", name, tried)
		}
		return report.Unreached, fmt.Sprintf("%s was never entered %s", name, tried)
	}
	return report.Unreached, "never executed " + tried
}

// withBarrier adds to the reason for which a target was not reached where executions end.
func (d *describer) withBarrier(t *bytecode.Target, reason string, got *fuzzer.TargetResult) (*report.Barrier, string) {
	if why := d.neverCalled(t); why != "" {
		return nil, reason + ": " + why
	}
	b, entered := d.barrier(got)
	if b != nil {
		reason += ": " + whyStopped(b, entered)
	}
	return b, reason
}

// whereReverts adds to the reason for which a target was executed only in calls that revert,
// with a failure for one, where they do most often.
func (d *describer) whereReverts(reason, failure string, exec *evm.Execution, got *fuzzer.TargetResult) (*report.Barrier, string) {
	fails := failedIn(exec)
	if b := d.refused(exec, fails, failure); b != nil { // all others came less far
		return b, fmt.Sprintf("%s, at %s:%d%s", reason, b.File, b.Line, lacking(b))
	}
	b, _ := d.barrier(got)
	if b == nil || b.Failure == "" { // what turns others away is not what fails
		if at, ok := d.endOf(fails); ok {
			reason += fmt.Sprintf(", at %s:%d", at.File, at.Line)
		}
		return nil, reason
	}
	if !sameError(b.Failure, failure) {
		reason += "; most often: " + b.Failure
	}
	return b, fmt.Sprintf("%s, at %s:%d%s", reason, b.File, b.Line, lacking(b))
}

// sameError reports whether two failures are the same error: the values that a custom error carries come from the input.
func sameError(a, b string) bool {
	name, _, carries := strings.Cut(a, "(")
	other, _, too := strings.Cut(b, "(")
	return a == b || carries && too && name == other
}

// refused is the call of a contract that stands in for another one and refused to act, if that is what fails; nil: it is not.
func (d *describer) refused(exec *evm.Execution, fails *evm.Frame, failure string) *report.Barrier {
	if fails == nil || fails.Parent < 0 {
		return nil
	}
	wants, try := d.wantsImplementation(fails)
	at, ok := d.endOf(&exec.Frames[fails.Parent])
	if wants == nil || !ok {
		return nil
	}
	return &report.Barrier{File: at.File, Line: at.Line, Failure: failure, Wants: wants, Try: try}
}

// failedIn is the innermost frame of those in the last call of an execution whose failure is passed on; nil: the call was not begun.
func failedIn(exec *evm.Execution) *evm.Frame {
	last := &exec.Calls[len(exec.Calls)-1]
	if last.Frames[0] == last.Frames[1] {
		return nil
	}
	at := last.Frames[0]
	for i := at + 1; i < last.Frames[1]; i++ {
		if f := &exec.Frames[i]; f.Parent == at && f.Outcome != evm.Success && exec.Frames[at].Outcome != evm.Success && bytes.Equal(f.Output, last.Output) {
			at = i
		}
	}
	return &exec.Frames[at]
}

// endOf is where a frame fails.
func (d *describer) endOf(f *evm.Frame) (bytecode.Position, bool) {
	if f == nil || f.Outcome == evm.Success || f.Program == nil {
		return bytecode.Position{}, false
	}
	return d.head.Positions.At(bytecode.Location{Code: f.Program.ID, PC: f.LastPC})
}

// deployedLater reports whether a sequence deployed and called a contract that the World
// lacks.
func (d *describer) deployedLater(c *bytecode.Contract) bool {
	return c.Runtime != nil && slices.ContainsFunc(d.result.Entered, func(l bytecode.Location) bool { return l.Code == c.Runtime.ID })
}

// steps replays a sequence and describes its calls with their outcome.
func (d *describer) steps(seq input.Sequence) ([]report.Step, *evm.Execution, error) {
	exec, err := d.judge.Run(d.head.Space.Encode(seq, nil))
	if err != nil {
		return nil, nil, err
	}
	return replay.Steps(d.head.Space, seq, exec), exec, nil
}

// lines combines the targets' results: people are shown lines.
func (d *describer) lines() {
	for _, l := range d.change.Mapping.Lines {
		line := report.Line{File: l.Position.File, Line: l.Position.Line, Kind: l.Kind.String(), Unused: l.Unused, Aside: d.change.Aside(&l), Tests: d.change.TestsReach(l.Position), Contracts: []string{},
			Harness: d.onlyHarness(l.Targets)}
		var results []diffmap.TargetResult
		for _, i := range l.Targets {
			t := d.report.Targets[i]
			line.Contracts = append(line.Contracts, t.Contract)
			if line.Barrier == nil {
				line.Barrier = t.Barrier
			}
			results = append(results, diffmap.TargetResult{Contract: t.Contract, Status: diffmap.Status(t.Status), Reason: t.Reason})
		}
		status, reason := diffmap.Combine(l, results)
		if l.Because != "" {
			reason = strings.TrimSuffix("indirect: "+l.Because+"; "+reason, "; ")
		}
		line.Status, line.Reason = string(status), reason
		if line.Status == report.Reached {
			line.Partly = d.unexecuted(&l)
		}
		if line.Status != report.Unreached && line.Status != report.OnlyReverts {
			line.Barrier = nil
		}
		line.Text = d.change.LineText(l.Position)
		d.report.Lines = append(d.report.Lines, line)
	}
}

// onlyHarness reports whether a line is held by harnesses alone, or was reached in them alone.
func (d *describer) onlyHarness(targets []int) bool {
	if reached := slices.DeleteFunc(slices.Clone(targets), func(i int) bool { return d.report.Targets[i].Status != report.Reached }); len(reached) > 0 {
		targets = reached
	}
	return len(targets) > 0 && !slices.ContainsFunc(targets, func(i int) bool { return !d.change.OnlyHarnessed(d.change.Mapping.Targets[i].Contract) })
}

// unexecuted lists the operations of a line that no call executed.
func (d *describer) unexecuted(l *diffmap.Line) []string {
	var texts []string
	for _, o := range l.Operations {
		_, ran := d.head.Setup.RanBy(o.Entries)
		if !ran && !slices.ContainsFunc(o.Entries, func(at bytecode.Location) bool { return d.entered[at] }) {
			texts = append(texts, o.Text)
		}
	}
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { // a part of another
		return slices.ContainsFunc(texts, func(other string) bool { return other != text && strings.Contains(other, text) })
	})
}

// maxNamePart bounds each part of a reproducer's name, bytes: two of them and a number fit into
// the 255 that file systems take.
const maxNamePart = 100

// fileName replaces characters that are not safe in file names on every system. A long text is
// cut, and gets the beginning of its hash, so that others that begin alike have other names.
func fileName(s string) string {
	if len(s) > maxNamePart {
		sum := sha256.Sum256([]byte(s))
		s = s[:maxNamePart-9] + "-" + hex.EncodeToString(sum[:4])
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, s)
}
