package shard

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/files"
)

// Killed is [fuzzer.Result.Stopped] of a shard that did not come to its end.
const Killed = "killed"

// claims are what a shard says that it found, as a result whose targets and findings are not confirmed.
type claims struct {
	index  int
	done   bool
	result *fuzzer.Result
	suite  [][32]byte // SHA-256 of the texts of the suite's inputs
}

// read reads all of a shard's folder.
func (s *Shard) read(config *fuzzer.Config) (*claims, error) {
	folder, err := files.OpenFolder(s.dir, false)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	r := reader{config: config, file: s.file}
	if err := r.open(folder); err != nil {
		return nil, err
	}
	c := &claims{index: s.Index, done: s.End == Done, result: &r.result}
	if err := r.read(); err != nil {
		return nil, err
	}
	if s.End == Running {
		r.result.Stopped = Killed
	}
	numbers, ok := s.file.Suite.each(len(r.sequences), maxSuite)
	if !ok {
		return nil, fmt.Errorf("the suite: %w", errNoSequence)
	}
	for _, n := range numbers {
		r.result.Suite = append(r.result.Suite, r.sequences[n].calls)
		c.suite = append(c.suite, r.sequences[n].text)
	}
	return c, nil
}

// reader reads the parts of a result.
type reader struct {
	config    *fuzzer.Config
	file      *shardFile
	places    *located
	sequences []unpacked
	result    fuzzer.Result
}

// open reads the files that shard.json names.
func (r *reader) open(folder *os.Root) (err error) {
	unknown := 0
	r.places, err = locate(r.config.Table, r.file.Artifacts, func(sum string) ([]byte, error) {
		if unknown++; unknown > maxUnknownCode {
			return nil, fmt.Errorf("more than %d pieces of code that no contract explains", maxUnknownCode)
		}
		return content(folder, codeFolder, sum, codeSuffix, maxCode)
	})
	if err != nil {
		return err
	}
	size := 0
	for _, sum := range r.file.Sequences {
		text, err := content(folder, sequencesFolder, sum, sequencesSuffix, maxPack)
		if err != nil {
			return err
		}
		if size += len(text); size > maxSequences {
			return fmt.Errorf("its sequences have more than %d bytes", maxSequences)
		}
		list, err := unpack(r.config.Space, text)
		if err != nil {
			return fmt.Errorf("%s/%s%s: %w", sequencesFolder, sum, sequencesSuffix, err)
		}
		r.sequences = append(r.sequences, list...)
	}
	return nil
}

func (r *reader) read() error {
	f, out := r.file, &r.result
	out.Stats, out.Useful, out.Unconfirmed, out.Stopped = f.Stats.Stats, f.Useful, f.Unconfirmed, f.Stopped
	out.Burners, out.Timeline = f.Burners, f.Timeline
	for _, note := range f.Notes {
		out.Notes = append(out.Notes, string(note))
	}
	if len(f.Targets) != len(r.config.Targets) {
		return fmt.Errorf("it has %d targets, and there are %d", len(f.Targets), len(r.config.Targets))
	}
	for i := range f.Targets {
		t, err := r.target(&f.Targets[i])
		if err != nil {
			return fmt.Errorf("target %d: %w", i, err)
		}
		out.Targets = append(out.Targets, t)
	}
	for i := range f.Findings {
		found, err := r.finding(&f.Findings[i])
		if err != nil {
			return fmt.Errorf("finding %d: %w", i, err)
		}
		if found != nil {
			out.Findings = append(out.Findings, found)
		}
	}
	for i := range f.Faults {
		fault, err := r.fault(&f.Faults[i])
		if err != nil {
			return fmt.Errorf("fault %d: %w", i, err)
		}
		out.Faults = append(out.Faults, fault)
	}
	for _, test := range f.Passed {
		if !r.passed(test) {
			return fmt.Errorf("the World has no test %.80q of %.80q", test.Function, test.Instance)
		}
	}
	return r.entered()
}

// passed adds a test that passed, if there is such a test.
func (r *reader) passed(test passedFile) bool {
	i := slices.IndexFunc(r.config.Space.Instances, func(in input.Instance) bool { return in.Name == test.Instance })
	if i < 0 {
		return false
	}
	f := r.config.Space.Instances[i].Callable(test.Function)
	if f == nil {
		return false
	}
	r.result.Passed = append(r.result.Passed, input.Callable{Instance: i, Function: f})
	return true
}

// entered reads the blocks that were entered.
func (r *reader) entered() error {
	n := 0
	for _, e := range r.file.Entered {
		if n += len(e.At); n > maxEntered {
			return fmt.Errorf("more than %d blocks were entered", maxEntered)
		}
		for _, pc := range e.At {
			if e.Artifact < 0 || e.Artifact >= len(r.places.programs) {
				return errPlace
			}
			l, err := r.places.at(place{uint32(e.Artifact), pc})
			if err != nil {
				return err
			}
			r.result.Entered = append(r.result.Entered, l)
		}
	}
	slices.SortFunc(r.result.Entered, bytecode.Location.Compare) // numbers of code that no artifact explains may be others here
	return nil
}

// packed is a sequence by its number.
func (r *reader) packed(n int) (input.Packed, error) {
	if n < 0 || n >= len(r.sequences) {
		return nil, errNoSequence
	}
	return r.sequences[n].calls, nil
}

func (r *reader) sequence(n int) (input.Sequence, error) {
	packed, err := r.packed(n)
	return packed.Unpack(), err
}

func (r *reader) target(f *targetFile) (t fuzzer.TargetResult, err error) {
	switch f.Status {
	case statusReached:
		t.Reached, t.Entered = true, true
	case statusEntered:
		t.Entered = true
	case statusOpen, statusUnreachable: // whether it is is proved again
	default:
		return t, fmt.Errorf("%.40q is no status of a target", f.Status)
	}
	if t.Entered {
		if f.First == nil {
			return t, errors.New("it does not say when it was entered first")
		}
		t.First = *f.First
		if f.Sequence != nil { // otherwise the claim has no evidence
			if t.Sequence, err = r.sequence(*f.Sequence); err != nil {
				return t, err
			}
		}
	}
	if t.Stops, err = r.stops(f.Stops); err != nil {
		return t, err
	}
	t.Strangers, err = r.stops(f.Strangers)
	return t, err
}

// finding is nil where no oracle has the name: it does not watch here.
func (r *reader) finding(f *findingFile) (*fuzzer.Finding, error) {
	if oracle.Severity(f.Severity) > oracle.Critical {
		return nil, fmt.Errorf("%d is no severity", f.Severity)
	}
	if len(f.Oracle) > maxText || len(f.Contract) > maxText {
		return nil, errors.New("a name is too long")
	}
	if len(f.Ways) > maxList {
		return nil, fmt.Errorf("it has %d ways, at most %d are read", len(f.Ways), maxList)
	}
	at, err := r.places.at(f.At)
	if err != nil {
		return nil, err
	}
	seq, err := r.sequence(f.Sequence)
	if err != nil {
		return nil, err
	}
	out := &fuzzer.Finding{Location: at, Contract: f.Contract, Message: string(f.Message), Severity: oracle.Severity(f.Severity),
		Sequence: seq, First: f.First, NeverPassed: f.NeverPassed, Chosen: f.Chosen}
	for _, n := range f.Ways {
		way, err := r.sequence(n)
		if err != nil {
			return nil, err
		}
		if len(out.Ways) < r.config.Ways {
			out.Ways = append(out.Ways, way)
		}
	}
	// Properties are the assertion oracle's, whether it watches or not.
	for _, o := range slices.Concat(r.config.Oracles, []*oracle.Oracle{oracle.Assertion}) {
		if o.ID == f.Oracle {
			out.Oracle = o
			return out, nil
		}
	}
	r.result.Faults = append(r.result.Faults, fuzzer.Fault{Message: fmt.Sprintf("finding of oracle %.80q: it does not watch here, so that it was not reported", f.Oracle), Sequence: seq})
	return nil, nil
}

func (r *reader) fault(f *faultFile) (out fuzzer.Fault, err error) {
	out.Message = string(f.Message)
	if f.Sequence != nil {
		if out.Sequence, err = r.sequence(*f.Sequence); err != nil {
			return out, err
		}
	}
	if f.Difference != nil {
		if len(f.Calls) > input.MaxCalls {
			return out, fmt.Errorf("%d calls, at most %d are read", len(f.Calls), input.MaxCalls)
		}
		out.Mismatch = &evm.Mismatch{Sequence: f.Calls, Difference: string(*f.Difference)}
	}
	return out, nil
}

func (r *reader) stops(list []stopFile) (out []fuzzer.Stop, err error) {
	if len(list) > maxStops {
		return nil, fmt.Errorf("%d stops, at most %d are read", len(list), maxStops)
	}
	for i := range list {
		s, err := r.stop(&list[i])
		if err != nil {
			return nil, fmt.Errorf("stop %d: %w", i, err)
		}
		out = append(out, s)
	}
	return out, nil
}

// maxStops is more than a target has. Arbitrary.
const maxStops = 64

func (r *reader) stop(f *stopFile) (s fuzzer.Stop, err error) {
	s = fuzzer.Stop{Halts: f.Halts, Passed: f.Passed, Entered: f.Entered, Executions: f.Executions, Reason: string(f.Reason), Caller: f.Caller,
		ByCaller: f.ByCaller, Frame: f.Frame, Distance: f.Distance}
	if f.Executions > maxCount || f.Frame < 0 || len(f.Guards) > maxList || len(f.Beyond) > maxList {
		return s, errors.New("it has a number that no campaign comes to")
	}
	if s.At, err = r.places.at(f.At); err != nil {
		return s, err
	}
	if s.Place, err = r.places.at(f.Place); err != nil {
		return s, err
	}
	if f.Halted != nil {
		if s.Halted, err = r.places.at(*f.Halted); err != nil {
			return s, err
		}
	}
	if s.Guards, err = r.places.all(f.Guards); err != nil {
		return s, err
	}
	for _, b := range f.Beyond {
		at, err := r.places.at(b.At)
		if err != nil {
			return s, err
		}
		s.Beyond = append(s.Beyond, fuzzer.Ahead{At: at, Account: valueOf(b.Account)})
	}
	s.Missing, s.Cost = valueOf(f.Missing), valueOf(f.Cost)
	if f.Input != nil {
		if s.Input, err = r.packed(*f.Input); err != nil {
			return s, err
		}
	}
	if c := f.Comparison; c != nil {
		s.Decides = true
		s.Comparison = evm.Comparison{PC: c.PC, Block: bytecode.BlockID(c.Block), Op: c.Op, Negated: c.Negated, Taken: c.Taken, Left: valueOf(c.Left), Right: valueOf(c.Right)}
		if p := r.config.Table.Program(s.At.Code); p != nil && (c.PC != s.At.PC || int64(c.Block) >= int64(len(p.Blocks))) {
			return s, errPlace
		}
	}
	return s, nil
}

// valueOf is what a pointer leads to; nil: the zero value.
func valueOf[T common.Address | uint256.Int](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}
