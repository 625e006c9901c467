package world

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

const (
	// exampleGas bounds one run of a test function. Few use a million.
	exampleGas = 1 << 26
	// maxExampleTries bounds the arguments that a test function with parameters is run with.
	// Arbitrary.
	maxExampleTries = 4
	// maxExampleRejects bounds the runs of a test that its vm.assume ends, which cost little.
	// Arbitrary; forge gives up after 65,536.
	maxExampleRejects = 48
	// maxExampleRuns bounds the runs of a fuzz test that succeeds, and maxExampleRunsGas their
	// gas: with other arguments it may do something else. Arbitrary; some ten milliseconds.
	maxExampleRuns    = 12
	maxExampleRunsGas = 1 << 21
)

// testRunner runs set-ups and test functions as forge does.
type testRunner struct {
	*deployer
	linker *linker
	finder *finder
	tester common.Address // who runs test functions

	testPlaces map[string]common.Address // see [SetupOptions.Places]
}

// startRunner makes a runner that goes on from a World, and that nothing else goes on from.
func startRunner(w *evm.World, table *bytecode.Table, options Options) (*testRunner, error) {
	d, err := startDeployer(w, table, options)
	if err != nil {
		return nil, err
	}
	return &testRunner{deployer: d, linker: newLinker(d), finder: &finder{deployer: d, deps: newDependencies(d)}}, nil
}

// runSetUp makes the calls. The machine is a new one, since what an execution
// records is bounded, and each set-up should have all of it.
func (tr *testRunner) runSetUp(ctx context.Context, up *TestSetup, chain *Chain) (*evm.Execution, error) {
	world := *tr.machine.World()
	world.Accounts = maps.Clone(world.Accounts)
	up.Address = tr.nextTestContract(&world, up.Contract, chain)
	world.Accounts[up.Address] = &evm.Account{Balance: chain.Balance}
	if err := tr.moveTo(withPranks(&world, nil)); err != nil {
		return nil, err
	}
	tr.namer.labels[up.Address] = up.Contract.Name
	code, err := tr.linker.link(ctx, up.Contract)
	if err != nil {
		up.Failure = err.Error()
		return nil, ctx.Err()
	}
	tr.calls = append(tr.calls, evm.Call{From: chain.Sender, Create: true, Address: up.Address, Data: code, Gas: chain.Gas})
	if hasMethod(up.Contract.ABI, evm.SetUp) {
		up.Function = evm.SetUp
		tr.calls = append(tr.calls, evm.Call{From: SetupCaller, To: up.Address, Data: selector(evm.SetUp), Gas: chain.Gas})
	}
	exec, err := tr.machine.Run(tr.calls)
	if err != nil {
		return nil, err
	}
	for i := range exec.Calls {
		up.gas += exec.Calls[i].GasUsed
		if exec.Calls[i].Outcome == evm.Success || up.Failure != "" {
			continue
		}
		what := "its constructor"
		if up.Function != "" && i == len(exec.Calls)-1 {
			what = "its " + evm.SetUp
		}
		up.Failure = fmt.Sprintf("%s fails: %s", what, exec.Calls[i].Reason())
		up.At, up.Located = blame(exec, i)
	}
	return exec, ctx.Err()
}

// nextTestContract is where a test contract will be: where the World of another build has it, if the deployer's nonces lead there.
// Those between are of test contracts that this build lacks.
func (tr *testRunner) nextTestContract(w *evm.World, c *bytecode.Contract, chain *Chain) common.Address {
	account := *w.Accounts[chain.Sender]
	account.Nonce = nonceFor(tr.testPlaces, c, chain.Sender, account.Nonce, maxSetups)
	w.Accounts[chain.Sender] = &account
	return crypto.CreateAddress(chain.Sender, account.Nonce)
}

// tryTest runs a test function until it succeeds or its tries are used up; every execution is
// shown to look. A fuzz test that uses little gas is run more often. It returns the gas that was
// used, and the call that succeeded, or else the first one that vm.assume did not end.
func (tr *testRunner) tryTest(up *TestSetup, m *abi.Method, look func(*evm.Execution)) (used uint64, made evm.Call, err error) {
	search, err := tr.finder.newSearch(m, methodParameters(up.Contract, m))
	if err != nil {
		return 0, made, nil //nolint:nilerr // it cannot be called
	}
	r := rand.New(rand.NewPCG(uint64(binary.BigEndian.Uint32(m.ID)), 0)) //nolint:gosec // not a secret
	var t trials
	for t.goOn(m, used) {
		a, ok := t.arguments(search, r)
		if !ok {
			break
		}
		call := evm.Call{From: tr.tester, To: up.Address, Data: slices.Concat(m.ID, a.packed), Gas: exampleGas}
		exec, err := tr.machine.Run(append(slices.Clip(tr.calls), call))
		if err != nil {
			return used, made, err
		}
		last := &exec.Calls[len(exec.Calls)-1]
		used += last.GasUsed
		look(exec)
		succeeded := last.Outcome == evm.Success
		if call.Gas = 0; made.Data == nil || !t.passed && (succeeded || t.runs == t.rejects) {
			made = call
		}
		t.runs++
		if rejected(last) {
			t.rejects++
		}
		if t.passed = t.passed || succeeded; !succeeded {
			search.proposeAfter(a, exec, progressOf(exec))
		}
	}
	return used, made, nil
}

// as opens the pranks that a set-up left open, and only these: forge leaves them open for its
// tests, each set-up on a chain of its own.
func (tr *testRunner) as(up *TestSetup) error {
	if c := tr.machine.World().Cheats; c == nil || len(tr.calls) == 0 && slices.Equal(c.State.Pranks, up.pranks) {
		return nil
	}
	w := tr.machine.World()
	if len(tr.calls) > 0 {
		if err := tr.runCalls(); err != nil {
			return err
		}
		w = tr.machine.Export()
	}
	return tr.moveTo(withPranks(w, up.pranks))
}

// withPranks is a World in which these pranks are open, and no others.
func withPranks(w *evm.World, pranks []cheatcode.Prank) *evm.World {
	if w.Cheats == nil {
		return w
	}
	out, cheats := *w, *w.Cheats
	cheats.State = *cheats.State.Clone()
	cheats.State.Pranks = slices.Clone(pranks)
	out.Cheats = &cheats
	return &out
}

// trials are the runs of a test function with different arguments.
type trials struct {
	runs, rejects int // rejects: that vm.assume ended
	passed        bool
}

// goOn reports whether another run is worth its gas, after so much.
func (t *trials) goOn(m *abi.Method, used uint64) bool {
	if t.passed {
		return isFuzzTest(m) && t.runs < maxExampleRuns && used < maxExampleRunsGas
	}
	return t.runs-t.rejects < maxExampleTries && t.rejects < maxExampleRejects
}

// arguments are those of the next run: likely ones first, then in turns with others that are
// drawn, as all are once one has passed.
func (t *trials) arguments(search *search, r *rand.Rand) (*arguments, bool) {
	if t.passed || t.runs >= maxExampleTries && t.runs%2 == 0 {
		if a, ok := search.draw(r); ok {
			return a, true
		}
	}
	return search.next()
}

// rejected reports whether vm.assume ended a run.
func rejected(result *evm.CallResult) bool {
	return result.Outcome != evm.Success && bytes.Equal(result.Output, cheatcode.Assume)
}

// isFuzzTest reports whether forge would call a test function with arguments of its own.
func isFuzzTest(m *abi.Method) bool { return len(m.Inputs) > 0 }

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
