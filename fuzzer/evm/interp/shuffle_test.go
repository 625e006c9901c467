package interp

import (
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm/internal/forks"
)

// TestShuffle: rows of random instructions leave the stack that they leave one by one, rings of
// words among them.
func TestShuffle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	d := &decoder{table: opcodeTable(forks.Shanghai)}
	rings := 0
	for range 2000 {
		const depth = 64 // words below, more than any row reaches
		var want, got [stackSize]uint256.Int
		for i := range depth {
			want[i].SetUint64(uint64(1000 + i))
		}
		got = want
		code, h := []byte{}, depth
		for range 2 + r.IntN(24) {
			n := r.IntN(16)
			switch r.IntN(5) {
			case 0:
				word := byte(r.Uint32())
				code = append(code, byte(vm.PUSH1), word)
				want[h].SetUint64(uint64(word))
				h++
			case 1:
				code = append(code, byte(vm.DUP1)+byte(n))
				want[h] = want[h-1-n]
				h++
			case 2:
				code = append(code, byte(vm.POP))
				h--
			default:
				code = append(code, byte(vm.SWAP1)+byte(n))
				want[h-1], want[h-2-n] = want[h-2-n], want[h-1]
			}
		}
		c := &decoded{bytes: code}
		d.raws = d.raws[:0]
		for pc := 0; pc < len(code); pc++ {
			d.raws = append(d.raws, raw{pc: uint32(pc), op: code[pc], made: -1})
			if d.isPush(code[pc]) {
				pc++
			}
		}
		if n := d.shuffle(c, d.raws); n != len(d.raws) {
			t.Fatalf("%x: %d of %d instructions", code, n, len(d.raws))
		}
		if len(c.steps) != 1 || c.steps[0].code != stepShuffle {
			continue // saves nothing, or has too many moves
		}
		for _, m := range c.moves {
			if int(m.from) >= max(h-depth, 0) {
				rings++ // by way of a place above the stack
			}
		}
		if sp := shuffle(c, &got, depth, &c.steps[0], 0); sp != h {
			t.Fatalf("%x: height %d, want %d", code, sp, h)
		}
		for i := range h {
			if got[i] != want[i] {
				t.Fatalf("%x: word %d of %d is %s, want %s", code, i, h, &got[i], &want[i])
			}
		}
	}
	if rings == 0 {
		t.Error("no row had a ring")
	}
}
