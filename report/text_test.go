package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sightline-evm/sightline/internal/human"
)

func TestProse(t *testing.T) {
	for in, want := range map[string]string{
		"needs `x == 3` here":   "needs `x == 3` here",
		"`a|b` differs":         "<code>a&#124;b</code> differs",
		"one ` backtick":        "one &#96; backtick",
		"two `` backticks":      "two &#96;&#96; backticks",
		"-1 < x":                "&#45;1 &#60; x",
		"1. a list":             "1&#46; a list",
		"12":                    "&#49;2",
		"block.timestamp: late": "block.timestamp: late",
		"a:b":                   "a:&#8203;b",
		"high-level":            "high-level",
		"see GH-12":             "see GH&#8203;-12",
		"my_var * 2":            "my&#95;var &#42; 2",
	} {
		if got := prose(in, 100); got != want {
			t.Errorf("prose(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLink(t *testing.T) {
	const base = "https://github.com/o/r/blob/s/"
	for file, want := range map[string]string{
		"src/A.sol":        "[`src/A.sol:7`](https://github.com/o/r/blob/s/src/A.sol#L7)",
		"src/a b(c).sol":   "[`src/a b(c).sol:7`](https://github.com/o/r/blob/s/src/a%20b%28c%29.sol#L7)",
		"src/a#b?c%2f.sol": "[`src/a#b?c%2f.sol:7`](https://github.com/o/r/blob/s/src/a%23b%3Fc%252f.sol#L7)",
		"../A.sol":         "`../A.sol:7`",
		"/A.sol":           "`/A.sol:7`",
	} {
		if got := link(position(file, 7), file, 7, base); got != want {
			t.Errorf("link of %q = %s, want %s", file, got, want)
		}
	}
	if got := link("A.sol:7", "A.sol", 7, ""); got != "`A.sol:7`" {
		t.Errorf("without an address: %s", got)
	}
}

func TestFence(t *testing.T) {
	if got, want := fence([]string{"a ```` b", "<!-- x"}), "`````text\na ```` b\n<! -- x\n`````\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSequenceLines(t *testing.T) {
	sequence := []Step{{Sender: "alice", Call: "a.b()"}, {Sender: "attacker", Call: "a.withdraw(1)", Note: "reverts"}, {Sender: "bob", Call: "c.d()", Note: strings.Repeat("long ", 20)}}
	want := []string{
		"1 alice     a.b()",
		"2 attacker  a.withdraw(1)  reverts",
		"3 bob       c.d()",
		"            └ " + strings.TrimSpace(strings.Repeat("long ", 20)),
	}
	if diff := cmp.Diff(want, sequenceLines(sequence)); diff != "" {
		t.Error(diff)
	}
	many := sequenceLines(make([]Step, maxSteps+3))
	if len(many) != maxSteps+1 || many[maxSteps] != "… 3 more calls" {
		t.Errorf("%d lines, the last is %q", len(many), many[len(many)-1])
	}
}

func TestHumanNumbers(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 9_999: "9999", 12_345: "12.3k", 18_204_117: "18.2M", 5_000_000_000: "5.0G"} {
		if got := human.Count(n); got != want {
			t.Errorf("human.Count(%d) = %s, want %s", n, got, want)
		}
	}
	for s, want := range map[float64]string{0.44: "0.4 s", 92.4: "92 s", 840: "14 min"} {
		if got := humanSeconds(s); got != want {
			t.Errorf("humanSeconds(%v) = %s, want %s", s, got, want)
		}
	}
}

func TestReplayCommand(t *testing.T) {
	for reproducer, want := range map[string]string{
		"":                      "",
		"reproducers/SL-1.json": "sightline replay out/reproducers/SL-1.json",
		"a b; rm -rf ~":         "sightline replay 'out/a b; rm -rf ~'",
		"it's":                  `sightline replay 'out/it'\''s'`,
		"../../-x":              "sightline replay ../-x",
	} {
		if got := replayCommand("out", reproducer); got != want {
			t.Errorf("%q: %s, want %s", reproducer, got, want)
		}
	}
	if got := replayCommand("", "-x"); got != "sightline replay ./-x" {
		t.Errorf("a path like a flag: %s", got)
	}
}

func TestLineRanges(t *testing.T) {
	if got := lineRanges([]int{3, 4, 5, 9, 11, 12}); got != "3–5, 9, 11–12" {
		t.Error(got)
	}
}

// A title names one place, that where the finding breaks, in the comment, the terminal, the
// annotations and the alerts alike, and findings of one assertion in two contracts differ, where they are shown apart.
func TestTitleNamesOnePlace(t *testing.T) {
	finding := func(id, contract string) Finding {
		return Finding{ID: id, Severity: "high", Oracle: "assertion", Comparison: Introduced, Message: "assert fails", Function: "check",
			Location: Place{File: "src/Base.sol", Line: 9, Contract: "src/" + contract + ".sol:" + contract},
			Changed:  &Place{File: "src/Fees.sol", Line: 3, Contract: "src/" + contract + ".sol:" + contract}}
	}
	r := &Report{Verdict: Fail, FailOn: "high", Findings: []Finding{finding("SL-1", "Pool"), finding("SL-2", "Vault")}}
	r.Findings[1].Comparison = NoBase
	annotations := Annotations(r)
	var written strings.Builder
	if err := Terminal(&written, r, Options{}, false); err != nil {
		t.Fatal(err)
	}
	terminal := written.String()
	summary := string(Summary(r, Options{}))
	for i, want := range []string{"Pool.check", "Vault.check"} {
		title := fmt.Sprintf("SL-%d high assertion in %s", i+1, want)
		if annotations[i].Title != title {
			t.Errorf("annotation %q, want %q", annotations[i].Title, title)
		}
		if !strings.Contains(terminal, title+"\n") {
			t.Errorf("the terminal has no line %q:\n%s", title, terminal)
		}
		if line := fmt.Sprintf("**`SL-%d` · high · assertion** in `%s`\\\n", i+1, want); !strings.Contains(summary, line) {
			t.Errorf("the summary has no line %q:\n%s", line, summary)
		}
		if annotations[i].File != "src/Fees.sol" || !strings.Contains(annotations[i].Message, "It breaks at src/Base.sol:9.") {
			t.Errorf("%+v", annotations[i])
		}
	}
}
