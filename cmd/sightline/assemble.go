package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// assembler turns the result of a campaign into a report and its reproducers.
type assembler struct {
	*campaign
	machine   evm.Machine
	shipped   *shipped // nil without findings
	novelty   map[*fuzzer.Finding]novelty
	report    *report.Report
	left      replay.Files
	ids       map[string]bool
	functions map[string]bool // "contract function" that some call entered
}

// newReport starts a report with what is known before any campaign.
func newReport(pr *project, failOn string) *report.Report {
	r := &report.Report{
		Version:  report.FormatVersion,
		Tool:     report.Tool{Name: "sightline", Version: version},
		FailOn:   failOn,
		Diff:     pr.about,
		Warnings: pr.warnings,
	}
	for _, o := range oracle.All() {
		r.Oracles = append(r.Oracles, report.Oracle{ID: o.ID, Title: o.Title, SWC: o.SWC, Severity: o.Severity.String(), Doc: o.Doc})
	}
	for _, o := range pr.outputs {
		r.Builds = append(r.Builds, report.Build{Origin: o.Origin, Compiler: o.Compiler, Mapping: o.Mapping, Contracts: len(o.Contracts)})
	}
	return r
}

// assemble makes the report of a campaign that ran.
func (c *campaign) assemble(ctx context.Context, r *report.Report, show *progress.Log) (*assembler, error) {
	machine, err := c.newJudge()
	if err != nil {
		return nil, err
	}
	a := &assembler{campaign: c, machine: machine, report: r,
		left: replay.Files{Reproducers: map[string]*replay.Reproducer{}}, ids: map[string]bool{}, functions: map[string]bool{}}
	a.describeRun()
	a.describeWorld()
	a.findFunctions()
	for i := range c.mapping.Targets {
		t, err := a.target(i)
		if err != nil {
			return nil, err
		}
		r.Targets = append(r.Targets, t)
	}
	a.lines()
	if len(c.result.Findings) > 0 {
		a.shipped = c.ship(ctx)
		a.novelty = c.compareWithBase(ctx, show)
	}
	for _, f := range c.result.Findings {
		if why := a.saysNothing(f); why != "" {
			r.Warnings = append(r.Warnings, why)
			continue
		}
		if err := a.finding(f); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *assembler) describeRun() {
	r, result := a.report, a.result
	r.Seed, r.Workers = a.config.Seed, a.config.Workers
	r.Limits, r.Corpus = a.limits, a.began
	s := result.Stats
	r.Stats = report.Stats{Executions: s.Executions, Calls: s.Calls, Seconds: s.Seconds,
		Paths: s.Paths, Seeds: s.Seeds, Blocks: s.Blocks, Stopped: result.Stopped}
	if s.Seconds > 0 {
		r.Stats.CallsPerSecond = float64(s.Calls) / s.Seconds
	}
	for _, f := range result.Faults {
		text := ""
		if f.Sequence != nil {
			text = input.Format(a.space, f.Sequence)
		}
		r.Faults = append(r.Faults, a.fault(f.Message, text, f.Mismatch))
	}
	r.Warnings = append(r.Warnings, result.Notes...)
}

// fault describes a fault, with the case of a mismatch.
func (a *assembler) fault(message, text string, m *evm.Mismatch) report.Fault {
	if m == nil {
		return report.Fault{Message: message, Input: text}
	}
	file, err := a.left.AddFault(&replay.Fault{World: a.world, Sequence: m.Sequence, Lifted: true, Difference: m.Difference})
	if err != nil {
		message += "; the case could not be kept: " + err.Error()
	}
	return report.Fault{Message: message, Input: text, File: file}
}

// describeWorld lists what is deployed, then what could not be, then what nobody
// tried to deploy.
func (a *assembler) describeWorld() {
	w := report.World{Fork: a.world.Fork}
	for i := range a.setup.SetUps {
		up := &a.setup.SetUps[i]
		text := report.SetUp{Contract: up.Contract.QualifiedName(), Function: up.Function}
		if up.Failure == "" {
			text.Address = up.Address.Hex()
		} else {
			text.Failure = a.whyNotSetUp(up)
		}
		w.SetUps = append(w.SetUps, text)
	}
	a.report.Warnings = append(a.report.Warnings, a.failedSetUps()...)
	for _, note := range a.setup.Notes {
		a.report.Warnings = append(a.report.Warnings, "configuration: "+note)
	}
	w.Senders, w.Calls = a.senders(), a.setup.Calls
	add := func(name string, c *bytecode.Contract, address common.Address, parts ...string) {
		parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
		w.Instances = append(w.Instances, report.Instance{Name: name, Contract: c.QualifiedName(),
			Address: address.Hex(), Arguments: strings.Join(parts, "; ")})
	}
	for _, d := range a.setup.Deployments {
		parts := []string{strings.Join(d.Arguments, ", "), d.Initialization}
		add(d.Name, d.Contract, d.Address, append(parts, d.Notes...)...)
	}
	for _, d := range a.setup.Additions {
		add(d.Name, d.Contract, d.Address, d.Origin, d.Initialization)
	}
	for _, f := range failures(a.setup) {
		w.Undeployed = append(w.Undeployed, report.Undeployed{Contract: f.Contract.QualifiedName(), Reason: f.Reason})
	}
	for _, l := range a.setup.LeftOut {
		w.Undeployed = append(w.Undeployed, report.Undeployed{Contract: l.Contract.QualifiedName(), Reason: l.Reason})
	}
	a.report.World = w
}

// senders lists who sends calls, and why those do that not every World has.
func (a *assembler) senders() []report.Sender {
	why := map[common.Address]string{}
	for _, p := range a.setup.Senders {
		why[p.Address] = p.Why
	}
	var senders []report.Sender
	for _, s := range a.world.Senders {
		senders = append(senders, report.Sender{Name: s.Name, Address: s.Address.Hex(), Why: why[s.Address]})
	}
	return senders
}

// failures are the contracts that could not be deployed, those apart that nobody
// would deploy: interfaces, abstract contracts, libraries without users.
func failures(setup *world.Report) []world.Failure {
	var out []world.Failure
	for _, f := range setup.Failures {
		if f.Contract.Deployable() && !f.Contract.Library {
			out = append(out, f)
		}
	}
	return out
}

// findFunctions notes which functions any call entered, to say how close a line
// came to being reached.
func (a *assembler) findFunctions() {
	for _, l := range a.result.Entered {
		p := a.table.Program(l.Code)
		if p == nil || p.Contract == nil {
			continue
		}
		if name, ok := a.positions.FunctionAt(l); ok {
			a.functions[p.Contract.QualifiedName()+" "+name] = true
		}
	}
}

// target reports on one target of the campaign.
func (a *assembler) target(i int) (report.Target, error) {
	t, got := a.mapping.Targets[i], a.result.Targets[i]
	out := report.Target{File: t.Position.File, Line: t.Position.Line, Contract: t.Contract}
	if len(a.about.Explicit) > 0 && len(t.Entries) == 1 {
		out.PC = t.Entries[0].PC
	}
	if got.Unreachable {
		out.Status = report.Unreachable
		out.Reason = "no call reaches it, whatever the state and the arguments"
		return out, nil
	}
	if !got.Entered {
		out.Status, out.Reason = a.whyNot(&t)
		return out, nil
	}
	out.Status = report.Reached
	out.Executions, out.Calls, out.Seconds = got.First.Executions, got.First.Calls, got.First.Seconds
	steps, exec, err := a.steps(got.Sequence)
	if err != nil {
		return out, err
	}
	out.Sequence = steps
	if !got.Reached {
		out.Status = report.OnlyReverts
		last := exec.Calls[len(exec.Calls)-1]
		out.Reason = "executed only in calls that revert: " + last.Reason()
	}
	name := fmt.Sprintf("reproducers/%s-%d-%s.json", fileName(path.Base(t.Position.File)), t.Position.Line, fileName(contractName(t.Contract)))
	if out.PC != 0 {
		name = fmt.Sprintf("reproducers/%s-0x%x.json", fileName(contractName(t.Contract)), out.PC)
	}
	out.Reproducer = a.reproduce(name, got.Sequence, replay.Claim{
		Kind: "line", File: out.File, Line: out.Line, Contract: t.Contract, Kept: got.Reached,
	}, t.Entries)
	return out, nil
}

// whyNot says why a target was not reached, as far as that is known.
func (a *assembler) whyNot(t *bytecode.Target) (status, reason string) {
	for _, f := range a.setup.Failures {
		if f.Contract.QualifiedName() == t.Contract && !a.deployedLater(f.Contract) {
			return report.Undeployable, "the contract could not be deployed: " + f.Reason
		}
	}
	tried := fmt.Sprintf("in %s executions", human.Count(a.result.Stats.Executions))
	for _, entry := range t.Entries {
		name, ok := a.positions.FunctionAt(entry)
		if !ok {
			continue
		}
		if a.functions[t.Contract+" "+name] {
			return report.Unreached, fmt.Sprintf("%s was entered, but never got to this line %s", name, tried)
		}
		return report.Unreached, fmt.Sprintf("%s was never entered %s", name, tried)
	}
	return report.Unreached, "never executed " + tried
}

// deployedLater reports whether a sequence got an instance of a contract going that
// the World lacks.
func (a *assembler) deployedLater(c *bytecode.Contract) bool {
	return c.Runtime != nil && slices.ContainsFunc(a.result.Entered, func(l bytecode.Location) bool { return l.Code == c.Runtime.ID })
}

// steps replays a sequence and describes its calls with their outcome.
func (a *assembler) steps(seq input.Sequence) ([]report.Step, *evm.Execution, error) {
	exec, err := a.machine.Run(a.space.Encode(seq, nil))
	if err != nil {
		return nil, nil, err
	}
	return replay.Steps(a.space, seq, exec), exec, nil
}

// lines combines the targets' results: people are shown lines.
func (a *assembler) lines() {
	for _, l := range a.mapping.Lines {
		line := report.Line{File: l.Position.File, Line: l.Position.Line, Kind: l.Kind.String(), Contracts: []string{}}
		var results []diffmap.TargetResult
		for _, i := range l.Targets {
			t := a.report.Targets[i]
			line.Contracts = append(line.Contracts, t.Contract)
			results = append(results, diffmap.TargetResult{Contract: t.Contract, Status: diffmap.Status(t.Status), Reason: t.Reason})
		}
		status, reason := diffmap.Combine(l, results)
		if l.Because != "" {
			reason = strings.TrimSuffix("indirect: "+l.Because+"; "+reason, "; ")
		}
		line.Status, line.Reason = string(status), reason
		line.Text = a.lineText(l.Position)
		a.report.Lines = append(a.report.Lines, line)
	}
}

// saysNothing says why a fuzz test that fails is no finding: with no arguments that were
// tried it passed, and not in the base either, as far as is known. Such a test tells nothing of the
// change, and may want what no World has. Empty: it is a finding.
func (a *assembler) saysNothing(f *fuzzer.Finding) string {
	n := a.novelty[f]
	if !f.NeverPassed || n.standing == report.Introduced {
		return ""
	}
	where := "here and in the base"
	if n.standing != report.PreExisting {
		where = "and what it does in the base is not known"
	}
	return fmt.Sprintf("no finding: the fuzz test %s of %s fails with all arguments that were tried, %s", f.Sequence[0].Function.Signature, f.Contract, where)
}

// finding reports on something an oracle saw.
func (a *assembler) finding(f *fuzzer.Finding) error {
	at, _ := a.positions.At(f.Location)
	function, _ := a.positions.FunctionAt(f.Location)
	if function == "" && len(f.Sequence) > 0 {
		function = f.Sequence[len(f.Sequence)-1].Function.Name
	}
	steps, exec, err := a.steps(f.Sequence)
	if err != nil {
		return err
	}
	trace := replay.Messages(a.space, f.Sequence, steps, exec) // before the machine runs anything else
	shipped, why := a.shipped.try(f, a.space)
	out := report.Finding{
		ID:     a.findingID(f, function, at),
		Oracle: f.Oracle.ID, SWC: f.Oracle.SWC, Severity: f.Oracle.Severity.String(),
		Novelty: a.novelty[f].standing, NoveltyReason: a.novelty[f].reason,
		Title: f.Oracle.Title, Message: f.Message,
		Location:  report.Place{File: at.File, Line: at.Line, Contract: f.Contract, PC: f.Location.PC},
		Changed:   a.changedLine(f),
		Function:  function,
		Sequence:  steps,
		Trace:     trace,
		Confirmed: "go-ethereum",
		Shipped:   shipped, ShippedReason: why,
		Executions: f.First.Executions, Calls: f.First.Calls, Seconds: f.First.Seconds,
	}
	out.Reproducer = a.reproduce("reproducers/"+out.ID+".json", f.Sequence, replay.Claim{
		Kind: "finding", ID: out.ID, File: at.File, Line: at.Line, Contract: f.Contract,
		Oracle: f.Oracle.ID, Message: f.Message, Kept: true,
	}, []bytecode.Location{f.Location})
	a.report.Findings = append(a.report.Findings, out)
	return nil
}

// findingID is made of what stays when lines move: oracle, contract, function
// and the text of the line. Two findings alike get longer ids.
func (a *assembler) findingID(f *fuzzer.Finding, function string, at bytecode.Position) string {
	text := strings.Join(strings.Fields(a.lineText(at)), " ")
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%d", f.Oracle.ID, f.Contract, function, text, n))
		id := "SL-" + hex.EncodeToString(sum[:2])
		if !a.ids[id] {
			a.ids[id] = true
			return id
		}
	}
}

// changedLine is the changed line that the failing sequence executed last, nil
// when it executed none.
func (a *assembler) changedLine(f *fuzzer.Finding) *report.Place {
	for _, l := range slices.Backward(f.Path) {
		for _, t := range a.mapping.Targets {
			if slices.Contains(t.Entries, l) && t.Position.Line > 0 {
				return &report.Place{File: t.Position.File, Line: t.Position.Line, Contract: t.Contract, PC: l.PC}
			}
		}
	}
	return nil
}

// reproduce keeps a reproducer for writing and returns its path.
func (a *assembler) reproduce(name string, seq input.Sequence, claim replay.Claim, entries []bytecode.Location) string {
	for _, l := range entries {
		entry, ok := replay.EntryOf(a.table, l)
		if !ok {
			entry = replay.Entry{Kind: "unknown", PC: l.PC}
		}
		claim.Entries = append(claim.Entries, entry)
	}
	for n := 2; a.left.Reproducers[name] != nil; n++ { // the same base name in two folders
		name = strings.TrimSuffix(name, ".json") + fmt.Sprintf("-%d.json", n)
	}
	text := strings.TrimSuffix(input.Format(a.space, seq), "\n")
	a.left.Reproducers[name] = &replay.Reproducer{Claim: claim, Sequence: strings.Split(text, "\n")}
	return name
}

// fileName keeps what is safe in a file's name everywhere.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, s)
}

// contractName is the name in "source:name".
func contractName(qualified string) string {
	return qualified[strings.LastIndexByte(qualified, ':')+1:]
}
