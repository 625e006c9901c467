package replay

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// access keeps track of what storage holds, and adds writes.
func (w *walker) access(s *evm.StorageAccess) {
	key := storageKey{s.Address, s.Slot}
	before, seen := w.values[key]
	if !seen {
		before = w.initial(key)
	}
	if !s.Write {
		w.values[key] = s.Value
		return
	}
	w.undo = append(w.undo, undone{key, before})
	w.values[key] = s.Value
	if w.full() {
		return
	}
	if w.parts(s, &before) {
		return
	}
	variable, kind := w.variable(s)
	w.add(event{Store: &storeEvent{Variable: variable, Slot: s.Slot.Hex(), Before: w.word(&before, kind), After: w.word(&s.Value, kind)}})
}

// parts adds the writes to those variables of a shared slot that change, and reports
// whether there are any.
func (w *walker) parts(s *evm.StorageAccess, before *uint256.Int) bool {
	found := false
	for _, v := range w.variables(s) {
		if !s.Base.Eq(&s.Slot) || !v.Slot.Eq(&s.Slot) || v.Bytes == 0 || v.Bytes == wordBytes {
			continue
		}
		old, now := v.in(before), v.in(&s.Value)
		if old.Eq(&now) {
			continue
		}
		found = true
		w.add(event{Store: &storeEvent{Variable: v.Name, Slot: s.Slot.Hex(), Before: w.word(&old, v.Type), After: w.word(&now, v.Type)}})
	}
	return found
}

// variables are those of the contract whose storage is accessed: an instance's own, since
// other code may run on its storage, else those of the code that runs.
func (w *walker) variables(s *evm.StorageAccess) []Variable {
	for _, in := range w.snapshot.World.Instances {
		if in.Address == s.Address && in.Contract != nil {
			return w.snapshot.Variables[in.Contract.QualifiedName()]
		}
	}
	if c := contractOf(w.frame); c != nil {
		return w.snapshot.Variables[c.QualifiedName()]
	}
	return nil
}

// initial is the value in the World.
func (w *walker) initial(key storageKey) uint256.Int {
	var value uint256.Int
	if a := w.snapshot.World.Accounts[key.address]; a != nil {
		word := a.Storage[key.slot.Bytes32()]
		value.SetBytes32(word[:])
	}
	return value
}

// variable names the state variables that a slot belongs to, and their type if the slot is
// a plain value; else it names the slot.
func (w *walker) variable(s *evm.StorageAccess) (name, kind string) {
	var names []string
	for _, v := range w.variables(s) {
		if v.Slot.Eq(&s.Base) {
			names, kind = append(names, v.Name), v.Type
		}
	}
	derived := !s.Base.Eq(&s.Slot)
	switch {
	case s.Slot == attacker.Mark:
		return "a slot that the attacker chose", ""
	case len(names) == 0 && derived:
		return "slot " + s.Base.Hex() + "[…]", ""
	case len(names) == 0:
		return "slot " + shortWord(s.Slot.Hex()), ""
	case derived:
		return strings.Join(names, ", ") + "[…]", ""
	case len(names) > 1:
		return strings.Join(names, ", ") + " (one slot)", "packed"
	}
	return names[0], kind
}

// word shows a word of storage of a variable's type: an account by its name, a number in
// decimal.
func (t *tracer) word(v *uint256.Int, kind string) string {
	address := common.Address(v.Bytes20())
	if name, known := t.space.NameOf(address); known && v.BitLen() > 64 && v.BitLen() <= 160 {
		return name
	}
	switch {
	case kind == "bool" && v.LtUint64(2):
		return fmt.Sprint(!v.IsZero())
	case kind == "packed", v.BitLen() > 128 && !strings.HasPrefix(kind, "uint"):
		return shortWord(v.Hex())
	}
	return compact(v.Dec())
}

// compact writes a long number that ends in zeros in Solidity's scientific notation:
// 40.1e18, since ether and most tokens have 18 decimals, or 5e10.
func compact(number string) string {
	digits := strings.TrimRight(number, "0")
	zeros := len(number) - len(digits)
	const many = 9 // a gwei; fewer zeros are counted at a glance
	if zeros < many || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return number
	}
	const unit = 18 // decimals of ether
	if len(number) < unit {
		return fmt.Sprintf("%se%d", digits, zeros)
	}
	whole, fraction := number[:len(number)-unit], strings.TrimRight(number[len(number)-unit:], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return whole + "e18"
}

// shortWord abbreviates a long hexadecimal word.
func shortWord(hex string) string {
	const most, head, tail = 18, 10, 6 // characters: 8 bytes are shown whole, else 4 and 3 of them; arbitrary
	if len(hex) <= most {
		return hex
	}
	return hex[:head] + "…" + hex[len(hex)-tail:]
}
