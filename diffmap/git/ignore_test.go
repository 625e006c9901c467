package git

import (
	"testing"
)

// TestIgnore matches paths as git does.
func TestIgnore(t *testing.T) {
	for _, test := range []struct {
		patterns []string
		file     string
		want     string // the pattern; "" for none
	}{
		{[]string{"A.sol"}, "src/deep/A.sol", "A.sol"},
		{[]string{"/A.sol"}, "src/A.sol", ""},
		{[]string{"/A.sol"}, "A.sol", "/A.sol"},
		{[]string{"*.sol"}, "src/A.sol", "*.sol"},
		{[]string{"src/*.sol"}, "src/A.sol", "src/*.sol"},
		{[]string{"src/*.sol"}, "src/deep/A.sol", ""},
		{[]string{"src/**/A.sol"}, "src/A.sol", "src/**/A.sol"},
		{[]string{"src/**/A.sol"}, "src/x/y/A.sol", "src/**/A.sol"},
		{[]string{"**/mocks/**"}, "a/mocks/b/C.sol", "**/mocks/**"},
		{[]string{"mocks"}, "a/mocks/b/C.sol", "mocks"},
		{[]string{"mocks/"}, "a/mocks/b/C.sol", "mocks/"},
		{[]string{"mocks/"}, "a/mocks", ""},
		{[]string{"a/mocks"}, "b/a/mocks/C.sol", ""},
		{[]string{"src/**"}, "src/A.sol", "src/**"},
		{[]string{"?.sol"}, "AB.sol", ""},
		{[]string{"[AB].sol"}, "B.sol", "[AB].sol"},
		{[]string{"*.sol", "!src/A.sol"}, "src/A.sol", "!src/A.sol"},
		{[]string{"!src/A.sol", "*.sol"}, "src/A.sol", "*.sol"},
	} {
		ignore, err := NewIgnore(test.patterns)
		if err != nil {
			t.Fatal(err)
		}
		got, negated, ok := ignore.Match(test.file)
		if got != test.want || ok != (test.want != "") || negated != (ok && got[0] == '!') {
			t.Errorf("%q of %q: %q %v %v, want %q", test.patterns, test.file, got, negated, ok, test.want)
		}
	}
	for _, bad := range []string{"", "/", "!", "a//b", "[", "../a", "a/./b"} {
		if _, err := NewIgnore([]string{bad}); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// FuzzIgnore matches arbitrary patterns.
func FuzzIgnore(f *testing.F) {
	f.Add("a/**/b*/", "a/x/bc/d")
	f.Add("**/**/**", "a")
	f.Fuzz(func(_ *testing.T, pattern, file string) {
		if ignore, err := NewIgnore([]string{pattern}); err == nil {
			ignore.Match(file)
		}
	})
}
