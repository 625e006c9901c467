package compare

import (
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// headSide is the head that findings are of.
type headSide struct {
	*deploy.Deployment
	judge   evm.Machine
	exempt  func(bytecode.Location) bool
	changed []bytecode.Location // where changed code begins
}

// breaks reports whether the last call of a sequence shows the finding on the head.
func (h *headSide) breaks(f *fuzzer.Finding, seq input.Sequence) (*evm.Execution, bool) {
	if len(seq) == 0 {
		return nil, false
	}
	config := Judging(h.Deployment)
	config.Exempt = h.exempt
	exec, observed, err := fuzzer.Replay(h.judge, config, seq)
	return exec, err == nil && slices.ContainsFunc(observed, func(o fuzzer.Observed) bool {
		return o.Oracle == f.Oracle.ID && o.Location == f.Location && o.Call == len(seq)-1
	})
}

// unprivileged is a sequence of a finding with the attacker, who has no role in any World,
// in place of all senders that need not be who they are. The minimizer prefers the
// deployer, which says nothing about who can cause a failure.
func (h *headSide) unprivileged(f *fuzzer.Finding, seq input.Sequence) input.Sequence {
	attacker := h.attacker()
	if attacker < 0 || input.IsTest(seq) {
		return seq
	}
	replace := func(seq input.Sequence, which func(i int) bool) (input.Sequence, bool) {
		other := seq.Clone()
		for i := range other {
			if which(i) && !other[i].Function.Property && !other[i].Function.Noted {
				other[i].Sender = attacker
			}
		}
		_, breaks := h.breaks(f, other)
		return other, breaks
	}
	if other, ok := replace(seq, func(int) bool { return true }); ok {
		return other
	}
	for at := range seq {
		if other, ok := replace(seq, func(i int) bool { return i == at }); ok {
			seq = other
		}
	}
	return seq
}

// changedIn lists where changed code begins that an execution ran.
func (h *headSide) changedIn(exec *evm.Execution) []bytecode.Location {
	return slices.DeleteFunc(fuzzer.Entered(h.Table, exec), func(at bytecode.Location) bool { return !slices.Contains(h.changed, at) })
}

// isOtherWay reports whether a sequence that breaks the base breaks the head as well, and
// runs less of the changed code than the candidate's.
func (h *headSide) isOtherWay(e *candidate, old input.Sequence) bool {
	exec, breaks := h.breaks(e.finding, old)
	if !breaks {
		return false
	}
	ran := h.changedIn(exec)
	exec, _ = h.breaks(e.finding, e.sequence)
	return slices.ContainsFunc(h.changedIn(exec), func(at bytecode.Location) bool { return !slices.Contains(ran, at) })
}

// adopt makes a candidate's sequence the one of its finding.
func (h *headSide) adopt(e *candidate) {
	exec, ok := h.breaks(e.finding, e.sequence)
	if ok {
		e.finding.Sequence, e.finding.Path = e.sequence, fuzzer.Entered(h.Table, exec)
	}
}

// wayProbes bounds what shortening one way costs, in replays on both sides. Arbitrary: a
// fifth of a millisecond each.
const wayProbes = 512

// maxNewWays is how many ways to one finding are tried on the base beyond their own
// calls. Arbitrary.
const maxNewWays = 4

// maxFunctions is how many functions of a contract are tried in place of the one that
// fails. Arbitrary: far more than contracts have that share code.
const maxFunctions = 100

// byOtherFunctions are the ways to a finding by other functions of the contract that its
// last call calls, with what the finding gives to that one: a campaign that has seen code
// fail has no reason to come to it by another function.
func (h *headSide) byOtherFunctions(f *fuzzer.Finding) []input.Sequence {
	if len(f.Sequence) == 0 || input.IsTest(f.Sequence) {
		return nil
	}
	var ways []input.Sequence
	last := &f.Sequence[len(f.Sequence)-1]
	functions := h.Space.Instances[last.Instance].Functions
	for _, function := range functions[:min(len(functions), maxFunctions)] {
		if function == last.Function || function.Kind != input.Method || last.Function.Kind != input.Method {
			continue
		}
		other := f.Sequence.Clone()
		call := &other[len(other)-1]
		call.Function, call.Args = function, convert(last.Function, function, last.Args)
		if !function.Payable {
			call.Value.Clear()
		}
		if h.Space.Validate(other) != nil {
			continue
		}
		if _, breaks := h.breaks(f, other); breaks {
			ways = append(ways, other)
		}
	}
	return ways
}

// needsSomebody reports whether a candidate's calls take another sender than the attacker.
func (h *headSide) needsSomebody(e *candidate) bool {
	return !input.IsTest(e.sequence) && h.attacker() >= 0 && slices.ContainsFunc(e.sequence, func(call input.Call) bool {
		return !call.Function.Property && !call.Function.Noted && call.Sender != h.attacker() && !h.Space.IsOutsider(call.Sender)
	})
}

// attacker is the sender without any role; −1 where the Space has none.
func (h *headSide) attacker() int {
	return slices.IndexFunc(h.Space.Senders, func(s evm.Sender) bool { return s.Address == world.Attacker.Address })
}

// blockOf is where the block of an instruction begins.
func (h *headSide) blockOf(at bytecode.Location) bytecode.Location {
	p := h.Table.Program(at.Code)
	if block, ok := p.BlockOf(at.PC); ok {
		at.PC = p.Blocks[block].Start
	}
	return at
}

// byAnySender are the ways to a finding by the attacker alone, where those that are known take
// another sender: a campaign on the head looks for them, with a share of the budget.
func (c *comparison) byAnySender(old *candidate) []input.Sequence {
	f, h := old.finding, c.head
	if !h.needsSomebody(old) || c.ctx.Err() != nil {
		return nil
	}
	w := *h.World
	w.Senders = []evm.Sender{world.Attacker}
	for i, sender := range h.Space.Senders {
		if h.Space.IsOutsider(i) {
			w.Senders = append(w.Senders, sender)
		}
	}
	space, err := input.NewSpace(&w, h.Space.Options)
	if err != nil {
		return nil // the finding stays what it is
	}
	config := c.budget.limits(2 * c.searches)
	config.World, config.Space, config.Table, config.NewMachine, config.NewJudge = &w, space, h.Table, h.NewMachine, h.NewJudge
	config.Exempt = c.budget.Config.Exempt
	config.Targets = []bytecode.Target{{Entries: []bytecode.Location{h.blockOf(f.Location)}, Contract: f.Contract}}
	for _, seq := range append([]input.Sequence{old.sequence}, f.Ways...) {
		seq = seq.Clone()
		for i := range seq {
			if !h.Space.IsOutsider(seq[i].Sender) {
				seq[i].Sender = h.attacker()
			}
		}
		if there := inSpace(h.Space, space, seq); there != nil {
			config.Seeds = append(config.Seeds, there)
		}
	}
	c.log.Line("base    looking for a way to an old failure that any sender can take, limit %s", describeLimit(&config, c.searches))
	result, err := (&fuzzer.Campaign{Config: config}).Run(c.ctx)
	if err != nil {
		return nil
	}
	var ways []input.Sequence
	for _, g := range result.Findings {
		if g.Oracle == f.Oracle && g.Location == f.Location {
			for _, seq := range append([]input.Sequence{g.Sequence}, g.Ways...) {
				ways = append(ways, inSpace(space, h.Space, seq))
			}
		}
	}
	return ways
}

// otherWays are the ways to a finding whose own calls do not fail on the base.
func (c *comparison) otherWays(old *candidate) []*candidate {
	f := old.finding
	var ways []*candidate
	for _, seq := range slices.Concat(f.Ways, c.head.byOtherFunctions(f), c.byAnySender(old)) {
		if len(ways) == maxNewWays || c.ctx.Err() != nil {
			break
		}
		isNew := func(seq input.Sequence) bool {
			if _, breaks := c.head.breaks(f, seq); !breaks {
				return false
			}
			e := &candidate{finding: f, sequence: seq}
			_, same, err := c.fails(c.base.toBase(c.head.Space, c.base.Deployment.Space, seq), e)
			return err == nil && !same
		}
		seq = c.head.unprivileged(f, seq)
		if !isNew(seq) {
			continue
		}
		probes := wayProbes
		seq = fuzzer.Minimize(c.head.Space, seq, func(seq input.Sequence) bool {
			probes--
			return probes >= 0 && c.ctx.Err() == nil && isNew(seq)
		})
		if slices.ContainsFunc(ways, func(e *candidate) bool { return e.sequence.Equal(seq) }) {
			continue
		}
		e := c.begin(f)
		e.sequence = seq
		c.tryOwn(e)
		ways = append(ways, e)
	}
	return ways
}

// group are candidates that call the same functions by the same senders, with a Space of
// the base that has only these.
type group struct {
	key        string
	world      *evm.World
	space      *input.Space
	candidates []*candidate
}

// newGroup makes the Space for the calls of a candidate.
func (c *comparison) newGroup(e *candidate) (*group, error) {
	d := c.base.Deployment
	functions, senders := map[string]bool{}, map[string]bool{}
	var names []string
	e.carried.sequence.Each(func(call *input.Call) {
		functions[d.Space.Instances[call.Instance].Name+"."+call.Function.Signature] = true
		senders[d.Space.Senders[call.Sender].Name] = true
	})
	for name := range functions {
		names = append(names, name)
	}
	slices.Sort(names)
	g := &group{world: d.World, candidates: []*candidate{e}}
	if !input.IsTest(e.carried.sequence) {
		w := *d.World
		w.Senders = slices.DeleteFunc(slices.Clone(w.Senders), func(s evm.Sender) bool { return !senders[s.Name] })
		for _, s := range w.Senders {
			names = append(names, s.Name)
		}
		g.world = &w
	}
	g.key = strings.Join(names, " ")
	options := d.Space.Options
	options.Called = func(in *evm.Instance, f *input.Function) bool { return functions[in.Name+"."+f.Signature] }
	var err error
	g.space, err = input.NewSpace(g.world, options)
	return g, err
}

// inSpace is a sequence in another Space of the same World; nil where it does not fit.
func inSpace(from, to *input.Space, seq input.Sequence) input.Sequence {
	there, err := input.Parse(to, input.Format(from, seq))
	if err != nil {
		return nil
	}
	return there
}
