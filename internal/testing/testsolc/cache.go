package testsolc

import (
	"crypto/sha256"
	"encoding/hex"
)

// cacheKey names a compilation by everything that decides its result but the
// compiler's own version, which ./test pins.
func cacheKey(pkg string, input []byte) string {
	h := sha256.New()
	h.Write([]byte(pkg))
	h.Write([]byte{0})
	h.Write(input)
	return hex.EncodeToString(h.Sum(nil))[:24]
}
