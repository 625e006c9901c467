// Package question answers questions to the lookahead analysis about whether a path can still
// reach a target, as JSON: for people and other tools, outside a campaign.
package question

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
)

// The names of call models.
const (
	Conservative = "conservative" // calls lead anywhere
	Observed     = "observed"     // where they led in the run of Input; anywhere if it did not make them
)

// targetInvalid names every INVALID and undefined opcode as targets.
const targetInvalid = "invalid"

// Bounds on input: code of a debug build has a few hundred kilobytes, and paths
// longer than those that campaigns keep are of no use here.
const (
	maxCode     = 1 << 21 // bytes
	maxQuestion = 1 << 24 // bytes of a line in --batch
)

// Question is a question: a line of --batch, or the flags.
type Question struct {
	Code   string  `json:"code"`
	Prefix PCs     `json:"prefix"`
	Input  *string `json:"input"` // nil: Prefix is used
	Target PCs     `json:"target"`
	Calls  string  `json:"calls"`
}

// Answer is the answer to a Question.
type Answer struct {
	CanReach     bool    `json:"canReach"`
	Reason       string  `json:"reason"`
	PC           *uint32 `json:"pc,omitempty"` // of the instruction that the reason names
	LID          string  `json:"lid"`
	SplitPoints  []int64 `json:"splitPoints"` // pcs
	States       int     `json:"states"`
	Steps        int     `json:"steps"`
	Microseconds float64 `json:"microseconds"`
}

// Answerer answers questions; those about the same code share an Analyzer.
type Answerer struct {
	now   func() time.Time
	known map[string]*program
}

// NewAnswerer returns an Answerer that measures time with now.
func NewAnswerer(now func() time.Time) *Answerer {
	return &Answerer{now: now, known: map[string]*program{}}
}

// maxKnownPrograms bounds the programs whose Analyzers are kept in a batch, of
// some megabytes each. Arbitrary.
const maxKnownPrograms = 64

// program is code that questions are asked about.
type program struct {
	table    *bytecode.Table
	program  *bytecode.Program
	analyzer *lookahead.Analyzer
	starts   []bool              // by pc: an instruction starts here
	calls    lookahead.CallModel // of the current question
	asked    string              // the targets and the call model that the Analyzer is set to
}

// Batch answers one question per line, until the first that cannot be read.
func (l *Answerer) Batch(in io.Reader, out io.Writer, defaults Question) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxQuestion)
	w := bufio.NewWriter(out)
	encoder := json.NewEncoder(w)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		q := defaults
		answer, err := l.line(lines.Bytes(), &q)
		if err != nil {
			return errors.Join(exit.BadInput("line %d of the batch: %w", n, err), w.Flush())
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return errors.Join(exit.BadInput("standard input: %w; a question may have at most %d bytes", err, maxQuestion), w.Flush())
	}
	return w.Flush()
}

func (l *Answerer) line(line []byte, q *Question) (*Answer, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(q); err != nil {
		return nil, fmt.Errorf("%w; a question looks like %s", err, `{"code": "6001…", "prefix": [0, 2], "target": [17], "calls": "conservative"}`)
	}
	if decoder.More() {
		return nil, errors.New("more than one question on a line")
	}
	return l.Answer(q)
}

// Answer answers a question; an error means that the question is invalid.
func (l *Answerer) Answer(q *Question) (*Answer, error) {
	p, err := l.load(q.Code)
	if err != nil {
		return nil, err
	}
	if err := p.setTargets(q); err != nil {
		return nil, err
	}
	if q.Input != nil && q.Prefix.given {
		return nil, errors.New("prefix and input are mutually exclusive: the input's path is the prefix")
	}
	var path bytecode.Path
	var last int64
	if q.Input != nil {
		path, last, err = p.run(*q.Input, q.Calls == Observed)
	} else {
		path, last, err = p.walk(&q.Prefix)
	}
	if err != nil {
		return nil, err
	}
	return l.ask(p, path, last)
}

func (l *Answerer) ask(p *program, path bytecode.Path, last int64) (*Answer, error) {
	start := l.now()
	answer, err := p.analyzer.Ask(path, last, false)
	took := l.now().Sub(start)
	if err != nil {
		return nil, err
	}
	result := p.analyzer.Analyze(lookahead.Frame{Path: path})
	a := &Answer{
		CanReach: answer.MayReach(), Reason: answer.Reason.String(), LID: result.ID.String(), SplitPoints: []int64{},
		States: answer.States, Steps: answer.Steps, Microseconds: math.Round(float64(took.Nanoseconds())/10) / 100,
	}
	if answer.MayReach() {
		a.PC = &answer.PC
	}
	for _, point := range result.SplitPoints {
		a.SplitPoints = append(a.SplitPoints, int64(p.program.Blocks[point.Block].Start))
	}
	return a, nil
}

// load reads the code and makes its Analyzer, unless it already exists.
func (l *Answerer) load(text string) (*program, error) {
	if p := l.known[text]; p != nil {
		return p, nil
	}
	code, err := readCode(text)
	if err != nil {
		return nil, err
	}
	p := &program{table: bytecode.NewTable(nil), starts: make([]bool, len(code)), calls: lookahead.Conservative}
	p.program = p.table.Unknown(code)
	p.program.Instructions(func(pc uint32) bool {
		p.starts[pc] = true
		return true
	})
	p.analyzer = lookahead.New(p.program, lookahead.Options{Calls: func(site bytecode.Location) bool { return p.calls(site) }})
	if len(l.known) >= maxKnownPrograms {
		clear(l.known)
	}
	l.known[text] = p
	return p, nil
}

func readCode(text string) ([]byte, error) {
	if text == "" {
		return nil, errors.New("no code given: pass --code HEX or --code @FILE")
	}
	if name, isFile := strings.CutPrefix(text, "@"); isFile {
		data, err := files.ReadBounded(name, 2*maxCode+4)
		if err != nil {
			return nil, fmt.Errorf("code file %s: %w", name, files.Plain(err))
		}
		text = string(data)
	}
	code, err := readHex(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("code: %w", err)
	case len(code) == 0:
		return nil, errors.New("the code is empty")
	case len(code) > maxCode:
		return nil, fmt.Errorf("the code has %d bytes; the limit is %d", len(code), maxCode)
	}
	return code, nil
}

// readHex reads hexadecimal digits, with or without the prefix 0x.
func readHex(text string) ([]byte, error) {
	data, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(text), "0x"))
	if err != nil {
		return nil, fmt.Errorf("want hexadecimal digits, two per byte: %w", err)
	}
	return data, nil
}
