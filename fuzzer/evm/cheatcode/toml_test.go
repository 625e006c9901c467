package cheatcode

import "testing"

// TestTOMLErrors: what is no TOML is said to be none.
func TestTOMLErrors(t *testing.T) {
	for _, text := range []string{
		"a", "a =", "= 1", "a = 1 b = 2", "a = 1\na = 2", "[a", "[[a]", "[a]\n[a]", "a = 1\n[a]", "a = 1\n[[a]]", "[a] b", "a = [1", "a = [1 2]", "a = {b = 1", "a = {b = 1,\nc = 2}",
		"a = 'x", "a = \"x\ny\"", "a = \"\\q\"", "a = \"\\ud800\"", "a = \"\\u12\"", "a = 01", "a = 1__0", "a = 1.", "a = .5", "a = nan", "a = 9223372036854775808", "a = yes", "\xff = 1", "a = \"\"\"x",
	} {
		if v, err := parseTOML([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, v)
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
			_, _ = tokenOf(v, 0)
		}
	})
}
