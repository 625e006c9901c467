package fuzzer

import (
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestWalk: a walk goes on behind calls that succeed alone, lets tokens be taken where a call fails for that, and others begin where it came to what none did before.
func TestWalk(t *testing.T) {
	w, p := solverAttacking(t, "units/lacking.sol")
	s, d := p.space, &w.attacks.drawn
	*d = newDrawn(func(input.Callable) bool { return true }, func(f *evm.Frame) bool { return f.Program.Contract.Name == "Box" })
	d.alone = true
	w.attacks.gifts = newGifts(s, w.machine)
	b := &batch{task: task{calls: 1 << 20}}
	run := func(seq input.Sequence) *evm.Execution { return ranIn(t, w, seq, b) }
	for _, known := range []string{"user1 Box.putCoins(uint256) args (7)", "user1 Box.putCoins(uint256) args (7); user1 Box.open()"} {
		seq := parse(t, s, known)
		w.attacks.watchDeed(seq, run(seq))
	}
	seen := map[string]bool{}
	for range 2000 {
		seq, ok := w.attacks.walk()
		if !ok {
			if seq, ok = w.attacks.setOut(); !ok {
				continue
			}
		}
		begins := d.walks.begins
		exec := run(seq)
		w.attacks.walked(seq, exec)
		if begins {
			seen["others begin"] = seen["others begin"] || slices.ContainsFunc(seq, func(c input.Call) bool { return !s.IsGift(&c) && !s.IsOutsider(c.Sender) })
			continue
		}
		walk := &d.walks.Walk
		if d.walks.party {
			seen["all take part"] = seen["all take part"] || slices.ContainsFunc(seq, func(c input.Call) bool { return s.IsOutsider(c.Sender) })
			continue
		}
		for i, c := range seq[walk.From:] {
			if !s.IsOutsider(c.Sender) {
				t.Fatalf("call %d of the attack is another's: %s", i, format(s, seq))
			}
			if walk.From+i < len(seq)-1 && exec.Calls[walk.From+i].Outcome != evm.Success {
				t.Fatalf("goes on behind a call that failed: %s", format(s, seq))
			}
		}
		seen["lets tokens be taken"] = seen["lets tokens be taken"] || seq[max(len(seq)-2, 0)].Function.Signature == input.LetsTake && exec.Calls[len(seq)-1].Outcome == evm.Success
		last := seq[len(seq)-1]
		if exec.Calls[len(seq)-1].Outcome == evm.Success && last.Function.Name == "open" {
			seen["comes to the second call"] = true
		}
		seen["waits"] = seen["waits"] || last.TimeAdvance > 0
	}
	seen["others begin there"] = slices.ContainsFunc(d.walks.kept, func(k keptWalk) bool { return k.begun > 0 && k.altered })
	for _, what := range []string{"others begin", "lets tokens be taken", "comes to the second call", "waits", "others begin there", "all take part"} {
		if !seen[what] {
			t.Errorf("never seen: %s", what)
		}
	}
}
