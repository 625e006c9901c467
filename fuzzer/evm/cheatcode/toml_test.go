package cheatcode

import (
	"strings"
	"testing"
)

// TestTOMLErrors reads texts that are not TOML; the errors say where.
func TestTOMLErrors(t *testing.T) {
	for _, text := range []string{
		"a", "a =", "= 1", "a = 1 b = 2", "a = 1\na = 2", "[a", "[[a]", "[a]\n[a]", "a = 1\n[a]", "a = 1\n[[a]]", "[a] b", "a = [1", "a = [1 2]", "a = {b = 1",
		"a = 'x", "a = \"x\ny\"", "a = \"\\q\"", "a = \"\\ud800\"", "a = \"\\u12\"", "a = 01", "a.b = 1\n[a]\nc = 2", "a = {b = 1}\na.c = 2", "a = [{b = 1}]\n[[a]]", "a = 1979-02-30", "a = 24:00:00", "a = \"\x01\"", "a = 1\rb = 2", "a = 1__0", "a = 1.", "a = .5", "a = 9223372036854775808", "a = yes", "\xff = 1", "a = \"\"\"x",
	} {
		if v, err := parseTOML([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, v)
		} else if !strings.HasPrefix(err.Error(), "failed parsing TOML: line ") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestTOMLBounds reads texts that would take long, or a deep stack.
func TestTOMLBounds(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("a.", maxTOMLDepth) + "a = 1", "[" + strings.Repeat("a.", maxTOMLDepth) + "a]", "a = " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"a = " + strings.Repeat("[", maxTOML), strings.Repeat("a={", 10_000) + strings.Repeat("}", 10_000), strings.Repeat("#", maxTOML+1),
	} {
		if _, err := parseTOML([]byte(text)); err == nil {
			t.Errorf("%.20q…, %d bytes, is read", text, len(text))
		}
	}
}

// FuzzTOML: no text breaks the parser, whether it is TOML or not.
func FuzzTOML(f *testing.F) {
	for _, text := range someTOML {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := parseTOML([]byte(text))
		if _, table := v.(*object); (err == nil) != table {
			t.Errorf("%v, %v", v, err)
		}
		if err == nil {
			_, _, _ = typed(v, 0)
		}
	})
}
