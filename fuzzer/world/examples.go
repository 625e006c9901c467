package world

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file learns from tests how contracts are used: their authors know best which
// calls get somewhere.

const (
	// maxExamples bounds the test functions that are run, and maxExampleTries the
	// arguments that one with parameters is run with. Arbitrary; test contracts have
	// some ten to fifty functions.
	maxExamples     = 512
	maxExampleTries = 4
	// maxExampleRejects bounds the runs of a test that its vm.assume ends, which cost little.
	// Arbitrary; forge gives up after 65,536.
	maxExampleRejects = 48
	// maxExampleCalls bounds the calls that are taken from one test: campaigns'
	// sequences have as many at most.
	maxExampleCalls = 64
	// exampleGas bounds one run, and exampleGasTotal all of them: some ten seconds
	// at the worst. Few tests use a million.
	exampleGas      = 1 << 26
	exampleGasTotal = 1 << 30
)

// The cheatcodes that let time pass.
var (
	cheatWarp = selector("warp(uint256)")
	cheatRoll = selector("roll(uint256)")
)

// examples runs the test functions of the set-ups that made a World, each on it
// anew, and takes the calls that they make to its instances.
func (b *builder) examples(ctx context.Context, w *evm.World, s *setups) error {
	if s.Strict { // the World it is compared with has them
		for i := range s.tried {
			s.tried[i].tests = s.Tests[s.tried[i].Contract.QualifiedName()]
		}
		return nil
	}
	var left uint64 = exampleGasTotal
	runs := 0
	for i := range s.tried {
		up := &s.tried[i]
		if up.Failure != "" {
			continue
		}
		for _, m := range testFunctions(up.Contract.ABI) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if runs++; runs > maxExamples || left < exampleGas {
				return nil
			}
			used, err := b.example(w, up, &m, s.Lines)
			if err != nil {
				return err
			}
			left -= min(left, used)
		}
	}
	return nil
}

// testFunctions are the functions that forge would run as tests, by signature.
func testFunctions(a abi.ABI) []abi.Method {
	var list []abi.Method
	for _, m := range a.Methods {
		if strings.HasPrefix(m.RawName, "test") && !strings.HasPrefix(m.RawName, "testFail") {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(x, y abi.Method) int { return strings.Compare(x.Sig, y.Sig) })
	return list
}

// example runs a test function until it succeeds or its tries are used up, and
// takes the calls of that run, or of the first one. It returns the gas that was
// used.
func (b *builder) example(w *evm.World, up *TestSetup, m *abi.Method, lines map[string][]bytecode.Position) (uint64, error) {
	var taken evm.Sequence
	told := false // by a run that vm.assume did not end
	run := fuzzTest{}
	fuzzed := isFuzzTest(m)
	used, call, err := b.tryTest(up, m, func(exec *evm.Execution) {
		last := len(exec.Calls) - 1
		if fuzzed {
			run.see(exec, lines)
		}
		if taken == nil || !told || exec.Calls[last].Outcome == evm.Success {
			taken = b.callsOf(exec, last, w)
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
		b.report.Examples = append(b.report.Examples, taken)
	}
	if fuzzed && run.worthRunning() {
		up.tests = append(up.tests, m.Sig)
		if call.Data != nil {
			b.report.Examples = append(b.report.Examples, evm.Sequence{call})
		}
	}
	return used, nil
}

// rejected reports whether vm.assume ended a run.
func rejected(result *evm.CallResult) bool {
	return result.Outcome != evm.Success && bytes.Equal(result.Output, cheatcode.Assume)
}

// tryTest runs a test function until it succeeds or its tries are used up; every execution is
// shown to look. It returns the gas that was used, and the call that succeeded, or else the
// first one that vm.assume did not end.
func (b *builder) tryTest(up *TestSetup, m *abi.Method, look func(*evm.Execution)) (used uint64, made evm.Call, err error) {
	search, err := b.newSearch(m, methodParameters(up.Contract, m))
	if err != nil {
		return 0, made, nil //nolint:nilerr // it cannot be called
	}
	for tries, rejects := 0, 0; tries < maxExampleTries && rejects < maxExampleRejects; {
		a, ok := search.next()
		if !ok {
			break
		}
		call := evm.Call{From: b.tester, To: up.Address, Data: slices.Concat(m.ID, a.packed), Gas: exampleGas}
		exec, err := b.machine.Run(append(slices.Clip(b.calls), call))
		if err != nil {
			return used, made, err
		}
		last := &exec.Calls[len(exec.Calls)-1]
		used += last.GasUsed
		look(exec)
		succeeded := last.Outcome == evm.Success
		if call.Gas = 0; made.Data == nil || succeeded || tries == 0 {
			made = call
		}
		if rejected(last) {
			rejects++
		} else {
			tries++
		}
		if succeeded {
			break
		}
		search.proposeAfter(a, exec)
	}
	return used, made, nil
}

// callsOf are the calls of instances that a test function makes itself, as calls
// of a sequence, and notes who it pretends to be.
func (b *builder) callsOf(exec *evm.Execution, call int, w *evm.World) evm.Sequence {
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
				b.meetCheat(f)
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
func (b *builder) fromSenders(w *evm.World) {
	known := map[common.Address]bool{}
	for _, s := range w.Senders {
		known[s.Address] = known[s.Address] || !s.TestsOnly
	}
	for _, calls := range b.report.Examples {
		for i := range calls {
			if c := &calls[i]; !known[c.From] && !(c.From == b.tester && w.RunsTest(c)) {
				c.From = User2.Address
			}
		}
	}
}
