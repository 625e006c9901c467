package replay

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/report"
)

var (
	vaultAt = common.Address{0xaa, 19: 1}
	aliceAt = common.Address{0xbb, 19: 2}
	otherAt = common.Address{0xcc, 19: 3}
)

// stored is a World of a vault with variables, and sequences that write its storage.
type stored struct {
	world     *evm.World
	space     *input.Space
	variables map[string][]Variable
	exec      *evm.Execution
	order     uint32
}

func newStored(t *testing.T) *stored {
	t.Helper()
	word := func(n uint64) uint256.Int { return *uint256.NewInt(n) }
	contract := &bytecode.Contract{Name: "Vault", Source: "a.sol"}
	w := &evm.World{
		Accounts: map[common.Address]*evm.Account{vaultAt: {Storage: map[common.Hash]common.Hash{{31: 4}: {31: 9}}}},
		Senders:  []evm.Sender{{Name: "alice", Address: aliceAt}}, Instances: []evm.Instance{{Name: "vault", Address: vaultAt, Contract: contract}},
	}
	space, err := input.NewSpace(w, input.SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return &stored{world: w, space: space, exec: &evm.Execution{}, variables: map[string][]Variable{"a.sol:Vault": {
		{Name: "owner", Bytes: 20, Type: "address"}, {Name: "open", Offset: 20, Bytes: 1, Type: "bool"},
		{Name: "shares", Slot: word(1), Bytes: 32, Type: "mapping(address => mapping(uint256 => int64))"},
		{Name: "users", Slot: word(2), Bytes: 32, Type: "mapping(address => struct User)", Members: []Variable{
			{Name: ".paid", Bytes: 16, Type: "uint128"}, {Name: ".known", Offset: 16, Bytes: 1, Type: "bool"}, {Name: ".since", Slot: word(1), Bytes: 32, Type: "uint256"}}},
		{Name: "list", Slot: word(3), Bytes: 32, Type: "contract Token[]"},
		{Name: "total", Slot: word(4), Bytes: 32, Type: "uint256"},
		{Name: "name", Slot: word(5), Bytes: 32, Type: "string"},
	}}}
}

// call begins a call of the sequence.
func (s *stored) call(outcome evm.Outcome) {
	n := len(s.exec.Frames)
	s.exec.Calls = append(s.exec.Calls, evm.CallResult{Outcome: outcome, Frames: [2]int{n, n + 1}})
	s.exec.Frames = append(s.exec.Frames, evm.Frame{Parent: -1, Outcome: outcome, CodeAddress: vaultAt, Self: vaultAt})
}

// within is a frame of the call, of the vault's code as well.
func (s *stored) within(outcome evm.Outcome) {
	s.exec.Frames = append(s.exec.Frames, evm.Frame{Depth: 1, Outcome: outcome, CodeAddress: vaultAt, Self: vaultAt})
	s.exec.Calls[len(s.exec.Calls)-1].Frames[1]++
}

func (s *stored) access(write bool, at common.Address, base, within uint64, keys []common.Address, value *uint256.Int) {
	a := evm.StorageAccess{Order: s.order, Write: write, Address: at, Slot: *uint256.NewInt(base), Base: *uint256.NewInt(base), Value: *value}
	s.order++
	for i, k := range keys {
		a.Keys.Words[i].SetBytes(k[:])
		a.Keys.Count++
	}
	if keys != nil {
		a.Slot = a.Keys.Elements(&a.Base)
		a.Slot.AddUint64(&a.Slot, within)
	}
	f := &s.exec.Frames[len(s.exec.Frames)-1]
	f.Storage = append(f.Storage, a)
}

func (s *stored) write(slot uint64, value *uint256.Int) { s.access(true, vaultAt, slot, 0, nil, value) }

func (s *stored) changes(t *testing.T) (list []report.StorageChange, left int) {
	t.Helper()
	list, left, err := Changes(s.world, s.space, s.variables, s.exec)
	if err != nil {
		t.Fatal(err)
	}
	return list, left
}

func (s *stored) check(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	list, _ := s.changes(t)
	for _, c := range list {
		text := c.Account + " " + c.Variable + ": " + c.Before + " → " + c.After + " in " + string(rune('0'+c.Step))
		if c.Undone {
			text += ", undone"
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestChangesNameVariables(t *testing.T) {
	s := newStored(t)
	n := uint256.NewInt
	packed := new(uint256.Int).SetBytes(append([]byte{1}, aliceAt[:]...))
	s.call(evm.Success)
	s.write(0, packed)
	s.access(true, vaultAt, 1, 0, []common.Address{{19: 7}, aliceAt}, n(1<<64-5))
	s.access(true, vaultAt, 2, 0, []common.Address{otherAt}, new(uint256.Int).Lsh(n(1), 128))
	s.access(true, vaultAt, 2, 1, []common.Address{otherAt}, n(1_000_000_000))
	s.access(true, vaultAt, 2, 5, []common.Address{otherAt}, n(1))
	s.write(3, n(2))
	s.access(true, vaultAt, 3, 1, []common.Address{}, new(uint256.Int).SetBytes(vaultAt[:]))
	s.write(5, new(uint256.Int).SetBytes32(append(append([]byte("a\n"), make([]byte, 29)...), 4)))
	s.write(77, n(1))
	s.access(true, vaultAt, 78, 0, []common.Address{aliceAt}, n(1))
	s.access(true, otherAt, 4, 0, nil, n(3))
	other := otherAt.Hex()
	s.check(t,
		"vault owner: address(0) → alice in 1", "vault open: false → true in 1",
		"vault shares[alice][7]: 0 → -5 in 1",
		"vault users["+other+"].known: false → true in 1", "vault users["+other+"].since: 0 → 1e9 in 1", "vault users["+other+"] + 5: 0 → 1 in 1",
		"vault list.length: 0 → 2 in 1", "vault list[1]: address(0) → vault in 1",
		`vault name: "" → "a\n" in 1`, "vault slot 0x4d: 0 → 1 in 1", "vault slot 0x4e[alice]: 0 → 1 in 1",
		other+" slot 0x4: 0 → 3 in 1")
}

// TestChangesOfCalls: what was there before the first call and after the last one counts, and which call wrote it last.
func TestChangesOfCalls(t *testing.T) {
	s := newStored(t)
	n := uint256.NewInt
	s.call(evm.Success)
	s.write(4, n(10)) // 9 before, in the World
	s.write(5, n(0))  // as before
	s.access(false, vaultAt, 77, 0, nil, n(5))
	s.write(77, n(6))
	s.access(true, attacker.Address, 1, 0, nil, n(1))
	s.call(evm.Success)
	s.write(77, n(5)) // as before the sequence
	s.write(0, n(1))
	s.within(evm.Reverted) // and its caller goes on
	s.write(78, n(8))
	s.call(evm.Success)
	s.write(4, n(10)) // again
	s.call(evm.Reverted)
	s.write(4, n(11))
	s.within(evm.Success)
	s.write(4, n(12))
	s.write(0, n(1)) // as it is
	s.check(t, "vault total: 9 → 10 in 3", "vault owner: address(0) → 0x0000000000000000000000000000000000000001 in 2", "vault total: 10 → 12 in 4, undone")
	s.exec.Truncated = true
	s.check(t)
}

func TestChangesAreBounded(t *testing.T) {
	s := newStored(t)
	s.call(evm.Success)
	for slot := range uint64(maxChanges + 7) {
		s.write(100+slot, uint256.NewInt(1))
	}
	if list, left := s.changes(t); len(list) != maxChanges || left != 7 || list[0].Variable != "slot 0x64" {
		t.Errorf("%d changes, %d left out: %+v", len(list), left, list[0])
	}
}

// TestChangesOfHostileLayouts: what world.json says of variables may be anything.
func TestChangesOfHostileLayouts(t *testing.T) {
	for _, kind := range []string{"mapping(", "mapping(address", "int", "int0", "int7", "int999999999999999999999", "bytes0", "bytes33", "bytes-1", "[]", "bytes", "string", "struct", ""} {
		s := newStored(t)
		s.variables["a.sol:Vault"] = []Variable{{Name: strings.Repeat("x", 9), Offset: 99, Bytes: 77, Type: kind, Members: []Variable{{Name: "m", Offset: 99, Bytes: 3, Type: kind}}}}
		s.call(evm.Success)
		for _, value := range []*uint256.Int{uint256.NewInt(1), uint256.NewInt(62), uint256.NewInt(254), new(uint256.Int).SetAllOne()} {
			s.write(0, value)
			s.access(true, vaultAt, 0, 0, []common.Address{aliceAt, aliceAt}, value)
			s.access(true, vaultAt, 0, 3, []common.Address{}, value)
		}
		s.changes(t)
	}
}
