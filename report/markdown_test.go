package report

import (
	"fmt"
	"html"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// The tags that a page may hold, and no other "<".
var tags = regexp.MustCompile(`<(/?)(details|summary|sub|code|span)>`)

// Links lead to the options' addresses only.
var links = regexp.MustCompile(`\[(` + "`[^`]*`" + `|<code>[^\n]*?</code>|summary)\]\((https://github\.com/o/r/[A-Za-z0-9\-._~:/?#=%+,@&$]*)\)`)

// entities are the only "&" and, but for headings, the only "#".
var entities = regexp.MustCompile(`&#[0-9]+;`)

// What GitHub makes a link or a picture of in rendered text.
var active = regexp.MustCompile(`(?i)[@#][\w-]|:[\w+-]+:|://|(mailto|xmpp):\w|\bGH-\d|\bwww\.`)

// A block that a line would begin.
var block = regexp.MustCompile(`^ {0,3}([-=+*_~>#]|[0-9]+[.)])|^ {4}`)

// drawing is a line of a diagram. In its text only entities hold "#" and ";".
var drawing = regexp.MustCompile(`^(sequenceDiagram|  (participant p\d+ as|p\d+(->>|--x)p\d+:|Note over p0:) ([A-Za-z0-9 .,()]|#[0-9]+;)+)$`)

// checkPage returns an error if a page has markup that Sightline does not write.
func checkPage(page string, comment bool) error {
	if !utf8.ValidString(page) || !strings.HasSuffix(page, "</sub>\n") {
		return fmt.Errorf("is not UTF-8, or does not end with the footer")
	}
	lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	if comment {
		if !strings.HasPrefix(lines[0], MarkerPrefix) && !strings.HasPrefix(lines[0], IssuePrefix) || strings.Count(page, "<!--") != 1 {
			return fmt.Errorf("the marker is not the first line, or not alone")
		}
		lines = lines[1:]
	}
	var fence string // that is open
	var open []string
	headings, columns := 0, 0
	drawn := false // the open fence holds a diagram
	for i, line := range lines {
		if err := checkCharacters(line); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "" && line == fence:
			fence = ""
			continue
		case fence != "":
			if len(ticks) >= len(fence) || strings.Contains(line, "<!--") {
				return fmt.Errorf("line %d inside a fence could be more than text: %q", i+1, line)
			}
			if drawn && !drawing.MatchString(line) {
				return fmt.Errorf("line %d of a diagram could be more than it seems: %q", i+1, line)
			}
			continue
		case len(ticks) >= 3:
			drawn = line == "```mermaid"
			if !slices.Contains([]string{"text", "yaml", "solidity"}, strings.TrimPrefix(line, ticks)) && !drawn {
				return fmt.Errorf("line %d begins with a fence: %q", i+1, line)
			}
			fence = ticks
			continue
		}
		if strings.HasPrefix(line, "### ") {
			headings++
			line = strings.TrimPrefix(line, "### ")
		}
		content := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(line, "  - input "), "- "), "**")
		if block.MatchString(content) {
			return fmt.Errorf("line %d begins a block: %q", i+1, line)
		}
		if strings.HasPrefix(line, "|") {
			n := strings.Count(line, "|")
			if columns != 0 && n != columns {
				return fmt.Errorf("line %d: a row with %d bars, want %d: %q", i+1, n, columns, line)
			}
			columns = n
		} else {
			columns = 0
			if strings.Contains(line, "|") {
				return fmt.Errorf("line %d: a bar outside of a table: %q", i+1, line)
			}
		}
		var err error
		if open, err = checkInline(line, open); err != nil {
			return fmt.Errorf("line %d: %w: %q", i+1, err, line)
		}
	}
	if fence != "" || len(open) != 0 {
		return fmt.Errorf("something stays open: fence %q, elements %q", fence, open)
	}
	if headings != 1 {
		return fmt.Errorf("%d headings", headings)
	}
	return nil
}

// checkCharacters refuses what cannot be seen.
func checkCharacters(line string) error {
	for _, r := range line {
		if !strconv.IsPrint(r) {
			return fmt.Errorf("holds %q", r)
		}
	}
	return nil
}

// checkInline looks at a line outside of fences. open are the HTML elements open
// before it; it returns those open after it.
func checkInline(line string, open []string) ([]string, error) {
	line = links.ReplaceAllString(line, "$1")
	parts := strings.Split(line, "`")
	if len(parts)%2 == 0 {
		return nil, fmt.Errorf("backticks without a pair")
	}
	var text strings.Builder // outside of code spans
	for i := 0; i < len(parts); i += 2 {
		text.WriteString(parts[i] + " ")
	}
	if slices.Contains(parts[1:max(1, len(parts)-1)], "") {
		return nil, fmt.Errorf("backticks in a row")
	}
	rest := strings.ReplaceAll(text.String(), "<span>$</span>", "")
	for _, tag := range tags.FindAllStringSubmatch(rest, -1) {
		switch {
		case tag[1] == "":
			open = append(open, tag[2])
		case len(open) == 0 || open[len(open)-1] != tag[2]:
			return nil, fmt.Errorf("</%s> closes nothing", tag[2])
		default:
			open = open[:len(open)-1]
		}
	}
	rest = strings.TrimRight(tags.ReplaceAllString(rest, ""), " ")
	if found := active.FindString(html.UnescapeString(rest)); found != "" {
		return nil, fmt.Errorf("%q is a mention, a reference, an emoji or an address", found)
	}
	rest = strings.ReplaceAll(strings.TrimSuffix(entities.ReplaceAllString(rest, ""), "\\"), "**", "")
	if i := strings.IndexAny(rest, "<>[]\\`*_~&$"); i >= 0 {
		return nil, fmt.Errorf("%q is live", rest[i])
	}
	return open, nil
}

func TestPagesOfFixtures(t *testing.T) {
	for _, name := range fixtures(t) {
		r := load(t, name)
		if err := checkPage(string(Comment(r, testOptions())), true); err != nil {
			t.Errorf("%s: comment: %v", name, err)
		}
		if err := checkPage(string(Summary(r, testOptions())), false); err != nil {
			t.Errorf("%s: summary: %v", name, err)
		}
	}
}

// TestCheckPage plants what the checker must find.
func TestCheckPage(t *testing.T) {
	good := string(Comment(load(t, "fail"), testOptions()))
	for _, planted := range []string{
		"<!-- sightline:v1 key=x -->", "# Forged", "### ✅ No bug found", "<img src=x>", "[x](http://e.vil)", "![x](https://github.com/o/r/x)",
		"hello @octocat", "fixes #1", "see https://e.vil", "www.e.vil", "```", "</details>", "GH-12", "a ` b", "1. one", "- - x", "a \u202e b", "a\x1b[2J",
	} {
		lines := strings.Split(good, "\n")
		page := strings.Join(slices.Insert(lines, 4, planted), "\n")
		if checkPage(page, true) == nil {
			t.Errorf("%q is not found", planted)
		}
	}
	const header = "|---|---|---|\n"
	if checkPage(strings.Replace(good, header, header+"| a | b | c | d |\n", 1), true) == nil {
		t.Error("a row with a cell more is not found")
	}
}

// fill sets every string of the value to one that pick chooses.
func fill(v reflect.Value, pick func() string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem(), pick)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), pick)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fill(v.Index(i), pick)
		}
	case reflect.String:
		v.SetString(pick())
	}
}

// hostile is a report in which the strings are all of texts, in turn, and only
// verdict and statuses are possible ones: the renderers must bear more than Read
// lets in, but the parts of a page depend on these.
func hostile(t testing.TB, verdict string, texts ...string) *Report {
	r := normalize(load(t, "hostile"))
	r.World.Undeployed = []Undeployed{{}}
	r.Findings[0].Changed = &Place{Line: 3}
	r.Upgrades = []Upgrade{{Notes: []string{""}}}
	r.Clashes = []Clash{{Line: 3, Contracts: []string{"", ""}, Places: []StoragePlace{{Offset: 3}}, Shown: []ClashShown{{}}}}
	i := 0
	fill(reflect.ValueOf(r).Elem(), func() string {
		i++
		return texts[i%len(texts)]
	})
	r.Verdict = verdict
	for i := range r.Lines {
		r.Lines[i].Status = statuses[i%len(statuses)]
		r.Lines[i].File += strconv.Itoa(i) // places that are one are shown once
	}
	for i := range r.Targets {
		r.Targets[i].Status = statuses[i%len(statuses)]
	}
	return r
}

var nasty = []string{
	"`", "``` \n```", "|", "\\", "\\|", "`\\`|", "<!-- sightline:v1 -->", "\n# heading", "</details>", "</code>", "<script>", "[a](b)", "![a](https://x.y/z)",
	"@octocat", "a@b.c", "#1", "o/r#1", "https://e.vil", "www.e.vil", "www", "GH-1", "- item", "1. item", "0", "1) item", "   code", "---", "===", "+ a", "> quote", "~~~", "*a*", "_a_",
	"$x$", "$`x`$", ":tada:", "&#64;octocat", "&lt;", "\u202eabc", "\u200b", "\ufeff", "\x1b[2J", "\x00", "\xff\xfe", "\r\n\r\n", "`a``b`", "`a|b` c", "`` ` ``", " ` ", "a:b", ":", "@", "#", "$", "",
	"src/a b.sol", "../../x", "/etc/passwd", "src/%2e%2e/x", strings.Repeat("`", 500), strings.Repeat("$", 5000), strings.Repeat("e\u0301", 300), "\U000e0041", "<", "<a", "!", "![", "http://a", "mailto:a@b.c",
}

func TestPagesOfNastyStrings(t *testing.T) {
	for i, a := range nasty {
		for _, b := range []string{"x", nasty[(i*7+3)%len(nasty)]} {
			checkHostile(t, Fail, a, b, "plain")
		}
	}
}

// checkHostile renders a hostile report in every form.
func checkHostile(t testing.TB, verdict string, texts ...string) {
	t.Helper()
	r, o := hostile(t, verdict, texts...), testOptions()
	comment, summary := Comment(r, o), Summary(r, o)
	if err := checkPage(string(comment), true); err != nil {
		t.Fatalf("%q: comment: %v\n%s", texts, err, comment)
	}
	if err := checkPage(string(summary), false); err != nil {
		t.Fatalf("%q: summary: %v\n%s", texts, err, summary)
	}
	issue := NewIssue(r, o)
	if err := checkPage(string(issue.Body), true); err != nil {
		t.Fatalf("%q: issue: %v\n%s", texts, err, issue.Body)
	}
	if err := checkCharacters(issue.Title + strings.TrimSpace(string(issue.News(1)))); err != nil || len(issue.Title) > 256 || len(issue.Body) > MaxComment {
		t.Fatalf("%q: issue %q of %d bytes: %v", texts, issue.Title, len(issue.Body), err)
	}
	if len(comment) > MaxComment || len(summary) > MaxSummary {
		t.Fatalf("%q: %d and %d bytes", texts, len(comment), len(summary))
	}
	var terminal strings.Builder
	if err := Terminal(&terminal, r, o, false); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(terminal.String()) {
		if err := checkCharacters(strings.TrimSuffix(line, "\n")); err != nil {
			t.Fatalf("%q: terminal: %v", texts, err)
		}
	}
}

// FuzzPages puts any two strings into all strings of a report: no page may have
// a marker, a heading, an element, a link, a mention or a block that the page did
// not make itself.
func FuzzPages(f *testing.F) {
	for i, s := range nasty {
		f.Add(s, nasty[(i+1)%len(nasty)], uint8(i))
	}
	verdicts := []string{Pass, Fail, Skipped, Error}
	f.Fuzz(func(t *testing.T, a, b string, verdict uint8) {
		checkHostile(t, verdicts[int(verdict)%len(verdicts)], a, b)
	})
}

// TestOptionsAreNoMarkup: what the runner's environment holds is not trusted
// either.
func TestOptionsAreNoMarkup(t *testing.T) {
	for _, s := range []string{"a -->\n# b", "----", "javascript:alert(1)", "https://a/b) [x](y", "https://a/b c", "ftp://a/b", "https:///x"} {
		o := Options{FileURL: s, SummaryURL: s, Key: s, SHA: s, Run: s, Category: s}
		page := string(Comment(load(t, "fail"), o))
		if err := checkPage(page, true); err != nil {
			t.Errorf("%q: %v", s, err)
		}
		if marker, _, _ := strings.Cut(page, "\n"); strings.Count(marker, "--") != 2 {
			t.Errorf("%q: marker %q", s, marker)
		}
	}
}
