package input

import (
	"fmt"
	"testing"

	"github.com/holiman/uint256"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

func TestWordsOfExample(t *testing.T) {
	s := testSpace(t, true)
	seq := exampleSequence(t, s)
	var got []string
	for _, w := range AppendCallWords(nil, seq, 2) {
		x, _ := s.Get(seq, w)
		got = append(got, fmt.Sprintf("%v = %s", w, x.Hex()))
	}
	text := ""
	for _, line := range got {
		text += line + "\n"
	}
	golden.Check(t, "testdata/words.txt", text)
}

func TestWith(t *testing.T) {
	s := testSpace(t, true)
	seq := exampleSequence(t, s)
	all := map[string]Word{}
	for _, w := range AppendWords(nil, seq) {
		all[w.String()] = w
	}
	cases := []struct {
		word, value string
		fits        bool
	}{
		{"call 2 argument 0", "0x5", true},
		{"call 2 sender", "0xac00000000000000000000000000000000000003", true},
		{"call 2 sender", "0xac00000000000000000000000000000000000004", false},  // nobody
		{"call 2 sender", "0x1ac00000000000000000000000000000000000003", false}, // no address
		{"call 2 value", "0x0", true},                                           //
		{"call 2 value", "0x8ac7230489e80000000000", false},                     // more than anybody has
		{"call 2 time", "0xbbf81e00", true},                                     // 100 years
		{"call 2 time", "0xbbf81e01", false},                                    //
		{"call 2 block", "0x10000000000000000", false},                          //
		{"call 3 argument 0", "0x7fffff", true},                                 // int24
		{"call 3 argument 0", "0x800000", false},                                //
		{"call 3 argument 1", "0x2", false},                                     // bool
		{"call 3 argument 2", "0x1", false},                                     // bytes4
		{"call 3 length 3", "0x21", true},                                       // bytes
		{"call 3 length 3", "0x1001", false},                                    //
		{"call 3 chunk 4.0", "0x41" + fmt.Sprintf("%062x", 0), true},            // string of 12 bytes
		{"call 3 chunk 4.0", "0x41", false},                                     // beyond its end
		{"call 3 length 5", "0x100", true},                                      // uint8[]
		{"call 3 length 5", "0x101", false},                                     //
		{"call 3 argument 5.1", "0x100", false},                                 //
		{"call 3 argument 7.0.2.0", "0x7", true},                                // address in a tuple in a tuple in an array
		{"call 3 chunk 7.0.1.1.0", "0x7a" + fmt.Sprintf("%062x", 0), true},      //
		{"call 4 chunk 0.1", "0x01" + fmt.Sprintf("%062x", 0), true},            // fallback data
		{"call 6 length 0", "0x0", true},                                        //
	}
	before := Format(s, seq)
	for _, c := range cases {
		w, ok := all[c.word]
		if !ok {
			t.Fatalf("no word %s", c.word)
		}
		x := new(uint256.Int)
		if err := x.SetFromHex(trimHex(c.value)); err != nil {
			t.Fatal(c.value, err)
		}
		got, ok := s.With(seq, w, x)
		if ok != c.fits {
			t.Errorf("%s = %s fits: %v", c.word, c.value, ok)
		}
		if s.Fits(seq, w, x) != c.fits {
			t.Errorf("%s = %s fits, without being set: %v", c.word, c.value, !c.fits)
		}
		if Format(s, seq) != before {
			t.Fatalf("%s = %s changed the sequence it started from", c.word, c.value)
		}
		if !ok {
			continue
		}
		mustValid(t, s, got, c.word)
		if y, _ := s.Get(got, w); y != *x {
			t.Errorf("%s reads back as %s, want %s", c.word, y.Hex(), c.value)
		}
		changed, _, _ := diffWords(wordValues(t, s, seq), wordValues(t, s, got))
		if old, _ := s.Get(seq, w); changed != 1 && old != *x {
			t.Errorf("%s = %s changed %d words", c.word, c.value, changed)
		}
	}
}

// trimHex drops leading zeros, which uint256 does not read.
func trimHex(s string) string {
	s = s[2:]
	for len(s) > 1 && s[0] == '0' {
		s = s[1:]
	}
	return "0x" + s
}

func TestMissingWords(t *testing.T) {
	s := testSpace(t, false)
	seq := Sequence{makeCall(t, s, "Vault", "mixed(int24,bool,bytes4,bytes,string,uint8[],bytes32[3],(uint256,string[2],(address,int256))[])"),
		makeCall(t, s, "Vault", "pause()")}
	for _, w := range []Word{
		{Call: 2, Kind: TimeWord},
		{Call: -1, Kind: SenderWord},
		{Call: 1, Kind: ValueWord}, // not payable
		Word{Call: 1, Kind: LeafWord}.child(0),
		{Call: 0, Kind: LeafWord},
		Word{Call: 0, Kind: LeafWord}.child(3), // bytes are no leaf
		Word{Call: 0, Kind: LengthWord}.child(0),
		Word{Call: 0, Kind: LengthWord}.child(6), // fixed array
		Word{Call: 0, Kind: ChunkWord}.child(3).child(0),
		Word{Call: 0, Kind: LeafWord}.child(5).child(0),
	} {
		if x, ok := s.Get(seq, w); ok {
			t.Errorf("%v exists as %s", w, x.Hex())
		}
		if _, ok := s.With(seq, w, new(uint256.Int)); ok {
			t.Errorf("%v can be set", w)
		}
		if s.Fits(seq, w, new(uint256.Int)) {
			t.Errorf("%v fits", w)
		}
	}
}

// Growing arrays of arrays word by word stops at the bound of a call.
func TestCallSizeIsBounded(t *testing.T) {
	s := testSpace(t, false)
	seq := Sequence{makeCall(t, s, "Vault", "multicall(bytes[])")}
	most := uint256.NewInt(MaxBytes)
	seq, ok := s.With(seq, Word{Kind: LengthWord}.child(0), uint256.NewInt(MaxElements))
	if !ok {
		t.Fatal("the array did not grow")
	}
	grown := 0
	for i := range MaxElements {
		if next, ok := s.With(seq, Word{Kind: LengthWord}.child(0).child(i), most); ok {
			seq = next
			grown++
		}
		mustValid(t, s, seq, i)
	}
	if want := (MaxCallWords - 1 - MaxElements) / (MaxBytes / 32); grown != want {
		t.Errorf("%d byte strings grew, want %d", grown, want)
	}
}
