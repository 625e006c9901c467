package cheatcode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

const alike = "the same numbers in each run; other ones than Foundry's"

// randomTable: numbers that a test takes as they come, and lists of them.
var randomTable = []function{
	{Signature: "setSeed(uint256)", run: setSeed},
	{Signature: "randomUint()", Returns: "uint256", run: randomWord, Note: alike},
	{Signature: "randomUint(uint256)", Returns: "uint256", run: randomBits, Note: alike},
	{Signature: "randomUint(uint256,uint256)", Returns: "uint256", run: randomBetween, Note: alike},
	{Signature: "randomInt()", Returns: "int256", run: randomWord, Note: alike},
	{Signature: "randomInt(uint256)", Returns: "int256", run: randomBits, Note: alike},
	{Signature: "randomAddress()", Returns: "address", run: randomWord, Note: alike},
	{Signature: "randomBool()", Returns: "bool", run: randomWord, Note: alike},
	{Signature: "randomBytes(uint256)", Returns: "bytes", run: randomBytes, Note: alike},
	{Signature: "randomBytes4()", Returns: "bytes4", run: randomWord, Note: alike},
	{Signature: "randomBytes8()", Returns: "bytes8", run: randomWord, Note: alike},
	{Signature: "bound(uint256,uint256,uint256)", Returns: "uint256", run: bound, Note: alike},
	{Signature: "bound(int256,int256,int256)", Returns: "int256", run: bound, Note: alike},
	{Signature: "shuffle(uint256[])", Returns: "uint256[]", run: shuffle, Note: alike},
	{Signature: "sort(uint256[])", Returns: "uint256[]", run: sortWords},
}

func setSeed(c *context, a []abi.Value) ([]abi.Value, error) {
	c.Seed, c.Drawn = a[0].Word, 0
	return nil, nil
}

// draw is the next random word: a hash of the seed and how many there were.
func (c *context) draw() uint256.Int {
	var data [40]byte
	seed := c.Seed.Bytes32()
	copy(data[:], seed[:])
	binary.BigEndian.PutUint64(data[32:], c.Drawn)
	c.Drawn++
	var word uint256.Int
	word.SetBytes(crypto.Keccak256(data[:]))
	return word
}

// narrow makes a word one of the type, from its high bits where the type has these.
func narrow(t *abi.Type, word uint256.Int) abi.Value {
	switch t.Kind {
	case abi.Uint:
		word.Rsh(&word, uint(256-t.Bits))
	case abi.Address:
		word.Rsh(&word, 96)
	case abi.Bool:
		word.Rsh(&word, 255)
	case abi.FixedBytes:
		rest := uint(256 - t.Bits)
		word.Lsh(word.Rsh(&word, rest), rest)
	}
	return wordOf(&word)
}

func randomWord(c *context, _ []abi.Value) ([]abi.Value, error) {
	return []abi.Value{narrow(&c.fn.result[0], c.draw())}, nil
}

func randomBits(c *context, a []abi.Value) ([]abi.Value, error) {
	bits := a[0].Word.Uint64()
	if !a[0].Word.IsUint64() || bits > 256 {
		return nil, errors.New("a number has at most 256 bits")
	}
	word := c.draw()
	if bits == 0 {
		return []abi.Value{{}}, nil
	}
	if c.fn.result[0].Kind == abi.Int {
		word.SRsh(&word, uint(256-bits))
	} else {
		word.Rsh(&word, uint(256-bits))
	}
	return []abi.Value{wordOf(&word)}, nil
}

func randomBetween(c *context, a []abi.Value) ([]abi.Value, error) {
	if a[0].Word.Gt(&a[1].Word) {
		return nil, errBounds
	}
	word := c.drawBetween(&a[0].Word, &a[1].Word)
	return []abi.Value{wordOf(&word)}, nil
}

// drawBetween is a random number of a range that includes its ends.
func (c *context) drawBetween(low, high *uint256.Int) uint256.Int {
	word := c.draw()
	var span uint256.Int
	span.AddUint64(span.Sub(high, low), 1)
	if !span.IsZero() { // it is for all numbers
		word.Add(word.Mod(&word, &span), low)
	}
	return word
}

// maxRandom bounds random bytes: for each 32 there is a hash that no gas pays for.
// Arbitrary.
const maxRandom = 1 << 12

func randomBytes(c *context, a []abi.Value) ([]abi.Value, error) {
	n := a[0].Word.Uint64()
	if !a[0].Word.IsUint64() || n > maxRandom {
		return nil, errors.New("too many bytes: at most 4,096 at a time")
	}
	data := make([]byte, 0, n+32)
	for uint64(len(data)) < n {
		word := c.draw()
		bytes := word.Bytes32()
		data = append(data, bytes[:]...)
	}
	return []abi.Value{bytesOf(data[:n])}, nil
}

// bound draws a number of a range that is another one than the given, which has to be
// in it.
func bound(c *context, a []abi.Value) ([]abi.Value, error) {
	x, low, high := a[0].Word, a[1].Word, a[2].Word
	signed := c.fn.arguments[0].Kind == abi.Int
	if signed { // shifted, so that the order is that of unsigned numbers
		for _, w := range []*uint256.Int{&x, &low, &high} {
			w.Xor(w, signBit)
		}
	}
	if x.Lt(&low) || x.Gt(&high) {
		t := &c.fn.arguments[0]
		return nil, fmt.Errorf("cannot bound %s in [%s, %s] range", format(t, &a[0]), format(t, &a[1]), format(t, &a[2]))
	}
	word := c.drawBetween(&low, &high)
	if word == x && word == high {
		word = low
	} else if word == x {
		word.AddUint64(&word, 1)
	}
	if signed {
		word.Xor(&word, signBit)
	}
	return []abi.Value{wordOf(&word)}, nil
}

var (
	signBit   = new(uint256.Int).Lsh(uint256.NewInt(1), 255)
	errBounds = errors.New("the lower bound is above the upper one")
)

// shuffle is Fisher and Yates's (Knuth, TAOCP 3.4.2, algorithm P).
func shuffle(c *context, a []abi.Value) ([]abi.Value, error) {
	list := a[0].Elems
	for i := len(list) - 1; i > 0; i-- {
		word := c.draw()
		word.Mod(&word, uint256.NewInt(uint64(i+1)))
		j := int(word.Uint64())
		list[i], list[j] = list[j], list[i]
	}
	return []abi.Value{listOf(list...)}, nil
}

func sortWords(_ *context, a []abi.Value) ([]abi.Value, error) {
	slices.SortFunc(a[0].Elems, func(x, y abi.Value) int { return x.Word.Cmp(&y.Word) })
	return []abi.Value{listOf(a[0].Elems...)}, nil
}
