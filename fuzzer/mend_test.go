package fuzzer

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestMended: what failed succeeds when it is made as the check asks for that it failed at, by the account, late enough, or with the number; where that is not possible it is not made again.
func TestMended(t *testing.T) {
	const set = "user1 Checks.set(uint256) args (1000000); "
	for name, test := range map[string]struct {
		sequence string
		party    bool
		mends    int // so many, until it succeeds; 0: none is possible
	}{
		"sender":                {"user1 Checks.keep(address) args (user2); user1 Checks.byKeeper()", true, 1},
		"a sender who may not":  {"user1 Checks.keep(address) args (user2); user1 Checks.byKeeper()", false, 0},
		"no sender":             {"user1 Checks.byNobody()", true, 0},
		"time":                  {set + "user1 Checks.afterwards()", false, 1},
		"number":                {set + "user1 Checks.exactly(uint256) args (2000000)", false, 1},
		"number at most":        {set + "user1 Checks.atMost(uint256) args (2000000)", false, 1},
		"number below":          {set + "user1 Checks.below(uint256) args (2000000)", false, 2},
		"payment":               {set + "user1 Checks.paying() value 2000000", false, 1},
		"small number":          {"user1 Checks.set(uint256) args (9); user1 Checks.small(uint256) args (3)", false, 0},
		"nothing to go by":      {"user1 Checks.atMost(uint256) args (2000000)", false, 0},
		"not what it failed at": {set + "user1 Checks.below(uint256) args (5) value 3", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := solverAttacking(t, "units/mending.sol")
			w.attacks.drawn.walks.party = test.party
			seq := parse(t, p.space, test.sequence)
			last := len(seq) - 1
			run := func() *evm.Execution { return ranIn(t, w, seq, &batch{task: task{calls: 100}}) }
			exec := run()
			if exec.Calls[last].Outcome == evm.Success {
				t.Fatal("it does not fail")
			}
			for n := range maxMends {
				call, ok := w.attacks.mended(seq, exec)
				if !ok {
					if test.mends > 0 {
						t.Fatalf("not mended after %d times", n)
					}
					return
				}
				seq = append(seq[:last:last], call)
				if exec = run(); exec.Calls[last].Outcome == evm.Success {
					if n+1 != test.mends {
						t.Errorf("mended %d times, want %d", n+1, test.mends)
					}
					return
				}
			}
			t.Errorf("never succeeds: %s", format(p.space, seq))
		})
	}
}

// TestUnpaid: where all take part, the owner among them, a contract comes to owe what it has not, after calls that run a target; what comes before that is kept.
func TestUnpaid(t *testing.T) {
	w, p := solverAttacking(t, "units/mending.sol")
	s, d := p.space, &w.attacks.drawn
	*d = newDrawn(func(input.Callable) bool { return true }, func(f *evm.Frame) bool {
		return f.Program.Contract.Name == "Till" && len(f.Input) == 4+wordBytes // give
	})
	d.alone = true
	w.attacks.gifts = newGifts(s, w.machine)
	b := &batch{task: task{calls: 1 << 20}}
	run := func(seq input.Sequence) *evm.Execution { return ranIn(t, w, seq, b) }
	const open = "deployer Till.open(); "
	for _, known := range []string{open, open + "user1 Till.leave() value 7", open + "user1 Till.leave() value 7; user1 Till.give(address) args (user2)", open + "user1 Till.leave() value 7; user1 Till.take()"} {
		seq := parse(t, s, known)
		w.attacks.watchDeed(seq, run(seq))
	}
	for range 20000 {
		seq, ok := w.attacks.walk()
		if !ok {
			if seq, ok = w.attacks.setOut(); !ok {
				continue
			}
		}
		exec := run(seq)
		party := d.walks.party
		if !w.attacks.walked(seq, exec) {
			continue
		}
		b.unpaid = addUnpaid(b.unpaid, seq)
		last := len(seq) - 1
		if f := seq[last].Function.Name; f != "take" || exec.Calls[last].Outcome == evm.Success {
			t.Fatalf("a call of %s that ends with %v is none that cannot be paid", f, exec.Calls[last].Outcome)
		}
		if party && d.walks.on {
			t.Error("goes on though it is over")
		}
	}
	if len(b.unpaid) != 1 {
		t.Fatalf("%d sequences are kept, want the one of take", len(b.unpaid))
	}
	if n := len(b.unpaid[0]); n > 12 {
		t.Errorf("the shortest one has %d calls: %s", n, format(s, b.unpaid[0]))
	}
}

// TestAddUnpaid: the shortest sequence of each function is kept.
func TestAddUnpaid(t *testing.T) {
	_, p := solverAttacking(t, "units/mending.sol")
	var all []input.Sequence
	for _, text := range []string{"user1 Till.leave(); user1 Till.take()", "user1 Till.take()", "user1 Till.leave(); user2 Till.take()", "user1 Till.open()"} {
		all = addUnpaid(all, parse(t, p.space, text))
	}
	if len(all) != 2 || len(all[0]) != 1 || all[0][0].Function.Name != "take" || all[1][0].Function.Name != "open" {
		t.Errorf("kept: %d sequences, the first of %d calls", len(all), len(all[0]))
	}
}
