package input

import (
	"bytes"

	"github.com/sightline-evm/sightline/internal/abi"
)

// callLimits are the bounds of a call.
var callLimits = abi.Limits{Words: MaxCallWords, Elements: MaxElements, Bytes: MaxBytes, Padded: true}

// Decode reads an argument list back, of which it keeps a copy. It accepts what abi.Append
// writes, and tails in any order and place. It refuses what [abi.Decode] refuses, padding
// that is missing or not zero, and more than the bounds of a call (MaxElements, MaxBytes,
// MaxCallWords).
func Decode(types []Type, data []byte) ([]Value, error) {
	return abi.Decode(types, bytes.Clone(data), callLimits)
}
