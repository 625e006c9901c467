package oracle

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestCovers: a list is gone through where one word of each element is read: elements of one size, in a row.
func TestCovers(t *testing.T) {
	set := func(indexes ...uint64) map[uint64]bool {
		m := map[uint64]bool{}
		for _, i := range indexes {
			m[i] = true
		}
		return m
	}
	for name, c := range map[string]struct {
		indexes map[uint64]bool
		n       uint64
		want    bool
	}{
		"one word each":              {set(0, 1, 2), 3, true},
		"one is left out":            {set(0, 2), 3, false},
		"one is left out of more":    {set(0, 2, 3, 7), 4, false},
		"the last is left out":       {set(0, 1), 3, false},
		"the first is left out":      {set(1, 2, 3), 3, false},
		"two words, the first":       {set(0, 2, 4), 3, true},
		"two words, the second":      {set(1, 3, 5), 3, true},
		"two words, both":            {set(0, 1, 2, 3, 4, 5), 3, true},
		"eight words, the last":      {set(7, 15, 23), 3, true},
		"nine words":                 {set(0, 9, 18), 3, false},
		"three words, not in a row":  {set(2, 5, 9), 3, false},
		"none":                       {nil, 2, false},
		"more than there are, apart": {set(0, 1, 2, 100), 4, false},
	} {
		if got := coversArray(c.indexes, c.n); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestExtents: which lists a frame goes through, by its reads of storage.
func TestExtents(t *testing.T) {
	length := func(slot, n uint64) evm.StorageAccess {
		return evm.StorageAccess{Slot: number(slot), Base: number(slot), Value: number(n)}
	}
	write := func(slot, n uint64) evm.StorageAccess {
		a := length(slot, n)
		a.Write = true
		return a
	}
	element := func(base, i uint64) evm.StorageAccess {
		b := number(base)
		return evm.StorageAccess{Base: b, Slot: *new(uint256.Int).AddUint64(elementsOf(&b), i)}
	}
	mapped := func(base, key uint64) evm.StorageAccess {
		return evm.StorageAccess{Base: number(base), Slot: uint256.Int{key, base, 0, 1}, Keys: evm.Keys{Count: 1, Words: [2]uint256.Int{number(key)}}}
	}
	nested := mapped(4, 1)
	nested.Keys.Count = 2
	for name, c := range map[string]struct {
		storage []evm.StorageAccess
		want    string
	}{
		"an array":                        {[]evm.StorageAccess{length(3, 2), element(3, 0), element(3, 1)}, "3 3 2"},
		"an array of pairs":               {[]evm.StorageAccess{length(3, 2), element(3, 1), element(3, 3)}, "3 3 2"},
		"not all of it":                   {[]evm.StorageAccess{length(3, 3), element(3, 0), element(3, 1)}, ""},
		"one element":                     {[]evm.StorageAccess{length(3, 1), element(3, 0)}, ""},
		"as it was first read":            {[]evm.StorageAccess{length(3, 2), length(3, 3), element(3, 0), element(3, 1)}, "3 3 2"},
		"written before":                  {[]evm.StorageAccess{write(3, 2), length(3, 2), element(3, 0), element(3, 1)}, ""},
		"written":                         {[]evm.StorageAccess{write(3, 2), element(3, 0), element(3, 1)}, ""},
		"a mapping from 0":                {[]evm.StorageAccess{length(1, 2), mapped(4, 0), mapped(4, 1)}, "1 4 2"},
		"a mapping from 1":                {[]evm.StorageAccess{length(1, 2), mapped(4, 1), mapped(4, 2)}, "1 4 2"},
		"a mapping from 2":                {[]evm.StorageAccess{length(1, 2), mapped(4, 2), mapped(4, 3)}, ""},
		"a mapping, every second":         {[]evm.StorageAccess{length(1, 2), mapped(4, 0), mapped(4, 2)}, ""},
		"a mapping in a mapping":          {[]evm.StorageAccess{length(1, 2), nested, nested}, ""},
		"two counters":                    {[]evm.StorageAccess{length(1, 2), length(2, 2), mapped(4, 0), mapped(4, 1)}, "1 4 2; 2 4 2"},
		"an array is not counted by more": {[]evm.StorageAccess{length(1, 2), length(3, 2), element(3, 0), element(3, 1)}, "3 3 2"},
		"as many as there may be":         {[]evm.StorageAccess{length(3, mostLength+1), element(3, 0), element(3, 1)}, ""},
		"not all of what there may be":    {[]evm.StorageAccess{length(3, mostLength), element(3, 0), element(3, 1)}, ""},
		"an index out of reach":           {[]evm.StorageAccess{length(3, 2), element(3, mostLength*mostWords), element(3, 0)}, ""},
		"a count beyond a number":         {[]evm.StorageAccess{{Slot: number(3), Base: number(3), Value: uint256.Int{2, 1}}, element(3, 0), element(3, 1)}, ""},
	} {
		var got []string
		for _, e := range extents(&evm.Frame{Self: vault, Storage: c.storage}) {
			if e.account != vault {
				t.Errorf("%s: of %s", name, e.account)
			}
			got = append(got, fmt.Sprintf("%v %v %d", &e.length, &e.base, e.count))
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}

// TestSameState: what outsiders have does not count, nor what accounts without code that the World lacks have.
func TestSameState(t *testing.T) {
	outsider := common.Address{0xee}
	base := func() map[common.Address]*evm.Account {
		return map[common.Address]*evm.Account{
			vault: {Code: []byte{1}, Balance: number(5), Storage: map[common.Hash]common.Hash{{1}: {2}}}, user: {Balance: number(7)}, outsider: {Balance: number(1)},
		}
	}
	s := &Scene{World: &evm.World{Accounts: base(), Senders: []evm.Sender{{Address: user}, {Address: outsider, Outsider: true}}}}
	for name, c := range map[string]struct {
		change func(map[common.Address]*evm.Account)
		want   bool
	}{
		"nothing":                   {func(map[common.Address]*evm.Account) {}, true},
		"a balance":                 {func(m map[common.Address]*evm.Account) { m[vault].Balance = number(6) }, false},
		"an outsider's":             {func(m map[common.Address]*evm.Account) { m[outsider].Balance = number(6) }, true},
		"a word":                    {func(m map[common.Address]*evm.Account) { m[vault].Storage[common.Hash{1}] = common.Hash{3} }, false},
		"a new word":                {func(m map[common.Address]*evm.Account) { m[vault].Storage[common.Hash{2}] = common.Hash{3} }, false},
		"a word less":               {func(m map[common.Address]*evm.Account) { delete(m[vault].Storage, common.Hash{1}) }, false},
		"a word of zero":            {func(m map[common.Address]*evm.Account) { m[vault].Storage[common.Hash{2}] = common.Hash{} }, true},
		"an account less":           {func(m map[common.Address]*evm.Account) { delete(m, user) }, false},
		"an account that was given": {func(m map[common.Address]*evm.Account) { m[stranger] = &evm.Account{Balance: number(1)} }, true},
		"a new contract": {func(m map[common.Address]*evm.Account) {
			m[stranger] = &evm.Account{Balance: number(1), Code: []byte{1}}
		}, false},
		"a new contract of nothing": {func(m map[common.Address]*evm.Account) { m[stranger] = &evm.Account{Code: []byte{1}} }, true},
	} {
		changed := base()
		c.change(changed)
		a, b := &evm.World{Accounts: base()}, &evm.World{Accounts: changed}
		if s.sameState(a, b) != c.want || s.sameState(b, a) != c.want {
			t.Errorf("%s: %t and %t", name, s.sameState(a, b), s.sameState(b, a))
		}
	}
}

// TestHarmsItself: an attack harms who makes it where nothing changes but that less is kept for him.
func TestHarmsItself(t *testing.T) {
	outsider := common.Address{0xee}
	own, other := common.Hash{1}, common.Hash{2}
	state := func(mine, theirs byte, balance uint64) *evm.World {
		return &evm.World{Accounts: map[common.Address]*evm.Account{
			vault: {Balance: number(balance), Storage: map[common.Hash]common.Hash{own: {31: mine}, other: {31: theirs}}}, outsider: {Balance: number(1)},
		}}
	}
	slot := func(h common.Hash) uint256.Int { return *new(uint256.Int).SetBytes32(h[:]) }
	s := &Scene{
		World: &evm.World{Senders: []evm.Sender{{Address: outsider, Outsider: true}}},
		Exec: &evm.Execution{Frames: []evm.Frame{{Storage: []evm.StorageAccess{
			{Address: vault, Slot: slot(own), Keys: evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(outsider)}}},
			{Address: vault, Slot: slot(other), Keys: evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(user)}}},
		}}}},
	}
	than := state(5, 5, 10)
	for name, c := range map[string]struct {
		state *evm.World
		want  bool
	}{
		"nothing changes":           {state(5, 5, 10), true},
		"he has less":               {state(4, 5, 10), true},
		"he has more":               {state(6, 5, 10), false},
		"another has less":          {state(5, 4, 10), false},
		"the contract has less":     {state(4, 5, 9), false},
		"the contract has more":     {state(4, 5, 11), true},
		"the contract is gone":      {&evm.World{Accounts: map[common.Address]*evm.Account{}}, false},
		"what he has is now zero":   {state(0, 5, 10), true},
		"what another has is zero":  {state(5, 0, 10), false},
		"only what he has is known": {&evm.World{Accounts: map[common.Address]*evm.Account{vault: {Balance: number(10), Storage: map[common.Hash]common.Hash{own: {31: 5}}}}}, false},
	} {
		if got := s.harmsItself(c.state, than); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestGains: who has more of one thing gains, unless he has less of another.
func TestGains(t *testing.T) {
	for name, c := range map[string]struct {
		before, now  [2]uint64
		lost, gained bool
	}{
		"the same":       {[2]uint64{1, 2}, [2]uint64{1, 2}, false, false},
		"more":           {[2]uint64{1, 2}, [2]uint64{1, 3}, false, true},
		"less":           {[2]uint64{1, 2}, [2]uint64{1, 1}, true, false},
		"more and less":  {[2]uint64{1, 2}, [2]uint64{0, 9}, true, false},
		"more of both":   {[2]uint64{1, 2}, [2]uint64{2, 3}, false, true},
		"more, and less": {[2]uint64{1, 2}, [2]uint64{2, 1}, true, false},
	} {
		before, now := []uint256.Int{number(c.before[0]), number(c.before[1])}, []uint256.Int{number(c.now[0]), number(c.now[1])}
		if lost(before, now) != c.lost || gained(before, now) != c.gained {
			t.Errorf("%s: lost %t, gained %t", name, lost(before, now), gained(before, now))
		}
	}
}

// TestMalleated: the other form of a signature is put where the first one is: 65 bytes in a row, or v and s as words of their own.
func TestMalleated(t *testing.T) {
	r, s := bytes.Repeat([]byte{7}, wordBytes), bytes.Repeat([]byte{9}, wordBytes)
	other := new(uint256.Int).Sub(curveOrder, new(uint256.Int).SetBytes(s)).Bytes32()
	v := func(v byte) []byte { return common.LeftPadBytes([]byte{v}, wordBytes) }
	input := slices.Concat(make([]byte, wordBytes), v(27), r, s)
	for name, c := range map[string]struct{ data, want []byte }{
		"in a row":            {slices.Concat([]byte{1, 2, 3, 4}, r, s, []byte{27}, make([]byte, 3)), slices.Concat([]byte{1, 2, 3, 4}, r, other[:], []byte{28}, make([]byte, 3))},
		"in a row, at an end": {slices.Concat(r, s, []byte{27}), slices.Concat(r, other[:], []byte{28})},
		"as words":            {slices.Concat(v(27), r, s), slices.Concat(v(28), r, other[:])},
		"as words, v behind":  {slices.Concat(r, s, v(27)), slices.Concat(r, other[:], v(28))},
		"s apart from r":      {slices.Concat(r, v(27), s), slices.Concat(r, v(28), other[:])},
		"another v":           {slices.Concat(v(29), r, s), nil},
		"no s":                {slices.Concat(v(27), r), nil},
		"cut behind s":        {slices.Concat(r, s), nil},
	} {
		was := bytes.Clone(c.data)
		got, ok := malleated(c.data, input)
		if ok != (c.want != nil) || !bytes.Equal(got, c.want) {
			t.Errorf("%s: %x, want %x", name, got, c.want)
		}
		if !bytes.Equal(was, c.data) {
			t.Errorf("%s: what was sent is changed", name)
		}
	}
	high := slices.Concat(make([]byte, wordBytes), v(28), r, s)
	if got, ok := malleated(slices.Concat(r, s, []byte{28}), high); !ok || got[len(got)-1] != 27 {
		t.Errorf("of v 28: %x", got)
	}
}

// TestChangesWords: a call that writes what was there changes nothing.
func TestChangesWords(t *testing.T) {
	at := func(write bool, slot, value uint64) evm.StorageAccess {
		return evm.StorageAccess{Address: vault, Write: write, Slot: number(slot), Value: number(value)}
	}
	elsewhere := at(false, 1, 5)
	elsewhere.Address = token
	for name, c := range map[string]struct {
		value   uint64
		storage []evm.StorageAccess
		want    bool
	}{
		"nothing":                       {0, nil, false},
		"ether":                         {1, nil, true},
		"it reads":                      {0, []evm.StorageAccess{at(false, 1, 5)}, false},
		"it writes":                     {0, []evm.StorageAccess{at(true, 1, 5)}, true},
		"another word":                  {0, []evm.StorageAccess{at(false, 1, 5), at(true, 1, 6)}, true},
		"the same word":                 {0, []evm.StorageAccess{at(false, 1, 5), at(true, 1, 5)}, false},
		"another place":                 {0, []evm.StorageAccess{at(false, 2, 5), at(true, 1, 5)}, true},
		"the same word of another":      {0, []evm.StorageAccess{elsewhere, at(true, 1, 5)}, true},
		"what it has read again before": {0, []evm.StorageAccess{at(false, 1, 5), at(false, 1, 6), at(true, 1, 6)}, false},
	} {
		exec := &evm.Execution{
			Frames: []evm.Frame{{Storage: []evm.StorageAccess{at(true, 9, 9)}}, {Value: number(c.value)}, {Storage: c.storage}, {Value: number(1)}},
			Calls:  []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, 3}}, {Frames: [2]int{3, 4}}},
		}
		if got := changesWords(exec, 1); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestWordsBefore: what was in a word's place before an access, and before all of them.
func TestWordsBefore(t *testing.T) {
	at := func(order uint32, write bool, slot, value uint64) evm.StorageAccess {
		return evm.StorageAccess{Address: vault, Order: order, Write: write, Slot: number(slot), Value: number(value)}
	}
	// In the order of frames, not of time: the inner frame's are between those of the outer.
	frames := func() []evm.Frame {
		return []evm.Frame{
			{Parent: -1, Storage: []evm.StorageAccess{at(0, false, 1, 5), at(3, true, 1, 8), at(4, true, 2, 1), at(7, true, 1, 9)}},
			{Parent: 0, Storage: []evm.StorageAccess{at(1, true, 1, 6), at(2, true, 1, 7), {Address: token, Order: 2, Slot: number(1), Value: number(77)}}},
		}
	}
	s := &Scene{Exec: &evm.Execution{Frames: frames()}}
	for order, want := range map[uint32]byte{0: 0, 1: 5, 2: 6, 3: 7, 7: 8} {
		access := at(order, true, 1, 0)
		if got := s.wordBefore(&access); got != [wordBytes]byte{31: want} {
			t.Errorf("before access %d there was %x, want %d", order, got, want)
		}
		if got := s.wordAtFirst(&access); order > 0 && got != [wordBytes]byte{31: 5} {
			t.Errorf("before all, as access %d is asked, there was %x", order, got)
		}
	}
	if access := at(5, true, 2, 0); s.wordAtFirst(&access) != [wordBytes]byte{} {
		t.Error("a word that is written first was not zero")
	}
	if access := at(9, true, 3, 0); s.wordAtFirst(&access) != [wordBytes]byte{} || s.wordBefore(&access) != [wordBytes]byte{} {
		t.Error("a word that nothing reads was not zero")
	}
	l := &lossAlone{Scene: s}
	access := at(1, true, 1, 6)
	if got := l.wordAtLast(&access); !bytes.Equal(got, common.LeftPadBytes([]byte{9}, wordBytes)) {
		t.Errorf("behind all there is %x", got)
	}
	s.Exec.Frames[0].Outcome = evm.Reverted
	if got := l.wordAtLast(&access); !bytes.Equal(got, common.LeftPadBytes([]byte{6}, wordBytes)) {
		t.Errorf("behind all that lasts there is %x", got)
	}
}

// TestChosenSlots: each write to a marked slot is told, also behind others that are not; a narrowly marked one only if the same instruction
// writes a variable as well.
func TestChosenSlots(t *testing.T) {
	_, p := contractOfCode(t, "", code(vm.SSTORE, vm.SSTORE))
	p.Contract.Variables = []bytecode.Variable{{Name: "owner", Slot: number(3), Slots: number(2)}}
	write := func(pc uint32, slot uint256.Int) evm.StorageAccess {
		return evm.StorageAccess{PC: pc, Write: true, Address: vault, Slot: slot, Base: slot}
	}
	narrow, wide := *MarkedOf(64), MarkedSlot
	read := write(0, wide)
	read.Write = false
	element := write(0, narrow)
	element.Base = number(9)
	elsewhere := write(0, number(4))
	elsewhere.Address = token
	for name, c := range map[string]struct {
		accesses []evm.StorageAccess
		want     []string
	}{
		"an ordinary slot":                {[]evm.StorageAccess{write(0, number(3))}, nil},
		"a marked one":                    {[]evm.StorageAccess{write(0, wide)}, []string{choosesSlot}},
		"near it":                         {[]evm.StorageAccess{write(0, *new(uint256.Int).AddUint64(&wide, 77))}, []string{choosesSlot}},
		"it is read":                      {[]evm.StorageAccess{read}, nil},
		"narrowly":                        {[]evm.StorageAccess{write(0, narrow)}, nil},
		"narrowly, then another":          {[]evm.StorageAccess{write(0, narrow), write(1, wide)}, []string{choosesSlot}},
		"a read, then another":            {[]evm.StorageAccess{read, write(1, wide)}, []string{choosesSlot}},
		"an ordinary one, then another":   {[]evm.StorageAccess{write(0, number(3)), write(1, wide)}, []string{choosesSlot}},
		"narrowly, and a variable":        {[]evm.StorageAccess{write(0, narrow), write(0, number(4))}, []string{choosesSlot + ", that of owner among them"}},
		"narrowly, and behind it":         {[]evm.StorageAccess{write(0, narrow), write(0, number(5))}, nil},
		"narrowly, and before it":         {[]evm.StorageAccess{write(0, narrow), write(0, number(2))}, nil},
		"narrowly, and by another":        {[]evm.StorageAccess{write(0, narrow), write(1, number(4))}, nil},
		"narrowly, and of another":        {[]evm.StorageAccess{write(0, narrow), elsewhere}, nil},
		"an element, and a variable":      {[]evm.StorageAccess{element, write(0, number(4))}, nil},
		"both, and a variable in between": {[]evm.StorageAccess{write(0, wide), write(0, number(3)), write(1, wide)}, []string{choosesSlot, choosesSlot}},
	} {
		exec := &evm.Execution{
			Frames: []evm.Frame{{Parent: -1, Outcome: evm.Reverted, Program: p, Storage: []evm.StorageAccess{write(0, wide), write(0, number(4))}}, {Parent: -1, Call: 1, Program: p, Storage: c.accesses}, {Parent: -1, Call: 2}},
			Calls:  []evm.CallResult{{Outcome: evm.Reverted, Frames: [2]int{0, 1}}, {Frames: [2]int{1, 2}}, {Frames: [2]int{2, 3}}},
		}
		var got []string
		checkArbitraryWrite(exec, func(o Observation) {
			got = append(got, o.Message)
			if o.Call != 1 || o.Contract != "C.sol:C" {
				t.Errorf("%s: call %d of %s", name, o.Call, o.Contract)
			}
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := VariableAt(p.Contract, &narrow); got != nil {
		t.Errorf("at the marked slot is %s", got.Name)
	}
}

// TestHasWritten: what a frame has called counts, what comes behind it does not.
func TestHasWritten(t *testing.T) {
	write := []evm.StorageAccess{{Write: true}}
	for name, c := range map[string]struct {
		frames []evm.Frame
		want   bool
	}{
		"itself":       {[]evm.Frame{{}, {Depth: 1, Storage: write}}, true},
		"only reads":   {[]evm.Frame{{}, {Depth: 1, Storage: []evm.StorageAccess{{}}}}, false},
		"what it runs": {[]evm.Frame{{}, {Depth: 1}, {Depth: 2}, {Depth: 3, Storage: write}}, true},
		"what follows": {[]evm.Frame{{}, {Depth: 1}, {Depth: 1, Storage: write}}, false},
		"its caller":   {[]evm.Frame{{Storage: write}, {Depth: 1}}, false},
		"a later call": {[]evm.Frame{{}, {Depth: 1}, {Depth: 0}, {Depth: 2, Storage: write}}, false},
	} {
		if got := hasWritten(&evm.Execution{Frames: c.frames}, 1); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestInitialized: an outsider has run an initializer before a call, and that lasts.
func TestInitialized(t *testing.T) {
	const text = `[{"type":"function","name":"initialize","inputs":[]},{"type":"function","name":"pay","inputs":[]}]`
	_, p := contractOfCode(t, text, code(1, 2))
	p.Contract.Runtime.Kind = bytecode.Runtime
	outsider := common.Address{0xee}
	s := &Scene{World: &evm.World{Senders: []evm.Sender{{Address: outsider, Outsider: true}}}}
	run := func(caller common.Address, function string, call int, outcome evm.Outcome) evm.Frame {
		id := p.Contract.ABI.Methods[function].ID
		return evm.Frame{Parent: -1, Call: call, Caller: caller, Program: p, Input: id, Outcome: outcome}
	}
	for name, c := range map[string]struct {
		frame evm.Frame
		want  bool
	}{
		"an outsider":          {run(outsider, "initialize", 0, evm.Success), true},
		"another account":      {run(user, "initialize", 0, evm.Success), false},
		"another function":     {run(outsider, "pay", 0, evm.Success), false},
		"what fails":           {run(outsider, "initialize", 0, evm.Reverted), false},
		"in the call or later": {run(outsider, "initialize", 1, evm.Success), false},
	} {
		s.Exec = &evm.Execution{Frames: []evm.Frame{c.frame}}
		if got := s.initialized(1); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
