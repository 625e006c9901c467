package input

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestRecast: what a property's test says of senders leaves out no call: those that it names make them, under their own names. What it
// says of contracts does.
func TestRecast(t *testing.T) {
	s := testSpace(t, true)
	property := Callable{Instance: 1, Function: s.Properties()[0].Function} // of the other vault
	scoped := func(scope *evm.Scope) *Space {
		out := *s
		out.Instances = append([]Instance{}, s.Instances...)
		out.Instances[property.Instance].Scope = scope
		return &out
	}
	user1, attacker := s.Senders[1].Address, s.Senders[2].Address
	const calls = "deployer Vault.withdraw(uint96,address) args (1, deployer)\nattacker Token.transfer(address,uint256) args (deployer, 2)"
	token := s.Instances[2].Address
	for _, test := range []struct {
		name  string
		scope *evm.Scope
		want  string
	}{
		{"no scope", nil, calls},
		{"nothing about senders", &evm.Scope{ExcludedContracts: []common.Address{token}}, "deployer Vault.withdraw(uint96,address) args (1, deployer)"},
		{"one sender", &evm.Scope{Senders: []common.Address{user1}}, "user1 Vault.withdraw(uint96,address) args (1, user1)\nuser1 Token.transfer(address,uint256) args (deployer, 2)"},
		{"a sender who does not", &evm.Scope{ExcludedSenders: []common.Address{s.Senders[0].Address}}, "user1 Vault.withdraw(uint96,address) args (1, user1)\nattacker Token.transfer(address,uint256) args (deployer, 2)"},
		{"a sender, and a contract", &evm.Scope{Senders: []common.Address{attacker}, Contracts: []common.Address{token}}, "attacker Token.transfer(address,uint256) args (deployer, 2)"},
		{"a sender that there is not", &evm.Scope{Senders: []common.Address{{0x99}}}, ""},
	} {
		seq, err := Parse(s, textVersion+"\n"+calls+"\n")
		if err != nil {
			t.Fatal(err)
		}
		want, err := Parse(s, textVersion+"\n"+test.want+"\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := scoped(test.scope).Recast(property, seq); !got.Equal(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, Format(s, got), Format(s, want))
		}
		if again, _ := Parse(s, textVersion+"\n"+calls+"\n"); !seq.Equal(again) {
			t.Errorf("%s: the sequence itself has changed", test.name)
		}
	}
}

// TestTester: what a tester asserts is about its own calls, where its scope says so; a property is none of its functions.
func TestTester(t *testing.T) {
	s := testSpace(t, true)
	vault := s.Instances[0].Address
	for _, test := range []struct {
		name  string
		scope *evm.Scope
		calls string
		want  bool
		left  int // of the calls
	}{
		{"no scope", nil, "user1 Vault.pause()", false, 0},
		{"another's", &evm.Scope{Contracts: []common.Address{s.Instances[2].Address}}, "user1 Vault.pause()", false, 0},
		{"its own", &evm.Scope{Contracts: []common.Address{vault}}, "user1 Vault#2.pause()\nuser1 Vault.pause()", true, 1},
		{"its own alone", &evm.Scope{Contracts: []common.Address{vault}}, "user1 Vault.pause()\nuser1 Vault.pause()", true, 2},
		{"another contract", &evm.Scope{Contracts: []common.Address{vault}}, "user1 Vault.pause()\nuser1 Vault#2.pause()", false, 0},
	} {
		space := *s
		space.Instances = append([]Instance{}, s.Instances...)
		space.Instances[0].Scope, space.scoped = test.scope, true
		seq, err := Parse(s, textVersion+"\n"+test.calls+"\n")
		if err != nil {
			t.Fatal(err)
		}
		tester, ok := space.Tester(seq)
		if ok != test.want || ok && len(space.Within(tester, seq)) != test.left {
			t.Errorf("%s: %v", test.name, ok)
		}
	}
}
