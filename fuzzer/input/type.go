package input

import (
	"fmt"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// Arguments are values of package abi, by their names there.
type (
	// Type is a parameter's.
	Type = abi.Type
	// Kind is the shape of a Type.
	Kind = abi.Kind
	// Value is an argument. Values are immutable once they are part of a Sequence: whoever
	// changes one copies the way from the argument list down to the change and shares the
	// rest.
	Value = abi.Value
)

// The kinds of types.
const (
	Uint       = abi.Uint
	Int        = abi.Int
	Address    = abi.Address
	Bool       = abi.Bool
	FixedBytes = abi.FixedBytes
	Bytes      = abi.Bytes
	String     = abi.String
	Slice      = abi.Slice
	Array      = abi.Array
	Tuple      = abi.Tuple
)

const (
	// MaxDepth bounds how deep arrays and tuples nest in one another. Solidity has no
	// bound; among the ABIs of the npm corpora none is deeper than 4.
	MaxDepth = 6
	// MaxTypeWords bounds the words of a type's zero value: uint256[1000] fits,
	// uint256[1000][1000] would be a megabyte-sized call. Arbitrary.
	MaxTypeWords = 1024
)

// CompileType compiles a go-ethereum type. It fails where abi.Of does, and for types
// beyond MaxDepth and MaxTypeWords.
func CompileType(t gethabi.Type) (Type, error) {
	out, err := abi.Of(t)
	if err != nil {
		return Type{}, err
	}
	return out, checkType(&out, 0)
}

func checkType(t *Type, depth int) error {
	if depth > MaxDepth {
		return fmt.Errorf("type nests deeper than %d", MaxDepth)
	}
	if t.Words() > MaxTypeWords {
		return fmt.Errorf("type %s has more than %d words", t, MaxTypeWords)
	}
	if t.Elem != nil {
		return checkType(t.Elem, depth+1)
	}
	for i := range t.Fields {
		if err := checkType(&t.Fields[i], depth+1); err != nil {
			return err
		}
	}
	return nil
}

// compileTypes compiles a parameter list.
func compileTypes(arguments gethabi.Arguments) ([]Type, error) {
	var types []Type
	words := 0
	for i, a := range arguments {
		t, err := CompileType(a.Type)
		if err != nil {
			return nil, fmt.Errorf("parameter %d: %w", i+1, err)
		}
		if words += t.Words(); words > MaxTypeWords {
			return nil, fmt.Errorf("the parameters have more than %d words", MaxTypeWords)
		}
		types = append(types, t)
	}
	return types, nil
}

// addressWord is the ABI word of an address.
func addressWord(a common.Address) uint256.Int {
	var w uint256.Int
	w.SetBytes20(a[:])
	return w
}
