package lookahead_test

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestRoutes: on a path, where the way to goals is left for good, how far that is from them, where it could have been left before, and
// what a shortest way goes on with.
func TestRoutes(t *testing.T) {
	a := newAssembler()
	left, right, long, short, goal, out := a.label(), a.label(), a.label(), a.label(), a.label(), a.label()
	branch := func(to int) { a.push(0).op(vm.CALLDATALOAD).pushLabel(to).op(vm.JUMPI) }
	branch(right)                                 // 0: to the right, or else to the left
	a.pushLabel(left).op(vm.JUMP)                 // 1
	a.place(right).op(vm.STOP)                    // 2: the goal is lost
	a.place(left)                                 // 3: two ways to the goal, and none out
	branch(short)                                 //
	a.pushLabel(long).op(vm.JUMP)                 // 4
	a.place(long).op(vm.JUMPDEST).op(vm.JUMPDEST) // 5, 6, 7
	a.place(short)                                // 8: to the goal, or out
	branch(goal)                                  //
	a.pushLabel(out).op(vm.JUMP)                  // 9
	a.place(goal)                                 // 10: the goal, from which the long way goes on
	a.pushLabel(long).op(vm.JUMP)                 //
	a.place(out).op(vm.STOP)                      // 11
	p := program(a.bytes())
	if len(p.Blocks) != 12 {
		t.Fatalf("%d blocks", len(p.Blocks))
	}
	routes := lookahead.NewRoutes(lookahead.NewFacts(p, 0))
	to := routes.To([]bytecode.BlockID{10})
	for name, c := range map[string]struct {
		path     bytecode.Path
		at       int
		distance uint32
		ok       bool
		forks    []int // of all that could be
		ahead    []bytecode.BlockID
		leaving  []bool
	}{
		"no block":         {nil, 0, 0, false, []int{}, nil, nil},
		"another's path":   {bytecode.Path{3, 8}, 0, 0, false, []int{}, nil, nil},
		"to the right":     {bytecode.Path{0, 2}, 0, 4, true, []int{}, []bytecode.BlockID{1, 3, 8, 10}, []bool{false, false, true, false}},
		"the short way":    {bytecode.Path{0, 1, 3, 8, 9, 11}, 3, 1, true, []int{0}, []bytecode.BlockID{10}, []bool{false}},
		"the long way":     {bytecode.Path{0, 1, 3, 4, 5, 6, 7, 8, 9}, 7, 1, true, []int{0}, []bytecode.BlockID{10}, []bool{false}},
		"the long way in":  {bytecode.Path{0, 1, 3, 4}, 3, 5, true, []int{0}, []bytecode.BlockID{5, 6, 7, 8, 10}, []bool{false, false, false, true, false}},
		"to the goal":      {bytecode.Path{0, 1, 3, 8, 10}, 4, 0, true, []int{0, 3}, nil, nil},
		"what cannot come": {bytecode.Path{0, 1, 3, 11}, 2, 2, true, []int{0}, []bytecode.BlockID{8, 10}, []bool{true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			routes.Follow(c.path)
			at, distance, ok := routes.Leave(to)
			if at != c.at || distance != c.distance || ok != c.ok {
				t.Fatalf("left at %d, %d from the goal, %t; want %d, %d, %t", at, distance, ok, c.at, c.distance, c.ok)
			}
			if forks := routes.Forks(to, at); !slices.Equal(forks, c.forks) {
				t.Errorf("it could be left at %v, want %v", forks, c.forks)
			}
			if !ok {
				return
			}
			for most := range len(c.ahead) + 2 {
				blocks, leaving := routes.Ahead(to, at, most)
				n := min(most, len(c.ahead))
				if !slices.Equal(blocks, c.ahead[:n]) || !slices.Equal(leaving, c.leaving[:n]) {
					t.Errorf("at most %d blocks ahead: %v, %v; want %v, %v", most, blocks, leaving, c.ahead[:n], c.leaving[:n])
				}
			}
		})
	}
	routes.Follow(bytecode.Path{0, 1, 3, 8, 10})
	if forks := routes.Forks(to, 3); !cmp.Equal(forks, []int{0}) {
		t.Errorf("up to the fourth block, it could be left at %v", forks)
	}
	if forks := routes.Forks(to, 99); !cmp.Equal(forks, []int{0, 3}) {
		t.Errorf("behind the path's end, it could be left at %v", forks)
	}
	none := routes.To(nil)
	if _, _, ok := routes.Leave(none); ok {
		t.Error("no goal is ahead")
	}
	both := routes.To([]bytecode.BlockID{2, 10})
	if at, distance, _ := routes.Leave(both); at != 4 || distance != 0 || both[0] != 1 {
		t.Errorf("of two goals, %d from the start, one is %d from block %d of the path", both[0], distance, at)
	}
}

// TestRoutesLoop: where a loop ends, what was not taken in its body is what matters, the last time that it was not.
func TestRoutesLoop(t *testing.T) {
	a := newAssembler()
	loop, body, goal, next := a.label(), a.label(), a.label(), a.label()
	branch := func(to int) { a.push(0).op(vm.CALLDATALOAD).pushLabel(to).op(vm.JUMPI) }
	a.pushLabel(loop).op(vm.JUMP) // 0
	a.place(loop)                 // 1: another round, or the end
	branch(body)                  //
	a.op(vm.STOP)                 // 2
	a.place(body)                 // 3: the goal, or not
	branch(goal)                  //
	a.pushLabel(next).op(vm.JUMP) // 4
	a.place(goal)                 // 5
	a.pushLabel(next).op(vm.JUMP) //
	a.place(next)                 // 6
	a.pushLabel(loop).op(vm.JUMP) //
	p := program(a.bytes())
	if len(p.Blocks) != 7 {
		t.Fatalf("%d blocks", len(p.Blocks))
	}
	routes := lookahead.NewRoutes(lookahead.NewFacts(p, 0))
	to := routes.To([]bytecode.BlockID{5})
	for name, c := range map[string]struct {
		path     bytecode.Path
		at       int
		distance uint32
	}{
		"no round":     {bytecode.Path{0, 1, 2}, 1, 2},
		"one round":    {bytecode.Path{0, 1, 3, 4, 6, 1, 2}, 2, 1},
		"two rounds":   {bytecode.Path{0, 1, 3, 4, 6, 1, 3, 4, 6, 1, 2}, 6, 1},
		"a round ends": {bytecode.Path{0, 1, 3, 4, 6}, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			routes.Follow(c.path)
			if at, distance, ok := routes.Leave(to); at != c.at || distance != c.distance || !ok {
				t.Errorf("left at %d, %d from the goal, %t; want %d, %d", at, distance, ok, c.at, c.distance)
			}
		})
	}
}
