package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/report"
)

// barrier is the condition that no execution passed which came near a target or, if there is
// none such, at which most of them end; nil: that is not known. Where executions entered the target's function, only those count.
func (d *describer) barrier(got *fuzzer.TargetResult) (b *report.Barrier, entered bool) {
	stops := got.Stops
	entered = slices.ContainsFunc(stops, func(s fuzzer.Stop) bool { return s.Entered })
	var best *fuzzer.Stop
	var all uint64
	for i := range stops {
		s := &stops[i]
		if _, inFunction := d.head.Positions.FunctionAt(s.Place); s.Entered != entered || !inFunction {
			continue // in a dispatcher: another function was called
		}
		all += s.Executions
		if best == nil { // they are in order
			best = s
		}
	}
	if best == nil {
		return nil, entered
	}
	at, ok := d.head.Positions.At(best.Place)
	if !ok {
		return nil, entered
	}
	b = &report.Barrier{Passed: best.Passed, File: at.File, Line: at.Line, Executions: best.Executions, Of: all}
	if halted, known := d.head.Positions.At(best.Halted); best.Halts || known && near(at, halted) {
		b.Failure = d.head.Space.NameAddresses(best.Reason)
	}
	b.Function, _ = d.head.Positions.FunctionAt(best.Place)
	if p := d.head.Table.Program(best.Place.Code); p != nil && p.Contract != nil {
		b.Contract = p.Contract.QualifiedName()
	}
	text, _ := d.head.Positions.TextAt(best.Place)
	b.Text = conditionText(text)
	defer func() { d.explain(b, best, got.Strangers) }()
	if jump, known := d.head.Positions.At(best.At); best.Halts && (!known || !near(jump, at)) {
		return b, entered
	}
	if b.Sender = d.wantedSender(best, b.Failure); b.Sender != nil && b.Sender.Address != "" {
		b.Needs = "msg.sender == " + b.Sender.Name
	} else if best.Decides && !strings.HasPrefix(best.Reason, overflow) {
		b.Needs = d.needs(best)
	}
	switch {
	case best.Missing != (common.Address{}):
		b.Missing, b.Needs = d.accountName(best.Missing), ""
	case best.ChecksCode(d.head.Table):
		b.Missing = unknownAccount
	}
	return b, entered
}

// overflow begins the reason of calls in which the compiler's own check of a sum, difference or
// product fails: what it compares is in no source.
const overflow = "panic 0x11"

// unknownAccount stands for an account without code whose address is not known.
const unknownAccount = "the account that is called"

// near reports whether a condition is that of what reverts at a position: `require`, or an `if`
// on the line or on the one above.
func near(condition, reverts bytecode.Position) bool {
	return condition.File == reverts.File && condition.Line <= reverts.Line && reverts.Line-condition.Line <= 1
}

// noReason is what a call's reason says where the code gave none.
const noReason = "reverted without a reason"

// whyStopped says where executions end that came near a target.
func whyStopped(b *report.Barrier, entered bool) string {
	which := "that came near"
	if entered {
		which = "that entered it"
	}
	share := "all executions " + which
	if b.Executions < b.Of {
		share = fmt.Sprintf("%d %% of the executions %s", max(1, b.Executions*100/b.Of), which)
	}
	what := b.Text
	if b.Failure != "" && b.Failure != noReason {
		what = b.Failure
	}
	text := fmt.Sprintf("%s stop at %s:%d", share, b.File, b.Line)
	if what != "" {
		text += ", " + what
	}
	if text += lacking(b); !b.Passed && b.Executions < b.Of {
		text += "; none passed"
	}
	return text
}

// lacking says what would have to be otherwise at a barrier.
func lacking(b *report.Barrier) (text string) {
	if b.Needs != "" {
		text = " (needs " + b.Needs + ")"
	}
	switch {
	case b.Missing == unknownAccount:
		text += "; the account that it calls has no code: a step of `deploy` or a set-up can deploy what is missing"
	case b.Missing != "":
		text += fmt.Sprintf("; %s has no code: a step of `deploy` or a set-up can deploy what is missing", b.Missing)
	case b.Sender != nil && b.Sender.Address == "":
		text += "; what is stored for msg.sender there, no sender of the World has: a step of `deploy` can give it to one"
	case b.Sender != nil:
		text += ", which is not a sender of the World: `senders` can add it"
	case len(b.Wants) > 0 && tellsMore(&b.Wants[0]):
		if text = "; it needs " + b.Wants[0].Detail; b.Wants[0].Proved {
			text += " (proved: no calls can bring it about)"
		}
	}
	return text
}

// tellsMore reports whether what a line needs tells more in a line than two values do: of a number that is computed, it does not.
func tellsMore(w *report.Want) bool {
	switch w.Kind {
	case report.WantsNever, report.WantsSignature, report.WantsAnswer, report.WantsProxy:
		return true
	}
	return w.Kind == report.WantsState && !strings.HasPrefix(w.Detail, "what ") || w.Kind == report.WantsEther && strings.HasSuffix(w.Detail, notPayable)
}

// maxConditionText bounds the text of a condition, in bytes; arbitrary.
const maxConditionText = 80

// conditionText is the condition in the text of a statement: what follows in the statement
// is left out.
func conditionText(text string) string {
	word, _, found := strings.Cut(text, "(")
	if found && slices.Contains([]string{"if", "for", "while"}, strings.TrimSpace(word)) {
		depth := 0
		for i := len(word); i < len(text); i++ {
			switch text[i] {
			case '(':
				depth++
			case ')':
				if depth--; depth == 0 {
					text = text[:i+1]
				}
			}
		}
	} else if i := strings.IndexByte(text, '{'); i >= 0 && slices.ContainsFunc([]string{"function ", "modifier ", "if "}, func(begin string) bool { return strings.HasPrefix(text, begin) }) { // an if of assembly
		text = strings.TrimSpace(text[:i])
	}
	if len(text) > maxConditionText {
		text = strings.ToValidUTF8(text[:maxConditionText], "") + "…"
	}
	return text
}

// relations are the operators of comparisons, and of their opposites.
var relations = map[byte][2]string{
	byte(vm.EQ): {"==", "!="}, byte(vm.ISZERO): {"==", "!="},
	byte(vm.LT): {"<", ">="}, byte(vm.GT): {">", "<="},
	byte(vm.SLT): {"<", ">="}, byte(vm.SGT): {">", "<="},
}

// needs is the relation of two values that did not hold; empty where it says no more than that
// something is true, or false.
func (d *describer) needs(s *fuzzer.Stop) string {
	relation, ok := relations[s.Op]
	isTrue := s.Op == byte(vm.ISZERO) && s.Left.LtUint64(2) || s.Left.IsZero() && s.Right.IsZero() && relation[0] == "=="
	if !ok || isTrue || s.ChecksCode(d.head.Table) {
		return ""
	}
	wanted := relation[0]
	if s.Taken != s.Negated { // it held: the other side needs the opposite
		wanted = relation[1]
	}
	if s.Op == byte(vm.ISZERO) && wanted == "==" { // code names what is zero, if it has a name: the word may be made of several things
		return "0 in place of " + d.wordText(&s.Left, false)
	}
	signed := s.Op == byte(vm.SLT) || s.Op == byte(vm.SGT)
	return d.wordText(&s.Left, signed) + " " + wanted + " " + d.wordText(&s.Right, signed)
}

// addressBits is the size of an address, and fewBits of what can hardly be one: an address
// below it takes 2^64 tries.
const (
	addressBits = 160
	fewBits     = 96
)

// wordText is a value for people: addresses by name, numbers with trailing zeros as powers of
// ten.
func (d *describer) wordText(v *uint256.Int, signed bool) string {
	if signed && v.Sign() < 0 {
		return "-" + d.wordText(new(uint256.Int).Neg(v), false)
	}
	if n := v.BitLen(); n > fewBits && n <= addressBits {
		if name := d.accountName(v.Bytes20()); !strings.HasPrefix(name, "0x") {
			return name
		}
	}
	text := v.Dec()
	digits := strings.TrimRight(text, "0")
	const shown = 24 // digits: those of a million tokens of 18 decimals
	switch zeros := len(text) - len(digits); {
	case zeros >= 6 && len(digits) <= shown:
		return fmt.Sprintf("%se%d", digits, zeros)
	case len(text) <= shown:
		return text
	}
	const prefix = len("0x") + 8 // digits that tell hashes apart
	if text = v.Hex(); len(text) > 2*prefix {
		text = text[:prefix] + "…"
	}
	return text
}

// accountName is the name of a sender or instance, or else the address.
func (d *describer) accountName(a common.Address) string {
	for _, s := range d.head.World.Senders {
		if s.Address == a {
			return s.Name
		}
	}
	for _, in := range d.head.World.Instances {
		if in.Address == a {
			return in.Name
		}
	}
	return a.Hex()
}

// wantedSender is who would have to send the call where msg.sender is compared with another
// account, which sends none; without an address where something is stored for msg.sender
// that none of the senders has, and calls fail with a failure. nil: neither is so.
func (d *describer) wantedSender(s *fuzzer.Stop, failure string) *report.Sender {
	if failure != "" && s.ByCaller && s.Left.LtUint64(2) && s.Right.IsZero() && s.Op == byte(vm.ISZERO) {
		return &report.Sender{Why: "stored for msg.sender"}
	}
	if !s.Decides || s.Op != byte(vm.EQ) || s.Taken != s.Negated {
		return nil
	}
	caller := new(uint256.Int).SetBytes(s.Caller[:])
	wanted := s.Left
	switch {
	case s.Left == *caller:
		wanted = s.Right
	case s.Right != *caller:
		return nil
	}
	if n := wanted.BitLen(); n == 0 || n > addressBits {
		return nil
	}
	account := common.Address(wanted.Bytes20())
	for _, sender := range d.head.World.Senders {
		if sender.Address == account {
			return nil
		}
	}
	name := d.accountName(account)
	return &report.Sender{Name: name, Address: account.Hex(), Why: "compared with msg.sender"}
}

// neverCalled says why nothing ever ran the code of a target's contract; empty: something
// did, or that is not known.
func (d *describer) neverCalled(t *bytecode.Target) string {
	for _, entry := range t.Entries {
		p := d.head.Table.Program(entry.Code)
		if p == nil || p.Code == nil || p.Code.Kind != bytecode.Runtime || d.isDeployed(entry.Code) ||
			slices.ContainsFunc(d.result.Entered, func(l bytecode.Location) bool { return l.Code == entry.Code }) {
			return ""
		}
	}
	return "the World has no instance of " + bytecode.ShortName(t.Contract)
}

// isDeployed reports whether an account of the World has a code.
func (d *describer) isDeployed(id bytecode.CodeID) bool {
	if d.deployed == nil {
		d.deployed = map[bytecode.CodeID]bool{}
		for _, a := range d.head.World.Accounts { // into a set
			if p := d.head.Table.LookupRuntime(a.Code); p != nil {
				d.deployed[p.ID] = true
			}
		}
	}
	return d.deployed[id]
}
