package input

import (
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// TestShapes: the table answers as a map does, for as many shapes as it was made for, and forgets them all.
func TestShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var table shapes
	for range 20 {
		n := r.IntN(300)
		table.reset(n)
		known := map[shape]int32{}
		for i := range int32(n) {
			s := shape{op: vm.ADD, args: [3]int32{r.Int32N(8), r.Int32N(8)}}
			if r.IntN(2) == 0 {
				s = shape{variable: -1, value: *uint256.NewInt(r.Uint64N(64))}
			}
			if _, again := known[s]; !again {
				known[s] = i
			}
			if first := table.first(s, i); first != known[s] {
				t.Fatalf("the first term with shape %v is said to be %d, want %d", s, first, known[s])
			}
		}
	}
}
