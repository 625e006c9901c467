package input

import (
	"fmt"
	"strings"

	"github.com/holiman/uint256"
)

// MaxTextSize bounds the text of a sequence: 64 calls of 4,096 words in
// hexadecimal would be 16 MiB, but sequences worth keeping are a thousand times
// smaller. Arbitrary.
const MaxTextSize = 1 << 20

// SyntaxError is text that is not a sequence.
type SyntaxError struct {
	Line, Column int // from 1; Column counts bytes
	Message      string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// StaleCall is a call that the Space has no equal of any more.
type StaleCall struct {
	Line, Column int    // of the name
	Kind         string // what is missing: "sender", "instance", "function", "account"; "value" when the wei exceed Space.MaxValue
	Name         string
}

// StaleError tells that a sequence was written for another World or build: calls
// were left out. It comes with the sequence of the calls that still fit.
type StaleError struct{ Calls []StaleCall }

func (e *StaleError) Error() string {
	first := e.Calls[0]
	name := quoteName(first.Name)
	if isPlain(first.Name, isSignatureByte) {
		name = first.Name
	}
	more := ""
	if n := len(e.Calls) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more calls do not fit)", n)
	}
	return fmt.Sprintf("line %d, column %d: the world has no %s %s%s: was the sequence written for another build?",
		first.Line, first.Column, first.Kind, name, more)
}

// Parse reads the text form of a sequence. Text that is malformed gives a
// *SyntaxError and no sequence. Text that names senders, instances, functions or
// accounts which the Space does not have gives a *StaleError together with the
// calls that still fit, so that the corpus of an older build can be used as far
// as it goes. The sequence is valid in either case.
func Parse(s *Space, text string) (Sequence, error) {
	if len(text) > MaxTextSize {
		return nil, &SyntaxError{1, 1, fmt.Sprintf("the text has %d bytes, at most %d are read", len(text), MaxTextSize)}
	}
	header, rest, _ := strings.Cut(text, "\n")
	if err := checkHeader(strings.TrimSuffix(header, "\r")); err != nil {
		return nil, err
	}
	var seq Sequence
	var stale StaleError
	for number := 2; rest != ""; number++ {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		p := parser{space: s, line: line, number: number}
		call, err := p.call()
		switch {
		case err != nil:
			return nil, err
		case p.stale != nil:
			stale.Calls = append(stale.Calls, *p.stale)
		default:
			seq = append(seq, call)
		}
		if err := s.checkTest(seq); err != nil {
			return nil, &SyntaxError{number, 1, err.Error()}
		}
		if len(seq)+len(stale.Calls) > MaxCalls {
			return nil, &SyntaxError{number, 1, fmt.Sprintf("more than %d calls", MaxCalls)}
		}
	}
	if len(stale.Calls) > 0 {
		return seq, &stale
	}
	return seq, nil
}

func checkHeader(line string) error {
	if line == textVersion {
		return nil
	}
	if strings.HasPrefix(line, textMagic+" ") {
		return &SyntaxError{1, len(textMagic) + 2, fmt.Sprintf("this version of the format is unknown; %q can be read", textVersion)}
	}
	return &SyntaxError{1, 1, fmt.Sprintf("expected %q", textVersion)}
}

// parser reads one line. A line is first searched for its names; when one of
// them is unknown, the rest is not looked at: without the function its arguments
// have no type.
type parser struct {
	space  *Space
	line   string
	number int
	at     int        // next byte
	stale  *StaleCall // set when the line names something unknown
	words  int        // counts down what the arguments may still hold
}

func (p *parser) errorf(at int, format string, args ...any) error {
	return &SyntaxError{p.number, at + 1, fmt.Sprintf(format, args...)}
}

// missing marks the line as stale.
func (p *parser) missing(at int, kind, name string) {
	if p.stale == nil {
		p.stale = &StaleCall{p.number, at + 1, kind, name}
	}
}

func (p *parser) call() (c Call, err error) {
	start := p.at
	sender, err := p.name("a sender's name")
	if err != nil {
		return c, err
	}
	var known bool
	if c.Sender, known = p.space.names.senders[sender]; !known {
		p.missing(start, "sender", sender)
	}
	if err := p.expect(" "); err != nil {
		return c, err
	}
	if err := p.function(&c); err != nil || p.stale != nil {
		return c, err
	}
	if err := p.arguments(&c); err != nil {
		return c, err
	}
	return c, p.environment(&c)
}

// arguments reads those of a call whose function is known.
func (p *parser) arguments(c *Call) (err error) {
	p.words = MaxCallWords
	if p.accept(" args ") {
		c.Args, err = p.values('(', ')', len(c.Function.Inputs), func(i int) *Type { return &c.Function.Inputs[i] })
		return err
	}
	if len(c.Function.Inputs) > 0 {
		return p.errorf(p.at, "expected \" args (…)\" with %d arguments for %s", len(c.Function.Inputs), c.Function.Signature)
	}
	return nil
}

// value256 reads the wei of a call, if there are any.
func (p *parser) value256(c *Call) error {
	if !p.accept(" value ") {
		return nil
	}
	at := p.at
	x, err := p.number256()
	if err != nil {
		return err
	}
	if x.Gt(&p.space.maxValue) {
		p.missing(at, "value", x.Dec())
	}
	c.Value = x
	return nil
}

// function reads instance and signature.
func (p *parser) function(c *Call) error {
	start := p.at
	instance, err := p.name("an instance's name")
	if err != nil {
		return err
	}
	if err := p.expect("."); err != nil {
		return err
	}
	at := p.at
	signature, err := p.token("a function's signature", isSignatureByte)
	if err != nil {
		return err
	}
	i, known := p.space.names.instances[instance]
	if !known {
		p.missing(start, "instance", instance)
		return nil
	}
	c.Instance, c.Function = i, p.space.Instances[i].function(signature)
	if c.Function == nil {
		p.missing(at, "function", signature)
	}
	return nil
}

// environment reads what follows the arguments.
func (p *parser) environment(c *Call) (err error) {
	if err := p.value256(c); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		dst  *uint64
		most uint64
	}{{" time +", &c.TimeAdvance, MaxTimeAdvance}, {" block +", &c.BlockAdvance, MaxBlockAdvance}} {
		if !p.accept(f.name) {
			continue
		}
		at := p.at
		x, err := p.number256()
		if err != nil {
			return err
		}
		if !setAdvance(f.dst, &x, f.most) {
			return p.errorf(at, "%s is more than %d", x.Dec(), f.most)
		}
	}
	if c.Script, err = p.script(); err != nil {
		return err
	}
	if strings.TrimRight(p.line[p.at:], " \t") != "" {
		return p.errorf(p.at, "expected \" value N\", \" time +N\", \" block +N\", \" on FUNCTION …\" in this order, or the line's end")
	}
	return nil
}

func (p *parser) accept(word string) bool {
	if !strings.HasPrefix(p.line[p.at:], word) {
		return false
	}
	p.at += len(word)
	return true
}

func (p *parser) expect(word string) error {
	if !p.accept(word) {
		return p.errorf(p.at, "expected %q", word)
	}
	return nil
}

// number256 reads an unsigned number.
func (p *parser) number256() (x uint256.Int, err error) {
	at := p.at
	digits := p.span(isNameByte)
	if parseNumber(&x, digits) {
		return x, nil
	}
	return x, p.errorf(at, "expected a number below 2^256, found %s", found(p.line[at:]))
}

// parseNumber reads decimal or 0x hexadecimal digits.
func parseNumber(x *uint256.Int, digits string) bool {
	if hexDigits, ok := strings.CutPrefix(digits, "0x"); ok {
		hexDigits = strings.TrimLeft(hexDigits, "0")
		if hexDigits == "" {
			hexDigits = "0"
		}
		return len(digits) > 2 && x.SetFromHex("0x"+hexDigits) == nil
	}
	if digits == "" || digits[0] < '0' || digits[0] > '9' { // the library takes a sign
		return false
	}
	return x.SetFromDecimal(digits) == nil
}

// span takes the bytes that satisfy ok.
func (p *parser) span(ok func(byte) bool) string {
	start := p.at
	for p.at < len(p.line) && ok(p.line[p.at]) {
		p.at++
	}
	return p.line[start:p.at]
}

// found shows the start of unexpected text.
func found(rest string) string {
	const most = 20 // arbitrary: enough to find the place
	if rest == "" {
		return "the line's end"
	}
	if len(rest) > most {
		return fmt.Sprintf("%q…", rest[:most])
	}
	return fmt.Sprintf("%q", rest)
}
