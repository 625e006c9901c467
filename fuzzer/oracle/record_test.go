package oracle_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

var record = flag.String("record", "", "search for sequences that TestScenes shows to the oracles, for the pull requests whose names match this pattern")

// TestRecord searches for the sequences of TestScenes: those of a short campaign in which oracles see or suspect something that they
// did not in the others before. It does nothing without -record.
func TestRecord(t *testing.T) {
	if *record == "" {
		return
	}
	files, err := filepath.Glob(filepath.Join(verdicts, *record+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := filepath.Glob("testdata/scenes/" + *record + ".sol")
	if err != nil || len(files)+len(own) == 0 {
		t.Fatalf("nothing has a name like that: %v", err)
	}
	for _, file := range append(files, own...) {
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		start, s := time.Now(), newStageOf(t, name)
		sequences := s.search(t)
		if err := os.WriteFile("testdata/scenes/"+s.name+".txt", []byte(s.shown(t, sequences)), 0o644); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%s: %d sequences, %v\n", s.name, len(sequences), time.Since(start))
	}
}

// search runs a campaign, and chooses of its inputs.
func (s *stage) search(t *testing.T) (chosen []string) {
	t.Helper()
	judge := func() (evm.Machine, error) { return gethvm.NewApart(s.world, s.table) }
	r, err := (&fuzzer.Campaign{Config: fuzzer.Config{
		World: s.world, Space: s.space, Table: s.table, Oracles: append(oracle.Known(), oracle.ThirdPartyLoss), Audit: true, Seed: 1, Workers: 1,
		MaxCalls: recordCalls, Now: time.Now, NewJudge: judge,
		NewMachine: func() (evm.Machine, error) {
			return evm.NewApart(s.world, func(w *evm.World, options ...evm.Option) (evm.Exporter, error) {
				return interp.New(w, s.table, options...)
			})
		},
		NewTracer: func() (evm.Machine, error) {
			return evm.NewApart(s.world, func(w *evm.World, options ...evm.Option) (evm.Exporter, error) {
				return gethvm.New(w, s.table, append(options, evm.WithTrace)...)
			})
		},
	}}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var inputs []input.Sequence
	for _, f := range r.Findings {
		inputs = append(inputs, f.Sequence)
	}
	for _, packed := range r.Suite {
		inputs = append(inputs, packed.Unpack())
	}
	slices.SortStableFunc(inputs[len(r.Findings):], func(a, b input.Sequence) int { return len(a) - len(b) })
	known := map[string]bool{}
	for _, seq := range inputs {
		if len(seq) == 0 || len(seq) > 8 || len(chosen) >= mostScenes {
			continue
		}
		isNew := slices.DeleteFunc(s.signs(t, seq), func(sign string) bool { return known[sign] })
		if len(isNew) == 0 {
			continue
		}
		seq = s.shortened(t, seq, isNew)
		for _, sign := range isNew {
			known[sign] = true
		}
		text := strings.TrimSpace(strings.TrimPrefix(input.Format(s.space, seq), "sightline-sequence v1\n"))
		if len(text) < 3000 && !slices.Contains(chosen, text) {
			chosen = append(chosen, text)
		}
	}
	return chosen
}

// Bounds of a search. Arbitrary.
const (
	recordCalls = 20_000
	mostScenes  = 12
)

// shortened leaves out calls that it does not take for some signs.
func (s *stage) shortened(t *testing.T, seq input.Sequence, signs []string) input.Sequence {
	t.Helper()
	for i := len(seq) - 1; i >= 0 && len(seq) > 1; i-- {
		shorter := slices.Delete(seq.Clone(), i, i+1)
		now := s.signs(t, shorter)
		if !slices.ContainsFunc(signs, func(sign string) bool { return !slices.Contains(now, sign) }) {
			seq = shorter
		}
	}
	return seq
}

// signs are what oracles see and suspect in a sequence, and what its trace has that they look at.
func (s *stage) signs(t *testing.T, seq input.Sequence) (signs []string) {
	t.Helper()
	add := func(sign string) {
		if !slices.Contains(signs, sign) {
			signs = append(signs, sign)
		}
	}
	s.attempted = func(o *oracle.Oracle, at bytecode.Location, how [4]byte) {
		add(fmt.Sprintf("suspects %s %v %x", o.ID, at, how))
	}
	defer func() { s.attempted = nil }()
	s.examine(t, seq, func(o *oracle.Oracle, mode string, seen oracle.Observation) {
		add(fmt.Sprintf("sees %s %s %v %v", o.ID, mode, seen.Severity, seen.Location))
	})
	exec, err := s.tracer.Run(s.space.Encode(seq, nil))
	if err != nil {
		t.Fatal(err)
	}
	for i := range exec.Trace.Wraps {
		w := &exec.Trace.Wraps[i]
		add(fmt.Sprintf("wraps %v %v %v %v %d", w.Op, w.Checked, w.Lost, w.Doubt, len(w.Sinks)))
	}
	for i := range exec.Trace.Calls {
		c := &exec.Trace.Calls[i]
		add(fmt.Sprintf("calls %v %v %v %v", c.PC, c.Success, c.SuccessUse.Kind, c.AnswerUse.Kind))
	}
	return signs
}
