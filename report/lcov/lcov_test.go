package lcov

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

// forges is what forge 1.7 writes of a contract, shortened, with the kinds of records that it has.
const forges = `TN:
SF:src/Vault.sol
DA:10,3
FN:10,Vault.deposit
FNDA:3,Vault.deposit
DA:11,3
BRDA:12,0,0,-
BRDA:12,0,1,2
DA:12,0
FNF:1
FNH:1
LF:3
LH:2
BRF:2
BRH:1
end_of_record
`

// describe is "src/A.sol 4:1 5:0 f4": lines with their hits, and those of functions.
func describe(files []File) string {
	var texts []string
	for _, f := range files {
		text := f.Path
		for _, line := range slices.Sorted(maps.Keys(f.Hits)) {
			text += fmt.Sprintf(" %d:%d", line, f.Hits[line])
		}
		for _, line := range slices.Sorted(maps.Keys(f.Functions)) {
			text += fmt.Sprintf(" f%d", line)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

func TestRead(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"forge's":           {forges, "src/Vault.sol 10:3 11:3 12:0 f10"},
		"CRLF":              {strings.ReplaceAll(forges, "\n", "\r\n"), "src/Vault.sol 10:3 11:3 12:0 f10"},
		"no line end":       {strings.TrimSuffix(forges, "\n"), "src/Vault.sol 10:3 11:3 12:0 f10"},
		"sections add up":   {"SF:b\nDA:1,1\nDA:2,0\nend_of_record\nSF:a\nDA:1,0\nend_of_record\nSF:b\nDA:2,4\nDA:3,0\nend_of_record\n", "b 1:1 2:4 3:0; a 1:0"},
		"a line twice":      {"SF:a\nDA:1,1\nDA:1,2\nend_of_record\n", "a 1:3"},
		"hits saturate":     {"SF:a\nDA:1,18446744073709551615\nDA:1,2\nend_of_record\n", fmt.Sprintf("a 1:%d", uint64(math.MaxUint64))},
		"checksum":          {"SF:a\nDA:1,1,2pW+Yk\nend_of_record\n", "a 1:1"},
		"end of a function": {"SF:a\nFN:3,9,f\nend_of_record\n", "a f3"},
		"unknown kinds":     {"TN:x\nSF:a\nVER:2\nFNL:0,3,9\nFNA:0,1,f\nMCDC:1,2,t,0,0,\"a,b\"\nNEW_1:whatever\nDA:1,0\nend_of_record\n", "a 1:0"},
		"comments":          {"# made by hand\n\nSF:a\n#:\nDA:1,0\nend_of_record\n", "a 1:0"},
		"no lines":          {"SF:a\nend_of_record\n", "a"},
		"odd paths":         {"SF:C:\\work\\src\\A.sol\nDA:1,1\nend_of_record\nSF:src/a b:c.sol\nDA:1,0\nend_of_record\n", `C:\work\src\A.sol 1:1; src/a b:c.sol 1:0`},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := Read([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(files); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"empty":             {"", "it names no source: it has no line SF:PATH"},
		"names alone":       {"TN:\nTN:x\n", "it names no source"},
		"another format":    {"<?xml version=\"1.0\"?>\n", `line 1: "<?xml version=\"1.0\"?>" is not a record of an LCOV tracefile, such as SF:src/Vault.sol or DA:12,1`},
		"JSON":              {"{\"a\": 1}", "line 1: "},
		"a word":            {"SF:a\nDA\n", `line 2: "DA" is not a record`},
		"lower case":        {"SF:a\nda:1,1\n", "line 2: "},
		"control character": {"SF:a\n\x1b[31mDA:1,1\n", "line 2: "},
		"no hits":           {"SF:a\nDA:1\n", "line 2: DA:1: want a line's number and how often it was executed, as in DA:12,1"},
		"too many fields":   {"SF:a\nDA:1,1,c,d\n", "line 2: DA:1,1,c,d: want"},
		"line 0":            {"SF:a\nDA:0,1\n", `line 2: "0" is not the number of a line: want an integer from 1 to 10000000`},
		"line beyond":       {"SF:a\nDA:10000001,1\n", `line 2: "10000001" is not the number of a line`},
		"a huge line":       {"SF:a\nDA:99999999999999999999,1\n", "line 2: "},
		"no number":         {"SF:a\nDA:x,1\n", `line 2: "x" is not the number of a line`},
		"negative hits":     {"SF:a\nDA:1,-1\n", `line 2: "-1" is not how often a line was executed: want an integer from 0 to 2^64-1`},
		"hits of a branch":  {"SF:a\nDA:1,-\n", "line 2: "},
		"hits beyond":       {"SF:a\nDA:1,18446744073709551616\n", "line 2: "},
		"a hidden sign":     {"SF:a\nDA:+1,1\n", "line 2: "},
		"no section":        {"DA:1,1\n", "line 1: a record of a line without an SF before it"},
		"function outside":  {"FN:1,f\n", "line 1: a record of a line without an SF before it"},
		"function":          {"SF:a\nFN:1\n", "line 2: FN:1: want a line's number and a name, as in FN:12,Vault.deposit"},
		"function's line":   {"SF:a\nFN:f,1\n", `line 2: "f" is not the number of a line`},
		"end outside":       {"end_of_record\n", "line 1: end_of_record without an SF before it"},
		"no path":           {"SF:\n", "line 1: SF without a path"},
		"NUL":               {"SF:a\x00b\n", "line 1: a path with a NUL in it"},
		"long path":         {"SF:" + strings.Repeat("a", maxPath+1) + "\n", "line 1: a path of 4097 bytes; at most 4096 are read"},
		"no end":            {"TN:\nSF:a\nDA:1,1\nSF:b\n", "line 4: a section begins before that of a ends, at line 2: its end_of_record is missing"},
		"cut short":         {"SF:a\nend_of_record\nTN:\nSF:b\nDA:1,1\nDA:2,", "line 6: "},
		"cut between":       {"SF:a\nend_of_record\nTN:\nSF:b\nDA:1,1\n", "it ends within the section of b, which begins at line 4: it was cut short, or another program still writes it"},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := Read([]byte(test.text))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%s, error %v, want %q", describe(files), err, test.want)
			}
		})
	}
}

// TestReadIsBounded: a tracefile with more than anyone's project has is refused.
func TestReadIsBounded(t *testing.T) {
	var sources, lines bytes.Buffer
	for i := range maxFiles + 1 {
		fmt.Fprintf(&sources, "SF:%d\nend_of_record\n", i)
	}
	lines.WriteString("SF:a\n")
	for i := range maxLines + 1 {
		fmt.Fprintf(&lines, "DA:%d,0\n", i+1)
	}
	for want, text := range map[string][]byte{
		"more than 50000 sources":          sources.Bytes(),
		"more than 1000000 lines":          lines.Bytes(),
		"bytes; at most 67108864 are read": make([]byte, MaxSize+1),
	} {
		if _, err := Read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestWrite(t *testing.T) {
	files := []File{
		{Path: "src/B.sol", Hits: map[int]uint64{12: 0, 3: 1, 100: 1}, Functions: map[int]bool{3: true}},
		{Path: "src/A b.sol", Hits: map[int]uint64{7: 0}},
		{Path: "src/None.sol"},
		{Path: "src/C\nSF:src/A b.sol\nDA:7,1.sol", Hits: map[int]uint64{1: 1}},
	}
	const want = "TN:\nSF:src/A b.sol\nDA:7,0\nLF:1\nLH:0\nend_of_record\n" +
		"TN:\nSF:src/B.sol\nDA:3,1\nDA:12,0\nDA:100,1\nLF:3\nLH:2\nend_of_record\n"
	if got := string(Write(files)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if files[0].Path != "src/B.sol" {
		t.Error("the caller's list is in another order")
	}
	if got := Write(nil); len(got) != 0 {
		t.Errorf("of nothing: %q", got)
	}
}

// FuzzRead: whatever a file holds, it is read or refused with an error, and what was read is the
// same once it is written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(forges))
	f.Add([]byte("SF:a\r\nDA:1,18446744073709551615,x\r\nend_of_record"))
	f.Add([]byte("TN:\nSF:b\nDA:1,1\nend_of_record\nSF:a\nDA:1,1\nend_of_record\nSF:b\nDA:1,2\nend_of_record\n"))
	f.Add([]byte("SF:a\nDA:1,1\nSF:b\n"))
	f.Add([]byte("\xff\xfe#\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		files, err := Read(text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || strings.ContainsAny(e.What, "\n\x1b\x00") || len(e.What) > 1000 {
				t.Fatalf("error %q", err)
			}
			return
		}
		for i := range files {
			files[i].Functions = nil
		}
		files = slices.DeleteFunc(files, func(f File) bool { return len(f.Hits) == 0 || !Writable(f.Path) })
		written := Write(files)
		if len(files) == 0 {
			if len(written) > 0 {
				t.Fatalf("of nothing: %q", written)
			}
			return
		}
		again, err := Read(written)
		if err != nil {
			t.Fatalf("%v in\n%s", err, written)
		}
		slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
		if got, want := describe(again), describe(files); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}
