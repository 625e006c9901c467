package report

import (
	"slices"
	"strings"
	"testing"
)

// inherited is a finding in a line of Base.sol, in a contract that inherits it.
func inherited(id, contract string, calls ...string) Finding {
	f := Finding{ID: id, Severity: "high", Oracle: "assertion", Comparison: Introduced, Message: "assert fails", Function: "put",
		Called:   "src/" + contract + ".sol:" + contract + ".put(uint256)",
		Location: Place{File: "src/Base.sol", Line: 9, Contract: "src/" + contract + ".sol:" + contract}}
	for _, call := range calls {
		f.Sequence = append(f.Sequence, Step{Call: call})
	}
	return f
}

// property is a finding that a property of a test fails after a call.
func property(id, function, text, call string) Finding {
	return Finding{ID: id, Severity: "high", Oracle: "assertion", Comparison: Introduced, Message: "property " + function + " fails", Function: function,
		Location: Place{File: "test/T.sol", Line: 9, Contract: "test/T.sol:T", Text: text},
		Sequence: []Step{{Call: call}, {Call: "t." + function + "()"}}}
}

// TestAlike holds which findings are one to people, and that this one names the others.
func TestAlike(t *testing.T) {
	const whole, wrapper = "function property_sum() public view returns (bool) {", `assertTrue(property_sum(), "sum");`
	edited := func(edit func(f *Finding)) Finding {
		f := inherited("SL-2", "Vault")
		edit(&f)
		return f
	}
	for _, test := range []struct {
		name     string
		findings []Finding
		want     []string // what each that is shown says of others
	}{
		{"inherited", []Finding{inherited("SL-1", "Pool"), inherited("SL-2", "Vault"), inherited("SL-3", "Bank")},
			[]string{"the same code fails in Vault.put (SL-2), Bank.put (SL-3)"}},
		{"old in one", []Finding{inherited("SL-1", "Pool"), edited(func(f *Finding) { f.Comparison = PreExisting })}, []string{"", ""}},
		{"accepted in one", []Finding{inherited("SL-1", "Pool"), edited(func(f *Finding) { f.Waived = &Waiver{} })}, []string{"", ""}},
		{"not in the release build of one", []Finding{inherited("SL-1", "Pool"), edited(func(f *Finding) { f.Release = ReleaseAbsent })}, []string{"", ""}},
		{"worse in one", []Finding{inherited("SL-1", "Pool"), edited(func(f *Finding) { f.Severity = "critical" })}, []string{"", ""}},
		{"under a condition in one", []Finding{inherited("SL-1", "Pool"), edited(func(f *Finding) { f.Condition = "if the sender is the owner" })}, []string{"", ""}},
		{"another line", []Finding{inherited("SL-1", "Pool"), edited(func(f *Finding) { f.Location.Line = 10 })}, []string{"", ""}},
		{"another function's call", []Finding{inherited("SL-1", "Pool"), edited(func(f *Finding) { f.Called = "src/Vault.sol:Vault.putAll()" })}, []string{"", ""}},
		{"after another change", []Finding{inherited("SL-1", "Pool"), edited(func(f *Finding) { f.Changed = &Place{File: "src/Vault.sol", Line: 4} })}, []string{"", ""}},
		{"twice in one contract", []Finding{inherited("SL-1", "Pool"), inherited("SL-2", "Pool")}, []string{"", ""}},
		{"code without source", []Finding{{ID: "SL-1", Location: Place{Contract: "A"}}, {ID: "SL-2", Location: Place{Contract: "B"}}}, []string{"", ""}},
		{"a property and its invariant", []Finding{property("SL-1", "invariant_sum", wrapper, "pot.put(77)"), property("SL-2", "property_sum", whole, "pot.put(77)")},
			[]string{"the same calls break T.property_sum (SL-2)"}},
		{"the other way round", []Finding{property("SL-1", "property_sum", whole, "pot.put(77)"), property("SL-2", "invariant_sum", wrapper, "pot.put(77)")},
			[]string{"the same calls break T.invariant_sum (SL-2)"}},
		{"by other calls", []Finding{property("SL-1", "invariant_sum", wrapper, "pot.put(77)"), property("SL-2", "property_sum", whole, "pot.put(78)")}, []string{"", ""}},
		{"of its own", []Finding{property("SL-1", "invariant_sum", `assertTrue(other_property_sum());`, "pot.put(77)"), property("SL-2", "property_sum", whole, "pot.put(77)")}, []string{"", ""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			groups := allAlike(test.findings)
			for i := range groups {
				got = append(got, groups[i].also(func(s string, _ int) string { return s }))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestAlikeIsNamed looks for the others in what people read, where one finding stands for three.
func TestAlikeIsNamed(t *testing.T) {
	r := &Report{Verdict: Fail, FailOn: "high", Findings: []Finding{inherited("SL-1", "Pool", "pool.put(50)"), inherited("SL-2", "Vault", "vault.put(50)"), inherited("SL-3", "Bank", "bank.put(50)")}}
	var terminal strings.Builder
	if err := Terminal(&terminal, r, Options{}, false); err != nil {
		t.Fatal(err)
	}
	annotations := Annotations(r)
	if len(annotations) != 1 {
		t.Fatalf("%d annotations", len(annotations))
	}
	for name, text := range map[string]string{"terminal": terminal.String(), "comment": string(Comment(r, Options{})), "summary": string(Summary(r, Options{})), "annotation": annotations[0].Message} {
		plain := strings.ReplaceAll(text, "`", "")
		if !strings.Contains(strings.ToLower(plain), "the same code fails in vault.put (sl-2), bank.put (sl-3)") {
			t.Errorf("the %s does not name the others:\n%s", name, text)
		}
		if strings.Contains(plain, "vault.put(50)") || strings.Contains(plain, "3 introduced bugs") {
			t.Errorf("the %s shows each:\n%s", name, text)
		}
	}
}

// TestAlikeBehaviors has one difference for what instances and children of a contract do alike.
func TestAlikeBehaviors(t *testing.T) {
	behavior := func(contract, now string) Behavior {
		return Behavior{Contract: "src/Base.sol:" + contract, Function: "put(uint256)", Kind: "stores", Now: "leaves " + contract + ".total = " + now, Before: "leaves " + contract + ".total = 1", Through: []string{contract + "._put"}}
	}
	e := &Effect{Behaviors: []Behavior{behavior("Jar", "0"), behavior("Pot", "0"), behavior("Jar", "0"), behavior("Cup", "2"), behavior("Pot", "0")}}
	first, rest := e.ofFunctions()
	var got []string
	for _, b := range slices.Concat(first, rest) {
		same := func(s string, _ int) string { return s }
		got = append(got, b.describe(same, same))
	}
	want := []string{"Jar.put(uint256) leaves Jar.total = 0; on the base it leaves Jar.total = 1 (through Jar._put) (the same in Pot)", "Cup.put(uint256) leaves Cup.total = 2; on the base it leaves Cup.total = 1 (through Cup._put)"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
