package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap"
)

// checks of a text.
func checksOf(text string) []check {
	return checksIn(diffmap.Definition{Source: "A.sol"}, []byte(text))
}

func TestChecksIn(t *testing.T) {
	for text, want := range map[string][]string{
		`function f() { require(a > f(1, 2), "too, (little"); x = 1; }`: {`a > f ( 1 , 2 ) / "too, (little" / require(a > f(1, 2), "too, (little")`},
		`require(ok);`:                                          {`ok /  / require(ok)`},
		`require(ok, Errors.Bad(1, x));`:                        {`ok / Bad / require(ok, Errors.Bad(1, x))`},
		`if (a == b) revert Errors.Bad({x: 1});`:                {`a == b / Bad / if (a == b) revert Errors.Bad({x: 1})`},
		`if (f(a)) { revert("no"); }`:                           {`f ( a ) / "no" / if (f(a)) { revert("no")`},
		`if (a) throw;`:                                         {`a /  / if (a) throw`},
		`else { revert(); }`:                                    {` /  / revert()`},
		`/* require(a) */ requires(a); x.revert; b = "revert"`:  {` /  / revert`},
		`assembly { if iszero(x) { revert(0, 0) } let y := 1 }`: {` /  / revert(0, 0)`},
		`require(`: {` /  / require(`},
	} {
		var got []string
		for _, c := range checksOf(text) {
			got = append(got, fmt.Sprintf("%s / %s / %s", strings.Join(c.condition, " "), c.reason, text[c.Start:c.End]))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestChecksAnyText tries all beginnings of a text.
func TestChecksAnyText(t *testing.T) {
	text := `if (a) { revert E(1, "x"); } require(f(a, [1]), Bad({x: 1})); throw; )( revert`
	for n := range text {
		checksOf(text[:n])
		checksOf(text[n:])
	}
}

func TestCheckCounterpart(t *testing.T) {
	for _, c := range []struct {
		base, head string // the first check of the base is looked up
		is         fate
		became     string
	}{
		{`require(a == b, "no");`, `require(a == b, "no");`, unchanged, `require(a == b, "no")`},
		{`require(a == b, "no");`, `x = 1; require(a == b, No());`, unchanged, `require(a == b, No())`},
		{`require(a <= 100, "no");`, `require(a <= 1000, "no");`, edited, `require(a <= 1000, "no")`},
		{`require(owner == msg.sender, "no");`, `if (owner != msg.sender && on) revert No();`, edited, `if (owner != msg.sender && on) revert No()`},
		{`require(a == b, "no");`, `require(c > 0, "zero");`, gone, ``},
		{`require(a == b, "no");`, ``, gone, ``},
		// Of two with one message, the other one is left, in another form.
		{`require(at == length, "invalid"); require(n + proof == total, "invalid");`, `require(n + proof.length == total, "invalid");`, gone, ``},
		// Of two that are the same, one is left.
		{`require(ok); x(); require(ok);`, `require(ok);`, unchanged, `require(ok)`},
	} {
		bases := checksOf(c.base)
		became, is := bases[0].counterpart(bases, checksOf(c.head))
		text := ""
		if became != nil {
			text = c.head[became.Start:became.End]
		}
		if is != c.is || text != c.became {
			t.Errorf("%s in %s: %d %q", c.base, c.head, is, text)
		}
	}
}

func TestOnlyLiterals(t *testing.T) {
	for _, c := range []struct {
		head, base string
		want       bool
	}{
		{`x = 100;`, `x = 1000;`, true},
		{`hash("A")`, `hash("B")`, true},
		{`f(true)`, `f(false)`, true},
		{`x = a;`, `x = 1;`, false},
		{`x = 1 + 1;`, `x = 1;`, false},
	} {
		if got := onlyLiterals(wordsOf([]byte(c.head)), wordsOf([]byte(c.base))); got != c.want {
			t.Errorf("%s, %s: %v", c.head, c.base, got)
		}
	}
}
