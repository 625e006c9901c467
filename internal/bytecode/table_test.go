package bytecode

import (
	"bytes"
	"fmt"
	"testing"
)

// withMetadata appends the CBOR metadata that solc 0.8 writes, with a hash.
func withMetadata(code []byte, hash byte) []byte {
	cbor := append([]byte{0xa2, 0x64, 'i', 'p', 'f', 's', 0x58, 0x22, 0x12, 0x20}, bytes.Repeat([]byte{hash}, 32)...)
	cbor = append(cbor, 0x64, 's', 'o', 'l', 'c', 0x43, 0, 8, 30)
	out := append(bytes.Clone(code), cbor...)
	return append(out, byte(len(cbor)>>8), byte(len(cbor)))
}

// filled is a copy with other bytes in a range.
func filled(code []byte, start, end int, with byte) []byte {
	out := bytes.Clone(code)
	copy(out[start:end], bytes.Repeat([]byte{with}, end-start))
	return out
}

func contract(name string, creation, runtime *Code) *Contract {
	if creation != nil {
		creation.Kind = Creation
	}
	return &Contract{Name: name, Source: "src/" + name + ".sol", Creation: creation, Runtime: runtime}
}

// TestRecognized: of artifacts with equal code the first is what runs.
func TestRecognized(t *testing.T) {
	code := []byte{0x60, 0x01, 0x60, 0x02, 0x00}
	a := contract("A", &Code{Bytes: code}, &Code{Bytes: withMetadata(code, 1)})
	b := contract("B", &Code{Bytes: code}, &Code{Bytes: withMetadata(code, 1)})
	c := contract("C", &Code{Bytes: append(code, 1)}, &Code{Bytes: withMetadata(code, 2)})
	table := NewTable([]*Contract{a, b, c})
	for _, want := range []struct{ code, as *Code }{
		{a.Creation, a.Creation}, {b.Creation, a.Creation}, {c.Creation, c.Creation},
		{a.Runtime, a.Runtime}, {b.Runtime, a.Runtime}, {c.Runtime, c.Runtime},
	} {
		if got := table.Recognized(table.Program(want.code.ID)).Code; got != want.as {
			t.Errorf("artifact %d is taken for %d, want %d", want.code.ID, got.ID, want.as.ID)
		}
	}
	if p := table.Unknown([]byte{0x00}); table.Recognized(p) != p {
		t.Error("unknown code is taken for an artifact")
	}
}

func TestLookupRuntime(t *testing.T) {
	push32 := append([]byte{0x7f}, make([]byte, 32)...)
	body := append([]byte{0x60, 0x80, 0x60, 0x40, 0x52}, push32...)
	plain := withMetadata([]byte{0x60, 0x01, 0x60, 0x02, 0x00}, 1)
	immutable := &Code{Bytes: withMetadata(body, 1), Immutables: []Range{{6, 38}}}
	linked := &Code{
		Bytes: withMetadata(append([]byte{0x73}, append(make([]byte, 20), 0x5b, 0x73, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00)...), 1),
		Links: []Link{{"src/L.sol:L", 23}},
	}
	library := &Code{Bytes: withMetadata(append(append([]byte{0x73}, make([]byte, 20)...), 0x30, 0x14, 0x00), 1)}
	other := &Code{Bytes: withMetadata([]byte{0x60, 0x01, 0x60, 0x02, 0x00}, 2)}

	contracts := []*Contract{
		contract("Plain", nil, &Code{Bytes: plain}),
		contract("Other", nil, other),
		contract("Immutable", nil, immutable),
		contract("Linked", nil, linked),
		contract("Library", nil, library),
		contract("Interface", nil, nil),
	}
	table := NewTable(contracts)
	for _, tc := range []struct {
		name string
		code []byte
		want string
	}{
		{"as compiled", plain, "Plain"},
		{"equal metadata wins", other.Bytes, "Other"},
		{"unknown metadata: the first", withMetadata([]byte{0x60, 0x01, 0x60, 0x02, 0x00}, 9), "Plain"},
		{"immutable set", filled(immutable.Bytes, 6, 38, 0xaa), "Immutable"},
		{"immutable set, other metadata", filled(withMetadata(body, 7), 6, 38, 0xaa), "Immutable"},
		{"byte beside the immutable", filled(immutable.Bytes, 5, 38, 0xaa), ""},
		{"linked", filled(linked.Bytes, 23, 43, 0xbb), "Linked"},
		{"linked, with an address of its own", filled(filled(linked.Bytes, 23, 43, 0xbb), 1, 21, 0xcc), "Linked"},
		{"library with its address", filled(library.Bytes, 1, 21, 0xcc), "Library"},
		{"library with more than its address", filled(library.Bytes, 1, 22, 0xcc), ""},
		{"longer", append(bytes.Clone(plain), 0), ""},
		{"shorter", plain[:len(plain)-1], ""},
		{"empty", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := ""
			if p := table.LookupRuntime(tc.code); p != nil {
				got = p.Contract.Name
			}
			if got != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

func TestLookupCreation(t *testing.T) {
	short := []byte{0x60, 0x80, 0x60, 0x40}
	long := append(bytes.Clone(short), 0x52, 0x00)
	linked := append([]byte{0x73}, append(make([]byte, 20), 0x00)...)
	table := NewTable([]*Contract{
		contract("Short", &Code{Bytes: short}, &Code{Bytes: []byte{0x00}}),
		contract("Long", &Code{Bytes: long}, nil),
		contract("Linked", &Code{Bytes: linked, Links: []Link{{"L", 1}}}, nil),
	})
	for _, tc := range []struct {
		name string
		code []byte
		want string
	}{
		{"alone", short, "Short"},
		{"the longest", long, "Long"},
		{"with arguments", append(bytes.Clone(short), 0, 0, 1), "Short"},
		{"long with arguments", append(bytes.Clone(long), 1), "Long"},
		{"linked", append(filled(linked, 1, 21, 0xaa), 7), "Linked"},
		{"cut off", short[:3], ""},
		{"other", []byte{1, 2, 3, 4, 5, 6}, ""},
		{"runtime code", []byte{0x00}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := ""
			if p := table.LookupCreation(tc.code); p != nil {
				got = p.Contract.Name
			}
			if got != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTableIDs(t *testing.T) {
	build := func() *Table {
		return NewTable([]*Contract{
			contract("A", &Code{Bytes: []byte{1}}, &Code{Bytes: []byte{2}}),
			contract("B", nil, nil),
			contract("C", &Code{Bytes: []byte{1}}, &Code{}),
		})
	}
	table, again := build(), build()
	if table.Program(NoCode) != nil || table.Program(99) != nil {
		t.Error("ids that were never given out have programs")
	}
	keys := map[uint64]CodeID{}
	for id := CodeID(1); id <= 3; id++ {
		p := table.Program(id)
		if p == nil || p.ID != id || p.Code.ID != id {
			t.Fatalf("program %d: %+v", id, p)
		}
		if p.Key != again.Program(id).Key {
			t.Errorf("the key of %d differs between equal tables", id)
		}
		if other, ok := keys[p.Key]; ok {
			t.Errorf("%d and %d have the same key", id, other)
		}
		keys[p.Key] = id
	}
	if table.Program(4) != nil {
		t.Error("code without bytes has a program")
	}
	unknown := table.Unknown([]byte{9, 9})
	if unknown.ID != 4 || table.Program(4) != unknown || table.Unknown([]byte{9, 9}) != unknown || unknown.Code != nil {
		t.Errorf("unknown code: %+v", unknown)
	}
	again.Unknown([]byte{8})
	if unknown.Key != again.Unknown([]byte{9, 9}).Key {
		t.Error("the key of unknown code depends on the table")
	}
}

func TestUnknownIsBounded(t *testing.T) {
	table := NewTable(nil)
	for i := range maxUnknown {
		if p := table.Unknown([]byte(fmt.Sprint(i))); p.ID == NoCode {
			t.Fatalf("piece %d has no id", i)
		}
	}
	p := table.Unknown([]byte("one more"))
	if p.ID != NoCode || len(p.Blocks) == 0 {
		t.Errorf("beyond the bound: %+v", p)
	}
	if table.Unknown([]byte("0")).ID == NoCode {
		t.Error("what is known was forgotten")
	}
}

func TestCut(t *testing.T) {
	table := NewTable([]*Contract{contract("A", &Code{Bytes: []byte{0x5f, 0x5f, 0x5f, 0x00}}, &Code{Bytes: []byte{0x5f, 0x5f, 0x00}})})
	table.Cut([]Location{{2, 1}, {1, 2}, {7, 0}, {2, 77}})
	if n := len(table.Program(1).Blocks); n != 2 {
		t.Errorf("creation code has %d blocks, want 2", n)
	}
	if id, ok := table.Program(2).StartsAt(1); !ok || id != 1 {
		t.Errorf("runtime code: block at 1: %d, %t", id, ok)
	}
	table.Cut([]Location{{1, 1}})
	if n := len(table.Program(1).Blocks); n != 3 {
		t.Errorf("after a second cut creation code has %d blocks, want 3", n)
	}
}

// TestHostileMasks: ranges from damaged build output mask what there is.
func TestHostileMasks(t *testing.T) {
	code := []byte{1, 2, 3, 4}
	for _, masks := range [][]Range{
		{{2, 1 << 31}}, {{1 << 31, 1<<31 + 1}}, {{3, 1}}, {{4, 8}, {2, 3}}, {{0, ^uint32(0)}}, {{^uint32(0), 3}},
	} {
		table := NewTable([]*Contract{contract("A", nil, &Code{Bytes: code, Immutables: masks, Links: []Link{{"L", ^uint32(0) - 3}}})})
		if table.LookupRuntime(code) == nil {
			t.Errorf("%v: code does not find itself", masks)
		}
		if masks[0].Start > 0 && table.LookupRuntime([]byte{9, 2, 3, 4}) != nil {
			t.Errorf("%v: other code is found", masks)
		}
	}
}

func FuzzMetadata(f *testing.F) {
	f.Add([]byte{})
	f.Add(withMetadata([]byte{0x00}, 1))
	f.Add([]byte{0xa2, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, code []byte) {
		m := metadata(code)
		if m.Start > m.End || int(m.End) > len(code) {
			t.Fatalf("metadata of %d bytes at %v", len(code), m)
		}
		table := NewTable([]*Contract{contract("A", nil, &Code{Bytes: code})})
		if p := table.LookupRuntime(code); (p == nil) != (len(code) == 0) {
			t.Fatalf("code does not find itself")
		}
	})
}

func TestVaries(t *testing.T) {
	body := []byte{0x60, 1, 0x7f}
	body = append(body, make([]byte, 33)...)
	table := NewTable([]*Contract{contract("A", nil, &Code{Bytes: withMetadata(body, 1), Immutables: []Range{{3, 35}}})})
	p := table.Program(1)
	n := uint32(len(p.Bytes))
	for _, tc := range []struct {
		start, end uint32
		want       bool
	}{{0, 3, false}, {0, 4, true}, {3, 35, true}, {34, 36, true}, {35, 36, false}, {n - 1, n, true}} {
		if got := p.Varies(tc.start, tc.end); got != tc.want {
			t.Errorf("Varies(%d, %d) is %t", tc.start, tc.end, got)
		}
	}
	if table.Unknown(body).Varies(0, uint32(len(body))) {
		t.Error("code that no artifact explains varies")
	}
}
