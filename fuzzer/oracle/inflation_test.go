package oracle

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestInflationCalls: attackers who are given tokens make calls, another account makes one call, and the attackers go on.
func TestInflationCalls(t *testing.T) {
	outsider, contract := common.Address{0xee}, common.Address{0xef}
	gives := func(to common.Address) []byte { return append(word(transfer, to), make([]byte, wordBytes)...) }
	const at = 5 // where the payment is, if one lets tokens be taken
	gift := evm.Call{From: user, To: token, Data: gives(contract)}
	attack := evm.Call{From: contract, To: vault, Data: []byte{1, 2, 3, 4}}
	donate := evm.Call{From: contract, To: token, Data: gives(vault)}
	lets := evm.Call{From: user, To: token, Data: word(approve, vault)}
	pays := evm.Call{From: user, To: vault, Data: []byte{5, 6, 7, 8}}
	changed := func(c evm.Call, change func(*evm.Call)) evm.Call { change(&c); return c }
	later := func(c *evm.Call) { c.TimeAdvance = 1 }
	for name, c := range map[string]struct {
		calls      evm.Sequence
		fails      int // the call that does, from 1
		from, paid int
		ok         bool
	}{
		"a payment":                       {evm.Sequence{gift, attack, pays, attack}, 0, 1, 2, true},
		"that lets tokens be taken":       {evm.Sequence{pays, gift, attack, donate, lets, pays, attack, attack}, 0, 2, at, true},
		"by another than was given":       {evm.Sequence{gift, attack, changed(pays, func(c *evm.Call) { c.From = stranger }), attack}, 0, 1, 2, true},
		"an attack's call that fails":     {evm.Sequence{gift, attack, attack, pays, attack}, 2, 1, 3, true},
		"no payment":                      {evm.Sequence{gift, attack, attack}, 0, 0, 0, false},
		"no attack before":                {evm.Sequence{gift, pays, attack}, 0, 0, 0, false},
		"no attack behind":                {evm.Sequence{gift, attack, pays}, 0, 0, 0, false},
		"only an attack":                  {evm.Sequence{attack}, 0, 0, 0, false},
		"only payments":                   {evm.Sequence{pays}, 0, 0, 0, false},
		"no gift":                         {evm.Sequence{attack, pays, attack}, 0, 0, 0, false},
		"a payment that fails":            {evm.Sequence{gift, attack, pays, attack}, 3, 0, 0, false},
		"two payments":                    {evm.Sequence{gift, attack, pays, pays, attack}, 0, 0, 0, false},
		"let by another":                  {evm.Sequence{gift, attack, changed(lets, func(c *evm.Call) { c.From = stranger }), pays, attack}, 0, 0, 0, false},
		"after some time":                 {evm.Sequence{gift, changed(attack, later), pays, attack}, 0, 0, 0, false},
		"paid after some time":            {evm.Sequence{gift, attack, changed(pays, later), attack}, 0, 0, 0, false},
		"taken after a block":             {evm.Sequence{gift, attack, pays, changed(attack, func(c *evm.Call) { c.BlockAdvance = 1 })}, 0, 0, 0, false},
		"on what is not looked at":        {evm.Sequence{gift, attack, pays, changed(attack, func(c *evm.Call) { c.To = stranger })}, 0, 0, 0, false},
		"paid to what is not looked at":   {evm.Sequence{gift, attack, changed(pays, func(c *evm.Call) { c.To = stranger }), attack}, 0, 0, 0, false},
		"a payment that names attackers":  {evm.Sequence{gift, attack, changed(pays, func(c *evm.Call) { c.Data = word([4]byte{5, 6, 7, 8}, outsider) }), attack}, 0, 0, 0, false},
		"an attack before all":            {evm.Sequence{attack, gift, attack, pays, attack}, 0, 0, 0, false},
		"others that name them before it": {evm.Sequence{changed(pays, func(c *evm.Call) { c.Data = word([4]byte{5, 6, 7, 8}, outsider) }), gift, attack, pays, attack}, 0, 0, 0, false},
	} {
		s := sceneOfCalls(c.calls, c.fails, outsider, contract)
		l, ok := s.inflation()
		if ok != c.ok || ok && (l.from != c.from || l.paid != c.paid || l.payer != c.calls[c.paid].From || !slices.Equal(l.given, []string{"token"})) {
			t.Errorf("%s: from %d, paid in %d by %v, given %v: %t", name, l.from, l.paid, l.payer, l.given, ok)
		}
	}
}

// sceneOfCalls is a scene in which calls were made, of which one may fail, the first being 1: there are a vault that the change adds, a mock, and two tokens.
func sceneOfCalls(calls evm.Sequence, fails int, outsider, contract common.Address) *Scene {
	second := common.Address{0xbc}
	s := &Scene{
		Added: []string{"C.sol:C", "mocks/M.sol:M"},
		World: &evm.World{
			Senders: []evm.Sender{{Address: user}, {Address: outsider, Outsider: true}, {Address: contract, Through: outsider}},
			Instances: []evm.Instance{
				{Name: "vault", Address: vault, Contract: &bytecode.Contract{Source: "C.sol", Name: "C"}}, {Name: "token", Address: token}, {Name: "second", Address: second},
				{Name: "mock", Address: user, Contract: &bytecode.Contract{Source: "mocks/M.sol", Name: "M"}},
			},
		},
		Calls:     func() evm.Sequence { return calls },
		Exec:      &evm.Execution{},
		tokenList: &[]common.Address{token, second},
	}
	for i, call := range calls {
		result := evm.CallResult{Frames: [2]int{i, i + 1}}
		if i+1 == fails {
			result.Outcome = evm.Reverted
		}
		s.Exec.Calls = append(s.Exec.Calls, result)
		s.Exec.Frames = append(s.Exec.Frames, evm.Frame{Parent: -1, Call: i, Caller: call.From, Input: call.Data})
	}
	return s
}

// TestNotes: what a payment notes for who pays is a word that is kept for it, or names it, and that rises; what the token that is paid keeps does not count.
func TestNotes(t *testing.T) {
	kept := evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(user)}}
	write := func(order uint32, value uint256.Int) evm.StorageAccess {
		return evm.StorageAccess{Address: vault, Order: order, Write: true, Slot: number(1), Value: value, Keys: kept}
	}
	changed := func(a evm.StorageAccess, change func(*evm.StorageAccess)) evm.StorageAccess { change(&a); return a }
	read := changed(write(0, number(5)), func(a *evm.StorageAccess) { a.Write = false })
	for name, c := range map[string]struct {
		storage []evm.StorageAccess
		outcome evm.Outcome
		want    bool
	}{
		"more":                {[]evm.StorageAccess{read, write(1, number(6))}, evm.Success, true},
		"as much":             {[]evm.StorageAccess{read, write(1, number(5))}, evm.Success, false},
		"less":                {[]evm.StorageAccess{read, write(1, number(4))}, evm.Success, false},
		"that does not last":  {[]evm.StorageAccess{read, write(1, number(6))}, evm.Reverted, false},
		"read":                {[]evm.StorageAccess{read}, evm.Success, false},
		"for another account": {[]evm.StorageAccess{changed(write(1, number(6)), func(a *evm.StorageAccess) { a.Keys.Words[0] = accountWord(stranger) })}, evm.Success, false},
		"by the token":        {[]evm.StorageAccess{changed(write(1, number(6)), func(a *evm.StorageAccess) { a.Address = token })}, evm.Success, false},
		"its name":            {[]evm.StorageAccess{changed(write(1, accountWord(user)), func(a *evm.StorageAccess) { a.Keys.Count = 0 })}, evm.Success, true},
		"another's name":      {[]evm.StorageAccess{changed(write(1, accountWord(stranger)), func(a *evm.StorageAccess) { a.Keys.Count = 0 })}, evm.Success, false},
	} {
		l := &inflation{payer: user, lossAlone: lossAlone{Scene: &Scene{Exec: &evm.Execution{
			Calls:  []evm.CallResult{{Frames: [2]int{0, 1}}},
			Frames: []evm.Frame{{Parent: -1, Outcome: c.outcome, Storage: c.storage}},
		}}}}
		if got := l.notes(0, token); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
