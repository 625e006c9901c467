package layering

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// habit is a phrase that comes from translating word by word.
type habit struct {
	phrase *regexp.Regexp // a match whose group matches, too, is good English
	better string
}

// habits are those that were frequent, and that an expression can tell from good English.
var habits = []habit{
	newHabit(`(\bthere )?\b(?:is|are) no\b( (?:longer|more|less|fewer|better|worse|larger|smaller|further)\b)?`, `"is not a …", "has no …"`),
	newHabit(`\btells? whether\b`, `"reports whether", "says whether"`),
	newHabit(`\b(?:no|some|any)body\b`, "name the actor, or use the passive"),
	newHabit(`\bbeside\b`, `"next to", "in addition to", "besides"`),
	newHabit(`\bsome [0-9]`, `"about 40"`),
	newHabit(`\bexcludes? each other\b`, `"are mutually exclusive"`),
	newHabit(`\bdesign,? §`, "state the rule: the design is not in the repository"),
}

// newHabit makes one of an expression, whose spaces match line breaks as well.
func newHabit(phrase, better string) habit {
	return habit{regexp.MustCompile(`(?i)` + strings.ReplaceAll(phrase, " ", `\s+`)), better}
}

// badEnglish describes the habits in a text, the first line of which has a number.
func badEnglish(text string, line int) []string {
	var faults []string
	for _, h := range habits {
		for _, at := range h.phrase.FindAllStringSubmatchIndex(text, -1) {
			if slices.ContainsFunc(at[2:], func(i int) bool { return i >= 0 }) {
				continue
			}
			found := strings.Join(strings.Fields(text[at[0]:at[1]]), " ")
			faults = append(faults, fmt.Sprintf("%d: %q: %s", line+strings.Count(text[:at[0]], "\n"), found, h.better))
		}
	}
	return faults
}

func TestBadEnglish(t *testing.T) {
	for text, want := range map[string]int{
		"a token is no\ncontract":                                1,
		"there is no contract, and there are no tokens":          0,
		"it is no longer a contract, and is no more than a byte": 0,
		"Nobody knows whom anybody tells whether":                3,
		"it lies beside the file; besides, it is large":          1,
		"some 40 bytes, some bytes":                              1,
		"--a and --b exclude each other (design §7)":             2,
	} {
		if got := badEnglish(text, 1); len(got) != want {
			t.Errorf("%q: %q, want %d faults", text, got, want)
		}
	}
	if got := badEnglish("one\ntwo is\nno three", 7); len(got) != 1 || !strings.HasPrefix(got[0], "8: ") {
		t.Errorf("%q, want one in line 8", got)
	}
}

// TestEnglishOfGo checks comments and string literals, except those of tests.
func TestEnglishOfGo(t *testing.T) {
	for _, f := range files(t) {
		if f.isTest() {
			continue
		}
		for _, group := range f.tree.Comments {
			var lines []string
			for _, c := range group.List {
				lines = append(lines, strings.TrimLeft(c.Text, "/"))
			}
			report(t, f.path, badEnglish(strings.Join(lines, "\n"), f.line(group)))
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatalf("%s:%d: %v", f.path, f.line(literal), err)
				}
				if literal.Value[0] == '"' {
					text = strings.ReplaceAll(text, "\n", " ") // the literal is on one line
				}
				report(t, f.path, badEnglish(text, f.line(literal)))
			}
			return true
		})
	}
}

// TestEnglishOfDocumentation checks what else is written for people.
func TestEnglishOfDocumentation(t *testing.T) {
	names, err := fs.Glob(os.DirFS(root), "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "action.yml", "native/action.yml") {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		report(t, name, badEnglish(string(text), 1))
	}
}

func report(t *testing.T, name string, faults []string) {
	t.Helper()
	for _, fault := range faults {
		t.Errorf("%s:%s", name, fault)
	}
}
