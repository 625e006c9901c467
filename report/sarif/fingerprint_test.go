package sarif

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// modelHashes computes the fingerprints from their definition: text replaced,
// lines cut, one sum of powers per line.
func modelHashes(source string) []string {
	text := strings.NewReplacer(" ", "", "\t", "").Replace(source)
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	units := append(utf16.Encode([]rune(text)), 0xffff)
	modulus := new(big.Int).Lsh(big.NewInt(1), 64)
	seen := map[string]int{}
	var hashes []string
	for i := range units {
		if i > 0 && units[i-1] != '\n' {
			continue
		}
		sum := new(big.Int)
		for k := range 100 {
			if i+k < len(units) {
				power := new(big.Int).Exp(big.NewInt(37), big.NewInt(int64(99-k)), nil)
				sum.Add(sum, power.Mul(power, big.NewInt(int64(units[i+k]))))
			}
		}
		h := sum.Mod(sum, modulus).Text(16)
		seen[h]++
		hashes = append(hashes, fmt.Sprintf("%s:%d", h, seen[h]))
	}
	return hashes
}

func TestLineHashesAgainstModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "b", " ", "\t", "\n", "\r\n", "é", "😀", "}", "x = 1;\n", strings.Repeat("long", 40)}
	for range 300 {
		var b strings.Builder
		for range rng.IntN(60) {
			b.WriteString(alphabet[rng.IntN(len(alphabet))])
		}
		if diff := cmp.Diff(modelHashes(b.String()), LineHashes([]byte(b.String()))); diff != "" {
			t.Fatalf("%q (-model +got):\n%s", b.String(), diff)
		}
	}
}

func TestLineHashes(t *testing.T) {
	unix := LineHashes([]byte("contract A {\n  uint x;\n}\n"))
	if want := 4; len(unix) != want {
		t.Fatalf("%d lines, want %d: the one after the last line break counts", len(unix), want)
	}
	// 65535·37^99 mod 2^64: the end of the file alone.
	if got := LineHashes(nil); !slices.Equal(got, []string{"c129715d7a2bc9a3:1"}) {
		t.Errorf("empty file: %q", got)
	}
	for name, same := range map[string]string{
		"CRLF":        "contract A {\r\n  uint x;\r\n}\r\n",
		"CR":          "contract A {\r  uint x;\r}\r",
		"indentation": "contract A {\n\t\tuint x;\n}\n",
	} {
		if got := LineHashes([]byte(same)); !slices.Equal(got, unix) {
			t.Errorf("%s: %q, want %q", name, got, unix)
		}
	}
	moved := LineHashes([]byte("// a line more\ncontract A {\n  uint x;\n}\n"))
	if !slices.Equal(moved[1:], unix) {
		t.Errorf("a line added before changes the hashes after it: %q, want %q", moved[1:], unix)
	}
	repeated := LineHashes([]byte(strings.Repeat("the same text in every line, again and again and again\n", 4)))
	if !strings.HasSuffix(repeated[0], ":1") || repeated[1] != strings.TrimSuffix(repeated[0], "1")+"2" {
		t.Errorf("repeated lines: %q", repeated)
	}
}
