package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// holds reports whether an execution of the sequence shows what is to be confirmed.
type holds func(input.Sequence, *evm.Execution) bool

// replay runs a sequence on the judge. A fault of the judge confirms nothing.
func (c *Campaign) replay(seq input.Sequence, holds holds) (*evm.Execution, bool) {
	c.encoded = c.Space.Encode(seq, c.encoded)
	exec, err := c.judge.Run(c.encoded)
	c.result.Stats.Executions++
	c.result.Stats.Calls += uint64(len(seq))
	if err != nil {
		return nil, false
	}
	if work := workOf(exec); work >= heavyWork {
		c.judged += work * judgeFactor
	}
	return exec, holds(seq, exec)
}

// enters reports whether the execution entered one of the target's entries, and
// whether in a call whose effects last.
func enters(table *bytecode.Table, target *bytecode.Target, exec *evm.Execution) (entered, kept bool) {
	for _, entry := range target.Entries {
		_, block, ok := blockAt(table, entry)
		if !ok {
			continue
		}
		for _, c := range exec.Covered {
			if c.Code == entry.Code && c.Block == block {
				entered, kept = true, kept || c.Kept
			}
		}
	}
	return entered, kept
}

// enters reports whether the execution of a sequence entered a target, within the calls that count ([Config.Within]), and whether in a call whose effects
// last.
func (c *Campaign) enters(target int, seq input.Sequence, exec *evm.Execution) (entered, kept bool) {
	if !c.isWithin(target, seq) {
		return false, false
	}
	if c.isFrom(target) {
		last := *exec
		last.Covered = slices.DeleteFunc(slices.Clone(exec.Covered), func(v evm.Coverage) bool { return v.Call < len(seq)-1 })
		exec = &last
	}
	return enters(c.Table, &c.Targets[target], exec)
}

// isFrom reports whether only calls of a certain function may enter a target.
func (c *Campaign) isFrom(target int) bool {
	return c.Within != nil && c.Within[target].Function != nil
}

// isWithin reports whether a sequence's last call may enter a target.
func (c *Campaign) isWithin(target int, seq input.Sequence) bool {
	return !c.isFrom(target) || lastOf(seq) == c.Within[target]
}

// breaks reports whether an oracle sees something in a sequence, or in a property called
// after it; true also where the judge cannot run it.
func (c *Campaign) breaks(seq input.Sequence) bool { return breaks(c.judge, &c.Config, seq) }

func breaks(judge evm.Machine, config *Config, seq input.Sequence) bool {
	shows := func(seq input.Sequence) bool {
		_, observed, err := Replay(judge, config, seq)
		return err != nil || len(observed) > 0
	}
	return shows(seq) || !input.IsTest(seq) && slices.ContainsFunc(config.Space.Properties(), func(p input.Callable) bool {
		within := config.Space.Within(p, seq)
		return shows(append(within[:len(within):len(within)], input.Call{Instance: p.Instance, Function: p.Function}))
	})
}

// Replay runs a sequence on a machine and lists what every oracle sees in it. An error
// means that the machine failed.
func Replay(machine evm.Machine, config *Config, seq input.Sequence) (*evm.Execution, []Observed, error) {
	exec, err := machine.Run(config.Space.Encode(seq, nil))
	if err != nil {
		return nil, nil, err
	}
	var all []Observed
	for _, seen := range newObserver(config).observe(seq, exec) {
		all = append(all, Observed{seen.oracle.ID, seen.Location, seen.Message, seen.Call})
	}
	return exec, all, nil
}

// Confirm replays a finding's sequence on a machine, and reports whether its oracle sees it there, in
// the same contract. It returns the locations that the sequence entered, as [Finding.Path] has them.
func Confirm(machine evm.Machine, config *Config, f *Finding) (path []bytecode.Location, ok bool) {
	if len(f.Sequence) == 0 {
		return nil, false
	}
	exec, err := machine.Run(config.Space.Encode(f.Sequence, nil))
	if err != nil {
		return nil, false
	}
	key := findingKey{f.Oracle.ID, f.Location, f.Chosen, f.Severity}
	for _, seen := range newObserver(config).observe(f.Sequence, exec) {
		if seen.key() == key && seen.Contract == f.Contract {
			return entered(config.Table, exec), true
		}
	}
	return nil, false
}

// Observed is what an oracle saw in a replay.
type Observed struct {
	Oracle   string
	Location bytecode.Location
	Message  string
	Call     int // index of the sequence's call in which it happened
}

// Enters reports whether the execution entered the target, and whether in a call
// whose effects last.
func Enters(table *bytecode.Table, target *bytecode.Target, exec *evm.Execution) (entered, kept bool) {
	return enters(table, target, exec)
}
