package compare

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// BaseShare is the part of the campaign's budget that is spent on the base in addition to
// it, before a finding counts as not reproduced there (a tenth, as documented).
const BaseShare = 10

// Rounds is how often that share is spent at most: once on what the findings' own calls
// lead to; then half of it on looking for other ways to those that turn out to be old, and
// half on these ways.
const Rounds = 2

// Shares is how often it is spent at most, with the search for what base and head do differently.
const Shares = Rounds + 1

// MaxWays is how many other ways a campaign keeps of a finding. Arbitrary: each costs two
// replays here.
const MaxWays = 16

// minCalls is the least budget of that campaign in calls: one sequence of the usual
// length (Harvey, section 5).
const minCalls = 8

// Budget is what the campaign on the base may use, and what it begins with.
type Budget struct {
	// Config is that of the head's campaign. The base gets its oracles, schedule, seed and
	// workers, and a [BaseShare] of its limits.
	Config fuzzer.Config
	// Spent is what the head's campaign has used of its limits.
	Spent fuzzer.Stats
	// Saved are the inputs that the head's campaign began with.
	Saved []input.Sequence
	// Oracles are those that watch where base and head run the same calls.
	Oracles oracle.Choice
	// SameBuilds reports whether both sides are compiled alike, so that what calls cost can be compared.
	SameBuilds bool
	// Asks has behaviors say what shows them afterwards, see [Behavior.Answer].
	Asks bool
}

// Findings compares each finding with the base. added reports whether the change adds the file of
// a contract, given by its qualified name. why is the reason where it has no World; b
// is nil where it has no build either. A finding that was there, and that the change adds
// a way to, gets that way's sequence.
func Findings(ctx context.Context, findings []*fuzzer.Finding, head *deploy.Deployment, b *Base, why error, added func(contract string) bool, budget *Budget, log *progress.Log) map[*fuzzer.Finding]Result {
	known := map[*fuzzer.Finding]Result{}
	if b == nil {
		for _, f := range findings {
			e := evidence{contract: f.Contract, added: added(f.Contract), there: !added(f.Contract), noWorld: fmt.Sprint(why)}
			known[f] = e.decide()
		}
		return known
	}
	c := &comparison{ctx: ctx, base: b, added: added, budget: budget, log: log}
	if err := c.takeHead(head); err != nil && why == nil {
		why = err
	}
	var first []*candidate
	for _, f := range findings {
		e := c.begin(f)
		if why != nil {
			e.noWorld = why.Error()
		} else if e.there {
			e.sequence = c.head.unprivileged(f, f.Sequence)
			c.tryOwn(e)
		}
		first = append(first, e)
	}
	c.tryOthers(first, 1)
	var second []*candidate
	for _, e := range first {
		known[e.finding] = e.decide()
	}
	for _, e := range first {
		if known[e.finding].Is == report.PreExisting && c.head.needsSomebody(e) {
			c.searches++
		}
	}
	for _, e := range first {
		switch {
		case known[e.finding].Is == report.PreExisting:
			second = append(second, c.otherWays(e)...)
		case known[e.finding].Is == report.Introduced && len(e.by) > 0:
			c.head.adopt(e) // who can cause it is what is new
		}
	}
	c.tryOthers(second, 2)
	for _, e := range second {
		if result := e.decide(); result.Is == report.Introduced && known[e.finding].Is == report.PreExisting {
			known[e.finding] = introduced("it broke before, but not in this way: %s", result.Reason)
			c.head.adopt(e)
		}
	}
	return known
}

// comparison is a comparison of findings with the base under way.
type comparison struct {
	ctx    context.Context
	base   *Base
	head   *headSide
	budget *Budget
	log    *progress.Log
	added  func(contract string) bool

	searches int // for ways that any sender can take: they share a part of the budget
}

func (c *comparison) takeHead(d *deploy.Deployment) error {
	judge, err := d.NewJudge()
	c.head = &headSide{Deployment: d, judge: judge, exempt: c.budget.Config.Exempt}
	for _, t := range c.budget.Config.Targets {
		c.head.changed = append(c.head.changed, t.Entries...)
	}
	return err
}

// candidate is a way to a finding with the evidence from the base.
type candidate struct {
	evidence
	finding  *fuzzer.Finding
	sequence input.Sequence // on the head
	carried  carried        // on the base
}

// begin looks for a finding's contract and code on the base.
func (c *comparison) begin(f *fuzzer.Finding) *candidate {
	b := c.base
	e := &candidate{finding: f, sequence: f.Sequence}
	e.contract, e.project, e.there = f.Contract, b.sideOf(f.Contract) >= 0, b.deployable(f.Contract)
	e.leftOut = b.leftOut(f.Contract)
	e.added = c.added != nil && c.added(f.Contract)
	_, e.located = c.head.Positions.TextAt(f.Location)
	e.otherWorld = b.otherWorld
	s := b.statements[f]
	e.textual, e.places = textual(f.Contract, &b.code), len(s.same)+len(s.edited)
	e.edited = len(s.same) == 0
	return e
}

// deployable reports whether the base has a contract with code: an abstract one has none.
func (b *Base) deployable(name string) bool {
	contract := b.code.Contract(name)
	return contract != nil && contract.Creation != nil
}

// tryOwn makes the finding's own calls.
func (c *comparison) tryOwn(e *candidate) {
	e.carried = c.base.toBase(c.head.Space, c.base.Deployment.Space, e.sequence)
	e.takes, e.missing = e.carried.takes, e.carried.missing
	for i := range e.sequence {
		if name := c.head.Space.Senders[e.sequence[i].Sender].Name; c.base.isAbsent(name) {
			e.absent = name
		}
	}
	exec, same, err := c.fails(e.carried, e)
	switch {
	case err != nil:
		e.fault = err.Error()
	case same:
		e.same = true
	case exec == nil:
		e.outcome = "cannot be made"
	default:
		e.outcome = "succeeds"
		if last := exec.Calls[len(exec.Calls)-1]; last.Outcome != evm.Success {
			e.outcome = "reverts: " + last.Reason()
		}
	}
	own := e.finding.Sequence
	if e.same || own.Equal(e.sequence) || !own.Equal(withSenders(e.sequence, own)) {
		return
	}
	if _, same, _ := c.fails(c.base.toBase(c.head.Space, c.base.Deployment.Space, own), e); same {
		for _, call := range own {
			if name := c.head.Space.Senders[call.Sender].Name; !slices.Contains(e.by, name) {
				e.by = append(e.by, name)
			}
		}
	}
}

// withSenders is a sequence by the senders of another one, as far as that goes.
func withSenders(seq, senders input.Sequence) input.Sequence {
	changed := seq.Clone()
	for i := range changed[:min(len(seq), len(senders))] {
		changed[i].Sender = senders[i].Sender
	}
	return changed
}

// fails reports whether calls on the base fail as the finding does, in a call of the
// function that fails on the head.
func (c *comparison) fails(calls carried, e *candidate) (*evm.Execution, bool, error) {
	if len(calls.sequence) == 0 {
		return nil, false, nil
	}
	exec, observed, err := c.base.replay(c.base.Deployment.Space, calls.sequence)
	if err != nil {
		return nil, false, err
	}
	last := e.sequence[len(e.sequence)-1]
	same := slices.ContainsFunc(observed, func(o fuzzer.Observed) bool {
		return e.sequence[calls.calls[o.Call]].Function == last.Function && c.base.alike(o, e.finding, &c.head.Build)
	})
	return exec, same, nil
}

// tryOthers tries other arguments of the candidates' calls: those of saved inputs, and
// those that a campaign on the base comes to from them, with one of so many parts of the
// base's share.
func (c *comparison) tryOthers(candidates []*candidate, parts int) {
	var groups []*group
	for _, e := range candidates {
		if !e.there || e.noWorld != "" || e.same || e.fault != "" || len(c.base.statements[e.finding].same) == 0 || len(e.carried.sequence) == 0 {
			continue
		}
		g, err := c.newGroup(e)
		if err != nil {
			e.fault = err.Error()
			continue
		}
		if at := slices.IndexFunc(groups, func(other *group) bool { return other.key == g.key }); at >= 0 {
			groups[at].candidates = append(groups[at].candidates, e)
		} else {
			groups = append(groups, g)
		}
	}
	for _, g := range groups {
		c.trySaved(g)
		c.tryLater(g)
	}
	groups = slices.DeleteFunc(groups, func(g *group) bool {
		g.candidates = slices.DeleteFunc(g.candidates, func(e *candidate) bool { return e.others })
		return len(g.candidates) == 0
	})
	if len(groups) == 0 {
		return
	}
	count := 0
	for _, g := range groups {
		count += len(g.candidates)
	}
	for i, g := range groups {
		config := c.budget.share(c.base, g, len(groups)*parts)
		if i == 0 {
			c.log.Line("base    trying to reproduce %s there, limit %s", human.Plural(count, "finding"), describeLimit(&config, len(groups)))
		}
		c.fuzz(g, config)
	}
}

// trySaved tries the saved inputs, as the campaign did on the head, as far as they are
// calls of the group. They are few (fuzzer.Corpus.Trim), and not part of the base's share.
func (c *comparison) trySaved(g *group) {
	for _, saved := range c.budget.Saved {
		if c.ctx.Err() != nil {
			return
		}
		for _, e := range g.candidates {
			seq := c.base.toBase(c.head.Space, g.space, e.bySenders(saved)).sequence
			if len(seq) == 0 {
				continue
			}
			if c.breaks(g, e, seq) {
				c.take(g, e, seq)
			}
		}
	}
}

// tryLater makes the candidates' own calls later: where the head does at once what the base does once its time has come, all of them
// have to wait, and mutants seldom make them.
func (c *comparison) tryLater(g *group) {
	for _, e := range g.candidates {
		for _, seq := range g.space.Later(c.base.toBase(c.head.Space, g.space, e.sequence).sequence) {
			if e.others || c.ctx.Err() != nil {
				break
			}
			if c.breaks(g, e, seq) {
				c.take(g, e, seq)
			}
		}
	}
}

// bySenders is a sequence of the head with the senders by which the finding calls the same
// functions: the group knows no others.
func (e *candidate) bySenders(seq input.Sequence) input.Sequence {
	changed := seq.Clone()
	for i := range changed {
		for _, call := range e.sequence {
			if call.Instance == changed[i].Instance && call.Function == changed[i].Function {
				changed[i].Sender = call.Sender
				break
			}
		}
	}
	return changed
}

// shows reports whether something that was observed on the base is in the code that fails
// on the head.
func (c *comparison) shows(e *candidate, oracle string, at bytecode.Location) bool {
	return oracle == e.finding.Oracle.ID && slices.Contains(placesOf(c.base.statements[e.finding].same), at)
}

// fuzz looks for other arguments that break the places on the base, with a campaign that
// starts from the candidates' calls and aims at those places.
func (c *comparison) fuzz(g *group, config fuzzer.Config) {
	result, err := (&fuzzer.Campaign{Config: config}).Run(c.ctx)
	fault := ""
	switch {
	case err != nil:
		fault = err.Error()
	case c.ctx.Err() != nil:
		fault = "the run was canceled before the base was tried"
	case len(result.Faults) > 0:
		fault = "the tool failed on the base: " + result.Faults[0].Message
	}
	for _, e := range g.candidates {
		if e.fault = fault; fault == "" {
			c.learn(g, e, result)
		}
	}
}

// learn takes what a campaign says of a candidate.
func (c *comparison) learn(g *group, e *candidate, result *fuzzer.Result) {
	e.tried = result.Stats.Executions
	for _, f := range result.Findings {
		if !c.shows(e, f.Oracle.ID, f.Location) || f.Contract != e.finding.Contract {
			continue
		}
		for _, seq := range slices.Concat([]input.Sequence{f.Sequence}, f.Ways) {
			c.take(g, e, seq)
		}
	}
}

// take judges a sequence of the base that breaks the finding's code: whether it is the
// finding's way, or an old one that is there next to it.
func (c *comparison) take(g *group, e *candidate, seq input.Sequence) {
	if e.others {
		return
	}
	seq, ok := c.bySameSenders(g, e, seq)
	if !ok {
		return
	}
	if onHead, whole := c.base.toHead(g.space, c.head.Space, c.needed(g, e, seq), c.became(g, e)); whole && c.head.isOtherWay(e, onHead) {
		e.otherWay = true
		return
	}
	e.others = true
}

// breaks reports whether calls break the finding's code on the base.
func (c *comparison) breaks(g *group, e *candidate, seq input.Sequence) bool {
	_, observed, err := c.base.replay(g.space, seq)
	return err == nil && slices.ContainsFunc(observed, func(o fuzzer.Observed) bool { return c.shows(e, o.Oracle, o.Location) })
}

// needed are those of the calls that break the base without which they do not: other ways of a campaign are as they were
// met, and a call that does not matter may run changed code.
func (c *comparison) needed(g *group, e *candidate, seq input.Sequence) input.Sequence {
	for i := len(seq) - 1; i >= 0 && len(seq) > 1; i-- {
		if fewer := slices.Delete(seq.Clone(), i, i+1); c.breaks(g, e, fewer) {
			seq = fewer
		}
	}
	return seq
}

// bySameSenders gives a sequence the senders with which the finding calls the functions,
// and reports whether it breaks the code still.
func (c *comparison) bySameSenders(g *group, e *candidate, seq input.Sequence) (input.Sequence, bool) {
	breaks := func(seq input.Sequence) bool { return c.breaks(g, e, seq) }
	own := c.base.toBase(c.head.Space, g.space, e.sequence).sequence
	changed, as := seq.Clone(), true
	for i := range changed {
		callers := []int{}
		for _, call := range own {
			if call.Instance == changed[i].Instance && call.Function == changed[i].Function {
				callers = append(callers, call.Sender)
			}
		}
		switch {
		case changed[i].Function.Property || changed[i].Function.Noted || changed[i].Function.Test:
		case len(callers) == 0:
			return nil, false // calls that the finding does not make
		case !slices.Contains(callers, changed[i].Sender):
			changed[i].Sender, as = callers[0], false
		}
	}
	if as {
		return seq, breaks(seq)
	}
	return changed, breaks(changed)
}

// became has the head's functions of the base's, "Instance.signature", that a candidate's
// calls were carried to.
func (c *comparison) became(g *group, e *candidate) map[string]*input.Function {
	became := map[string]*input.Function{}
	calls := c.base.toBase(c.head.Space, g.space, e.sequence)
	for i, call := range calls.sequence {
		became[g.space.Instances[call.Instance].Name+"."+call.Function.Signature] = e.sequence[calls.calls[i]].Function
	}
	return became
}

// share is the configuration of the campaign on the base for one of several groups.
func (b *Budget) share(base *Base, g *group, groups int) fuzzer.Config {
	d, config := base.Deployment, b.limits(groups)
	config.World, config.Space, config.Table, config.NewMachine, config.NewJudge = g.world, g.space, d.Table, d.NewMachine, d.NewJudge
	for _, e := range g.candidates {
		if there := inSpace(d.Space, g.space, e.carried.sequence); there != nil {
			config.Seeds = append(config.Seeds, there)
		}
		config.Targets = append(config.Targets, bytecode.Target{Entries: placesOf(base.statements[e.finding].same), Contract: e.finding.Contract})
	}
	return config
}

// limits are the settings and limits of one of several campaigns that share a part of the
// budget.
func (b *Budget) limits(campaigns int) fuzzer.Config {
	head := &b.Config
	config := fuzzer.Config{
		Oracles: head.Oracles, Schedule: head.Schedule, Without: head.Without,
		Seed: head.Seed, Workers: head.Workers, SeqLen: head.SeqLen, Ways: MaxWays,
		Timeout: head.Timeout / BaseShare / time.Duration(campaigns), Now: head.Now,
	}
	if head.MaxCalls > 0 {
		config.MaxCalls = max(head.MaxCalls/BaseShare/uint64(campaigns), uint64(max(config.SeqLen, minCalls)))
	}
	return config
}

// search are the settings and limits of the search for differences: a share, and half of what the head's campaign has
// left, which ends early once every target is reached. The other half is the user's.
func (b *Budget) search() fuzzer.Config {
	config := b.limits(1)
	config.Timeout += max(0, b.Config.Timeout-time.Duration(b.Spent.Seconds*float64(time.Second))) / 2
	config.MaxCalls += (max(b.Config.MaxCalls, b.Spent.Calls) - b.Spent.Calls) / 2
	return config
}

func describeLimit(c *fuzzer.Config, groups int) string {
	if c.Timeout != 0 {
		return human.Clock((c.Timeout * time.Duration(groups)).Round(time.Second).Seconds())
	}
	return fmt.Sprintf("%s calls", human.Count(c.MaxCalls*uint64(groups)))
}
