package cheatcode

import (
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

func wordOf(w *uint256.Int) abi.Value      { return abi.Value{Word: *w} }
func uintOf(n uint64) abi.Value            { return abi.Value{Word: *uint256.NewInt(n)} }
func bytesOf(b []byte) abi.Value           { return abi.Value{Bytes: b} }
func listOf(values ...abi.Value) abi.Value { return abi.Value{Elems: values} }
func textOf(s string) abi.Value            { return abi.Value{Bytes: []byte(s)} }
func hashOf(h common.Hash) abi.Value       { return abi.Value{Word: *new(uint256.Int).SetBytes32(h[:])} }
func addressOf(a common.Address) abi.Value {
	return abi.Value{Word: *new(uint256.Int).SetBytes20(a[:])}
}

func boolOf(b bool) abi.Value {
	if b {
		return uintOf(1)
	}
	return abi.Value{}
}

// Types that are needed outside of signatures.
var (
	wordType   = abi.MustParse("(uint256)")[0]
	bytesType  = abi.MustParse("(bytes)")[0]
	stringType = abi.MustParse("(string)")[0]
)

var errMalformed = errors.New("the arguments are not encoded as their types say")

// decode reads values of the types, as Solidity's decoder does, from data that anyone may
// have made.
func decode(types []abi.Type, data []byte) ([]abi.Value, error) {
	values, err := abi.Decode(types, data, abi.Honest(data))
	if err != nil {
		return nil, errMalformed // Solidity says no more
	}
	return values, nil
}
