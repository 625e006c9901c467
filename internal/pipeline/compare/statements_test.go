package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// TestCorrespond lists what each statement of the head was on the base: the same, or one of several that were edited; and
// what of the base is left over.
func TestCorrespond(t *testing.T) {
	const jumpi, log1 = 0x57, 0xa1
	var builds [2]deploy.Build
	var outputs [2]*compile.Output
	for i, name := range []string{"statements/head", "statements/base"} {
		outputs[i] = compiled(t, name)
		builds[i] = deploy.NewBuild([]*compile.Output{outputs[i]}, diffmap.Options{})
	}
	functions := diffmap.NewCounterparts(diffmap.BaseSide{Head: outputs[0], Base: outputs[1]})
	texts := [2][]byte{outputs[0].Sources[0].Text, outputs[1].Sources[0].Text}
	said := func(side int, s *statement) string {
		before := string(texts[side][:s.Start])
		return fmt.Sprintf("%d %s", strings.Count(before, "\n")+1, strings.Join(strings.Fields(string(texts[side][s.Start:s.End])), " "))
	}
	var b strings.Builder
	for _, contract := range outputs[0].Contracts {
		fmt.Fprintf(&b, "%s\n", contract.Name)
		for _, of := range []struct {
			op   byte
			kind string
		}{{jumpi, "assert"}, {jumpi, "require"}, {jumpi, ""}, {log1, "Spent"}} {
			heads, bases := statementsOf(contract.QualifiedName(), &builds[0], of.op, of.kind), statementsOf(contract.QualifiedName(), &builds[1], of.op, of.kind)
			for _, h := range heads {
				if h.in == (diffmap.Definition{}) {
					continue // of the contract: what chooses a function
				}
				c := correspond(h, heads, bases, functions)
				fmt.Fprintf(&b, "  %s\n", said(0, h))
				for _, list := range []struct {
					name       string
					statements []*statement
				}{{"same", c.same}, {"edited", c.edited}, {"gone", c.gone}} {
					for _, s := range list.statements {
						fmt.Fprintf(&b, "    %s: %s\n", list.name, said(1, s))
					}
				}
				if !slices.Equal(c.bases, bases) {
					t.Errorf("%s: %d statements of the base, want all %d", said(0, h), len(c.bases), len(bases))
				}
			}
		}
	}
	golden.Check(t, "testdata/statements/counterparts.golden", b.String())
}

// TestKindOf: a statement is of the kind of its first word, if that makes it one.
func TestKindOf(t *testing.T) {
	for text, want := range map[string]string{
		"assert(x != 3);":                     "assert",
		"assert /* why */ (x);":               "assert",
		"emit Spent(x);":                      "emit",
		"function f() external {}":            "function",
		"modifier m() { _; }":                 "modifier",
		"total = x;":                          "",
		"emit":                                "",
		"(x)":                                 "",
		"":                                    "",
		"total = f(x);":                       "",
		"return x / y;":                       "",
		"emit Spent":                          "emit",
		"f" + strings.Repeat(" ", 254) + "(":  "f",
		"f" + strings.Repeat(" ", 255) + "(":  "", // farther than is looked
		"f(" + strings.Repeat("x", 300) + ")": "f",
	} {
		if got := kindOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestIsName: names begin with a letter, _ or $.
func TestIsName(t *testing.T) {
	for word, want := range map[string]bool{
		"a": true, "z": true, "A": true, "Z": true, "_": true, "$": true, "m9": true,
		"9": false, "@": false, "[": false, "`": false, "{": false, "(": false, `"a"`: false,
	} {
		if got := isName(word); got != want {
			t.Errorf("%q: %t", word, got)
		}
	}
}

// TestCommonWords: the tokens of the head by their numbers on the base, as a longest common subsequence has them.
func TestCommonWords(t *testing.T) {
	for _, c := range []struct{ head, base, want string }{
		{"a b c", "a b c", "0 1 2"},
		{"a b c", "", "-1 -1 -1"},
		{"", "a", ""},
		{"a b", "b a", "1 -1"},
		{"a x c", "a c", "0 -1 1"},
		{"a c", "a x c", "0 2"},
		{"a b c d", "a d", "0 -1 -1 1"},
		{"p a b c q", "p x a c y q", "0 2 -1 3 5"},
		{"p a b q", "p b a q", "0 2 -1 3"},
		{"a a", "a", "0 -1"},
		{"a", "a a", "0"},
		{"p x a b y", "q a z b w", "-1 -1 1 3 -1"},
		{"f ( a , b ) ;", "f ( b ) ;", "0 1 -1 -1 2 3 4"},
		{"a // comment\n b", "a b", "0 1"},
	} {
		head, base := tokensOf([]byte(c.head)), tokensOf([]byte(c.base))
		got := strings.Trim(fmt.Sprint(commonWords([]byte(c.head), []byte(c.base), head, base)), "[]")
		if got != c.want {
			t.Errorf("%q, %q: %s, want %s", c.head, c.base, got, c.want)
		}
	}
	// The longest table there is.
	most := []byte("m " + strings.Repeat("x ", 1_999))
	least := []byte(strings.Repeat("y ", 1_999) + "m")
	if aligned := commonWords(most, least, tokensOf(most), tokensOf(least)); aligned[0] != 1_999 {
		t.Errorf("%d in the longest table", aligned[0])
	}
	// Where the table would be too long, what both begin and end with is aligned all the same.
	long := func(word string) string { return "a " + strings.Repeat(word+" ", 2_001) + "z" }
	head, base := []byte(long("x")), []byte(long("x y"))
	aligned := commonWords(head, base, tokensOf(head), tokensOf(base))
	if aligned[0] != 0 || aligned[1] != 1 || aligned[2] != -1 || aligned[len(aligned)-1] != 4_003 {
		t.Errorf("%d, %d, %d … %d", aligned[0], aligned[1], aligned[2], aligned[len(aligned)-1])
	}
}

// TestAlignStatements: statements that share at least half of their words are pairs, those that share most first; what is shared
// outside of them does not count.
func TestAlignStatements(t *testing.T) {
	for _, c := range []struct{ head, base, want string }{ // statements are in brackets
		{"x [a b] y", "x [a c] y", "a b=a c"},
		{"x [a b c] y", "x [a d e] y", ""},
		{"x [a b] y", "x [c d] y", ""},
		{"[a b] [c d]", "[c d] [a b]", "a b=a b"},
		{"[a b] [c d]", "[a b] [c d]", "a b=a b, c d=c d"},
		{"[f ( a , b , c , d , e )]", "[f ( a , b )] [g ( x , c , d , e )]", "f ( a , b , c , d , e )=g ( x , c , d , e )"},
		{"[f ( a , b )] [g ( x , c , d , e )]", "[f ( a , b , c , d , e )]", "g ( x , c , d , e )=f ( a , b , c , d , e )"},
		{"[f ( a , b , c , d )]", "[f ( a , b , c )] [g ( d )]", "f ( a , b , c , d )=f ( a , b , c )"},
	} {
		const before = 1_000 // where the function is in its source
		read := func(text string) (list []*statement, plain []byte) {
			for i, piece := range strings.FieldsFunc(text, func(r rune) bool { return r == '[' || r == ']' }) {
				if strings.Contains("["+text, "["+piece+"]") && (i > 0 || text[0] == '[') {
					list = append(list, &statement{Range: diffmap.Range{Start: before + len(plain), End: before + len(plain) + len(piece)}, words: strings.Fields(piece)})
				}
				plain = append(plain, piece...)
			}
			return list, plain
		}
		heads, headText := read(c.head)
		bases, baseText := read(c.base)
		var pairs []string
		alignStatements(heads, bases, headText, baseText, before, before, func(h, b *statement) {
			pairs = append(pairs, strings.Join(h.words, " ")+"="+strings.Join(b.words, " "))
		})
		if got := strings.Join(pairs, ", "); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.head, c.base, got, c.want)
		}
	}
}

// TestRenamedBothWays: a name stands for one name, whichever side one looks from.
func TestRenamedBothWays(t *testing.T) {
	for _, c := range []struct {
		head, base string
		want       bool
	}{
		{"assert(a < b)", "assert(x < y)", true},
		{"assert(a < b)", "assert(x < x)", false},
		{"assert(a < a)", "assert(x < y)", false},
		{"assert(a < a)", "assert(x < x)", true},
		{"assert(a < 1)", "assert(x < 1)", true},
		{"assert(a < 1)", "assert(a < x)", false},
		{"assert(a < x)", "assert(a < 1)", false},
		{"assert(a + 1)", "assert(a - 1)", false},
	} {
		if got := renamed(wordsOf([]byte(c.head)), wordsOf([]byte(c.base)), []byte(c.head), []byte(c.base)); got != c.want {
			t.Errorf("%q, %q: %t", c.head, c.base, got)
		}
	}
}
