package compare

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// Behavior is what a function does otherwise than on the base, with the shortest calls that were
// found to show it, the last of which does. It was seen on go-ethereum, on both sides.
type Behavior struct {
	Difference
	Contract string // of the instance that is called, qualified
	Function *input.Function
	Sequence input.Sequence // in the Space of [Sides.Head]
	Steps    []report.Step  // what its calls do on the head
	// Through are the functions with changed code that the call executes on the head, "Vault._burn",
	// in order, where it is none of them; none: what it does otherwise comes from the state, or from
	// code that was removed.
	Through []string
	// Anyone reports whether an outsider makes all calls.
	Anyone bool
	First  fuzzer.Mark // when it was seen
	// Answer is what shows afterwards what the calls leave otherwise, where that was asked for; nil: nothing does, or the last call shows it.
	Answer *fuzzer.Answer
	// Now and Before are what it does on the head and on the base.
	Now, Before string
	// Meant is what an oracle makes of it that tests of the head contradict, Tests; nil: nothing.
	Meant *oracle.Oracle
	Tests []string // "VaultTest.testHarvestByAnyone()"
}

// sightingKey identifies a behavior.
type sightingKey struct {
	instance int
	function *input.Function
	kind     Kind
	detail   string
}

// sighting is how a behavior was seen.
type sighting struct {
	key      sightingKey
	sequence input.Sequence
	first    fuzzer.Mark
}

// maxSightings bounds the behaviors that are kept of a search, and maxBehaviors those that are
// made short and reported. Arbitrary: more than is read.
const (
	maxSightings = 512
	maxBehaviors = 48
)

// runner makes calls of the head on the base, and keeps what differs. It is the [fuzzer.Other] of
// a campaign.
type runner struct {
	*Sides
	watch    *watch
	machine  evm.Machine // on the base
	carried  input.Sequence
	encoded  evm.Sequence
	sighted  map[sightingKey]*sighting
	sighting []*sighting // in the order in which they were first seen
}

func (s *Sides) newRunner(w *watch) (*runner, error) {
	machine, err := s.Base.NewInterpreter()
	return &runner{Sides: s, watch: w, machine: machine, sighted: map[sightingKey]*sighting{}}, err
}

// Run implements [fuzzer.Other].
func (r *runner) Run(seq input.Sequence, exec *evm.Execution) (*evm.Execution, uint64, error) {
	r.watch.seeHead(seq, exec)
	r.carried = r.carry(seq, r.carried)
	if len(r.carried) == 0 {
		return nil, 0, nil
	}
	r.encoded = r.Base.Space.Encode(r.carried, r.encoded)
	there, err := r.machine.Run(r.encoded)
	if err != nil {
		return nil, 0, err
	}
	ran := r.compare(seq, exec, there)
	r.watch.see(ran)
	d := ran.first
	if d == nil {
		more, ok := ran.costs()
		if !ok {
			return there, 0, nil
		}
		d = &more
	}
	key := sightingOf(seq, d)
	switch known := r.sighted[key]; {
	case known != nil && len(known.sequence) > d.Call+1:
		known.sequence = seq[:d.Call+1].Clone()
	case known == nil && len(r.sighted) < maxSightings:
		s := &sighting{key, seq[:d.Call+1].Clone(), ran.at}
		r.sighted[key] = s
		r.sighting = append(r.sighting, s)
	}
	return there, key.hash(), nil
}

func sightingOf(seq input.Sequence, d *Difference) sightingKey {
	call := &seq[d.Call]
	return sightingKey{call.Instance, call.Function, d.Kind, d.Detail}
}

// hash is never 0.
func (k *sightingKey) hash() uint64 {
	h := fnv.New64a()
	for _, part := range []string{strconv.Itoa(k.instance), k.function.Signature, string(k.kind), k.detail} {
		h.Write([]byte(part)) // never fails
		h.Write([]byte{0})
	}
	return h.Sum64() | 1
}

// Effect is what a search for differences has found.
type Effect struct {
	Behaviors []*Behavior       // the most important first
	Findings  []*fuzzer.Finding // what oracles make of them
	// Meant are the tests of the head that contradict findings, see [Behavior].
	Meant      map[*fuzzer.Finding][]string
	Executions uint64 // sequences that ran on both sides
	// Alone are findings that take calls which the base has not: what comes before these breaks nothing there.
	Alone map[*fuzzer.Finding]bool
	// Permissions are of the variables that anyone changes, on any side.
	Permissions []*Permission
	// Dropped counts what oracles saw and did not report.
	Dropped map[Dropped]int
}

// Search looks for what functions do otherwise than on the base: in the inputs that a campaign
// on the head has kept, and with a campaign in which every input runs on both sides and an input
// that makes them differ in a new way is kept.
func (s *Sides) Search(ctx context.Context, budget *Budget, suite []input.Packed, log *progress.Log) (*Effect, error) {
	var runners []*runner
	config := budget.search()
	log.Line("compare what base and head do in the same calls, limit %s", describeLimit(&config, 1))
	config.World, config.Space, config.Table, config.NewMachine, config.NewJudge = s.Head.World, s.Head.Space.WithOutsider(), s.Head.Table, s.Head.NewMachine, s.Head.NewMachine
	config.Oracles, config.Ways = nil, 0
	watch, err := s.newWatch(budget.Oracles, config.Now)
	if err != nil {
		return nil, err
	}
	config.NewOther = func() (fuzzer.Other, error) {
		r, err := s.newRunner(watch)
		runners = append(runners, r)
		return r, err
	}
	fast, err := s.fast()
	if err != nil {
		return nil, err
	}
	judges, err := s.reference()
	if err != nil {
		return nil, err
	}
	s.deciding, s.gas, s.asks = s.findDeciding(judges.head), budget.SameBuilds, budget.Asks
	if config.Seeds, err = s.seeds(ctx, &config, budget.Saved, suite, watch, fast); err != nil {
		return nil, err
	}
	result, err := (&fuzzer.Campaign{Config: config}).Run(ctx)
	if err != nil {
		return nil, err
	}
	if len(result.Faults) > 0 {
		log.Warn("while base and head were compared, the tool failed: %s", human.Printable(result.Faults[0].Message))
	}
	if err := watch.lookAgain(ctx, budget, suite, fast); err != nil {
		return nil, err
	}
	e := &Effect{Executions: result.Stats.Executions, Alone: watch.alone}
	e.Behaviors = s.behaviors(runners, fast, judges)
	e.Permissions = watch.table.permissions(fast, judges)
	if budget.Oracles.Has(oracle.PermissionWidened.ID) {
		e.Findings = s.findings(e.Behaviors, judges)
	}
	all := append(e.Findings, watch.proved(fast, judges)...)
	e.Findings = judges.withoutSpokenFor(all, watch.takes)
	for _, f := range all {
		if !slices.Contains(e.Findings, f) {
			watch.dropped[Dropped{f.Oracle.ID, "another finding says it"}]++
		}
	}
	e.Dropped = watch.dropped
	for _, f := range e.Findings {
		if f.First == (fuzzer.Mark{}) {
			f.First = watch.mark // what looks back at all of it has seen it
		}
	}
	if e.Meant, err = s.meant(ctx, e.Findings, judges); err != nil {
		log.Warn("whether tests contradict what was found could not be tried: %s", human.OneLine(err))
	}
	e.Behaviors = withoutLesser(judges.withMeant(e))
	inOrder(e.Behaviors, judges.isAside)
	return e, nil
}

// seeds are what a search begins with: what was saved, what the base refuses, exercises of tokens, and variations of what the campaign has kept.
func (s *Sides) seeds(ctx context.Context, config *fuzzer.Config, saved []input.Sequence, suite []input.Packed, watch *watch, fast *pair) ([]input.Sequence, error) {
	calls, err := s.sortSuite(suite, watch)
	if err != nil {
		return nil, err
	}
	refused, err := s.aimAtGone(ctx, config, slices.Concat(calls.entering, calls.changing))
	if err != nil {
		return nil, err
	}
	return slices.Concat(saved, refused, watch.exercise(calls, fast, config.Seed), s.variations(calls, fast, watch.seeBoth), calls.failing, calls.entering), nil
}

// inOrder sorts behaviors, the most important first: what tests mean, then what is not left to the end (isAside).
func inOrder(all []*Behavior, isAside func(*Behavior) bool) {
	aside := map[*Behavior]int{}
	for _, b := range all {
		if isAside(b) {
			aside[b] = 1
		}
	}
	slices.SortStableFunc(all, func(a, b *Behavior) int {
		return cmp.Or(cmp.Compare(min(1, len(b.Tests)), min(1, len(a.Tests))), cmp.Compare(aside[a], aside[b]),
			cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(len(a.Through), len(b.Through)))
	})
}

// isAside reports whether a behavior says little of the change to who reads it: what a dependency's function does otherwise, such
// as a proxy's administration that hands a call on, and what comes after code was put into a proxy by who may do that.
func (p *pair) isAside(b *Behavior) bool {
	if c := p.Head.Space.Instances[b.Sequence[b.Call].Instance].Contract; c != nil {
		if role, _ := world.RoleOf(c); role == world.Dependency {
			return true
		}
	}
	if b.Anyone {
		return false
	}
	head, base, _, ok := p.run(b.Sequence)
	return ok && (upgrades(head) || upgrades(base))
}

// upgrades reports whether a call writes which code a proxy runs, or tries to.
func upgrades(exec *evm.Execution) bool {
	for i := range exec.Frames {
		if slices.ContainsFunc(exec.Frames[i].Storage, func(a evm.StorageAccess) bool {
			return a.Write && slices.Contains(proxySlots, common.Hash(a.Slot.Bytes32()))
		}) {
			return true
		}
	}
	return false
}

// withoutLesser leaves out calls that succeed, and not on the base, where another of the same function that
// fails there alike changes more, and what functions cost that do something else as well.
func withoutLesser(all []*Behavior) []*Behavior {
	return slices.DeleteFunc(slices.Clone(all), func(b *Behavior) bool {
		if b.Kind == Costs && slices.ContainsFunc(all, func(other *Behavior) bool {
			return other.Kind != Costs && other.Contract == b.Contract && other.Function == b.Function
		}) {
			return true
		}
		return b.Kind == Succeeds && b.Meant == nil && slices.ContainsFunc(all, func(other *Behavior) bool {
			return other != b && other.Kind == Succeeds && other.Contract == b.Contract && other.Function == b.Function && other.failed == b.failed &&
				len(other.Changes) > len(b.Changes)
		})
	})
}

// maxRerun bounds the entries of a suite that are looked at again. Arbitrary: a tenth of a second.
const maxRerun = 1 << 12

// sortSuite runs the inputs of a suite on the head. Those whose last call executes no changed code have no reason
// to differ.
func (s *Sides) sortSuite(suite []input.Packed, watch *watch) (*suiteCalls, error) {
	machine, err := s.Head.NewInterpreter()
	if err != nil {
		return nil, err
	}
	calls := &suiteCalls{}
	var encoded evm.Sequence
	step := max(1, len(suite)/maxRerun)
	for i := 0; i < len(suite); i += step {
		seq := suite[i].Unpack()
		if input.IsTest(seq) {
			continue
		}
		encoded = s.Head.Space.Encode(seq, encoded)
		exec, err := machine.Run(encoded)
		if err != nil {
			return nil, err
		}
		s.deciding.note(exec)
		fails := watch.note(seq, exec)
		calls.note(seq, exec, len(s.entered(exec, len(seq)-1)) > 0, fails)
	}
	return calls, nil
}

// entered lists where changed code begins that a call executed on the head, in order.
func (s *Sides) entered(exec *evm.Execution, call int) []bytecode.Location {
	var entered []bytecode.Location
	for _, c := range exec.Covered {
		if c.Call != call {
			continue
		}
		if p := s.Head.Table.Program(c.Code); p != nil {
			if at := (bytecode.Location{Code: c.Code, PC: p.Blocks[c.Block].Start}); s.changed[at] {
				entered = append(entered, at)
			}
		}
	}
	return entered
}

// behaviors makes what was seen short, and keeps what go-ethereum shows as well.
func (s *Sides) behaviors(runners []*runner, fast, judges *pair) []*Behavior {
	var all []*sighting
	for _, r := range runners {
		for _, seen := range r.sighting {
			if s.counts(&seen.key) {
				all = append(all, seen)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *sighting) int {
		return cmp.Compare(slices.Index(kinds, a.key.kind), slices.Index(kinds, b.key.kind))
	})
	known := map[sightingKey]bool{}
	var found []*Behavior
	for _, seen := range all {
		if known[seen.key] || len(found) == maxBehaviors {
			continue
		}
		known[seen.key] = true
		if b := fast.shorten(seen, judges); b != nil {
			if s.asks {
				b.Answer = fast.ask(b)
			}
			found = append(found, b)
		}
	}
	return found
}

// counts reports whether what a function does is worth a note: it is of the project, and ships, or is the
// mock through which changed code that ships is called.
func (s *Sides) counts(key *sightingKey) bool {
	c := s.Head.Space.Instances[key.instance].Contract
	if key.function.Test || key.function.Property || key.function.Noted {
		return false
	}
	return c != nil && s.ships(c)
}

// ships reports whether a contract of the head is of the project, and ships, or is the mock through which
// changed code that ships is called.
func (s *Sides) ships(c *bytecode.Contract) bool {
	if c.Generated || world.IsHarness(c) {
		return false
	}
	role, _ := world.RoleOf(c)
	return role == world.UnderTest || role == world.Dependency || role == world.Mock && s.holders[c.QualifiedName()]
}
