package input

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// scripted answers from a list, then zero.
type scripted struct{ answers []uint64 }

func (s *scripted) Uint64() uint64 {
	if len(s.answers) == 0 {
		return 0
	}
	x := s.answers[0]
	s.answers = s.answers[1:]
	return x
}
func (s *scripted) Uint64N(n uint64) uint64 { return s.Uint64() % n }
func (s *scripted) IntN(n int) int          { return int(s.Uint64N(uint64(n))) }

// drawFor is the draw that makes pick choose an operation.
func drawFor(weights []int, op int) uint64 {
	at := 0
	for _, w := range weights[:op] {
		at += w
	}
	return uint64(at)
}

func TestLeafOperations(t *testing.T) {
	m := testMutator(t, false)
	seq := Sequence{makeCall(t, m.space, "Vault", "deposit(uint256)")}
	uint8Type, int16Type, bytes4Type := Type{Kind: Uint, Bits: 8}, Type{Kind: Int, Bits: 16}, Type{Kind: FixedBytes, Bits: 32}
	cases := []struct {
		name  string
		typ   *Type
		op    int
		draws []uint64
		old   int64
		want  int64
	}{
		{"down by 3", &uint8Type, leafDelta, []uint64{2, 0}, 10, 7},
		{"up by 3", &uint8Type, leafDelta, []uint64{2, 1}, 10, 13},
		{"wraps", &uint8Type, leafDelta, []uint64{0, 1}, 255, 0},
		{"below zero", &int16Type, leafDelta, []uint64{0, 0}, 0, -1},
		{"bit 7", &uint8Type, leafBitFlip, []uint64{7}, 1, 129},
		{"sign bit", &int16Type, leafBitFlip, []uint64{15}, 1, -32767},
		{"complement", &uint8Type, leafNegate, nil, 1, 254},
		{"negate", &int16Type, leafNegate, nil, 5, -5},
		{"times 7", &uint8Type, leafScale, []uint64{5, 0}, 3, 21},
		{"by 10", &int16Type, leafScale, []uint64{7, 1}, -35, -3},
		{"max", &uint8Type, leafBoundary, []uint64{1, 0}, 3, 255},
		{"min + 1", &int16Type, leafBoundary, []uint64{2, 1}, 3, -32767},
		{"2^5 + 1", &uint8Type, leafBoundary, []uint64{4, 5, 2}, 3, 33},
	}
	for _, c := range cases {
		old := signedWord(c.old)
		r := &scripted{append([]uint64{drawFor(leafWeights, c.op)}, c.draws...)}
		if got := m.mutateLeaf(r, seq, c.typ, &old); got != signedWord(c.want) {
			t.Errorf("%s: got %s, want %d", c.name, abi.SignedDec(&got), c.want)
		}
	}
	r := &scripted{[]uint64{drawFor(leafWeights, leafDelta), 0, 1}}
	old := *new(uint256.Int).Lsh(uint256.NewInt(0x11), 224)
	if got := m.mutateLeaf(r, seq, &bytes4Type, &old); got != *new(uint256.Int).Lsh(uint256.NewInt(0x12), 224) {
		t.Errorf("bytes4 plus one is %s", got.Hex())
	}
}

func signedWord(n int64) (x uint256.Int) {
	if n < 0 {
		x.Neg(uint256.NewInt(uint64(-n)))
		return x
	}
	x.SetUint64(uint64(n))
	return x
}

func TestMutatedLeavesFit(t *testing.T) {
	m := testMutator(t, false)
	m.dictionary.Observe(observation(3, 300, 70_000))
	r := testRand(50)
	seq := m.GenerateSequence(r)
	for i := range testTypes {
		typ := &testTypes[i]
		var w uint256.Int
		for range 5_000 {
			if w = m.mutateLeaf(r, seq, typ, &w); !typ.Fits(&w) {
				t.Fatalf("kind %d of %d bits: %s does not fit", typ.Kind, typ.Bits, w.Hex())
			}
		}
	}
}

// The boundary values of one-byte types, all of them.
func TestBoundaries(t *testing.T) {
	r := testRand(51)
	for _, c := range []struct {
		typ  Type
		want []int64
	}{
		{Type{Kind: Uint, Bits: 8}, []int64{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 254, 255}},
		{Type{Kind: Int, Bits: 8}, []int64{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 126, 127,
			-1, -2, -3, -4, -5, -7, -8, -9, -15, -16, -17, -31, -32, -33, -63, -64, -65, -127, -128}},
	} {
		want, got := map[uint256.Int]bool{}, map[uint256.Int]bool{}
		for _, n := range c.want {
			want[signedWord(n)] = true
		}
		for range 20_000 {
			got[boundary(r, &c.typ)] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("boundaries differ (-want +got):\n%s", diff)
		}
	}
}

// TestChangeLane: some whole bytes change, the others do not, and the value fits.
func TestChangeLane(t *testing.T) {
	r := testRand(64)
	for _, ty := range []Type{{Kind: Uint, Bits: 256}, {Kind: Uint, Bits: 96}, {Kind: FixedBytes, Bits: 256}, {Kind: FixedBytes, Bits: 64}} {
		longest := 0
		for range 2000 {
			old := randomOf(r, &ty)
			x := changeLane(r, &ty, &old)
			if !ty.Fits(&x) {
				t.Fatalf("%s does not fit %d bits", x.Hex(), ty.Bits)
			}
			was, is := old.Bytes32(), x.Bytes32()
			first, last := -1, -1
			for i := range was {
				if was[i] != is[i] {
					if first < 0 {
						first = i
					}
					last = i
				}
			}
			if first >= 0 {
				longest = max(longest, last-first+1)
			}
		}
		most := 16
		if ty.Bits <= 128 { // then it is a step of the whole word
			most = ty.Bits / 8
		}
		if longest > most || longest < most/2 {
			t.Errorf("%d bits: up to %d bytes change, want at most %d", ty.Bits, longest, most)
		}
	}
}
