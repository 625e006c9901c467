package compile

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestParseSourceMap(t *testing.T) {
	// The example of solc's documentation, "Source Mappings".
	short, err := ParseSourceMap("1:2:1;:9;2:1:2;;")
	if err != nil {
		t.Fatal(err)
	}
	long, err := ParseSourceMap("1:2:1;1:9:1;2:1:2;2:1:2;2:1:2")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(short, long) || len(short) != 5 {
		t.Errorf("%v and %v", short, long)
	}
	full, err := ParseSourceMap("10:5:0:-:0;:::i:2;-1:-1:-1:o;;::0")
	want := []SourceMapEntry{
		{10, 5, 0, '-', 0}, {10, 5, 0, 'i', 2}, {-1, -1, -1, 'o', 2}, {-1, -1, -1, 'o', 2}, {-1, -1, 0, 'o', 2},
	}
	var got []SourceMapEntry
	for i := range full {
		got = append(got, full.At(i))
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", full, err)
	}
	if empty, err := ParseSourceMap(""); err != nil || empty != nil {
		t.Errorf("%v, %v", empty, err)
	}
	for _, text := range []string{"a", "1:2:3:4", "1:2:3:-:0:0", "-2", "1:2:3:-:-1", "1:2:3:-:9999", "99999999999", "2147483647:1", "1.5", " 1", "+1x"} {
		if m, err := ParseSourceMap(text); err == nil {
			t.Errorf("%q is taken: %v", text, m)
		}
	}
}

// TestSourceMapRoundTrip: reading what String wrote gives the same map.
func TestSourceMapRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		m := make(SourceMap, 1+random.IntN(30))
		for i := range m {
			if i > 0 && random.IntN(3) == 0 {
				m[i] = m[i-1]
				continue
			}
			m[i] = SourceMapEntry{random.IntN(100) - 1, random.IntN(100) - 1, random.IntN(4) - 1, "io-"[random.IntN(3)], random.IntN(3)}.packed()
		}
		again, err := ParseSourceMap(m.String())
		if err != nil || !slices.Equal(m, again) {
			t.Fatalf("%v becomes %q becomes %v, %v", m, m.String(), again, err)
		}
	}
}

func TestAtPC(t *testing.T) {
	code := []byte{0x60, 1, 0x61, 2, 3, 0x01, 0x00, 0xfe, 0x7f} // PUSH1 PUSH2 ADD STOP, data
	m, err := ParseSourceMap("1:1:0:-;2;3;4")
	if err != nil {
		t.Fatal(err)
	}
	for pc, want := range map[uint32]int{0: 1, 2: 2, 5: 3, 6: 4, 1: 0, 3: 0, 7: 0, 100: 0} {
		if e, ok := m.AtPC(code, pc); ok != (want > 0) || ok && e.Start != want {
			t.Errorf("pc %d: %v, %v", pc, e, ok)
		}
	}
	if _, ok := m.AtPC(nil, 0); ok {
		t.Error("empty code has an entry")
	}
	if _, ok := m.AtPC([]byte{0x7f}, 1); ok {
		t.Error("a truncated PUSH has an entry behind it")
	}
}

func FuzzSourceMap(f *testing.F) {
	f.Add("1:2:1;:9;2:1:2;;")
	f.Add("126:179:0:-;;;154:47;8:9:-1;5:2;;;30:1;27;20:12;5:2;154:47:0")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseSourceMap(text)
		if err != nil {
			return
		}
		if text != "" && len(m) != strings.Count(text, ";")+1 {
			t.Errorf("%q has %d entries", text, len(m))
		}
		again, err := ParseSourceMap(m.String())
		if err != nil {
			t.Fatalf("%q becomes %q: %v", text, m.String(), err)
		}
		if !slices.Equal(m, again) {
			t.Errorf("%q becomes %q", text, m.String())
		}
		for pc, e := range m.Instructions([]byte(text)) {
			if e.Start < -1 || int(pc) >= len(text) {
				t.Errorf("entry %v at pc %d", e, pc)
			}
		}
	})
}
