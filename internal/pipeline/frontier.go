package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// This file says how close the campaign came to a line that was not reached: by which calls,
// past which conditions, and what the one compares that turned them away.

// Bounds of what a report has of each line. Arbitrary: a page of text.
const (
	maxClosest     = 16 // calls
	maxShownGuards = 16
	maxWants       = 3
	maxRemedies    = 4
)

// maxTraced bounds the stops that are looked at closely; about ten milliseconds each.
const maxTraced = 256

// frontier is what is known of barriers.
type frontier struct {
	tracer evm.Machine // nil: not made yet
	failed bool        // it could not be made
	known  map[stopped]*explained
	writes map[bytecode.CodeID]*codeWrites
}

// stopped identifies stops that are explained alike.
type stopped struct {
	at          bytecode.Location
	halts       bool
	left, right uint256.Int
	input       string
}

// explained is what is said of a stop.
type explained struct {
	closest     []report.Step
	left, right *report.Operand
	relation    string
	distance    string
	wants       []report.Want
	try         []report.Remedy
}

// explain adds to a barrier what is known of the stop that it is about, and of those at which
// an account is wanted that sends no calls.
func (d *describer) explain(b *report.Barrier, best *fuzzer.Stop, strangers []fuzzer.Stop) {
	e := d.explained(best)
	if e == nil {
		return
	}
	b.Closest, b.Left, b.Right, b.Relation, b.Distance = e.closest, e.left, e.right, e.relation, e.distance
	b.Wants, b.Try = slices.Clone(e.wants), slices.Clone(e.try)
	b.Guards = d.guards(b, best)
	if len(b.Wants) > 0 && b.Wants[0].Kind == report.WantsSignature && b.Sender != nil {
		b.Sender, b.Needs = nil, "" // the signer was the sender by chance
	}
	for i := range strangers {
		if s := &strangers[i]; s.Entered == best.Entered {
			d.explainAlso(b, s)
		}
	}
	d.explainBeyond(b, best)
	if len(b.Try) == 0 && len(b.Wants) > 0 && best.Reason != "out of gas" && !strings.HasPrefix(best.Reason, "panic ") {
		b.Try = append(b.Try, report.Remedy{Text: "a longer campaign may find it, or an input of yours in --corpus-dir", Flag: "--timeout " + d.longer()})
	}
	if d.change.Untested && (len(b.Try) == 0 || b.Try[0].YAML == "") { // lines for sightline.yml are nearer at hand
		b.Try = slices.Insert(b.Try, 0, report.Remedy{Text: "have the tests of the project compiled, as a warning says: what their set-ups make is not in the World"})
	}
	b.Wants, b.Try = b.Wants[:min(len(b.Wants), maxWants)], b.Try[:min(len(b.Try), maxRemedies)]
}

// explainAlso adds what another stop on the way wants of the World: an account that sends no
// calls is wanted wherever it is compared.
func (d *describer) explainAlso(b *report.Barrier, s *fuzzer.Stop) {
	e := d.explained(s)
	if e == nil {
		return
	}
	for _, w := range e.wants {
		if w.Account != "" && !slices.ContainsFunc(b.Wants, func(o report.Want) bool { return o.Account == w.Account }) {
			b.Wants = append(b.Wants, w)
			b.Try = append(slices.Clone(e.try), b.Try...)
		}
	}
}

// explainBeyond adds an account that a condition beyond the barrier compares something with, and
// that sends no calls, where all else is in reach.
func (d *describer) explainBeyond(b *report.Barrier, s *fuzzer.Stop) {
	if len(b.Try) > 0 {
		return
	}
	for _, ahead := range s.Beyond {
		account := ahead.Account
		g, known := d.guard(ahead.At)
		if !known || account == (common.Address{}) || d.accountName(account) != account.Hex() {
			continue
		}
		b.Wants = append(b.Wants, report.Want{Kind: report.WantsSender, Account: account.Hex(),
			Detail: fmt.Sprintf("beyond it, %s at %s:%d, a constant, which is not a sender of the World", account.Hex(), g.File, g.Line)})
		b.Try = append(b.Try, d.addSender(d.newName(otherName(g.Text)), account))
		return
	}
}

// allBits is the mask with which compilers clean addresses.
var allBits = common.HexToAddress("0xffffffffffffffffffffffffffffffffffffffff")

// longer is a time limit for another run.
func (d *describer) longer() string {
	const usual, times = 120, 5
	seconds := d.report.Limits.Seconds
	if seconds == 0 {
		seconds = usual
	}
	return fmt.Sprintf("%.0f", seconds*times)
}

// explained looks at a stop closely; nil: that is not possible.
func (d *describer) explained(s *fuzzer.Stop) *explained {
	if len(s.Input) == 0 {
		return nil
	}
	f := &d.frontier
	if f.known == nil {
		f.known, f.writes = map[stopped]*explained{}, map[bytecode.CodeID]*codeWrites{}
	}
	key := stopped{at: s.At, halts: s.Halts, left: s.Left, right: s.Right, input: fmt.Sprintf("%p", &s.Input[0])}
	if e, done := f.known[key]; done {
		return e
	}
	if len(f.known) >= maxTraced {
		return nil
	}
	e := d.examine(s)
	f.known[key] = e
	return e
}

// examine runs the input of a stop again, without the calls that do not matter, and follows
// values in it.
func (d *describer) examine(s *fuzzer.Stop) *explained {
	seq := d.shortest(s)
	exec := d.trace(seq)
	if exec == nil {
		return nil
	}
	e := &explained{closest: replay.Steps(d.head.Space, seq, exec)}
	if n := len(e.closest); n > maxClosest {
		e.closest = e.closest[n-maxClosest:]
	}
	at, ok := sameStop(exec, s)
	if !ok {
		return e
	}
	s = d.deciding(s, &exec.Frames[at])
	v := &view{describer: d, stop: s, exec: exec, frame: at, seq: seq}
	v.lookAt()
	if s.Decides && v.comparison != nil {
		e.relation, e.left, e.right, e.distance = v.relation, v.operand(&v.left), v.operand(&v.right), v.distance()
		if isFlag(v.comparison) {
			e.right = nil
		}
	}
	e.wants, e.try = v.wants()
	if len(e.wants) > 0 && e.wants[0].Kind == report.WantsCode {
		e.left, e.right, e.relation, e.distance = nil, nil, "", "" // what the compiler compares
	}
	return e
}

// deciding is a stop with the comparison that led to where the code halted: what an error's arguments compute may compare
// other things after it, and is then the last that the fuzzer knows. Without such a comparison, none decides.
func (d *describer) deciding(s *fuzzer.Stop, f *evm.Frame) *fuzzer.Stop {
	halts, known := d.head.Positions.At(s.Place)
	if !s.Halts || !s.Decides || !known {
		return s
	}
	if jump, ok := d.head.Positions.At(s.At); !ok || near(jump, halts) {
		return s
	}
	other := *s
	other.Decides = false
	for k := len(f.Comparisons) - 1; k >= 0 && !other.Decides; k-- {
		c := &f.Comparisons[k]
		at := bytecode.Location{Code: s.At.Code, PC: c.PC}
		if condition, ok := d.head.Positions.At(at); ok && near(condition, halts) {
			other.At, other.Comparison, other.Decides = at, *c, true
		}
	}
	return &other
}

// isFlag reports whether a comparison is the test of a truth value.
func isFlag(c *evm.Comparison) bool { return c.Op == byte(vm.ISZERO) && c.Left.LtUint64(2) }

// trace runs a sequence and follows values; nil: that is not possible.
func (d *describer) trace(seq input.Sequence) *evm.Execution {
	f := &d.frontier
	if f.tracer == nil && !f.failed {
		var err error
		if f.tracer, err = d.head.NewTracer(); err != nil {
			f.failed = true
		}
	}
	if f.failed {
		return nil
	}
	exec, err := f.tracer.Run(d.head.Space.Encode(seq, nil))
	if err != nil || exec.Trace == nil {
		return nil
	}
	return exec
}

// shortest is the input of a stop without the calls with which it stops just so.
func (d *describer) shortest(s *fuzzer.Stop) input.Sequence {
	seq := s.Input.Unpack()
	stops := func(seq input.Sequence) bool {
		exec, err := d.judge.Run(d.head.Space.Encode(seq, nil))
		if err != nil {
			return false
		}
		_, ok := sameStop(exec, s)
		return ok
	}
	for i := 0; i < len(seq)-1; {
		shorter := slices.Delete(seq.Clone(), i, i+1)
		if stops(shorter) {
			seq = shorter
		} else {
			i++
		}
	}
	return seq
}

// sameStop is the frame of an execution's last call that stops as s did.
func sameStop(exec *evm.Execution, s *fuzzer.Stop) (frame int, ok bool) {
	last := exec.Calls[len(exec.Calls)-1]
	if s.Halts && last.Outcome == evm.Success {
		return 0, false
	}
	for i := last.Frames[0]; i < last.Frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Program == nil || f.Program.ID != s.At.Code {
			continue
		}
		if !s.Decides {
			if f.Outcome != evm.Success && f.LastPC == s.At.PC {
				return i, true
			}
			continue
		}
		if comparisonOf(f, s) != nil {
			return i, true
		}
	}
	return 0, false
}

// comparisonOf is the comparison of a frame that decided at a stop; nil: none did.
func comparisonOf(f *evm.Frame, s *fuzzer.Stop) *evm.Comparison {
	for k := len(f.Comparisons) - 1; k >= 0; k-- {
		if c := &f.Comparisons[k]; c.PC == s.At.PC && c.Left == s.Left && c.Right == s.Right && c.Taken == s.Taken {
			return c
		}
	}
	return nil
}

// guards are the conditions on the way to a line, each once.
func (d *describer) guards(b *report.Barrier, s *fuzzer.Stop) []report.Guard {
	var list []report.Guard
	add := func(file string, line int, text, state string) {
		if len(list) < maxShownGuards && !slices.ContainsFunc(list, func(g report.Guard) bool {
			return g.File == file && g.Line == line && (g.Text == text || state == report.Beyond)
		}) {
			list = append(list, report.Guard{File: file, Line: line, Text: text, State: state})
		}
	}
	all := func(at []bytecode.Location, state string) {
		for _, l := range at {
			if g, ok := d.guard(l); ok && (g.File != b.File || g.Line != b.Line) {
				add(g.File, g.Line, g.Text, state)
			}
		}
	}
	all(s.Guards, report.Passed)
	add(b.File, b.Line, b.Text, report.Stops)
	for _, ahead := range s.Beyond {
		all([]bytecode.Location{ahead.At}, report.Beyond)
	}
	return list
}

// guard is the condition at a conditional jump; false where the compiler wrote it.
func (d *describer) guard(l bytecode.Location) (report.Guard, bool) {
	p := d.head.Table.Program(l.Code)
	if p == nil || int(l.PC) >= len(p.Bytes) || vm.OpCode(p.Bytes[l.PC]) != vm.JUMPI {
		return report.Guard{}, false
	}
	at, ok := d.head.Positions.At(l)
	if _, inFunction := d.head.Positions.FunctionAt(l); !ok || !inFunction {
		return report.Guard{}, false
	}
	text, _ := d.head.Positions.TextAt(l)
	if text = conditionText(text); text == "" || isDeclaration(text) {
		return report.Guard{}, false
	}
	return report.Guard{File: at.File, Line: at.Line, Text: text}, true
}

// isDeclaration reports whether a text is that of a function or of a parameter: what the
// compiler checks there is in no source.
func isDeclaration(text string) bool {
	for _, word := range []string{"function ", "modifier ", "constructor", "contract ", "receive", "fallback", "library "} {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return !strings.ContainsAny(text, "(<>=!&|")
}
