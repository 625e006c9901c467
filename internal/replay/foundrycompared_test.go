package replay

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testforge"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

const comparedBase = `// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.0;

contract Vault {
    mapping(address => uint256) public balanceOf;
    address public owner = msg.sender;
    uint256 public rate;

    function deposit() external payable { balanceOf[msg.sender] += msg.value; }
    function setOwner(address next) external { require(msg.sender == owner, "owner"); owner = next; }
    function preview() external view returns (uint256) { require(msg.sender == owner, "owner"); return rate; }
    function share(uint256 n) external pure returns (uint256) { return n == 0 ? 0 : 100 / n; }
    function withdraw(uint256 amount) external {
        require(balanceOf[msg.sender] >= amount, "balance");
        balanceOf[msg.sender] -= amount;
        payable(msg.sender).transfer(amount);
    }
    function rescue() external { payable(owner).transfer(1); }
}
`

// comparedHead is the same with five bugs.
var comparedHead = strings.NewReplacer(
	`{ require(msg.sender == owner, "owner"); owner`, `{ owner`,
	`{ require(msg.sender == owner, "owner"); return`, `{ return`,
	`n == 0 ? 0 : 100 / n`, `100 / n`,
	`        balanceOf[msg.sender] -= amount;`, ``,
	`payable(owner).transfer(1)`, `payable(owner).transfer(2)`,
).Replace(comparedBase)

// comparedCase is a finding of an oracle that compares with the base.
type comparedCase struct {
	name     string
	sequence []string
	asked    *Answer
	wrong    Claim // what does not hold
}

func comparedCases(vault, user common.Address) []comparedCase {
	word := func(n byte) []byte { return common.LeftPadBytes([]byte{n}, wordBytes) }
	balanceOf := append(crypto.Keccak256([]byte("balanceOf(address)"))[:4], common.LeftPadBytes(user[:], wordBytes)...)
	withdrawn := []string{"user1 Vault.deposit() args () value 7", "user1 Vault.withdraw(uint256) args (5)"}
	return []comparedCase{
		{"permission", []string{"user1 Vault.setOwner(address) args (user1)"}, nil, Claim{Fails: &Failure{"reverted", crypto.Keccak256Hash(nil)}}},
		{"guard", []string{"user1 Vault.preview() args ()"}, nil, Claim{Fails: &Failure{"reverted", crypto.Keccak256Hash(nil)}}},
		{"liveness", []string{"user1 Vault.share(uint256) args (0)"}, nil, Claim{}},
		{"balance", withdrawn, &Answer{vault, balanceOf, word(7), word(2)}, Claim{Answer: &Answer{vault, balanceOf, word(2), word(7)}}},
		{"ether", []string{"user1 Vault.deposit() args () value 7", "user2 Vault.rescue() args ()"}, &Answer{vault, nil, word(5), word(6)}, Claim{Answer: &Answer{vault, nil, word(6), word(5)}}},
	}
}

// TestFoundryCompared: what oracles that compare with the base find is confirmed on the head, and its
// exported test fails there and passes on the base.
func TestFoundryCompared(t *testing.T) {
	table := bytecode.NewTable(testsolc.Compile(t, comparedHead, testsolc.Settings{}))
	w, made, err := world.Make(context.Background(), table, world.Options{Targets: []string{"Vault"}})
	if err != nil {
		t.Fatal(err)
	}
	s := snapshotOf(w, made, table)
	tests := map[string][]byte{}
	cases := comparedCases(w.Instances[0].Address, w.Senders[1].Address)
	for _, c := range cases {
		r := &Reproducer{Sequence: append([]string{"sightline-sequence v1"}, c.sequence...),
			Claim: Claim{Kind: FindingClaim, ID: c.name, Oracle: "permission-widened", Contract: "test.sol:Vault", Answer: c.asked, Refused: c.asked == nil && c.name != "liveness"}}
		l := &loaded{path: c.name, reproducer: r, snapshot: s, table: table}
		if err := l.prepare(); err != nil {
			t.Fatal(err)
		}
		l.claimLast(t)
		if !l.confirmed(t) {
			t.Errorf("%s does not hold", c.name)
		}
		right := r.Claim
		r.Claim.Fails, r.Claim.Answer = c.wrong.Fails, c.wrong.Answer
		if l.confirmed(t) {
			t.Errorf("%s holds whatever is claimed", c.name)
		}
		r.Claim = right
		if right.Answer == nil {
			l.target.Entries = []bytecode.Location{{Code: testsolc.Contract(t, table.Contracts(), "Vault").Creation.ID}}
			if l.confirmed(t) {
				t.Errorf("%s holds wherever it is claimed to be", c.name)
			}
		}
		test, err := s.FoundryTest(table, "reproducers/"+c.name+".json", r)
		if err != nil || !test.Fails {
			t.Fatalf("%s: %v", c.name, err)
		}
		tests[c.name+".t.sol"] = []byte(test.Text)
	}
	for version, source := range map[string]string{"Failure": comparedHead, "Success": comparedBase} {
		tests["../test.sol"] = []byte(source)
		results := testforge.Test(t, tests)
		for _, c := range cases {
			got := results["test/"+c.name+".t.sol:Sightline_"+c.name]["test_"+c.name+"()"]
			if got.Status != version || len(got.Logs) > 0 {
				t.Errorf("%s: %+v, want %s\n%s", c.name, got, version, tests[c.name+".t.sol"])
			}
		}
	}
}

// claimLast claims what the last call does, where it ends.
func (l *loaded) claimLast(t *testing.T) {
	t.Helper()
	machine, err := l.machine()
	if err != nil {
		t.Fatal(err)
	}
	exec, _, err := l.run(machine)
	if err != nil {
		t.Fatal(err)
	}
	last := &exec.Calls[len(exec.Calls)-1]
	f := &exec.Frames[last.Frames[0]]
	at := bytecode.Location{Code: f.Program.ID, PC: f.LastPC}
	if i := slices.IndexFunc(f.Storage, func(a evm.StorageAccess) bool { return a.Write }); i >= 0 {
		at.PC = f.Storage[i].PC
	}
	l.target.Entries = []bytecode.Location{at}
	if last.Outcome != evm.Success {
		l.reproducer.Claim.Fails = failureOf(last)
	}
}

// confirmed reports whether the claim holds.
func (l *loaded) confirmed(t *testing.T) bool {
	t.Helper()
	machine, err := l.machine()
	if err != nil {
		t.Fatal(err)
	}
	_, holds, err := l.run(machine)
	if err != nil {
		t.Fatal(err)
	}
	return holds
}

// TestAnswer: an answer is kept in a reproducer's file, and one that no finding has is refused.
func TestAnswer(t *testing.T) {
	read := func(a *Answer) (*Reproducer, error) {
		data, err := (&Reproducer{Sequence: []string{"x"}, Claim: Claim{Kind: FindingClaim, Answer: a}}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		return ReadReproducer(data)
	}
	a := &Answer{common.HexToAddress("0x1234"), []byte{1, 2, 3, 4}, []byte{5}, []byte{6}}
	r, err := read(a)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, r.Claim.Answer); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []*Answer{{Head: bytes.Repeat([]byte{1}, maxAnswer+1)}, {Head: []byte{1}, Base: []byte{1}}, {}} {
		if _, err := read(bad); err == nil {
			t.Errorf("%v is read", bad)
		}
	}
}
