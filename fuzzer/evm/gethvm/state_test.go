package gethvm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// The domain of the random tests on states: two contracts and a plain account
// that are in the World, and two addresses that are not.
var (
	someAddresses = []common.Address{{0xa1}, {0xa2}, {0xa3}, {0xa4}, {0xa5}}
	someKeys      = []common.Hash{{}, {31: 1}, {0: 0xff}}
)

func stateWorld() *evm.World {
	return &evm.World{
		Accounts: map[common.Address]*evm.Account{
			{0xa1}: {Nonce: 1, Balance: *uint256.NewInt(1000), Code: []byte{0x60, 0x00}, Storage: map[common.Hash]common.Hash{{}: {31: 7}}},
			{0xa2}: {Nonce: 1, Code: []byte{0x00}},
			{0xa3}: {Nonce: 3, Balance: *uint256.NewInt(1 << 40)},
		},
		Block: evm.DefaultBlock(),
	}
}

// gethState is go-ethereum's own state of a World.
func gethState(t testing.TB, w *evm.World) *state.StateDB {
	t.Helper()
	db := state.NewDatabaseForTesting()
	s, err := state.New(types.EmptyRootHash, db)
	if err != nil {
		t.Fatal(err)
	}
	for address, a := range w.Accounts {
		s.CreateAccount(address)
		s.SetBalance(address, &a.Balance, tracing.BalanceChangeUnspecified)
		s.SetNonce(address, a.Nonce, tracing.NonceChangeUnspecified)
		s.SetCode(address, a.Code, tracing.CodeChangeUnspecified)
		for k, v := range a.Storage {
			s.SetState(address, k, v)
		}
	}
	root, err := s.Commit(params.Rules{IsEIP158: true}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = state.New(root, db); err != nil {
		t.Fatal(err)
	}
	return s
}

// dump is everything that can be asked of a state.
func dump(s vm.StateDB) string {
	var b strings.Builder
	fmt.Fprintf(&b, "refund %d\n", s.GetRefund())
	for _, a := range someAddresses {
		fmt.Fprintf(&b, "%x exists %t empty %t balance %s nonce %d code %x hash %x size %d new %t destructed %t warm %t\n",
			a[:1], s.Exist(a), s.Empty(a), s.GetBalance(a), s.GetNonce(a), s.GetCode(a), s.GetCodeHash(a), s.GetCodeSize(a),
			s.IsNewContract(a), s.HasSelfDestructed(a), s.AddressInAccessList(a))
		for _, k := range someKeys {
			current, original := s.GetStateAndCommittedState(a, k)
			warmAddress, warmSlot := s.SlotInAccessList(a, k)
			fmt.Fprintf(&b, "  %x: %x %x %x transient %x warm %t %t\n",
				k, current, original, s.GetState(a, k), s.GetTransientState(a, k), warmAddress, warmSlot)
		}
	}
	return b.String()
}

// randomChange applies one random change, the same to every state.
func randomChange(rng *rand.Rand, states ...vm.StateDB) {
	a := someAddresses[rng.IntN(len(someAddresses))]
	k := someKeys[rng.IntN(len(someKeys))]
	v := common.Hash{31: byte(rng.IntN(3))}
	amount := uint256.NewInt(rng.Uint64N(3))
	kind := rng.IntN(13)
	for _, s := range states {
		switch kind {
		case 0:
			if !s.Exist(a) {
				s.CreateAccount(a)
			}
		case 1:
			if s.Exist(a) { // as in a creation, which always sets the nonce
				s.CreateContract(a)
				s.SetNonce(a, 1, tracing.NonceChangeUnspecified)
			}
		case 2:
			s.AddBalance(a, amount, tracing.BalanceChangeUnspecified)
		case 3:
			if !s.GetBalance(a).Lt(amount) {
				s.SubBalance(a, amount, tracing.BalanceChangeUnspecified)
			}
		case 4:
			s.SetNonce(a, s.GetNonce(a)+1, tracing.NonceChangeUnspecified)
		case 5:
			s.SetCode(a, v[31:], tracing.CodeChangeUnspecified)
		case 6:
			s.AddRefund(amount.Uint64())
		case 7:
			if s.GetRefund() > 0 {
				s.SubRefund(1)
			}
		case 8:
			s.SetState(a, k, v)
		case 9:
			s.SetTransientState(a, k, v)
		case 10:
			s.SelfDestruct(a)
		case 11:
			s.AddAddressToAccessList(a)
		case 12:
			s.AddAddressToAccessList(a) // as an instruction's frame has done before
			s.AddSlotToAccessList(a, k)
		}
	}
}

// TestStateAgainstGeth runs random changes, snapshots, reverts and transactions
// on both states.
func TestStateAgainstGeth(t *testing.T) {
	rules := params.Rules{IsEIP158: true, IsBerlin: true, IsEIP2929: true, IsLondon: true, IsMerge: true, IsShanghai: true, IsCancun: true}
	for seed := range uint64(25) {
		rng := rand.New(rand.NewPCG(seed, 1))
		world := stateWorld()
		ours, theirs := NewState(world), gethState(t, world)
		for tx := range 4 {
			for _, s := range []vm.StateDB{ours, theirs} {
				s.Prepare(rules, someAddresses[2], someAddresses[4], &someAddresses[0], nil, nil)
			}
			var marks [][2]int
			for step := range 60 {
				switch n := rng.IntN(10); {
				case n == 0:
					marks = append(marks, [2]int{ours.Snapshot(), theirs.Snapshot()})
				case n == 1 && len(marks) > 0:
					i := rng.IntN(len(marks))
					ours.RevertToSnapshot(marks[i][0])
					theirs.RevertToSnapshot(marks[i][1])
					marks = marks[:i]
				default:
					randomChange(rng, ours, theirs)
				}
				if diff := cmp.Diff(dump(theirs), dump(ours)); diff != "" {
					t.Fatalf("seed %d, transaction %d, step %d: states differ (-go-ethereum +ours):\n%s", seed, tx, step, diff)
				}
			}
			ours.Finalise(rules)
			theirs.Finalise(rules)
		}
	}
}

// TestStateRevert: going back to a mark restores everything that can be asked,
// also across transactions.
func TestStateRevert(t *testing.T) {
	rules := params.Rules{IsShanghai: true}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		s := NewState(stateWorld())
		type mark struct {
			journal int
			dump    string
		}
		var marks []mark
		for range 5 {
			s.Prepare(rules, someAddresses[2], someAddresses[4], &someAddresses[0], nil, nil)
			for range 40 {
				randomChange(rng, s)
			}
			s.Finalise(rules)
			// What lasts for a transaction only is compared at the start of the next.
			journal := s.Snapshot()
			s.Prepare(rules, someAddresses[2], someAddresses[4], &someAddresses[0], nil, nil)
			marks = append(marks, mark{journal, dump(s)})
		}
		for i := len(marks) - 1; i >= 0; i-- {
			s.RevertToSnapshot(marks[i].journal)
			s.Prepare(rules, someAddresses[2], someAddresses[4], &someAddresses[0], nil, nil)
			if diff := cmp.Diff(marks[i].dump, dump(s)); diff != "" {
				t.Fatalf("seed %d, mark %d: not restored (-before +after):\n%s", seed, i, diff)
			}
		}
		s.Reset()
		fresh := NewState(stateWorld())
		for _, s := range []*State{s, fresh} {
			s.Prepare(rules, someAddresses[2], someAddresses[4], &someAddresses[0], nil, nil)
		}
		if diff := cmp.Diff(dump(fresh), dump(s)); diff != "" {
			t.Fatalf("seed %d: Reset differs from the World:\n%s", seed, diff)
		}
	}
}

func TestStateForgets(t *testing.T) {
	s := NewState(stateWorld())
	s.Prepare(params.Rules{}, someAddresses[2], someAddresses[4], nil, nil, nil)
	for i := range maxCachedSlots + 1 {
		s.GetState(someAddresses[0], common.BytesToHash([]byte{byte(i >> 16), byte(i >> 8), byte(i)}))
	}
	s.Reset()
	if len(s.accounts) != 0 || s.slots != 0 {
		t.Errorf("after Reset %d accounts and %d slots are remembered", len(s.accounts), s.slots)
	}
	if got := s.GetState(someAddresses[0], common.Hash{}); got != (common.Hash{31: 7}) {
		t.Errorf("slot 0 = %x after Reset", got)
	}
}

// TestStateExport: what is exported by the journal is what can be asked for, also where changes were undone one way or
// the other and accounts went and came back; and accounts that nothing changed are the World's.
func TestStateExport(t *testing.T) {
	rules := params.Rules{IsShanghai: true}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		world := stateWorld()
		s := NewState(world)
		for tx := range 4 {
			s.Prepare(rules, someAddresses[2], someAddresses[4], &someAddresses[0], nil, nil)
			stateHost{&Reference{state: s}}.Mark(tx)
			mark := s.Snapshot()
			for range 20 {
				randomChange(rng, s)
			}
			s.Finalise(rules)
			switch rng.IntN(4) {
			case 0:
				s.RevertToSnapshot(mark)
			case 1:
				stateHost{&Reference{state: s}}.Restore(rng.IntN(tx + 1))
			}
			exported := s.Export()
			for _, a := range someAddresses {
				account := exported[a]
				if (account != nil) != s.Exist(a) {
					t.Fatalf("seed %d, transaction %d: %x exists: %t, exported: %t", seed, tx, a[:1], s.Exist(a), account != nil)
				}
				if account == nil {
					continue
				}
				if account.Nonce != s.GetNonce(a) || account.Balance != *s.GetBalance(a) || string(account.Code) != string(s.GetCode(a)) {
					t.Fatalf("seed %d, transaction %d: %x is exported as %+v", seed, tx, a[:1], account)
				}
				for _, k := range someKeys {
					if got, want := account.Storage[k], s.GetState(a, k); got != want {
						t.Fatalf("seed %d, transaction %d: slot %x of %x is exported as %x, want %x", seed, tx, k, a[:1], got, want)
					}
				}
			}
		}
		s.Reset()
		dump(s) // looks at all of them
		for a, account := range s.Export() {
			if account != world.Accounts[a] {
				t.Fatalf("seed %d: %x, which nothing changed, is exported as a copy", seed, a[:1])
			}
		}
	}
}
