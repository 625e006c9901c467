package compare

import (
	"fmt"
	"slices"
	"strings"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/replay"
)

// pair is a machine on each side.
type pair struct {
	*Sides
	head, base evm.Machine
}

// fast makes machines for many runs, and reference those whose answer counts.
func (s *Sides) fast() (*pair, error) {
	return s.pair(func(d *deploy.Deployment) (evm.Machine, error) { return d.NewInterpreter() })
}

func (s *Sides) reference() (*pair, error) { return s.pair((*deploy.Deployment).NewJudge) }

func (s *Sides) pair(machine func(*deploy.Deployment) (evm.Machine, error)) (*pair, error) {
	head, err := machine(s.Head)
	if err != nil {
		return nil, err
	}
	base, err := machine(s.Base)
	return &pair{s, head, base}, err
}

// run makes a sequence on both sides; ok reports whether they differ. The executions are valid
// until the next run, and nil where a machine fails or the base lacks all calls.
func (p *pair) run(seq input.Sequence) (head, base *evm.Execution, d Difference, ok bool) {
	r := p.ran(seq)
	switch {
	case r == nil:
		return nil, nil, d, false
	case r.first == nil:
		d, ok = r.costs()
		return r.head, r.base, d, ok
	}
	return r.head, r.base, *r.first, true
}

// ran makes a sequence on both sides; nil where a machine fails or the base lacks all calls. It is valid
// until the next one.
func (p *pair) ran(seq input.Sequence) *ran {
	carried := p.carry(seq, nil)
	if len(carried) == 0 {
		return nil
	}
	head, err := p.head.Run(p.Head.Space.Encode(seq, nil))
	if err != nil {
		return nil
	}
	base, err := p.base.Run(p.Base.Space.Encode(carried, nil))
	if err != nil {
		return nil
	}
	return p.compare(seq, head, base)
}

// effort is what may still be tried apart from a campaign, and its clock: runs, and work (see [evm.CallResult.Work]), so
// that calls which burn their gas do not take minutes.
type effort struct {
	runs int
	work uint64
}

// triedWork is the work of everything that is tried for one purpose, at most. Arbitrary: about a second.
const triedWork = 1 << 28

// left reports whether another run may be tried.
func (e *effort) left() bool { return e.runs > 0 && e.work > 0 }

// spend counts a run.
func (e *effort) spend(executions ...*evm.Execution) {
	e.runs--
	for _, exec := range executions {
		for i := exec.Reused(); i < len(exec.Calls); i++ {
			e.work -= min(e.work, exec.Calls[i].Work())
		}
	}
}

// try makes a sequence on both sides if there is effort left; nil where there is none, a machine fails, or the base lacks
// all calls.
func (p *pair) try(seq input.Sequence, e *effort) *ran {
	if !e.left() {
		return nil
	}
	r := p.ran(seq)
	if r == nil {
		e.spend()
		return nil
	}
	e.spend(r.head, r.base)
	return r
}

// shows reports whether a sequence's last call shows a behavior.
func (p *pair) shows(key *sightingKey, seq input.Sequence) bool {
	_, _, d, ok := p.run(seq)
	return ok && d.Call == len(seq)-1 && sightingOf(seq, &d) == *key
}

// behaviorProbes bounds what making one behavior short costs, in runs on both sides. Arbitrary:
// some milliseconds.
const behaviorProbes = 256

// shorten makes what was seen short, and describes what the judges see; nil where they see
// something else.
func (p *pair) shorten(seen *sighting, judges *pair) *Behavior {
	probes := behaviorProbes
	seq := fuzzer.Minimize(p.Head.Space, seen.sequence, func(seq input.Sequence) bool {
		probes--
		return probes >= 0 && p.shows(&seen.key, seq)
	})
	plain := p.byOutsider(&seen.key, seq)
	if plain != nil {
		seq = plain
	}
	b := judges.behavior(seq, plain != nil)
	if b == nil || sightingOf(seq, &b.Difference) != seen.key {
		return nil
	}
	b.First = seen.first
	return b
}

// behavior describes what the last call of a sequence does otherwise than on the base; nil: nothing, or
// a call before it does.
func (p *pair) behavior(seq input.Sequence, anyone bool) *Behavior {
	head, base, d, ok := p.run(seq)
	last := len(seq) - 1
	if !ok || d.Call != last {
		return nil
	}
	in := &p.Head.Space.Instances[seq[last].Instance]
	b := &Behavior{Difference: d, Contract: in.Contract.QualifiedName(), Function: seq[last].Function, Sequence: seq, Anyone: anyone,
		Steps: replay.Steps(p.Head.Space, seq, head), Through: p.functionsAt(p.entered(head, d.Call))}
	if slices.Contains(b.Through, in.Contract.Name+"."+b.Function.Name) {
		b.Through = nil
	}
	b.Now, b.Before = p.describe(&d, seq, head, base)
	return b
}

// functionsAt are the functions of the head that instructions are of, "Vault._burn", each once.
func (s *Sides) functionsAt(all []bytecode.Location) []string {
	var names []string
	for _, at := range all {
		name, ok := s.Head.Positions.FunctionAt(at)
		if code := s.Head.Table.Program(at.Code); ok && code != nil && code.Contract != nil {
			name = code.Contract.Name + "." + name
		}
		if ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// byOutsider is a sequence with the outsider in place of every sender that need not be who it
// is; nil where that shows something else. What anyone can do says more.
func (p *pair) byOutsider(key *sightingKey, seq input.Sequence) input.Sequence {
	other := p.Head.Space.By(seq, p.Head.Space.Outsider())
	if p.shows(key, other) {
		return other
	}
	return nil
}

// describe says what a call does on the head and on the base.
func (p *pair) describe(d *Difference, seq input.Sequence, head, base *evm.Execution) (now, before string) {
	here, there := p.Head.Space, p.Base.Space // an address may be of another instance there
	a, b := &head.Calls[d.Call], &base.Calls[d.Call]
	failure := func(c *evm.CallResult, names *input.Space) string {
		if c.Outcome == evm.Success {
			return "succeeds"
		}
		return "reverts: " + names.NameAddresses(c.Reason())
	}
	switch d.Kind {
	case Succeeds, Reverts:
		now, before = failure(a, here), failure(b, there)
		if n := len(d.Changes); n > 0 {
			now += " and changes " + strings.Join(d.Changes[:min(n, maxPlaces)], ", ") + human.More(n-min(n, maxPlaces))
		}
		return now, before
	case Costs:
		return describeCost(a), describeCost(b)
	case Returns:
		return p.returned(&seq[d.Call], a.Output, here), p.returned(&seq[d.Call], b.Output, there)
	}
	x, y := onSide(p.Head, head, d.Call), onSide(p.Base, base, d.Call)
	switch d.Kind {
	case Stores:
		return p.describePlaces(d, x, y)
	case Sends:
		return p.describeTransfers(transfersOf(x, d.Call, nil)), p.describeTransfers(transfersOf(y, d.Call, p.movedIn(head, base)))
	}
	return p.describeEvents(x, d.Call), p.describeEvents(y, d.Call)
}

// returned is what a call returned, for people.
func (p *pair) returned(call *input.Call, output []byte, names *input.Space) string {
	if c := p.Head.Space.Instances[call.Instance].Contract; c != nil && call.Function.Kind == input.Method {
		for _, m := range c.ABI.Methods { // at most one has the signature
			if m.Sig != call.Function.Signature {
				continue
			}
			if texts, ok := evm.FormatArguments(m.Outputs, output); ok {
				return "returns " + names.NameAddresses(input.Round(strings.Join(texts, ", ")))
			}
		}
	}
	const shown = 36 // bytes
	if len(output) == 0 {
		return "returns nothing"
	}
	return fmt.Sprintf("returns 0x%x", output[:min(len(output), shown)])
}

// maxPlaces bounds the places that one behavior shows. Arbitrary: they are read in a sentence.
const maxPlaces = 3

// describePlaces says what is in places that differ.
func (p *pair) describePlaces(d *Difference, x, y *compared) (now, before string) {
	first, second := map[place]string{}, map[place]string{}
	p.eachStored(x, y, d.Call, p.movedIn(x.exec, y.exec), func(at place, a, b uint256.Int) {
		first[at], second[at] = p.number(&a), p.number(&b)
	})
	var left, right []string
	for i := range d.places {
		at := &d.places[i]
		if i == maxPlaces {
			left = append(left, "…")
			right = append(right, "…")
			break
		}
		left = append(left, p.placeName(at)+" = "+first[*at])
		right = append(right, p.placeName(at)+" = "+second[*at])
	}
	return "leaves " + strings.Join(left, ", "), "leaves " + strings.Join(right, ", ")
}

// placeName is a place for people: "Vault.total".
func (p *pair) placeName(at *place) string {
	name := p.variableAt(at)
	if name == "" {
		name = "storage"
	} else if at.slot != at.base {
		name += "[…]"
	}
	if pair := p.storage[at.address]; pair != nil {
		name = pair.head.Name + "." + name
	}
	return name
}

// number is a word for people: an address by its name, else decimal, or hexadecimal where that is
// long.
func (p *pair) number(w *uint256.Int) string {
	const long = 128 // bits
	if w.BitLen() > 64 && w.BitLen() <= 160 {
		if name := p.Head.Space.NameAddresses(fmt.Sprintf("0x%040x", w.Bytes())); !strings.HasPrefix(name, "0x") {
			return name
		}
	}
	if w.BitLen() > long {
		return w.Hex()
	}
	return input.Round(w.Dec())
}

func (p *pair) describeTransfers(all []transfer) string {
	if len(all) == 0 {
		return "sends no ether"
	}
	var parts []string
	for i := range all {
		to, ok := p.Head.Space.NameOf(all[i].to)
		if !ok {
			to = all[i].to.Hex()
		}
		parts = append(parts, fmt.Sprintf("%s to %s", input.Wei(&all[i].value), to))
	}
	return "sends " + strings.Join(parts[:min(len(parts), maxPlaces)], ", ")
}

// describeEvents names the events of a call.
func (p *pair) describeEvents(c *compared, call int) string {
	var names []string
	frames := c.exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &c.exec.Frames[i]
		if !c.lasts[i] {
			continue
		}
		for j := range f.Logs {
			names = append(names, p.eventName(f, &f.Logs[j]))
		}
	}
	if len(names) == 0 {
		return "emits nothing"
	}
	return "emits " + input.Round(strings.Join(names[:min(len(names), maxPlaces)], ", "))
}

// eventName is an event with its arguments, as far as the contract's interface has it.
func (p *pair) eventName(f *evm.Frame, log *evm.Log) string {
	if len(log.Topics) == 0 || f.Program == nil || f.Program.Contract == nil {
		return "an event"
	}
	e, err := f.Program.Contract.ABI.EventByID(log.Topics[0])
	if err != nil {
		return "an event"
	}
	values, ok := evm.FormatArguments(e.Inputs.NonIndexed(), log.Data)
	if !ok {
		return e.RawName
	}
	topics := log.Topics[1:]
	var texts []string
	for i := range e.Inputs {
		switch {
		case !e.Inputs[i].Indexed:
			texts, values = append(texts, values[0]), values[1:]
		case len(topics) == 0:
			return e.RawName
		default:
			text := "…" // a hash
			if value, ok := evm.FormatArguments(e.Inputs[i:i+1], topics[0][:]); ok && isWord(e.Inputs[i].Type) {
				text = value[0]
			}
			texts, topics = append(texts, text), topics[1:]
		}
	}
	return e.RawName + "(" + p.Head.Space.NameAddresses(strings.Join(texts, ", ")) + ")"
}

// isWord reports whether an indexed argument of a type is in the topic itself, and not its hash
// (Solidity documentation, "ABI encoding", "Encoding of Indexed Event Parameters").
func isWord(t gethabi.Type) bool {
	switch t.T {
	case gethabi.StringTy, gethabi.BytesTy, gethabi.SliceTy, gethabi.ArrayTy, gethabi.TupleTy:
		return false
	}
	return true
}
