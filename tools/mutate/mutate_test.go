package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const source = `package p

func f(a, b int, ok bool) int {
	if a < b && !ok {
		return a + 1
	}
	if ok {
		a = b
	}
	for {
		b++
		break
	}
	panic("a is " + "b")
}
`

// TestMistakes: each is one change of the text, and the file parses with it.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	mutants, err := read(dir, "p.go")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range mutants {
		got = append(got, strings.TrimPrefix(m.String(), "p.go:"))
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", m.text(), 0); err != nil {
			t.Errorf("%s: %v", m, err)
		}
		if string(m.text()) == source {
			t.Errorf("%s changes nothing", m)
		}
	}
	want := []string{
		"4: && → ||", "4: < → <=", "4: < → >=", "4: ! → nothing", "5: + → -", "5: 1 → 2",
		"7: ok → !(ok)", "8: a = b → nothing", "11: ++ → --", "12: break → continue", `14: panic("a is " + "b") → nothing`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// TestExpand: tests are left out, and a pattern of nothing is an error.
func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.go", "a_test.go", "b.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := expand(dir, []string{"*"}); err != nil || !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("%q, %v", got, err)
	}
	for _, patterns := range [][]string{nil, {"c*.go"}, {"a_test.go"}} {
		if got, err := expand(dir, patterns); err == nil {
			t.Errorf("%q: %q", patterns, got)
		}
	}
}
