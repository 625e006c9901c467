package fuzzer

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestGifts: where a call of the attacker's contract fails for want of tokens, an attack is lined up in which someone who has some gives it a
// quarter of what that is, and it lets them be taken.
func TestGifts(t *testing.T) {
	for name, test := range map[string]struct{ sequence, want string }{
		"tokens that are taken": {
			"attackerContract Box.putCoins(uint256) args (7)",
			"deployer Coin.transfer(address,uint256) args (attackerContract, 242500000000000000000000); attackerContract Coin.approve(address,uint256) args (Box, 242500000000000000000000); attackerContract Box.putCoins(uint256) args (7)",
		},
		"tokens that it has to have": {
			"attackerContract Box.hold()",
			"deployer Coin.transfer(address,uint256) args (attackerContract, 242500000000000000000000); attackerContract Box.hold()",
		},
		"fewer than the stake": {
			"attackerContract Box.putCents(uint256) args (1000000000000000000)",
			"deployer Cents.transfer(address,uint256) args (attackerContract, 267968750); attackerContract Cents.approve(address,uint256) args (Box, 267968750); attackerContract Box.putCents(uint256) args (16748046)",
		},
		"behind what others do": {
			"user1 Box.open(); attackerContract Box.putCoins(uint256) args (7)",
			"user1 Box.open(); deployer Coin.transfer(address,uint256) args (attackerContract, 242500000000000000000000); attackerContract Coin.approve(address,uint256) args (Box, 242500000000000000000000); attackerContract Box.putCoins(uint256) args (7)",
		},
		"a transfer to itself": {
			"attackerContract Coin.transfer(address,uint256) args (attackerContract, 5)",
			"deployer Coin.transfer(address,uint256) args (attackerContract, 242500000000000000000000); attackerContract Coin.transfer(address,uint256) args (attackerContract, 5)",
		},
		"what fails for another reason":  {"attackerContract Box.open()", ""},
		"what another account lacks":     {"user1 Box.putCoins(uint256) args (7)", ""},
		"its own attempt to give some":   {"attackerContract Coin.transfer(address,uint256) args (user1, 5)", ""},
		"what is named by others before": {"user1 Coin.approve(address,uint256) args (attackerContract, 5); attackerContract Box.putCoins(uint256) args (7)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := solverAttacking(t, "units/lacking.sol")
			machine, err := p.newMachine()
			if err != nil {
				t.Fatal(err)
			}
			w.attacks.begun, w.attacks.gifts = true, newGifts(p.space, machine)
			seq := parse(t, p.space, test.sequence)
			exec, ok := w.run(context.Background(), seq, &batch{task: task{calls: 100}})
			if !ok {
				t.Fatal("not run")
			}
			w.attacks.watchPoor(seq, exec)
			got := ""
			if len(w.attacks.behind) == 1 {
				got = format(p.space, w.attacks.behind[0])
			}
			if got != test.want {
				t.Errorf("%d attacks: %s", len(w.attacks.behind), got)
			}
		})
	}
}

// TestInflating: a function that takes tokens is paid next to nothing, and behind a gift to the contract by another account as well, before each of the contract's other functions is called; once.
func TestInflating(t *testing.T) {
	w, p := solverAttacking(t, "units/lacking.sol")
	machine, err := p.newMachine()
	if err != nil {
		t.Fatal(err)
	}
	w.attacks.begun, w.attacks.gifts = true, newGifts(p.space, machine)
	for range 2 {
		seq := parse(t, p.space, "attackerContract Box.putCoins(uint256) args (7)")
		exec, ok := w.run(context.Background(), seq, &batch{task: task{calls: 100}})
		if !ok {
			t.Fatal("not run")
		}
		w.attacks.watchPoor(seq, exec)
	}
	const (
		before = "deployer Coin.transfer(address,uint256) args (attackerContract, 242500000000000000000000); attackerContract Coin.approve(address,uint256) args (Box, 242500000000000000000000); " +
			"attackerContract Box.putCoins(uint256) args (1); attackerContract Coin.transfer(address,uint256) args (Box, 242499999999999999999999); " +
			"deployer Coin.approve(address,uint256) args (Box, 242499999999999999999999); deployer Box.putCoins(uint256) args (242499999999999999999999); "
	)
	var got []string
	for _, seq := range w.attacks.gifts.inflated {
		last, ok := strings.CutPrefix(format(p.space, seq), before)
		if !ok {
			t.Errorf("before: %s", format(p.space, seq))
		}
		got = append(got, last)
	}
	want := []string{"attackerContract Box.hold()", "attackerContract Box.open()", "attackerContract Box.putCents(uint256) args (1)"}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("at last %q", got)
	}
}

// TestIsStaked: what is next to nothing shows little of an attack; a call without numbers may be worth anything.
func TestIsStaked(t *testing.T) {
	_, p := solverAttacking(t, "units/lacking.sol")
	for text, want := range map[string]bool{
		"attackerContract Box.putCoins(uint256) args (1)":                      false,
		"attackerContract Box.putCoins(uint256) args (1000000)":                true,
		"attackerContract Box.open()":                                          true,
		"attackerContract Coin.transfer(address,uint256) args (user1, 0)":      false,
		"attackerContract Coin.approve(address,uint256) args (user1, 2000000)": true,
	} {
		if seq := parse(t, p.space, text); seq[0].IsStaked() != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
}

// TestRepeated: what led to a payment is done by others twice, then by the attacker's contract, which asks for the payment three times; where tokens are taken for it, it is given some.
func TestRepeated(t *testing.T) {
	_, p := solverAttacking(t, "units/lacking.sol")
	gift := parse(t, p.space, "deployer Coin.transfer(address,uint256) args (attackerContract, 5000)")
	for name, test := range map[string]struct {
		sequence string
		gifts    input.Sequence
		want     []string
	}{
		"numbers that are as they are, and the next ones": {
			"user1 Box.putCents(uint256) args (3); user1 Box.putCoins(uint256) args (1) time +9", nil,
			[]string{
				"deployer Box.putCents(uint256) args (1000000000000000000); user1 Box.putCents(uint256) args (1000000000000000000); attackerContract Box.putCents(uint256) args (1000000000000000000); attackerContract Box.putCoins(uint256) args (1000000000000000000) time +25920000; attackerContract Box.putCoins(uint256) args (1000000000000000000); attackerContract Box.putCoins(uint256) args (1000000000000000000)",
			},
		},
		"with a gift": {"user1 Box.open()", gift, []string{
			"deployer Coin.transfer(address,uint256) args (attackerContract, 5000); attackerContract Coin.approve(address,uint256) args (Box, 5000); attackerContract Box.open(); attackerContract Box.open(); attackerContract Box.open()",
		}},
	} {
		var got []string
		for _, seq := range p.space.Repeated(parse(t, p.space, test.sequence), 2, test.gifts) {
			got = append(got, format(p.space, seq))
		}
		if len(got) == 0 || !slices.Equal(got[:len(test.want)], test.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := p.space.Repeated(parse(t, p.space, "deployer Coin.transfer(address,uint256) args (attackerContract, 5); user1 Box.open()"), 2, nil); len(got) != 2 {
		t.Errorf("behind what names the attackers: %d", len(got))
	}
}
