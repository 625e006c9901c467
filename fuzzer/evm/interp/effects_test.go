package interp

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// TestMemoryEnds: a range of memory ends behind its last byte, one of no bytes at 0, wherever it is; one whose last word has no address of 64 bits
// nowhere.
func TestMemoryEnds(t *testing.T) {
	var words []uint256.Int
	for _, bits := range []uint{0, 5, 63, 64, 65, 128, 255} {
		at := new(uint256.Int).Lsh(uint256.NewInt(1), bits)
		for _, n := range []uint64{33, 32, 31, 30, 1, 0} {
			words = append(words, *new(uint256.Int).SubUint64(at, n), *new(uint256.Int).AddUint64(at, n))
		}
	}
	most := new(big.Int).SetUint64(endless - 31)
	for _, offset := range words {
		for _, size := range words {
			want := uint64(endless)
			if end := new(big.Int).Add(offset.ToBig(), size.ToBig()); size.IsZero() {
				want = 0
			} else if end.Cmp(most) <= 0 {
				want = end.Uint64()
			}
			if got := memoryEnd(&offset, &size); got != want {
				t.Fatalf("%v bytes from %v end at %d, want %d", &size, &offset, got, want)
			}
		}
	}
	for size, want := range map[uint64]uint64{0: 0, 1: 1, 32: 1, 33: 2, 64: 2, 65: 3} {
		if got := wordsOf(size); got != want {
			t.Errorf("%d bytes take %d words, want %d", size, got, want)
		}
	}
}

// TestMemoryGrows: memory grows by whole words of zeros, keeps what is in it, and costs what it has grown by, also in the buffer of an earlier frame
// that has left something there.
func TestMemoryGrows(t *testing.T) {
	price := func(words uint64) uint64 { return words*params.MemoryGas + words*words/params.QuadCoeffDiv }
	f := &frame{}
	for round := range 3 {
		f.memory, f.memoryGas = f.memory[:0], 0
		paid := uint64(0)
		for _, end := range []uint64{0, 1, 31, 32, 33, 64, 40, 1000, 999, 1 << 12, 1<<12 + 1, 1 << 16, 5, 3 << 16} {
			before := bytes.Clone(f.memory)
			cost, ok := f.price(end)
			if !ok {
				t.Fatalf("%d bytes have no price", end)
			}
			f.extend(end)
			paid += cost
			size := uint64(len(f.memory))
			if size%32 != 0 || size < end || size > max(end+31, uint64(len(before))) || size < uint64(len(before)) {
				t.Fatalf("round %d: up to %d, memory of %d bytes has %d", round, end, len(before), size)
			}
			if !bytes.Equal(f.memory[:len(before)], before) || len(bytes.Trim(f.memory[len(before):], "\x00")) > 0 {
				t.Fatalf("round %d: up to %d, memory has something else", round, end)
			}
			if paid != price(size/32) || f.memoryGas != paid {
				t.Fatalf("round %d: %d bytes cost %d, and %d are noted, want %d", round, size, paid, f.memoryGas, price(size/32))
			}
			for i := range f.memory {
				f.memory[i] = byte(round + i | 1)
			}
		}
	}

	f = &frame{}
	for _, c := range []struct{ offset, size, gas, cost uint64 }{{0, 32, 3, 3}, {0, 33, 3, 3}, {1, 32, 3, 0}, {32, 32, 2, 0}, {30, 10, 0, 0}, {64, 1, 100, 3}, {endless - 40, 32, endless, 0}, {5, endless, endless, 0}} {
		size := len(f.memory)
		end, price := c.offset+c.size, uint64(0)
		if c.offset < 1<<20 && c.size < 1<<20 {
			price, _ = f.price(end)
		} else {
			price = endless
		}
		cost, ok := f.grow(uint256.NewInt(c.offset), c.size, c.gas)
		switch affordable := price < endless && price <= c.gas; {
		case ok != affordable:
			t.Errorf("%+v, of %d: %t", c, price, ok)
		case ok && (cost != price || uint64(len(f.memory)) < end):
			t.Errorf("%+v costs %d, want %d", c, cost, price)
		case !ok && (cost != 0 || len(f.memory) != size):
			t.Errorf("%+v is not paid for, and costs %d", c, cost)
		}
	}
}

// TestCopies: what is copied from behind the data is zero.
func TestCopies(t *testing.T) {
	data := []byte{1, 2, 3}
	for _, c := range []struct {
		from uint256.Int
		size int
		want []byte
	}{
		{uint256.Int{0}, 3, []byte{1, 2, 3}}, {uint256.Int{0}, 2, []byte{1, 2}}, {uint256.Int{0}, 5, []byte{1, 2, 3, 0, 0}}, {uint256.Int{2}, 3, []byte{3, 0, 0}},
		{uint256.Int{3}, 2, []byte{0, 0}}, {uint256.Int{4}, 2, []byte{0, 0}}, {uint256.Int{0, 1}, 2, []byte{0, 0}}, {uint256.Int{1, 0, 0, 1}, 2, []byte{0, 0}}, {uint256.Int{1}, 0, []byte{}},
	} {
		into := bytes.Repeat([]byte{9}, c.size)
		if copyInto(into, data, &c.from); !bytes.Equal(into, c.want) {
			t.Errorf("%d bytes from %v on are %x, want %x", c.size, &c.from, into, c.want)
		}
	}
	f := &frame{memory: []byte{1, 2, 3, 4}}
	if got := f.slice(uint256.NewInt(1), uint256.NewInt(2)); !bytes.Equal(got, []byte{2, 3}) {
		t.Errorf("two bytes from the second on are %x", got)
	}
	if got := f.slice(uint256.NewInt(1<<40), new(uint256.Int)); len(got) > 0 {
		t.Errorf("no bytes are %x", got)
	}
}

// TestRefunds: what a write adds to the refund counter is what EIP-3529 says, for each way of being zero, the original or another value.
func TestRefunds(t *testing.T) {
	const clears, set, reset = 4800, 20_000 - 100, 5000 - 2100 - 100
	for _, c := range []struct {
		original, current, value uint64
		want                     int64
	}{
		{0, 0, 5, 0}, {7, 7, 5, 0}, {7, 7, 0, clears}, // clean
		{0, 5, 6, 0}, {7, 5, 6, 0}, {7, 5, 0, clears}, {7, 0, 5, -clears}, // dirty
		{0, 5, 0, set}, {7, 5, 7, reset}, {7, 0, 7, reset - clears}, // back to the original
	} {
		got := refundOf(uint256.NewInt(c.original), uint256.NewInt(c.current), uint256.NewInt(c.value))
		if int64(got) != c.want {
			t.Errorf("from %d, originally %d, to %d: %d, want %d", c.current, c.original, c.value, int64(got), c.want)
		}
	}
}
