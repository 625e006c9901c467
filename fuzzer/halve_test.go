package fuzzer

import (
	"context"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestHalve: an attack that is refused asks for half of the stake, once for a function and the one before it, where it pays something and not
// because the contract has nothing.
func TestHalve(t *testing.T) {
	const (
		stake = "1000000000000000000"
		half  = "500000000000000000"
		lent  = "attackerContract Pledges.borrow(uint256) args (" + stake + ") value " + stake
	)
	for name, test := range map[string]struct{ sequence, want string }{
		"it pays at once":            {lent, "attackerContract Pledges.borrow(uint256) args (" + half + ") value " + stake},
		"it has paid before":         {"attackerContract Pledges.pledge() value " + stake + "; attackerContract Pledges.borrow(uint256) args (" + stake + ")", "attackerContract Pledges.pledge() value " + stake + "; attackerContract Pledges.borrow(uint256) args (" + half + ")"},
		"it pays nothing":            {"attackerContract Pledges.borrow(uint256) args (" + stake + ")", ""},
		"others have paid":           {"user1 Pledges.pledge() value " + stake + "; attackerContract Pledges.borrow(uint256) args (" + stake + ")", ""},
		"another asks":               {"user1 Pledges.borrow(uint256) args (" + stake + ") value " + stake, ""},
		"it asks for something else": {"attackerContract Pledges.borrow(uint256) args (" + half + ") value 1", ""},
		"it asks for no number":      {"attackerContract Pledges.visit(address) args (user1) value " + stake, ""},
		"it is not refused":          {"attackerContract Pledges.pledge() value " + stake, ""},
		"nothing is there":           {"attackerContract Pledges.trade(uint256) args (" + stake + ") value " + stake, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := solverAttacking(t, "units/pledges.sol")
			a := &w.attacks
			a.first()
			seq := parse(t, p.space, test.sequence)
			exec, ok := w.run(context.Background(), seq, &batch{task: task{calls: 100}})
			if !ok {
				t.Fatal("not run")
			}
			a.resumed = nil
			for range 2 {
				a.watchRefusal(seq, exec)
			}
			got := ""
			if len(a.resumed) == 1 {
				got = format(p.space, a.resumed[0])
			}
			if got != test.want || len(a.resumed) > 1 {
				t.Errorf("%d, %s", len(a.resumed), got)
			}
			if test.want != "" && !input.IsHalved(&a.resumed[0][len(a.resumed[0])-1]) || input.IsHalved(&seq[len(seq)-1]) != (name == "it asks for something else") {
				t.Error("what is halved")
			}
		})
	}
}
