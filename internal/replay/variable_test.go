package replay

import (
	"testing"

	"github.com/holiman/uint256"
)

func TestVariableIn(t *testing.T) {
	word := uint256.MustFromHex("0x1122334455667788990000000000000000000000000000000000000000000aff")
	for _, c := range []struct {
		offset, bytes uint
		want          string
	}{
		{0, 1, "0xff"}, {1, 1, "0xa"}, {0, 2, "0xaff"}, {31, 1, "0x11"}, {29, 3, "0x112233"}, {0, 32, word.Hex()},
		{99, 99, "0x0"}, {31, 32, "0x11"}, {0, 0, "0x0"}, // as no compiler says
	} {
		if got := (&Variable{Offset: c.offset, Bytes: c.bytes}).in(word); got.Hex() != c.want {
			t.Errorf("%d bytes at %d are %s, want %s", c.bytes, c.offset, got.Hex(), c.want)
		}
	}
}
