package fuzzer

import (
	"context"
	"slices"
	"testing"
)

// substitutions runs a lead, and returns those that keySubstitution makes of it.
func substitutions(t *testing.T, w *worker, l lead) []lead {
	t.Helper()
	b := batch{task: task{calls: 100}}
	exec, ok := w.run(context.Background(), l.sequence, &b)
	if !ok {
		t.Fatal("not run")
	}
	return w.keySubstitution.leadsOf(&step{tools: &w.tools, lead: l, exec: exec})
}

// TestSubstituteKeys: what writes another element than the last call reads is led to that
// one, by its arguments or its sender, or else the last call to what was written.
func TestSubstituteKeys(t *testing.T) {
	w, p := solver(t, "units/holdings.sol")
	for name, test := range map[string]struct {
		sequence string
		want     []string
	}{
		"an argument":           {"user1 Holdings.give(address,uint256) args (user2, 5); user1 Holdings.check(address) args (user2)", []string{"user1 Holdings.give(address,uint256) args (Holdings, 5); user1 Holdings.check(address) args (user2)"}},
		"argument and sender":   {"user1 Holdings.allow(address,uint256) args (attacker, 5); user2 Holdings.check(address) args (Holdings)", nil},
		"a sender of the World": {"user1 Holdings.give(address,uint256) args (Holdings, 5); user1 Holdings.allow(address,uint256) args (attacker, 5); user1 Holdings.check(address) args (user2)", []string{"user1 Holdings.give(address,uint256) args (Holdings, 5); user2 Holdings.allow(address,uint256) args (Holdings, 5); user1 Holdings.check(address) args (user2)"}},
		"the last call's":       {"user1 Holdings.open(); user1 Holdings.close(uint256) args (7)", []string{"user1 Holdings.open(); user1 Holdings.close(uint256) args (1)"}},
		"it is there":           {"user1 Holdings.open(); user1 Holdings.close(uint256) args (1)", nil},
		"other mappings":        {"user1 Holdings.give(address,uint256) args (user2, 5); user1 Holdings.close(uint256) args (1)", nil},
	} {
		t.Run(name, func(t *testing.T) {
			clear(w.tried.hashes)
			seq := parse(t, p.space, test.sequence)
			var got []string
			for _, next := range substitutions(t, w, lead{sequence: seq, joined: true}) {
				got = append(got, format(p.space, next.sequence))
			}
			var want []string
			for _, text := range test.want {
				want = append(want, format(p.space, parse(t, p.space, text)))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// TestSubstituteKeysOfZero: where a call writes zero, its mutants become leads, too.
func TestSubstituteKeysOfZero(t *testing.T) {
	w, p := solver(t, "units/holdings.sol")
	seq := parse(t, p.space, "user1 Holdings.give(address,uint256) args (user2, 0); user1 Holdings.check(address) args (user2)")
	leads := substitutions(t, w, lead{sequence: seq, joined: true})
	if len(leads) != 1+zeroVariants {
		t.Fatalf("%d leads", len(leads))
	}
	for _, next := range leads[1:] {
		if next.sequence[0].Equal(&leads[0].sequence[0]) || !next.sequence[1].Equal(&seq[1]) {
			t.Errorf("%s", format(p.space, next.sequence))
		}
	}
}

// TestSubstituteKeysOfFailing: a call that fails with the keys that it got is made possible by the
// call that it was, before it.
func TestSubstituteKeysOfFailing(t *testing.T) {
	w, p := solver(t, "units/roles.sol")
	l := lead{sequence: parse(t, p.space, "deployer Roles.grant(uint256,address) args (5, user1); user2 Roles.keep()"), joined: true}
	for _, want := range []string{
		"deployer Roles.grant(uint256,address) args (2, user2); user2 Roles.keep()",
		"deployer Roles.grant(uint256,address) args (5, user1); deployer Roles.grant(uint256,address) args (2, user2); user2 Roles.keep()",
		"deployer Roles.grant(uint256,address) args (1, deployer); deployer Roles.grant(uint256,address) args (2, user2); user2 Roles.keep()",
	} {
		leads := substitutions(t, w, l)
		if len(leads) == 0 {
			t.Fatalf("no lead, want %s", want)
		}
		if l = leads[0]; format(p.space, l.sequence) != format(p.space, parse(t, p.space, want)) {
			t.Fatalf("%s, want %s", format(p.space, l.sequence), want)
		}
	}
}

// TestSubstituteKeysBack: where a call fails with the key that is read, the last call gets the one that was written.
func TestSubstituteKeysBack(t *testing.T) {
	w, p := solver(t, "units/offers.sol")
	const offer, buy = "user1 Offers.offer(uint256,uint256) args (1, 5); ", "user2 Offers.buy(uint256) args "
	const led = "user1 Offers.offer(uint256,uint256) args (7, 5); "
	l := lead{sequence: parse(t, p.space, offer+buy+"(7)"), joined: true}
	for _, want := range [][]string{{led + buy + "(7)"}, {offer + led + buy + "(7)", offer + buy + "(1)"}} {
		leads := substitutions(t, w, l)
		var got []string
		for _, next := range leads {
			got = append(got, format(p.space, next.sequence))
		}
		for i := range want {
			want[i] = format(p.space, parse(t, p.space, want[i]))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
		l = leads[0]
	}
}

// TestDeferWriters: where a branch demands another state, in an audit, a call comes behind the one that read what it wrote; not where
// nothing was written there, and not elsewhere.
func TestDeferWriters(t *testing.T) {
	w, p := solver(t, "units/slates.sol")
	const etched = "user1 Slates.etch(uint256,address) args (3, user2)"
	for _, test := range []struct {
		text, want string
		links      bool
	}{
		{etched + "; user2 Slates.approve(uint256) args (3); user1 Slates.check(uint256) args (3)",
			"user2 Slates.approve(uint256) args (3); " + etched + "; user1 Slates.check(uint256) args (3)", true},
		{etched + "; user2 Slates.approve(uint256) args (3); user1 Slates.check(uint256) args (3)", "", false},
		{etched + "; user2 Slates.approve(uint256) args (4); user1 Slates.check(uint256) args (3)", "", true},
	} {
		w.audit = test.links
		l := lead{sequence: parse(t, p.space, test.text), joined: true, onDemand: true}
		var found bool
		for _, next := range substitutions(t, w, l) {
			if got := next.sequence; got[len(got)-2].Function.Name == "etch" {
				found = true
				if test.want == "" || format(p.space, got) != format(p.space, parse(t, p.space, test.want)) {
					t.Errorf("%s: %s", test.text, format(p.space, got))
				}
			}
		}
		if found != (test.want != "") {
			t.Errorf("%s: deferred: %v", test.text, found)
		}
	}
}

// TestPrependWriter: for each mapping that a seed wants an element of, at its first pick and ever
// less often, a call that writes it is put before the seed's last.
func TestPrependWriter(t *testing.T) {
	w, p := solver(t, "units/holdings.sol")
	s, seeds := seedsOf(t, w, p, "user1 Holdings.give(address,uint256) args (user2, 5)", "user1 Holdings.allow(address,uint256) args (user2, 5)", "user1 Holdings.check(address) args (user2)")
	c := &Campaign{suite: s, rand: testRand(1), Config: Config{Schedule: Lookahead}}
	check := seeds["check"]
	for pick, want := range map[int]int{1: 1, 2: 1, 3: 0, 4: 1} {
		check.Selected = pick
		makers := c.contextOf(check, false, 1).mappingWriters
		if len(makers) != want {
			t.Fatalf("pick %d: %d makers, want %d", pick, len(makers), want)
		}
	}
	sequence := check.Calls.Unpack()
	w.mutator.SetSeqLen(2)
	next, ok := w.mutation.prependWriter(&task{sequence: sequence, seqLen: 2, calls: 100}, seeds["give"].Calls)
	if !ok || !next.joined || len(next.sequence) != 2 || next.sequence[0].Function.Name != "give" || next.sequence[1].Function != sequence[0].Function {
		t.Errorf("%v: %s", ok, format(p.space, next.sequence))
	}
	if _, ok := w.mutation.prependWriter(&task{sequence: sequence, seqLen: 1, calls: 100}, seeds["give"].Calls); ok {
		t.Error("there is no room, and a call is put in")
	}
}

// TestWants: a mapping is wanted until a call before the last has written the element.
func TestWants(t *testing.T) {
	w, p := solver(t, "units/holdings.sol")
	wants := func(text string) []slotKey {
		b := batch{task: task{calls: 100}}
		exec, ok := w.run(context.Background(), parse(t, p.space, text), &b)
		if !ok {
			t.Fatalf("%s was not run", text)
		}
		return footprint(exec).wants
	}
	held := wants("user1 Holdings.check(address) args (user2)")
	other := wants("user1 Holdings.give(address,uint256) args (user1, 5); user1 Holdings.check(address) args (user2)")
	allowed := wants("user1 Holdings.give(address,uint256) args (Holdings, 5); user1 Holdings.check(address) args (user2)")
	none := wants("user1 Holdings.give(address,uint256) args (Holdings, 5); user2 Holdings.allow(address,uint256) args (Holdings, 5); user1 Holdings.check(address) args (user2)")
	if len(held) != 1 || !slices.Equal(held, other) || len(allowed) != 1 || allowed[0] == held[0] || len(none) != 0 {
		t.Errorf("%v, %v, %v, %v", held, other, allowed, none)
	}
}
