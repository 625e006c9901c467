package bytecode

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func fromHex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBlocks(t *testing.T) {
	for _, tc := range []struct {
		name, code string
		cuts       []uint32
		want       []Block
	}{
		{name: "empty", code: ""},
		{name: "one instruction", code: "00", want: []Block{{0, 1}}},
		{name: "straight line", code: "600160020100", want: []Block{{0, 6}}},
		{name: "a JUMPDEST starts a block", code: "60015b5b00", want: []Block{{0, 2}, {2, 3}, {3, 5}}},
		{name: "a JUMPDEST at the start is one block", code: "5b00", want: []Block{{0, 2}}},
		{name: "behind JUMPI", code: "60015760026000fd", want: []Block{{0, 3}, {3, 8}}},
		{name: "behind each end", code: "0056f3fdfeff01", want: []Block{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}}},
		{name: "push data is no code", code: "615b5b5b00", want: []Block{{0, 3}, {3, 5}}},
		{name: "truncated push", code: "007f5b", want: []Block{{0, 1}, {1, 3}}},
		{name: "PUSH0 has no data", code: "5f5b", want: []Block{{0, 1}, {1, 2}}},
		{name: "cut", code: "600160020100", cuts: []uint32{4}, want: []Block{{0, 4}, {4, 6}}},
		{name: "cut inside push data is none", code: "600160020100", cuts: []uint32{1}, want: []Block{{0, 6}}},
		{name: "cut behind the end is none", code: "600100", cuts: []uint32{3, 99, 1 << 31}, want: []Block{{0, 3}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(fromHex(t, tc.code), tc.cuts)
			if diff := cmp.Diff(tc.want, slices.Clip(p.Blocks)); diff != "" && len(tc.want)+len(p.Blocks) > 0 {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
			checkProgram(t, p)
		})
	}
}

// checkProgram holds the invariants of a Program: blocks partition the code in
// order, start at instructions, and are found by their start and by every pc.
func checkProgram(t testing.TB, p *Program) {
	t.Helper()
	n := uint32(len(p.Bytes))
	instruction := make([]bool, n+1)
	p.Instructions(func(pc uint32) bool {
		instruction[pc] = true
		return true
	})
	at := uint32(0)
	for i, b := range p.Blocks {
		if b.Start != at || b.End <= b.Start || b.End > n {
			t.Fatalf("block %d is %v, the one before ends at %d of %d", i, b, at, n)
		}
		if !instruction[b.Start] {
			t.Fatalf("block %d starts inside push data at %d", i, b.Start)
		}
		for pc := b.Start; pc < b.End; pc++ {
			if id, ok := p.BlockOf(pc); !ok || id != BlockID(i) {
				t.Fatalf("BlockOf(%d) = %d, %t, want %d", pc, id, ok, i)
			}
			id, ok := p.StartsAt(uint64(pc))
			if ok != (pc == b.Start) || ok && id != BlockID(i) {
				t.Fatalf("StartsAt(%d) = %d, %t", pc, id, ok)
			}
			op := p.Bytes[pc]
			if instruction[pc] && pc != b.Start && op == opJumpdest {
				t.Fatalf("the JUMPDEST at %d is inside a block", pc)
			}
			if next := pc + 1 + PushSize(op); instruction[pc] && endsBlock(op) && next < b.End {
				t.Fatalf("block %d goes on behind %#x at %d", i, op, pc)
			}
		}
		at = b.End
	}
	if at != n {
		t.Fatalf("blocks end at %d of %d", at, n)
	}
	if _, ok := p.StartsAt(uint64(n)); ok {
		t.Fatal("a block starts behind the end")
	}
	if _, ok := p.BlockOf(n); ok {
		t.Fatal("a block holds the end")
	}
}

func FuzzProgram(f *testing.F) {
	f.Add([]byte{}, uint32(0))
	f.Add([]byte{0x60, 0x01, 0x5b, 0x57, 0x7f}, uint32(2))
	f.Fuzz(func(t *testing.T, code []byte, cut uint32) {
		p := newProgram(code, []uint32{cut})
		checkProgram(t, p)
		p.PushConstants()
		before := slices.Clone(p.Blocks)
		p.cut([]uint32{cut / 2})
		checkProgram(t, p)
		for _, b := range before {
			if _, ok := p.StartsAt(uint64(b.Start)); !ok {
				t.Fatalf("a second cut removed the block at %d", b.Start)
			}
		}
	})
}

func TestRandomPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		code := make([]byte, rng.IntN(200))
		for i := range code {
			code[i] = byte(rng.Uint32())
		}
		checkProgram(t, newProgram(code, []uint32{rng.Uint32N(200), rng.Uint32N(200)}))
	}
}

func TestPushConstants(t *testing.T) {
	p := newProgram(fromHex(t, "6000600161000163deadbeef600160005f6201"), nil)
	want := [][]byte{{}, {1}, {0xde, 0xad, 0xbe, 0xef}}
	if diff := cmp.Diff(want, p.PushConstants()); diff != "" {
		t.Errorf("constants (-want +got):\n%s", diff)
	}
}

// TestHas: what a program has are its instructions, not the data of its pushes.
func TestHas(t *testing.T) {
	p := newProgram(fromHex(t, "615c5d3f00ff"), []uint32{3}) // PUSH2 5c5d, EXTCODEHASH, STOP, SELFDESTRUCT
	for op := range 256 {
		if want := slices.Contains([]int{0x61, 0x3f, 0x00, 0xff}, op); p.Has(byte(op)) != want {
			t.Errorf("it has %#x: %t", op, !want)
		}
	}
}

func TestNames(t *testing.T) {
	exact := newProgram([]byte{0x63, 0xa9, 0x05, 0x9c, 0xbb, 0x60, 0xe0, 0x1b}, nil)
	shifted := newProgram([]byte{0x62, 0x46, 0x1b, 0xcd, 0x60, 0xe5, 0x1b}, nil) // Error(string), 0x08c379a0
	for _, test := range []struct {
		program  *Program
		selector [4]byte
		want     bool
	}{
		{exact, [4]byte{0xa9, 0x05, 0x9c, 0xbb}, true},
		{exact, [4]byte{0xa9, 0x05, 0x9c, 0xba}, false},
		{shifted, [4]byte{0x08, 0xc3, 0x79, 0xa0}, true},
		{shifted, [4]byte{0x08, 0xc3, 0x79, 0xa1}, false},
		{shifted, [4]byte{}, false},
	} {
		if got := test.program.Names(test.selector); got != test.want {
			t.Errorf("%x names %x: %v", test.program.Bytes, test.selector, got)
		}
	}
}
