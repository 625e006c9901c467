package interp

import (
	"encoding/binary"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// holds reports whether a comparison holds; n is a step's operand, which may negate
// it.
func holds(n uint8, x, y *uint256.Int) bool {
	var truth bool
	switch vm.OpCode(n &^ jumpNegated) {
	case vm.LT:
		truth = x.Lt(y)
	case vm.GT:
		truth = y.Lt(x)
	case vm.SLT:
		truth = x.Slt(y)
	case vm.SGT:
		truth = x.Sgt(y)
	default:
		truth = *x == *y
	}
	return truth == (n&jumpNegated == 0)
}

// copyWord copies a word limb by limb. Words are written so, and a processor makes
// a read wait that spans several writes which are still under way, as the
// compiler's own copies of 16 bytes at a time do: those take five times as long.
func copyWord(to, from *uint256.Int) {
	a, b, c, d := from[0], from[1], from[2], from[3]
	to[0], to[1], to[2], to[3] = a, b, c, d
}

// swapWords exchanges two words, see copyWord.
func swapWords(x, y *uint256.Int) {
	a, b, c, d := x[0], x[1], x[2], x[3]
	e, f, g, h := y[0], y[1], y[2], y[3]
	x[0], x[1], x[2], x[3] = e, f, g, h
	y[0], y[1], y[2], y[3] = a, b, c, d
}

func setBool(word *uint256.Int, b bool) {
	*word = uint256.Int{boolWord(b)}
}

func boolWord(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// loadWord sets a word to 32 bytes.
func loadWord(word *uint256.Int, data []byte) {
	_ = data[31]
	word[3] = binary.BigEndian.Uint64(data[0:8])
	word[2] = binary.BigEndian.Uint64(data[8:16])
	word[1] = binary.BigEndian.Uint64(data[16:24])
	word[0] = binary.BigEndian.Uint64(data[24:32])
}

// storeWord writes a word as 32 bytes.
func storeWord(data []byte, word *uint256.Int) {
	_ = data[31]
	binary.BigEndian.PutUint64(data[0:8], word[3])
	binary.BigEndian.PutUint64(data[8:16], word[2])
	binary.BigEndian.PutUint64(data[16:24], word[1])
	binary.BigEndian.PutUint64(data[24:32], word[0])
}

// padWord sets a word to the 32 bytes of data that the word itself is the offset
// of; behind the data are zeros.
func padWord(word *uint256.Int, data []byte) {
	var buffer [32]byte
	if o := word[0]; word.IsUint64() && o < uint64(len(data)) {
		copy(buffer[:], data[o:])
	}
	loadWord(word, buffer[:])
}
