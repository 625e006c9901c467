package lookahead_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/long"
)

// judge holds an analysis to what executions do.
type judge struct {
	t         testing.TB
	analyzers map[*bytecode.Program][]*lookahead.Analyzer
	rng       *rand.Rand

	executions, frames, proved, early, unreachable int
}

func newJudge(t testing.TB, rng *rand.Rand) *judge {
	return &judge{t: t, analyzers: map[*bytecode.Program][]*lookahead.Analyzer{}, rng: rng}
}

// forProgram gives analyzers of the program with targets of different kinds: one
// block, a few, and no call counting as a target.
func (j *judge) forProgram(p *bytecode.Program) []*lookahead.Analyzer {
	if known := j.analyzers[p]; known != nil {
		return known
	}
	var all []*lookahead.Analyzer
	none := func(bytecode.Location) bool { return false }
	for i, model := range []lookahead.CallModel{lookahead.Conservative, none, none, none} {
		a := lookahead.New(p, lookahead.Options{Calls: model})
		j.retarget(a, 1+i%3*2)
		all = append(all, a)
		for b := range p.Blocks {
			if a.Unreachable(bytecode.BlockID(b)) {
				j.unreachable++
			}
		}
	}
	j.analyzers[p] = all
	return all
}

// retarget gives an analyzer n other targets, blocks that are not trivially out of
// reach.
func (j *judge) retarget(a *lookahead.Analyzer, n int) {
	var reachable, targets []bytecode.BlockID
	for b := range a.Program().Blocks {
		if !a.Unreachable(bytecode.BlockID(b)) {
			reachable = append(reachable, bytecode.BlockID(b))
		}
	}
	for range n {
		targets = append(targets, reachable[j.rng.IntN(len(reachable))])
	}
	a.SetTargets(targets)
}

// retargetAfter is the number of executions after which targets change.
const retargetAfter = 50

// check looks at every frame of an execution.
func (j *judge) check(exec *evm.Execution) {
	if j.executions++; j.executions%retargetAfter == 0 {
		for i := range exec.Frames {
			for n, a := range j.analyzers[exec.Frames[i].Program] {
				j.retarget(a, 1+n)
			}
		}
	}
	for i := range exec.Frames {
		f := &exec.Frames[i]
		if f.Program == nil || len(f.Path) == 0 {
			continue
		}
		static := f.Kind == evm.KindStaticCall // of those below one nothing is claimed
		j.frames++
		for _, a := range j.forProgram(f.Program) {
			for _, b := range f.Path {
				if a.Unreachable(b) {
					j.t.Fatalf("code %x: block %d is entered and was proved unreachable", f.Program.Bytes, b)
				}
			}
			r := a.Analyze(lookahead.Frame{Path: f.Path, Static: static})
			if !r.Proved {
				continue
			}
			j.proved++
			if r.Prefix < len(f.Path) {
				j.early++
			}
			for n, b := range f.Path[r.Prefix:] {
				if a.IsTarget(b) {
					j.t.Fatalf("code %x\ninput %x\npath %v: target %d is entered at %d after the no-target-ahead prefix of %d",
						f.Program.Bytes, f.Input, f.Path, b, r.Prefix+n, r.Prefix)
				}
			}
		}
	}
}

// TestBeyondUnknownJumps: the input chooses a place to jump to, and after it the
// code goes on with another stack than on every way that the graph knows.
func TestBeyondUnknownJumps(t *testing.T) {
	code := common.FromHex("600060206000601960075afa6005620eee0713156100915760403560025a17600314166100335760605181331c5050610034565b5b6204d948600254" +
		"14151561005d5760003561ffff16806100541461005657565b5b5b5b5061005e565b5b6001545b8060001461008b57600254600461007b6203aca961" +
		"00a1565b5060003550505050600101610062565b50610095565b6005505b60205111600035600255005b6020511115156100b7576005602053805061" +
		"00b8565b5b60029056")
	a := lookahead.New(bytecode.NewTable(nil).Unknown(code), lookahead.Options{Calls: func(bytecode.Location) bool { return false }})
	a.SetTargets([]bytecode.BlockID{16})
	path := bytecode.Path{0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 16, 18}
	if r := a.Analyze(lookahead.Frame{Path: path}); r.Proved && r.Prefix < 12 {
		t.Errorf("target 16 is at 11, after the no-target-ahead prefix of %d blocks", r.Prefix)
	}
}

var (
	contractAddress = common.Address{0xc0, 1}
	senderAddress   = common.Address{0x5e, 1}
)

// randomInput is calldata of three words that comparisons may like.
func randomInput(rng *rand.Rand, code []byte) []byte {
	data := make([]byte, 32*rng.IntN(4))
	for i := 0; i < len(data); i += 32 {
		switch rng.IntN(5) {
		case 0:
			data[i+31] = byte(rng.IntN(6))
		case 1: // a place in the code
			pc := rng.IntN(len(code))
			data[i+30], data[i+31] = byte(pc>>8), byte(pc)
		case 2:
			for k := range 32 {
				data[i+k] = 0xff
			}
		case 3:
			data[i+31] = byte(rng.IntN(256))
		default:
			data[i+rng.IntN(32)] = byte(rng.IntN(256))
		}
	}
	return data
}

// machineFor is a machine on which one contract has the code.
func machineFor(t testing.TB, code []byte) evm.Machine {
	t.Helper()
	w := &evm.World{Accounts: map[common.Address]*evm.Account{}, Block: evm.DefaultBlock()}
	w.Accounts[contractAddress] = &evm.Account{Nonce: 1, Code: code, Storage: map[common.Hash]common.Hash{{}: {31: 1}}}
	w.Accounts[senderAddress] = &evm.Account{Balance: *uint256.NewInt(1000)}
	machine, err := gethvm.New(w, bytecode.NewTable(nil))
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

// runOn calls the contract of machineFor, with gas for some thousand instructions.
func runOn(t testing.TB, machine evm.Machine, data []byte) *evm.Execution {
	t.Helper()
	exec, err := machine.Run(evm.Sequence{{From: senderAddress, To: contractAddress, Data: data, Gas: 60_000}})
	if err != nil {
		t.Fatal(err)
	}
	return exec
}

// FuzzSoundness: the same for any code and calldata, and whatever the code, the
// analysis ends.
func FuzzSoundness(f *testing.F) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 13))
		code := randomProgram(rng)
		f.Add(code, randomInput(rng, code), seed)
	}
	f.Fuzz(func(t *testing.T, code, data []byte, seed uint64) {
		if len(code) == 0 || len(code) > 1<<12 || len(data) > 1<<12 {
			return
		}
		j := newJudge(t, rand.New(rand.NewPCG(seed, 14)))
		j.check(runOn(t, machineFor(t, code), data))
	})
}

// TestSoundnessOnRandomPrograms: no execution reaches a target after a prefix
// declared no-target-ahead, and none a block declared unreachable.
func TestSoundnessOnRandomPrograms(t *testing.T) {
	programs, inputs := long.Pick(100, 10_000), long.Pick(25, 100)
	total := &judge{}
	for seed := range programs {
		rng := rand.New(rand.NewPCG(uint64(seed), 11))
		code := randomProgram(rng)
		machine := machineFor(t, code)
		j := newJudge(t, rng)
		for range inputs {
			j.check(runOn(t, machine, randomInput(rng, code)))
		}
		total.executions += j.executions
		total.frames += j.frames
		total.proved += j.proved
		total.early += j.early
		total.unreachable += j.unreachable
	}
	t.Logf("%d executions, %d frames, %d prefixes proved, %d of them shorter than the path, %d blocks proved unreachable",
		total.executions, total.frames, total.proved, total.early, total.unreachable)
	if total.early == 0 || total.unreachable == 0 {
		t.Error("nothing was proved: the test shows nothing")
	}
}

// TestAnalyzeAsksInTurn: an Analyzer that has answered for other targets finds
// the prefix that the paper's algorithm does, which asks at each split point in
// turn and remembers nothing.
func TestAnalyzeAsksInTurn(t *testing.T) {
	programs, inputs := long.Pick(60, 6_000), long.Pick(10, 20)
	compared, proved, longer := 0, 0, 0
	for seed := range programs {
		rng := rand.New(rand.NewPCG(uint64(seed), 17))
		code := randomProgram(rng)
		machine := machineFor(t, code)
		j := newJudge(t, rng)
		for range inputs {
			exec := runOn(t, machine, randomInput(rng, code))
			for i := range exec.Frames {
				f := &exec.Frames[i]
				if f.Program == nil || len(f.Path) == 0 || len(f.Path) > 500 {
					continue
				}
				static := f.Kind == evm.KindStaticCall
				for n, a := range j.forProgram(f.Program) {
					if rng.IntN(3) == 0 {
						j.retarget(a, 1+n)
					}
					got := a.Analyze(lookahead.Frame{Path: f.Path, Static: static})
					want, ok := inTurn(a.Fresh(), f.Path, static)
					compared++
					if ok {
						proved++
					}
					switch {
					case ok != got.Proved:
						t.Fatalf("code %x\npath %v: proved %v, asked in turn %v", f.Program.Bytes, f.Path, got.Proved, ok)
					case ok && got.Prefix < want:
						t.Fatalf("code %x\npath %v: a prefix of %d, asked in turn %d", f.Program.Bytes, f.Path, got.Prefix, want)
					case ok && got.Prefix > want:
						longer++
					}
				}
			}
		}
	}
	t.Logf("%d paths, %d of them with a proof, of which %d at a later split point", compared, proved, longer)
	if proved == 0 {
		t.Error("nothing was proved: the test shows nothing")
	}
	// What is ahead becomes less along a path, but the analysis knows less at some
	// places than before them, where words meet that it keeps no order of.
	if longer*1000 > proved {
		t.Errorf("%d of %d prefixes are longer than when asked in turn", longer, proved)
	}
}

// inTurn is Algorithm 2 as the paper has it: the length of the first prefix, up to
// a split point, after which no target is ahead.
func inTurn(a *lookahead.Analyzer, path bytecode.Path, static bool) (length int, proved bool) {
	entered := map[bytecode.BlockID]bool{}
	for i, b := range path {
		if entered[b] {
			continue
		}
		entered[b] = true
		if !a.AskAtEntry(path[:i+1], static).MayReach() {
			return i + 1, true
		}
	}
	return len(path), false
}
