package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
)

// The names of call models.
const (
	callsConservative = "conservative"
	callsObserved     = "observed"
)

// targetInvalid names every INVALID and undefined opcode as targets.
const targetInvalid = "invalid"

// Bounds of what is read: code of a mapping build has a few hundred kilobytes,
// and a path that is longer than what campaigns keep has no use here.
const (
	maxCode     = 1 << 21 // bytes
	maxQuestion = 1 << 24 // bytes of a line of --batch
)

// lookaheadQuestion is one question: a line of --batch, or the flags.
type lookaheadQuestion struct {
	Code   string  `json:"code"`
	Prefix pcs     `json:"prefix"`
	Input  *string `json:"input"` // nil: Prefix counts
	Target pcs     `json:"target"`
	Calls  string  `json:"calls"`
}

// lookaheadAnswer is the answer to it.
type lookaheadAnswer struct {
	CanReach     bool    `json:"canReach"`
	Reason       string  `json:"reason"`
	PC           *uint32 `json:"pc,omitempty"` // of what the reason names
	LID          string  `json:"lid"`
	SplitPoints  []int64 `json:"splitPoints"` // pcs
	States       int     `json:"states"`
	Steps        int     `json:"steps"`
	Microseconds float64 `json:"microseconds"`
}

func (p *program) lookaheadCommand() *cobra.Command {
	var q lookaheadQuestion
	var input string
	var batch bool
	cmd := &cobra.Command{
		Use:   "lookahead",
		Short: "Ask the analysis what is still ahead of a path",
		Long: `Answers one question of the analysis that steers campaigns, as JSON: once the instructions of a
prefix have been executed, can a target still be? "canReach": false is proved for every input that
takes this path, whatever storage, calldata, environment and call results are; true says that a
target may be ahead, and "reason" why: a target, a call, an unknown jump or opcode, the budget.

"lid" is the hash of the shortest prefix that has no target ahead, or of the whole; "splitPoints"
are the pcs along it where the question was asked; "states" and "steps" say how much work the answer
took, "microseconds" how long, without what is done once for each contract.

Exit codes: 0 whatever the answer, 2 a question cannot be read.`,
		Example: `  sightline lookahead --code 6000356001146009575b00 --prefix 0,2,3,5,6,8 --target 10
  sightline lookahead --code @runtime.hex --input 0xa9059cbb --target invalid
  sightline lookahead --batch <<< '{"code": "@runtime.hex", "prefix": [0, 2, 4], "target": [17]}'`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("input") {
				q.Input = &input
			}
			l := lookaheads{now: p.now, known: map[string]*lookaheadProgram{}}
			if batch {
				return l.batch(p.stdin, p.stdout, q)
			}
			answer, err := l.answer(&q)
			if err != nil {
				return exit.BadInput("%w", err)
			}
			return json.NewEncoder(p.stdout).Encode(answer)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Code, "code", "", "runtime code: `HEX`, or @FILE with it")
	flags.Var(&q.Prefix, "prefix", "`PCs` executed so far, in order, separated by commas (default: none)")
	flags.StringVar(&input, "input", "", "calldata `HEX`: the path that it takes is the prefix")
	flags.Var(&q.Target, "target", "`PCs` of the targets, or invalid for every INVALID and undefined opcode")
	flags.StringVar(&q.Calls, "calls", callsConservative, "`MODEL` of where calls lead: conservative (anywhere), or observed (where they led in the run of --input; anywhere if it did not make them)")
	flags.BoolVar(&batch, "batch", false, "read questions from standard input, a line of JSON each; flags fill in what a line leaves out")
	flags.SortFlags = false
	return cmd
}

// pcs is a list of pcs, or all invalid opcodes: on the command line "2,4", in JSON
// also [2, 4] or 2.
type pcs struct {
	list    []uint32
	invalid bool
	given   bool
}

func (l *pcs) String() string { return "" }

// Type is what --help calls the value, were it not named.
func (l *pcs) Type() string { return "PCs" }

// Set reads the form of the command line.
func (l *pcs) Set(text string) error {
	*l = pcs{given: true}
	if text == targetInvalid {
		l.invalid = true
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" && strings.TrimSpace(text) == "" {
			return nil
		}
		pc, err := strconv.ParseUint(part, 0, 32)
		if err != nil {
			return fmt.Errorf("%q is no pc: want a number below 2^32, such as 16 or 0x10", part)
		}
		l.list = append(l.list, uint32(pc))
	}
	return nil
}

// UnmarshalJSON reads the forms of JSON.
func (l *pcs) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return l.Set(text)
	}
	*l = pcs{given: true}
	var one uint32
	if json.Unmarshal(data, &one) == nil {
		l.list = []uint32{one}
		return nil
	}
	if err := json.Unmarshal(data, &l.list); err != nil {
		return errors.New(`pcs must be numbers below 2^32: [2, 4], 2 or "2,4"`)
	}
	return nil
}

// lookaheads answers questions; those about the same code share an Analyzer.
type lookaheads struct {
	now   func() time.Time
	known map[string]*lookaheadProgram
}

// maxKnownPrograms bounds the programs whose Analyzers are kept in a batch, of
// some megabytes each. Arbitrary.
const maxKnownPrograms = 64

// lookaheadProgram is code that questions are asked about.
type lookaheadProgram struct {
	table    *bytecode.Table
	program  *bytecode.Program
	analyzer *lookahead.Analyzer
	starts   []bool              // by pc: an instruction starts here
	calls    lookahead.CallModel // of the present question
	asked    string              // the targets and the call model that the Analyzer is set to
}

// batch answers a question a line, until the first that cannot be read.
func (l *lookaheads) batch(in io.Reader, out io.Writer, defaults lookaheadQuestion) error {
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
		return errors.Join(exit.BadInput("standard input: %w; a question may have %d bytes", err, maxQuestion), w.Flush())
	}
	return w.Flush()
}

func (l *lookaheads) line(line []byte, q *lookaheadQuestion) (*lookaheadAnswer, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(q); err != nil {
		return nil, fmt.Errorf("%w; a question is like %s", err, `{"code": "6001…", "prefix": [0, 2], "target": [17], "calls": "conservative"}`)
	}
	if decoder.More() {
		return nil, errors.New("more than one question in a line")
	}
	return l.answer(q)
}

// answer answers a question; an error is about what was asked.
func (l *lookaheads) answer(q *lookaheadQuestion) (*lookaheadAnswer, error) {
	p, err := l.program(q.Code)
	if err != nil {
		return nil, err
	}
	if err := p.setTargets(q); err != nil {
		return nil, err
	}
	if q.Input != nil && q.Prefix.given {
		return nil, errors.New("prefix and input are both given: the input's path would be the prefix")
	}
	var path bytecode.Path
	var last int64
	if q.Input != nil {
		path, last, err = p.run(*q.Input, q.Calls == callsObserved)
	} else {
		path, last, err = p.walk(&q.Prefix)
	}
	if err != nil {
		return nil, err
	}
	return l.ask(p, path, last)
}

func (l *lookaheads) ask(p *lookaheadProgram, path bytecode.Path, last int64) (*lookaheadAnswer, error) {
	start := l.now()
	answer, err := p.analyzer.Ask(path, last, false)
	took := l.now().Sub(start)
	if err != nil {
		return nil, err
	}
	result := p.analyzer.Analyze(lookahead.Frame{Path: path})
	a := &lookaheadAnswer{
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

// program reads the code and makes its Analyzer, unless that is known.
func (l *lookaheads) program(text string) (*lookaheadProgram, error) {
	if p := l.known[text]; p != nil {
		return p, nil
	}
	code, err := readCode(text)
	if err != nil {
		return nil, err
	}
	p := &lookaheadProgram{table: bytecode.NewTable(nil), starts: make([]bool, len(code)), calls: lookahead.Conservative}
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
		return nil, errors.New("no code is given: name it with --code HEX or --code @FILE")
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
		return nil, fmt.Errorf("the code has %d bytes, at most %d are read", len(code), maxCode)
	}
	return code, nil
}

// readHex reads hexadecimal digits, with 0x in front or not.
func readHex(text string) ([]byte, error) {
	data, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(text), "0x"))
	if err != nil {
		return nil, fmt.Errorf("want hexadecimal digits, two for each byte: %w", err)
	}
	return data, nil
}

// setTargets sets the Analyzer to a question's targets and call model. One that is
// set to them already is left alone, and remembers its answers.
func (p *lookaheadProgram) setTargets(q *lookaheadQuestion) error {
	switch q.Calls {
	case callsConservative, callsObserved:
	default:
		return fmt.Errorf("calls is %q: want %s or %s", q.Calls, callsConservative, callsObserved)
	}
	if !q.Target.given || !q.Target.invalid && len(q.Target.list) == 0 {
		return errors.New("no target is given: name it with --target PC[,PC…] or --target invalid")
	}
	targets := q.Target.list
	if q.Target.invalid {
		targets = p.invalid()
	}
	for _, pc := range targets {
		if err := p.check(pc); err != nil {
			return fmt.Errorf("target: %w", err)
		}
	}
	asked := fmt.Sprint(targets)
	if q.Calls == callsConservative && asked == p.asked {
		return nil
	}
	p.calls, p.asked = lookahead.Conservative, asked
	if q.Calls == callsObserved {
		// Nothing has been seen yet; run shows it more.
		p.calls, p.asked = p.observed().MayLead, ""
	}
	p.analyzer.SetTargetPCs(targets)
	return nil
}

func (p *lookaheadProgram) observed() *lookahead.Observed {
	return lookahead.NewObserved(
		func(bytecode.CodeID) bool { return p.analyzer.ReachesTarget() },
		func(bytecode.CodeID) []bytecode.Location { return p.analyzer.CallSites() })
}

// check holds a pc to being that of an instruction.
func (p *lookaheadProgram) check(pc uint32) error {
	if int(pc) >= len(p.starts) {
		return fmt.Errorf("pc %d is behind the code, which has %d bytes", pc, len(p.starts))
	}
	if !p.starts[pc] {
		return fmt.Errorf("pc %d is inside a PUSH's data", pc)
	}
	return nil
}

// invalid lists the INVALID and undefined opcodes.
func (p *lookaheadProgram) invalid() []uint32 {
	var found []uint32
	p.program.Instructions(func(pc uint32) bool {
		if lookahead.IsInvalid(p.program.Bytes[pc]) {
			found = append(found, pc)
		}
		return true
	})
	return found
}

// walk turns executed pcs into the blocks entered, and the last of the pcs.
func (p *lookaheadProgram) walk(prefix *pcs) (bytecode.Path, int64, error) {
	if prefix.invalid {
		return nil, 0, errors.New("prefix: want pcs")
	}
	if len(prefix.list) == 0 {
		return bytecode.Path{0}, lookahead.Nothing, nil
	}
	var path bytecode.Path
	for i, pc := range prefix.list {
		if err := p.check(pc); err != nil {
			return nil, 0, fmt.Errorf("prefix: %w", err)
		}
		if i == 0 && pc != 0 {
			return nil, 0, fmt.Errorf("prefix: it begins with pc %d, but execution begins with pc 0", pc)
		}
		if i > 0 && !p.follows(prefix.list[i-1], pc) {
			before := prefix.list[i-1]
			return nil, 0, fmt.Errorf("prefix: pc %d cannot follow pc %d (%v)", pc, before, vm.OpCode(p.program.Bytes[before]))
		}
		if block, ok := p.program.StartsAt(uint64(pc)); ok {
			path = append(path, block)
		}
	}
	return path, int64(prefix.list[len(prefix.list)-1]), nil
}

// follows reports whether execution can go from the instruction at one pc to that at
// another, as far as the code shows without a stack.
func (p *lookaheadProgram) follows(before, pc uint32) bool {
	op := vm.OpCode(p.program.Bytes[before])
	next := pc == before+1+bytecode.PushSize(byte(op))
	isDestination := vm.OpCode(p.program.Bytes[pc]) == vm.JUMPDEST
	switch op {
	case vm.JUMP:
		return isDestination
	case vm.JUMPI:
		return next || isDestination
	case vm.STOP, vm.RETURN, vm.REVERT, vm.SELFDESTRUCT:
		return false
	}
	return next && !lookahead.IsInvalid(byte(op))
}

// The account that --input runs the code in.
var lookaheadAddress = common.HexToAddress("0xc0de")

// run runs the code on calldata and gives the blocks it entered and its last pc.
// An observed call model learns from the run.
func (p *lookaheadProgram) run(input string, observe bool) (bytecode.Path, int64, error) {
	data, err := readHex(input)
	if err != nil {
		return nil, 0, fmt.Errorf("input: %w", err)
	}
	w := world.Empty("")
	w.Accounts[lookaheadAddress] = &evm.Account{Nonce: 1, Code: p.program.Bytes}
	machine, err := evm.NewReference(w, p.table, evm.LiftCodeSizeLimits)
	if err != nil {
		return nil, 0, err
	}
	exec, err := machine.Run(evm.Sequence{{From: world.User1.Address, To: lookaheadAddress, Data: data}})
	if err != nil {
		return nil, 0, err
	}
	if observe {
		model := p.observed()
		for i := range exec.Frames[1:] {
			p.see(model, exec, &exec.Frames[i+1])
		}
		p.calls = model.MayLead
		p.analyzer.Refresh()
	}
	f := &exec.Frames[0]
	last := f.LastPC
	if block := p.program.Blocks[f.Path[len(f.Path)-1]]; f.PathTruncated || last < block.Start || last >= block.End {
		last = block.Start
	}
	return f.Path, int64(last), nil
}

// see shows a call to a model, if the code made it.
func (p *lookaheadProgram) see(model *lookahead.Observed, exec *evm.Execution, f *evm.Frame) {
	if f.Parent < 0 || exec.Frames[f.Parent].Program != p.program {
		return
	}
	callee := lookahead.Callee{}
	if f.Program != nil {
		callee = lookahead.Callee{Program: f.Program.ID, Anything: f.Program != p.program}
	}
	model.See(bytecode.Location{Code: p.program.ID, PC: f.CallPC}, callee)
}
