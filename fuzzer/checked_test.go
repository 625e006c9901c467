package fuzzer

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// checkedConfig is a campaign on machines that are checked; wrap makes the fast
// one of an interpreter.
func (p *project) checkedConfig(t *testing.T, calls uint64, wrap func(*interp.Interpreter) evm.Exporter) Config {
	config := p.config(1, calls)
	config.Now = func() time.Time { return time.Time{} }
	config.NewJudge = p.newMachine
	config.NewMachine = func() (evm.Machine, error) {
		fast, err := interp.New(p.world, p.table, evm.LiftCodeSizeLimits)
		if err != nil {
			t.Fatal(err)
		}
		reference, err := gethvm.New(p.world, p.table, evm.LiftCodeSizeLimits)
		if err != nil {
			t.Fatal(err)
		}
		return evm.NewChecked(wrap(fast), reference), nil
	}
	return config
}

// TestCheckingChangesNothing: a campaign whose machines are checked, and right, is
// the campaign that it would be without.
func TestCheckingChangesNothing(t *testing.T) {
	for _, source := range []string{"planted/two-steps.sol", "planted/properties.sol"} {
		p := open(t, source)
		checked := p.checkedConfig(t, 12_000, func(m *interp.Interpreter) evm.Exporter { return m })
		plain := p.checkedConfig(t, 12_000, nil)
		plain.NewMachine = p.newMachine
		a, b := mustRun(t, plain), mustRun(t, checked)
		noFaults(t, b)
		if diff := cmp.Diff(a, b, ignoreFuncs, samePrograms, unpacked); diff != "" {
			t.Errorf("%s: results differ (-plain +checked):\n%s", source, diff)
		}
	}
}

// ignoreFuncs and samePrograms make results comparable: an oracle is a table of
// funcs, and a program is one object.
var (
	ignoreFuncs  = cmpopts.IgnoreFields(Finding{}, "Oracle")
	unpacked     = cmp.Transformer("Unpack", func(p input.Packed) input.Sequence { return p.Unpack() })
	samePrograms = cmp.Comparer(func(a, b *bytecode.Program) bool { return a == b })
)

// wrong is a machine whose executions are wrong from some run on: wherever a frame
// wrote to storage, it says that it wrote something else.
type wrong struct {
	*interp.Interpreter
	from, runs int
	lies       int
}

func (w *wrong) Run(seq evm.Sequence) (*evm.Execution, error) {
	exec, err := w.Interpreter.Run(seq)
	if w.runs++; err != nil || w.runs < w.from {
		return exec, err
	}
	exec = exec.Clone()
	for i := range exec.Frames {
		for j := range exec.Frames[i].Storage {
			if s := &exec.Frames[i].Storage[j]; s.Write {
				s.Value.AddUint64(&s.Value, 1)
				w.lies++
			}
		}
	}
	return exec, nil
}

// TestWrongMachineIsCaught: a machine with a wrong instruction is found out in a
// short campaign, by what the campaign builds on or, where nothing is new any more,
// by the sample; then the reference takes over, and what was to be found is found.
func TestWrongMachineIsCaught(t *testing.T) {
	for name, from := range map[string]int{"from the start": 0, "later": 8_000} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "planted/two-steps.sol")
			var machine *wrong
			config := p.checkedConfig(t, 60_000, func(m *interp.Interpreter) evm.Exporter {
				machine = &wrong{Interpreter: m, from: from}
				return machine
			})
			r := mustRun(t, config)
			if len(r.Faults) == 0 {
				t.Fatalf("%d lies were believed in %d calls; stopped: %s", machine.lies, r.Stats.Calls, r.Stopped)
			}
			f := r.Faults[0]
			if f.Mismatch == nil || len(f.Mismatch.Sequence) == 0 || len(f.Sequence) == 0 || !strings.Contains(f.Message, "the machines disagree: Frames[") || !strings.Contains(f.Message, ".Value is ") {
				t.Errorf("fault %+v", f)
			}
			if len(r.Faults) > 3 {
				t.Errorf("%d faults for one contract", len(r.Faults))
			}
			for i, target := range r.Targets {
				if !target.Reached {
					t.Errorf("target %d is not reached", i)
				}
			}
		})
	}
}
