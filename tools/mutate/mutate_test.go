package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const source = `package p

import "strings"

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
	_ = strings.Repeat(strings.Replace("a"+"b", "", "", -1), a&b)
	panic("a is " + "b")
}

func list(n uint8) (list []int) {
	list = make([]int, 0, 8)
	for i := 0; i < 3; i++ {
		if n -= 2; n == 9 && !has(list) || (n) < 1 {
			continue
		}
		list = append(list, i*2)
	}
	return list
}

func has(list []int) bool {
	switch {
	case len(list) > 0:
		break
	default:
		return false
	}
	return true
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
	// What texts are added to, what panics say, and how much is reserved is no mistake that a test could notice.
	want := []string{
		"6:11: && → ||", "6:7: < → <=", "6:7: < → >=", "6:14: ! → nothing", "7:12: + → -", "7:14: 1 → 2",
		"9:5: ok → !(ok)", "10:3: a = b → nothing", "13:4: ++ → --", "14:3: break → continue", "16:60: & → |",
		"21:2: list = make([]int, 0, 8) → nothing", "21:21: 0 → 1", "22:11: 0 → 1", "22:16: < → <=", "22:16: < → >=", "22:18: 3 → 4", "22:22: ++ → --",
		"23:8: -= → +=", "23:11: 2 → 3", "23:35: || → &&", "23:21: && → ||", "23:16: == → !=", "23:19: 9 → 10", "23:24: ! → nothing", "23:42: < → <=", "23:42: < → >=", "23:44: 1 → 2",
		"24:4: continue → break", "26:3: list = append(list, i*2) → nothing", "26:24: * → /", "26:25: 2 → 3",
		"33:17: > → >=", "33:17: > → <=", "33:19: 0 → 1", "36:10: false → true", "38:9: true → false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// TestSwitches: a mistake behind a switch is noticed as it is when it is planted alone, also by tests of another package, and
// those that a compiler refuses behind one are planted alone.
func TestSwitches(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"p/p.go": source,
		"p/p_test.go": `package p

import "testing"

func TestF(t *testing.T) {
	if f(1, 2, false) != 2 {
		t.Error("f")
	}
	for _, n := range []uint8{2, 4, 11, 12} {
		list(n)
	}
}
`,
		"q/q.go": "package q\n\nimport \"m/p\"\n\nfunc Count(n uint8) int { return len(p.List(n)) }\n",
		"p/q.go": "package p\n\nfunc List(n uint8) []int { return list(n) }\n",
		"q/q_test.go": `package q

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[uint8]int{2: 2, 4: 2, 12: 3, 15: 3} {
		if got := Count(n); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}
`,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	mutants, err := read(root, "p/p.go")
	if err != nil {
		t.Fatal(err)
	}
	packages := []string{"./p", "./q"}
	p, err := newProgram(t.Context(), root, t.TempDir(), packages, mutants, "", "")
	if err != nil {
		t.Fatal(err)
	}
	p.slack = time.Second // some mistakes make endless loops
	together := tester{root: root, packages: packages, program: p, limit: 4 * time.Second}
	alone, refused := 0, 0
	for i, m := range mutants {
		got, err := together.try(t.Context(), &m, i+1)
		if err != nil {
			t.Fatal(err)
		}
		if m.edits == nil {
			refused++
			continue
		}
		// Each takes a second to compile: a few of all kinds.
		if i%9 != 0 {
			continue
		}
		alone++
		m.edits = nil
		want, err := together.try(t.Context(), &m, i+1)
		if err != nil {
			t.Fatal(err)
		}
		if got == unseen {
			got = survived
		}
		if got != want {
			t.Errorf("%s: %d with a switch, %d alone", m, got, want)
		}
	}
	if alone < 3 || refused == 0 || refused > 5 {
		t.Errorf("%d planted both ways, %d refused", alone, refused)
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
