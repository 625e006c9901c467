package pipeline

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// saysNothing says why a failing fuzz test is not a finding: it passed with none of the
// arguments that were tried, and as far as is known does not pass on the base either. Such a
// test says nothing about the change, and may need what no World has. Empty: it is a
// finding.
func (d *describer) saysNothing(f *fuzzer.Finding) string {
	if why := d.isNotSetUp(f); why != "" {
		return why
	}
	base := d.with.base[f]
	if !f.NeverPassed || base.Is == report.Introduced {
		return ""
	}
	where := "on both the head and the base"
	if base.Is == report.NoBase {
		return fmt.Sprintf("no finding: the fuzz test %s of %s fails with all arguments that were tried", f.Sequence[0].Function.Signature, f.Contract)
	}
	if base.Is != report.PreExisting {
		where = "and what it does on the base is unknown"
	}
	return fmt.Sprintf("no finding: the fuzz test %s of %s fails with all arguments that were tried, %s", f.Sequence[0].Function.Signature, f.Contract, where)
}

// isNotSetUp says why a property that fails is not a finding: its test has a set-up that did not run. Empty: it is one, or something else.
func (d *describer) isNotSetUp(f *fuzzer.Finding) string {
	at := slices.IndexFunc(f.Sequence, func(c input.Call) bool { return c.Function.Property })
	if f.Oracle != oracle.Assertion || at < 0 {
		return ""
	}
	asked, account := f.Sequence[at].Function, d.head.Space.Instances[f.Sequence[at].Instance].Address
	if asked.Contract == nil {
		return ""
	}
	method, has := asked.Contract.ABI.Methods["setUp"]
	up := d.head.Setup
	if !has || method.Sig != evm.SetUp ||
		slices.ContainsFunc(up.Deployments, func(d world.Deployment) bool { return d.Address == account && d.Initialization == evm.SetUp }) ||
		slices.ContainsFunc(up.Uses, func(c evm.Call) bool { return c.To == account && bytes.HasPrefix(c.Data, method.ID) }) {
		return ""
	}
	why := "it was not needed"
	for i := range up.TestSetups {
		if test := &up.TestSetups[i]; test.Contract == asked.Contract {
			if test.Failure == "" && test.Address == account {
				return ""
			}
			why = cmp.Or(test.Failure, "another instance of it is set up")
		}
	}
	return fmt.Sprintf("no finding: the property %s of %s fails, but its %s did not run: %s", asked.Name, f.Contract, evm.SetUp, why)
}

// findings reports on all findings.
func (d *describer) findings() error {
	if len(d.result.Findings) == 0 {
		return nil
	}
	conditions, err := newConditions(d.head, d.change.IsAside)
	if err != nil {
		d.log.Warn("whether findings take a privileged sender or chosen constructor arguments could not be tried: %v", err)
	}
	for _, f := range d.result.Findings {
		if why := d.saysNothing(f); why != "" {
			d.log.Warn("%s", why)
			continue
		}
		if d.passesUnderForge(f) || d.isMocks(f) {
			continue
		}
		condition, severity := "", cmp.Or(f.Severity, f.Oracle.Severity)
		if found, collides := d.with.collisions[f]; collides {
			condition, severity = found.String(), found.severity(severity)
		} else if conditions != nil {
			var hypothetical bool
			condition, hypothetical = conditions.of(f)
			switch {
			case hypothetical, condition != "" && f.Oracle.ByAnyone && (conditions.grants(f.Sequence) || conditions.swaps(f.Sequence)):
				severity = oracle.Note
			case condition != "" && (f.Oracle.ByAnyone || f.Oracle == oracle.ThirdPartyLoss && conditions.sets(f) || f.Oracle == oracle.SignatureReuse && conditions.trusts(f.Sequence)):
				severity = min(severity, oracle.Medium)
			case f.Oracle == oracle.ThirdPartyLoss && d.with.base[f].Is == report.Unknown && slices.Contains(d.head.Altered, f.Contract):
				severity = min(severity, oracle.Medium) // it may be what the contract was made for
			}
		}
		if err := d.finding(f, condition, severity); err != nil {
			return err
		}
	}
	return nil
}

// isMocks reports whether a loss is what a mock allows, such as to burn what others own: it is not new, and ships nowhere.
func (d *describer) isMocks(f *fuzzer.Finding) bool {
	return f.Oracle == oracle.ThirdPartyLoss && d.with.base[f].Is != report.Introduced && slices.Contains(d.head.Altered, f.Contract) &&
		slices.ContainsFunc(d.head.World.Instances, func(in evm.Instance) bool {
			return in.Contract != nil && in.Contract.QualifiedName() == f.Contract && d.change.IsMock(in.Contract)
		})
}

// finding reports on a failure that an oracle saw under a condition, see [conditions.of] and
// [compare.Collision].
func (d *describer) finding(f *fuzzer.Finding, condition string, severity oracle.Severity) error {
	at, _ := d.head.Positions.At(f.Location)
	function, _ := d.head.Positions.FunctionAt(f.Location)
	if function == "" && len(f.Sequence) > 0 {
		function = f.Sequence[len(f.Sequence)-1].Function.Name
	}
	steps, exec, err := d.steps(f.Sequence)
	if err != nil {
		return err
	}
	d.declare(steps, f.Sequence, exec)
	fails, answer := replay.FailureOf(f.Oracle, exec), replay.AnswerOf(f)
	trace := replay.Messages(d.head.Space, f.Sequence, steps, exec) // before the machine runs anything else
	stored, left, err := replay.Changes(d.head.World, d.head.Space, d.stateVariables(), exec)
	if err != nil {
		return err
	}
	release := d.with.release.Try(f, d.head.Space)
	id, fingerprint := d.findingID(f, function, at)
	var changed *report.Place
	if !d.change.Audits() { // where every line counts as changed, the place where it breaks says more
		changed = d.changedLine(f)
	}
	out := report.Finding{
		ID: id, Fingerprint: fingerprint,
		Oracle: f.Oracle.ID, SWC: f.Oracle.SWC, CWE: f.Oracle.CWE, Severity: severity.String(),
		Comparison: d.with.base[f].Is, ComparisonReason: d.with.base[f].Reason,
		Title: f.Oracle.Title, Message: f.Message, Condition: condition,
		Location: report.Place{File: at.File, Line: at.Line, Contract: f.Contract, PC: f.Location.PC, Text: d.change.LineText(at)},
		Changed:  changed,
		Function: function,
		Called:   d.called(f),
		Sequence: steps,
		Trace:    trace,
		Storage:  stored, StorageOmitted: left,
		Confirmed: "go-ethereum",
		Release:   release.Is, ReleaseReason: release.Reason,
		Executions: f.First.Executions, Calls: f.First.Calls, Seconds: f.First.Seconds,
	}
	if f.Oracle == oracle.FailingTest {
		forge := d.with.forge[f]
		out.UnderForge = &report.UnderForge{Fails: forge.fails, Reason: forge.why}
		d.failingTest(&out, exec)
	}
	if answer != nil {
		out.Answer = answer.Describe(d.head.Space)
	}
	if condition != "" {
		out.Title += ", " + condition
	}
	out.Reproducer = d.reproduce("reproducers/"+out.ID+".json", f.Sequence, replay.Claim{
		Kind: "finding", ID: out.ID, File: out.Location.File, Line: out.Location.Line, Contract: f.Contract,
		Oracle: f.Oracle.ID, Message: out.Message, Kept: true, Fails: fails, Refused: f.Refused, Answer: answer,
	}, []bytecode.Location{f.Location})
	d.report.Findings = append(d.report.Findings, out)
	return nil
}

// called is the function that the last call of a finding's sequence calls, see [report.Finding.Called].
func (d *describer) called(f *fuzzer.Finding) string {
	if len(f.Sequence) == 0 {
		return ""
	}
	last := &f.Sequence[len(f.Sequence)-1]
	if c := d.head.Space.Instances[last.Instance].Contract; c != nil && last.Function.Kind == input.Method {
		return c.QualifiedName() + "." + last.Function.Signature
	}
	return ""
}

// declare adds to calls where the functions are declared that they execute. A proxy executes
// that of its implementation.
func (d *describer) declare(steps []report.Step, seq input.Sequence, exec *evm.Execution) {
	for i := range steps {
		frames := exec.Calls[i].Frames
		for j := frames[0]; j < frames[1] && steps[i].File == ""; j++ {
			if place, ok := declarationIn(d.head, &exec.Frames[j], seq[i].Function.Name); ok {
				steps[i].File, steps[i].Line = place.File, place.Line
			}
		}
	}
}

// declarationIn is where a function is declared that a frame executes.
func declarationIn(d *deploy.Deployment, f *evm.Frame, function string) (bytecode.Position, bool) {
	if f.Program == nil {
		return bytecode.Position{}, false
	}
	for _, block := range f.Path {
		at := bytecode.Location{Code: f.Program.ID, PC: f.Program.Blocks[block].Start}
		if name, ok := d.Positions.FunctionAt(at); !ok || name != function {
			continue
		}
		if place, ok := d.Positions.DeclarationAt(at); ok {
			return place, true
		}
	}
	return bytecode.Position{}, false
}

// findingID is made of what stays the same when lines move: oracle, contract, function and
// the text of the line, and how many equal lines the function has before it. If two findings
// have the same, a counter tells them apart. The fingerprint is of the same, and too
// long to write code that has another's.
func (d *describer) findingID(f *fuzzer.Finding, function string, at bytecode.Position) (id, fingerprint string) {
	text := strings.Join(strings.Fields(d.change.LineText(at)), " ")
	for n := d.equalLines(at, function, text); ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%d", f.Oracle.ID, f.Contract, function, text, n))
		id := "SL-" + hex.EncodeToString(sum[:2])
		if !d.ids[id] {
			d.ids[id] = true
			return id, hex.EncodeToString(sum[:fingerprintBytes])
		}
	}
}

// fingerprintBytes is the length of a finding's fingerprint: 128 bits, as collisions of one's
// own code count, too.
const fingerprintBytes = 16

// equalLines counts the lines of a function above a line that have its text: which of them fails
// first depends on the seed, and their order does not.
func (d *describer) equalLines(at bytecode.Position, function, text string) int {
	n := 0
	for line := at.Line - 1; line > 0; line-- {
		above := strings.Join(strings.Fields(d.change.LineText(bytecode.Position{File: at.File, Line: line})), " ")
		if above == text {
			n++
		}
		for _, start := range []string{"function " + function + "(", "function " + function + " (", function + "("} {
			if function != "" && strings.HasPrefix(above, start) {
				return n
			}
		}
	}
	return 0 // not a function whose beginning is known
}

// changedLine is the changed line that people should look at: the one where it breaks, else the
// last one that the failing sequence executed on its way there, else the last one of all; nil
// when it executed none.
func (d *describer) changedLine(f *fuzzer.Finding) *report.Place {
	breaks, _ := d.head.Positions.At(f.Location)
	arrives := slices.IndexFunc(f.Path, func(block bytecode.Location) bool { return d.inBlock(f.Location, block) })
	here := func(t *bytecode.Target) bool { return t.Position.File == breaks.File && t.Position.Line == breaks.Line }
	anywhere := func(*bytecode.Target) bool { return true }
	return cmp.Or(d.lastChanged(f.Path, here), d.lastChanged(f.Path[:arrives+1], anywhere), d.lastChanged(f.Path, anywhere))
}

// inBlock reports whether an instruction is in the block that begins at a location.
func (d *describer) inBlock(at, block bytecode.Location) bool {
	p := d.head.Table.Program(at.Code)
	if p == nil || at.Code != block.Code {
		return false
	}
	id, ok := p.BlockOf(at.PC)
	return ok && p.Blocks[id].Start == block.PC
}

// lastChanged is the last changed line of a path that is wanted; nil: none is.
func (d *describer) lastChanged(path []bytecode.Location, wanted func(*bytecode.Target) bool) *report.Place {
	for _, l := range slices.Backward(path) {
		for i := range d.change.Mapping.Targets {
			t := &d.change.Mapping.Targets[i]
			if t.Position.Line > 0 && wanted(t) && slices.Contains(t.Entries, l) {
				return &report.Place{File: t.Position.File, Line: t.Position.Line, Contract: t.Contract, PC: l.PC, Text: d.change.LineText(t.Position)}
			}
		}
	}
	return nil
}

// reproduce keeps a reproducer for writing and returns its path.
func (d *describer) reproduce(name string, seq input.Sequence, claim replay.Claim, entries []bytecode.Location) string {
	for _, l := range entries {
		entry, ok := replay.EntryOf(d.head.Table, l)
		if !ok {
			entry = replay.Entry{Kind: "unknown", PC: l.PC}
		}
		claim.Entries = append(claim.Entries, entry)
	}
	for n := 2; d.files.Reproducers[name] != nil; n++ { // the same base name in two folders
		name = strings.TrimSuffix(name, ".json") + fmt.Sprintf("-%d.json", n)
	}
	text := strings.TrimSuffix(input.Format(d.head.Space, seq), "\n")
	d.files.Reproducers[name] = &replay.Reproducer{Claim: claim, Sequence: strings.Split(text, "\n")}
	return name
}
