package world

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// examples takes the calls that test functions make.
type examples struct {
	*deployer
	setups  *setups
	runner  *testRunner
	parties *parties
}

// This file learns from tests how contracts are used: their authors know best which
// calls get somewhere.

const (
	// maxExamples bounds the test functions that are run. Arbitrary; test contracts have
	// some ten to fifty functions.
	maxExamples = 512
	// maxExampleCalls bounds the calls that are taken from one test: campaigns'
	// sequences have as many at most.
	maxExampleCalls = 64
	// exampleGasTotal bounds the gas of all runs, see exampleGas: some ten seconds at the
	// worst.
	exampleGasTotal = 1 << 30
)

// The cheatcodes that let time pass.
var (
	cheatWarp = selector("warp(uint256)")
	cheatRoll = selector("roll(uint256)")
)

// take runs the test functions of the set-ups that made a World, each on it
// anew, and takes the calls that they make to its instances.
func (ex *examples) take(ctx context.Context, w *evm.World) error {
	s := ex.setups
	if s.Strict { // the World it is compared with has them
		for i := range s.tried {
			s.tried[i].tests = s.Tests[s.tried[i].Contract.QualifiedName()]
		}
		return nil
	}
	var left uint64 = exampleGasTotal
	list := mostUseful(s.examples())
	for _, e := range list[:min(len(list), maxExamples)] {
		if err := ctx.Err(); err != nil {
			return err
		}
		if left < exampleGas {
			break
		}
		if err := ex.runner.as(&s.tried[e.setUp]); err != nil {
			return err
		}
		used, err := ex.example(w, &s.tried[e.setUp], &e.method)
		if err != nil {
			return err
		}
		left -= min(left, used)
	}
	return ex.moveTo(w)
}

// exampleTest is a test function of a set-up that made the World.
type exampleTest struct {
	setUp   int // of those tried
	method  abi.Method
	entries map[bytecode.Location]bool // of targets, that it came to when all tests were run
}

// examples lists the test functions of the set-ups that made the World, in their order.
func (s *setups) examples() []exampleTest {
	surveys := map[int]*survey{}
	for _, u := range s.used {
		surveys[u.setUp] = u.survey
	}
	var list []exampleTest
	for i := range s.tried {
		if s.tried[i].Failure != "" {
			continue
		}
		for _, m := range testFunctions(s.tried[i].Contract.ABI) {
			e := exampleTest{setUp: i, method: m}
			if v := surveys[i]; v != nil {
				e.entries = v.entries[m.Sig]
			}
			list = append(list, e)
		}
	}
	return list
}

// mostUseful puts those tests first that come to most of what none before them does: there
// is not time for all, and a campaign begins with the calls of the first. Those that add
// nothing follow in their order.
func mostUseful(list []exampleTest) []exampleTest {
	met := map[bytecode.Location]bool{}
	adds := func(e *exampleTest) int {
		n := 0
		for at := range e.entries {
			if !met[at] {
				n++
			}
		}
		return n
	}
	bounds := make([]int, len(list)) // what each adds, or did when less was met
	for i := range list {
		bounds[i] = len(list[i].entries)
	}
	ordered := make([]exampleTest, 0, len(list))
	for {
		best := 0
		for i, n := range bounds {
			if n > bounds[best] {
				best = i
			}
		}
		if len(bounds) == 0 || bounds[best] <= 0 {
			break
		}
		if n := adds(&list[best]); n < bounds[best] {
			bounds[best] = n
			continue
		}
		bounds[best] = -1
		ordered = append(ordered, list[best])
		maps.Copy(met, list[best].entries)
	}
	for i, n := range bounds {
		if n == 0 {
			ordered = append(ordered, list[i])
		}
	}
	return ordered
}

// example runs a test function until it succeeds or its tries are used up, and
// takes the calls of that run, or of the first one. It returns the gas that was
// used.
func (ex *examples) example(w *evm.World, up *TestSetup, m *abi.Method) (uint64, error) {
	s := ex.setups
	var taken evm.Sequence
	var more, runs []evm.Sequence // of runs that come to something new: their calls, and fuzz tests themselves
	told, passed := false, false  // told: by a run that vm.assume did not end
	run := fuzzTest{}
	fuzzed := isFuzzTest(m)
	used, call, err := ex.runner.tryTest(up, m, func(exec *evm.Execution) {
		last := len(exec.Calls) - 1
		if fuzzed {
			run.see(exec, s.Lines)
		}
		fresh := s.meet(exec, ex.table)
		if succeeded := exec.Calls[last].Outcome == evm.Success; !passed && (taken == nil || !told || succeeded) {
			taken, passed = ex.callsOf(exec, last, w), succeeded
		} else if calls := ex.callsOf(exec, last, w); fresh && len(calls) > 0 {
			more = append(more, calls)
		}
		if fresh && fuzzed {
			runs = append(runs, evm.Sequence{{From: ex.runner.tester, To: up.Address, Data: bytes.Clone(exec.Frames[exec.Calls[last].Frames[0]].Input)}})
		}
		told = told || !rejected(&exec.Calls[last])
	})
	if err != nil {
		return used, err
	}
	if call.Data != nil && !fuzzed && slices.ContainsFunc(w.Instances, func(in evm.Instance) bool { return in.Address == up.Address }) {
		taken = append(taken, call)
	}
	if len(taken) > 0 {
		ex.report.Examples = append(ex.report.Examples, taken)
	}
	ex.report.Examples = append(ex.report.Examples, more...)
	if fuzzed && run.worthRunning() {
		up.tests = append(up.tests, m.Sig)
		if call.Data != nil {
			ex.report.Examples = append(ex.report.Examples, evm.Sequence{call})
			ex.report.Examples = append(ex.report.Examples, runs...)
		}
	}
	return used, nil
}

// meet notes the targets' lines that the last call of an execution came to, and reports whether
// there is one that no earlier example came to.
func (s *setups) meet(exec *evm.Execution, table *bytecode.Table) bool {
	fresh := false
	for _, c := range exec.Covered {
		at, ok := blockStart(table, &c)
		if ok && !s.met[at] && len(s.Entries[at])+len(s.Spare[at]) > 0 {
			s.met[at], fresh = true, true
		}
	}
	return fresh
}

// callsOf are the calls of instances that a test function makes itself, as calls
// of a sequence, and notes who it pretends to be.
func (ex *examples) callsOf(exec *evm.Execution, call int, w *evm.World) evm.Sequence {
	var calls evm.Sequence
	time, number := w.Block.Time, w.Block.Number
	lastTime, lastNumber := time, number // of the call before
	frames := exec.Calls[call].Frames
	for i := frames[0]; i < frames[1] && len(calls) < maxExampleCalls; i++ {
		f := &exec.Frames[i]
		if f.Depth != 1 {
			continue
		}
		if f.CodeAddress == cheatcode.Address {
			if f.Outcome == evm.Success {
				ex.parties.meetCheat(f)
				pass(f.Input, &time, &number)
			}
			continue
		}
		called := f.Kind == evm.KindCall || f.Kind == evm.KindStaticCall
		if !called || !slices.ContainsFunc(w.Instances, func(in evm.Instance) bool { return in.Address == f.Self }) {
			continue
		}
		c := evm.Call{From: f.Caller, To: f.Self, Data: bytes.Clone(f.Input), Value: f.Value}
		if time > lastTime {
			c.TimeAdvance, lastTime = time-lastTime, time
		}
		if number > lastNumber {
			c.BlockAdvance, lastNumber = number-lastNumber, number
		}
		calls = append(calls, c)
	}
	return calls
}

// pass follows the cheatcodes that set time and block.
func pass(input []byte, time, number *uint64) {
	if len(input) < 4+32 {
		return
	}
	word := new(uint256.Int).SetBytes(input[4:36])
	switch {
	case !word.IsUint64():
	case bytes.Equal(input[:4], cheatWarp):
		*time = word.Uint64()
	case bytes.Equal(input[:4], cheatRoll):
		*number = word.Uint64()
	}
}

// fromSenders lets the calls of examples be sent by senders of the World: by a
// stranger, where a test pretended to be one of too many. Runs of fuzz tests keep theirs.
func (ex *examples) fromSenders(w *evm.World) {
	known := map[common.Address]bool{}
	for _, s := range w.Senders {
		known[s.Address] = known[s.Address] || !s.TestsOnly
	}
	for _, calls := range ex.report.Examples {
		for i := range calls {
			if c := &calls[i]; !known[c.From] && !(c.From == ex.runner.tester && w.RunsTest(c)) {
				c.From = User2.Address
			}
		}
	}
}
