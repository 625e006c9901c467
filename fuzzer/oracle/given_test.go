package oracle

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestGiven: tokens are given by a plain transfer of another account, right before an attack in which no time passes, on what is looked at.
func TestGiven(t *testing.T) {
	outsider, contract := common.Address{0xee}, common.Address{0xef}
	other := common.Address{0xbc} // a second token
	const second = "second"
	transferTo := func(to common.Address, more ...byte) []byte {
		return append(append(word(transfer, to), common.LeftPadBytes([]byte{7}, wordBytes)...), more...)
	}
	gift := evm.Call{From: user, To: token, Data: transferTo(contract)}
	attack := evm.Call{From: contract, To: vault, Data: []byte{1, 2, 3, 4}}
	lets := evm.Call{From: contract, To: token, Data: word(approve, vault)}
	pays := evm.Call{From: user, To: vault, Data: []byte{5, 6, 7, 8}}
	changed := func(c evm.Call, change func(*evm.Call)) evm.Call { change(&c); return c }
	for name, c := range map[string]struct {
		calls  evm.Sequence
		fails  int // the call that does, from 1
		from   int
		tokens []string
		ok     bool
	}{
		"a gift":                          {evm.Sequence{gift, attack}, 0, 1, []string{"token"}, true},
		"to the outsider":                 {evm.Sequence{changed(gift, func(c *evm.Call) { c.Data = transferTo(outsider) }), attack}, 0, 1, []string{"token"}, true},
		"behind others' calls":            {evm.Sequence{pays, gift, lets, attack, attack}, 0, 2, []string{"token"}, true},
		"two":                             {evm.Sequence{gift, changed(gift, func(c *evm.Call) { c.To = other }), attack}, 0, 2, []string{second, "token"}, true},
		"the same twice":                  {evm.Sequence{gift, gift, attack}, 0, 2, []string{"token"}, true},
		"what fails behind others' calls": {evm.Sequence{pays, gift, attack}, 1, 2, []string{"token"}, true},
		"no gift":                         {evm.Sequence{pays, attack}, 0, 0, nil, false},
		"alone":                           {evm.Sequence{attack}, 0, 0, nil, false},
		"no attack":                       {evm.Sequence{pays, gift}, 0, 0, nil, false},
		"not right before":                {evm.Sequence{gift, pays, attack}, 0, 0, nil, false},
		"an attack before":                {evm.Sequence{attack, gift, attack}, 0, 0, nil, false},
		"one that fails":                  {evm.Sequence{gift, attack}, 1, 0, nil, false},
		"to another account":              {evm.Sequence{changed(gift, func(c *evm.Call) { c.Data = transferTo(stranger) }), attack}, 0, 0, nil, false},
		"another function":                {evm.Sequence{changed(gift, func(c *evm.Call) { c.Data = append([]byte{9, 9, 9, 9}, c.Data[4:]...) }), attack}, 0, 0, nil, false},
		"with something else":             {evm.Sequence{changed(gift, func(c *evm.Call) { c.Data = transferTo(contract, 1) }), attack}, 0, 0, nil, false},
		"of no token":                     {evm.Sequence{changed(gift, func(c *evm.Call) { c.To = vault }), attack}, 0, 0, nil, false},
		"with ether":                      {evm.Sequence{changed(gift, func(c *evm.Call) { c.Value = number(1) }), attack}, 0, 0, nil, false},
		"after some time":                 {evm.Sequence{changed(gift, func(c *evm.Call) { c.TimeAdvance = 1 }), attack}, 0, 0, nil, false},
		"after a block":                   {evm.Sequence{changed(gift, func(c *evm.Call) { c.BlockAdvance = 1 }), attack}, 0, 0, nil, false},
		"an attack after some time":       {evm.Sequence{gift, changed(attack, func(c *evm.Call) { c.TimeAdvance = 1 })}, 0, 1, []string{"token"}, true},
		"an attack after a block":         {evm.Sequence{gift, attack, changed(attack, func(c *evm.Call) { c.BlockAdvance = 1 })}, 0, 1, []string{"token"}, true},
		"on what is not looked at":        {evm.Sequence{gift, changed(attack, func(c *evm.Call) { c.To = stranger })}, 0, 0, nil, false},
		"on a mock":                       {evm.Sequence{gift, changed(attack, func(c *evm.Call) { c.To = user })}, 0, 0, nil, false},
		"another call of the token":       {evm.Sequence{gift, changed(lets, func(c *evm.Call) { c.Data = transferTo(vault) }), attack}, 0, 0, nil, false},
		"named by another before":         {evm.Sequence{changed(pays, func(c *evm.Call) { c.Data = word([4]byte{5, 6, 7, 8}, outsider) }), gift, attack}, 0, 0, nil, false},
	} {
		s := sceneOfCalls(c.calls, c.fails, outsider, contract)
		from, tokens, ok := s.given()
		if ok != c.ok || ok && (from != c.from || !slices.Equal(tokens, c.tokens)) {
			t.Errorf("%s: %v from %d, %t", name, tokens, from, ok)
		}
	}
}

// TestWordAtBegin: what is in a word's place when an attack begins is what was written last before it, and lasts.
func TestWordAtBegin(t *testing.T) {
	at := func(order uint32, write bool, slot, value uint64) evm.StorageAccess {
		return evm.StorageAccess{Address: vault, Order: order, Write: write, Slot: number(slot), Value: number(value)}
	}
	l := &lossAlone{from: 1, Scene: &Scene{Exec: &evm.Execution{
		Calls: []evm.CallResult{{Frames: [2]int{0, 3}}, {Frames: [2]int{3, 4}}},
		Frames: []evm.Frame{
			{Parent: -1, Storage: []evm.StorageAccess{at(0, false, 1, 5), at(3, true, 1, 8), at(4, false, 2, 6), {Address: token, Order: 5, Write: true, Slot: number(1), Value: number(9)}}},
			{Parent: 0, Storage: []evm.StorageAccess{at(1, true, 1, 7)}},
			{Parent: 0, Outcome: evm.Reverted, Storage: []evm.StorageAccess{at(6, true, 1, 1)}},
			{Parent: -1, Call: 1, Storage: []evm.StorageAccess{at(7, true, 1, 2), at(8, true, 2, 3)}},
		},
	}}}
	for slot, want := range map[uint64]byte{1: 8, 2: 6, 3: 0} {
		access := at(9, true, slot, 0)
		if got := l.wordAtBegin(&access); got != [wordBytes]byte{31: want} {
			t.Errorf("slot %d: %x", slot, got)
		}
	}
}

// TestIsMock: a folder says that a contract is a mock, or a word of its name.
func TestIsMock(t *testing.T) {
	for name, want := range map[string]bool{
		"src/mocks/Token.sol:Token": true, "mock/Token.sol:Token": true, "src/MockWETH.sol:MockWETH": true, "src/A.sol:ERC20Mock": true, "src/A.sol:TokenMock2": true,
		"src/A.sol:mock_token": true, "src/A.sol:MOCK": true, "sightline:TestToken": true,
		"src/Token.sol:Token": false, "src/Hammock.sol:Hammock": false, "src/mockery/A.sol:A": false, "src/A.sol:Mockingbird": false,
	} {
		if isMock(name) != want {
			t.Errorf("%s is a mock: %t", name, !want)
		}
	}
}
