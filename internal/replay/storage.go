package replay

import (
	"fmt"
	"strings"

	"github.com/holiman/uint256"

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
	for _, c := range w.naming().changed(s, w.frame, &before, &s.Value) {
		w.add(event{Store: &storeEvent{Variable: c.Name, Slot: s.Slot.Hex(), Before: w.word(&c.before, c.Type), After: w.word(&c.after, c.Type)}})
	}
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

// word shows a value of a variable's type, a long one abbreviated.
func (t *tracer) word(v *uint256.Int, kind string) string {
	text, number := t.naming().value(v, kind)
	if number {
		return compact(text)
	}
	return shortWord(text)
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
