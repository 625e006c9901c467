package oracle

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/signature"
)

// TestNamesOfFunctions: initializers and views of who is in charge are told by their names.
func TestNamesOfFunctions(t *testing.T) {
	for name, want := range map[string]bool{
		"init": true, "initialize": true, "__init": true, "initializeV2": true, "initVault": true, "init_unchained": true, "initialized": true,
		"initiate": false, "reinit": false, "setUp": false, "inits": false, "initz": false, "inita": false, "": false,
	} {
		if isInitializer(name) != want {
			t.Errorf("%s initializes: %t", name, !want)
		}
	}
	for name, want := range map[string]bool{"owner": true, "getOwner": true, "ADMIN": true, "pendingOwner": false, "token": false, "": false} {
		if isCharge(name) != want {
			t.Errorf("%s is in charge: %t", name, !want)
		}
	}
}

// TestAttack: an attack begins with the first of the last calls that are the outsider's or his contract's; nothing before may have named either.
func TestAttack(t *testing.T) {
	outsider, contract := common.Address{0xee}, common.Address{0xef}
	s := &Scene{World: &evm.World{Senders: []evm.Sender{{Address: user}, {Address: outsider, Outsider: true}, {Address: contract, Through: outsider}}}}
	named := append([]byte{1, 2, 3, 4}, common.LeftPadBytes(outsider[:], wordBytes)...)
	for name, c := range map[string]struct {
		callers []common.Address
		inputs  [][]byte
		from    int
		ok      bool
	}{
		"all of it":            {[]common.Address{outsider, contract}, nil, 0, true},
		"the last":             {[]common.Address{user, outsider}, nil, 1, true},
		"the last two":         {[]common.Address{user, contract, outsider}, nil, 1, true},
		"another's comes last": {[]common.Address{outsider, user}, nil, 0, false},
		"another's between":    {[]common.Address{outsider, user, outsider}, nil, 0, false},
		"others alone":         {[]common.Address{user, user}, nil, 2, false},
		"named before":         {[]common.Address{user, outsider}, [][]byte{named, nil}, 0, false},
		"named in it":          {[]common.Address{user, outsider}, [][]byte{nil, named}, 1, true},
	} {
		s.Exec = &evm.Execution{}
		for i, caller := range c.callers {
			f := evm.Frame{Parent: -1, Call: i, Caller: caller}
			if c.inputs != nil {
				f.Input = c.inputs[i]
			}
			s.Exec.Calls = append(s.Exec.Calls, evm.CallResult{Frames: [2]int{i, i + 1}})
			s.Exec.Frames = append(s.Exec.Frames, f)
		}
		if from, ok := s.attack(); ok != c.ok || ok && from != c.from {
			t.Errorf("%s: from %d, %t", name, from, ok)
		}
	}
	for signer, ok := range map[common.Address]bool{user: false, outsider: true, {0x77}: true} {
		s.Exec = &evm.Execution{
			Calls: []evm.CallResult{{Frames: [2]int{0, 2}}},
			Frames: []evm.Frame{
				{Parent: -1, Caller: outsider},
				{Depth: 1, CodeAddress: signature.Ecrecover, Output: common.LeftPadBytes(signer[:], wordBytes)},
			},
		}
		if _, got := s.attack(); got != ok {
			t.Errorf("with a signature of %s: an attack: %t", signer, got)
		}
	}
	if got := s.outsider(); got != outsider {
		t.Errorf("the outsider is %s", got)
	}
	if got := s.outsiders(); !slices.Equal(got, []common.Address{outsider, contract}) {
		t.Errorf("outsiders are %s", got)
	}
	if got := s.insider(); got != user {
		t.Errorf("the insider is %s", got)
	}
	s.World.Senders = s.World.Senders[1:]
	if got := s.insider(); got != outsider {
		t.Errorf("without an insider, insider() is %s", got)
	}
	s.World.Senders = nil
	if got := s.outsider(); got != (common.Address{}) || s.namesOutsider(make([]byte, 64)) {
		t.Errorf("where there is none, the outsider is %s", got)
	}
}

// TestSuspects: executions in which an attacker's contract, a signature or all the gas there is takes part are looked at closely.
func TestSuspects(t *testing.T) {
	kept := func(was, now uint64, keys int, write bool) evm.Frame {
		return evm.Frame{Storage: []evm.StorageAccess{
			{Slot: number(1), Value: uint256.Int{0, 0, 0, was}}, {Slot: number(2), Value: uint256.Int{0, 0, 0, 1 << 63}},
			{Write: write, Slot: number(1), Value: uint256.Int{0, 0, 0, now}, Keys: evm.Keys{Count: keys}},
		}}
	}
	for name, c := range map[string]struct {
		frame evm.Frame
		want  bool
	}{
		"an ordinary call":      {evm.Frame{Caller: user, CodeAddress: vault}, false},
		"the attacker calls":    {evm.Frame{Caller: attacker.Address, CodeAddress: vault}, true},
		"the attacker's code":   {evm.Frame{Caller: vault, CodeAddress: attacker.Address}, true},
		"a signature":           {evm.Frame{Caller: vault, CodeAddress: signature.Ecrecover}, true},
		"all gas":               {evm.Frame{Outcome: evm.OutOfGas, GasUsed: evm.CallGas/2 + 1}, true},
		"half of it":            {evm.Frame{Outcome: evm.OutOfGas, GasUsed: evm.CallGas / 2}, false},
		"much gas, and success": {evm.Frame{GasUsed: evm.CallGas}, false},
		"an account has more than half of all numbers": {kept(1, 1<<63, 1, true), true},
		"less":                   {kept(1, 1<<63-1, 1, true), false},
		"it had as much":         {kept(1<<63, 1<<63, 1, true), false},
		"it is read":             {kept(1, 1<<63, 1, false), false},
		"an allowance":           {kept(1, 1<<63, 2, true), false},
		"a variable of its own":  {kept(1, 1<<63, 0, true), false},
		"it was not read before": {evm.Frame{Storage: []evm.StorageAccess{{Write: true, Value: uint256.Int{0, 0, 0, 1 << 63}, Keys: evm.Keys{Count: 1}}}}, false},
	} {
		if got := IsSuspect(&evm.Execution{Frames: []evm.Frame{{}, c.frame}}); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestBurns: a frame that called one which used more than half of its gas has not used it up itself.
func TestBurns(t *testing.T) {
	for name, c := range map[string]struct {
		frames []evm.Frame
		want   bool
	}{
		"alone":                 {[]evm.Frame{{GasUsed: 100}}, false},
		"a cheap callee":        {[]evm.Frame{{GasUsed: 100}, {Depth: 1, GasUsed: 50}}, false},
		"an expensive one":      {[]evm.Frame{{GasUsed: 100}, {Depth: 1, GasUsed: 51}}, true},
		"further down":          {[]evm.Frame{{GasUsed: 100}, {Depth: 1}, {Depth: 2, GasUsed: 51}}, true},
		"that is another's":     {[]evm.Frame{{GasUsed: 100}, {Depth: 0, GasUsed: 100}}, false},
		"behind another's":      {[]evm.Frame{{GasUsed: 100}, {Depth: 0}, {Depth: 1, GasUsed: 100}}, false},
		"the second of its own": {[]evm.Frame{{GasUsed: 100}, {Depth: 1}, {Depth: 1, GasUsed: 99}}, true},
	} {
		if got := (&Scene{Exec: &evm.Execution{Frames: c.frames}}).burns(0); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestWaysIn: calls into the middle of another are told apart by their function, and by whether they pay, or else write a word that they did not
// find there; what comes behind them does not count.
func TestWaysIn(t *testing.T) {
	at := func(write bool, slot, value uint64) evm.StorageAccess {
		return evm.StorageAccess{Write: write, Slot: number(slot), Value: number(value)}
	}
	inner := func(accesses ...evm.StorageAccess) evm.Frame {
		return evm.Frame{Depth: 2, Input: []byte{8, 8, 8, 8, 8}, Value: number(5), Storage: accesses}
	}
	plain, pays, writes := [4]byte{8, 8, 8, 8}, [4]byte{9, 8, 8, 8}, [4]byte{8, 9, 8, 8}
	for name, c := range map[string]struct {
		frames []evm.Frame
		want   [4]byte
	}{
		"nothing":                      {[]evm.Frame{inner()}, plain},
		"it reads":                     {[]evm.Frame{inner(at(false, 1, 7))}, plain},
		"it writes":                    {[]evm.Frame{inner(at(true, 1, 7))}, writes},
		"another word":                 {[]evm.Frame{inner(at(false, 1, 6), at(true, 1, 7))}, writes},
		"what is there":                {[]evm.Frame{inner(at(false, 1, 7), at(true, 1, 7))}, plain},
		"what is there, then more":     {[]evm.Frame{inner(at(false, 1, 7), at(true, 1, 7), at(true, 2, 7))}, writes},
		"as another contract has it":   {[]evm.Frame{inner(at(false, 1, 7)), {Depth: 3, Storage: []evm.StorageAccess{{Write: true, Address: token, Slot: number(1), Value: number(7)}}}}, writes},
		"it pays":                      {[]evm.Frame{inner(), {Depth: 3, Value: number(1)}}, pays},
		"it calls":                     {[]evm.Frame{inner(), {Depth: 3}}, plain},
		"a callee writes":              {[]evm.Frame{inner(at(false, 1, 7)), {Depth: 3, Storage: []evm.StorageAccess{at(true, 1, 8)}}}, writes},
		"it pays, then writes":         {[]evm.Frame{inner(), {Depth: 3, Value: number(1), Storage: []evm.StorageAccess{at(true, 1, 8)}}}, pays},
		"another pays behind it":       {[]evm.Frame{inner(), {Depth: 2, Value: number(1)}}, plain},
		"a callee of another's writes": {[]evm.Frame{inner(), {Depth: 1}, {Depth: 3, Storage: []evm.StorageAccess{at(true, 1, 8)}}}, plain},
	} {
		s := &Scene{Exec: &evm.Execution{Frames: append([]evm.Frame{{Depth: 0, Value: number(3)}}, c.frames...)}}
		if got, _ := s.waysIn(1); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestMayGain: an attack is worth a look if the attackers get more ether than they pay, or as much and something that is kept for
// them rises, or a contract ends that has ether of others.
func TestMayGain(t *testing.T) {
	outsider, rich := common.Address{0xee}, common.Address{0xcc}
	_, ends := contractOfCode(t, "", code(vm.SELFDESTRUCT))
	gets := func(value uint64) evm.Frame {
		return evm.Frame{Parent: 0, Depth: 1, Kind: evm.KindCall, Caller: vault, Self: outsider, Value: number(value)}
	}
	pays := func(kind evm.CallKind, value uint64) evm.Frame {
		return evm.Frame{Parent: 0, Depth: 1, Kind: kind, Caller: outsider, Self: vault, Value: number(value)}
	}
	kept := func(whom common.Address, was, now uint64) evm.Frame {
		key := evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(whom)}}
		return evm.Frame{Parent: 0, Depth: 1, Storage: []evm.StorageAccess{
			{Address: token, Slot: number(1), Value: number(was), Keys: key}, {Address: token, Order: 1, Write: true, Slot: number(1), Value: number(now), Keys: key}}}
	}
	undone := gets(5)
	undone.Outcome = evm.Reverted
	debit := func(whom common.Address) []evm.StorageAccess {
		return []evm.StorageAccess{{Address: token, Write: true, Slot: number(2), Keys: evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(whom)}}}}
	}
	tokens := func(from, to common.Address, amount byte) evm.Frame {
		return evm.Frame{Parent: 0, Depth: 1, Kind: evm.KindCall, Caller: vault, Self: token, Storage: debit(from), Input: append(word(transferFrom, from, to), word([4]byte{}, common.Address{19: amount})[4:]...)}
	}
	sent := func(from, to common.Address, amount byte) evm.Frame {
		return evm.Frame{Parent: 0, Depth: 1, Kind: evm.KindCall, Caller: from, Self: token, Storage: debit(from), Input: append(word(transfer, to), word([4]byte{}, common.Address{19: amount})[4:]...)}
	}
	undoneTokens, made, wrong, allowed := tokens(outsider, vault, 5), kept(outsider, 3, 4), tokens(outsider, vault, 5), tokens(outsider, vault, 5)
	wrong.Storage = debit(user)
	allowed.Storage = debit(outsider)
	allowed.Storage[0].Keys.Count = 2
	undoneTokens.Outcome = evm.Reverted
	made.Self = token
	for name, c := range map[string]struct {
		frames     []evm.Frame
		want, much bool
	}{
		"nothing":                      {nil, false, false},
		"ether":                        {[]evm.Frame{gets(1)}, true, false},
		"much ether":                   {[]evm.Frame{gets(11)}, true, true},
		"much that is paid as well":    {[]evm.Frame{pays(evm.KindCall, 11), gets(21)}, true, false},
		"much more is kept":            {[]evm.Frame{kept(outsider, 3, 14)}, true, true},
		"ten more are kept":            {[]evm.Frame{kept(outsider, 3, 13)}, true, false},
		"ether that is undone":         {[]evm.Frame{undone}, false, false},
		"more than is paid":            {[]evm.Frame{pays(evm.KindCall, 4), gets(5)}, true, false},
		"as much as is paid":           {[]evm.Frame{pays(evm.KindCall, 5), gets(5)}, false, false},
		"less than is paid":            {[]evm.Frame{pays(evm.KindCall, 6), gets(5)}, false, false},
		"paid with a creation":         {[]evm.Frame{pays(evm.KindCreate, 5), gets(5)}, false, false},
		"paid with a salted creation":  {[]evm.Frame{pays(evm.KindCreate2, 5), gets(5)}, false, false},
		"shown to a library":           {[]evm.Frame{pays(evm.KindDelegateCall, 5), gets(5)}, true, false},
		"more is kept":                 {[]evm.Frame{kept(outsider, 3, 4)}, true, false},
		"as much is kept":              {[]evm.Frame{kept(outsider, 3, 3)}, false, false},
		"less is kept":                 {[]evm.Frame{kept(outsider, 3, 2)}, false, false},
		"more is kept for another":     {[]evm.Frame{kept(user, 3, 4)}, false, false},
		"more is kept, and it is paid": {[]evm.Frame{kept(outsider, 3, 4), pays(evm.KindCall, 1)}, false, false},
		"tokens are paid for it":       {[]evm.Frame{kept(outsider, 3, 4), tokens(outsider, vault, 5)}, false, false},
		"they are sent":                {[]evm.Frame{kept(outsider, 3, 4), sent(outsider, vault, 5)}, false, false},
		"they come back":               {[]evm.Frame{kept(outsider, 3, 4), tokens(outsider, vault, 5), sent(vault, outsider, 5)}, true, false},
		"some come back":               {[]evm.Frame{kept(outsider, 3, 4), tokens(outsider, vault, 5), sent(vault, outsider, 4)}, false, false},
		"they are not paid after all":  {[]evm.Frame{kept(outsider, 3, 4), undoneTokens}, true, false},
		"another pays them":            {[]evm.Frame{kept(outsider, 3, 4), tokens(user, vault, 5)}, true, false},
		"another's are taken":          {[]evm.Frame{kept(outsider, 3, 4), wrong}, true, false},
		"less may be taken":            {[]evm.Frame{kept(outsider, 3, 4), allowed}, true, false},
		"others are made":              {[]evm.Frame{kept(outsider, 3, 4), tokens(outsider, vault, 5), made}, true, false},
		"more, then less is kept":      {[]evm.Frame{kept(outsider, 3, 4), gets(0), kept(user, 3, 2)}, true, false},
		"a contract with ether ends":   {[]evm.Frame{{Parent: 0, Program: ends, Self: rich}}, true, true},
		"one that others pay ends":     {[]evm.Frame{{Parent: 0, Caller: user, Self: vault, Value: number(1)}, {Parent: 0, Program: ends, Self: vault}}, true, true},
		"one that is not paid ends":    {[]evm.Frame{{Parent: 0, Program: ends, Self: vault}}, false, false},
		"one that he pays ends":        {[]evm.Frame{pays(evm.KindCall, 1), {Parent: 0, Program: ends, Self: vault}}, false, false},
	} {
		root := evm.Frame{Parent: -1, Caller: user, Self: vault, Kind: evm.KindTransaction}
		l := &lossAlone{tokens: []common.Address{token}, Scene: &Scene{
			World: &evm.World{Senders: []evm.Sender{{Address: outsider, Outsider: true}}, Accounts: map[common.Address]*evm.Account{rich: {Balance: number(1)}}},
			Exec:  &evm.Execution{Frames: append([]evm.Frame{root}, c.frames...), Calls: []evm.CallResult{{Frames: [2]int{0, 1 + len(c.frames)}}}},
		}}
		if got, much := l.mayGain(); got != c.want || much != c.much {
			t.Errorf("%s: %t, much: %t", name, got, much)
		}
	}
}

// TestMakeTokens: the attackers make tokens by calling any function of a token but a transfer, if their balance is higher then.
func TestMakeTokens(t *testing.T) {
	outsider := common.Address{0xee}
	key := evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(outsider)}}
	call := func(caller, of common.Address, input []byte, now uint64) evm.Frame {
		return evm.Frame{Parent: -1, Kind: evm.KindTransaction, Caller: caller, Self: of, Input: input, Storage: []evm.StorageAccess{
			{Address: of, Slot: number(1), Value: number(3), Keys: key}, {Address: of, Order: 1, Write: true, Slot: number(1), Value: number(now), Keys: key}}}
	}
	mint := word([4]byte{1, 2, 3, 4}, outsider)
	moved := append(word(transferFrom, user, outsider), make([]byte, wordBytes)...)
	for name, c := range map[string]struct {
		frame evm.Frame
		want  bool
	}{
		"made":                  {call(outsider, token, mint, 4), true},
		"burned":                {call(outsider, token, mint, 2), false},
		"by another":            {call(user, token, mint, 4), false},
		"of no token":           {call(outsider, vault, mint, 4), false},
		"taken from another":    {call(outsider, token, moved, 4), false},
		"may be taken":          {call(outsider, token, word(approve, user), 4), false},
		"as much as there were": {call(outsider, token, mint, 3), false},
	} {
		l := &lossAlone{tokens: []common.Address{token}, Scene: &Scene{
			World: &evm.World{Senders: []evm.Sender{{Address: outsider, Outsider: true}}},
			Exec:  &evm.Execution{Frames: []evm.Frame{c.frame}, Calls: []evm.CallResult{{Frames: [2]int{0, 1}}}},
		}}
		if got := l.makeTokens(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestLends: who lends a token looks at what it has of it around a call, and has sent some before. Whoever is told which token it is lends none of its own.
func TestLends(t *testing.T) {
	says := func(to common.Address, data []byte) evm.Frame {
		return evm.Frame{Parent: 0, Kind: evm.KindCall, Caller: vault, Self: to, Input: data}
	}
	looks, sends := says(token, word(balanceOf, vault)), says(token, word(transfer, user))
	calls, undone := says(attacker.Address, nil), sends
	undone.Outcome = evm.Reverted
	for name, c := range map[string]struct {
		told   []byte
		frames []evm.Frame // the third one is the call
		want   bool
	}{
		"lends":              {nil, []evm.Frame{looks, sends, calls, looks}, true},
		"does not look":      {nil, []evm.Frame{says(token, nil), sends, calls, looks}, false},
		"looks at another's": {nil, []evm.Frame{says(token, word(balanceOf, user)), sends, calls, looks}, false},
		"does not send":      {nil, []evm.Frame{looks, looks, calls, looks}, false},
		"sends in vain":      {nil, []evm.Frame{looks, undone, calls, looks}, false},
		"sends another one":  {nil, []evm.Frame{looks, says(user, word(transfer, user)), calls, looks}, false},
		"does not ask again": {nil, []evm.Frame{looks, sends, calls, sends}, false},
		"is told which":      {word(approve, token), []evm.Frame{looks, sends, calls, looks}, false},
	} {
		root := evm.Frame{Parent: -1, Self: vault, Input: c.told}
		s := &Scene{Exec: &evm.Execution{Frames: append([]evm.Frame{root}, c.frames...), Calls: []evm.CallResult{{Frames: [2]int{0, 1 + len(c.frames)}}}}}
		if got := s.lends(3, token); got != c.want {
			t.Errorf("one that %s: %t", name, got)
		}
	}
}

// TestKnowsOthers: code that calls functions of other contracts asks whether there is code, or forbids it to write. Its metadata may hold any bytes.
func TestKnowsOthers(t *testing.T) {
	metadata := append([]byte{0xa1, 0x65, 'b', 'z', 'z', 'r', '0', 0x58, 0x20}, make([]byte, 32)...)
	metadata[20] = byte(vm.EXTCODESIZE)
	metadata = append(metadata, 0, byte(len(metadata)))
	for name, c := range map[string]struct {
		code []byte
		want bool
	}{
		"pays":              {code(vm.CALL, vm.STOP), false},
		"pushes":            {code([]byte{byte(vm.STATICCALL)}, vm.STOP), false},
		"asks for code":     {code(vm.EXTCODESIZE, vm.CALL, vm.STOP), true},
		"asks a view":       {code(vm.STATICCALL, vm.STOP), true},
		"runs other code":   {code(vm.DELEGATECALL, vm.STOP), true},
		"makes a contract":  {code(vm.CREATE2, vm.STOP), true},
		"with metadata":     {append(code(vm.CALL, vm.STOP, vm.INVALID), metadata...), false},
		"asks, in the code": {append(code(vm.EXTCODESIZE, vm.STOP, vm.INVALID), metadata...), true},
	} {
		_, p := contractOfCode(t, "", c.code)
		if got := knowsOthers(p); got != c.want {
			t.Errorf("code that %s: %t", name, got)
		}
	}
}

// TestTakesPartIn: an account takes part in a call where its code runs, and that lasts.
func TestTakesPartIn(t *testing.T) {
	s := &Scene{Exec: &evm.Execution{
		Frames: []evm.Frame{{Parent: -1, Self: user}, {Parent: -1, Self: vault}, {Parent: 1, Self: token}, {Parent: 1, Self: stranger, Outcome: evm.Reverted}, {Parent: -1, Self: user}},
		Calls:  []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, 4}}, {Frames: [2]int{4, 5}}},
	}}
	for account, want := range map[common.Address]bool{vault: true, token: true, stranger: false, user: false} {
		if got := s.takesPart(1, account); got != want {
			t.Errorf("%s takes part: %t", account, got)
		}
	}
}

// TestEntrusts: attempts on a contract to which others have entrusted something are told from those on one that has nothing.
func TestEntrusts(t *testing.T) {
	mine := evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(vault)}}
	access := func(write bool, value uint64, keys evm.Keys) []evm.StorageAccess {
		return []evm.StorageAccess{{Write: write, Value: number(value), Keys: keys}}
	}
	for name, c := range map[string]struct {
		frame evm.Frame
		want  [4]byte
	}{
		"nothing":                    {evm.Frame{Parent: -1, Self: token}, [4]byte{}},
		"a balance":                  {evm.Frame{Parent: -1, Self: token, Storage: access(true, 5, mine)}, [4]byte{1}},
		"a balance, by its own code": {evm.Frame{Parent: -1, Self: vault, Storage: access(true, 5, mine)}, [4]byte{1, 1}},
		"a balance that is read":     {evm.Frame{Parent: -1, Self: token, Storage: access(false, 5, mine)}, [4]byte{}},
		"a balance of zero":          {evm.Frame{Parent: -1, Self: token, Storage: access(true, 0, mine)}, [4]byte{}},
		"a balance of another":       {evm.Frame{Parent: -1, Self: token, Storage: access(true, 5, evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(user)}})}, [4]byte{}},
		"a key that is not one":      {evm.Frame{Parent: -1, Self: token, Storage: access(true, 5, evm.Keys{Words: mine.Words})}, [4]byte{}},
		"in the attack":              {evm.Frame{Parent: -1, Call: 1, Self: token, Storage: access(true, 5, mine)}, [4]byte{}},
	} {
		s := &Scene{Exec: &evm.Execution{Frames: []evm.Frame{c.frame}, Calls: []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, 1}}}}}
		if got := s.entrusts(1, vault); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
