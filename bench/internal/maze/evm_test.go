package maze_test

import (
	"context"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/bench/internal/maze"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/testing/long"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// deployed is a maze on go-ethereum.
type deployed struct {
	*timetotarget.Subject
	machine evm.Machine
}

func deploy(t *testing.T, m *maze.Maze) *deployed {
	t.Helper()
	project := testbuild.Compile(t, "0.8.17", map[string]string{"src/Maze.sol": m.Source(nil)})
	project.Output.MarkDebug() // no chain would accept what is fuzzed
	subject, err := timetotarget.Deploy(context.Background(), "maze", []*compile.Output{project.Output}, nil)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := gethvm.New(subject.World, subject.Table, evm.LiftCodeSizeLimits)
	if err != nil {
		t.Fatal(err)
	}
	return &deployed{subject, machine}
}

// run makes the calls, and reports whether all succeed and which assertions they raise.
func (d *deployed) run(t *testing.T, calls []maze.Call) (succeed bool, raised []uint64) {
	t.Helper()
	var seq input.Sequence
	for _, call := range calls {
		i := slices.IndexFunc(d.Space.Callables, func(c input.Callable) bool { return c.Function.Name == maze.Names[call.Direction] })
		c := input.Call{Instance: d.Space.Callables[i].Instance, Function: d.Space.Callables[i].Function}
		for _, x := range call.Arguments {
			word := uint256.MustFromBig(x)
			c.Args = append(c.Args, input.Value{Word: *word})
		}
		seq = append(seq, c)
	}
	exec, err := d.machine.Run(d.Space.Encode(seq, nil))
	if err != nil {
		t.Fatal(err)
	}
	topic := crypto.Keccak256Hash([]byte(maze.Event))
	for _, f := range exec.Frames {
		for _, log := range f.Logs {
			if len(log.Topics) == 1 && log.Topics[0] == topic {
				raised = append(raised, new(uint256.Int).SetBytes(log.Data).Uint64())
			}
		}
	}
	return !slices.ContainsFunc(exec.Calls, func(c evm.CallResult) bool { return c.Outcome != evm.Success }), raised
}

// TestWitnesses replays on go-ethereum what the generator knows: witnesses raise their
// assertions and no others do on the way's last step, and those of a contradiction's
// guard do not.
func TestWitnesses(t *testing.T) {
	for _, seed := range long.Sample([]uint64{1, 2, 3}, 3) {
		m, err := maze.New(seed, 7)
		if err != nil {
			t.Fatal(err)
		}
		d := deploy(t, m)
		for _, c := range m.Guarded() {
			walk := m.Walk(c)
			if (walk == nil) != (c.Guard.Contradiction != "") {
				t.Fatalf("seed %d, assertion %d: the walk has %d calls, the contradiction is %q", seed, c.ID, len(walk), c.Guard.Contradiction)
			}
			if walk == nil {
				continue
			}
			succeed, raised := d.run(t, walk)
			if !succeed || len(raised) == 0 || raised[len(raised)-1] != uint64(c.ID) {
				t.Errorf("seed %d, assertion %d: the walk succeeds: %t, and raises %v", seed, c.ID, succeed, raised)
			}
			if len(walk) != c.Distance {
				t.Errorf("seed %d, assertion %d: a walk of %d calls, the distance is %d", seed, c.ID, len(walk), c.Distance)
			}
		}
	}
}

// TestDistances looks for the ways once more, in the contract itself: which moves
// succeed is what go-ethereum says.
func TestDistances(t *testing.T) {
	m, err := maze.New(5, 7)
	if err != nil {
		t.Fatal(err)
	}
	d := deploy(t, m)
	var zeros [maze.Parameters]*big.Int
	for i := range zeros {
		zeros[i] = new(big.Int)
	}
	steps := [...][2]int{maze.North: {0, -1}, maze.South: {0, 1}, maze.East: {1, 0}, maze.West: {-1, 0}}
	distances := map[[2]int]int{{}: 0}
	ways := map[[2]int][]maze.Call{{}: nil}
	for queue := [][2]int{{}}; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		for direction, step := range steps {
			to := [2]int{from[0] + step[0], from[1] + step[1]}
			if _, known := distances[to]; known {
				continue
			}
			way := append(slices.Clone(ways[from]), maze.Call{Direction: maze.Direction(direction), Arguments: zeros})
			if succeed, _ := d.run(t, way); succeed {
				distances[to], ways[to] = len(way), way
				queue = append(queue, to)
			}
		}
	}
	if len(distances) != len(m.Cells) {
		t.Errorf("%d cells can be entered, want %d", len(distances), len(m.Cells))
	}
	for _, c := range m.Cells {
		if distance, entered := distances[[2]int{c.X, c.Y}]; !entered || distance != c.Distance {
			t.Errorf("(%d, %d) is %d moves away (%t), the generator says %d", c.X, c.Y, distance, entered, c.Distance)
		}
	}
}
