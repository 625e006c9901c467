package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// large is a report with many lines and findings, and text of the given kind
// wherever a string may be long.
func large(t testing.TB, lines, findings, warnings int, text string) *Report {
	r := load(t, "fail")
	for i := range lines {
		l := Line{File: fmt.Sprintf("src/C%d.sol", i%97), Line: i + 1, Status: statuses[i%len(statuses)], Reason: text, Text: text}
		r.Lines = append(r.Lines, l)
		r.Targets = append(r.Targets, Target{File: l.File, Line: l.Line, Status: l.Status, Calls: 7, Sequence: []Step{{Call: text}}, Reproducer: text})
	}
	for i := range findings {
		f := r.Findings[0]
		f.ID, f.Message = fmt.Sprintf("SL-%04x", i), text
		f.Sequence, f.Trace = nil, nil
		for range 64 {
			f.Sequence = append(f.Sequence, Step{Sender: "attacker", Call: text, Note: text})
			f.Trace = append(f.Trace, Message{Step: len(f.Sequence), From: "attacker", To: text, Call: text, Fails: text})
		}
		r.Findings = append(r.Findings, f)
	}
	for range findings / 2 {
		c := Clash{ID: text, Severity: "high", Message: text, Contracts: []string{text, text}}
		for range 64 {
			c.Shown = append(c.Shown, ClashShown{text, text, text})
			c.Places = append(c.Places, StoragePlace{Space: text, Slot: text, Before: text, After: text, Change: text})
		}
		r.Clashes = append(r.Clashes, c)
		r.Upgrades = append(r.Upgrades, Upgrade{Contract: text, Because: text, Result: text, Notes: []string{text}})
	}
	for range warnings {
		r.Warnings = append(r.Warnings, text)
		r.Faults = append(r.Faults, Fault{Message: text, Input: text})
		r.World.Instances = append(r.World.Instances, Instance{Name: text, Contract: text, Address: text, Arguments: text})
		r.World.Setups = append(r.World.Setups, TestSetup{Contract: text, Function: text, Address: text}, TestSetup{Contract: text, Failure: text})
		r.World.Senders = append(r.World.Senders, Sender{text, text, text})
		r.World.Undeployed = append(r.World.Undeployed, Undeployed{Contract: text, Reason: text})
		r.Builds = append(r.Builds, Build{Origin: text, Compiler: text + fmt.Sprint(len(r.Builds))})
	}
	Decide(r)
	return r
}

// TestOneScreen: whoever opens a pull request sees a verdict, what broke and what was not reached without scrolling far.
func TestOneScreen(t *testing.T) {
	for _, name := range fixtures(t) {
		if n := VisibleLines(string(Comment(load(t, name), testOptions()))); n > Screen {
			t.Errorf("%s: %d lines", name, n)
		}
	}
	for name, r := range map[string]*Report{"nothing": {Verdict: Skipped}, "200 lines": large(t, 200, 0, 0, "needs x == 3"), "30 findings": large(t, 10, 30, 3, "x")} {
		if n := VisibleLines(string(Comment(r, testOptions()))); n > Screen {
			t.Errorf("%s: %d lines", name, n)
		}
	}
}

// TestHugeComment: what the comment of a pull request of a thousand lines with sixty findings looks like.
func TestHugeComment(t *testing.T) {
	r := large(t, 1_000, 60, 12, "needs msg.sender == guardian; guardian is address(0)")
	r.Clashes, r.Upgrades = nil, nil
	Decide(r)
	golden.Check(t, "testdata/golden/huge.md", string(Comment(r, testOptions())))
}

func TestVisibleLines(t *testing.T) {
	for text, want := range map[string]int{
		"":                       0,
		"a\n\nb\n":               2,
		strings.Repeat("x", 106): 2,
		"[x](https://" + strings.Repeat("a", 200) + ")":                                              1,
		"```text\na\nb\n```\n":                                                                       2,
		"<details><summary>a</summary>\n\nb\n\n</details>\n\nc\n":                                    2,
		"<details><summary>a</summary>\n\n```text\nb\n```\n\n</details>\n":                           1,
		"<details><summary>a</summary>\n<details><summary>b</summary>\nc\n</details>\n</details>\nd": 2,
		"| a | b |\n|---|---|\n| c | d |\n":                                                          2,
	} {
		if got := VisibleLines(text); got != want {
			t.Errorf("%q: %d lines, want %d", text, got, want)
		}
	}
}

func TestBudgets(t *testing.T) {
	long := strings.Repeat("a long reason ", 100)
	for name, r := range map[string]*Report{
		"20,000 lines":     large(t, 20_000, 0, 0, "needs x == 3"),
		"500 findings":     large(t, 10, 500, 0, "vault.deposit{value: 1 ether}()"),
		"long everything":  large(t, 1_000, 12, 100, long),
		"dear characters":  large(t, 1_000, 12, 100, strings.Repeat("$", 5_000)),
		"escaped ones":     large(t, 1_000, 12, 100, strings.Repeat("\U000e0041", 5_000)),
		"pipes":            large(t, 1_000, 12, 100, strings.Repeat("|", 5_000)),
		"wide characters":  large(t, 1_000, 12, 100, strings.Repeat("𝔸", 5_000)),
		"runs of backtick": large(t, 300, 12, 100, strings.Repeat("`", 5_000)),
	} {
		t.Run(name, func(t *testing.T) {
			comment, summary := Comment(r, testOptions()), Summary(r, testOptions())
			if err := checkPage(string(comment), true); err != nil {
				t.Errorf("comment: %v", err)
			}
			if err := checkPage(string(summary), false); err != nil {
				t.Errorf("summary: %v", err)
			}
			if len(comment) > MaxComment || len(summary) > MaxSummary || utf8.RuneCount(comment) > 65_536 {
				t.Errorf("comment %d bytes, summary %d bytes", len(comment), len(summary))
			}
			if issue := NewIssue(r, testOptions()); len(issue.Body) > MaxComment || utf8.RuneCount(issue.Body) > 65_536 || checkPage(string(issue.Body), true) != nil {
				t.Errorf("issue %d bytes: %v", len(issue.Body), checkPage(string(issue.Body), true))
			}
			if !strings.Contains(string(comment), "[summary](https://") {
				t.Error("the comment does not lead to the summary")
			}
			if !strings.Contains(string(comment), "### ❌") {
				t.Error("no verdict")
			}
			if n := VisibleLines(string(comment)); n > Screen {
				t.Errorf("%d lines of the comment are seen at once", n)
			}
		})
	}
}

// TestOrderOfDropping renders one page at ever smaller sizes and notes what is
// left.
func TestOrderOfDropping(t *testing.T) {
	r := load(t, "fail")
	parts := []string{"```mermaid", "sightline replay", "| Not reached |", "<details>", "```text", "**`SL-7f3a`"}
	left := len(parts)
	for size := 5_000; size > 300; size -= 50 {
		page := string(renderWithin(r, testOptions(), bounds{bytes: size, rows: 40, findings: 20}, func(p *page) {
			p.line("%s", Marker(p.o))
			p.verdict()
			p.allFindings()
			p.notReached()
			p.reachedLines()
			p.footer()
		}))
		if err := checkPage(page, true); err != nil {
			t.Fatal(err)
		}
		here := parts
		for len(here) > 0 && !strings.Contains(page, here[0]) {
			here = here[1:]
		}
		for _, part := range here {
			if !strings.Contains(page, part) {
				t.Errorf("%d bytes: %q is dropped before %q:\n%s", size, part, here[0], page)
			}
		}
		left = min(left, len(here))
	}
	if left != 0 {
		t.Errorf("%d parts are never dropped", left)
	}
}
