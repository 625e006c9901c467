package pipeline

import (
	"bytes"
	"context"
	"io"
	"slices"
	"time"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/mutant"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// SelfCheck says how many mistakes are planted in the changed lines, and how long is looked for each: what a green is worth.
type SelfCheck struct {
	Mutants int           // at most so many are tried; 0: none
	Timeout time.Duration // of the campaigns against one; 0: by Calls
	Calls   uint64        // likewise; 0: no limit
	Tests   bool          // whether the project's own Foundry tests are tried on the mistakes as well
}

func (c *SelfCheck) plants() bool { return c.Mutants > 0 }

// spareMutants: so many mistakes for each that is tried are listed, since some do not compile, or change nothing. Arbitrary.
const spareMutants = 4

// firstRound is the share of the time for a mistake after which it is looked at whether that was enough: most are caught at once,
// and what is left over is not spent. Arbitrary.
const firstRound = 8

// planted is a mistake and the file of the repository that it is in.
type planted struct {
	mutant.Mutant
	file  string
	text  []byte // of the file, with it
	patch string
}

// plant lists mistakes that may be planted in lines with targets, so that each beginning of the list is of all kinds and places.
func (r *run) plant() (list []planted) {
	check := &r.o.SelfCheck
	if !check.plants() {
		return nil
	}
	r.o.Log.Section("Self-check")
	seen := map[string]bool{}
	for _, o := range r.change.Outputs {
		spans, files := r.plantable(o)
		for _, m := range mutant.InTurns(mutant.Of(o, spans, mutant.Options{}), check.Mutants*spareMutants) {
			file := files[m.Source]
			s := sourceOf(o, m.Source)
			text := m.Apply(s.Text)
			if key := file + "\x00" + string(text); !seen[key] {
				seen[key] = true
				list = append(list, planted{m, file, text, unified.Format(unified.EditedFile(file, s.Text, text))})
			}
		}
	}
	return list
}

func sourceOf(o *compile.Output, path string) *compile.Source {
	i := slices.IndexFunc(o.Sources, func(s *compile.Source) bool { return s.Path == path })
	return o.Sources[i]
}

// plantable are the bytes of an output's sources that are in lines with targets, and their files in the repository.
func (r *run) plantable(o *compile.Output) (spans map[string][]mutant.Span, files map[string]string) {
	spans, files = map[string][]mutant.Span{}, map[string]string{}
	for i := range r.change.Mapping.Lines {
		l := &r.change.Mapping.Lines[i]
		if len(l.Targets) == 0 || r.change.Aside(l) != "" {
			continue
		}
		s := r.change.Paths.Source(o, l.Position.File)
		if s == nil || s.Text == nil {
			continue
		}
		if start, end, ok := lineOf(s.Text, l.Position.Line); ok {
			spans[s.Path] = append(spans[s.Path], mutant.Span{Start: start, End: end})
			files[s.Path] = l.Position.File
		}
	}
	return spans, files
}

// lineOf are the bytes of a line, from 1, without its end.
func lineOf(text []byte, line int) (start, end int, ok bool) {
	for ; line > 1; line-- {
		i := bytes.IndexByte(text[start:], '\n')
		if i < 0 {
			return 0, 0, false
		}
		start += i + 1
	}
	if end = bytes.IndexByte(text[start:], '\n'); end < 0 {
		return start, len(text), true
	}
	return start, start + end, true
}

// selfCheck plants mistakes, each on its own, and says of each whether the run would have caught it.
func (r *run) selfCheck(ctx context.Context, list []planted) {
	check := &r.o.SelfCheck
	if !check.plants() {
		return
	}
	result := &report.SelfCheck{Mutants: []report.Mutant{}, Limits: report.Limits{Seconds: check.Timeout.Seconds(), Calls: check.Calls}}
	r.report.SelfCheck = result
	seeds := textsOf(r.head.Deployment.Space, r.suite)
	own := r.openOwnTests(ctx, list, result)
	defer own.close()
	for i := range list {
		if result.Valid()+result.Count(report.Untried) >= check.Mutants {
			result.Left = len(list) - i
			break
		}
		p := &list[i]
		m := report.Mutant{ID: p.ID(), Operator: string(p.Operator), File: p.file, Line: p.Line, Contract: p.Contract, Function: p.Function, Description: p.Description, Patch: p.patch}
		began := r.o.Now()
		r.try(ctx, p, &m, seeds)
		own.try(ctx, p, &m)
		m.Seconds = r.o.Now().Sub(began).Seconds()
		result.Mutants = append(result.Mutants, m)
		if m.Result != report.Equivalent && m.Result != report.Invalid {
			r.o.Log.Line("planted %s, %s: %s", human.Printable(m.Place()), human.Printable(m.Description), human.Printable(describeMutant(&m)))
		}
	}
}

// describeMutant is what became of a mistake, in words.
func describeMutant(m *report.Mutant) string {
	text := m.Result
	if len(m.By) > 0 {
		text += " by " + human.First(m.By, 3)
	}
	if m.Reason != "" {
		text += ", " + m.Reason
	}
	return text
}

// try fuzzes a mistake as a pull request on top of the change: first for a share of its time, then for all of it if that was not enough.
func (r *run) try(ctx context.Context, p *planted, m *report.Mutant, seeds []string) {
	check := &r.o.SelfCheck
	for _, share := range []uint64{firstRound, 1} {
		if ctx.Err() != nil {
			m.Result, m.Reason = report.Untried, "the run ended before"
			return
		}
		quiet := progress.NewLog(io.Discard, r.o.Now)
		e, err := r.change.Edited(ctx, p.file, p.text, quiet)
		if err != nil {
			m.Result, m.Reason = report.Untried, human.OneLine(err)
			if change.IsRefused(err) {
				m.Result = report.Invalid
			}
			return
		}
		if r.change.SameCode(e) {
			m.Result, m.Reason = report.Equivalent, "the compiler makes the same code of it"
			return
		}
		o := *r.o
		o.Log, o.Output, o.SelfCheck = quiet, Output{}, SelfCheck{}
		o.Gate = Gate{FailOn: r.o.Gate.FailOn, AllowStarved: true}
		o.Campaign.CorpusDir, o.Campaign.Deadline = "", time.Time{}
		o.Campaign.Timeout, o.Campaign.Calls = check.Timeout/time.Duration(share), check.Calls/share
		of := begin(&o, e)
		of.seeds = seeds
		head, recipe, err := deploy.Edited(ctx, e, r.head.Deployment, r.head.Recipe)
		if err == nil {
			err = of.deployed(head, recipe)
		}
		if err == nil {
			err = of.work(ctx)
		}
		if err != nil {
			m.Result, m.Reason = report.Untried, human.OneLine(err)
			return
		}
		report.Decide(of.report)
		of.foundryTests()
		of.judgeMutant(m)
		if m.Result == report.Caught {
			return
		}
	}
	if m.Result == report.Missed && r.change.SameOptimized(ctx, p.file, p.text) {
		m.Result, m.Reason = report.Equivalent, "the optimizer makes the same code of it"
	}
}

// judgeMutant says what the report of a planted mistake makes of it.
func (r *run) judgeMutant(m *report.Mutant) {
	of := r.report
	m.Result, m.Reason, m.By, m.Message, m.Test, m.Executions = report.Missed, "", nil, "", nil, of.Stats.Executions
	say := func(result, by, message string, test *report.FoundryTest) {
		if m.Result == report.Missed {
			m.Result, m.Message = result, message
		}
		if !slices.Contains(m.By, by) {
			m.By = append(m.By, by)
		}
		if m.Test == nil && test != nil && test.Fails {
			m.Test = test
		}
	}
	for _, f := range of.Gating() {
		say(report.Caught, f.Oracle, f.Title, f.Test)
	}
	if m.Result == report.Caught {
		return
	}
	for i := range of.Findings {
		if f := &of.Findings[i]; f.Novelty == report.Introduced {
			say(report.Noted, f.Oracle, f.Title, f.Test)
		}
	}
	if of.Effect != nil {
		for i := range of.Effect.Behaviors {
			say(report.Noted, oracle.Behavior, of.Effect.Behaviors[i].Describe(), nil)
		}
	}
	if m.Result == report.Noted {
		return
	}
	unreachable, reached := 0, 0
	for i := range of.Lines {
		switch of.Lines[i].Status {
		case report.Unreachable:
			unreachable++
		case report.Reached, report.OnlyReverts:
			reached++
		}
	}
	switch {
	case len(of.Lines) > 0 && unreachable == len(of.Lines):
		m.Result, m.Reason = report.Equivalent, "the line was proved unreachable"
	case reached == 0:
		m.Reason = "no call reached it"
	}
}

// textsOf are sequences as text, by which another version of the code has them.
func textsOf(space *input.Space, suite []input.Packed) (texts []string) {
	for _, packed := range suite {
		if !packed.IsTest() {
			texts = append(texts, input.Format(space, packed.Unpack()))
		}
	}
	return texts
}

// fitting are the sequences of texts that a space has.
func fitting(space *input.Space, texts []string) (seqs []input.Sequence) {
	for _, text := range texts {
		if seq, err := input.Parse(space, text); err == nil && len(seq) > 0 {
			seqs = append(seqs, seq)
		}
	}
	return seqs
}
