package compare

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// TestIsNamed: an owner who makes the attacker's contract the owner has not let anyone be it.
func TestIsNamed(t *testing.T) {
	const owner, outsider, contract, user = 0, 1, 2, 3
	at := func(sender int) common.Address { return common.Address{19: byte(sender + 1)} }
	space, err := input.NewSpace(&evm.World{Senders: []evm.Sender{
		owner:    {Name: "owner", Address: at(owner)},
		outsider: {Name: "outsider", Address: at(outsider), Outsider: true},
		contract: {Name: "attackerContract", Address: at(contract), Through: at(outsider)},
		user:     {Name: "user", Address: at(user)},
	}}, input.SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	inputs, err := abi.Parse("(address)")
	if err != nil {
		t.Fatal(err)
	}
	names := func(sender, named int) input.Call {
		var value abi.Value
		value.Word.SetBytes20(at(named).Bytes())
		return input.Call{Sender: sender, Function: &input.Function{Inputs: inputs}, Args: []abi.Value{value}}
	}
	table := &table{Sides: &Sides{Head: &deploy.Deployment{Space: space}}}
	for _, test := range []struct {
		what                 string
		first, named, caller int
		want                 bool
	}{
		{"the owner names the caller", owner, outsider, outsider, true},
		{"the owner names the contract, which the outsider calls", owner, contract, outsider, true},
		{"the owner names the contract, which a user calls", owner, contract, user, true},
		{"the owner names another", owner, user, outsider, false},
		{"the caller names itself", outsider, outsider, outsider, false},
		{"the outsider names the contract, which a user calls", outsider, contract, user, false},
	} {
		if got := table.isNamed(input.Sequence{names(test.first, test.named), names(test.caller, owner)}, 1); got != test.want {
			t.Errorf("%s: %v", test.what, got)
		}
	}
}
