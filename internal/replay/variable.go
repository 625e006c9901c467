package replay

import "github.com/holiman/uint256"

// wordBytes is the length of a storage slot.
const wordBytes = 32

// Variable is a state variable.
type Variable struct {
	Name string      `json:"name"`
	Slot uint256.Int `json:"slot"` // where it is, or begins
	// Offset is its first byte in the slot, from the low end, and Bytes its length; 0 if
	// it is longer than a slot. Several variables may share a slot.
	Offset uint   `json:"offset"`
	Bytes  uint   `json:"bytes"`
	Type   string `json:"type"` // as in the source: "mapping(address => uint256)"
	// Members are the parts of a struct or of an array of a fixed length, by their names in it (".paid", "[2]") and
	// their slots from its first one; of a mapping, those of its values.
	Members []Variable `json:"members,omitempty"`
}

// in is what the variable holds of its slot. Offset and Bytes come from a file, and may be
// anything.
func (v *Variable) in(word *uint256.Int) uint256.Int {
	var x uint256.Int
	x.Rsh(word, 8*min(v.Offset, wordBytes))
	unused := 8 * (wordBytes - min(v.Bytes, wordBytes))
	x.Lsh(&x, unused)
	return *x.Rsh(&x, unused)
}
