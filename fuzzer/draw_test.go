package fuzzer

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestDeeds: what led to an effect are the calls that write what it reads, with the time that passed before; what has no effect, what fails and what tokens do leads to nothing.
func TestDeeds(t *testing.T) {
	const paid = "user1 Box.putCoins(uint256) args (7); "
	for name, test := range map[string]struct{ sequence, want string }{
		"what it reads": {paid + "user1 Box.open()", paid + "user1 Box.open()"},
		"what others have there": {
			"user2 Box.putCents(uint256) args (7); " + paid + "user1 Box.open()",
			paid + "user1 Box.open()",
		},
		"what it needs of a token": {
			"user1 Coin.approve(address,uint256) args (Box, 9); " + paid + "user1 Box.open()",
			paid + "user1 Box.open()",
		},
		"later": {
			"user2 Box.putCents(uint256) args (7) time +5; user1 Box.putCoins(uint256) args (7) time +3; user1 Box.open()",
			"user1 Box.putCoins(uint256) args (7) time +8; user1 Box.open()",
		},
		"what fails":              {"user1 Box.open()", ""},
		"what changes nothing":    {"user1 Box.putCoins(uint256) args (0)", ""},
		"what is done to a token": {"user1 Coin.transfer(address,uint256) args (user2, 5)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := solverAttacking(t, "units/lacking.sol")
			d := &w.attacks.drawn
			*d = newDrawn(func(c input.Callable) bool { return c.Function.Name == "open" }, func(*evm.Frame) bool { return false })
			seq := parse(t, p.space, test.sequence)
			exec, ok := w.run(context.Background(), seq, &batch{task: task{calls: 100}})
			if !ok {
				t.Fatal("not run")
			}
			w.attacks.watchDeed(seq, exec)
			got := ""
			if deeds := d.deeds[lastOf(seq)]; len(deeds) == 1 {
				got = format(p.space, deeds[0].sequence)
			}
			if got != test.want {
				t.Errorf("deed: %s", got)
			}
			ok = len(d.counting) > 0
			if ok {
				_, ok = w.attacks.stage()
			}
			if ok != (test.want != "" && strings.HasSuffix(test.want, "open()")) {
				t.Errorf("an attack is drawn: %t", ok)
			}
		})
	}
}

// TestStaged: attacks that are drawn end with calls of the attackers, whom nobody names before but to give them something; and who alone may make a call makes it in
// some of them.
func TestStaged(t *testing.T) {
	w, p := solverAttacking(t, "units/lacking.sol")
	s := p.space
	machine, err := p.newMachine()
	if err != nil {
		t.Fatal(err)
	}
	gifts := newGifts(s, machine).each
	put, open := parse(t, s, "user1 Box.putCoins(uint256) args (7)"), parse(t, s, "user1 Box.putCoins(uint256) args (7); user2 Box.putCents(uint256) args (9); user1 Box.open()")
	r := rand.New(rand.NewPCG(1, 0))
	seen := map[string]bool{}
	for range 400 {
		seq, ok := w.mutator.Staged(r, []input.Sequence{put, open}, gifts, func(c *input.Call) bool { return c.Function.Name == "putCoins" }, func(*input.Call, int) bool { return true })
		if !ok {
			continue
		}
		from := len(seq)
		for from > 0 && s.IsOutsider(seq[from-1].Sender) {
			from--
		}
		if from == len(seq) {
			t.Fatalf("the last call is another's: %s", format(s, seq))
		}
		for i := range seq[:from] {
			if s.IsOutsider(seq[i].Sender) || s.HelpsContract(seq[i:i+1]) && !s.IsGift(&seq[i]) {
				t.Fatalf("call %d is of the attackers: %s", i, format(s, seq))
			}
		}
		attack := seq[from:]
		seen["others first"] = seen["others first"] || from > 0
		seen["a gift"] = seen["a gift"] || slices.ContainsFunc(seq[:from], func(c input.Call) bool { return s.IsGift(&c) })
		seen["again"] = seen["again"] || len(attack) > 1 && attack[len(attack)-1].Equal(&attack[len(attack)-2])
		seen["later"] = seen["later"] || slices.ContainsFunc(attack, func(c input.Call) bool { return c.TimeAdvance > 0 })
		seen["the stake"] = seen["the stake"] || slices.ContainsFunc(attack, func(c input.Call) bool { return len(c.Args) == 1 && c.Args[0].Word.Eq(&input.Stake) })
		for _, c := range attack {
			seen[c.Function.Name] = true
		}
		seen["kept"] = seen["kept"] || slices.ContainsFunc(seq[:from], func(c input.Call) bool { return c.Equal(&put[0]) })
		seen["both"] = seen["both"] || slices.ContainsFunc(attack, func(c input.Call) bool { return c.Sender != attack[0].Sender })
	}
	for _, what := range []string{"others first", "a gift", "again", "later", "the stake", "kept", "both", "putCoins", "open"} {
		if !seen[what] {
			t.Errorf("never seen: %s", what)
		}
	}
}

// TestStagedNaming: another account does something in its own name, with who has to help, and then the attackers name it in the place of one account or more.
func TestStagedNaming(t *testing.T) {
	w, p := solverAttacking(t, "units/holdings.sol")
	s := p.space
	theirs := parse(t, s, "deployer Holdings.give(address,uint256) args (user1, 5); user1 Holdings.allow(address,uint256) args (user1, 7)")
	give := parse(t, s, "user2 Holdings.give(address,uint256) args (user2, 3)")
	open := parse(t, s, "user2 Holdings.open()")
	isDeployer := func(c *input.Call) bool { return s.Senders[c.Sender].Name == "deployer" }
	none := func(*input.Call, int) bool { return false }
	r := rand.New(rand.NewPCG(1, 0))
	names := func(c *input.Call) string {
		_, call, _ := strings.Cut(format(s, input.Sequence{*c}), "(address,uint256) args (")
		who, _, _ := strings.Cut(call, ",")
		return who
	}
	victims := map[string]bool{}
	for range 100 {
		seq, ok := w.mutator.StagedNaming(r, theirs, theirs[1].Sender, []input.Sequence{give, open}, nil, isDeployer, none)
		if !ok || len(seq) != 4 {
			t.Fatalf("%d calls: %s", len(seq), format(s, seq))
		}
		victim := s.Senders[seq[1].Sender].Name
		victims[victim] = true
		if s.Senders[seq[0].Sender].Name != "deployer" || names(&seq[0]) != victim || names(&seq[1]) != victim || names(&seq[2]) != victim {
			t.Fatalf("another is named than who does something: %s", format(s, seq))
		}
		if !s.IsOutsider(seq[2].Sender) || seq[3].Sender != seq[2].Sender || s.IsOutsider(seq[1].Sender) {
			t.Fatalf("not attacked: %s", format(s, seq))
		}
	}
	if len(victims) < 2 {
		t.Errorf("always the same account: %v", victims)
	}
	if seq, ok := w.mutator.StagedNaming(r, theirs, theirs[1].Sender, []input.Sequence{open}, nil, isDeployer, none); ok {
		t.Errorf("an attack was made of a call that names no account: %s", format(s, seq))
	}
}
