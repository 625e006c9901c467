package solgen

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/soljson"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// problems are what the compiler says of a program that it refuses.
func problems(t *testing.T, text string) []string {
	t.Helper()
	input, err := json.Marshal(map[string]any{"language": "Solidity", "sources": map[string]any{"P.sol": map[string]any{"content": text}},
		"settings": map[string]any{"outputSelection": map[string]any{"*": map[string]any{"*": []string{"evm.bytecode.object"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	data, err := soljson.Compile(filepath.Join(testfiles.NodeModules(t), "solc", "soljson.js"), input)
	if err != nil {
		t.Fatal(err)
	}
	var output struct {
		Errors []struct{ Severity, FormattedMessage string }
	}
	if err := json.Unmarshal(data, &output); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range output.Errors {
		if e.Severity == "error" {
			list = append(list, e.FormattedMessage)
		}
	}
	return list
}

// TestPrograms: a seed has one program, which compiles.
func TestPrograms(t *testing.T) {
	for seed := range uint64(6) {
		text, _ := New(seed).Source()
		if again, _ := New(seed).Source(); again != text {
			t.Errorf("seed %d has two programs", seed)
		}
		for _, problem := range problems(t, text) {
			t.Errorf("seed %d: %s", seed, problem)
		}
	}
}

// TestMarks: every mark is on one line, which emits it.
func TestMarks(t *testing.T) {
	for seed := range uint64(300) {
		text, marks := New(seed).Source()
		lines := strings.Split(text, "\n")
		of := map[int]int{}
		for line, mark := range marks {
			if other, ok := of[mark]; ok {
				t.Fatalf("seed %d: mark %d is on the lines %d and %d", seed, mark, line, other)
			}
			of[mark] = line
			n := strconv.Itoa(mark)
			if s := lines[line-1]; !strings.Contains(s, "emit W("+n+")") && !strings.Contains(s, "(kw("+n+")") && !strings.Contains(s, ", "+n+") ") {
				t.Fatalf("seed %d: mark %d is not in line %d: %s", seed, mark, line, s)
			}
		}
		if len(marks) < 10 {
			t.Errorf("seed %d has %d lines that say that they run", seed, len(marks))
		}
	}
}

// TestShrink: what is left of a program still fails, and is little more than what fails.
func TestShrink(t *testing.T) {
	program := New(3)
	before, marks := program.Source()
	deepest, mark := 0, 0
	for line, m := range marks { // a statement deep inside
		s := strings.Split(before, "\n")[line-1]
		if depth := len(s) - len(strings.TrimLeft(s, " ")); depth > deepest || depth == deepest && m > mark {
			deepest, mark = depth, m
		}
	}
	has := func(p *Program) bool {
		_, marks := p.Source()
		for _, m := range marks {
			if m == mark {
				return true
			}
		}
		return false
	}
	small := program.Shrink(10_000, has)
	after, left := small.Source()
	if !has(small) {
		t.Fatal("what should stay is gone")
	}
	if len(left) > len(marks)/3 {
		t.Errorf("%d of %d statements are left:\n%s", len(left), len(marks), after)
	}
	if again, _ := program.Source(); again != before {
		t.Error("the program itself has changed")
	}
	asked := 0
	program.Shrink(5, func(*Program) bool { asked++; return false })
	if asked != 5 {
		t.Errorf("asked %d times, want 5", asked)
	}
}
