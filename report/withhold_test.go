package report

import (
	"bytes"
	"testing"
)

// TestWithhold: no form of a report tells anything of a finding that the change did not
// introduce, except that there is one.
func TestWithhold(t *testing.T) {
	finding := func(id, comparison string) Finding {
		return Finding{ID: id, Oracle: "assertion", Severity: "high", Comparison: comparison, ComparisonReason: "secret " + id, Title: "secret", Message: "secret " + id,
			Location: Place{File: "src/A.sol", Line: 7, Contract: "src/A.sol:A"}, Function: "secret",
			Sequence: []Step{{Sender: "attacker", Call: "a.secret()"}}, Reproducer: "reproducers/" + id + ".json"}
	}
	r := &Report{FailOn: "high", Stats: Stats{Executions: 1}, Diff: Diff{Files: 1},
		Lines:   []Line{{File: "src/A.sol", Line: 3, Kind: "added", Status: OnlyReverts, Reason: "secret panic"}},
		Targets: []Target{{File: "src/A.sol", Line: 3, Contract: "src/A.sol:A", Status: OnlyReverts, Reason: "secret panic", Sequence: []Step{{Call: "a.secret()"}}, Reproducer: "reproducers/A-3.json"}}}
	shown := finding("SL-1", Introduced)
	shown.Message, shown.ComparisonReason, shown.Title, shown.Function, shown.Sequence = "shown", "", "shown", "shown", nil
	r.Findings = []Finding{finding("SL-2", PreExisting), shown, finding("SL-3", Unknown)}
	Decide(r)
	faults := []Fault{{Message: "the machines disagree", Input: "secret", File: "faults/secret.json"}}
	r.Faults = faults
	r.Withhold(false)
	if faults[0].File == "" {
		t.Error("the caller's faults were changed")
	}
	if c := CountsOf(r); c.Findings != 3 || c.New != 2 {
		t.Errorf("counted: %+v", c)
	}
	o := testOptions()
	for _, form := range rendered(t, r, o) {
		if bytes.Contains(form, []byte("secret")) || bytes.Contains(form, []byte("SL-2")) {
			t.Errorf("it says something of a withheld finding:\n%s", form)
		}
		if !bytes.Contains(form, []byte("2 findings are not shown")) {
			t.Errorf("it does not tell that something is withheld:\n%s", form)
		}
	}
}

// rendered is a report in every form.
func rendered(t *testing.T, r *Report, o Options) map[string][]byte {
	t.Helper()
	forms := map[string][]byte{"comment": Comment(r, o), "summary": Summary(r, o)}
	var terminal, document bytes.Buffer
	if err := Terminal(&terminal, r, o, false); err != nil {
		t.Fatal(err)
	}
	forms["terminal"] = terminal.Bytes()
	if err := WriteJSON(&document, r, false); err != nil {
		t.Fatal(err)
	}
	forms["report.json"] = document.Bytes()
	sarif, err := SARIF(r, o)
	if err != nil {
		t.Fatal(err)
	}
	forms["sightline.sarif"] = sarif
	page, err := HTML(r, o)
	if err != nil {
		t.Fatal(err)
	}
	forms["report.html"] = page
	return forms
}

// TestWithholdCalls: a public report tells no calls that do something on the base.
func TestWithholdCalls(t *testing.T) {
	calls := []Step{{Sender: "outsider", Call: "vault.drain()"}}
	r := &Report{Effect: &Effect{Behaviors: []Behavior{{Kind: "succeeds", Sequence: calls}, {Kind: "reverts", Sequence: calls}, {Kind: "stores", Sequence: calls}}}}
	r.Effect.Dropped = []Dropped{{Oracle: "third-party-loss", Reason: "the same can be taken on the base", Count: 1}}
	before := r.Effect
	r.Withhold(false)
	if len(r.Effect.Dropped) > 0 || len(before.Dropped) != 1 {
		t.Errorf("dropped: %v, and the caller has %v", r.Effect.Dropped, before.Dropped)
	}
	for i, want := range []int{1, 0, 0} {
		if got := len(r.Effect.Behaviors[i].Sequence); got != want {
			t.Errorf("%s: %d calls, want %d", r.Effect.Behaviors[i].Kind, got, want)
		}
		if len(before.Behaviors[i].Sequence) != 1 {
			t.Errorf("%s: the caller's report changed", before.Behaviors[i].Kind)
		}
	}
}

// TestWithholdWhole: of a whole project, no change introduced anything, whatever the comparison with nothing says.
func TestWithholdWhole(t *testing.T) {
	r := load(t, "fail")
	n := len(r.Findings)
	r.Withhold(true)
	if len(r.Findings) != 0 || r.Withheld.Findings != n || n == 0 {
		t.Errorf("%d of %d findings are shown", len(r.Findings), n)
	}
}
