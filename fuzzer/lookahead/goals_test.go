package lookahead_test

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestGoalsByFrame: a creation may lead to a target, but not in a static frame, whatever was asked of other frames before.
func TestGoalsByFrame(t *testing.T) {
	code := []byte{byte(vm.PUSH0), byte(vm.PUSH0), byte(vm.PUSH0), byte(vm.CREATE), byte(vm.STOP)}
	a := lookahead.New(bytecode.NewTable(nil).Unknown(code), lookahead.Options{})
	for _, static := range []bool{false, true, false, true, true, false} {
		if r := a.Analyze(lookahead.Frame{Path: bytecode.Path{0}, Static: static}); r.Proved != static {
			t.Errorf("static %t: proved %t", static, r.Proved)
		}
	}
}

// TestCallsOfABlock: of the calls in a block, those count that are not made yet.
func TestCallsOfABlock(t *testing.T) {
	var code []byte
	call := func() uint32 {
		for range 7 {
			code = append(code, byte(vm.PUSH0))
		}
		code = append(code, byte(vm.CALL))
		return uint32(len(code) - 1)
	}
	first, second := call(), call()
	code = append(code, byte(vm.STOP))
	p := program(code)
	for name, c := range map[string]struct{ leads, none []uint32 }{
		"the first leads": {[]uint32{first}, nil}, "the second leads": {[]uint32{second}, nil}, "both lead": {[]uint32{first, second}, nil}, "none leads": {nil, nil},
	} {
		a := lookahead.New(p, lookahead.Options{Calls: func(site bytecode.Location) bool {
			return site.Code == p.ID && slices.Contains(c.leads, site.PC)
		}})
		for pc := lookahead.Nothing; pc < int64(len(code)); pc++ {
			answer, err := a.Ask(bytecode.Path{0}, pc, false)
			i := slices.IndexFunc(c.leads, func(call uint32) bool { return int64(call) > pc })
			switch {
			case err != nil || answer.MayReach() != (i >= 0):
				t.Errorf("%s: after pc %d, %v, %v", name, pc, answer, err)
			case i >= 0 && (answer.Reason != lookahead.CallAhead || answer.PC != c.leads[i]):
				t.Errorf("%s: after pc %d, %+v, want the call at %d", name, pc, answer, c.leads[i])
			}
		}
	}
}

// TestWhatIsReached: targets are reached, and calls are made, in blocks that the graph reaches; where it does not know where a jump
// leads, in all.
func TestWhatIsReached(t *testing.T) {
	for _, unknown := range []bool{false, true} {
		a := newAssembler()
		target, dead := a.label(), a.label()
		a.push(0)
		if unknown {
			a.op(vm.CALLDATALOAD)
		} else {
			a.op(vm.POP).pushLabel(target)
		}
		a.op(vm.JUMP)
		sites := map[int]uint32{}
		for _, label := range []int{dead, target} {
			a.place(label)
			for range 7 {
				a.push(0)
			}
			sites[label] = uint32(len(a.code))
			a.op(vm.CALL, vm.STOP)
		}
		p := program(a.bytes())
		analyzer := lookahead.New(p, lookahead.Options{})
		for label, want := range map[int]bool{target: true, dead: unknown} {
			analyzer.SetTargetPCs([]uint32{sites[label]})
			if got := analyzer.ReachesTarget(); got != want {
				t.Errorf("where a jump is unknown %t, the target at %d is reached: %t", unknown, sites[label], got)
			}
		}
		analyzer.SetTargetPCs([]uint32{sites[dead], sites[target]})
		if !analyzer.ReachesTarget() {
			t.Error("of two targets, none is reached")
		}
		analyzer.SetTargetPCs([]uint32{uint32(len(a.code)) + 5})
		if analyzer.ReachesTarget() {
			t.Error("a target behind the code is reached")
		}
		want := []bytecode.Location{{Code: p.ID, PC: sites[target]}}
		if unknown {
			want = slices.Insert(want, 0, bytecode.Location{Code: p.ID, PC: sites[dead]})
		}
		if got := analyzer.CallSites(); !slices.Equal(got, want) {
			t.Errorf("where a jump is unknown %t, calls are at %v, want %v", unknown, got, want)
		}
		reason, pc := analyzer.Opaque()
		if wantReason, wantPC := lookahead.NoTargetAhead, uint32(0); unknown {
			wantReason, wantPC = lookahead.UnknownJump, 3
			if reason != wantReason || pc != wantPC {
				t.Errorf("%v at %d", reason, pc)
			}
		} else if reason != wantReason || pc != wantPC {
			t.Errorf("%v at %d", reason, pc)
		}
	}
}

// TestCallsBegin: a call that begins to lead to a target is ahead of its block's entry, also where the block is a target already.
func TestCallsBegin(t *testing.T) {
	code := []byte{byte(vm.JUMPDEST)}
	for range 7 {
		code = append(code, byte(vm.PUSH0))
	}
	leads := false
	a := lookahead.New(program(append(code, byte(vm.CALL), byte(vm.STOP))), lookahead.Options{Calls: func(bytecode.Location) bool { return leads }})
	for _, targets := range [][]uint32{{}, {0}, {0, 3}, {0}, {}} {
		a.SetTargetPCs(targets)
		for _, leads = range []bool{false, true, false} {
			a.Refresh()
			want := !leads && !slices.Contains(targets, 3)
			if r := a.Analyze(lookahead.Frame{Path: bytecode.Path{0}}); r.Proved != want {
				t.Errorf("targets %v, the call leads to one %t: proved %t", targets, leads, r.Proved)
			}
		}
	}
}
