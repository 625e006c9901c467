package fuzzer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// ether is a number of ether in wei.
func ether(n uint64) *uint256.Int {
	return new(uint256.Int).Mul(uint256.NewInt(n), uint256.NewInt(1e18))
}

// atLeast is true for sequences in which the calls of a function together carry
// so much value.
func atLeast(wei *uint256.Int) func(input.Sequence) bool {
	return func(seq input.Sequence) bool {
		var sum uint256.Int
		for i := range seq {
			sum.Add(&sum, &seq[i].Value)
		}
		return !sum.Lt(wei)
	}
}

// has is true for sequences with calls of these functions in this order.
func has(names ...string) func(input.Sequence) bool {
	return func(seq input.Sequence) bool {
		left := names
		for i := range seq {
			if len(left) > 0 && seq[i].Function.Name == left[0] {
				left = left[1:]
			}
		}
		return len(left) == 0
	}
}

// count is how many calls of a function there are.
func count(seq input.Sequence, name string) (n int) {
	for i := range seq {
		if seq[i].Function.Name == name {
			n++
		}
	}
	return n
}

// firstWord is a predicate on the first argument of the last call.
func firstWord(holds func(x *uint256.Int) bool) func(input.Sequence) bool {
	return func(seq input.Sequence) bool {
		last := &seq[len(seq)-1]
		return len(last.Args) > 0 && holds(&last.Args[0].Word)
	}
}

func TestMinimize(t *testing.T) {
	p := open(t, "units/counter.sol")
	const named = "user1 Counter.name(address,int256,uint256[],bytes,bytes32) args "
	const hash = "0x1111111111111111111111111111111111111111111111111111111111111111"
	for _, test := range []struct {
		name, seq string
		keeps     func(input.Sequence) bool
		want      string
	}{
		{
			"everything goes but one call", "user1 Counter.reset(); user2 Counter.add(uint256) args (77); user1 Counter.reset() time +400 block +3",
			func(input.Sequence) bool { return true },
			"user1 Counter.reset()",
		}, {
			"calls that matter stay, in order", "user1 Counter.reset(); user1 Counter.pay(); user2 Counter.add(uint256) args (77); user1 Counter.reset(); user1 Counter.pay()",
			has("pay", "add", "pay"),
			"user1 Counter.pay(); user2 Counter.add(uint256) args (0); user1 Counter.pay()",
		}, {
			"one beats a smaller half", "user1 Counter.add(uint256) args (900)",
			firstWord(func(x *uint256.Int) bool { return !x.IsZero() }),
			"user1 Counter.add(uint256) args (1)",
		}, {
			"small numbers stay exact", "user1 Counter.add(uint256) args (811)",
			firstWord(func(x *uint256.Int) bool { return x.Uint64() >= 17 }),
			"user1 Counter.add(uint256) args (17)",
		}, {
			"forty ether, not 46.875", "user1 Counter.pay() value 375000000000000000000",
			atLeast(ether(40)),
			"user1 Counter.pay() value 40000000000000000000",
		}, {
			"one wei too many", "user1 Counter.pay() value 40000000000000000001",
			atLeast(ether(40)),
			"user1 Counter.pay() value 40000000000000000000",
		}, {
			"up, when down is too little", "user1 Counter.pay() value 33300000000000000001",
			atLeast(ether(33)),
			"user1 Counter.pay() value 40000000000000000000",
		}, {
			"a number that is needed as it is", "user1 Counter.add(uint256) args (48271)",
			firstWord(func(x *uint256.Int) bool { return x.Uint64() == 48271 }),
			"user1 Counter.add(uint256) args (48271)",
		}, {
			"days, not seconds", "user1 Counter.reset() time +1234567",
			func(seq input.Sequence) bool { return seq[0].TimeAdvance >= 9*86400 },
			"user1 Counter.reset() time +777600",
		}, {
			"seconds, not a day", "user1 Counter.reset() time +100",
			func(seq input.Sequence) bool { return seq[0].TimeAdvance >= 20 },
			"user1 Counter.reset() time +20",
		}, {
			"negative numbers shrink toward zero", named + "(user1, -1000000, [], 0x, " + hash + ")",
			func(seq input.Sequence) bool {
				x := seq[0].Args[1].Word
				return x.Sign() < 0 && new(uint256.Int).Neg(&x).Uint64() > 5000
			},
			named + "(0x0000000000000000000000000000000000000000, -6000, [], 0x, 0x" + strings.Repeat("0", 64) + ")",
		}, {
			"addresses become a sender's, hashes are not halved", named + "(0x00000000000000000000000000000000deadbeef, 0, [1, 2, 3, 4], 0x010203, " + hash + ")",
			func(seq input.Sequence) bool {
				return !seq[0].Args[0].Word.IsZero() && seq[0].Args[4].Word.Uint64() > 1
			},
			named + "(deployer, 0, [], 0x, " + hash + ")",
		}, {
			"arrays become shorter, and their elements plain", named + "(user1, 0, [7, 8, 9, 10], 0x010203, " + hash + ")",
			func(seq input.Sequence) bool { return len(seq[0].Args[2].Elems) > 1 && len(seq[0].Args[3].Bytes) > 0 },
			named + "(0x0000000000000000000000000000000000000000, 0, [0, 0], 0x00, 0x" + strings.Repeat("0", 64) + ")",
		}, {
			"two calls that cancel out", "user1 Counter.pay(); user1 Counter.reset(); user2 Counter.add(uint256) args (77); user1 Counter.reset()",
			func(seq input.Sequence) bool { return has("add")(seq) && count(seq, "reset")%2 == 0 },
			"user2 Counter.add(uint256) args (0)",
		}, {
			"an id that two calls share", "user1 Counter.add(uint256) args (987654321); user2 Counter.add(uint256) args (987654321)",
			func(seq input.Sequence) bool {
				return len(seq) == 2 && seq[0].Sender != seq[1].Sender && seq[0].Args[0].Word == seq[1].Args[0].Word && !seq[0].Args[0].Word.IsZero()
			},
			"user1 Counter.add(uint256) args (1); user2 Counter.add(uint256) args (1)",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			seq := parse(t, p.space, test.seq)
			if !test.keeps(seq) {
				t.Fatal("the sequence does not hold itself")
			}
			got := minimize(p.space, seq, test.keeps)
			if text := format(p.space, got); text != test.want {
				t.Errorf("got  %s\nwant %s", text, test.want)
			}
			if text := format(p.space, seq); text != test.seq {
				t.Errorf("the original became %s", text)
			}
		})
	}
}

// randomPredicate is a predicate that holds for seq: a few facts of it, with
// thresholds below what it has.
func randomPredicate(r *rand.Rand, space *input.Space, seq input.Sequence) func(input.Sequence) bool {
	type fact struct {
		function string
		argument int
		least    uint256.Int
	}
	var facts []fact
	for i := range seq {
		if r.IntN(2) == 0 {
			continue
		}
		f := fact{function: seq[i].Function.Signature, argument: -1}
		if n := len(seq[i].Args); n > 0 && r.IntN(2) == 0 {
			f.argument = r.IntN(n)
			if x := &seq[i].Args[f.argument].Word; !x.IsZero() {
				f.least.Sub(x, new(uint256.Int).Rsh(x, uint(1+r.IntN(4))))
			}
		}
		facts = append(facts, f)
	}
	return func(candidate input.Sequence) bool {
		at := 0
		for _, f := range facts {
			found := false
			for ; at < len(candidate) && !found; at++ {
				c := &candidate[at]
				found = c.Function.Signature == f.function && (f.argument < 0 || !c.Args[f.argument].Word.Lt(&f.least))
			}
			if !found {
				return false
			}
		}
		return len(candidate) > 0
	}
}

// TestMinimizeProperties: whatever the predicate, the result satisfies it, is a
// valid sequence, no longer than the original, and cannot be made smaller by
// asking again.
func TestMinimizeProperties(t *testing.T) {
	p := open(t, "units/counter.sol")
	mutator := input.NewMutator(p.space, input.NewDictionary(nil), input.Options{})
	r := testRand(1)
	for i := range 300 {
		seq := mutator.GenerateSequence(r)
		for range r.IntN(4) {
			seq = mutator.Mutate(r, seq)
		}
		holds := randomPredicate(r, p.space, seq)
		if !holds(seq) {
			t.Fatalf("case %d: the predicate does not hold for its own sequence", i)
		}
		asked := 0
		got := minimize(p.space, seq, func(candidate input.Sequence) bool {
			asked++
			if err := p.space.Validate(candidate); err != nil {
				t.Fatalf("case %d: asked about an invalid sequence: %v", i, err)
			}
			return holds(candidate)
		})
		if !holds(got) || len(got) > len(seq) {
			t.Fatalf("case %d: %s became %s", i, format(p.space, seq), format(p.space, got))
		}
		if again := minimize(p.space, got, holds); !again.Equal(got) {
			t.Errorf("case %d: %s becomes %s when asked again", i, format(p.space, got), format(p.space, again))
		}
		if most := 600 * len(seq); asked > most {
			t.Errorf("case %d: %d questions about %d calls, at most %d", i, asked, len(seq), most)
		}
	}
}

// TestMinimizeEnds: a predicate that allows anything but zero, and one that tires,
// end the search too.
func TestMinimizeEnds(t *testing.T) {
	p := open(t, "units/counter.sol")
	seq := parse(t, p.space, fmt.Sprintf("user1 Counter.add(uint256) args (%s)", new(uint256.Int).SetAllOne().Dec()))
	odd := firstWord(func(x *uint256.Int) bool { return x.BitLen() > 3 && x[0]%7 == 3 || x.BitLen() == 256 })
	minimize(p.space, seq, odd)
	for tires := range 40 {
		left := tires
		got := minimize(p.space, seq, func(input.Sequence) bool { left--; return left >= 0 })
		if got == nil {
			t.Fatal("nothing is left")
		}
	}
}

// TestMinimizeJoinsCalls: of ten payments as many stay as have to be made, the others
// are part of them.
func TestMinimizeJoinsCalls(t *testing.T) {
	p := openExample(t, "crowdsale")
	text := "user1 Crowdsale.invest() value 39; user2 Crowdsale.invest() value 3" + strings.Repeat("; user1 Crowdsale.invest() value 1", 8) + "; user1 Crowdsale.refund()"
	got := minimize(p.space, parse(t, p.space, text), func(seq input.Sequence) bool {
		var sum uint64
		calls := 0
		for i := range seq {
			if seq[i].Sender == seq[0].Sender && seq[i].Function.Payable {
				sum += seq[i].Value.Uint64()
				calls++
			}
		}
		return calls >= 2 && sum >= 47
	})
	if len(got) != 2 || got[0].Value.Uint64()+got[1].Value.Uint64() != 47 {
		t.Errorf("%d calls are left, of %v and more", len(got), got[0].Value.Uint64())
	}

	const two = "user1 Crowdsale.invest() value 20; user2 Crowdsale.invest() value 20; user2 Crowdsale.refund()"
	got = minimize(p.space, parse(t, p.space, two), func(seq input.Sequence) bool {
		return seq[0].Value.Uint64() >= 40 || len(seq) == 3 && seq[0].Value.Uint64()+seq[1].Value.Uint64() >= 40
	})
	if text := format(p.space, got); text != "user1 Crowdsale.invest() value 40" {
		t.Errorf("what two paid is %s", text)
	}
}

// TestMinimizeDropsDeployments: what a contract of the World shows as well, is shown by it.
func TestMinimizeDropsDeployments(t *testing.T) {
	p := open(t, "planted/constructor.sol")
	const seq = "user1 Configured#new.constructor(uint256) args (7); user2 Configured#new.use(uint256) args (3)"
	for _, test := range []struct {
		fresh bool // only what a sequence deploys shows it
		want  string
	}{
		{false, "user2 Configured.use(uint256) args (0)"},
		{true, "user1 Configured#new.constructor(uint256) args (0); user2 Configured#new.use(uint256) args (0)"},
	} {
		got := minimize(p.space, parse(t, p.space, seq), func(seq input.Sequence) bool {
			last := &seq[len(seq)-1]
			fresh := p.space.Instances[last.Instance].Fresh
			return last.Function.Name == "use" && last.Sender == 2 && fresh == (len(seq) > 1) && (fresh || !test.fresh)
		})
		if text := format(p.space, got); text != test.want {
			t.Errorf("left is %s, want %s", text, test.want)
		}
	}
}

// TestMinimizeCallsDirectly: what the attacker's contract calls in the middle of another call needs none of that where the call alone
// is enough, nor the contract.
func TestMinimizeCallsDirectly(t *testing.T) {
	_, p := solverAttacking(t, "units/answered.sol")
	const (
		inner  = "Answered.pay(address,uint256) args (user1, 0)"
		middle = "user1 Answered.pay(address,uint256) args (attackerContract, 0) on payment times 1 calls {" + inner + "}"
	)
	// paysUser1 is true for a call that names user1.
	paysUser1 := func(c *input.Call) bool { return c.Args[0].Address() == p.space.Senders[1].Address }
	for _, test := range []struct {
		inside bool // only the contract's own call in the middle of another shows it
		want   string
	}{
		{false, "deployer " + inner},
		{true, middle},
	} {
		got := minimize(p.space, parse(t, p.space, middle), func(seq input.Sequence) bool {
			first := &seq[0]
			if !test.inside && paysUser1(first) {
				return true
			}
			script := first.Script
			return first.Sender == 1 && !paysUser1(first) && script != nil && len(script.Answers) == 1 && script.Answers[0].Times == 1 && len(script.Answers[0].Calls) == 1 && paysUser1(&script.Answers[0].Calls[0]) &&
				first.Args[0].Address() == p.space.Senders[p.space.Contract()].Address
		})
		if text := format(p.space, got); text != test.want {
			t.Errorf("left is %s, want %s", text, test.want)
		}
	}
}
