package fuzzer

import (
	"bytes"
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

var errNoReference = errors.New("there is no reference to run on")

// maxAttempts is how often a worker looks closely at what one oracle suspects at one place. Each time is some
// runs. Arbitrary: what the first hundreds of ways there do not show is rare.
const maxAttempts = 256

// scenes makes what oracles look closely at. Its machines are made when they are first needed.
type scenes struct {
	config   *Config
	makers   []func() (evm.Machine, error) // of the machine: the first that makes one whose state can be looked at
	now      *oracle.Oracle                // whose turn it is
	attempts map[suspicion]int
	most     int // of them; 0: as many as there are

	checking map[*bytecode.Program]bool // see [oracle.Scene]

	scene    oracle.Scene   // of the execution that is looked at
	sequence input.Sequence // of it
	calls    evm.Sequence   // likewise, where encodes is not set
	encodes  bool           // they are still to be encoded
	trace    *evm.Trace
	asked    bool // for the trace

	machine evm.Exporter // nil: not yet made
	tracer  evm.Machine  // likewise
	failed  bool         // there is no such machine
}

// suspicion is what attempts are counted by.
type suspicion struct {
	oracle *oracle.Oracle
	at     bytecode.Location
	how    [4]byte
}

// of is the scene of an execution of a sequence, until the next one.
func (s *scenes) of(seq input.Sequence, exec *evm.Execution, isNew bool) *oracle.Scene {
	if s.scene.Run == nil {
		s.scene = oracle.Scene{World: s.config.World, Audit: s.config.Audit, Added: s.config.Added, Altered: s.config.Altered, Checking: s.checking, Run: s.run, State: s.state, Attempt: s.attempt, Calls: s.encoded, Replaced: s.replaced}
		if s.config.NewTracer != nil {
			s.scene.Trace = s.traced
		}
		if len(s.config.Targets) > 0 {
			s.scene.RunsTarget = s.config.runsTarget()
		}
	}
	s.scene.Exec, s.scene.New = exec, isNew
	s.sequence, s.encodes, s.trace, s.asked = seq, true, nil, false
	return &s.scene
}

// runsTarget tells of frames of known code whether they enter a target. What that takes is made when it is first asked for: few campaigns do.
func (c *Config) runsTarget() func(*evm.Frame) bool {
	var index map[bytecode.CodeID]*entries
	return func(f *evm.Frame) bool {
		if index == nil {
			index = findEntries(c.Table, c.Targets)
		}
		return runsTarget(index, f)
	}
}

// runsTarget reports whether a frame enters a target.
func runsTarget(index map[bytecode.CodeID]*entries, f *evm.Frame) bool {
	e := index[f.Program.ID]
	return e != nil && slices.ContainsFunc(f.Path, func(b bytecode.BlockID) bool { return e.first[b] < e.first[b+1] })
}

// encoded are the calls of the scene's sequence, in the memory of those of earlier scenes.
func (s *scenes) encoded() evm.Sequence {
	if s.encodes {
		s.encodes, s.calls = false, s.config.Space.Encode(s.sequence, s.calls)
	}
	return s.calls
}

// replaced are the scene's calls with another account and other bytes, see [oracle.Scene].
func (s *scenes) replaced(from int, account, by common.Address, data, with []byte) evm.Sequence {
	return s.config.Space.Encode(replaced(s.sequence, from, account, by, data, with), nil)
}

// traced is the trace of the scene's execution; nil: there is none.
func (s *scenes) traced() *evm.Trace {
	if !s.asked {
		s.asked, s.trace = true, s.follow(s.encoded())
	}
	return s.trace
}

// run runs calls on the machine.
func (s *scenes) run(calls evm.Sequence) (*evm.Execution, error) {
	if s.machine == nil && !s.failed {
		s.machine = s.newMachine()
		s.failed = s.machine == nil
	}
	if s.failed {
		return nil, errNoReference
	}
	return s.machine.Run(calls)
}

func (s *scenes) newMachine() evm.Exporter {
	for _, of := range s.makers {
		if of == nil {
			continue
		}
		if m, err := of(); err == nil {
			if exporter, ok := m.(evm.Exporter); ok {
				return exporter
			}
		}
	}
	return nil
}

// faults returns what the machine was wrong about since the last call.
func (s *scenes) faults(seq input.Sequence) []Fault {
	if checked, ok := s.machine.(*evm.Checked); ok {
		return checking{checked}.faults(seq)
	}
	return nil
}

// state is the state behind the calls that ran last.
func (s *scenes) state() *evm.World { return s.machine.Export() }

// follow runs calls on a machine that traces; nil: it cannot.
func (s *scenes) follow(calls evm.Sequence) *evm.Trace {
	if s.tracer == nil {
		m, err := s.config.NewTracer()
		if err != nil {
			return nil
		}
		s.tracer = m
	}
	exec, err := s.tracer.Run(calls)
	if err != nil {
		return nil
	}
	return exec.Trace
}

// lateShare: beyond the first attempts, one in so many is made: what they take may be a state that comes late, such as what
// others have paid in. Arbitrary.
const lateShare = 16

// attempt counts an attempt, and reports whether it is one of the first, or is chosen of later ones.
func (s *scenes) attempt(at bytecode.Location, how [4]byte) bool {
	if s.most == 0 {
		return true
	}
	key := suspicion{s.now, at, how}
	s.attempts[key]++
	return s.attempts[key] <= s.most || s.attempts[key]%lateShare == 0
}

// replaced is a sequence with another account wherever its calls from one on name one, and other bytes wherever an
// argument of theirs is some.
func replaced(seq input.Sequence, from int, account, by common.Address, data, with []byte) input.Sequence {
	out := seq.Clone()
	for i := from; i < len(out); i++ {
		c := &out[i]
		c.Args = slices.Clone(abi.ReplaceAddress(c.Args, c.Function.Inputs, account, by))
		for j := range c.Args {
			c.Args[j] = replacedBytes(c.Args[j], data, with)
		}
	}
	return out
}

func replacedBytes(v input.Value, data, with []byte) input.Value {
	if len(data) > 0 && bytes.Equal(v.Bytes, data) {
		v.Bytes = with
	}
	if len(v.Elems) > 0 {
		v.Elems = slices.Clone(v.Elems)
		for i := range v.Elems {
			v.Elems[i] = replacedBytes(v.Elems[i], data, with)
		}
	}
	return v
}
