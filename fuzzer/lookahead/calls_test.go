package lookahead_test

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestObserved: programs 1 to 4, each with one call at pc 10; 3 has a target.
func TestObserved(t *testing.T) {
	target := bytecode.CodeID(3)
	site := func(p bytecode.CodeID) bytecode.Location { return bytecode.Location{Code: p, PC: 10} }
	o := lookahead.NewObserved(
		func(p bytecode.CodeID) bool { return p == target },
		func(p bytecode.CodeID) []bytecode.Location {
			if p == 4 {
				return nil
			}
			return []bytecode.Location{site(p)}
		})
	expect := func(step string, want [3]bool) {
		t.Helper()
		for i, w := range want {
			if got := o.MayLead(site(bytecode.CodeID(i + 1))); got != w {
				t.Errorf("%s: the call of program %d may lead to a target: %t, want %t", step, i+1, got, w)
			}
		}
	}
	see := func(from bytecode.CodeID, to lookahead.Callee, news bool) {
		t.Helper()
		if got := o.See(site(from), to); got != news {
			t.Errorf("%d to %+v: news %t, want %t", from, to, got, news)
		}
	}
	expect("nothing seen", [3]bool{true, true, true})
	see(1, lookahead.Callee{Program: 4}, true)
	see(1, lookahead.Callee{Program: 4}, false)
	expect("1 calls 4, which calls nothing", [3]bool{false, true, true})
	see(2, lookahead.Callee{Program: 1}, true)
	see(1, lookahead.Callee{Program: 2}, true)
	expect("1 and 2 call each other", [3]bool{false, false, true})
	see(2, lookahead.Callee{}, false)
	expect("a plain account is not new where something was seen", [3]bool{false, false, true})
	see(2, lookahead.Callee{Program: target}, true)
	expect("2 calls the target's program", [3]bool{true, true, true})
	target = 0
	see(3, lookahead.Callee{}, true)
	o.Retarget()
	expect("the target has fallen", [3]bool{false, false, false})
	see(2, lookahead.Callee{Program: 9, Anything: true}, true)
	see(2, lookahead.Callee{Program: 9, Anything: true}, false)
	expect("2 calls an attacker", [3]bool{true, true, false})
}

// TestSeenOnly: calls that nothing is known of lead nowhere.
func TestSeenOnly(t *testing.T) {
	site := func(p bytecode.CodeID) bytecode.Location { return bytecode.Location{Code: p, PC: 10} }
	o := lookahead.NewObserved(
		func(p bytecode.CodeID) bool { return p == 3 },
		func(p bytecode.CodeID) []bytecode.Location { return []bytecode.Location{site(p)} })
	o.SeenOnly = true
	o.See(site(2), lookahead.Callee{Program: 9, Anything: true})
	if o.MayLead(site(1)) || o.MayLead(site(2)) {
		t.Error("a call never seen, or one of an attacker, leads to a target")
	}
	o.See(site(1), lookahead.Callee{Program: 2})
	o.See(site(2), lookahead.Callee{Program: 3})
	if !o.MayLead(site(1)) {
		t.Error("a call that was seen to lead to a target does not")
	}
}
