package input

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPack: a packed sequence unpacks to what it was, ends with the call that it
// ended with, and shares the calls that a mutation left alone.
func TestPack(t *testing.T) {
	m := testMutator(t, false)
	r := testRand(17)
	seq := m.GenerateSequence(r)
	packed := Pack(seq, nil)
	shared, calls := 0, 0
	for i := range 5_000 {
		child := m.Mutate(r, seq)
		again := Pack(child, packed)
		unpacked := again.Unpack()
		mustValid(t, m.space, unpacked, Word{})
		if !unpacked.Equal(child) || Format(m.space, unpacked) != Format(m.space, child) {
			t.Fatalf("%s\nunpacks as\n%s", Format(m.space, child), Format(m.space, unpacked))
		}
		if last := child[len(child)-1]; again.Last() != (Callable{last.Instance, last.Function}) || again.IsTest() != IsTest(child) {
			t.Fatalf("%s ends with %v", Format(m.space, child), again.Last())
		}
		if !cmp.Equal(again, Pack(unpacked, nil), cmp.AllowUnexported(packedCall{}), cmp.Comparer(func(a, b *Function) bool { return a == b })) {
			t.Fatalf("%s packs differently without its parent", Format(m.space, child))
		}
		if whole := again.Size(nil); again.Size(packed) > whole || whole < 32*len(again) || again.Size(again) != 8*len(again) {
			t.Fatalf("%d bytes, %d of them its own", whole, again.Size(packed))
		}
		for n := range again {
			calls++
			if packed.find(again[n].function, []byte(again[n].data), again[n].inner) == again[n] {
				shared++
			}
		}
		if seq, packed = child, again; i%100 == 0 {
			seq = m.GenerateSequence(r)
			packed = Pack(seq, packed)
		}
	}
	if 2*shared < calls {
		t.Errorf("%d of %d calls are shared with the parent", shared, calls)
	}
}
