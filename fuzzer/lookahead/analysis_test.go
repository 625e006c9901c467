package lookahead_test

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// noCalls is the model in which calls lead to no target.
func noCalls(bytecode.Location) bool { return false }

func program(code []byte) *bytecode.Program { return bytecode.NewTable(nil).Unknown(code) }

// blockAt is the block that starts at a label.
func blockAt(t *testing.T, p *bytecode.Program, a *assembler, label int) bytecode.BlockID {
	t.Helper()
	b, ok := p.StartsAt(uint64(a.places[label]))
	if !ok {
		t.Fatalf("no block starts at %d", a.places[label])
	}
	return b
}

// running is the paper's running example (lookahead §3, Fig. 2) without its
// arithmetic: y selects 256 or 257 for ret, then two loops whose number of
// iterations the input decides, each followed by an assertion on what its exit
// condition says. The second loop ends with ret equal to z, which is enough to prove the
// paper's assertion of that; here it is of their sum, for which ret must be known.
type running struct {
	*assembler
	program           *bytecode.Program
	odd, join, loop1  int
	after1, t1        int
	loop2, after2, t2 int
	done              int
	third, afterThird int
}

func newRunning() *running {
	r := &running{assembler: newAssembler()}
	for _, l := range []*int{&r.odd, &r.join, &r.loop1, &r.after1, &r.t1, &r.loop2, &r.after2, &r.t2, &r.done, &r.third, &r.afterThird} {
		*l = r.label()
	}
	// ret: 257 for even words of the input, 256 for odd ones
	r.push(1).push(0).op(vm.CALLDATALOAD, vm.AND).pushLabel(r.odd).op(vm.JUMPI)
	r.push(257).pushLabel(r.join).op(vm.JUMP)
	r.place(r.odd).push(256)
	r.place(r.join)
	// w = input % ret; while (w != 0) w--
	r.op(vm.DUP1).push(32).op(vm.CALLDATALOAD, vm.MOD)
	r.place(r.loop1).op(vm.DUP1, vm.ISZERO).pushLabel(r.after1).op(vm.JUMPI)
	r.push(1).op(vm.SWAP1, vm.SUB).pushLabel(r.loop1).op(vm.JUMP)
	// assert(w == 0)
	r.place(r.after1).op(vm.DUP1).pushLabel(r.t1).op(vm.JUMPI, vm.POP)
	// z = input % ret; while (ret != z) z++
	r.op(vm.DUP1).push(64).op(vm.CALLDATALOAD, vm.MOD)
	r.place(r.loop2).op(vm.DUP2, vm.DUP2, vm.EQ).pushLabel(r.after2).op(vm.JUMPI)
	r.push(1).op(vm.ADD).pushLabel(r.loop2).op(vm.JUMP)
	// assert(ret + z == 2 * z)
	r.place(r.after2).op(vm.DUP1, vm.SWAP2, vm.ADD, vm.SWAP1).push(2).op(vm.MUL, vm.SUB).pushLabel(r.t2).op(vm.JUMPI)
	// assert(a != 42)
	r.push(96).op(vm.CALLDATALOAD).push(42).op(vm.EQ).pushLabel(r.third).op(vm.JUMPI)
	r.place(r.afterThird).op(vm.STOP)
	r.place(r.t1).op(vm.INVALID)
	r.place(r.t2).op(vm.INVALID)
	r.place(r.third).op(vm.INVALID)
	r.program = program(r.bytes())
	return r
}

// TestRunningExample: the first assertion is proved from the start; the second as
// soon as the path has chosen ret; the third only once its check has passed.
func TestRunningExample(t *testing.T) {
	r := newRunning()
	a := lookahead.New(r.program, lookahead.Options{})
	block := func(label int) bytecode.BlockID { return blockAt(t, r.program, r.assembler, label) }
	if !a.Unreachable(block(r.t1)) {
		t.Error("the first assertion is not proved")
	}
	if a.Unreachable(block(r.third)) {
		t.Error("the third assertion fails for an input, and is proved")
	}

	join := block(r.join)
	even := bytecode.Path{0, 1, join}
	path := append(slices.Clone(even), block(r.loop1), block(r.after1), block(r.after1)+1, block(r.loop2), block(r.after2), block(r.after2)+1, block(r.afterThird))

	a.SetTargets([]bytecode.BlockID{block(r.t1), block(r.t2)})
	got := a.Analyze(lookahead.Frame{Path: path})
	if !got.Proved || got.Prefix != 2 {
		t.Errorf("without the third target, the prefix is %d blocks, proved %t; want 2, where ret becomes 257", got.Prefix, got.Proved)
	}
	other := a.Analyze(lookahead.Frame{Path: append(slices.Clone(path[:3]), block(r.loop1), block(r.loop1)+1, block(r.loop1))})
	if other.ID != got.ID {
		t.Error("paths that share their no-target-ahead prefix have different LIDs")
	}
	odd := a.Analyze(lookahead.Frame{Path: bytecode.Path{0, block(r.odd), join}})
	if odd.ID == got.ID || !odd.Proved {
		t.Error("the other value of ret is another prefix")
	}

	a.SetTargets([]bytecode.BlockID{block(r.t1), block(r.t2), block(r.third)})
	got = a.Analyze(lookahead.Frame{Path: path})
	if got.Prefix != len(path) || !got.Proved || len(got.SplitPoints) != len(path) {
		t.Errorf("with the third target, the prefix is %d blocks with %d split points, want all %d", got.Prefix, len(got.SplitPoints), len(path))
	}
}

// TestReasons: what an answer rests on.
func TestReasons(t *testing.T) {
	call := func(a *assembler) *assembler {
		for range 6 {
			a.push(0)
		}
		return a.push(0).op(vm.CALL)
	}
	for _, tc := range []struct {
		name    string
		build   func(a *assembler, target int)
		options lookahead.Options
		want    lookahead.Reason
	}{
		{"a target", func(a *assembler, target int) { a.pushLabel(target).op(vm.JUMP) }, lookahead.Options{}, lookahead.TargetAhead},
		{"none", func(a *assembler, _ int) { a.op(vm.STOP) }, lookahead.Options{}, lookahead.NoTargetAhead},
		{"a call", func(a *assembler, _ int) { call(a).op(vm.STOP) }, lookahead.Options{}, lookahead.CallAhead},
		{"a call that leads nowhere", func(a *assembler, _ int) { call(a).op(vm.STOP) }, lookahead.Options{Calls: noCalls}, lookahead.NoTargetAhead},
		{"a jump from storage", func(a *assembler, _ int) { a.push(0).op(vm.SLOAD, vm.JUMP) }, lookahead.Options{}, lookahead.UnknownJump},
		{"an opcode of the future", func(a *assembler, _ int) { a.op(0x0c) }, lookahead.Options{}, lookahead.UnknownOpcode},
		{"a jump to no JUMPDEST", func(a *assembler, _ int) { a.push(1).op(vm.JUMP) }, lookahead.Options{}, lookahead.NoTargetAhead},
		{"a jump beyond all code, whose low bits are a JUMPDEST's", func(a *assembler, target int) {
			a.push(1).push(64).op(vm.SHL).pushLabel(target).op(vm.OR, vm.JUMP)
		}, lookahead.Options{}, lookahead.NoTargetAhead},
		{"a stack too short", func(a *assembler, target int) { a.op(vm.POP).pushLabel(target).op(vm.JUMP) }, lookahead.Options{}, lookahead.NoTargetAhead},
		{"memory that no gas pays for", func(a *assembler, target int) {
			a.push(1 << 50).op(vm.MLOAD).pushLabel(target).op(vm.JUMP)
		}, lookahead.Options{}, lookahead.NoTargetAhead},
		{"a small budget", func(a *assembler, target int) {
			for range 40 {
				next := a.label()
				a.push(0).op(vm.CALLDATALOAD).pushLabel(next).op(vm.JUMPI).place(next)
			}
			a.pushLabel(target).op(vm.JUMP)
		}, lookahead.Options{Budget: 50}, lookahead.Exhausted},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newAssembler()
			target := a.label()
			tc.build(a, target)
			a.place(target).op(vm.STOP)
			p := program(a.bytes())
			analyzer := lookahead.New(p, tc.options)
			analyzer.SetTargets([]bytecode.BlockID{blockAt(t, p, a, target)})
			answer, err := analyzer.Ask(bytecode.Path{0}, lookahead.Nothing, false)
			if err != nil || answer.Reason != tc.want || answer.MayReach() != (tc.want != lookahead.NoTargetAhead) {
				t.Errorf("got %v (%v), want %v", answer.Reason, err, tc.want)
			}
		})
	}
}

// TestStatic: in a static frame, an instruction that changes state ends the path.
func TestStatic(t *testing.T) {
	a := newAssembler()
	target := a.label()
	a.push(0).push(0).op(vm.SSTORE).pushLabel(target).op(vm.JUMP).place(target).op(vm.STOP)
	p := program(a.bytes())
	analyzer := lookahead.New(p, lookahead.Options{})
	analyzer.SetTargets([]bytecode.BlockID{blockAt(t, p, a, target)})
	for _, static := range []bool{false, true} {
		if r := analyzer.Analyze(lookahead.Frame{Path: bytecode.Path{0}, Static: static}); r.Proved != static {
			t.Errorf("static %t: proved %t", static, r.Proved)
		}
	}
}

// TestCallees: what a call along the prefix did is part of the LID and adds its
// split points; what came after it is and does not.
func TestCallees(t *testing.T) {
	a := newAssembler()
	target, other := a.label(), a.label()
	a.push(0).op(vm.CALLDATALOAD).pushLabel(target).op(vm.JUMPI)
	a.pushLabel(other).op(vm.JUMP).place(other).op(vm.STOP).place(target).op(vm.STOP)
	p := program(a.bytes())
	analyzer := lookahead.New(p, lookahead.Options{Calls: noCalls})
	analyzer.SetTargets([]bytecode.BlockID{blockAt(t, p, a, target)})
	path := bytecode.Path{0, 1, 2}
	one := lookahead.Result{ID: lookahead.ID{1}, SplitPoints: []lookahead.SplitPoint{{Code: 9, Block: 4}}}
	two := lookahead.Result{ID: lookahead.ID{2}}
	analyze := func(calls ...lookahead.Call) lookahead.Result {
		return analyzer.Analyze(lookahead.Frame{Path: path, Calls: calls})
	}
	plain := analyze()
	if plain.Prefix != 2 || !plain.Proved {
		t.Fatalf("the prefix is %d blocks, want 2", plain.Prefix)
	}
	first, second := analyze(lookahead.Call{At: 0, Result: one}), analyze(lookahead.Call{At: 0, Result: two})
	if first.ID == plain.ID || first.ID == second.ID {
		t.Error("LIDs do not tell callees apart")
	}
	if want := append(slices.Clone(plain.SplitPoints), one.SplitPoints...); !cmp.Equal(first.SplitPoints, want) {
		t.Errorf("split points %v, want %v", first.SplitPoints, want)
	}
	if again := analyze(lookahead.Call{At: 0, Result: one}, lookahead.Call{At: 0, Result: one}, lookahead.Call{At: 0, Result: plain}); !cmp.Equal(again.SplitPoints, first.SplitPoints) {
		t.Errorf("split points of calls that are made again are %v, want each once: %v", again.SplitPoints, first.SplitPoints)
	}
	if after := analyze(lookahead.Call{At: 1, Result: one}); after.ID != plain.ID {
		t.Error("a call after the prefix shows in the LID")
	}
	if both, swapped := analyze(lookahead.Call{At: 0, Result: one}, lookahead.Call{At: 0, Result: two}),
		analyze(lookahead.Call{At: 0, Result: two}, lookahead.Call{At: 0, Result: one}); both.ID == swapped.ID {
		t.Error("the order of calls does not show in the LID")
	}
}

// TestInsideABlock: a target inside the block that is being executed is ahead
// until it has been executed.
func TestInsideABlock(t *testing.T) {
	p := program([]byte{byte(vm.PUSH0), byte(vm.PUSH0), byte(vm.POP), byte(vm.STOP)})
	a := lookahead.New(p, lookahead.Options{})
	a.SetTargetPCs([]uint32{2})
	for pc, want := range []bool{true, true, false, false} {
		answer, err := a.Ask(bytecode.Path{0}, int64(pc), false)
		if err != nil || answer.MayReach() != want {
			t.Errorf("after pc %d: %v, %v", pc, answer, err)
		}
	}
	if answer, _ := a.Ask(bytecode.Path{0}, lookahead.Nothing, false); !answer.MayReach() {
		t.Error("before the start: no target ahead")
	}
}

// TestPathsOfOthers: a path that is none of the program's is never proved.
func TestPathsOfOthers(t *testing.T) {
	r := newRunning()
	a := lookahead.New(r.program, lookahead.Options{})
	a.SetTargets([]bytecode.BlockID{blockAt(t, r.program, r.assembler, r.third)})
	join := blockAt(t, r.program, r.assembler, r.join)
	behind := bytecode.BlockID(len(r.program.Blocks))
	for _, path := range []bytecode.Path{{}, {1}, {0, 0}, {0, join}, {0, 9999}, {0, behind}} {
		if got := a.Analyze(lookahead.Frame{Path: path}); got.Proved {
			t.Errorf("%v is proved", path)
		}
	}
	if a.Stats().Diverged == 0 {
		t.Error("no path was counted as not understood")
	}
	if _, err := a.Ask(nil, 0, false); err == nil {
		t.Error("a question about the empty path has an answer")
	}
	for _, b := range []bytecode.BlockID{behind, 9999} {
		if _, err := a.Ask(bytecode.Path{0, b}, 0, false); err == nil {
			t.Errorf("a question about block %d, which is not, has an answer", b)
		}
	}
}

// TestSteps: the work grows with the code, not with the number of its paths. The
// program has 2^n paths through n branches, then a loop, and a target that
// only the last condition shuts out.
func TestSteps(t *testing.T) {
	steps := func(n int) int {
		a := newAssembler()
		target := a.label()
		a.push(7)
		for range n {
			other, join := a.label(), a.label()
			a.push(0).op(vm.CALLDATALOAD).pushLabel(other).op(vm.JUMPI)
			a.push(1).pushLabel(join).op(vm.JUMP).place(other).push(2)
			a.place(join).op(vm.POP)
		}
		loop, out := a.label(), a.label()
		a.push(0).place(loop).push(32).op(vm.CALLDATALOAD).pushLabel(out).op(vm.JUMPI)
		a.push(1).op(vm.ADD).pushLabel(loop).op(vm.JUMP).place(out)
		a.op(vm.POP).push(7).op(vm.SUB).pushLabel(target).op(vm.JUMPI, vm.STOP).place(target).op(vm.STOP)
		p := program(a.bytes())
		analyzer := lookahead.New(p, lookahead.Options{})
		if !analyzer.Unreachable(blockAt(t, p, a, target)) {
			t.Fatalf("%d branches: the target is not proved unreachable", n)
		}
		return analyzer.GraphSteps()
	}
	small, large := steps(20), steps(200)
	if large > 12*small {
		t.Errorf("20 branches take %d steps, 200 take %d", small, large)
	}
	if most := 200*30 + 300; large > most { // 20 instructions a branch, some words of state
		t.Errorf("200 branches take %d steps, at most %d are needed", large, most)
	}
}

// TestAnswersDoNotDependOnHistory: an Analyzer that has answered other questions
// answers as a fresh one does.
func TestAnswersDoNotDependOnHistory(t *testing.T) {
	r := newRunning()
	block := func(label int) bytecode.BlockID { return blockAt(t, r.program, r.assembler, label) }
	used := lookahead.New(r.program, lookahead.Options{})
	path := bytecode.Path{0, 1, block(r.join), block(r.loop1), block(r.after1), block(r.after1) + 1, block(r.loop2), block(r.after2)}
	for _, targets := range [][]bytecode.BlockID{{block(r.t2)}, {block(r.third)}, {block(r.t1), block(r.t2)}, {block(r.t2)}} {
		used.SetTargets(targets)
		fresh := lookahead.New(r.program, lookahead.Options{})
		fresh.SetTargets(targets)
		for range 2 {
			for n := 1; n <= len(path); n++ {
				got, want := used.Analyze(lookahead.Frame{Path: path[:n]}), fresh.Analyze(lookahead.Frame{Path: path[:n]})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("targets %v, %d blocks (-fresh +used):\n%s", targets, n, diff)
				}
			}
		}
	}
}

// TestBothSidesOfABranch: a conditional jump to the block after it arrives there in
// two ways, and what holds on one says nothing of the other.
func TestBothSidesOfABranch(t *testing.T) {
	a := newAssembler()
	after, zero, other := a.label(), a.label(), a.label()
	a.op(vm.CALLDATASIZE, vm.DUP1).pushLabel(after).op(vm.JUMPI)
	a.place(after).op(vm.DUP1, vm.ISZERO).pushLabel(zero).op(vm.JUMPI)
	a.place(other).op(vm.STOP)
	a.place(zero).op(vm.STOP)
	p := program(a.bytes())
	facts := lookahead.NewFacts(p, 0)
	for _, label := range []int{after, zero, other} {
		if facts.Unreachable(blockAt(t, p, a, label)) {
			t.Errorf("the block at pc %d is said to be unreachable", a.places[label])
		}
	}
}

// TestBothSidesLeadOn: where both sides of a branch lead to a block, the path through it says nothing of the condition.
func TestBothSidesLeadOn(t *testing.T) {
	p1 := byte(vm.PUSH1)
	// CALLVALUE DUP1 PUSH1 5 JUMPI; 5: JUMPDEST ISZERO PUSH1 12 JUMPI; 10: STOP; 12: JUMPDEST, for no value
	a := lookahead.New(program([]byte{byte(vm.CALLVALUE), byte(vm.DUP1), p1, 5, byte(vm.JUMPI), byte(vm.JUMPDEST), byte(vm.ISZERO), p1, 12, byte(vm.JUMPI), byte(vm.STOP), byte(vm.STOP), byte(vm.JUMPDEST)}), lookahead.Options{})
	for _, target := range []bytecode.BlockID{2, 4} {
		a.SetTargets([]bytecode.BlockID{target})
		if answer := a.AskAtEntry(bytecode.Path{0, 1}, false); answer.Reason != lookahead.TargetAhead {
			t.Errorf("behind both sides of a branch, block %d: %+v", target, answer)
		}
	}
}

// TestTargetsOfABlock: along a path, a target in a block is ahead of the block's entry unless it is the first instruction, which the entry has executed;
// as an Analyzer says that has answered for other targets.
func TestTargetsOfABlock(t *testing.T) {
	code := []byte{byte(vm.PUSH0), byte(vm.POP), byte(vm.JUMPDEST), byte(vm.PUSH0), byte(vm.POP), byte(vm.STOP)} // blocks at 0 and 2
	used := lookahead.New(program(code), lookahead.Options{})
	for range 2 {
		for _, pcs := range [][]uint32{{0}, {1}, {2}, {3}, {5}, {2, 5}, {2}, {0, 2}, {3, 4}, {2}, {1, 2}, {0}} {
			used.SetTargetPCs(pcs)
			for _, path := range []bytecode.Path{{0}, {0, 1}} {
				want, proved := len(path), false
				for i, start := range []uint32{0, 2}[:len(path)] {
					if ahead := slices.ContainsFunc(pcs, func(pc uint32) bool { return pc > start }); !ahead {
						want, proved = i+1, true
						break
					}
				}
				if r := used.Analyze(lookahead.Frame{Path: path}); r.Prefix != want || r.Proved != proved {
					t.Errorf("targets at %v, %v: a prefix of %d, proved %t; want %d, %t", pcs, path, r.Prefix, r.Proved, want, proved)
				}
			}
		}
	}
}
