package fuzzer

import (
	"context"
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

// TestStores: a call whose path is known is new when it writes in another way: zero where there was zero, a number, zero
// where there was a number. Calls that fail write nothing.
func TestStores(t *testing.T) {
	w, p := solver(t, "planted/fee.sol")
	b := batch{task: task{calls: 10_000}}
	for _, test := range []struct {
		calls string
		isNew bool
	}{
		{"deployer Fee.setFee(uint256) args (0)", true},
		{"deployer Fee.setFee(uint256) args (0)", false},
		{"deployer Fee.setFee(uint256) args (5)", true}, // the same path
		{"deployer Fee.setFee(uint256) args (3)", false},
		{"deployer Fee.setFee(uint256) args (5); deployer Fee.setFee(uint256) args (0)", false}, // nothing was read before
		{"deployer Fee.setFee(uint256) args (1001)", true},                                      // another path
		{"deployer Fee.mint(address,uint256) args (user1, 0)", true},
		{"deployer Fee.mint(address,uint256) args (user1, 9)", true},
		{"deployer Fee.mint(address,uint256) args (user1, 9); deployer Fee.mint(address,uint256) args (user1, 0)", false},
		{"deployer Fee.mint(address,uint256) args (user1, 9); user1 Fee.transfer(address,uint256) args (user2, 0)", true},
		{"deployer Fee.mint(address,uint256) args (user1, 9); user1 Fee.transfer(address,uint256) args (user2, 9)", true},
		{"deployer Fee.mint(address,uint256) args (user1, 9); user1 Fee.transfer(address,uint256) args (user2, 5)", true}, // some is left
		{"deployer Fee.mint(address,uint256) args (user1, 8); user1 Fee.transfer(address,uint256) args (user2, 4)", false},
	} {
		_, isNew, ok := w.try(context.Background(), parse(t, p.space, test.calls), &b)
		if !ok || isNew != test.isNew {
			t.Errorf("%s: new: %t, want %t", test.calls, isNew, test.isNew)
		}
	}
}

// TestStoresOfTheAttacker: what is kept for the attacker's contract is written in ways of its own in audits, and what took a call in the name of a
// contract of the World is new once more without.
func TestStoresOfTheAttacker(t *testing.T) {
	w, p := solverAttacking(t, "units/purse.sol")
	known := newStores(true)
	for _, test := range []struct {
		calls           string
		presumed, isNew bool
	}{
		{"user1 Purse.give(address,uint256) args (user2, 5)", false, true},
		{"user1 Purse.give(address,uint256) args (user1, 6)", false, false},
		{"user1 Purse.give(address,uint256) args (attackerContract, 5)", true, true},
		{"user1 Purse.give(address,uint256) args (attackerContract, 7)", true, false},
		{"user1 Purse.give(address,uint256) args (attackerContract, 5)", false, true},
		{"user1 Purse.give(address,uint256) args (attackerContract, 5)", false, false},
		{"user1 Purse.give(address,uint256) args (attackerContract, 7)", true, false},
	} {
		exec, err := w.machine.Run(p.space.Encode(parse(t, p.space, test.calls), nil))
		if err != nil {
			t.Fatal(err)
		}
		if isNew := known.add(exec, test.presumed) != 0; isNew != test.isNew {
			t.Errorf("%s, presumed: %t: new: %t, want %t", test.calls, test.presumed, isNew, test.isNew)
		}
	}
}

// TestCalledBackWithMore: a function that has called the attacker's contract back is news again once it changes something then, whatever that
// contract does in the middle.
func TestCalledBackWithMore(t *testing.T) {
	w, p := solverAttacking(t, "units/purse.sol")
	asked := input.NewAsked()
	const gives = "user1 Purse.give(address,uint256) args (attackerContract, 5); "
	for _, test := range []struct {
		calls    string
		presumed bool
		want     []int
	}{
		{"attackerContract Purse.take(uint256) args (0)", false, []int{0}},
		{"attackerContract Purse.take(uint256) args (0)", false, nil},
		{"attackerContract Purse.take(uint256) args (0) on onTaken(uint256) times 1 calls {Purse.give(address,uint256) args (user1, 5)}", false, nil},
		{gives + "attackerContract Purse.take(uint256) args (6)", false, nil}, // it fails
		{gives + "attackerContract Purse.take(uint256) args (5)", true, []int{1}},
		{gives + "attackerContract Purse.take(uint256) args (5)", true, nil},
		{gives + "attackerContract Purse.take(uint256) args (4)", false, []int{1}},
		{gives + "attackerContract Purse.take(uint256) args (5)", false, nil},
	} {
		seq := parse(t, p.space, test.calls)
		exec, err := w.machine.Run(p.space.Encode(seq, nil))
		if err != nil {
			t.Fatal(err)
		}
		if got := asked.Observe(seq, exec, test.presumed); !slices.Equal(got, test.want) {
			t.Errorf("%s: %d, want %d", test.calls, got, test.want)
		}
	}
}

// TestPresumedFindingsGiveWay: a finding that takes a call in the name of a contract is dropped where the same happens without, also where it
// is less severe then; of several that do without, the most severe is kept.
func TestPresumedFindingsGiveWay(t *testing.T) {
	p := open(t, "units/purse.sol")
	w := *p.world
	purse := slices.IndexFunc(w.Instances, func(in evm.Instance) bool { return in.Name == "Purse" })
	w.Senders = append(slices.Clip(w.Senders), evm.Sender{Name: "purse", Address: w.Instances[purse].Address})
	space, err := input.NewSpace(&w, input.SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const plain, presumed = "user1 Purse.take(uint256) args (0)", "purse Purse.take(uint256) args (0)"
	finding := func(calls string, severity oracle.Severity) *Finding {
		return &Finding{Oracle: oracle.Reentrancy, Severity: severity, Sequence: parse(t, space, calls)}
	}
	c := Campaign{Config: Config{Space: space}}
	for _, test := range []struct {
		found []*Finding
		kept  []int
	}{
		{[]*Finding{finding(presumed, oracle.High)}, []int{0}},
		{[]*Finding{finding(presumed, oracle.High), finding(plain, oracle.Low)}, []int{1}},
		{[]*Finding{finding(plain, oracle.High), finding(presumed, oracle.High)}, []int{0}},
		{[]*Finding{finding(plain, oracle.Low), finding(plain, oracle.High)}, []int{1}}, // the first was presumed before it was minimized
		{[]*Finding{finding(plain, oracle.High), finding(plain, oracle.High)}, []int{0}},
	} {
		c.result.Findings = slices.Clone(test.found)
		c.dropPresumed()
		var want []*Finding
		for _, i := range test.kept {
			want = append(want, test.found[i])
		}
		if !slices.Equal(c.result.Findings, want) {
			t.Errorf("%d of %d are kept, want %d", len(c.result.Findings), len(test.found), test.kept)
		}
	}
	c.result.Findings = nil
	for _, f := range []*Finding{finding(presumed, oracle.High), finding(plain, oracle.Low), finding(plain, oracle.High)} {
		c.keepFinding(f)
	}
	if n := len(c.result.Findings); n != 2 {
		t.Errorf("%d findings are kept, want the presumed one and the more severe one of the others", n)
	}
	for range 2 {
		for _, seen := range []observation{{oracle: oracle.Reentrancy, presumed: true}, {oracle: oracle.Reentrancy}} {
			c.deferFinding(seen, &discovery{})
		}
	}
	if n := len(c.docket.findings); n != 2 {
		t.Errorf("%d findings wait, want the presumed one and the other", n)
	}
	if !c.knownWorse(findingKey{oracle: oracle.Reentrancy.ID, severity: oracle.Medium}, false) || c.knownWorse(findingKey{oracle: oracle.Reentrancy.ID, severity: oracle.Critical}, false) {
		t.Error("what is known is not what is at least as severe")
	}
}
