package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiagram(t *testing.T) {
	got := newDiagram([]Message{
		{Step: 1, From: "alice", To: "vault", Call: "deposit{value: 1 ether}()"},
		{Step: 2, From: "attacker", To: "vault", Call: "withdraw()", Fails: "too late"},
		{Step: 2, Depth: 1, From: "vault", To: "attacker", Call: "call()"},
		{Step: 2, Depth: 2, From: "attacker", To: "vault", Call: "withdraw()", Fails: "revert"},
		{Step: 2, Depth: 1, From: "vault", To: "end", Call: "send()"},
	}).String()
	want := `sequenceDiagram
  participant p0 as alice
  participant p1 as vault
  participant p2 as attacker
  participant p3 as en#100;
  p0->>p1: 1 deposit#123;value#58; 1 ether#125;()
  p2->>p1: 2 withdraw()
  p1->>p2: call()
  p2->>p1: withdraw()
  p1--xp2: revert
  p1->>p3: send()
  p1--xp2: too late
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDiagramText(t *testing.T) {
	for text, want := range map[string]string{
		"a.b(1, 2)":    "a.b(1, 2)",
		"end":          "en#100;",
		"an END, end":  "an EN#68;, en#100;",
		"ended bend":   "ended bend",
		"end_":         "en#100;#95;",
		"a;b#c":        "a#59;b#35;c",
		"%%{init}%%":   "#37;#37;#123;init#125;#37;#37;",
		"é":            "#233;",
		"":             "#160;",
		"a\nend":       "a#92;nend",
		"<br/>":        "#60;br#47;#62;",
		"abcdefghijkl": "abcdefghijk#8230;",
	} {
		if got := diagramText(text, 11); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// Of many calls the sequence's own stay, and what the last one leads to.
func TestDiagramOfManyCalls(t *testing.T) {
	var trace []Message
	for step := 1; step <= 20; step++ {
		trace = append(trace, Message{Step: step, From: "user", To: "vault", Call: fmt.Sprintf("own%d()", step)})
		for i := range 20 {
			trace = append(trace, Message{Step: step, Depth: 1, From: "vault", To: "token", Call: fmt.Sprintf("inner%dof%d()", i, step)})
		}
	}
	text := newDiagram(trace).String()
	for _, want := range []string{"6 own6()", "20 own20()", "inner0of20()", "inner14of20()", "some calls are left out"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown:\n%s", want, text)
		}
	}
	for _, no := range []string{"of19()", "own5()", "inner15"} {
		if strings.Contains(text, no) {
			t.Errorf("%q is shown:\n%s", no, text)
		}
	}
	if strings.Index(text, "inner0of20") < strings.Index(text, "own20") {
		t.Error("what the last call leads to stands before it")
	}
}

// What is plain without a diagram, or too wide for one, has none.
func TestNoDiagram(t *testing.T) {
	one := []Message{{Step: 1, From: "user", To: "vault", Call: "f()"}}
	var wide []Message
	for i := range maxParticipants {
		wide = append(wide, Message{Step: i + 1, From: "user", To: fmt.Sprintf("c%d", i), Call: "f()"})
	}
	for name, c := range map[string]struct {
		trace []Message
		drawn bool
	}{"one call": {one, false}, "two": {append(one, one...), true}, "as wide as a page": {wide[1:], true}, "wider": {wide, false}} {
		r := load(t, "fail")
		r.Findings[0].Trace = c.trace
		if drawn := strings.Contains(string(Comment(r, testOptions())), "```mermaid"); drawn != c.drawn {
			t.Errorf("%s: drawn %v", name, drawn)
		}
	}
}
