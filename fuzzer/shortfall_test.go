package fuzzer

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestShortfalls: what is kept are calls after which a contract cannot pay what it owes: those that write what the last one reads, and those with which it paid.
func TestShortfalls(t *testing.T) {
	const (
		owes      = "user1 Till.pay() value 7; user1 Till.giveBack(uint256) args (5); user1 Till.close()"
		owesCoins = "deployer Till.payCoins(uint256) args (7); deployer Till.giveCoinsBack(uint256) args (5); deployer Till.closeCoins()"

		// The contract looks first.
		owesSeen      = "user1 Till.pay() value 7; user1 Till.giveBack(uint256) args (5); user1 Till.closeWatchfully()"
		owesCoinsSeen = "deployer Till.payCoins(uint256) args (7); deployer Till.giveCoinsBack(uint256) args (5); deployer Till.closeCoinsWatchfully()"
	)
	for name, test := range map[string]struct {
		sequence, want string
		paysIn         int
	}{
		"ether":                  {owes, owes, 1},
		"tokens":                 {owesCoins, owesCoins, 1},
		"ether, as is seen":      {owesSeen, owesSeen, 1},
		"tokens, as is seen":     {owesCoinsSeen, owesCoinsSeen, 1},
		"another comparison":     {"deployer Till.payCoins(uint256) args (7); deployer Till.giveCoinsBack(uint256) args (2); deployer Till.closeWhenFull()", "", 0},
		"what it does not need":  {"user2 Till.visit(); " + owes, owes, 1},
		"two that pay in":        {"user1 Till.pay() value 1; " + owes, "user1 Till.pay() value 1; " + owes, 2},
		"others have paid":       {"user2 Till.pay() value 7; " + owes, "", 0},
		"what is owed is there":  {"user1 Till.pay() value 7; user1 Till.close()", "", 0},
		"another reason":         {"user1 Till.pay() value 7; user1 Till.giveBack(uint256) args (9)", "", 0},
		"nothing was paid in":    {"user1 Till.wish(uint256) args (9)", "", 0},
		"nothing of it counts":   {"user1 Till.pay() value 7; user1 Till.wish(uint256) args (9)", "", 0},
		"a token has not enough": {"user1 Coin.transfer(address,uint256) args (user2, 5)", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := solverAttacking(t, "units/short.sol")
			d := &w.attacks.drawn
			d.counts = func(c input.Callable) bool {
				return c.Function.Name == "giveBack" || c.Function.Name == "giveCoinsBack"
			}
			seq := parse(t, p.space, test.sequence)
			exec, ok := w.run(context.Background(), seq, &batch{task: task{calls: 100}})
			if !ok {
				t.Fatal("not run")
			}
			w.attacks.watchShortfall(seq, exec)
			got, paysIn := "", 0
			if len(d.short) == 1 {
				got, paysIn = format(p.space, d.short[0].sequence), d.short[0].paysIn
			}
			if got != test.want || paysIn != test.paysIn {
				t.Errorf("kept: %s, of which %d pay in", got, paysIn)
			}
		})
	}
}

// TestKeepShortfall: there is room for so many, of which no more than so many end with the same function, and one of the same functions is kept once.
func TestKeepShortfall(t *testing.T) {
	functions := make([]*input.Function, 3*maxShortfalls)
	for i := range functions {
		functions[i] = new(input.Function)
	}
	call := func(i int) input.Call { return input.Call{Function: functions[i]} }
	r := rand.New(rand.NewPCG(1, 0))
	d := &drawn{}
	keep := func(seq ...input.Call) { d.keepShortfall(r, shortfall{sequence: seq}) }
	for range 3 {
		keep(call(0), call(1))
	}
	if len(d.short) != 1 {
		t.Errorf("%d of the same functions", len(d.short))
	}
	for i := range 2 * maxShortfallsOf {
		keep(call(i+1), call(0), call(1))
	}
	if len(d.short) != maxShortfallsOf {
		t.Errorf("%d end with the same function, want %d", len(d.short), maxShortfallsOf)
	}
	for i := range functions {
		keep(call(0), call(i))
	}
	if len(d.short) != maxShortfalls {
		t.Errorf("%d are kept, want %d", len(d.short), maxShortfalls)
	}
}

// TestStagedShort: attacks end with all calls of the attackers, but for the first ones that others may make in their place, and others pay in before.
func TestStagedShort(t *testing.T) {
	w, p := solverAttacking(t, "units/short.sol")
	s := p.space
	deed := parse(t, s, "user1 Till.pay() value 7; user1 Till.pay() value 8; user2 Till.giveBack(uint256) args (5); user1 Till.close() time +9")
	names := func(seq input.Sequence) (list []string) {
		for i := range seq {
			list = append(list, seq[i].Function.Name)
		}
		return list
	}
	r := rand.New(rand.NewPCG(1, 0))
	seen := map[string]bool{}
	for range 400 {
		seq, ok := w.mutator.StagedShort(r, deed, 2, nil, func(*input.Call) bool { return false }, func(*input.Call, int) bool { return true })
		if !ok {
			continue
		}
		from := len(seq)
		for from > 0 && s.IsOutsider(seq[from-1].Sender) {
			from--
		}
		before, attack := seq[:from], seq[from:]
		for i := range before {
			if s.IsOutsider(before[i].Sender) || before[i].Function.Name != "pay" && before[i].Sender != deed[2].Sender {
				t.Fatalf("call %d before the attack: %s", i, format(s, seq))
			}
		}
		if own := names(attack); own[len(own)-1] != "close" {
			t.Fatalf("the attack is %s", format(s, attack))
		}
		seen["alone"] = seen["alone"] || from == 0
		seen["others"] = seen["others"] || from > 1
		seen["all"] = seen["all"] || slices.Equal(names(attack), names(deed))
		seen["handed over"] = seen["handed over"] || from > 0 && slices.Equal(names(attack), names(deed[1:]))
		seen["both"] = seen["both"] || slices.ContainsFunc(attack, func(c input.Call) bool { return c.Sender != attack[0].Sender })
		seen["more"] = seen["more"] || slices.ContainsFunc(before, func(c input.Call) bool { return c.Value.Eq(uint256.NewInt(21)) })
		seen["later"] = seen["later"] || attack[len(attack)-1].TimeAdvance == 9
	}
	for _, what := range []string{"alone", "others", "all", "handed over", "both", "more", "later"} {
		if !seen[what] {
			t.Errorf("never seen: %s", what)
		}
	}
}
