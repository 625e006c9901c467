package input

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
)

// What an answer is to, beyond functions.
const (
	anyCall = "any"
	payment = "payment"
)

// endWords are the ends of answers in text; that which is expected goes without saying.
var endWords = [...]string{attacker.Return: "returns", attacker.Revert: "reverts", attacker.Burn: "burns", attacker.Destruct: "destructs"}

func (s *Space) formatScript(b *strings.Builder, script *Script) {
	if script == nil {
		return
	}
	for i := range script.Answers {
		a := &script.Answers[i]
		b.WriteString(" on " + quoteSignature(s.formatOn(a)))
		if a.Times > 0 {
			fmt.Fprintf(b, " times %d", a.Times)
		}
		if a.After > 0 {
			fmt.Fprintf(b, " after %d", a.After)
		}
		between := " calls {"
		for j := range a.Calls {
			b.WriteString(between)
			s.formatMessage(b, &a.Calls[j])
			between = "; "
		}
		if len(a.Calls) > 0 {
			b.WriteByte('}')
		}
		if a.End != attacker.Expected {
			b.WriteString(" " + endWords[a.End])
		}
		between = " ("
		for j := range a.Words {
			b.WriteString(between + s.formatAnswerWord(&a.Words[j]))
			between = ", "
		}
		if len(a.Words) > 0 {
			b.WriteByte(')')
		}
	}
}

func (s *Space) formatOn(a *Answer) string {
	switch {
	case a.Any:
		return anyCall
	case a.On == [4]byte{}:
		return payment
	}
	return s.CallbackName(a.On)
}

// formatAnswerWord is an account's name, a decimal number, or one of more than 64 bits in hexadecimal.
func (s *Space) formatAnswerWord(x *uint256.Int) string {
	if x.IsUint64() {
		return x.Dec()
	}
	if a := common.Address(x.Bytes20()); addressWord(a) == *x && s.names.of[a] != "" {
		return quoteName(s.names.of[a])
	}
	return x.Hex()
}

// script reads the answers of a script.
func (p *parser) script() (*Script, error) {
	var s Script
	for start := p.at; p.accept(" on "); start = p.at {
		if p.space.contract < 0 {
			p.missing(start, "sender", attacker.Name)
		}
		a, err := p.answer()
		if err != nil {
			return nil, err
		}
		if s.Answers = append(s.Answers, a); len(s.Answers) > attacker.MaxAnswers {
			return nil, p.errorf(start, "more than %d answers", attacker.MaxAnswers)
		}
	}
	if s.Answers == nil {
		return nil, nil
	}
	for i := range s.Answers {
		if after := s.Answers[i].After; after > 0 && (int(after) > len(s.Answers) || s.Answers[after-1].Times == 0) {
			return nil, p.errorf(p.at, "answer %d is after answer %d, which is not there, or without \" times N\"", i+1, after)
		}
	}
	return &s, nil
}

func (p *parser) answer() (a Answer, err error) {
	if err := p.on(&a); err != nil {
		return a, err
	}
	if a.Times, err = p.small(" times ", attacker.MaxTimes); err != nil {
		return a, err
	}
	if a.After, err = p.small(" after ", attacker.MaxAnswers); err != nil {
		return a, err
	}
	if a.Calls, err = p.innerCalls(a.Times); err != nil {
		return a, err
	}
	return a, p.end(&a)
}

// small reads a number from 1 behind a word, if it is there.
func (p *parser) small(word string, most uint64) (uint8, error) {
	if !p.accept(word) {
		return 0, nil
	}
	at := p.at
	x, err := p.number256()
	if err != nil {
		return 0, err
	}
	if x.IsZero() || !x.IsUint64() || x.Uint64() > most {
		return 0, p.errorf(at, "expected a number from 1 to %d", most)
	}
	return uint8(x.Uint64()), nil
}

// on reads what an answer is to.
func (p *parser) on(a *Answer) error {
	at := p.at
	what, err := p.token("a function's signature or selector, \"any\" or \"payment\"", isSignatureByte)
	if err != nil {
		return err
	}
	switch {
	case what == anyCall:
		a.Any = true
	case what == payment:
	case strings.HasPrefix(what, "0x"):
		if id, err := hex.DecodeString(what[2:]); err == nil && len(id) == len(a.On) {
			copy(a.On[:], id)
			return nil
		}
		return p.errorf(at, "expected 0x and 8 digits, found %s", found(what))
	case strings.Contains(what, "("):
		a.On = attacker.Selector(what)
	default:
		return p.errorf(at, "expected a function's signature or selector, \"any\" or \"payment\", found %s", found(what))
	}
	return nil
}

// innerCalls reads the calls that an answer makes.
func (p *parser) innerCalls(times uint8) ([]Call, error) {
	start := p.at
	if !p.accept(" calls {") {
		return nil, nil
	}
	if times == 0 {
		return nil, p.errorf(start, "an answer with calls needs \" times N\" before them")
	}
	var calls []Call
	for {
		at := p.at
		c := Call{Sender: p.space.contract}
		if err := p.function(&c); err != nil || p.stale != nil {
			p.at = len(p.line) // the rest has no meaning without it
			return nil, err
		}
		if c.Function.Test || c.Function.Kind == Constructor {
			return nil, p.errorf(at, "the attacker's contract cannot call %s", c.Function.Signature)
		}
		if err := p.arguments(&c); err != nil {
			return nil, err
		}
		if err := p.value256(&c); err != nil {
			return nil, err
		}
		if calls = append(calls, c); len(calls) > attacker.MaxCalls {
			return nil, p.errorf(at, "an answer makes at most %d calls", attacker.MaxCalls)
		}
		if p.accept("; ") {
			continue
		}
		return calls, p.expect("}")
	}
}

// end reads what an answer ends with.
func (p *parser) end(a *Answer) error {
	at := p.at
	for i, word := range endWords {
		if word != "" && p.accept(" "+word) {
			a.End = attacker.End(i)
		}
	}
	if a.End != attacker.Expected && a.End != attacker.Burn && p.accept(" (") {
		for {
			x, err := p.answerWord()
			if err != nil {
				return err
			}
			if a.Words = append(a.Words, x); len(a.Words) > attacker.MaxWords {
				return p.errorf(at, "an answer has at most %d words", attacker.MaxWords)
			}
			if p.accept(", ") {
				continue
			}
			if err := p.expect(")"); err != nil {
				return err
			}
			break
		}
	}
	if a.End == attacker.Destruct && len(a.Words) != 1 {
		return p.errorf(at, "expected \" destructs (ACCOUNT)\"")
	}
	return nil
}

// answerWord reads a number or an account's name.
func (p *parser) answerWord() (uint256.Int, error) {
	if p.at < len(p.line) && '0' <= p.line[p.at] && p.line[p.at] <= '9' {
		return p.number256()
	}
	return p.address()
}
