package interp

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// ledgerAccounts are an account with all that one can have, an empty one, one that is not there, the precompile whose touch survives, and the zero address.
func ledgerAccounts() (*evm.World, []common.Address) {
	rich, empty, missing := common.Address{1, 1}, common.Address{2, 2}, common.Address{3, 3}
	return &evm.World{Accounts: map[common.Address]*evm.Account{
		rich:  {Nonce: 3, Balance: *uint256.NewInt(100), Code: []byte{1, 2}, Storage: map[common.Hash]common.Hash{{}: {31: 9}, {31: 1}: {31: 8}}},
		empty: {},
		{}:    {Balance: *uint256.NewInt(6)},
	}}, []common.Address{rich, empty, missing, ripemd, {}}
}

// said is all that a ledger says of some accounts and the transaction.
func (l *ledger) said(accounts []common.Address) string {
	var out strings.Builder
	for _, a := range accounts {
		e := l.find(&a)
		hash := e.codeHash()
		if e.made != nil {
			fmt.Fprintf(&out, "made %x ", e.made.code)
		}
		fmt.Fprintf(&out, "%x: %t %d %v %x %x %t, warm %d created %d destructed %d;", a[:2], e.exists, e.nonce, &e.balance, e.code, hash[:4], e.empty(), e.warm, e.created, e.destructed)
		for slot := range uint64(3) {
			c := l.cell(e, uint256.NewInt(slot))
			fmt.Fprintf(&out, " %v, warm %d, transient %v;", &c.value, c.warm, l.transient[transientWord{e, *uint256.NewInt(slot)}])
		}
		out.WriteString("\n")
	}
	fmt.Fprintf(&out, "refund %d, %d logs", l.refund, len(l.logs))
	return out.String()
}

// change makes some change.
func (l *ledger) change(rng *rand.Rand, accounts []common.Address) {
	e, f := l.find(&accounts[rng.IntN(len(accounts))]), l.find(&accounts[rng.IntN(len(accounts))])
	slot, amount := uint256.NewInt(rng.Uint64N(3)), uint256.NewInt(rng.Uint64N(3))
	switch rng.IntN(15) {
	case 0:
		l.touch(e)
	case 1:
		l.warmEntry(e)
	case 2:
		if c := l.cell(e, slot); c.warm != l.tx {
			l.warmCell(c)
		}
	case 3:
		l.setNonce(e, rng.Uint64N(3))
	case 4, 5:
		if !e.balance.Lt(amount) {
			l.debit(e, amount)
			l.credit(f, amount)
		}
	case 6:
		code := []byte{byte(rng.IntN(3)), 7}
		l.setCode(e, codeUndo{code: code, made: &madeCode{code: code}})
	case 7:
		code := []byte{byte(rng.IntN(3)), 8}
		l.setCode(e, codeUndo{code: code, hash: crypto.Keccak256Hash(code)})
	case 8, 9:
		l.touch(e)
		l.store(e, l.cell(e, slot), amount)
	case 10:
		l.setTransient(e, slot, amount)
	case 11:
		l.setRefund(l.refund + rng.Uint64N(5))
	case 12:
		l.destruct(e)
	case 13:
		l.note(logged, nil, 0)
		l.logs = append(l.logs, &types.Log{})
	case 14:
		l.note(created, e, e.created)
		e.created = l.tx
	}
}

// TestLedgerIsUndone: whatever was changed since a mark, in one transaction or in more, is as it was when it is undone; and all is as the World has
// it in the end.
func TestLedgerIsUndone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 51))
	for round := range 40 {
		w, accounts := ledgerAccounts()
		l := newLedger(w, nil)
		start := l.said(accounts)
		type mark struct {
			journal int
			said    string
		}
		for range 3 {
			var marks []mark
			for range 6 {
				l.begin()
				marks = append(marks, mark{len(l.journal), l.said(accounts)})
				var inner []mark
				for range rng.IntN(25) {
					switch {
					case rng.IntN(4) == 0:
						inner = append(inner, mark{len(l.journal), l.said(accounts)})
					case rng.IntN(8) == 0 && len(inner) > 0:
						m := inner[rng.IntN(len(inner))]
						l.revert(m.journal)
						if got := l.said(accounts); got != m.said {
							t.Fatalf("round %d:\n%s\nwhen undone, want\n%s", round, got, m.said)
						}
						inner = slices.DeleteFunc(inner, func(o mark) bool { return o.journal > m.journal })
					default:
						l.change(rng, accounts)
					}
				}
				l.finish()
			}
			m := marks[rng.IntN(len(marks))]
			l.revert(m.journal)
			l.begin() // what lasts for a transaction is not undone with it
			got, want := l.said(accounts), m.said
			if lasting(got) != lasting(want) {
				t.Fatalf("round %d:\n%s\nwhen undone, want\n%s", round, got, want)
			}
		}
		l.reset()
		if l.begin(); lasting(l.said(accounts)) != lasting(start) {
			t.Fatalf("round %d:\n%s\nwhen all is undone, want\n%s", round, l.said(accounts), start)
		}
	}
}

// lasting leaves out what is of a transaction.
func lasting(said string) string {
	var out strings.Builder
	for part := range strings.FieldsFuncSeq(said, func(r rune) bool { return r == ';' || r == '\n' }) {
		if !strings.Contains(part, "refund") {
			out.WriteString(part[:strings.Index(part+", warm", ", warm")] + "\n")
		}
	}
	return out.String()
}

// TestSweep: at the end of a transaction those accounts go that it touched and left empty, and those that it destructed; of what earlier ones touched,
// and of what was only looked at or read, none. A touch of RIPEMD-160's precompile survives the failure of its call.
func TestSweep(t *testing.T) {
	zero, one := new(uint256.Int), uint256.NewInt(1)
	_, accounts := ledgerAccounts()
	rich, empty, missing := accounts[0], accounts[1], accounts[2]
	gone := func(list ...common.Address) []common.Address { return list }
	for name, c := range map[string]struct {
		world  []common.Address // empty accounts of the World, besides
		before func(l *ledger)  // in a transaction, and after it
		do     func(l *ledger)
		want   []common.Address // that go
	}{
		"nothing":                           {nil, nil, func(*ledger) {}, nil},
		"a look":                            {nil, nil, func(l *ledger) { l.warmEntry(l.find(&empty)); l.warmEntry(l.find(&missing)) }, nil},
		"a word that is read":               {nil, nil, func(l *ledger) { l.warmCell(l.cell(l.find(&empty), zero)) }, nil},
		"a payment of nothing":              {nil, nil, func(l *ledger) { l.credit(l.find(&empty), zero) }, gone(empty)},
		"to an account that is not there":   {nil, nil, func(l *ledger) { l.credit(l.find(&missing), zero) }, gone(missing)},
		"to one that has something":         {nil, nil, func(l *ledger) { l.credit(l.find(&rich), zero) }, nil},
		"a payment":                         {nil, nil, func(l *ledger) { l.credit(l.find(&empty), one) }, nil},
		"all is paid back":                  {nil, nil, func(l *ledger) { l.credit(l.find(&empty), one); l.debit(l.find(&empty), one) }, gone(empty)},
		"a payment that is undone":          {nil, nil, func(l *ledger) { m := len(l.journal); l.credit(l.find(&empty), zero); l.revert(m) }, nil},
		"self-destruction":                  {nil, nil, func(l *ledger) { l.destruct(l.find(&rich)) }, gone(rich)},
		"of one that is not there":          {nil, nil, func(l *ledger) { l.destruct(l.find(&missing)) }, nil},
		"self-destruction that is undone":   {nil, nil, func(l *ledger) { m := len(l.journal); l.destruct(l.find(&rich)); l.revert(m) }, nil},
		"a transient word":                  {nil, nil, func(l *ledger) { l.setTransient(l.find(&empty), one, one) }, nil},
		"a touch":                           {nil, nil, func(l *ledger) { l.touch(l.find(&missing)) }, gone(missing)},
		"a nonce":                           {nil, nil, func(l *ledger) { l.setNonce(l.find(&missing), 1) }, nil},
		"code":                              {nil, nil, func(l *ledger) { l.setCode(l.find(&missing), codeUndo{code: []byte{1}}) }, nil},
		"touched between transactions":      {nil, func(l *ledger) { l.touch(l.find(&missing)) }, func(*ledger) {}, nil},
		"RIPEMD-160":                        {gone(ripemd), nil, func(l *ledger) { l.credit(l.find(&ripemd), zero) }, gone(ripemd)},
		"RIPEMD-160, undone":                {gone(ripemd), nil, func(l *ledger) { m := len(l.journal); l.credit(l.find(&ripemd), zero); l.revert(m) }, gone(ripemd)},
		"RIPEMD-160, paid, undone":          {gone(ripemd), nil, func(l *ledger) { m := len(l.journal); l.credit(l.find(&ripemd), one); l.revert(m) }, nil},
		"RIPEMD-160, when others are paid":  {gone(ripemd), nil, func(l *ledger) { l.credit(l.find(&empty), zero) }, gone(empty)},
		"RIPEMD-160, in an earlier one":     {nil, func(l *ledger) { l.ripemdTouched = l.tx; l.touch(l.find(&ripemd)) }, func(*ledger) {}, nil},
		"what an earlier one paid and took": {nil, func(l *ledger) { l.credit(l.find(&missing), one); l.debit(l.find(&missing), one) }, func(*ledger) {}, nil},
	} {
		w, accounts := ledgerAccounts()
		for _, a := range c.world {
			w.Accounts[a] = &evm.Account{}
		}
		l := newLedger(w, nil)
		if c.before != nil {
			l.begin()
			l.finish()
			c.before(l)
		}
		was := map[common.Address]bool{}
		l.begin()
		c.do(l)
		for _, a := range accounts {
			was[a] = l.find(&a).exists || slices.Contains(c.want, a)
		}
		end := len(l.journal)
		said := l.said(accounts)
		l.finish()
		var got []common.Address
		for _, a := range accounts {
			if e := l.find(&a); was[a] && !e.exists {
				got = append(got, a)
				if e.nonce != 0 || len(e.code) > 0 || !e.balance.IsZero() || e.world != nil || e.address != a {
					t.Errorf("%s: of %x, something is left", name, a[:2])
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %x go, want %x", name, got, c.want)
		}
		if l.revert(end); l.said(accounts) != said {
			t.Errorf("%s: what went is not back:\n%s\nwant\n%s", name, l.said(accounts), said)
		}
	}
}

// TestOriginalWords: the word that a transaction found is its original, whatever it wrote and undid since (EIP-2200).
func TestOriginalWords(t *testing.T) {
	w, accounts := ledgerAccounts()
	l := newLedger(w, nil)
	e := l.find(&accounts[0])
	c := l.cell(e, new(uint256.Int))
	word := func(n uint64) *uint256.Int { return uint256.NewInt(n) }
	want := func(what string, original, value uint64) {
		t.Helper()
		if got := *l.before(c); got != *word(original) || c.value != *word(value) {
			t.Errorf("%s: %v, and %v is there, want %d and %d", what, &got, &c.value, original, value)
		}
	}
	l.begin()
	want("at first", 9, 9)
	mark := len(l.journal)
	l.store(e, c, word(5))
	want("written", 9, 5)
	l.store(e, c, word(6))
	want("written again", 9, 6)
	l.revert(mark)
	want("undone", 9, 9)
	l.store(e, c, word(7))
	want("written when it was undone", 9, 7)
	l.finish()
	l.begin()
	want("in the next transaction", 7, 7)
	l.store(e, c, word(7))
	want("what is there is written", 7, 7)
	l.store(e, c, word(0))
	want("cleared", 7, 0)
}

// TestSlab: what a slab hands out is zero, each time, and none of it twice.
func TestSlab(t *testing.T) {
	var s slab[uint256.Int]
	for round := range 3 {
		seen := map[*uint256.Int]bool{}
		for i := range 3 * slabChunk {
			x := s.get()
			if !x.IsZero() || seen[x] {
				t.Fatalf("round %d: item %d is %v, and was handed out before: %t", round, i, x, seen[x])
			}
			seen[x] = true
			x.SetOne()
		}
		if len(s.chunks) != 3 || s.used != 3*slabChunk {
			t.Errorf("round %d: %d items in %d chunks", round, s.used, len(s.chunks))
		}
		s.reset()
	}
}

// TestLedgerForgets: a ledger that has looked up too much forgets it when it is reset, and no sooner; what it says then is the World's.
func TestLedgerForgets(t *testing.T) {
	for name, c := range map[string]struct {
		fill func(l *ledger)
		want bool
	}{
		"nothing":       {func(*ledger) {}, false},
		"many accounts": {func(l *ledger) { lookUp(l, maxCachedAccounts-5) }, false},
		"more accounts": {func(l *ledger) { lookUp(l, maxCachedAccounts-4) }, true},
		"many words":    {func(l *ledger) { readWords(l, maxCachedSlots-15) }, false},
		"more words":    {func(l *ledger) { readWords(l, maxCachedSlots-14) }, true},
		"much code":     {func(l *ledger) { l.installed = maxInstalledBytes }, false},
		"more code":     {func(l *ledger) { l.installed = maxInstalledBytes + 1 }, true},
		"transient words": {func(l *ledger) {
			l.setTransient(l.find(&ripemd), uint256.NewInt(1), uint256.NewInt(1))
			lookUp(l, maxCachedAccounts)
		}, true},
	} {
		w, accounts := ledgerAccounts()
		l := newLedger(w, nil)
		said := l.said(accounts) // five accounts, fifteen words
		l.begin()
		l.store(l.find(&accounts[0]), l.cell(l.find(&accounts[0]), new(uint256.Int)), uint256.NewInt(77))
		c.fill(l)
		if l.overgrown() != c.want {
			t.Errorf("%s: it is too much %t", name, l.overgrown())
		}
		l.find(&accounts[4])
		l.reset()
		if forgotten := len(l.entries) == 0; forgotten != c.want {
			t.Errorf("%s: forgotten %t", name, forgotten)
		}
		if l.overgrown() || len(l.journal) > 0 {
			t.Errorf("%s: it is still too much", name)
		}
		if e := l.find(&accounts[4]); e.balance != *uint256.NewInt(6) {
			t.Errorf("%s: the zero address has %v", name, &e.balance)
		}
		if got := l.said(accounts); lasting(got) != lasting(said) {
			t.Errorf("%s: behind that,\n%s\nwant\n%s", name, got, said)
		}
	}
}

// lookUp looks up accounts.
func lookUp(l *ledger, n int) {
	for i := range n {
		l.find(&common.Address{9, byte(i >> 16), byte(i >> 8), byte(i), 1})
	}
}

// readWords reads words of storage.
func readWords(l *ledger, n int) {
	e := l.find(&ripemd)
	for i := range n {
		l.cell(e, uint256.NewInt(uint64(i+3)))
	}
}

// TestColdAndEmpty: accounts are cold until they are accessed, but for precompiles (EIP-2929), and empty without nonce, code and ether (EIP-161).
func TestColdAndEmpty(t *testing.T) {
	w, accounts := ledgerAccounts()
	precompile := common.BytesToAddress([]byte{2})
	l := newLedger(w, vm.PrecompiledContractsOsaka)
	l.begin()
	for _, a := range accounts[:3] {
		e := l.find(&a)
		if !l.cold(e) {
			t.Errorf("%x is warm", a)
		}
		mark := len(l.journal)
		if l.warmEntry(e); l.cold(e) {
			t.Errorf("%x is cold when it was accessed", a)
		}
		if l.revert(mark); !l.cold(e) {
			t.Errorf("%x is warm when the access was undone", a)
		}
		l.warmEntry(e)
	}
	if l.cold(l.find(&precompile)) {
		t.Error("a precompile is cold")
	}
	l.finish()
	if l.begin(); !l.cold(l.find(&accounts[0])) {
		t.Error("an account is warm in the next transaction")
	}
	for i, e := range []entry{{}, {exists: true}, {nonce: 1}, {code: []byte{0}}, {balance: *uint256.NewInt(1)}, {balance: uint256.Int{0, 0, 0, 1}}} {
		if got := e.empty(); got != (i < 2) {
			t.Errorf("%+v is empty: %t", e, got)
		}
	}
	if e := (entry{}); e.codeHash() != types.EmptyCodeHash {
		t.Error("no code has another hash")
	}
}

// TestExports: what a ledger holds is the World with what was changed; a word of zero is none.
func TestExports(t *testing.T) {
	w, accounts := ledgerAccounts()
	rich, empty, missing := accounts[0], accounts[1], accounts[2]
	l := newLedger(w, nil)
	l.begin()
	e := l.find(&rich)
	l.cell(e, uint256.NewInt(2)) // read
	l.store(e, l.cell(e, uint256.NewInt(1)), new(uint256.Int))
	l.store(e, l.cell(e, uint256.NewInt(5)), uint256.NewInt(6))
	l.credit(l.find(&missing), uint256.NewInt(4))
	l.store(l.find(&missing), l.cell(l.find(&missing), uint256.NewInt(1)), uint256.NewInt(3))
	l.credit(l.find(&empty), new(uint256.Int))
	l.setTransient(l.find(&common.Address{8}), uint256.NewInt(1), uint256.NewInt(1))
	l.warmEntry(l.find(&common.Address{7}))
	l.finish()
	got := l.export()
	if list := slices.SortedFunc(maps.Keys(got), common.Address.Cmp); !slices.Equal(list, []common.Address{{}, rich, missing}) {
		t.Fatalf("accounts are %x", list)
	}
	if a := got[rich]; a.Nonce != 3 || a.Balance != *uint256.NewInt(100) || !maps.Equal(a.Storage, map[common.Hash]common.Hash{{}: {31: 9}, {31: 5}: {31: 6}}) {
		t.Errorf("%+v", a)
	}
	if a := got[missing]; a.Nonce != 0 || a.Balance != *uint256.NewInt(4) || !maps.Equal(a.Storage, map[common.Hash]common.Hash{{31: 1}: {31: 3}}) {
		t.Errorf("%+v", a)
	}
	if len(w.Accounts) != 3 || len(w.Accounts[rich].Storage) != 2 {
		t.Error("the World is changed")
	}
	l.reset()
	if back := l.export(); len(back) != 3 || back[rich] != w.Accounts[rich] || back[empty] != w.Accounts[empty] {
		t.Error("what nothing changed is not the World's own")
	}
}
