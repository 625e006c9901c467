package compare

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/mine"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// lawLost watches for laws that the base keeps and the head breaks, see [oracle.LawLost].
type lawLost struct {
	*Sides
	head, base *mine.Miner
	lost       map[string]*lostLaw // by key
	order      []*lostLaw          // in the order in which they were first seen
	leaving    leaving
}

// lostLaw is a law that calls break on the head, and not on the base.
type lostLaw struct {
	head, base *mine.Law
	sequence   input.Sequence
	first      fuzzer.Mark // when it was first broken
	alone      bool        // by calls that the base has not
}

// newLawLost begins to mine.
func (s *Sides) newLawLost() (*lawLost, error) {
	machines, err := s.fast()
	if err != nil {
		return nil, err
	}
	w := &lawLost{Sides: s, lost: map[string]*lostLaw{}, leaving: leaving{of: map[*input.Function]int{}}}
	w.head, w.base = mine.New(machines.head, s.Head.World, s.mined), mine.New(machines.base, s.Base.World, s.mined)
	return w, nil
}

// mined reports whether laws of an instance are looked for: it ships, or is a mock of what ships and was changed.
func (s *Sides) mined(in *evm.Instance) bool {
	return Mined(in) || slices.Contains(s.Head.Altered, in.Contract.QualifiedName()) && !world.IsHarness(in.Contract)
}

// Mined reports whether laws of an instance are looked for: it ships.
func Mined(in *evm.Instance) bool {
	role, _ := world.RoleOf(in.Contract)
	return !in.Contract.Generated && !world.IsHarness(in.Contract) && (role == world.UnderTest || role == world.Dependency)
}

// see implements watcher.
func (w *lawLost) see(r *ran) {
	carried := r.sequence[:min(len(r.sequence), len(r.base.Calls))]
	w.base.See(carried, r.base, func(l *mine.Law, _ int) { l.Broken = true })
	if r.first == nil && len(carried) == len(r.sequence) {
		return // the head's laws are no worse off
	}
	w.head.Mirror(w.base)
	w.base.Mirror(w.head)
	w.head.See(r.sequence, r.head, func(l *mine.Law, call int) {
		alone := call >= len(carried)
		if alone && !speaksOfAdded(l) || l.OfCalls() && !w.isDue(r, call) {
			return
		}
		l.Broken = true
		there := w.base.Named(l.Key())
		if there == nil || there.Broken || w.base.BrokenIn(there, carried[:min(len(carried), call+1)], r.base) >= 0 {
			return
		}
		lost := &lostLaw{l, there, r.sequence[:call+1].Clone(), r.at, alone}
		w.lost[l.Key()] = lost
		w.order = append(w.order, lost)
	})
}

// fails reports whether a sequence's last call, which executes no changed code, cannot pay on the head, after one that
// executes some.
func (w *lawLost) fails(exec *evm.Execution) bool {
	last := len(exec.Calls) - 1
	if last < 1 || !w.head.FailsToPay(exec, last) || len(w.entered(exec, last)) > 0 {
		return false
	}
	for i := range last {
		if exec.Calls[i].Outcome == evm.Success && len(w.entered(exec, i)) > 0 {
			return true
		}
	}
	return false
}

// suspects implements watcher: of what a function breaks, the law that says most, and what a contract cannot pay.
func (w *lawLost) suspects() []*suspect {
	var list []*suspect
	of := map[*input.Function]bool{}
	for _, lost := range w.lostLaws() {
		seen := &suspect{oracle: oracle.LawLost, sequence: lost.sequence, first: lost.first, alone: lost.alone,
			shows:  func(r *ran) *shown { return w.shows(lost, r) },
			answer: func(seq input.Sequence) *fuzzer.Answer { return w.answer(lost.head, seq) },
		}
		if lost.head.Template == mine.Pays {
			seen.graver = func(p *pair, seq input.Sequence) bool { return w.isOwed(lost, p, seq) }
		}
		f := lost.sequence[len(lost.sequence)-1].Function
		switch {
		case !lost.base.Proven():
			seen.refuted = "the base does not keep the law, or was not seen to keep it often enough"
		case of[f] && lost.head.Template != mine.Pays:
			seen.refuted = "another law that is broken says more"
		default:
			of[f] = true
			if isSolvency(lost.head) || lost.head.Template == mine.Pays {
				seen.about = lost.head.A.Name()
			}
		}
		list = append(list, seen)
	}
	return list
}

// lostLaws are the laws of the base that the head breaks and that no other oracle looks for, those that say most first.
func (w *lawLost) lostLaws() []*lostLaw {
	list := slices.DeleteFunc(slices.Clone(w.order), func(lost *lostLaw) bool { return w.saidElsewhere(lost.head) })
	slices.SortStableFunc(list, func(a, b *lostLaw) int { return rank(a.base) - rank(b.base) })
	return list
}

// rank is how little a law says, from 0 up.
func rank(l *mine.Law) int {
	switch l.Template {
	case mine.Covers:
		if isSolvency(l) {
			return 0
		}
		return 2
	case mine.Equal:
		return 1
	case mine.Constant:
		return 3
	case mine.ByOwner:
		return 4
	default:
		return 5
	}
}

// isSolvency reports whether a law says that what a contract holds covers the claims that a mapping has.
func isSolvency(l *mine.Law) bool {
	return l.Template == mine.Covers && (l.A.Kind == mine.Holding || l.A.Kind == mine.Ether) && l.B.Kind == mine.Sum
}

// saidElsewhere reports whether another oracle looks for it: conservation for the supply of tokens,
// permission-widened for who writes what decides.
func (w *lawLost) saidElsewhere(l *mine.Law) bool {
	methods := l.A.Instance.Contract.ABI.Methods
	switch l.Template {
	case mine.Equal:
		token := methods["transfer"].Sig == "transfer(address,uint256)" || methods["ownerOf"].Sig == "ownerOf(uint256)"
		return l.A.Kind == mine.Sum && token && methods["balanceOf"].Sig == "balanceOf(address)" && methods["totalSupply"].Sig == "totalSupply()"
	case mine.ByOwner:
		return w.deciding[word{l.A.Account, l.A.Slot}] != ""
	default:
		return false
	}
}

// shows reports whether a sequence's last call breaks the law on the head, and none does on the base.
func (w *lawLost) shows(lost *lostLaw, r *ran) *shown {
	last := len(r.sequence) - 1
	if r.head.Truncated || r.base.Truncated || len(r.head.Calls) != len(r.sequence) || lost.alone == (r.last() >= 0) || !w.breaks(lost.head, r, last) {
		return nil
	}
	owes := lost.head.Value()
	if w.base.BrokenIn(lost.base, r.sequence[:len(r.base.Calls)], r.base) >= 0 {
		return nil
	}
	owed := lost.base.Value()
	call := &r.sequence[last]
	contract := r.Head.Space.Instances[call.Instance].Contract
	found := &shown{
		contract: contract.QualifiedName(), at: w.writtenAt(lost.head, r.head, last), severity: oracle.Medium,
		message: lostMessage(lost.head, shortSignature(contract.Name, call.Function.Signature)),
	}
	if !lost.alone && isSolvency(lost.head) && owes.Gt(&owed) && r.byOutsider() {
		found.severity = oracle.High
	}
	if found.at == (bytecode.Location{}) {
		return nil
	}
	return found
}

// isOwed reports whether what a contract cannot pay is owed for sure: nothing was lent to others by what changed, and it takes no account with a role to call that.
func (w *lawLost) isOwed(lost *lostLaw, p *pair, seq input.Sequence) bool {
	r := p.ran(seq)
	if r == nil || w.shows(lost, r) == nil {
		return false
	}
	changed := make([]bool, len(seq))
	var senders []int // of what changed
	for i := range seq {
		if changed[i] = len(w.entered(r.head, i)) > 0; changed[i] && !slices.Contains(senders, seq[i].Sender) {
			senders = append(senders, seq[i].Sender)
		}
	}
	if w.head.Gains(lost.head, r.head, func(call int) bool { return changed[call] }) {
		return false
	}
	return !slices.ContainsFunc(senders, func(one int) bool {
		for other := range w.Head.Space.Senders {
			if other != one && !w.Head.Space.Senders[other].TestsOnly && w.showsBy(lost, p, seq, changed, one, other) {
				return false
			}
		}
		return true
	})
}

// showsBy reports whether a sequence shows it with another sender in the place of one, in all calls of what changed. Other calls are made by the former where the latter may not.
func (w *lawLost) showsBy(lost *lostLaw, p *pair, seq input.Sequence, changed []bool, one, other int) bool {
	by := w.Head.Space.Swapped(seq, one, other)
	for i := range by {
		if seq[i].Sender != one || changed[i] || i == len(by)-1 {
			continue
		}
		if r := p.ran(by[:i+1]); r == nil || r.head.Calls[i].Outcome != evm.Success {
			by[i] = seq[i]
		}
	}
	r := p.ran(by)
	return r != nil && w.shows(lost, r) != nil
}

// breaks reports whether a sequence's last call is the first that breaks a law of the state, or breaks one of calls where it should not.
func (w *lawLost) breaks(l *mine.Law, r *ran, last int) bool {
	if l.OfCalls() {
		return w.isDue(r, last) && w.head.BrokenBy(l, r.sequence, r.head, last)
	}
	return w.head.BrokenIn(l, r.sequence, r.head) == last
}

// lostMessage says that a call of a function breaks a law.
func lostMessage(l *mine.Law, function string) string {
	if l.Template == mine.Pays {
		return fmt.Sprintf("%s: %s fails; on the base it could pay in every call", l.Lost(), function)
	}
	return fmt.Sprintf("%s: %s breaks it; on the base it held in every call that could break it", l.Lost(), function)
}

// speaksOfAdded reports whether a law is one that what a change adds ought to keep as well: books and holdings belong together.
func speaksOfAdded(l *mine.Law) bool {
	return l.Template == mine.Equal || l.OfCalls() || isSolvency(l)
}

// isDue reports whether a call that fails on the head ought to succeed: it executes no changed code, and the base has it, and
// if it was made there, it succeeded.
func (w *lawLost) isDue(r *ran, call int) bool {
	if len(w.entered(r.head, call)) > 0 {
		return false
	}
	if call < len(r.base.Calls) {
		return r.base.Calls[call].Outcome == evm.Success && r.head.Calls[call].Outcome != evm.Success
	}
	_, ok := w.calls[callableOf(&r.sequence[call])]
	return ok
}

// writtenAt is where a call last writes what a law is about, in code of its contract if it does.
func (w *lawLost) writtenAt(l *mine.Law, exec *evm.Execution, call int) (at bytecode.Location) {
	frames := exec.Calls[call].Frames
	if l.Template == mine.Pays {
		return w.head.ShortAt(exec, call)
	}
	for _, w := range exec.AppendWrites(nil, frames[0], frames[1], exec.Lasting()) {
		if p := exec.Frames[w.Frame].Program; p != nil && w.Address == l.A.Instance.Address && (at == bytecode.Location{} || l.Concerns(w.StorageAccess)) {
			at = bytecode.Location{Code: p.ID, PC: w.PC}
		}
	}
	return at
}

// answer is a view of the law's contract that reads what the law is about, and answers something else on the
// base after a sequence, or the contract's ether; nil: neither does. Only views that take nothing, or a sender, are asked.
func (w *lawLost) answer(l *mine.Law, seq input.Sequence) *fuzzer.Answer {
	judges, err := w.reference()
	if err != nil {
		return nil
	}
	in := l.A.Instance
	questions := w.questions(in.Contract)
	if l.A.Kind == mine.Ether {
		questions = slices.Insert(questions, 0, nil)
	}
	for _, data := range questions {
		if a := (&fuzzer.Answer{To: in.Address, Data: data}); judges.answer(seq, a) && (data == nil || w.isAbout(judges.head, l, seq, data)) {
			return a
		}
	}
	return nil
}

// questions are calls of a contract's views that take nothing, or a sender.
func (w *lawLost) questions(c *bytecode.Contract) [][]byte {
	var all [][]byte
	for _, name := range slices.Sorted(maps.Keys(c.ABI.Methods)) {
		switch m := c.ABI.Methods[name]; {
		case !m.IsConstant() || len(m.Outputs) != 1:
		case len(m.Inputs) == 0:
			all = append(all, slices.Clone(m.ID))
		case len(m.Inputs) == 1 && m.Inputs[0].Type.T == abi.AddressTy:
			for i := range w.Head.Space.Senders {
				all = append(all, slices.Concat(m.ID, common.LeftPadBytes(w.Head.Space.Senders[i].Address[:], wordBytes)))
			}
		}
	}
	return all
}

// isAbout reports whether a view reads what a law is about, after a sequence of the head.
func (w *lawLost) isAbout(machine evm.Machine, l *mine.Law, seq input.Sequence, data []byte) bool {
	calls := w.Head.Space.Encode(seq, nil)
	exec, err := machine.Run(append(calls, fuzzer.Question(l.A.Instance.Address, data)))
	if err != nil || len(exec.Calls) != len(calls)+1 {
		return false
	}
	frames := exec.Calls[len(calls)].Frames
	return slices.ContainsFunc(exec.Frames[frames[0]:frames[1]], func(f evm.Frame) bool {
		return slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool { return l.Concerns(&a) })
	})
}

// withoutAdded is a sequence of the head without the calls that the base has not.
func (w *lawLost) withoutAdded(seq input.Sequence) input.Sequence {
	return slices.DeleteFunc(seq.Clone(), func(call input.Call) bool {
		_, ok := w.carryCall(call)
		return !ok
	})
}

// attack runs a campaign on the base that is to break there what the head has broken: a law counts
// that withstands it.
func (w *lawLost) attack(ctx context.Context, config fuzzer.Config, suite []input.Packed, on *pair) error {
	var seeds []input.Sequence
	add := func(seq input.Sequence) {
		if there := w.carry(seq, nil); len(there) > 0 {
			seeds = append(seeds, there.Clone())
		}
	}
	var fail []input.Callable // functions
	for _, lost := range w.lostLaws() {
		if !lost.base.Promising() {
			continue
		}
		add(lost.sequence)
		if lost.alone {
			add(w.withoutAdded(lost.sequence))
		}
		if lost.head.OfCalls() {
			fail = append(fail, callableOf(&lost.sequence[len(lost.sequence)-1]))
		}
	}
	if len(seeds) == 0 {
		return nil
	}
	if len(fail) > 0 {
		w.windDownBase(on, config.Seed)
	}
	for i := range suite {
		seq := suite[i].Unpack()
		if !input.IsTest(seq) && slices.Contains(fail, callableOf(&seq[len(seq)-1])) {
			add(seq)
		}
	}
	d := w.Base
	config.World, config.Space, config.Table, config.NewMachine, config.NewJudge = d.World, d.Space.WithOutsider(), d.Table, d.NewMachine, d.NewMachine
	config.Oracles, config.Ways, config.Seeds = nil, 0, seeds
	breaker := &mine.Breaker{Miner: w.base, Counts: true}
	config.NewOther = func() (fuzzer.Other, error) { return breaker, nil }
	_, err := (&fuzzer.Campaign{Config: config}).Run(ctx)
	return err
}
